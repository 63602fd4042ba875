"""What no function of the mathematics takes: one table over all of them, with their checks and without.

A row of CALLS is a sound call. What is tried instead follows from the signature, so that a function of a
later Part needs one row and no more. Each refusal names the function, and the argument as the caller
knows it.
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
from typing import NamedTuple

import pytest
from tables import mathematics

import helpers
from helpers import (
    LLAMA_BLOCK_SHAPES,
    block_forward,
    gelu,
    gelu_derivative,
    gpt_forward,
    init_gpt,
    init_pictures,
    picture_forward,
    relu,
    round_min_max,
    toy_forward,
)
from helpers.course.argument_checks import check_argument, declared
from helpers.gpt import BLOCK_PARAM_SHAPES
from helpers.toy import TOY_PARAM_SHAPES

FUNCTIONS = mathematics() | {
    name: getattr(helpers, name) for name in ("decode_bytes", "fast_gradients", "pdf_text", "read_documents")
}
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
    return {
        name: grid(*(math.prod(sizes[part] for part in letters.split("*")) for letters in rule.split()))
        for name, rule in rules.items()
    }


TOY = {
    "parameters": drawn(TOY_PARAM_SHAPES, V=6, P=4, D=4, H=2, k=3, v=5, F=7),
    "tokens": [1, 5, 3],
    "targets": [5, 3],
    "eps": 0.1,
}
GPT_CONFIG = {"vocab_size": 6, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 7}
GPT = {
    "config": GPT_CONFIG,
    "parameters": init_gpt(GPT_CONFIG, random.Random(1)),
    "tokens": [1, 5, 3],
    "targets": [5, 3],
}
CACHE = {name: gpt_forward(**GPT)[name] for name in ("h.0.attn.K", "h.0.attn.V")}
ONE_BLOCK = {
    "parameters": {name: GPT["parameters"][f"h.0.{name}"] for name in BLOCK_PARAM_SHAPES},
    "X": grid(3, 4),
}
ROUTED = [[0.5, 0.125, 0.375], [0.25, 0.5, 0.25], [0.75, 0.125, 0.125], [0.25, 0.25, 0.5]]
EXPERTS = {"X": grid(4, 6), "probabilities": ROUTED, "W_1": grid(3, 5, 6), "W_2": grid(3, 7, 5)}
LLAMA_CONFIG = {
    "vocab_size": 6,
    "n_embd": 8,
    "n_layer": 1,
    "n_head": 2,
    "n_kv_head": 1,
    "n_inner": 5,
    "rope_base": 100.0,
    "eps": 0.1,
}
LLAMA = {
    "config": LLAMA_CONFIG,
    "parameters": {name: grid(*size) for name, size in helpers.llama_param_sizes(LLAMA_CONFIG).items()},
    "tokens": [1, 5, 3],
    "cache": {"blk.0.K": grid(1, 2, 4), "blk.0.V": grid(1, 2, 4)},
}
LLAMA_BLOCK = {
    "config": LLAMA_CONFIG,
    "parameters": {name: LLAMA["parameters"][f"blk.0.{name}"] for name in LLAMA_BLOCK_SHAPES},
    "X": grid(3, 8),
    "keys": grid(1, 2, 4),
    "values": grid(1, 2, 4),
}
LORA = {"W": grid(4, 3), "A": grid(2, 3), "B": grid(4, 2), "c": 2.0}
PICTURE = {
    "parameters": init_pictures(q=4, N=3, D=4, F=5, C=7, rng=random.Random(1)),
    "patches": grid(3, 4),
    "H": 2,
}
NEST = {"W": [[1.0, -2.0, 3.0], [0.5, 2.0, 1.0]], "b": [4.0, 5.0]}
HEADS = {
    "X": grid(3, 4),
    "W_Q": grid(2, 5, 4),
    "W_K": grid(2, 5, 4),
    "W_V": grid(2, 6, 4),
    "W_O": grid(7, 12),
    "mask": grid(3, 3),
}
Q_K_V = {"Q": grid(2, 3), "K": grid(4, 3), "V": grid(4, 5), "mask": grid(2, 4)}
FEED_FORWARD = {"X": grid(2, 3), "W_1": grid(4, 3), "b_1": grid(4), "W_2": grid(5, 4)}

PDF = b"1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [3 0 R]>> endobj "
PDF += (
    b"3 0 obj <</Contents 4 0 R /Resources <</Font <</F <<>> >> >> >> endobj 4 0 obj << >> stream\nBT /F 9 "
    b"Tf (Ant) Tj ET\nendstream endobj"
)

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
    "single_precision": {"p": [0.5, 0.25, -1.0]},
    "tree_map": {
        "function": lambda *vectors: [sum(column) for column in zip(*vectors, strict=True)],
        "trees": (NEST, NEST),
    },
    # activations
    **{name: {"x": 0.5} for name in ("relu", "gelu", "gelu_exact", "quick_gelu", "silu")},
    **{f"{name}_derivative": {"x": 0.5} for name in ("relu", "gelu", "gelu_exact", "quick_gelu", "silu")},
    # layers
    "embedding": {"ids": [2, 0], "E": grid(4, 3)},
    "linear": {"X": grid(2, 3), "W": grid(4, 3), "b": grid(4)},
    "layer_norm": {"X": grid(2, 3), "gamma": grid(3), "beta": grid(3), "eps": 0.1},
    "rms_norm": {"X": grid(2, 3), "gamma": grid(3), "eps": 0.1},
    "feed_forward": {**FEED_FORWARD, "b_2": grid(5), "activation": relu},
    "swiglu": {"X": grid(2, 3), "W_gate": grid(4, 3), "W_up": grid(4, 3), "W_down": grid(5, 4)},
    # attention_heads
    "softmax": {"scores": grid(3)},
    "causal_mask": {"T": 3},
    "attention_scores": {name: Q_K_V[name] for name in ("Q", "K", "mask")},
    "attention": Q_K_V,
    "merge_heads": {"heads": grid(2, 3, 4)},
    "split_heads": {"X": grid(3, 8), "H": 2},
    "multi_head_attention": HEADS,
    "grouped_query_attention": {
        "Q": grid(4, 2, 3),
        "K": grid(2, 5, 3),
        "V": grid(2, 5, 6),
        "mask": grid(2, 5),
    },
    "rope": {"X": grid(2, 4), "positions": [3, 7], "base": 100.0},
    # llama
    **{
        name: {"config": LLAMA_CONFIG}
        for name in ("llama_cache_shapes", "llama_param_sizes", "llama_param_shapes")
    },
    "cached_attention": {
        "Q": [grid(1, 2), grid(1, 2)],
        "K": [grid(1, 2)],
        "V": [grid(1, 2)],
        "keys": [grid(3, 2)],
        "values": [grid(3, 2)],
        "base": 10000.0,
    },
    "llama_attention": LLAMA_BLOCK,
    "llama_block": LLAMA_BLOCK,
    "llama_forward": LLAMA,
    "llama_logits": {"E": grid(5, 3), "x": grid(3)},
    # experts
    "route": {"x": grid(3), "W_router": grid(2, 3)},
    **{name: {"probabilities": ROUTED} for name in ("dispatch", "expert_loads", "balance_loss")},
    "balance_loss_backward": {"d_out": 2.0, "probabilities": ROUTED},
    "mixture": EXPERTS,
    "mixture_backward": {"d_out": grid(4, 7), **EXPERTS},
    # lora
    "lora_linear": {**LORA, "X": grid(2, 3), "b": grid(4)},
    "merge_lora": LORA,
    "lora_backward": {"d_W": grid(4, 3), "A": LORA["A"], "B": LORA["B"], "c": 2.0},
    "init_lora": {"m": 4, "n": 3, "r": 2, "rng": random.Random(1)},
    # pictures
    "cut_patches": {"picture": grid(4, 6), "n": 2},
    "shrink_picture": {"picture": grid(4, 6), "rows": 2, "columns": 3},
    "encoder_block": {**ONE_BLOCK, "H": 2},
    "init_pictures": {"q": 4, "N": 3, "D": 2, "F": 5, "C": 7, "rng": random.Random(1), "std": 0.5},
    "picture_forward": PICTURE,
    "picture_backward": {
        "d_scores": grid(7),
        "parameters": PICTURE["parameters"],
        "activations": picture_forward(**PICTURE),
        "patches": PICTURE["patches"],
    },
    # quantization
    "round_symmetric": {"row": grid(3), "bits": 4},
    "round_min_max": {"row": grid(3), "bits": 4},
    "round_matrix": {"W": grid(2, 4), "method": round_min_max, "bits": 3, "group": 2},
    "decode_q8_0": {"block": bytes(34)},
    "decode_q4_1": {"block": bytes(20)},
    "round_fp16": {"x": 0.5},
    "round_bf16": {"x": 0.5},
    "unscale_gradients": {"scaled": [8.0, -2.0], "loss_scale": 4.0, "good": 0, "patience": 2},
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
    "activation_backward": {"d_out": grid(2, 3), "X": grid(2, 3), "derivative": gelu_derivative},
    "feed_forward_backward": {
        "d_out": grid(2, 5),
        **FEED_FORWARD,
        "activation": gelu,
        "derivative": gelu_derivative,
    },
    "layer_norm_backward": {"d_out": grid(2, 3), "X": grid(2, 3), "gamma": grid(3), "eps": 0.1},
    "rms_norm_backward": {"d_out": grid(2, 3), "X": grid(2, 3), "gamma": grid(3), "eps": 0.1},
    "softmax_backward": {"d_out": grid(3), "weights": [0.5, 0.25, 0.25]},
    "attention_scores_backward": {"d_out": grid(2, 4), "Q": grid(2, 3), "K": grid(4, 3)},
    "attention_backward": {"d_out": grid(2, 5), **Q_K_V},
    "swiglu_backward": {
        "d_out": grid(2, 5),
        "X": grid(2, 3),
        "W_gate": grid(4, 3),
        "W_up": grid(4, 3),
        "W_down": grid(5, 4),
    },
    "rope_backward": {"d_out": grid(2, 4), "positions": [3, 7], "base": 100.0},
    "grouped_query_attention_backward": {
        "d_out": grid(4, 2, 6),
        "Q": grid(4, 2, 3),
        "K": grid(2, 5, 3),
        "V": grid(2, 5, 6),
        "mask": grid(2, 5),
    },
    "multi_head_attention_backward": {"d_out": grid(3, 7), **HEADS},
    "token_losses_backward": {"d_out": grid(2), "logits": grid(2, 3), "targets": [2, 0]},
    "cross_entropy_backward": {"d_out": 2.0, "logits": grid(2, 3), "targets": [2, 0]},
    "perplexity_backward": {"d_out": 2.0, "loss": 1.5},
    # differences
    "numerical_gradient": {"function": lambda A: A["W"][1][2] * A["b"][0], "A": NEST, "h": 0.25},
    # optimizers
    "sgd_step": {"parameters": NEST, "gradients": NEST, "lr": 0.5},
    "adamw_init": {"parameters": NEST},
    "adamw_vector": {
        "p": grid(3),
        "g": grid(3),
        "m": grid(3),
        "v": [1.0, 0.5, 0.25],
        "step": 2,
        "lr": 0.5,
        "beta_1": 0.5,
        "beta_2": 0.25,
        "eps": 0.1,
        "weight_decay": 0.5,
    },
    "adamw_step": {
        "parameters": NEST,
        "gradients": NEST,
        "optimizer": {"step": 2, "m": NEST, "v": {"W": [[1.0] * 3] * 2, "b": [2.0] * 2}},
        "lr": 0.5,
        "betas": (0.5, 0.25),
        "eps": 0.1,
        "weight_decay": 0.5,
        "no_decay": ["b"],
    },
    # texts
    "normalize_text": {"text": "An ant"},
    "comparison_key": {"text": "An ant"},
    "deduplicate": {"texts": ["An ant", "an ant"]},
    "shingles": {"text": "An ant", "n": 4},
    "near_duplicates": {"texts": ["An ant", "an ant"], "threshold": 0.5, "n": 4},
    "find_leaks": {"train_set": ["An ant"], "test_set": ["an ant"], "threshold": 0.5, "n": 4},
    "split_text": {"text": "An ant", "max_length": 4},
    # byte_pairs
    "most_frequent_pair": {"words": {("a", "b"): 2, ("c",): 1}},
    "merge_pair": {"word": ("a", "b", "c"), "pair": ("b", "c")},
    "train_byte_pairs": {"words": {("a", "b"): 2, ("c",): 1}, "n": 1},
    "apply_merges": {"word": ("a", "b"), "ranks": {("a", "b"): 0}},
    "split_bytes": {"text": "An ant"},
    "encode_pieces": {"pieces": ["An", " ant"], "ranks": {(b"a", b"n"): 0}},
    "decode_tokens": {"tokens": [b"An", b" ant"]},
    # the machinery's own, which a lesson uses
    "decode_bytes": {"data": b"An ant", "fallback": "cp1252"},
    "fast_gradients": {
        "config": GPT_CONFIG,
        "parameters": GPT["parameters"],
        "documents": [[1, 5, 3], [2, 0]],
    },
    "pdf_text": {"data": PDF},
    "read_documents": {"path": "An ant", "fallback": "cp1252"},
    # toy
    "toy_forward": TOY,
    "toy_backward": {**TOY, "activations": toy_forward(**TOY)},
    # gpt
    **{
        name: {"config": GPT_CONFIG}
        for name in ("cache_shapes", "gpt_activation_shapes", "gpt_param_sizes", "gpt_param_shapes")
    },
    "init_gpt": {"config": GPT_CONFIG, "rng": random.Random(1)},
    "project_qkv": {
        "parameters": {name: ONE_BLOCK["parameters"][name] for name in list(BLOCK_PARAM_SHAPES)[:4]},
        "X": ONE_BLOCK["X"],
        "H": 2,
    },
    "block_output": {
        "parameters": {name: ONE_BLOCK["parameters"][name] for name in list(BLOCK_PARAM_SHAPES)[4:]},
        "X": ONE_BLOCK["X"],
        "heads": grid(2, 3, 2),
    },
    "block_forward": {**ONE_BLOCK, "H": 2},
    "block_backward": {"d_out": grid(3, 4), **ONE_BLOCK, "activations": block_forward(**ONE_BLOCK, H=2)},
    "gpt_forward": GPT,
    "gpt_backward": {**GPT, "activations": gpt_forward(**GPT), "d_losses": [0.5] * len(GPT["targets"])},
    # preferences
    "advantages": {"rewards": [1.0, 0.0, 2.0]},
    "group_advantages": {"rewards": [1.0, 0.0, 2.0], "eps": 0.5},
    "policy_gradient_loss": {"losses": [[1.0, 2.0], [3.0]], "advantages": [0.5, -0.5]},
    "kl_divergence": {"p": [0.5, 0.5], "q": [0.25, 0.75]},
    "penalized_reward": {"reward": 1.0, "new": -4.0, "old": -6.0, "beta": 0.25},
    "dpo_margin": {
        "new_liked": -5.0,
        "old_liked": -6.0,
        "new_disliked": -9.0,
        "old_disliked": -7.0,
        "beta": 0.5,
    },
    "dpo_loss": {"margin": 0.5},
    "dpo_loss_backward": {"margin": 0.5},
    "masked_loss": {"losses": [5.0, 3.0, 1.0], "mask": [0, 1, 1]},
    # ngrams
    "count_ngrams": {"documents": [[0, 5, 1], [0, 1]], "n": 2},
    "ngram_losses": {"document": [0, 5, 1], "counts": {(0,): {5: 2}}, "n": 2, "V": 6, "alpha": 0.5},
    # training
    "build_vocab": {"texts": ["ba", "cab"]},
    "encode": {"text": "ab", "vocab": ["<PAD>", "<BOS>", "<EOS>", "a", "b"]},
    "train_val_test_split": {
        "documents": [[1, 2], [1, 3], [1, 4]],
        "n_val": 1,
        "n_test": 1,
        "rng": random.Random(1),
    },
    "next_batch": {"order": [1], "n": 3, "size": 2, "rng": random.Random(1)},
    "accumulate_gradients": {"total": NEST, "gradients": NEST, "weight": 0.5},
    "batch_gradients": {
        **{name: GPT[name] for name in ("config", "parameters")},
        "documents": [[1, 3, 2], [1, 2]],
    },
    "mean_loss": {**{name: GPT[name] for name in ("config", "parameters")}, "documents": [[1, 3, 2], [1, 2]]},
    "learning_rate": {"step": 3, "steps": 10, "lr": 0.5, "warmup_steps": 2},
    "global_norm": {"gradients": NEST},
    "clip_by_global_norm": {"gradients": NEST, "max_norm": 0.5},
    "no_decay_names": {"parameters": NEST},
    # sampling
    "argsort_descending": {"probabilities": [0.25, 0.5, 0.25]},
    "renormalize": {"probabilities": [0.25, 0.5, 0.25], "kept": [0, 1]},
    "greedy": {"probabilities": [0.25, 0.5, 0.25]},
    "softmax_with_temperature": {"logits": grid(3), "temperature": 0.5},
    "top_k": {"probabilities": [0.25, 0.5, 0.25], "k": 2},
    "top_p": {"probabilities": [0.25, 0.5, 0.25], "p": 0.75},
    "min_p": {"probabilities": [0.25, 0.5, 0.25], "p": 0.5},
    "sample": {"probabilities": [0.25, 0.5, 0.25], "rng": random.Random(1)},
    # cache
    "decode_step": {"config": GPT_CONFIG, "parameters": GPT["parameters"], "token": 3, "cache": CACHE},
    "generate": {
        "config": GPT_CONFIG,
        "parameters": GPT["parameters"],
        "prompt": [1, 5],
        "choose": greedy_token,
        "length": 5,
        "end": 2,
    },
    "beam_search": {
        "config": GPT_CONFIG,
        "parameters": GPT["parameters"],
        "prompt": [1, 5],
        "width": 2,
        "length": 5,
        "end": 2,
    },
    # tape
    "gelu_rows": {"X": grid(2, 3)},
    "relu_rows": {"X": grid(2, 3, start=2)},
    "softmax_rows": {"scores": grid(2, 3)},
    "softmax_rows_backward": {"d_out": grid(2, 3), "weights": grid(2, 3)},
}

SURPLUS = {**GPT["parameters"], "h.1.ln_1.bias": [0.0] * 4}
UNSHARED = {**GPT_CONFIG, "n_head": 3}

# what no signature can say: the argument, what is given, what the message says instead of the argument's name
BLIND = "every score is -inf"
ALSO = {
    "softmax": [("scores", scores, BLIND) for scores in ([-INF] * 3, [0, NAN, 1], [0, INF], [NAN, -INF])],
    "softmax_rows": [
        ("scores", [[0, 1], scores], BLIND) for scores in ([-INF] * 2, [0, NAN], [0, INF], [NAN, -INF])
    ],
    "attention": [("mask", [[0] * 4, [-INF] * 4], BLIND), ("Q", [[NAN] * 3] * 2, "nan")],
    "attention_backward": [("mask", [[-INF] * 4] * 2, BLIND)],
    "multi_head_attention": [("mask", [[0] * 3, [-INF] * 3, [0] * 3], BLIND)],
    "multi_head_attention_backward": [("mask", [[-INF] * 3] * 3, BLIND)],
    "split_heads": [("H", 3, ""), ("H", 5, ""), ("H", 16, "")],
    "toy_forward": [
        ("targets", [1] * 4, "4 targets, 3 tokens"),
        ("tokens", [1] * 5, "5 tokens, 4 positions"),
    ],
    **{name: [("config", UNSHARED, "")] for name in ("gpt_param_shapes", "gpt_param_sizes", "init_gpt")},
    "gpt_forward": [
        ("targets", [1] * 4, ""),
        ("tokens", [1] * 5, ""),
        ("parameters", SURPLUS, ""),
        ("config", UNSHARED, ""),
        *[
            ("config", {**GPT_CONFIG, name: 8}, "")
            for name in GPT_CONFIG
            if name not in ("n_head", "n_layer")
        ],
        ("config", {**GPT_CONFIG, "n_layer": 2}, "has no h.1.ln_1.weight"),
    ],
    "gpt_backward": [("parameters", SURPLUS, ""), ("config", UNSHARED, "")],
    "train_val_test_split": [("n_val", 3, "nothing is left"), ("n_test", 2, "nothing is left")],
    "encode": [("text", "axb", "never seen")],
    "learning_rate": [("step", 10, "steps count from 0 to 9"), ("warmup_steps", 10, "leave some steps")],
    "adamw_init": [
        ("parameters", {"b": 3.0}, ""),
        ("parameters", {"b": []}, ""),
        ("parameters", {"W": [[1], [2, 3]]}, ""),
    ],
    "activation_backward": [
        (name, [[1, 2, 3], [4, 5, wrong]], "") for name in ("d_out", "X") for wrong in NO_NUMBERS
    ],
    "sgd_step": [
        (name, {"b": wrong}, "") for name in ("parameters", "gradients") for wrong in (3.0, [], [[1], [2, 3]])
    ],
    "tree_map": [
        ("trees", (), "go together"),
        *[("trees", wrong, "") for wrong in ((3,), ({"b": 3.0},), ([],), ([[1], [2, 3]],), (None, None))],
    ],
}


# --- the strings of a signature, and the faults that follow from them


class Rule(NamedTuple):
    """A string taken apart: "T D finite >= 0" is ("shape", ["T", "D"], True, [[">=", "0"]])."""

    kind: str
    names: list
    finite: bool
    bounds: list


def parse(text):
    """The rule that a string states."""
    text, *conditions = re.split(" (?=finite|[<>])", text.removesuffix(" or None"))
    kind, *names = text.split()
    if "->" in names:
        kind, names = "function", names[-1:]
    elif kind == "list":
        kind, names = text, []
    elif re.match(r"[A-Z_]{2,}|\w+\(", text):
        kind, names = "named dict", text.rstrip(")").split("(")
    elif kind not in [*WRONG_KINDS, "tree", "dict", "set"]:
        kind, names = "shape", [kind, *names]
    bounds = [condition.split() for condition in conditions if condition != "finite"]
    return Rule(kind, names, "finite" in conditions, bounds)


def depths(nest):
    """The lengths from the outside in, of a nest that is sound."""
    return (len(nest), *depths(nest[0])) if isinstance(nest, (list, tuple)) else ()


def edited(nest, path, change):
    """A copy in which change(entry) stands at the end of the path."""
    if not path:
        return change(nest)
    parts = dict(nest) if isinstance(nest, dict) else list(nest)
    parts[path[0]] = edited(parts[path[0]], path[1:], change)
    return tuple(parts) if isinstance(nest, tuple) else parts


def resized(nest, axis, by):
    """One entry more or less, everywhere along one axis."""
    if axis:
        return [resized(entry, axis - 1, by) for entry in nest]
    return [*nest, nest[-1]] if by > 0 else list(nest)[:-1]


def of_shape(rule, value, letters):
    sizes = depths(value)
    last = [n - 1 for n in sizes]
    yield from (("kind", bad) for bad in [*NO_LISTS, [], [value], value[0]])
    for depth in range(1, len(sizes)):  # what stands where a row or a matrix belongs
        for bad in (None, 7, "ab", {0: 1, 1: 2}, [], [[]]):
            yield "kind", edited(value, last[:depth], lambda _: bad)
        for by, axis in itertools.product((-1, 1), range(depth, len(sizes))):
            yield "ragged", edited(value, last[:depth], lambda part: resized(part, axis - depth, by))
    for bad in NO_NUMBERS:
        yield "kind", edited(value, last, lambda _: bad)
    for axis, length in enumerate(rule.names):
        for by in (-1, 1):
            if (length.isdigit() or letters[length][1] > 1) and sizes[axis] + by:
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


def of_tree(value):
    """A tree whose last number is spoiled, and what is no tree."""
    yield from (("kind", bad) for bad in (None, "ab", {1, 2}))
    path = path_to_the_last(value)
    yield from (("kind", edited(value, path, lambda _: bad)) for bad in (None, "1", 1j, {1}))


def path_to_the_last(value):
    """The way to the last number."""
    if not isinstance(value, (dict, list, tuple)):
        return []
    key = list(value)[-1] if isinstance(value, dict) else len(value) - 1
    return [key, *path_to_the_last(value[key])]


def of_likeness(value):
    """A tree with other names or shapes."""
    yield from (("kind", bad) for bad in (None, 3, "ab", [], [1.0], {}))
    name, *path = path_to_the_last(value)
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


WRONG_KINDS = {
    "float": (None, "1", [1.0], [[1.0]], (1,), {}, 1j, True, math.exp),
    "int": (None, -1, -3, 1.5, 2.0, "3", [3], True, NAN),
    "function": (None, 3, "gelu", [gelu], {}),
    "str": (None, 3, b"ab", ["ab"], {}),
    "path": (None, 3, b"ab", ["ab"], {}),
    "list of str": (None, 3, "ab", {"ab": "c"}, {"ab"}, ["ab", None], [b"ab"], [["ab"]]),
    "bytes": (None, 3, "ab", [1], bytearray(b"ab")),
    "list of bytes": (None, 3, b"ab", "ab", ["ab"], [b"ab", None], [3], [[b"ab"]]),
    "Random": (None, 42, "42", random.gauss, random.Random, [1]),
    "names": (None, 3, "b", "ab", ["nobody"], ["b", "c"], [1], ("c",), {"b": 1}),
    "list": NO_LISTS,
    "list of int": (*NO_LISTS, [-1], [0.5], ["1"], [None], [True], [[1]], [NAN]),
    "list of list of int": (*NO_LISTS, [1], *([[bad]] for bad in (-1, 0.5, "1", None, [1], NAN))),
}


def of_kind(rule, value, letters):
    """What a rule without a shape does not allow."""
    yield from (("kind", bad) for bad in WRONG_KINDS.get(rule.kind, ()))
    if rule.kind == "int" and rule.names:
        yield "kind", 0
    elif rule.kind == "int":
        just_beyond = {">": 0, ">=": -1, "<": 0}
        yield from (("bounds", int(limit) + just_beyond[sign]) for sign, limit in rule.bounds)
    elif rule.kind == "float":
        yield from (("bounds", bad) for bad in beyond(rule, letters))
    elif rule.kind == "function" and rule.names:
        yield from (("kind", lambda *_, bad=bad: bad) for bad in (None, "1", [1.0], [[1.0]], 1j, True))
    elif rule.kind == "tree":
        yield from of_tree(value)
    elif rule.kind == "like":
        yield from of_likeness(value)
    elif rule.kind == "trees alike":
        for i, tree in enumerate(value):
            yield from ((kind, (*value[:i], bad, *value[i + 1 :])) for kind, bad in of_likeness(tree))


def faults(rule, value, letters):
    """(kind of fault, what is given instead) for one argument."""
    if not isinstance(rule, dict):
        yield from (of_shape if rule.kind == "shape" else of_kind)(rule, value, letters)
        return
    yield from (("kind", bad) for bad in (None, 3, "ab", [], [1.0], {}))
    for name, inner in rule.items():
        yield "kind", {key: part for key, part in value.items() if key != name}
        yield from ((kind, {**value, name: bad}) for kind, bad in faults(inner, value[name], letters))


def axes(rule, name, value):
    """(name, length) of every axis of an argument."""
    if isinstance(rule, dict):
        return [axis for key, inner in rule.items() for axis in axes(inner, key, value[key])]
    if rule.kind == "int":
        return [(*(rule.names or [name]), value)]
    return list(zip(rule.names, depths(value))) if rule.kind == "shape" else []


def letters(rules, given):
    """{name: (its length, how many axes have it)}; a product ties the lengths that it is made of."""
    found = [axis for name, rule in rules.items() for axis in axes(rule, name, given[name])]
    uses = Counter(part for length, _ in found for part in {length, *length.split("*")})
    return {length: (size, uses[length] + ("*" in length and len(uses) > 2)) for length, size in found}


def rules_of(function, given):
    """{argument: what the signature says of it}, dicts named there taken apart."""
    bare, rules, trees = inspect.unwrap(function), {}, set()
    for name, parameter in inspect.signature(bare).parameters.items():
        rules[name] = resolved(parse(parameter.annotation), bare, given, trees)
        if name == "trees":
            rules[name] = Rule("trees alike", [], False, [])
    return rules


def resolved(rule, bare, given, trees):
    if (
        rule.kind == "tree" and rule.names
    ):  # the first tree of a name may have any form, the others must be like it
        kind = "like" if rule.names[0] in trees else "tree"
        trees.update(rule.names)
        return rule._replace(kind=kind)
    if rule.kind != "named dict":
        return rule
    found = bare.__globals__[rule.names[0]]
    found = found if len(rule.names) == 1 else inspect.unwrap(found)(given[rule.names[1]])
    return {name: resolved(parse(text), bare, given, trees) for name, text in found.items()}


def result_problem(function, given, result):
    """What the declared result and this one do not have in common; None if it is as declared."""
    bare = inspect.unwrap(function)
    _, rules, results = declared(bare)
    call = SimpleNamespace(function=bare, arguments=dict(given), lengths={}, trees={})
    for name, rule in rules:
        check_argument(given[name], name, rule, call)
    parts = result if len(results) > 1 else (result,)
    if not isinstance(parts, tuple) or len(parts) != len(results):
        return f"{len(results)} results were declared"
    try:
        for rule, part in zip(results, parts):
            if rule in ("dict", "set"):
                assert type(part).__name__ == rule
            else:
                check_argument(part, "the result", rule, call)
    except (AssertionError, TypeError, ValueError) as error:
        return repr(error)


def call(function, given):
    return function(*(x for name, value in given.items() for x in (value if name == "trees" else [value])))


def in_order(name):
    """The arguments of the sound call, in the order in which the function takes them."""
    return {argument: CALLS[name][argument] for argument in inspect.signature(FUNCTIONS[name]).parameters}


def may_be_none(name, argument):
    parameter = inspect.signature(FUNCTIONS[name]).parameters[argument]
    return parameter.default is None or parameter.annotation.endswith("or None")


def bad_calls(name):
    """(kind of fault, the argument, what the message must hold, the arguments) for every fault."""
    given = in_order(name)
    rules = rules_of(FUNCTIONS[name], given)
    sizes = letters(rules, given)
    for argument, rule in rules.items():
        for kind, bad in faults(rule, given[argument], sizes):
            if bad is not None or not may_be_none(name, argument):
                yield kind, argument, "", {**given, argument: bad}
    for argument, bad, words in ALSO.get(name, []):
        yield "also", argument, words, {**given, argument: bad}


# --- what a refusal must be


def complaint(function, name, argument, words, given):
    """What is wrong with how a call is refused; None when nothing is."""
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


def complaints(function, name, argument=None):
    """What is wrong with how each bad call is refused, one after the other."""
    for _, place, words, bad in bad_calls(name):
        if argument in (None, place):
            yield from filter(None, [complaint(function, name, place, words, bad)])


ARGUMENTS = [(name, argument) for name, given in CALLS.items() for argument in given]


def test_every_function_has_a_row_and_a_signature_that_says_everything():
    assert FUNCTIONS.keys() == CALLS.keys()
    for name, function in FUNCTIONS.items():
        signature = inspect.signature(function)
        assert signature.parameters.keys() == CALLS[name].keys(), name
        assert all(isinstance(p.annotation, str) for p in signature.parameters.values()), name
        assert signature.return_annotation is not signature.empty, name


@pytest.mark.parametrize("name", CALLS)
def test_the_sound_call_gives_what_the_signature_declares_and_changes_nothing(name):
    given = copy.deepcopy(in_order(name))
    before = repr(given)
    result = call(FUNCTIONS[name], given)
    assert result_problem(FUNCTIONS[name], given, result) is None
    assert repr(given) == before or "rng" in given


@pytest.mark.parametrize("name, argument", ARGUMENTS)
def test_what_does_not_fit_is_refused_by_the_name_of_the_argument(name, argument):
    found = list(complaints(FUNCTIONS[name], name, argument))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "name, arguments, message",
    [
        (
            "matmul",
            [grid(1, 3), grid(2, 1)],
            "A is [1][3] and B is [2][1], read as A [m][n] and B [n][p]: n is 3 and 2; make them equal",
        ),
        (
            "linear",
            [grid(2, 3), grid(4, 3), grid(2)],
            "W is [4][3] and b is [2], read as W [m][n] and b [m]: m is 4 and 2; make them equal",
        ),
        ("linear", [[1, 2], grid(4, 2)], "X is [2]; it must be a matrix (a list of rows)"),
        ("linear", [[[1, 2], [3]], grid(4, 2)], "X[1] is [3]; X is ragged: its first list is [2]"),
        ("linear", [[[1, "2"]], grid(4, 2)], "X[0][1] is '2', not a number"),
        (
            "multi_head_attention",
            [*list(HEADS.values())[:4], grid(7, 10)],
            "W_Q is [2][5][4] and W_V is [2][6][4] and W_O is [7][10], read as W_Q [H][k][D] and W_V "
            "[H][v][D] and W_O [m][H*v]: "
            "H*v is 12 and 10; make them equal",
        ),
        ("split_heads", [grid(2, 6), 4], "H is 4 and X is [2][6], read as X [T][H*k]: 4 must divide 6"),
        ("embedding", [[2, 4], grid(4, 3)], "ids[1] is 4; give a whole number from 0 to 3"),
        (
            "adamw_vector",
            [*CALLS["adamw_vector"].values()][:9],
            "missing a required argument: 'weight_decay'",
        ),
        ("adamw_step", [NEST, {**NEST, "b": [1.0]}, {}], "gradients['b'] is [1]; it must be [2]"),
        ("adamw_step", [NEST, {"W": NEST["W"]}, {}], "gradients has no b; give a dict with W, b only"),
        ("causal_mask", [0], "T is 0; give a number > 0"),
        ("top_p", [[0.5, 0.5], NAN], "p is nan; give a number > 0"),
        (
            "adamw_init",
            [{"W": [[1], [2, 3]]}],
            "parameters['W'][1] is [2, 3]; parameters['W'] is ragged: its first list is [1]",
        ),
    ],
)
def test_a_refusal_says_both_shapes_and_what_to_do(name, arguments, message):
    with pytest.raises((TypeError, ValueError)) as error:
        FUNCTIONS[name](*arguments)
    assert str(error.value) == f"{name}: {message}"


# --- against what is said elsewhere: a signature that asks too little would have nothing tried


@pytest.mark.parametrize("name", ["toy_forward", "toy_backward"])
def test_no_parameter_of_the_network_may_have_another_size(name):
    """Only the positions have a length of their own: any number that the sentence fits into."""
    for parameter, value in TOY["parameters"].items():
        for axis, by in itertools.product(range(len(depths(value))), (-1, 1)):
            if (parameter, axis) != ("E_pos", 0):
                bad = {
                    **in_order(name),
                    "parameters": {**TOY["parameters"], parameter: resized(value, axis, by)},
                }
                assert not complaint(FUNCTIONS[name], name, "parameters", "", bad)


OUT_OF_RANGE = {
    **dict.fromkeys(("T", "n", "H", "rows", "columns"), [0]),
    **dict.fromkeys(("lr", "weight_decay"), [-1, INF]),
    **dict.fromkeys(("eps", "sigma"), [-1, NAN]),
    **dict.fromkeys(("ids", "targets"), [[-1, 0], [99, 0], [0, 1.5]]),
    "tokens": [[-1, 0, 0], [99, 0, 0]],
    "logits": [[[1, 2, NAN], [1, 2, 3]], [[1, 2, 3], [INF, 2, 3]]],
    "betas": [(1, 0.5), (0.5, -1)],
    "h": [0, -1],
}


@pytest.mark.parametrize("name, argument", [(name, a) for name, a in ARGUMENTS if a in OUT_OF_RANGE])
def test_what_is_out_of_range_is_refused(name, argument):
    for bad in OUT_OF_RANGE[argument]:
        assert not complaint(FUNCTIONS[name], name, argument, "", {**in_order(name), argument: bad})


@pytest.mark.parametrize("name", CALLS)
def test_missing_and_surplus_arguments_are_refused(name):
    function, given = FUNCTIONS[name], in_order(name)
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


CONTRIVED = {
    "a huge int": lambda: 10**400,
    "an int that cannot be printed": lambda: -(10**5000),
    "a billion": lambda: 10**9,
    "a large size": lambda: 10**7 * 6,
    "Fraction": lambda: Fraction(1, 2),
    "Decimal": lambda: Decimal("0.5"),
    "complex": lambda: 1j,
    "bool": lambda: True,
    "nan": lambda: NAN,
    "a float that cannot be printed": lambda: Mute(2.5),
    "generator": lambda: (x for x in [1.0, 2.0]),
    "endless": itertools.count,
    "set": lambda: {1.0},
    "range": lambda: range(3),
    "list that holds itself": holding_itself,
    "longer list that holds itself": lambda: holding_itself(3),
    "many times itself": lambda: holding_itself(400, times=400),
    "dict that holds itself": dict_holding_itself,
    "odd dict": lambda: Odd(W=[[1.0]]),
    "odd list": lambda: Endless([1.0, 2.0]),
    "class": lambda: list,
}


# functions that take whatever they are given: an error in a caller's function is the caller's
TOLERANT = {"numerical_gradient": lambda A: 1.0, "tree_map": lambda *vectors: vectors[0]}


def contrived_calls(name):
    """(what is given, the arguments): each contrived value as each argument, and as its last number."""
    given = {**in_order(name), **({"function": TOLERANT[name]} if name in TOLERANT else {})}
    for argument, value in given.items():
        for what, make in () if callable(value) else CONTRIVED.items():
            yield f"{argument} {what}", {**given, argument: (make(),) if argument == "trees" else make()}
            path = path_to_the_last(value)
            if path:
                inside = edited(value, path, lambda _, make=make: make())
                yield f"{argument}, in it {what}", {**given, argument: inside}


@pytest.mark.parametrize("name", CALLS)
def test_contrived_values_are_refused_in_words_or_work(name):
    for what, given in contrived_calls(name):
        start = time.process_time()
        try:
            call(FUNCTIONS[name], given)
        except (TypeError, ValueError) as error:
            assert str(error).startswith(f"{name}: ") or isinstance(error, UnicodeError), f"{what}: {error!r}"
        except Exception as error:
            pytest.fail(f"{name}, {what}: {error!r}")
        assert time.process_time() - start < 2, what


def test_a_size_that_would_fill_the_memory_is_refused_before_the_work_begins():
    for function, arguments in [
        (FUNCTIONS["random_vector"], (random.Random(1), 10**9)),
        (FUNCTIONS["random_matrix"], (random.Random(1), 10**4, 10**4)),
        (FUNCTIONS["causal_mask"], (10**4,)),
        (FUNCTIONS["matmul"], ([[1.0]] * 10**4, [[1.0] * 10**4])),
        (
            FUNCTIONS["init_gpt"],
            ({**GPT_CONFIG, "n_layer": 9999, "n_embd": 768, "n_inner": 3072}, random.Random(1)),
        ),
        (FUNCTIONS["next_batch"], ([], 10**9, 2, random.Random(1))),
    ]:
        with pytest.raises(ValueError, match="50,?000,?000"):
            function(*arguments)


def test_a_result_of_nan_from_finite_numbers_is_refused():
    with pytest.raises(ValueError, match="^dot: a number on the way is too large for a float$"):
        FUNCTIONS["dot"]([1e308, 1e308, 1e308], [10.0, -10.0, 1.0])
    assert math.isnan(FUNCTIONS["dot"]([NAN], [1.0]))


# --- bare is not careless


def differing(bad, sound):
    """What is bad, of a dict the entries that are not sound."""
    return (
        {key: part for key, part in bad.items() if part != sound.get(key)} if isinstance(bad, dict) else bad
    )


def bare_results(function, name, kinds, only):
    """What a function without any checks gives for what does not fit."""
    found = []
    for kind, argument, _, given in bad_calls(name):
        if kind in kinds and argument in only:
            try:
                result = call(function, copy.deepcopy(given))
                bad = differing(given[argument], CALLS[name][argument])
                found.append(f"{name} bare, {argument}: {bad} gives {result!r:.60}")
            except Exception:
                pass  # in Python's own words
    return found


# these take each row by itself: rows of unequal length stay unequal, and none is cut or mixed with another
ROW_BY_ROW = """
    gelu_rows relu_rows softmax_rows scale add_backward embedding embedding_backward merge_heads
    token_losses token_losses_backward cross_entropy cross_entropy_backward rope grouped_query_attention
    rope_backward grouped_query_attention_backward mixture
