"""Run a Llama with the reader's own functions: a tiny one with random weights, and SmolLM2 where it is."""

import copy
import difflib
import random

from ...llama import llama_forward, llama_param_sizes
from ...parameters import random_matrix
from ..lessons.smollm2 import fast, fast_names
from ..show.progress import working
from .grader import is_stub, raised, short_repr
from .in_network import apart, in_words, ordinal

TINY = {
    "vocab_size": 11,
    "n_embd": 24,
    "n_layer": 2,
    "n_head": 6,
    "n_kv_head": 2,
    "n_inner": 20,
    "rope_base": 10000.0,
    "eps": 1e-5,
}
TOKENS = [3, 1, 4, 1, 5]
QUESTION, REPLY = "The capital of France is", 2


class Different(Exception):
    """The reader's function gives something else than ours; the message says where."""


def llama_with(model, **functions):
    """Run a Llama with the reader's functions in place of ours: llama_with(model, softmax=my_softmax).

    Prints one line: that the tiny Llama gives the same vectors, and what SmolLM2 answers; or where the first
    difference is.
    """
    known = fast_names()
    for name, function in functions.items():
        if name not in known or not callable(known[name]):
            near = difflib.get_close_matches(name, known, n=1)
            print(f"A Llama calls no {name}{f'; did you mean {near[0]}?' if near else '.'}")
            return
        if not callable(function):
            print(f"{name}: give the function itself, not {short_repr(function, 40)}.")
            return
    stubs = [name for name, function in functions.items() if is_stub(function)]
    own = {name: function for name, function in functions.items() if name not in stubs}
    lines = []
    if own:
        try:
            lines += [in_tiny(own, known), *in_model(model, own)]
        except Different as different:
            lines.append(str(different))
    if stubs:
        lines.append(f"{in_words(stubs)}: not tried yet, ours {'is' if len(stubs) == 1 else 'are'} in place.")
    print(" ".join(lines))


def in_tiny(own, known):
    """What the tiny Llama does with these functions; Different if one of them differs from ours."""
    rng, calls = random.Random(42), dict.fromkeys(own, 0)
    weights = {
        name: random_matrix(rng, *size, 0.5)
        if len(size) == 2
        else [rng.uniform(0.5, 2) for _ in range(size[0])]
        for name, size in llama_param_sizes(TINY).items()
    }
    watched = {name: compared(name, function, known[name], calls) for name, function in own.items()}
    names = fast_names()
    names.update(watched)  # every function in it looks its names up there
    forward = names["llama_forward"]
    X, cache = forward(TINY, weights, TOKENS[:-1])
    forward(TINY, weights, TOKENS[-1:], cache)
    unused = [name for name in own if not calls[name]]
    if unused:
        raise Different(f"The forward pass does not call {in_words(unused)}.")
    return f"{in_words(list(own))} in it: the tiny Llama gives the same vectors as with ours."


def compared(name, function, ours, calls):
    """The reader's function, whose every result is compared with that of ours."""

    def watch(*arguments, **named):
        calls[name] += 1
        where = f"The {ordinal(calls[name])} call of {name}"
        try:
            got = function(*copy.deepcopy(arguments), **named)
        except Exception as error:
            raise Different(f"{where} went wrong. {raised(error, function, '20')}") from None
        if got is None:
            raise Different(f"{where} returned None.")
        difference = apart(got, due := ours(*arguments, **named))
        if difference:
            raise Different(f"{where} first differs from ours{difference}")
        return due

    return watch


def in_model(model, own):
    """What SmolLM2 answers with these functions, in a list; an empty list where it is not here."""
    if not model.here:
        return []
    forward, cache, tokens = fast(llama_forward, **own), None, model.encode(QUESTION)
    with working("SmolLM2 reads with your functions", len(tokens) + REPLY) as step:
        for token in tokens:
            x, cache = model.read(token, cache, forward)
            step()
        said = []
        while len(said) < REPLY:
            logits = model.logits(x)
            said.append(logits.index(max(logits)))
            x, cache = model.read(said[-1], cache, forward)
            step()
    return [f"SmolLM2 with {in_words(list(own))} of yours: {QUESTION}{model.decode(said)}"]
