"""Lesson 13, hidden side. Reading on gives answers away."""

from ...attention import merge_heads
from ...matrices import add, scale
from .exercise import Exercise, draw_inputs, from_source

TWICE = "lambda A: [[2 * a for a in row] for row in A]"
TEN = "lambda A: [[10 * a for a in row] for row in A]"
SAME = "lambda A: [list(row) for row in A]"
LESS = "lambda A: [[a - row[0] for a in row] for row in A]"
SQUARED = "lambda A: [[a * a for a in row] for row in A]"


def my_block(X, norm_1, attention, norm_2, feed_forward):
    middle = add(X, attention(norm_1(X)))
    return add(middle, feed_forward(norm_2(middle)))


def _norms_behind(X, norm_1, attention, norm_2, feed_forward):
    middle = norm_1(add(X, attention(X)))
    return norm_2(add(middle, feed_forward(middle)))


def _from_normed_rows(X, norm_1, attention, norm_2, feed_forward):
    normed = norm_1(X)
    middle = add(normed, attention(normed))
    normed = norm_2(middle)
    return add(normed, feed_forward(normed))


def _side_by_side(X, norm_1, attention, norm_2, feed_forward):
    return add(add(X, attention(norm_1(X))), feed_forward(norm_2(X)))


def my_block_backward(d_out, attention_backward, feed_forward_backward):
    d_middle = add(d_out, feed_forward_backward(d_out))
    return add(d_middle, attention_backward(d_middle))


def my_param_count(V, P, D, L):
    return (
        V * D
        + P * D
        + L * (3 * D * (D + 1) + D * (D + 1) + 4 * D * (D + 1) + D * (4 * D + 1) + 4 * D)
        + 2 * D
    )


def my_c_attn(W_Q, W_K, W_V):
    return [list(row) for heads in (W_Q, W_K, W_V) for head in heads for row in head]


