"""The course's own numbers against tests/second_network.py, which has nothing of the helpers.

Its sums are math.fsum's, which rounds once, or a scalar tape's, which also gives the gradients. A lesson
that adds to the state adds there and becomes LESSON.
"""

import json
import math
import random
from functools import cache
from itertools import islice
from pathlib import Path

import second_network
from second_network import as_stored
from tables import lengths, numbers_in, true_of, with_other

from helpers import toy
from helpers.attention import attention_scores, merge_heads, softmax, split_heads
from helpers.backward import (
    activation_backward,
    add_backward,
    attention_scores_backward,
    embedding_backward,
    layer_norm_backward,
    linear_backward,
    token_losses_backward,
)
from helpers.course.lessons import registry
from helpers.course.lessons.network import TARGETS, TOKENS, draw_parameters
from helpers.course.lessons.registry import course_state
from helpers.layers import layer_norm, linear
from helpers.losses import token_losses
from helpers.matrices import add, matmul, scale, transpose
from helpers.optimizers import adamw_init, adamw_step, sgd_step
from helpers.parameters import tree_map
from helpers.toy import toy_backward, toy_forward

PUBLISHED = json.loads(Path(__file__).with_name("published_feed_forward.json").read_text(encoding="utf-8"))
LESSON = "11_adamw"  # the last lesson whose state is compared
WITHIN, GRADIENT_WITHIN = 1e-13, 1e-12  # of each tensor's largest entry

T, D, H, K, F = 5, 16, 2, 8, 64


@cache
def reference():
    """What the state holds after LESSON, by section and name; the parameters are those before the step."""
    p, rng_state = second_network.drawn()
    gradients, activation_gradients, _ = second_network.on_tape(p)
    del activation_gradients["probabilities"]  # a side branch here: the course's losses come from the logits
    return {
        "parameters": as_stored(p),
        "activations": second_network.forward(p),
        "rng_state": rng_state,
        "gradients": as_stored(gradients),
        "activation_gradients": activation_gradients,
    }


@cache
def first_step():
    """Parameters, m and v after one step of AdamW, from the tape's gradients."""
    p, _ = second_network.drawn()
    numbers, g = second_network.flat(p), second_network.flat(second_network.on_tape(p)[0])
    zeros = [0.0] * len(numbers)
    moved = second_network.adamw(numbers, g, zeros, zeros, 1, 1e-3)
    return [as_stored(second_network.refilled(p, found)) for found in moved]


# --- the course with one thing changed


def drawn_in_order(*order):
    """The course, but these parameters of one lesson are drawn in this order, and kept in the usual one."""

    def draw_others(rng, names, config):
        reordered = sorted(names, key=lambda name: order.index(name) if name in order else -1)
        drawn = draw_parameters(rng, reordered, config)
        return {name: drawn[name] for name in names}

    return with_other(registry, course_state, draw_parameters=draw_others)


def with_each_head(change):
    """The course, but the heads' matrices are changed after the draw."""

    def draw_changed(rng, names, config):
        drawn = draw_parameters(rng, names, config)
        return {name: change(W) if name in ("W_Q", "W_K", "W_V") else W for name, W in drawn.items()}

    return with_other(registry, course_state, draw_parameters=draw_changed)


def masked_after_softmax(name):
    """The course, but every position looks at all, and then forgets what comes later."""
    state = with_other(registry, course_state, attention_scores=lambda Q, K, mask: attention_scores(Q, K))(
        name
    )
    found = state["activations"]
    for h in range(H):
        for t in range(T):
            found["scores"][h][t][t + 1 :] = [-math.inf] * (T - 1 - t)
            found["weights"][h][t][t + 1 :] = [0.0] * (T - 1 - t)
        found["heads"][h] = matmul(found["weights"][h], found["V"][h])
    found["concat"] = merge_heads(found["heads"])
    found["attention_output"] = linear(found["concat"], state["parameters"]["W_O"])
    return state


def scaled_by(divisor):
    return with_other(
        registry,
        course_state,
        attention_scores=lambda Q, K, mask: attention_scores(
            scale(Q, math.sqrt(len(Q[0])) / divisor), K, mask
        ),
    )


