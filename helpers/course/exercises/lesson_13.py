"""Lesson 13: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import BLOCK_PARAM_SHAPES, add, block_forward, embedding, gpt_param_sizes, layer_norm, linear
from .exercise import Exercise, draw_inputs, from_source


def my_block(X, norm_1, attention, norm_2, feed_forward):
    middle = add(X, attention(norm_1(X)))
    return add(middle, feed_forward(norm_2(middle)))


MIDDLE, RESULT = "add(X, attention(norm_1(X)))", "add(middle, feed_forward(norm_2(middle)))"
BLOCK_MISTAKES = {
    "the norms come after the sums, as in the first transformer (post-norm)": (
        (MIDDLE, "norm_1(add(X, attention(X)))"),
        (RESULT, "norm_2(add(middle, feed_forward(middle)))"),
    ),
    "the norms come after attention and after the feed-forward network, and not before them": (
        (MIDDLE, "add(X, norm_1(attention(X)))"),
        (RESULT, "add(middle, norm_2(feed_forward(middle)))"),
    ),
    "the residual connections begin after the norms, and not before them": (
        ("add(X,", "add(norm_1(X),"),
        ("add(middle,", "add(norm_2(middle),"),
    ),
    "the first residual connection begins after its norm": ("add(X,", "add(norm_1(X),"),
    "the residual connection around attention is missing": (MIDDLE, "attention(norm_1(X))"),
    "both residual connections are missing": (
        (MIDDLE, "attention(norm_1(X))"),
        (RESULT, "feed_forward(norm_2(middle))"),
    ),
    "the residual connection around feed-forward is missing": (RESULT, "feed_forward(norm_2(middle))"),
    "the feed-forward network reads X, and not X plus the output of attention": ("(middle)", "(X)"),
    "the second residual connection begins at X, without the output of attention": ("add(middle,", "add(X,"),
    "+ joins the two lists, where add would add their rows": (
        (MIDDLE, "X + attention(norm_1(X))"),
        (RESULT, "middle + feed_forward(norm_2(middle))"),
    ),
    "+ joins the first two lists, where add would add their rows": (MIDDLE, "X + attention(norm_1(X))"),
    "+ joins the last two lists, where add would add their rows": (
        RESULT,
        "middle + feed_forward(norm_2(middle))",
    ),
    "the norms are missing": (("norm_1(X)", "X"), ("norm_2(middle)", "middle")),
    "norm_1 and norm_2 are exchanged": (("norm_1(X)", "norm_2(X)"), ("norm_2(middle)", "norm_1(middle)")),
    "norm_1 is used for both branches": ("norm_2(middle)", "norm_1(middle)"),
    "norm_2 is used for both branches": ("norm_1(X)", "norm_2(X)"),
    "the norm before attention is missing": ("norm_1(X)", "X"),
    "the norm before the feed-forward network is missing": ("norm_2(middle)", "middle"),
    "attention and the feed-forward network are exchanged": (
        ("attention(norm_1", "feed_forward(norm_1"),
        ("feed_forward(norm_2", "attention(norm_2"),
    ),
    "the first residual connection is added again at the end": (RESULT, f"add(X, {RESULT})"),
    "the feed-forward network comes before attention": (
        (MIDDLE, "add(X, feed_forward(norm_2(X)))"),
        (RESULT, "add(middle, attention(norm_1(middle)))"),
    ),
    "the second residual connection begins after its norm": ("add(middle,", "add(norm_2(middle),"),
    "the feed-forward network reads the output of attention alone": ("(middle)", "(attention(norm_1(X)))"),
}


def my_logits(config, parameters, tokens):
    positions = list(range(len(tokens)))
    X = add(embedding(tokens, parameters["wte.weight"]), embedding(positions, parameters["wpe.weight"]))
    for i in range(config["n_layer"]):
        block = {name: parameters[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        X = block_forward(block, X, config["n_head"])["out"]
    normed = layer_norm(X, parameters["ln_f.weight"], parameters["ln_f.bias"])
    return linear(normed, parameters["wte.weight"])


OUT, NORMED = 'block_forward(block, X, config["n_head"])["out"]', "linear(normed, "
SUM_OF_BOTH = (
    'add(embedding(tokens, parameters["wte.weight"]), embedding(positions, parameters["wpe.weight"]))'
)
LAST_NORM_LINE = 'layer_norm(X, parameters["ln_f.weight"], parameters["ln_f.bias"])'
LOGITS_MISTAKES = {
    'block_forward returns a dict of activations: the stream after the block is its entry "out"': (
        '["out"]',
        "",
    ),
    "all rows of wpe are added: take the first T rows": (
        'embedding(positions, parameters["wpe.weight"])',
        'parameters["wpe.weight"]',
    ),
    "matmul gets the table as it is: linear multiplies by its transpose": (
        "linear(normed,",
        "matmul(normed,",
    ),
    "only the last position is returned: return the logits of all": (
        'linear(normed, parameters["wte.weight"])',
        'linear(normed, parameters["wte.weight"])[-1]',
    ),
    "the names keep their h.0.: block_forward expects them without it": (
        '{name: parameters[f"h.{i}.{name}"]',
        '{f"h.{i}.{name}": parameters[f"h.{i}.{name}"]',
    ),
    "the position embeddings are left out": (SUM_OF_BOTH, 'embedding(tokens, parameters["wte.weight"])'),
    "the token embeddings are left out": (SUM_OF_BOTH, 'embedding(positions, parameters["wpe.weight"])'),
    "the positions count from 1, and not from 0": (
        "list(range(len(tokens)))",
        'list(range(1, len(tokens))) + [min(len(tokens), len(parameters["wpe.weight"]) - 1)]',
    ),
    "the last rows of wpe are used: the positions are 0 to T - 1": (
        "list(range(len(tokens)))",
        'list(range(len(parameters["wpe.weight"])))[-len(tokens) :]',
    ),
    "the positions run backward": ("list(range(len(tokens)))", "list(range(len(tokens)))[::-1]"),
    "the embeddings are added again after the blocks": (
        "layer_norm(X, parameters",
        f"layer_norm(add(X, {SUM_OF_BOTH}), parameters",
    ),
    "the token embeddings are added again after the blocks": (
        "layer_norm(X, parameters",
        'layer_norm(add(X, embedding(tokens, parameters["wte.weight"])), parameters',
    ),
    "the last layer norm has no scale of its own": (
        LAST_NORM_LINE,
        'layer_norm(X, [1.0] * len(X[0]), parameters["ln_f.bias"])',
    ),
    "the last layer norm has no shift of its own": (
        LAST_NORM_LINE,
        'layer_norm(X, parameters["ln_f.weight"], [0.0] * len(X[0]))',
    ),
    "the position embeddings are looked up with the tokens": ("embedding(positions,", "embedding(tokens,"),
    "every position gets the embedding of position 0": ("list(range(len(tokens)))", "[0] * len(tokens)"),
    "every block has the parameters of block 0": ('f"h.{i}.{name}"', 'f"h.0.{name}"'),
    "only one block is run": ('range(config["n_layer"])', 'range(min(1, config["n_layer"]))'),
    "every block reads the embeddings, and not the output of the block before": (
        ("    for i", "    embedded = X\n    for i"),
        ("(block, X, config", "(block, embedded, config"),
    ),
    "the blocks run in the reverse order": ('range(config["n_layer"])', 'reversed(range(config["n_layer"]))'),
    "the output of a block is added to its input again: the block has added it already": (
        (OUT, f"add(X, {OUT})"),
    ),
    'the block goes on with the output of its feed-forward branch, and not with "out"': (
        '["out"]',
        '["mlp.output"]',
    ),
    "the number of heads is always 2, and not that of config": ('config["n_head"])', "2)"),
    "embedding needs a list of positions: range gives none, and list(range(T)) does": (
        "list(range(len(tokens)))",
        "range(len(tokens))",
    ),
    'the block goes on with "resid_mid", the stream between its two branches': ('["out"]', '["resid_mid"]'),
    'the number of heads is 1 here: it is config["n_head"]': ('config["n_head"])', "1)"),
    "the last layer norm is left out": (LAST_NORM_LINE, "X"),
    "the last layer norm has no scale and shift of its own": (
        LAST_NORM_LINE,
        "layer_norm(X, [1.0] * len(X[0]), [0.0] * len(X[0]))",
    ),
    "the last layer norm is applied after each block, and not once after the last": (
        ("    normed =", "        X ="),
        ("linear(normed, ", "linear(X, "),
    ),
    "the last layer norm comes before the blocks": (
        ("    for i", f"    X = {LAST_NORM_LINE}\n    for i"),
        (f"normed = {LAST_NORM_LINE}", "normed = X"),
    ),
    "the logits come from the position embeddings": (
        ('linear(normed, parameters["wte.weight"])', 'linear(normed, parameters["wpe.weight"])'),
    ),
    "softmax is applied, which gives probabilities and not logits": (
        (
            'linear(normed, parameters["wte.weight"])',
            '[softmax(x) for x in linear(normed, parameters["wte.weight"])]',
        ),
    ),
    "the position embeddings are added again after each block": (
        (OUT, f'add({OUT}, embedding(positions, parameters["wpe.weight"]))'),
    ),
    "the last block is left out": ('range(config["n_layer"])', 'range(max(0, config["n_layer"] - 1))'),
    "only the logits of the last position are returned": (
        ('linear(normed, parameters["wte.weight"])', 'linear(normed, parameters["wte.weight"])[-1:]'),
    ),
    "the rows after the last norm are returned, and not the logits": (
        ('linear(normed, parameters["wte.weight"])', "normed"),
    ),
}


def my_param_count(V, P, D, L):
    return (V + P) * D + L * (12 * D * D + 13 * D) + 2 * D


MATRICES_AND_VECTORS, LAST_NORM = "12 * D * D + 13 * D", " + 2 * D\n"
COUNT_MISTAKES = {
    "the tables are multiplied, and not added: they have V + P rows": ("(V + P)", "V * P"),
    "the biases are forgotten": ("13 * D", "4 * D"),
    "a block is counted without biases and norms": (" + 13 * D", ""),
    "only matrices are counted, no biases and no norms": ((" + 13 * D", ""), (LAST_NORM, "\n")),
    "the matrix c_attn is counted for the queries only, or as [D][D]": (
        MATRICES_AND_VECTORS,
        "10 * D * D + 13 * D",
    ),
    "all biases, of the norms too, are forgotten": (("13 * D", "2 * D"), (LAST_NORM, " + D\n")),
    "2·D parameters of each block are missing, such as a norm or both biases of c_proj": ("13 * D", "11 * D"),
    "the norms are forgotten": (("13 * D", "9 * D"), (LAST_NORM, "\n")),
    "the last norm is forgotten": (LAST_NORM, "\n"),
    "the shift of the last norm is forgotten": (LAST_NORM, " + D\n"),
    "the norms' shifts are forgotten": (("13 * D", "11 * D"), (LAST_NORM, " + D\n")),
    "the output matrix is counted, although it is the token embeddings": ("(V + P)", "(2 * V + P)"),
    "the position embeddings are forgotten": ("(V + P)", "V"),
    "only the blocks' matrices are counted": (("(V + P) * D + ", ""), (" + 13 * D", ""), (LAST_NORM, "\n")),
    "3·D parameters of each block are missing, such as the bias of c_attn": ("13 * D", "10 * D"),
    "4·D parameters of each block are missing, such as both norms, or the bias of c_fc": ("13 * D", "9 * D"),
    "D parameters of each block are missing, such as the bias of one of the two c_proj": ("13 * D", "12 * D"),
    "the token embeddings are forgotten": ("(V + P)", "P"),
    "both tables of embeddings are forgotten": ("(V + P) * D + ", ""),
    "the matrices of attention are forgotten": (MATRICES_AND_VECTORS, "8 * D * D + 13 * D"),
    "attention is forgotten, with its biases": (MATRICES_AND_VECTORS, "8 * D * D + 9 * D"),
    "5·D parameters of each block are missing: add up all vectors of the table": ("13 * D", "8 * D"),
    "there is one block": ("L * ", ""),
    "the last norm is counted in each block": (("13 * D", "15 * D"), (LAST_NORM, "\n")),
    "the output projection of attention is forgotten": (MATRICES_AND_VECTORS, "11 * D * D + 12 * D"),
    "c_attn and its bias are counted for the queries only": (MATRICES_AND_VECTORS, "10 * D * D + 11 * D"),
    "the hidden layer is counted as D wide, and not 4·D": (MATRICES_AND_VECTORS, "6 * D * D + 10 * D"),
}


TWICE = from_source("lambda A: [[2 * a for a in row] for row in A]")
TEN = from_source("lambda A: [[10 * a for a in row] for row in A]")
PLUS_2 = from_source("lambda A: [[a + 2 for a in row] for row in A]")
MINUS_3 = from_source("lambda A: [[a - 3 for a in row] for row in A]")
LESS = from_source("lambda A: [[a - row[0] for a in row] for row in A]")
SQUARED = from_source("lambda A: [[a * a for a in row] for row in A]")

_no_blocks = {"vocab_size": 2, "n_positions": 4, "n_embd": 2, "n_layer": 0, "n_head": 1, "n_inner": 2}
_one_block = {**_no_blocks, "vocab_size": 5, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 2}
_two_blocks = {**_one_block, "n_layer": 2}
_four_heads = {**_two_blocks, "n_head": 4}
_by_hand = {
    "wte.weight": [[3, 1], [1, 2]],
    "wpe.weight": [[0, 0], [2, 0], [5, 1], [0, 1]],
    "ln_f.weight": [1.0, 1.0],
    "ln_f.bias": [0.0, 0.0],
}


def _small_gpt(config, seed):
    sizes = gpt_param_sizes(config)
    return dict(zip(sizes, draw_inputs(seed, *sizes.values())))


EXERCISES = {
    "13.a": Exercise(
        my_block,
        [
            [[[1.0]], PLUS_2, TWICE, MINUS_3, SQUARED],
            [[[1.0, 3.0], [2.0, 2.5]], LESS, TWICE, SQUARED, TEN],
            [*draw_inputs(133, (2, 3)), SQUARED, TEN, LESS, TWICE],
            [*draw_inputs(134, (3, 2)), TWICE, SQUARED, LESS, SQUARED],
        ],
        BLOCK_MISTAKES,
    ),
    "13.b": Exercise(
        my_logits,
        [
            [_no_blocks, _by_hand, [0, 1]],
            [_one_block, _small_gpt(_one_block, 130), [2, 0, 1]],
            [_two_blocks, _small_gpt(_two_blocks, 131), [3, 1, 1, 0]],
            [_four_heads, _small_gpt(_four_heads, 132), [4, 2, 1]],
        ],
        LOGITS_MISTAKES,
    ),
    "13.d": Exercise(
        my_param_count, [[6, 5, 16, 2], [10, 4, 2, 1], [3, 7, 4, 3], [50257, 1024, 768, 12]], COUNT_MISTAKES
    ),
}
