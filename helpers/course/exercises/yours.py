"""The course's networks with the reader's functions in them: the forward and backward pass, and a Llama."""

import ast
import contextlib
import copy
import difflib
import functools
import io
import math
import os
import random
import types

import helpers

from ...llama import llama_param_sizes
from ...parameters import random_matrix, tree_map
from .. import ROOT
from ..engine import mathematics, same
from ..lessons.contents import cell_sources
from ..models.smollm2 import fast_names
from ..show.compare import disagreements, first_misfit, kind, largest, leaves
from ..state.network import SEED, TARGETS, TOKENS, draw_parameters
from ..state.registry import notebook_paths
from . import EXERCISES
from .judge import fault_of, in_digits, is_stub, no_function, same_value, stopped_by
from .passed import OTHER_NAMES, read_passes


class Mismatch(Exception):
    """The reader's function does something else than the course's; the message says where."""


def watched(name, function, ours, calls, number, known=None):
    """The reader's function, each of whose calls is counted, and compared with the same call of ours.

    known: {id of a tensor: its name}, to say what a call was given; number: the lesson, for exceptions.
    """

    def watch(*arguments, **named):
        calls[name] += 1
        where = f"The {ordinal(calls[name])} call of {name}{among(arguments, known or {})}"
        given = copy.deepcopy(arguments)
        try:
            got = function(*given, **named)
        except Exception as error:
            raise Mismatch(f"{where} went wrong. {stopped_by(error, function, number).sentence}") from None
        if got is None:
            raise Mismatch(f"{where} returned None.")
        if not all(same_value(now, old) for now, old in zip(given, arguments) if isinstance(old, list)):
            raise Mismatch(f"{where} changed what it was given; build a new list instead.")
        difference = first_difference(got, ours(*arguments, **named))
        if difference:
            raise Mismatch(f"{where} first differs from ours{difference}")
        return got

    return watch


def first_difference(got, due):
    """Where a result first differs from ours, in words; or None.

    Each part of a tuple has a tolerance relative to its largest number; where all numbers are 0, it is what
    rounding may leave. That of a single number is relative to 1 at least: near a zero of a derivative, the
    rounding error of finite differences is no mistake.
    """
    misfit = first_misfit(got, due)
    if misfit:
        place, mine, its = misfit
        return f": the result{place} is {kind(mine)}, expected {kind(its)}."
    parts = zip([f"[{i}]" for i in range(len(due))], got, due) if isinstance(due, tuple) else [("", got, due)]
    for name, mine, its in parts:
        size = largest(its) or 1e-6 if isinstance(its, list) else max(1, largest(its))
        for place, g, d in disagreements(mine, its, 1e-9 * size, name):
            at = f" at {place}" if place else ""
            return f"{at}: yours {in_digits(g, d)}, ours {in_digits(d, g)}."
    return None


def among(arguments, known):
    """Which of the known tensors a call was given, in words: ", with W_1 and b_1,"."""
    found = [known[id(argument)] for argument in arguments if id(argument) in known]
    return f", with {in_words(found)}," if found else ""


def ordinal(n):
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def in_words(names):
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"


def without_stubs(functions):
    """The functions that the reader has written, by name, and the names of the others."""
    stubs = [name for name, function in functions.items() if is_stub(function)]
    return {name: function for name, function in functions.items() if name not in stubs}, stubs


def not_tried(names):
    """What to say of functions that are still stubs; nothing if there are none."""
    if not names:
        return ""
    return f"{in_words(names)}: not tried yet, ours {'is' if len(names) == 1 else 'are'} in place."


def by_lesson(numbers, lines):
    """For each lesson, which functions are the reader's and which the course's, and the reader's lines; the
    last row is the sum.

    numbers is {function: number of its exercise}, lines {function of the reader's: its lines}.
    """
    listed = []
    for lesson in sorted({number[:2] for number in numbers.values()}):
        here = [name for name, number in numbers.items() if number[:2] == lesson]
        mine, ours = ([name for name in here if (name in lines) is own] for own in (True, False))
        of_lesson = sum(lines[name] for name in mine)
        listed.append([lesson, ", ".join(mine) or "none", ", ".join(ours) or "none", of_lesson])
    whole = [f"{len(lines)} of {len(numbers)}", len(numbers) - len(lines), sum(lines.values())]
    return [*listed, ["in total", *whole]]


