"""Lesson 00: the solution of its task. Reading on gives the answer away."""

import math

from .exercise import Exercise


def my_loss(p):
    return -math.log(p)


LOSS = "-math.log(p)"
LOSS_MISTAKES = {
    "the minus sign is missing; the logarithm of a number below 1 is negative": (LOSS, "math.log(p)"),
    "the logarithm has base 2; `math.log` has the base e": (LOSS, "-math.log2(p)"),
    "the logarithm has base 10; `math.log` has the base e": (LOSS, "-math.log10(p)"),
    "the result is 1 - p; the loss is the negative natural logarithm of p": (LOSS, "1 - p"),
    "the logarithm of 1 - p is taken; take that of p": (LOSS, "-math.log(1 - p)"),
    "the logarithm is multiplied by p; the loss is the logarithm alone": (LOSS, "-p * math.log(p)"),
    "the result is rounded to two decimals; return it unrounded": (LOSS, "round(-math.log(p), 2)"),
    "the result is 0.69 for every p; compute it from p": (LOSS, "0.69"),
    "the result is 1/p; take the logarithm of that": (LOSS, "1 / p"),
}

EXERCISES = {"00.a": Exercise(my_loss, [[0.5], [0.2], [1.0], [0.001]], LOSS_MISTAKES)}
