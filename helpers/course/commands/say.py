"""What `python3 -m helpers say` does: a trained model writes. Without a name it is the model of lesson 14,
trained first where none is saved."""

import contextlib
import io
import random
import sys
from pathlib import Path

from ..state.files import state_path
from ..state.load_and_save import load_state, save_state
from ..state.names_task import NAMES, documents_of_model
from ..training.loop import SETTINGS, mean_of_last_losses
from ..training.own_model import load_model, model_names
from ..training.own_text import LIST, files_digest
from ..training.own_writing import draw_text, sampling_rule
from ..training.stories import stories_model
from .environment import Problem
from .names import Misuse, number_between, unknown
from .train import introduction

TRAINED = "14_training"  # the lesson that leaves a trained model
STORIES = "stories"  # the model of lesson 16 that the course ships


def on_stderr(sentence):
    """Say something of the model on stderr: what the model writes is alone on stdout."""
    print(sentence, file=sys.stderr)


def trained_state():
    """The state that lesson 14 left; trained now, with a line of progress, and kept, if it has left none."""
    fresh = not state_path(TRAINED).exists()
    if fresh:
        print(
            "Nothing is trained yet: training the model of lesson 14 first, for half a minute or so.",
            flush=True,
        )
    with contextlib.redirect_stdout(io.StringIO()):
        state = load_state(TRAINED)
        if fresh and state["gpt"]["step"] < SETTINGS["steps"]:
            raise KeyboardInterrupt  # the trainer stops softly, and half a model is not what was asked for
        if fresh:
            save_state(TRAINED, state)
    return state


def named_model(name):
    """The model of this name, and on stderr what it was trained on; Misuse where there is none."""
    model = load_model(name)
    if model is None and name == STORIES:
        return shipped_stories()
    if model is None:
        raise unknown("model", name, [*model_names(), STORIES])
    on_stderr(introduction(model))
    paths = model["trained_on"]["paths"]
    if paths and files_digest(paths) != model["trained_on"]["fingerprint"]:
        changed = f"{model['trained_on']['name']} has changed since then"
        on_stderr(f"{changed}, and the model does not know the new one. Train again with --anew.")
    if model["run"] is not None:
        model = {**model, "parameters": model["run"]["parameters"]}
    return model


def shipped_stories():
    """The model that the course ships, as a named one, and on stderr what it was trained on."""
    try:
        model = stories_model()
    except (OSError, ValueError) as error:
        raise Problem(f"The model of the stories cannot be read: {error}") from None
    on_stderr(f"{STORIES}: comes with the course, trained on stories by rule, {model['step']:,} steps.")
    return {"kind": LIST, "unit": "words", **model}


def names_model():
    """The model of lesson 14, as a named one, and on stderr what it was trained on."""
    state = trained_state()
    gpt, text = state["gpt"], state["text"]
    name = "names" if text["path"] == NAMES else Path(text["path"]).name
    loss = f", training loss {mean_of_last_losses(gpt['history']):.2f}" if gpt["history"] else ""
    on_stderr(f"The model of lesson 14: {name}, {gpt['step']:,} steps{loss}.")
    if is_changed(text, gpt["vocab"]):
        on_stderr(
            f"{Path(text['path']).name} has changed since then, and the model does not know the new text: "
            "`reset 14` forgets the model, and then say trains on names.txt anew."
        )
    own = model_names()
    if own:
        on_stderr(f"(Your own: --model {' or '.join(own)}.)")
    return {"kind": LIST, "unit": "letters", **gpt}


def is_changed(text, vocab):
    """Whether the text of lesson 14's model is another one now, or not there."""
    try:
        documents_of_model(text, vocab)
    except ValueError:
        return True
    return False


def say_texts(options):
    """Let the trained model write."""
    model = names_model() if options.model is None else named_model(options.model)
    running = model["kind"] != LIST
    rng = random.Random(options.seed)
    choose = sampling_rule(
        rng, options.temperature, options.top_k, options.top_p, options.min_p, most_likely=options.greedy
    )
    number = options.number or (1 if options.greedy else 3 if running else 10)
    try:
        for i in range(number):
            text = draw_text(model, options.prompt, choose, options.length)
            print(("\n" if running and i else "") + text, flush=True)
    except ValueError as error:
        raise Misuse(str(error)) from None


def say_arguments(parser):
    which = "a model made by `train`, or stories; default: the first names of lesson 14"
    parser.add_argument("--model", metavar="NAME", help=which)
    begins = "how each text begins; default: from nothing"
    parser.add_argument("--prompt", default="", metavar="TEXT", help=begins)
    temperature = number_between("a temperature", 0, 100, float, above=True)
    heat = "below 1 safer, above 1 bolder; close to 0 like --greedy; default: 0.8"
    parser.add_argument("--temperature", type=temperature, default=0.8, help=heat)
    k, p = number_between("top-k", 1, 100_000), number_between("top-p", 0, 1, float, above=True)
    parser.add_argument("--top-k", type=k, metavar="K", help="only the K most probable tokens")
    likely = "only the most probable tokens that together have the probability P"
    parser.add_argument("--top-p", type=p, metavar="P", help=likely)
    least = "only tokens at least P times as probable as the most probable one"
    parser.add_argument("--min-p", type=number_between("min-p", 0, 1, float), metavar="P", help=least)
    parser.add_argument("--greedy", action="store_true", help="always the most probable token")
    number = number_between("how many", 1, 10_000)
    texts = "how many texts; default: 10 lines, or 3 running texts"
    parser.add_argument("-n", dest="number", type=number, metavar="N", help=texts)
    length = number_between("a length", 1, 100_000)
    parser.add_argument("--length", type=length, metavar="N", help="at most so many tokens")
    parser.add_argument("--seed", type=int, help="a whole number: the same texts each time")
