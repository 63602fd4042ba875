"""Training a GPT on lines of text: the loop with its one line of progress, and the checkpoint that outlives Ctrl-C.

A run is one dict of plain data: who it is (config, characters, settings, a digest of its documents) and how far it is (parameters,
optimizer, step, the stream, the deck of documents that are still to come, the losses). `training_step` makes a new run of it and changes
nothing, so whatever interrupts it, the last whole step is there.
"""

import hashlib
import math
import pickle
import random

from .fast_gpt import fast_gradients
from ...gpt import init_gpt, gpt_param_shapes
from ...optimizers import adamw_init, adamw_step
from ...parameters import tree_map
from ...training import (
    clip_by_global_norm,
    learning_rate,
    build_vocab,
    next_batch,
    train_val_test_split,
    encode,
    no_decay_names,
)
from .. import ROOT
from . import state
from .registry import GPT
from ..show.progress import Line

NOTEBOOKS = ROOT / "notebooks"
LONGEST, FEWEST, MOST_BYTES = 63, 10, 5_000_000
SETTINGS = {
    "steps": 800, "batch_size": 4, "lr": 0.01, "warmup_steps": 40, "cosine": True, "max_norm": 1.0, "weight_decay": 0.1, "decay_all": False,
    "beta_1": 0.85, "beta_2": 0.99, "seed": 42,
}  # fmt: skip
KEEP_EVERY = 50  # steps
PARTS = ("config", "characters", "settings", "documents", "parameters", "optimizer", "step", "rng_state", "deck", "history")


# --- the text


def read_lines(path):
    """The lines of a text file, without what is empty; a path that is not absolute starts at notebooks/.

    ValueError for a file that is none, that is no text in UTF-8, that holds too few lines, or one that is too long.
    """
    path = NOTEBOOKS / path
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read ({error.strerror}); put a text file into notebooks/ and name it") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is no text in UTF-8; save it as one, or read it as lesson 14b does") from None
    if len(data) > MOST_BYTES:
        raise ValueError(f"{path.name} is larger than 5 MB; half a minute reads a few thousand lines, so give some of it")
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST:
            raise ValueError(f"line {number} of {path.name} has {len(line)} characters; cut it to {LONGEST}, as lesson 14b does")
    lines = [line for line in lines if line]
    if len(lines) < FEWEST:
        count = {0: "is empty", 1: "has one line"}.get(len(lines), f"has {len(lines)} lines")
        raise ValueError(f"{path.name} {count}; give at least {FEWEST}, or there is nothing to hold out")
    return lines


def smallest_config(documents, vocab, width=16, layers=1, heads=2):
    """A GPT just large enough for these documents: its table has a position for each token that is read.

    ValueError where there are none.
    """
    if not documents:
        raise ValueError("smallest_config: there are no documents; if you read a file, its remark says why there is no text")
    return {
        "vocab_size": len(vocab), "n_positions": max(map(len, documents)) - 1, "n_embd": width,
        "n_layer": layers, "n_head": heads, "n_inner": 4 * width,
    }  # fmt: skip


# --- the run


def course_text():
    """The documents that lesson 14 trains on, their characters, and the config of its model."""
    lines = read_lines("names.txt")
    vocab = build_vocab(lines)
    documents = [encode(line, vocab) for line in lines]
    part = len(documents) // 9
    return train_val_test_split(documents, part, part, random.Random(1))[0], vocab, smallest_config(documents, vocab)


def train_course_model():
    """What lesson 14 puts into the state, trained now."""
    documents, vocab, config = course_text()
    run = train(documents, config, vocab)
    return {name: run[name] for name in GPT}


