"""Lesson 20, hidden side. Reading on gives answers away."""

import math

from ...attention import attention, causal_mask, grouped_query_attention, softmax
from ...layers import rms_norm, swiglu
from ...llama import LLAMA_BLOCK_SHAPES, llama_attention
from ...matrices import add
from ...rope import rope
from .exercise import Exercise, Shown, draw_inputs, from_source


def my_cached_attention(Q, K, V, keys, values, base):
    S, T = len(keys[0]), len(K[0])
    positions = list(range(S, S + T))
    Q = [rope(head, positions, base) for head in Q]
    K = [rope(head, positions, base) for head in K]
    keys = [old + new for old, new in zip(keys, K)]
    values = [old + new for old, new in zip(values, V)]
    return grouped_query_attention(Q, keys, values, causal_mask(S + T)[S:]), keys, values


def _attend(
    Q,
    K,
    V,
    keys,
    values,
    base,
    turn_q=True,
    turn_k=True,
    turn_v=False,
    again=False,
    places=lambda S, T: range(S, S + T),
    masked=True,
    grouped=grouped_query_attention,
    turn=rope,
    cached=None,
    longer=None,
    visible=lambda mask, S, T: mask[S:],
):
    """The right answer, but for what is asked to be otherwise."""
    S, T = len(keys[0]), len(K[0])
    positions = list(places(S, T))

    def turned(heads, places=positions):
        return [turn(head, places, base) for head in heads]

    Q, old_K = turned(Q) if turn_q else Q, K
    K, V = turned(K) if turn_k else K, turned(V) if turn_v else V
    if again:
        keys = turned(keys, list(range(S))) if S else keys
    keys = [old + new for old, new in zip(keys, K)]
    values = [old + new for old, new in zip(values, V)]
    mask = visible(causal_mask(S + T), S, T) if masked else None
    heads = grouped(Q, keys, values, mask)
    if cached == "raw":
        keys = [key[:S] + new for key, new in zip(keys, old_K)]
    if longer == "new":
        keys, values = K, V
    return heads, keys, values


