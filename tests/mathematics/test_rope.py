"""RoPE by hand, and what makes it a position: the dot product depends on the distance alone."""

import math
import random

from second_llama import close

from helpers import dot, rope


def test_rotations_by_hand():
    quarter = math.pi / 2
    assert close(rope([[3, 4]], [quarter]), [[-4, 3]])
    assert close(rope([[1, 0], [1, 0]], [0, 2 * quarter]), [[1, 0], [-1, 0]])
    # base 100, width 4: the second pair turns a tenth as far
    assert close(rope([[1, 0, 5, 6]], [10 * quarter], 100.0), [[-1, 0, -6, 5]], 1e-9)


def test_the_dot_product_depends_on_the_distance_alone():
    rng = random.Random(2)
    q, k = ([rng.gauss(0, 1) for _ in range(8)] for _ in range(2))
    products = [
        dot(*rope([q, k], [first, second])) for first, second in ((5, 3), (12, 10), (105, 103), (1002, 1000))
    ]
    assert close(products, [products[0]] * 4, 1e-11)
    assert not close(dot(*rope([q, k], [5, 4])), products[0], 1e-3)


def test_a_rotation_keeps_the_length():
    row = [3.0, -1.0, 0.5, 2.0, 7.0, 1.0]
    for position in (0, 1, 17, 999):
        assert math.isclose(sum(x * x for x in rope([row], [position])[0]), sum(x * x for x in row))


def test_the_default_base_is_10_000():
    """At width 4 the second pair turns by position / 100."""
    assert close(rope([[1, 0, 1, 0]], [3]), [[math.cos(3), math.sin(3), math.cos(0.03), math.sin(0.03)]])
