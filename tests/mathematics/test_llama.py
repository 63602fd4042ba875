"""RoPE, SwiGLU, grouped queries and the whole Llama, against numbers by hand and a second implementation."""

import cmath
import math
import random

import pytest

from helpers import (
    cached_attention,
    causal_mask,
    dot,
    grouped_query_attention,
    llama_forward,
    llama_logits,
    llama_param_sizes,
    rope,
    silu,
    swiglu,
)
from helpers.course.lessons import lesson_20_llama_bugs as llama_bugs
from helpers.course.lessons.lesson_20_llama_bugs import LLAMA_BUGS
from helpers.course.models.smollm2 import fast

CONFIG = {
    "vocab_size": 7,
    "n_embd": 12,
    "n_layer": 2,
    "n_head": 6,
    "n_kv_head": 2,
    "n_inner": 5,
    "rope_base": 50.0,
    "eps": 0.01,
}


def drawn(config, seed=1):
    rng = random.Random(seed)
    return {
        name: [[rng.uniform(-1, 1) for _ in range(size[-1])] for _ in range(size[0])]
        if len(size) == 2
        else [rng.uniform(0.5, 2) for _ in range(size[0])]
        for name, size in llama_param_sizes(config).items()
    }


def close(got, expected, within=1e-12):
    if isinstance(expected, (list, tuple)):
        return len(got) == len(expected) and all(map(lambda g, e: close(g, e, within), got, expected))
    return abs(got - expected) <= within * max(1, abs(expected))


# --- by hand


def test_rope_by_hand():
    quarter = math.pi / 2
    assert close(rope([[3, 4]], [quarter]), [[-4, 3]])
    assert close(rope([[1, 0], [1, 0]], [0, 2 * quarter]), [[1, 0], [-1, 0]])
    # base 100, width 4: the second pair turns a tenth as far
    assert close(rope([[1, 0, 5, 6]], [10 * quarter], 100.0), [[-1, 0, -6, 5]], 1e-9)


def test_the_dot_product_depends_on_the_distance_alone():
    rng = random.Random(2)
    q, k = ([rng.gauss(0, 1) for _ in range(8)] for _ in range(2))
    products = [
        dot(*rope([q, k], [first, second])) for first, second in ((5, 3), (12, 10), (105, 103), (1002, 1000))
    ]
    assert close(products, [products[0]] * 4, 1e-11)
    assert not close(dot(*rope([q, k], [5, 4])), products[0], 1e-3)


def test_a_rotation_keeps_the_length():
    row = [3.0, -1.0, 0.5, 2.0, 7.0, 1.0]
    for position in (0, 1, 17, 999):
        assert math.isclose(sum(x * x for x in rope([row], [position])[0]), sum(x * x for x in row))


def test_rope_refuses_an_odd_width():
    with pytest.raises(ValueError, match="^rope: a row of X has 3 numbers"):
        rope([[1, 2, 3]], [0])


def test_silu_by_its_definition():
    for x in (-20.0, -1.5, 0.0, 0.3, 4.0):
        assert math.isclose(silu(x), x / (1 + math.exp(-x)), abs_tol=1e-15, rel_tol=1e-6)
    assert silu(-1e4) == 0 and silu(1e4) == 1e4


def test_swiglu_by_hand():
    assert swiglu([[1, 2]], [[2, -1], [0, 50]], [[7, 0], [2, 0]], [[1, 1], [5, 0.5]]) == [[200, 100]]


def test_neighbouring_heads_share_keys_and_values():
    Q = [[[0.0]]] * 6
    K, V = [[[1.0]], [[1.0]]], [[[10.0]], [[20.0]]]
    assert grouped_query_attention(Q, K, V) == [[[10]]] * 3 + [[[20]]] * 3
    two = [[[0.0], [0.0]]] * 2
    assert (
        grouped_query_attention(two, [[[1.0], [2.0]]], [[[4.0], [8.0]]], causal_mask(2)) == [[[4], [6]]] * 2
    )


# --- a second implementation: complex numbers for RoPE, plain loops for the rest, position after position


def second_llama(config, p, tokens):
    D, H, G, eps = (config[name] for name in ("n_embd", "n_head", "n_kv_head", "eps"))
    k, stream = D // H, [list(p["token_embd.weight"][token]) for token in tokens]

    def normed(row, gamma):
        size = (sum(x * x for x in row) / D + eps) ** 0.5
        return [x / size * g for x, g in zip(row, gamma)]

    def times(W, row):
        return [sum(w * x for w, x in zip(line, row)) for line in W]

    def turned(row, position):
        numbers = [complex(a, b) for a, b in zip(row[::2], row[1::2])]
        turned = [
            z * cmath.exp(1j * position * config["rope_base"] ** (-2 * j / k)) for j, z in enumerate(numbers)
        ]
        return [part for z in turned for part in (z.real, z.imag)]

    for i in range(config["n_layer"]):
        w = {name.removeprefix(f"blk.{i}."): W for name, W in p.items() if name.startswith(f"blk.{i}.")}
        rows = [normed(row, w["attn_norm.weight"]) for row in stream]
        added = []
        for t in range(len(tokens)):
            out = []
            for h in range(H):
                g = h // (H // G)
                q = turned(times(w["attn_q.weight"], rows[t])[h * k : h * k + k], t)
                scores = []
                for s in range(t + 1):
                    key = turned(times(w["attn_k.weight"], rows[s])[g * k : g * k + k], s)
                    scores.append(math.exp(sum(a * b for a, b in zip(q, key)) / k**0.5))
                values = [times(w["attn_v.weight"], rows[s])[g * k : g * k + k] for s in range(t + 1)]
                out += [sum(e * v[c] for e, v in zip(scores, values)) / sum(scores) for c in range(k)]
            added.append(times(w["attn_output.weight"], out))
        stream = [[x + a for x, a in zip(row, more)] for row, more in zip(stream, added)]
        for row in stream:
            z = normed(row, w["ffn_norm.weight"])
            gate, up = times(w["ffn_gate.weight"], z), times(w["ffn_up.weight"], z)
            hidden = [a / (1 + math.exp(-a)) * b for a, b in zip(gate, up)]
            row[:] = [x + y for x, y in zip(row, times(w["ffn_down.weight"], hidden))]
    return [times(p["token_embd.weight"], normed(row, p["output_norm.weight"])) for row in stream]


