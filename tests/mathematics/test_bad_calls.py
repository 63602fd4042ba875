"""What no function of the mathematics takes, with its checks and without.

The calls are made from the signatures (tests/sound_calls.py), so a new function is tried as soon as it
exists. Each refusal names the function, and the argument as the caller knows it.
"""

import copy
import inspect
import itertools
import math
import random
import re
import time
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest
from sound_calls import FUNCTIONS, NEST, OWN, Maker, annotations, call, rules_in, sound_call, split_rule

from helpers.course.argument_checks import check_argument, declared

INF, NAN = math.inf, math.nan
ARGUMENTS = [(name, argument) for name, function in FUNCTIONS.items() for argument in annotations(function)]


# --- sound calls


# These hand on what they are given: documents, and the keys and values of a cache.
HAND_ON = "train_val_test_split cached_attention llama_attention llama_block llama_forward".split()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_sound_call_gives_what_the_signature_declares_and_changes_nothing(name):
    """No list of the result is in it twice, or in an argument: a change of one would change the other."""
    for seed in range(3):
        given = sound_call(name, seed)
        before = repr(given)
        result = call(FUNCTIONS[name], given)
        check_result(FUNCTIONS[name], given, result)
        assert repr(given) == before or "rng" in given
        made = nests_in(result)
        assert len(made) == len({*made}) and (name in HAND_ON or not {*made} & {*nests_in(given)})


def nests_in(value):
    """Which lists and dicts a value consists of."""
    if not isinstance(value, (list, tuple, dict)):
        return []
    inner = [
        nest for entry in (value.values() if isinstance(value, dict) else value) for nest in nests_in(entry)
    ]
    return inner if isinstance(value, tuple) else [id(value), *inner]


def check_result(function, given, result):
    """Stop unless a result has the kinds and the lengths that the signature declares."""
    bare = inspect.unwrap(function)
    _, rules, declared_results = declared(bare)
    known = SimpleNamespace(function=bare, arguments=dict(given), lengths={}, trees={})
    for name, rule in rules:
        check_argument(given[name], name, rule, known)
    results = result if len(declared_results) > 1 else (result,)
    for part, rule in zip(results, declared_results, strict=True):
        if rule in ("dict", "set"):
            assert type(part).__name__ == rule
        else:
            check_argument(part, "the result", rule, known)


# --- faults: what a rule does not allow

WRONG = {
    "str": (None, 3, b"ab", ["ab"], {}),
    "path": (None, 3, b"ab", ["ab"], {}, ""),
    "bytes": (None, 3, "ab", [1], bytearray(b"ab")),
    "Random": (None, 42, "42", random.gauss, random.Random, [1]),
    "function": (None, 3, "gelu", [math.tanh], {}),
    "int": (None, -1, 1.5, 2.0, "3", [3], True, NAN),
    "float": (None, "1", [1.0], [[1.0]], (1,), {}, 1j, True, math.exp),
    "list": (None, 3, 2.5, "ab", {0: [1]}, {1, 2}),
    "names": (None, 3, "b", ["nobody"], ["b", "c"], [1], {"b": 1}),
    "dict": (None, 3, "ab", [], [1.0], {}),
    "tree": (None, "ab", {1, 2}),
    "number in a list": (None, "1", [1.0], {}),
    "number in a tree": (None, "1", 1j, {1}),
    "result": (None, "1", [1.0], [[1.0]], 1j, True),
}


def put(nest, path, new):
    """A copy of nested dicts and lists, with something else at the end of the path."""
    if not path:
        return new
    copied = dict(nest) if isinstance(nest, dict) else list(nest)
    copied[path[0]] = put(copied[path[0]], path[1:], new)
    return tuple(copied) if isinstance(nest, tuple) else copied


def at(nest, path):
    return at(nest[path[0]], path[1:]) if path else nest


def last_path(nest):
    """The keys and indices that lead to the last number."""
    if not isinstance(nest, (dict, list, tuple)):
        return []
    key = list(nest)[-1] if isinstance(nest, dict) else len(nest) - 1
    return [key, *last_path(nest[key])]


