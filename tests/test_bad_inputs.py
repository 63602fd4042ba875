"""What no function of the mathematics takes: one table over all of them, with their checks and without.

A row of CALLS is a sound call. What is tried instead follows from the line above the function, so that a function of a later
Part needs one row and no more. Each refusal names the function, and the argument as the caller knows it.
"""

import copy
import inspect
import itertools
import math
import random
import re
from collections import Counter

import pytest
from tables import holds, mathematics

from helpers import block_forward, contracts, gelu, gelu_slope, gpt_forward, gpt_parameters, relu, toy_forward
from helpers.contracts import parse, shapes
from helpers.gpt import BLOCK
from helpers.toy import PARAMETERS

FUNCTIONS = mathematics()
INF, NAN = math.inf, math.nan
NO_LISTS = [None, 3, 2.5, "ab", {0: [1]}, {1, 2}]
NO_NUMBERS = [None, "1", [1.0], {}]


def grid(*sizes, start=1):
    """A nest of so many numbers, no row of them constant."""
    if not sizes:
        return (start * 37 % 11 - 5) / 8
    return [grid(*sizes[1:], start=start * 5 + i) for i in range(sizes[0])]


def greedy_token(logits):
    return logits.index(max(logits))


def drawn(rules, **sizes):
    """The nests that rules like {"W": "m n"} ask for."""
    return {name: grid(*(math.prod(sizes[part] for part in letters.split("*")) for letters in rule.split()))
            for name, rule in rules.items()}  # fmt: skip


TOY = {
    "parameters": drawn(PARAMETERS, V=6, P=4, D=4, H=2, k=3, v=5, F=7),
    "tokens": [1, 5, 3], "targets": [5, 3], "eps": 0.1,
}  # fmt: skip
GPT_CONFIG = {"vocab_size": 6, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 7}
GPT = {
    "config": GPT_CONFIG, "parameters": gpt_parameters(GPT_CONFIG, random.Random(1)), "tokens": [1, 5, 3], "targets": [5, 3],
}  # fmt: skip
CACHE = {name: gpt_forward(**GPT)[name] for name in ("h.0.attn.K", "h.0.attn.V")}
ONE_BLOCK = {"parameters": {name: GPT["parameters"][f"h.0.{name}"] for name in BLOCK}, "X": grid(3, 4)}
NEST = {"W": [[1.0, -2.0, 3.0], [0.5, 2.0, 1.0]], "b": [4.0, 5.0]}
HEADS = {
    "X": grid(3, 4), "W_Q": grid(2, 5, 4), "W_K": grid(2, 5, 4), "W_V": grid(2, 6, 4),
    "W_O": grid(7, 12), "mask": grid(3, 3),
}  # fmt: skip
Q_K_V = {"Q": grid(2, 3), "K": grid(4, 3), "V": grid(4, 5), "mask": grid(2, 4)}
FEED_FORWARD = {"X": grid(2, 3), "W_1": grid(4, 3), "b_1": grid(4), "W_2": grid(5, 4)}

PDF = b"1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [3 0 R]>> endobj 3 0 obj <</Contents 4 0 R /Resources "
PDF += b"<</Font <</F <<>> >> >> >> endobj 4 0 obj << >> stream\nBT /F 9 Tf (Ant) Tj ET\nendstream endobj"

