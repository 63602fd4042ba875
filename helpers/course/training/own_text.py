"""A text of one's own: read, cleaned, without duplicates, split, cut and tokenized for a GPT.

A text is a list, where each line stands for itself, or it runs on from line to line. A list gives a document
for each line. A running text is cut into windows as long as the model's context.
"""

import hashlib
import itertools
import os
import random
import re
import unicodedata
from collections import Counter
from pathlib import Path

from ...byte_pairs import apply_merges, train_byte_pairs
from ...texts import comparison_key, deduplicate, normalize_text, split_text
from ...training import build_vocab, encode, train_val_test_split
from ..models.tokenizer import split_pieces
from ..reading.documents import MAX_FILE_BYTES, has_visible_character, read_documents
from ..show.display import pluralized
from ..state.names_task import MAX_LINE_LENGTH, MIN_LINES, SPLIT_SEED, digest_of

LIST, RUNNING = "list", "running"
MAX_WORDS_IN_LIST = 4  # a mean; a line of prose or of code has more words
MIN_CHARACTERS = 1000  # of a running text
MIN_REPEATED = 40  # characters of a line that is dropped when it comes again; shorter ones repeat in any text
MIN_DOCUMENTS = 10  # so many are split as a whole
PIECES = 27  # of which fewer documents are split
MAX_VOCAB = 500
MAX_PIECE = 16  # characters of a token
MAX_PIECES = 2000  # of which the byte pairs are learned: the most frequent ones
RARE = "\N{REPLACEMENT CHARACTER}"  # stands for all characters beyond MAX_VOCAB
TAB = 4  # spaces
MAX_FILES, MAX_BYTES = 10_000, 100_000_000  # that a fingerprint looks into
PIECE = 1_000_000  # bytes read at a time


# --- reading and cleaning


def read_texts(paths, fallback="cp1252"):
    """The documents of files and folders, and remarks, as read_documents gives them; ValueError if none can
    be read."""
    documents, remarks = [], []
    for path in map(Path, paths):
        texts, notes = read_documents(path, fallback)
        front = f"{path.name}/" if len(paths) > 1 and path.is_dir() else ""
        documents += [(front + name, text) for name, text in texts]
        remarks += [(front + name, note) for name, note in notes]
    remarks = [(printable(name), note) for name, note in remarks]
    if not documents:
        name = names_of(paths)
        if not remarks:
            raise ValueError(f"{name} holds no file to read")
        why = remarks[0][1].removeprefix("not read: ")
        raise ValueError(
            f"{name} gives no text: {why}" + (f", and {len(remarks) - 1} more" * (len(remarks) > 1))
        )
    return documents, remarks


def printable(name):
    r"""A name without what a terminal would obey, or cannot print.

    >>> printable("caf\udce9\x1b[2J") == "caf\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[2J"
    True
    """
    return "".join(c if c.isprintable() else RARE for c in name)


def names_of(paths):
    """The names of files and folders, at most 60 characters."""
    name = printable(", ".join(Path(os.path.abspath(path)).name for path in paths))
    return name if len(name) <= 60 else name[:59] + "…"


def clean_text(text):
    r"""Normalize a text as lesson 14b does, but keep the indentation of its lines, in spaces.

    >>> clean_text("def f():\n\treturn 'Zoe\u0308'\x00\u200b  \n\n\n\nf()")
    "def f():\n    return 'Zoë'\n\nf()"
    """
    lines = re.split(r"\r\n|[\n\r\f\v\x85\u2028\u2029]", text)
    cleaned = "\n".join(indentation(line) + normalize_text(line) for line in lines)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" +(?=\n|$)", "", cleaned)).strip("\n")


def indentation(line):
    """The spaces that a line begins with."""
    line = line.lstrip("\ufeff").expandtabs(TAB)
    return " " * (len(line) - len(line.lstrip()))


def cleaning(texts):
    """What clean_text removes from some texts, as phrases: what was there, and how often."""
    kinds = Counter()
    for text in texts:
        composed = unicodedata.normalize("NFC", text)
        kinds["letters with separate accents joined"] += len(text) - len(composed)
        for character, number in Counter(composed).items():
            if character == "\0":
                kinds["NUL bytes removed"] += number
            elif unicodedata.category(character) == "Cf":
                kinds["invisible characters removed"] += number
            elif unicodedata.category(character) == "Cc" and character not in "\t\n\r\f\v\x85":
                kinds["control characters removed"] += number
            elif character.isspace() and character not in " \t\n\r\f\v\x85\u2028\u2029":
                kinds["special spaces made ordinary"] += number
    return [f"{number:,} {what}" for what, number in kinds.items() if number]


