"""The reader's own functions in the network of lesson 00: the same digits, or where they part."""

import contextlib
import io
import math
import random

import pytest

from helpers import (
    activation_backward,
    causal_mask,
    cross_entropy_backward,
    embedding,
    gelu,
    matmul,
    softmax,
    toy_forward,
    transpose,
)
from helpers.course.exercises import (
    lesson_03,
    lesson_04,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_09,
    lesson_10,
)
from helpers.course.exercises.in_network import network_with
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters


def said(function, **functions):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        function(**functions)
    return printed.getvalue()


SAME = "in it: the network of lesson 00 gives 0.1994 for `like` after `I`, the same as ours."
BACK = "in the backward pass: all 3,456 gradients equal the course's."


def stub(scores): ...


def my_linear_backward(d_out, X, W):
    d_X = [[sum(d[o] * W[o][i] for o in range(len(W))) for i in range(len(W[0]))] for d in d_out]
    d_W = [[sum(d[o] * x[i] for d, x in zip(d_out, X)) for i in range(len(X[0]))] for o in range(len(W))]
    return d_X, d_W, [sum(d[o] for d in d_out) for o in range(len(W))]


def my_norm_row_backward(d_out, row, gamma, eps):
    n, mean = len(row), sum(row) / len(row)
    size = math.sqrt(sum((x - mean) ** 2 for x in row) / n + eps)
    z = [(x - mean) / size for x in row]
    g = [d * s for d, s in zip(d_out, gamma)]
    gz = sum(a * b for a, b in zip(g, z)) / n
    return [(a - sum(g) / n - b * gz) / size for a, b in zip(g, z)]


def over_the_sum(scores):
    return [s / sum(scores) for s in scores]


def not_divided(Q, K, V, mask):
    return lesson_03.EXERCISES["03.c"].slips["the scores are not divided by √k"](Q, K, V, mask)


def in_place(row, gamma, beta, eps):
    row[:] = lesson_07.my_norm_row(row, gamma, beta, eps)
    return row


def right_twice():
    """A softmax that is right in its first two calls only."""
    count = []

    def softmax_of(scores):
        count.append(1)
        return softmax(scores) if len(count) < 3 else [1 / len(scores)] * len(scores)

    return softmax_of


CASES = [
    # the reader's functions, what is said
    ({"softmax": lesson_03.my_softmax, "attention": lesson_03.my_attention}, f"softmax and attention {SAME}"),
    (
        {"embedding": embedding, "matmul": matmul, "causal_mask": causal_mask},
        f"embedding, matmul and causal_mask {SAME}",
    ),
    ({"two_heads": lesson_04.my_multi_head_attention}, f"two_heads {SAME}"),
    (
        {"norm_row": lesson_07.my_norm_row, "feed_forward": lesson_06.my_feed_forward},
        f"norm_row and feed_forward {SAME}",
    ),
    ({"token_loss": lesson_08.my_token_loss}, f"token_loss {BACK}"),
    ({"linear_backward": my_linear_backward}, f"linear_backward {BACK}"),
    ({"layer_norm_backward_row": my_norm_row_backward}, f"layer_norm_backward_row {BACK}"),
    ({"activation_backward": lambda d_out, X: activation_backward(d_out, X)}, f"activation_backward {BACK}"),
    ({"d_logits": lambda logits, targets: cross_entropy_backward(1.0, logits, targets)}, f"d_logits {BACK}"),
    (
        {
            "d_keys": lambda d, Q: [[x / math.sqrt(8) for x in row] for row in matmul(transpose(d), Q)],
            "d_X": lambda *given: lesson_10._d_X(lesson_10._all_users)(*given),
        },
        f"d_keys and d_X {BACK}",
    ),
    (
        {"softmax": softmax, "softmax_backward": lesson_10._softmax_backward},
        f"softmax {SAME} softmax_backward {BACK}",
    ),
    ({"backward_pass": lambda *given: lesson_10.backward_pass(*given)}, f"backward_pass {BACK}"),
    (
        {"backward_pass": lesson_10._meeting(lambda d_residual, d_branch: d_residual)},
        "The 1st call of backward_pass first differs from ours at [7]",
    ),
    (
        {"d_X": lesson_10._d_X(lambda q, k, v: v)},
        "The 1st call of d_X, with W_Q, W_K and W_V, first differs from ours at [0]",
    ),
    ({"softmax": stub}, "softmax: not tried yet, ours is in place."),
    ({"softmax": stub, "gelu": stub}, "softmax and gelu: not tried yet, ours are in place."),
    ({"softmax": softmax, "gelu": stub}, f"softmax {SAME} gelu: not tried yet, ours is in place."),
    ({"softmax": over_the_sum}, "The 1st call of softmax first differs from ours at [0]: yours 0, ours 1."),
    ({"attention": not_divided}, "The 1st call of attention first differs from ours at [1][0]: yours 0.0"),
    ({"gelu": lambda x: max(x, 0.0)}, "The 1st call of gelu first differs from ours: yours "),
    (
        {"softmax": lambda scores: softmax(scores)[:-1]},
        "The 1st call of softmax first differs from ours: the result is a list of 4, expected a list of 5.",
    ),
    (
        {"softmax": lambda scores: [*map(str, softmax(scores))]},
        "The 1st call of softmax first differs from ours at [0]: yours '1.0', ours 1.0.",
    ),
    (
        {"norm_row": in_place},
        "The 1st call of norm_row, with gamma and beta, changed what it was given; build a new list instead.",
    ),
    ({"softmax": lambda scores: scores / 2}, "The 1st call of softmax went wrong. It raised TypeError: "),
    ({"softmax": lambda scores: print(end="")}, "The 1st call of softmax returned None."),
    ({"gelu": lambda: 1}, "The 1st call of gelu went wrong. It raised TypeError: "),
    (
        {"linear_backward": lambda d, X, W: (*my_linear_backward(d, X, W)[:2], [0.0] * len(W))},
        "The 1st call of linear_backward, with W_lm, first differs from ours at [2][",
    ),
    (
        {"linear": lambda X, W, b=None: matmul(X, transpose(W))},
        "The 8th call of linear, with W_1 and b_1, first differs from ours at [0][0]: yours 0.006",
    ),
    ({"linear": lambda X, W, b=None: X}, "The 1st call of linear, with W_Q[0], first differs from ours: "),
    ({"softmx": softmax}, "There is no softmx in the network of lesson 00; did you mean softmax?"),
    ({"softmax": [0.5]}, "softmax: give the function itself, its name without brackets, not [0.5]."),
    (
        {"perplexity": lambda loss: 1.0},
        "Neither the forward nor the backward pass of lesson 00's network calls perplexity.",
    ),
    ({}, "Give it functions of yours by name: network_with(softmax=my_softmax)."),
]


