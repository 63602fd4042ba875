"""What the judge tells a reader: right or wrong, where, which mistake it was, and never the answer."""

import copy
import functools
import math
import statistics
import sys
import time
from types import SimpleNamespace

import pytest
from tables import numbers_in

import helpers
from helpers.course.exercises import EXERCISES, Exercises
from helpers.course.exercises import judge as judging
from helpers.course.exercises.exercise import Exercise, Shown, from_source
from helpers.course.exercises.grade import grade
from helpers.course.exercises.judge import judge

INF = math.inf


def doubled(rows):
    return [[2 * x for x in row] for row in rows]


def plus_one(rows):
    return [[2 * x + 1 for x in row] for row in rows]


INPUTS = [[[[1, 2], [3, 4]]], [[[0.5, 0.25]]], [[[1e-6, 0.0]]], [[[1.5] * 16] * 20], [[]]]
OWN = {
    "99.1": Exercise(doubled, copy.deepcopy(INPUTS)),
    "99.2": Exercise(lambda x: [[31337, 0.0625], [x, x]], [[5], [7]], example=False),
    "99.3": Exercise(lambda x: ["secret", True], [[5]]),
    "99.4": Exercise(lambda T: [[0.0, -INF], [0.0, 0.0]], [[2]]),
    "99.5": Exercise(lambda x: x > 2, [[1], [3]], {"everything is large": lambda x: True}),
    "99.6": Exercise(
        doubled, copy.deepcopy(INPUTS[:2]), {"1 is added": ("2 * x", "2 * x + 1")}, example=False
    ),
    "99.7": Exercise(
        lambda f, x: f(x), [[math.cos, 1.0], [Shown("layer", abs), -2.0], [from_source("lambda x: x + 1"), 1]]
    ),
    "99.8": Exercise(lambda x: (x, [1e6 * x]), [[0.5]], parts=("d_x", "d_W")),
    "99.9": Exercise(lambda x: 2 * x, [[4]]),
    "99.10": Exercise(lambda x: "left", [[4]], choices=("left", "right")),
    "99.11": Exercise(lambda x: None if x > 4 else [x, 0], [[4], [5]]),
    "99.12": Exercise(lambda x: x / 7, [[1]]),
    "99.13": Exercise(lambda x: {(x,): x / 7}, [[1], [2]]),
    "99.14": Exercise(lambda x: (x / 7, {"W": [x / 7], "b": [1.0]}), [[1]], parts=("loss", "gradients")),
    "99.15": Exercise(lambda x: (x, x), [[1], [2]], returns=tuple),
    "99.a": Exercise(lambda x: 2 * x, [[3.0]], tolerance=1e-6, answer_may_be_told=True),
    "99.b": Exercise(lambda x: [[2 * x]], [[3.0]], wants_formula_for=("doubled",)),
    "03.99": Exercise(doubled, copy.deepcopy(INPUTS)),
}


class WithOwn(Exercises):
    def __getitem__(self, number):
        return OWN[number] if number in OWN else super().__getitem__(number)


@pytest.fixture(autouse=True)
def exercises_of_our_own(monkeypatch, tmp_path):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))  # what passes is noted there
    monkeypatch.setattr(judging, "EXERCISES", WithOwn())
    monkeypatch.setattr(sys.modules[grade.__module__], "EXERCISES", WithOwn())


def said(number, function):
    return judge(number, function).text


# --- verdicts


def stub(rows): ...


def documented_stub(rows: list, factor: int = 2, *more, flag=False, **options) -> list:
    """Double every entry.

    Two lines and a number, 80."""
    ...


def stub_with_pass(rows):
    pass


@pytest.mark.parametrize("function", [stub, documented_stub, stub_with_pass])
def test_an_untouched_stub_is_not_tried(function):
    assert judge("99.1", function) == ("Exercise 99.1", "not tried", "not tried yet", None)


class Doubler:
    def of(self, rows):
        return doubled(rows)

    def __call__(self, rows):
        return doubled(rows)


