"""Lesson 08, hidden side. Reading on gives answers away."""

import math

from ...losses import cross_entropy, token_losses
from .exercise import Exercise, draw_inputs


def loss_ignoring(logits, targets, ignore):
    kept = _kept(logits, targets, ignore)
    return cross_entropy([row for row, _ in kept], [target for _, target in kept])


def _kept(logits, targets, ignore):
    return [(row, target) for row, target in zip(logits, targets) if target != ignore]


def _sum_ignoring(logits, targets, ignore):
    kept = _kept(logits, targets, ignore)
    return sum(token_losses([row for row, _ in kept], [target for _, target in kept]))


def _silenced(logits, targets, ignore):
    """The candidate is taken away as well."""
    losses = []
    for row, target in _kept(logits, targets, ignore):
        rest = [x for v, x in enumerate(row) if v != ignore]
        losses.append(math.log(sum(math.exp(x - row[target]) for x in rest)))
    return sum(losses) / len(losses)


def _up_to_the_first(logits, targets, ignore):
    n = targets.index(ignore) if ignore in targets else len(targets)
    return cross_entropy(logits[:n], targets[:n])


def silent_rows(tokens, V, P):
    return _silent(set(tokens[:-1]), V, len(tokens) - 1, P)


def _silent(heard, V, first, P):
    return [[v for v in range(V) if v not in heard], list(range(first, P))]


def my_token_loss(row, target):
    largest = max(row)
    return largest + math.log(sum(math.exp(y - largest) for y in row)) - row[target]


def _loss(subtracted=True, sign=-1):
    """my_token_loss with the largest not subtracted from the target's logit, or with the target's logit
    added."""

    def loss(row, target):
        largest = max(row)
        own = row[target] - largest if subtracted else row[target]
        return math.log(sum(math.exp(y - largest) for y in row)) + sign * own

    return loss


def _clamped(least):
    return lambda row, target: -math.log(max(math.exp(-my_token_loss(row, target)), least))


def _cut_short(less):
    """The candidate is cut out of each row, and the targets behind it are so many less."""

    def loss(logits, targets, ignore):
        kept = _kept(logits, targets, ignore)
        rows = [[x for v, x in enumerate(row) if v != ignore] for row, _ in kept]
        return cross_entropy(rows, [target - less * (target > ignore) for _, target in kept])

    return loss


def _all_first(look):
    """loss_ignoring that looks up every target, and leaves out afterwards."""

    def loss(logits, targets, ignore):
        losses = [look(row, target) for row, target in zip(logits, targets)]
        kept = [loss for loss, target in zip(losses, targets) if target != ignore]
        return sum(kept) / len(kept)

    return loss


def my_shift(tokens):
    return [tokens[t] for t in range(len(tokens) - 1)], [tokens[t + 1] for t in range(len(tokens) - 1)]


