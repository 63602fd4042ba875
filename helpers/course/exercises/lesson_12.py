"""Lesson 12, hidden side. Reading on gives answers away."""

import math

from .exercise import Exercise

SQUARE = [
    [],
    [(0, 2.0), (0, 2.0)],
    [(1, 1.0), (0, 1.0)],
    [(1, 6.0), (2, 4.0)],
]  # the lesson's a, b, c, d at a = 2
DIAMOND = [
    [(2, 0.5), (1, 3.0)],
    [(2, -1.5)],
    [(3, 2.0)],
    [],
]  # the same numbers in another order: the last is first
LONG = [[], [(0, 0.25)], [(1, 2.0), (0, 1.0)], [(2, -1.0), (0, 4.0)], [(3, 0.5), (1, 1.5)]]
UNREAD = [[], [(0, 3.0)], [], [(1, 0.5), (2, 1.25)]]
TWICE = [
    [[], [0], [1, 0, 0]],
    [[], [0], [0, 0, 1]],
]  # the first is read by the last, twice, and by the one between


def my_steps(x, y, n):
    e, t = math.exp(x), math.tanh(x)
    return [[x * y, y, x], [x**n, n * x ** (n - 1)], [e, e], [math.log(x), 1 / x], [t, 1 - t * t]]


def _steps(**other):
    """my_steps with one of them in another way."""
    place = {"times": 0, "power": 1, "exp": 2, "log": 3, "tanh": 4}

    def steps(x, y, n):
        rows = my_steps(x, y, n)
        for name, row in other.items():
            rows[place[name]] = row(x, y, n)
        return rows

    return steps


def my_order(sources, last):
    return _in_turn(sources, last)


def _in_turn(sources, last, counted=list, crossed_off=list, free=lambda left: left == 0):
    waiting = [0] * len(sources)
    for read in sources:
        for source in counted(read):
            waiting[source] += 1
    order, ready = [], [last]
    while ready:
        order.append(ready.pop())
        for source in crossed_off(sources[order[-1]]):
            waiting[source] -= 1
            if free(waiting[source]):
                ready.append(source)
    return order


def _counted_once(sources, last):
    return _in_turn(sources, last, counted=set)


def _counted_once_and_ready_twice(sources, last):
    return _in_turn(sources, last, counted=set, free=lambda left: left <= 0)


def _crossed_off_once(sources, last):
    return _in_turn(sources, last, crossed_off=dict.fromkeys)


def _as_found(sources, last):
    order = [last]
    for number in order:
        order += [s for s in dict.fromkeys(sources[number]) if s not in order]
    return order


def _again(sources, last):
    order = [last]
    for number in order:
        order += sources[number]
    return order


def _deep(sources, last):
    order, stack = [], [last]
    while stack:
        number = stack.pop()
        if number not in order:
            order.append(number)
            stack += sources[number]
    return order


def my_gradients(order, made_of):
    return _walk(order, made_of, lambda old, new: old + new)


def _walk(order, made_of, meet, start=1.0):
    gradients = [0.0] * len(made_of)
    gradients[order[0]] = start
    for number in order:
        for source, derivative in made_of[number]:
            gradients[source] = meet(gradients[source], derivative * gradients[number])
    return gradients


def _without_chain(order, made_of):
    gradients = [0.0] * len(made_of)
    gradients[order[0]] = 1.0
    for number in order:
        for source, derivative in made_of[number]:
            gradients[source] += derivative
    return gradients


def forward_mode(order, made_of, start):
    derivatives = [0.0] * len(made_of)
    derivatives[start] = 1.0
    for number in reversed(order):
        for source, derivative in made_of[number]:
            derivatives[number] += derivative * derivatives[source]
    return derivatives


def _start_lost(order, made_of, start):
    """forward_mode in which each number that has sources gets a new sum, start as well."""
    derivatives = [0.0] * len(made_of)
    derivatives[start] = 1.0
    for number in reversed(order):
        if made_of[number]:
            derivatives[number] = sum(
                derivative * derivatives[source] for source, derivative in made_of[number]
            )
    return derivatives


def _overwritten(order, made_of, start):
    derivatives = [0.0] * len(made_of)
    derivatives[start] = 1.0
    for number in reversed(order):
        for source, derivative in made_of[number]:
            derivatives[number] = derivative * derivatives[source]
    return derivatives


