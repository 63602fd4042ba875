"""A second implementation of the network of Part I and its training: index loops, and nothing of the helpers.

It follows the papers, not our code. The matrices of queries, keys and values stay as they are drawn, x·W
with W[in][out], and are transposed only to be compared. A position attends to no later one: no mask.
No softmax is shifted, and a loss is computed from its probability. GELU is x·σ(2z). Jacobians are explicit.
`forward` takes floats or numbers of the scalar tape, which then has the gradients.
"""

import math
import random
from itertools import count

from scalar_tape import Number, exp, log, sqrt, total
from scalar_tape import backward as unwind

TOKENS, TARGETS = [1, 3, 4, 5, 2], [3, 4, 5, 2]  # <BOS> I like transformers <EOS>
V, D, H, K, F = 6, 16, 2, 8, 64
AS_DRAWN = ("W_Q", "W_K", "W_V")  # [head][in][out] here


def drawn():
    """The parameters by name, row by row from one generator of seed 42, and its state after that."""
    rng = random.Random(42)

    def rows(m, n):
        return [[rng.gauss(0, 0.1) for _ in range(n)] for _ in range(m)]

    p = {"E_token": rows(V, D), "E_pos": rows(5, D)}
    for name in AS_DRAWN:
        p[name] = [rows(D, K), rows(D, K)]
    p["W_O"] = rows(D, D)
    p["W_1"], [p["b_1"]] = rows(F, D), rows(1, F)
    p["W_2"], [p["b_2"]] = rows(D, F), rows(1, D)
    p["gamma"], p["beta"] = [1.0] * D, [0.0] * D
    p["W_lm"] = rows(V, D)
    return p, rng.getstate()


def as_stored(named):
    """The same by name, with each head's matrix transposed to [out][in], as the course keeps it."""
    return {name: [turned(W) for W in value] if name in AS_DRAWN else value for name, value in named.items()}


def turned(W):
    return [[W[i][o] for i in range(len(W))] for o in range(len(W[0]))]


# --- forward


