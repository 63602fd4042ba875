"""The state that passes from lesson to lesson: saved whole, loaded without trusting the file, reset.

A state file is a pickle of plain data. Nothing in it is ever executed: `unpickle` looks at every pickle
instruction before the first one runs, and `check_state` at every value before anyone uses it.
"""

import math
import pickle

from ...gpt import gpt_param_sizes
from .files import (
    Refused,
    StateError,
    check_plain,
    check_rng_state,
    check_step,
    check_tensor,
    check_tensors,
    displayed_path,
    read_file,
    remove_state,
    require_names,
    state_error,
    state_path,
    unpickle,
    write_file,
)
from .names_task import GPT, TEXT
from .network import CONFIG, PARAMETER_SHAPES, TOKENS
from .registry import course_state, is_trained, lesson_names, lessons_through, shapes_after, trained_sections

MAX_SIZES = {"V": 64, "P": 64, "D": 128, "H": 128, "K": 128, "F": 256}  # more would fill the reader's screen
MAX_WORD = 40
MAX_PATH = 4096
MAX_GPT = {
    "vocab_size": 1024,
    "n_positions": 1024,
    "n_embd": 1024,
    "n_layer": 48,
    "n_head": 64,
    "n_inner": 4096,
}
TOLERANCE = 1e-9  # Pythons and platforms differ in the last bits

MODELS = ("gpt", "stories")  # sections that hold a model of Part II
ALWAYS = ("config", "tokens", "targets", "rng_state")
# This many lessons, from 00 on, load a state with any sentence and any number of heads.
FOLLOWED = 2
# The parameters after lesson 00's training, in the course's own sizes: in a state, or not.
TRAINED = "trained"


def load_state(lesson):
    """The state that a lesson left: the saved one, or the course's own, recomputed from the seed, where
    none is saved.

    A model that takes long to train is trained only where none is saved. StateError for a file that is
    not exactly such a state.
    """
    lessons_up_to(lesson)
    try:
        data = read_file(state_path(lesson))
        own = course_state(lesson, trained=data is None)
        if data is None:
            return announce(lesson, own, [])
        state = check_state(lesson, unpickle(data))
        check_followed(lesson, state)
    except Refused as refused:
        remedy = f"Run lesson {lesson} again, or `import helpers; helpers.start_over({lesson!r})`"
        raise state_error(lesson, "cannot be used", refused, remedy) from None
    return announce(lesson, state, differences(state, own, skipped=trained_sections(lesson)))


def check_followed(lesson, state):
    """From lesson 03 on the text speaks of positions 0 to 4 and of two heads: Refused for other numbers
    of them."""
    T, H = len(state["tokens"]), state["config"]["H"]
    if len(lessons_up_to(lesson)) > FOLLOWED and (T, H) != (len(TOKENS), CONFIG["H"]):
        raise Refused(
            f"it holds {T} tokens and {H} heads, and the lessons from 03 on follow {len(TOKENS)} tokens "
            f"and {CONFIG['H']} heads",
            "Play with other words, weights, seeds; to go back, run `import helpers; helpers.start_over()`",
        )


def save_state(lesson, state):
    """Save what a lesson leaves; StateError, and the old file as it was, for what load_state would refuse."""
    adds = lessons_up_to(lesson)[-1].adds
    try:
        data = pickle.dumps(check_state(lesson, state), protocol=5)
        check_state(lesson, unpickle(data))  # nothing is written that could not be loaded
        write_file(state_path(lesson), data)
    except Refused as refused:
        remedy = f"Run lesson {lesson} again from its first cell"
        raise state_error(lesson, "was not written", refused, remedy) from None
    new = ", ".join(name for names in adds.values() for name in names)
    kept = ", ".join(name for name in state if name != TRAINED)
    print(f"saved {lesson}: {kept}" + (f" (new: {new})" if new else ""))


def start_over(lesson=None):
    """Delete every saved state, or a lesson's and all later ones; one sentence says what was deleted."""
    first = 0 if lesson is None else len(lessons_up_to(lesson)) - 1
    removed = [name for name in lesson_names()[first:] if remove_state(name)]
    deleted = f"Deleted the saved state of {', '.join(removed)}."
    print(deleted if removed else "There is no saved state to delete.")


def lessons_up_to(lesson):
    """The lessons from the first to this one; StateError, with the near matches, if there is none."""
    try:
        return lessons_through(lesson)
    except ValueError as error:
        raise StateError(str(error)) from None


# --- from plain data to a state


def check_state(lesson, state):
    """The state itself, if it is exactly what that lesson leaves; Refused, saying what is wrong, if not."""
    check_plain(state)
    kept = [TRAINED] if type(state) is dict and TRAINED in state else []
    require_names("the state", state, [*ALWAYS, *shapes_after(lesson), *kept])
    check_config(state["config"])
    check_tokens(state["config"], state["tokens"], state["targets"])
    check_rng_state(state["rng_state"])
    lengths = {**state["config"], "T": len(state["tokens"]), "T-1": len(state["targets"]), "1": 1}
    for section, shapes in shapes_after(lesson).items():
        if section in MODELS:
            check_gpt(section, state[section])
        elif section == "text":
            check_text(state[section])
        else:
            check_shapes(section, state[section], shapes, lengths)
    if "optimizer" in state:
        check_step(state["optimizer"]["step"])
    if kept:
        check_shapes(TRAINED, state[TRAINED], PARAMETER_SHAPES, CONFIG)
    return state


