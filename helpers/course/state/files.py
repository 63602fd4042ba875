"""Files of plain data: written in one step, and read without trusting them.

A file is a pickle. Nothing in it is ever executed: `unpickle` looks at every instruction before the first one
runs, and `check_plain` at every value.
"""

import io
import math
import os
import pickle
import pickletools
import random
import stat
import time

from .. import ROOT

MAX_BYTES = 999_999
MAX_VALUES = 200_000  # a small file can say "the same list again" until it is endless
VALUES_OF_CONTAINER = 4  # what an empty list costs, in plain values
MAX_DEPTH = 12
MAX_TUPLES = 100  # a tuple can be a dict's key, and hashing a very deep one would crash Python
MAX_INT = 2**63 - 1
TRIES = 6  # Windows refuses for a moment to replace a file that another program reads
# What protocol 5 writes for the plain types. No instruction here can name a function or call one.
PLAIN_OPCODES = frozenset(
    "PROTO FRAME STOP MARK MEMOIZE BINGET LONG_BINGET NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 "
    "BINFLOAT SHORT_BINUNICODE BINUNICODE EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS "
    "EMPTY_TUPLE TUPLE1 TUPLE2 TUPLE3 TUPLE".split()
)
NOTHING_MADE = frozenset(
    "PROTO FRAME STOP MARK MEMOIZE BINGET LONG_BINGET APPEND APPENDS SETITEM SETITEMS".split()
)
# off the stack; None: to the mark
POPS = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3, "TUPLE": None}
PUSHES = PLAIN_OPCODES - NOTHING_MADE - POPS.keys()
PLAIN_TYPES = (dict, list, tuple, str, int, float, bool, type(None))
OPCODES = {opcode.code.encode("latin-1"): opcode for opcode in pickletools.opcodes}


class StateError(Exception):
    """A state that cannot be loaded, saved or reset: which file, what is wrong, the one thing to do."""


class Refused(Exception):
    """What is wrong with a state, and what to do where that is not the usual thing; becomes a StateError."""


def state_error(name, what, refused, usual_remedy):
    """The StateError about a file, with the remedy that the refusal names, or else the usual one."""
    problem, *remedy = refused.args
    return StateError(f"{displayed_path(name)} {what}: {problem}. {remedy[0] if remedy else usual_remedy}.")


def state_path(lesson):
    """Where a lesson's state is kept; tests name another folder, so that a learner's is never touched."""
    folder = os.environ.get("SIXTEEN_STATE") or "notebooks/state"
    return ROOT / folder / f"{lesson}.pkl"


def displayed_path(lesson):
    """The file's name in messages: the same on every machine, because notebooks record messages."""
    return f"notebooks/state/{lesson}.pkl"


def reason(error):
    return error.strerror or type(error).__name__


def read_file(path, max_bytes=MAX_BYTES):
    """The bytes of a regular file, at most one more than max_bytes; None if there is no file."""
    try:
        require_file(os.stat(path))
        with open(path, "rb", opener=open_nonblocking) as file:
            require_file(os.fstat(file.fileno()))  # another program may have replaced the file
            data = file.read(max_bytes + 1)
    except FileNotFoundError:
        if os.path.islink(path):
            raise Refused("it is a link to nothing") from None
        return None
    except OSError as error:
        raise Refused(f"it cannot be read ({reason(error)})") from None
    return data


def require_file(status):
    if not stat.S_ISREG(status.st_mode):
        raise Refused("it is a folder or a device, not a file", "Remove it by hand")