def forward(p, tokens=TOKENS, targets=TARGETS, eps=1e-5, number=float):
    """Every activation by name; `number` makes the entries of later positions: weight 0, score −inf."""
    T = len(tokens)
    X = [[p["E_token"][tokens[t]][d] + p["E_pos"][t][d] for d in range(D)] for t in range(T)]
    Q, keys, values = ([projected(X, p[name][h]) for h in range(H)] for name in AS_DRAWN)
    later = [range(t + 1, T) for t in range(T)]
    scores = [[[score(Q[h][t], keys[h][s]) for s in range(t + 1)] for t in range(T)] for h in range(H)]
    weights = [
        [shares(row) + [number(0.0) for _ in later[t]] for t, row in enumerate(head)] for head in scores
    ]
    heads = [[averaged(weights[h][t], values[h]) for t in range(T)] for h in range(H)]
    attention_output = [[joined(heads, p["W_O"][o], t) for o in range(D)] for t in range(T)]
    hidden = [[weighed(attention_output[t], p["W_1"][f]) + p["b_1"][f] for f in range(F)] for t in range(T)]
    activated = [[bent(hidden[t][f]) for f in range(F)] for t in range(T)]
    output = [[weighed(activated[t], p["W_2"][o]) + p["b_2"][o] for o in range(D)] for t in range(T)]
    residual = [[attention_output[t][d] + output[t][d] for d in range(D)] for t in range(T)]
    normed = [
        [z * p["gamma"][d] + p["beta"][d] for d, z in enumerate(levelled(row, eps))] for row in residual
    ]
    logits = [[weighed(normed[t], p["W_lm"][v]) for v in range(V)] for t in range(T)]
    probabilities = [shares(logits[t]) for t in range(T)]
    losses = [0.0 - log(probabilities[t][target]) for t, target in enumerate(targets)]
    return {
        "X": X,
        "Q": Q,
        "K": keys,
        "V": values,
        "scores": [
            [row + [number(-math.inf) for _ in later[t]] for t, row in enumerate(head)] for head in scores
        ],
        "weights": weights,
        "heads": heads,
        "concat": [[heads[d // K][t][d % K] for d in range(D)] for t in range(T)],
        "attention_output": attention_output,
        "hidden": hidden,
        "activated": activated,
        "feed_forward_output": output,
        "residual": residual,
        "normed": normed,
        "logits": logits,
        "probabilities": probabilities,
        "losses": losses,
        "loss": total(losses) / len(targets),
    }


def projected(X, W):
    """x·W: entry o adds up what x has, times what stands in column o."""
    return [[total([x[i] * W[i][o] for i in range(D)]) for o in range(K)] for x in X]


def score(query, key):
    """The score of a key for a query."""
    return total([query[i] * key[i] for i in range(K)]) / math.sqrt(K)


def shares(row):
    """Each exponential's share of their sum; numbers this small need no shift."""
    exponentials = [exp(x) for x in row]
    whole = total(exponentials)
    return [e / whole for e in exponentials]


def averaged(row, values):
    return [total([row[s] * values[s][i] for s in range(len(row))]) for i in range(K)]


def joined(heads, weights, t):
    """One output: every head's every number, times its own weight."""
    return total([heads[h][t][i] * weights[h * K + i] for h in range(H) for i in range(K)])


def weighed(row, weights):
    return total([row[i] * weights[i] for i in range(len(row))])


def bent(h):
    """GELU's tanh form as x·σ(2z), which is the same: ½·(1 + tanh z) = σ(2z)."""
    return h / (1 + exp(-2 * math.sqrt(2 / math.pi) * (h + 0.044715 * h * h * h)))


def levelled(row, eps):
    """The row at mean 0 and variance 1."""
    mean = total(row) / D
    away = [x - mean for x in row]
    size = sqrt(total([x * x for x in away]) / D + eps)
    return [x / size for x in away]


# --- backward, by the tape


def on_tape(p, *sentence):
    """The loss's gradients with respect to parameters and activations, and the activations, all by name."""
    on, a = noted(p, *sentence)
    unwind(a["loss"])
    return each(derivative, on), each(derivative, a), each(value, a)


def noted(p, *sentence):
    """The parameters on a tape of their own, and the activations."""
    tape = []

    def number(x):
        return Number(tape, x)

    on = each(number, p)
    return on, forward(on, *sentence, number=number)


def each(function, nest):
    """A nest of dicts and lists with the function of every entry in its place."""
    if isinstance(nest, dict):
        return {name: each(function, part) for name, part in nest.items()}
    return [each(function, part) for part in nest] if isinstance(nest, list) else function(nest)


def derivative(number):
    return number.gradient


def value(number):
    return number.value


# --- training


def adamw(p, g, m, v, step, lr):
    """New lists p, m, v, all of them flat: the decay first, then the step, as Loshchilov and Hutter have
    it."""
    p, m, v = list(p), list(m), list(v)
    for i in range(len(p)):
        m[i] += (g[i] - m[i]) * (1 - 0.9)
        v[i] += (g[i] ** 2 - v[i]) * (1 - 0.999)
        p[i] -= lr * 0.01 * p[i]
        p[i] -= lr * (m[i] / (1 - 0.9**step)) / (math.sqrt(v[i] / (1 - 0.999**step)) + 1e-8)
    return p, m, v


def training(lr):
    """For ever: the loss before each step."""
    p, _ = drawn()
    m = v = [0.0] * len(flat(p))
    for step in count(1):
        gradients, _, a = on_tape(p)
        yield a["loss"]
        numbers, m, v = adamw(flat(p), flat(gradients), m, v, step, lr)
        p = refilled(p, numbers)


def flat(nest):
    """Every number, in order."""
    if isinstance(nest, dict):
        nest = list(nest.values())
    return [number for part in nest for number in flat(part)] if isinstance(nest, list) else [nest]


def refilled(nest, numbers):
    """The nest again, with these numbers in order."""
    following = iter(numbers)
    return each(lambda _: next(following), nest)