def check_config(config):
    """Sizes that fit each other, and a vocabulary of that size."""
    require_names("config", config, CONFIG)
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


def check_shapes(where, value, shapes, lengths):
    """The named values of a section, each made of lists as long as its letters say."""
    if type(shapes) is not dict:
        return check_tensor(where, value, [lengths[letter] for letter in shapes])
    require_names(where, value, shapes)
    for name in shapes:
        check_shapes(f"{where} {name}", value[name], shapes[name], lengths)


def check_text(text):
    """Where the text of lesson 14's model is, how it was split, and a digest of its sets."""
    require_names("text", text, TEXT)
    for name in ("path", "digest"):
        if type(text[name]) is not str or len(text[name]) > MAX_PATH:
            raise Refused(f"text {name} is not a string of at most {MAX_PATH} characters")
    if type(text["seed"]) is not int:
        raise Refused("text seed is not a whole number")


def check_gpt(where, gpt):
    """A model of Part II: names and shapes by its own config, and what training remembers of it."""
    require_names(where, gpt, GPT)
    config, vocab = gpt["config"], gpt["vocab"]
    require_names(f"{where} config", config, MAX_GPT)
    for name, size in config.items():
        if type(size) is not int or not 1 <= size <= MAX_GPT[name]:
            raise Refused(f"{where} config {name} is not a whole number from 1 to {MAX_GPT[name]}")
    if config["n_embd"] % config["n_head"]:
        raise Refused(f"{where} config n_head does not divide n_embd")
    V = config["vocab_size"]
    if type(vocab) is not list or len(vocab) != V or any(type(c) is not str for c in vocab):
        raise Refused(f"{where} vocab is not a list of vocab_size strings")
    if any(len(c) > MAX_WORD for c in vocab):
        raise Refused(f"a string in gpt vocab has more than {MAX_WORD} letters")
    sizes, optimizer = gpt_param_sizes(config), gpt["optimizer"]
    require_names(f"{where} optimizer", optimizer, ["step", "m", "v"])
    parts = {
        f"{where} parameters": gpt["parameters"],
        **{f"{where} optimizer {name}": optimizer[name] for name in "mv"},
    }
    for part, tensors in parts.items():
        check_tensors(part, tensors, sizes)
    check_step(optimizer["step"], f"{where} optimizer step")
    check_step(gpt["step"], f"{where} step")
    check_rng_state(gpt["rng_state"], f"{where} rng_state")
    if type(gpt["history"]) is not list:
        raise Refused(f"{where} history is not a list")


# --- yours or the course's


def announce(lesson, state, names):
    """The state, and one line that says whose numbers it holds; if they differ, it names the first of
    what differs.

    Whether a state was saved or recomputed makes no difference to what is said: what a notebook shows
    stays the same.
    """
    if not names and is_trained(lesson):
        steps = state[trained_sections(lesson)[-1]]["step"]
        print(f"Going on from {lesson}, with a model that was trained for {steps:,} steps.")
    elif not names:
        print(f"Going on from {lesson}, with the course's own numbers.")
    else:
        listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        print(
            f"{displayed_path(lesson)} differs from the course's own in {listed}. Going on with yours; "
            "to go back, run `import helpers; helpers.start_over()` and then this lesson again."
        )
    return state


def differences(state, own, skipped=()):
    """The names of what differs from the course's own state, without the sections in `skipped`."""
    ours = named_parts({name: value for name, value in own.items() if name not in skipped})
    theirs = named_parts(state)
    return [name for name, value in ours.items() if not sections_agree(theirs[name], value)]


def named_parts(state):
    """What is compared on its own, by name: config, tokens, ..., parameters E_token, ..., optimizer m
    E_token, ..."""
    named = {}
    for section, value in state.items():
        if type(value) is dict and section != "config":
            named.update({f"{section} {name}": part for name, part in named_parts(value).items()})
        else:
            named[section] = value
    return named


def sections_agree(got, own):
    """Equal, but for floats within TOLERANCE of the largest one in own."""
    got, own = list(flattened(got)), list(flattened(own))
    sizes = [abs(x) for x in own if type(x) is float and math.isfinite(x)]
    tolerance = TOLERANCE * max(sizes, default=0.0)
    return len(got) == len(own) and all(values_agree(a, b, tolerance) for a, b in zip(got, own, strict=True))


def values_agree(a, b, tolerance):
    return a == b or (type(b) is float and type(a) in (int, float) and abs(a - b) <= tolerance)


def flattened(value):
    """What nested lists and dicts hold, in order, with the lengths of lists and the names of dicts."""
    if type(value) is dict:
        value = sorted(value.items())
    if type(value) in (list, tuple):
        yield len(value)
        for entry in value:
            yield from flattened(entry)
    else:
        yield value