def by_columns_of_W_O(X, W, b=None):
    """x·W for the one square matrix, where no shape complains."""
    return linear(X, transpose(W) if len(W) == len(W[0]) else W, b)


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
    "reseeded in each lesson": with_other(
        registry,
        course_state,
        draw_parameters=lambda rng, names, config: draw_parameters(random.Random(42), names, config),
    ),
    "heads swapped, W_O not": with_other(registry, course_state, merge_heads=lambda h: merge_heads(h[::-1])),
    "columns of W_O instead of rows": with_other(registry, course_state, linear=by_columns_of_W_O),
    "mask after softmax": masked_after_softmax,
    "no mask": with_other(registry, course_state, attention_scores=lambda Q, K, mask: attention_scores(Q, K)),
    "scaled by K": scaled_by(K),
    "scaled by the root of D": scaled_by(math.sqrt(D)),
    "not scaled": scaled_by(1),
    "positions counted from the end": with_other(registry, course_state, add=lambda A, B: add(A, B[::-1])),
}


# --- the comparison


def furthest_apart(got, expected):
    """The largest difference, of the largest number expected; equal infinities are equal, nan is
    infinitely far."""
    if lengths(got) != lengths(expected):
        return math.inf
    pairs = list(zip(numbers_in(got), numbers_in(expected)))
    gaps = [0.0 if g == e else abs(g - e) for g, e in pairs]
    largest = max(abs(e) for _, e in pairs if math.isfinite(e))
    return math.inf if any(map(math.isnan, gaps)) else max(gaps) / (largest or 1.0)


def assert_agree(got, expected, within):
    """Claim: two sections have the same names, and the same numbers under each."""
    assert got.keys() == expected.keys()
    for name, value in expected.items():
        apart = furthest_apart(got[name], value)
        assert apart <= within, f"{name} is off by {apart:.1e}"


def exact_gelu(h):
    return h * (1 + math.erf(h / math.sqrt(2))) / 2


OTHER_FEED_FORWARDS = {
    "b_1 drawn before W_1": drawn_in_order("b_1", "W_1", "b_2", "W_2"),
    "W_2 drawn before W_1": drawn_in_order("W_2", "b_2", "W_1", "b_1"),
    "no GELU": with_other(registry, course_state, gelu=lambda h: h),
    "ReLU": with_other(registry, course_state, gelu=lambda h: max(h, 0.0)),
    "biases forgotten": with_other(registry, course_state, linear=lambda X, W, b=None: linear(X, W)),
    "b_2 forgotten": with_other(
        registry, course_state, linear=lambda X, W, b=None: linear(X, W, b if len(W) == F else None)
    ),
}


def with_step(name, change):
    """The course, but the step of one lesson is changed."""
    steps = [
        lesson._replace(step=change(lesson.step)) if lesson.name == name else lesson
        for lesson in registry.LESSONS
    ]
    return with_other(registry, course_state, LESSONS=steps)


def summed(step):
    """The loss without its mean."""

    def variant(state):
        step(state)
        state["activations"]["loss"] = sum(state["activations"]["losses"], 0.0)

    return variant


def with_sample_variance(X, gamma, beta, eps=1e-5):
    """n − 1 instead of n, where gamma is 1 and beta is 0."""
    n = len(X[0])
    return scale(layer_norm(X, gamma, beta, eps * (n - 1) / n), math.sqrt((n - 1) / n))


def drawing_gamma_and_beta(rng, names, config):
    """The random number generator moves on, although the values stay."""
    if "gamma" in names:
        draw_parameters(rng, ["b_2", "b_2"], config)
    return draw_parameters(rng, names, config)


OTHER_OUTPUTS = {
    "no residual": with_step(
        "07_residual_and_layer_norm", lambda step: with_other(registry, step, add=lambda A, B: B)
    ),
    "variance over n - 1": with_other(registry, course_state, layer_norm=with_sample_variance),
    "eps missing": with_other(
        registry, course_state, layer_norm=lambda X, gamma, beta: layer_norm(X, gamma, beta, 0.0)
    ),
    "gamma and beta drawn": with_other(registry, course_state, draw_parameters=drawing_gamma_and_beta),
    "reseeded for W_lm": with_other(
        registry,
        course_state,
        draw_parameters=lambda rng, names, config: draw_parameters(
            random.Random(42) if "W_lm" in names else rng, names, config
        ),
    ),
    "targets not shifted": with_other(registry, course_state, TARGETS=TOKENS[:-1]),
    "a sum for the mean": with_step("08_logits_and_loss", summed),
    "losses in bits": with_other(
        registry,
        course_state,
        token_losses=lambda logits, targets: ([loss / math.log(2) for loss in token_losses(logits, targets)]),
    ),
}