def resized(nest, axis, by):
    """One entry more or less, everywhere along one axis."""
    if axis:
        return [resized(entry, axis - 1, by) for entry in nest]
    return [*nest, nest[-1]] if by > 0 else list(nest)[:-1]


class Faults:
    """Makes (kind of fault, what is given instead) for the arguments of one function."""

    def __init__(self, name):
        made = Maker(name)
        self.function, self.given, self.lengths = made.function, made.given, made.lengths
        rules = annotations(self.function).items()
        self.uses = Counter(letter for name, rule in rules for letter in self.letters(rule, name))
        self.trees = set()

    def letters(self, rule, name):
        """The lengths that a rule names, each as often as it stands there."""
        inner = rules_in(rule, self.function, self.given)
        if inner is not None:
            return [letter for key, each in inner.items() for letter in self.letters(each, key)]
        words = split_rule(rule)[0]
        if words.startswith("int"):
            return [words.removeprefix("int").strip() or name]
        return [factor for word in words.split() for factor in {word, *word.split("*")}]

    def is_tied(self, word):
        """Whether a length is given in another place, too, so that it cannot change here alone."""
        return any(factor.isdigit() or self.uses[factor] > 1 for factor in {word, *word.split("*")})

    def of(self, rule, good):
        words, conditions = split_rule(rule)
        kind = words.split()[0]
        inner = rules_in(rule, self.function, self.given)
        if inner is not None:
            yield from self.of_dict(inner, good, exact="(" in words)
        elif "->" in words:
            yield from (("kind", bad) for bad in WRONG["function"])
            yield from (("kind", lambda *_, bad=bad: bad) for bad in WRONG["result"])
        elif kind == "tree":
            yield from self.of_tree(words, conditions, good)
        elif words.startswith("list of "):
            yield from (("kind", bad) for bad in WRONG["list"])
            for fault, bad in self.of(rule.removeprefix("list of "), good[0]):
                yield fault, put(good, [0], bad)
        elif kind in WRONG:
            yield from (("kind", bad) for bad in WRONG[kind])
            yield from (("bounds", bad) for bad in self.beyond(conditions, whole=kind == "int"))
        else:
            yield from self.of_shape(words.split(), conditions, good)

    def of_dict(self, rules, good, exact):
        yield from (("kind", bad) for bad in WRONG["dict"])
        if exact:
            yield "kind", {**good, "surplus": [1.0]}
        for key, rule in rules.items():
            yield "kind", {other: part for other, part in good.items() if other != key}
            yield from ((fault, {**good, key: bad}) for fault, bad in self.of(rule, good[key]))

    def of_shape(self, sizes, conditions, good):
        last = last_path(good)
        yield from (("kind", bad) for bad in [*WRONG["list"], [], [good], good[0]])
        for depth in range(1, len(sizes)):  # where a row or a matrix belongs
            yield from (("kind", put(good, last[:depth], bad)) for bad in (None, 7, "ab", {0: 1}, [], [[]]))
            for by, axis in itertools.product((-1, 1), range(depth, len(sizes))):
                part = resized(at(good, last[:depth]), axis - depth, by)
                yield "ragged", put(good, last[:depth], part)
        yield from (("kind", put(good, last, bad)) for bad in WRONG["number in a list"])
        yield from (("bounds", put(good, last, bad)) for bad in self.beyond(conditions))
        for axis, word in enumerate(sizes):
            if self.is_tied(word):
                yield from (("length", resized(good, axis, by)) for by in (-1, 1))

    def of_tree(self, words, conditions, good):
        last = last_path(good)
        yield from (("kind", bad) for bad in WRONG["tree"])
        yield from (("kind", put(good, last, bad)) for bad in WRONG["number in a tree"])
        yield from (("bounds", put(good, last, bad)) for bad in self.beyond(conditions))
        if words == "tree":
            return
        yield from (("kind", {**good, "b": bad}) for bad in (3.0, [], [[1.0], [2.0, 3.0]]))
        if words in self.trees:  # the first of equal trees may have any keys and lengths
            yield "kind", {}
            yield "length", {"W": good["W"]}
            yield "length", {**good, "new": [1.0]}
            yield "length", {"W": good["W"], "c": good["b"]}
            yield from (("length", {**good, "b": resized(good["b"], 0, by)}) for by in (-1, 1))
            yield from (("length", {**good, "W": resized(good["W"], axis, -1)}) for axis in (0, 1))
            yield "ragged", {**good, "W": [good["W"][0], good["W"][1][:-1]]}
        self.trees.add(words)

    def beyond(self, conditions, whole=False):
        """Numbers that break the conditions."""
        for condition in conditions:
            sign, _, limit = condition.partition(" ")
            if sign == "finite":
                yield from (NAN, INF, -INF)
            elif limit in self.lengths:
                yield from (-1, self.lengths[limit], self.lengths[limit] + 5, 0.5, 1.0, NAN, INF)
            elif whole:
                yield int(limit) + {">": 0, ">=": -1, "<": 0}[sign]
            else:
                end = INF if sign == "<" else -INF
                yield from (math.nextafter(float(limit), end), end, NAN)
                if sign != ">=":
                    yield float(limit)