# --- a list, or a running text


def kind_of(texts):
    """Whether each line stands for itself: short lines of few words, none of them indented."""
    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    if len(lines) < MIN_LINES:
        return RUNNING
    too_long = sum(len(line) > MAX_LINE_LENGTH for line in lines)
    indented = sum(line.startswith(" ") for line in lines)
    words = sum(len(line.split()) for line in lines)
    alike = max(too_long, indented) <= len(lines) / 20 and words <= MAX_WORDS_IN_LIST * len(lines)
    return LIST if alike else RUNNING


def lines_of_list(texts):
    """The lines of a list, each once, cut where they are longer than MAX_LINE_LENGTH, and how many were
    dropped."""
    lines = [
        piece
        for text in texts
        for line in text.split("\n")
        for piece in split_text(line.strip(), MAX_LINE_LENGTH)
    ]
    lines = [line for line in lines if has_visible_character(line)]
    kept = deduplicate(lines)
    return kept, len(lines) - len(kept)


def without_repeats(texts):
    """The documents of a running text, each once, and of their long lines the first; how many documents and
    lines were dropped."""
    kept, dropped, seen = [], 0, set()
    for text in deduplicate(texts):
        lines = []
        for line in text.split("\n"):
            key = comparison_key(line) if len(line) >= MIN_REPEATED else ""
            dropped += bool(key) and key in seen
            lines += [] if key and key in seen else [line]
            seen.add(key)
        kept.append("\n".join(lines))
    kept = [text for text in kept if has_visible_character(text)]
    return kept, len(texts) - len(kept), dropped


