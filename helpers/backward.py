"""The backward pass of every function of a network: chain rule, one function at a time.

`d_out` is the gradient of the loss with respect to the function's result. Each backward function returns
the gradients of the loss with respect to the inputs, in the inputs' order. A gradient has the shape of the
thing that it is the gradient of.
"""

import math

from .activations import gelu, gelu_derivative, silu, silu_derivative
from .attention import attention, attention_scores, merge_heads, softmax, split_heads
from .layers import linear
from .losses import perplexity
from .matrices import add, dot, matmul, scale, transpose
from .rope import rope


def dot_backward(d_out: "float", u: "n", v: "n") -> ("n", "n"):
    """d_u = d_out·v and d_v = d_out·u.

    >>> dot_backward(10, [1, 2], [3, 4])
    ([30, 40], [10, 20])
    """
    assert len(u) == len(v), "u and v must be equally long"
    return [d_out * b for b in v], [d_out * a for a in u]


def matmul_backward(d_out: "m p", A: "m n", B: "n p") -> ("m n", "n p"):
    """d_A = d_out·Bᵀ and d_B = Aᵀ·d_out.

    Source: lesson 10 derives it.

    >>> matmul_backward([[1]], [[2, 3]], [[4], [5]])
    ([[4.0, 5.0]], [[2.0], [3.0]])
    """
    assert len(A[0]) == len(B), "each row of A needs one number for each row of B"
    return matmul(d_out, transpose(B)), matmul(transpose(A), d_out)


def transpose_backward(d_out: "n m") -> "m n":
    """d_A = d_outᵀ.

    >>> transpose_backward([[1, 4], [2, 5], [3, 6]])
    [[1, 2, 3], [4, 5, 6]]
    """
    return transpose(d_out)


def add_backward(d_out: "m n") -> ("m n", "m n"):
    """d_A = d_out and d_B = d_out, as two copies.

    >>> add_backward([[1, 2]])
    ([[1, 2]], [[1, 2]])
    """
    return [list(row) for row in d_out], [list(row) for row in d_out]


def scale_backward(d_out: "m n", A: "m n", c: "float") -> ("m n", "float"):
    """d_A = c·d_out, and d_c is the sum of d_out·A over all entries.

    >>> scale_backward([[1, 2]], [[3, 4]], 10)
    ([[10, 20]], 11.0)
    """
    return scale(d_out, c), sum((dot(d, a) for d, a in zip(d_out, A, strict=True)), 0.0)


def embedding_backward(d_out: "T D", ids: "T < V", E: "V D") -> "V D":
    """Each row of E gets the sum of the gradients of the positions that looked it up, or 0 if none did.

    Source: lesson 10 derives it.

    >>> embedding_backward([[1, 1], [2, 2], [3, 4]], [2, 0, 2], [[0, 0], [0, 0], [0, 0]])
    [[2.0, 2.0], [0.0, 0.0], [4.0, 5.0]]
    """
    assert min(ids) >= 0, "ids must be >= 0"
    d_E = [[0.0] * len(row) for row in E]
    for i, d_row in zip(ids, d_out, strict=True):
        d_E[i] = [a + b for a, b in zip(d_E[i], d_row, strict=True)]
    return d_E


def linear_backward(d_out: "T m", X: "T n", W: "m n") -> ("T n", "m n", "m"):
    """d_X = d_out·W, d_W = d_outᵀ·X, and d_b is the sum of the rows of d_out.

    Ignore d_b for a layer without bias.
    Source: Rumelhart, Hinton and Williams 1986; lesson 09 derives it.

    >>> linear_backward([[1, 2]], [[3, 4]], [[10, 0], [0, 10]])
    ([[10.0, 20.0]], [[3.0, 4.0], [6.0, 8.0]], [1.0, 2.0])
    """
    assert len(X[0]) == len(W[0]), "the rows of X and of W must be equally long"
    columns = transpose(d_out)  # [m][T]
    d_X = matmul(d_out, W)  # [T][m]·[m][n] -> [T][n]
    d_W = matmul(columns, X)  # [m][T]·[T][n] -> [m][n]
    d_b = [sum(column, 0.0) for column in columns]  # [m]
    return d_X, d_W, d_b


