"""The chat model with the reader's functions in it: in lesson 20, and in `python3 -m helpers chat --mine`.

A function that passed its exercise takes the place of the course's function of the same name, wherever the
chat model calls that. An exercise with another name, or with other arguments, has a line in NAMES or in
ADAPTED.
"""

import contextlib
import io
from types import SimpleNamespace
from typing import NamedTuple

from ...byte_pairs import apply_merges
from ...llama import llama_forward
from ...quantization import decode_q4_1
from ...sampling import min_p, sample, softmax_with_temperature
from ..engine import mathematics, same, with_names
from ..models.packed import BLOCK_SIZES, PackedMatrix, packed_linear
from ..show.display import pluralized
from . import EXERCISES
from .overview import GRADED_NAME
from .passed import AROUND, OTHER_NAMES, all_called, lines_of, read_passes
from .yours import (
    Mismatch,
    by_lesson,
    missing_name,
    notebook_names,
    passes,
    run_tiny_llama,
    stopped,
    written_in,
)

# What an answer calls: these functions, and all that they call
IN_LLAMA = (llama_forward,)
AROUND_IT = (softmax_with_temperature, min_p, sample, apply_merges, decode_q4_1)
NAMES = {**OTHER_NAMES, "temperature": "softmax_with_temperature", "q4_1": "decode_q4_1"}
# What only lesson 20 defines: the course's functions are the solutions
OF_LESSON_20 = {"answer": "20.c", "template": "20.d"}
# The reader's decode_q4_1 reads this matrix, and the reader's linear multiplies with it. With all matrices
# an answer would take hours.
DECODED = "blk.0.attn_v.weight"


def sample_by_number(function):
    """The course's sample takes a generator, and the exercise a random number below 1."""

    def chosen(probabilities, rng):
        token = function(probabilities, rng.random())
        return probabilities.index(max(probabilities)) if token is None else token

    return chosen


ADAPTED = {"sample": sample_by_number}


class Own(NamedTuple):
    """A reader's function: the number of its exercise, its name there, its lines, and the function."""

    number: str
    name: str
    lines: int
    function: object


def in_model(model):
    """Put what the reader has passed into a model, each function in its place; prints which."""
    own, said = own_functions()
    mine, names = Mine(own, here=model.here), [f"{one.name} ({one.number})" for one in own.values()]
    if model.here:
        mine.put_into(model)
    if not own:
        said.append("None of your passed exercises is used in an answer, so the course's functions run.")
    elif model.here:
        said.append(f"Your functions in the model: {', '.join(names)}.")
    else:
        said.append(f"With the file, these functions of yours would run: {', '.join(names)}.")
    print("\n".join(said))
    return mine


def names_called(functions):
    return {function.__name__ for function in [*functions, *all_called(functions)]}


def numbers_called():
    """{number of an exercise: the name of the course's function} of all that an answer calls."""
    called = names_called(IN_LLAMA) | names_called(AROUND_IT) | set(OF_LESSON_20)
    named = {number: EXERCISES[number].solution.__name__.removeprefix("my_") for number in EXERCISES}
    named = {number: NAMES.get(name, name) for number, name in named.items()}
    return {number: name for number, name in named.items() if name in called}


def own_functions():
    """({name of the course's function: Own}, sentences) of what the reader has passed and an answer calls."""
    known, in_llama = numbers_called(), names_called(IN_LLAMA)
    found, (noted, said) = {}, read_passes()
    for number, one in noted.items():
        if number not in known:
            continue
        name, graded = known[number], GRADED_NAME.search(one.code)
        mine = graded[1] if graded else EXERCISES[number].solution.__name__
        function = read_again(number, one.code, mine)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                require_pass(function, number, mine)
                if name in in_llama:
                    run_tiny_llama(name, function)
            found[name] = Own(number, mine, lines_of(one.code, mine), function)
        except Mismatch as mismatch:
            said.append(f"{mismatch} The course's {name} is in its place.")
    return found, said


