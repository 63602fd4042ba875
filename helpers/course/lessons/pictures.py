"""Lesson 20b: digits drawn by rule, and the gradients of the two classifiers with faster arithmetic."""

import random
import zlib
from pathlib import Path

from ...matrices import scale
from ...optimizers import adamw_init, adamw_step
from ...parameters import single_precision, tree_map
from ...pictures import cut_patches, init_pictures
from ...training import clip_by_global_norm, learning_rate, no_decay_names
from ..show.progress import Line
from .fast_gpt import FASTER, fast_linear, mean_gradients
from .reading.pictures import read_picture

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


def draw_digit(digit, rng, noise=NOISE):
    """A picture of a digit, SIDE rows of brightness: shifted at random, of random strength, with noise.

    >>> import random
    >>> picture = draw_digit(1, random.Random(1), noise=0)
    >>> sum(number > 0 for row in picture for number in row)
    10
    """
    rows = FONT[digit].split()
    down, right = rng.randrange(SIDE - len(rows) + 1), rng.randrange(SIDE - len(rows[0]) + 1)
    ink = rng.uniform(0.6, 1.2)
    picture = [[rng.gauss(0, noise) for _ in range(SIDE)] for _ in range(SIDE)]
    for y, row in enumerate(rows, down):
        for x, mark in enumerate(row, right):
            picture[y][x] += ink * (mark == "#")
    return picture


def draw_digits(n, rng):
    """n pictures and their digits: 0 to 9 in turn.

    >>> import random
    >>> pictures, digits = draw_digits(12, random.Random(1))
    >>> len(pictures), digits
    (12, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1])
    """
    digits = [i % 10 for i in range(n)]
    return [draw_digit(digit, rng) for digit in digits], digits


# --- two classifiers, trained alike

PATCH, HEADS = 4, 2
PICTURE_SETTINGS = {
    "steps": 1000,
    "batch": 10,
    "lr": 0.012,
    "betas": (0.9, 0.95),
    "warmup_steps": 40,
    "weight_decay": 0.01,
}


def start_pictures(rng):
    """The vision transformer before its first step: 4 patches, width 16, 64 hidden units."""
    parameters = init_pictures(PATCH**2, (SIDE // PATCH) ** 2, 16, 64, 10, rng, 0.14)
    parameters["patch.weight"] = scale(parameters["patch.weight"], 3.5)
    return parameters


def start_linear():
    """A linear classifier before its first step: all zeros."""
    return {"W": [[0.0] * SIDE**2 for _ in range(10)], "b": [0.0] * 10}


def picture_scores(parameters, picture):
    """The ten scores of one of the two classifiers for a picture."""
    if "W" in parameters:
        return fast_linear([sum(picture, [])], parameters["W"], parameters["b"])[0]
    return FASTER["picture_forward"](parameters, cut_patches(picture, PATCH), HEADS)["scores"]


def picture_gradients(parameters, pictures, digits):
    """The mean loss of some pictures, and its gradients by name, for one of the two classifiers."""
    return mean_gradients([one_picture(parameters, *pair) for pair in zip(pictures, digits, strict=True)])


def one_picture(parameters, picture, digit):
    if "W" in parameters:
        pixels = [sum(picture, [])]
        scores = fast_linear(pixels, parameters["W"], parameters["b"])
        _, d_W, d_b = FASTER["linear_backward"](d_of(scores, digit), pixels, parameters["W"])
        return FASTER["token_losses"](scores, [digit]), {"W": d_W, "b": d_b}
    patches = cut_patches(picture, PATCH)
    activations = FASTER["picture_forward"](parameters, patches, HEADS)
    scores = [activations["scores"]]
    gradients = FASTER["picture_backward"](d_of(scores, digit)[0], parameters, activations, patches)
    return FASTER["token_losses"](scores, [digit]), gradients


def d_of(scores, digit):
    return FASTER["token_losses_backward"]([1.0], scores, [digit])


def train_pictures(parameters, test, seed=1, every=100, settings=PICTURE_SETTINGS):
    """(the parameters after the last step, [(step, accuracy on the test set), …]).

    Every step draws new pictures. test is (pictures, digits). After each step the parameters are rounded to
    single precision, so that every computer gets the same digits.
    """
    rng, optimizer, points = random.Random(seed), adamw_init(parameters), []
    steps, line = settings["steps"], Line("training", settings["steps"])
    for step in range(steps):
        digits = [rng.randrange(10) for _ in range(settings["batch"])]
        pictures = [draw_digit(digit, rng) for digit in digits]
        _, gradients = picture_gradients(parameters, pictures, digits)
        parameters, optimizer = adamw_step(
            parameters,
            clip_by_global_norm(gradients, 1.0),
            optimizer,
            learning_rate(step, steps, settings["lr"], settings["warmup_steps"]),
            settings["betas"],
            weight_decay=settings["weight_decay"],
            no_decay=no_decay_names(parameters),
        )
        parameters = tree_map(single_precision, parameters)
        if (step + 1) % every == 0:
            points.append((step + 1, accuracy(parameters, *test)))
            line.what = f"step {step + 1}, accuracy {points[-1][1]:.2f}"
        line.step()
    line.clear()
    return parameters, points


def accuracy(parameters, pictures, digits):
    """The fraction of pictures whose digit has the largest score."""
    guesses = [scores.index(max(scores)) for scores in (picture_scores(parameters, x) for x in pictures)]
    return sum(map(int.__eq__, guesses, digits)) / len(digits)


# --- files that lie


def png_chunk(name, body):
    """A part of a PNG: its length, its name, its body, its checksum."""
    return len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")


def bad_pictures():
    """PNG files that read_picture has to refuse: {what is wrong: the bytes of the file}."""

    def file(width, height, pixels, colour=0, interlace=0):
        size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
        header = png_chunk(b"IHDR", size + bytes([8, colour, 0, 0, interlace]))
        packed = png_chunk(b"IDAT", zlib.compress(bytes(pixels)))
        return b"\x89PNG\r\n\x1a\n" + header + packed + png_chunk(b"IEND", b"")

    good = file(8, 1, 9)
    return {
        "one bit is wrong": good[:45] + bytes([good[45] ^ 1]) + good[46:],
        "a size that lies": file(100_000, 100_000, 9),
        "too much inside": file(8, 1, 10**6),
        "cut off": good[:50],
        "an unknown colour type": file(8, 1, 9, colour=5),
        "interlaced": file(8, 1, 9, interlace=1),
    }


def said_of_file(data, folder):
    """What read_picture says of a PNG file with these bytes, which is written into the folder."""
    path = Path(folder) / "bad.png"
    path.write_bytes(data)
    try:
        return f"read: {len(read_picture(path))} rows"
    except ValueError as refusal:
        return str(refusal)
