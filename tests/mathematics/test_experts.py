"""Mixture of experts: by hand, by properties, by finite differences, and the model against a second one."""

import math
import random

import pytest
from gradient_checks import derivatives
from tables import assert_close, leaves_alone

from helpers import (
    balance_loss,
    balance_loss_backward,
    dispatch,
    expert_loads,
    gelu,
    mixture,
    mixture_backward,
    route,
    softmax,
)
from helpers.course.lessons import lesson_18b_routing as model
from helpers.course.lessons.lesson_18b_routing import (
    experts_forward,
    gradients,
    init_experts,
    letter_map,
    load_curves,
    train_experts,
)

CONFIG = {
    "vocab_size": 7,
    "n_positions": 5,
    "n_embd": 4,
    "n_layer": 1,
    "n_head": 2,
    "n_inner": 3,
    "n_expert": 3,
}
DOCUMENTS = [[1, 4, 5, 2], [1, 6, 2], [1, 3, 3, 4, 6, 2]]


def drawn(rng, *sizes):
    return [drawn(rng, *sizes[1:]) for _ in range(sizes[0])] if sizes else rng.uniform(-1, 1)


def case(seed=3):
    """X, probabilities, W_1 and W_2 of five tokens and three experts, one of which gets no token."""
    rng = random.Random(seed)
    probabilities = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.5, 0.1, 0.4], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]]
    return drawn(rng, 5, 2), probabilities, drawn(rng, 3, 4, 2), drawn(rng, 3, 6, 4)


# --- by hand


def test_the_route_by_hand():
    assert route([5, 1], [[0, 0], [1, -5]]) == (0, 0.5)  # two scores of 0: the first of equals
    expert, probability = route([1, 2], [[0, 0], [math.log(3), 0], [0, 0]])  # 3 / (1 + 3 + 1)
    assert expert == 1 and abs(probability - 0.6) < 1e-12


def test_each_token_is_at_its_most_probable_expert():
    assert dispatch([[0.4, 0.3, 0.3], [0.1, 0.2, 0.7], [0.5, 0.5, 0.0]]) == [[0, 2], [], [1]]
    rng = random.Random(1)
    probabilities = [softmax(row) for row in drawn(rng, 20, 4)]
    assert sorted(sum(dispatch(probabilities), [])) == [*range(20)]


def test_the_mixture_by_hand():
    W_1, W_2 = [[[100]]] * 3, [[[1]], [[0]], [[-0.5]]]
    probabilities = [[0.75, 0.25, 0], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [0.5, 0.5, 0]]
    assert mixture([[1], [2], [3], [4]], probabilities, W_1, W_2) == [[75], [0], [-75], [200]]


def test_the_mixture_is_the_chosen_network_of_each_token():
    X, probabilities, W_1, W_2 = case()
    for x, p, row in zip(X, probabilities, mixture(X, probabilities, W_1, W_2), strict=True):
        e = p.index(max(p))
        hidden = [gelu(sum(w * x_i for w, x_i in zip(weights, x))) for weights in W_1[e]]
        assert_close(row, [p[e] * sum(w * h for w, h in zip(weights, hidden)) for weights in W_2[e]])


