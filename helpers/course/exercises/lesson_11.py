"""Lesson 11, hidden side. Reading on gives answers away."""

import math

from .entry import Exercise, draw


def heavy_ball(theta, slopes, lr, beta):
    return _ball(lambda m, g, beta: beta * m + g)(theta, slopes, lr, beta)


def _ball(remember, lr_sign=1, late=False):
    """heavy_ball with another memory, or another order."""

    def walk(theta, slopes, lr, beta):
        m, places = 0.0, []
        for g in slopes:
            before, m = m, remember(m, g, beta)
            theta -= lr_sign * lr * (before if late else m)
            places.append(theta)
        return places

    return walk


def rolls(n, beta_1, beta_2):
    return _rolls()(n, beta_1, beta_2)


def _rolls(correct=True, root=math.sqrt, stays=0.0, steps=lambda n: range(1, n + 1)):
    """rolls with something left out, or in other steps."""

    def rolled(n, beta_1, beta_2):
        total = 0.0
        for t in steps(n):
            m = (1 - beta_1) * sum(beta_1 ** (t - s) * (1.0 if s == 1 else stays) for s in range(1, t + 1))
            v = (1 - beta_2) * sum(beta_2 ** (t - s) * (1.0 if s == 1 else stays) for s in range(1, t + 1))
            total += m / (1 - beta_1**t) / root(v / (1 - beta_2**t)) if correct else m / root(v)
        return total

    return rolled


def clip(gradients, limit):
    return _clipped(lambda all_of_them: math.sqrt(sum(g * g for g in all_of_them)))(gradients, limit)


def _clipped(size, grows=False, divide_first=False):
    """clip with another measure of length."""

    def clipped(gradients, limit):
        length = size([g for vector in gradients for g in vector])
        factor = min(1.0, limit / length) if divide_first else limit / length if length > limit or grows else 1.0
        return [[factor * g for g in vector] for vector in gradients]

    return clipped


def _length(vector):
    return math.sqrt(sum(g * g for g in vector))


def undo(after, m, v, step, lr, decay):
    return _undone(lambda q, move, kept: (q + move) / kept)(after, m, v, step, lr, decay)


def _undone(back, correct=True, under=False):
    """undo with another way back, without the correction, or with eps under the root."""

    def undone(after, m, v, step, lr, decay):
        full_m, full_v = (1 - 0.9**step, 1 - 0.999**step) if correct else (1.0, 1.0)
        root = [math.sqrt(b / full_v + 1e-8) if under else math.sqrt(b / full_v) + 1e-8 for b in v]
        return [back(q, lr * (a / full_m) / r, 1 - lr * decay) for q, a, r in zip(after, m, root)]

    return undone


def my_adamw_step(p, g, m, v, step, lr, beta_1, beta_2, eps, decay):
    return _adamw()(p, g, m, v, step, lr, beta_1, beta_2, eps, decay)


def _adamw(correct=True, l2=False, squared=True, root=True, sign=1, lr_on_decay=True, under=False, no_decay=False):
    """A step of AdamW, with one thing done otherwise."""

    def stepped(p, g, m, v, step, lr, beta_1, beta_2, eps, decay):
        new_p, new_m, new_v = [], [], []
        for x, slope, first, second in zip(p, g, m, v):
            slope += decay * x if l2 else 0.0
            first = beta_1 * first + (1 - beta_1) * slope
            second = beta_2 * second + (1 - beta_2) * (slope * slope if squared else slope)
            mean = first / (1 - beta_1**step) if correct else first
            square = second / (1 - beta_2**step) if correct else second
            size = square + eps if not root else math.sqrt(square + eps) if under else math.sqrt(square) + eps
            shrink = 0.0 if l2 or no_decay else (lr if lr_on_decay else 1.0) * decay
            new_p.append(x - shrink * x - sign * lr * mean / size)
            new_m.append(first)
            new_v.append(second)
        return new_p, new_m, new_v

    return stepped


