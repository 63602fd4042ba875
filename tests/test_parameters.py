"""Parameters: the draws are those of the stream that was given, in the order that was promised."""

import inspect
import math
import random
import statistics
import struct

import pytest
from tables import holds, leaves_alone, true_of

from helpers import parameters
from helpers.parameters import (
    count_parameters,
    glorot_uniform,
    random_matrix,
    random_vector,
    single_precision,
    tree_map,
)


def drawn_by_hand(seed, how_many, sigma=0.1):
    """The first numbers of a stream, as the standard library gives them."""
    rng = random.Random(seed)
    return [rng.gauss(0, sigma) for _ in range(how_many)]


def column_by_column(rng, rows, columns, sigma=0.1):
    drawn = [[rng.gauss(0, sigma) for _ in range(rows)] for _ in range(columns)]
    return [list(row) for row in zip(*drawn)]


def spread_evenly(rng, n, sigma=0.1):
    return [rng.uniform(-sigma, sigma) for _ in range(n)]


@true_of(
    random_vector,
    not_of={
        "spread evenly": spread_evenly,
        "sigma taken as variance": lambda rng, n, sigma=0.1: random_vector(rng, n, sigma**0.5),
        "sigma fixed": lambda rng, n, sigma=0.1: random_vector(rng, n),
        "another normal generator": lambda rng, n, sigma=0.1: [rng.normalvariate(0, sigma) for _ in range(n)],
        "the module's own stream": lambda rng, n, sigma=0.1: [random.gauss(0, sigma) for _ in range(n)],
        "backwards": lambda rng, n, sigma=0.1: random_vector(rng, n, sigma)[::-1],
        "one draw thrown away": lambda rng, n, sigma=0.1: random_vector(rng, n + 1, sigma)[1:],
    },
)
def test_a_vector_is_the_next_draws_of_the_stream(random_vector):
    assert random_vector(random.Random(42), 3) == drawn_by_hand(42, 3)
    assert random_vector(random.Random(7), 5, 0.02) == drawn_by_hand(7, 5, 0.02)
    rng = random.Random(42)
    assert random_vector(rng, 2) + random_vector(rng, 1) + [rng.gauss(0, 0.1)] == drawn_by_hand(42, 4)


@true_of(
    random_vector,
    not_of={
        "sigma 0 means the usual one": lambda rng, n, sigma=0.1: random_vector(rng, n, sigma or 0.1),
        "sigma 0 refused": lambda rng, n, sigma=0.1: random_vector(rng, n, sigma or None),
        "nothing drawn for sigma 0": lambda rng, n, sigma=0.1: (
            random_vector(rng, n, sigma) if sigma else [0.0] * n
        ),
    },
)
def test_sigma_0_gives_zeros_and_moves_the_stream_all_the_same(random_vector):
    rng = random.Random(42)
    assert random_vector(rng, 3, 0) == [0, 0, 0]
    assert rng.gauss(0, 0.1) == drawn_by_hand(42, 4)[3]


def test_the_first_draw_of_seed_42():
    assert round(random_vector(random.Random(42), 1)[0], 4) == -0.0144


@true_of(
    random_vector,
    not_of={
        "spread evenly": spread_evenly,
        "around 0.05": lambda rng, n: [x + 0.05 for x in random_vector(rng, n)],
        "tails cut off": lambda rng, n: [max(-0.2, min(0.2, x)) for x in random_vector(rng, n)],
    },
)
def test_the_draws_are_normal(random_vector):
    """Of a normal distribution 68.3 % lie within one sigma, 95.4 % within two, 99.7 % within three."""
    drawn = random_vector(random.Random(1), 20_000)
    assert abs(statistics.fmean(drawn)) < 0.003
    assert abs(statistics.pstdev(drawn) - 0.1) < 0.003
    for sigmas, share in (1, 0.683), (2, 0.954), (3, 0.997):
        assert abs(sum(abs(x) <= 0.1 * sigmas for x in drawn) / 20_000 - share) < 0.01
    assert max(drawn) > 0.3 and min(drawn) < -0.3


