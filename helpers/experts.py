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
    """For each expert, the tokens that it gets: those for which the router gives it the highest
    probability.

    >>> dispatch([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    [[0, 2], [1]]
    """
    chosen = [row.index(max(row)) for row in probabilities]
    assert len({len(row) for row in probabilities}) == 1, "each token needs one probability for each expert"
    return [[t for t, expert in enumerate(chosen) if expert == e] for e in range(len(probabilities[0]))]


def mixture(X: "T D", probabilities: "T N", W_1: "N F D", b_1: "N F", W_2: "N m F", b_2: "N m") -> "T m":
    """Mixture of experts: the most probable expert's output for each token, times its probability.

    Each expert gets its tokens as one matrix, and no others.
    Source: Fedus, Zoph and Shazeer 2022, section 2.1.

    >>> W, b_1 = [[[0]], [[0]]], [[0], [0]]
    >>> mixture([[7], [8]], [[0.75, 0.25], [0.5, 0.5]], W, b_1, W, b_2=[[100], [1]])
    [[75.0], [50.0]]
    """
    assert len(X) == len(probabilities), "each row of X needs its probabilities"
    out = [None] * len(X)
    for e, (tokens, *expert) in enumerate(zip(dispatch(probabilities), W_1, b_1, W_2, b_2, strict=True)):
        if tokens:
            for t, y in zip(tokens, feed_forward([X[t] for t in tokens], *expert), strict=True):
                out[t] = [probabilities[t][e] * y_i for y_i in y]
    return out


def mixture_backward(
    d_out: "T m", X: "T D", probabilities: "T N", W_1: "N F D", b_1: "N F", W_2: "N m F", b_2: "N m"
) -> ("T D", "T N", "N F D", "N F", "N m F", "N m"):
    """Backward pass of mixture: each expert gets gradients from its own tokens only, and the router through
    the probability of the chosen expert only.

    The choice itself has no gradient.
    Source: lesson 18b derives it.

    >>> W, b_1 = [[[0.0]], [[0.0]]], [[0.0], [0.0]]
    >>> d_X, d_p, *_, d_b_2 = mixture_backward([[2]], [[7]], [[0.75, 0.25]], W, b_1, W, b_2=[[100], [1]])
    >>> d_p, d_b_2
    ([[200.0, 0.0]], [[1.5], [0.0]])
    """
    assert len(d_out) == len(X) == len(probabilities), "each row of X needs its probabilities and gradient"
    d_X, d_probabilities = [None] * len(X), [[0.0] * len(row) for row in probabilities]
    d_experts = []
    for e, (tokens, *expert) in enumerate(zip(dispatch(probabilities), W_1, b_1, W_2, b_2, strict=True)):
        d_expert = tree_map(lambda row: [0.0] * len(row), expert)
        if tokens:
            rows = [X[t] for t in tokens]
            d_rows = [[probabilities[t][e] * d for d in d_out[t]] for t in tokens]
            d_rows, *d_expert = feed_forward_backward(d_rows, rows, *expert[:3])
            for t, y, d_x in zip(tokens, feed_forward(rows, *expert), d_rows, strict=True):
                d_X[t], d_probabilities[t][e] = d_x, dot(d_out[t], y)
        d_experts.append(d_expert)
    return d_X, d_probabilities, *map(list, zip(*d_experts, strict=True))


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