# a sound call of every function: small, no matrix square but a mask, gamma not 1
CALLS = {
    # matrices
    "dot": {"u": grid(3), "v": grid(3)},
    "matmul": {"A": grid(2, 3), "B": grid(3, 4)},
    "transpose": {"A": grid(2, 3)},
    "add": {"A": grid(2, 3), "B": grid(2, 3)},
    "scale": {"A": grid(2, 3), "c": 2.5},
    # parameters
    "random_vector": {"rng": random.Random(1), "n": 3, "sigma": 0.5},
    "random_matrix": {"rng": random.Random(1), "rows": 2, "columns": 3, "sigma": 0.5},
    "glorot_uniform": {"rng": random.Random(1), "rows": 2, "columns": 3},
    "count_parameters": {"parameters": NEST},
    "tree_map": {"function": lambda *vectors: [sum(column) for column in zip(*vectors, strict=True)], "trees": (NEST, NEST)},
    # activations
    **{name: {"x": 0.5} for name in ("relu", "gelu", "gelu_exact", "gelu_sigmoid")},
    **{f"{name}_slope": {"x": 0.5} for name in ("relu", "gelu", "gelu_exact", "gelu_sigmoid")},
    # layers
    "embedding": {"ids": [2, 0], "E": grid(4, 3)},
    "linear": {"X": grid(2, 3), "W": grid(4, 3), "b": grid(4)},
    "layer_norm": {"X": grid(2, 3), "gamma": grid(3), "beta": grid(3), "eps": 0.1},
    "rms_norm": {"X": grid(2, 3), "gamma": grid(3), "eps": 0.1},
    "feed_forward": {**FEED_FORWARD, "b_2": grid(5), "activation": relu},
    # attention_heads
    "softmax": {"scores": grid(3)},
    "causal_mask": {"T": 3},
    "attention_scores": {name: Q_K_V[name] for name in ("Q", "K", "mask")},
    "attention": Q_K_V,
    "merge_heads": {"heads": grid(2, 3, 4)},
    "split_heads": {"X": grid(3, 8), "H": 2},
    "multi_head_attention": HEADS,
    # losses
    "token_losses": {"logits": grid(2, 3), "targets": [2, 0]},
    "cross_entropy": {"logits": grid(2, 3), "targets": [2, 0]},
    "perplexity": {"loss": 1.5},
    # backward
    "dot_backward": {"d_out": 2.0, "u": grid(3), "v": grid(3)},
    "matmul_backward": {"d_out": grid(2, 4), "A": grid(2, 3), "B": grid(3, 4)},
    "transpose_backward": {"d_out": grid(2, 3)},
    "add_backward": {"d_out": grid(2, 3)},
    "scale_backward": {"d_out": grid(2, 3), "A": grid(2, 3), "c": 2.5},
    "embedding_backward": {"d_out": grid(2, 3), "ids": [2, 0], "E": grid(4, 3)},
    "linear_backward": {"d_out": grid(2, 4), "X": grid(2, 3), "W": grid(4, 3)},
    "activation_backward": {"d_out": grid(2, 3), "X": grid(2, 3), "slope": gelu_slope},
    "feed_forward_backward": {"d_out": grid(2, 5), **FEED_FORWARD, "activation": gelu, "slope": gelu_slope},
    "layer_norm_backward": {"d_out": grid(2, 3), "X": grid(2, 3), "gamma": grid(3), "eps": 0.1},
    "rms_norm_backward": {"d_out": grid(2, 3), "X": grid(2, 3), "gamma": grid(3), "eps": 0.1},
    "softmax_backward": {"d_out": grid(3), "weights": [0.5, 0.25, 0.25]},
    "attention_scores_backward": {"d_out": grid(2, 4), "Q": grid(2, 3), "K": grid(4, 3)},
    "attention_backward": {"d_out": grid(2, 5), **Q_K_V},
    "multi_head_attention_backward": {"d_out": grid(3, 7), **HEADS},
    "token_losses_backward": {"d_out": grid(2), "logits": grid(2, 3), "targets": [2, 0]},
    "cross_entropy_backward": {"d_out": 2.0, "logits": grid(2, 3), "targets": [2, 0]},
    "perplexity_backward": {"d_out": 2.0, "loss": 1.5},
    # differences
    "central_differences": {"function": lambda A: A["W"][1][2] * A["b"][0], "A": NEST, "h": 0.25},
    # optimizers
    "sgd_step": {"parameters": NEST, "gradients": NEST, "lr": 0.5},
    "adamw_start": {"parameters": NEST},
    "adamw_vector": {
        "p": grid(3), "g": grid(3), "m": grid(3), "v": [1.0, 0.5, 0.25], "step": 2,
        "lr": 0.5, "beta_1": 0.5, "beta_2": 0.25, "eps": 0.1, "decay": 0.5,
    },
    "adamw_step": {
        "parameters": NEST, "gradients": NEST,
        "optimizer": {"step": 2, "m": NEST, "v": {"W": [[1.0] * 3] * 2, "b": [2.0] * 2}},
        "lr": 0.5, "betas": (0.5, 0.25), "eps": 0.1, "decay": 0.5, "undecayed": ["b"],
    },
    # texts
    "clean": {"text": "An ant"},
    "plain_words": {"text": "An ant"},
    "unique": {"texts": ["An ant", "an ant"]},
    "shingles": {"text": "An ant", "n": 4},
    "near_duplicates": {"texts": ["An ant", "an ant"], "least": 0.5, "n": 4},
    "leaks": {"training": ["An ant"], "held_out": ["an ant"], "least": 0.5, "n": 4},
    "cut": {"text": "An ant", "most": 4},
    # documents, pdf
    "decode": {"data": b"An ant", "otherwise": "cp1252"},
    "read_documents": {"path": "An ant", "otherwise": "cp1252"},
    "pdf_text": {"data": PDF},
    # toy
    "toy_forward": TOY,
    "toy_backward": {**TOY, "activations": toy_forward(**TOY)},
    # gpt
    **{name: {"config": GPT_CONFIG} for name in ("gpt_letters", "gpt_sizes")},
    "gpt_parameters": {"config": GPT_CONFIG, "rng": random.Random(1)},
    "project_qkv": {"parameters": {name: ONE_BLOCK["parameters"][name] for name in list(BLOCK)[:4]}, "X": ONE_BLOCK["X"], "H": 2},
    "block_output": {
        "parameters": {name: ONE_BLOCK["parameters"][name] for name in list(BLOCK)[4:]}, "X": ONE_BLOCK["X"],
        "heads": grid(2, 3, 2),
    },
    "block_forward": {**ONE_BLOCK, "H": 2},
    "block_backward": {"d_out": grid(3, 4), **ONE_BLOCK, "activations": block_forward(**ONE_BLOCK, H=2)},
    "gpt_forward": GPT,
    "gpt_backward": {**GPT, "activations": gpt_forward(**GPT)},
    # ngrams
    "count_ngrams": {"documents": [[0, 5, 1], [0, 1]], "n": 2},
    "ngram_losses": {"document": [0, 5, 1], "counts": {(0,): {5: 2}}, "n": 2, "V": 6, "amount": 0.5},
    # training
    "list_characters": {"texts": ["ba", "cab"]},
    "text_to_tokens": {"text": "ab", "characters": ["<PAD>", "<BOS>", "<EOS>", "a", "b"]},
    "split_documents": {"documents": [[1, 2], [1, 3], [1, 4]], "choosing": 1, "held_out": 1, "rng": random.Random(1)},
    "next_batch": {"deck": [1], "n": 3, "size": 2, "rng": random.Random(1)},
    "add_gradients": {"total": NEST, "gradients": NEST, "share": 0.5},
    "batch_gradients": {**{name: GPT[name] for name in ("config", "parameters")}, "documents": [[1, 3, 2], [1, 2]]},
    "mean_loss": {**{name: GPT[name] for name in ("config", "parameters")}, "documents": [[1, 3, 2], [1, 2]]},
    "learning_rate": {"step": 3, "steps": 10, "lr": 0.5, "warm_up": 2},
    "global_norm": {"gradients": NEST},
    "clip_gradients": {"gradients": NEST, "most": 0.5},
    "without_decay": {"parameters": NEST},
    # sampling
    "likeliest_first": {"probabilities": [0.25, 0.5, 0.25]},
    "keep_only": {"probabilities": [0.25, 0.5, 0.25], "kept": [0, 1]},
    "greedy": {"probabilities": [0.25, 0.5, 0.25]},
    "with_temperature": {"logits": grid(3), "temperature": 0.5},
    "top_k": {"probabilities": [0.25, 0.5, 0.25], "k": 2},
    "top_p": {"probabilities": [0.25, 0.5, 0.25], "p": 0.75},
    "min_p": {"probabilities": [0.25, 0.5, 0.25], "p": 0.5},
    "sample": {"probabilities": [0.25, 0.5, 0.25], "rng": random.Random(1)},
    # cache
    "gpt_next": {"config": GPT_CONFIG, "parameters": GPT["parameters"], "token": 3, "cache": CACHE},
    "generate": {"config": GPT_CONFIG, "parameters": GPT["parameters"], "prompt": [1, 5], "choose": greedy_token, "length": 5, "end": 2},
    "beam_search": {"config": GPT_CONFIG, "parameters": GPT["parameters"], "prompt": [1, 5], "width": 2, "length": 5, "end": 2},
    # tape
    "gelu_rows": {"X": grid(2, 3)},
    "relu_rows": {"X": grid(2, 3, start=2)},
    "softmax_rows": {"scores": grid(2, 3)},
    "softmax_rows_backward": {"d_out": grid(2, 3), "weights": grid(2, 3)},
}  # fmt: skip

