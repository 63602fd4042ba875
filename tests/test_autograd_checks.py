"""A reader's backward pass, on the graph of the whole network, and a reader's operation on the tape."""

import functools

import pytest
import second_network
from test_tape import in_small_steps

from helpers.course.exercises.autograd_checks import row_with, walk_with
from helpers.course.exercises.lesson_12 import my_gradients, my_order
from helpers.course.exercises.lesson_12b import my_softmax_row
from helpers.tape import OPERATIONS


@functools.cache
def loss():
    _, activations = second_network.noted(second_network.drawn()[0])
    second_network.unwind(activations["loss"])
    return activations["loss"]


def stub(first, second): ...


def overwriting(order, made_of):
    gradients = [0.0] * len(made_of)
    gradients[order[0]] = 1.0
    for number in order:
        for source, derivative in made_of[number]:
            gradients[source] = derivative * gradients[number]
    return gradients


@pytest.mark.parametrize(
    "order, gradients, said",
    [
        (my_order, my_gradients, "order and gradients: right for all "),
        (stub, stub, "order and gradients: not tried yet."),
        (stub, my_gradients, "gradients: right for all "),
        (my_order, overwriting, "order and gradients: some gradients are not ours."),
        (
            lambda sources, last: list(range(len(sources)))[::-1],
            stub,
            "comes before one that reads it. gradients: not tried yet.",
        ),
        (lambda sources, last: [last], stub, "order: 1 places for "),
        (lambda sources, last: 1 // 0, stub, "order: It raised ZeroDivisionError"),
    ],
)
def test_a_reader_s_topological_order_is_checked(order, gradients, said, capsys):
    walk_with(loss(), order=order, gradients=gradients)
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    "row, said",
    [
        (my_softmax_row, "softmax_rows in the table: all 3,456 gradients are the same as ours."),
        (
            lambda d, weights, scores: [weights],
            "softmax_rows in the table: not ours: the gradients of E_token, E_pos, W_Q and W_K.",
        ),
        (lambda d, weights, scores: [1 / 0], "It raised "),
        (
            lambda d, weights, scores: my_softmax_row(d, weights, scores)[0],
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
    assert capsys.readouterr().out == "softmax_rows: not tried yet, ours is in place.\n"
