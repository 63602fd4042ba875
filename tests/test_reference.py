"""The course's own numbers against a second network, written with index loops and nothing of the helpers.

It follows the papers, not our code: weights stay as they are drawn, x·W with W[in][out]; a position simply
does not look at later ones, so there is no mask; sums are math.fsum's, which rounds once. A lesson that adds
to the state adds to `reference` and becomes LESSON.
"""

import json
import math
import random
from pathlib import Path

from tables import lengths, numbers_in, true_of, with_other

from helpers import course
from helpers.attention_heads import attention_scores, concatenate, softmax
from helpers.course import course_state
from helpers.layers import linear
from helpers.matrices import add, matmul, scale, transpose
from helpers.network import draw_parameters

PUBLISHED = json.loads(Path(__file__).with_name("published_feed_forward.json").read_text(encoding="utf-8"))
LESSON = "06_feed_forward"  # the last lesson whose state is compared
WITHIN = 1e-13  # absolute: no number here is larger than 1

TOKENS = [1, 3, 4, 5, 2]  # <BOS> I like transformers <EOS>
T, D, H, K, F = 5, 16, 2, 8, 64


def reference():
    """Parameters and activations by name, as the state holds them, and where the stream ends."""
    rng = random.Random(42)

    def drawn(rows, columns):
        return [[rng.gauss(0, 0.1) for _ in range(columns)] for _ in range(rows)]

    E_token, E_pos = drawn(6, D), drawn(5, D)
    Q_in = [drawn(D, K), drawn(D, K)]  # [head][in][out]
    K_in = [drawn(D, K), drawn(D, K)]
    V_in = [drawn(D, K), drawn(D, K)]
    W_O = drawn(D, D)
    W_1, [b_1], W_2, [b_2] = drawn(F, D), drawn(1, F), drawn(D, F), drawn(1, D)

    X = [[E_token[TOKENS[t]][d] + E_pos[t][d] for d in range(D)] for t in range(T)]
    Q, keys, V = ([projected(X, W[h]) for h in range(H)] for W in (Q_in, K_in, V_in))
    scores = [[[score(Q[h][t], keys[h][s], t, s) for s in range(T)] for t in range(T)] for h in range(H)]
    weights = [[shares(scores[h][t], t) for t in range(T)] for h in range(H)]
    heads = [[averaged(weights[h][t], V[h], t) for t in range(T)] for h in range(H)]
    attention_output = [[joined(heads, W_O[o], t) for o in range(D)] for t in range(T)]
    hidden = [[weighed(attention_output[t], W_1[f], b_1[f], D) for f in range(F)] for t in range(T)]
    activated = [[bent(hidden[t][f]) for f in range(F)] for t in range(T)]
    output = [[weighed(activated[t], W_2[o], b_2[o], F) for o in range(D)] for t in range(T)]
    parameters = {
        "E_token": E_token, "E_pos": E_pos,
        "W_Q": [turned(W) for W in Q_in], "W_K": [turned(W) for W in K_in], "W_V": [turned(W) for W in V_in],
        "W_O": W_O, "W_1": W_1, "b_1": b_1, "W_2": W_2, "b_2": b_2,
    }  # fmt: skip
    activations = {
        "X": X, "Q": Q, "K": keys, "V": V, "scores": scores, "weights": weights, "heads": heads,
        "concat": [[heads[d // K][t][d % K] for d in range(D)] for t in range(T)],
        "attention_output": attention_output, "hidden": hidden, "activated": activated,
        "feed_forward_output": output,
    }  # fmt: skip
    return {"parameters": parameters, "activations": activations, "rng_state": rng.getstate()}


def projected(X, W):
    """x·W: entry o adds up what x has, times what stands in column o."""
    return [[math.fsum(X[t][i] * W[i][o] for i in range(D)) for o in range(K)] for t in range(T)]


def score(query, key, t, s):
    """What position t finds in position s; nothing, where s is later."""
    return math.fsum(query[i] * key[i] for i in range(K)) / math.sqrt(K) if s <= t else -math.inf


def shares(row, t):
    """Each exponential's share of their sum, of positions up to t; scores this small need no shift."""
    exponentials = [math.exp(row[s]) for s in range(t + 1)]
    return [e / math.fsum(exponentials) for e in exponentials] + [0.0] * (T - 1 - t)


def averaged(row, V, t):
    return [math.fsum(row[s] * V[s][i] for s in range(t + 1)) for i in range(K)]


def joined(heads, weights, t):
    """One output: every head's every number, times its own weight."""
    return math.fsum(heads[h][t][i] * weights[h * K + i] for h in range(H) for i in range(K))


def weighed(row, weights, bias, n):
    return math.fsum([row[i] * weights[i] for i in range(n)] + [bias])


def bent(h):
    """GELU's tanh form as x·σ(2z), which is the same: ½·(1 + tanh z) = σ(2z)."""
    return h / (1 + math.exp(-2 * math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))


def turned(W):
    """Stored the other way round: [in][out] as [out][in]."""
    return [[W[i][o] for i in range(D)] for o in range(K)]


# --- the course with one thing changed


def drawn_in_order(*order):
    """The course, but these parameters of one lesson are drawn in this order, and kept in the usual one."""

    def draw_others(rng, names, config):
        reordered = sorted(names, key=lambda name: order.index(name) if name in order else -1)
        drawn = draw_parameters(rng, reordered, config)
        return {name: drawn[name] for name in names}

    return with_other(course, course_state, draw_parameters=draw_others)


def with_each_head(change):
    """The course, but the heads' matrices are changed after the draw."""

    def draw_changed(rng, names, config):
        drawn = draw_parameters(rng, names, config)
        return {name: change(W) if name in ("W_Q", "W_K", "W_V") else W for name, W in drawn.items()}

    return with_other(course, course_state, draw_parameters=draw_changed)


def masked_after_softmax(name):
    """The course, but every position looks at all, and then forgets what comes later."""
    state = with_other(course, course_state, attention_scores=lambda Q, K, mask: attention_scores(Q, K))(name)
    found = state["activations"]
    for h in range(H):
        for t in range(T):
            found["scores"][h][t][t + 1 :] = [-math.inf] * (T - 1 - t)
            found["weights"][h][t][t + 1 :] = [0.0] * (T - 1 - t)
        found["heads"][h] = matmul(found["weights"][h], found["V"][h])
    found["concat"] = concatenate(found["heads"])
    found["attention_output"] = linear(found["concat"], state["parameters"]["W_O"])
    return state


def scaled_by(divisor):
    return with_other(course, course_state, attention_scores=lambda Q, K, mask: (
        attention_scores(scale(Q, math.sqrt(len(Q[0])) / divisor), K, mask)
    ))  # fmt: skip


def by_columns_of_W_O(X, W):
    """x·W for the one square matrix, where no shape complains."""
    return linear(X, transpose(W) if len(W) == len(W[0]) else W)


def with_last_output(change):
    """The course, but the last number of attention's output is changed."""

    def variant(name):
        state = course_state(name)
        row = state["activations"]["attention_output"][-1]
        row[-1:] = change(row[-1])
        return state

    return variant


def drawing_once_more(name):
    state = course_state(name)
    rng = random.Random()
    rng.setstate(state["rng_state"])
    rng.gauss(0, 0.1)
    return {**state, "rng_state": rng.getstate()}


OTHER_NETWORKS = {
    "keys drawn before queries": drawn_in_order("W_K", "W_Q", "W_V"),
    "values drawn before keys": drawn_in_order("W_Q", "W_V", "W_K"),
    "positions drawn before tokens": drawn_in_order("E_pos", "E_token"),
    "head 1 drawn before head 0": with_each_head(lambda heads: heads[::-1]),
    "reseeded in each lesson": with_other(course, course_state, draw_parameters=lambda rng, names, config: (
        draw_parameters(random.Random(42), names, config)
    )),
    "heads swapped, W_O not": with_other(course, course_state, concatenate=lambda h: concatenate(h[::-1])),
    "columns of W_O instead of rows": with_other(course, course_state, linear=by_columns_of_W_O),
    "mask after softmax": masked_after_softmax,
    "no mask": with_other(course, course_state, attention_scores=lambda Q, K, mask: attention_scores(Q, K)),
    "scaled by K": scaled_by(K),
    "scaled by the root of D": scaled_by(math.sqrt(D)),
    "not scaled": scaled_by(1),
    "positions counted from the end": with_other(course, course_state, add=lambda A, B: add(A, B[::-1])),
}  # fmt: skip


# --- the comparison


def furthest_apart(got, expected):
    """The largest difference; equal infinities are equal; nan and another shape are infinitely far."""
    if lengths(got) != lengths(expected):
        return math.inf
    pairs = zip(numbers_in(got), numbers_in(expected))
    gaps = [0.0 if g == e else abs(g - e) for g, e in pairs]
    return math.inf if any(map(math.isnan, gaps)) else max(gaps)


def exact_gelu(h):
    return h * (1 + math.erf(h / math.sqrt(2))) / 2


OTHER_FEED_FORWARDS = {
    "b_1 drawn before W_1": drawn_in_order("b_1", "W_1", "b_2", "W_2"),
    "W_2 drawn before W_1": drawn_in_order("W_2", "b_2", "W_1", "b_1"),
    "no bend": with_other(course, course_state, gelu=lambda h: h),
    "ReLU": with_other(course, course_state, gelu=lambda h: max(h, 0.0)),
    "biases forgotten": with_other(course, course_state, linear=lambda X, W, b=None: linear(X, W)),
    "b_2 forgotten": with_other(course, course_state, linear=lambda X, W, b=None: (
        linear(X, W, b if len(W) == F else None)
    )),
}  # fmt: skip


@true_of(course_state, not_of={
    **OTHER_NETWORKS,
    **OTHER_FEED_FORWARDS,
    "the exact form of GELU": with_other(course, course_state, gelu=exact_gelu),
    "softmax to nine decimals": with_other(course, course_state, softmax=lambda row: (
        [round(w, 9) for w in softmax(row)]
    )),
    "one number off by 2e-13": with_last_output(lambda x: [x + 2e-13]),
    "one number nan": with_last_output(lambda x: [math.nan]),
    "one number missing": with_last_output(lambda x: []),
    "one draw more": drawing_once_more,
})  # fmt: skip
def test_every_parameter_and_activation_is_the_reference_s(course_state):
    state, expected = course_state(LESSON), reference()
    for section in "parameters", "activations":
        assert list(state[section]) == list(expected[section])
        for name, value in expected[section].items():
            apart = furthest_apart(state[section][name], value)
            assert apart <= WITHIN, f"{name} is off by {apart:.1e}"
    assert state["rng_state"] == expected["rng_state"]  # and the next lesson goes on from there


def test_one_tolerance_fits_them_all():
    """Nothing is so large that rounding would reach it, or so small that it would prove nothing."""
    expected = reference()
    for section in "parameters", "activations":
        for name, value in expected[section].items():
            largest = max(abs(x) for x in numbers_in(value) if x != -math.inf)
            assert 1e-3 < largest <= 1, name


def printed(row):
    return [round(x, 4) for x in row]


@true_of(course_state, not_of=OTHER_NETWORKS)
def test_the_published_row(course_state):
    """What multi-head attention gives for `I`, as a published notebook prints it."""
    output = course_state(LESSON)["activations"]["attention_output"]
    assert printed(output[1]) == PUBLISHED["multi_head_output_row_1"]


@true_of(course_state, not_of=OTHER_FEED_FORWARDS)
def test_the_published_feed_forward_network(course_state):
    found = course_state(LESSON)["activations"]
    assert printed(found["hidden"][0][:8]) == PUBLISHED["hidden_row_0_first_8"]
    assert printed(found["activated"][0][:4]) == PUBLISHED["activated_row_0_first_4"]
    assert [printed(row) for row in found["feed_forward_output"]] == PUBLISHED["feed_forward_output"]


def test_the_reference_prints_the_published_row_too():
    assert printed(reference()["activations"]["attention_output"][1]) == PUBLISHED["multi_head_output_row_1"]
