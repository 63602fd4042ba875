"""What the grader tells a reader: right or wrong, where, which slip it was, and never the answer."""

import contextlib
import copy
import functools
import io
import itertools
import math
from types import SimpleNamespace

import pytest
from helpers.course.exercises.grader import grade
from tables import holds, numbers_in, refuses

import helpers
from helpers.course.exercises import EXERCISES, grader
from helpers.course.exercises.exercise import Exercise, Written, measured_gradients, written

INF = math.inf


def said(function, *arguments, **options):
    """What a reader sees."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        function(*arguments, **options)
    return printed.getvalue()


def stops(rows):
    raise KeyboardInterrupt


def test_a_stopped_function_gets_one_sentence(monkeypatch):
    clock = iter([100.0, 112.4])
    monkeypatch.setattr(grader, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    words = "stopped. Your function ran for 12 s; look for a loop that never ends."
    assert said(grade, "99.1", stops) == f"Exercise 99.1: {words}\n"


def doubled(rows):
    return [[2 * x for x in row] for row in rows]


def plus_one(rows):
    return [[2 * x + 1 for x in row] for row in rows]


INPUTS = [[[[1, 2], [3, 4]]], [[[0.5, 0.25]]], [[[1e-6, 0.0]]], [[[1.5] * 16] * 20], [[]]]


@pytest.fixture(autouse=True)
def exercises_of_our_own(monkeypatch):
    own = {
        "99.1": Exercise(doubled, copy.deepcopy(INPUTS)),
        "99.2": Exercise(lambda x: [[31337, 0.0625], [x, x]], [[5], [7]], example=False),
        "99.3": Exercise(lambda x: ["secret", True], [[5]]),
        "99.4": Exercise(lambda T: [[0.0, -INF], [0.0, 0.0]], [[2]]),
        "99.5": Exercise(lambda x: x > 2, [[1], [3]], slips={"everything is large": lambda x: True}),
        "99.6": Exercise(doubled, copy.deepcopy(INPUTS[:2]), slips={"1 is added": plus_one}, example=False),
        "99.7": Exercise(
            lambda f, x: f(x),
            [[math.cos, 1.0], [Written("layer", abs), -2.0], [written("lambda x: x + 1"), 1]],
        ),
        "99.8": Exercise(lambda x: (x, [1e6 * x]), [[0.5]], parts=("d_x", "d_W")),
        "99.a": Exercise(
            lambda x: measured_gradients(lambda x: x * x, 1.0, x, only=0), [[3.0]], within=1e-6, nudged=True
        ),
        "99.b": Exercise(lambda x: [[2 * x]], [[3.0]], derived=("doubled",)),
        "99.9": Exercise(lambda x: 2 * x, [[4]], without=("doubled",)),
        "99.12": Exercise(lambda x: x / 7, [[1]]),
        "99.10": Exercise(lambda x: "left", [[4]], choices=("left", "right")),
        "99.11": Exercise(
            lambda x: None if x > 4 else [x, 0], [[4], [5]], false_alarm="There is no such place"
        ),
        "03.99": Exercise(doubled, copy.deepcopy(INPUTS)),
    }
    for number, exercise in own.items():
        monkeypatch.setitem(EXERCISES, number, exercise)


# --- verdicts


def stub(rows): ...


def stub_with_docstring(rows):
    """Double every entry."""
    ...


def stub_with_everything(rows: list, factor: int = 2, *more, flag=False, **options) -> list:
    """Double every entry.

    Two lines and a number, 80."""
    ...


def stub_with_pass(rows):
    pass


def constant(rows):
    return 80


def documented_constant(rows):
    """Always the same."""
    return 80


def without_return(rows):
    doubled(rows)


def returns_in_a_case(rows):
    if len(rows) > 100:
        return doubled(rows)


def none_in_a_case(rows):
    return doubled(rows) if len(rows) > 100 else None


def one_wrong(rows):
    result = doubled(rows)
    result[-1][0] += 1
    return result


def nearly(rows):
    return [[2 * x + 1e-8 for x in row] for row in rows]


def first_row_only(rows):
    return doubled(rows[:1])


def one_column_too_many(rows):
    return [[*row, 0] for row in doubled(rows)]


def lazy(rows):
    return (row for row in doubled(rows))


def in_place(rows):
    for row in rows:
        row[:] = [2 * x for x in row]
    return rows


def whole_numbers_only(rows):
    return [[2 * int(x) for x in row] for row in rows]


def divides_by_zero(rows):
    total = 0
    return 1 / total


def within_a_list(rows):
    return [x / 0 for x in rows[0]]


def complains_at_length(rows):
    raise ValueError("not\n  like this")


def two_arguments(rows, factor):
    return doubled(rows)


def as_words(rows):
    return [[str(2 * x) for x in row] for row in rows]


def as_truth(rows):
    return [[True for x in row] for row in rows]


class Doubler:
    def of(self, rows):
        return doubled(rows)

    def __call__(self, rows):
        return doubled(rows)


SHOWN = "wrong on input 1 of 5, the example in the text:\n    {}([[1, 2], [3, 4]])\n"
VERDICTS = [
    # the reader's function, what grade says after "Exercise 99.1: "
    (stub, "not tried yet"),
    (stub_with_docstring, "not tried yet"),
    (stub_with_everything, "not tried yet"),
    (stub_with_pass, "not tried yet"),
    (doubled, "passed, 5 of 5 inputs"),
    (lambda rows: [[x + x for x in row] for row in rows], "passed, 5 of 5 inputs"),
    (Doubler().of, "passed, 5 of 5 inputs"),
    (Doubler(), "passed, 5 of 5 inputs"),
    (functools.partial(two_arguments, factor=2), "passed, 5 of 5 inputs"),
    (one_wrong, SHOWN + "1 of 4 numbers is wrong, at [1][0]: yours is 7, expected 6."),
    (plus_one, SHOWN + "4 of 4 numbers are wrong, the first at [0][0]: yours is 3, expected 2."),
    (first_row_only, SHOWN + "The result is a list of 1, expected a list of 2; yours is [[2, 4]]."),
    (
        one_column_too_many,
        SHOWN + "Entry [0] of the result is a list of 3, expected a list of 2; yours is [2, 4, 0].",
    ),
    (lazy, SHOWN + "The result is a generator, expected a list of 2; put list(...) around it."),
    (without_return, SHOWN + "It returned None on this input; does it end with return?"),
    (returns_in_a_case, SHOWN + "It returned None on this input."),
    (none_in_a_case, SHOWN + "It returned None on this input."),
    (constant, SHOWN + "The result is a number, expected a list of 2; yours is 80."),
    (documented_constant, SHOWN + "The result is a number, expected a list of 2; yours is 80."),
    (in_place, SHOWN + "It changed rows, which it was given; build a new list instead."),
    (
        as_words,
        SHOWN
        + (
            "4 of 4 numbers are wrong, the first at [0][0]: yours is '2', which is a string; it should be a "
            "number."
        ),
    ),
    (
        as_truth,
        SHOWN
        + (
            "4 of 4 numbers are wrong, the first at [0][0]: yours is True, which is a truth value; it "
            "should be a number."
        ),
    ),
    (doubled(INPUTS[1][0]), "give the function itself, its name without brackets, not [[1.0, 0.5]]"),
    (None, "give the function itself, its name without brackets, not None"),
    (
        functools.partial(one_wrong),
        SHOWN.format("your_function") + "1 of 4 numbers is wrong, at [1][0]: yours is 7, expected 6.",
    ),
    (
        whole_numbers_only,
        (
            "wrong on input 2 of 5:\n    {}([[0.5, 0.25]])\n2 of 2 numbers are wrong, the first at [0][0]: "
            "yours is 0."
        ),
    ),
    (nearly, SHOWN + "4 of 4 numbers are wrong, the first at [0][0]: yours is 2.00000001, expected 2."),
]


def line(function, verdict, title="Exercise 99.1"):
    return f"{title}: {verdict.format(getattr(function, '__name__', ''))}\n"


def test_grade_says_whether_and_where():
    for function, verdict in VERDICTS:
        assert said(grade, "99.1", function) == line(function, verdict)


def test_an_exception_is_told_with_the_line_of_the_reader_s_function():
    """Where the text of the line is at hand it is shown; a cell's is, in Jupyter."""
    assert said(grade, "99.1", divides_by_zero).endswith(
        "It raised ZeroDivisionError: division by zero (line 3 of your function: return 1 / total).\n"
    )
    assert "(line " in said(grade, "99.1", within_a_list) and "of your function" in said(
        grade, "99.1", within_a_list
    )
    assert "It raised ValueError: not like this (line 2 of your function: raise" in said(
        grade, "99.1", complains_at_length
    )
    namespace = {}
    exec(compile("def third(rows):\n    rows = list(rows)\n    return rows[99]", "<cell>", "exec"), namespace)
    assert "IndexError: list index out of range (line 3 of your function)." in said(
        grade, "99.1", namespace["third"]
    )