SURPLUS = {**GPT["parameters"], "h.1.ln_1.bias": [0.0] * 4}
UNSHARED = {**GPT_CONFIG, "n_head": 3}

# what no rule of shapes can say: the argument, what is given, what the message says instead of the argument's name
BLIND = "every score is -inf"
ALSO = {
    "softmax": [("scores", scores, BLIND) for scores in ([-INF] * 3, [0, NAN, 1], [0, INF], [NAN, -INF])],
    "softmax_rows": [("scores", [[0, 1], scores], BLIND) for scores in ([-INF] * 2, [0, NAN], [0, INF], [NAN, -INF])],
    "attention": [("mask", [[0] * 4, [-INF] * 4], BLIND), ("Q", [[NAN] * 3] * 2, "nan")],
    "attention_backward": [("mask", [[-INF] * 4] * 2, BLIND)],
    "multi_head_attention": [("mask", [[0] * 3, [-INF] * 3, [0] * 3], BLIND)],
    "multi_head_attention_backward": [("mask", [[-INF] * 3] * 3, BLIND)],
    "split_heads": [("H", 3, ""), ("H", 5, ""), ("H", 16, "")],
    "toy_forward": [("targets", [1] * 4, "4 targets, 3 tokens"), ("tokens", [1] * 5, "5 tokens, 4 positions")],
    **{name: [("config", UNSHARED, "")] for name in ("gpt_letters", "gpt_sizes", "gpt_parameters")},
    "gpt_forward": [
        ("targets", [1] * 4, ""), ("tokens", [1] * 5, ""), ("parameters", SURPLUS, ""), ("config", UNSHARED, ""),
        *[("config", {**GPT_CONFIG, name: 9}, "by config") for name in GPT_CONFIG if name not in ("n_head", "n_layer", "n_embd")],
        ("config", {**GPT_CONFIG, "n_embd": 8}, "by config"), ("config", {**GPT_CONFIG, "n_layer": 2}, "has no h.1.ln_1.weight"),
    ],
    "gpt_backward": [("parameters", SURPLUS, ""), ("config", UNSHARED, "")],
    "split_documents": [("choosing", 3, "nothing is left"), ("held_out", 2, "nothing is left")],
    "text_to_tokens": [("text", "axb", "never seen")],
    "learning_rate": [("step", 10, "steps count from 0 to 9"), ("warm_up", 10, "leave some steps")],
    "adamw_start": [("parameters", {"b": 3.0}, ""), ("parameters", {"b": []}, ""), ("parameters", {"W": [[1], [2, 3]]}, "")],
    "activation_backward": [(name, [[1, 2, 3], [4, 5, wrong]], "") for name in ("d_out", "X") for wrong in NO_NUMBERS],
    "sgd_step": [(name, {"b": wrong}, "") for name in ("parameters", "gradients") for wrong in (3.0, [], [[1], [2, 3]])],
    "tree_map": [("trees", wrong, "") for wrong in ((), (3,), ({"b": 3.0},), ([],), ([[1], [2, 3]],), (None, None))],
}  # fmt: skip