def two_arguments(rows, factor):
    return doubled(rows)


@pytest.mark.parametrize(
    "function", [doubled, Doubler().of, Doubler(), functools.partial(two_arguments, factor=2)]
)
def test_a_right_function_of_any_kind_passes(function):
    assert judge("99.1", function) == ("Exercise 99.1", "passed", "passed, 5 of 5 inputs", None)


@pytest.mark.parametrize("given", [[[1.0, 0.5]], None])
def test_a_result_in_place_of_the_function_is_not_judged(given):
    asked = "give the function itself, its name without brackets, not"
    assert judge("99.1", given) == ("Exercise 99.1", "look", f"{asked} {given}", None)


def test_where_the_text_asks_for_a_tuple_a_list_is_wrong():
    assert judge("99.15", lambda x: (x, x)).kind == "passed"
    assert said("99.15", lambda x: [x, x]).splitlines()[-1] == "It returned a list; return a tuple."
    assert said("99.15", lambda x: "ab").splitlines()[-1] == "It returned a str; return a tuple."


def documented_constant(rows):
    """It has the instructions of a stub with a docstring."""
    return 80


def without_return(rows):
    doubled(rows)


def one_wrong(rows):
    result = doubled(rows)
    result[-1][0] += 1
    return result


def in_place(rows):
    rows[:] = doubled(rows)
    return rows


WRONG = [
    # the reader's function, what is said after the call
    (one_wrong, "1 of 4 numbers is wrong, at [1][0]: yours is 7, expected 6."),
    (plus_one, "4 of 4 numbers are wrong, the first at [0][0]: yours is 3, expected 2."),
    (
        lambda rows: [[2 * x + 1e-8 for x in row] for row in rows],
        "4 of 4 numbers are wrong, the first at [0][0]: yours is 2.00000001, expected 2.",
    ),
    (
        lambda rows: [[str(2 * x) for x in row] for row in rows],
        "the first at [0][0]: yours is '2', which is a string; it should be a number.",
    ),
    (
        lambda rows: [[True] * 2] * 2,
        "the first at [0][0]: yours is True, which is a truth value; it should be a number.",
    ),
    (lambda rows: [None, [6, 8]], "Entry [0] of the result is None, expected a list of 2."),
    (lambda rows: doubled(rows[:1]), "The result is a list of 1, expected a list of 2; yours is [[2, 4]]."),
    (
        lambda rows: [[*row, 0] for row in doubled(rows)],
        "Entry [0] of the result is a list of 3, expected a list of 2; yours is [2, 4, 0].",
    ),
    (
        lambda rows: (row for row in rows),
        "The result is a generator, expected a list of 2; put list(...) around it.",
    ),
    (documented_constant, "The result is a number, expected a list of 2; yours is 80."),
    (lambda rows: (1, 2, 3), "The result is a tuple of 3, expected a list of 2; yours is (1, 2, 3)."),
    (without_return, "It returned None on this input; does it end with return?"),
    (lambda rows: doubled(rows) if len(rows) > 100 else None, "It returned None on this input."),
    (in_place, "It changed rows, which it was given; build a new list instead."),
]


@pytest.mark.parametrize("function, sentence", WRONG, ids=[sentence for _, sentence in WRONG])
def test_the_judge_says_where_a_result_is_wrong(function, sentence):
    """Twice: no verdict spoils an input."""
    name = getattr(function, "__name__", "<lambda>").replace("<lambda>", "your_function")
    begins = "wrong on input 1 of 5, the example in the text:\n    "
    for _ in range(2):
        title, kind, said, arguments = judge("99.1", function)
        assert kind == "wrong" and arguments == INPUTS[0] == OWN["99.1"].inputs[0]
        assert title == "Exercise 99.1" and said.endswith(sentence)
        assert said.startswith(f"{begins}{name}([[1, 2], [3, 4]])\n")


