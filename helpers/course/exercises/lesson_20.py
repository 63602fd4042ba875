"""Lesson 20, hidden side. Reading on gives answers away."""

from .exercise import Exercise, written


def my_llama_count(V, D, L, H, G, F):
    attention = 2 * D * D + 2 * (G * D // H) * D
    return V * D + L * (2 * D + attention + 3 * F * D) + D


def _count(V, D, L, H, G, F, norms=2, kv=None, gates=3, last=1, table=1):
    kv = G * D // H if kv is None else kv
    return table * V * D + L * (norms * D + 2 * D * D + 2 * kv * D + gates * F * D) + last * D


def my_answer(step, tokens, n, end):
    cache, new = None, []
    for token in tokens:
        logits, cache = step(token, cache)
    while True:
        new.append(logits.index(max(logits)))
        if new[-1] == end or len(new) == n:
            return new
        logits, cache = step(new[-1], cache)


def _no_cache(step, tokens, n, end):
    return my_answer(lambda token, cache: (step(token, None)[0], None), tokens, n, end)


def _last_only(step, tokens, n, end):
    return my_answer(step, tokens[-1:], n, end)


def _never_ends(step, tokens, n, end):
    return my_answer(step, tokens, n, None)


def _without_end(step, tokens, n, end):
    return [token for token in my_answer(step, tokens, n, end) if token != end]


def _last_twice(step, tokens, n, end):
    return my_answer(step, [*tokens, tokens[-1]], n, end)


def _one_less(step, tokens, n, end):
    return my_answer(step, tokens, n, end)[: n - 1]


def _one_more(step, tokens, n, end):
    return my_answer(step, tokens, n + 1, end)


def _same_logits(step, tokens, n, end):
    cache = None
    for token in tokens:
        logits, cache = step(token, cache)
    best = logits.index(max(logits))
    return [best] if best == end else [best] * n


def _ends_in_question(step, tokens, n, end):
    kept = tokens[: tokens.index(end) + 1] if end in tokens else tokens
    return my_answer(step, kept, n, end)


def my_template(messages):
    text = "".join(f"<|im_start|>{role}\n{said}<|im_end|>\n" for role, said in messages)
    return text + "<|im_start|>assistant\n"


COUNTING = "lambda token, cache: ([float(i == token + 1) for i in range(9)], [*(cache or []), token])"
ADDING = (
    "lambda token, cache: ([float(i == (sum(cache or []) + token) % 7) for i in range(7)], "
    "[*(cache or []), token])"
)
STEPS = [[written(COUNTING), [5, 1], 9, 4], [written(COUNTING), [5, 1], 2, 8], [written(COUNTING), [3], 1, 0]]
STEPS += [
    [written(ADDING), [2, 1, 1], 5, 6],
    [written(ADDING), [1, 3], 6, 0],
    [written(ADDING), [1, 2, 2], 4, 2],
]

EXERCISES = {
    "20.a": Exercise(
        my_llama_count,
        [[5, 4, 1, 2, 1, 6], [7, 8, 2, 4, 2, 10], [11, 12, 3, 3, 1, 5], [49152, 576, 30, 9, 3, 1536]],
        slips={
            "all heads have keys and values of their own": lambda V, D, L, H, G, F: _count(
                V, D, L, H, G, F, kv=D
            ),
            "the matrices for keys and values are counted for one set, and not for G": (
                lambda V, D, L, H, G, F: _count(V, D, L, H, G, F, kv=D // H)
            ),
            "SwiGLU is counted with two matrices": lambda *sizes: _count(*sizes, gates=2),
            "each block has one norm": lambda *sizes: _count(*sizes, norms=1),
            "the norms of the blocks are forgotten": lambda *sizes: _count(*sizes, norms=0),
            "the norms have a shift": lambda *sizes: _count(*sizes, norms=4, last=2),
            "the last norm is forgotten": lambda *sizes: _count(*sizes, last=0),
            "the table is counted twice, but it is used at both ends": lambda *sizes: _count(*sizes, table=2),
            "the table is forgotten": lambda *sizes: _count(*sizes, table=0),
            "there is one block": lambda V, D, L, H, G, F: _count(V, D, 1, H, G, F),
            "the output matrix of attention is forgotten": lambda V, D, L, H, G, F: (
                _count(V, D, L, H, G, F) - L * D * D
            ),
            "keys are counted, and values are not": lambda V, D, L, H, G, F: (
                _count(V, D, L, H, G, F) - L * (G * D // H) * D
            ),
        },
    ),
    "20.b": Exercise(
        my_answer,
        STEPS,
        slips={
            "the tokens of the question are returned, too": lambda step, tokens, n, end: [
                *tokens,
                *my_answer(step, tokens, n, end),
            ],
            "the cache is not passed on": _no_cache,
            "only the last token of the question is read": _last_only,
            "generation goes on after the token end": _never_ends,
            "the token end is left out": _without_end,
            "the last token of the question is read twice": _last_twice,
            "there is one token less than n": _one_less,
            "there is one token more than n": _one_more,
            "a new token is never read, so the logits stay the same": _same_logits,
            "the question is read only up to the token end": _ends_in_question,
        },
    ),
    "20.c": Exercise(
        my_template,
        [
            [[("user", "Hi")]],
            [[("system", "Be short."), ("user", "Why?")]],
            [[("user", "2 + 2?"), ("assistant", "4"), ("user", "Sure?")]],
        ],
        slips={
            "the last line, which asks for the answer, is missing": lambda messages: my_template(messages)[
                : -len("<|im_start|>assistant\n")
            ],
            "the last newline is missing": lambda messages: my_template(messages)[:-1],
            "the newline after <|im_end|> is missing": lambda messages: my_template(messages).replace(
                "<|im_end|>\n", "<|im_end|>"
            ),
            "the newline after the role is missing": lambda messages: (
                "".join(f"<|im_start|>{role}{said}<|im_end|>\n" for role, said in messages)
                + "<|im_start|>assistant\n"
            ),
            "<|im_end|> is missing": lambda messages: my_template(messages).replace("<|im_end|>", ""),
            "every role is user": lambda messages: my_template([("user", said) for _, said in messages]),
            "only the last message is there": lambda messages: my_template(messages[-1:]),
            "there is an <|im_end|> after the last line, too": lambda messages: (
                my_template(messages) + "<|im_end|>\n"
            ),
        },
    ),
}
