"""Parameters: the numbers are those of the generator that is given, in the order of the docstrings."""

import random

import pytest

from helpers.parameters import glorot_uniform, random_matrix, random_vector, single_precision, tree_map


def drawn_by_hand(seed, how_many, sigma=0.1):
    """The first numbers of a generator, as the standard library gives them."""
    rng = random.Random(seed)
    return [rng.gauss(0, sigma) for _ in range(how_many)]


def test_a_vector_is_the_next_numbers_of_the_generator():
    assert random_vector(random.Random(42), 3) == drawn_by_hand(42, 3)
    assert random_vector(random.Random(7), 5, 0.02) == drawn_by_hand(7, 5, 0.02)
    rng = random.Random(42)
    assert random_vector(rng, 2) + random_vector(rng, 1) + [rng.gauss(0, 0.1)] == drawn_by_hand(42, 4)


def test_a_matrix_is_drawn_row_by_row():
    x = drawn_by_hand(42, 6)
    assert random_matrix(random.Random(42), 2, 3) == [x[:3], x[3:]]
    assert random_matrix(random.Random(42), 3, 2) == [x[:2], x[2:4], x[4:]]
    assert random_matrix(random.Random(42), 1, 1) == [x[:1]]
    assert random_matrix(random.Random(42), 6, 1, 0.5) == [[y] for y in drawn_by_hand(42, 6, 0.5)]


def test_glorot_draws_evenly_up_to_its_limit_row_by_row():
    for rows, columns, limit in (2, 4, 1), (4, 20, 0.5), (20, 4, 0.5), (1, 5, 1):
        rng = random.Random(7)
        by_hand = [[rng.uniform(-limit, limit) for _ in range(columns)] for _ in range(rows)]
        assert glorot_uniform(random.Random(7), rows, columns) == by_hand
    rng, again = random.Random(8), random.Random(8)
    glorot_uniform(rng, 2, 3)
    assert rng.random() == [again.random() for _ in range(7)][6]


# --- tree_map


def test_tree_map_takes_any_number_of_nests_and_bare_lists():
    def added(*vectors):
        return [sum(column) for column in zip(*vectors)]

    assert tree_map(added, {"b": [1, 2]}) == {"b": [1, 2]}
    assert tree_map(added, *[{"b": [1, 2]}] * 4) == {"b": [4, 8]}
    assert tree_map(lambda u: [-a for a in u], [[1, 2], [3, 4]]) == [[-1, -2], [-3, -4]]
    assert tree_map(lambda u, v, w: [u[0] * v[0] + w[0], sum(u + w)], [1, 2], (10, 20), [3, 4]) == [13, 10]
    assert tree_map(list, {}) == {}


def test_tree_map_goes_through_the_vectors_once_in_order():
    """So that function may take numbers from a generator."""
    seen = []
    tree_map(lambda u: seen.append(u) or u, [[1, 2, 3], [4, 5, 6]])
    assert seen == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: random_vector(rng, 4),
        lambda rng: random_matrix(rng, 2, 2),
        lambda rng: glorot_uniform(rng, 2, 2),
    ],
)
def test_only_the_generator_that_is_given_moves(draw):
    random.seed(5)
    before = random.getstate()
    draw(random.Random(42))
    assert random.getstate() == before


def test_a_32_bit_float_has_24_binary_digits():
    """Between 1 and 2 neighbours are 2^-23 apart; a number in the middle goes to the even one."""
    step = 2.0**-23
    given = [1 + 0.4 * step, 1 + 0.6 * step, 1 + 0.5 * step, 1 + 1.5 * step, -1 - 0.6 * step, 0.0]
    assert single_precision(given) == [1.0, 1 + step, 1.0, 1 + 2 * step, -1 - step, 0.0]
