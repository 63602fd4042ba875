"""A sound call of every function of the mathematics, made from its signature: "T D" is T rows of D numbers.

LENGTHS says how long T and D are, RULES what a rule without lengths gets, OWN what no signature can say.
"""

import copy
import inspect
import math
import random
import re

from tables import mathematics

import helpers

FUNCTIONS = mathematics()

# no matrix is square but a mask; D = H·k, G divides H, n ≤ T ≤ P; another letter has the length 4
LENGTHS = {"T": 5, "S": 7, "P": 6, "V": 11, "D": 8, "H": 2, "G": 2, "F": 6, "L": 1, "N": 3, "C": 13}
LENGTHS |= {"m": 9, "n": 3, "p": 5, "v": 3, "r": 2, "rows": 2, "columns": 3}
OTHER_LENGTHS = [{}, {"T": 4, "S": 1, "m": 3, "F": 4, "V": 12}, {"T": 6, "S": 8, "m": 5, "F": 5, "V": 7}]

NEST = {"W": [[1.0, 2.0, 3.0], [0.5, 2.0, 1.0]], "b": [4.0, 5.0]}
RULES = {
    "str": "An ant",
    "path": "An ant",
    "bytes": b"An ant",
    "Random": random.Random(7),
    "names in parameters": ["b"],
    "tree": NEST,
    "list": [[1, 2], [1, 3]],
    "float -> float": math.tanh,
    "V -> int": lambda logits: logits.index(max(logits)),
    "A -> float": lambda A: A["W"][1][2] * A["b"][0],
}


def sum_of_vectors(*vectors):
    return [sum(column) for column in zip(*vectors, strict=True)]


THIRDS = [0.25, 0.5, 0.25]
WORDS = {("a", "b"): 2, ("c",): 1}
ROPE = {"positions": [3.0, 1.0, 0.5, 2.0, 7.0], "base": 100.0}
ROUTED = [[0.5, 0.125, 0.375], [0.25, 0.5, 0.25], [0.75, 0.125, 0.125], [0.25, 0.25, 0.5]]
DOCUMENTS = [[1, 3, 2], [1, 2]]
OWN = {
    "tree_map": {"function": sum_of_vectors, "trees": (NEST, NEST)},
    "rope": ROPE,
    "rope_backward": ROPE,
    "mixture": {"probabilities": ROUTED},
    "mixture_backward": {"probabilities": ROUTED},
    "softmax_backward": {"weights": THIRDS},
    "count_ngrams": {"documents": [[0, 5, 1], [0, 1]], "n": 2},
    "ngram_losses": {"document": [0, 5, 1], "counts": {(0,): {5: 2}}, "n": 2, "V": 6},
    "encode": {"text": "ab", "vocab": ["<PAD>", "<BOS>", "<EOS>", "a", "b"]},
    "train_val_test_split": {"documents": [[1, 2], [1, 3], [1, 4]], "n_val": 1, "n_test": 1},
    "next_batch": {"order": [1], "n": 3, "size": 2},
    "learning_rate": {"step": 3, "steps": 10, "warmup_steps": 2},
    "batch_gradients": {"documents": DOCUMENTS},
    "mean_loss": {"documents": DOCUMENTS},
    "renormalize": {"probabilities": THIRDS, "kept": [0, 1]},
    "sample": {"probabilities": THIRDS},
    "top_k": {"probabilities": THIRDS, "k": 2},
    "top_p": {"probabilities": THIRDS, "p": 0.75},
    "min_p": {"probabilities": THIRDS, "p": 0.5},
    "residual_distribution": {"p": THIRDS, "q": [0.5, 0.25, 0.25]},
    "speculative_step": {"draft": [1], "p": [THIRDS, THIRDS], "q": [THIRDS]},
    "decode_step": {"cache": None, "token": 3},
    "generate": {"length": 6, "end": 2},
    "beam_search": {"length": 6, "width": 2, "end": 2},
    "most_frequent_pair": {"words": WORDS},
    "train_byte_pairs": {"words": WORDS, "n": 1},
    "merge_pair": {"word": ("a", "b", "c"), "pair": ("b", "c")},
    "apply_merges": {"word": ("a", "b"), "ranks": {("a", "b"): 0}},
    "encode_pieces": {"pieces": ["An", " ant"], "ranks": {(b"a", b"n"): 0}},
    "round_matrix": {
        "W": [[0.5, 1.0, -2.0, 3.0]] * 2,
        "method": helpers.round_min_max,
        "bits": 3,
        "group": 2,
    },
    "round_symmetric": {"bits": 4},
    "round_min_max": {"bits": 4},
    "decode_q8_0": {"block": bytes(34)},
    "decode_q4_1": {"block": bytes(20)},
    "unscale_gradients": {"good": 0},
    "masked_loss": {"losses": [5.0, 3.0, 1.0], "mask": [0, 1, 1]},
    "policy_gradient_loss": {"losses": [[1.0, 2.0], [3.0]], "advantages": [0.5, -0.5]},
    "tf_idf": {"text": "An ant", "idf": {"an": 0.5, "bee": 2.0}},
    "cut_patches": {"picture": [[0.5] * 6] * 4, "n": 2},
    "shrink_picture": {"picture": [[0.5, 0.25, 0.0, 1.0, 0.5, 1.0]] * 4, "rows": 2, "columns": 3},
}