def read_again(number, code, name):
    """The function of a pass, made of its code; the notebook in which it passed adds what the code lacks."""
    known = notebook_names()
    around = {other: value for other, value in AROUND.get(number, {}).items() if other not in known}
    return written_in(code, around)[1].get(name) or around.get(name)


def require_pass(function, number, name):
    """Mismatch, which says what to do, unless the function passes its exercise."""
    if function is None:
        raise Mismatch(f"{name} of {number} was not kept: define it with def, in the cell that grades it.")
    if not passes(function, number):
        lacking = missing_name(function, number)
        if lacking:
            where = f"Define {lacking} inside {name}, and grade {number} again."
            raise Mismatch(f"{name} of {number} needs {lacking}, which was not kept with it. {where}")
        raise Mismatch(f"{name} no longer passes {number}.")


class Mine:
    """The mathematics with the reader's functions in it, and how often each was called."""

    def __init__(self, own, error=Mismatch, here=True):
        """error is the class of what is raised where a function of the reader's stops; here is whether the
        model's file is, without which nothing runs."""
        self.own, self.calls, self.error, self.here = own, dict.fromkeys(own, 0), error, here
        plain = {**mathematics(), **{name: EXERCISES[n].solution for name, n in OF_LESSON_20.items()}}
        copies = {name: with_names(one.function, {}) for name, one in own.items()}
        own = {name: self.counted(name, ADAPTED.get(name, same)(copy)) for name, copy in copies.items()}
        self.names = {**plain, **mathematics(**{**own, "linear": linear_with(own.get("linear"))})}
        for name, copy in copies.items():  # inside it, its own name stays the course's
            copy.__globals__.update({**self.names, name: plain[name]})
        self.functions = SimpleNamespace(**self.names)

    def counted(self, name, function):
        def call(*arguments, **named):
            self.calls[name] += 1
            try:
                return function(*arguments, **named)
            except self.error:  # of a function of the reader's that this one called
                raise
            except Exception as error:
                mine = self.own[name]
                raise self.error(stopped(mine.name, mine.number, error)) from None

        return call

    def put_into(self, model):
        """Let a model call these functions; its forward pass, its tokenizer, and how it reads one matrix."""
        model.forward = self.names["llama_forward"]
        tokenizer = model.tokenizer
        tokenizer.apply_merges = self.names["apply_merges"]
        tokenizer.merged.cache_clear()  # what was encoded before is encoded again, by the reader's function
        W = model.parameters[DECODED]
        if self.own.keys() & {"decode_q4_1", "linear"} and isinstance(W, PackedMatrix) and W.kind == "Q4_1":
            size = BLOCK_SIZES[W.kind]
            blocks = (bytes(W.data[i : i + size]) for i in range(0, len(W.data), size))
            numbers = [x for block in blocks for x in self.names["decode_q4_1"](block)]
            model.parameters[DECODED] = [numbers[i : i + W.n] for i in range(0, len(numbers), W.n)]

    def by_lesson(self):
        """The rows of by_lesson for all functions with an exercise."""
        numbers = {name: number for number, name in numbers_called().items()}
        numbers |= {name: one.number for name, one in self.own.items()}
        lines = {name: one.lines for name, one in self.own.items()}
        return by_lesson(dict(sorted(numbers.items())), lines)

    def summary(self):
        """Which of the reader's functions were called, in a sentence."""
        if not self.here:
            return "These answers are recorded. With the file, the functions of this table would answer."
        called = [f"{self.own[name].name} ({self.own[name].number})" for name, n in self.calls.items() if n]
        if not called:
            return "No function of yours was called: the course's answered."
        what, times = f"{pluralized(len(called), 'function')} of yours", sum(self.calls.values())
        return f"{what} answered, in {times:,} calls: {', '.join(called)}. The course's did the rest."


def linear_with(own):
    """The product of packed matrices; of lists, the reader's where there is one."""
    if own is None:
        return packed_linear
    return lambda X, W, b=None: (packed_linear if isinstance(W, PackedMatrix) else own)(X, W, b)
