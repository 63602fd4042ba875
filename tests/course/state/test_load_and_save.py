"""The state: loaded strictly, saved whole or not at all, compared with the course's own, reset.

The tests call load_state, save_state and start_over, and look at files. A learner's state is never
touched: every test works in a folder of its own.
"""

import builtins
import copyreg
import functools
import os
import pickle
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from helpers.course.state import registry as lessons_module
from helpers.course.state.files import Refused, StateError
from helpers.course.state.load_and_save import check_text, load_state, save_state, start_over
from helpers.course.state.registry import Lesson, lesson_names
from notebooks import ROOT

FIRST, LESSON = "00_start_here", "01_tokens_and_embeddings"
TRAINED = "11_adamw"  # parameters, activations, gradients and an optimizer


@functools.cache
def pickled(lesson):
    """The course's own state, computed once for all tests."""
    return pickle.dumps(lessons_module.course_state(lesson), protocol=5)


def course_state(lesson):
    return pickle.loads(pickled(lesson))


GOOD = pickled(LESSON)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """The folder of the states, empty; the working folder is where a hostile file would leave its mark."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    (tmp_path / "state").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "state"


def executed():
    return os.path.exists("executed")


def put(folder, data, lesson=LESSON):
    (folder / f"{lesson}.pkl").write_bytes(data)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def refusal(folder, function, *arguments, lesson=LESSON):
    """The message of the one exception: one line, naming file and remedy, and no folder of this machine."""
    with pytest.raises(StateError) as caught:
        function(*arguments)
    message = str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    assert message.startswith(f"notebooks/state/{lesson}.pkl "), message
    assert re.search(
        r"\. (Run lesson .* again|Remove it by hand|Make room .*)[^.]*(helpers\.start_over.*)?\.$", message
    ), message
    assert message.isascii() and message.isprintable() and len(message) < 300
    assert str(folder.parent) not in message and not executed()
    return message


def run(code, **options):
    """Python in a process of its own, for what could hang or kill this one."""
    command = [sys.executable, "-c", code]
    options = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8", "timeout": 60, **options}
    return subprocess.run(command, **options)


# --- the normal case

OWN_NUMBERS = "Going on from {}, with the course's own numbers.\n"


@pytest.mark.parametrize("lesson", lesson_names())
def test_what_is_saved_is_loaded(folder, capsys, lesson):
    assert save_state(lesson, course_state(lesson)) is None
    assert capsys.readouterr().out.count("\n") == 1
    assert load_state(lesson) == course_state(lesson)
    untrained = f"Going on from {lesson}, with a model that was trained for 0 steps.\n"
    assert capsys.readouterr() == (untrained if lesson >= "14" else OWN_NUMBERS.format(lesson), "")
    assert files(folder) == [f"{lesson}.pkl"]


def test_saving_says_what_was_saved(capsys):
    save_state(LESSON, course_state(LESSON))
    saved = "config, tokens, targets, parameters, activations, rng_state (new: E_token, E_pos, X)"
    assert capsys.readouterr().out == f"saved {LESSON}: {saved}\n"


def test_the_standard_library_opens_a_saved_state(folder):
    save_state(LESSON, course_state(LESSON))
    with open(folder / f"{LESSON}.pkl", "rb") as file:
        assert pickle.load(file) == course_state(LESSON)
    assert (folder / f"{LESSON}.pkl").read_bytes()[:2] == b"\x80\x05"  # protocol 5
    save_state(TRAINED, course_state(TRAINED))
    assert (folder / f"{TRAINED}.pkl").stat().st_size < 200_000  # the fullest of Part I; 1 MB is allowed


def test_without_a_saved_state_the_course_s_own_is_recomputed(folder, capsys):
    assert load_state(LESSON) == course_state(LESSON)
    assert capsys.readouterr().out == OWN_NUMBERS.format(LESSON)  # so a recorded notebook stays the same
    assert files(folder) == []
    folder.rmdir()
    assert load_state(LESSON) == course_state(LESSON)
    save_state(LESSON, course_state(LESSON))  # which makes the folder
    assert files(folder) == [f"{LESSON}.pkl"]


SAVING = f"""
import os
from helpers import load_state, save_state
state = load_state({FIRST!r})
for folder in (None, "", "made/mine"):  # the last one relative to the project, as a command sees it
    if folder is not None:
        os.environ["SIXTEEN_STATE"] = folder
    save_state({FIRST!r}, state)
    print(*sorted(path for path in ("notebooks/state", "made/mine") if os.path.exists(path + "/{FIRST}.pkl")))
