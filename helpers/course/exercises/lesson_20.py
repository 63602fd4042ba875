"""Lesson 20: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import causal_mask, grouped_query_attention, rope
from ..lessons.lesson_18_six_steps import rope_by_halves  # for an edit
from ..models.smollm2 import SYSTEM
from .exercise import Counting, Exercise, Shown, draw_inputs, from_source


def my_cached_attention(Q, K, V, keys, values, base):
    S, T = len(keys[0]), len(K[0])
    positions = list(range(S, S + T))
    Q = [rope(head, positions, base) for head in Q]
    K = [rope(head, positions, base) for head in K]
    keys = [old + new for old, new in zip(keys, K)]
    values = [old + new for old, new in zip(values, V)]
    heads = grouped_query_attention(Q, keys, values, causal_mask(S + T)[S:])
    return heads, keys, values


ROTATE_Q, ROTATE_K, ROTATE_V = (
    f"    {X} = [rope(head, positions, base) for head in {X}]\n" for X in ("Q", "K", "V")
)
MASK = "causal_mask(S + T)[S:]"
SIZES = "len(keys[0]), len(K[0])"
HEADS = f"grouped_query_attention(Q, keys, values, {MASK})"
CACHED_MISTAKES = {
    "RoPE is missing": ((ROTATE_Q, ""), (ROTATE_K, "")),
    "rope is given all heads at once; give it one head after the other": (
        ("[rope(head, positions, base) for head in Q]", "rope(Q, positions, base)"),
    ),
    "RoPE rotates the queries, and not the keys": (ROTATE_K, ""),
    "RoPE rotates the keys, and not the queries": (ROTATE_Q, ""),
    "RoPE rotates the values, too": (ROTATE_K, ROTATE_K + ROTATE_V),
    "the cached keys are rotated again; they are rotated already": (
        ("zip(keys, K)", "zip([rope(key, list(range(S)), base) if S else key for key in keys], K)"),
    ),
    "all keys are rotated after the new ones are appended, and stored without RoPE; the cached keys are "
    "rotated already": (
        (ROTATE_K, ""),
        ("(Q, keys", "(Q, [rope(key, list(range(S + T)), base) for key in keys]"),
    ),
    "the positions of the new tokens begin at 0, and not at S": ("range(S, S + T)", "range(T)"),
    "the positions of the new keys begin at 0, and not at S": (
        (ROTATE_K, ROTATE_K.replace("positions", "list(range(T))")),
    ),
    "the positions of the queries begin at 0, and not at S": (
        (ROTATE_Q, ROTATE_Q.replace("positions", "list(range(T))")),
    ),
    "S and T count the sets, len(keys) and len(K), and not the rows of a set": (SIZES, "len(keys), len(K)"),
    "S is len(keys) and T is len(Q), the numbers of sets and of heads; count the rows of one": (
        SIZES,
        "len(keys), len(Q)",
    ),
    "S is len(keys), the number of sets; the number of earlier tokens is len(keys[0])": (
        SIZES,
        "len(keys), len(K[0])",
    ),
    "T is len(K), the number of sets; the number of new tokens is len(K[0])": ("len(K[0])", "len(K)"),
    "all new tokens get the position S": ("list(range(S, S + T))", "[S] * T"),
    "all new tokens get the last position": ("list(range(S, S + T))", "[S + T - 1] * T"),
    "the positions begin at S + 1, and not at S": ("range(S, S + T)", "range(S + 1, S + T + 1)"),
    "RoPE pairs the halves of a row; it rotates neighbours": (
        (ROTATE_Q, ROTATE_Q.replace("rope", "rope_by_halves")),
        (ROTATE_K, ROTATE_K.replace("rope", "rope_by_halves")),
    ),
    "RoPE has another base than `base`": (
        (ROTATE_Q, ROTATE_Q.replace("base", "10000.0")),
        (ROTATE_K, ROTATE_K.replace("base", "10000.0")),
    ),
    "the causal mask is missing": (f", {MASK}", ""),
    "the mask is made of the first T rows of the causal mask, and not of the last T": ("[S:]", "[:T]"),
    "the mask is causal_mask(T), which has no columns for the cached keys": (MASK, "causal_mask(T)"),
    "the mask has a row for each key, and not only for each new token": (MASK, "causal_mask(S + T)"),
    "the mask holds True where a token attends; a mask holds 0.0 there, and -math.inf elsewhere": (
        (MASK, "[[s <= S + t for s in range(S + T)] for t in range(T)]"),
    ),
    "the mask holds True where a token does not attend; a mask holds -math.inf there, and 0.0 elsewhere": (
        (MASK, "[[s > S + t for s in range(S + T)] for t in range(T)]"),
    ),
    "the mask holds 1 where a token attends; a mask holds 0.0 there, and -math.inf elsewhere": (
        (MASK, "[[float(s <= S + t) for s in range(S + T)] for t in range(T)]"),
    ),
    "the new sets stand next to the cached ones; append the rows, set by set": (
        ("[old + new for old, new in zip(keys, K)]", "keys + K"),
        ("[old + new for old, new in zip(values, V)]", "values + V"),
    ),
    "grouped_query_attention gets keys and values exchanged": ("(Q, keys, values", "(Q, values, keys"),
    "the queries are divided by √k": ("(Q, keys", "([scale(q, 1 / math.sqrt(len(q[0]))) for q in Q], keys"),
    "the positions begin at len(keys), and not at len(keys[0])": ("S, S + T", "len(keys), len(keys) + T"),
    "the heads come last in the result, and not first": ("heads, keys, values\n", "keys, values, heads\n"),
    "head h takes the set h % G; neighbouring heads share a set": (
        (HEADS, f"[attention(q, keys[h % len(K)], values[h % len(K)], {MASK}) for h, q in enumerate(Q)]"),
    ),
    "all heads take the first set": (HEADS, f"[attention(q, keys[0], values[0], {MASK}) for q in Q]"),
    "the keys go into the cache before RoPE": (
        (ROTATE_K, "    raw = K\n" + ROTATE_K),
        ("heads, keys, values\n", "heads, [key[:S] + new for key, new in zip(keys, raw)], values\n"),
    ),
    "only the new keys and values are returned": ("heads, keys, values\n", "heads, K, V\n"),
    "the mask is one row too strict: a new token does not attend to itself": (
        (MASK, "[[0.0 if s < S + t else -math.inf for s in range(S + T)] for t in range(T)]"),
    ),
    "the new tokens attend to cached keys only, and not to themselves": (
        (HEADS, "grouped_query_attention(Q, [key[:S] for key in keys], [value[:S] for value in values])"),
    ),
    "new tokens do not attend to cached keys": (HEADS, "grouped_query_attention(Q, K, V, causal_mask(T))"),
    "the new keys and values stand before the cached ones": (
        ("old + new for old, new in zip(keys", "new + old for old, new in zip(keys"),
        ("old + new for old, new in zip(values", "new + old for old, new in zip(values"),
    ),
    "keys and values are exchanged in the result": ("heads, keys, values\n", "heads, values, keys\n"),
    "only the heads are returned": ("heads, keys, values\n", "heads\n"),
    "new sets are appended to the cached sets; append the rows, set by set": (
        ("[old + new for old, new in zip(keys, K)]", "keys + K"),
        ("[old + new for old, new in zip(values, V)]", "values + V"),
        (MASK, "None"),
    ),
}


def my_answer(step, choose, tokens, n, end):
    cache, new = None, []
    for token in tokens:
        logits, cache = step(token, cache)
    while True:
        new.append(choose(logits))
        if new[-1] == end or len(new) == n:
            return new
        logits, cache = step(new[-1], cache)


READ_NEXT = "        logits, cache = step(new[-1], cache)\n"
STOP = "        if new[-1] == end or len(new) == n:\n            return new\n"
STOP_AT_END, STOP_AT_N = STOP.replace(" or len(new) == n", ""), STOP.replace("new[-1] == end or ", "")
READ_ALL = STOP_AT_END + READ_NEXT + STOP_AT_N
NO_CACHE = ("logits, cache = step(token, cache)", "logits, _ = step(token, None)")
WITH_END = "return new if new[-1] == end else [*new, end]"


def end_left_out(step, choose, tokens, n, end):
    cache, new = None, []
    for token in tokens:
        logits, cache = step(token, cache)
    for _ in range(n):
        token = choose(logits)
        if token == end:
            break
        new.append(token)
        logits, cache = step(token, cache)
    return new


def chosen_again(step, choose, tokens, n, end):
    cache, new = None, []
    for token in tokens:
        logits, cache = step(token, cache)
    while len(new) < n and choose(logits) != end:
        new.append(choose(logits))
        logits, cache = step(new[-1], cache)
    return new


ANSWER_MISTAKES = {
    "choose is called twice for each token, once to compare it with end, so this token is lost": chosen_again,
    "the tokens of the question are returned, too": ("return new", "return tokens + new"),
    "the tokens of the question are returned, too, and the new token number n is read": (
        (STOP + READ_NEXT, READ_ALL.replace("return new", "return tokens + new")),
    ),
    "only the last token of the question is in the cache, and the new token number n is read, too": (
        ("(token, cache)", "(token, None)"),
        (STOP + READ_NEXT, READ_ALL),
    ),
    "no token of the question is in the cache of the answer; keep the cache that step returns": (NO_CACHE,),
    "no token of the question is in the cache of the answer, and the new token number n is read, too": (
        NO_CACHE,
        (STOP + READ_NEXT, READ_ALL),
    ),
    "step is given the list of tokens; it reads one token": (
        ("    for token in tokens:\n        logits, cache = step(token,", "    logits, cache = step(tokens,"),
    ),
    "the cache is not passed on": (("(token, cache)", "(token, None)"), ("new[-1], cache", "new[-1], None")),
    "only the last token of the question is in the cache": ("(token, cache)", "(token, None)"),
    "the new tokens are read without the cache": ("(new[-1], cache)", "(new[-1], None)"),
    "the longer cache is lost: new tokens follow the question": ("cache = step(new[-1]", "_ = step(new[-1]"),
    "generation goes on after the token end": (STOP, STOP_AT_N),
    "the first new token is not compared with the token end": (
        "new[-1] == end",
        "new[1:] and new[-1] == end",
    ),
    "the token end is appended to an answer of n tokens; it is there only if `choose` returns it": (
        ("return new", WITH_END),
    ),
    "the token end is appended to an answer of n tokens, and the new token number n is read, too": (
        (STOP + READ_NEXT, READ_ALL.replace("return new", WITH_END)),
    ),
    "the token end is appended to every answer; it is there only if `choose` returns it": (
        ("return new", "return [*new, end]"),
    ),
    "the token end is left out": ("return new", "return [token for token in new if token != end]"),
    "the token end is left out, and every token that is returned is read": end_left_out,
    "choose is called for each token of the question, too; call it once for each new token": (
        "step(token, cache)\n",
        "step(token, cache)\n        choose(logits)\n",
    ),
    "nothing is generated after a question that ends with the token end": (
        "    while True:",
        "    while tokens[-1] == end:\n        return []\n    while True:",
    ),
    "the last token of the question is read twice": ("in tokens:", "in tokens + tokens[-1:]:"),
    "only the first token of the question is read": ("in tokens:", "in tokens[:1]:"),
    "only the first token of the question is read, and generation goes on after the token end": (
        ("in tokens:", "in tokens[:1]:"),
        (STOP, STOP_AT_N),
    ),
    "the last token of the question is not read": ("in tokens:", "in tokens[:-1]:"),
    "generation stops at the token end only, and not at n tokens": ("== n:", "== 50:"),
    "one token is generated, and then the function returns": (STOP, "        return new\n"),
    "there is one token less than n": ("return new", "return new[: n - 1]"),
    "there is one token more than n": ("== n:", "== n + 1:"),
    "a new token is never read, so the logits stay the same": (READ_NEXT, ""),
    "the question is read only up to the token end": (
        ("in tokens:", "in tokens[: tokens.index(end) + 1] if end in tokens else tokens:"),
    ),
    "the last new token is read, too, though no other follows it": (STOP + READ_NEXT, READ_NEXT + STOP),
    "the new token number n is read, too": (STOP + READ_NEXT, READ_ALL),
    "choose is called twice for each token; call it once, and keep the token": (
        "new.append(choose(logits))",
        "new.append(choose(logits))\n        choose(logits)",
    ),
    "choose is called three times for each token; call it once, and keep the token": (
        ("new[-1] == end", "choose(logits) == end"),
        ("step(new[-1], cache)", "step(choose(logits), cache)"),
    ),
    "the whole text is read again for each new token; the cache has it": (
        READ_NEXT,
        "        cache = None\n        for token in tokens + new:\n"
        "            logits, cache = step(token, cache)\n",
    ),
    "n counts the tokens of the question, too; it counts the new ones": (
        "len(new) == n",
        "len(tokens) + len(new) >= n",
    ),
    "choose is given probabilities, and not logits": ("choose(logits)", "choose(softmax(logits))"),
    "the most likely token is taken, without `choose`": ("choose(logits)", "logits.index(max(logits))"),
}


COUNTING = from_source(
    "lambda token, cache: ([float(i == token + 1) for i in range(9)], [*(cache or []), token])"
)
ADDING = from_source(
    "lambda token, cache: ([float(i == (sum(cache or []) + token) % 7) for i in range(7)], "
    "[*(cache or []), token])"
)
BEST = from_source("lambda logits: logits.index(max(logits))")
WORST = from_source("lambda logits: logits.index(min(logits))")


class StepFor(Shown):
    """The first step, which refuses to be called more often than is needed. A copy begins anew."""

    def __init__(self, most, spare=0):
        self.most, self.spare, self.calls = most, spare, 0
        super().__init__(f"step_for_{most}_tokens", self.step)

    def step(self, token, cache):
        self.calls += 1
        if self.calls > self.most + self.spare:
            raise RuntimeError(f"step was called {self.calls} times, and {self.most} are enough")
        return [float(i == token + 1) for i in range(9)], [*(cache or []), token]

    def __deepcopy__(self, memo):
        return StepFor(self.most, self.spare)

    def __eq__(self, other):
        return isinstance(other, StepFor) and (self.most, self.spare) == (other.most, other.spare)


IN_TURN = Counting(
    "(lambda turn: lambda logits: sorted(range(len(logits)), key=lambda i: -logits[i])[next(turn) % 5])"
    "(iter(range(99)))"
)
STEPS = [
    [COUNTING, BEST, [5, 1], 9, 4],
    [COUNTING, BEST, [5, 1], 2, 8],
    [COUNTING, BEST, [5, 1], 9, 2],  # the first new token is the end
    [COUNTING, BEST, [3], 1, 0],
    [ADDING, BEST, [2, 1, 1], 5, 6],
    [ADDING, BEST, [1, 3], 6, 0],
    [ADDING, BEST, [1, 2, 2], 4, 2],
    [ADDING, WORST, [2, 5], 3, 6],
    [COUNTING, from_source("lambda logits: logits.index(1.0)"), [2], 3, 8],
    [COUNTING, IN_TURN, [2, 3, 4], 6, 8],
    [StepFor(4, spare=1), BEST, [5, 1], 3, 8],
    [StepFor(4), BEST, [5, 1], 3, 8],
    [StepFor(3), BEST, [5, 1], 6, 3],
]


def my_template(messages):
    text = "".join(f"<|im_start|>{role}\n{said}<|im_end|>\n" for role, said in messages)
    return text + "<|im_start|>assistant\n"


LAST_LINE = r' + "<|im_start|>assistant\n"'
TEMPLATE_MISTAKES = {
    "the spaces around a text are removed; a text stays as it is": ("{said}", "{said.strip()}"),
    "the last line is left out where the last message is the assistant's; it is always there": (
        LAST_LINE,
        r' + ("" if messages[-1][0] == "assistant" else "<|im_start|>assistant\n")',
    ),
    "the last line, which asks for the answer, is missing": (LAST_LINE, ""),
    "the text is not returned; print only shows it": ("return text", "text = text"),
    "the last newline is missing": (r"assistant\n", "assistant"),
    "the newline after <|im_end|> is missing": (r"<|im_end|>\n", "<|im_end|>"),
    "a newline stands before <|im_end|>, too": ("<|im_end|>", r"\n<|im_end|>"),
    "a newline stands before <|im_end|>, and none after it": (r"<|im_end|>\n", r"\n<|im_end|>"),
    "the newline after the role is missing": (r"{role}\n", "{role}"),
    "a space stands after the role, where a newline should be": (r"{role}\n", "{role} "),
    "a colon stands after the role": ("{role}", "{role}:"),
    "a colon and a space stand after the role, where a newline should be": (r"{role}\n", "{role}: "),
    "a backslash and an n stand where a newline should be": (
        "return text" + LAST_LINE,
        'return (text + "<|im_start|>assistant\\n").replace("\\n", chr(92) + "n")',
    ),
    "a system message is added; the text has only the messages of the list": (
        '"".join(',
        f'"<|im_start|>system\\n{SYSTEM}<|im_end|>\\n" + "".join(',
    ),
    "<|im_end|> is missing": ("<|im_end|>", ""),
    "<|im_start|> is missing before the messages": ("<|im_start|>{role}", "{role}"),
    "<|im_start|> is missing in the last line": ("<|im_start|>assistant", "assistant"),
    "the newline after <|im_end|> of the last message is missing": ("return text", "return text[:-1]"),
    "<|im_start|>assistant stands after each message, and not only after the last": (
        (LAST_LINE, ""),
        ("<|im_end|>", r"<|im_end|>\n<|im_start|>assistant"),
    ),
    "<|im_start|>assistant stands after each message of the user, and the assistant's message has its own": (
        (LAST_LINE, ""),
        (r"<|im_end|>\n", r"<|im_end|>\n{'<|im_start|>assistant' + chr(10) if role == 'user' else ''}"),
    ),
    "the role and the text are exchanged": (r"{role}\n{said}", r"{said}\n{role}"),
    "a list of messages is returned, and not one string": (
        ('"".join(f', "[f"),
        ("messages)\n", "messages]\n"),
        (LAST_LINE, ""),
    ),
    "a space stands after <|im_start|>": (("<|im_start|>{", "<|im_start|> {"), (">assistant", "> assistant")),
    "a newline stands after <|im_start|>": ("{role}", r"\n{role}"),
    "a newline stands after each <|im_start|>": (("{role}", r"\n{role}"), ("assistant", r"\nassistant")),
    "the messages are joined with spaces": ('"".join', '" ".join'),
    "only the first <|im_start|> is there": ('"".join(f"<|im_start|>', '"<|im_start|>" + "".join(f"'),
    "only the first message is there": ("in messages", "in messages[:1]"),
    "an <|im_end|> stands at the end; the model writes it": (r"assistant\n", r"assistant\n<|im_end|>"),
    "the roles alternate, user and assistant; the role of a message stands in its pair": (
        ("{role}", "{('user', 'assistant')[i % 2]}"),
        ("role, said in messages", "i, (role, said) in enumerate(messages)"),
    ),
    "a list of lines is returned, and not one string": (
        "return text" + LAST_LINE,
        r'return (text + "<|im_start|>assistant").split("\n")',
    ),
    "a space stands before <|im_end|>": ("<|im_end|>", " <|im_end|>"),
    "every role is user": ("{role}", "user"),
    "only the last message is there": ("in messages", "in messages[-1:]"),
    "there is an <|im_end|> after the last line, too": (r"assistant\n", r"assistant\n<|im_end|>\n"),
}


EXERCISES = {
    "20.a": Exercise(
        my_cached_attention,
        [
            [[[[0.0, 0.0]]], [[[0.0, 0.0]]], [[[30.0, 2.0]]], [[[3.0, 4.0]]], [[[10.0, 2.0]]], 10000.0],
            [*draw_inputs(201, (2, 2, 2), (1, 2, 2), (1, 2, 2), (1, 3, 2), (1, 3, 2)), 10000.0],
            [*draw_inputs(202, (4, 3, 2), (2, 3, 2), (2, 3, 2)), [[], []], [[], []], 100.0],
            [*draw_inputs(203, (4, 2, 4), (2, 2, 4), (2, 2, 4), (2, 3, 4), (2, 3, 4)), 50.0],
            [*draw_inputs(204, (6, 1, 4), (3, 1, 4), (3, 1, 4), (3, 1, 4), (3, 1, 4)), 20.0],
        ],
        CACHED_MISTAKES,
        parts=("heads", "keys", "values"),
    ),
    "20.c": Exercise(my_answer, STEPS, ANSWER_MISTAKES),
    "20.d": Exercise(
        my_template,
        [
            [[("user", "Hi"), ("assistant", "Hello!"), ("user", "Why?")]],
            [[("user", "Hi")]],
            [[("system", "Be short."), ("user", "Why?")]],
            [[("user", "2 + 2?"), ("assistant", "4"), ("user", "Sure?")]],
            [[("user", " Two  spaces ")]],
            [[("user", "Count."), ("assistant", "1, 2")]],
        ],
        TEMPLATE_MISTAKES,
    ),
}
