"""A vision transformer with one block, forward and backward: a picture is cut into patches, its tokens.

The block is that of GPT-2 without the causal mask. The mean of all positions gives a score for each class.
"""

from .attention import attention_scores, softmax
from .backward import layer_norm_backward, linear_backward
from .gpt import BLOCK_ACTIVATION_SHAPES, BLOCK_PARAM_SHAPES, block_backward, block_output, project_qkv
from .layers import layer_norm, linear
from .matrices import add, matmul
from .parameters import random_matrix

PICTURE_PARAM_SHAPES = {
    "patch.weight": "D q",
    "patch.bias": "D",
    "wpe.weight": "N D",
    **BLOCK_PARAM_SHAPES,
    "ln_f.weight": "D",
    "ln_f.bias": "D",
    "head.weight": "C D",
    "head.bias": "C",
}
PICTURE_ACTIVATION_SHAPES = {"X": "N D", **BLOCK_ACTIVATION_SHAPES, "ln_f": "N D", "mean": "D", "scores": "C"}


def cut_patches(picture: "h w", n: "int > 0") -> "list":
    """Cut a picture into squares of n rows and n columns; each becomes one vector of n·n numbers.

    The patches are in reading order, and so are the numbers of a patch. n must divide h and w.
    Source: Dosovitskiy et al. 2021, section 3.1.

    >>> cut_patches([[1, 2, 3, 4], [5, 6, 7, 8]], 2)
    [[1, 2, 5, 6], [3, 4, 7, 8]]
    """
    h, w = len(picture), len(picture[0])
    assert {*map(len, picture)} == {w}, "the rows of the picture have different lengths"
    assert h % n == 0 and w % n == 0, f"picture is [{h}][{w}] and n is {n}; n must divide both"
    return [
        [number for row in picture[y : y + n] for number in row[x : x + n]]
        for y in range(0, h, n)
        for x in range(0, w, n)
    ]