"""


def test_without_the_variable_the_state_is_beside_the_notebooks(copy_of_course, monkeypatch):
    monkeypatch.delenv("SIXTEEN_STATE")
    done = run(SAVING, cwd=copy_of_course)
    printed = ["notebooks/state", "notebooks/state", "made/mine notebooks/state"]
    assert done.stdout.splitlines()[2::2] == printed, done.stderr


@pytest.mark.parametrize("function", [load_state, start_over, lambda lesson: save_state(lesson, {})])
def test_an_unknown_lesson_gets_the_near_matches(folder, function):
    put(folder, GOOD)
    for asked in ("01_tokens", "01_token_and_embeddings", f"../state/{LESSON}"):
        with pytest.raises(StateError, match=f"no lesson .*did you mean {LESSON}"):
            function(asked)
    assert files(folder) == [f"{LESSON}.pkl"]


# --- hostile files: each of these runs code when the standard library opens it


class Trap:
    """Runs code when it is made with an argument, and when its state is set."""

    def __new__(cls, *arguments, **named):
        if arguments or named:
            os.mkdir("executed")
        return super().__new__(cls)

    def __setstate__(self, content):
        os.mkdir("executed")


class Reduced:
    def __reduce__(self):
        return os.mkdir, ("executed",)


TRAP = f"c{__name__}\nTrap\n".encode()
HOSTILE = [
    ("GLOBAL, REDUCE, protocol 0", b"cos\nmkdir\n(S'executed'\ntR."),
    ("GLOBAL, REDUCE, protocol 2", b"\x80\x02cos\nmkdir\nX\x08\x00\x00\x00executed\x85R."),
    ("STACK_GLOBAL, REDUCE", b"\x80\x05\x8c\x02os\x8c\x05mkdir\x93\x8c\x08executed\x85R."),
    ("STACK_GLOBAL, by the memo", b"\x80\x05\x8c\x05mkdir\x94\x8c\x02osh\x00\x93\x8c\x08executed\x85R."),
    ("builtins.exec", b"cbuiltins\nexec\n(S'import os; os.mkdir(\"executed\")'\ntR."),
    ("copyreg.__newobj__", b"ccopyreg\n__newobj__\n(" + TRAP + b"I1\ntR."),
    ("INST", b"(S'executed'\nios\nmkdir\n."),
    ("OBJ", b"(cos\nmkdir\nS'executed'\no."),
    ("NEWOBJ", b"\x80\x02" + TRAP + b"K\x01\x85\x81."),
    ("NEWOBJ_EX", b"\x80\x04" + TRAP + b")}\x8c\x01aK\x01s\x92."),
    ("BUILD", b"\x80\x02" + TRAP + b")\x81}b."),
    ("EXT1", b"\x80\x02\x82\xc8X\x08\x00\x00\x00executed\x85R."),
    ("EXT2", b"\x80\x02\x83\xc8\x00X\x08\x00\x00\x00executed\x85R."),
    ("EXT4", b"\x80\x02\x84\xc8\x00\x00\x00X\x08\x00\x00\x00executed\x85R."),
    ("before a good state, and dropped", b"\x80\x05cos\nmkdir\n\x8c\x08executed\x85R0" + GOOD[2:]),
    ("in a good state", GOOD[:-1] + b"\x8c\x05extracos\nmkdir\n\x8c\x08executed\x85Rs."),
    ("as a key of a good state", GOOD[:-1] + b"cos\nmkdir\n\x8c\x08executed\x85RNs."),
    *[(f"__reduce__, {p}", pickle.dumps({"config": [Reduced()]}, protocol=p)) for p in range(6)],
]


@pytest.fixture
def extension():
    copyreg.add_extension("os", "mkdir", 200)
    yield
    copyreg.remove_extension("os", "mkdir", 200)


@pytest.mark.parametrize("what, data", HOSTILE, ids=[what for what, _ in HOSTILE])
def test_nothing_in_a_hostile_file_is_executed(folder, extension, capfd, what, data):
    put(folder, data)
    assert "more than plain data (the pickle instruction " in refusal(folder, load_state, LESSON)
    assert capfd.readouterr() == ("", "")


# --- files that are no state


def laughing():
    """A small pickle of 10 billion texts: ten times the same list of ten times the same list of ..."""
    layer = ["ha"] * 10
    for _ in range(9):
        layer = [layer] * 10
    return layer


NOT_PLAIN, DAMAGED, TRAILING = "it holds more than plain data", "it is damaged", "something follows after"
BITS, LARGE, DEEP = "more than 64 bits", "larger than any state", "more than 12 deep"
MANY, NO_TEXT = "more than 200000 values", "a dict in it has a key that is not a string"
BROKEN = [
    ("empty", b"", DAMAGED),
    ("text", b"A state", DAMAGED),
    ("only a protocol", b"\x80\x05", DAMAGED),
    ("a protocol of the future", b"\x80\x06" + GOOD[2:], DAMAGED),
    ("an unknown instruction", b"\x80\x05\xff.", DAMAGED),
    ("a list from nowhere", b"\x80\x05a.", DAMAGED),
    ("nothing in the memo there", b"\x80\x05h\x07.", DAMAGED),
    ("a key that is a list", b"\x80\x05}]Ns.", NO_TEXT),
    ("a key that is a remembered number", b"\x80\x05K\x01\x94}h\x00Ns.", NO_TEXT),
    ("a key that is a tuple of texts", b"\x80\x05}\x8c\x01a\x85Ns.", NO_TEXT),
    ("a number of 900,000 digits", b"I" + b"9" * 900_000 + b"\n.", NOT_PLAIN),
    ("a list with a text for a place", b"\x80\x05]\x8c\x01aNs.", DAMAGED),
    ("bad UTF-8", b"\x80\x05\x8c\x01\xff.", DAMAGED),
    ("a frame beyond all ends", b"\x80\x05\x95" + b"\xff" * 8 + b"N.", BITS),
    ("a text beyond the end", b"\x80\x05X\xff\xff\xff\x7fa.", DAMAGED),
    ("a text beyond all ends", b"\x80\x05\x8d" + b"\xff" * 7 + b"\x7fa.", NOT_PLAIN),
    ("a number of 255 bytes", b"\x80\x05\x8a\xff" + b"\x7f" * 255 + b".", BITS),
    ("twice", GOOD + GOOD, TRAILING),
    ("something hostile behind", GOOD + HOSTILE[0][1], TRAILING),
    ("BINPERSID", b"\x80\x05\x8c\x08executedQ.", NOT_PLAIN),
    ("LONG_BINPUT far away", b"\x80\x05]r\xff\xff\xff\xff.", NOT_PLAIN),
    ("LONG_BINGET far away", b"\x80\x05]j\xff\xff\xff\xff.", DAMAGED),
    ("a buffer from outside", b"\x80\x05\x97.", NOT_PLAIN),
    ("bytes", pickle.dumps(b"abc", 5), NOT_PLAIN),
    ("a set", pickle.dumps({1, 2}, 5), NOT_PLAIN),
    ("a function", pickle.dumps(print, 5), NOT_PLAIN),
    ("a random.Random itself", pickle.dumps(random.Random(42), 5), NOT_PLAIN),
    ("old protocols", pickle.dumps(course_state(LESSON), 2), NOT_PLAIN),
    ("1 MB", b"\x80\x05X" + (999_992).to_bytes(4, "little") + b"a" * 999_992 + b".", LARGE),
    ("1 byte less", b"\x80\x05X" + (999_991).to_bytes(4, "little") + b"a" * 999_991 + b".", "is a str, not"),
    ("lists 1,000 deep", b"\x80\x05" + b"]" * 1000 + b"a" * 999 + b".", DEEP),
    ("lists 400,000 deep", b"\x80\x05" + b"]" * 400_000 + b"a" * 399_999 + b".", MANY),
    ("tuples 900,000 deep", b"\x80\x05N" + b"\x85" * 900_000 + b".", "more than 100 tuples"),
    ("a list of 900,000", b"\x80\x05](" + b"N" * 900_000 + b"e.", MANY),
    ("lists of lists of the same list", pickle.dumps(laughing(), 5), MANY),
]


@pytest.mark.parametrize("what, data, said", BROKEN, ids=[what for what, *_ in BROKEN])
def test_a_broken_file_gets_one_clear_error(folder, capfd, what, data, said):
    put(folder, data)
    assert said in refusal(folder, load_state, LESSON)
    assert (folder / f"{LESSON}.pkl").read_bytes() == data  # theirs to keep until they decide
    assert capfd.readouterr() == ("", "")


def test_a_file_cut_off_anywhere_is_refused(folder):
    """At each of the first and last bytes, and at every fiftieth between them."""
    for length in [*range(100), *range(100, len(GOOD), 50), *range(len(GOOD) - 50, len(GOOD))]:
        put(folder, GOOD[:length])
        assert DAMAGED in refusal(folder, load_state, LESSON), length


def test_a_changed_byte_is_refused_or_is_a_state(folder, capsys):
    rng = random.Random(1)
    outcomes = {"loaded": 0, "refused": 0}
    for _ in range(100):
        damaged = bytearray(GOOD)
        damaged[rng.randrange(len(GOOD))] ^= rng.randrange(1, 256)
        put(folder, damaged)
        try:
            save_state(LESSON, load_state(LESSON))
            outcomes["loaded"] += 1
        except StateError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 10  # the sample saw both


def test_what_is_not_a_file_is_refused(folder, monkeypatch):
    path = folder / f"{LESSON}.pkl"
    path.mkdir()
    assert "it is a folder or a device, not a file. Remove it by hand." in refusal(folder, load_state, LESSON)
    assert "the disk refused" in refusal(folder, save_state, LESSON, course_state(LESSON))
    assert "cannot be deleted" in refusal(folder, start_over)
    assert files(folder) == [path.name]
    path.rmdir()
    path.write_bytes(GOOD)

    def forbidden(*arguments, **options):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", forbidden)
        message = refusal(folder, load_state, LESSON)
    assert "it cannot be read (Permission denied)" in message


def test_links_are_followed_and_dangling_ones_refused(folder, tmp_path, capsys):
    try:
        os.symlink(tmp_path / "elsewhere.pkl", folder / f"{LESSON}.pkl")
    except (OSError, NotImplementedError):
        pytest.skip("this system does not let us make links")
    assert "it is a link to nothing" in refusal(folder, load_state, LESSON)
    (tmp_path / "elsewhere.pkl").write_bytes(GOOD)
    assert load_state(LESSON) == course_state(LESSON)
    os.unlink(folder / f"{LESSON}.pkl")
    os.symlink(folder / f"{LESSON}.pkl", folder / f"{LESSON}.pkl")
    assert "it cannot be read" in refusal(folder, load_state, LESSON)
    assert said_by(capsys, start_over) == f"Deleted the saved state of {LESSON}.\n"


LOAD = f"""
from helpers.course.state.load_and_save import load_state, StateError
try:
    load_state({LESSON!r})
