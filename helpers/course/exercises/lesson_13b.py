"""Lesson 13b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import linear
from .exercise import Exercise, draw_inputs


def my_next(tokens):
    circle = tokens[:5]
    return circle[(circle.index(tokens[-1]) + 1) % 5]


INDEX = "(circle.index(tokens[-1]) + 1) % 5"
NEXT_MISTAKES = {
    "the letter before it in the circle is returned; the answer is the letter after it": (
        ("tokens[:5]", "tokens"),
        (INDEX, "circle.index(tokens[-1]) - 1"),
    ),
    "the letter before the last token in the circle is returned; the answer is the letter after it": (
        INDEX,
        "(circle.index(tokens[-1]) - 1) % 5",
    ),
    "the index goes beyond the fifth letter: the circle is closed, so after it comes the first": (" % 5", ""),
    "a letter that has not come after the restart is returned, and not the one after the last token": (
        f"circle[{INDEX}]",
        "[letter for letter in circle if letter not in tokens[5:]][0]",
    ),
    "the fourth token from the end is returned, which is right only without a jump": (
        f"circle[{INDEX}]",
        "tokens[-4]",
    ),
    "a list is returned, and not the token": (f"return circle[{INDEX}]", f"return [circle[{INDEX}]]"),
    "the last token itself is returned": (f"circle[{INDEX}]", "tokens[-1]"),
    "the letters are taken in the order of the alphabet": (f"circle[{INDEX}]", "(tokens[-1] + 1) % 5"),
    "the circle is not closed: after its fifth letter comes its first": (("[:5]", ""), (" % 5", "")),
    "the index of the letter is returned, not the letter": (f"circle[{INDEX}]", INDEX),
    "the index of the last token is returned": (f"circle[{INDEX}]", "circle.index(tokens[-1])"),
    "an index is returned, and 4 is not followed by 0": (f"circle[{INDEX}]", "circle.index(tokens[-1]) + 1"),
    "the circle is read from its first letter; read on from the last token": (INDEX, "len(tokens) - 5"),
    "the restart letter decides, not the last token": ("tokens[-1]", "tokens[5]"),
    "the index stops at the fifth letter: after it comes the first": (
        INDEX,
        "min(circle.index(tokens[-1]) + 1, 4)",
    ),
    "the letter two steps further in the circle is returned": ("+ 1", "+ 2"),
    "the last copy of the token is taken, and nothing follows it: look in the first five letters": (
        (f"circle[{INDEX}]", "tokens[len(tokens) - tokens[::-1].index(tokens[-1])]"),
    ),
}


def my_attribution(vector, table):
    logits = linear([vector], table)[0]
    mean = sum(logits) / len(logits)
    return [logit - mean for logit in logits]


MEAN, RETURNED = "sum(logits) / len(logits)", "[logit - mean for logit in logits]"
ATTRIBUTION_MISTAKES = {
    "the mean over all tokens is not subtracted": (RETURNED, "logits"),
    "the mean is subtracted from the vector, and not from the logits": (
        ("linear([vector],", "linear([[x - sum(vector) / len(vector) for x in vector]],"),
        (RETURNED, "logits"),
    ),
    "softmax is applied: a part adds to the logits, and not to the probabilities": (
        RETURNED,
        "softmax(logits)",
    ),
    "the sum of the logits is subtracted, and not their mean": (MEAN, "sum(logits)"),
    "the mean is divided by the width of the vector, and not by the number of tokens": (
        ("/ len(logits)", "/ len(vector)"),
    ),
    "the largest logit is subtracted, as softmax does, and not the mean": (MEAN, "max(logits)"),
    "the smallest logit is subtracted, and not the mean": (MEAN, "min(logits)"),
    "the mean of the other tokens is subtracted, and not that of all tokens": (
        RETURNED,
        "[logit - (sum(logits) - logit) / (len(logits) - 1) for logit in logits]",
    ),
    "the logarithm of softmax is returned: subtract the mean, and nothing else": (
        RETURNED,
        "[math.log(p) for p in softmax(logits)]",
    ),
    "the sign is turned around": ("logit - mean", "mean - logit"),
    "the logits are divided by their mean: subtract it": ("logit - mean", "logit / mean"),
    "matmul gets the table as it is: it needs the transpose, and linear does this itself": (
        "linear([vector], table)",
        "matmul([vector], table)",
    ),
    "a row of the table is indexed as a column: the logit of token i uses table[i]": (
        (
            "linear([vector], table)[0]",
            "[sum(x * row[i] for x, row in zip(vector, table)) for i in range(len(vector))]",
        ),
    ),
    "the vector is normalized first: use it as it is": (
        ("linear([vector],", "linear(layer_norm([vector], [1.0] * len(vector), [0.0] * len(vector)),"),
    ),
    "the result is a matrix of one row, and not the row": (RETURNED, "[[logit - mean for logit in logits]]"),
}


EXERCISES = {
    "13.e": Exercise(
        my_next,
        [
            [[3, 0, 2, 4, 1, 2]],
            [[3, 0, 2, 4, 1, 1]],
            [[4, 2, 0, 1, 3, 1, 3, 4]],
            [[0, 1, 2, 3, 4, 4, 0]],
            [[1, 4, 3, 2, 0, 4]],
            [[2, 0, 3, 1, 4, 3, 1, 4]],
        ],
        NEXT_MISTAKES,
    ),
    "13.f": Exercise(
        my_attribution,
        [
            [[1.0, 2.0], [[1.0, 0.0], [0.0, 1.0], [3.0, 0.0]]],
            draw_inputs(137, (3,), (5, 3)),
            draw_inputs(138, (4,), (2, 4)),
        ],
        ATTRIBUTION_MISTAKES,
    ),
}
