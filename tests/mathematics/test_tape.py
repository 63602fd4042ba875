"""The tape over lists: its gradients against another way to them, and what it refuses.

The truths are the scalar tape of tests/second_network.py, which knows nothing of lists, and small steps
by gradient_checks.
"""

import functools
import inspect
import math
import random
from itertools import zip_longest

import pytest
import second_network
from gradient_checks import derivatives, weighted, weights_for
from tables import assert_close, numbers_in
from test_bad_calls import CALLS
from test_toy import SENTENCES, wild

import helpers
from helpers import backward
from helpers import tape as module
from helpers.attention import causal_mask
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters
from helpers.gpt import gpt_backward, gpt_forward, init_gpt
from helpers.tape import OPERATIONS, Tape
from helpers.toy import toy_backward, toy_forward


def in_small_steps(f, p, tokens, targets, eps=1e-5):
    """The network of Part I, every step of it a function of the course; f is the helpers, or a tape."""
    positions, mask, heads = list(range(len(tokens))), causal_mask(len(tokens)), []
    X = f.add(f.embedding(tokens, p["E_token"]), f.embedding(positions, p["E_pos"]))
    for W_Q, W_K, W_V in zip(p["W_Q"], p["W_K"], p["W_V"]):
        weights = f.softmax_rows(f.attention_scores(f.linear(X, W_Q), f.linear(X, W_K), mask))
        heads.append(f.matmul(weights, f.linear(X, W_V)))
    attended = f.linear(f.merge_heads(heads), p["W_O"])
    activated = f.gelu_rows(f.linear(attended, p["W_1"], b=p["b_1"]))
    residual = f.add(attended, f.linear(activated, p["W_2"], p["b_2"]))
    logits = f.linear(f.layer_norm(residual, p["gamma"], p["beta"], eps=eps), p["W_lm"])
    return f.cross_entropy(f.embedding(positions[: len(targets)], logits), targets)


def in_large_steps(f, p, tokens, targets, eps=1e-5):
    """The same network of whole layers, its mean loss as a dot product."""
    positions = list(range(len(tokens)))
    X = f.add(f.embedding(tokens, p["E_token"]), f.embedding(positions, p["E_pos"]))
    attended = f.multi_head_attention(
        X, p["W_Q"], p["W_K"], p["W_V"], p["W_O"], mask=causal_mask(len(tokens))
    )
    residual = f.add(attended, f.feed_forward(attended, p["W_1"], p["b_1"], p["W_2"], p["b_2"]))
    logits = f.linear(f.layer_norm(residual, p["gamma"], p["beta"], eps), p["W_lm"])
    losses = f.token_losses(f.embedding(positions[: len(targets)], logits), targets)
    return f.dot(losses, [1 / len(targets)] * len(targets))


def by_tape(network, parameters, *sentence):
    tape = Tape()
    p = tape.watch(parameters)
    loss = network(tape, p, *sentence)
    tape.backward(loss)
    return loss.value, tape.gradients(p)


@pytest.mark.parametrize("network", [in_small_steps, in_large_steps])
def test_the_gradients_of_the_course_s_network_are_those_of_toy_backward(network):
    parameters = draw_parameters(random.Random(42))
    activations = toy_forward(parameters, TOKENS, TARGETS)
    expected, _ = toy_backward(parameters, activations, TOKENS, TARGETS)
    loss, gradients = by_tape(network, parameters, TOKENS, TARGETS)
    assert abs(loss - activations["loss"]) <= 1e-15
    assert gradients.keys() == expected.keys() and len(numbers_in(list(gradients.values()))) == 3456
    for name in expected:
        assert_close(gradients[name], expected[name], within=1e-12)