except StateError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_hang(folder):
    os.mkfifo(folder / f"{LESSON}.pkl")
    assert "not a file. Remove it by hand." in run(LOAD).stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_put_there_at_the_last_moment_does_not_hang(folder, monkeypatch):
    pipe, look = folder / f"{LESSON}.pkl", os.stat
    os.mkfifo(pipe)
    (folder / "a_file").write_bytes(GOOD)
    a_file = look(folder / "a_file")  # the first look still saw a file
    monkeypatch.setattr(os, "stat", lambda path, **options: a_file if path == pipe else look(path, **options))
    waking = threading.Timer(10, os.open, [pipe, os.O_RDWR])  # where it waits after all
    waking.start()
    message = refusal(folder, load_state, LESSON)
    monkeypatch.undo()
    assert "not a file. Remove it by hand." in message and waking.is_alive()
    waking.cancel()


BOMBS = [
    ("a memo of 4 billion places", b"\x80\x05]r\xff\xff\xff\xff."),
    ("a memo of 20 million places", b"\x80\x05]r\x00\x2d\x31\x01."),
    ("a text of 4 GB announced", b"\x80\x05X\xff\xff\xff\xffa."),
    ("a bytearray of 1 TB announced", b"\x80\x05\x96" + (2**40).to_bytes(8, "little") + b"a."),
    ("a sparse file of 2 GB", None),
    ("a million dicts", b"\x80\x05" + b"}" * 990_000 + b"."),
    ("a tuple too deep to be hashed", b"\x80\x05}N" + b"\x85" * 300_000 + b"Ns."),
    ("a list holding itself", b"\x80\x05]\x94h\x00a."),
    ("a dict holding itself", b"\x80\x05}\x94\x8c\x01ah\x00s."),
    ("a tuple holding itself", b"\x80\x05]\x94h\x00\x85\x94ah\x01."),
]
BOMB = f"""
import tracemalloc
import helpers
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
except (ImportError, ValueError, OSError):
    pass
tracemalloc.start()
{LOAD}
print(tracemalloc.get_traced_memory()[1] // 2**20)
"""