def test_a_function_that_calls_itself_for_ever_or_takes_other_arguments_is_told_so():
    """The words after the error's name are Python's own and differ between versions."""

    def calls_itself(rows):
        return calls_itself(rows)

    assert "It raised RecursionError: maximum recursion" in said(grade, "99.1", calls_itself)
    assert "It raised TypeError: two_arguments() missing 1 required" in said(grade, "99.1", two_arguments)


def test_functions_of_python_itself_are_run():
    """They have no source that could be a stub's, and no line to name."""
    assert "yours is 2." in said(grade, "99.1", len)
    assert "4 of 4 numbers are wrong" in said(grade, "99.1", sorted)
    assert "It raised TypeError: " in said(grade, "99.1", sum)


def test_in_a_fresh_kernel_the_cells_above_are_asked_for():
    """A name that the helpers or the lesson define is missing for one reason; any other is a slip of the
    pen."""
    for name in ("matmul", "math"):  # math is imported by the first cells of lesson 03
        namespace = {}
        exec(f"def f(rows):\n    return {name}(1)", namespace)
        assert said(grade, "03.99", namespace["f"]).endswith(
            f"\nRun the cells above first ({name} is not defined).\n"
        )
    namespace = {}
    exec("def f(scores):\n    return scroes", namespace)
    assert "It raised NameError: name 'scroes' is not defined" in said(grade, "03.99", namespace["f"])