def open_nonblocking(path, flags):
    """Open without waiting: a pipe without a writer would wait for ever."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_file(path, data):
    """Replace a file in one step: whatever happens on the way, the old file or the new one is there."""
    for left in reversed(range(TRIES)):
        try:
            return write_once(path, data)
        except FileNotFoundError as error:  # start_over in another notebook has cleaned up meanwhile
            if not left:
                raise disk_refused(error) from None
        except OSError as error:
            if path.parent.is_symlink() and not path.parent.exists() or path.parent.is_file():
                raise Refused("notebooks/state is no folder", "Remove it by hand") from None
            raise disk_refused(error) from None


def disk_refused(error):
    remedy = "Make room and allow writing in notebooks/state, then try again"
    return Refused(f"the disk refused ({reason(error)})", remedy)


def write_once(path, data):
    """data is bytes, or bytes piece by piece."""
    temporary = path.with_name(f"{path.name}.{os.urandom(8).hex()}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(temporary, "xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        remove_leftovers(path, os.stat(temporary).st_mtime - 60)
        replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def replace(source, target):
    """os.replace, tried again for half a second."""
    for left in reversed(range(TRIES)):
        try:
            return os.replace(source, target)
        except PermissionError:
            if not left:
                raise
            time.sleep(0.1)


def remove_leftovers(path, before=math.inf):
    """Delete the temporary files that interrupted saves of this file left behind.

    A file written at or after the time `before` stays: its save may still be running.
    """
    for leftover in path.parent.glob(f"{path.name}.*.tmp"):
        try:
            if os.stat(leftover).st_mtime < before:
                os.unlink(leftover)
        except OSError:
            pass  # another save was quicker, or the file is not ours: the next save looks again


def remove_state(lesson):
    """Delete a lesson's state and what killed saves left of it; True if there was a state."""
    path = state_path(lesson)
    try:
        remove_leftovers(path)
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StateError(
            f"{displayed_path(lesson)} cannot be deleted ({reason(error)}). Remove it by hand."
        ) from None
    return True


def unpickle(data, max_bytes=MAX_BYTES, max_values=MAX_VALUES):
    """The plain data in a pickle; Refused for anything else, and nothing is executed on the way."""
    if len(data) > max_bytes:
        raise Refused(f"it is larger than any state, which is under {(max_bytes + 1) // 1_000_000} MB")
    try:
        inspect_opcodes(data, max_values)
        return PlainUnpickler(io.BytesIO(data)).load()
    except Refused:
        raise
    except Exception:  # damaged bytes make the pickle machinery raise errors of every kind
        raise Refused("it is damaged, or no saved state at all") from None


def inspect_opcodes(data, max_values=MAX_VALUES):
    """Read a pickle's instructions without running one; Refused unless all are those of plain data."""
    file, key_types, made, tuples = io.BytesIO(data), KeyTypes(), 0, 0
    name = None
    while name != "STOP":
        opcode = OPCODES[file.read(1)]
        name = opcode.name
        if name not in PLAIN_OPCODES:  # its argument, not read yet, may be a number of a million digits
            raise Refused(f"it holds more than plain data (the pickle instruction {name})")
        argument = opcode.arg.reader(file) if opcode.arg else None
        if type(argument) is int and abs(argument) > MAX_INT:
            raise Refused("it holds a whole number of more than 64 bits")
        key_types.follow(name, argument)
        tuples += "TUPLE" in name
        made += VALUES_OF_CONTAINER if name in ("EMPTY_LIST", "EMPTY_DICT") else name not in NOTHING_MADE
        if tuples > MAX_TUPLES:
            raise Refused(f"it holds more than {MAX_TUPLES} tuples, where a state has lists")
        if made > max_values:
            raise Refused(f"it holds more than {max_values} values, or holds itself")
    if file.read(1):
        raise Refused("something follows after its end")