def split_rule(rule):
    """("T D", [">= 0", "finite"]) of "T D >= 0 finite or None"."""
    words, *conditions = re.split(" (?=finite|[<>])", rule.removesuffix(" or None"))
    return words, conditions


def rules_in(rule, function, given):
    """{key: rule} where a rule names a dict of the function's module, or a function that returns one."""
    name, _, argument = split_rule(rule)[0].rstrip(")").partition("(")
    found = inspect.unwrap(function).__globals__.get(name)
    if argument:
        return inspect.unwrap(found)(given[argument])
    return found if isinstance(found, dict) else None


def annotations(function):
    return {name: each.annotation for name, each in inspect.signature(function).parameters.items()}


def call(function, given):
    """Call a function with arguments by name, of which `trees` are several."""
    positional = []
    for name, value in given.items():
        positional += value if name == "trees" else [value]
    return function(*positional)


def sound_call(name, seed=0, lengths=None, own=None):
    """{argument: value}, with other numbers for each seed; seeds from 1 on have other lengths, too."""
    return copy.deepcopy(Maker(name, seed, lengths, own).given)


class Maker:
    """Makes the arguments of one call, with lengths that fit together."""

    def __init__(self, name, seed=0, lengths=None, own=None):
        self.function, self.rng = FUNCTIONS[name], random.Random(seed)
        self.lengths = lengths or {**LENGTHS, **OTHER_LENGTHS[seed % 3]}
        rules, own = annotations(self.function), OWN.get(name, {}) if own is None else own
        self.given = {argument: own.get(argument) for argument in rules}
        for argument in own.keys() & rules.keys():
            self.note_lengths(rules[argument], self.given[argument])
        missing = [argument for argument in rules if argument not in own]
        for argument in sorted(missing, key=lambda argument: argument == "activations"):
            self.given[argument] = self.value(rules[argument], argument)

    def note_lengths(self, rule, value):
        for word in split_rule(rule)[0].split():
            if isinstance(value, list):
                self.lengths[word], value = len(value), value[0]

    def value(self, rule, name):
        words, conditions = split_rule(rule)
        inner = rules_in(rule, self.function, self.given)
        if name == "activations":
            return self.activations()
        if inner is not None:
            return {key: self.value(each, key) for key, each in inner.items()}
        if words in RULES:
            return RULES[words]
        if words.startswith("tree"):
            return NEST
        if words.startswith("list of "):
            return [self.value(rule.removeprefix("list of "), name) for _ in range(2)]
        if words.startswith("int"):
            letter = words.removeprefix("int").strip() or name
            return self.lengths.get(letter, 2)
        sizes = [self.length(word) for word in words.removeprefix("float").split()]
        if limit := next((c[2:] for c in conditions if c[2:] in self.lengths), None):
            return [self.rng.randrange(self.lengths[limit]) for _ in range(sizes[0])]
        return self.nest(sizes, positive=bool(conditions) and conditions != ["finite"])

    def activations(self):
        """What the forward pass of a backward pass returns for the same arguments."""
        module = inspect.getmodule(inspect.unwrap(self.function))
        forward = getattr(module, self.function.__name__.replace("backward", "forward"))
        known = {**self.given, "H": self.lengths["H"]}
        return forward(**{argument: known[argument] for argument in annotations(forward)})

    def length(self, word):
        factors = (int(f) if f.isdigit() else self.lengths.get(f, 4) for f in word.split("*"))
        return math.prod(factors)

    def nest(self, sizes, positive):
        """Nested lists of eighths, none of which is 0; a number if there are no sizes."""
        if sizes:
            return [self.nest(sizes[1:], positive) for _ in range(sizes[0])]
        return self.rng.randint(1, 7) / 8 if positive else self.rng.randint(-16, 16) / 8 or 0.5
