"""The network of lesson 00 made of the reader's functions, from the embedding to AdamW: the end of Part I."""

import functools
import math
import random
import textwrap
from types import SimpleNamespace

from ... import (
    add,
    causal_mask,
    embedding_backward,
    feed_forward_backward,
    layer_norm_backward,
    linear_backward,
    multi_head_attention_backward,
)
from ...parameters import tree_map
from ..engine import FAST, mathematics, same, with_names
from ..show.display import table
from ..state.network import SEED, draw_parameters
from . import EXERCISES
from .passed import definition_of, lines_of
from .yours import PARTS, Mismatch, by_lesson, cells_before, passes, run_at, written_in

LESSON = "11"
NUMBERS = """01.a 01.b 01.c 01.d 02.a 03.a 03.b 03.c 04.a 04.b 06.a 07.a 07.c 08.a 09.a 09.b 09.c 09.d 09.e
10.a 10.b 10.c 10.d 11.a 11.b""".split()
# What the page calls itself; every other function stands in the mathematics, or is a part of one there.
CALLED_BY_THE_PAGE = ("X", "residual", "d_logits", "train")
OF_HEADS = "d_W_Q"
OUTSIDE_THE_NETWORK = ("X", "adamw_step", "train")


def my_network(*written_here):
    """The functions of the network, the reader's where an exercise is solved; and a table of whose they are.

    written_here are functions of the open notebook, which need not be saved. Those of earlier lessons are
    taken from the saved notebooks. What is not tried or not right stays out, and the course's is in place.
    """
    found = solved(written_here)
    names = with_own({name_of(number): function for number, (function, _) in found.items()})
    numbers = {name_of(number): number for number in NUMBERS}
    rows = by_lesson(numbers, {name_of(number): lines for number, (_, lines) in found.items()})
    return SimpleNamespace(**names), table(["lesson", "yours", "the course's", "your lines"], rows)


def name_of(number):
    return EXERCISES[number].solution.__name__.removeprefix("my_")


def solved(written_here):
    """{number: (function, lines)} of the exercises that the reader has solved; says what does not fit."""
    by_name, written, found = {EXERCISES[n].solution.__name__: n for n in NUMBERS}, {}, {}
    for _, source in cells_before(LESSON):
        number, defined = written_in(source, written)
        written |= defined
        for name, function in defined.items():
            if by_name.get(name) == number and fits(number, function):
                found[number] = function, lines_of(source, name)
    for function in written_here:
        number = by_name[function.__name__]
        if fits(number, function):
            found[number] = function, lines_of(textwrap.dedent(definition_of(function)), function.__name__)
    return found


def fits(number, function):
    """Whether an answer passes, and gives the same as ours in the whole network."""
    name = name_of(number)
    if not passes(function, number):
        return False
    rng = random.Random(SEED)
    varied = tree_map(lambda row: [w + rng.gauss(0, 0.3) for w in row], draw_parameters(rng))
    try:
        if name not in OUTSIDE_THE_NETWORK:
            run_at(varied, {name: function})
        return True
    except Mismatch as mismatch:
        print(f"{mismatch} The course's {name} is in place.")
        return False


def with_own(functions):
    """{name: function} of the whole mathematics, in which the reader's functions call each other by name."""
    plain, own, around = mathematics(), {}, {}

    def late(name):
        """What calls the reader's function when all are in place."""
        return lambda *arguments, **named: own[name](*arguments, **named)

    for name in functions:
        if name in CALLED_BY_THE_PAGE or name == OF_HEADS:
            continue
        whole, _, put_in = PARTS.get(name, (whole_name(name), None, None))
        part = put_in or (lambda part, ours: part)
        around[whole] = functools.partial(put_around, around.get(whole, same), part, late(name))
    if OF_HEADS in functions:
        around["multi_head_attention_backward"] = lambda ours: lambda *given: of_all_heads(names, own, *given)
    names = mathematics(around, **FAST, sum=same_sum)
    for number in NUMBERS:
        name = name_of(number)
        if name in functions or name in CALLED_BY_THE_PAGE or name == OF_HEADS:
            function = functions.get(name, EXERCISES[number].solution)
            whole = whole_name(name)  # inside it, its own name stays the course's
            own[name] = with_names(function, {**names, **{w: plain[w] for w in [whole] if w in plain}})
    names[backward_pass.__name__] = with_names(backward_pass, names)
    return names | {name: own[name] for name in CALLED_BY_THE_PAGE}


def backward_pass(p, a, d_logits, tokens):
    """The backward pass as lesson 10 shows it: the gradients of the 13 entries of p."""
    d_normed, d_W_lm, _ = linear_backward(d_logits, a["normed"], p["W_lm"])
    d_residual, d_gamma, d_beta = layer_norm_backward(d_normed, a["residual"], p["gamma"])
    d_branch, d_W_1, d_b_1, d_W_2, d_b_2 = feed_forward_backward(
        d_residual, a["attention_output"], p["W_1"], p["b_1"], p["W_2"]
    )
    d_attention_output = add(d_residual, d_branch)
    d_X, d_W_Q, d_W_K, d_W_V, d_W_O = multi_head_attention_backward(
        d_attention_output, a["X"], p["W_Q"], p["W_K"], p["W_V"], p["W_O"], causal_mask(len(tokens))
    )
    d_E_token = embedding_backward(d_X, tokens, p["E_token"])
    d_E_pos = embedding_backward(d_X, list(range(len(tokens))), p["E_pos"])
    return d_W_lm, d_gamma, d_beta, d_W_2, d_b_2, d_W_1, d_b_1, d_W_O, d_W_Q, d_W_K, d_W_V, d_E_token, d_E_pos


def same_sum(numbers, start=0):
    """sum, but floats are rounded once: from Python 3.12 on, sum itself rounds differently."""
    numbers = list(numbers)
    floats = any(isinstance(x, float) for x in [*numbers, start])
    return math.fsum([*numbers, start]) if floats else sum(numbers, start)


def put_around(before, put_in, part, ours):
    return put_in(part, before(ours))


def whole_name(name):
    """The name of the course's function that an exercise writes."""
    return {"adamw_step": "adamw_vector"}.get(name, name)


def of_all_heads(names, own, d_out, X, W_Q, W_K, W_V, W_O, mask=None):
    """The backward pass of multi-head attention with the reader's d_W_Q."""
    f = SimpleNamespace(**names)
    Q, K, V = ([f.linear(X, W) for W in heads] for heads in (W_Q, W_K, W_V))
    heads = [f.attention(q, k, v, mask) for q, k, v in zip(Q, K, V)]
    d_concat, d_W_O, _ = f.linear_backward(d_out, f.merge_heads(heads), W_O)
    d_heads = f.split_heads(d_concat, len(heads))
    d_Q_K_V = [f.attention_backward(*each, mask) for each in zip(d_heads, Q, K, V)]
    d_Q, d_K, d_V = map(list, zip(*d_Q_K_V))
    of_X = [f.linear_backward(d, X, W)[0] for d, W in zip(d_Q + d_K + d_V, W_Q + W_K + W_V)]
    return functools.reduce(f.add, of_X), *(own["d_W_Q"](d, X) for d in (d_Q, d_K, d_V)), d_W_O
