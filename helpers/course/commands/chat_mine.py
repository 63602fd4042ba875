"""What `python3 -m helpers chat --mine` does: the reader's passed exercises answer, each in its place.

A function that passed takes the place of the course's function of the same name, wherever the chat model
calls that. An exercise with another name, or with other arguments, has a line in NAMES or in ADAPTED.
"""

import contextlib
import io
from typing import NamedTuple

from ...byte_pairs import apply_merges, decode_tokens
from ...llama import llama_forward
from ...quantization import decode_q4_1
from ...sampling import min_p, sample, softmax_with_temperature
from ..engine import mathematics, same, with_names
from ..exercises.overview import GRADED_NAME
from ..exercises.passed import OTHER_NAMES, all_called, read_passes
from ..exercises.yours import Mismatch, passes, run_tiny_llama, written_in
from ..models.packed import BLOCK_SIZES, PackedMatrix, packed_linear
from .environment import Problem
from .names import PROGRAM

# What chat calls: these functions, and all that they call
IN_LLAMA = (llama_forward,)
AROUND_IT = (softmax_with_temperature, min_p, sample, apply_merges, decode_tokens, decode_q4_1)
NAMES = {**OTHER_NAMES, "temperature": "softmax_with_temperature", "q4_1": "decode_q4_1"}
DECODED = "blk.0.attn_v.weight"  # the reader's decode_q4_1 reads this matrix; all would take minutes


def sample_by_number(function):
    """The course's sample takes a generator, and the exercise a random number below 1."""

    def chosen(probabilities, rng):
        token = function(probabilities, rng.random())
        return probabilities.index(max(probabilities)) if token is None else token

    return chosen


ADAPTED = {"sample": sample_by_number}


class Own(NamedTuple):
    """A reader's function: the number of its exercise, its name there, and the function."""

    number: str
    name: str
    function: object


def own_functions():
    """({name of the course's function: Own}, sentences) of what the reader has passed and chat can use."""
    in_llama = {function.__name__ for function in [*IN_LLAMA, *all_called(IN_LLAMA)]} - {"linear"}
    places = in_llama | {function.__name__ for function in [*AROUND_IT, *all_called(AROUND_IT)]}
    found, (noted, said) = {}, read_passes()
    for number, one in noted.items():
        graded = GRADED_NAME.search(one.code)
        name = graded[1].removeprefix("my_") if graded else ""
        name = NAMES.get(name, name)
        if name not in places:
            continue
        function = written_in(one.code)[1].get(graded[1])
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                if function is None or not passes(function, number):
                    raise Mismatch(f"{graded[1]} no longer passes {number}.")
                if name in in_llama:
                    run_tiny_llama(name, function)
            found[name] = Own(number, graded[1], function)
        except Mismatch as mismatch:
            said.append(f"{mismatch} The course's {name} is in its place.")
    return found, said


class Mine:
    """The mathematics with the reader's functions in it, and how often each was called."""

    def __init__(self, own):
        self.own, self.calls = own, dict.fromkeys(own, 0)
        plain, around, copies = mathematics(), {}, {}
        for name, (_, _, function) in own.items():
            copies[name] = with_names(function, {})
            around[name] = lambda theirs, name=name: self.counted(name, theirs)
        adapted = {name: ADAPTED.get(name, same)(copy) for name, copy in copies.items()}
        self.names = mathematics(around, linear=packed_linear, **adapted)
        for name, copy in copies.items():  # inside it, its own name stays the course's
            copy.__globals__.update({**self.names, name: plain[name]})

    def counted(self, name, function):
        def call(*arguments, **named):
            self.calls[name] += 1
            try:
                return function(*arguments, **named)
            except Exception as error:
                number, mine, _ = self.own[name]
                raise Problem(
                    f"{mine} of {number} stopped with {type(error).__name__}: {str(error)[:100]!a}. Mend "
                    f"it, and grade it again; without --mine the course's {name} answers."
                ) from None

        return call

    def put_into(self, model):
        """Let a model call these functions; its forward pass, its tokenizer, and how it reads one matrix."""
        model.forward = self.names["llama_forward"]
        tokenizer = model.tokenizer
        tokenizer.apply_merges = self.names["apply_merges"]
        if "decode_tokens" in self.own:
            tokenizer.stream = lambda: stream(tokenizer.tokens, self.names["decode_tokens"])
        W = model.parameters[DECODED]
        if "decode_q4_1" in self.own and isinstance(W, PackedMatrix) and W.kind == "Q4_1":
            size = BLOCK_SIZES[W.kind]
            blocks = (bytes(W.data[i : i + size]) for i in range(0, len(W.data), size))
            numbers = [x for block in blocks for x in self.names["decode_q4_1"](block)]
            model.parameters[DECODED] = [numbers[i : i + W.n] for i in range(0, len(numbers), W.n)]

    def summary(self):
        """Which of the reader's functions were called, in a sentence."""
        called = [f"{self.own[name].name} ({self.own[name].number})" for name, n in self.calls.items() if n]
        if not called:
            return "No function of yours was called: the course's answered."
        times = sum(self.calls.values())
        what = "1 function of yours" if len(called) == 1 else f"{len(called)} functions of yours"
        return f"{what} answered, in {times:,} calls: {', '.join(called)}. The course's did the rest."


def stream(tokens, decode):
    """A function that takes one id after the other and gives the text that is complete by then."""
    read, shown = [], ""

    def text(i):
        nonlocal shown
        read.append(tokens[i])
        before, shown = shown, decode(read).rstrip("\N{REPLACEMENT CHARACTER}")
        return shown[len(before) :]

    return text


def nothing_of_yours():
    return (
        "You have not passed an exercise whose function the chat model calls, so the course's functions "
        f"answer. What to solve next:  {PROGRAM} progress"
    )