@pytest.mark.parametrize("what, data", BOMBS, ids=[what for what, _ in BOMBS])
def test_a_bomb_takes_neither_the_memory_nor_the_process(folder, what, data):
    if data is None:
        with open(folder / f"{LESSON}.pkl", "wb") as file:
            file.truncate(2**31)
    else:
        put(folder, data)
    result = run(BOMB)
    assert result.returncode == 0 and result.stderr == ""
    message, megabytes = result.stdout.splitlines()
    assert message.startswith(f"notebooks/state/{LESSON}.pkl cannot be used: ")
    assert int(megabytes) < 50


# --- plain data that is no state: refused in a file, and refused before it is written


def put_in(*path_and_value):
    *path, last, value = path_and_value

    def change(state):
        for name in path:
            state = state[name]
        state[last] = value

    return change


def leave_out(*path):
    def change(state):
        for name in path[:-1]:
            state = state[name]
        del state[path[-1]]

    return change


def hold_itself(state):
    state["activations"]["X"][0] = state["activations"]["X"]


def nested(depth, value=0.0):
    for _ in range(depth):
        value = [value]
    return value


def rng_state(*, version=3, words=None, spare=None, change=None):
    words = list(words or random.Random(42).getstate()[1])
    words[slice(7, 8)] = [words[7]] if change is None else [change]
    return version, tuple(words), spare


ROW, ROWS = [0.0] * 16, [[0.0] * 16 for _ in range(6)]
NO_RNG_STATE = "rng_state is not the state of a random.Random"
NO_TOKENS, NO_WORDS = "tokens is not a list of whole numbers", "vocabulary is not a list of V strings"
NO_SIZE = "config F is not a whole number from 1 to 256"
LONG_WORD = "a word in config vocabulary has more than 40 letters"
WRONG = [
    *[(leave_out(key), f"{key} is missing from the state") for key in course_state(LESSON)],
    (put_in("extra", 1), "'extra' does not belong in the state"),
    (put_in(1, 1), "a key that is not a string"),
    (put_in("config", None), "config is a NoneType, not a dict"),
    (leave_out("config", "K"), "K is missing from config"),
    (put_in("config", "L", 1), "'L' does not belong in config"),
    *[(put_in("config", "F", size), NO_SIZE) for size in (0, 64.0, True, "64", 257)],
    (put_in("config", "P", 65), "config P is not a whole number from 1 to 64"),
    (put_in("config", "K", 7), "config H times K is not D"),
    (put_in("config", "F", 2**64), BITS),
    (put_in("config", "vocabulary", ["a"] * 5), NO_WORDS),
    (put_in("config", "vocabulary", 5, 5), NO_WORDS),
    (put_in("config", "vocabulary", 5, "\ud800"), "half a character"),
    (put_in("config", "vocabulary", 5, "a" * 41), LONG_WORD),
    *[(put_in("tokens", 1, i), NO_TOKENS) for i in (-1, 6, 1.0, True, "I")],
    (put_in("tokens", [1]), "tokens has fewer than 2 entries"),
    (put_in("tokens", [1, 3, 4, 5, 2, 2]), "or more than P"),
    (put_in("targets", 1, 6), "targets is not a list of whole numbers"),
    (put_in("targets", [3, 4, 5]), "targets does not have one entry fewer"),
    *[(put_in("rng_state", x), NO_RNG_STATE) for x in (42, (), [*rng_state()], (3, (), None))],
    *[(put_in("rng_state", rng_state(version=version)), NO_RNG_STATE) for version in (2, "3")],
    *[(put_in("rng_state", rng_state(spare=spare)), NO_RNG_STATE) for spare in ("text", 1)],
    *[(put_in("rng_state", rng_state(change=word)), NO_RNG_STATE) for word in (-1, 2**32, 0.5, True)],
    (put_in("rng_state", rng_state(words=[*range(624), 625])), NO_RNG_STATE),
    (put_in("parameters", []), "parameters is a list, not a dict"),
    (leave_out("parameters", "E_pos"), "E_pos is missing from parameters"),
    (put_in("parameters", "E_extra", ROWS), "'E_extra' does not belong in parameters"),
    (put_in("parameters", "W_Q", [[ROW] * 8] * 2), "'W_Q' does not belong in parameters"),
    (put_in("parameters", "E_token", ROWS[:5]), "parameters E_token has 5 entries, not 6"),
    (put_in("parameters", "E_token", 3, ROW[:15]), "parameters E_token[3] has 15 entries, not 16"),
    (put_in("parameters", "E_token", 3, tuple(ROW)), "parameters E_token[3] is a tuple, not a list"),
    (put_in("parameters", "E_token", 0.5), "parameters E_token is a float, not a list"),
    (put_in("parameters", "E_token", 3, 15, "0.5"), "parameters E_token[3][15] is a str, not a number"),
    (put_in("parameters", "E_token", 3, 15, [0.5]), "parameters E_token[3][15] is a list, not a number"),
    (put_in("parameters", "E_token", 3, 15, 2**64), BITS),
    (put_in("parameters", "E_token", 3, 15, nested(100_000)), DEEP),
    (put_in("parameters", "E_token", laughing()), MANY),
    (put_in("activations", "X", ROWS), "activations X has 6 entries, not 5"),
    (hold_itself, "holds itself"),
]


