"""The state that passes from lesson to lesson: saved whole, loaded without trusting the file, reset.

A state file is a pickle of plain data. Nothing in it is ever executed: `decode` looks at every pickle
instruction before the first one runs, and `check` at every value before anyone uses it.
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
from ...gpt import gpt_param_shapes
from .registry import GPT, course_state, is_trained, layout, lesson_names, lessons_through
from .network import CONFIG, PARAMETER_SHAPES, TOKENS

MAX_BYTES = 999_999
MAX_VALUES = 200_000  # a small file can say "the same list again" until it is endless
MAX_DEPTH = 12
MAX_TUPLES = 100  # a tuple can be a dict's key, and hashing a very deep one would crash Python
MAX_INT = 2**63 - 1
MAX_SIZES = {"V": 64, "P": 64, "D": 128, "H": 128, "K": 128, "F": 256}  # more would fill the reader's screen
MAX_WORD = 40
MAX_GPT = {"vocab_size": 1024, "n_positions": 1024, "n_embd": 1024, "n_layer": 48, "n_head": 64, "n_inner": 4096}
TRIES = 6  # Windows refuses for a moment to replace a file that somebody reads
TOLERANCE = 1e-9  # Pythons and platforms differ in the last bits

# What protocol 5 writes for the plain types. No instruction here can name a function or call one.
PLAIN_OPCODES = frozenset(
    "PROTO FRAME STOP MARK MEMOIZE BINGET LONG_BINGET NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 "
    "BINFLOAT SHORT_BINUNICODE BINUNICODE EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS "
    "EMPTY_TUPLE TUPLE1 TUPLE2 TUPLE3 TUPLE".split()
)
NOTHING_MADE = frozenset(
    "PROTO FRAME STOP MARK MEMOIZE BINGET LONG_BINGET APPEND APPENDS SETITEM SETITEMS".split()
)
TAKEN = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3, "TUPLE": None}  # off the stack; None: to the mark
PUSHED = PLAIN_OPCODES - NOTHING_MADE - TAKEN.keys()
PLAIN_TYPES = (dict, list, tuple, str, int, float, bool, type(None))
OPCODES = {opcode.code.encode("latin-1"): opcode for opcode in pickletools.opcodes}
ALWAYS = ("config", "tokens", "targets", "rng_state")
FOLLOWED = 2  # lessons, from 00 on, whose state may hold any sentence and any number of heads when it is loaded
TRAINED = "trained"  # the parameters after lesson 00's training, in the course's own sizes: in a state, or not


class StateError(Exception):
    """A state that cannot be loaded, saved or reset: which file, what is wrong, the one thing to do."""


class Refused(Exception):
    """What is wrong with a state, and what to do where that is not the usual thing; becomes a StateError."""


def load_state(lesson):
    """The state that a lesson left: the saved one, or the course's own, recomputed from the seed, where none is saved.

    A model that takes long to train is trained only where none is saved. StateError for a file that is not exactly such a state.
    """
    known(lesson)
    try:
        data = read_file(state_path(lesson))
        own = course_state(lesson, trained=data is None)
        if data is None:
            return going_on(lesson, own, [])
        state = check(lesson, decode(data))
        check_followed(lesson, state)
    except Refused as refused:
        remedy = f"Run lesson {lesson} again, or `import helpers; helpers.start_over({lesson!r})`"
        raise failure(lesson, "cannot be used", refused, remedy) from None
    return going_on(lesson, state, differences(state, own, skipped="gpt" if is_trained(lesson) else None))


def check_followed(lesson, state):
    """From lesson 03 on the text speaks of positions 0 to 4 and of two heads: Refused for other numbers of them."""
    T, H = len(state["tokens"]), state["config"]["H"]
    if len(known(lesson)) > FOLLOWED and (T, H) != (len(TOKENS), CONFIG["H"]):
        raise Refused(
            f"it holds {T} tokens and {H} heads, and the lessons from 03 on follow {len(TOKENS)} tokens and {CONFIG['H']} heads",
            "Play with other words, weights, seeds; to go back, run `import helpers; helpers.start_over()`",
        )


def save_state(lesson, state):
    """Save what a lesson leaves; StateError, and the old file as it was, for what load_state would refuse."""
    adds = known(lesson)[-1].adds
    try:
        data = pickle.dumps(check(lesson, state), protocol=5)
        check(lesson, decode(data))  # nothing is written that could not be loaded
        write_file(state_path(lesson), data)
    except Refused as refused:
        remedy = f"Run lesson {lesson} again from its first cell"
        raise failure(lesson, "was not written", refused, remedy) from None
    new = ", ".join(name for names in adds.values() for name in names)
    print(f"saved {lesson}: {', '.join(name for name in state if name != TRAINED)}" + (f" (new: {new})" if new else ""))


def start_over(lesson=None):
    """Delete every saved state, or a lesson's and all later ones; one sentence says what was deleted."""
    first = 0 if lesson is None else len(known(lesson)) - 1
    removed = [name for name in lesson_names()[first:] if remove(name)]
    print(f"Deleted the saved state of {', '.join(removed)}." if removed else "There is no saved state to delete.")


