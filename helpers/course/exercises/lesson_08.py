"""Lesson 08: answers, inputs and known mistakes of its exercises. It holds the solutions."""

import math
import random

from ...attention import causal_mask, multi_head_attention, softmax
from ...finite_differences import numerical_gradient
from ...layers import embedding, feed_forward, layer_norm, linear
from ...losses import cross_entropy, token_losses
from ...matrices import add
from ...toy import toy_forward
from ..state.network import SEED, TARGETS, TOKENS, draw_parameters
from .exercise import Exercise, draw_inputs, from_source


def my_token_loss(row, target):
    largest = max(row)
    return largest + math.log(sum(math.exp(y - largest) for y in row)) - row[target]


def _subtracting(choose):
    """my_token_loss with another number than the largest logit subtracted."""

    def loss(row, target):
        c = choose(row)
        return math.log(sum(math.exp(y - c) for y in row)) - (row[target] - c)

    return loss


def _loss(subtracted=True, sign=-1):
    """my_token_loss with the largest not subtracted from the target's logit, or the target's logit added."""

    def loss(row, target):
        largest = max(row)
        own = row[target] - largest if subtracted else row[target]
        return math.log(sum(math.exp(y - largest) for y in row)) + sign * own

    return loss


def _clamped(least):
    return lambda row, target: -math.log(max(math.exp(-my_token_loss(row, target)), least))


def my_forward(parameters, tokens, targets):
    return toy_forward(parameters, tokens, targets)["loss"]


def _attend(p, X, mask=True, order=("W_Q", "W_K", "W_V", "W_O")):
    weights = (p[name] for name in order)
    return multi_head_attention(X, *weights, causal_mask(len(X)) if mask else None)


def _feed(p, X):
    return feed_forward(X, *(p[name] for name in ("W_1", "b_1", "W_2", "b_2")))


def _norm(p, X):
    return layer_norm(X, p["gamma"], p["beta"])


def _forward(
    positions=True,
    mask=True,
    attend=_attend,
    residual=lambda p, X, attended: add(attended, _feed(p, attended)),
    norm=_norm,
    loss=lambda logits, targets: cross_entropy(logits[: len(targets)], targets),
):
    """my_forward with one step done otherwise."""

    def forward(p, tokens, targets):
        X = embedding(tokens, p["E_token"])
        if positions:
            X = add(X, embedding(list(range(len(tokens))), p["E_pos"]))
        logits = linear(norm(p, residual(p, X, attend(p, X, mask))), p["W_lm"])
        return loss(logits, targets)

    return forward