def test_what_an_exercise_does_without_is_refused_and_given_back():
    def cheats(x):
        return doubled([[x]])[0][0]

    before = doubled
    assert "It calls doubled, which this exercise does without." in said(grade, "99.9", cheats)
    assert doubled is before
    assert "passed" in said(grade, "99.9", lambda x: x + x)


def test_scalars_labels_and_truth_values_are_spelled_out():
    assert "\nYours: 2.64, expected 8.\n" in said(grade, "99.9", lambda x: 2.64)
    assert "\nYou said True.\n" in said(grade, "99.5", lambda x: x < 100)
    assert "\nYou said 'right'.\n" in said(grade, "99.10", lambda x: "right")
    assert "\nYou said 'up', which is none of these: left, right.\n" in said(grade, "99.10", lambda x: "up")
    assert "You said '80', which is a string; it should be a number." in said(
        grade, "99.9", lambda x: str(20 * x)
    )
    assert "1, which is a number; it should be True or False." in said(grade, "99.5", lambda x: 1)


def test_none_passes_where_it_is_the_answer():
    assert "passed, 2 of 2" in said(grade, "99.11", lambda x: None if x > 4 else [x, 0])
    assert "wrong on input 1" in said(grade, "99.11", without_return)
    assert "wrong on input 2" in said(grade, "99.11", lambda x: [x, 0])
    assert "\nThere is no such place; yours is [5, 0].\n" in said(grade, "99.11", lambda x: [x, 0])


