"""The model of names: the lines that it trains on, its config, and the model before its first step."""

import random

from ...gpt import init_gpt
from ...optimizers import adamw_init
from ...training import build_vocab, encode, train_val_test_split
from .. import ROOT
from .network import SEED
from .reading.documents import has_visible_character

NOTEBOOKS = ROOT / "notebooks"
MAX_LINE_LENGTH = 63  # characters
MIN_LINES = 10
MAX_FILE_BYTES = 5_000_000


def read_lines(path):
    """The lines of a text file, without what is empty or invisible.

    A path that is not absolute starts at notebooks/.

    ValueError for a file that is none, that is no text in UTF-8, that holds too few lines, or one that is
    too long.
    """
    path = NOTEBOOKS / path
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ValueError(
            f"{path.name} cannot be read ({error.strerror}); put a text file into notebooks/ and name it"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{path.name} is no text in UTF-8; save it as one, or read it as lesson 14b does"
        ) from None
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(
            f"{path.name} is larger than 5 MB; half a minute reads a few thousand lines, so give some of it"
        )
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_LENGTH:
            raise ValueError(
                f"line {number} of {path.name} has {len(line)} characters; cut it to {MAX_LINE_LENGTH}, "
                "as lesson 14b does"
            )
    lines = [line for line in lines if has_visible_character(line)]
    if len(lines) < MIN_LINES:
        count = {0: "is empty", 1: "has one line"}.get(len(lines), f"has {len(lines)} lines")
        raise ValueError(f"{path.name} {count}; give at least {MIN_LINES}, or there is nothing to hold out")
    return lines


def smallest_config(documents, vocab, width=16, layers=1, heads=2):
    """A GPT just large enough for these documents: its table has a position for each token that is read.

    ValueError where there are none.
    """
    if not documents:
        raise ValueError(
            "smallest_config: there are no documents; if you read a file, its remark says why there is "
            "no text"
        )
    return {
        "vocab_size": len(vocab),
        "n_positions": max(map(len, documents)) - 1,
        "n_embd": width,
        "n_layer": layers,
        "n_head": heads,
        "n_inner": 4 * width,
    }


def course_text():
    """The documents that lesson 14 trains on, their vocabulary, and the config of its model."""
    lines = read_lines("names.txt")
    vocab = build_vocab(lines)
    documents = [encode(line, vocab) for line in lines]
    part = len(documents) // 9
    return (
        train_val_test_split(documents, part, part, random.Random(1))[0],
        vocab,
        smallest_config(documents, vocab),
    )


# Part II's model, all under state["gpt"]: what each is, state.py checks by the model's own config.
GPT = ["config", "vocab", "parameters", "optimizer", "step", "rng_state", "history"]


def untrained_gpt(vocab, **sizes):
    """A GPT-2 before its first step, as it stands in a state: vocab holds its tokens, sizes the rest of
    its config."""
    rng, config = random.Random(SEED), {"vocab_size": len(vocab), **sizes}
    parameters = init_gpt(config, rng)
    return {
        "config": config,
        "vocab": list(vocab),
        "parameters": parameters,
        "optimizer": adamw_init(parameters),
        "step": 0,
        "rng_state": rng.getstate(),
        "history": [],
    }
