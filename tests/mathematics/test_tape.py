"""The tape over lists: the gradients of whole networks, paths that meet, and what it refuses.

test_every_gradient.py measures each row of OPERATIONS by finite differences.
"""

import math
import random

import pytest
from gradient_checks import derivatives
from networks_on_tape import by_tape, in_large_steps, in_small_steps
from tables import assert_close

import helpers
from helpers.attention import causal_mask
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters
from helpers.gpt import gpt_backward, gpt_forward, init_gpt
from helpers.parameters import tree_map
from helpers.tape import OPERATIONS, Tape
from helpers.toy import toy_backward, toy_forward

# --- whole networks: toy_backward and gpt_backward are written by hand, and their tests know no tape


def stirred(parameters, rng):
    """Parameters in which nothing is small, equal or zero."""
    return tree_map(lambda v: [x + rng.choice((-1, 1)) * rng.uniform(0.1, 0.5) for x in v], parameters)


@pytest.mark.parametrize("network", [in_small_steps, in_large_steps])
@pytest.mark.parametrize(
    "sentence", [(TOKENS, TARGETS), ([1, 3, 3, 5, 3], [3, 3, 5], 0.1), ([5], [5], 0.01)], ids=str
)
def test_the_gradients_of_the_course_s_network_are_those_of_toy_backward(network, sentence):
    rng = random.Random(42)
    parameters = stirred(draw_parameters(rng), rng)
    activations = toy_forward(parameters, *sentence)
    expected, _ = toy_backward(parameters, activations, *sentence)
    loss, gradients = by_tape(network, parameters, *sentence)
    assert loss == pytest.approx(activations["loss"], rel=1e-12)
    assert network(helpers, parameters, *sentence) == loss  # the same network runs without a tape
    assert gradients.keys() == expected.keys()
    for name in expected:
        assert_close(gradients[name], expected[name], within=1e-11)


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
    last = f.layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])
    return f.cross_entropy(f.linear(last, p["wte.weight"]), targets)


@pytest.mark.parametrize("layers, heads", [(2, 3), (1, 1), (3, 2)])
def test_the_gradients_of_a_gpt_are_those_of_gpt_backward(layers, heads):
    config = {
        "vocab_size": 5,
        "n_positions": 6,
        "n_embd": 6,
        "n_layer": layers,
        "n_head": heads,
        "n_inner": 7,
    }
    tokens, targets, rng = [1, 3, 3, 0], [3, 3, 0, 4], random.Random(layers)
    parameters = stirred(init_gpt(config, rng), rng)
    activations = gpt_forward(config, parameters, tokens, targets)
    expected = gpt_backward(config, parameters, activations, tokens, targets)
    loss, gradients = by_tape(lambda *given: gpt(*given, layers, heads), parameters, tokens, targets)
    assert loss == pytest.approx(activations["loss"], rel=1e-12)
    assert gradients.keys() == expected.keys()
    for name in expected:
        assert_close(gradients[name], expected[name], within=1e-12)


def test_a_row_that_a_reader_adds_is_used(monkeypatch):
    def twice(A):
        return [[2 * a for a in row] for row in A]

    monkeypatch.setitem(OPERATIONS, "twice", (twice, lambda d_out, out, A: [twice(d_out)]))
    tape = Tape()
    A = tape.watch([[0.0, 0.0]])
    tape.backward(tape.cross_entropy(tape.twice(A), [0]))
    assert tape.gradients(A) == [[-1.0, 1.0]]


# --- paths that meet


def test_a_node_used_twice_gets_both_gradients():
    tape = Tape()
    u = tape.watch([2.0, 5.0])
    tape.backward(tape.dot(u, u))
    assert tape.gradients(u) == [4.0, 10.0]


def test_paths_of_different_length_meet():
    """b = a², c = b + a, d = b·c at a = 2 is a⁴ + a³, whose derivative is 4·8 + 3·4 = 44."""
    tape = Tape()
    a = tape.watch([[2.0]])
    b = tape.matmul(a, a)
    c = tape.add(b, a)
    d = tape.matmul(b, c)
    loss = tape.cross_entropy(tape.merge_heads([d, [[0.0]]]), [1])  # log(1 + exp(d))
    tape.backward(loss)
    assert tape.gradients(a)[0][0] == pytest.approx(44 / (1 + math.exp(-24)), rel=1e-12)