def activation_backward(d_out: "T n", X: "T n", derivative: "float -> float" = gelu_derivative) -> "T n":
    """Multiply each gradient by the derivative of the activation function at its input.

    X is the input of the activation function, not its result.

    >>> activation_backward([[10, 10]], [[3, -3]], derivative=lambda x: 1 if x > 0 else 0)
    [[10, 0]]
    """
    return [
        [d * derivative(x) for d, x in zip(d_row, row, strict=True)]
        for d_row, row in zip(d_out, X, strict=True)
    ]


def feed_forward_backward(
    d_out: "T m",
    X: "T D",
    W_1: "F D",
    b_1: "F or None",
    W_2: "m F",
    activation: "float -> float" = gelu,
    derivative: "float -> float" = gelu_derivative,
) -> ("T D", "F D", "F", "m F", "m"):
    """Backward pass of feed_forward: second linear layer, activation function, first linear layer.

    derivative must be the derivative of activation.
    Source: Rumelhart, Hinton and Williams 1986; lesson 09 derives it.

    >>> relu, step = lambda h: max(h, 0), lambda h: 1 if h > 0 else 0
    >>> feed_forward_backward([[1]], [[3]], [[1], [-1]], None, [[10, 100]], relu, step)
    ([[10.0]], [[30.0], [0.0]], [10.0, 0.0], [[3.0, 0.0]], [1.0])
    """
    hidden = linear(X, W_1, b_1)  # [T][F]
    activated = [[activation(x) for x in row] for row in hidden]
    d_activated, d_W_2, d_b_2 = linear_backward(d_out, activated, W_2)
    d_hidden = activation_backward(d_activated, hidden, derivative)
    d_X, d_W_1, d_b_1 = linear_backward(d_hidden, X, W_1)
    return d_X, d_W_1, d_b_1, d_W_2, d_b_2


def swiglu_backward(
    d_out: "T m", X: "T D", W_gate: "F D", W_up: "F D", W_down: "m F"
) -> ("T D", "F D", "F D", "m F"):
    """Backward pass of swiglu: W_down, the product of gate and up, then both layers that read X.

    The gradient of one factor is the incoming gradient times the other factor. The hidden layer is computed
    again.

    >>> swiglu_backward([[1]], [[2]], [[0]], [[3]], [[10]])
    ([[0.0]], [[60.0]], [[0.0]], [[0.0]])
    """
    gates, ups = linear(X, W_gate), linear(X, W_up)  # [T][D] -> [T][F]
    activated = [[silu(g) for g in row] for row in gates]
    hidden = [[a * u for a, u in zip(*rows, strict=True)] for rows in zip(activated, ups, strict=True)]
    d_hidden, d_W_down, _ = linear_backward(d_out, hidden, W_down)
    d_gates = [
        [d * u * silu_derivative(g) for d, u, g in zip(*rows, strict=True)]
        for rows in zip(d_hidden, ups, gates, strict=True)
    ]
    d_ups = [[d * a for d, a in zip(*rows, strict=True)] for rows in zip(d_hidden, activated, strict=True)]
    d_X_by_gate, d_W_gate, _ = linear_backward(d_gates, X, W_gate)
    d_X_by_up, d_W_up, _ = linear_backward(d_ups, X, W_up)
    return add(d_X_by_gate, d_X_by_up), d_W_gate, d_W_up, d_W_down


def layer_norm_backward(d_out: "T D", X: "T D", gamma: "D", eps: "float >= 0" = 1e-5) -> ("T D", "D", "D"):
    """Backward pass of layer_norm: the scale by gamma, then the normalization of each row.

    With z = (x − mean) / std and g = gamma·d_out: d_x = (g − mean(g) − z·mean(g·z)) / std.
    Source: lesson 09b derives it.

    >>> layer_norm_backward([[1, 0]], [[1, 3]], [10, 1], eps=0)
    ([[0.0, 0.0]], [-1.0, 0.0], [1.0, 0.0])
    """
    d_X, Z, D = [], [], len(gamma)
    for d_row, row in zip(d_out, X, strict=True):
        mean = sum(row, 0.0) / D
        std = math.sqrt(sum(((x - mean) ** 2 for x in row), 0.0) / D + eps)
        z = [(x - mean) / std for x in row]
        g = [d * gamma_i for d, gamma_i in zip(d_row, gamma, strict=True)]
        mean_g, mean_gz = sum(g, 0.0) / D, dot(g, z) / D
        d_X.append([(g_i - mean_g - z_i * mean_gz) / std for g_i, z_i in zip(g, z, strict=True)])
        Z.append(z)
    d_gamma = [dot(d, z) for d, z in zip(transpose(d_out), transpose(Z), strict=True)]
    d_beta = [sum(column, 0.0) for column in transpose(d_out)]
    return d_X, d_gamma, d_beta


