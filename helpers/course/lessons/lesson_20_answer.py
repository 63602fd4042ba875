"""Lesson 20: an answer as it appears, what each block would have written, and a model with fewer bits."""

import copy
import math

from ...attention import softmax
from ...llama import LLAMA_BLOCK_SHAPES, llama_param_sizes
from ...losses import token_losses
from ..models.packed import with_fewer_bits
from ..models.rows import quicker
from ..models.smollm2 import fast_names, one_question, read_smollm2
from ..show.player import moving
from ..show.status import working
from ..show.svg import ACCENT, FAINT, Figure, box, heading, label, shade
from ..show.tokens import visible

PARAGRAPH = (
    "The sun rises in the east and sets in the west. "
    "In summer the days are long, and in winter they are short."
)
MAX_TOKENS = 30  # of an answer
MAX_LETTERS = 9  # of a token in a cell
CELL, ROW, LEFT, TOP = 84, 17, 74, 68  # pixels


def sizes(model):
    """[name, value] of the sizes in the model's file, and how many parameters it has."""

    def sizes_in_file():
        counts = {name: math.prod(size) for name, size in llama_param_sizes(model.config).items()}
        sizes = [*model.config.items(), ["context_length", model.metadata["llama.context_length"]]]
        everything = ["all parameters", sum(counts.values())]
        return [*sizes, ["parameters of E", counts["token_embd.weight"]], everything]

    return model.live(sizes_in_file)


def show_answer(model, question):
    """Print a question, and the answer token by token: as it is computed, or as it was recorded."""
    pieces = model.stream(first_answer, question)
    first = next(pieces)  # before it, a line of progress clears the cell
    print(question)
    print(first, end="", flush=True)
    for piece in pieces:
        print(piece, end="", flush=True)
    print()


def first_answer(question):
    """The answer piece by piece, by the faster and less exact products of `python3 -m helpers chat`."""
    model, cache = read_smollm2(), None
    quicker(model)
    tokens, text = model.encode(one_question(question)), model.tokenizer.stream()
    with working("SmolLM2 reads the question", len(tokens)) as step:
        for token in tokens:
            x, cache = model.read(token, cache)
            step()
    for _ in range(MAX_TOKENS):
        token = most_likely(model.logits(x))
        if token == model.end:
            return
        yield text(token)
        x, cache = model.read(token, cache)


def most_likely(logits):
    return logits.index(max(logits))


def lens_of_answer(model, question):
    """For each token of the answer: after each block the most likely token, and its probability.

    The last norm and the output matrix read the residual stream after each block (logit lens).
    """

    def after_each_block(question):
        return blocks_of_answer(model, model.encode(one_question(question)))

    return model.live(after_each_block, question)


def blocks_of_answer(model, tokens):
    f, p, config, cache, columns = fast_names(), model.parameters, model.config, None, []
    *before, last = tokens
    for token in before:
        _, cache = model.read(token, cache)
    while last != model.end and len(columns) < MAX_TOKENS:
        X, longer, column = f["embedding"]([last], p["token_embd.weight"]), {}, []
        for i in range(config["n_layer"]):
            block = {name: p[f"blk.{i}.{name}"] for name in LLAMA_BLOCK_SHAPES}
            K, V = f"blk.{i}.K", f"blk.{i}.V"
            X, longer[K], longer[V] = f["llama_block"](config, block, X, cache[K], cache[V])
            [x] = f["rms_norm"](X, p["output_norm.weight"], config["eps"])
            logits = model.logits(x)
            last = most_likely(logits)
            column.append([model.decode([last]), softmax(logits)[last]])
            model.count()
        columns.append(column)
        cache = longer
    return columns


def answer_in_steps(columns):
    """The logit lens of an answer, token by token: what each block would have written there."""
    said = [column[-1][0] for column in columns]
    steps = []
    for t, column in enumerate(columns):
        word, chance = column[-1]
        since = len(column)
        while since and column[since - 1][0] == word:
            since -= 1
        other = f"; after block {since - 1} it is “{column[since - 1][0]}”" if since else ""
        words = f"Token {t + 1} of the answer: “{word}”, with the probability {chance:.2f}. "
        words += f"It is the most likely token from block {since} on{other}."
        steps.append((words, lens_grid(columns[: t + 1], said)))
    names = [f"{t}: {visible(word)}" for t, word in enumerate(said, 1)]
    return moving(steps, {"token": names}, pause=1200)


def lens_grid(columns, said):
    """A column for each token of the answer so far, a row for each block, the last block at the top."""
    n, title = len(columns[0]), "the most likely next token after each block"
    parts = [heading(title)]
    for i in range(n):
        parts.append(label(LEFT - 8, TOP + ROW * (n - i) - 4, f"block {i}", 10, "end"))
    for t, column in enumerate(columns):
        x = LEFT + CELL * t
        parts.append(label(x + CELL / 2, TOP - 8, shortened(said[t]), 12, weight="bold"))
        for i, (word, chance) in enumerate(column):
            fill, ink = shade(round(chance, 2), 1)
            same = word == said[t]
            edge = (ACCENT, 2) if same else ("#e3e7eb", 1)
            parts.append(box(x + 1, TOP + ROW * (n - 1 - i) + 1, CELL - 2, ROW - 2, fill, *edge))
            parts.append(label(x + CELL / 2, TOP + ROW * (n - i) - 4, shortened(word), 10, fill=ink))
    foot = "colour: probability of the token; orange edge: the token that the model writes"
    parts.append(label(LEFT, TOP + ROW * n + 20, foot, 11, "start", FAINT))
    written = ", ".join(f"“{word}”" for word in said[: len(columns)])
    alt = f"A table of tokens: {title}, a column for each token of the answer, {written}. {foot}."
    text = "\n".join(
        f"block {i:2}  " + " ".join(f"{shortened(column[i][0]):10}" for column in columns).rstrip()
        for i in reversed(range(n))
    )
    width = LEFT + CELL * len(said) + 12
    return Figure(width, TOP + ROW * n + 32, "".join(parts), alt, f"{title}\n{text}", left=LEFT)


def shortened(word):
    shown = visible(word).replace("\xa0", "⍽")  # a no-break space would leave a cell blank
    return shown if len(shown) <= MAX_LETTERS else shown[: MAX_LETTERS - 1] + "…"


def with_bits(model, bits, text):
    """Perplexity of a paragraph, and what follows a text, when the blocks' matrices have fewer bits."""

    def with_bits(bits):
        coarse = copy.copy(model)
        coarse.parameters = with_fewer_bits(model.parameters, bits)
        ids, losses, cache = model.encode(PARAGRAPH), [], None
        for token, target in zip(ids, ids[1:]):
            logits, cache = coarse.step(token, cache)
            losses += token_losses([logits], [target])
        tokens, new, cache = model.encode(text), [], None
        while len(new) < 5:
            for token in tokens:
                logits, cache = coarse.step(token, cache)
            tokens = [most_likely(logits)]
            new += tokens
        return [math.exp(sum(losses) / len(losses)), model.decode(new)]

    return model.live(with_bits, bits)