@true_of(
    random_matrix,
    not_of={
        "column by column": column_by_column,
        "rows and columns swapped": lambda rng, rows, columns, *sigma: random_matrix(
            rng, columns, rows, *sigma
        ),
        "one row for all": lambda rng, rows, columns, sigma=0.1: [random_vector(rng, columns, sigma)] * rows,
        "sigma forgotten": lambda rng, rows, columns, sigma=0.1: random_matrix(rng, rows, columns),
    },
)
def test_a_matrix_is_drawn_row_by_row(random_matrix):
    x = drawn_by_hand(42, 6)
    assert random_matrix(random.Random(42), 2, 3) == [x[:3], x[3:]]
    assert random_matrix(random.Random(42), 3, 2) == [x[:2], x[2:4], x[4:]]
    assert random_matrix(random.Random(42), 1, 1) == [x[:1]]
    assert random_matrix(random.Random(42), 6, 1, 0.5) == [[y] for y in drawn_by_hand(42, 6, 0.5)]


def drawn_evenly(limit, order=lambda rows: rows):
    """Glorot's draw with another limit, a function of rows and columns, or in another order."""

    def draw(rng, rows, columns):
        end = limit(rows, columns)
        return order([[rng.uniform(-end, end) for _ in range(columns)] for _ in range(rows)])

    return draw


def glorot_limit(rows, columns):
    return math.sqrt(6 / (rows + columns))


def glorot_by_columns(rng, rows, columns):
    end = glorot_limit(rows, columns)
    drawn = [[rng.uniform(-end, end) for _ in range(rows)] for _ in range(columns)]
    return [list(row) for row in zip(*drawn)]


@true_of(
    glorot_uniform,
    not_of={
        "rows only": drawn_evenly(lambda m, n: math.sqrt(6 / (2 * m))),
        "columns only": drawn_evenly(lambda m, n: math.sqrt(6 / (2 * n))),
        "the variance for the limit": drawn_evenly(lambda m, n: 2 / (m + n)),
        "the spread for the limit": drawn_evenly(lambda m, n: math.sqrt(2 / (m + n))),
        "no root": drawn_evenly(lambda m, n: 6 / (m + n)),
        "column by column": glorot_by_columns,
        "rows and columns swapped": lambda rng, m, n: glorot_uniform(rng, n, m),
        "last row first": drawn_evenly(glorot_limit, order=lambda rows: rows[::-1]),
        "normal": lambda rng, m, n: random_matrix(rng, m, n, math.sqrt(2 / (m + n))),
        "above 0 only": lambda rng, m, n: [[abs(w) for w in row] for row in glorot_uniform(rng, m, n)],
        "the module's own stream": lambda rng, m, n: [
            [random.uniform(-1, 1) for _ in range(n)] for _ in range(m)
        ],
    },
)
def test_glorot_draws_evenly_up_to_its_limit_row_by_row(glorot_uniform):
    # 6 / (2 + 4) is 1, 6 / (4 + 20) is 1/4, 6 / (1 + 5) is 1
    for rows, columns, limit in (2, 4, 1), (4, 20, 0.5), (20, 4, 0.5), (1, 5, 1):
        rng = random.Random(7)
        by_hand = [[rng.uniform(-limit, limit) for _ in range(columns)] for _ in range(rows)]
        assert glorot_uniform(random.Random(7), rows, columns) == by_hand
    rng, again = random.Random(8), random.Random(8)
    glorot_uniform(rng, 2, 3)
    assert rng.random() == [again.random() for _ in range(7)][6]


@true_of(
    glorot_uniform,
    not_of={
        "normal": lambda rng, m, n: random_matrix(rng, m, n, math.sqrt(2 / (m + n))),
        "the spread for the limit": drawn_evenly(lambda m, n: math.sqrt(2 / (m + n))),
        "the two ends only": lambda rng, m, n: [
            [rng.choice([-0.5, 0.5]) for _ in range(n)] for _ in range(m)
        ],
    },
)
def test_glorot_s_draws_are_even(glorot_uniform):
    """Half of them lie in the inner half, and their variance is 2 / (rows + columns)."""
    drawn = [w for seed in range(100) for row in glorot_uniform(random.Random(seed), 4, 20) for w in row]
    assert max(map(abs, drawn)) <= 0.5 and max(drawn) > 0.49 and min(drawn) < -0.49
    assert abs(statistics.fmean(drawn)) < 0.01
    assert abs(statistics.pstdev(drawn) - math.sqrt(2 / 24)) < 0.005
    assert abs(sum(abs(w) < 0.25 for w in drawn) / len(drawn) - 0.5) < 0.02


def top_level_only(parameters):
    return sum(len(entry) for entry in parameters.values())