def test_a_number_with_two_users_gets_the_sum_of_their_gradients():
    """c·(c·1) = c² against 0, target c²: the loss is log(1 + e^(−c²)), its derivative −2c / (1 + e^(c²))."""
    tape = Tape()
    c = tape.watch(1.5)
    tape.backward(tape.cross_entropy(tape.scale(tape.scale([[1.0, 0.0]], c), c), [0]))
    assert_close(tape.gradients(c), -3.0 / (1 + math.exp(2.25)))


def test_a_tied_table_gets_the_sum_of_both_its_uses():
    """The table of tokens is the output matrix, too, as in GPT-2."""
    E = [[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0]]

    def network(f, E):
        return f.cross_entropy(f.linear(f.embedding([1, 2, 1], E), E), [0, 1, 2])

    _, gradient = by_tape(network, E)
    assert_close(gradient, derivatives(lambda E: network(helpers, E), E, h=1e-3), within=1e-9)


def test_what_the_loss_does_not_depend_on_gets_zeros():
    tape = Tape()
    X, other = tape.watch([[1.0, 2.0, 3.0, 4.0]]), tape.watch({"b": [1.0], "W": [[[1.0, 2.0]]], "c": 3.0})
    _, second = tape.split_heads(X, 2)
    tape.scale(second, 2.0)
    tape.backward(tape.cross_entropy(second, [0]))
    (gradient,) = tape.gradients(X)
    assert gradient[:2] == [0.0, 0.0] and gradient[2] < 0 < gradient[3]
    assert tape.gradients(other) == {"b": [0.0], "W": [[[0.0, 0.0]]], "c": 0.0}


def test_a_graph_may_be_deeper_than_python_s_recursion_limit():
    tape = Tape()
    a = x = tape.watch([[1.0]])
    for _ in range(2_000):
        x = tape.add(x, [[0.0]])
    tape.backward(tape.cross_entropy(tape.merge_heads([x, [[1.0]]]), [0]))
    assert tape.gradients(a) == [[-0.5]]


def test_nothing_that_is_given_is_changed_and_gradients_are_lists_of_their_own():
    parameters = draw_parameters(random.Random(42))
    before = repr(parameters)
    _, gradients = by_tape(in_small_steps, parameters, TOKENS, TARGETS)
    gradients["W_lm"][0][0] = 7.0
    assert repr(parameters) == before


# --- what is refused, in one sentence


def small():
    tape = Tape()
    p = tape.watch({"X": [[1.0, 2.0]], "W": [[1.0, 0.5], [0.5, 1.0]]})
    return tape, p, tape.cross_entropy(tape.linear(p["X"], p["W"]), [1])


def test_backward_starts_from_the_loss_of_its_tape():
    tape, p, loss = small()
    for wrong, words in [
        (tape.linear(p["X"], p["W"]), r"<linear \[1\]\[2\]> is not one number; start from a loss"),
        (loss.value, "is not on this tape; give the loss"),
        (small()[2], "<cross_entropy number> is not on this tape"),
    ]:
        with pytest.raises(ValueError, match=f"^backward: .*{words}"):
            tape.backward(wrong)
    tape.backward(loss)  # after a refusal the tape is as it was
    assert tape.gradients(p)["W"][0][0] > 0
    with pytest.raises(ValueError, match="^backward: this tape was used before"):
        tape.backward(loss)


def test_a_node_of_another_tape_is_refused():
    tape, p, _ = small()
    other = Tape()
    with pytest.raises(ValueError, match=r"^linear: <W \[2\]\[2\]> is not on this tape"):
        other.linear([[1.0, 2.0]], p["W"])
    with pytest.raises(ValueError, match=r"^merge_heads: <X \[1\]\[2\]> is not on this tape"):
        other.merge_heads([other.watch([[1.0]]), p["X"]])


