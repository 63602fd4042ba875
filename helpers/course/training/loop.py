"""Training a GPT on lines of text: the loop with its one line of progress, and the checkpoint that
outlives Ctrl-C.

A run is one dict of plain data: who it is (config, vocab, settings, a digest of its documents) and how
far it is (parameters, optimizer, step, the random number generator, the order of the documents that are
still to come, the losses). `training_step` makes a new run of it and changes nothing, so whatever
interrupts it, the last whole step is there.
"""

import hashlib
import math
import pickle
import random

from ...gpt import gpt_param_sizes, init_gpt
from ...optimizers import adamw_init, adamw_step
from ...parameters import single_precision, tree_map
from ...training import clip_by_global_norm, learning_rate, next_batch, no_decay_names
from ..engine import fast_gradients
from ..show.status import Line
from ..state.files import (
    MAX_VALUES,
    Refused,
    check_plain,
    check_rng_state,
    check_tensor,
    check_tensors,
    read_file,
    require_names,
    state_error,
    state_path,
    unpickle,
    write_file,
)
from ..state.names_task import GPT, course_text
from .parallel import choose_pool

# The hyperparameters of a training; lesson 14c changes most of them.
SETTINGS = {
    "steps": 800,  # updates of the parameters
    "batch_size": 4,  # documents in a mini-batch
    "lr": 0.01,  # the largest learning rate
    "warmup_steps": 40,  # in which the learning rate rises to lr
    "cosine": True,  # afterwards it falls along half a cosine; False: it stays
    "max_norm": 1.0,  # gradients with a larger global norm are clipped to it; 0: never
    "weight_decay": 0.1,  # AdamW's, of the matrices
    "decay_all": False,  # True: also of the vectors
    "beta_1": 0.85,  # AdamW's, of the first moment
    "beta_2": 0.99,  # and of the second
    "seed": 42,  # of the initial weights and the shuffled order
}
KEEP_EVERY = 50  # steps
PARTS = (*GPT, "settings", "documents", "order")


# --- the run


def train_course_model():
    """What lesson 14 puts into the state, trained now."""
    documents, vocab, config = course_text()
    run = train(documents, config, vocab)
    return {name: run[name] for name in GPT}


def start_run(documents, config, vocab, settings=SETTINGS):
    """A run before its first step: parameters drawn from the seed, an order that is still to be drawn."""
    settings = {**SETTINGS, **settings}
    rng = random.Random(settings["seed"])
    parameters = scale_initial_weights(init_gpt(config, rng))
    run = new_run(config, parameters, settings, rng)
    return {**run, "vocab": vocab, "documents": documents_digest(documents)}


def new_run(config, parameters, settings, rng):
    """A run of any model before its first step."""
    return {
        "config": config,
        "settings": settings,
        "parameters": parameters,
        "optimizer": adamw_init(parameters),
        "step": 0,
        "rng_state": rng.getstate(),
        "order": [],
        "history": [],
    }


def scale_initial_weights(parameters, narrow=768):
    """Matrices start larger by √(768 / width): 0.02 is made for GPT-2's rows of 768 numbers, and a sum
    over fewer is smaller."""
    c = math.sqrt(narrow / len(parameters["wte.weight"][0]))
    return {
        name: tree_map(lambda row: [c * w for w in row], entry) if isinstance(entry[0], list) else entry
        for name, entry in parameters.items()
    }


def training_step(run, documents, gradients_of=fast_gradients):
    """The run after one more step; the given run does not change.

    gradients_of gives the loss of a batch and its gradients.
    """
    settings, parameters, rng = run["settings"], run["parameters"], random.Random()
    rng.setstate(run["rng_state"])
    batch, order = next_batch(run["order"], len(documents), settings["batch_size"], rng)
    loss, gradients = gradients_of(run["config"], parameters, [documents[i] for i in batch])
    if settings["max_norm"]:
        gradients = clip_by_global_norm(gradients, settings["max_norm"])
    lr = rate(run["step"], settings)
    parameters, optimizer = adamw_step(
        parameters,
        gradients,
        run["optimizer"],
        lr,
        (settings["beta_1"], settings["beta_2"]),
        weight_decay=settings["weight_decay"],
        no_decay=() if settings["decay_all"] else no_decay_names(parameters),
    )
    if settings.get("single_precision"):
        parameters = tree_map(single_precision, parameters)
    return {
        **run,
        "parameters": parameters,
        "optimizer": optimizer,
        "step": run["step"] + 1,
        "rng_state": rng.getstate(),
        "order": order,
        "history": [*run["history"], loss],
    }