# --- the faults that follow from a rule


def depths(nest):
    """The lengths from the outside in, of a nest that is sound."""
    return (len(nest), *depths(nest[0])) if isinstance(nest, (list, tuple)) else ()


def edited(nest, path, change):
    """A copy in which change was made to what stands at the end of the path."""
    if not path:
        return change(copy.deepcopy(nest))
    parts = copy.deepcopy(nest)
    if isinstance(parts, tuple):
        parts = list(parts)
    parts[path[0]] = edited(parts[path[0]], path[1:], change)
    return tuple(parts) if isinstance(nest, tuple) else parts


def resized(nest, axis, by):
    """One entry more or less, everywhere along one axis."""
    if axis:
        return [resized(entry, axis - 1, by) for entry in nest]
    return [*nest, copy.deepcopy(nest[-1])] if by > 0 else list(nest)[:-1]


def of_shape(rule, value, letters):
    sizes = depths(value)
    last = [n - 1 for n in sizes]
    yield from (("kind", bad) for bad in NO_LISTS)
    yield from (("kind", bad) for bad in ([], [value], value[0]))
    for depth in range(1, len(sizes)):  # what stands where a row or a matrix belongs
        for bad in (None, 7, "ab", {0: 1, 1: 2}, [], [[]]):
            yield "kind", edited(value, last[:depth], lambda _: bad)
        for by, axis in itertools.product((-1, 1), range(depth, len(sizes))):
            yield "ragged", edited(value, last[:depth], lambda part: resized(part, axis - depth, by))
    for bad in NO_NUMBERS:
        yield "kind", edited(value, last, lambda _: bad)
    for axis, letter in enumerate(rule.what):
        for by in (-1, 1):
            if (letter.isdigit() or letters[letter][1] > 1) and sizes[axis] + by:
                yield "length", resized(value, axis, by)
    yield from (("bounds", edited(value, last, lambda _: bad)) for bad in beyond(rule, letters))


def beyond(rule, letters):
    """Numbers that break the bounds of a rule."""
    for sign, limit in rule.bounds:
        if limit in letters:
            top = letters[limit][0]
            yield from (-1, top, top + 5, 0.5, 1.0, NAN, INF)
        else:
            x = float(limit)
            beyond_it = INF if sign == "<" else -INF
            yield from (*([x] if sign in "<>" else []), math.nextafter(x, beyond_it), beyond_it, NAN)
    if rule.finite:
        yield from (NAN, INF, -INF)


def of_nest(value):
    """A nest of dicts and lists whose first name and last number are spoiled."""
    yield from (("kind", bad) for bad in (None, "ab", {1, 2}))
    path = inner_path(value)
    yield from (("kind", edited(value, path, lambda _: bad)) for bad in (None, "1", 1j, {1}))


def inner_path(value):
    """The way to the last number."""
    if isinstance(value, dict):
        key = list(value)[-1]
    elif isinstance(value, (list, tuple)):
        key = len(value) - 1
    else:
        return []
    return [key, *inner_path(value[key])]


def of_likeness(value):
    """A nest that is built otherwise."""
    yield from (("kind", bad) for bad in (None, 3, "ab", [], [1.0], {}))
    name, *path = inner_path(value)
    yield "length", {key: part for key, part in value.items() if key != name}
    yield "length", {**value, "new": [1.0]}
    yield "length", {(key if key != name else "other"): part for key, part in value.items()}
    for by in (-1, 1):
        yield "length", edited(value, [name, *path[:-1]], lambda vector: resized(vector, 0, by))
    yield "kind", edited(value, [name], lambda part: [part])
    first = next(iter(value))
    if len(depths(value[first])) > 1:
        yield "ragged", edited(value, [first, 1], lambda row: row[:-1])
        yield "length", edited(value, [first], lambda part: part[:-1])
    yield from (("kind", edited(value, [name, *path], lambda _: bad)) for bad in (None, "1"))


