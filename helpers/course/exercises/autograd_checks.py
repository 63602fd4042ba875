"""The course's functions on a reader's own kind of number, and a reader's backward pass through the graph."""

import math
import random
import types

from ...tape import OPERATIONS, Tape
from ..show.compare import agree, largest, spell
from ..state.network import SEED, TARGETS, TOKENS, draw_parameters
from .in_network import bare, in_words
from .judge import is_stub, raised, same_value


def unchecked(function, **mathematics):
    """A copy of a course function without input checks, which takes objects in place of floats.

    mathematics names the functions that replace math.exp, math.log, … for these objects. For floats the
    copy still calls those of math.
    """

    def either(name, theirs):
        return lambda x: getattr(math, name)(x) if isinstance(x, (int, float)) else theirs(x)

    names = bare({}, {})
    names["math"] = types.SimpleNamespace(
        **{**vars(math), **{name: either(name, f) for name, f in mathematics.items()}}
    )
    return names[function.__name__]


def walk_with(loss, order=None, backward=None):
    """Run the backward pass from a loss with the reader's functions; print whether the gradients are equal.

    A value of the graph has inputs, pairs (value, local derivative), and gradient, which the reader's
    functions must reproduce. Afterwards the gradients are what they were.
    """
    tried = {name: f for name, f in (("order", order), ("backward", backward)) if not is_stub(f)}
    waiting = [name for name, f in (("order", order), ("backward", backward)) if is_stub(f)]
    said = [walked(loss, **tried)] if tried else []
    if waiting:
        said.append(f"{in_words(waiting)}: not tried yet.")
    print(" ".join(said))


def walked(loss, order=None, backward=None):
    """The verdict on the reader's functions, in a sentence."""
    from .lesson_12 import CHAIN, TooManyVisits, UseASet, last_of

    values = in_turn(loss)
    expected = [value.gradient for value in values]
    found, name = (values, in_words([name for name, f in (("order", order), ("backward", backward)) if f]))
    try:
        if order:
            order(last_of(CHAIN))  # a small graph first: a slow function would take minutes for the large one
            found = order(loss)
            wrong = misplaced(found, values)
            if wrong:
                return f"{name}: {wrong}"
        if backward:
            for value in values:
                value.gradient = 0.0
            returned = backward(found)
            if isinstance(returned, list) and len(returned) == len(found):
                for value, gradient in zip(found, returned):
                    value.gradient = gradient
            allowed = 1e-9 * largest(expected)
            bad = [i for i, value in enumerate(values) if not agree(value.gradient, expected[i], allowed)]
            if bad:
                mine, due = values[bad[0]].gradient, expected[bad[0]]
                return (
                    f"{name}: {len(bad):,} of {len(values):,} gradients differ from the course's; "
                    f"the first is {spell(mine, due)}, expected {spell(due, mine)}."
                )
    except (UseASet, TooManyVisits) as error:
        return f"{name}: stopped, because it would take minutes for this graph. In a small one, {error}."
    except Exception as error:
        return f"{name}: {raised(error, backward or order)}"
    finally:
        for value, gradient in zip(values, expected):
            value.gradient = gradient
    return f"{name}: correct for all {len(values):,} values of the graph."


def in_turn(loss):
    """All values that a loss depends on, in a topological order: each after its users."""
    users, found = {loss: 0}, [loss]
    for value in found:
        for each, _ in value.inputs:
            if each not in users:
                found.append(each)
            users[each] = users.get(each, 0) + 1
    ordered, ready = [], [loss]
    while ready:
        value = ready.pop()
        ordered.append(value)
        for each, _ in value.inputs:
            users[each] -= 1
            if not users[each]:
                ready.append(each)
    return ordered


def misplaced(found, values):
    """What is wrong with an order, in a sentence; None if each value stands after all of its users."""
    if not isinstance(found, (list, tuple)):
        return f"the result is a {type(found).__name__}, expected a list of values."
    if len(found) != len(values) or {*found} != {*values}:
        return f"the order has {len(found):,} entries for {len(values):,} values; each must occur once."
    place = {value: i for i, value in enumerate(found)}
    early = [place[each] for value in values for each, _ in value.inputs if place[each] < place[value]]
    return f"entry {early[0]:,} of the order comes before one of its users." if early else None


def row_with(network, **rows):
    """Run the course's network on a tape with the reader's operations; print whether the gradients agree."""
    tried = {name: row for name, row in rows.items() if not is_stub(row)}
    if not tried:
        print(f"{in_words(list(rows))}: not tried yet.")
        return
    parameters, due = draw_parameters(random.Random(SEED)), None
    ours = {name: OPERATIONS[name] for name in tried}
    try:
        due = on_a_tape(network, parameters)
        OPERATIONS.update({name: (ours[name][0], one_for_each_argument(row)) for name, row in tried.items()})
        found = on_a_tape(network, parameters)
        wrong = [name for name in due if not same_value(found[name], due[name])]
        said = (
            f"the gradients of {in_words(wrong)} differ from the course's."
            if wrong
            else "all 3,456 gradients equal the course's."
        )
    except Exception as error:
        said = raised(error, next(iter(tried.values())))
    finally:
        OPERATIONS.update(ours)
    print(f"{in_words(list(tried))} in the table: {said}")


def one_for_each_argument(row):
    """The reader's backward function, with a check that it gives a list with one gradient per argument."""

    def checked(d, out, *arguments):
        found = row(d, out, *arguments)
        if not isinstance(found, (list, tuple)) or len(found) != len(arguments):
            raise ValueError(
                "it must return a list with one gradient per argument; put a list around a single matrix"
            )
        return found

    return checked


def on_a_tape(network, parameters):
    tape = Tape()
    p = tape.watch(parameters)
    tape.backward(network(tape, p, TOKENS, TARGETS))
    return tape.gradients(p)