def rate(step, settings):
    """The learning rate of a step; with the cosine switched off it stays where the warm-up has brought it."""
    if not settings["cosine"] and step >= settings["warmup_steps"]:
        return settings["lr"]
    return learning_rate(step, settings["steps"], settings["lr"], settings["warmup_steps"])


def documents_digest(documents):
    """Which documents these are: how many, and a number that other ones would not have."""
    return {"number": len(documents), "sha256": hashlib.sha256(repr(documents).encode("utf-8")).hexdigest()}


# --- the loops


def descend(
    parameters,
    gradients_of,
    steps,
    lr,
    betas,
    max_norm=None,
    weight_decay=0.0,
    no_decay=(),
    single=True,
    line=None,
):
    """AdamW step by step: yields (steps done, loss, parameters) after each step, with a line of progress.

    gradients_of(parameters) draws its own batch, and gives its loss, or None, and the gradients. lr is a
    number or a function of the step. single rounds the parameters to single precision after each step, so
    that every computer gets the same: the last bits of exp and sqrt differ. A caller that shows a figure
    gives its own line.
    """
    optimizer, line = adamw_init(parameters), line or Line("training", steps)
    try:
        for step in range(steps):
            loss, gradients = gradients_of(parameters)
            if max_norm:
                gradients = clip_by_global_norm(gradients, max_norm)
            rate = lr(step) if callable(lr) else lr
            parameters, optimizer = adamw_step(
                parameters, gradients, optimizer, rate, betas, weight_decay=weight_decay, no_decay=no_decay
            )
            if single:
                parameters = tree_map(single_precision, parameters)
            if loss is not None:
                line.what = f"step {step + 1:,}, loss {loss:.2f}"
            line.step()
            yield step + 1, loss, parameters
    finally:
        line.clear()


def last_parameters(run, parameters=None):
    """The parameters after the last step of descend; the given ones if there was no step."""
    for _, _, parameters in run:
        pass
    return parameters


def each_step(run, documents, gradients_of, line):
    """Yields the run after each of the steps that the line of progress counts."""
    while run["step"] < line.total:
        run = training_step(run, documents, gradients_of)
        line.what = f"step {run['step']:,}, loss {mean_of_last_losses(run['history']):.2f}"
        line.step()
        yield run


def train(documents, config, vocab, settings=SETTINGS, keep=None, anew=False, run=None, until=None):
    """The run after its last step; stopped by Ctrl-C, as far as it came, with a sentence that says how to
    go on.

    keep is a name for its checkpoint: the same call finds it again and goes on, to the bit as if nothing
    had happened. StateError for a checkpoint of another run, or a damaged one; anew=True leaves it aside.
    run is one to go on with, from start_run or an earlier call; until is a step to stop at before the
    last. ValueError for documents that do not fit the model.
    """
    require_documents(documents, config)
    run = run or start_run(documents, config, vocab, settings)
    if keep:
        run = (not anew and read_checkpoint(keep, run)) or run
        write_checkpoint(keep, run)  # before the work: what cannot be kept is said now
    last = min(until or math.inf, run["settings"]["steps"])
    line = Line("training", last, done=run["step"])
    try:
        with choose_pool(run, documents, last - run["step"]) as team:
            for run in each_step(run, documents, team.gradients, line):
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
        print(stopped + (" The run is saved: run this cell again to continue." if keep else ""))
    return run


