"""Lesson 14c, hidden side. Reading on gives answers away."""

import math

from .exercise import Exercise, draw_inputs


def my_learning_rate(step, steps, lr, warmup_steps):
    return _scheduled()(step, steps, lr, warmup_steps)


def _scheduled(first=1, late=0, half=0.5, up=True, down=True, whole=False, longer=0, fewer=0, turn=math.pi):
    """my_learning_rate with something done otherwise."""

    def rate(step, steps, lr, warmup_steps):
        if up and step < warmup_steps + longer:
            return lr * (step + first) / warmup_steps
        if not down:
            return lr
        gone = step / steps if whole else (step - warmup_steps + late) / (steps - fewer - warmup_steps)
        return lr * half * (1 + math.cos(turn * gone))

    return rate


def my_clip(gradients, most):
    length = math.sqrt(sum(g * g for vector in gradients for g in vector))
    share = most / length if length > most else 1.0
    return [[share * g for g in vector] for vector in gradients]


def _alone(gradients, most):
    return [my_clip([vector], most)[0] for vector in gradients]


def _always(gradients, most):
    length = math.sqrt(sum(g * g for vector in gradients for g in vector)) or 1.0
    return [[most / length * g for g in vector] for vector in gradients]


def _lengths_added(gradients, most):
    length = sum(math.sqrt(sum(g * g for g in vector)) for vector in gradients)
    return [[min(1.0, most / length if length else 1.0) * g for g in vector] for vector in gradients]


def _each_number(gradients, most):
    return [[max(-most, min(most, g)) for g in vector] for vector in gradients]


def _without_root(gradients, most):
    length = sum(g * g for vector in gradients for g in vector)
    return [[min(1.0, most / length if length else 1.0) * g for g in vector] for vector in gradients]


def _divided_by_nothing(gradients, most):
    length = math.sqrt(sum(g * g for vector in gradients for g in vector))
    return [[min(1.0, most / length) * g for g in vector] for vector in gradients]


def my_accumulate(gradients, letters):
    return _added(lambda n, letters, gradients: n / sum(letters))(gradients, letters)


def _added(share):
    """The gradients added, each by a share."""

    def added(gradients, letters):
        shares = [share(n, letters, gradients) for n in letters]
        return [sum(s * g for s, g in zip(shares, column)) for column in zip(*gradients)]

    return added


def trapezoid(step, steps, lr, warmup_steps, cool_down):
    return _trapezoid()(step, steps, lr, warmup_steps, cool_down)


def _trapezoid(first=1, left=0, down=True, longer=0):
    """trapezoid, one step early or late."""

    def rate(step, steps, lr, warmup_steps, cool_down):
        if step < warmup_steps:
            return lr * (step + first) / warmup_steps
        return lr * min(1.0, (steps - step + left) / (cool_down + longer)) if down else lr

    return rate


EXERCISES = {
    "14.g": Exercise(
        my_learning_rate,
        [
            [3, 6, 1.0, 2],
            [0, 6, 1.0, 2],
            [1, 6, 1.0, 2],
            [2, 6, 1.0, 2],
            [5, 6, 1.0, 2],
            [0, 10, 0.5, 0],
            [60, 100, 0.01, 10],
        ],
        slips={
            "the way up begins at 0: the first step would not move": _scheduled(first=0),
            "the cosine is one step ahead, and ends at 0: the last step would not move": _scheduled(late=1),
            "the last step has a rate of 0, as if there were one step fewer: it would not move": _scheduled(
                fewer=1
            ),
            "the warm-up is one step too long: the rate climbs above lr": _scheduled(longer=1),
            "the half in front is forgotten: 1 + cos is 2 at the top": _scheduled(half=1.0),
            "half a turn is taken for 180: math.cos takes radians, and half a turn is math.pi": _scheduled(
                turn=180
            ),
            "there is no warm-up": _scheduled(up=False),
            "there is no cosine": _scheduled(down=False),
            "the cosine is measured from the first step of all": _scheduled(whole=True),
        },
    ),
    "14.h": Exercise(
        my_clip,
        [
            [[[4.0], [3.0]], 2.5],
            [[[0.5], [0.25]], 2.5],
            [[[3.0, 0.0], [0.0, 4.0, 0.0]], 1.0],
            [[[0.0], [0.0]], 1.0],
            [draw_inputs(1, (3,), (2,)), 0.5],
        ],
        slips={
            (
                "the lengths of the vectors are added: the common length is the root of the sum of all "
                "squares"
            ): _lengths_added,
            "each vector is clipped by itself: the direction of all changes": _alone,
            "each number is clipped by itself: the direction changes": _each_number,
            "short gradients are made longer, too": _always,
            "the root is forgotten: that is the square of the length": _without_root,
            (
                "a length of 0 is divided by: gradients that are all 0 stay as they are, as all short ones do"
            ): _divided_by_nothing,
        },
    ),
    "14.i": Exercise(
        my_accumulate,
        [
            [[[1.0, 0.0], [5.0, 4.0]], [3, 1]],
            [[[2.0, -1.0], [0.5, 3.0]], [4, 4]],
            [[[0.5, -1.5], [2.0, 0.25], [-1.0, 1.0]], [5, 2, 9]],
            [[[0.75, 0.5, 0.25]], [7]],
        ],
        slips={
            "the gradients are added and nothing is divided": _added(lambda n, letters, gradients: 1.0),
            "it is the mean of the means, as if all pieces were equally long": (
                _added(lambda n, letters, gradients: 1 / len(gradients))
            ),
            "each is multiplied by its letters, and the sum is not divided by all letters": _added(
                lambda n, letters, gradients: n
            ),
            "each is divided by its own letters once more": _added(lambda n, letters, gradients: 1 / n),
        },
    ),
    "14.3": Exercise(
        trapezoid,
        [
            [4, 6, 1.0, 2, 3],
            [0, 6, 1.0, 2, 3],
            [2, 6, 1.0, 2, 3],
            [3, 6, 1.0, 2, 3],
            [5, 6, 1.0, 2, 3],
            [40, 100, 0.01, 10, 20],
            [95, 100, 0.01, 10, 20],
        ],
        slips={
            "the way up begins at 0": _trapezoid(first=0),
            "the last step has a rate of 0": _trapezoid(left=-1),
            "the way down is one step late": _trapezoid(left=1),
            "the way down is one step too long": _trapezoid(longer=1),
            "it never goes down": _trapezoid(down=False),
        },
    ),
}