def test_the_logits_are_those_of_a_second_implementation():
    for config in (CONFIG, {**CONFIG, "n_kv_head": 6}, {**CONFIG, "n_kv_head": 3, "n_layer": 1}):
        p, tokens = drawn(config), [3, 1, 6, 1, 0]
        X, _ = llama_forward(config, p, tokens)
        logits = [llama_logits(p["token_embd.weight"], x) for x in X]
        assert close(logits, second_llama(config, p, tokens), 1e-9)


def test_reading_in_parts_with_the_cache_changes_nothing():
    p, tokens = drawn(CONFIG), [3, 1, 6, 1, 0, 2]
    whole, _ = llama_forward(CONFIG, p, tokens)
    for cuts in ([1, 1, 1, 1, 1, 1], [2, 3, 1], [4, 2]):
        rows, cache, start = [], None, 0
        for n in cuts:
            before = repr(cache)
            X, longer = llama_forward(CONFIG, p, tokens[start : start + n], cache)
            assert repr(cache) == before
            rows, cache, start = rows + X, longer, start + n
        assert close(rows, whole, 1e-12) and len(cache["blk.1.K"]) == 2 and len(cache["blk.1.K"][0]) == 6


def test_smollm2_has_as_many_parameters_as_its_authors_say():
    config = {**CONFIG, "vocab_size": 49152, "n_embd": 576, "n_layer": 30, "n_head": 9, "n_kv_head": 3}
    sizes = llama_param_sizes({**config, "n_inner": 1536})
    assert sum(math.prod(size) for size in sizes.values()) == 134_515_008


def test_sizes_that_do_not_go_together_are_refused():
    for wrong in ({"n_kv_head": 4}, {"n_head": 5}, {"n_embd": 18}):
        with pytest.raises(ValueError, match="config has n_embd"):
            llama_param_sizes({**CONFIG, **wrong})


@pytest.mark.parametrize("bug", LLAMA_BUGS)
def test_each_bug_of_the_table_changes_the_vectors_and_no_bug_does_not(bug):
    config = {**CONFIG, "n_embd": 24}  # heads of width 4, so that halves are no neighbours
    p, tokens = drawn(config), [3, 1, 6, 1]
    X, _ = llama_forward(config, p, tokens)
    wrong, _ = fast(llama_forward, **LLAMA_BUGS[bug])(config, p, tokens)
    assert close(wrong, X, 1e-12) == (bug == "none") and not close(wrong, X, 1e-3) == (bug != "none")


def test_the_bugs_by_hand():
    """Halves: x[0] with x[2]; after a quarter turn of the first pair and a twentieth of the second."""
    rotated = llama_bugs.rope_by_halves([[1.0, 5.0, 0.0, 6.0]], [math.pi / 2], 1e12)
    assert close(rotated, [[0, 5, 1, 6]], 1e-5)
    assert llama_bugs.every_third_head([[[0.0]]] * 4, [[[1.0]]] * 2, [[[1.0]], [[2.0]]]) == [[[1]], [[2]]] * 2
    # gates 2 and -1, ups 0 and 100: silu gives 0 and 100
    assert llama_bugs.gate_and_up_exchanged([[1]], [[2], [-1]], [[0], [100]], [[1, 1]]) == [[-100]]
    assert llama_bugs.without_eps([[1, 7]], [1, 10], 99.0) == [[0.2, 14.0]]
    _, keys, values = llama_bugs.values_rotated(
        [[[1.0, 0.0]]], [[[1.0, 0.0]]], [[[1.0, 0.0]]], [[[5.0, 5.0]]], [[[5.0, 5.0]]], 1.0
    )
    assert keys == values and close(keys, [[[5, 5], [math.cos(1), math.sin(1)]]])


def test_attention_with_a_cache_by_hand():
    zero, turned = [[[0.0, 0.0], [0.0, 0.0]]], [[1.0, 0.0], [1.0, 0.0]]
    heads, keys, values = cached_attention(
        zero, [turned], [[[4.0, 0.0], [10.0, 0.0]]], [[[7.0, 7.0]]], [[[2.0, 0.0]]], 1.0
    )
    assert close(heads, [[[3, 0], [16 / 3, 0]]])  # the first sees 2 and 4, the second all three
    assert values == [[[2, 0], [4, 0], [10, 0]]]
    assert close(keys, [[[7, 7], [math.cos(1), math.sin(1)], [math.cos(2), math.sin(2)]]])
