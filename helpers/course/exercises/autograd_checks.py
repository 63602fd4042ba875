"""Numbers of a reader's own making in the course's functions, and a reader's way back through what came
of them."""

import math
import random
import types

from ...tape import OPERATIONS, Tape
from ..lessons.network import SEED, TARGETS, TOKENS, draw_parameters
from ..show.compare import agree, largest
from .grader import is_stub, raised, same_value
from .in_network import bare, in_words


def unchecked(function, **mathematics):
    """The course's own function, bare, for numbers of any kind: what mathematics names takes the place of
    math.exp and the like.

    Only for such numbers; for ordinary ones math.exp stays what it is.
    """

    def either(name, theirs):
        return lambda x: getattr(math, name)(x) if isinstance(x, (int, float)) else theirs(x)

    names = bare({}, {})
    names["math"] = types.SimpleNamespace(
        **{**vars(math), **{name: either(name, f) for name, f in mathematics.items()}}
    )
    return names[function.__name__]


def walk_with(loss, order=None, gradients=None):
    """Walk back from a loss of numbers that remember, by the reader's functions; print whether all
    gradients are the same.

    A number has value, made_of, pairs of a number and a slope, and gradient, which is what the reader's
    must equal.
    """
    tried = {name: f for name, f in (("order", order), ("gradients", gradients)) if not is_stub(f)}
    waiting = [name for name, f in (("order", order), ("gradients", gradients)) if is_stub(f)]
    said = [walked(loss, **tried)] if tried else []
    if waiting:
        said.append(f"{in_words(waiting)}: not tried yet.")
    print(" ".join(said))


def walked(loss, order=None, gradients=None):
    """What the reader's functions make of a graph, in a sentence."""
    numbers = in_turn(loss)
    place = {number: i for i, number in enumerate(numbers)}
    made_of = [[(place[source], derivative) for source, derivative in number.made_of] for number in numbers]
    found, name = (
        list(range(len(numbers))),
        in_words([name for name, f in (("order", order), ("gradients", gradients)) if f]),
    )
    try:
        if order:
            found = order([[source for source, _ in sources] for sources in made_of], 0)
            wrong = misplaced(found, made_of)
            if wrong:
                return f"{name}: {wrong}"
        if gradients:
            mine, due = gradients(found, made_of), [number.gradient for number in numbers]
            allowed = 1e-9 * largest(due)
            if len(mine) != len(due) or not all(agree(m, d, allowed) for m, d in zip(mine, due)):
                return f"{name}: some gradients are not ours."
    except Exception as error:
        return f"{name}: {raised(error, gradients or order, '12')}"
    return f"{name}: right for all {len(numbers):,} numbers of the graph."


def in_turn(loss):
    """The numbers that a loss was made of, each behind all that were made of it."""
    readers, found = {loss: 0}, [loss]
    for number in found:
        for source, _ in number.made_of:
            if source not in readers:
                found.append(source)
            readers[source] = readers.get(source, 0) + 1
    ordered, ready = [], [loss]
    while ready:
        number = ready.pop()
        ordered.append(number)
        for source, _ in number.made_of:
            readers[source] -= 1
            if not readers[source]:
                ready.append(source)
    return ordered


def misplaced(found, made_of):
    """What is wrong with an order, in a sentence; None if each number stands behind all that read it."""
    if sorted(found) != list(range(len(made_of))):
        return f"{len(found):,} places for {len(made_of):,} numbers; each must come once."
    place = {number: i for i, number in enumerate(found)}
    early = [s for number, sources in enumerate(made_of) for s, _ in sources if place[s] < place[number]]
    return f"number {early[0]} comes before one that reads it." if early else None


def row_with(network, **rows):
    """Walk back through the course's network on a tape with the reader's rows in its table; print whether
    the gradients are the same."""
    tried = {name: row for name, row in rows.items() if not is_stub(row)}
    if not tried:
        print(f"{in_words(list(rows))}: not tried yet, ours is in place.")
        return
    parameters, due = draw_parameters(random.Random(SEED)), None
    ours = {name: OPERATIONS[name] for name in tried}
    try:
        due = on_a_tape(network, parameters)
        OPERATIONS.update({name: (ours[name][0], one_for_each_argument(row)) for name, row in tried.items()})
        found = on_a_tape(network, parameters)
        wrong = [name for name in due if not same_value(found[name], due[name])]
        said = (
            f"not ours: the gradients of {in_words(wrong)}."
            if wrong
            else "all 3,456 gradients are the same as ours."
        )
    except Exception as error:
        said = raised(error, next(iter(tried.values())), "12")
    finally:
        OPERATIONS.update(ours)
    print(f"{in_words(list(tried))} in the table: {said}")


def one_for_each_argument(row):
    """The reader's row, which says so if it gives something else than a list with a gradient for each
    argument."""

    def checked(d, out, *arguments):
        found = row(d, out, *arguments)
        if not isinstance(found, (list, tuple)) or len(found) != len(arguments):
            raise ValueError(
                "it must give a list with one gradient for each argument; put a list around a single matrix"
            )
        return found

    return checked


def on_a_tape(network, parameters):
    tape = Tape()
    p = tape.watch(parameters)
    tape.backward(network(tape, p, TOKENS, TARGETS))
    return tape.gradients(p)