def of_kind(rule, value, letters):
    """What a rule without a shape does not allow."""
    kind = rule.what[0]
    if kind == "number":
        yield from (("kind", bad) for bad in (None, "1", [1.0], [[1.0]], (1,), {}, 1j, True, math.exp))
        yield from (("bounds", bad) for bad in beyond(rule, letters))
    elif kind == "whole":
        yield from (("kind", bad) for bad in (None, -1, -3, 1.5, 2.0, "3", [3], True, NAN))
        yield from (("bounds", int(bad)) for bad in beyond(rule, letters) if math.isfinite(bad))
    elif kind == "length":
        yield from (("kind", bad) for bad in (None, 0, -1, 2.0, "3", [3], True))
    elif kind == "function":
        yield from (("kind", bad) for bad in (None, 3, "gelu", [gelu], {}))
        if rule.watch:
            yield from (("kind", lambda *_, bad=bad: bad) for bad in (None, "1", [1.0], [[1.0]], 1j, True))
    elif kind in ("text", "path"):
        yield from (("kind", bad) for bad in (None, 3, b"ab", ["ab"], {}))
    elif kind == "texts":
        yield from (("kind", bad) for bad in (None, 3, "ab", {"ab": "c"}, {"ab"}, ["ab", None], [b"ab"], [["ab"]]))
    elif kind == "bytes":
        yield from (("kind", bad) for bad in (None, 3, "ab", [1], bytearray(b"ab")))
    elif kind == "stream":
        yield from (("kind", bad) for bad in (None, 42, "42", random.gauss, random.Random, [1]))
    elif kind in ("nest", "tensors"):
        yield from of_nest(value)
    elif kind == "like":
        yield from of_likeness(value)
    elif kind == "nests":
        for i in range(len(value)):
            yield from ((kind, (*value[:i], bad, *value[i + 1 :])) for kind, bad in of_likeness(value[i]))
    elif kind == "names":
        yield from (("kind", bad) for bad in (None, 3, "b", "ab", ["nobody"], ["b", "c"], [1], ("c",), {"b": 1}))


def faults(rule, value, letters):
    """(kind of fault, what is given instead) for one argument."""
    if not isinstance(rule, dict):
        yield from (of_kind if rule.kind else of_shape)(rule, value, letters)
        return
    yield from (("kind", bad) for bad in (None, 3, "ab", [], [1.0], {}))
    for name, inner in rule.items():
        yield "kind", {key: part for key, part in value.items() if key != name}
        yield from ((kind, {**value, name: bad}) for kind, bad in faults(inner, value[name], letters))


def axes(rule, value):
    """(letter, length) of every axis of an argument."""
    if isinstance(rule, dict):
        return [axis for name, inner in rule.items() for axis in axes(inner, value[name])]
    if rule.kind:
        return [(rule.what[-1], value)] if rule.what[0] == "length" else []
    return list(zip(rule.what, depths(value)))


def letters(rules, given):
    """{letter: (its length, how many axes have it)}; a product ties the letters that it is made of."""
    found = [axis for name, rule in rules.items() for axis in axes(rule, given[name])]
    uses = Counter(part for letter, _ in found for part in {letter, *letter.split("*")})
    return {letter: (size, uses[letter] + ("*" in letter)) for letter, size in found}


# --- what a refusal must be


def rules_of(function, given):
    return {name: parse(inspect.unwrap(rule)(given["config"]) if callable(rule) else rule) for name, rule in function.rules.items()}


def call(function, given):
    return function(*(x for name, value in given.items() for x in (value if name == "trees" else [value])))


def in_order(function, given):
    """The arguments in the order in which the function takes them."""
    return {name: given[name] for name in inspect.signature(function).parameters}


def bad_calls(function, given):
    """(kind of fault, the argument, what the message must hold, the arguments) for every fault of every argument."""
    rules, parameters = rules_of(function, given), inspect.signature(function).parameters
    sizes = letters(rules, given)
    for name, rule in rules.items():
        may_be_none = parameters[name].default is None or str(function.rules[name]).endswith("or None")
        for kind, bad in faults(rule, given[name], sizes):
            if bad is not None or not may_be_none:
                yield kind, name, "", {**given, name: bad}
    for name, bad, words in ALSO.get(function.__name__, []):
        yield "also", name, words, {**given, name: bad}


def complaint(function, name, argument, words, given):
    """What is wrong with how a call is refused; None when nothing is."""
    given = copy.deepcopy(given)
    before = repr(given)
    try:
        result = call(function, given)
    except (TypeError, ValueError) as error:
        message = str(error)
        named = rf"(^|[^\w'])(what )?{argument}(\[[^]]*\])* (is|has|holds|gives)\b"
        said = words in message if words else re.search(named, message)
        wrong = "" if message.startswith(f"{name}: ") and said else f"says {message!r}"
    except Exception as error:
        wrong = f"raises {error!r}"
    else:
        wrong = f"gives {result!r}"
    if repr(given) != before:
        wrong = "changes its arguments"
    return wrong and f"{name}, {argument} {given[argument]!r:.150}: {wrong:.300}"


