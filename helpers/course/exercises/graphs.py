"""The reader's functions on a graph of values, as in lesson 12, and on the tape of lesson 12b."""

import math
import random
import types

from ...tape import OPERATIONS, Tape
from ..show.compare import agree, largest
from ..state.network import SEED, TARGETS, TOKENS, draw_parameters
from .judge import in_digits, same_value, stopped_by
from .lesson_12 import CHAIN, USES, TooManyVisits, UseASet, last_of, my_order
from .yours import in_words, names_with, without_stubs


def unchecked(function, **mathematics):
    """A copy of a course function without input checks, which takes objects in place of floats.

    mathematics names the functions that replace math.exp, math.log, … for these objects. For floats the
    copy still calls those of math.
    """

    def either(name, theirs):
        return lambda x: getattr(math, name)(x) if isinstance(x, (int, float)) else theirs(x)

    names = names_with({}, {})
    replaced = {name: either(name, theirs) for name, theirs in mathematics.items()}
    names["math"] = types.SimpleNamespace(**{**vars(math), **replaced})
    return names[function.__name__]


def walk_with(loss, order=None, backward=None):
    """Run the backward pass from a loss with the reader's functions; print whether the gradients are equal.

    A value of the graph has inputs, pairs (value, local derivative), and gradient, which the reader's
    functions must reproduce. Afterwards the gradients are what they were.
    """
    given = {"order": order, "backward": backward}
    tried, waiting = without_stubs({name: function for name, function in given.items() if function})
    said = [f"{in_words(list(tried))}: {walked(loss, **tried)}"] if tried else []
    if waiting:
        said.append(f"{in_words(waiting)}: not tried yet.")
    print(" ".join(said))


def walked(loss, order=None, backward=None):
    """The verdict on the reader's functions, in a sentence; the gradients stay as they are."""
    values = my_order(loss)
    expected = [value.gradient for value in values]
    try:
        found = values
        if order:
            order(last_of(CHAIN))  # a small graph first: a slow function would take minutes for the large one
            small = last_of(USES)  # many orders are right here; in the large graph a wrong one may pass
            wrong = misplaced(order(small), my_order(small))
            if wrong:
                return f"in a small graph, {wrong}"
            found = order(loss)
        wrong = misplaced(found, values) or (backward and wrong_gradients(backward, found, values, expected))
        return wrong or f"correct for all {len(values):,} values of the graph."
    except (UseASet, TooManyVisits) as error:
        return f"stopped, because it would take minutes for this graph. In a small one, {error}."
    except Exception as error:
        return stopped_by(error, backward or order, "12").sentence
    finally:
        for value, gradient in zip(values, expected):
            value.gradient = gradient


def wrong_gradients(backward, order, values, expected):
    """How many gradients the reader's backward pass gets wrong, and the first of them; or None."""
    for value in values:
        value.gradient = 0.0
    returned = backward(order)
    if isinstance(returned, list) and len(returned) == len(order):
        for value, gradient in zip(order, returned):
            value.gradient = gradient
    allowed = 1e-9 * largest(expected)
    pairs = [(value.gradient, due) for value, due in zip(values, expected)]
    bad = [(mine, due) for mine, due in pairs if not agree(mine, due, allowed)]
    if not bad:
        return None
    mine, due = bad[0]
    count = f"{len(bad):,} of {len(values):,} gradients differ from the course's"
    return f"{count}; the first is {in_digits(mine, due)}, expected {in_digits(due, mine)}."


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
    tried, stubs = without_stubs(rows)
    if not tried:
        print(f"{in_words(stubs)}: not tried yet.")
        return
    parameters = draw_parameters(random.Random(SEED))
    ours = {name: OPERATIONS[name] for name in tried}
    try:
        due = on_a_tape(network, parameters)
        OPERATIONS.update({name: (ours[name][0], one_for_each_argument(row)) for name, row in tried.items()})
        found = on_a_tape(network, parameters)
        wrong = [name for name in due if not same_value(found[name], due[name])]
        said = "all 3,456 gradients equal the course's."
        if wrong:
            said = f"the gradients of {in_words(wrong)} differ from the course's."
    except Exception as error:
        said = stopped_by(error, next(iter(tried.values())), "12").sentence
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
