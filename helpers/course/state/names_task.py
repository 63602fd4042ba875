"""The model of names: the lines that it trains on, its config, and the model before its first step."""

import hashlib
import random

from ...gpt import init_gpt
from ...optimizers import adamw_init
from ...texts import deduplicate, normalize_text, split_text
from ...training import build_vocab, encode, train_val_test_split
from .. import NOTEBOOKS
from ..reading.documents import has_visible_character, read_documents
from .network import SEED

NAMES = "names.txt"
SPLIT_SEED = 1
MAX_LINE_LENGTH = 63  # characters
MIN_LINES = 10
MAX_FILE_BYTES = 5_000_000


def read_lines(path):
    """The lines of a text file, without what is empty or invisible.

    A path that is not absolute starts at notebooks/. Of a folder they are the lines of all its files, as
    lesson 14b reads, cleans and cuts them.

    ValueError for a file that is none, that is no text in UTF-8, that holds too few lines, or one that is
    too long.
    """
    path = NOTEBOOKS / path
    lines = lines_of_folder(path) if path.is_dir() else lines_of_file(path)
    lines = [line for line in lines if has_visible_character(line)]
    if len(lines) < MIN_LINES:
        count = {0: "is empty", 1: "has one line"}.get(len(lines), f"has {len(lines)} lines")
        raise ValueError(f"{path.name} {count}; give at least {MIN_LINES}, or there is nothing to hold out")
    return lines


def lines_of_folder(path):
    """The lines of the documents in a folder, each once, none longer than MAX_LINE_LENGTH."""
    documents, _ = read_documents(path)
    lines = [line.strip() for _, text in documents for line in normalize_text(text).split("\n")]
    return deduplicate([piece for line in lines for piece in split_text(line, MAX_LINE_LENGTH)])


def lines_of_file(path):
    """The lines of a file in UTF-8; ValueError for one that is too long."""
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
    return lines


def smallest_config(documents, vocab, width=16):
    """A GPT just large enough for these documents: its table has a position for each token that is read.

    ValueError where there are none.
    """
    if not documents:
        raise ValueError(
            "smallest_config: there are no documents; if you read a file, its remark says why there is "
            "no text"
        )
    return gpt_config(vocab, max(map(len, documents)) - 1, width, layers=1, heads=2)


def gpt_config(vocab, positions, width, layers, heads, hidden=None):
    """The config of a GPT; its hidden layer is four times as wide, unless another width is given."""
    return {
        "vocab_size": len(vocab),
        "n_positions": positions,
        "n_embd": width,
        "n_layer": layers,
        "n_head": heads,
        "n_inner": hidden or 4 * width,
    }


def digest_of(value):
    """A number that another value would not have."""
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()


def split_documents(lines, vocab, seed):
    """The documents of lesson 14: training, validation and test set."""
    documents = [encode(line, vocab) for line in lines]
    ninth = len(documents) // 9
    return train_val_test_split(documents, ninth, ninth, random.Random(seed))


def text_of_model(path, seed, *sets):
    """What a state says of the text of lesson 14's model: where it is, how it was split, and a digest of its
    three sets."""
    return {"path": str(path), "seed": seed, "digest": digest_of(list(sets))}


def documents_of_model(text, vocab):
    """The training, validation and test set of lesson 14's model, read and split again.

    text is what lesson 14 keeps of them in the state. ValueError if they are not the same any more.
    """
    lines = read_lines(text["path"])
    sets = split_documents(lines, vocab, text["seed"]) if build_vocab(lines) == vocab else ()
    if digest_of(list(sets)) != text["digest"]:
        raise ValueError(
            f"{NOTEBOOKS.joinpath(text['path']).name} is not what lesson 14 trained on any more; "
            "run lesson 14 again"
        )
    return sets


def course_text():
    """The documents that lesson 14 trains on, their vocabulary, and the config of its model."""
    sets, vocab = course_sets()
    return sets[0], vocab, smallest_config(sum(sets, []), vocab)


def course_sets():
    """Training, validation and test set of the course's names, and their vocabulary."""
    lines = read_lines(NAMES)
    vocab = build_vocab(lines)
    return split_documents(lines, vocab, SPLIT_SEED), vocab


def about_course_text():
    """What lesson 14 says of the course's names in the state."""
    return text_of_model(NAMES, SPLIT_SEED, *course_sets()[0])


# What lesson 14 leaves, its text and its model; state.py checks what each is, the model by its own config.
TEXT = ["path", "seed", "digest"]
GPT = ["config", "vocab", "parameters", "optimizer", "step", "rng_state", "history"]


def untrained_gpt(vocab, config):
    """A GPT-2 before its first step, as it stands in a state: vocab holds its tokens."""
    rng = random.Random(SEED)
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