def bad_calls(faults):
    """(kind of fault, the argument, the arguments) for every fault of every argument of a function."""
    for argument, parameter in inspect.signature(faults.function).parameters.items():
        good, rule = faults.given[argument], parameter.annotation
        if argument == "trees":
            found = [(kind, put(good, [i], bad)) for i in (0, 1) for kind, bad in faults.of(rule, good[i])]
        else:
            found = faults.of(rule, good) if good is not None else ()
        may_be_none = parameter.default is None or rule.endswith(" or None")
        for kind, bad in found:
            if bad is not None or not may_be_none:
                yield kind, argument, {**faults.given, argument: bad}


def complaint(name, argument, given):
    """What is wrong with how a call is refused; None when nothing is."""
    try:
        wrong = f"gives {call(FUNCTIONS[name], given)!r:.300}"
    except (TypeError, ValueError) as error:
        named = re.search(rf"(^|[^\w'])(what )?{argument}(\[[^]]*\])* (is|has|holds|gives)\b", str(error))
        wrong = None if str(error).startswith(f"{name}: ") and named else f"says {error}"
    except Exception as error:
        wrong = f"raises {error!r}"
    return wrong and f"{name}, {argument} {given[argument]!r:.150}: {wrong}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_does_not_fit_is_refused_by_the_name_of_the_argument(name):
    faults = Faults(name)
    before = repr(faults.given)  # all calls share what is right in them
    found = [complaint(name, argument, given) for _, argument, given in bad_calls(faults)]
    assert found and not any(found), "\n".join(filter(None, found))
    assert repr(faults.given) == before


# a signature that asks too little would have nothing tried, so these are tried by the name of the argument
OUT_OF_RANGE = {
    **dict.fromkeys(("T", "n", "H", "rows", "columns"), [0]),
    **dict.fromkeys(("lr", "weight_decay"), [-1, INF]),
    **dict.fromkeys(("eps", "sigma"), [-1, NAN]),
    **dict.fromkeys(("ids", "targets", "tokens"), [[-1, 0, 0], [99, 0, 0], [0, 1.5, 0]]),
    "logits": [[[1, 2, NAN], [1, 2, 3]], [[1, 2, 3], [INF, 2, 3]]],
    "betas": [(1, 0.5), (0.5, -1)],
    "h": [0, -1],
}


@pytest.mark.parametrize("name, argument", [(name, a) for name, a in ARGUMENTS if a in OUT_OF_RANGE])
def test_what_is_out_of_range_is_refused(name, argument):
    if (name, argument) != ("decode_tokens", "tokens"):  # of bytes
        for bad in OUT_OF_RANGE[argument]:
            assert not complaint(name, argument, {**sound_call(name), argument: bad})