def shrink_picture(picture: "h w", rows: "int > 0", columns: "int > 0") -> "list":
    """Make a picture smaller: each new number is the mean of a box of old ones.

    rows and columns are at most those of the picture.

    >>> shrink_picture([[0, 4, 2], [4, 8, 2]], 1, 2)
    [[2.0, 4.0]]
    """
    h, w = len(picture), len(picture[0])
    assert {*map(len, picture)} == {w}, "the rows of the picture have different lengths"
    assert rows <= h and columns <= w, (
        f"picture is [{h}][{w}], and rows and columns are {rows} and {columns}; it can only become smaller"
    )
    shrunk = []
    for i in range(rows):
        band = picture[i * h // rows : (i + 1) * h // rows]
        boxes = [[row[j * w // columns : (j + 1) * w // columns] for row in band] for j in range(columns)]
        shrunk.append([sum(map(sum, box)) / (len(box) * len(box[0])) for box in boxes])
    return shrunk


def encoder_block(parameters: "BLOCK_PARAM_SHAPES", X: "T D", H: "int > 0") -> "BLOCK_ACTIVATION_SHAPES":
    """The block of GPT-2 without the causal mask: every position attends to all positions.

    The result is as that of block_forward, so block_backward is also its backward pass.
    Source: Dosovitskiy et al. 2021, equations 2 and 3.

    >>> p = {name: [0, 0] for name in ("ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias")}
    >>> p |= {"attn.c_attn.weight": [[0, 0]] * 6, "attn.c_attn.bias": [0, 0, 0, 0, 10, 20]}  # V = [10, 20]
    >>> p |= {"attn.c_proj.weight": [[1, 0], [0, 1]], "attn.c_proj.bias": [0, 0]}
    >>> p |= {"mlp.c_fc.weight": [[0, 0]], "mlp.c_fc.bias": [0]}
    >>> p |= {"mlp.c_proj.weight": [[0], [0]], "mlp.c_proj.bias": [0, 0]}
    >>> encoder_block(p, [[1, 2], [3, 5]], 1)["attn.weights"]
    [[[0.5, 0.5], [0.5, 0.5]]]
    """
    a = project_qkv(parameters, X, H)
    queries_keys = zip(a["attn.Q"], a["attn.K"], strict=True)
    weights = [[softmax(row) for row in attention_scores(q, k)] for q, k in queries_keys]  # [H][T][T]
    heads = [matmul(w, v) for w, v in zip(weights, a["attn.V"], strict=True)]
    return {**a, "attn.weights": weights, **block_output(parameters, X, heads)}


def init_pictures(
    q: "int > 0",
    N: "int > 0",
    D: "int > 0",
    F: "int > 0",
    C: "int > 0",
    rng: "Random",
    std: "float > 0" = 0.1,
) -> "PICTURE_PARAM_SHAPES":
    """Draw the parameters of a model for N patches of q numbers.

    Matrices come from a normal distribution with the standard deviation given; norm weights are 1, biases 0.
    D is the width, F the width of the hidden layer, C the number of classes.

    >>> import random
    >>> parameters = init_pictures(q=4, N=2, D=2, F=3, C=5, rng=random.Random(42))
    >>> len(parameters["patch.weight"]), parameters["ln_f.weight"], parameters["head.bias"]
    (2, [1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    size = {"q": q, "N": N, "D": D, "3*D": 3 * D, "F": F, "C": C}
    parameters = {}
    for name, shape in PICTURE_PARAM_SHAPES.items():
        lengths = [size[letter] for letter in shape.split()]
        if len(lengths) == 2:
            parameters[name] = random_matrix(rng, *lengths, std)
        else:
            parameters[name] = [1.0 if name.endswith("weight") else 0.0] * lengths[0]
    return parameters


def picture_forward(
    parameters: "PICTURE_PARAM_SHAPES", patches: "N q", H: "int > 0"
) -> "PICTURE_ACTIVATION_SHAPES":
    """Every activation of the model for one picture, up to a score for each class.

    Source: Dosovitskiy et al. 2021, section 3.1; they classify with an added token, and in appendix D.3 with
    a mean.

    >>> import random
    >>> parameters = init_pictures(q=4, N=2, D=2, F=3, C=5, rng=random.Random(42))
    >>> a = picture_forward(parameters, [[0, 1, 0, 1], [1, 1, 1, 1]], H=1)
    >>> len(a["attn.weights"][0]), len(a["mean"]), len(a["scores"])
    (2, 2, 5)
    """
    p = parameters
    X = add(linear(patches, p["patch.weight"], p["patch.bias"]), p["wpe.weight"])  # [N][q] -> [N][D]
    a = {"X": X, **encoder_block(p, X, H)}
    a["ln_f"] = layer_norm(a["out"], p["ln_f.weight"], p["ln_f.bias"])
    a["mean"] = [sum(column) / len(X) for column in zip(*a["ln_f"])]  # [N][D] -> [D]
    a["scores"] = linear([a["mean"]], p["head.weight"], p["head.bias"])[0]  # [D] -> [C]
    return a


def picture_backward(
    d_scores: "C",
    parameters: "PICTURE_PARAM_SHAPES",
    activations: "PICTURE_ACTIVATION_SHAPES",
    patches: "N q",
) -> "PICTURE_PARAM_SHAPES":
    """The gradients of the parameters by name; activations is the result of picture_forward.

    >>> import random
    >>> parameters = init_pictures(q=4, N=2, D=2, F=3, C=5, rng=random.Random(42))
    >>> a = picture_forward(parameters, [[0, 1, 0, 1], [1, 1, 1, 1]], H=1)
    >>> gradients = picture_backward([1, 0, 0, 0, -1], parameters, a, [[0, 1, 0, 1], [1, 1, 1, 1]])
    >>> gradients["head.bias"], gradients["patch.weight"][0][0] == gradients["patch.weight"][0][2]
    ([1.0, 0.0, 0.0, 0.0, -1.0], True)
    """
    p, a, N = parameters, activations, len(patches)
    [d_mean], d_head, d_bias = linear_backward([d_scores], [a["mean"]], p["head.weight"])
    d_ln_f = [[d / N for d in d_mean] for _ in range(N)]  # each row is one N-th of the mean
    d_out, d_gamma, d_beta = layer_norm_backward(d_ln_f, a["out"], p["ln_f.weight"])
    d_X, gradients = block_backward(d_out, p, a, a["X"])
    _, d_patch, d_patch_bias = linear_backward(d_X, patches, p["patch.weight"])
    gradients |= {"patch.weight": d_patch, "patch.bias": d_patch_bias, "wpe.weight": d_X}
    gradients |= {"ln_f.weight": d_gamma, "ln_f.bias": d_beta, "head.weight": d_head, "head.bias": d_bias}
    return {name: gradients[name] for name in p}
