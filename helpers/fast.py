"""GPT-2 in half the time: dot products are written out by Python, `a0*b0 + a1*b1 + …`, once for each width.

All products are A·Bᵀ, rows times rows, of all documents together but in attention; what goes forward hands out its way back.
Other sums are left to fsum: sum rounds in another way from Python 3.12 on, and here training gives the same bits on all.
"""

from math import exp, fsum, log, pi, sqrt, tanh
from operator import mul

from .attention_heads import merge_heads, split_heads
from .backward import embedding_backward
from .contracts import shapes
from .gpt import BLOCK, GPT_CONFIG, gpt_letters, gpt_parameters
from .layers import embedding
from .matrices import add, transpose


def _product(A, B, written_out={}):  # it remembers the function for each width
    """A·Bᵀ: each row of A times each row of B."""
    n, most = len(A[0]), 500  # terms that Python's compiler takes in one expression, with room to spare
    if n > most:
        return add(*(_product([row[part] for row in A], [row[part] for row in B]) for part in (slice(most), slice(most, n))))
    if n not in written_out:
        row_A, row_B = ("".join(f"{letter}{i}, " for i in range(n)) for letter in "ab")
        terms = " + ".join(f"a{i}*b{i}" for i in range(n))
        written_out[n] = eval(f"lambda A, B: [[{terms} for {row_B} in B] for {row_A} in A]")
    return written_out[n](A, B)


def _softmax(scores):
    """Weights that add up to 1."""
    largest = max(scores)
    e = [exp(s - largest) for s in scores]
    total = fsum(e)
    return [x / total for x in e]


def _linear(X, W, b):
    """X·Wᵀ + b, and the way back to X, W and b."""
    return add(_product(X, W), [b] * len(X)), lambda d_out: (
        _product(d_out, transpose(W)), _product(transpose(d_out), transpose(X)), [*map(fsum, transpose(d_out))],
    )  # fmt: skip


def _norm(X, gamma, beta, eps=1e-5):
    """Layer norm, and the way back to X, gamma and beta."""
    centred = [[x - mean for x in row] for row, mean in ((row, fsum(row) / len(row)) for row in X)]
    sizes = [sqrt(fsum(map(mul, row, row)) / len(row) + eps) for row in centred]
    Z = [[x / size for x in row] for row, size in zip(centred, sizes)]

    def back(d_out):
        columns, d_X = transpose(d_out), []
        for d_row, z, size in zip(d_out, Z, sizes):
            g = [*map(mul, d_row, gamma)]
            mean, along = fsum(g) / len(g), fsum(map(mul, g, z)) / len(g)
            d_X.append([(a - mean - b * along) / size for a, b in zip(g, z)])
        return d_X, [fsum(map(mul, *both)) for both in zip(columns, transpose(Z))], [*map(fsum, columns)]

    return [[g * z + b for g, z, b in zip(gamma, row, beta, strict=True)] for row in Z], back


def _gelu(X, root=sqrt(2 / pi), cube=0.044715):
    """The switch, and the way back."""
    bent = [[1 + tanh(root * (x + cube * x * x * x)) for x in row] for row in X]
    return [[0.5 * x * t for x, t in zip(*rows)] for rows in zip(X, bent)], lambda d_out: [
        [d * (0.5 * t * (1 + x * (2 - t) * root * (1 + 3 * cube * x * x))) for d, x, t in zip(*rows)] for rows in zip(d_out, X, bent)
    ]


def _attention(Q, K, V):
    """What a head gathers, no position hearing a later one, and the way back to Q, K and V."""
    c, T = 1 / sqrt(len(Q[0])), len(Q)
    weights = [_softmax([c * s for s in row[: t + 1]]) + [0.0] * (T - t - 1) for t, row in enumerate(_product(Q, K))]

    def back(d_out):
        d_scores = []
        for d, w in zip(_product(d_out, V), weights):
            average = fsum(map(mul, d, w))
            d_scores.append([c * w_i * (d_i - average) for d_i, w_i in zip(d, w)])
        d_V = _product(transpose(weights), transpose(d_out))
        return _product(d_scores, transpose(K)), _product(transpose(d_scores), transpose(Q)), d_V

    return _product(weights, transpose(V)), back


