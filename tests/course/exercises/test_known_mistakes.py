"""Lesson 10c sends the known mistakes of lessons 09, 09b and 10 against a reader's gradient check."""

import math

import pytest

from helpers import numerical_gradient
from helpers.course.exercises import EXERCISES, known_mistakes
from helpers.course.exercises.judge import judge
from helpers.course.show.compare import leaves
from notebooks import LESSONS, code

(PAGE,) = [path for path in LESSONS if path.stem.startswith("10c_")]


def inputs_of_the_page(name, ends_before):
    """The dict of inputs that a cell of the lesson defines."""
    source, names = code(PAGE), {}
    start = source.index("rng = random.Random(1)" if name == "varied_inputs" else f"{name} = ")
    exec("import random\n" + source[start : source.index(ends_before, start)], names)
    return names[name]


def stub(forward, backward, inputs, d_out): ...


def always(forward, backward, inputs, d_out):
    return True


def never(forward, backward, inputs, d_out):
    return False


def last_row(table):
    return repr(table).splitlines()[-1].split()


@pytest.mark.parametrize("name", ["easy", "varied_inputs"])
def test_the_course_s_check_finds_what_its_inputs_can_show(name, capsys):
    """An input can show a mistake if the wrong gradients differ from the right ones there."""
    inputs = inputs_of_the_page(name, "known_mistakes.send" if name == "easy" else "show.closed(")
    hidden = 0
    for number, (arguments, d_out) in inputs.items():
        made_of = known_mistakes.CHECKED[number][1]
        due = made_of(EXERCISES[number].solution)(d_out, *arguments)
        for cause in EXERCISES[number].mistakes:
            try:
                hidden += alike(made_of(EXERCISES[number].mistaken(cause))(d_out, *arguments), due)
            except Exception:
                pass
    assert (hidden > 0) == (name == "easy")
    count = sum(len(EXERCISES[number].mistakes) for number in inputs)
    row = last_row(known_mistakes.send(EXERCISES["10.h"].solution, inputs))
    assert row == ["all", str(count), str(count - hidden), str(hidden)]


def alike(found, due):
    one, other = leaves(found), leaves(due)
    return len(one) == len(other) and all(abs(a - b) < 1e-7 for a, b in zip(one, other))


def test_a_check_that_is_no_check_is_told(capsys):
    easy = inputs_of_the_page("easy", "known_mistakes.send")
    row = last_row(known_mistakes.send(always, easy))
    assert row[2] == "0" and row[1] == row[3]
    capsys.readouterr()
    assert last_row(known_mistakes.send(never, easy)) == ["all", "0", "0", "0"]
    assert capsys.readouterr().out.count("the check refuses the right backward pass.") == len(easy)
    known_mistakes.send(stub, {})
    assert capsys.readouterr().out == "my_check: not tried yet, ours is in place.\n"


def by(agree):
    """A gradient check, with what agrees: from the numbers of a gradient and the measured ones."""

    def my_check(forward, backward, inputs, d_out):
        for i, gradient in enumerate(backward(d_out, *inputs)):

            def loss(x):
                out = forward(*inputs[:i], x, *inputs[i + 1 :])
                return math.fsum(d * y for d, y in zip(leaves(d_out), leaves(out)))

            found, measured = leaves(gradient), leaves(numerical_gradient(loss, inputs[i]))
            if len(found) != len(measured) or not agree(found, measured):
                return False
        return True

    return my_check


def each(close):
    return lambda found, measured: all(map(close, found, measured))


SAID = [
    (each(lambda a, b: math.isclose(a, b, rel_tol=1e-5)), "relative to each number and has no fixed part"),
    (each(lambda a, b: math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-9)), "relative to each number, and not"),
    (
        lambda f, m: each(lambda a, b: abs(a - b) <= 1e-5 * max(map(abs, m)))(f, m),
        "has no fixed part such as",
    ),
    (each(lambda a, b: round(a, 4) == round(b, 4)), "numbers are rounded: large gradients are refused"),
    (lambda f, m: each(lambda a, b: abs(a - b) <= 1e-4 * max(map(abs, m)) + 1e-9)(f, m), "larger than 1e-5"),
    (lambda f, m: each(lambda a, b: abs(a - b) <= 1e-2 * max(map(abs, m)) + 1e-9)(f, m), "larger than 1e-5"),
    (
        lambda f, m: sum(abs(a - b) for a, b in zip(f, m)) / len(f) <= 1e-5 * max(map(abs, m)) + 1e-9,
        "mean of",
    ),
    (
        lambda f, m: not any(abs(a - b) > 1e-5 * max(map(abs, m)) + 1e-9 for a, b in zip(f, m)),
        "nan passes, because every",
    ),
    (each(lambda a, b: abs(a - b) <= 1e-9), "is fixed and"),
    (each(lambda a, b: abs(a - b) <= 1e-4), "large gradients are refused, and small ones pass"),
    (lambda f, m: abs(max(f) - max(m)) < 1e-5, ""),
    (lambda f, m: False, "every backward pass is refused"),
    (lambda f, m: each(lambda a, b: abs(a - b) <= 1e-5 * max(m) + 1e-9)(f, m), "without its sign"),
    (lambda f, m: each(lambda a, b: abs(abs(a) - abs(b)) <= 1e-5 * abs(b) + 1e-9)(f, m), ""),
]


@pytest.mark.parametrize("agree, said", SAID)
def test_a_wrong_check_is_told_its_own_mistake_or_none(agree, said):
    verdict = judge("10.h", by(agree))
    told = verdict.text.partition("That is what happens if ")[2]
    assert verdict.kind == "wrong" and (said in told if said else not told)
    assert judge("10.h", EXERCISES["10.h"].solution).kind == "passed"