def _small_network(seed, V, P, D, H, k, F):
    """Parameters of another size than the course's network, with gamma, beta and the biases drawn, too."""
    sizes = ((V, D), (P, D), (H, k, D), (H, k, D), (H, k, D), (D, H * k), (F, D), (F,), (D, F), (D,))
    names = ("E_token", "E_pos", "W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "gamma", "beta")
    return dict(zip([*names, "W_lm"], draw_inputs(seed, *sizes, (D,), (D,), (V, D)), strict=True))


def _call_text(name, p, tokens, targets):
    """The parameters do not fit into a line: their sizes stand for them."""
    sizes = f"V = {len(p['E_token'])}, D = {len(p['gamma'])}, {len(p['W_Q'])} heads"
    return f"{name}(p, {tokens}, {targets})   with parameters p of this size: {sizes}"


def my_descent_step(f, x, learning_rate):
    gradient = numerical_gradient(f, [float(v) for v in x])
    return [v - learning_rate * d for v, d in zip(x, gradient, strict=True)]


def _step(difference=None, sign=-1, rate=True, keep=True, one_by_one=False, h=1e-5):
    """my_descent_step with one part done otherwise; difference(f, up, x, down) is the derivative."""

    def central(f, up, x, down):
        return (f(up) - f(down)) / (2 * h)

    def step(f, x, learning_rate):
        result = list(x)
        for i in range(len(x)):
            at = result if one_by_one else x
            up = [v + h * (j == i) for j, v in enumerate(at)]
            down = [v - h * (j == i) for j, v in enumerate(at)]
            d = (difference or central)(f, up, at, down)
            result[i] = (x[i] if keep else 0.0) + sign * (learning_rate if rate else 1.0) * d
        return result

    return step


def _all_at_once(f, x, learning_rate):
    h = 1e-5
    d = (f([v + h for v in x]) - f([v - h for v in x])) / (2 * h)
    return [v - learning_rate * d for v in x]


def _left_moved(f, x, learning_rate):
    """Each number stays moved by h while the next derivative is measured."""
    h, moved, gradient = 1e-5, list(x), []
    for i in range(len(x)):
        moved[i] = x[i] + h
        up = f(moved)
        moved[i] = x[i] - h
        gradient.append((up - f(moved)) / (2 * h))
    return [v - learning_rate * d for v, d in zip(x, gradient, strict=True)]


EXERCISES = {
    "08.a": Exercise(
        my_token_loss,
        [
            [[0.0, 1000.0], 0],
            [[1000.0, 0.0], 1],
            [[0.0, 0.0], 1],
            [[1.0, 2.0, 3.0], 0],
            [*draw_inputs(8, (4,)), 2],
            [*draw_inputs(9, (6,)), 5],
            [[1000.0, 998.0, 0.0], 1],
            [[0.0, 0.0, 0.0, 1000.0], 3],
            [[900.0, 0.0, 0.0, 0.0, 0.0], 2],
            [[-1000.0, -1001.0], 1],
        ],
        mistakes={
            "the largest logit is not subtracted first, so that exp overflows": _subtracting(lambda row: 0.0),
            "the first logit is subtracted instead of the largest one": _subtracting(lambda row: row[0]),
            "the last logit is subtracted instead of the largest one": _subtracting(lambda row: row[-1]),
            "another number than the largest logit is subtracted, such as the mean of the row": _subtracting(
                lambda row: sum(row) / len(row)
            ),
            "the smallest logit is subtracted instead of the largest one": _subtracting(min),
            "the target's logit is subtracted instead of the largest one": (
                lambda row, target: math.log(sum(math.exp(y - row[target]) for y in row))
            ),
            "a number above all logits is subtracted, such as 0 or the largest absolute value": _subtracting(
                lambda row: max(map(abs, row))
            ),
            "softmax comes first: its result for the target is rounded to 0, and 0 has no logarithm": (
                lambda row, target: -math.log(softmax(row)[target])
            ),
            "the sign is wrong": lambda row, target: -my_token_loss(row, target),
            "the target's logit is added instead of subtracted": _loss(sign=1),
            "the largest logit is subtracted inside the sum, but not from the target's logit": _loss(
                subtracted=False
            ),
            **{
                (
                    f"the probability is kept from falling below {least}, so that no loss can exceed "
                    f"{-math.log(least):.1f}"
                ): (_clamped(least))
                for least in (1e-300, 1e-20, 1e-16, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)
            },
            "the result is the target's probability and not its negative logarithm": lambda row, target: (
                math.exp(-my_token_loss(row, target))
            ),
            "the loss is in bits and not in nats (log2 for log)": lambda row, target: (
                my_token_loss(row, target) / math.log(2)
            ),
            "the logarithm has base 10": lambda row, target: my_token_loss(row, target) / math.log(10),
            "log2 and the natural exp are mixed": lambda row, target: (
                math.log2(sum(math.exp(y - max(row)) for y in row)) - (row[target] - max(row))
            ),
            "the result is rounded to 4 decimals": lambda row, target: round(my_token_loss(row, target), 4),
            "the result is 1 − p and not −log p": lambda row, target: (
                1 - math.exp(-my_token_loss(row, target))
            ),
            "the logarithm of the sum is missing": lambda row, target: (
                sum(math.exp(y - max(row)) for y in row) - (row[target] - max(row))
            ),
            "the loss is divided by the length of the row": lambda row, target: (
                my_token_loss(row, target) / len(row)
            ),
            "the target is left out of the sum": lambda row, target: (
                math.log(sum(math.exp(y - max(row)) for i, y in enumerate(row) if i != target) or 1)
                - (row[target] - max(row))
            ),
            "the target's logit is not used: the result is log Σ eʸ without the "
            "largest logit": lambda row, target: math.log(sum(math.exp(y - max(row)) for y in row)),
            "the target's logit is not subtracted": lambda row, target: (
                my_token_loss(row, target) + row[target]
            ),
            "positions are counted from 1": lambda row, target: my_token_loss(row, target - 1),
        },
    ),
    "08.b": Exercise(
        my_forward,
        [
            [draw_parameters(random.Random(SEED)), TOKENS, TARGETS],
            [_small_network(60, 3, 3, 4, 2, 2, 3), [0, 2, 1], [2, 1]],
            [_small_network(61, 5, 4, 6, 3, 2, 4), [4, 1, 1, 0], [1, 1, 0]],
            [_small_network(62, 4, 6, 3, 1, 3, 5), [2, 0, 3], [0, 3]],
        ],
        mistakes={
            "the position embeddings are left out": _forward(positions=False),
            "the causal mask is left out": _forward(mask=False),
            "the residual connection is left out: `attention_output` is not added": _forward(
                residual=lambda p, X, attended: _feed(p, attended)
            ),
            "the feed-forward network is left out": _forward(residual=lambda p, X, attended: attended),
            "attention is left out": _forward(residual=lambda p, X, attended: add(X, _feed(p, X))),
            "the residual connection adds `X`; here it adds `attention_output`": _forward(
                residual=lambda p, X, attended: add(X, _feed(p, attended))
            ),
            "the feed-forward network reads `X` and not `attention_output`": _forward(
                residual=lambda p, X, attended: add(attended, _feed(p, X))
            ),
            "layer norm is left out": _forward(norm=lambda p, A: A),
            "layer norm comes before the feed-forward network": _forward(
                residual=lambda p, X, attended: add(attended, _feed(p, _norm(p, attended))),
                norm=lambda p, A: A,
            ),
            "layer norm is applied before the sum and not after it": _forward(
                residual=lambda p, X, attended: add(attended, _norm(p, _feed(p, attended))),
                norm=lambda p, A: A,
            ),
            "`W_Q` and `W_K` are swapped": _forward(
                attend=lambda p, X, mask: _attend(p, X, mask, ("W_K", "W_Q", "W_V", "W_O"))
            ),
            "`W_K` and `W_V` are swapped": _forward(
                attend=lambda p, X, mask: _attend(p, X, mask, ("W_Q", "W_V", "W_K", "W_O"))
            ),
            "layer norm is applied to `attention_output` instead of `residual`": _forward(
                attend=lambda p, X, mask: _norm(p, _attend(p, X, mask)), norm=lambda p, A: A
            ),
            "`X` is added to the output of attention: this network has no such residual connection": _forward(
                attend=lambda p, X, mask: add(X, _attend(p, X, mask))
            ),
            "layer norm is applied twice": _forward(norm=lambda p, A: _norm(p, _norm(p, A))),
            "the logits are computed from the embeddings": _forward(residual=lambda p, X, attended: X),
            "the result is the perplexity and not the loss": _forward(
                loss=lambda logits, targets: math.exp(cross_entropy(logits[: len(targets)], targets))
            ),
            "softmax is applied before `cross_entropy`, which applies it again": _forward(
                loss=lambda logits, targets: cross_entropy(
                    [softmax(row) for row in logits[: len(targets)]], targets
                )
            ),
            "the losses of the positions are added, and their mean is not taken": _forward(
                loss=lambda logits, targets: sum(token_losses(logits[: len(targets)], targets))
            ),
            "the logits begin at position 1, so that each target is compared with "
            "the next position": _forward(
                loss=lambda logits, targets: cross_entropy(logits[1 : len(targets) + 1], targets)
            ),
            "the lengths do not fit: embed `tokens`, and compare "
            "`logits[:len(targets)]` with `targets`": _forward(loss=cross_entropy),
        },
        call_text=_call_text,
    ),
    "08.c": Exercise(
        my_descent_step,
        [
            [from_source("lambda x: x[0] ** 2 + 10 * x[1]"), [3.0, 2.5], 0.1],
            [from_source("lambda x: x[0] ** 4 + x[0] * x[1]"), [2.0, -1.0], 0.01],
            [from_source("lambda x: x[0] ** 3"), [-2.0], 0.5],
            [from_source("lambda x: x[0] * x[1] * x[2] ** 2 - x[0] ** 4"), [1.2345, -0.5, 2.0], 0.02],
        ],
        mistakes={
            "the step goes uphill: the gradient is added": _step(sign=1),
            "the learning rate is left out": _step(rate=False),
            "the difference is one-sided: f(x + h) − f(x), divided by h": _step(
                lambda f, up, x, down: (f(up) - f(x)) / 1e-5
            ),
            "the difference is one-sided: f(x) − f(x − h), divided by h": _step(
                lambda f, up, x, down: (f(x) - f(down)) / 1e-5
            ),
            "h is 0.1, which is too large": _step(h=0.1),
            "h is 0.01, which is too large": _step(h=0.01),
            "x is multiplied by the factor (1 − learning rate · derivative)": lambda f, x, rate: [
                v * (1 - rate * d) for v, d in zip(x, numerical_gradient(f, list(x)))
            ],
            "the learning rate is used twice": lambda f, x, rate: my_descent_step(f, x, rate * rate),
            "the difference f(x + h) − f(x − h) is divided by h and not by 2·h": _step(
                lambda f, up, x, down: (f(up) - f(down)) / 1e-5
            ),
            "the difference is not divided by 2·h": _step(lambda f, up, x, down: f(up) - f(down)),
            "the derivative is nearly 0: `/ 2 * h` multiplies by h, or `up` and "
            "`down` are the same list": _step(lambda f, up, x, down: (f(up) - f(down)) / 2 * 1e-5),
            "f(x + h) − f(x) is divided by 2·h": _step(lambda f, up, x, down: (f(up) - f(x)) / 2e-5),
            "the result is the step alone; it is not added to x": _step(keep=False),
            "the result is the gradient and not the new x": _step(keep=False, sign=1, rate=False),
            "all numbers are moved together, which measures one derivative for all of them": _all_at_once,
            "a number is not put back to its old value before the next one is moved": _left_moved,
            "each number is changed at once, so that the next derivative is measured at another x": _step(
                one_by_one=True
            ),
            "the derivative is divided by the learning rate": lambda f, x, rate: my_descent_step(
                f, x, 1 / rate
            ),
            "only the sign of each derivative is used": lambda f, x, rate: [
                v - rate * math.copysign(1.0, d) for v, d in zip(x, numerical_gradient(f, list(x)))
            ],
        },
        tolerance=1e-7,
    ),
}
