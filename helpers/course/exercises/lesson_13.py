"""Lesson 13: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import add
from .exercise import Exercise, draw_inputs, from_source


def my_block(X, norm_1, attention, norm_2, feed_forward):
    middle = add(X, attention(norm_1(X)))
    return add(middle, feed_forward(norm_2(middle)))


MIDDLE, RESULT = "add(X, attention(norm_1(X)))", "add(middle, feed_forward(norm_2(middle)))"
BLOCK_MISTAKES = {
    "the norms come after the sums, as in the first transformer (post-norm)": (
        (MIDDLE, "norm_1(add(X, attention(X)))"),
        (RESULT, "norm_2(add(middle, feed_forward(middle)))"),
    ),
    "the residual connections begin after the norms, and not before them": (
        ("add(X,", "add(norm_1(X),"),
        ("add(middle,", "add(norm_2(middle),"),
    ),
    "the residual connection around attention is missing": (MIDDLE, "attention(norm_1(X))"),
    "both residual connections are missing": (
        (MIDDLE, "attention(norm_1(X))"),
        (RESULT, "feed_forward(norm_2(middle))"),
    ),
    "the residual connection around feed-forward is missing": (RESULT, "feed_forward(norm_2(middle))"),
    "the feed-forward network reads X, and not X plus the output of attention": ("(middle)", "(X)"),
    "the second residual connection begins at X, without the output of attention": ("add(middle,", "add(X,"),
    "+ joins the two lists, where add would add their rows": (
        (MIDDLE, "X + attention(norm_1(X))"),
        (RESULT, "middle + feed_forward(norm_2(middle))"),
    ),
    "the norms are missing": (("norm_1(X)", "X"), ("norm_2(middle)", "middle")),
    "norm_1 and norm_2 are exchanged": (("norm_1(X)", "norm_2(X)"), ("norm_2(middle)", "norm_1(middle)")),
    "norm_1 is used for both branches": ("norm_2(middle)", "norm_1(middle)"),
    "norm_2 is used for both branches": ("norm_1(X)", "norm_2(X)"),
    "the norm before attention is missing": ("norm_1(X)", "X"),
    "the norm before the feed-forward network is missing": ("norm_2(middle)", "middle"),
    "attention and the feed-forward network are exchanged": (
        ("attention(norm_1", "feed_forward(norm_1"),
        ("feed_forward(norm_2", "attention(norm_2"),
    ),
    "the first residual connection is added again at the end": (RESULT, f"add(X, {RESULT})"),
}


def my_c_attn(W_Q, W_K, W_V):
    return [row for heads in (W_Q, W_K, W_V) for head in heads for row in head]


ALL_ROWS = "[row for heads in (W_Q, W_K, W_V) for head in heads for row in head]"
C_ATTN_MISTAKES = {
    "the heads follow each other, each with its queries, keys and values": ("in (W_Q", "in zip(W_Q"),
    "the result is transposed": (ALL_ROWS, f"transpose({ALL_ROWS})"),
    "the keys come first, then the queries": ("in (W_Q, W_K, W_V)", "in (W_K, W_Q, W_V)"),
    "the values come first": ("in (W_Q, W_K, W_V)", "in (W_V, W_Q, W_K)"),
    "only the first head is used": ("for head in heads", "for head in heads[:1]"),
    "the result is a list of heads, and not one matrix with all their rows": (ALL_ROWS, "W_Q + W_K + W_V"),
    "merge_heads puts the heads next to each other": (ALL_ROWS, "merge_heads(W_Q + W_K + W_V)"),
    "the heads of a row stand side by side": ("head in heads for row in head", "row in merge_heads(heads)"),
}


def my_block_backward(d_out, attention_backward, feed_forward_backward):
    d_middle = add(d_out, feed_forward_backward(d_out))
    return add(d_middle, attention_backward(d_middle))


D_MIDDLE, D_X = "add(d_out, feed_forward_backward(d_out))", "add(d_middle, attention_backward(d_middle))"
NOT_AROUND_FEED_FORWARD = (D_MIDDLE, "feed_forward_backward(d_out)")
NOT_AROUND_ATTENTION = (D_X, "attention_backward(d_middle)")
BACKWARD_MISTAKES = {
    "attention_backward gets d_out, and not the gradient of middle": ("(d_middle)", "(d_out)"),
    "the backward pass begins with attention, as the forward pass does": (
        ("feed_forward_backward(d_out)", "attention_backward(d_out)"),
        ("attention_backward(d_middle)", "feed_forward_backward(d_middle)"),
    ),
    "both residual connections are missing": (NOT_AROUND_FEED_FORWARD, NOT_AROUND_ATTENTION),
    "there is one residual connection around both branches together": (
        NOT_AROUND_FEED_FORWARD,
        ("add(d_middle,", "add(d_out,"),
    ),
    "both functions get d_out, and no residual connection is there": (
        NOT_AROUND_FEED_FORWARD,
        ("attention_backward(d_middle)", "attention_backward(d_out)"),
    ),
    "the residual connection around attention is missing": NOT_AROUND_ATTENTION,
    "the residual connection around feed-forward is missing": NOT_AROUND_FEED_FORWARD,
    "the gradient that passes around attention is d_out, and not that of middle": ("d_middle,", "d_out,"),
    "each sum passes half of its gradient to each term, and not all of it": (
        (D_MIDDLE, f"scale({D_MIDDLE}, 0.5)"),
        (D_X, f"scale({D_X}, 0.5)"),
    ),
}


def my_param_count(V, P, D, L):
    return (V + P) * D + L * (12 * D * D + 13 * D) + 2 * D


MATRICES_AND_VECTORS, LAST_NORM = "12 * D * D + 13 * D", " + 2 * D\n"
COUNT_MISTAKES = {
    "the biases are forgotten": ("13 * D", "4 * D"),
    "a block holds nothing but matrices, no biases and no norms": (" + 13 * D", ""),
    "all biases, of the norms too, are forgotten": (("13 * D", "2 * D"), (LAST_NORM, " + D\n")),
    "2·D parameters of each block are missing, such as a norm or both biases of c_proj": ("13 * D", "11 * D"),
    "the norms are forgotten": (("13 * D", "9 * D"), (LAST_NORM, "\n")),
    "the last norm is forgotten": (LAST_NORM, "\n"),
    "the norms' shifts are forgotten": (("13 * D", "11 * D"), (LAST_NORM, " + D\n")),
    "the output matrix is counted, although it is the token embeddings": ("(V + P)", "(2 * V + P)"),
    "the position embeddings are forgotten": ("(V + P)", "V"),
    "only the blocks' matrices are counted": (("(V + P) * D + ", ""), (" + 13 * D", ""), (LAST_NORM, "\n")),
    "3·D parameters of each block are missing, such as the bias of c_attn": ("13 * D", "10 * D"),
    "4·D parameters of each block are missing, such as the bias of c_fc": ("13 * D", "9 * D"),
    "D parameters of each block are missing, such as the bias of one of the two c_proj": ("13 * D", "12 * D"),
    "the token embeddings are forgotten": ("(V + P)", "P"),
    "there is one block": ("L * ", ""),
    "the output projection of attention is forgotten": (MATRICES_AND_VECTORS, "11 * D * D + 12 * D"),
    "c_attn is counted for the queries only": (MATRICES_AND_VECTORS, "10 * D * D + 11 * D"),
    "the hidden layer is counted as D wide, and not 4·D": (MATRICES_AND_VECTORS, "6 * D * D + 10 * D"),
}


TWICE = from_source("lambda A: [[2 * a for a in row] for row in A]")
TEN = from_source("lambda A: [[10 * a for a in row] for row in A]")
SAME = from_source("lambda A: [list(row) for row in A]")
LESS = from_source("lambda A: [[a - row[0] for a in row] for row in A]")
SQUARED = from_source("lambda A: [[a * a for a in row] for row in A]")

EXERCISES = {
    "13.a": Exercise(
        my_block,
        [
            [[[1.0]], SAME, TWICE, SAME, TEN],
            [[[1.0, 3.0], [2.0, 2.5]], LESS, TWICE, SQUARED, TEN],
            [*draw_inputs(133, (2, 3)), SQUARED, TEN, LESS, TWICE],
            [*draw_inputs(134, (3, 2)), TWICE, SQUARED, LESS, SQUARED],
        ],
        BLOCK_MISTAKES,
    ),
    "13.b": Exercise(
        my_c_attn,
        [
            [[[[1]], [[2]]], [[[3]], [[4]]], [[[5]], [[6]]]],
            draw_inputs(130, (2, 2, 4), (2, 2, 4), (2, 2, 4)),
            draw_inputs(131, (1, 2, 2), (1, 2, 2), (1, 2, 2)),
            draw_inputs(132, (3, 1, 3), (3, 1, 3), (3, 1, 3)),
        ],
        C_ATTN_MISTAKES,
    ),
    "13.c": Exercise(
        my_block_backward,
        [
            [[[1.0]], TWICE, TEN],
            [[[1.0, -2.0], [0.5, 3.0]], SQUARED, LESS],
            [*draw_inputs(135, (2, 3)), LESS, SQUARED],
            [*draw_inputs(136, (1, 4)), TEN, SQUARED],
        ],
        BACKWARD_MISTAKES,
    ),
    "13.d": Exercise(
        my_param_count, [[6, 5, 16, 2], [10, 4, 2, 1], [3, 7, 4, 3], [50257, 1024, 768, 12]], COUNT_MISTAKES
    ),
}
