"""The bugs of lesson 20: each changes the vectors, and does what its name says."""

import math

import pytest
from second_llama import CONFIG, close, drawn

from helpers import llama_forward
from helpers.course.lessons import lesson_20_llama_bugs as llama_bugs
from helpers.course.models.smollm2 import fast


@pytest.mark.parametrize("bug", llama_bugs.LLAMA_BUGS)
def test_each_bug_of_the_table_changes_the_vectors_and_no_bug_does_not(bug):
    p, tokens = drawn(CONFIG), [3, 1, 6, 1]
    X, _ = llama_forward(CONFIG, p, tokens)
    wrong, _ = fast(llama_forward, **llama_bugs.LLAMA_BUGS[bug])(CONFIG, p, tokens)
    assert close(wrong, X, 1e-12) == (bug == "none") and not close(wrong, X, 1e-3) == (bug != "none")


def test_the_bugs_by_hand():
    """Halves: x[0] with x[2]; after a quarter turn of the first pair and a twentieth of the second."""
    rotated = llama_bugs.rope_by_halves([[1.0, 5.0, 0.0, 6.0]], [math.pi / 2], 1e12)
    assert close(rotated, [[0, 5, 1, 6]], 1e-5)
    assert llama_bugs.every_third_head([[[0.0]]] * 4, [[[1.0]]] * 2, [[[1.0]], [[2.0]]]) == [[[1]], [[2]]] * 2
    # gates 2 and -1, ups 0 and 100: silu gives 0 and 100
    assert llama_bugs.gate_and_up_exchanged([[1]], [[2], [-1]], [[0], [100]], [[1, 1]]) == [[-100]]
    assert llama_bugs.without_eps([[1, 7]], [1, 10], 99.0) == [[0.2, 14.0]]
    _, keys, values = llama_bugs.values_rotated(
        [[[1.0, 0.0]]], [[[1.0, 0.0]]], [[[1.0, 0.0]]], [[[5.0, 5.0]]], [[[5.0, 5.0]]], 1.0
    )
    assert keys == values and close(keys, [[[5, 5], [math.cos(1), math.sin(1)]]])