@true_of(
    course_state,
    not_of={
        **OTHER_NETWORKS,
        **OTHER_FEED_FORWARDS,
        **OTHER_OUTPUTS,
        "the exact form of GELU": with_other(registry, course_state, gelu=exact_gelu),
        "softmax to nine decimals": with_other(
            registry, course_state, softmax=lambda row: ([round(w, 9) for w in softmax(row)])
        ),
        "one number off by 2e-13 of the largest": with_last_output(lambda x: [x + 7e-15]),
        "one number nan": with_last_output(lambda x: [math.nan]),
        "one number missing": with_last_output(lambda x: []),
        "one draw more": drawing_once_more,
    },
)
def test_every_parameter_and_activation_is_the_reference_s(course_state):
    state, expected = course_state(LESSON), reference()
    for name, value in expected["activations"].items():
        apart = furthest_apart(state["activations"][name], value)
        assert apart <= WITHIN, f"{name} is off by {apart:.1e}"
    assert list(state["activations"]) == list(expected["activations"])
    assert state["rng_state"] == expected["rng_state"]  # and the next lesson goes on from there
    drawn = course_state("10_backward_through_attention")["parameters"]
    assert list(drawn) == list(expected["parameters"]) == list(state["parameters"])
    assert_agree(drawn, expected["parameters"], WITHIN)


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


# --- backward


def backward_with(**parts):
    """The course, but its backward pass is made of other parts."""
    return with_other(registry, course_state, toy_backward=with_other(toy, toy_backward, **parts))


def through_W_O_untransposed(d_out, X, W):
    d_X, d_W, d_b = linear_backward(d_out, X, W)
    return matmul(d_out, transpose(W)) if len(W) == len(W[0]) else d_X, d_W, d_b


def with_W_O_s_gradient_transposed(d_out, X, W):
    d_X, d_W, d_b = linear_backward(d_out, X, W)
    return d_X, transpose(d_W) if len(W) == len(W[0]) else d_W, d_b


def nothing_through_W_1(d_out, X, W):
    d_X, d_W, d_b = linear_backward(d_out, X, W)
    return scale(d_X, 0.0) if len(W) == F else d_X, d_W, d_b


def through_sample_variance(d_out, X, gamma, eps):
    """n − 1 instead of n."""
    n = len(gamma)
    d_X, d_gamma, d_beta = layer_norm_backward(d_out, X, gamma, eps * (n - 1) / n)
    smaller = math.sqrt((n - 1) / n)
    return scale(d_X, smaller), [smaller * d for d in d_gamma], d_beta


def mixed_derivative(h):
    """The tanh form's Φ with the exact form's bell: the derivative of neither."""
    below = 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
    return below + h * math.exp(-h * h / 2) / math.sqrt(2 * math.pi)


def exact_derivative(h):
    below = 0.5 * (1 + math.erf(h / math.sqrt(2)))
    return below + h * math.exp(-h * h / 2) / math.sqrt(2 * math.pi)


def with_one_gradient_changed(change):
    """The course, but the last gradient of W_1 is changed."""

    def variant(name):
        state = course_state(name)
        row = state["gradients"]["W_1"][-1]
        row[-1:] = change(row[-1])
        return state

    return variant