def test_network_with_says_one_line():
    for functions, line in CASES:
        text = said(network_with, **functions)
        assert text.startswith(line) and text.count("\n") == 1, text
        assert not line.endswith(".") or text == f"{line}\n", text


def test_the_call_that_parts_first_is_counted():
    text = said(network_with, softmax=right_twice())
    assert text.startswith("The 3rd call of softmax first differs from ours at [0]: yours 0.2, ours 0.3")


def test_the_number_is_the_one_that_lesson_00_speaks_of():
    from notebooks import LESSONS, prose

    whole = toy_forward(draw_parameters(random.Random(42)), TOKENS, TARGETS)
    assert f"{whole['probabilities'][1][4]:.4f}" == "0.1994" and "0.1994" in prose(LESSONS[0])


@pytest.mark.parametrize(
    "name, inside", [("softmax", "attention"), ("matmul", "attention"), ("gelu", "feed_forward")]
)
def test_functions_are_replaced_inside_other_functions_too(name, inside):
    """The reader's function is called by ours, and ours is not."""
    called = []

    def counted(*arguments):
        called.append(arguments)
        return {"softmax": softmax, "matmul": matmul, "gelu": gelu}[name](*arguments)

    assert SAME in said(network_with, **{name: counted})
    assert len(called) >= {"softmax": 2 * 5 + 5, "matmul": 2 * 2, "gelu": 5 * 64}[name]


def test_the_helpers_are_as_they_were():
    before = matmul([[1, 2]], [[3], [4]])
    said(network_with, matmul=lambda A, B: 1)
    assert matmul([[1, 2]], [[3], [4]]) == before == [[11.0]]


def test_a_nearly_right_backward_is_found():
    """One number of one gradient, a millionth off."""

    def nearly(d_out, X, W):
        d_X, d_W, d_b = my_linear_backward(d_out, X, W)
        d_W[-1][-1] *= 1 + 1e-6
        d_W[-1][-1] += 1e-6 * max(abs(x) for row in d_W for x in row)
        return d_X, d_W, d_b

    assert (
        "The 1st call of linear_backward, with W_lm, first differs from ours at [1][5][15]: yours "
        in said(network_with, linear_backward=nearly)
    )
    slip = lesson_09._norm_backward(mean_g=False)
    assert "The 1st call of layer_norm_backward_row, with gamma, first differs from ours at [0]" in said(
        network_with, layer_norm_backward_row=slip
    )
