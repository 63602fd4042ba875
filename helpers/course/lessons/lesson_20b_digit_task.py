"""Lesson 20b: pictures drawn by rule, and the gradients of three classifiers with faster arithmetic."""

import math
import random

from ...matrices import scale
from ...parameters import random_matrix
from ...pictures import cut_patches, init_pictures, shrink_picture
from ...training import learning_rate, no_decay_names
from ..engine import fast_linear, faster, mean_gradients
from ..training.loop import descend

SIDE = 8  # rows and columns of a picture
# Five columns, seven rows.
FONT = {
    0: ".###. #...# #..## #.#.# ##..# #...# .###.",
    1: "..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.",
    2: ".###. #...# ....# ...#. ..#.. .#... #####",
    3: "##### ...#. ..#.. ...#. ....# #...# .###.",
    4: "...#. ..##. .#.#. #..#. ##### ...#. ...#.",
    5: "##### #.... ####. ....# ....# #...# .###.",
    6: "..##. .#... #.... ####. #...# #...# .###.",
    7: "##### ....# ...#. ..#.. .#... .#... .#...",
    8: ".###. #...# #...# .###. #...# #...# .###.",
    9: ".###. #...# #...# .#### ....# ...#. .##..",
}
NOISE = 0.15


def draw_digit(digit, rng):
    """A picture of a digit, SIDE rows of ink: shifted at random, of random strength, with noise.

    >>> import random
    >>> picture = draw_digit(1, random.Random(1))
    >>> sum(number > 0.5 for row in picture for number in row)
    10
    """
    rows = FONT[digit].split()
    down, right = rng.randrange(SIDE - len(rows) + 1), rng.randrange(SIDE - len(rows[0]) + 1)
    ink = rng.uniform(0.6, 1.2)
    picture = noise(rng)
    for y, row in enumerate(rows, down):
        for x, mark in enumerate(row, right):
            picture[y][x] += ink * (mark == "#")
    return picture


def noise(rng):
    return [[rng.gauss(0, NOISE) for _ in range(SIDE)] for _ in range(SIDE)]


def draw_digits(n, rng, draw=draw_digit):
    """n pictures and their digits: 0 to 9 in turn.

    >>> import random
    >>> pictures, digits = draw_digits(12, random.Random(1))
    >>> len(pictures), digits
    (12, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1])
    """
    digits = [i % 10 for i in range(n)]
    return [draw(digit, rng) for digit in digits], digits


def draw_placed(digit, rng):
    """A digit in one of nine squares: a picture of 3·SIDE rows and columns, with noise everywhere.

    >>> import random
    >>> picture = draw_placed(1, random.Random(1))
    >>> len(picture), len(picture[0])
    (24, 24)
    """
    place = rng.randrange(9)
    squares = [draw_digit(digit, rng) if i == place else noise(rng) for i in range(9)]
    return [sum(rows, []) for i in (0, 3, 6) for rows in zip(*squares[i : i + 3])]


# --- three classifiers, trained in the same way

HEADS, OFF = 2, "attn.c_proj.weight"  # all zeros, it turns attention off
PICTURE_SETTINGS = {
    "steps": 1000,
    "batch": 10,
    "lr": 0.012,
    "betas": (0.9, 0.95),
    "warmup_steps": 40,
    "weight_decay": 0.01,
}


def start_pictures(rng, n=4, N=4, attention=True):
    """The vision transformer before its first step: N patches of n·n numbers, width 16, 64 hidden units.

    Without attention, what its attention adds is 0, and stays 0 in training.
    """
    parameters = init_pictures(n * n, N, 16, 64, 10, rng, 0.14)
    parameters["patch.weight"] = scale(parameters["patch.weight"], 14 / n)
    return parameters if attention else parameters | {OFF: scale(parameters[OFF], 0.0)}


def start_linear():
    """A linear classifier before its first step: all zeros."""
    return {"W": [[0.0] * SIDE**2 for _ in range(10)], "b": [0.0] * 10}


def start_hidden(rng, pixels=SIDE**2):
    """A network with a hidden layer of 50 units before its first step."""
    return {
        "fc.weight": random_matrix(rng, 50, pixels, 0.14),
        "fc.bias": [0.0] * 50,
        "head.weight": random_matrix(rng, 10, 50, 0.14),
        "head.bias": [0.0] * 10,
    }


def patches_of(parameters, picture):
    """The patches of a picture, as large as the transformer reads them."""
    return cut_patches(picture, math.isqrt(len(parameters["patch.weight"][0])))


def hidden_forward(parameters, pixels):
    """(the hidden layer before GELU, after it, the scores) for one row of pixels."""
    h = fast_linear(pixels, parameters["fc.weight"], parameters["fc.bias"])
    a = [[faster()["gelu"](x) for x in h[0]]]
    return h, a, fast_linear(a, parameters["head.weight"], parameters["head.bias"])


def picture_scores(parameters, picture):
    """The ten scores of one of the three classifiers for a picture."""
    if "W" in parameters:
        return fast_linear([sum(picture, [])], parameters["W"], parameters["b"])[0]
    if "fc.weight" in parameters:
        return hidden_forward(parameters, [sum(picture, [])])[2][0]
    return faster()["picture_forward"](parameters, patches_of(parameters, picture), HEADS)["scores"]