OTHER_BACKWARD_PASSES = {
    "W_O where its transpose is needed": backward_with(linear_backward=through_W_O_untransposed),
    "W_O's gradient transposed": backward_with(linear_backward=with_W_O_s_gradient_transposed),
    "a derivative of two halves": backward_with(
        activation_backward=lambda d, X: activation_backward(d, X, mixed_derivative)
    ),
    "the exact form's derivative": backward_with(
        activation_backward=lambda d, X: activation_backward(d, X, exact_derivative)
    ),
    "the 1/4 forgotten": backward_with(
        token_losses_backward=lambda d, logits, targets: token_losses_backward(
            [1.0] * len(d), logits, targets
        )
    ),
    "1/5 for 1/4": backward_with(
        token_losses_backward=lambda d, logits, targets: token_losses_backward(
            [1 / (len(d) + 1)] * len(d), logits, targets
        )
    ),
    "softmax's Jacobian skipped": backward_with(softmax_backward=lambda d, weights: list(d)),
    "the diagonal of softmax's Jacobian": backward_with(
        softmax_backward=lambda d, weights: ([x * w * (1 - w) for x, w in zip(d, weights)])
    ),
    "eps missing": backward_with(
        layer_norm_backward=lambda d, X, gamma, eps: layer_norm_backward(d, X, gamma, 0.0)
    ),
    "variance over n - 1": backward_with(layer_norm_backward=through_sample_variance),
    "layer norm passed by": backward_with(
        layer_norm_backward=lambda d, *rest: (d, *layer_norm_backward(d, *rest)[1:])
    ),
    "the path around forgotten": backward_with(add_backward=lambda d: (scale(d, 0.0), add_backward(d)[1])),
    "the path through forgotten": backward_with(linear_backward=nothing_through_W_1),
    "queries and keys exchanged": backward_with(
        attention_scores_backward=lambda *rest: attention_scores_backward(*rest)[::-1]
    ),
    "scores not divided": backward_with(
        attention_scores_backward=lambda d, Q, K: attention_scores_backward(
            scale(d, math.sqrt(len(Q[0]))), Q, K
        )
    ),
    "heads exchanged": backward_with(split_heads=lambda d, H: split_heads(d, H)[::-1]),
    "tokens taken for positions": backward_with(
        embedding_backward=lambda d, ids, E: embedding_backward(d, list(range(len(ids))), E)
    ),
}


@true_of(
    course_state,
    not_of={
        **OTHER_BACKWARD_PASSES,
        "one number off by 2e-12 of the largest": with_one_gradient_changed(lambda x: [x + 7e-15]),
        "one number nan": with_one_gradient_changed(lambda x: [math.nan]),
        "one number missing": with_one_gradient_changed(lambda x: []),
    },
)
def test_every_gradient_is_the_tape_s(course_state):
    state, expected = course_state(LESSON), reference()
    for section in "gradients", "activation_gradients":
        assert_agree(state[section], expected[section], GRADIENT_WITHIN)


@true_of(
    course_state,
    not_of={
        "a fifth target": with_other(registry, course_state, TARGETS=[*TARGETS, 0]),
        "tokens taken for positions": OTHER_BACKWARD_PASSES["tokens taken for positions"],
    },
)
def test_what_no_loss_looks_at_has_no_gradient_at_all(course_state):
    """<PAD> is not in the sentence, <EOS> and the last position stand behind the last prediction."""
    gradients = course_state(LESSON)["gradients"]
    for name, untouched in (("E_token", [0, 2]), ("E_pos", [4])):
        assert [i for i, row in enumerate(gradients[name]) if not any(row)] == untouched
        assert all(all(row) for i, row in enumerate(gradients[name]) if i not in untouched)


# --- the step


def stepping_with(step):
    return with_other(registry, course_state, adamw_step=step)


def coupled(parameters, gradients, optimizer, lr=1e-3):
    """Adam with L2 regularisation: the decay goes through the averages too."""
    pulled = tree_map(lambda p, g: g + 0.01 * p, parameters, gradients)
    return adamw_step(parameters, pulled, optimizer, lr, weight_decay=0)


def uncorrected(parameters, gradients, optimizer, lr=1e-3):
    """The young averages taken as they are."""
    step = optimizer["step"] + 1
    parameters, found = adamw_step(parameters, gradients, {**optimizer, "step": 10**6}, lr)
    return parameters, {**found, "step": step}


def decaying_last(parameters, gradients, optimizer, lr=1e-3):
    parameters, found = adamw_step(parameters, gradients, optimizer, lr, weight_decay=0)
    return tree_map(lambda p: p * (1 - lr * 0.01), parameters), found


def uphill(parameters, gradients, optimizer, lr=1e-3):
    return adamw_step(parameters, tree_map(lambda g: -g, gradients), optimizer, lr)


OTHER_STEPS = {
    "decay coupled to the gradient": coupled,
    "no bias correction": uncorrected,
    "the decay last": decaying_last,
    "uphill": uphill,
    "no decay": lambda *given: adamw_step(*given, weight_decay=0),
    "another decay": lambda *given: adamw_step(*given, weight_decay=0.1),
    "biases and norm not decayed": lambda *given: adamw_step(
        *given, no_decay=("b_1", "b_2", "gamma", "beta")
    ),
    "eps of 1e-7": lambda *given: adamw_step(*given, eps=1e-7),
    "no eps": lambda *given: adamw_step(*given, eps=0),
    "betas exchanged": lambda *given: adamw_step(*given, betas=(0.999, 0.9)),
    "language models' betas": lambda *given: adamw_step(*given, betas=(0.9, 0.95)),
}