def test_a_letter_is_your_turn_and_what_a_nudge_measured_is_shown():
    assert said(grade, "99.a", stub) == "Your turn 99.a: not tried yet\n"
    assert said(grade, "99.a", lambda x: 2 * x) == "Your turn 99.a: passed, 1 of 1 inputs\n"
    assert "Yours: 3, finite differences give 6." in said(grade, "99.a", lambda x: x)


def test_who_measures_what_was_to_be_derived_passes_and_is_told_so():
    def nudged(x):
        return [[(doubled([[x + 1]])[0][0] - doubled([[x - 1]])[0][0]) * x / 2]]

    before = doubled
    assert said(grade, "99.b", nudged).startswith(
        "Your turn 99.b: passed, 1 of 1 inputs\nIt uses finite differences, as the grader does"
    )
    assert doubled is before
    for derived in (lambda x: [[2 * x]], lambda x: doubled([[x]])):
        assert said(grade, "99.b", derived) == "Your turn 99.b: passed, 1 of 1 inputs\n"


def test_tensors_are_named_and_each_is_held_to_its_own_size():
    assert "passed" in said(grade, "99.8", lambda x: [x, [1e6 * x]])
    assert "at d_x: yours is 0.51, expected 0.5." in said(
        grade, "99.8", lambda x: (0.51, [1e6 * x])
    )  # 1e-8 of the other one
    assert "at d_W[0]: yours is 7, expected 500000." in said(grade, "99.8", lambda x: (x, [7]))
    assert "d_W is a list of 2, expected a list of 1" in said(grade, "99.8", lambda x: (x, [7, 7]))


# --- slips


def told(number, function):
    return [
        text
        for text in said(grade, number, function).splitlines()
        if text.startswith("That is what happens if ")
    ]


def test_a_known_slip_is_named_and_another_mistake_is_not():
    assert told("99.6", plus_one) == ["That is what happens if 1 is added."]
    assert told("99.6", lambda rows: [[2 * x + 1 for x in row] for row in rows if row]) == [
        "That is what happens if 1 is added."
    ]
    assert told("99.6", one_wrong) == []
    assert told("99.5", lambda x: True) == ["That is what happens if everything is large."]
    # the same label on the failing input, but not on the others: another mistake
    assert told("99.5", lambda x: x < 2) == []


def by_rows(A, B):
    return [[helpers.dot.__wrapped__(row, other) for other in B] for row in A]


def by_index(A, B):
    return [[sum(A[i][k] * B[j][k] for k in range(len(B))) for j in range(len(B[0]))] for i in range(len(A))]


LIKELY = [
    # written as a reader would: it stops with an error on inputs that do not fit the slip
    ("01.c", by_rows, "rows of A are multiplied by rows of B, and not by columns"),
    ("01.c", by_index, "rows of A are multiplied by rows of B, and not by columns"),
    (
        "01.d",
        lambda tokens, E_token, E_pos: helpers.add([E_token[t] for t in tokens], [E_pos[t] for t in tokens]),
        "E_pos is looked up with the token id, and not with the position",
    ),
    (
        "02.b",
        lambda X, W_Q, W_K, W_V: helpers.linear(X, W_Q),
        "only the queries are returned: write return Q, K, V",
    ),
]


@pytest.mark.parametrize("number, function, slip", LIKELY)
def test_a_slip_is_known_even_where_it_cannot_go_on(number, function, slip):
    assert told(number, function) == [f"That is what happens if {slip}."]


def test_an_error_on_every_other_input_is_no_slip():
    """It shares whole numbers with a slip, and a fraction with none."""

    def stops(A, B):
        if any(isinstance(x, float) for row in [*A, *B] for x in row) or len(B[0]) != 2:
            raise IndexError
        return by_rows(A, B)

    assert told("01.c", stops) == []


