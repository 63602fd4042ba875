"""Lesson 21: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import linear, rms_norm, softmax
from .exercise import Exercise, draw_inputs


def my_ablation_hook(heads, name, rows):
    if name in heads:
        return [[0.0] * len(row) for row in rows]
    return rows


ZERO_ROWS, IS_ABLATED = "[[0.0] * len(row) for row in rows]", "name in heads"
ABLATION_MISTAKES = {
    "the heads in the list stay, and all others add 0": (IS_ABLATED, "name not in heads"),
    "every activation becomes 0; only the heads in the list add 0": (IS_ABLATED, "True"),
    "nothing becomes 0; ask whether the name is in the list of heads": (IS_ABLATED, "False"),
    "only the first head in the list adds 0": (IS_ABLATED, "name == heads[0]"),
    "only the last head in the list adds 0": (IS_ABLATED, "name == heads[-1]"),
    "all heads of the block add 0; its other head stays": (
        IS_ABLATED,
        "name[0] in [head[0] for head in heads]",
    ),
    "all heads with this number add 0, whatever their block": (
        IS_ABLATED,
        "name[-1] in [head[-1] for head in heads]",
    ),
    "one row of zeros is returned; return a row for each position": (ZERO_ROWS, "[[0.0] * len(rows[0])]"),
    "the rows have as many zeros as there are positions; a row keeps its width": (
        ZERO_ROWS,
        "[[0.0] * len(rows) for row in rows]",
    ),
    "the rows are missing; a head that adds 0 gives rows of zeros": (ZERO_ROWS, "[]"),
    "the number 0 is returned; return rows of zeros": (ZERO_ROWS, "0.0"),
    "a number is returned for each position; a head adds a row": (ZERO_ROWS, "[0.0] * len(rows)"),
    "None is returned for the other activations; return their rows": ("return rows", "return None"),
    "the mean of the rows takes their place; an ablated head adds 0": (
        ZERO_ROWS,
        "[[sum(column) / len(rows) for column in zip(*rows)] for row in rows]",
    ),
    "a part of a head's name counts, too: 0.1 is a head, and 1 the stream after block 1": (
        IS_ABLATED,
        "any(name in head for head in heads)",
    ),
    "the beginning of a head's name counts, too: 0.1 is a head, and 0 the stream after block 0": (
        IS_ABLATED,
        "any(head.startswith(name) for head in heads)",
    ),
    "None is returned for an ablated head; return rows of zeros": (ZERO_ROWS, "None"),
    "only the last position adds 0": (ZERO_ROWS, "rows[:-1] + [[0.0] * len(rows[-1])]"),
    "the signs are turned; an ablated head adds 0": (ZERO_ROWS, "[[-x for x in row] for row in rows]"),
}


def my_copying_score(added, W, tokens, n):
    total = 0.0
    for t in range(n, len(tokens)):
        logits = linear([added[t]], W)[0]
        total += logits[tokens[t - n + 1]] - sum(logits) / len(logits)
    return total / (len(tokens) - n)


MEAN, COUNT = " - sum(logits) / len(logits)", " / (len(tokens) - n)"
COPYING_MISTAKES = {
    "the mean over all tokens is not subtracted": (MEAN, ""),
    "the sum of the logits is subtracted, and not their mean": (MEAN, " - sum(logits)"),
    "the mean of the other logits is subtracted; take the mean of all": (
        (MEAN, " - (sum(logits) - logits[tokens[t - n + 1]]) / (len(logits) - 1)"),
    ),
    "the largest logit is subtracted, and not the mean": (MEAN, " - max(logits)"),
    "the mean is taken over the letters of the sequence; take it over all V logits": (
        (MEAN, " - sum(logits[i] for i in set(tokens)) / len(set(tokens))"),
    ),
    "the mean is taken over the tokens of the sequence; take it over all V logits": (
        (MEAN, " - sum(logits[i] for i in tokens) / len(tokens)"),
    ),
    "the logit is divided by the mean; subtract the mean": (MEAN, " / (sum(logits) / len(logits))"),
    "matmul takes the place of linear, which multiplies by W transposed": (
        ("linear([added[t]], W)", "matmul([added[t]], W)"),
    ),
    "the mean is divided by the width of the vector, and not by the number of tokens": (
        ("/ len(logits)", "/ len(added[t])"),
    ),
    "the logit of the current token is taken; take the one of the token after its earlier place": (
        ("t - n + 1", "t - n"),
    ),
    "the logit of the second token after the earlier place is taken; take the first": (
        ("t - n + 1", "t - n + 2"),
    ),
    "the logit of the token before the earlier place is taken; take the one after it": (
        ("t - n + 1", "t - n - 1"),
    ),
    "the logit of token t - n + 1 is taken; that is a position, so look the token up": (
        ("logits[tokens[t - n + 1]]", "logits[t - n + 1]"),
    ),
    "what the head adds at the earlier place is read; read what it adds at t": (
        ("added[t]]", "added[t - n]]"),
    ),
    "what the head adds at the token after the earlier place is read; read what it adds at t": (
        ("added[t]]", "added[t - n + 1]]"),
    ),
    "softmax is applied: a head adds to the logits, and not to the probabilities": (
        ("linear([added[t]], W)[0]", "softmax(linear([added[t]], W)[0])"),
    ),
    "what the head adds is normalized first: the division of the final norm is left out here": (
        ("linear([added[t]], W)", "linear(rms_norm([added[t]], [1.0] * len(added[t])), W)"),
    ),
    "the sum is not divided by the number of positions": (COUNT, ""),
    "the sum is divided by all T positions; only T - n have an earlier place": (COUNT, " / len(tokens)"),
    "only the last position counts": (("in range(n, len(tokens))", "in [len(tokens) - 1]"), (COUNT, "")),
    "the last position is left out: its answer is known, too": (
        ("range(n, len(tokens))", "range(n, len(tokens) - 1)"),
        (COUNT, " / (len(tokens) - n - 1)"),
    ),
    "position n is left out: the first token with an earlier place is at n": (
        ("range(n, len(tokens))", "range(n + 1, len(tokens))"),
        (COUNT, " / max(len(tokens) - n - 1, 1)"),
    ),
    "t starts one position too early: the first token with an earlier place is at n": (
        ("range(n, len(tokens))", "range(n - 1, len(tokens))"),
        (COUNT, " / (len(tokens) - n + 1)"),
    ),
    "the positions before n count, too; only those from n on have an earlier place": (
        ("range(n, len(tokens))", "range(len(tokens))"),
    ),
    "tokens[t + 1] is taken, and the last position has no next token; use the earlier place": (
        ("tokens[t - n + 1]", "tokens[t + 1]"),
    ),
    "the last position adds nothing to the sum, and it is counted: its answer is known, too": (
        ("range(n, len(tokens))", "range(n, len(tokens) - 1)"),
    ),
    "the token before t is taken; the answer is the token after the earlier place": (
        ("tokens[t - n + 1]", "tokens[t - 1]"),
    ),
    "the sign is turned around": ("total += logits", "total -= logits"),
    "it counts how often the answer has the largest logit": (
        ("total += logits[tokens[t - n + 1]]", "total += logits[tokens[t - n + 1]] == max(logits)"),
        (MEAN, ""),
    ),
}


def my_lens(streams, gamma, W_lm, target):
    found = []
    for X in streams:
        logits = linear(rms_norm(X, gamma), W_lm)[-1]
        found.append(softmax(logits)[target])
    return found


NORMED = "rms_norm(X, gamma)"
LENS_MISTAKES = {
    "the final norm is left out": (NORMED, "X"),
    "matmul takes the place of linear, which multiplies by W_lm transposed": (
        ("linear(rms_norm(X, gamma), W_lm)", "matmul(rms_norm(X, gamma), W_lm)"),
    ),
    "softmax is taken over the positions; take it over the logits of the last position": (
        ("logits = linear(rms_norm(X, gamma), W_lm)[-1]", "rows = linear(rms_norm(X, gamma), W_lm)"),
        ("softmax(logits)[target]", "softmax([row[target] for row in rows])[-1]"),
    ),
    "the final norm has no gain": (NORMED, "rms_norm(X, [1.0] * len(gamma))"),
    "the gain multiplies the stream, and nothing divides by its root mean square": (
        (NORMED, "[[g * x for g, x in zip(gamma, row)] for row in X]"),
    ),
    "layer norm is used; this model has RMSNorm": (NORMED, "layer_norm(X, gamma, [0.0] * len(gamma))"),
    "the first position is read; the next token is predicted at the last one": ("W_lm)[-1]", "W_lm)[0]"),
    "the position before the last is read; the next token is predicted at the last one": (
        "W_lm)[-1]",
        "W_lm)[-2 if len(X) > 1 else -1]",
    ),
    "the log-probability is returned, and not the probability": (
        ("softmax(logits)[target]", "math.log(softmax(logits)[target])"),
    ),
    "a list with a number for each position is returned; only the last position predicts the next token": (
        ("logits = linear(rms_norm(X, gamma), W_lm)[-1]", "rows = linear(rms_norm(X, gamma), W_lm)"),
        ("softmax(logits)[target]", "[softmax(row)[target] for row in rows]"),
    ),
    "the mean over the positions is taken; the next token is predicted at the last one": (
        ("logits = linear(rms_norm(X, gamma), W_lm)[-1]", "rows = linear(rms_norm(X, gamma), W_lm)"),
        ("softmax(logits)[target]", "sum(softmax(row)[target] for row in rows) / len(rows)"),
    ),
    "the logit is returned, and not the probability": ("softmax(logits)[target]", "logits[target]"),
    "the loss is returned, and not the probability": (
        ("softmax(logits)[target]", "-math.log(softmax(logits)[target])"),
    ),
    "the rank is returned, and not the probability": (
        ("softmax(logits)[target]", "1 + sum(x > logits[target] for x in logits)"),
    ),
    "the largest probability is returned; take the one of the target": (
        ("softmax(logits)[target]", "max(softmax(logits))"),
    ),
    "the probabilities of all tokens are returned; take the one of the target": (
        ("softmax(logits)[target]", "softmax(logits)"),
    ),
    "the norm is applied twice": (NORMED, "rms_norm(rms_norm(X, gamma), gamma)"),
    "the function returns within the loop; return a list with a number for each stream": (
        ("found.append(softmax(logits)[target])", "return softmax(logits)[target]"),
    ),
    "only the number of the last stream is returned; return one for each": (
        "return found",
        "return found[-1]",
    ),
    "only the last stream is read": ("in streams", "in streams[-1:]"),
    "only the first stream is read": ("in streams", "in streams[:1]"),
    "the streams are added up; read each alone": (
        ("for X in streams:", "total = streams[0]\n    for i, X in enumerate(streams):"),
        (NORMED, "rms_norm(total := X if i == 0 else add(total, X), gamma)"),
    ),
    "the mean of the probabilities is returned; return one for each stream": (
        ("return found", "return sum(found) / len(found)"),
    ),
}


EXERCISES = {
    "21.b": Exercise(
        my_ablation_hook,
        [
            [["0.1", "1.0"], "1.0", [[3.0, 4.0]]],
            [["0.1", "1.0"], "0.0", [[3.0, 4.0]]],
            [["0.1"], "0.1", [[1.5, 2.0, -1.0], [0.5, 1.0, 2.5]]],
            [["0.1", "1.1"], "0.1", [[1.5, 2.0], [0.5, 1.0], [2.0, -0.5]]],
            [["0.1"], "1.1", [[1.5, 2.0], [0.5, 1.0], [2.0, -0.5]]],
            [["0.1"], "0.0", [[1.5, 2.5], [0.5, 1.0], [2.0, -0.5]]],
            [["0.1"], "1", [[1.5, 2.0], [0.5, 1.0], [2.0, -0.5]]],
            [["0.1"], "0", [[1.5, 2.0], [2.0, -0.5]]],
            [[], "0.0", [[0.5, 1.0], [2.0, -1.5]]],
        ],
        ABLATION_MISTAKES,
    ),
    "21.c": Exercise(
        my_copying_score,
        [
            [
                [[9.0, 9.0], [9.0, 9.0], [0.0, 3.0], [6.0, 0.0]],
                [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],
                [0, 1, 0, 1],
                2,
            ],
            [*draw_inputs(215, (5, 3), (4, 3)), [2, 0, 3, 2, 0], 3],
            [*draw_inputs(216, (7, 2), (3, 2)), [1, 2, 1, 2, 1, 2, 1], 2],
            [*draw_inputs(217, (8, 4), (5, 4)), [4, 1, 0, 3, 4, 1, 0, 3], 4],
        ],
        COPYING_MISTAKES,
    ),
    "21.d": Exercise(
        my_lens,
        [
            [[[[3.0, 4.0]]], [0.0, 1.0], [[5.0, 0.0], [7.0, 0.0]], 1],
            [[[[1.0, -1.0], [2.0, 0.5], [3.0, 4.0]]], [1.0, 2.0], [[1.0, 0.0], [0.0, 1.0], [0.5, -0.5]], 2],
            [draw_inputs(218, (3, 2), (3, 2)), [0.5, 1.5], *draw_inputs(219, (4, 2)), 0],
            [draw_inputs(220, (2, 3), (2, 3), (2, 3)), [1.5, 0.5, -1.0], *draw_inputs(221, (5, 3)), 3],
        ],
        LENS_MISTAKES,
    ),
}
