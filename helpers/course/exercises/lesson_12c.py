"""Lesson 12c: solution, inputs and known mistakes of its exercise. Reading on gives answers away."""

from .exercise import Exercise
from .lesson_12 import EARLY, LATE, SQUARE, TWICE, ordered, walk_text


def my_forward_mode(order, start):
    derivatives = {value: 0.0 for value in order}
    derivatives[start] = 1.0
    for value in reversed(order):
        for x, derivative in value.inputs:
            derivatives[value] += derivative * derivatives[x]
    return [derivatives[value] for value in order]


COLLECT = "derivatives[value] += derivative * derivatives[x]"
PASS_ON = "derivatives[x] += derivative * derivatives[value]"
LOOP = f"        for x, derivative in value.inputs:\n            {COLLECT}\n"
NEW_SUM = "derivatives[value] = sum(derivative * derivatives[x] for x, derivative in value.inputs)\n"
SUM_BY_DATA = "sum(derivative * derivatives[x.data] for x, derivative in value.inputs)\n"
SUM_SO_FAR = "sum(derivative * derivatives.get(x, 0.0) for x, derivative in value.inputs)\n"
EQUAL_TO_START = (
    "    derivatives[start] = 1.0\n",
    "    derivatives |= {value: 1.0 for value in order if value.data == start.data}\n",
)
BY_DATA = (
    ("{value: 0.0 ", "{value.data: 0.0 "),
    ("[start]", "[start.data]"),
    ("[derivatives[value] for", "[derivatives[value.data] for"),
)
FORWARD_MISTAKES = {
    "the local derivative is multiplied by the data of the input, and not by its derivative": (
        "* derivatives[x]",
        "* x.data",
    ),
    "the derivatives of the inputs are not used: each local derivative is added as it is": (
        "derivative * derivatives[x]",
        "derivative",
    ),
    "the data of the input is used where the local derivative is needed": ("derivative * ", "x.data * "),
    "every value whose data equal those of start begins with 1": EQUAL_TO_START,
    "a value whose data equal those of start is taken for start; compare with `is`": (
        EQUAL_TO_START,
        (LOOP, f"        if value.data != start.data:\n            {NEW_SUM}"),
    ),
    "the derivatives are kept by the data of the values, and two values with equal data add to one entry": (
        *BY_DATA,
        (COLLECT, "derivatives[value.data] += derivative * derivatives[x.data]"),
    ),
    "the derivatives are kept by the data of the values, and a later value replaces one with equal data": (
        *BY_DATA,
        (LOOP, f"        derivatives[value.data] = 1.0 if value is start else {SUM_BY_DATA}"),
    ),
    "an input that an operation uses twice is counted once": ("in value.inputs", "in set(value.inputs)"),
    "the part of each input replaces that of the input before it, and is not added to it": (
        COLLECT,
        "derivatives[value] = derivatives[value] if value is start else derivative * derivatives[x]",
    ),
    "only the derivative of the result is returned, and not the list": (
        "[derivatives[value] for value in order]",
        "derivatives[order[0]]",
    ),
    "the dict is returned, and not the list of its values": (
        "[derivatives[value] for value in order]",
        "derivatives",
    ),
    "= is used where += is needed": ("+=", "="),
    "the loop goes from the result back to the inputs, as the backward pass does": (
        "reversed(order)",
        "order",
    ),
    "it computes gradients, as the backward pass does": (
        ("[start]", "[order[0]]"),
        ("reversed(order)", "order"),
        (COLLECT, PASS_ON),
    ),
    "the loop begins with the result, whose inputs have no derivatives yet": (
        ("{value: 0.0 for value in order}", "{}"),
        ("    derivatives[start] = 1.0\n", ""),
        ("reversed(order)", "order"),
        (LOOP, f"        derivatives[value] = 1.0 if value is start else {SUM_SO_FAR}"),
    ),
    "the parts of the inputs are multiplied with each other, and not added": (
        (
            LOOP,
            "        if value is not start and value.inputs:\n"
            "            derivatives[value] = 1.0\n"
            "            for x, derivative in value.inputs:\n"
            "                derivatives[value] *= derivative * derivatives[x]\n",
        ),
    ),
    "the derivatives are returned in the order of reversed(order)": ("in order]", "in reversed(order)]"),
    "start is ignored: the value without inputs has the derivative 1": ("[start]", "[order[-1]]"),
    "the first value of the order, and not start, has the derivative 1": ("[start]", "[order[0]]"),
    "the 1 of start is replaced by the sum over its inputs, which is 0": (LOOP, f"        {NEW_SUM}"),
    "each value adds to its inputs, and does not collect from them": (COLLECT, PASS_ON),
    "it goes back from start, as the backward pass does from the result": (
        ("reversed(order)", "order"),
        (COLLECT, PASS_ON),
    ),
    "every derivative begins with 1, and not only that of start": ("value: 0.0", "value: 1.0"),
    "start gets the sum over its inputs, not 1": (LOOP, f"        if value.inputs:\n            {NEW_SUM}"),
    "the derivatives of the inputs are added without the local derivatives": ("derivative * ", ""),
}


EXERCISES = {
    "12.d": Exercise(
        my_forward_mode,
        [
            ordered(SQUARE, "a"),
            ordered(LATE, "a"),
            ordered(LATE, "c"),
            ordered(EARLY, "b"),
            ordered(TWICE, "a"),
            ordered(TWICE, "e"),
        ],
        FORWARD_MISTAKES,
        call_text=walk_text,
    )
}