def rms_norm_backward(d_out: "T D", X: "T D", gamma: "D", eps: "float >= 0" = 1e-5) -> ("T D", "D"):
    """Backward pass of rms_norm: the scale by gamma, then the normalization of each row.

    With z = x / rms and g = gamma·d_out: d_x = (g − z·mean(g·z)) / rms.

    >>> rms_norm_backward([[2, 1]], [[1, 1]], [1, 10], eps=0)
    ([[-4.0, 4.0]], [2.0, 1.0])
    """
    d_X, Z, D = [], [], len(gamma)
    for d_row, row in zip(d_out, X, strict=True):
        rms = math.sqrt(sum((x**2 for x in row), 0.0) / D + eps)
        z = [x / rms for x in row]
        g = [d * gamma_i for d, gamma_i in zip(d_row, gamma, strict=True)]
        mean_gz = dot(g, z) / D
        d_X.append([(g_i - z_i * mean_gz) / rms for g_i, z_i in zip(g, z, strict=True)])
        Z.append(z)
    d_gamma = [dot(d, z) for d, z in zip(transpose(d_out), transpose(Z), strict=True)]
    return d_X, d_gamma


def softmax_backward(d_out: "n", weights: "n") -> "n":
    """d_scores = weights·(d_out − average), where average is the mean of d_out weighted by the weights.

    weights is the result of softmax. This equals the product of the Jacobian, diag(weights) −
    weights·weightsᵀ, and d_out.
    Source: Bridle 1990; lesson 10 derives it.

    >>> softmax_backward([4, 0], [0.5, 0.5])
    [1.0, -1.0]
    """
    average = dot(weights, d_out)
    return [w * (d - average) for w, d in zip(weights, d_out, strict=True)]


def attention_scores_backward(d_out: "T S", Q: "T k", K: "S k") -> ("T k", "S k"):
    """d_Q = d_out·K / sqrt(k) and d_K = d_outᵀ·Q / sqrt(k).

    The mask is a constant that was added, so it does not appear here.
    Source: lesson 10 derives it.

    >>> attention_scores_backward([[2]], [[1, 1, 1, 1]], [[2, 2, 2, 2]])
    ([[2.0, 2.0, 2.0, 2.0]], [[1.0, 1.0, 1.0, 1.0]])
    """
    assert len(Q[0]) == len(K[0]), "the rows of Q and of K must be equally long"
    d_products = scale(d_out, 1 / math.sqrt(len(K[0])))  # [T][S]
    return matmul(d_products, K), matmul(transpose(d_products), Q)


def attention_backward(
    d_out: "T v", Q: "T k", K: "S k", V: "S v", mask: "T S" = None
) -> ("T k", "S k", "S v"):
    """Backward pass of attention: weighted average, softmax of each row, scores.

    Source: lesson 10 derives it.

    >>> attention_backward([[1]], [[0]], [[1], [3]], [[10], [30]])
    ([[10.0]], [[0.0], [0.0]], [[0.5], [0.5]])
    """
    weights = [softmax(row) for row in attention_scores(Q, K, mask)]
    d_weights, d_V = matmul_backward(d_out, weights, V)
    d_scores = [softmax_backward(d, w) for d, w in zip(d_weights, weights, strict=True)]
    d_Q, d_K = attention_scores_backward(d_scores, Q, K)
    return d_Q, d_K, d_V


