"""The reader's functions on a graph of values and on the tape: right, or what is wrong with them."""

import functools

import pytest
import second_network
from networks_on_tape import in_small_steps

from helpers.course.exercises import EXERCISES
from helpers.course.exercises.graphs import row_with, walk_with
from helpers.course.exercises.lesson_12 import COUNTED
from helpers.tape import OPERATIONS


def stub(result): ...


def stub_of_three(d, out, scores): ...


@functools.cache
def loss():
    _, activations = second_network.noted(second_network.drawn()[0])
    second_network.unwind(activations["loss"])
    return activations["loss"]


def order_with_a_list(result):
    """The solution of 12.c, with the values that were seen in a list."""
    order = []

    def visit(value):
        if value not in order:
            for x, _ in value.inputs:
                visit(x)
            order.append(value)

    visit(result)
    return order[::-1]


ORDER, WALK = EXERCISES["12.c"].solution, EXERCISES["12.b"].solution
COUNTED_ONCE = EXERCISES["12.c"].mistaken(COUNTED)
OVERWRITING = EXERCISES["12.b"].mistaken("= is used where += is needed")


@pytest.mark.parametrize(
    "order, backward, said",
    [
        (ORDER, WALK, "order and backward: correct for all "),
        (stub, WALK, "backward: correct for all "),
        (ORDER, OVERWRITING, "gradients differ from the course's; the first is "),
        (lambda result: ORDER(result)[::-1], stub, "of the order comes before one of its users. backward: "),
        (lambda result: [result], stub, "order: in a small graph, the order has 1 entries for 6 values"),
        (lambda result: 1 // 0, stub, "order: It raised ZeroDivisionError"),
        (COUNTED_ONCE, stub, "order: in a small graph, entry 4 of the order comes before one of its users."),
        (order_with_a_list, stub, "order: stopped, because it would take minutes for this graph. In a "),
    ],
)
def test_a_reader_s_topological_order_is_checked(order, backward, said, capsys):
    before = [value.gradient for value in ORDER(loss())]
    walk_with(loss(), order=order, backward=backward)
    assert said in capsys.readouterr().out
    assert [value.gradient for value in ORDER(loss())] == before


SOFTMAX_ROWS = EXERCISES["12.e"].solution


@pytest.mark.parametrize(
    "row, said",
    [
        (SOFTMAX_ROWS, "softmax_rows in the table: all 3,456 gradients equal the course's.\n"),
        (
            lambda d, out, scores: [out],
            "the gradients of E_token, E_pos, W_Q and W_K differ from the course's.",
        ),
        (lambda d, out, scores: SOFTMAX_ROWS(d, out, scores)[0], "put a list around a single matrix."),
        (stub_of_three, "softmax_rows: not tried yet.\n"),
    ],
)
def test_a_reader_s_operation_is_checked_and_removed_again(row, said, capsys):
    before = dict(OPERATIONS)
    row_with(network=in_small_steps, softmax_rows=row)
    assert said in capsys.readouterr().out and OPERATIONS == before