class KeyTypes:
    """The stack of the pickle machinery, but of every value only whether it is a text: a dict's key must
    be one.

    Whole numbers can be chosen so that a dict takes minutes to compare them, and Ctrl-C has no effect
    meanwhile; texts cannot.
    """

    def __init__(self):
        self.stack, self.marks, self.memo = [], [], []

    def follow(self, name, argument):
        if name in PUSHES:
            self.stack.append(name in ("SHORT_BINUNICODE", "BINUNICODE"))
        elif name == "MARK":
            self.marks.append(len(self.stack))
        elif name == "MEMOIZE":
            self.memo.append(self.stack[-1])
        elif name in ("BINGET", "LONG_BINGET"):
            self.stack.append(self.memo[argument])
        elif name in ("SETITEM", "SETITEMS"):
            entries = self.pop(2 if name == "SETITEM" else None)
            if not all(entries[::2]):
                raise Refused("a dict in it has a key that is not a string")
        elif name in ("APPEND", "APPENDS"):
            self.pop(1 if name == "APPEND" else None)
        elif name in POPS:
            self.pop(POPS[name])
            self.stack.append(False)

    def pop(self, count):
        """The uppermost values, or those above the last mark."""
        start = self.marks.pop() if count is None else len(self.stack) - count
        taken = self.stack[start:]
        del self.stack[start:]
        return taken


class PlainUnpickler(pickle.Unpickler):
    """Looks up no name: a second check after inspect_opcodes."""

    def find_class(self, module, name):
        raise Refused("it names something outside itself")

    def persistent_load(self, pid):
        raise Refused("it names something outside itself")


def check_plain(state, max_values=MAX_VALUES):
    """Built-in types only, at most MAX_DEPTH deep, max_values in all: level by level, so nothing recurses."""
    level, count = [state], 1
    for _ in range(MAX_DEPTH):
        deeper = []
        for value in level:
            inside = check_value(value)
            count += len(inside)
            if count > max_values:
                raise Refused(f"it holds more than {max_values} values, or holds itself")
            deeper += inside
        level = deeper
    if level:
        raise Refused(f"it is nested more than {MAX_DEPTH} deep, or holds itself")


def check_value(value):
    """One value on its own; returns what is inside it."""
    kind = type(value)
    if kind not in PLAIN_TYPES:
        raise Refused(f"it holds {kind.__name__!a:.40}, and a state has built-in types only")
    if kind is int and abs(value) > MAX_INT:
        raise Refused("it holds a whole number of more than 64 bits")
    if kind is str and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise Refused("a text in it holds half a character, which cannot be printed")
    if kind is dict and any(type(key) is not str for key in value):
        raise Refused("a dict in it has a key that is not a string")
    return [*value, *value.values()] if kind is dict else value if kind in (list, tuple) else ()


def require_names(where, value, names):
    """A dict with exactly these names."""
    if type(value) is not dict:
        raise Refused(f"{where} is a {type(value).__name__}, not a dict")
    for name in names:
        if name not in value:
            raise Refused(f"{name} is missing from {where}")
    for name in value:
        if name not in names:
            raise Refused(f"{name!a:.40} does not belong in {where}")


def check_rng_state(rng_state, where="rng_state"):
    """What random.Random().getstate() gives; setstate alone would let a text pass as the spare number."""
    try:
        version, words, spare = rng_state
        random.Random().setstate(rng_state)
        good = version == 3 and all(type(word) is int and 0 <= word < 2**32 for word in words)
    except Exception:
        good = False
    if not good or type(rng_state) is not tuple or type(spare) not in (float, type(None)):
        raise Refused(f"{where} is not the state of a random.Random")


def check_tensor(where, value, lengths):
    if not lengths:
        if type(value) not in (int, float):
            raise Refused(f"{where} is a {type(value).__name__}, not a number")
        return
    if type(value) is not list:
        raise Refused(f"{where} is a {type(value).__name__}, not a list")
    if len(value) != lengths[0]:
        raise Refused(f"{where} has {len(value)} entries, not {lengths[0]}")
    for i, entry in enumerate(value):
        check_tensor(f"{where}[{i}]", entry, lengths[1:])


def check_tensors(where, tensors, sizes):
    """A dict with exactly these names, each a tensor of its size."""
    require_names(where, tensors, sizes)
    for name, lengths in sizes.items():
        check_tensor(f"{where} {name}", tensors[name], lengths)


def check_step(step, where="optimizer step"):
    """A count: after −1 or nan steps the next one would divide by zero, or by nan."""
    if type(step) is not int or step < 0:
        raise Refused(f"{where} is not a whole number of at least 0")