def gpt(f, p, tokens, targets, layers, heads):
    """GPT-2 with its tied table; f is the helpers, or a tape."""
    mask = causal_mask(len(tokens))
    X = f.add(f.embedding(tokens, p["wte.weight"]), f.embedding(list(range(len(tokens))), p["wpe.weight"]))
    for i in range(layers):
        b = {name.removeprefix(f"h.{i}."): value for name, value in p.items() if name.startswith(f"h.{i}.")}
        normed = f.layer_norm(X, b["ln_1.weight"], b["ln_1.bias"])
        parts = f.split_heads(f.linear(normed, b["attn.c_attn.weight"], b["attn.c_attn.bias"]), 3 * heads)
        attended = f.merge_heads([f.attention(*parts[h::heads], mask) for h in range(heads)])
        X = f.add(X, f.linear(attended, b["attn.c_proj.weight"], b["attn.c_proj.bias"]))
        normed = f.layer_norm(X, b["ln_2.weight"], b["ln_2.bias"])
        names = ("mlp.c_fc.weight", "mlp.c_fc.bias", "mlp.c_proj.weight", "mlp.c_proj.bias")
        X = f.add(X, f.feed_forward(normed, *(b[name] for name in names)))
    return f.cross_entropy(
        f.linear(f.layer_norm(X, p["ln_f.weight"], p["ln_f.bias"]), p["wte.weight"]), targets
    )


@pytest.mark.parametrize("layers, heads", [(2, 3), (1, 1), (3, 2)])
def test_the_gradients_of_a_gpt_are_those_of_gpt_backward(layers, heads):
    """Both ways back are written apart: the one in helpers/gpt.py by hand, this one by nobody."""
    config = {
        "vocab_size": 5,
        "n_positions": 6,
        "n_embd": 6,
        "n_layer": layers,
        "n_head": heads,
        "n_inner": 7,
    }
    tokens, targets, rng = [1, 3, 3, 0], [3, 3, 0, 4], random.Random(layers)
    parameters = helpers.tree_map(lambda v: [x + rng.uniform(-0.5, 0.5) for x in v], init_gpt(config, rng))
    activations = gpt_forward(config, parameters, tokens, targets)
    expected = gpt_backward(config, parameters, activations, tokens, targets)
    loss, gradients = by_tape(lambda *given: gpt(*given, layers, heads), parameters, tokens, targets)
    assert loss == pytest.approx(activations["loss"], rel=1e-12)
    assert gradients.keys() == expected.keys()
    for name in expected:
        assert_close(gradients[name], expected[name], within=1e-12)


@functools.cache
def by_scalars(i):
    """The parameters in which nothing is small, equal or zero; the loss of a sentence, and its gradients."""
    numbers = wild()
    gradients, _, activations = second_network.on_tape(numbers, *SENTENCES[i])
    return numbers, activations["loss"], gradients


@pytest.mark.parametrize(
    "network, sentence", [(n, sentence) for sentence in SENTENCES for n in (in_small_steps, in_large_steps)]
)
def test_the_gradients_are_the_scalar_tape_s(network, sentence):
    """At parameters in which nothing is small, equal or zero, with a token twice, an eps that counts."""
    numbers, due, expected = by_scalars(SENTENCES.index(sentence))
    loss, gradients = by_tape(network, second_network.as_stored(numbers), *sentence)
    assert loss == pytest.approx(due, rel=1e-12)
    for name, gradient in second_network.as_stored(expected).items():
        assert_close(gradients[name], gradient, within=1e-10)


@pytest.mark.parametrize("network", [in_small_steps, in_large_steps])
def test_the_same_network_runs_without_a_tape(network):
    parameters = draw_parameters(random.Random(42))
    loss, _ = by_tape(network, parameters, TOKENS, TARGETS)
    assert network(helpers, parameters, TOKENS, TARGETS) == loss


# --- every row of the table