def stopped(name, number, error):
    """What to say of a reader's function that has passed and stops all the same."""
    why = f"{type(error).__name__}: {str(error)[:100]!a}"
    return f"{name} of {number} stopped with {why}. Mend it, and grade it again."


def suggestion(name, known):
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else "."


# --- parts of a function, as a reader writes them


PARTS = {}


def part_of(whole, number):
    """Register what follows: it makes the whole function of the course from ours and from a part of its name.

    The exercise with this number has the part as its solution.
    """

    def register(put_in):
        PARTS[put_in.__name__] = whole, number, put_in
        return put_in

    return register


@part_of("layer_norm", "07.a")
def norm_row(part, ours):
    return lambda X, gamma, beta, eps=1e-5: [part(row, gamma, beta, eps) for row in X]


@part_of("add", "07.c")
def residual(part, ours):
    return lambda A, B: part(A, lambda X: B)


@part_of("token_losses", "08.a")
def token_loss(part, ours):
    return lambda logits, targets: [part(row, t) for row, t in zip(logits, targets, strict=True)]


@part_of("token_losses_backward", "09.a")
def d_logits(part, ours):
    return lambda d_out, logits, targets: part(logits, targets)  # every d_out is 1 / n here


@part_of("layer_norm_backward", "09.c")
def layer_norm_backward_row(part, ours):
    def whole(d_out, X, gamma, eps=1e-5):
        d_X = [part(d, row, gamma, eps) for d, row in zip(d_out, X, strict=True)]
        return d_X, *ours(d_out, X, gamma, eps)[1:]

    return whole


@part_of("layer_norm_backward", "09.d")
def gamma_beta_backward(part, ours):
    def whole(d_out, X, gamma, eps=1e-5):
        Z = helpers.layer_norm(X, [1.0] * len(gamma), [0.0] * len(gamma), eps)
        return ours(d_out, X, gamma, eps)[0], *part(d_out, Z)

    return whole


@part_of("attention_scores_backward", "10.c")
def d_keys(part, ours):
    return lambda d_out, Q, K: (ours(d_out, Q, K)[0], part(d_out, Q))


@part_of("toy_backward", "10.d")
def d_W_Q(part, ours):
    """The gradients of the projections to queries, keys and values come from the reader's function."""

    def whole(p, a, tokens, targets):
        gradients, of_activations = ours(p, a, tokens, targets)
        found = {f"W_{name}": part(of_activations[name], a["X"]) for name in "QKV"}
        return gradients | found, of_activations

    return whole


def names_with(functions, calls, parameters=None):
    """Every function of the mathematics in one namespace, some of them the reader's, which are watched.

    The functions call each other by name, so that what is replaced is replaced everywhere.
    """
    around, known = {}, tensor_names(parameters or {})
    for name, function in functions.items():
        whole = PARTS[name][0] if name in PARTS else OTHER_NAMES.get(name, name)
        before = around.get(whole, same)
        around[whole] = functools.partial(put_in_place, before, name, function, calls, known)
    return mathematics(around)


def put_in_place(before, name, function, calls, known, ours):
    """What is called in place of our function: the reader's, or ours with the reader's part in it.

    before has put other parts into ours.
    """
    if name not in PARTS:
        return watched(name, function, before(ours), calls, "00", known)
    _, number, put_in = PARTS[name]
    part = watched(name, function, EXERCISES[number].solution, calls, "00", known)
    return put_in(part, before(ours))


def tensor_names(parameters):
    """{id of a tensor: its name}, also for the matrices of each head."""
    known = {id(tensor): name for name, tensor in parameters.items()}
    heads = [(name, h, W) for name in ("W_Q", "W_K", "W_V") for h, W in enumerate(parameters.get(name, []))]
    return known | {id(W): f"{name}[{h}]" for name, h, W in heads}


