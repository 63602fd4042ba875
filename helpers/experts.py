"""Mixture of experts: a router sends each token to one of several feed-forward networks, the experts."""

from .attention import softmax
from .backward import feed_forward_backward
from .layers import feed_forward, linear
from .matrices import dot
from .parameters import tree_map


def route(x: "D", W_router: "N D") -> ("int", "float"):
    """The router's choice for a token: the expert with the highest probability, and this probability.

    The router is a linear layer with one output per expert, then softmax. The first of equals is chosen.
    Source: Fedus, Zoph and Shazeer 2022, section 2.1.

    >>> route([5, 1], [[0, 0], [1, -5]])
    (0, 0.5)
    """
    probabilities = softmax(linear([x], W_router)[0])
    expert = probabilities.index(max(probabilities))
    return expert, probabilities[expert]


def dispatch(probabilities: "T N") -> "list":
    """The tokens of each expert: those for which the router gives it the highest probability.

    >>> dispatch([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    [[0, 2], [1]]
    """
    chosen = [row.index(max(row)) for row in probabilities]
    assert len({len(row) for row in probabilities}) == 1, "each token needs one probability for each expert"
    return [[t for t, expert in enumerate(chosen) if expert == e] for e in range(len(probabilities[0]))]


def mixture(X: "T D", probabilities: "T N", W_1: "N F D", W_2: "N m F") -> "T m":
    """Mixture of experts: the most probable expert's output for each token, times its probability.

    Expert e is the feed-forward network of W_1[e] and W_2[e], without biases. It gets its tokens as one
    matrix, and no others.
    Source: Fedus, Zoph and Shazeer 2022, section 2.1.

    >>> probabilities, W_1 = [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]], [[[100]], [[100]]]
    >>> mixture([[1], [2], [3]], probabilities, W_1, W_2=[[[1]], [[0]]])
    [[75.0], [100.0], [0.0]]
    """
    assert len(X) == len(probabilities), "each row of X needs its probabilities"
    out = [None] * len(X)
    for e, (tokens, W_in, W_out) in enumerate(zip(dispatch(probabilities), W_1, W_2, strict=True)):
        if tokens:
            Y = feed_forward([X[t] for t in tokens], W_in, None, W_out, None)
            for t, y in zip(tokens, Y, strict=True):
                out[t] = [probabilities[t][e] * y_i for y_i in y]
    return out


def mixture_backward(
    d_out: "T m", X: "T D", probabilities: "T N", W_1: "N F D", W_2: "N m F"
) -> ("T D", "T N", "N F D", "N m F"):
    """Backward pass of mixture: each expert gets gradients from its own tokens only.

    Of the probabilities, only those of the chosen experts have a gradient. The choice itself has none.
    Source: lesson 18b derives it.

    >>> W_1, W_2 = [[[100]], [[100]]], [[[1]], [[0]]]
    >>> d_X, d_p, d_W_1, d_W_2 = mixture_backward([[2]], [[3]], [[0.75, 0.25]], W_1, W_2)
    >>> d_X, d_p, d_W_1, d_W_2
    ([[150.0]], [[600.0, 0.0]], [[[4.5]], [[0.0]]], [[[450.0]], [[0.0]]])
    """
    assert len(d_out) == len(X) == len(probabilities), "each row of X needs its probabilities and gradient"
    d_X, d_probabilities = [None] * len(X), [[0.0] * len(row) for row in probabilities]
    d_W_1, d_W_2 = (tree_map(lambda row: [0.0] * len(row), W) for W in (W_1, W_2))
    for e, (tokens, W_in, W_out) in enumerate(zip(dispatch(probabilities), W_1, W_2, strict=True)):
        if tokens:
            rows = [X[t] for t in tokens]
            d_Y = [[probabilities[t][e] * d for d in d_out[t]] for t in tokens]
            d_rows, d_W_1[e], _, d_W_2[e], _ = feed_forward_backward(d_Y, rows, W_in, None, W_out)
            Y = feed_forward(rows, W_in, None, W_out, None)
            for t, y, d_x in zip(tokens, Y, d_rows, strict=True):
                d_X[t], d_probabilities[t][e] = d_x, dot(d_out[t], y)
    return d_X, d_probabilities, d_W_1, d_W_2


def expert_loads(probabilities: "T N") -> "N":
    """The fraction of the tokens that each expert gets.

    >>> expert_loads([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
    [0.75, 0.25]
    """
    return [len(tokens) / len(probabilities) for tokens in dispatch(probabilities)]


def balance_loss(probabilities: "T N") -> "float":
    """The load-balancing loss: N times the sum over the experts of load times mean probability.

    It is 1 if the loads, or the mean probabilities, are equal. Multiply it by a small number, such as 0.01,
    and add it to the loss.
    Source: Fedus, Zoph and Shazeer 2022, section 2.2.

    >>> balance_loss([[0.5, 0.5], [0.5, 0.5]]), balance_loss([[0.75, 0.25], [0.75, 0.25]])
    (1.0, 1.5)
    """
    T, N = len(probabilities), len(probabilities[0])
    means = [sum(column, 0.0) / T for column in zip(*probabilities, strict=True)]
    return N * dot(expert_loads(probabilities), means)


def balance_loss_backward(d_out: "float", probabilities: "T N") -> "T N":
    """d_out·N·load / T for the probability of each expert at each token; the loads count as constants.

    Source: lesson 18b derives it.

    >>> balance_loss_backward(8, [[0.5, 0.5], [0.75, 0.25]])
    [[8.0, 0.0], [8.0, 0.0]]
    """
    T, N = len(probabilities), len(probabilities[0])
    return [[d_out * N * load / T for load in expert_loads(probabilities)] for _ in range(T)]