def known(lesson):
    """The lessons from the first to this one; StateError, with the near matches, if there is none."""
    try:
        return lessons_through(lesson)
    except ValueError as error:
        raise StateError(str(error)) from None


def failure(lesson, what, refused, usual_remedy):
    problem, *remedy = refused.args
    return StateError(f"{shown(lesson)} {what}: {problem}. {remedy[0] if remedy else usual_remedy}.")


# --- the file


def state_path(lesson):
    """Where a lesson's state is kept; tests name another folder, so that a learner's is never touched."""
    folder = os.environ.get("SIXTEEN_STATE") or "notebooks/state"
    return ROOT / folder / f"{lesson}.pkl"


def shown(lesson):
    """The file's name in messages: the same on every machine, because notebooks record messages."""
    return f"notebooks/state/{lesson}.pkl"


def reason(error):
    return error.strerror or type(error).__name__


def read_file(path):
    """The bytes of a regular file of at most MAX_BYTES; None if there is no file."""
    try:
        require_file(os.stat(path))
        with open(path, "rb", opener=at_once) as file:
            require_file(os.fstat(file.fileno()))  # somebody may have put another thing there meanwhile
            data = file.read(MAX_BYTES + 1)
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


def at_once(path, flags):
    """Open without waiting: a pipe that nobody writes to would wait for ever."""
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
    remedy = "Make room and allow writing in notebooks/state, then run this cell again"
    return Refused(f"the disk refused ({reason(error)})", remedy)


