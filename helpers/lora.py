"""LoRA: a matrix W stays as it is, and the product of two thin matrices is added to it.

A is [r][n] and B is [m][r], so that B·A has the shape of W, [m][n]. c is the factor α/r of the paper.
"""

import math

from .backward import linear_backward
from .layers import linear
from .matrices import add, matmul, scale, transpose
from .parameters import random_matrix


def lora_linear(X: "T n", W: "m n", b: "m", A: "r n", B: "m r", c: "float") -> "T m":
    """A linear layer with a low-rank correction: X·Wᵀ + b + c·(X·Aᵀ)·Bᵀ.

    Source: Hu et al. 2021, equation 3.

    >>> lora_linear([[1.0, 2.0]], [[10.0, 0.0]], [5.0], A=[[1.0, 1.0]], B=[[100.0]], c=2.0)
    [[615.0]]
    """
    correction = linear(linear(X, A), B)  # [T][n] -> [T][r] -> [T][m]
    return add(linear(X, W, b), scale(correction, c))


def merge_lora(W: "m n", A: "r n", B: "m r", c: "float") -> "m n":
    """Add the correction to the matrix: W + c·B·A, for which linear gives what lora_linear gives.

    Source: Hu et al. 2021, section 4.1.

    >>> merge_lora([[10.0, 0.0]], A=[[1.0, 1.0]], B=[[100.0]], c=2.0)
    [[210.0, 200.0]]
    """
    return add(W, scale(matmul(B, A), c))


def lora_linear_backward(
    d_out: "T m", X: "T n", W: "m n", A: "r n", B: "m r", c: "float"
) -> ("T n", "r n", "m r"):
    """Backward pass of lora_linear: d_X, d_A and d_B. W is frozen, and no gradient of its shape is formed.

    >>> lora_linear_backward([[1.0]], [[1.0, 2.0]], [[10.0, 0.0]], A=[[1.0, 1.0]], B=[[100.0]], c=2.0)
    ([[210.0, 200.0]], [[200.0, 400.0]], [[6.0]])
    """
    scaled = scale(d_out, c)  # the gradient of the correction
    d_inner, d_B, _ = linear_backward(scaled, linear(X, A), B)  # [T][m], [T][r] -> [T][r], [m][r]
    d_correction, d_A, _ = linear_backward(d_inner, X, A)  # [T][r], [T][n] -> [T][n], [r][n]
    return add(matmul(d_out, W), d_correction), d_A, d_B


def lora_backward(d_W: "m n", A: "r n", B: "m r", c: "float") -> ("r n", "m r"):
    """The gradients of A and B from the gradient of the merged matrix, for a network that computes that one.

    >>> lora_backward([[1.0, 3.0]], A=[[1.0, 1.0]], B=[[100.0]], c=2.0)
    ([[200.0, 600.0]], [[8.0]])
    """
    assert {*map(len, B)} == {len(A)}, "A is [r][n] and B is [m][r]: the rows of B are as long as A has rows"
    d_A = scale(matmul(transpose(B), d_W), c)  # [r][m]·[m][n]
    d_B = scale(matmul(d_W, transpose(A)), c)  # [m][n]·[n][r]
    return d_A, d_B


def init_lora(m: "int > 0", n: "int > 0", r: "int > 0", rng: "Random") -> ("r n", "m r"):
    """Initialize a correction of a matrix [m][n]: A from a normal distribution, B zero, so that B·A is zero.

    The standard deviation of A is 1/√n.
    Source: Hu et al. 2021, section 4.1.

    >>> import random
    >>> A, B = init_lora(2, 3, 1, random.Random(42))
    >>> len(A), len(A[0]), B
    (1, 3, [[0.0], [0.0]])
    """
    return random_matrix(rng, r, n, 1 / math.sqrt(n)), [[0.0] * r for _ in range(m)]