def test_missing_and_surplus_arguments_are_refused():
    vector_step, given = FUNCTIONS["adamw_vector"], sound_call("adamw_vector")
    with pytest.raises(TypeError, match="^adamw_vector: missing a required argument: 'weight_decay'"):
        vector_step(*list(given.values())[:-1])
    with pytest.raises(TypeError, match="^adamw_vector: too many positional arguments"):
        vector_step(*given.values(), 1)
    with pytest.raises(TypeError, match="^adamw_vector: got an unexpected keyword argument 'surplus'"):
        vector_step(**given, surplus=1)
    with pytest.raises(TypeError, match="^adamw_vector: multiple values for argument 'p'"):
        vector_step(given["p"], **given)


# --- what is said: both shapes and what to do, in one sentence


def config_of(name, **changes):
    return {**sound_call(name)["config"], **changes}


EVERY_SCORE = "every score is -inf, or one is nan or inf; the largest must be finite and gives exp(0) = 1"
MESSAGES = [
    # by the signature
    (
        "matmul",
        {"A": [[1, 2, 3]], "B": [[1], [2]]},
        "A is [1][3] and B is [2][1], read as A [m][n] and B [n][p]: n is 3 and 2; make them equal",
    ),
    (
        "multi_head_attention",
        {"W_O": [[1.0] * 7] * 9},
        "W_Q is [2][4][8] and W_V is [2][3][8] and W_O is [9][7], read as W_Q [H][k][D] and W_V [H][v][D] "
        "and W_O [m][H*v]: H*v is 6 and 7; make them equal",
    ),
    (
        "gpt_forward",
        {"config": config_of("gpt_forward", vocab_size=9)},
        "config['vocab_size'] is 9 and parameters['wte.weight'] is [11][8], read as "
        "parameters['wte.weight'] [V][D]: V is 9 and 11; make them equal",
    ),
    ("split_heads", {"H": 3}, "H is 3 and X is [5][8], read as X [T][H*k]: 3 must divide 8"),
    ("linear", {"X": [1, 2]}, "X is [2]; it must be a matrix (a list of rows)"),
    ("linear", {"X": [[1, 2], [3]]}, "X[1] is [3]; X is ragged: its first list is [2]"),
    ("linear", {"X": []}, "X is []; give it at least one entry"),
    ("linear", {"X": [[1, "2"]]}, "X[0][1] is '2', not a number"),
    ("embedding", {"ids": [2, 11]}, "ids[1] is 11; give a whole number from 0 to 10"),
    ("causal_mask", {"T": 0}, "T is 0; give a number > 0"),
    ("causal_mask", {"T": 2.0}, "T is 2.0; give a whole number"),
    ("sgd_step", {"gradients": {"W": NEST["W"], "b": [1.0]}}, "gradients['b'] is [1]; it must be [2]"),
    ("sgd_step", {"gradients": {"W": NEST["W"]}}, "gradients has no b; give a dict with W, b only"),
    ("sgd_step", {"gradients": {**NEST, "c": [1.0]}}, "gradients has c as well; give a dict with W, b only"),
    ("feed_forward", {"activation": "gelu"}, "activation is 'gelu'; give a function"),
    # by what no signature can say
    ("layer_norm", {"X": [[1.0] * 8], "eps": 0}, "a division by 0 on the way; is eps 0?"),
    (
        "tree_map",
        {"trees": ()},
        "these arguments do not go together (IndexError('tuple index out of range'))",
    ),
    (
        "apply_merges",
        {"word": ("a", "b"), "ranks": 1},
        "argument of type 'int' is not iterable; word is ('a', 'b'); ranks is 1",
    ),
    (
        "policy_gradient_loss",
        {"losses": [], "advantages": [1.0]},
        "these arguments do not go together (ValueError('zip() argument 2 is longer than argument 1')); "
        "losses is []; advantages is [1.0]",
    ),
    (
        "train_byte_pairs",
        {"words": 0, "n": 2},
        """these arguments do not go together (AttributeError("'int' object has no attribute 'items'")); """
        "words is 0; n is 2",
    ),
    *[("softmax", {"scores": scores}, EVERY_SCORE) for scores in ([-INF] * 3, [0, NAN, 1], [0, INF], [NAN])],
    ("softmax_rows", {"scores": [[0, 1], [-INF] * 2]}, EVERY_SCORE),
    ("attention", {"mask": [[0] * 7] * 4 + [[-INF] * 7]}, EVERY_SCORE),
    ("attention_backward", {"mask": [[-INF] * 7] * 5}, EVERY_SCORE),
    ("multi_head_attention", {"mask": [[-INF] * 5] * 5}, EVERY_SCORE),
    ("multi_head_attention_backward", {"mask": [[-INF] * 5] * 5}, EVERY_SCORE),
    (
        "grouped_query_attention",
        {"Q": [[[1.0] * 4]] * 3, "mask": None},
        "Q has 3 heads, and K and V have 2 and 2 sets; make these equal, and a divisor of 3",
    ),
    ("rope", {"X": [[1, 2, 3]] * 5}, "a row of X has 3 numbers, and rope rotates pairs: give an even number"),
    (
        "toy_forward",
        {"targets": [1] * 6},
        "6 targets, 5 tokens, 6 positions; give at most as many targets as tokens, and at most as many "
        "tokens as positions",
    ),
    (
        "gpt_forward",
        {"tokens": [1] * 7},
        "tokens is [7] and parameters['wpe.weight'] has 6 positions; give at most 6 tokens",
    ),
    (
        "gpt_forward",
        {"targets": [1] * 6},
        "targets is [6] and tokens is [5]; give at most one target a token",
    ),
    (
        "gpt_param_shapes",
        {"config": config_of("gpt_param_shapes", n_head=3)},
        "config['n_embd'] is 8 and config['n_head'] is 3; each head takes an equal share of the width",
    ),
    *[
        (
            "llama_param_sizes",
            {"config": config_of("llama_param_sizes", n_embd=D, n_head=H, n_kv_head=G)},
            f"config has n_embd {D}, n_head {H}, n_kv_head {G}; n_embd / n_head must be an even whole "
            "number, and n_head a multiple of n_kv_head",
        )
        for D, H, G in ((12, 6, 4), (12, 5, 5), (18, 6, 2))
    ],
    (
        "cached_attention",
        {"keys": [[]] * 3},
        "these arguments do not go together (ValueError('zip() argument 2 is shorter than argument 1')); "
        "Q is [[[1.0, 1.25, -1.75, 0.5], [2.…; K is [[[-1.5, -0.5, -0.25, -0.125],…; "
        "V is [[[1.25, 0.125, 1.5, 1.875], […; keys is [[], [], []]; "
        "values is [[[-1.75, -1.25, 1.125, -0.5],…; base is 0.75",
    ),
    ("decode_step", {"token": 11}, "token is 11; give a whole number from 0 to 10"),
    (
        "decode_step",
        {"cache": dict.fromkeys(("h.0.attn.K", "h.0.attn.V"), [[[1.0] * 4] * 6] * 2)},
        "cache has 6 tokens, and there are 6 positions: begin a new text",
    ),
    ("generate", {"length": 8}, "prompt has 5 tokens and length is 8; generation ends at 7 tokens"),
    ("generate", {"length": 4}, "prompt has 5 tokens and length is 4; generation ends at 7 tokens"),
    ("generate", {"choose": lambda logits: 11}, "choose gives 11; it must give a whole number from 0 to 10"),
    ("beam_search", {"length": 8}, "prompt has 5 tokens and length is 8; generation ends at 7 tokens"),
    (
        "renormalize",
        {"kept": [0], "probabilities": [0.0, 1.0]},
        "the tokens that are kept have probability 0; keep at least one with more",
    ),
    (
        "greedy",
        {"probabilities": [0.0, 0.0]},
        "the tokens that are kept have probability 0; keep at least one with more",
    ),
    ("top_k", {"k": 4}, "k is 4; give a whole number from 1 to 3, the number of tokens"),
    ("top_p", {"p": 1.5}, "p is 1.5; give a number above 0 and up to 1"),
    ("min_p", {"p": 1.1}, "p is 1.1; give a number from 0 to 1"),
    ("sample", {"probabilities": [0.5, 0.4]}, "the probabilities must add up to 1"),
    ("encode", {"text": "axb"}, "text holds 'x', which the model has never seen; write with a b"),
    ("train_val_test_split", {"n_val": 2}, "3 of 3 documents are held out; nothing is left to train on"),
    ("learning_rate", {"step": 10}, "step is 10, and steps count from 0 to 9"),
    (
        "learning_rate",
        {"warmup_steps": 10},
        "warmup_steps is 10 and steps is 10; leave some steps for the decay",
    ),
    ("masked_loss", {"mask": [0, 0, 0]}, "mask leaves no token; let at least one be 1"),
    ("cut_patches", {"n": 4}, "picture is [4][6] and n is 4; n must divide both"),
    (
        "shrink_picture",
        {"rows": 5},
        "picture is [4][6], and rows and columns are 5 and 3; it can only become smaller",
    ),
]


