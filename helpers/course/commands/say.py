"""What `python3 -m helpers say` does: the trained model of lesson 14 writes, trained first where none is saved."""

import contextlib
import io
import random

from ...sampling import sample, softmax_with_temperature
from ...training import encode
from ..lessons.fast_gpt import fast_generate
from ..lessons.state import load_state, save_state
from ..lessons.files import state_path
from ..lessons.training_loop import SETTINGS

TRAINED = "14_training"  # the lesson that leaves a trained model


def trained_gpt():
    """The model that lesson 14 left; trained now, with a line of progress, and kept, if it has left none."""
    fresh = not state_path(TRAINED).exists()
    if fresh:
        print("Nothing is trained yet: training the model of lesson 14 first, for half a minute or so.", flush=True)
    with contextlib.redirect_stdout(io.StringIO()):
        state = load_state(TRAINED)
        if fresh and state["gpt"]["step"] < SETTINGS["steps"]:
            raise KeyboardInterrupt  # the trainer stops softly, and half a model is not what was asked for
        if fresh:
            save_state(TRAINED, state)
    return state["gpt"]


def prompt_tokens(prompt, gpt):
    """The tokens of a prompt, a capital letter read as a small one where the model knows no capitals; ValueError for what it cannot read."""
    known = gpt["vocab"]
    letters = "".join(letter if letter in known else letter.lower() for letter in prompt)
    unknown = [letter for letter in letters if letter not in known]
    if unknown:
        raise ValueError(f"The prompt holds {unknown[0]!r}, which the model has never read; write with {' '.join(known[3:])}")
    most = gpt["config"]["n_positions"] - 1
    if len(letters) > most:
        raise ValueError(f"The prompt has {len(letters)} characters, and the model has positions for {most}: shorten it")
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