def start_run(documents, config, vocab, settings=SETTINGS):
    """A run before its first step: parameters drawn from the seed, a deck that is still to be shuffled."""
    settings = {**SETTINGS, **settings}
    rng = random.Random(settings["seed"])
    parameters = scale_initial_weights(init_gpt(config, rng))
    return {
        "config": config, "vocab": vocab, "settings": settings, "documents": digest(documents),
        "parameters": parameters, "optimizer": adamw_init(parameters), "step": 0, "rng_state": rng.getstate(),
        "deck": [], "history": [],
    }  # fmt: skip


def scale_initial_weights(parameters, narrow=768):
    """Matrices start larger by √(768 / width): 0.02 is made for GPT-2's rows of 768 numbers, and a sum over fewer is smaller."""
    c = math.sqrt(narrow / len(parameters["wte.weight"][0]))
    return {
        name: tree_map(lambda row: [c * w for w in row], entry) if isinstance(entry[0], list) else entry
        for name, entry in parameters.items()
    }


def training_step(run, documents):
    """The run one step on; the one that was given is left as it was."""
    settings, parameters, rng = run["settings"], run["parameters"], random.Random()
    rng.setstate(run["rng_state"])
    batch, order = next_batch(run["deck"], len(documents), settings["batch_size"], rng)
    loss, gradients = fast_gradients(run["config"], parameters, [documents[i] for i in batch])
    if settings["max_norm"]:
        gradients = clip_by_global_norm(gradients, settings["max_norm"])
    lr = rate(run["step"], settings)
    parameters, optimizer = adamw_step(
        parameters, gradients, run["optimizer"], lr, (settings["beta_1"], settings["beta_2"]),
        weight_decay=settings["weight_decay"], no_decay=() if settings["decay_all"] else no_decay_names(parameters),
    )  # fmt: skip
    return {
        **run, "parameters": parameters, "optimizer": optimizer, "step": run["step"] + 1, "rng_state": rng.getstate(),
        "deck": order, "history": [*run["history"], loss],
    }  # fmt: skip


def rate(step, settings):
    """The learning rate of a step; with the cosine switched off it stays where the warm-up has brought it."""
    if not settings["cosine"] and step >= settings["warmup_steps"]:
        return settings["lr"]
    return learning_rate(step, settings["steps"], settings["lr"], settings["warmup_steps"])


def digest(documents):
    """Which documents these are: how many, and a number that other ones would not have."""
    return {"number": len(documents), "sha256": hashlib.sha256(repr(documents).encode("utf-8")).hexdigest()}


# --- the loop


def train(documents, config, vocab, settings=SETTINGS, keep=None, anew=False, run=None, until=None):
    """The run after its last step; stopped by Ctrl-C, as far as it came, with a sentence that says how to go on.

    keep is a name for its checkpoint: the same call finds it again and goes on, to the bit as if nothing had happened.
    StateError for a checkpoint of another run, or a damaged one; anew=True leaves it aside. run is one to go on with, from
    start_run or an earlier call; until is a step to stop at before the last. ValueError for documents that do not fit the model.
    """
    require_documents(documents, config)
    run = run or start_run(documents, config, vocab, settings)
    if keep:
        run = (not anew and read_checkpoint(keep, run)) or run
        write_checkpoint(keep, run)  # before the work: what cannot be kept is said now
    last = min(until or math.inf, run["settings"]["steps"])
    line = Line("training", last - run["step"])
    try:
        while run["step"] < last:
            run = training_step(run, documents)
            line.what = f"step {run['step']:,}, loss {recent(run['history']):.2f}"
            line.step()
            if keep and run["step"] % KEEP_EVERY == 0:
                write_checkpoint(keep, run)
    except KeyboardInterrupt:
        if keep:
            write_checkpoint(keep, run)
        stopped = f"Stopped after step {run['step']:,} of {run['settings']['steps']:,}."
    else:
        stopped = None
        if keep and run["step"] == run["settings"]["steps"]:
            checkpoint_path(keep).unlink(missing_ok=True)
    finally:
        line.clear()
    if stopped:
        print(stopped + (" It is kept: run this cell again to go on." if keep else ""))
    return run