@true_of(
    course_state,
    not_of={
        **{what: stepping_with(step) for what, step in OTHER_STEPS.items()},
        **OTHER_BACKWARD_PASSES,
        "another learning rate": stepping_with(lambda *given: adamw_step(*given, lr=1e-4)),
        "plain descent": stepping_with(lambda p, g, o: (sgd_step(p, g, 1e-3), adamw_step(p, g, o)[1])),
    },
)
def test_the_first_step_is_the_reference_s(course_state):
    state = course_state(LESSON)
    assert list(state["optimizer"]) == ["step", "m", "v"]
    assert state["optimizer"]["step"] == 1 and type(state["optimizer"]["step"]) is int
    found = state["parameters"], state["optimizer"]["m"], state["optimizer"]["v"]
    for got, expected in zip(found, first_step(), strict=True):
        assert_agree(got, expected, GRADIENT_WITHIN)


# --- a hundred steps


def curve(lr, backward=toy_backward, step=adamw_step):
    """The loss before each step, for ever."""
    parameters = draw_parameters(random.Random(42))
    optimizer = adamw_init(parameters)
    while True:
        activations = toy_forward(parameters, TOKENS, TARGETS)
        yield activations["loss"]
        gradients, _ = backward(parameters, activations, TOKENS, TARGETS)
        parameters, optimizer = step(parameters, gradients, optimizer, lr)


@cache
def reference_curve(lr):
    """The losses before the first step and after each of a hundred, and some of the parameters on the way."""
    points = list(islice(second_network.training(lr), 101))
    return [loss for loss, _ in points], [points[steps][1] for steps in (0, 1, 20, 100)]


def gamma_outside(d_out, X, gamma, eps=1e-5):
    """Layer norm's gradient with gamma outside the averages: right as long as gamma is 1."""
    _, d_gamma, d_beta = layer_norm_backward(d_out, X, gamma, eps)
    d_X, _, _ = layer_norm_backward(d_out, X, [1.0] * len(gamma), eps)
    return [[d * g for d, g in zip(row, gamma)] for row in d_X], d_gamma, d_beta


def forgetful(parameters, gradients, optimizer, lr):
    """The averages start anew at each step."""
    return adamw_step(parameters, gradients, adamw_init(parameters), lr)


def uncounted(parameters, gradients, optimizer, lr):
    """Every step corrects like the first."""
    parameters, found = adamw_step(parameters, gradients, optimizer, lr)
    return parameters, {**found, "step": 0}


def going(**parts):
    backward = with_other(toy, toy_backward, **parts)
    return lambda lr: curve(lr, backward)


def stepping(step):
    return lambda lr: curve(lr, step=step)


@true_of(
    curve,
    not_of={
        **{what: stepping(step) for what, step in OTHER_STEPS.items()},
        "averages forgotten": stepping(forgetful),
        "steps not counted": stepping(uncounted),
        "nothing learned": stepping(lambda parameters, gradients, optimizer, lr: (parameters, optimizer)),
        "gamma outside": going(layer_norm_backward=gamma_outside),
        "W_O where its transpose is needed": going(linear_backward=through_W_O_untransposed),
        "a derivative of two halves": going(
            activation_backward=lambda d, X: activation_backward(d, X, mixed_derivative)
        ),
        "the 1/4 forgotten": going(
            token_losses_backward=lambda d, logits, targets: token_losses_backward(
                [1.0] * len(d), logits, targets
            )
        ),
    },
)
def test_a_hundred_steps_have_the_reference_s_losses(curve):
    for lr in (1e-3, 1e-2):
        for steps, (got, expected) in enumerate(zip(curve(lr), reference_curve(lr)[0])):
            assert abs(got - expected) <= 1e-9, f"lr {lr}, after {steps} steps: {got} is not {expected}"


def test_what_the_reference_trains_with_is_what_the_tape_finds():
    """The gradients written out by hand, at the start, underway and at the end."""
    for p in reference_curve(1e-2)[1]:
        by_tape, _, values = second_network.on_tape(p)
        a = second_network.forward(p)
        assert_agree(a, values, WITHIN)
        assert_agree(second_network.by_hand(p, a), by_tape, GRADIENT_WITHIN)