@pytest.mark.parametrize("name, changes, message", MESSAGES)
def test_a_refusal_says_both_shapes_and_what_to_do(name, changes, message):
    with pytest.raises((TypeError, ValueError)) as error:
        call(FUNCTIONS[name], {**sound_call(name), **changes})
    assert str(error.value) == f"{name}: {message}"


# --- contrived values: whatever is given, no error is a raw one of Python's, and nothing takes long


class Odd(dict):
    def __getitem__(self, key):
        raise KeyError(key)

    def keys(self):
        raise AttributeError("keys")


class Mute(float):
    def __repr__(self):
        raise RuntimeError("no repr")

    __mul__ = __rmul__ = __add__ = __radd__ = None


class Endless(list):
    def __iter__(self):
        return itertools.chain(super().__iter__(), [None])


def holding_itself(n=1, times=1):
    """A list of n entries, of which so many are the list itself."""
    circle = [1.0] * (n - times)
    circle += [circle] * times
    return circle


def dict_holding_itself():
    circle = {"W": [[1.0]]}
    circle["self"] = circle
    return circle


def contrived_values():
    return {
        "a huge int": 10**400,
        "an int that cannot be printed": -(10**5000),
        "a billion": 10**9,
        "a large size": 10**7 * 6,
        "Fraction": Fraction(1, 2),
        "Decimal": Decimal("0.5"),
        "complex": 1j,
        "bool": True,
        "nan": NAN,
        "a float that cannot be printed": Mute(2.5),
        "generator": (x for x in [1.0, 2.0]),
        "endless": itertools.count(),
        "set": {1.0},
        "range": range(3),
        "list that holds itself": holding_itself(),
        "longer list that holds itself": holding_itself(3),
        "many times itself": holding_itself(400, times=400),
        "dict that holds itself": dict_holding_itself(),
        "odd dict": Odd(W=[[1.0]]),
        "odd list": Endless([1.0, 2.0]),
        "class": list,
    }


