"""Lesson 24: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from helpers import softmax

from .exercise import Exercise


def my_addition_steps(a, b, n):
    columns, carry = "", 0
    for i in range(n):
        column = a // 10**i % 10 + b // 10**i % 10 + carry
        carry = column // 10
        columns += f"{column:02}"
    return f"{columns}:{a + b:0{n + 1}}."


COLUMN = "a // 10**i % 10 + b // 10**i % 10 + carry"
STEPS_MISTAKES = {
    "the carry comes from the two digits alone: the carry of the column before it can make it 10": (
        "carry = column // 10",
        "carry = (a // 10**i % 10 + b // 10**i % 10) // 10",
    ),
    "the carry is dropped: a column also adds the carry of the column before it": (" % 10 + carry", " % 10"),
    "a column of exactly 10 gives no carry": ("column // 10\n", "int(column > 10)\n"),
    "the digit of a column is written with a 0 before it, and not with its carry": (
        "{column:02}",
        "{column % 10:02}",
    ),
    "a space stands after the colon": ("{columns}:", "{columns}: "),
    "the question is written again: the text begins after =": (
        'return f"{columns}',
        'return f"{a:0{n}}+{b:0{n}}={columns}',
    ),
    "the text repeats the question: begin it after =": ('return f"{columns}', 'return f"{a}+{b}={columns}'),
    "the columns end with the shorter number: fill both with zeros to n digits": (
        "range(n)",
        "range(min(len(str(a)), len(str(b))))",
    ),
    "the carry is always 1 after the first column": ("column // 10\n", "1\n"),
    "the digits are aligned wrongly: the columns begin with the last digits of both numbers": (
        COLUMN,
        "int(str(a).ljust(n, '0')[n - 1 - i]) + int(str(b).ljust(n, '0')[n - 1 - i]) + carry",
    ),
    "the columns begin with the first digits: begin with the last ones": (
        COLUMN,
        "a // 10 ** (n - 1 - i) % 10 + b // 10 ** (n - 1 - i) % 10 + carry",
    ),
    "the columns stand in the other order: the column of the last digits comes first": (
        'columns += f"{column:02}"',
        'columns = f"{column:02}" + columns',
    ),
    "a column of one digit is written without its 0": ("{column:02}", "{column}"),
    "only the digit of a column is written, and not its carry": ("{column:02}", "{column % 10}"),
    "the two digits of a column are exchanged: the carry comes first": (
        "{column:02}",
        "{column % 10}{column // 10}",
    ),
    "the carry of the column before is written, and not the new one": (
        ("carry = column // 10\n", "old, carry = carry, column // 10\n"),
        ("{column:02}", "{old}{column % 10}"),
    ),
    "the sum is not filled with zeros to n + 1 digits": (":0{n + 1}}", "}"),
    "the sum is filled with zeros to n digits, and not to n + 1": ("0{n + 1}", "0{n}"),
    "the steps are left out": ("{columns}:", ""),
    "the colon between the steps and the sum is missing": ("{columns}:", "{columns}"),
    "the full stop at the end is missing": ("}.", "}"),
    "the digits of the sum are reversed": ("{a + b:0{n + 1}}.", "{str(a + b).zfill(n + 1)[::-1]}."),
    "the product is written, and not the sum": ("{a + b:0", "{a * b:0"),
    "the last column is left out": ("range(n)", "range(n - 1)"),
    "there are always two columns: there are n": ("range(n)", "range(2)"),
    "the carries are added up: a column adds only the carry of the column before it": (
        "carry = column // 10",
        "carry += column // 10",
    ),
}


def my_masked_probabilities(logits, allowed):
    return softmax([logit if i in allowed else float("-inf") for i, logit in enumerate(logits)])


MASKED = 'softmax([logit if i in allowed else float("-inf") for i, logit in enumerate(logits)])'
MASK_MISTAKES = {
    "the mask is applied after softmax, and the probabilities do not sum to 1": (
        MASKED,
        "[p if i in allowed else 0.0 for i, p in enumerate(softmax(logits))]",
    ),
    "the masked logits are 0, and not minus infinity": ('float("-inf")', "0.0"),
    "the masked logits are −100, and not minus infinity: other logits can be lower": (
        'float("-inf")',
        "-100.0",
    ),
    "the masked logits are −1,000, and not minus infinity: other logits can be lower": (
        'float("-inf")',
        "-1000.0",
    ),
    "the masked logits are just below all others, so they keep a probability: use minus infinity": (
        'float("-inf")',
        "min(logits) - 1",
    ),
    "the masked logits are −10, and not minus infinity: other logits can be lower": (
        'float("-inf")',
        "-10.0",
    ),
    "the logits are compared, and not their places: two tokens can have the same logit": (
        "if i in allowed",
        "if logit in [logits[j] for j in allowed]",
    ),
    "logits.index finds the first token with this logit: take the place from enumerate": (
        "if i in allowed",
        "if logits.index(logit) in allowed",
    ),
    "exp of the logits is rounded to 0: subtract the largest allowed logit first, as softmax does": (
        MASKED,
        "(lambda e: [x / max(sum(e), 1e-300) for x in e])"
        "([math.exp(min(x, 700)) if i in allowed else 0.0 for i, x in enumerate(logits)])",
    ),
    "the mask is not used": (' if i in allowed else float("-inf")', ""),
    "the mask is read the other way: allowed holds the tokens that may be written": ("i in", "i not in"),
    "all allowed tokens get the same probability": (
        MASKED,
        "[1 / len(allowed) if i in allowed else 0.0 for i in range(len(logits))]",
    ),
    "the most likely allowed token gets the probability 1": (
        MASKED,
        "[float(i == max(allowed, key=logits.__getitem__)) for i in range(len(logits))]",
    ),
    "the result has only the allowed tokens: keep a 0 for each of the others": (
        MASKED,
        "softmax([logits[i] for i in allowed])",
    ),
    "the logits are returned: apply softmax": ("softmax([", "list(["),
    "the logits are divided by their sum, without exp": (
        MASKED,
        "[x / sum(logits[j] for j in allowed) if i in allowed else 0.0 for i, x in enumerate(logits)]",
    ),
    "the probability of the other tokens is shared out equally, and not in proportion": (
        MASKED,
        "(lambda p: [x + (1 - sum(p[j] for j in allowed)) / len(allowed) if i in allowed else 0.0 "
        "for i, x in enumerate(p)])(softmax(logits))",
    ),
    "softmax comes before the mask, so small probabilities are 0 when they are divided: mask the logits": (
        MASKED,
        "(lambda p: [x / sum(p[j] for j in allowed) if i in allowed else 0.0 for i, x in enumerate(p)])"
        "(softmax(logits))",
    ),
    "softmax is applied twice": (MASKED, f"softmax({MASKED})"),
}


EXERCISES = {
    "24.a": Exercise(
        my_addition_steps,
        [
            [37, 58, 2],
            [61, 72, 2],
            [3, 4, 2],
            [4, 5, 1],
            [21, 46, 2],
            [99, 1, 2],
            [7, 60, 2],
            [905, 187, 3],
            [640, 75, 3],
            [145, 256, 3],
        ],
        STEPS_MISTAKES,
    ),
    "24.b": Exercise(
        my_masked_probabilities,
        [
            [[1.0, 3.0, 1.0, 0.0], [0, 2]],
            [[2.0, 0.0, 2.0], [0, 1]],
            [[2.0, 0.0, 2.0], [1, 2]],
            [[2.0, -1.0, 0.5], [1, 2]],
            [[1.5, 0.25, -2.0, 3.0, 0.75], [2, 0, 4]],
            [[-1.0, 2.0], [1]],
            [[0.5, -1.5, -0.5], [0, 1, 2]],
            [[1000.0, 0.0], [1]],
            [[3.0, -200.0, -201.0], [1, 2]],
            [[3.0, -2000.0, -2001.0], [1, 2]],
        ],
        MASK_MISTAKES,
    ),
}