EXERCISES = {
    "11.1": Exercise(
        heavy_ball,
        [
            [0.0, [1.0, 1.0, 0.0], 0.5, 0.5],
            [1.0, [2.0, -1.0, 0.5, 0.0, 0.0], 0.1, 0.9],
            [-0.3, [0.7, 0.7, 0.7], 0.5, 0.0],
            [0.0, [1.0, -1.0, 1.0, -1.0, 1.0], 0.25, 0.5],
            [2.5, [0.0, 0.0, 3.0, 0.0], 0.2, 0.99],
            [4.0, [], 0.1, 0.9],
        ],
        slips={
            "m is a running mean, with the factor 1 − beta, as in the lesson": _ball(lambda m, g, b: b * m + (1 - b) * g),
            "theta moves uphill, along m and not against it": _ball(lambda m, g, b: b * m + g, lr_sign=-1),
            "theta moves before m has heard of the new gradient": _ball(lambda m, g, b: b * m + g, late=True),
            "nothing is remembered: that is plain descent": _ball(lambda m, g, b: g),
            "nothing is forgotten: beta is left out": _ball(lambda m, g, b: m + g),
            "only the last place is given": lambda theta, slopes, lr, beta: (heavy_ball(theta, slopes, lr, beta) or [theta])[-1],
        },
    ),
    "11.2": Exercise(
        rolls,
        [[1, 0.5, 0.8], [2, 0.5, 0.8], [1, 0.9, 0.999], [12, 0.9, 0.999], [3, 0.5, 0.75], [4, 0.0, 0.95], [200, 0.9, 0.99]],
        slips={
            "the bias is not corrected": _rolls(correct=False),
            "the root of v is forgotten": _rolls(root=lambda v: v),
            "only the last move is given, and not all together": _rolls(steps=lambda n: [n]),
            "the gradient stays as it was": _rolls(stays=1.0),
            "one step is missing": _rolls(steps=lambda n: range(1, n)),
            "it stops after the first step": _rolls(steps=lambda n: [1]),
        },
    ),
    "11.3": Exercise(
        clip,
        [
            [[[3.0], [4.0, 0.0]], 1.0],
            [[[3.0, 0.0], [-4.0], [0.0, 12.0, 0.0]], 6.5],
            [[[0.3, -0.4], [0.1]], 1.0],
            [[[0.0, 0.0], [0.0]], 1.0],
            [[[5.0, -0.2, 0.1], [0.3, 0.3], [-7.0]], 0.5],
            [[[0.9], [0.9], [0.9]], 1.0],
            [[[-2.0, 2.0], [1.0]], 3.0],
        ],
        slips={
            "each vector is clipped by itself": lambda gradients, limit: [
                [g * min(1, limit / max(_length(vector), 1e-99)) for g in vector] for vector in gradients
            ],
            "each number is cut off by itself": lambda gradients, limit: [
                [max(-limit, min(limit, g)) for g in vector] for vector in gradients
            ],
            "short gradients are made longer": _clipped(lambda all_of_them: _length(all_of_them) or 1.0, grows=True),
            "sizes are added up, and not squares": _clipped(lambda all_of_them: sum(map(abs, all_of_them))),
            "the root of the sum is forgotten": _clipped(lambda all_of_them: sum(g * g for g in all_of_them)),
            "the limit is divided by a length of 0": _clipped(_length, divide_first=True),
        },
    ),
    "11.4": Exercise(
        undo,
        [
            [[0.5, -1.0], [0.1, -0.2], [0.001, 0.004], 1, 0.1, 0.5],
            [[0.5, -1.0, 2.0], [0.1, -0.2, 0.05], [0.001, 0.004, 0.02], 1, 0.1, 0.0],
            [[0.5, -1.0, 2.0], [0.1, -0.2, 0.05], [0.001, 0.004, 0.02], 7, 0.3, 0.5],
            [[1.0, -3.0], [1e-9, 0.0], [1e-19, 0.0], 1, 0.5, 0.2],
            [[0.25, 0.75], [-0.4, 0.3], [0.2, 0.1], 2000, 0.05, 2.0],
        ],
        slips={
            "the bias is not corrected": _undone(lambda q, move, kept: (q + move) / kept, correct=False),
            "the step is taken once more, and not taken back": _undone(lambda q, move, kept: q * kept - move),
            "the decay is undone before the move": _undone(lambda q, move, kept: q / kept + move),
            "the decay is added, where it should be divided by": _undone(lambda q, move, kept: (q + move) * (2 - kept)),
            "the decay is not undone": _undone(lambda q, move, kept: q + move),
            "eps stands under the root": _undone(lambda q, move, kept: (q + move) / kept, under=True),
        },
        example=False,
    ),
    "11.a": Exercise(
        my_adamw_step,
        [
            [[1.0, 2.0], [4.0, -4.0], [0.0, 0.0], [0.0, 0.0], 1, 0.5, 0.9, 0.999, 0.0, 0.0],
            [[1.0, -2.0], [0.5, 0.25], [0.1, -0.2], [0.01, 0.04], 3, 0.1, 0.5, 0.75, 0.5, 0.2],
            [*draw(1, (3,), (3,), (3,)), [0.5, 1.0, 0.25], 7, 0.01, 0.9, 0.999, 1e-8, 0.01],
            [*draw(2, (4,), (4,), (4,)), [0.1, 2.0, 0.3, 0.04], 200, 0.3, 0.8, 0.9, 0.1, 0.5],
        ],
        slips={
            "the bias is not corrected": _adamw(correct=False),
            "the decay is put into the gradient: that is Adam with L2, and not AdamW": _adamw(l2=True),
            "the decay is not multiplied by lr": _adamw(lr_on_decay=False),
            "the decay is forgotten": _adamw(no_decay=True),
            "v averages the gradient, and not its square": _adamw(squared=False),
            "the root of v is forgotten": _adamw(root=False),
            "eps stands under the root": _adamw(under=True),
            "p moves uphill": _adamw(sign=-1),
        },
        parts=("p", "m", "v"),
        example=False,
    ),
}