def complaints(function, name, given, argument=None):
    """What is wrong with how each bad call is refused, one after the other."""
    for _, place, words, bad in bad_calls(FUNCTIONS[name], given):
        if argument in (None, place):
            yield from filter(None, [complaint(function, name, place, words, bad)])


ARGUMENTS = [(name, argument) for name, given in CALLS.items() for argument in given]


def test_every_function_has_a_row_with_all_its_arguments():
    assert FUNCTIONS.keys() == CALLS.keys()
    for name, function in FUNCTIONS.items():
        assert function.rules.keys() == CALLS[name].keys() == inspect.signature(function).parameters.keys(), name


@pytest.mark.parametrize("name", CALLS)
def test_the_call_in_the_table_is_sound(name):
    given = in_order(FUNCTIONS[name], copy.deepcopy(CALLS[name]))
    before = repr(given)
    call(FUNCTIONS[name], given)
    assert repr(given) == before or "rng" in given


@pytest.mark.parametrize("name, argument", ARGUMENTS)
def test_what_does_not_fit_is_refused_by_the_name_of_the_argument(name, argument):
    found = list(complaints(FUNCTIONS[name], name, in_order(FUNCTIONS[name], CALLS[name]), argument))
    assert not found, "\n".join(found)


# --- the rules themselves, against what is said elsewhere: a rule that asks too little would have nothing tried


def said_in_docstring(docstring):
    """{argument: its letters} of the sentence "Shapes: X [T][n], W [m][n] …", up to the result."""
    shapes_said = re.search(r"Shapes: (.*?)(?:, result|\.(?:\s|$)|, where|;)", docstring, re.S)
    said = {}
    for words, boxes in re.findall(r"([\w ]+?) ((?:\[[^\]]+\])+)", shapes_said[1] if shapes_said else ""):
        for name in words.replace(" and ", " ").split():
            said[name] = tuple(letter.replace("·", "*") for letter in re.findall(r"\[([^\]]+)\]", boxes))
    return said


def other_letters(name, rules):
    """The arguments whose letters are not those of the docstring."""
    said = said_in_docstring(inspect.getdoc(FUNCTIONS[name]))
    parsed = {argument: parse(rule) for argument, rule in rules.items() if not callable(rule)}
    return {a for a, rule in parsed.items() if not isinstance(rule, dict) and not rule.kind and said.get(a) != rule.what}


SAID_OTHERWISE = {("adamw_step", "betas")}  # a pair


@pytest.mark.parametrize("name", CALLS)
def test_the_letters_are_those_of_the_docstring(name):
    assert {(name, argument) for argument in other_letters(name, FUNCTIONS[name].rules)} <= SAID_OTHERWISE


@pytest.mark.parametrize("name, argument, rule", [
    ("matmul", "A", "m k"), ("matmul", "B", "m p"), ("linear", "b", "n"), ("multi_head_attention", "W_O", "m H*k"),
    ("token_losses", "targets", "V < V"), ("layer_norm_backward", "gamma", "d"), ("attention_backward", "mask", "S T"),
])  # fmt: skip
def test_another_letter_would_be_noticed(name, argument, rule):
    assert other_letters(name, {**FUNCTIONS[name].rules, argument: rule}) == {argument}


@pytest.mark.parametrize("name", ["toy_forward", "toy_backward"])
def test_no_parameter_of_the_network_may_have_another_size(name):
    """Only the positions have a length of their own: any number that the sentence fits into."""
    given = in_order(FUNCTIONS[name], CALLS[name])
    for parameter, value in TOY["parameters"].items():
        for axis, by in itertools.product(range(len(depths(value))), (-1, 1)):
            if (parameter, axis) != ("E_pos", 0):
                bad = {**given, "parameters": {**TOY["parameters"], parameter: resized(value, axis, by)}}
                assert not complaint(FUNCTIONS[name], name, "parameters", "", bad)


OUT_OF_RANGE = {
    "eps": [-1, NAN], "lr": [-1, INF], "decay": [-1, INF], "sigma": [-1, NAN], "h": [0, -1], "betas": [(1, 0.5), (0.5, -1)],
    "ids": [[-1, 0], [99, 0], [0, 1.5]], "targets": [[-1, 0], [99, 0], [0, 1.5]], "tokens": [[-1, 0, 0], [99, 0, 0]],
    "logits": [[[1, 2, NAN], [1, 2, 3]], [[1, 2, 3], [INF, 2, 3]]],
    "T": [0], "n": [0], "H": [0], "rows": [0], "columns": [0],
}  # fmt: skip


@pytest.mark.parametrize("name, argument", [(name, a) for name, a in ARGUMENTS if a in OUT_OF_RANGE])
def test_what_is_out_of_range_is_refused(name, argument):
    for bad in OUT_OF_RANGE[argument]:
        given = {**in_order(FUNCTIONS[name], CALLS[name]), argument: bad}
        assert not complaint(FUNCTIONS[name], name, argument, "", given)