def test_the_right_value_is_told_for_the_example_only():
    def whole_numbers_only(rows):
        return [[2 * int(x) for x in row] for row in rows]

    wrong = "wrong on input 2 of 5:\n    whole_numbers_only([[0.5, 0.25]])\n"
    sentence = "2 of 2 numbers are wrong, the first at [0][0]: yours is 0."
    assert said("99.1", whole_numbers_only) == f"Exercise 99.1: {wrong}{sentence}"


def test_grade_prints_the_verdict(capsys):
    for function in (stub, doubled, plus_one):
        assert grade("99.1", function) is None
        assert capsys.readouterr().out == judge("99.1", function).text + "\n"


def test_what_an_answer_prints_is_no_verdict(capsys):
    def right_and_talks(rows):
        print("Exercise 99.1: wrong")
        return doubled(rows)

    def wrong_and_talks(rows):
        print("Exercise 99.1: passed, 5 of 5 inputs")
        return plus_one(rows)

    assert judge("99.1", right_and_talks).kind == "passed"
    assert judge("99.1", wrong_and_talks).kind == "wrong"
    capsys.readouterr()
    judge("99.6", wrong_and_talks)
    assert capsys.readouterr().out.count("passed") == 1  # the search for the mistake repeats no print


def test_a_stopped_function_gets_one_sentence(monkeypatch):
    def stops(rows):
        raise KeyboardInterrupt

    clock = iter([100.0, 112.4])
    monkeypatch.setattr(judging, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    words = "stopped. Your function ran for 12 s; look for a loop that never ends."
    assert judge("99.1", stops) == ("Exercise 99.1", "stopped", words, None)


def test_an_exception_is_told_with_the_line_of_the_reader_s_function():
    """Where the text of the line is at hand it is shown; a cell's is, in Jupyter."""

    def complains_at_length(rows):
        raise ValueError("not\n  like this")

    line = '(line 2 of your function: raise ValueError("not\\n  like this")).'
    assert said("99.1", complains_at_length).endswith(f"It raised ValueError: not like this {line}")
    namespace = {}
    exec(compile("def third(rows):\n    rows = list(rows)\n    return rows[99]", "<cell>", "exec"), namespace)
    assert said("99.1", namespace["third"]).endswith("list index out of range (line 3 of your function).")


def test_a_function_that_calls_itself_for_ever_or_takes_other_arguments_is_told_so():
    def calls_itself(rows):
        return calls_itself(rows)

    assert "It raised RecursionError: maximum recursion" in said("99.1", calls_itself)
    assert "It raised TypeError: two_arguments() missing 1 required" in said("99.1", two_arguments)


def test_functions_of_python_itself_are_run():
    """They have no source that could be a stub's, and no line to name."""
    assert "yours is 2." in said("99.1", len)
    assert "4 of 4 numbers are wrong" in said("99.1", sorted)
    assert "It raised TypeError: " in said("99.1", sum)


@pytest.mark.parametrize("name", ["matmul", "math"])  # lesson 03 imports math in its first cells
def test_in_a_fresh_kernel_the_cells_above_are_asked_for(name):
    """A right answer is never wrong: its name is missing, not the reader's fault."""
    namespace = {}
    exec(f"def f(rows):\n    return {name}(1)", namespace)
    _, kind, text, _ = judge("03.99", namespace["f"])
    assert kind == "look" and "cannot be judged on input 1" in text
    assert text.endswith(f"\nRun the cells above first ({name} is not defined).")


def test_another_missing_name_is_for_a_teacher_to_look_at():
    namespace = {}
    exec("def f(scores):\n    return scroes\ndef g(scores):\n    import numpi", namespace)
    _, kind, text, _ = judge("03.99", namespace["f"])
    assert kind == "look" and "It raised NameError: name 'scroes' is not defined (line 2" in text
    assert judge("03.99", namespace["g"]).kind == "look"
    exec("def h(rows):\n    total += 1", namespace)  # a local variable that is not set is a mistake
    assert judge("03.99", namespace["h"]).kind == "wrong"


def holds_itself(rows):
    rows = list(rows)
    rows.append(rows)
    return rows


def changed_to_hold_itself(rows):
    rows.append(rows)
    return rows


class Unprintable:
    def __repr__(self):
        raise RuntimeError


class Incomparable(list):
    def __len__(self):
        raise RuntimeError


class Wordless(Exception):
    __str__ = Unprintable.__repr__


def leaves_python(rows):
    sys.exit()


def raises_wordless(rows):
    raise Wordless


@pytest.mark.parametrize(
    "function, text",
    [
        (holds_itself, "expected a list of 2; yours is [[1, 2], [3, 4], [[1, 2], [3, 4], [...]]]."),
        (changed_to_hold_itself, "It changed rows, which it was given; build a new list instead."),
        (
            lambda rows: [[10**6000] * 2] * 2,
            "the first at [0][0]: yours is an int that cannot be printed, expected 2.",
        ),
        (lambda rows: 10**6000, "expected a list of 2; yours is an int that cannot be printed."),
        (lambda rows: Unprintable(), "yours is an Unprintable that cannot be printed."),
        (lambda rows: [[Unprintable()] * 2] * 2, "an Unprintable; it should be a number."),
        (leaves_python, "It raised SystemExit (line 2 of your function: sys.exit())."),
        (raises_wordless, "It raised Wordless (line 2 of your function: raise Wordless)."),
    ],
)
def test_a_hostile_result_gets_a_sentence(function, text):
    verdict = judge("99.1", function)
    assert verdict.kind == "wrong" and verdict.text.endswith(text)


def test_a_long_result_is_told_at_once():
    """Of a million numbers the beginning is shown: a second and a half went into all of them."""
    longest, started = [0.1] * 1_000_000, time.process_time()
    assert "yours is [0.1, 0.1, 0.1," in judge("99.1", lambda rows: longest).text
    assert time.process_time() - started < 0.5


def test_a_result_that_cannot_be_compared_is_not_called_wrong():
    verdict = judge("99.3", lambda x: Incomparable())
    assert verdict.kind == "look" and verdict.text.endswith("cannot be compared: that raised RuntimeError.")


def test_scalars_labels_and_truth_values_are_spelled_out():
    assert "\nYours: 2.64, expected 8." in said("99.9", lambda x: 2.64)
    assert "\nYou said True." in said("99.5", lambda x: x < 100)
    assert "\nYou said 'right'." in said("99.10", lambda x: "right")
    assert "\nYou said 'up', which is none of these: left, right." in said("99.10", lambda x: "up")
    assert "You said '80', which is a string; it should be a number." in said("99.9", lambda x: str(20 * x))
    assert "1, which is a number; it should be True or False." in said("99.5", lambda x: 1)


def test_none_passes_where_it_is_the_answer():
    assert "passed, 2 of 2" in said("99.11", lambda x: None if x > 4 else [x, 0])
    assert "wrong on input 1" in said("99.11", without_return)
    assert "wrong on input 2" in said("99.11", lambda x: [x, 0])
    assert "\nThe result is a list of 2, expected None; yours is [5, 0]." in said("99.11", lambda x: [x, 0])


def test_a_letter_is_your_turn_and_what_finite_differences_give_is_told():
    assert said("99.a", stub) == "Your turn 99.a: not tried yet"
    assert said("99.a", lambda x: 2 * x) == "Your turn 99.a: passed, 1 of 1 inputs"
    assert "Yours: 3, finite differences give 6." in said("99.a", lambda x: x)


def test_finite_differences_in_place_of_a_formula_pass_and_are_named():
    def measured(x):
        return [[(doubled([[x + 1]])[0][0] - doubled([[x - 1]])[0][0]) * x / 2]]

    before = doubled
    passed = "Your turn 99.b: passed, 1 of 1 inputs"
    assert said("99.b", measured).startswith(f"{passed}\nIt uses finite differences, as the grader does")
    assert doubled is before
    for formula in (lambda x: [[2 * x]], lambda x: doubled([[x]])):
        assert said("99.b", formula) == passed
    failed = said("99.b", lambda x: [[measured(x)[0][0] + 1]])
    assert failed.endswith("\nIt uses finite differences, which are not exact; the derivative has a formula.")


def test_tensors_are_named_and_each_is_held_to_its_own_size():
    assert "passed" in said("99.8", lambda x: [x, [1e6 * x]])
    nearly = said("99.8", lambda x: (0.51, [1e6 * x]))  # 1e-8 of the other one
    assert "at d_x: yours is 0.51, expected 0.5." in nearly
    assert "at d_W[0]: yours is 7, expected 500000." in said("99.8", lambda x: (x, [7]))
    assert "d_W is a list of 2, expected a list of 1" in said("99.8", lambda x: (x, [7, 7]))


def test_a_dict_of_the_example_is_told_and_no_other_one():
    assert "\nYours: {(1,): 2}, expected {(1,): 0.142857142857142" in said("99.13", lambda x: {(x,): 2})
    assert "\nYours: {(2,): 0}." in said("99.13", lambda x: {(x,): x / 7 if x == 1 else 0})


def test_tensors_in_a_dict_are_compared_number_by_number():
    rounded = 1 / 7 * (1 + 1e-12)
    assert "passed" in said("99.14", lambda x: (rounded, {"b": [1.0], "W": [rounded]}))
    wrong = said("99.14", lambda x: (1 / 7, {"W": [x / 7], "b": [2.0]}))
    assert "1 of 3 numbers is wrong, at gradients['b'][0]: yours is 2, expected 1." in wrong
    wrong = said("99.14", lambda x: (1 / 7, {"W": [1.0], "b": [9.0]}))
    assert (
        "2 of 3 numbers are wrong, the largest deviation at gradients['b'][0]: yours is 9, expected 1."
        in wrong
    )
    assert "at gradients['W'][0]: yours is nan" in said(
        "99.14", lambda x: (1 / 7, {"W": [math.nan], "b": [9.0]})
    )
    assert "the first at loss: yours is 3" in said("99.14", lambda x: (3.0, {"W": [1.0], "b": [9.0]}))
    assert "\ngradients['b'] is None, expected a list of 1." in said(
        "99.14", lambda x: (1 / 7, {"W": [x / 7]})
    )


# --- the reader's mistake


def named(number, function):
    lines = said(number, function).splitlines()
    return [line for line in lines if line.startswith("That is what happens if ")]


def test_a_known_mistake_is_named_and_another_is_not():
    assert named("99.6", plus_one) == ["That is what happens if 1 is added."]
    assert named("99.6", one_wrong) == []
    assert named("99.5", lambda x: True) == ["That is what happens if everything is large."]
    # the same label on the failing input, but not on the others: another mistake
    assert named("99.5", lambda x: x < 2) == []


def by_rows(A, B):
    return [[helpers.dot.__wrapped__(row, other) for other in B] for row in A]


def by_index(A, B):
    return [[sum(A[i][k] * B[j][k] for k in range(len(B))) for j in range(len(B[0]))] for i in range(len(A))]


IN_OUT = (
    "W_Q and W_K are taken as [in][out]; they are already [out][in], so use `linear` and transpose neither"
)


def scores_by(product, turned, bare=False):
    """Attention scores with a product of the helpers, bare as a lesson shows it, and a matrix before it."""

    def scores(X, W_Q, W_K):
        times = getattr(helpers, product)
        times = times.__wrapped__ if bare else times
        return helpers.matmul(times(X, turned(W_Q)), helpers.transpose(times(X, turned(W_K))))

    return scores


def unscale_by_in(scaled, loss_scale, good, patience):
    if math.inf in scaled or -math.inf in scaled or math.nan in scaled:
        return None, loss_scale / 2, 0
    doubled = good + 1 == patience
    return [d / loss_scale for d in scaled], loss_scale * (1 + doubled), 0 if doubled else good + 1


LIKELY = [
    # written as a reader would: it stops with an error on inputs that do not fit the slip
    ("01.c", by_index, "rows of A are multiplied by rows of B, and not by columns"),
    (
        "01.d",
        lambda tokens, E_token, E_pos: helpers.add([E_token[t] for t in tokens], [E_pos[t] for t in tokens]),
        "E_pos is looked up with the token id, and not with the position",
    ),
    (
        "02.b",
        lambda X, W_Q, W_K: helpers.matmul(helpers.linear(X, W_Q), helpers.linear(X, W_K)),
        "the keys are not transposed",
    ),
    ("02.b", scores_by("linear", helpers.transpose), IN_OUT),
    ("02.b", scores_by("linear", helpers.transpose, bare=True), IN_OUT),
    ("02.b", scores_by("matmul", lambda W: W), IN_OUT),
    (
        "19.g",
        unscale_by_in,
        "nan counts as a good gradient; `in` and == do not find it, because nan is not equal to nan",
    ),
]


def guarded_swiglu(X, W_gate, W_up, W_down):
    gates, ups = helpers.linear(X, W_gate), helpers.linear(X, W_up)
    silu = [[g / (1 + math.exp(min(-g, 700))) for g in row] for row in gates]  # not exactly 0 for a low g
    return helpers.linear([[g * u for g, u in zip(*rows)] for rows in zip(silu, ups)], W_down)


def product_by_dot(codes, scales, x):
    scale = max(map(abs, x)) / 127 or 1.0
    codes_x = [round(number / scale) for number in x]
    return [helpers.dot(row, codes_x) * scale * s for row, s in zip(codes, scales)]


def advantages_with_a_guard(rewards):
    deviation = statistics.pstdev(rewards)
    return [(r - statistics.fmean(rewards)) / deviation if deviation else 0.0 for r in rewards]


def silu_by_exp(x):
    return x / (1 + math.exp(-x)) if x > 0 else x * math.exp(x) / (1 + math.exp(x))


@pytest.mark.parametrize(
    "number, function",
    [
        ("06.d", silu_by_exp),
        ("18.b", guarded_swiglu),
        ("19.c", product_by_dot),
        ("22.e", advantages_with_a_guard),
    ],
)
def test_another_right_way_passes(number, function):
    assert judge(number, function).kind == "passed"


@pytest.mark.parametrize("number, function, cause", LIKELY)
def test_a_mistake_is_known_even_where_it_cannot_go_on(number, function, cause):
    assert named(number, function) == [f"That is what happens if {cause}."]


def first_list(value):
    """The first list of numbers in nested lists; None if there is none."""
    if not isinstance(value, list) or not value:
        return None
    return value if isinstance(value[0], (int, float)) else first_list(value[0])


CHANGEABLE = [number for number, e in EXERCISES.items() if any(map(first_list, e.inputs[0]))]


@pytest.mark.parametrize("number", CHANGEABLE)
def test_a_right_answer_that_changes_an_argument_has_no_other_mistake(number):
    exercise = EXERCISES[number]
    solution = exercise.as_function(exercise.solution)

    def changes(*arguments):
        result = copy.deepcopy(solution(*arguments))
        next(filter(None, map(first_list, arguments)))[0] += 1
        return result

    assert ", which it was given; build a new list instead." in said(number, changes)
    assert named(number, changes) == []


def test_a_function_among_the_inputs_is_called_a_function_in_a_message():
    for body in (
        lambda f, x: f + x,
        lambda f, x: f[0],
        lambda f, x: f.size,
        lambda f, x: f,
        lambda f, x: [f],
    ):
        assert "Shown" not in said("99.7", body)


def test_a_function_that_is_called_too_often_gives_something_else():
    """The gradients of an input are counted by an iterator, which begins anew for each answer."""
    for _ in range(2):
        assert judge("11.b", EXERCISES["11.b"].solution).kind == "passed"

    def twice(p, optimizer, gradient_of, update, steps):
        for _ in range(steps):
            p, optimizer = update(p, [(a + b) / 2 for a, b in zip(gradient_of(p), gradient_of(p))], optimizer)
        return p

    assert judge("11.b", twice).kind == "wrong"


def test_a_variable_of_the_notebook_that_is_read_is_named():
    """It has the right value for the example, and the error of another input does not name it."""
    names = {"rows": [[1, 2], [3, 4]], "math": math}
    exec("def mine(A):\n    return [[2 * x + math.pi * 0 for x in row] for row in rows]", names)
    said = judge("99.1", names["mine"]).text
    assert said.startswith("Exercise 99.1: wrong on input 2 of 5:")
    assert said.endswith("\nIt reads rows of the notebook; should it use its own arguments?")
    assert "It reads" not in judge("99.1", lambda rows: [[3 * x for x in row] for row in rows]).text


def test_a_table_of_helpers_is_no_variable_of_the_notebook():
    """The text of 13.b tells the reader to use it."""
    names = {"BLOCK_PARAM_SHAPES": helpers.BLOCK_PARAM_SHAPES}
    exec("def mine(config, parameters, tokens):\n    return [len(BLOCK_PARAM_SHAPES)]", names)
    said = judge("13.b", names["mine"]).text
    assert "wrong on input 1" in said and "It reads" not in said


def test_an_error_on_every_other_input_is_no_known_mistake():
    """It shares whole numbers with a mistake, and a fraction with none."""

    def stops(A, B):
        if any(isinstance(x, float) for row in [*A, *B] for x in row) or len(B[0]) != 2:
            raise IndexError
        return by_rows(A, B)

    assert named("01.c", stops) == []


def test_an_assertion_that_teaches_is_the_refusal_of_a_checked_helper():
    """So a mistake is known in a function that calls the helpers, and in one that calls the lesson's own."""

    def stops(rows):
        assert len(rows) > 9, "give more rows"

    assert judging.same_outcome(
        judging.outcome(stops, [[1]]), judging.outcome(lambda rows: helpers.add(rows, [[1]]), [[[1, 2]]])
    )


def test_a_rounded_result_is_named():
    for decimals, words in (1, "1 decimal"), (3, "3 decimals"):
        text = said("99.12", lambda x: round(x / 7, decimals))
        assert text.endswith(f"if the result is rounded to {words}; return it unrounded.")
    assert "rounded" not in said("99.12", lambda x: round(x / 7, 3) + 0.001)


# --- what is shown


def without_functions(value):
    """The same, with a word for each function and each nan, at any depth: two of them are never equal."""
    if isinstance(value, (list, tuple)):
        return [without_functions(part) for part in value]
    return "a function" if callable(value) else "nan" if value != value else value


@pytest.mark.parametrize("number", [n for n, e in EXERCISES.items() if not e.call_text])
def test_a_failing_call_can_be_pasted(number):
    """Every input that the message shows whole is an expression, and gives the same arguments back."""
    names = {**vars(math), "math": math, **{n: getattr(helpers, n) for n in dir(helpers)}, "print": print}
    for arguments in EXERCISES[number].inputs:
        call = judging.call(lambda *a: a, arguments)
        assert len(call) <= judging.MAX_CALL_LENGTH and call.startswith("your_function(")
        if not judging.too_long(lambda *a: a, arguments):
            again = eval(call, {**names, "your_function": lambda *a: list(a)})
            assert without_functions(again) == without_functions(arguments)


def test_long_inputs_are_described_and_can_be_had_whole(capsys):
    def last_one_wrong(rows):
        return doubled(rows) if len(rows) < 5 else rows[:4]

    grade("99.1", last_one_wrong)
    text = capsys.readouterr().out
    assert "    last_one_wrong([20][16])\n" in text
    assert text.endswith('To try this input yourself: rows, = grade("99.1", last_one_wrong, show=True)\n')
    (rows,) = grade("99.1", last_one_wrong, show=True)
    assert rows == INPUTS[3][0] and capsys.readouterr().out.endswith(f"rows = {rows}\n")
    assert grade("99.1", doubled, show=True) is None
    assert judging.abbreviated([[[1.25] * 9] * 9, [[1.25] * 9] * 4]) == "a list of [9][9], [4][9]"


def test_functions_among_the_arguments_are_named_or_handed_over(capsys):
    def wrong_when(condition):
        return lambda f, x: -99 if condition(f) else f(x)

    assert "your_function(math.cos, 1.0)" in said("99.7", wrong_when(lambda f: f is math.cos))
    assert "your_function(lambda x: x + 1, 1)" in said("99.7", wrong_when(lambda f: f(1) == 2))
    grade("99.7", wrong_when(lambda f: repr(f) == "layer"))
    text = capsys.readouterr().out
    assert "your_function(layer, -2.0)" in text and 'f, x = grade("99.7", your_function, show=True)' in text
    layer, x = grade("99.7", wrong_when(lambda f: repr(f) == "layer"), show=True)
    assert layer(x) == 2.0


# --- what is never shown


GUESSES = [0, None, [], [0, 0], [[0], [0]], [[0.0, 0], [5, 5]], [[None] * 2] * 2, "x", [["a", "b"]]]


@pytest.mark.parametrize("guess", GUESSES)
def test_the_answer_is_not_given_away(guess):
    """It is [[31337, 0.0625], [x, x]]; none of these has found its first row."""
    text = said("99.2", lambda x: copy.deepcopy(guess))
    assert "31337" not in text and "0.0625" not in text


@pytest.mark.parametrize("guess", ["x", ["x", False], ["x", [True]], [None, None]])
def test_a_word_is_not_given_away(guess):
    assert "secret" not in said("99.3", lambda x: copy.deepcopy(guess))


def fractions_in(value):
    return [x for x in numbers_in(value) if type(x) is float and math.isfinite(x) and x != int(x)]


def moved(value):
    if isinstance(value, (list, tuple)):
        return [moved(entry) for entry in value]
    return value + 1234567.25 if type(value) in (int, float) and math.isfinite(value) else value


HIDDEN = [n for n, e in EXERCISES.items() if not e.answer_may_be_told and not e.example]


@pytest.mark.parametrize("number", HIDDEN)
def test_no_message_holds_the_right_value_of_the_failing_place(number):
    """Every number of the result is moved: the message names the moved one, and not the right one."""
    exercise = EXERCISES[number]
    text = said(number, lambda *arguments: moved(exercise.expected(arguments)))
    verdict = "\n".join(row for row in text.splitlines() if row.startswith("Yours") or "yours is" in row)
    for x in fractions_in(exercise.expected(exercise.inputs[0])):
        assert f"{x:.6g}" not in verdict and repr(x) not in verdict


def test_an_infinity_in_the_answer_does_not_excuse_the_rest():
    assert "passed" in said("99.4", lambda T: [[0, -INF], [0, 0]])
    for first in (5.0, INF, -INF, math.nan):
        assert "is wrong" in said("99.4", lambda T: [[first, -INF], [0.0, 0.0]])


@pytest.mark.parametrize(
    "number, asked", [("1.b", "did you mean 01.b"), ("09.C", "did you mean 09.c"), ("", "there are 00.a")]
)
def test_an_unknown_number_is_refused_and_the_nearest_asked_for(number, asked):
    with pytest.raises(ValueError, match=f"there is no exercise '{number}'; {asked}"):
        grade(number, doubled)


def test_two_mistakes_that_a_helper_refuses_are_told_apart_by_what_it_says():
    """A slice of X that is too narrow for W is no output that was not concatenated."""

    def of_slices(X, W_Q, W_K, W_V, W_O, mask):
        n, heads = len(X[0]) // len(W_Q), []
        for h, (q, k, v) in enumerate(zip(W_Q, W_K, W_V)):
            x = [row[h * n : h * n + n] for row in X]
            heads.append(
                helpers.attention(helpers.linear(x, q), helpers.linear(x, k), helpers.linear(x, v), mask)
            )
        return helpers.linear(helpers.merge_heads(heads), W_O)

    assert "each head gets a slice of X" in judge("04.b", of_slices).text