EXERCISES = {
    "08.1": Exercise(
        loss_ignoring,
        [
            [[[0.0, 0.0], [0.0, 9.0]], [1, 0], 0],
            [[[1.0, 0.0, 2.0], [0.5, 0.5, 0.0], [3.0, 1.0, 0.0]], [2, 0, 1], 0],
            [*draw_inputs(4, (5, 4)), [3, 2, 2, 0, 0], 0],
            [*draw_inputs(5, (4, 3)), [2, -100, 1, -100], -100],
            [*draw_inputs(6, (3, 5)), [4, 2, 1], 0],
            [*draw_inputs(7, (6, 4)), [3, 3, 1, 3, 0, 3], 3],
            [[[0.0, 1000.0], [1000.0, 0.0], [5.0, 5.0]], [0, 1, 1], 1],
        ],
        slips={
            "nothing is ignored": lambda logits, targets, ignore: cross_entropy(logits, targets),
            "the sum is divided by all targets, the ignored ones too": lambda logits, targets, ignore: (
                _sum_ignoring(logits, targets, ignore) / len(targets)
            ),
            "the losses are added up, and their mean is not taken": _sum_ignoring,
            "the candidate `ignore` is taken out of each row, too": _silenced,
            (
                "the candidate `ignore` is cut out of each row, and the targets behind it point one place "
                "too far"
            ): _cut_short(0),
            (
                "the candidate `ignore` is cut out of each row, and every larger target made one less"
            ): _cut_short(1),
            (
                "every target is looked up first, and −100 is no place in a row: leave them out first"
            ): _all_first(my_token_loss),
            "the losses are computed first, and −100 is no token: leave them out first": _all_first(
                lambda row, target: token_losses([row], [target])[0]
            ),
            "everything behind the first ignored target is dropped": _up_to_the_first,
            "0 is ignored, whatever `ignore` says": lambda logits, targets, ignore: loss_ignoring(
                logits, targets, 0
            ),
        },
    ),
    "08.2": Exercise(
        silent_rows,
        [
            [[1, 3, 4, 5, 2], 6, 5],
            [[1, 3, 3, 2], 6, 5],
            [[1, 3, 4, 3], 6, 8],
            [[2, 0, 4, 2], 5, 4],
            [[1, 5, 5, 3, 0, 2, 4], 9, 12],
            [[0, 1], 3, 2],
        ],
        slips={
            "id 2 counts as silent, whatever it says and wherever it stands": lambda tokens, V, P: _silent(
                set(tokens[:-1]) - {2}, V, len(tokens) - 1, P
            ),
            "id 2 counts as silent, and not the last token": lambda tokens, V, P: _silent(
                set(tokens) - {2}, V, len(tokens) - 1, P
            ),
            "<PAD> and <EOS> are taken to be the silent ones": lambda tokens, V, P: [
                [0, 2],
                list(range(len(tokens) - 1, P)),
            ],
            "the last token counts as heard": lambda tokens, V, P: _silent(tokens, V, len(tokens), P),
            "the last token counts as silent, though it may stand earlier, too": lambda tokens, V, P: _silent(
                set(tokens) - {tokens[-1]}, V, len(tokens) - 1, P
            ),
            "only the last row of E_pos counts as silent": lambda tokens, V, P: _silent(
                tokens[:-1], V, P - 1, P
            ),
            "a token counts as silent if it is never a target": lambda tokens, V, P: _silent(
                tokens[1:], V, len(tokens) - 1, P
            ),
        },
    ),
    "08.a": Exercise(
        my_shift,
        [[[1, 3, 4, 5, 2]], [[1, 2]], [[7, 7, 0]]],
        slips={
            "the two change places": lambda tokens: (tokens[1:], tokens[:-1]),
            "the last token stays among the inputs": lambda tokens: (list(tokens), tokens[1:]),
            "nothing is shifted": lambda tokens: (tokens[:-1], tokens[:-1]),
            "the first token comes once more at the end": lambda tokens: (
                list(tokens),
                [*tokens[1:], tokens[0]],
            ),
        },
        parts=("inputs", "targets"),
    ),
    "08.b": Exercise(
        my_token_loss,
        [
            [[0.0, 1000.0], 0],
            [[0.0, 0.0], 1],
            [[1.0, 2.0, 3.0], 0],
            [*draw_inputs(8, (4,)), 2],
            [*draw_inputs(9, (6,)), 5],
            [[1000.0, 998.0, 0.0], 1],
        ],
        slips={
            "the largest is not subtracted first, so that exp overflows": lambda row, target: (
                math.log(sum(math.exp(y) for y in row)) - row[target]
            ),
            "the logarithm is taken of a weight that has become 0": lambda row, target: (
                -math.log(math.exp(row[target] - max(row)) / sum(math.exp(y - max(row)) for y in row))
            ),
            "the sign is the other one": lambda row, target: -my_token_loss(row, target),
            "the target's logit is added, and not taken off": _loss(sign=1),
            "the largest is subtracted within the sum only, and not from the target's logit": _loss(
                subtracted=False
            ),
            **{
                (
                    f"the share is kept from falling below {least}, so that no surprise is larger than "
                    f"{-math.log(least):.1f}"
                ): (_clamped(least))
                for least in (1e-300, 1e-20, 1e-16, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)
            },
            "the target's probability is given, and not its surprise": lambda row, target: math.exp(
                -my_token_loss(row, target)
            ),
            "the loss is in bits": lambda row, target: my_token_loss(row, target) / math.log(2),
            "the logit of the target is not taken off": lambda row, target: (
                my_token_loss(row, target) + row[target]
            ),
        },
    ),
}
