"""What lesson 08 says about 2,000 steps on W_lm alone, which no cell of it takes."""

import random

from helpers import add, linear, matmul, scale, softmax, token_losses, toy_forward, transpose
from helpers.course.state.network import SEED, TARGETS, TOKENS, draw_parameters


def main():
    p = draw_parameters(random.Random(SEED))
    normed = toy_forward(p, TOKENS, TARGETS)["normed"][: len(TARGETS)]
    W, history = p["W_lm"], []
    for _ in range(2001):
        logits = linear(normed, W)
        history.append(sum(token_losses(logits, TARGETS)) / len(TARGETS))
        d_logits = [
            [(p - (i == t)) / len(TARGETS) for i, p in enumerate(softmax(row))]
            for row, t in zip(logits, TARGETS)
        ]
        W = add(W, scale(matmul(transpose(d_logits), normed), -0.1))
    print(*(f"{step} steps: {history[step]:.2f}" for step in (0, 50, 200, 500, 2000)), sep="\n")
    assert round(history[2000], 2) == 0.46