def multi_head_attention_backward(
    d_out: "T m", X: "T D", W_Q: "H k D", W_K: "H k D", W_V: "H v D", W_O: "m H*v", mask: "T T" = None
) -> ("T D", "H k D", "H k D", "H v D", "m H*v"):
    """Backward pass of multi_head_attention: W_O, then each head, then its projections of X.

    The gradients of X from the queries, keys and values of all heads are summed.
    Source: lesson 10 derives it.

    >>> multi_head_attention_backward([[1]], [[2]], [[[1]]], [[[1]]], [[[3]]], [[10]])
    ([[30.0]], [[[0.0]]], [[[0.0]]], [[[20.0]]], [[6.0]])
    """
    Q, K, V = ([linear(X, W) for W in heads] for heads in (W_Q, W_K, W_V))
    heads = [attention(q, k, v, mask) for q, k, v in zip(Q, K, V, strict=True)]
    d_concat, d_W_O, _ = linear_backward(d_out, merge_heads(heads), W_O)
    d_X = [[0.0] * len(row) for row in X]
    d_W_Q, d_W_K, d_W_V = [], [], []
    for h, d_head in enumerate(split_heads(d_concat, len(heads))):
        d_Q, d_K, d_V = attention_backward(d_head, Q[h], K[h], V[h], mask)
        for d, W, d_W in ((d_Q, W_Q[h], d_W_Q), (d_K, W_K[h], d_W_K), (d_V, W_V[h], d_W_V)):
            d_input, d_W_h, _ = linear_backward(d, X, W)
            d_X = add(d_X, d_input)
            d_W.append(d_W_h)
    return d_X, d_W_Q, d_W_K, d_W_V, d_W_O


def rope_backward(d_out: "T k", positions: "T finite", base: "float > 0 finite" = 10000.0) -> "T k":
    """Backward pass of rope: the same rotation by the opposite angles.

    The matrix of a rotation is orthogonal: its transpose is its inverse.

    >>> rope_backward([[3, 4]], [0])
    [[3.0, 4.0]]
    >>> [[round(d, 6) for d in row] for row in rope_backward([[-4, 3]], [math.pi / 2])]  # a quarter turn
    [[3.0, 4.0]]
    """
    return rope(d_out, [-position for position in positions], base)


def grouped_query_attention_backward(
    d_out: "H T v", Q: "H T k", K: "G S k", V: "G S v", mask: "T S" = None
) -> ("H T k", "G S k", "G S v"):
    """Backward pass of grouped_query_attention: that of each head, summed over the heads that share a set.

    >>> Q, K, V = [[[1]], [[1]]], [[[0], [0]]], [[[10], [30]]]
    >>> grouped_query_attention_backward([[[1]], [[2]]], Q, K, V)
    ([[[0.0]], [[0.0]]], [[[-15.0], [15.0]]], [[[1.5], [1.5]]])
    """
    H, G = len(Q), len(K)
    assert H % G == 0 and len(V) == G, (
        f"Q has {H} heads, and K and V have {G} and {len(V)} sets; make these equal, and a divisor of {H}"
    )
    d_Q, d_K, d_V = [], [None] * G, [None] * G
    for h, (d, q) in enumerate(zip(d_out, Q, strict=True)):
        g = h * G // H
        d_q, d_k, d_v = attention_backward(d, q, K[g], V[g], mask)
        d_Q.append(d_q)
        d_K[g] = add(d_K[g], d_k) if d_K[g] else d_k
        d_V[g] = add(d_V[g], d_v) if d_V[g] else d_v
    return d_Q, d_K, d_V


def token_losses_backward(d_out: "T", logits: "T V finite", targets: "T < V") -> "T V":
    """Softmax probabilities minus 1 at the target, times the gradient of the position's loss.

    Source: Bridle 1990; lesson 09 derives it.

    >>> token_losses_backward([10], [[0, 0]], [1])
    [[5.0, -5.0]]
    """
    d_logits = []
    for d, row, target in zip(d_out, logits, targets, strict=True):
        assert 0 <= target < len(row), "a target counts the tokens from 0"
        d_logits.append([d * (p - (i == target)) for i, p in enumerate(softmax(row))])
    return d_logits


def cross_entropy_backward(d_out: "float", logits: "T V finite", targets: "T < V") -> "T V":
    """Softmax probabilities minus 1 at the target, times d_out / n, for the mean of n losses.

    d_out is 1.0 if the cross-entropy is the loss of the network.
    Source: Bridle 1990; lesson 09 derives it.

    >>> cross_entropy_backward(1.0, [[0, 0], [0, 0]], [1, 0])
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    n = len(targets)
    return token_losses_backward([d_out / n] * n, logits, targets)


def perplexity_backward(d_out: "float", loss: "float") -> "float":
    """d_loss = d_out·perplexity(loss), because exp is its own derivative.

    It is inf or -inf where the perplexity is too large for a float.

    >>> perplexity_backward(10, 0)
    10.0
    """
    return d_out * perplexity(loss) if d_out else 0.0  # 0·inf would be nan