def first_row_times_rows(parameters):
    """Trusts every row to be as long as the first."""
    if isinstance(parameters, dict):
        return sum(map(first_row_times_rows, parameters.values()))
    if isinstance(parameters, (list, tuple)):
        return len(parameters) * first_row_times_rows(parameters[0]) if parameters else 0
    return 1


@true_of(
    count_parameters,
    not_of={
        "lengths of the outer lists": top_level_only,
        "first row times rows": first_row_times_rows,
        "the numbers themselves": lambda p: p["step"] if "step" in p else count_parameters(p),
    },
)
def test_count_parameters_by_hand(count_parameters):
    assert count_parameters({"W": [[1, 2, 3], [4, 5, 6]], "b": [7, 8]}) == 8
    assert count_parameters({"W_Q": [[[1, 2]], [[3, 4]]], "step": 5}) == 5
    assert count_parameters([[1], [2, 3], []]) == 3
    assert count_parameters({"gpt": {"blocks": [{"b": (0.5, 0.5)}, {"b": (0.5,)}]}}) == 3
    assert count_parameters({"gamma": [0, 0.0], "step": 0}) == 3
    assert count_parameters({}) == 0
    assert count_parameters(2.5) == 1


def test_what_is_counted_is_not_changed():
    leaves_alone(count_parameters, [{"W": [[1, 2], [3, 4]], "b": [5]}])
    assert not holds(lambda count: leaves_alone(count, [{"b": [5]}]), lambda p: len(p.pop("b")))


# --- tree_map


def mapped(function, *nests):
    """tree_map without a check, as short as it gets."""
    if isinstance(nests[0], dict):
        return {name: mapped(function, *(nest[name] for nest in nests)) for name in nests[0]}
    if isinstance(nests[0][0], list):
        return [mapped(function, *rows) for rows in zip(*nests)]
    return function(*nests)


def sorted_by_name(nest):
    return {name: sorted_by_name(nest[name]) for name in sorted(nest)} if isinstance(nest, dict) else nest


def in_their_own_order(function, *nests):
    """Takes the second nest's names as they come."""
    if isinstance(nests[0], dict):
        return {
            n: in_their_own_order(function, *x) for n, *x in zip(nests[0], *(nest.values() for nest in nests))
        }
    return mapped(function, *nests)


def number_by_number(function, *nests):
    """tree_map with a function of numbers made into one of vectors: which is not what it takes."""
    return tree_map(lambda *vectors: [function(*numbers) for numbers in zip(*vectors)], *nests)


def thousands(u, v):
    return [1000 * a + b for a, b in zip(u, v)]


@true_of(
    tree_map,
    not_of={
        "arguments the other way round": lambda f, *nests: tree_map(lambda *x: f(*x[::-1]), *nests),
        "the first nest twice": lambda f, first, *others: tree_map(f, first, *[first] * len(others)),
        "names in their own order": in_their_own_order,
        "names sorted": lambda f, *nests: sorted_by_name(tree_map(f, *nests)),
        "one list": lambda f, *nests: {name: f([1], [1]) for name in nests[0]},
        "the function of numbers": number_by_number,
        "the function of whole matrices": lambda f, *nests: {
            n: f(*(nest[n] for nest in nests)) for n in nests[0]
        },
        "tuples": lambda f, *nests: {n: tuple(x) for n, x in tree_map(f, *nests).items()},
    },
)
def test_tree_map_by_hand(tree_map):
    A = {"inner": {"c": [8, 9]}, "W": [[1, 2], [3, 4]], "b": [5], "nothing": {}, "heads": [[[6]], [[7]]]}
    B = {
        "nothing": {},
        "inner": {"c": [1, 2]},
        "heads": [[[30]], [[40]]],
        "b": [500],
        "W": [[10, 20], [30, 40]],
    }
    result = tree_map(thousands, A, B)
    assert result == {
        "W": [[1010, 2020], [3030, 4040]],
        "b": [5500],
        "heads": [[[6030]], [[7040]]],
        "inner": {"c": [8001, 9002]},
        "nothing": {},
    }
    assert list(result) == list(A)


