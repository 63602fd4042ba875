"""Files that `python3 -m helpers chat` keeps beside the model, so that it starts faster.

One that is missing, damaged, or made for another model or text is made again without an error message.
"""

import contextlib
import functools
import hashlib
from array import array
from itertools import chain

from ..models.rows import FRACTION, MAX_NUMBER, TOGETHER, Rows, quicker
from ..show.status import working
from ..state.files import write_once

DIGEST = 32  # bytes


class Damaged(Exception):
    """A file is shorter than what is read from it."""


class Kept:
    """A file beside the model, made for what a text describes; the text names the model by its SHA-256."""

    def __init__(self, path, name, made_for):
        self.path = path.with_suffix(f".{name}.kept")
        self.head = hashlib.sha256(f"2 {name} {made_for}".encode()).digest()

    def load(self, make):
        """make(read), where read(n) gives the next n bytes; None if the file is not whole and fitting."""
        with contextlib.suppress(OSError, Damaged), open(self.path, "rb") as file:
            digest = hashlib.sha256()

            def read(n):
                data = file.read(n)
                if len(data) < n:
                    raise Damaged
                digest.update(data)
                return data

            if read(len(self.head)) == self.head:
                made = make(read)
                if file.read(DIGEST + 1) == digest.digest():
                    return made
        return None

    def save(self, parts):
        """Write these bytes, piece by piece. Where the disk refuses, nothing is left, and False is given."""
        with contextlib.suppress(OSError):
            write_once(self.path, with_digest(chain([self.head], parts)))
            return True
        return False


def with_digest(parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
        yield part
    yield digest.digest()


# --- keys and values


def cache_from(read, config, n):
    """The keys and values of n tokens."""
    k = config["n_embd"] // config["n_head"]
    numbers = array("d", read(8 * 2 * config["n_layer"] * config["n_kv_head"] * n * k)).tolist()
    rows = iter([numbers[i : i + k] for i in range(0, len(numbers), k)])
    return {
        f"blk.{i}.{name}": [[next(rows) for _ in range(n)] for _ in range(config["n_kv_head"])]
        for i in range(config["n_layer"])
        for name in "KV"
    }


def cache_bytes(cache):
    return [array("d", row).tobytes() for heads in cache.values() for head in heads for row in head]


# --- rounded rows


def quicken(model, path, digest):
    """Let a model read in less time, by rows from a file or computed now; the file if it was written now."""
    kept = Kept(path, "columns", f"{digest} {MAX_NUMBER} {FRACTION}")
    if kept.load(lambda read: quicker(model, functools.partial(Rows, read=read))):
        return None
    with working("SmolLM2 gets ready", 1 + len(TOGETHER) * model.config["n_layer"]) as step:
        made = quicker(model, step(Rows))
    return kept.path if kept.save(chain.from_iterable(rows.kept() for rows in made)) else None
