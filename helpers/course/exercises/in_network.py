"""Run the forward and the backward pass of lesson 00's network with the reader's own functions."""

import copy
import difflib
import functools
import math
import random
import types

from ...backward import cross_entropy_backward, embedding_backward, layer_norm_backward
from ...layers import layer_norm
from ...losses import token_losses
from ...matrices import add, matmul, scale, transpose
from ..engine import mathematics
from ..show.compare import agree, largest, leaves, misshapen, places, spell
from ..state.network import SEED, TARGETS, TOKENS, draw_parameters
from .grader import is_stub, raised, same_value, short_repr
from .lesson_10 import backward_pass

# A part of a function, as a reader writes it: the function it is a part of, what it should give, and how
# it is put in there.
PARTS = {
    "norm_row": (
        "layer_norm",
        lambda row, gamma, beta, eps: layer_norm([row], gamma, beta, eps)[0],
        lambda part, ours: lambda X, gamma, beta, eps=1e-5: [part(row, gamma, beta, eps) for row in X],
    ),
    "token_loss": (
        "token_losses",
        lambda row, target: token_losses([row], [target])[0],
        lambda part, ours: (
            lambda logits, targets: [part(row, t) for row, t in zip(logits, targets, strict=True)]
        ),
    ),
    "d_logits": (
        "token_losses_backward",
        lambda logits, targets: cross_entropy_backward(1.0, logits, targets),
        lambda part, ours: lambda d_out, logits, targets: part(logits, targets),  # every d_out is 1 / n here
    ),
    "layer_norm_backward_row": (
        "layer_norm_backward",
        lambda d_out, row, gamma, eps: layer_norm_backward([d_out], [row], gamma, eps)[0][0],
        lambda part, ours: (
            lambda d_out, X, gamma, eps=1e-5: (
                [part(d, row, gamma, eps) for d, row in zip(d_out, X, strict=True)],
                *ours(d_out, X, gamma, eps)[1:],
            )
        ),
    ),
    "d_keys": (
        "attention_scores_backward",
        lambda d_scores, Q: scale(matmul(transpose(d_scores), Q), 1 / math.sqrt(len(Q[0]))),
        lambda part, ours: lambda d_out, Q, K: (ours(d_out, Q, K)[0], part(d_out, Q)),
    ),
    "d_X": (
        "toy_backward",
        lambda *given: functools.reduce(add, map(matmul, sum(given[:3], []), sum(given[3:], []))),
        lambda part, ours: with_d_X(part, ours),
    ),
    "backward_pass": ("toy_backward", backward_pass, lambda part, ours: with_backward_pass(part, ours)),
}
OTHER_NAMES = {"two_heads": "multi_head_attention"}


def with_d_X(part, ours):
    """toy_backward with the gradients of X and of the embedding tables from the reader's function."""

    def toy_backward(p, a, tokens, targets):
        gradients, of_activations = ours(p, a, tokens, targets)
        of_heads = [of_activations[name] for name in "QKV"]
        d_X = part(*of_heads, p["W_Q"], p["W_K"], p["W_V"])
        d_E_token = embedding_backward(d_X, tokens, p["E_token"])
        d_E_pos = embedding_backward(d_X, list(range(len(tokens))), p["E_pos"])
        return gradients | {"E_token": d_E_token, "E_pos": d_E_pos}, of_activations

    return toy_backward


def with_backward_pass(part, ours):
    """toy_backward with every gradient from the reader's function."""

    def toy_backward(p, a, tokens, targets):
        gradients, of_activations = ours(p, a, tokens, targets)
        found = part(p, a, of_activations["logits"], tokens)
        return dict(zip(gradients, found, strict=True)), of_activations

    return toy_backward


class Parted(Exception):
    """The reader's function does something else than ours; the message says where."""


def network_with(**functions):
    """Run the network of lesson 00 with the reader's functions in place of ours, wherever ours are called.

    network_with(softmax=my_softmax, attention=my_attention) prints one line: the same number as ours, or
    where they part.
    """
    names = bare({}, {})
    if not functions:
        print("Give it functions of yours by name: network_with(softmax=my_softmax).")
        return
    for name, function in functions.items():
        if (
            name not in PARTS
            and name not in OTHER_NAMES
            and not isinstance(names.get(name), types.FunctionType)
        ):
            near = difflib.get_close_matches(name, [*names, *PARTS], n=1)
            print(
                f"There is no {name} in the network of lesson "
                f"00{f'; did you mean {near[0]}?' if near else '.'}"
            )
            return
        if not callable(function):
            print(
                f"{name}: give the function itself, its name without brackets, not "
                f"{short_repr(function, 40)}."
            )
            return
    stubs = [name for name, function in functions.items() if is_stub(function)]
    tried = {name: function for name, function in functions.items() if name not in stubs}
    waiting = (
        f"{in_words(stubs)}: not tried yet, ours {'is' if len(stubs) == 1 else 'are'} in place."
        if stubs
        else ""
    )
    print(" ".join(filter(None, [run_network(tried) if tried else "", waiting])))