def require_documents(documents, config):
    """ValueError unless there are documents, each of at least two tokens, all of the vocabulary, and none too long."""
    V, P = config["vocab_size"], config["n_positions"]
    if not documents:
        raise ValueError("train: there are no documents; give at least one")
    for number, document in enumerate(documents):
        if not 2 <= len(document) <= P + 1:
            raise ValueError(f"train: document {number} has {len(document)} tokens; from 2 to {P + 1} fit a table of {P} positions")
        if not all(0 <= token < V for token in document):
            raise ValueError(f"train: document {number} holds a token that is none of the {V}; list the characters of all texts")


def recent(history, n=50):
    """The mean of the last losses: one alone says more about its batch than about the model."""
    return math.fsum(history[-n:]) / len(history[-n:])


# --- the checkpoint: read as distrustfully as a state


def checkpoint_path(name):
    return state.state_path(f"{name}.checkpoint")


def write_checkpoint(name, run):
    data = pickle.dumps(run, protocol=5)
    try:
        check_run(state.decode(data), run)  # nothing is written that could not be read
        state.write_file(checkpoint_path(name), data)
    except state.Refused as refused:
        raise failure(name, "was not written", refused) from None


def read_checkpoint(name, fresh):
    """The run as far as it came; None if none is kept; StateError for what is no checkpoint of the same run as the fresh one."""
    try:
        data = state.read_file(checkpoint_path(name))
        return None if data is None else check_run(state.decode(data), fresh)
    except state.Refused as refused:
        raise failure(name, "cannot be used", refused) from None


def failure(name, what, refused):
    problem, *remedy = refused.args
    usual = "Nothing is lost; go back to what it was made with, or begin again with train(..., anew=True)"
    return state.StateError(f"{state.shown(f'{name}.checkpoint')} {what}: {problem}. {remedy[0] if remedy else usual}.")


def check_run(run, fresh):
    """The run itself, if it is the same run as the fresh one, further on; Refused, saying what is wrong, if not."""
    state.check_plain(run)
    state.check_names("it", run, PARTS)
    for name in ("config", "characters", "settings", "documents"):
        if run[name] != fresh[name]:
            raise state.Refused(f"it belongs to another run: {other(name, run[name], fresh[name])}")
    shapes = gpt_param_shapes(fresh["config"])
    state.check_names("optimizer", run["optimizer"], ("step", "m", "v"))
    trees = {"parameters": run["parameters"], "m": run["optimizer"]["m"], "v": run["optimizer"]["v"]}
    for where, tree in trees.items():
        state.check_names(where, tree, shapes)
        for name, lengths in shapes.items():
            state.check_tensor(f"{where} {name}", tree[name], lengths)
    steps, history = run["step"], run["history"]
    if type(steps) is not int or not 0 <= steps <= fresh["settings"]["steps"] or run["optimizer"]["step"] != steps:
        raise state.Refused("its step is none of this run")
    state.check_tensor("history", history, [steps])
    if not all(math.isfinite(x) for tree in (*trees.values(), {"": history}) for x in numbers(tree)):
        raise state.Refused("it holds a number that is not finite")
    state.check_stream(run["rng_state"])
    if type(run["deck"]) is not list or any(type(i) is not int for i in run["deck"]):
        raise state.Refused("its deck is not a list of whole numbers")
    if not all(0 <= i < run["documents"]["number"] for i in run["deck"]):
        raise state.Refused("its deck names a document that there is not")
    return run


def other(name, kept, wanted):
    """What differs, in a few words."""
    if type(kept) is dict and type(wanted) is dict:
        for key in wanted:
            if kept.get(key) != wanted[key]:
                return f"{name} {key} is {kept.get(key)!r:.40}, not {wanted[key]!r:.40}"
    return f"other {name}"


def numbers(tree):
    for entry in tree.values():
        yield from (x for row in entry for x in row) if type(entry) is list and entry and type(entry[0]) is list else entry
