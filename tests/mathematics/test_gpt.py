"""GPT-2: against the second one in index loops on a scalar tape, and published counts.

By hand, outside the tests, it was also compared with the GPT2LMHeadModel of transformers 5.23 on PyTorch
2.13 in float64: five configs, weights far from 0, logits, loss and every gradient to 1e-14 of its
tensor's largest.
"""

import inspect
import math
import random
from functools import cache

import pytest
import second_gpt
from gradient_checks import derivatives
from tables import assert_close, numbers_in

from helpers import (
    block_backward,
    block_forward,
    gpt_backward,
    gpt_forward,
    gpt_param_shapes,
    gpt_param_sizes,
    init_gpt,
)
from helpers.course.argument_checks import shape
from helpers.matrices import transpose
from helpers.parameters import tree_map


def config(V, P, D, L, H, F):
    return {"vocab_size": V, "n_positions": P, "n_embd": D, "n_layer": L, "n_head": H, "n_inner": F}


# config, tokens, targets: tokens that come twice, padding behind the targets, one head, heads of width 1,
# one position
CASES = [
    (config(5, 6, 6, 2, 3, 7), [1, 3, 3, 0], [3, 3, 0]),
    (config(4, 3, 4, 1, 4, 2), [2, 2, 1], [2, 1, 3]),
    (config(3, 5, 3, 3, 1, 5), [1], [0]),
    (config(7, 5, 4, 2, 2, 9), [6, 5, 4, 6, 0], [1]),
]


@cache
def wild(case):
    """Parameters in which nothing is small, equal or zero."""
    rng = random.Random(case)
    return tree_map(
        lambda v: [x + rng.choice((-1, 1)) * rng.uniform(0.1, 0.5) for x in v], init_gpt(CASES[case][0], rng)
    )


@cache
def expected(case):
    """Gradients, and logits, weights, losses, by the second GPT-2."""
    sizes, tokens, targets = CASES[case]
    return second_gpt.on_tape(sizes, wild(case), tokens, targets)


def test_forward_agrees_with_the_second_gpt():
    for case, (sizes, tokens, targets) in enumerate(CASES):
        found, (_, values) = gpt_forward(sizes, wild(case), tokens, targets), expected(case)
        assert_close(found["logits"], values["logits"])
        assert_close(found["losses"], values["losses"])
        assert math.isclose(found["loss"], values["loss"], rel_tol=1e-12)
        for i, maps in enumerate(values["weights"]):
            assert_close(
                [[row[: t + 1] for t, row in enumerate(head)] for head in found[f"h.{i}.attn.weights"]], maps
            )


def test_backward_agrees_with_the_scalar_tape():
    for case, (sizes, tokens, targets) in enumerate(CASES):
        p, (values, _) = wild(case), expected(case)
        gradients = gpt_backward(sizes, p, gpt_forward(sizes, p, tokens, targets), tokens, targets)
        assert list(gradients) == list(p) == list(values)
        for name, value in values.items():
            within = 1e-12 if any(numbers_in(value)) else 0
            assert_close(gradients[name], value, within)


def test_backward_takes_the_gradient_of_another_loss():
    """A weight for each token in place of the mean."""
    (sizes, tokens, targets), weights = CASES[1], [0.5, -2.0, 0.0]

    def loss(p):
        losses = gpt_forward(sizes, p, tokens, targets)["losses"]
        return sum(w * x for w, x in zip(weights, losses))

    p = wild(1)
    found = gpt_backward(sizes, p, gpt_forward(sizes, p, tokens, targets), tokens, targets, weights)
    for name in ("wte.weight", "h.0.attn.c_attn.weight", "ln_f.bias", "h.0.mlp.c_proj.weight"):
        measured = derivatives(lambda part, name=name: loss({**p, name: part}), p[name], 1e-3)
        assert_close(found[name], measured, 1e-6)


# --- the block by itself