def all_steps(run, documents, gradients_of):
    """The run after its last step, with a line of progress; for short trainings, which keep no checkpoint."""
    line = Line("training", run["settings"]["steps"])
    try:
        for run in each_step(run, documents, gradients_of, line):
            pass
    finally:
        line.clear()
    return run


def require_documents(documents, config):
    """ValueError unless there are documents, each of at least two tokens, all of the vocabulary, and none
    too long."""
    V, P = config["vocab_size"], config["n_positions"]
    if not documents:
        raise ValueError("train: there are no documents; give at least one")
    for number, document in enumerate(documents):
        if not 2 <= len(document) <= P + 1:
            raise ValueError(
                f"train: document {number} has {len(document)} tokens; from 2 to {P + 1} fit a table of "
                f"{P} positions"
            )
        if not all(0 <= token < V for token in document):
            raise ValueError(
                f"train: document {number} holds a token that is none of the {V}; list the characters "
                "of all texts"
            )


def mean_of_last_losses(history):
    """The mean of the last losses: one alone says more about its batch than about the model."""
    last = history[-50:]
    return math.fsum(last) / len(last)


# --- the checkpoint: read as distrustfully as a state


def checkpoint_path(name):
    return state_path(f"{name}.checkpoint")


def write_checkpoint(name, run):
    data = pickle.dumps(run, protocol=5)
    try:
        check_run(unpickle(data), run)  # nothing is written that could not be read
        write_file(checkpoint_path(name), data)
    except Refused as refused:
        raise checkpoint_error(name, "was not written", refused) from None


def read_checkpoint(name, fresh):
    """The run as far as it came; None if none is kept; StateError for what is no checkpoint of the same
    run as the fresh one."""
    try:
        data = read_file(checkpoint_path(name))
        return None if data is None else check_run(unpickle(data), fresh)
    except Refused as refused:
        raise checkpoint_error(name, "cannot be used", refused) from None


def checkpoint_error(name, what, refused):
    usual = "Nothing is lost; go back to what it was made with, or begin again with train(..., anew=True)"
    return state_error(f"{name}.checkpoint", what, refused, usual)


def check_run(run, fresh, max_values=MAX_VALUES):
    """The run itself, if it is the same run as the fresh one, further on; Refused, saying what is wrong,
    if not."""
    check_plain(run, max_values)
    require_names("it", run, PARTS)
    for name in ("config", "vocab", "settings", "documents"):
        if run[name] != fresh[name]:
            raise Refused(f"it belongs to another run: {described_difference(name, run[name], fresh[name])}")
    shapes = gpt_param_sizes(fresh["config"])
    require_names("optimizer", run["optimizer"], ("step", "m", "v"))
    trees = {"parameters": run["parameters"], "m": run["optimizer"]["m"], "v": run["optimizer"]["v"]}
    for where, tree in trees.items():
        check_tensors(where, tree, shapes)
    steps, history = run["step"], run["history"]
    if (
        type(steps) is not int
        or not 0 <= steps <= fresh["settings"]["steps"]
        or run["optimizer"]["step"] != steps
    ):
        raise Refused("its step is none of this run")
    check_tensor("history", history, [steps])
    entries = [history, *(entry for tree in trees.values() for entry in tree.values())]
    if not all(math.isfinite(x) for entry in entries for x in numbers_in(entry)):
        raise Refused("it holds a number that is not finite")
    check_rng_state(run["rng_state"])
    if type(run["order"]) is not list or any(type(i) is not int for i in run["order"]):
        raise Refused("its order is not a list of whole numbers")
    if not all(0 <= i < run["documents"]["number"] for i in run["order"]):
        raise Refused("its order names a document that there is not")
    return run


def described_difference(name, kept, wanted):
    """What differs, in a few words."""
    if type(kept) is dict and type(wanted) is dict:
        for key in wanted:
            if kept.get(key) != wanted[key]:
                return f"{name} {key} is {kept.get(key)!r:.40}, not {wanted[key]!r:.40}"
    return f"other {name}"


def numbers_in(entry):
    """The numbers of a vector or a matrix."""
    return [x for row in entry for x in (row if type(row) is list else [row])]
