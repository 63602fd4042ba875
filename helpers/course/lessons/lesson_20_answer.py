"""Lesson 20: an answer as it appears, what each block would have written, and a model with fewer bits."""

import copy
import math

from ...attention import softmax
from ...llama import LLAMA_BLOCK_SHAPES, llama_param_sizes
from ...losses import token_losses
from ..models.packed import with_fewer_bits
from ..models.rows import quicker
from ..models.smollm2 import fast_names, one_question, read_smollm2
from ..show.player import moving, target
from ..show.status import working
from ..show.svg import ACCENT, FAINT, Figure, box, heading, label, shade
from ..show.tokens import visible

PARAGRAPH = (
    "The sun rises in the east and sets in the west. "
    "In summer the days are long, and in winter they are short."
)
MAX_TOKENS = 30  # of an answer
MAX_LETTERS = 9  # of a token in a cell
CELL, NUMBER, ROW, LEFT, TOP = 84, 36, 17, 74, 68  # pixels


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
        title = f"token {t + 1} of the answer: {visible(word)}"
        found = [i for i, (other, _) in enumerate(column) if other == word]
        words = f"Token {t + 1} of the answer: “{visible(word)}”, with the probability {chance:.2f}. "
        words += f"It is the most likely token after {blocks(found)}."
        if len(column) > 1 and len(column) - 2 not in found:
            words += f" After block {len(column) - 2} that is “{visible(column[-2][0])}”."
        steps.append((words, lens_grid(columns, said, t, f"{title}. {words}")))
    names = [f"{t}: {visible(word)}" for t, word in enumerate(said, 1)]
    return moving(steps, {"token": names}, pause=1200)


def blocks(numbers):
    """The numbers of blocks in words, those that follow one another as a range.

    >>> blocks([0, 3, 4, 5])
    'blocks 0, 3 to 5'
    """
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    ranges = [f"{a} to {b}" if b > a else f"{a}" for a, b in zip(starts, ends)]
    return f"block{'s' * (len(numbers) > 1)} {', '.join(ranges)}"


def lens_grid(columns, said, chosen, words):
    """A column for each token of the answer, a row for each block, the last block at the top. The chosen
    column has the probabilities in numbers."""
    n, title, x = len(columns[0]), "the most likely next token after each block", LEFT
    parts = [heading(title)]
    for i in range(n):
        parts.append(label(LEFT - 8, TOP + ROW * (n - i) - 4, f"block {i}", 10, "end"))
    for t, column in enumerate(columns):
        wide, here = (CELL + NUMBER, ACCENT) if t == chosen else (CELL, FAINT)
        parts.append(label(x + CELL / 2, TOP - 8, shortened(said[t]), 12, fill=here, weight="bold"))
        for i, (word, chance) in enumerate(column):
            y = TOP + ROW * (n - 1 - i)
            fill, ink = shade(round(chance, 2), 1)
            parts.append(box(x + 1, y + 1, wide - 2, ROW - 2, fill, "#e3e7eb"))
            weight = "bold" if word == said[t] else "normal"
            parts.append(label(x + CELL / 2, y + ROW - 4, shortened(word), 10, fill=ink, weight=weight))
            if t == chosen:
                parts.append(label(x + wide - 6, y + ROW - 4, f"{chance:.2f}", 10, "end", ink))
        parts.append(target(x, TOP - 24, wide, ROW * n + 24, t))
        x += wide
    foot = "colour: the probability, white is 0 and full colour is 1; bold: the token that the model writes"
    parts.append(label(LEFT, TOP + ROW * n + 20, foot, 11, "start", FAINT))
    written = ", ".join(f"“{word}”" for word in said)
    alt = f"A table of tokens: {title}, a column for each token of the answer, {written}. {foot}. {words}"
    text = "\n".join(
        f"block {i:2}  " + " ".join(f"{shortened(column[i][0]):10}" for column in columns).rstrip()
        for i in reversed(range(n))
    )
    return Figure(x + 12, TOP + ROW * n + 32, "".join(parts), alt, f"{title}\n{text}", left=LEFT)


def shortened(word):
    shown = visible(word)
    return shown if len(shown) <= MAX_LETTERS else shown[: MAX_LETTERS - 1] + "…"


def with_bits(model, bits, text):
    """Perplexity of a paragraph, and what follows a text, when the blocks' matrices have fewer bits."""

    def with_bits(bits):
        coarse = copy.copy(model)
        coarse.parameters = with_fewer_bits(model.parameters, bits)
        ids, losses, cache = model.encode(PARAGRAPH), [], None
        for token, wanted in zip(ids, ids[1:]):
            logits, cache = coarse.step(token, cache)
            losses += token_losses([logits], [wanted])
        tokens, new, cache = model.encode(text), [], None
        while len(new) < 5:
            for token in tokens:
                logits, cache = coarse.step(token, cache)
            tokens = [most_likely(logits)]
            new += tokens
        return [math.exp(sum(losses) / len(losses)), model.decode(new)]

    return model.live(with_bits, bits)