NO_COUNT = "optimizer step is not a whole number of at least 0"
WRONG_OPTIMIZERS = [
    (leave_out("optimizer"), "optimizer is missing from the state"),
    (put_in("optimizer", []), "optimizer is a list, not a dict"),
    (leave_out("optimizer", "m"), "m is missing from optimizer"),
    (put_in("optimizer", "lr", 1e-3), "'lr' does not belong in optimizer"),
    *[(put_in("optimizer", "step", step), NO_COUNT) for step in (-1, 1.0, float("nan"))],
    (put_in("optimizer", "step", True), "optimizer step is a bool"),
    (put_in("optimizer", "step", 2**63), BITS),
    (leave_out("optimizer", "m", "gamma"), "gamma is missing from optimizer m"),
    (put_in("optimizer", "v", "W_U", ROWS), "'W_U' does not belong in optimizer v"),
    (put_in("optimizer", "m", "W_Q", 1, 7, ROW[:15]), "optimizer m W_Q[1][7] has 15 entries, not 16"),
    (leave_out("gradients", "W_lm"), "W_lm is missing from gradients"),
    (put_in("gradients", "W_O", 15, ROW[:8]), "gradients W_O[15] has 8 entries, not 16"),
    (put_in("activation_gradients", "loss", [1.0]), "activation_gradients loss is a list, not a number"),
    (put_in("activations", "losses", ROW[:5]), "activations losses has 5 entries, not 4"),
]

GPT = "13_gpt2"
NO_LAYERS = "gpt config n_layer is not a whole number from 1 to 48"
NO_VOCAB = "gpt vocab is not a list of vocab_size"
WRONG_GPTS = [
    (leave_out("gpt"), "gpt is missing from the state"),
    (leave_out("gpt", "history"), "history is missing from gpt"),
    (put_in("gpt", "lr", 1e-3), "'lr' does not belong in gpt"),
    (leave_out("gpt", "config", "n_head"), "n_head is missing from gpt config"),
    *[(put_in("gpt", "config", "n_layer", size), NO_LAYERS) for size in (0, 49, 2.0, True)],
    (put_in("gpt", "config", "n_embd", 10**6), "gpt config n_embd is not a whole number from 1 to 1024"),
    (put_in("gpt", "config", "n_head", 3), "gpt config n_head does not divide n_embd"),
    *[(put_in("gpt", "vocab", wrong), NO_VOCAB) for wrong in (["a"], "abcdef", [1] * 6)],
    (put_in("gpt", "vocab", ["a" * 41] * 6), "a string in gpt vocab has more than 40 letters"),
    (put_in("gpt", "config", "n_layer", 3), "h.2.ln_1.weight is missing from gpt parameters"),
    (put_in("gpt", "config", "n_layer", 1), "'h.1.ln_1.weight' does not belong in gpt parameters"),
    (put_in("gpt", "parameters", "wte.weight", 3, ROW[:8]), "parameters wte.weight[3] has 8 entries, not 16"),
    (put_in("gpt", "optimizer", "m", {}), "wte.weight is missing from gpt optimizer m"),
    (put_in("gpt", "optimizer", "step", -1), "gpt optimizer step is not a whole number"),
    (put_in("gpt", "step", True), "gpt step is not a whole number"),
    (put_in("gpt", "rng_state", (1, 2, 3)), "gpt rng_state is not the state of a random.Random"),
    (put_in("gpt", "history", 0.5), "gpt history is not a list"),
]


SAMPLES = [
    pytest.param(lesson, change, said, id=f"{lesson[:2]}, {number}, {said}")
    for lesson, rows in [(LESSON, WRONG), (TRAINED, WRONG_OPTIMIZERS), (GPT, WRONG_GPTS)]
    for number, (change, said) in enumerate(rows)
]