WITH_GRADIENTS = {
    "dot": ["u", "v"],
    "matmul": ["A", "B"],
    "transpose": ["A"],
    "add": ["A", "B"],
    "scale": ["A", "c"],
    "embedding": ["E"],
    "linear": ["X", "W", "b"],
    "feed_forward": ["X", "W_1", "b_1", "W_2", "b_2"],
    "layer_norm": ["X", "gamma", "beta"],
    "rms_norm": ["X", "gamma"],
    "softmax": ["scores"],
    "attention_scores": ["Q", "K"],
    "attention": ["Q", "K", "V"],
    "multi_head_attention": ["X", "W_Q", "W_K", "W_V", "W_O"],
    "token_losses": ["logits"],
    "cross_entropy": ["logits"],
    "perplexity": ["loss"],
    "gelu_rows": ["X"],
    "relu_rows": ["X"],
    "softmax_rows": ["scores"],
    "split_heads": ["X"],
    "merge_heads": ["heads"],
    "swiglu": ["X", "W_gate", "W_up", "W_down"],
    "rope": ["X"],
    "grouped_query_attention": ["Q", "K", "V"],
}


@pytest.mark.parametrize("name", WITH_GRADIENTS)
def test_every_backward_function_of_the_table_has_the_measured_gradient(name):
    """Each backward function, called as the tape calls it, against finite differences of its function."""
    forward, backward = OPERATIONS[name]
    assert inspect.unwrap(forward) is inspect.unwrap(getattr(helpers, name))
    given = {key: CALLS[name][key] for key in inspect.signature(forward).parameters}
    result = forward(**given)
    weights = weights_for(random.Random(3), result)
    found = backward(weights, result, *given.values())
    for key, gradient in zip_longest(given, found):
        if key not in WITH_GRADIENTS[name]:
            assert gradient is None or key is None, key
            continue
        derivative = derivatives(
            lambda value: weighted(forward(**{**given, key: value}), weights), given[key], h=1e-3
        )
        assert_close(gradient, derivative, within=1e-8)


@pytest.mark.parametrize(
    "activation", [helpers.gelu, helpers.gelu_exact, helpers.quick_gelu, helpers.relu, helpers.silu]
)
def test_every_activation_of_the_course_has_its_derivative_in_a_feed_forward_network(activation):
    given = {**CALLS["feed_forward"], "activation": activation}
    tape = Tape()
    X = tape.watch(given.pop("X"))
    tape.backward(tape.cross_entropy(tape.feed_forward(X, **given), [4, 1]))
    derivative = derivatives(
        lambda X: helpers.cross_entropy(helpers.feed_forward(X, **given), [4, 1]), X.value, h=1e-3
    )
    assert_close(tape.gradients(X), derivative, within=1e-8)


def test_the_table_is_whole():
    assert OPERATIONS.keys() == WITH_GRADIENTS.keys()
    backward_functions = {
        name
        for name, value in vars(backward).items()
        if name.endswith("_backward") and inspect.isfunction(value)
    }
    assert {name.removesuffix("_backward") for name in backward_functions} - OPERATIONS.keys() == {
        "activation"
    }  # gelu_rows, relu_rows


# --- paths that meet


def test_a_node_used_twice_gets_both_gradients():
    tape = Tape()
    u = tape.watch([2.0, 5.0])
    tape.backward(tape.dot(u, u))
    assert tape.gradients(u) == [4.0, 10.0]


def test_paths_of_different_length_meet():
    """b = a², c = b + a, d = b·c at a = 2 is a⁴ + a³, whose slope is 4·8 + 3·4 = 44."""
    tape = Tape()
    a = tape.watch([[2.0]])
    b = tape.matmul(a, a)
    c = tape.add(b, a)
    d = tape.matmul(b, c)
    loss = tape.cross_entropy(tape.merge_heads([d, [[0.0]]]), [1])  # log(1 + exp(d))
    tape.backward(loss)
    assert tape.gradients(a)[0][0] == pytest.approx(44 / (1 + math.exp(-24)), rel=1e-12)


def test_what_is_tied_gets_the_sum_of_both_its_uses():
    """The table of tokens is the output matrix, too, as in GPT-2: first it is looked up in, then it
    scores."""
    E = [[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0]]

    def network(f, E):
        return f.cross_entropy(f.linear(f.embedding([1, 2, 1], E), E), [0, 1, 2])

    tape = Tape()
    node = tape.watch(E)
    tape.backward(network(tape, node))
    assert_close(tape.gradients(node), derivatives(lambda E: network(helpers, E), E, h=1e-3), within=1e-9)