def test_a_parameter_that_was_changed_is_named():
    tape, p, loss = small()
    p["W"].value[1][0] += 0.1
    with pytest.raises(
        ValueError, match=r"^backward: the value of <W \[2\]\[2\]> was changed after it was used"
    ):
        tape.backward(loss)


def test_a_result_that_was_changed_is_named():
    tape = Tape()
    hidden = tape.linear([[1.0, 2.0]], tape.watch([[1.0, 0.5], [0.5, 1.0]]))
    loss = tape.cross_entropy(hidden, [1])
    hidden.value[0].reverse()
    with pytest.raises(ValueError, match=r"^backward: the value of <linear \[1\]\[2\]> was changed"):
        tape.backward(loss)


def test_a_constant_that_was_changed_is_named_by_its_operation():
    tape, targets, constant = Tape(), [1], [[3.0]]
    loss = tape.cross_entropy(tape.merge_heads([tape.watch([[1.0]]), constant]), targets)
    targets[0] = 0
    with pytest.raises(ValueError, match="^backward: a list given to cross_entropy was changed"):
        tape.backward(loss)
    targets[0], constant[0][0] = 1, 2.0
    with pytest.raises(ValueError, match="^backward: a list given to merge_heads was changed"):
        tape.backward(loss)


def test_a_mask_has_no_gradient():
    tape, p, _ = small()
    mask = tape.watch([[0.0]])
    loss = tape.cross_entropy(tape.attention(p["X"], p["X"], p["X"], mask), [1])
    with pytest.raises(ValueError, match=r"^backward: attention has no gradient for <value \[1\]\[1\]>"):
        tape.backward(loss)


def test_gradients_are_of_nodes_and_after_backward():
    tape, p, loss = small()
    with pytest.raises(ValueError, match="^gradients: there are none yet; call backward"):
        tape.gradients(p)
    tape.backward(loss)
    with pytest.raises(ValueError, match=r"^gradients: \[\[1.0, 2.0\]\] is not on this tape"):
        tape.gradients([[1.0, 2.0]])


def test_a_call_that_does_not_fit_is_refused_by_the_function_itself():
    tape, p, _ = small()
    with pytest.raises(AttributeError, match="^a tape has no lineer; it has dot, matmul, "):
        tape.lineer(p["X"], p["W"])
    with pytest.raises(TypeError, match=r"^watch: value\['W'\] is 'a text', not a number"):
        tape.watch({"W": "a text"})
    with pytest.raises(ValueError, match=r"^linear: X is \[1\]\[2\] and W is \[1\]\[3\]"):
        tape.linear(p["X"], [[1.0, 2.0, 3.0]])
    with pytest.raises(TypeError, match="^linear: missing"):
        tape.linear(p["X"])
    with pytest.raises(TypeError, match="^linear: .*surplus"):
        tape.linear(p["X"], p["W"], surplus=1)


def test_a_value_of_nan_is_no_change():
    tape = Tape()
    w = tape.watch([math.nan, 1.0])
    tape.backward(tape.dot(w, [1.0, 1.0]))
    assert tape.gradients(w) == [1.0, 1.0]


def test_a_number_and_a_vector_that_are_used_twice_get_the_sum_of_their_gradients():
    def loss_of(parameters):
        tape = Tape()
        p = tape.watch(parameters)
        X = tape.scale(tape.add(tape.scale([[1.0, 3.0]], p["c"]), [[0.5, -1.0]]), p["c"])
        loss = tape.cross_entropy(tape.rms_norm(tape.rms_norm(X, p["g"]), p["g"]), [0])
        tape.backward(loss)
        return loss.value, tape.gradients(p)

    parameters = {"c": 0.7, "g": [1.5, -0.5]}
    measured = derivatives(lambda nudged: loss_of(nudged)[0], parameters, 1e-3)
    gradients = loss_of(parameters)[1]
    assert_close([gradients["c"], *gradients["g"]], [measured["c"], *measured["g"]], within=1e-8)


def test_gradients_of_a_node_of_another_tape_are_refused():
    tape, other = Tape(), Tape()
    with pytest.raises(ValueError, match="not on this tape"):
        tape.gradients(other.watch([1.0, 2.0]))