@pytest.mark.parametrize("lesson, change, said", SAMPLES)
def test_a_wrong_state_is_neither_loaded_nor_written(folder, capsys, lesson, change, said):
    """A good file stays as it was."""
    wrong = course_state(lesson)
    change(wrong)
    put(folder, pickled(lesson), lesson)
    assert said in refusal(folder, save_state, lesson, wrong, lesson=lesson)
    assert (folder / f"{lesson}.pkl").read_bytes() == pickled(lesson)
    assert files(folder) == [f"{lesson}.pkl"]
    if said != DEEP:  # the standard library cannot write those; files that deep are in BROKEN
        put(folder, pickle.dumps(wrong, protocol=5), lesson)
        assert said in refusal(folder, load_state, lesson, lesson=lesson)
    assert capsys.readouterr() == ("", "")


def gpt_of(n_embd, n_layer, n_head, n_inner):
    left = course_state(GPT)
    config = lessons_module.gpt_config(["a", "b"], 3, n_embd, n_layer, n_head, n_inner)
    left["gpt"] = lessons_module.untrained_gpt(["a", "b"], config)
    return left


def test_a_state_of_a_megabyte_is_too_large(folder):
    """In its shapes it is right: a GPT of 50,000 parameters, each with two averages."""
    large = gpt_of(n_embd=64, n_layer=1, n_head=2, n_inner=256)
    assert LARGE in refusal(folder, save_state, GPT, large, lesson=GPT)
    put(folder, pickle.dumps(large, protocol=5), GPT)
    assert LARGE in refusal(folder, load_state, GPT, lesson=GPT)


WRONG_TEXTS = [("path", "a" * 4097), ("path", None), ("digest", "a" * 4097), ("digest", 1), ("seed", 1.0)]


@pytest.mark.parametrize("name, wrong", WRONG_TEXTS)
def test_what_a_state_says_of_the_text_is_short_and_plain(name, wrong):
    good = {"path": "course.txt", "seed": 42, "digest": "0a"}
    check_text(good)
    with pytest.raises(Refused, match=f"^text {name} is not a "):
        check_text({**good, name: wrong})


def test_a_gpt_of_another_size_is_a_reader_s_own(capsys):
    theirs = gpt_of(n_embd=6, n_layer=3, n_head=3, n_inner=5)
    save_state(GPT, theirs)
    capsys.readouterr()
    assert load_state(GPT) == theirs
    assert "differs from the course's own in gpt config, gpt vocab, gpt " in capsys.readouterr().out


def test_a_model_that_takes_long_is_trained_only_where_none_is_saved(monkeypatch, capsys):
    trainings = []

    def train(state):
        trainings.append(1)
        state["gpt"]["step"] = 1000

    lesson = Lesson("14_training", {"gpt": lessons_module.GPT}, lessons_module.gpt2, train=train)
    before = [other for other in lessons_module.LESSONS if other.name < "14"]
    monkeypatch.setattr(lessons_module, "LESSONS", [*before, lesson])
    opened_first = load_state("14_training")
    said = capsys.readouterr().out
    assert trainings == [1] and "a model that was trained for 1,000 steps" in said
    opened_first["gpt"]["parameters"]["ln_f.bias"][0] = 0.5  # as training would
    save_state("14_training", opened_first)
    capsys.readouterr()
    assert load_state("14_training") == opened_first and trainings == [1]
    assert capsys.readouterr().out == said
    opened_first["tokens"][1] = 4
    save_state("14_training", opened_first)
    capsys.readouterr()
    load_state("14_training")
    assert "differs from the course's own in tokens." in capsys.readouterr().out and trainings == [1]


@pytest.mark.parametrize("steps, named", [(0, " in optimizer step."), (1, ""), (100, " in optimizer step.")])
def test_an_optimizer_may_have_taken_any_number_of_steps(capsys, steps, named):
    theirs = course_state(TRAINED)
    theirs["optimizer"]["step"] = steps
    save_state(TRAINED, theirs)
    assert named in said_by(capsys, lambda: load_state(TRAINED) == theirs and None)


class Rows(list):
    pass


class Eager:
    def __reduce__(self):
        os.mkdir("executed")


@pytest.mark.parametrize("odd", [b"", {1}, 1j, Rows(), print, Trap, Eager()], ids=lambda odd: str(type(odd)))
def test_only_built_in_types_are_written_and_nothing_of_theirs_is_run(folder, odd):
    said = f"it holds '{type(odd).__name__}', and a state has built-in types only"
    for change in (put_in("tokens", odd), put_in("parameters", "E_token", 5, 15, odd)):
        wrong = course_state(LESSON)
        change(wrong)
        assert said in refusal(folder, save_state, LESSON, wrong)
    assert said in refusal(folder, save_state, LESSON, odd)
    assert files(folder) == []


def test_another_lesson_s_state_is_refused_by_what_it_lacks_or_has(folder):
    put(folder, pickle.dumps(course_state(FIRST), protocol=5))
    assert " is missing from parameters." in refusal(folder, load_state, LESSON)
    put(folder, GOOD, lesson=FIRST)
    assert " does not belong in parameters." in refusal(folder, load_state, FIRST, lesson=FIRST)
    refusal(folder, save_state, LESSON, course_state(FIRST))
    refusal(folder, save_state, FIRST, course_state(LESSON), lesson=FIRST)


# --- states of their own that are states

NAN, INFINITY = float("nan"), float("inf")