@pytest.mark.parametrize("name", CALLS)
def test_missing_and_surplus_arguments_are_refused(name):
    function, given = FUNCTIONS[name], in_order(FUNCTIONS[name], CALLS[name])
    for argument, parameter in inspect.signature(function).parameters.items():
        if parameter.default is parameter.empty and argument != "trees":
            assert re.match(f"{name}: missing .*'{argument}'", refusal(function, (), given, without=argument))
    if "trees" not in given:
        assert re.match(f"{name}: too many", refusal(function, (*given.values(), 1), {}))
        assert re.match(f"{name}: .*surplus", refusal(function, (), {**given, "surplus": 1}))
        first = next(iter(given))
        assert re.match(f"{name}: multiple values.*'{first}'", refusal(function, (given[first],), given))


def refusal(function, arguments, named, without=None):
    """What the TypeError of a call says."""
    named = {name: value for name, value in named.items() if name != without and name != "trees"}
    with pytest.raises(TypeError) as error:
        function(*arguments, **named)
    return str(error.value)


# --- near misses: a check left out, and messages that name nothing, or something else


def careless(name):
    """The function without the line above it."""
    return inspect.unwrap(FUNCTIONS[name])


def renamed(name, old, new):
    """The function with another word in its messages."""

    def near_miss(*arguments):
        try:
            return FUNCTIONS[name](*arguments)
        except (TypeError, ValueError) as error:
            raise type(error)(re.sub(old, new, str(error))) from None

    return near_miss


def meddling(name):
    """The function, but what it refuses it changes first."""

    def near_miss(*arguments):
        if isinstance(arguments[0], list) and arguments[0]:
            arguments[0].append(arguments[0].pop(0))
        return FUNCTIONS[name](*arguments)

    return near_miss


@pytest.mark.parametrize("name", CALLS)
def test_a_function_without_its_checks_or_its_name_would_be_noticed(name):
    given = in_order(FUNCTIONS[name], CALLS[name])
    for near_miss in careless(name), renamed(name, f"^{name}: ", ""), renamed(name, f"^{name}: ", "matmul_: "):
        assert any(complaints(near_miss, name, given))


@pytest.mark.parametrize("name, argument", ARGUMENTS)
def test_a_message_that_names_another_argument_would_be_noticed(name, argument):
    given = in_order(FUNCTIONS[name], CALLS[name])
    for other in "", "the_input":
        assert any(complaints(renamed(name, rf"\b{argument}\b", other), name, given, argument))


@pytest.mark.parametrize("name", ["dot", "matmul", "embedding", "toy_forward", "adamw_step"])
def test_a_changed_argument_or_a_fault_less_would_be_noticed(name):
    given = in_order(FUNCTIONS[name], CALLS[name])
    if isinstance(next(iter(given.values())), list):
        assert any(complaints(meddling(name), name, given))
    lenient = shapes(**{**FUNCTIONS[name].rules, list(given)[1]: "function"})(lambda *_: None)
    assert any(complaints(lenient, name, given))


@pytest.mark.parametrize("name, argument, rule", [
    ("matmul", "A", "m k"), ("matmul", "B", "k p"), ("linear", "b", "n"), ("add", "B", "n m"), ("attention", "mask", "T T"),
    ("multi_head_attention", "W_O", "m v*H*v"), ("token_losses", "targets", "T < T"), ("toy_forward", "eps", "number"),
    ("adamw_step", "lr", "number >= 0"), ("adamw_step", "betas", "2 >= 0"), ("softmax", "scores", "n m"),
])  # fmt: skip
def test_a_wrong_letter_or_a_bound_less_would_be_noticed(name, argument, rule):
    given = in_order(FUNCTIONS[name], CALLS[name])
    wrong = shapes(**{**FUNCTIONS[name].rules, argument: rule})(inspect.unwrap(FUNCTIONS[name]))
    wrong.__name__ = name
    assert any(complaints(wrong, name, given)) or not holds(lambda f: call(f, copy.deepcopy(given)), wrong)


# --- bare is not careless


def differing(bad, sound):
    """What is bad, of a dict the entries that are not sound."""
    return {key: part for key, part in bad.items() if part != sound.get(key)} if isinstance(bad, dict) else bad


def bare_results(function, name, kinds, only):
    """What a function without any checks, its own or those of what it calls, gives for what does not fit."""
    found = []
    for kind, argument, _, given in bad_calls(FUNCTIONS[name], in_order(FUNCTIONS[name], CALLS[name])):
        if kind in kinds and argument in only:
            contracts.trusting = True
            try:
                result = call(function, copy.deepcopy(given))
                found.append(f"{name} bare, {argument}: {differing(given[argument], CALLS[name][argument])} gives {result!r:.60}")
            except Exception:
                pass  # in Python's own words
            finally:
                contracts.trusting = False
    return found


