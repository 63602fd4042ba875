"""A reader's backward pass, on the graph of the whole network, and a reader's operation on the tape."""

import functools

import pytest
import second_network
from networks_on_tape import in_small_steps

from helpers.course.exercises.autograd_checks import row_with, walk_with
from helpers.course.exercises.lesson_12b import my_softmax_rows_backward
from helpers.tape import OPERATIONS


@functools.cache
def loss():
    _, activations = second_network.noted(second_network.drawn()[0])
    second_network.unwind(activations["loss"])
    return activations["loss"]


def stub(first, second): ...


def overwriting(order):
    order[0].gradient = 1.0
    for value in order:
        for each, derivative in value.inputs:
            each.gradient = derivative * value.gradient


def walk(order):
    order[0].gradient = 1.0
    for value in order:
        for each, derivative in value.inputs:
            each.gradient += derivative * value.gradient


def my_order(last):
    order, seen = [], set()

    def visit(value):
        if value not in seen:
            seen.add(value)
            for each, _ in value.inputs:
                visit(each)
            order.append(value)

    visit(last)
    return order[::-1]


def slow_order(last):
    """my_order that looks the values up in a list."""
    order = []

    def visit(value):
        if value not in order:
            for each, _ in value.inputs:
                visit(each)
            order.append(value)

    visit(last)
    return order[::-1]


@pytest.mark.parametrize(
    "order, backward, said",
    [
        (my_order, walk, "order and backward: correct for all "),
        (stub, stub, "order and backward: not tried yet."),
        (stub, walk, "backward: correct for all "),
        (my_order, overwriting, "gradients differ from the course's; the first is "),
        (
            lambda last: my_order(last)[::-1],
            stub,
            "of the order comes before one of its users. backward: not tried yet.",
        ),
        (lambda last: [last], stub, "order: the order has 1 entries for "),
        (lambda last: {}, stub, "order: the result is a dict, expected a list of values."),
        (lambda last: 1 // 0, stub, "order: It raised ZeroDivisionError"),
        (
            slow_order,
            stub,
            "order: stopped, because it would take minutes for this graph. In a small one, with 300 ",
        ),
    ],
)
def test_a_reader_s_topological_order_is_checked(order, backward, said, capsys):
    before = [value.gradient for value in my_order(loss())]
    walk_with(loss(), order=order, backward=backward)
    assert said in capsys.readouterr().out
    assert [value.gradient for value in my_order(loss())] == before


@pytest.mark.parametrize(
    "row, said",
    [
        (my_softmax_rows_backward, "softmax_rows in the table: all 3,456 gradients equal the course's."),
        (
            lambda d, weights, scores: [weights],
            "the gradients of E_token, E_pos, W_Q and W_K differ from the course's.",
        ),
        (lambda d, weights, scores: [1 / 0], "It raised "),
        (
            lambda d, weights, scores: my_softmax_rows_backward(d, weights, scores)[0],
            "put a list around a single matrix.",
        ),
    ],
)
def test_a_reader_s_operation_is_checked_and_removed_again(row, said, capsys):
    before = dict(OPERATIONS)
    row_with(network=in_small_steps, softmax_rows=row)
    assert said in capsys.readouterr().out and OPERATIONS == before


def test_an_untouched_operation_is_not_checked(capsys):
    def untouched(d, weights, scores): ...

    row_with(network=in_small_steps, softmax_rows=untouched)
    assert capsys.readouterr().out == "softmax_rows: not tried yet.\n"
