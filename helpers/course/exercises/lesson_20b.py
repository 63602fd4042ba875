"""Lesson 20b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import random

from ... import add, encoder_block, init_pictures, layer_norm, linear, tree_map
from .exercise import Exercise, draw_inputs


def my_patches(picture, n):
    patches = []
    for y in range(0, len(picture), n):
        for x in range(0, len(picture[0]), n):
            patches.append([number for row in picture[y : y + n] for number in row[x : x + n]])
    return patches


def consecutive_numbers(picture, n):
    numbers = [number for row in picture for number in row]
    return [numbers[i : i + n * n] for i in range(0, len(numbers), n * n)]


ROWS, COLUMNS = "for y in range(0, len(picture), n):", "for x in range(0, len(picture[0]), n):"
DOWN_FIRST = (f"{ROWS}\n        {COLUMNS}", f"{COLUMNS}\n        {ROWS}")
NUMBERS = "[number for row in picture[y : y + n] for number in row[x : x + n]]"
BY_COLUMNS = (NUMBERS, "[row[x + i] for i in range(n) for row in picture[y : y + n]]")
PATCHES_MISTAKES = {
    "each patch is a list of rows, not a vector": (NUMBERS, "[row[x : x + n] for row in picture[y : y + n]]"),
    "the patches overlap: each must begin n columns after the one before": (
        ("0, len(picture), n", "len(picture) - n + 1"),
        ("0, len(picture[0]), n", "len(picture[0]) - n + 1"),
    ),
    "the patches are taken from top to bottom first; read from left to right first": DOWN_FIRST,
    "the numbers of a patch are read by columns": BY_COLUMNS,
    "both the patches and their numbers are read by columns": (DOWN_FIRST, BY_COLUMNS),
    "a patch is n·n consecutive numbers; it needs n numbers from each of n rows": consecutive_numbers,
    "a patch is n·n numbers of one row; it needs n numbers from each of n rows": (
        ("len(picture), n", "len(picture)"),
        ("len(picture[0]), n", "len(picture[0]), n * n"),
        (NUMBERS, "picture[y][x : x + n * n]"),
    ),
    "the picture is taken to be square": ("len(picture[0])", "len(picture)"),
    "a patch is made of every (rows / n)-th pixel; it is a square block": (
        (
            NUMBERS,
            "[a for row in picture[y // n :: len(picture) // n] for a in row[x // n :: len(row) // n]]",
        ),
    ),
    "only the patches of the first n columns are returned": (COLUMNS, "for x in [0]:"),
    "only the first patch is returned": ("return patches", "return patches[:1]"),
    "the last patch is missing": ("return patches", "return patches[:-1]"),
    "all patches are joined to one list": ("append", "extend"),
    "the rows of the picture are returned as they are": ("return patches", "return picture"),
    "the patches are nested by rows of patches; return one list": (
        "return patches",
        "w = len(picture[0]) // n\n    return [patches[i : i + w] for i in range(0, len(patches), w)]",
    ),
    "n is the size of a patch, and not the number of patches in a row": (
        ("def my_patches(picture, n):", "def my_patches(picture, n):\n    n = len(picture) // n or 1"),
    ),
    "the loops stop one patch early: the last corner is at the end minus n": (
        ("0, len(picture), n", "0, len(picture) - n, n"),
        ("0, len(picture[0]), n", "0, len(picture[0]) - n, n"),
    ),
    "the picture is cut into n rows each, and not into columns": (
        (COLUMNS, "for x in [0]:"),
        (NUMBERS, "[number for row in picture[y : y + n] for number in row]"),
    ),
}


def my_picture_scores(parameters, patches, H):
    p = parameters
    X = add(linear(patches, p["patch.weight"], p["patch.bias"]), p["wpe.weight"])
    X = encoder_block(p, X, H)["out"]
    X = layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])
    mean = [sum(column) / len(X) for column in zip(*X)]
    return linear([mean], p["head.weight"], p["head.bias"])[0]


PLACED = 'add(linear(patches, p["patch.weight"], p["patch.bias"]), p["wpe.weight"])'
VECTORS = 'linear(patches, p["patch.weight"], p["patch.bias"])'
BLOCK, LAST_NORM = 'encoder_block(p, X, H)["out"]', 'layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])'
MEAN, SCORES = "sum(column) / len(X)", 'linear([mean], p["head.weight"], p["head.bias"])[0]'
SCORES_MISTAKES = {
    "the position embeddings are not added": (PLACED, VECTORS),
    "the bias of the patches is not added": (', p["patch.bias"])', ")"),
    "the positions are added after the block; add them before it": (
        (PLACED, VECTORS),
        (BLOCK, f'add({BLOCK}, p["wpe.weight"])'),
    ),
    "the block is left out": (BLOCK, "X"),
    "the block of GPT-2 with its causal mask is used; a patch attends to all patches": (
        (BLOCK, 'block_forward(p, X, H)["out"]'),
    ),
    "attention has one head; there are H": ("X, H)", "X, 1)"),
    "the final norm is left out": (LAST_NORM, "X"),
    "the final norm comes after the mean; it normalizes each vector": (
        (f"    X = {LAST_NORM}\n", ""),
        ("[mean],", f"{LAST_NORM.replace('(X', '([mean]')},"),
    ),
    "the final norm has no bias": (', p["ln_f.bias"])', ", [0.0] * len(X[0]))"),
    "the norm before the feed-forward network is used as the final norm": (
        (LAST_NORM, 'layer_norm(X, p["ln_2.weight"], p["ln_2.bias"])'),
    ),
    "the final norm is RMSNorm; this model has layer norm": (LAST_NORM, 'rms_norm(X, p["ln_f.weight"])'),
    "the final norm comes before the block; it comes after it": (
        (f"    X = {LAST_NORM}\n", ""),
        (f"    X = {BLOCK}", f"    X = {LAST_NORM}\n    X = {BLOCK}"),
    ),
    "the block's input is added to its output; the block has its residual connections already": (
        (BLOCK, f"add(X, {BLOCK})"),
    ),
    "the final norm has no gain and no bias": (
        LAST_NORM,
        "layer_norm(X, [1.0] * len(X[0]), [0.0] * len(X[0]))",
    ),
    "the first position is added to each patch; each has its own": (
        ('p["wpe.weight"])', '[p["wpe.weight"][0]] * len(patches))'),
    ),
    "the sum of the vectors is divided by 4; divide by their number N, which is not always 4": (
        "/ len(X)",
        "/ 4",
    ),
    "the sum of the vectors is divided by their width; divide by their number N": ("/ len(X)", "/ len(X[0])"),
    "the block is applied twice; this model has one": (BLOCK, f'encoder_block(p, {BLOCK}, H)["out"]'),
    "the vectors are added, and the sum is not divided by their number": (" / len(X)", ""),
    "the largest number of each column is taken, not the mean": (MEAN, "max(column)"),
    "only the first patch is used": ("[mean],", "X[:1],"),
    "only the last patch is used; that is the way of a language model": ("[mean],", "X[-1:],"),
    "the mean is taken before the block; then there is nothing to attend to": (
        (PLACED, f"[[sum(c) / len(patches) for c in zip(*{PLACED})]]"),
    ),
    "the patches are averaged before the block, and the mean gets position 0 only": (
        (PLACED, f"add([[sum(c) / len(patches) for c in zip(*{VECTORS})]], p['wpe.weight'][:1])"),
    ),
    "the patches are averaged before the block, and get no position": (
        (PLACED, f"[[sum(c) / len(patches) for c in zip(*{VECTORS})]]"),
    ),
    "the biases of the classes are not added": (', p["head.bias"])', ")"),
    "the probabilities are returned, not the scores": (SCORES, f"softmax({SCORES})"),
    "the result is a list with one row of scores; return the row": (")[0]\n", ")\n"),
    "the mean is returned, without the scores": (SCORES, "mean"),
    "each patch has its own scores; take the mean first": (SCORES, SCORES.replace("[mean]", "X")[:-3]),
    "the number of the largest score is returned, not the scores": (
        (f"return {SCORES}", f"scores = {SCORES}\n    return scores.index(max(scores))"),
    ),
}


def my_chat_input(tokens, image, E, features, W, b):
    rows = []
    for token in tokens:
        if token == image:
            rows += linear(features, W, b)
        else:
            rows.append(E[token])
    return rows


PROJECTED = "linear(features, W, b)"
CHAT_MISTAKES = {
    "the vectors of the patches are not projected to the width of the language model": (
        PROJECTED,
        "features",
    ),
    "b is not added": (f"rows += {PROJECTED}", "rows += linear(features, W)"),
    "the embedding of the image token stays; the patches take its place": (
        ("rows +=", "rows += [E[token]] +"),
    ),
    "only the first patch is put in; the picture has one vector for each patch": (
        (PROJECTED, "linear(features[:1], W, b)"),
    ),
    "the mean of the patches is put in; put in each": (
        (PROJECTED, "linear([[sum(c) / len(features) for c in zip(*features)]], W, b)"),
    ),
    "the list of the patches is put in as one row": ("rows +=", "rows.append(linear(features, W, b))  #"),
    "the picture comes first; it comes where the image token stands": (
        ("rows = []", f"rows = {PROJECTED}"),
        (f"rows += {PROJECTED}", "pass"),
    ),
    "the picture comes last; it comes where the image token stands": (
        (f"rows += {PROJECTED}", "pass"),
        ("return rows", f"return rows + {PROJECTED}"),
    ),
    "the picture is left out": (f"rows += {PROJECTED}", "pass"),
    "the text is left out": ("rows.append(E[token])", "pass"),
    "the tokens before the picture are left out": (f"rows += {PROJECTED}", f"rows = {PROJECTED}"),
    "the tokens after the picture are left out": ((f"rows += {PROJECTED}", f"return rows + {PROJECTED}"),),
    "the embedding of the image token comes after the patches; the patches take its place": (
        (PROJECTED, f"{PROJECTED} + [E[token]]"),
    ),
    "every token from the image token on becomes the picture; only the image token itself does": (
        ("token == image", "token >= image"),
    ),
    "a text without a picture fails; its rows are the embeddings of its tokens": (
        ("    rows = []", "    tokens.index(image)\n    rows = []"),
    ),
    "`image` is taken as a position; it is a token id": (
        ("for token in", "for i, token in enumerate("),
        ("tokens:", "tokens):"),
        ("token == image", "i == image"),
    ),
    "the numbers of a row are appended one by one; append the row": (
        "rows.append(E[token])",
        "rows += E[token]",
    ),
    "the id of the image token is taken to be 2; it is `image`": ("token == image", "token == 2"),
    "the patches are in reverse order": (PROJECTED, "linear(features[::-1], W, b)"),
    "the patches are added to the embedding of the image token": (
        (PROJECTED, "add(linear(features, W, b), [E[token]] * len(features))"),
    ),
}


def draw_pictures(seed, N, positions, C=3):
    """The parameters of a small model with two decimals: norms are not 1, and no bias is 0."""
    rng = random.Random(seed)
    drawn = init_pictures(q=4, N=positions, D=4, F=3, C=C, rng=rng)
    parameters = tree_map(lambda row: [rng.randint(-99, 99) / 100 for _ in row], drawn)
    patches = [[rng.randint(-20, 20) / 10 for _ in range(4)] for _ in range(N)]
    return [parameters, patches, 2]


ZERO_LAYERS = tree_map(lambda row: [0.0] * len(row), init_pictures(2, 3, 2, 1, 2, random.Random(1)))
PLAIN = {"patch.weight": [[1.0, 0.0], [0.0, 1.0]], "head.weight": [[1.0, 0.0], [0.0, 1.0]]}
PLAIN = ZERO_LAYERS | PLAIN | {"ln_f.weight": [1.0, 1.0]}  # the block and the positions add nothing
SEEN = [[3.0, 1.0], [3.0, 1.0], [1.0, 5.0]]


def model_text(name, parameters, patches, H):
    """The call in words: the parameters are too many to be read."""
    width = len(parameters["ln_f.weight"])
    which = f"parameters of width {width}, with {len(parameters['head.weight'])} classes"
    if not any(map(any, parameters["mlp.c_proj.weight"])):
        which = "the parameters of the text above `...`"
    return f"{name}(parameters, {patches}, {H}), with {which}"


EXERCISES = {
    "20.k": Exercise(
        my_patches,
        [
            [[[1, 2, 3, 4], [5, 6, 7, 8]], 2],
            [[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]], 2],
            [[[1, 2], [3, 4]], 2],
            [[[1, 2], [3, 4], [5, 6], [7, 8]], 2],
            [[[1, 2, 3]], 1],
            [*draw_inputs(201, (6, 9)), 3],
        ],
        PATCHES_MISTAKES,
    ),
    "20.l": Exercise(
        my_picture_scores,
        [[PLAIN, SEEN, 1], draw_pictures(202, 2, 2), draw_pictures(203, 3, 3, 5), draw_pictures(204, 4, 4)],
        SCORES_MISTAKES,
        tolerance=1e-4,  # a layer norm of twice the vectors differs by its ε only
        call_text=model_text,
    ),
    "20.n": Exercise(
        my_chat_input,
        [
            [
                [0, 2, 1],
                2,
                [[1.0, 1.0], [5.0, 5.0], [9.0, 9.0]],
                [[2.0], [3.0]],
                [[10.0], [100.0]],
                [0.0, 0.5],
            ],
            [[3, 1, 0, 0], 1, *draw_inputs(208, (4, 3), (2, 2), (3, 2), (3,))],
            [[1, 2, 3, 0], 3, *draw_inputs(209, (4, 2), (4, 3), (2, 3), (2,))],
            [[2, 0, 3], 1, *draw_inputs(210, (4, 2), (2, 2), (2, 2), (2,))],
        ],
        CHAT_MISTAKES,
    ),
}