def _block(X, spans, H, gamma_1, beta_1, W_QKV, b_QKV, W_O, b_O, gamma_2, beta_2, W_1, b_1, W_2, b_2):
    """A block of GPT-2, and the way back to X and the twelve parameters; spans say which rows are a document."""
    normed, back_norm_1 = _norm(X, gamma_1, beta_1)
    joined, back_QKV = _linear(normed, W_QKV, b_QKV)
    cuts = [split_heads(joined[rows], 3 * H) for rows in spans]
    heads = [[*map(_attention, cut[:H], cut[H : 2 * H], cut[2 * H :])] for cut in cuts]  # (what is gathered, back)
    gathered = [row for document in heads for row in merge_heads([out for out, _ in document])]
    attended, back_O = _linear(gathered, W_O, b_O)
    middle = add(X, attended)
    normed, back_norm_2 = _norm(middle, gamma_2, beta_2)
    hidden, back_1 = _linear(normed, W_1, b_1)
    activated, back_gelu = _gelu(hidden)
    out, back_2 = _linear(activated, W_2, b_2)

    def back(d_out):
        d, *d_W_2 = back_2(d_out)
        d, *d_W_1 = back_1(back_gelu(d))
        d, *d_norm_2 = back_norm_2(d)
        d_middle, d_joined = add(d_out, d), []
        d, *d_W_O = back_O(d_middle)
        for rows, document in zip(spans, heads):
            d_heads = [back(d) for (_, back), d in zip(document, split_heads(d[rows], H))]
            d_joined += merge_heads([d for role in zip(*d_heads) for d in role])
        d, *d_W_QKV = back_QKV(d_joined)
        d, *d_norm_1 = back_norm_1(d)
        return add(d_middle, d), [*d_norm_1, *d_W_QKV, *d_W_O, *d_norm_2, *d_W_1, *d_W_2]

    return add(middle, out), back


def _loss(config, p, documents):
    """The mean loss over all tokens of some documents, and the way back to all parameters."""
    P, V = config["n_positions"], config["vocab_size"]
    ids, targets, positions, spans, backs = [], [], [], [], []
    for tokens in documents or [[]]:
        wanted = f"2 to {P + 1} whole numbers from 0 to {V - 1}"
        assert 2 <= len(tokens) <= P + 1 and {*tokens} <= {*range(V)}, f"documents has {str(tokens):.60}; give each {wanted}"
        spans.append(slice(len(ids), len(ids) + len(tokens) - 1))
        ids, targets, positions = ids + tokens[:-1], targets + tokens[1:], positions + [*range(len(tokens) - 1)]
    X = add(embedding(ids, p["wte.weight"]), embedding(positions, p["wpe.weight"]))
    for i in range(config["n_layer"]):
        X, back = _block(X, spans, config["n_head"], *(p[f"h.{i}.{name}"] for name in BLOCK))
        backs = [back, *backs]
    normed, back_norm = _norm(X, p["ln_f.weight"], p["ln_f.bias"])
    logits = _product(normed, p["wte.weight"])
    chances = [_softmax(row) for row in logits]
    losses = [max(row) - row[target] - log(max(q)) for row, q, target in zip(logits, chances, targets)]

    def back():
        d_logits = [[(x - (i == target)) / len(ids) for i, x in enumerate(q)] for q, target in zip(chances, targets)]
        d, *gradients = back_norm(_product(d_logits, transpose(p["wte.weight"])))
        for back_block in backs:
            d, d_block = back_block(d)
            gradients = d_block + gradients
        d_wte = add(_product(transpose(d_logits), transpose(normed)), embedding_backward(d, ids, p["wte.weight"]))
        return dict(zip(gpt_letters(config), [d_wte, embedding_backward(d, positions, p["wpe.weight"]), *gradients]))

    return fsum(losses) / len(losses), back


@shapes(config=GPT_CONFIG, parameters=gpt_letters, documents="nest")
def fast_loss(config, parameters, documents):
    """The mean loss over all tokens of some documents, without a way back.

    Shapes: each document is a list of 2 to P + 1 ids, where "wpe.weight" is [P][D]. ValueError for others.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> loss = fast_loss(config, gpt_parameters(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]])
    >>> round(loss, 2)  # untrained it knows nothing: ln 5
    1.61
    """
    return _loss(config, parameters, documents)[0]


@shapes(config=GPT_CONFIG, parameters=gpt_letters, documents="nest")
def fast_gradients(config, parameters, documents):
    """The mean loss over all tokens of some documents, and its gradients by name: what batch_gradients gives.

    Shapes: each document is a list of 2 to P + 1 ids, where "wpe.weight" is [P][D]. ValueError for others.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> loss, gradients = fast_gradients(config, gpt_parameters(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]])
    >>> round(loss, 1), gradients["wpe.weight"][3]
    (1.6, [0.0, 0.0])
    """
    loss, back = _loss(config, parameters, documents)
    return loss, back()