def test_a_part_that_nobody_reads_gets_zeros_and_so_does_what_the_loss_does_not_depend_on():
    tape = Tape()
    X, other = tape.watch([[1.0, 2.0, 3.0, 4.0]]), tape.watch({"b": [1.0], "W": [[[1.0, 2.0]]], "c": 3.0})
    _, second = tape.split_heads(X, 2)
    tape.scale(second, 2.0)
    tape.backward(tape.cross_entropy(second, [0]))
    (gradient,) = tape.gradients(X)
    assert gradient[:2] == [0.0, 0.0] and gradient[2] < 0 < gradient[3]
    assert tape.gradients(other) == {"b": [0.0], "W": [[[0.0, 0.0]]], "c": 0.0}


def test_ten_thousand_steps_deep():
    tape = Tape()
    a = x = tape.watch([[1.0]])
    for _ in range(10_000):
        x = tape.add(x, [[0.0]])
    tape.backward(tape.cross_entropy(tape.merge_heads([x, [[1.0]]]), [0]))
    assert tape.gradients(a) == [[-0.5]]


# --- what is refused


def small():
    tape = Tape()
    p = tape.watch({"X": [[1.0, 2.0]], "W": [[1.0, 0.5], [0.5, 1.0]]})
    return tape, p, tape.cross_entropy(tape.linear(p["X"], p["W"]), [1])


def backward_from_a_matrix():
    tape, p, _ = small()
    tape.backward(tape.linear(p["X"], p["W"]))


def backward_from_a_plain_number():
    tape, _, loss = small()
    tape.backward(loss.value)


def backward_from_another_tape():
    tape, *_ = small()
    _, _, loss = small()
    tape.backward(loss)


def backward_twice():
    tape, _, loss = small()
    tape.backward(loss)
    tape.backward(loss)


def a_node_of_another_tape():
    tape, p, _ = small()
    Tape().linear([[1.0, 2.0]], p["W"])


def a_head_of_another_tape():
    _, p, _ = small()
    tape = Tape()
    tape.merge_heads([tape.watch([[1.0]]), p["X"]])


def a_parameter_changed():
    tape, p, loss = small()
    p["W"].value[1][0] += 0.1
    tape.backward(loss)


def a_result_changed():
    tape = Tape()
    hidden = tape.linear([[1.0, 2.0]], tape.watch([[1.0, 0.5], [0.5, 1.0]]))
    loss = tape.cross_entropy(hidden, [1])
    hidden.value[0].reverse()
    tape.backward(loss)


def a_target_changed():
    tape, p, _ = small()
    targets = [1]
    loss = tape.cross_entropy(p["X"], targets)
    targets[0] = 0
    tape.backward(loss)


def a_constant_among_heads_changed():
    tape = Tape()
    constant = [[3.0]]
    loss = tape.cross_entropy(tape.merge_heads([tape.watch([[1.0]]), constant]), [1])
    constant[0][0] = 2.0
    tape.backward(loss)


def a_mask_with_a_way_back():
    tape, p, _ = small()
    mask = tape.watch([[0.0]])
    tape.backward(tape.cross_entropy(tape.attention(p["X"], p["X"], p["X"], mask), [1]))


def gradients_too_early():
    tape, p, _ = small()
    tape.gradients(p)


def gradients_of_a_plain_list():
    tape, p, loss = small()
    tape.backward(loss)
    tape.gradients([[1.0, 2.0]])


def no_such_function():
    Tape().lineer([[1.0]], [[1.0]])


def a_loss_of_nothing():
    Tape().watch({"W": "a text"})


