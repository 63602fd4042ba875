"""What it may cost to read one file. Every reader charges its work, and the memory of what it keeps."""

from contextlib import contextmanager

MAX_UNPACKED_BYTES = 20_000_000  # a small file may unpack to terabytes
# A step is about 25 ns: a character scanned is one, a value made is many. The pages of a book, unpacked,
# take 25 steps a byte.
MAX_STEPS = 25 * MAX_UNPACKED_BYTES
STEPS_OF_ANY_FILE = 25_000_000
STEPS_PER_BYTE = 500  # of the file, whose pages may be packed twentyfold
STEPS_OF_VALUE = 50
MAX_MEMORY = 180_000_000  # bytes, in addition to the file and what it unpacks to
MEMORY_OF_VALUE = 225  # of a PDF; some need less
MEMORY_OF_STRING = 64  # without its characters, which the file holds


class Unreadable(ValueError):
    """Why a file is not read: a sentence for whoever gave it."""


class Budget:
    """What is left of the work and the memory for a file of n bytes.

    A reader charges before it makes something, so that a refusal comes before the memory is full. It may
    set `memory` back to an earlier value once it has dropped what it made since.

    >>> Budget(9).charge(memory=10**9)
    Traceback (most recent call last):
    helpers.course.reading.budget.Unreadable: reading it takes more than 180,000,000 bytes of memory
    """

    def __init__(self, n):
        self.unpacked = MAX_UNPACKED_BYTES
        self.steps = self.max_steps = min(MAX_STEPS, STEPS_OF_ANY_FILE + STEPS_PER_BYTE * n)
        self.memory = MAX_MEMORY

    def charge(self, steps=0, memory=0):
        self.steps -= steps
        self.memory -= memory
        if self.steps < 0:
            raise Unreadable(f"reading it takes more than {self.max_steps:,} steps")
        if self.memory < 0:
            raise Unreadable(f"reading it takes more than {MAX_MEMORY:,} bytes of memory")

    def charge_unpacked(self, n):
        self.unpacked -= n
        if self.unpacked < 0:
            raise Unreadable(f"it unpacks to more than {MAX_UNPACKED_BYTES:,} bytes")
        self.charge(steps=n + 10 * STEPS_OF_VALUE)


@contextmanager
def damage_in(part):
    """Say which part of a file is damaged, whatever the error that its values or its library raised."""
    try:
        yield
    except (Unreadable, OSError, MemoryError):
        raise
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    except Exception:
        raise Unreadable(f"it is damaged: {part} cannot be read") from None
