"""Lesson 14c: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from .exercise import Exercise, draw_inputs


def my_learning_rate(step, steps, lr, warmup_steps):
    return _scheduled()(step, steps, lr, warmup_steps)


def _scheduled(
    first=1, late=0, half=0.5, up=True, down=True, whole=False, longer=0, fewer=0, turn=math.pi, one=1, over=1
):
    """my_learning_rate with something done otherwise."""

    def rate(step, steps, lr, warmup_steps):
        if up and step < warmup_steps + longer:
            return lr * (step + first) / warmup_steps
        if not down:
            return lr
        gone = step / steps if whole else (step - warmup_steps + late) / (steps - fewer - over * warmup_steps)
        return lr * half * (one + math.cos(turn * gone))

    return rate


def my_clip(gradients, max_norm):
    norm = _norm(gradients)
    factor = max_norm / norm if norm > max_norm else 1.0
    return _scaled(gradients, factor)


def _norm(gradients):
    return math.sqrt(sum(g * g for vector in gradients for g in vector))


def _scaled(gradients, factor):
    return [[factor * g for g in vector] for vector in gradients]


def _by(norm_of, always=False):
    """my_clip with another norm, or one that scales short gradients, too."""

    def clip(gradients, max_norm):
        norm = norm_of(gradients)
        return _scaled(gradients, max_norm / (norm or 1.0) if always or norm > max_norm else 1.0)

    return clip


def _alone(gradients, max_norm):
    return [my_clip([vector], max_norm)[0] for vector in gradients]


def _each_number(gradients, max_norm):
    return [[max(-max_norm, min(max_norm, g)) for g in vector] for vector in gradients]


def _divided_by_nothing(gradients, max_norm):
    return _scaled(gradients, min(1.0, max_norm / _norm(gradients)))


def trapezoid(step, steps, lr, warmup_steps, cool_down):
    return _trapezoid()(step, steps, lr, warmup_steps, cool_down)


def _trapezoid(first=1, left=0, down=True, longer=0):
    """trapezoid, one step early or late."""

    def rate(step, steps, lr, warmup_steps, cool_down):
        if step < warmup_steps:
            return lr * (step + first) / warmup_steps
        return lr * min(1.0, (steps - step + left) / (cool_down + longer)) if down else lr

    return rate


def _quarter(step, steps, lr, warmup_steps):
    if step < warmup_steps:
        return lr * (step + 1) / warmup_steps
    return lr * math.cos(math.pi / 2 * (step - warmup_steps) / (steps - warmup_steps))


def _straight(step, steps, lr, warmup_steps):
    if step < warmup_steps:
        return lr * (step + 1) / warmup_steps
    return lr * (steps - step) / (steps - warmup_steps)


def my_dropout(row, rate, u):
    return _dropped(row, rate, u)


def _dropped(row, rate, u, factor=None, dropped=0.0, turned=False, at_rate=False):
    """my_dropout with something done otherwise."""
    factor = 1 / (1 - rate) if factor is None else factor

    def goes(chance):
        return (chance <= rate if at_rate else chance < rate) != turned

    return [dropped if goes(chance) else factor * x for x, chance in zip(row, u)]


def _by_the_kept(row, rate, u):
    kept = sum(chance >= rate for chance in u)
    return [0.0 if chance < rate else x * len(row) / kept for x, chance in zip(row, u)]


EXERCISES = {
    "14.h": Exercise(
        my_dropout,
        [
            [[3.0, 5.0, 7.0, 9.0], 0.5, [0.9, 0.1, 0.6, 0.3]],
            [[3.0, 6.0], 0.25, [0.25, 0.2]],
            [[1.0, 2.0, 3.0], 0.0, [0.0, 0.5, 0.9]],
            [*draw_inputs(141, (6,)), 0.2, [0.1, 0.9, 0.5, 0.05, 0.3, 0.7]],
            [*draw_inputs(142, (5,)), 0.75, [0.8, 0.9, 0.1, 0.76, 0.2]],
        ],
        mistakes={
            "the kept numbers are not divided by 1 - rate": lambda row, rate, u: _dropped(row, rate, u, 1.0),
            "the kept numbers are multiplied by 1 - rate": lambda row, rate, u: _dropped(
                row, rate, u, 1 - rate
            ),
            "the kept numbers are divided by the rate": lambda row, rate, u: _dropped(
                row, rate, u, 1 / rate if rate else 0.0
            ),
            "the numbers to drop are kept, and the others dropped": lambda row, rate, u: _dropped(
                row, rate, u, turned=True
            ),
            "the numbers above the rate are dropped; drop those below it": lambda row, rate, u: _dropped(
                row, rate, u, turned=True, at_rate=True
            ),
            "a number is dropped also where u equals the rate": lambda row, rate, u: _dropped(
                row, rate, u, at_rate=True
            ),
            "the dropped numbers are left out; set them to 0": lambda row, rate, u: [
                x / (1 - rate) for x, chance in zip(row, u) if chance >= rate
            ],
            "nothing is dropped": lambda row, rate, u: [x / (1 - rate) for x in row],
            "the row is divided by the fraction of this row that is kept": _by_the_kept,
            "the mask is returned, not the row": lambda row, rate, u: _dropped([1.0] * len(row), rate, u),
            "the dropped numbers are only made smaller": lambda row, rate, u: [
                rate * x if chance < rate else x / (1 - rate) for x, chance in zip(row, u)
            ],
            "the numbers are compared with the rate; compare u": lambda row, rate, u: _dropped(
                row, rate, row
            ),
            "the row is multiplied by u": lambda row, rate, u: [x * chance for x, chance in zip(row, u)],
        },
    ),
    "14.f": Exercise(
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
        mistakes={
            "the warm-up begins at 0, so that the first step changes nothing": _scheduled(first=0),
            "the cosine is one step ahead and ends at 0, so that the last step changes nothing": _scheduled(
                late=1
            ),
            (
                "the last step has the learning rate 0, as if there were one step fewer: it changes nothing"
            ): _scheduled(fewer=1),
            "the warm-up is one step too long, so that the learning rate exceeds lr": _scheduled(longer=1),
            "the factor 1/2 is missing: 1 + cos is 2 at the maximum": _scheduled(half=1.0),
            "π is taken as 180: math.cos takes radians": _scheduled(turn=180),
            "the cosine goes through a quarter of its period, and not half of it": _quarter,
            "1 − cos rises where 1 + cos falls": _scheduled(half=-0.5, turn=math.pi, one=-1),
            "the cosine is spread over all steps, and not over those after the warm-up": _scheduled(over=0),
            "there is no warm-up": _scheduled(up=False),
            "there is no cosine": _scheduled(down=False),
            "the cosine is computed from step 0, and not from the end of the warm-up": _scheduled(whole=True),
            "the learning rate falls in a straight line, and not along a cosine": _straight,
        },
    ),
    "14.g": Exercise(
        my_clip,
        [
            [[[4.0], [3.0]], 2.5],
            [[[0.5], [0.25]], 2.5],
            [[[3.0, 0.0], [0.0, 4.0, 0.0]], 1.0],
            [[[0.3], [-0.4]], 0.25],
            [[[1.2], [1.6]], 2.5],
            [[[0.0], [0.0]], 1.0],
            [draw_inputs(1, (3,), (2,)), 0.5],
        ],
        mistakes={
            (
                "the norms of the vectors are added: the global norm is the root of the sum of all squares"
            ): _by(lambda gradients: sum(_norm([vector]) for vector in gradients)),
            "each vector is clipped by its own norm, which changes the direction": _alone,
            "each number is clipped by itself, which changes the direction": _each_number,
            "gradients whose norm is below the maximum are scaled up": _by(_norm, always=True),
            "the square root is missing, so the norm is a sum of squares": _by(
                lambda gradients: _norm(gradients) ** 2
            ),
            "the norm is taken as the largest absolute value": _by(
                lambda gradients: max((abs(g) for vector in gradients for g in vector), default=0.0)
            ),
            "the norm is taken as the sum of the absolute values": _by(
                lambda gradients: sum(abs(g) for vector in gradients for g in vector)
            ),
            "the norm is compared with 1, and not with max_norm": lambda gradients, max_norm: _scaled(
                gradients, max_norm / _norm(gradients) if _norm(gradients) > 1 else 1.0
            ),
            "the gradients are divided by the norm, and not multiplied by max_norm / norm": (
                lambda gradients, max_norm: (
                    _by(_norm)(gradients, max_norm)
                    if _norm(gradients) <= max_norm
                    else _scaled(gradients, 1 / _norm(gradients))
                )
            ),
            (
                "a small number is added to the norm, as PyTorch does: here the "
                "clipped norm has to be max_norm"
            ): lambda gradients, max_norm: _scaled(gradients, min(1.0, max_norm / (_norm(gradients) + 1e-6))),
            (
                "the norm is 0 and is divided by: gradients that are all 0 stay as they are"
            ): _divided_by_nothing,
        },
    ),
    "14.2": Exercise(
        trapezoid,
        [
            [7, 10, 1.0, 2, 4],
            [0, 10, 1.0, 2, 4],
            [2, 10, 1.0, 2, 4],
            [6, 10, 1.0, 2, 4],
            [9, 10, 1.0, 2, 4],
            [40, 100, 0.01, 10, 20],
            [95, 100, 0.01, 10, 20],
        ],
        mistakes={
            "the warm-up begins at 0": _trapezoid(first=0),
            "the last step has the learning rate 0": _trapezoid(left=-1),
            "the learning rate begins to fall one step too late": _trapezoid(left=1),
            "the fall is one step too long": _trapezoid(longer=1),
            "the learning rate never falls": _trapezoid(down=False),
            "the learning rate is above lr before the last cool_down steps: it needs min(1, ...)": (
                lambda step, steps, lr, warmup_steps, cool_down: (
                    lr * ((step + 1) / warmup_steps if step < warmup_steps else (steps - step) / cool_down)
                )
            ),
            "there is no warm-up": lambda step, steps, lr, warmup_steps, cool_down: (
                lr * min(1.0, (steps - step) / cool_down)
            ),
            "there is no constant phase": lambda step, steps, lr, warmup_steps, cool_down: _straight(
                step, steps, lr, warmup_steps
            ),
        },
    ),
}