REFUSED = [
    (backward_from_a_matrix, ValueError, "backward: <linear [1][2]> is not one number; start from a loss"),
    (backward_from_a_plain_number, ValueError, "is not on this tape; give the loss"),
    (backward_from_another_tape, ValueError, "backward: <cross_entropy number> is not on this tape"),
    (backward_twice, ValueError, "backward: this tape was used before"),
    (a_node_of_another_tape, ValueError, "linear: <W [2][2]> is not on this tape"),
    (a_head_of_another_tape, ValueError, "merge_heads: <X [1][2]> is not on this tape"),
    (a_parameter_changed, ValueError, "backward: the value of <W [2][2]> was changed after it was used"),
    (a_result_changed, ValueError, "backward: the value of <linear [1][2]> was changed after it was used"),
    (a_target_changed, ValueError, "backward: a list given to cross_entropy was changed after it was used"),
    (
        a_constant_among_heads_changed,
        ValueError,
        "backward: a list given to merge_heads was changed after it was used",
    ),
    (a_mask_with_a_way_back, ValueError, "backward: attention has no gradient for <value [1][1]>"),
    (gradients_too_early, ValueError, "gradients: there are none yet; call backward"),
    (gradients_of_a_plain_list, ValueError, "gradients: [[1.0, 2.0]] is not on this tape"),
    (no_such_function, AttributeError, "a tape has no lineer; it has dot, matmul, "),
    (a_loss_of_nothing, TypeError, "watch: value['W'] is 'a text', not a number"),
]


@pytest.mark.parametrize("use, error, words", REFUSED, ids=[use.__name__ for use, *_ in REFUSED])
def test_bad_use_is_refused_in_one_sentence(use, error, words):
    try:
        use()
        raised = None
    except (ValueError, TypeError, AttributeError) as refusal:
        raised = refusal
    message = str(raised)
    assert type(raised) is error and words in message and "\n" not in message and ". " not in message


def test_what_does_not_fit_is_refused_by_the_function_itself():
    tape, p, _ = small()
    with pytest.raises(ValueError, match=r"^linear: X is \[1\]\[2\] and W is \[1\]\[3\]"):
        tape.linear(p["X"], [[1.0, 2.0, 3.0]])
    with pytest.raises(TypeError, match="^linear: missing"):
        tape.linear(p["X"])
    with pytest.raises(TypeError, match="^linear: .*surplus"):
        tape.linear(p["X"], p["W"], surplus=1)


def test_after_a_refusal_the_tape_is_as_it_was():
    tape, p, loss = small()
    with pytest.raises(ValueError):
        tape.backward(3.0)
    with pytest.raises(ValueError):
        tape.linear(p["X"], [[1.0]])
    tape.backward(loss)
    assert tape.gradients(p)["W"][0][0] > 0


def test_a_loss_of_nan_is_no_change():
    tape = Tape()
    w = tape.watch([float("nan"), 1.0])
    tape.backward(tape.dot(w, [1.0, 1.0]))
    assert tape.gradients(w) == [1.0, 1.0]


def test_nothing_that_is_given_is_changed_and_gradients_are_lists_of_their_own():
    parameters = draw_parameters(random.Random(42))
    before = repr(parameters)
    _, gradients = by_tape(in_small_steps, parameters, TOKENS, TARGETS)
    gradients["W_lm"][0][0] = 7.0
    assert repr(parameters) == before


def test_a_row_that_a_reader_adds_is_at_work(monkeypatch):
    monkeypatch.setitem(
        module.OPERATIONS,
        "twice",
        (
            lambda A: [[2 * a for a in row] for row in A],
            lambda d, out, A: [[[2 * x for x in row] for row in d]],
        ),
    )
    tape = Tape()
    A = tape.watch([[0.0, 0.0]])
    tape.backward(tape.cross_entropy(tape.twice(A), [0]))
    assert tape.gradients(A) == [[-1.0, 1.0]]


def test_a_number_with_two_users_gets_the_sum_of_their_gradients():
    """c·(c·1) = c² against 0, target c²: the loss is log(1 + e^(−c²)), its derivative −2c / (1 + e^(c²))."""
    tape = Tape()
    c = tape.watch(1.5)
    tape.backward(tape.cross_entropy(tape.scale(tape.scale([[1.0, 0.0]], c), c), [0]))
    assert_close(tape.gradients(c), -3.0 / (1 + math.exp(2.25)))
