"""Lesson 13, hidden side. Reading on gives answers away."""

from ...attention import merge_heads
from ...matrices import add, scale
from .exercise import Exercise, draw_inputs, written

TWICE = "lambda A: [[2 * a for a in row] for row in A]"
TEN = "lambda A: [[10 * a for a in row] for row in A]"
SAME = "lambda A: [list(row) for row in A]"
LESS = "lambda A: [[a - row[0] for a in row] for row in A]"
SQUARED = "lambda A: [[a * a for a in row] for row in A]"


def my_block(X, norm_1, attend, norm_2, think):
    middle = add(X, attend(norm_1(X)))
    return add(middle, think(norm_2(middle)))


def _norms_behind(X, norm_1, attend, norm_2, think):
    middle = norm_1(add(X, attend(X)))
    return norm_2(add(middle, think(middle)))


def _from_normed_rows(X, norm_1, attend, norm_2, think):
    normed = norm_1(X)
    middle = add(normed, attend(normed))
    normed = norm_2(middle)
    return add(normed, think(normed))


def _side_by_side(X, norm_1, attend, norm_2, think):
    return add(add(X, attend(norm_1(X))), think(norm_2(X)))


def my_block_backward(d_out, back_attend, back_think):
    d_middle = add(d_out, back_think(d_out))
    return add(d_middle, back_attend(d_middle))


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
            [[[1.0]], written(SAME), written(TWICE), written(SAME), written(TEN)],
            [[[1.0, 3.0], [2.0, 2.5]], written(LESS), written(TWICE), written(SQUARED), written(TEN)],
            [*draw_inputs(133, (2, 3)), written(SQUARED), written(TEN), written(LESS), written(TWICE)],
            [*draw_inputs(134, (3, 2)), written(TWICE), written(SQUARED), written(LESS), written(SQUARED)],
        ],
        slips={
            "the norms stand behind the sums, as in the first transformer": _norms_behind,
            "what goes around is normed as well": _from_normed_rows,
            "nothing goes around attention": lambda X, norm_1, attend, norm_2, think: (
                lambda middle: add(middle, think(norm_2(middle)))
            )(attend(norm_1(X))),
            "nothing goes around at all": lambda X, norm_1, attend, norm_2, think: think(
                norm_2(attend(norm_1(X)))
            ),
            "nothing goes around the feed-forward network": lambda X, norm_1, attend, norm_2, think: think(
                norm_2(add(X, attend(norm_1(X))))
            ),
            "the feed-forward network reads X, and not what attention has added to it": _side_by_side,
            "the second sum goes around both parts at once, and leaves out what attention added": (
                lambda X, norm_1, attend, norm_2, think: add(X, think(norm_2(add(X, attend(norm_1(X))))))
            ),
            "the lists are joined by +, and no rows are added": lambda X, norm_1, attend, norm_2, think: (
                lambda middle: middle + think(norm_2(middle))
            )(X + attend(norm_1(X))),
            "there are no norms": lambda X, norm_1, attend, norm_2, think: my_block(
                X, list, attend, list, think
            ),
            "the two norms have changed places": lambda X, norm_1, attend, norm_2, think: my_block(
                X, norm_2, attend, norm_1, think
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
        slips={
            "head after head comes, each with its queries, keys and values": lambda W_Q, W_K, W_V: [
                row for heads in zip(W_Q, W_K, W_V) for head in heads for row in head
            ],
            "the matrices are turned on their sides": lambda W_Q, W_K, W_V: [
                list(column) for column in zip(*my_c_attn(W_Q, W_K, W_V))
            ],
            "keys come first, then queries": lambda W_Q, W_K, W_V: my_c_attn(W_K, W_Q, W_V),
            "values come first": lambda W_Q, W_K, W_V: my_c_attn(W_V, W_Q, W_K),
            "only the first head is there": lambda W_Q, W_K, W_V: my_c_attn(W_Q[:1], W_K[:1], W_V[:1]),
            "the heads are still separate matrices, and not rows of one": lambda W_Q, W_K, W_V: [
                *W_Q,
                *W_K,
                *W_V,
            ],
            "merge_heads has set all heads side by side, and not one below the other": lambda W_Q, W_K, W_V: (
                merge_heads([*W_Q, *W_K, *W_V])
            ),
            "heads lie side by side in rows, and not one below the other": lambda W_Q, W_K, W_V: [
                [x for head in heads for x in head[i]]
                for heads in (W_Q, W_K, W_V)
                for i in range(len(heads[0]))
            ],
        },
    ),
    "13.c": Exercise(
        my_block_backward,
        [
            [[[1.0]], written(TWICE), written(TEN)],
            [[[1.0, -2.0], [0.5, 3.0]], written(SQUARED), written(LESS)],
            [*draw_inputs(135, (2, 3)), written(LESS), written(SQUARED)],
            [*draw_inputs(136, (1, 4)), written(TEN), written(SQUARED)],
        ],
        slips={
            "attention gets d_out, past the second sum": lambda d_out, back_attend, back_think: add(
                add(d_out, back_think(d_out)), back_attend(d_out)
            ),
            "it goes back through attention first, and then through the feed-forward network": (
                lambda d_out, back_attend, back_think: my_block_backward(d_out, back_think, back_attend)
            ),
            "nothing comes around at all": lambda d_out, back_attend, back_think: back_attend(
                back_think(d_out)
            ),
            "one way leads around both at once": lambda d_out, back_attend, back_think: add(
                d_out, back_attend(back_think(d_out))
            ),
            "both get d_out, and nothing comes around": lambda d_out, back_attend, back_think: add(
                back_think(d_out), back_attend(d_out)
            ),
            "nothing comes around attention": lambda d_out, back_attend, back_think: back_attend(
                add(d_out, back_think(d_out))
            ),
            "nothing comes around the feed-forward network": lambda d_out, back_attend, back_think: add(
                back_think(d_out), back_attend(back_think(d_out))
            ),
            "what comes around attention is d_out, and not all that has reached the middle": (
                lambda d_out, back_attend, back_think: add(d_out, back_attend(add(d_out, back_think(d_out))))
            ),
            "each sum shares its gradient out, half and half": lambda d_out, back_attend, back_think: (
                lambda d_middle: scale(add(d_middle, back_attend(d_middle)), 0.5)
            )(scale(add(d_out, back_think(d_out)), 0.5)),
        },
    ),
    "13.d": Exercise(
        my_param_count,
        [[6, 5, 16, 2], [10, 4, 2, 1], [3, 7, 4, 3], [50257, 1024, 768, 12]],
        slips={
            "the biases are forgotten": lambda V, P, D, L: (V + P) * D + L * (12 * D * D + 4 * D) + 2 * D,
            "a block holds nothing but matrices, no biases and no norms": lambda V, P, D, L: (
                (V + P) * D + L * 12 * D * D + 2 * D
            ),
            "all biases and the norms' shifts are forgotten": lambda V, P, D, L: (
                (V + P) * D + L * (12 * D * D + 2 * D) + D
            ),
            "each block has one norm": lambda V, P, D, L: my_param_count(V, P, D, L) - 2 * D * L,
            "the norms are forgotten": lambda V, P, D, L: (V + P) * D + L * (12 * D * D + 9 * D),
            "the last norm is forgotten": lambda V, P, D, L: my_param_count(V, P, D, L) - 2 * D,
            "the norms' shifts are forgotten": lambda V, P, D, L: my_param_count(V, P, D, L) - 2 * D * L - D,
            "the output has a table of its own": lambda V, P, D, L: my_param_count(V, P, D, L) + V * D,
            "the table of positions is forgotten": lambda V, P, D, L: my_param_count(V, P, D, L) - P * D,
            "only the blocks' matrices are counted": lambda V, P, D, L: 12 * D * D * L,
            "there is one block": lambda V, P, D, L: my_param_count(V, P, D, 1),
            "attention has no matrix behind the heads": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - L * (D * D + D)
            ),
            "c_attn holds one role, and not three": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - L * 2 * (D * D + D)
            ),
            "the feed-forward network is as wide as the stream": lambda V, P, D, L: (
                my_param_count(V, P, D, L) - L * (6 * D * D + 3 * D)
            ),
        },
    ),
}