# --- the network of lesson 00


def network_with(**functions):
    """Run the network of lesson 00 with the reader's functions in place of ours, wherever ours are called.

    network_with(softmax=my_softmax, attention=my_attention) prints one line: the same number as ours, or
    where the two differ.
    """
    refusal = refused(functions)
    if refusal:
        print(refusal)
        return
    tried, stubs = without_stubs(functions)
    print(" ".join(filter(None, [run_network(tried) if tried else "", not_tried(stubs)])))


def refused(functions):
    """Why the network cannot run with these functions, in a sentence; or None."""
    if not functions:
        return "Give it functions of yours by name: network_with(softmax=my_softmax)."
    names = names_with({}, {})
    known = [name for name, value in names.items() if isinstance(value, types.FunctionType)]
    known += [*PARTS, *OTHER_NAMES]
    for name, function in functions.items():
        if name not in known:
            return f"There is no {name} in the network of lesson 00{suggestion(name, known)}"
        if not callable(function):
            return f"{name}: {no_function(function)}."
    return None


def run_network(functions):
    """What the network does with these functions in it, in one line.

    At the start gamma is 1, beta is 0 and all weights are small, so that some mistakes make no difference.
    So the network runs with other parameters, too.
    """
    rng, start = random.Random(SEED), draw_parameters(random.Random(SEED))
    varied = tree_map(lambda row: [w + rng.gauss(0, 0.3) for w in row], start)
    try:
        said = run_at(start, functions)
    except Mismatch as mismatch:
        return str(mismatch)
    try:
        run_at(varied, functions)
    except Mismatch as mismatch:
        start = "the initial parameters (gamma is 1, beta is 0, the weights are small)"
        return f"The same as ours at {start}. At other parameters: {mismatch}"
    return said


def run_at(parameters, functions):
    """What the network does with these parameters and functions, in one line; Mismatch if it differs."""
    calls = dict.fromkeys(functions, 0)
    theirs, ours = names_with(functions, calls, parameters), names_with({}, {})
    got, due = network(theirs, parameters), network(ours, parameters)
    if first_difference(got, due):
        raise Mismatch("The network of lesson 00 gives something else than ours.")
    forward = [name for name in functions if calls[name]]
    rest = [name for name in functions if not calls[name]]
    lines = []
    if forward:
        number = f"{got[1][TARGETS[1]]:.4f} for `like` after `I`"
        lines = [f"{in_words(forward)} in it: the network of lesson 00 gives {number}, the same as ours."]
    if rest:
        activations = theirs["toy_forward"](parameters, TOKENS, TARGETS)
        of_loss = [name for name in rest if calls[name]]
        backward = [name for name in rest if not calls[name]]
        if of_loss:
            said = f"the network of lesson 00 has a loss of {activations['loss']:.4f}, the same as ours."
            lines.append(f"{in_words(of_loss)} in it: {said}")
        if backward:
            lines.append(check_backward(theirs, ours, parameters, backward, calls))
    return " ".join(lines)


def check_backward(theirs, ours, parameters, names, calls):
    """Compute every gradient with the reader's functions; say that they equal ours."""
    found, due = [all_gradients(namespace, parameters) for namespace in (theirs, ours)]
    unused = [name for name in names if not calls[name]]
    if unused:
        passes = "Neither the forward nor the backward pass of lesson 00's network calls"
        raise Mismatch(f"{passes} {in_words(unused)}.")
    for name in parameters:
        if first_difference(found[name], due[name]):
            raise Mismatch(f"The gradient of {name} is something else than ours.")
    count = sum(len(leaves(gradient)) for gradient in due.values())
    return f"{in_words(names)} in the backward pass: all {count:,} gradients equal the course's."


