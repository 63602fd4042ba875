"""What lesson 11 tells of ten steps of gradient descent, and of a gradient that suddenly becomes larger."""

import math
import random

from helpers import dot, sgd_step, toy_backward, toy_forward
from helpers.course.show import leaves
from helpers.course.state.network import SEED, TARGETS, TOKENS, draw_parameters


def main():
    p, rows = draw_parameters(random.Random(SEED)), []
    for _ in range(8):
        gradients, _ = toy_backward(p, toy_forward(p, TOKENS, TARGETS), TOKENS, TARGETS)
        rows.append([x for name in p for x in leaves(gradients[name])])
        p = sgd_step(p, gradients, 0.5)
    cosines = [dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)) for a, b in zip(rows, rows[1:])]
    print(*(f"{cosine:.2f}" for cosine in cosines[3:]))
    assert [f"{cosine:.2f}" for cosine in cosines[3:]] == ["-0.59", "-0.78", "-0.76", "-0.86"]
    for beta_2, told in ((0.999, "3.29"), (0.95, "0.49")):
        m, v = 0.9 * 0.01 + 0.1, beta_2 * 0.01**2 + (1 - beta_2)
        assert f"{m / math.sqrt(v):.2f}" == told