# these take each row by itself: rows of unequal length stay unequal, and none is cut or mixed with another
ROW_BY_ROW = {
    "gelu_rows", "relu_rows", "softmax_rows", "scale", "add_backward", "embedding", "embedding_backward", "merge_heads",
    "token_losses", "token_losses_backward", "cross_entropy", "cross_entropy_backward",
}  # fmt: skip


# of a whole network these read one entry here and another there: bare, they hold to the sentence or rows, and trust the dicts
NETWORKS = {"toy_forward", "toy_backward", "gpt_forward", "gpt_backward", "block_backward", "batch_gradients", "mean_loss", "gpt_next", "generate", "beam_search"}


@pytest.mark.parametrize("name", CALLS)
def test_a_bare_function_is_never_silently_wrong(name):
    kinds = ["length"] if name in ROW_BY_ROW else ["length", "ragged"]
    only = ("tokens", "targets", "d_out", "X") if name in NETWORKS else CALLS[name]
    found = bare_results(inspect.unwrap(FUNCTIONS[name]), name, kinds, only)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name, argument", [(name, a) for name, a in ARGUMENTS if a in ("ids", "targets", "tokens")])
def test_a_bare_function_does_not_count_from_the_end(name, argument):
    given = in_order(FUNCTIONS[name], copy.deepcopy(CALLS[name]))
    given[argument][0] = -1
    contracts.trusting = True
    try:
        result = call(inspect.unwrap(FUNCTIONS[name]), given)
    except Exception:
        result = None
    finally:
        contracts.trusting = False
    assert result is None


def cut_to_fit(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


@pytest.mark.parametrize("name, near_miss", [
    ("matmul", cut_to_fit),
    ("linear", lambda X, W, b=None: [[sum(map(float.__mul__, x, w)) + c for w, c in zip(W, b or [0] * len(W))] for x in X]),
    ("dot", lambda u, v: sum(a * b for a, b in zip(u, v))),
    ("add", lambda A, B: [[a + b for a, b in zip(row, other)] for row, other in zip(A, B)]),
    ("transpose", lambda A: [list(column) for column in zip(*A)]),
    ("layer_norm_backward", lambda d_out, X, gamma, eps: ([[0.0] * len(row) for row in X], gamma, gamma)),
])  # fmt: skip
def test_a_longer_list_cut_off_without_a_word_would_be_noticed(name, near_miss):
    assert bare_results(near_miss, name, ["length", "ragged"], CALLS[name])


# --- the outermost call is checked, the calls inside it are trusted


def is_checked():
    """Whether a call that does not fit is refused in our words, as outermost calls are."""
    try:
        FUNCTIONS["add"]([[1]], [[1, 2]])
    except ValueError as error:
        return str(error).startswith("add: ")
    return False


@shapes(x="number")
def asks_inside(x):
    return is_checked()


@shapes(f="function")
def asks_its_caller(f):
    return f()


@shapes(x="number")
def fails(x):
    raise KeyError(x)


def test_calls_inside_a_checked_function_are_trusted_and_its_caller_s_own_are_not():
    assert is_checked()
    assert not asks_inside(1.0)
    assert asks_its_caller(is_checked)
    assert asks_its_caller(lambda: not asks_inside(1.0)) and is_checked()


def test_after_an_error_inside_a_checked_function_the_next_call_is_checked_again():
    with pytest.raises(KeyError):
        fails(1.0)
    assert is_checked() and not contracts.trusting
    for name in CALLS:
        for _, _, _, given in itertools.islice(bad_calls(FUNCTIONS[name], in_order(FUNCTIONS[name], CALLS[name])), 3):
            with pytest.raises((TypeError, ValueError)):
                call(FUNCTIONS[name], copy.deepcopy(given))
            assert not contracts.trusting, name


def test_an_error_in_a_function_called_by_a_checked_one_leaves_the_trust_as_it_was():
    @shapes(x="number")
    def catches(x):
        try:
            fails(x)
        except KeyError:
            return is_checked()

    assert not catches(1.0) and is_checked()


SEEN = []


def noting(value):
    SEEN.append(is_checked())
    return value


@pytest.mark.parametrize("name, argument, function", [
    ("central_differences", "function", lambda A: noting(1.0)),
    ("feed_forward", "activation", noting),
    ("feed_forward_backward", "activation", noting),
    ("feed_forward_backward", "slope", noting),
    ("activation_backward", "slope", noting),
    ("tree_map", "function", lambda *vectors: noting(vectors[0])),
    ("generate", "choose", lambda logits: noting(0)),
])  # fmt: skip
def test_what_a_caller_s_function_calls_is_checked(name, argument, function):
    SEEN.clear()
    given = {**in_order(FUNCTIONS[name], CALLS[name]), argument: function}
    call(FUNCTIONS[name], given)
    assert SEEN and all(SEEN)


def test_every_function_that_calls_its_caller_s_is_in_that_test():
    mark = test_what_a_caller_s_function_calls_is_checked.pytestmark[0]
    taking = {(name, a) for name, f in FUNCTIONS.items() for a, rule in f.rules.items() if str(rule).startswith("function")}
    assert taking == {row[:2] for row in mark.args[1]}