ALL_SLIPS = [(number, text) for number, exercise in EXERCISES.items() for text in exercise.slips]


@pytest.mark.parametrize("number, text", ALL_SLIPS, ids=[f"{n} {t[:40]}" for n, t in ALL_SLIPS])
def test_every_slip_fails_with_its_own_sentence(number, text):
    assert told(number, EXERCISES[number].slips[text]) == [f"That is what happens if {text}."]


@pytest.mark.parametrize("number", EXERCISES)
def test_every_answer_passes_and_every_exercise_has_slips(number):
    exercise = EXERCISES[number]
    inputs = len(exercise.inputs)
    assert said(grade, number, exercise.answer).endswith(f"{number}: passed, {inputs} of {inputs} inputs\n")
    assert (
        len(exercise.slips) >= 2 and inputs >= 3 or exercise.inputs == [[]]
    )  # a question that has one answer


# --- what is shown


def without_functions(value):
    """The same, with a word in place of each function, at any depth: two functions are never equal."""
    if isinstance(value, (list, tuple)):
        return [without_functions(part) for part in value]
    return "a function" if callable(value) else value


@pytest.mark.parametrize("number", [n for n, e in EXERCISES.items() if n[:2] != "99" and not e.call_text])
def test_a_failing_call_can_be_pasted(number):
    """Every input that the message shows whole is an expression, and gives the same arguments back."""
    import helpers

    names = {**vars(math), "math": math, **{n: getattr(helpers, n) for n in dir(helpers)}, "print": print}
    for arguments in EXERCISES[number].inputs:
        call = grader.call(lambda *a: a, arguments)
        assert len(call) <= grader.MAX_CALL_LENGTH and call.startswith("your_function(")
        if (
            "..." not in call
            and "a list of" not in call
            and not any(grader.unpasteable(a) for a in arguments)
        ):
            again = eval(call, {**names, "your_function": lambda *a: list(a)})
            assert without_functions(again) == without_functions(arguments)


def test_long_and_ragged_inputs_are_described_and_can_be_had_whole():
    def last_one_wrong(rows):
        return doubled(rows) if len(rows) < 5 else rows[:4]

    text = said(grade, "99.1", last_one_wrong)
    assert "    last_one_wrong([20][16])\n" in text
    assert text.endswith('To try this input yourself: rows, = grade("99.1", last_one_wrong, show=True)\n')
    assert grader.described([[[1.25] * 9] * 9, [[1.25] * 9] * 4]) == "a list of [9][9], [4][9]"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        (rows,) = grade("99.1", last_one_wrong, show=True)
    assert rows == INPUTS[3][0] and printed.getvalue().endswith(f"rows = {rows}\n")
    assert grade("99.1", doubled, show=True) is None


def test_functions_among_the_arguments_are_named_or_handed_over():
    def wrong_when(condition):
        return lambda f, x: -99 if condition(f) else f(x)

    assert "your_function(math.cos, 1.0)" in said(grade, "99.7", wrong_when(lambda f: f is math.cos))
    text = said(grade, "99.7", wrong_when(lambda f: repr(f) == "layer"))
    assert "your_function(layer, -2.0)" in text and 'f, x = grade("99.7", your_function, show=True)' in text
    assert "your_function(lambda x: x + 1, 1)" in said(grade, "99.7", wrong_when(lambda f: f(1) == 2))
    with contextlib.redirect_stdout(io.StringIO()):
        layer, x = grade("99.7", wrong_when(lambda f: repr(f) == "layer"), show=True)
    assert layer(x) == 2.0


def test_grading_twice_says_the_same_and_spoils_no_input():
    for function, verdict in itertools.chain(VERDICTS, reversed(VERDICTS)):
        assert said(grade, "99.1", function) == line(function, verdict)
    assert EXERCISES["99.1"].inputs == INPUTS


def test_what_the_reader_prints_is_seen_once():
    def talks(rows):
        print("hello")
        return plus_one(rows)

    assert said(grade, "99.6", talks).count("hello") == 1