def pieces_of(text, n):
    """A text cut at the ends of lines, or of words, into n pieces of about the same length."""
    pieces, start = [], 0
    for i in range(1, n):
        aim = len(text) * i // n
        ends = [text.find(mark, aim, aim + len(text) // (2 * n)) for mark in "\n "]
        end = next((end + 1 for end in ends if end >= 0), aim)
        pieces.append(text[start:end])
        start = end
    return [piece for piece in [*pieces, text[start:]] if has_visible_character(piece)]


def split_by_size(units, rng):
    """Training, validation and test set of units of different sizes: about a ninth of the characters in each
    of the last two, and at least one unit in each."""
    waiting = list(units)
    rng.shuffle(waiting)
    ninth, held_out = sum(map(len, units)) / 9, []
    for _ in range(2):
        part = []
        for unit in list(waiting):
            size = sum(map(len, part))
            if size < ninth and size + len(unit) <= 1.5 * ninth:
                part.append(unit)
                waiting.remove(unit)
        if not part:  # all are large
            part = [min(waiting, key=len)]
            waiting.remove(part[0])
        held_out.append(part)
    return waiting, *held_out


# --- everything together


def prepare_text(paths, kind=None, fallback="cp1252"):
    """Read, clean, deduplicate and split: a dict with what was done in sentences, for each a name.

    `kind` is LIST or RUNNING; None means whichever fits. ValueError where there is too little text.
    """
    documents, remarks = read_texts(paths, fallback)
    raw = [text for _, text in documents]
    texts = [text for text in map(clean_text, raw) if has_visible_character(text)]
    text = {
        "name": names_of(paths),
        "kind": kind or kind_of(texts),
        "remarks": remarks,
        "files": len(documents),
        "characters": sum(map(len, texts)),
        "cleaned": cleaning(raw),
    }
    rng = random.Random(SPLIT_SEED)
    if text["kind"] == LIST:
        units, dropped = lines_of_list(texts)
        if len(units) < MIN_LINES:
            raise ValueError(
                f"{text['name']} holds {pluralized(len(units), 'line')}; give at least {MIN_LINES}, or "
                "there is nothing to hold out"
            )
        text["dropped"] = [pluralized(dropped, "line")] if dropped else []
        text["split_by"] = "line"
    else:
        units, files, lines = without_repeats(texts)
        size = sum(map(len, units))
        if size < MIN_CHARACTERS:
            raise ValueError(
                f"{text['name']} holds {pluralized(size, 'character')}; give a list of at least {MIN_LINES} "
                f"lines, or a text of {MIN_CHARACTERS:,} characters"
            )
        text["dropped"] = [pluralized(n, what) for n, what in ((files, "file"), (lines, "line")) if n]
        text["split_by"] = "file" if len(units) >= MIN_DOCUMENTS else "piece"
        if len(units) < MIN_DOCUMENTS:
            units = [piece for unit in units for piece in pieces_of(unit, max(3, PIECES * len(unit) // size))]
    text["characters_kept"] = sum(map(len, units))
    frequent = Counter(character for unit in units for character in unit)
    rare = {character for character, _ in frequent.most_common()[MAX_VOCAB:]}
    if rare:
        units = ["".join(RARE if c in rare else c for c in unit) for unit in units]
    text["rare"] = sorted(rare)
    if text["kind"] == LIST:
        ninth = max(1, len(units) // 9)
        text["train"], text["val"], text["test"] = train_val_test_split(units, ninth, ninth, rng)
    else:
        text["train"], text["val"], text["test"] = split_by_size(units, rng)
    text["vocab"] = build_vocab(units)
    text["digest"] = digest_of([text["kind"], text["train"], text["val"], text["test"]])
    return text


def windows(tokens, length):
    """Cut tokens into windows of length + 1: each token but the first is the target of one window.

    >>> windows([1, 5, 6, 7, 8, 2], 2)
    [[1, 5, 6], [6, 7, 8], [8, 2]]
    """
    return [tokens[i : i + length + 1] for i in range(0, len(tokens) - 1, length)]


def overlapping_windows(tokens, length):
    """Windows that overlap by half, each with the number of its targets that an earlier one has: so each
    token is the target of one window, with at least half a window before it where there is so much.

    >>> overlapping_windows([1, 5, 6, 7, 8, 2], 4)
    [([1, 5, 6, 7, 8], 0), ([6, 7, 8, 2], 2)]
    """
    found, start, end = [(tokens[: length + 1], 0)], 0, length
    while end < len(tokens) - 1:
        start += max(1, length // 2)
        found.append((tokens[start : start + length + 1], end - start))
        end = start + length
    return found


def learn_byte_pairs(text, n):
    """n byte pairs of the training set, without those that make a token too long: the merges, and the
    characters and tokens as the vocabulary."""
    pieces = Counter(piece for unit in text["train"] for piece in split_pieces(unit))
    words = {tuple(piece[:MAX_PIECE]): count for piece, count in pieces.most_common(MAX_PIECES)}
    merges = [list(pair) for pair in train_byte_pairs(words, n) if len("".join(pair)) <= MAX_PIECE]
    vocab = dict.fromkeys([*text["vocab"], *("".join(pair) for pair in merges)])
    return {"vocab": list(vocab), "merges": merges}


def encoded(units, spelling):
    """The tokens of each unit, from <BOS> to <EOS>; spelling has the vocabulary and the merges. All
    characters of the units are in the vocabulary."""
    if not spelling["merges"]:
        return [encode(unit, spelling["vocab"]) for unit in units]
    ids = {token: i for i, token in enumerate(spelling["vocab"])}
    ranks = {tuple(pair): rank for rank, pair in enumerate(spelling["merges"])}
    pieces, documents = {}, []
    for unit in units:
        documents.append([1])
        for piece in split_pieces(unit):
            if piece not in pieces:
                pieces[piece] = [ids[token] for token in apply_merges(tuple(piece), ranks)]
            documents[-1] += pieces[piece]
        documents[-1].append(2)
    return documents


def tokenized(units, spelling, context):
    """The documents that a model with this context trains on."""
    documents = encoded(units, spelling)
    if spelling["kind"] == LIST:
        return documents
    return [window for document in documents for window in windows(document, context)]


def files_digest(paths):
    """A number that changes when a file does, is added or removed; "" if they are not there.

    Files are read in pieces. Of those that read_documents refuses for their size, and of all after
    MAX_BYTES, only the size and the date count.
    """
    found, room = hashlib.sha256(), MAX_BYTES
    for root in map(Path, paths):
        if not root.exists():
            return ""
        files = [root] if root.is_file() else visible_files(root)
        for path in itertools.islice(files, MAX_FILES):
            name = path.relative_to(root).as_posix() if path != root else ""
            found.update(name.encode("utf-8", "surrogateescape"))
            try:
                about = path.stat()
                if about.st_size > min(room, MAX_FILE_BYTES):
                    found.update(f"\0{about.st_size}\0{about.st_mtime_ns}\0".encode())
                else:
                    found.update(f"\0{about.st_size}\0".encode())
                    room -= update_from_file(found, path, about.st_size)
            except OSError:
                found.update(b"\0unreadable\0")
    return found.hexdigest()


def update_from_file(found, path, most):
    """Let at most so many bytes of a file count in a digest; how many there were."""
    left = most
    with open(path, "rb") as file:
        while left > 0 and (piece := file.read(min(PIECE, left))):
            found.update(piece)
            left -= len(piece)
    return most - left


def visible_files(folder):
    """The files that read_documents looks at, in order: hidden ones and links are passed over, and folders
    that may not be listed."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from visible_files(entry)
        elif entry.is_file():
            yield entry