def _halves(X, positions, base):
    """RoPE on pairs x[i], x[i + k / 2]."""
    k = len(X[0])
    order = [i // 2 + i % 2 * (k // 2) for i in range(k)]
    rows = rope([[row[i] for i in order] for row in X], positions, base)
    return [[row[order.index(i)] for i in range(k)] for row in rows]


def _every_gth(Q, K, V, mask=None):
    return [attention(q, K[h % len(K)], V[h % len(K)], mask) for h, q in enumerate(Q)]


def _first_set(Q, K, V, mask=None):
    return [attention(q, K[0], V[0], mask) for q in Q]


def _exchanged(Q, K, V, mask=None):
    return grouped_query_attention(Q, V, K, mask)


def _scaled_twice(Q, K, V, mask=None):
    root = math.sqrt(len(Q[0][0]))
    return grouped_query_attention([[[x / root for x in q] for q in head] for head in Q], K, V, mask)


def _heads_last(*arguments):
    heads, keys, values = my_cached_attention(*arguments)
    return keys, values, heads


def _sets_as_start(Q, K, V, keys, values, base):
    return _attend(Q, K, V, keys, values, base, places=lambda S, T: range(len(keys), len(keys) + T))


def _old_only(Q, K, V, keys, values, base):
    heads, longer, values_ = _attend(Q, K, V, keys, values, base)
    if not keys[0]:
        raise IndexError
    Q = [rope(head, list(range(len(keys[0]), len(keys[0]) + len(K[0]))), base) for head in Q]
    return grouped_query_attention(Q, keys, values), longer, values_


def _in_front(Q, K, V, keys, values, base):
    S, T = len(keys[0]), len(K[0])
    positions = list(range(S, S + T))
    Q = [rope(head, positions, base) for head in Q]
    K = [rope(head, positions, base) for head in K]
    keys = [new + old for old, new in zip(keys, K)]
    values = [new + old for old, new in zip(values, V)]
    return grouped_query_attention(Q, keys, values, causal_mask(S + T)[S:]), keys, values


def _without_cache(Q, K, V, keys, values, base):
    """Attends to the new tokens only, and returns the longer lists."""
    _, longer, values_ = _attend(Q, K, V, keys, values, base)
    S, T = len(keys[0]), len(K[0])
    new = [key[S:] for key in longer]
    Q = [rope(head, list(range(S, S + T)), base) for head in Q]
    return grouped_query_attention(Q, new, V, causal_mask(T)), longer, values_


def _slip(**otherwise):
    return lambda *arguments: _attend(*arguments, **otherwise)


def my_llama_block(config, parameters, X, keys=None, values=None):
    p = parameters
    attended, keys, values = llama_attention(config, p, X, keys, values)
    X = add(X, attended)
    normed = rms_norm(X, p["ffn_norm.weight"], config["eps"])
    return (
        add(X, swiglu(normed, p["ffn_gate.weight"], p["ffn_up.weight"], p["ffn_down.weight"])),
        keys,
        values,
    )


def _block(config, p, X, keys=None, values=None, feed="gu", eps=None, norm="ffn_norm.weight", plan="pre"):
    """The right answer, but for what is asked to be otherwise."""
    eps = config["eps"] if eps is None else eps
    given = rms_norm(X, p["attn_norm.weight"], eps) if plan == "normed twice" else X
    attended, keys, values = llama_attention(config, p, given, keys, values)
    middle = attended if plan == "no first" else add(X, attended)
    read = {"side by side": X, "attention only": attended}.get(plan, middle)
    normed = read if plan == "no norm" else rms_norm(read, p[norm], eps)
    gate, up = (p[f"ffn_{name}.weight"] for name in (("gate", "up") if feed == "gu" else ("up", "gate")))
    fed = swiglu(normed, gate, up, p["ffn_down.weight"])
    start = {"no second": None, "second from X": X, "second from normed": normed}.get(plan, middle)
    start = add(middle, attended) if plan == "attention twice" else start
    return fed if start is None else add(start, fed), keys, values


def _cache_lost(config, p, X, keys=None, values=None):
    return my_llama_block(config, p, X)


def _other(**otherwise):
    return lambda *arguments: _block(*arguments, **otherwise)


def _config(H, G, k, F, eps):
    sizes = {"vocab_size": 5, "n_embd": H * k, "n_layer": 1, "n_head": H, "n_kv_head": G, "n_inner": F}
    return {**sizes, "rope_base": 100.0, "eps": eps}


def _tiny_block(seed, H, G, k, F, eps):
    """A config and the parameters of one block, in numbers of two decimals."""
    sizes = {"D": H * k, "G*k": G * k, "F": F}
    shapes = [[sizes[letter] for letter in shape.split()] for shape in LLAMA_BLOCK_SHAPES.values()]
    return [_config(H, G, k, F, eps), dict(zip(LLAMA_BLOCK_SHAPES, draw_inputs(seed, *shapes)))]


ZEROS = {name: [[0.0, 0.0], [0.0, 0.0]] for name in LLAMA_BLOCK_SHAPES}
ZEROS |= {"attn_norm.weight": [1.0, 1.0], "ffn_norm.weight": [1.0, 1.0]}


def _block_call(name, config, parameters, X, keys, values):
    """The call in words: the parameters are too many to be read."""
    what = "zeros" if parameters is ZEROS else f"parameters of width {len(X[0])}"
    sizes = ", ".join(f"{size} {config[size]:g}" for size in ("n_head", "n_kv_head", "eps"))
    return f"{name}(config, {what}, {X}{', keys, values' if keys else ''}), with {sizes}"


def my_answer(step, choose, tokens, n, end):
    cache, new = None, []
    for token in tokens:
        logits, cache = step(token, cache)
    while True:
        new.append(choose(logits))
        if new[-1] == end or len(new) == n:
            return new
        logits, cache = step(new[-1], cache)


def _read_otherwise(question=True, new=True):
    """The answer where the cache is not passed on in one of the loops."""

    def answer(step, choose, tokens, n, end):
        seen = []

        def forgetful(token, cache):
            seen.append(token)
            return step(token, cache if (question if len(seen) <= len(tokens) else new) else None)

        return my_answer(forgetful, choose, tokens, n, end)

    return answer


def _cache_not_kept(step, choose, tokens, n, end):
    """Each new token is read with the cache of the question."""
    cache, new = None, []
    for token in tokens:
        logits, cache = step(token, cache)
    while True:
        new.append(choose(logits))
        if new[-1] == end or len(new) == n:
            return new
        logits, _ = step(new[-1], cache)


def _one_step_more(step, choose, tokens, n, end, after_end=True):
    cache, new = None, []
    for token in tokens:
        logits, cache = step(token, cache)
    for _ in range(n):
        new.append(choose(logits))
        if new[-1] == end and not after_end:
            break
        logits, cache = step(new[-1], cache)
        if new[-1] == end:
            break
    return new


def _one_step_more_at_n(step, choose, tokens, n, end):
    return _one_step_more(step, choose, tokens, n, end, after_end=False)


def _never_ends(step, choose, tokens, n, end):
    return my_answer(step, choose, tokens, n, None)


def _without_end(step, choose, tokens, n, end):
    return [token for token in my_answer(step, choose, tokens, n, end) if token != end]


def _last_twice(step, choose, tokens, n, end):
    return my_answer(step, choose, [*tokens, tokens[-1]], n, end)


def _last_not_read(step, choose, tokens, n, end):
    return my_answer(step, choose, tokens[:-1], n, end)


def _first_only(step, choose, tokens, n, end):
    return my_answer(step, choose, tokens[:1], n, end)


def _first_only_and_no_end(step, choose, tokens, n, end):
    return my_answer(step, choose, tokens[:1], n, None)


def _only_at_end(step, choose, tokens, n, end):
    """Generates until the token end; gives up after more tokens than any input allows."""
    return my_answer(step, choose, tokens, 50, end)


def _one_token(step, choose, tokens, n, end):
    return my_answer(step, choose, tokens, 1, end)


def _one_less(step, choose, tokens, n, end):
    return my_answer(step, choose, tokens, n, end)[: n - 1]


def _one_more(step, choose, tokens, n, end):
    return my_answer(step, choose, tokens, n + 1, end)


def _same_logits(step, choose, tokens, n, end):
    cache = None
    for token in tokens:
        logits, cache = step(token, cache)
    chosen = choose(logits)
    return [chosen] if chosen == end else [chosen] * n


def _ends_in_question(step, choose, tokens, n, end):
    kept = tokens[: tokens.index(end) + 1] if end in tokens else tokens
    return my_answer(step, choose, kept, n, end)


def _greedy(step, choose, tokens, n, end):
    return my_answer(step, lambda logits: logits.index(max(logits)), tokens, n, end)


def my_template(messages):
    text = "".join(f"<|im_start|>{role}\n{said}<|im_end|>\n" for role, said in messages)
    return text + "<|im_start|>assistant\n"


COUNTING = "lambda token, cache: ([float(i == token + 1) for i in range(9)], [*(cache or []), token])"
ADDING = (
    "lambda token, cache: ([float(i == (sum(cache or []) + token) % 7) for i in range(7)], "
    "[*(cache or []), token])"
)
BEST, WORST = (f"lambda logits: logits.index({which}(logits))" for which in ("max", "min"))


def _for_tokens(most):
    """The first step, which refuses to read more tokens than are needed."""

    def step(token, cache):
        if len(cache or []) == most:
            raise RuntimeError(f"step was called {most + 1} times, and {most} are enough")
        return [float(i == token + 1) for i in range(9)], [*(cache or []), token]

    return Shown(f"step_for_{most}_tokens", step)


STEPS = [
    [from_source(COUNTING), from_source(BEST), [5, 1], 9, 4],
    [from_source(COUNTING), from_source(BEST), [5, 1], 2, 8],
    [from_source(COUNTING), from_source(BEST), [3], 1, 0],
    [from_source(ADDING), from_source(BEST), [2, 1, 1], 5, 6],
    [from_source(ADDING), from_source(BEST), [1, 3], 6, 0],
    [from_source(ADDING), from_source(BEST), [1, 2, 2], 4, 2],
    [from_source(ADDING), from_source(WORST), [2, 5], 3, 6],
    [from_source(COUNTING), from_source("lambda logits: logits.index(1.0)"), [2], 3, 8],
    [_for_tokens(4), from_source(BEST), [5, 1], 3, 8],
    [_for_tokens(3), from_source(BEST), [5, 1], 6, 3],
]


def _template(messages, start="<|im_start|>", after="\n", end="<|im_end|>\n", last="<|im_start|>assistant\n"):
    return "".join(f"{start}{role}{after}{said}{end}" for role, said in messages) + last


def _slipped(**otherwise):
    return lambda messages: _template(messages, **otherwise)


EXERCISES = {
    "20.a": Exercise(
        my_cached_attention,
        [
            [[[[0.0, 0.0]]], [[[0.0, 0.0]]], [[[30.0, 2.0]]], [[[3.0, 4.0]]], [[[10.0, 2.0]]], 10000.0],
            [*draw_inputs(201, (2, 1, 2), (1, 1, 2), (1, 1, 2), (1, 2, 2), (1, 2, 2)), 10000.0],
            [*draw_inputs(202, (4, 3, 4), (2, 3, 4), (2, 3, 4)), [[], []], [[], []], 100.0],
            [*draw_inputs(203, (4, 2, 4), (2, 2, 4), (2, 2, 4), (2, 3, 4), (2, 3, 4)), 50.0],
            [*draw_inputs(204, (6, 1, 4), (3, 1, 4), (3, 1, 4), (3, 1, 4), (3, 1, 4)), 20.0],
        ],
        mistakes={
            "RoPE is missing": _slip(turn_q=False, turn_k=False),
            "RoPE rotates the queries, and not the keys": _slip(turn_k=False),
            "RoPE rotates the keys, and not the queries": _slip(turn_q=False),
            "RoPE rotates the values, too": _slip(turn_v=True),
            "the cached keys are rotated again; they are rotated already": _slip(again=True),
            "the positions of the new tokens begin at 0, and not at S": _slip(places=lambda S, T: range(T)),
            "all new tokens get the position S": _slip(places=lambda S, T: [S] * T),
            "all new tokens get the last position": _slip(places=lambda S, T: [S + T - 1] * T),
            "the positions begin at S + 1, and not at S": _slip(places=lambda S, T: range(S + 1, S + T + 1)),
            "RoPE pairs the halves of a row; it rotates neighbours": _slip(turn=_halves),
            "RoPE has another base than `base`": lambda Q, K, V, keys, values, base: _attend(
                Q, K, V, keys, values, 10000.0
            ),
            "the causal mask is missing": _slip(masked=False),
            "the mask is made of the first T rows of the causal mask, and not of the last T": _slip(
                visible=lambda mask, S, T: mask[:T]
            ),
            "keys and values are exchanged in the call of grouped_query_attention": _slip(grouped=_exchanged),
            "the queries are divided by √k; grouped_query_attention does this itself": _slip(
                grouped=_scaled_twice
            ),
            "the positions begin at len(keys), the number of sets, and not at len(keys[0])": _sets_as_start,
            "the heads come last in the result, and not first": _heads_last,
            "head h takes the set h % G; neighbouring heads share a set": _slip(grouped=_every_gth),
            "all heads take the first set": _slip(grouped=_first_set),
            "the keys go into the cache before RoPE": _slip(cached="raw"),
            "only the new keys and values are returned": _slip(longer="new"),
            "the new tokens do not attend to themselves": _old_only,
            "the new tokens do not attend to the cached keys": _without_cache,
            "the new keys and values stand before the cached ones": _in_front,
            "keys and values are exchanged in the result": lambda *arguments: (
                lambda heads, keys, values: (heads, values, keys)
            )(*my_cached_attention(*arguments)),
        },
        parts=("heads", "keys", "values"),
    ),
    "20.b": Exercise(
        my_llama_block,
        [
            [_config(1, 1, 2, 2, 1e-5), ZEROS, [[3.0, 4.0]], None, None],
            [*_tiny_block(211, 2, 1, 2, 3, 0.5), *draw_inputs(212, (2, 4)), None, None],
            [*_tiny_block(213, 2, 1, 2, 3, 0.1), *draw_inputs(214, (1, 4), (1, 2, 2), (1, 2, 2))],
            [*_tiny_block(215, 4, 2, 2, 5, 0.01), *draw_inputs(216, (2, 8), (2, 3, 2), (2, 3, 2))],
        ],
        mistakes={
            "gate and up are exchanged": _other(feed="ug"),
            "eps is forgotten, so rms_norm takes its default": lambda config, *rest: _block(
                config, *rest, eps=1e-5
            ),
            "eps is 0": lambda config, *rest: _block(config, *rest, eps=0.0),
            "the second norm has the weights of the first": _other(norm="attn_norm.weight"),
            "the second norm is missing": _other(plan="no norm"),
            "X is normalized before llama_attention, which does that itself": _other(plan="normed twice"),
            "the first residual connection is missing": _other(plan="no first"),
            "the second residual connection is missing": _other(plan="no second"),
            "the second residual connection begins at the first X": _other(plan="second from X"),
            "the second residual connection begins at the normalized rows": _other(plan="second from normed"),
            "swiglu reads the first X, and not X plus the output of attention": _other(plan="side by side"),
            "swiglu reads the output of attention, and not X plus this output": _other(plan="attention only"),
            "the output of attention is added twice": _other(plan="attention twice"),
            "keys and values are exchanged in the call of llama_attention": (
                lambda config, p, X, keys=None, values=None: my_llama_block(config, p, X, values, keys)
            ),
            "keys and values are exchanged in the result": (
                lambda *arguments: (lambda X, keys, values: (X, values, keys))(*my_llama_block(*arguments))
            ),
            "keys and values are not passed to llama_attention": _cache_lost,
            "the old keys and values are returned": lambda config, p, X, keys=None, values=None: (
                my_llama_block(config, p, X, keys, values)[0],
                keys,
                values,
            ),
        },
        parts=("rows", "keys", "values"),
        call_text=_block_call,
    ),
    "20.c": Exercise(
        my_answer,
        STEPS,
        mistakes={
            "the tokens of the question are returned, too": lambda step, choose, tokens, n, end: [
                *tokens,
                *my_answer(step, choose, tokens, n, end),
            ],
            "the cache is not passed on": _read_otherwise(question=False, new=False),
            "only the last token of the question is in the cache": _read_otherwise(question=False),
            "the new tokens are read without the cache": _read_otherwise(new=False),
            "the longer cache is not kept, so each new token follows the question": _cache_not_kept,
            "generation goes on after the token end": _never_ends,
            "the token end is left out": _without_end,
            "the last token of the question is read twice": _last_twice,
            "only the first token of the question is read": _first_only,
            "only the first token of the question is read, and generation goes on after the token end": (
                _first_only_and_no_end
            ),
            "the last token of the question is not read": _last_not_read,
            "generation stops at the token end only, and not at n tokens": _only_at_end,
            "one token is generated, and then the function returns": _one_token,
            "there is one token less than n": _one_less,
            "there is one token more than n": _one_more,
            "a new token is never read, so the logits stay the same": _same_logits,
            "the question is read only up to the token end": _ends_in_question,
            "the last new token is read, too, though no other follows it": _one_step_more,
            "the new token number n is read, too, though no other follows it": _one_step_more_at_n,
            "choose is given probabilities, and not logits": lambda step, choose, *rest: my_answer(
                step, lambda logits: choose(softmax(logits)), *rest
            ),
            "the most likely token is taken, and `choose` is not called": _greedy,
        },
    ),
    "20.d": Exercise(
        my_template,
        [
            [[("user", "Hi")]],
            [[("system", "Be short."), ("user", "Why?")]],
            [[("user", "2 + 2?"), ("assistant", "4"), ("user", "Sure?")]],
        ],
        mistakes={
            "the last line, which asks for the answer, is missing": _slipped(last=""),
            "the last newline is missing": lambda messages: my_template(messages)[:-1],
            "the newline after <|im_end|> is missing": _slipped(end="<|im_end|>"),
            "a newline stands before <|im_end|>, too": _slipped(end="\n<|im_end|>\n"),
            "a newline stands before <|im_end|>, and none after it": _slipped(end="\n<|im_end|>"),
            "the newline after the role is missing": _slipped(after=""),
            "a space stands after the role, where a newline should be": _slipped(after=" "),
            "a colon stands after the role": _slipped(after=":\n"),
            "<|im_end|> is missing": _slipped(end="\n"),
            "<|im_start|> is missing before the messages": _slipped(start=""),
            "<|im_start|> is missing in the last line": _slipped(last="assistant\n"),
            "the newline after <|im_end|> of the last message is missing": lambda messages: (
                _template(messages, last="")[:-1] + "<|im_start|>assistant\n"
            ),
            "<|im_start|>assistant stands after each message, and not only after the last": _slipped(
                end="<|im_end|>\n<|im_start|>assistant\n", last=""
            ),
            "the role and the text are exchanged": lambda messages: my_template(
                [(said, role) for role, said in messages]
            ),
            "a list of messages is returned, and not one string": lambda messages: [
                _template([message], last="") for message in messages
            ],
            "a space stands after <|im_start|>": _slipped(
                start="<|im_start|> ", last="<|im_start|> assistant\n"
            ),
            "a newline stands after <|im_start|>": _slipped(start="<|im_start|>\n"),
            "a newline stands after each <|im_start|>": _slipped(
                start="<|im_start|>\n", last="<|im_start|>\nassistant\n"
            ),
            "the messages are joined with spaces": lambda messages: (
                " ".join(_template([message], last="") for message in messages) + "<|im_start|>assistant\n"
            ),
            "only the first message begins with <|im_start|>": lambda messages: (
                "<|im_start|>" + _template(messages, start="")
            ),
            "only the first message is there": lambda messages: my_template(messages[:1]),
            "an <|im_end|> stands at the end; it is for the model to write": lambda messages: (
                my_template(messages) + "<|im_end|>"
            ),
            "every role is user": lambda messages: my_template([("user", said) for _, said in messages]),
            "only the last message is there": lambda messages: my_template(messages[-1:]),
            "there is an <|im_end|> after the last line, too": _slipped(
                last="<|im_start|>assistant\n<|im_end|>\n"
            ),
        },
    ),
}