@true_of(
    tree_map,
    not_of={
        "two nests only": lambda f, first, *others: tree_map(f, *(first, *others)[:2]),
        "dicts only": lambda f, *nests: {
            name: tree_map(f, *(nest[name] for nest in nests)) for name in nests[0]
        },
        "the function of numbers": number_by_number,
    },
)
def test_tree_map_takes_any_number_of_nests_and_bare_lists(tree_map):
    def added(*vectors):
        return [sum(column) for column in zip(*vectors)]

    assert tree_map(added, {"b": [1, 2]}) == {"b": [1, 2]}
    assert tree_map(added, *[{"b": [1, 2]}] * 4) == {"b": [4, 8]}
    assert tree_map(lambda u: [-a for a in u], [[1, 2], [3, 4]]) == [[-1, -2], [-3, -4]]
    assert tree_map(lambda u, v, w: [u[0] * v[0] + w[0], sum(u + w)], [1, 2], (10, 20), [3, 4]) == [13, 10]
    assert tree_map(list, {}) == {}


@true_of(
    tree_map,
    not_of={
        "columns first": lambda f, W: [
            list(row) for row in zip(*tree_map(f, [list(column) for column in zip(*W)]))
        ],
        "backwards": lambda f, W: [*tree_map(f, W[::-1])][::-1],
        "each twice": lambda f, W: tree_map(f, W) and tree_map(f, W),
        "the function of numbers": number_by_number,
    },
)
def test_tree_map_goes_through_the_vectors_once_in_order(tree_map):
    """So that a function that draws from a stream is as good as any."""
    seen = []
    tree_map(lambda u: seen.append(u) or u, [[1, 2, 3], [4, 5, 6]])
    assert seen == [[1, 2, 3], [4, 5, 6]]


def test_what_is_mapped_is_not_changed_and_not_handed_on():
    A, B = {"W": [[1, 2], [3, 4]], "b": [5]}, {"W": [[10, 20], [30, 40]], "b": [50]}
    leaves_alone(tree_map, [thousands, A, B])
    result = tree_map(lambda u, v: list(u), A, B)
    assert result == A and result is not A
    assert not {*map(id, [*A.values(), *A["W"]])} & {*map(id, [*result.values(), *result["W"]])}
    with_bare_lists = [list, [[1, 2], [3, 4]]]
    leaves_alone(tree_map, with_bare_lists)
    assert not holds(
        lambda tree_map: leaves_alone(tree_map, with_bare_lists), lambda f, W: [W[0], *tree_map(f, W[1:])]
    )


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: random_vector(rng, 4),
        lambda rng: random_matrix(rng, 2, 2),
        lambda rng: glorot_uniform(rng, 2, 2),
    ],
)
def test_only_the_stream_that_was_given_moves(draw):
    random.seed(5)
    before = random.getstate()
    draw(random.Random(42))
    assert random.getstate() == before


def in_16_bits(p):
    return [struct.unpack("<e", struct.pack("<e", x))[0] for x in p]


def cut_off(p):
    return [math.copysign(math.floor(abs(x) * 2**23) / 2**23, x) for x in p]


@true_of(
    single_precision, not_of={"nothing is rounded": list, "half precision": in_16_bits, "cut off": cut_off}
)
def test_a_32_bit_float_has_24_binary_digits(single_precision):
    """Between 1 and 2 neighbours are 2^-23 apart; a number in the middle goes to the even one."""
    step = 2.0**-23
    given = [1 + 0.4 * step, 1 + 0.6 * step, 1 + 0.5 * step, 1 + 1.5 * step, -1 - 0.6 * step, 0.0]
    assert single_precision(given) == [1.0, 1 + step, 1.0, 1 + 2 * step, -1 - step, 0.0]


def test_an_error_in_the_last_bits_is_gone_after_rounding_to_32_bits():
    """What lesson 16 needs: all but a few of such numbers are the same afterwards."""
    rng = random.Random(1)
    numbers = [rng.gauss(0, 0.5) for _ in range(10_000)]
    noisy = [x * (1 + rng.choice((-4, 4)) * 2.0**-52) for x in numbers]
    assert sum(a == b for a, b in zip(numbers, noisy)) < 100
    assert single_precision(numbers) == single_precision(noisy)


def test_every_function_of_the_module_is_tested_here():
    own = {
        f
        for f, g in inspect.getmembers(parameters, inspect.isfunction)
        if g.__module__ == parameters.__name__
    }
    assert own == {
        "random_vector",
        "random_matrix",
        "glorot_uniform",
        "count_parameters",
        "single_precision",
        "tree_map",
    }