def test_the_loads_by_hand():
    assert expert_loads([[0.75, 0.25], [0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]) == [0.75, 0.25]


def test_the_balance_loss_by_hand():
    three_and_one = [[0.75, 0.25]] * 3 + [[0.25, 0.75]]
    assert balance_loss(three_and_one) == 2 * (0.75 * 0.625 + 0.25 * 0.375)
    assert balance_loss([[1.0, 0.0], [0.0, 1.0]]) == 1  # even loads
    assert balance_loss([[1.0, 0.0, 0.0]] * 5) == 3  # all tokens at one of three experts, for certain


def test_the_balance_loss_is_n_at_most_and_1_if_the_loads_are_equal():
    rng = random.Random(4)
    for _ in range(30):
        probabilities = [softmax([3 * s for s in row]) for row in drawn(rng, 6, 3)]
        assert balance_loss(probabilities) <= 3
        rotated = [row[e:] + row[:e] for row in probabilities for e in range(3)]
        assert abs(balance_loss(rotated) - 1) < 1e-12


# --- backward passes


def test_mixture_backward_by_hand():
    # y = 100x·w for x > 0, out = p·y: d_x = d·p·100·w, d_p = d·y, d_W_1 = d·p·w·x, d_W_2 = d·p·100x
    W_1, W_2 = [[[100]], [[100]]], [[[1]], [[0.5]]]
    got = mixture_backward([[2], [1]], [[3], [1]], [[0.75, 0.25], [0.5, 0.5]], W_1, W_2)
    assert got[0] == [[150], [50]]
    assert got[1] == [[600, 0], [100, 0]]
    assert got[2] == [[[2 * 0.75 * 3 + 0.5]], [[0]]]
    assert got[3] == [[[2 * 0.75 * 300 + 0.5 * 100]], [[0]]]


def test_mixture_backward_is_what_finite_differences_give():
    arguments = case()
    d_out = drawn(random.Random(9), 5, 6)

    def loss(place):
        def of(value):
            out = mixture(*arguments[:place], value, *arguments[place + 1 :])
            return sum(d * y for rows in zip(d_out, out) for d, y in zip(*rows))

        return of

    got = mixture_backward(d_out, *arguments)
    for place, gradient in enumerate(got):
        assert_close(gradient, derivatives(loss(place), arguments[place], 1e-3), 1e-8)
    assert not any(d for W in (got[2][1], got[3][1]) for row in W for d in row)  # no token: exactly 0


def test_balance_loss_backward_is_what_finite_differences_give():
    probabilities = case()[1]
    measured = derivatives(balance_loss, probabilities, 1e-3)  # no choice changes by so little
    assert_close(balance_loss_backward(1.0, probabilities), measured, 1e-10)
    assert_close(
        balance_loss_backward(-0.5, probabilities), [[-0.5 * d for d in row] for row in measured], 1e-10
    )


@pytest.mark.parametrize(
    "function, arguments",
    [
        (route, ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])),
        (mixture, case()),
        (mixture_backward, (drawn(random.Random(2), 5, 6), *case())),
        (balance_loss, (case()[1],)),
        (balance_loss_backward, (1.0, case()[1])),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_no_argument_changes(function, arguments):
    leaves_alone(function, arguments)


# --- the model of names


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


@pytest.mark.parametrize("balance", [0.0, 0.5])
def test_the_model_s_gradients_are_what_finite_differences_give(balance):
    p = parameters()
    loss, got, loads = gradients(CONFIG, p, DOCUMENTS, balance)
    assert list(got) == list(p)
    assert_close([loss], [sum(second_losses(p, DOCUMENTS)) / 10])

    def changed(q):
        probabilities = experts_forward(CONFIG, q, DOCUMENTS)["probabilities"]
        means = [sum(column) / len(probabilities) for column in zip(*probabilities)]
        added = CONFIG["n_expert"] * sum(load * mean for load, mean in zip(loads, means))
        return sum(second_losses(q, DOCUMENTS)) / 10 + balance * added

    measured = derivatives(changed, p, 1e-4)
    for name in p:
        assert_close(got[name], measured[name], 1e-6)


def test_training_lowers_the_loss_and_records_the_loads_of_each_step():
    settings = {"steps": 30, "warmup_steps": 3, "batch_size": 2}
    run = train_experts(DOCUMENTS, CONFIG, list("abcdefg"), 0.02, settings)
    again = train_experts(DOCUMENTS, CONFIG, list("abcdefg"), 0.02, settings)
    assert run == again  # all randomness comes from the seed
    assert len(run["loads"]) == len(run["history"]) == run["step"] == 30
    assert all(abs(sum(loads) - 1) < 1e-12 for loads in run["loads"])
    assert sum(run["history"][-5:]) < sum(run["history"][:5]) - 1


def test_the_balance_loss_levels_the_loads():
    """One router that sends nearly all tokens to one expert: the large factor brings them back."""
    p = parameters()
    steps = 60
    for _ in range(steps):
        _, found, loads = gradients(CONFIG, p, DOCUMENTS, 5.0)
        p[model.ROUTER] = [
            [w - 0.1 * g for w, g in zip(*rows)] for rows in zip(p[model.ROUTER], found[model.ROUTER])
        ]
    assert max(loads) <= 0.5


def test_one_expert_is_a_network_without_experts():
    config = {**CONFIG, "n_expert": 1}
    p = init_experts(config, random.Random(2))
    a = experts_forward(config, p, DOCUMENTS)
    assert a["probabilities"] == [[1.0]] * 10
    _, found, loads = gradients(config, p, DOCUMENTS, 0.02)
    assert loads == [1.0] and not any(found[model.ROUTER][0])


# --- its figures


def test_the_figures_by_hand(monkeypatch):
    run = {
        "config": {"n_expert": 2},
        "parameters": None,
        "vocab": ["<PAD>", "<BOS>", "<EOS>", "a"],
        "loads": [[0.5, 0.5], [1.0, 0.0], [0.25, 0.75], [0.75, 0.25]],
    }
    drawn_curves = repr(load_curves(run, "loads", steps=2))
    assert "expert 0: (1, 0.75) to (3, 0.5)" in drawn_curves
    assert "expert 1: (1, 0.25) to (3, 0.5)" in drawn_curves
    many = {**run, "config": {"n_expert": 5}, "loads": [[0.5, 0.2, 0.2, 0.1, 0.0], [0.0, 0.1, 0.2, 0.3, 0.4]]}
    drawn_curves = repr(load_curves(many, "loads", steps=1))
    assert "largest load: (0.5, 0.5) to (1.5, 0.4)" in drawn_curves and "expert" not in drawn_curves
    activations = {
        "tokens": [1, 3, 1, 3, 3],
        "probabilities": [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]] + [[0.4, 0.6]] * 2,
    }
    monkeypatch.setattr(model, "experts_forward", lambda *given: activations)
    lines = repr(letter_map(run, [], "letters")).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["^", "a"],
        ["0:", "40", "%", "100", "0"],
        ["1:", "60", "%", "0", "100"],
    ]
