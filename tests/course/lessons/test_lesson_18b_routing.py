"""The model of names with experts: against a second one, finite differences, and its training."""

import math
import random

from gradient_checks import derivatives
from tables import assert_close

from helpers import dispatch, gelu
from helpers.course.lessons import lesson_18b_routing as model
from helpers.course.lessons.lesson_18b_routing import experts_forward, gradients, init_experts

CONFIG = {"vocab_size": 7, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2}
CONFIG |= {"n_inner": 3, "n_expert": 3}
DOCUMENTS = [[1, 4, 5, 2], [1, 6, 2], [1, 3, 3, 4, 6, 2]]


def parameters(seed=6):
    """Parameters large enough for the router to send tokens to more than one expert."""
    p = init_experts(CONFIG, random.Random(seed))
    return {
        name: [[30 * w for w in row] for row in entry] if isinstance(entry[0], list) else entry
        for name, entry in p.items()
    }


def second_losses(p, documents):
    """The losses of all tokens, written again from nothing but the definition."""
    D, H = CONFIG["n_embd"], CONFIG["n_head"]
    k, losses = D // H, []

    def times(W, x):
        return [sum(w * x_i for w, x_i in zip(row, x)) for row in W]

    def norm(x, gamma):
        rms = math.sqrt(sum(x_i * x_i for x_i in x) / D + 1e-5)
        return [g * x_i / rms for g, x_i in zip(gamma, x)]

    for tokens in documents:
        rows = [
            [a + b for a, b in zip(p["wte.weight"][t], p["wpe.weight"][i])] for i, t in enumerate(tokens[:-1])
        ]
        qkv = [times(p["h.0.attn.c_attn.weight"], norm(x, p["h.0.ln_1.weight"])) for x in rows]
        for i, (x, target) in enumerate(zip(rows, tokens[1:])):
            concat = []
            for h in range(H):
                q = qkv[i][h * k : (h + 1) * k]
                scores = [
                    sum(a * b for a, b in zip(q, other[D + h * k : D + (h + 1) * k])) / math.sqrt(k)
                    for other in qkv[: i + 1]
                ]
                exps = [math.exp(s) for s in scores]
                concat += [
                    sum(e * other[2 * D + h * k + j] for e, other in zip(exps, qkv)) / sum(exps)
                    for j in range(k)
                ]
            x = [a + b for a, b in zip(x, times(p["h.0.attn.c_proj.weight"], concat))]
            normed = norm(x, p["h.0.ln_2.weight"])
            exps = [math.exp(s) for s in times(p["h.0.mlp.router.weight"], normed)]
            e = exps.index(max(exps))
            hidden = [gelu(z) for z in times(p[f"h.0.mlp.experts.{e}.c_fc.weight"], normed)]
            y = times(p[f"h.0.mlp.experts.{e}.c_proj.weight"], hidden)
            x = [a + exps[e] / sum(exps) * b for a, b in zip(x, y)]
            logits = times(p["wte.weight"], norm(x, p["ln_f.weight"]))
            losses.append(math.log(sum(map(math.exp, logits))) - logits[target])
    return losses


def test_the_model_is_the_second_implementation():
    p = parameters()
    a = experts_forward(CONFIG, p, DOCUMENTS)
    assert a["tokens"] == [1, 4, 5, 1, 6, 1, 3, 3, 4, 6]
    assert len([tokens for tokens in dispatch(a["probabilities"]) if tokens]) > 1
    assert_close(a["losses"], second_losses(p, DOCUMENTS), 1e-10)


def test_the_model_s_gradients_are_what_finite_differences_give():
    p, documents, balance = parameters(), DOCUMENTS[:2], 0.5  # of five tokens
    loss, got, loads = gradients(CONFIG, p, documents, balance)
    assert list(got) == list(p)
    assert_close([loss], [sum(second_losses(p, documents)) / 5])

    def changed(q):
        probabilities = experts_forward(CONFIG, q, documents)["probabilities"]
        means = [sum(column) / len(probabilities) for column in zip(*probabilities)]
        added = CONFIG["n_expert"] * sum(load * mean for load, mean in zip(loads, means))
        return sum(second_losses(q, documents)) / 5 + balance * added

    measured = derivatives(changed, p, 1e-4)
    for name in p:
        assert_close(got[name], measured[name], 1e-6)


def test_one_expert_is_a_network_without_experts():
    config = {**CONFIG, "n_expert": 1}
    p = init_experts(config, random.Random(2))
    a = experts_forward(config, p, DOCUMENTS)
    assert a["probabilities"] == [[1.0]] * 10
    _, found, loads = gradients(config, p, DOCUMENTS, 0.02)
    assert loads == [1.0] and not any(found[model.ROUTER][0])