def another_sentence(state):
    state["tokens"], state["targets"] = [1, 3, 2], [3, 2]
    state["activations"]["X"] = state["activations"]["X"][:3]


def another_size(state):
    state["config"].update(V=7, vocabulary=[*state["config"]["vocabulary"], "\N{SNOWMAN}\N{GRINNING FACE}"])
    state["parameters"]["E_token"].append([0] * 16)


def turned_round(state):
    state["parameters"] = dict(reversed(state["parameters"].items()))
    state["config"] = dict(reversed(state["config"].items()))


def times(factor, *names):
    def change(state):
        for name in names:
            section = "activations" if name == "X" else "parameters"
            state[section][name] = [[factor * x for x in row] for row in state[section][name]]

    return change


def first_entry(value, name="E_token"):
    return put_in("parameters", name, 0, 0, value)


ACCEPTED = [
    # what was changed, what the one line names
    (times(1.0), None),
    (times(1 + 1e-15, "E_token", "E_pos", "X"), None),
    (turned_round, None),
    (times(1 + 1e-8, "X"), "activations X"),
    (times(2.0, "E_token", "X"), "parameters E_token, activations X"),
    (first_entry(0), "parameters E_token"),
    (first_entry(NAN), "parameters E_token"),
    (first_entry(INFINITY), "parameters E_token"),
    (put_in("tokens", 3, 4), "tokens"),
    (put_in("config", "F", 63), "config"),
    (put_in("config", "vocabulary", 3, "You"), "config"),
    (put_in("rng_state", random.Random(43).getstate()), "rng_state"),
    (put_in("rng_state", rng_state(spare=NAN)), "rng_state"),
    (another_sentence, "tokens, targets, activations X"),
    (another_size, "config, parameters E_token"),
    (lambda s: [another_size(s), another_sentence(s)], "config, tokens, targets and 2 more"),
]


@pytest.mark.parametrize("change, named", ACCEPTED)
def test_a_state_of_their_own_is_kept_and_one_line_names_what_differs(folder, capsys, change, named):
    theirs = course_state(LESSON)
    change(theirs)
    save_state(LESSON, theirs)
    capsys.readouterr()
    assert repr(load_state(LESSON)) == repr(theirs)  # repr, because nan is not nan
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    if named is None:
        assert said == OWN_NUMBERS.format(LESSON)
    else:
        assert f"differs from the course's own in {named}." in said and "helpers.start_over()" in said


@pytest.mark.parametrize("column, number", [(1, INFINITY), (0, 1e-6)])
def test_an_infinity_does_not_widen_the_tolerance(capsys, column, number):
    """Attention's scores are -inf where a later token is masked."""
    theirs = course_state("03_attention")
    row = theirs["activations"]["scores"][0][0]
    assert row[1] == -INFINITY
    row[column] = number + (row[column] if column == 0 else 0)
    save_state("03_attention", theirs)
    said = said_by(capsys, lambda: load_state("03_attention") and None)
    assert "differs from the course's own in activations scores." in said


def test_the_tolerance_is_of_each_tensor_s_own_size(capsys):
    """The largest of v is ten million times the largest of W_Q's: next to it, any change would be small."""
    theirs = course_state(TRAINED)
    row = theirs["optimizer"]["v"]["W_Q"][0][0]
    row[:] = [1.01 * x for x in row]
    save_state(TRAINED, theirs)
    said = said_by(capsys, lambda: load_state(TRAINED) and None)
    assert "differs from the course's own in optimizer v W_Q." in said


# --- saving is all or nothing

OLD, NEW = course_state(LESSON), course_state(LESSON)
NEW["parameters"]["E_token"][0][0] = 0.5
NEW_BYTES = pickle.dumps(NEW, protocol=5)
STEPS = ["open", "write nothing", "write half", "write all", "flush", "fsync", "replace"]

# Stops a save at a named step: `stop` raises an error, or ends the process on the spot.
STOPPING = """
import builtins, os
really_open = open

class File:
    def __init__(self, file, step, stop):
        self.file, self.step, self.stop = file, step, stop
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.file.close()
    def fileno(self):
        return self.file.fileno()
    def write(self, data):
        written = {"write nothing": 0, "write half": len(data) // 2, "write all": len(data)}
        if self.step in written:
            self.file.write(data[:written[self.step]])
            self.file.flush()
            self.stop()
        return self.file.write(data)
    def writelines(self, parts):
        for data in parts:
            self.write(data)
    def flush(self):
        if self.step == "flush":
            self.stop()
        self.file.flush()

def stop_at(step, stop, patch=setattr):
    def opened(path, mode="r", **options):
        if "x" not in mode:
            return really_open(path, mode, **options)
        if step == "open":
            stop()
        return File(really_open(path, mode, **options), step, stop)
    def stopping(*arguments):
        stop()
    patch(builtins, "open", opened)
    if step in ("fsync", "replace"):
        patch(os, step, stopping)
    if step == "after":
        replace = os.replace
        patch(os, "replace", lambda *paths: (replace(*paths), stop()))
"""


FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()], ids=["full", "interrupted"])
@pytest.mark.parametrize("step", STEPS)
def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(folder, monkeypatch, capsys, step, error):
    put(folder, GOOD)

    def fail():
        raise error

    tools = {}
    exec(STOPPING, tools)
    with monkeypatch.context() as patched:
        tools["stop_at"](step, fail, patched.setattr)
        if error is FULL:
            message = refusal(folder, save_state, LESSON, NEW)
            assert f"the disk refused ({FULL.strerror}). Make room and allow writing" in message
        else:
            with pytest.raises(KeyboardInterrupt):
                save_state(LESSON, NEW)
    assert files(folder) == [f"{LESSON}.pkl"] and (folder / f"{LESSON}.pkl").read_bytes() == GOOD
    assert capsys.readouterr().out == ""