def network(names, p):
    """The network of lesson 00, from the tokens to the probabilities, made of whatever functions the
    names stand for."""
    f = types.SimpleNamespace(**names)
    X = f.add(f.embedding(TOKENS, p["E_token"]), f.embedding(list(range(len(TOKENS))), p["E_pos"]))
    attended = f.multi_head_attention(X, p["W_Q"], p["W_K"], p["W_V"], p["W_O"], f.causal_mask(len(TOKENS)))
    fed = f.feed_forward(attended, p["W_1"], p["b_1"], p["W_2"], p["b_2"])
    normed = f.layer_norm(f.add(attended, fed), p["gamma"], p["beta"])
    return [f.softmax(row) for row in f.linear(normed, p["W_lm"])]


def all_gradients(names, p):
    activations = names["toy_forward"](p, TOKENS, TARGETS)
    return names["toy_backward"](p, activations, TOKENS, TARGETS)[0]


# --- a Llama

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
TINY_TOKENS = [3, 1, 4, 1, 5]
LLAMA_LESSON = "20"


def run_tiny_llama(name, function):
    """Run a tiny Llama with the reader's function; Mismatch if it differs from ours or is not called."""
    rng, calls = random.Random(42), {name: 0}
    weights = {}
    for tensor, size in llama_param_sizes(TINY).items():
        if len(size) == 2:
            weights[tensor] = random_matrix(rng, *size, 0.5)
        else:
            weights[tensor] = [rng.uniform(0.5, 2) for _ in range(*size)]
    names = fast_names()
    names[name] = watched(name, function, fast_names()[name], calls, LLAMA_LESSON)
    forward = names["llama_forward"]  # every function in it looks its names up there
    _, cache = forward(TINY, weights, TINY_TOKENS[:-1])
    forward(TINY, weights, TINY_TOKENS[-1:], cache)
    if not calls[name]:
        raise Mismatch(f"The forward pass does not call {name}.")


def yours(number, function):
    """The reader's function if it passes its exercise, else ours: yours("20.c", my_answer)."""
    return function if passes(function, number) else EXERCISES[number].solution


def passes(function, number):
    """Whether a function is written, and right for every input of an exercise. Nothing is printed."""
    if not callable(function) or is_stub(function):
        return False
    with contextlib.redirect_stdout(io.StringIO()):
        return not any(fault_of(number, function, arguments) for arguments in EXERCISES[number].inputs)


def missing_name(function, number):
    """The name that a function does not find, on an input of an exercise; None if it finds all."""
    for arguments in EXERCISES[number].inputs:
        try:
            function(*copy.deepcopy(arguments))
        except NameError as error:
            return error.name
        except Exception:
            return None
    return None


def cells_before(number):
    """(lesson, source) of what passed in earlier lessons, then of the cells of their notebooks and copies.

    So an answer is found whose page an update has replaced. Of a lesson and its copies, such as
    my_03_attention.ipynb, the one saved last comes last.
    """
    for passed_number, noted in read_passes()[0].items():
        if passed_number[:2] < number:
            yield passed_number[:2], noted.code
    for path in notebook_paths(ROOT / "notebooks"):
        lesson = path.stem.partition("_")[0]
        if lesson < number:
            copies = path.parent.glob(f"my_{path.stem}*.ipynb")
            for page in sorted([path, *copies], key=os.path.getmtime):
                yield from ((lesson, source) for source in cell_sources(page))


def written_in(source, known=()):
    """The number of the exercise in a cell, and {name: function} of what the cell defines.

    Only the definitions and imports of the cell are run. known holds what earlier cells defined.
    """
    number = source.partition('grade("')[2].partition('"')[0]
    if not number or number not in EXERCISES:
        return number, {}
    names = {**notebook_names(), **dict(known)}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        tree = ast.parse(source)
        kinds = ast.FunctionDef, ast.Import, ast.ImportFrom
        tree.body = [node for node in tree.body if isinstance(node, kinds)]
        exec(compile(tree, f"lesson {number}", "exec"), names)
        return number, {node.name: names[node.name] for node in tree.body if hasattr(node, "args")}
    return number, {}


def notebook_names():
    """What a notebook imports, without input checks."""
    public = {name: value for name, value in vars(helpers).items() if not name.startswith("__")}
    return {**public, **fast_names(), **vars(math)}