# functions that take whatever they are given: an error in a caller's function is the caller's
TOLERANT = {"numerical_gradient": lambda A: 1.0, "tree_map": lambda *vectors: vectors[0]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_contrived_values_are_refused_in_words_or_work(name):
    """Each contrived value is tried as each argument, and as its last number."""
    given = sound_call(name)
    if name in TOLERANT:
        given["function"] = TOLERANT[name]
    for argument, path in [(a, p) for a in given for p in ([], last_path(given[a]))]:
        if callable(given[argument]):
            continue
        for what, value in contrived_values().items():
            bad = put(given[argument], path, value)
            if argument == "trees" and not path:
                bad = (value,)
            start = time.process_time()
            try:
                call(FUNCTIONS[name], {**given, argument: bad})
            except (TypeError, ValueError) as error:
                in_words = str(error).startswith(f"{name}: ") or isinstance(error, UnicodeError)
                assert in_words, f"{argument} {what}: {error!r}"
            except Exception as error:
                pytest.fail(f"{name}, {argument} {what}: {error!r}")
            assert time.process_time() - start < 2, what


@pytest.mark.parametrize(
    "name, sizes",
    [
        ("random_vector", {"n": 10**9}),
        ("random_matrix", {"rows": 10**4, "columns": 10**4}),
        ("causal_mask", {"T": 10**4}),
        ("matmul", {"A": [[1.0]] * 10**4, "B": [[1.0] * 10**4]}),
        ("next_batch", {"n": 10**9}),
        ("init_gpt", {"config": {**sound_call("init_gpt")["config"], "n_embd": 10**4, "n_layer": 9999}}),
    ],
)
def test_a_size_that_would_fill_the_memory_is_refused_before_the_work_begins(name, sizes):
    with pytest.raises(ValueError, match="50,?000,?000"):
        call(FUNCTIONS[name], {**sound_call(name), **sizes})


def test_a_result_of_nan_from_finite_numbers_is_refused():
    with pytest.raises(
        ValueError, match=r"^dot: a number on the way is too large for a float; u is \[1e\+308, "
    ):
        FUNCTIONS["dot"]([1e308, 1e308, 1e308], [10.0, -10.0, 1.0])
    assert math.isnan(FUNCTIONS["dot"]([NAN], [1.0]))


# --- without its checker a function is never silently wrong

# these take each row by itself: rows of unequal length stay unequal, and none is cut or mixed with another
ROW_BY_ROW = """
    gelu_rows relu_rows softmax_rows scale add_backward embedding embedding_backward merge_heads
    token_losses token_losses_backward cross_entropy cross_entropy_backward rope rope_backward
    grouped_query_attention grouped_query_attention_backward mixture
""".split()
# these read one entry of a dict here and another there: without their checks, they trust the dicts
NETWORKS = """
    toy_forward toy_backward gpt_forward gpt_backward block_backward batch_gradients mean_loss
    fast_gradients decode_step generate beam_search llama_attention llama_block llama_forward
    picture_forward picture_backward
""".split()


def bare_result(name, given):
    """What a function gives without its checks; None if it stops."""
    try:
        return call(inspect.unwrap(FUNCTIONS[name]), copy.deepcopy(given))
    except Exception:
        return None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_bare_function_is_never_silently_wrong(name):
    kinds = ["length"] if name in ROW_BY_ROW else ["length", "ragged"]
    arguments = ("tokens", "targets", "d_out", "X") if name in NETWORKS else annotations(FUNCTIONS[name])
    for kind, argument, given in bad_calls(Faults(name)):
        if kind in kinds and argument in arguments:
            result = bare_result(name, given)
            assert result is None, f"{argument} {given[argument]!r:.300} gives {result!r:.60}"


@pytest.mark.parametrize(
    "name, argument", [(name, a) for name, a in ARGUMENTS if a in ("ids", "targets", "tokens")]
)
def test_a_bare_function_does_not_count_from_the_end(name, argument):
    given = sound_call(name)
    given[argument][0] = -1
    assert bare_result(name, given) is None


# --- inside a checked function nothing is checked again, but what the caller's own functions call


def test_the_modules_call_each_other_unchecked():
    for function in FUNCTIONS.values():
        used = vars(inspect.getmodule(inspect.unwrap(function))).values()
        assert not [f for f in used if getattr(f, "is_checked", False)]


def takes_function(name, argument):
    return " -> " in annotations(FUNCTIONS[name])[argument] or callable(OWN.get(name, {}).get(argument))


CALLBACKS = [(name, argument) for name, argument in ARGUMENTS if takes_function(name, argument)]


@pytest.mark.parametrize("name, argument", CALLBACKS)
def test_what_a_caller_s_function_calls_is_checked(name, argument):
    given, called = sound_call(name), []

    def own(*arguments):
        with pytest.raises(ValueError, match="^add: "):
            FUNCTIONS["add"]([[1]], [[1, 2]])
        called.append(arguments)
        return given[argument](*arguments)

    call(FUNCTIONS[name], {**given, argument: own})
    assert called


@pytest.mark.parametrize("name, argument", CALLBACKS)
@pytest.mark.parametrize("kind", [KeyError, AssertionError, ValueError, ZeroDivisionError])
def test_an_error_in_a_caller_s_function_stays_what_it_is(name, argument, kind):
    error = kind("mine")

    def failing(*arguments):
        raise error

    with pytest.raises(kind) as raised:
        call(FUNCTIONS[name], {**sound_call(name), argument: failing})
    assert raised.value is error