DYING = f"""
import sys
from helpers import load_state, save_state
{STOPPING}
changed = load_state({LESSON!r})
changed["parameters"]["E_token"][0][0] = 0.5
stop_at(sys.stdin.read(), lambda: os._exit(7))
save_state({LESSON!r}, changed)
"""


@pytest.mark.parametrize("step", [*STEPS, "after"])
def test_a_save_killed_at_any_step_leaves_the_old_file_or_the_new(folder, step):
    put(folder, GOOD)
    assert run(DYING, input=step).returncode == 7  # it died where it was told to
    left = (folder / f"{LESSON}.pkl").read_bytes()
    assert left == (NEW_BYTES if step == "after" else GOOD)
    load_state(LESSON)
    start_over(LESSON)
    assert files(folder) == []  # what the killed save left behind is gone too


def test_two_saves_at_once_do_not_share_a_file(folder, monkeypatch):
    replaced, replace = [], os.replace

    def watched(source, target):
        replaced.append(Path(source))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    save_state(LESSON, OLD)
    save_state(LESSON, OLD)
    assert len(set(replaced)) == 2 and all(path.parent == folder for path in replaced)


def test_a_save_removes_what_killed_ones_left_and_none_that_is_at_work(folder):
    for name, age in (("killed", 3600), ("at_work", 1)):
        leftover = folder / f"{LESSON}.pkl.{name}.tmp"
        leftover.touch()
        os.utime(leftover, (time.time() - age,) * 2)
    (folder / f"{FIRST}.pkl.killed.tmp").touch()
    save_state(LESSON, OLD)
    assert files(folder) == [f"{FIRST}.pkl.killed.tmp", f"{LESSON}.pkl", f"{LESSON}.pkl.at_work.tmp"]


@pytest.mark.parametrize("error", [PermissionError(13, "Access is denied"), FileNotFoundError(2, "gone")])
@pytest.mark.parametrize("times", [3, 99])
def test_a_file_that_is_refused_for_a_moment_is_replaced_then(folder, monkeypatch, error, times):
    """Windows refuses while somebody reads the file; start_over in another notebook takes the new one
    away."""
    calls, replace = [], os.replace

    def refused(*paths):
        calls.append(paths)
        if len(calls) <= times:
            raise error
        replace(*paths)

    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(os, "replace", refused)
    put(folder, GOOD)
    if times == 3:
        save_state(LESSON, NEW)
        assert len(calls) == 4 and files(folder) == [f"{LESSON}.pkl"] and load_state(LESSON) == NEW
    else:
        assert f"the disk refused ({error.strerror})" in refusal(folder, save_state, LESSON, NEW)
        assert 3 < len(calls) < 99 and load_state(LESSON) == OLD


def test_a_state_folder_that_is_none_is_called_so(folder, tmp_path):
    folder.rmdir()
    folder.write_text("a file", encoding="utf-8")
    said = "was not written: notebooks/state is no folder. Remove it by hand."
    assert said in refusal(folder, save_state, LESSON, OLD)
    folder.unlink()
    try:
        folder.symlink_to(tmp_path / "nowhere")
    except (OSError, NotImplementedError):
        return  # this system does not let us make links
    assert said in refusal(folder, save_state, LESSON, OLD)


# --- going back


def said_by(capsys, function, *arguments):
    capsys.readouterr()
    assert function(*arguments) is None
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "asked, deleted", [([LESSON], [LESSON]), ([FIRST], [FIRST, LESSON]), ([], [FIRST, LESSON])]
)
def test_starting_over(folder, capsys, asked, deleted):
    """The states from a lesson on are deleted, with what a killed save left; nothing else is."""
    save_state(FIRST, course_state(FIRST))
    save_state(LESSON, course_state(LESSON))
    (folder / f"{LESSON}.pkl.0123456789abcdef.tmp").write_bytes(b"killed")
    (folder / "mine.pkl").write_bytes(b"homework")
    assert said_by(capsys, start_over, *asked) == f"Deleted the saved state of {', '.join(deleted)}.\n"
    kept = [name for name in (FIRST, LESSON) if name not in deleted]
    assert files(folder) == sorted(f"{name}.pkl" for name in [*kept, "mine"])


def test_starting_over_where_nothing_is_saved(folder, capsys):
    assert "There is no saved state" in said_by(capsys, start_over)
    folder.rmdir()
    assert "There is no saved state" in said_by(capsys, start_over, LESSON)


def test_the_way_back_works_as_it_is_printed(folder, capsys):
    """What stands between the backticks, in a cell that has imported nothing of ours."""
    save_state(LESSON, NEW)
    differs = said_by(capsys, lambda: load_state(LESSON) and None)
    put(folder, b"damaged")
    for printed in (refusal(folder, load_state, LESSON), differs):
        (line,) = re.findall("`(.*)`", printed)
        save_state(LESSON, NEW)
        assert said_by(capsys, exec, line, {}) == f"Deleted the saved state of {LESSON}.\n"
        assert load_state(LESSON) == OLD