def _in_the_order_given(order, made_of, start):
    return forward_mode(order[::-1], made_of, start)


def _backwards(order, made_of, start):
    return _walk(order, made_of, lambda old, new: old + new)


def _sources(made_of):
    return [[source for source, _ in read] for read in made_of]


EXERCISES = {
    "12.a": Exercise(
        my_steps,
        [[1.0, 3.0, 2], [2.0, -1.25, 3], [0.5, 2.5, -1], [1.5, 0.25, 0.5]],
        slips={
            "each factor gets its own value, and not the other's": _steps(
                times=lambda x, y, n: [x * y, x, y]
            ),
            "the slopes of the product are those of a sum": _steps(times=lambda x, y, n: [x * y, 1.0, 1.0]),
            "the power keeps its n": _steps(power=lambda x, y, n: [x**n, n * x**n]),
            "the n in front is forgotten": _steps(power=lambda x, y, n: [x**n, x ** (n - 1)]),
            "log is taken to be its own slope": _steps(log=lambda x, y, n: [math.log(x), math.log(x)]),
            "the slope of exp is taken from powers": _steps(
                exp=lambda x, y, n: [math.exp(x), x * math.exp(x - 1)]
            ),
            "the slope of tanh is 1 − x², with x where tanh x belongs": _steps(
                tanh=lambda x, y, n: [math.tanh(x), 1 - x * x]
            ),
            "the square of tanh is forgotten": _steps(tanh=lambda x, y, n: [math.tanh(x), 1 - math.tanh(x)]),
        },
    ),
    "12.b": Exercise(
        my_order,
        [
            [_sources(SQUARE), 3],
            [_sources(DIAMOND), 0],
            [_sources(LONG), 4],
            [[[3], [0, 3], [1, 0], []], 2],
            *([sources, 2] for sources in TWICE),
            [[[]], 0],
        ],
        slips={
            "each number comes as soon as it is found, and not when its last reader has spoken": _as_found,
            "a number that is found again comes again": _again,
            "sources are followed to the end, one after the other": _deep,
            "the numbers come as they are numbered, from the last to the first": lambda sources, last: list(
                range(len(sources))
            )[::-1],
            "the numbers are counted down from last": lambda sources, last: list(range(last + 1))[::-1],
            "a reader that reads a number twice is counted once, and crossed off twice": _counted_once,
            (
                "a reader that reads a number twice is counted once, and makes it ready twice"
            ): _counted_once_and_ready_twice,
            "a reader that reads a number twice is counted twice, and crossed off once": _crossed_off_once,
            "the order is that of the way there": lambda sources, last: my_order(sources, last)[::-1],
        },
    ),
    "12.c": Exercise(
        my_gradients,
        [[[3, 2, 1, 0], SQUARE], [[0, 1, 2, 3], DIAMOND], [[4, 3, 2, 1, 0], LONG], [[3, 2, 1, 0], UNREAD]],
        slips={
            "= stands where += belongs": lambda order, made_of: _walk(order, made_of, lambda old, new: new),
            "the slopes are added, and not multiplied by the gradient of their reader": _without_chain,
            "the walk begins with a gradient of 0": lambda order, made_of: [0.0] * len(made_of),
            "the walk goes the other way": lambda order, made_of: _walk(
                order[::-1], made_of, lambda old, new: old + new
            ),
        },
    ),
    "12.1": Exercise(
        forward_mode,
        [
            [[3, 2, 1, 0], SQUARE, 0],
            [[0, 1, 2, 3], DIAMOND, 3],
            [[0, 1, 2, 3], DIAMOND, 2],
            [[4, 3, 2, 1, 0], LONG, 0],
            [[4, 3, 2, 1, 0], LONG, 2],
            [[3, 2, 1, 0], UNREAD, 2],
        ],
        slips={
            "= stands where += belongs": _overwritten,
            "the walk goes from the last number to the first": _in_the_order_given,
            "it walks back from the last number, as before": _backwards,
            "the 1 of start is overwritten: without sources its sum is 0, and nothing changes with it": (
                lambda order, made_of, start: [0.0] * len(made_of)
            ),
            "start gets the sum over its sources in place of its 1": _start_lost,
        },
    ),
}