""".split()


# of a whole network these read one entry here and another there: bare, they trust the dicts
NETWORKS = """
    toy_forward toy_backward gpt_forward gpt_backward block_backward batch_gradients mean_loss
    fast_gradients decode_step generate beam_search llama_attention llama_block llama_forward
    picture_forward picture_backward
""".split()


@pytest.mark.parametrize("name", CALLS)
def test_a_bare_function_is_never_silently_wrong(name):
    kinds = ["length"] if name in ROW_BY_ROW else ["length", "ragged"]
    only = ("tokens", "targets", "d_out", "X") if name in NETWORKS else CALLS[name]
    found = bare_results(inspect.unwrap(FUNCTIONS[name]), name, kinds, only)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "name, argument", [(name, a) for name, a in ARGUMENTS if a in ("ids", "targets", "tokens")]
)
def test_a_bare_function_does_not_count_from_the_end(name, argument):
    given = copy.deepcopy(in_order(name))
    given[argument][0] = -1
    try:
        result = call(inspect.unwrap(FUNCTIONS[name]), given)
    except Exception:
        return
    assert False, f"{name} gives {result!r:.100}"


def test_a_bare_gpt_backward_knows_the_activations_of_other_targets():
    given = {name: value for name, value in in_order("gpt_backward").items() if name != "d_losses"}
    given["targets"] = given["targets"][:-1]
    try:
        result = inspect.unwrap(FUNCTIONS["gpt_backward"])(**given)
    except AssertionError as error:
        assert "other tokens or targets" in str(error)
        return
    assert False, f"gpt_backward gives {result!r:.100}"


# --- inside a checked function nothing is checked again, but what the caller's own functions call


def is_checked():
    """Whether a call that does not fit is refused in our words."""
    try:
        FUNCTIONS["add"]([[1]], [[1, 2]])
    except ValueError as error:
        return str(error).startswith("add: ")
    return False


def test_the_modules_call_each_other_unchecked():
    for function in FUNCTIONS.values():
        used = vars(inspect.getmodule(inspect.unwrap(function))).values()
        assert not [f for f in used if getattr(f, "is_checked", False)]


SEEN = []


def noting(value):
    SEEN.append(is_checked())
    return value


CALLBACKS = {
    ("numerical_gradient", "function"): lambda A: noting(1.0),
    ("feed_forward", "activation"): noting,
    ("feed_forward_backward", "activation"): noting,
    ("feed_forward_backward", "derivative"): noting,
    ("activation_backward", "derivative"): noting,
    ("tree_map", "function"): lambda *vectors: noting(vectors[0]),
    ("generate", "choose"): lambda logits: noting(0),
    ("round_matrix", "method"): lambda row, bits: noting(row),
}


@pytest.mark.parametrize("name, argument", CALLBACKS)
def test_what_a_caller_s_function_calls_is_checked(name, argument):
    SEEN.clear()
    call(FUNCTIONS[name], {**in_order(name), argument: CALLBACKS[name, argument]})
    assert SEEN and all(SEEN)


@pytest.mark.parametrize("name, argument", CALLBACKS)
@pytest.mark.parametrize(
    "error", [KeyError("mine"), AssertionError("mine"), ValueError("mine"), ZeroDivisionError("mine")]
)
def test_an_error_in_a_caller_s_function_stays_what_it_is(name, argument, error):
    def failing(*arguments):
        raise error

    with pytest.raises(type(error)) as raised:
        call(FUNCTIONS[name], {**in_order(name), argument: failing})
    assert raised.value is error


def test_every_function_that_calls_its_caller_s_is_in_these_tests():
    rules = {name: rules_of(FUNCTIONS[name], in_order(name)) for name in FUNCTIONS}
    taking = {
        (n, a) for n in rules for a, rule in rules[n].items() if getattr(rule, "kind", "") == "function"
    }
    assert taking == CALLBACKS.keys()