def write_once(path, data):
    temporary = path.with_name(f"{path.name}.{os.urandom(8).hex()}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(temporary, "xb") as file:
            file.write(data)
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
    """Delete what killed saves of this file left, if it was written before a time: a younger one is at work."""
    for leftover in path.parent.glob(f"{path.name}.*.tmp"):
        try:
            if os.stat(leftover).st_mtime < before:
                os.unlink(leftover)
        except OSError:
            pass  # another save was quicker, or the file is not ours: the next save looks again


def remove(lesson):
    """Delete a lesson's state and what killed saves left of it; True if there was a state."""
    path = state_path(lesson)
    try:
        remove_leftovers(path)
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StateError(f"{shown(lesson)} cannot be deleted ({reason(error)}). Remove it by hand.") from None
    return True


# --- from bytes to plain data


def decode(data):
    """The plain data in a pickle; Refused for anything else, and nothing is executed on the way."""
    if len(data) > MAX_BYTES:
        raise Refused("it is larger than any state, which is under 1 MB")
    try:
        inspect_opcodes(data)
        return PlainUnpickler(io.BytesIO(data)).load()
    except Refused:
        raise
    except Exception:  # damaged bytes make the pickle machinery raise errors of every kind
        raise Refused("it is damaged, or no saved state at all") from None


def inspect_opcodes(data):
    """Read a pickle's instructions without running one; Refused unless all are those of plain data."""
    file, kinds, made, tuples = io.BytesIO(data), Kinds(), 0, 0
    name = None
    while name != "STOP":
        opcode = OPCODES[file.read(1)]
        name = opcode.name
        if name not in PLAIN_OPCODES:  # before its argument is read, which may be a number of a million digits
            raise Refused(f"it holds more than plain data (the pickle instruction {name})")
        argument = opcode.arg.reader(file) if opcode.arg else None
        if type(argument) is int and abs(argument) > MAX_INT:
            raise Refused("it holds a whole number of more than 64 bits")
        kinds.follow(name, argument)
        tuples += "TUPLE" in name
        made += name not in NOTHING_MADE
        if tuples > MAX_TUPLES:
            raise Refused(f"it holds more than {MAX_TUPLES} tuples, where a state has lists")
        if made > MAX_VALUES:
            raise Refused(f"it holds more than {MAX_VALUES} values, or holds itself")
    if file.read(1):
        raise Refused("something follows after its end")


class Kinds:
    """The stack of the pickle machinery, but of every value only whether it is a text: a dict's key must be one.

    Whole numbers can be chosen so that a dict takes minutes to tell them apart, deaf to Ctrl-C; texts cannot.
    """

    def __init__(self):
        self.stack, self.marks, self.memo = [], [], []

    def follow(self, name, argument):
        if name in PUSHED:
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
        elif name in TAKEN:
            self.pop(TAKEN[name])
            self.stack.append(False)

    def pop(self, count):
        """The uppermost values, or those above the last mark."""
        start = self.marks.pop() if count is None else len(self.stack) - count
        taken = self.stack[start:]
        del self.stack[start:]
        return taken


class PlainUnpickler(pickle.Unpickler):
    """Looks nothing up: a second lock behind inspect_opcodes."""

    def find_class(self, module, name):
        raise Refused("it names something outside itself")

    def persistent_load(self, pid):
        raise Refused("it names something outside itself")


# --- from plain data to a state


def check(lesson, state):
    """The state itself, if it is exactly what that lesson leaves; Refused, saying what is wrong, if not."""
    check_plain(state)
    check_lesson(lesson, state)
    kept = [TRAINED] if type(state) is dict and TRAINED in state else []
    check_names("the state", state, [*ALWAYS, *layout(lesson), *kept])
    check_config(state["config"])
    check_tokens(state["config"], state["tokens"], state["targets"])
    check_stream(state["rng_state"])
    lengths = {**state["config"], "T": len(state["tokens"]), "T-1": len(state["targets"]), "1": 1}
    for section, shapes in layout(lesson).items():
        if section == "gpt":
            check_gpt(state["gpt"])
        else:
            check_shapes(section, state[section], shapes, lengths)
    if "optimizer" in state:
        check_step(state["optimizer"]["step"])
    if kept:
        check_shapes(TRAINED, state[TRAINED], PARAMETER_SHAPES, CONFIG)
    return state


def check_plain(state):
    """Built-in types only, at most MAX_DEPTH deep, MAX_VALUES in all: level by level, so nothing recurses."""
    level, count = [state], 1
    for _ in range(MAX_DEPTH):
        deeper = []
        for value in level:
            inside = check_value(value)
            count += len(inside)
            if count > MAX_VALUES:
                raise Refused(f"it holds more than {MAX_VALUES} values, or holds itself")
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


def check_lesson(lesson, state):
    others = [other for other in lesson_names() if has_names_of(other, state)]
    if others and lesson not in others:
        raise Refused(f"it holds the state of {others[0]}")


def has_names_of(lesson, state):
    sections = layout(lesson)
    if type(state) is not dict or state.keys() - {TRAINED} != {*ALWAYS, *sections}:
        return False
    return all(
        type(state[section]) is dict and state[section].keys() == names.keys()
        for section, names in sections.items()
    )


def check_names(where, value, names):
    """A dict with exactly these names."""
    if type(value) is not dict:
        raise Refused(f"{where} is a {type(value).__name__}, not a dict")
    for name in names:
        if name not in value:
            raise Refused(f"{name} is missing from {where}")
    for name in value:
        if name not in names:
            raise Refused(f"{name!a:.40} does not belong in {where}")


def check_config(config):
    """Sizes that fit each other, and a vocabulary of that size."""
    check_names("config", config, CONFIG)
    sizes = {letter: size for letter, size in config.items() if letter != "vocabulary"}
    for letter, size in sizes.items():
        if type(size) is not int or not 1 <= size <= MAX_SIZES[letter]:
            raise Refused(f"config {letter} is not a whole number from 1 to {MAX_SIZES[letter]}")
    if config["H"] * config["K"] != config["D"]:
        raise Refused("config H times K is not D")
    words = config["vocabulary"]
    if type(words) is not list or len(words) != config["V"] or any(type(word) is not str for word in words):
        raise Refused("config vocabulary is not a list of V strings")
    if any(len(word) > MAX_WORD for word in words):
        raise Refused(f"a word in config vocabulary has more than {MAX_WORD} letters")


def check_tokens(config, tokens, targets):
    """At least two tokens, at most one per position; one target fewer; all in the vocabulary."""
    for name, ids in [("tokens", tokens), ("targets", targets)]:
        if type(ids) is not list or any(type(i) is not int or not 0 <= i < config["V"] for i in ids):
            raise Refused(f"{name} is not a list of whole numbers from 0 to V-1")
    if not 2 <= len(tokens) <= config["P"]:
        raise Refused("tokens has fewer than 2 entries or more than P")
    if len(targets) != len(tokens) - 1:
        raise Refused("targets does not have one entry fewer than tokens")


def check_stream(rng_state, where="rng_state"):
    """What random.Random().getstate() gives; setstate alone would let a text pass as the spare number."""
    try:
        version, words, spare = rng_state
        random.Random().setstate(rng_state)
        good = version == 3 and all(type(word) is int and 0 <= word < 2**32 for word in words)
    except Exception:
        good = False
    if not good or type(rng_state) is not tuple or type(spare) not in (float, type(None)):
        raise Refused(f"{where} is not the state of a random.Random")


def check_shapes(where, value, shapes, lengths):
    """The named values of a section, each a nest of lists as long as its letters say."""
    if type(shapes) is not dict:
        return check_tensor(where, value, [lengths[letter] for letter in shapes])
    check_names(where, value, shapes)
    for name in shapes:
        check_shapes(f"{where} {name}", value[name], shapes[name], lengths)


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


def check_step(step, where="optimizer step"):
    """A count: after −1 or nan steps the next one would divide by zero, or by nan."""
    if type(step) is not int or step < 0:
        raise Refused(f"{where} is not a whole number of at least 0")


def check_gpt(gpt):
    """Part II's model: names and shapes by its own config, and what training remembers of it."""
    check_names("gpt", gpt, GPT)
    config, vocab = gpt["config"], gpt["vocab"]
    check_names("gpt config", config, MAX_GPT)
    for name, size in config.items():
        if type(size) is not int or not 1 <= size <= MAX_GPT[name]:
            raise Refused(f"gpt config {name} is not a whole number from 1 to {MAX_GPT[name]}")
    if config["n_embd"] % config["n_head"]:
        raise Refused("gpt config n_head does not divide n_embd")
    if type(vocab) is not list or len(vocab) != config["vocab_size"] or any(type(c) is not str for c in vocab):
        raise Refused("gpt characters is not a list of vocab_size strings")
    if any(len(c) > MAX_WORD for c in vocab):
        raise Refused(f"a string in gpt characters has more than {MAX_WORD} letters")
    sizes, optimizer = gpt_param_shapes(config), gpt["optimizer"]
    check_names("gpt optimizer", optimizer, ["step", "m", "v"])
    parts = {"gpt parameters": gpt["parameters"], **{f"gpt optimizer {name}": optimizer[name] for name in "mv"}}
    for where, tensors in parts.items():
        check_names(where, tensors, sizes)
        for name, size in sizes.items():
            check_tensor(f"{where} {name}", tensors[name], size)
    check_step(optimizer["step"], "gpt optimizer step")
    check_step(gpt["step"], "gpt step")
    check_stream(gpt["rng_state"], "gpt rng_state")
    if type(gpt["history"]) is not list:
        raise Refused("gpt history is not a list")


# --- yours or the course's


def going_on(lesson, state, names):
    """The state, and one line that says whose numbers it holds; if they differ, it names the first of what differs.

    Whether a state was saved or recomputed makes no difference to what is said: what a notebook shows stays the same.
    """
    if not names and is_trained(lesson):
        print(f"Going on from {lesson}, with a model that was trained for {state['gpt']['step']:,} steps.")
    elif not names:
        print(f"Going on from {lesson}, with the course's own numbers.")
    else:
        listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        print(
            f"{shown(lesson)} differs from the course's own in {listed}. Going on with yours; "
            "to go back, run `import helpers; helpers.start_over()` and then this lesson again."
        )
    return state


def differences(state, own, skipped=None):
    """The names of what differs from the course's own state; a model that takes long to train is nobody's but its reader's."""
    theirs, ours = parts(state), parts({name: value for name, value in own.items() if name != skipped})
    return [name for name, value in ours.items() if not same(theirs[name], value)]


def parts(state):
    """What is compared on its own, by name: config, tokens, ..., parameters E_token, ..., optimizer m E_token, ..."""
    named = {}
    for section, value in state.items():
        if type(value) is dict and section != "config":
            named.update({f"{section} {name}": part for name, part in parts(value).items()})
        else:
            named[section] = value
    return named


def same(got, own):
    """Equal, but for floats within TOLERANCE of the largest one in own."""
    got, own = list(leaves(got)), list(leaves(own))
    sizes = [abs(x) for x in own if type(x) is float and math.isfinite(x)]
    tolerance = TOLERANCE * max(sizes, default=0.0)
    return len(got) == len(own) and all(alike(a, b, tolerance) for a, b in zip(got, own, strict=True))


def alike(a, b, tolerance):
    return a == b or (type(b) is float and type(a) in (int, float) and abs(a - b) <= tolerance)


def leaves(value):
    """What a nest holds, from left to right, with the length of every list and the names of every dict."""
    if type(value) is dict:
        value = sorted(value.items())
    if type(value) in (list, tuple):
        yield len(value)
        for entry in value:
            yield from leaves(entry)
    else:
        yield value