EXERCISES = {
    "13.a": Exercise(
        my_block,
        [
            [[[1.0]], from_source(SAME), from_source(TWICE), from_source(SAME), from_source(TEN)],
            [
                [[1.0, 3.0], [2.0, 2.5]],
                from_source(LESS),
                from_source(TWICE),
                from_source(SQUARED),
                from_source(TEN),
            ],
            [
                *draw_inputs(133, (2, 3)),
                from_source(SQUARED),
                from_source(TEN),
                from_source(LESS),
                from_source(TWICE),
            ],
            [
                *draw_inputs(134, (3, 2)),
                from_source(TWICE),
                from_source(SQUARED),
                from_source(LESS),
                from_source(SQUARED),
            ],
        ],
        mistakes={
            "the norms come after the sums, as in the first transformer (post-norm)": _norms_behind,
            "the residual connections begin after the norms, and not before them": _from_normed_rows,
            "the residual connection around attention is missing": lambda X, n1, at, n2, ff: (
                lambda middle: add(middle, ff(n2(middle)))
            )(at(n1(X))),
            "both residual connections are missing": lambda X, n1, at, n2, ff: ff(n2(at(n1(X)))),
            "the residual connection around the feed-forward network is missing": lambda X, n1, at, n2, ff: (
                ff(n2(add(X, at(n1(X)))))
            ),
            "the feed-forward network reads X, and not X plus the output of attention": _side_by_side,
            "the second residual connection begins at X, so the output of attention is not in the sum": (
                lambda X, n1, at, n2, ff: add(X, ff(n2(add(X, at(n1(X))))))
            ),
            "+ joins the two lists, where add would add their rows": lambda X, n1, at, n2, ff: (
                lambda middle: middle + ff(n2(middle))
            )(X + at(n1(X))),
            "the norms are missing": lambda X, n1, at, n2, ff: my_block(X, list, at, list, ff),
            "norm_1 and norm_2 are exchanged": lambda X, n1, at, n2, ff: my_block(X, n2, at, n1, ff),
            "norm_1 is used for both branches": lambda X, n1, at, n2, ff: my_block(X, n1, at, n1, ff),
            "norm_2 is used for both branches": lambda X, n1, at, n2, ff: my_block(X, n2, at, n2, ff),
            "the norm before attention is missing": lambda X, n1, at, n2, ff: my_block(X, list, at, n2, ff),
            "the norm before the feed-forward network is missing": (
                lambda X, n1, at, n2, ff: my_block(X, n1, at, list, ff)
            ),
            "attention and the feed-forward network are exchanged": (
                lambda X, n1, at, n2, ff: my_block(X, n1, ff, n2, at)
            ),
            "the first residual connection is added again at the end": (
                lambda X, n1, at, n2, ff: add(X, my_block(X, n1, at, n2, ff))
            ),
        },
    ),
    "13.b": Exercise(
        my_c_attn,
        [
            [[[[1]], [[2]]], [[[3]], [[4]]], [[[5]], [[6]]]],
            draw_inputs(130, (2, 2, 4), (2, 2, 4), (2, 2, 4)),
            draw_inputs(131, (1, 2, 2), (1, 2, 2), (1, 2, 2)),
            draw_inputs(132, (3, 1, 3), (3, 1, 3), (3, 1, 3)),
        ],
        mistakes={
            "the heads follow each other, each with its queries, keys and values": lambda W_Q, W_K, W_V: [
                row for heads in zip(W_Q, W_K, W_V) for head in heads for row in head
            ],
            "the result is transposed": lambda W_Q, W_K, W_V: [
                list(column) for column in zip(*my_c_attn(W_Q, W_K, W_V))
            ],
            "the keys come first, then the queries": lambda W_Q, W_K, W_V: my_c_attn(W_K, W_Q, W_V),
            "the values come first": lambda W_Q, W_K, W_V: my_c_attn(W_V, W_Q, W_K),
            "only the first head is used": lambda W_Q, W_K, W_V: my_c_attn(W_Q[:1], W_K[:1], W_V[:1]),
            "the result is a list of heads, and not one matrix with all their rows": lambda W_Q, W_K, W_V: [
                *W_Q,
                *W_K,
                *W_V,
            ],
            "merge_heads puts the heads next to each other, not below each other": lambda W_Q, W_K, W_V: (
                merge_heads([*W_Q, *W_K, *W_V])
            ),
            "the heads are next to each other in a row, not below each other": lambda W_Q, W_K, W_V: [
                [x for head in heads for x in head[i]]
                for heads in (W_Q, W_K, W_V)
                for i in range(len(heads[0]))
            ],
        },
    ),
    "13.c": Exercise(
        my_block_backward,
        [
            [[[1.0]], from_source(TWICE), from_source(TEN)],
            [[[1.0, -2.0], [0.5, 3.0]], from_source(SQUARED), from_source(LESS)],
            [*draw_inputs(135, (2, 3)), from_source(LESS), from_source(SQUARED)],
            [*draw_inputs(136, (1, 4)), from_source(TEN), from_source(SQUARED)],
        ],
        mistakes={
            "attention_backward gets d_out, and not the gradient of middle": lambda d, at, ff: add(
                add(d, ff(d)), at(d)
            ),
            "the backward pass begins with attention, as the forward pass does": (
                lambda d, at, ff: my_block_backward(d, ff, at)
            ),
            "both residual connections are missing": lambda d, at, ff: at(ff(d)),
            "there is one residual connection around both branches together": lambda d, at, ff: add(
                d, at(ff(d))
            ),
            "both functions get d_out, and no residual connection is there": lambda d, at, ff: add(
                ff(d), at(d)
            ),
            "the residual connection around attention is missing": lambda d, at, ff: at(add(d, ff(d))),
            "the residual connection around feed-forward is missing": lambda d, at, ff: add(ff(d), at(ff(d))),
            "the gradient that passes around attention is d_out, and not that of middle": (
                lambda d, at, ff: add(d, at(add(d, ff(d))))
            ),
            "each sum passes half of its gradient to each term, and not all of it": lambda d, at, ff: (
                lambda d_middle: scale(add(d_middle, at(d_middle)), 0.5)
            )(scale(add(d, ff(d)), 0.5)),
        },
    ),
    "13.d": Exercise(
        my_param_count,
        [[6, 5, 16, 2], [10, 4, 2, 1], [3, 7, 4, 3], [50257, 1024, 768, 12]],
        mistakes={
            "the biases are forgotten": lambda V, P, D, L: (V + P) * D + L * (12 * D * D + 4 * D) + 2 * D,
            "a block holds nothing but matrices, no biases and no norms": lambda V, P, D, L: (
                (V + P) * D + L * 12 * D * D + 2 * D
            ),
            "all biases, of the norms too, are forgotten": lambda V, P, D, L: (
                (V + P) * D + L * (12 * D * D + 2 * D) + D
            ),
            "2·D parameters of each block are missing, "
            "such as those of a norm or the biases of both c_proj": (
                lambda V, P, D, L: my_param_count(V, P, D, L) - 2 * D * L
            ),
            "the norms are forgotten": lambda V, P, D, L: (V + P) * D + L * (12 * D * D + 9 * D),
            "the last norm is forgotten": lambda V, P, D, L: my_param_count(V, P, D, L) - 2 * D,
            "the norms' shifts are forgotten": lambda V, P, D, L: my_param_count(V, P, D, L) - 2 * D * L - D,
            "the output matrix is counted, although it is the token embeddings": lambda V, P, D, L: (
                my_param_count(V, P, D, L) + V * D
            ),
            "the position embeddings are forgotten": lambda V, P, D, L: my_param_count(V, P, D, L) - P * D,
            "only the blocks' matrices are counted": lambda V, P, D, L: 12 * D * D * L,
            "3·D parameters of each block are missing, such as the bias of c_attn": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - 3 * D * L
            ),
            "4·D parameters of each block are missing, such as the bias of c_fc": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - 4 * D * L
            ),
            "D parameters of each block are missing, such as the bias of one of the two c_proj": (
                lambda V, P, D, L: my_param_count(V, P, D, L) - D * L
            ),
            "the token embeddings are forgotten": lambda V, P, D, L: my_param_count(V, P, D, L) - V * D,
            "there is one block": lambda V, P, D, L: my_param_count(V, P, D, 1),
            "the output projection of attention is forgotten": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - L * (D * D + D)
            ),
            "c_attn is counted for the queries only, and not for keys and values": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - L * 2 * (D * D + D)
            ),
            "the hidden layer is counted as D wide, and not 4·D": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - L * (6 * D * D + 3 * D)
            ),
        },
    ),
}