def test_the_gradient_of_what_goes_into_a_block():
    sizes, rng = config(2, 3, 4, 1, 2, 5), random.Random(3)
    p = tree_map(lambda v: [x + rng.gauss(0, 0.4) for x in v], init_gpt(sizes, rng))
    block = {name.removeprefix("h.0."): part for name, part in p.items() if name.startswith("h.0.")}
    X, d_out = ([[rng.gauss(0, 1) for _ in range(4)] for _ in range(3)] for _ in range(2))

    def weighed(X):
        return sum(d * y for d, y in zip(numbers_in(d_out), numbers_in(block_forward(block, X, 2)["out"])))

    d_X, _ = block_backward(d_out, block, block_forward(block, X, 2), X)
    assert_close(d_X, derivatives(weighed, X, 5e-4), 1e-9)


# --- what follows from the model's meaning


def test_without_targets_there_is_no_loss():
    a = gpt_forward(*CASES[0][:1], wild(0), [1, 2])
    assert list(a)[-1] == "logits" and "loss" not in a


# --- names, sizes, draws

PUBLISHED = {  # vocabulary 50,257, 1,024 positions, heads of 64; counts as in the published files
    (768, 12): 124_439_808,
    (1024, 24): 354_823_168,
    (1280, 36): 774_030_080,
    (1600, 48): 1_557_611_200,
}


@pytest.mark.parametrize("D, L", PUBLISHED)
def test_the_counts_of_the_four_published_models_from_their_shapes(D, L):
    sizes = gpt_param_sizes(config(50257, 1024, D, L, D // 64, 4 * D))
    assert sum(math.prod(size) for size in sizes.values()) == PUBLISHED[D, L]


def test_the_names_are_those_of_the_file():
    names = list(gpt_param_shapes(config(5, 4, 2, 2, 1, 8)))
    assert names[:5] == [
        "wte.weight",
        "wpe.weight",
        "h.0.ln_1.weight",
        "h.0.ln_1.bias",
        "h.0.attn.c_attn.weight",
    ]
    assert names[13:15] == ["h.0.mlp.c_proj.bias", "h.1.ln_1.weight"]
    assert names[-2:] == ["ln_f.weight", "ln_f.bias"] and len(names) == 4 + 2 * 12


def test_parameters_are_drawn_in_order_and_those_that_add_are_smaller():
    sizes = config(50, 40, 32, 8, 4, 64)
    p = init_gpt(sizes, random.Random(42))
    assert {name: list(shape(part)) for name, part in p.items()} == gpt_param_sizes(sizes)
    rng = random.Random(42)
    assert p["wte.weight"] == [[rng.gauss(0, 0.02) for _ in range(32)] for _ in range(50)]
    assert p["wpe.weight"] == [[rng.gauss(0, 0.02) for _ in range(32)] for _ in range(40)]
    assert p["h.0.attn.c_attn.weight"][0] == [rng.gauss(0, 0.02) for _ in range(32)]
    for name, part in p.items():
        if name.endswith("bias"):
            assert not any(part)
        elif "ln_" in name:
            assert set(part) == {1.0}
        else:
            spread = math.sqrt(sum(x * x for x in numbers_in(part)) / len(numbers_in(part)))
            assert abs(spread / (0.005 if "c_proj" in name else 0.02) - 1) < 0.1  # 0.02/√(2·8) is 0.005


# --- what is refused


def test_matrices_as_they_lie_in_gpt_2_s_file_are_told_from_ours():
    sizes, tokens, targets = CASES[0]
    for name in ("attn.c_attn", "mlp.c_fc", "mlp.c_proj"):
        p = wild(0) | {f"h.1.{name}.weight": transpose(wild(0)[f"h.1.{name}.weight"])}
        with pytest.raises(ValueError, match=rf"parameters\['h\.1\.{name}\.weight'\] is .* make them equal"):
            gpt_forward(sizes, p, tokens, targets)


def test_activations_of_another_call_are_refused():
    """Without its checks, too: targets of one call with activations of another give a wrong gradient."""
    sizes, tokens, targets = CASES[0]
    p, bare = wild(0), inspect.unwrap(gpt_backward)
    for other in ((tokens[:2], targets[:2]), (tokens, targets[:1])):
        with pytest.raises(AssertionError, match="other tokens or targets"):
            bare(sizes, p, gpt_forward(sizes, p, *other), tokens, targets)
    with pytest.raises(ValueError, match="activations has no losses, loss"):
        gpt_backward(sizes, p, gpt_forward(sizes, p, tokens), tokens, targets)
