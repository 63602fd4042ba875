"""What `python3 -m helpers say` does: the trained model of lesson 14 writes, trained first where none is
saved."""

import argparse
import contextlib
import io
import math
import random

from ...sampling import sample, softmax_with_temperature
from ...training import encode
from ..lessons.fast_gpt import fast_generate
from ..lessons.files import state_path
from ..lessons.state import load_state, save_state
from ..lessons.training_loop import SETTINGS
from .names import Misuse

TRAINED = "14_training"  # the lesson that leaves a trained model


def trained_gpt():
    """The model that lesson 14 left; trained now, with a line of progress, and kept, if it has left none."""
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
    return state["gpt"]


def prompt_tokens(prompt, gpt):
    """The tokens of a prompt, a capital letter read as a small one where the model knows no capitals;
    ValueError for what it cannot read."""
    known = gpt["vocab"]
    letters = "".join(letter if letter in known else letter.lower() for letter in prompt)
    unknown = [letter for letter in letters if letter not in known]
    if unknown:
        raise ValueError(
            f"The prompt holds {unknown[0]!r}, which the model has never read; write with "
            f"{' '.join(known[3:])}"
        )
    most = gpt["config"]["n_positions"] - 1
    if len(letters) > most:
        raise ValueError(
            f"The prompt has {len(letters)} characters, and the model has positions for {most}: shorten it"
        )
    return encode(letters, known)[:-1]


def generate_texts(gpt, prompt, temperature, n, rng):
    """n texts that begin with the prompt, one after the other."""
    vocab, longest = gpt["vocab"], gpt["config"]["n_positions"] + 1
    tokens, end = prompt_tokens(prompt, gpt), gpt["vocab"].index("<EOS>")

    def choose(logits):
        return sample(softmax_with_temperature(logits, temperature), rng)

    for _ in range(n):
        written = fast_generate(gpt["config"], gpt["parameters"], tokens, choose, longest, end)[len(tokens) :]
        yield prompt + "".join(vocab[token] for token in written if token > end)


def say(prompt="", temperature=0.8, n=10, seed=None):
    """Print n texts."""
    for text in generate_texts(trained_gpt(), prompt, temperature, n, random.Random(seed)):
        print(text)


def say_texts(options):
    """Let the trained model write."""
    try:
        say(options.prompt, options.temperature, options.number, options.seed)
    except ValueError as error:
        raise Misuse(str(error)) from None


def temperature_number(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(
            "a temperature is a number above 0; close to 0 it always generates the most likely letter"
        )
    return value


def count_number(text):
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError("how many is a whole number from 1 to 10,000")
    return int(text)


def say_arguments(parser):
    parser.add_argument(
        "--prompt", default="", metavar="TEXT", help="how each text begins; default: from nothing"
    )
    parser.add_argument(
        "--temperature",
        type=temperature_number,
        default=0.8,
        help="below 1 safer, above 1 bolder; default: 0.8",
    )
    parser.add_argument(
        "-n", dest="number", type=count_number, default=10, metavar="N", help="how many; default: 10"
    )
    parser.add_argument("--seed", type=int, help="a whole number: the same texts each time")