# --- what is never shown


def test_grade_never_gives_the_answer_away():
    """The answer is [[31337, 0.0625], [x, x]]; none of these has found its first row."""
    guesses = [
        0,
        None,
        [],
        [0, 0],
        [[0], [0]],
        [[0, 0], [0, 0]],
        [[0.0, 0], [5, 5]],
        "x",
        [["a", "b"], ["c", "d"]],
        [[None] * 2] * 2,
    ]
    for guess in guesses:
        text = said(grade, "99.2", lambda x: copy.deepcopy(guess))
        assert "31337" not in text and "0.0625" not in text
    for guess in ["x", ["x", False], [["x"], True], ["x", [True]], [1, 1], [None, None]]:
        text = said(grade, "99.3", lambda x: copy.deepcopy(guess))
        assert "secret" not in text


@pytest.mark.parametrize("number", [n for n, e in EXERCISES.items() if not e.nudged and not e.example])
def test_no_message_holds_the_right_value_of_the_failing_place(number):
    """Every number of the result is moved a little: the message names the moved one, and not the right
    one."""
    exercise = EXERCISES[number]

    def moved(value):
        if isinstance(value, (list, tuple)):
            return [moved(entry) for entry in value]
        if isinstance(value, float) and math.isfinite(value) or type(value) is int:
            return value + 1234567.25
        return value

    right = exercise.answer(*copy.deepcopy(exercise.inputs[0]))
    text = said(grade, number, lambda *arguments: moved(exercise.answer(*arguments)))
    verdict = "\n".join(
        row for row in text.splitlines() if row.startswith(("Yours", "The one", "1 of")) or "yours is" in row
    )
    for x in numbers_in(right):
        if isinstance(x, float) and math.isfinite(x) and x != int(x):
            assert f"{x:.6g}" not in verdict and repr(x) not in verdict


def test_a_rounded_result_is_named():
    one = said(grade, "99.12", lambda x: round(x / 7, 1))
    assert one.endswith("the result is rounded to 1 decimal; return it unrounded.\n")
    rounded = said(grade, "99.12", lambda x: round(x / 7, 3))
    assert "yours is 0.143, expected 0.142857" in rounded.replace("Yours:", "yours is")
    assert rounded.endswith(
        "That is what happens if the result is rounded to 3 decimals; return it unrounded.\n"
    )
    assert "rounded" not in said(grade, "99.12", lambda x: round(x / 7, 3) + 0.001)


def test_an_infinity_in_the_answer_does_not_excuse_the_rest():
    assert "passed" in said(grade, "99.4", lambda T: [[0, -INF], [0, 0]])
    for first in (5.0, INF, -INF, math.nan):
        assert "is wrong" in said(grade, "99.4", lambda T: [[first, -INF], [0.0, 0.0]])


def test_grade_refuses_an_unknown_number_and_lists_the_known_ones():
    for number in ("0.1", "99", "", "99.100"):
        refuses(grade, [number, doubled], ValueError, f"no exercise {number!r}", "03.a", "99.1")


def test_the_tables_above_have_both_kinds():
    """A table of verdicts without failures, or without passes, would prove little."""
    kinds = {verdict.split(",")[0].split(" ")[0] for _, verdict in VERDICTS}
    assert kinds >= {"not", "passed", "wrong", "give"}
    assert not holds(lambda f: refuses(f, ["99.1", doubled], ValueError), grade)


def test_a_changed_argument_is_not_called_rounded(monkeypatch):
    """The measured answer differs from an exact result by noise, as a rounded result would."""
    exercise = Exercise(lambda row: [2.0000000001 * row[0]], [[[0.5]]], nudged=True, within=1e-6)
    monkeypatch.setitem(grader.EXERCISES, "99.13", exercise)

    def doubled(row):
        row[0] *= 2
        return [row[0]]

    text = said(grade, "99.13", doubled)
    assert "It changed row" in text and "rounded" not in text