def picture_gradients(parameters, pictures, digits):
    """The mean loss of some pictures, and its gradients by name, for one of the classifiers."""
    return mean_gradients([one_picture(parameters, *pair) for pair in zip(pictures, digits, strict=True)])


def one_picture(parameters, picture, digit):
    if "W" in parameters:
        pixels = [sum(picture, [])]
        scores = fast_linear(pixels, parameters["W"], parameters["b"])
        d_W, d_b = gradients_of_first(d_of(scores, digit), pixels)
        return faster()["token_losses"](scores, [digit]), {"W": d_W, "b": d_b}
    if "fc.weight" in parameters:
        return one_hidden(parameters, [sum(picture, [])], digit)
    patches = patches_of(parameters, picture)
    activations = faster()["picture_forward"](parameters, patches, HEADS)
    scores = [activations["scores"]]
    gradients = faster()["picture_backward"](d_of(scores, digit)[0], parameters, activations, patches)
    if not any(map(any, parameters[OFF])):
        gradients |= {OFF: scale(gradients[OFF], 0.0), "attn.c_proj.bias": [0.0] * len(parameters[OFF])}
    return faster()["token_losses"](scores, [digit]), gradients


def one_hidden(p, pixels, digit):
    h, a, scores = hidden_forward(p, pixels)
    d_a, d_head, d_head_bias = faster()["linear_backward"](d_of(scores, digit), a, p["head.weight"])
    d_fc, d_fc_bias = gradients_of_first(faster()["activation_backward"](d_a, h), pixels)
    gradients = {"fc.weight": d_fc, "fc.bias": d_fc_bias, "head.weight": d_head, "head.bias": d_head_bias}
    return faster()["token_losses"](scores, [digit]), gradients


def gradients_of_first(d_out, pixels):
    """The gradients of the first layer's W and b for one row of pixels, which themselves need none."""
    return [[d * x for x in pixels[0]] for d in d_out[0]], d_out[0]


def d_of(scores, digit):
    return faster()["token_losses_backward"]([1.0], scores, [digit])


def train_pictures(parameters, test, seed=1, every=100):
    """(the parameters after the last step, [(step, accuracy on the test set), …]).

    Every step draws new pictures as large as those of the test set, (pictures, digits). After each step the
    parameters are rounded to single precision, so that every computer gets the same digits.
    """
    rng, points, settings = random.Random(seed), [], PICTURE_SETTINGS
    draw = draw_digit if len(test[0][0]) == SIDE else draw_placed

    def of_batch(parameters):
        digits = [rng.randrange(10) for _ in range(settings["batch"])]
        return picture_gradients(parameters, [draw(digit, rng) for digit in digits], digits)

    def rate(step):
        return learning_rate(step, settings["steps"], settings["lr"], settings["warmup_steps"])

    decay = {"weight_decay": settings["weight_decay"], "no_decay": no_decay_names(parameters)}
    for step, _, parameters in descend(
        parameters, of_batch, settings["steps"], rate, settings["betas"], max_norm=1.0, **decay
    ):
        if step % every == 0:
            points.append((step, accuracy(parameters, *test)))
    return parameters, points


def accuracy(parameters, pictures, digits):
    """The fraction of pictures whose digit has the largest score."""
    guesses = [scores.index(max(scores)) for scores in (picture_scores(parameters, x) for x in pictures)]
    return sum(map(int.__eq__, guesses, digits)) / len(digits)


# --- files


def fit_digit(picture):
    """Make a drawn digit from a file look like those that draw_digits gives: ink as large numbers, in SIDE
    rows and columns.

    The part with ink is cut out and shrunk to seven rows and at most five columns, and its strongest ink
    becomes 1.

    >>> mark = [[1.0] * 30 for _ in range(30)]
    >>> for y in range(9, 23):
    ...     mark[y][20] = mark[y][21] = 0.4
    >>> fit_digit(mark)[0]
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """
    ink = [[1 - number for number in row] for row in picture]
    strongest = max(map(max, ink))
    if strongest < 0.2:
        raise ValueError("the picture shows no digit: draw it dark on white")
    ys = [y for y, row in enumerate(ink) if max(row) > strongest / 2]
    xs = [x for x, column in enumerate(zip(*ink)) if max(column) > strongest / 2]
    cut = [row[xs[0] : xs[-1] + 1] for row in ink[ys[0] : ys[-1] + 1]]
    if len(cut) < 7:
        raise ValueError(f"the digit is {len(cut)} pixels high; draw it at least 7 pixels high")
    columns = max(1, min(5, len(cut[0]), round(7 * len(cut[0]) / len(cut))))
    small = shrink_picture(cut, 7, columns)
    top, left = max(map(max, small)), (SIDE - columns) // 2
    rows = [[0.0] * left + [x / top for x in row] + [0.0] * (SIDE - columns - left) for row in small]
    return rows + [[0.0] * SIDE for _ in range(SIDE - 7)]