def run_network(functions):
    """What the network does with these functions in it, in one line."""
    calls = dict.fromkeys(functions, 0)
    parameters = draw_parameters(random.Random(SEED))
    theirs, ours = bare(functions, calls, parameters), bare({}, {})
    try:
        got, due = network(theirs, parameters), network(ours, parameters)
        if not results_agree(got, due):
            raise Parted("The network of lesson 00 gives something else than ours.")
        forward = [name for name in functions if calls[name]]
        backward = [name for name in functions if not calls[name]]
        lines = []
        if forward:
            number = f"{got[1][TARGETS[1]]:.4f} for `like` after `I`"
            lines.append(
                f"{in_words(forward)} in it: the network of lesson 00 gives {number}, the same as ours."
            )
        if backward:
            lines.append(way_back(theirs, ours, parameters, backward, calls))
        return " ".join(lines)
    except Parted as parted:
        return str(parted)


def way_back(theirs, ours, parameters, names, calls):
    """Run every gradient; say that they are ours."""
    gradients = [all_gradients(namespace, parameters) for namespace in (theirs, ours)]
    unused = [name for name in names if not calls[name]]
    if unused:
        raise Parted(
            f"Neither the forward nor the backward pass of lesson 00's network calls {in_words(unused)}."
        )
    for name in parameters:
        if not results_agree(gradients[0][name], gradients[1][name]):
            raise Parted(f"The gradient of {name} is something else than ours.")
    count = sum(len(leaves(gradient)) for gradient in gradients[0].values())
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


# --- functions in a namespace of their own


def bare(functions, calls, parameters=None):
    """Every function of the mathematics in one namespace, some of them replaced, and watched.

    The functions call each other by name, so that what is replaced is replaced everywhere.
    """
    around, known = {}, tensor_names(parameters or {})
    for name, function in functions.items():
        target, reference, put_in = PARTS.get(name, (OTHER_NAMES.get(name, name), None, None))
        put = functools.partial(put_in_place, name, function, reference, put_in, calls, known)
        around[target] = one_after_the_other(around[target], put) if target in around else put
    return mathematics(around)


def put_in_place(name, function, reference, put_in, calls, known, ours):
    """What is called in place of our function."""
    watch = watched(name, function, reference or ours, calls, known)
    return put_in(watch, ours) if put_in else watch


def one_after_the_other(first, second):
    return lambda ours: second(first(ours))


def watched(name, function, reference, calls, known):
    """The reader's function; Parted as soon as it does something else than ours."""

    def watch(*arguments):
        calls[name] += 1
        where = f"The {ordinal(calls[name])} call of {name}{among(arguments, known)}"
        given = copy.deepcopy(arguments)
        try:
            got = function(*given)
        except Exception as error:
            raise Parted(f"{where} went wrong. {raised(error, function, '00')}") from None
        if got is None:
            raise Parted(f"{where} returned None.")
        if not all(map(same_value, given, arguments)):
            raise Parted(f"{where} changed what it was given; build a new list instead.")
        due = reference(*arguments)
        parting = apart(got, due)
        if parting:
            raise Parted(f"{where} first differs from ours{parting}")
        return got

    return watch


def tensor_names(parameters):
    """{id of a tensor: its name}, also for the matrices of each head."""
    known = {id(tensor): name for name, tensor in parameters.items()}
    heads = [(name, h, W) for name in ("W_Q", "W_K", "W_V") for h, W in enumerate(parameters.get(name, []))]
    return known | {id(W): f"{name}[{h}]" for name, h, W in heads}


def among(arguments, known):
    """Which parameters of the network a call was given, in words: ", with W_1 and b_1,"."""
    found = [known[id(argument)] for argument in arguments if id(argument) in known]
    return f", with {in_words(found)}," if found else ""


def apart(got, due):
    """Where two results part, in words; or None."""
    wrong = misshapen(got, due, "the result")
    if wrong:
        return f": {wrong}."
    pairs = (
        [(got, due, "")]
        if not isinstance(due, tuple)
        else [(g, d, f"[{i}]") for i, (g, d) in enumerate(zip(got, due))]
    )
    for mine, its, start in pairs:
        most = 1e-9 * (
            largest(its) or 1e-6
        )  # relative to the largest number; where all are 0, what rounding may leave
        for place, g, d in zip(places(mine, start), leaves(mine), leaves(its)):
            if not agree(g, d, most):
                yours, ours = (
                    (spell(g, d), spell(d, g))
                    if isinstance(g, (int, float))
                    else (short_repr(g, 40), repr(d))
                )
                return f"{f' at {place}' if place else ''}: yours {yours}, ours {ours}."
    return None


def results_agree(got, due):
    return apart(got, due) is None


def ordinal(n):
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def in_words(names):
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"
