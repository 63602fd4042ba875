"""What lesson 00 begins with: the model of stories that the course ships continues the reader's words."""

import random
import re
import textwrap

from ...attention import softmax
from ...gpt import gpt_forward
from ..show.display import table
from ..training.stories import encode_story, read_aloud, sample_story, stories_model

MAX_COLUMNS = 100  # of a printed line: JupyterLab breaks longer ones inside words


def in_small_letters(text):
    """What a person writes, as the words of the stories: small letters, marks apart.

    >>> in_small_letters("Mia has a hat.")
    'mia has a hat .'
    """
    return " ".join(re.findall(r"[\w']+|[^\w\s]", text.lower()))


def why_it_cannot_be_read(beginning, model):
    """Why the model cannot read these words, in a sentence that says what to do; "" if it can."""
    words, longest = in_small_letters(beginning).split(), model["config"]["n_positions"] - 1
    unknown = [word for word in words if word not in model["vocab"][3:]]
    if unknown:
        return f'The model does not know "{unknown[0]}". The cell below lists the words that it knows.'
    if len(words) > longest:
        return f"The model reads at most {longest} words, and these are {len(words)}: leave some out."
    return ""


def continue_story(beginning, seed):
    """A story that begins with the reader's words; or what is wrong with them."""
    model = stories_model()
    sizes_and_weights = [model[name] for name in ("config", "parameters", "vocab")]
    told = why_it_cannot_be_read(beginning, model)
    if told:
        return told
    story = sample_story(*sizes_and_weights, random.Random(seed), in_small_letters(beginning))
    return textwrap.fill(read_aloud(story), MAX_COLUMNS, subsequent_indent="    ")


def words_that_follow(*beginnings, count=5):
    """A table: for each beginning the most probable next words; or what is wrong with it."""
    model = stories_model()
    rows = [
        [text, why_it_cannot_be_read(text, model) or most_probable_words(text, model, count)]
        for text in beginnings
    ]
    return table(["beginning", "most probable next words"], rows)


def most_probable_words(beginning, model, count):
    """The next words with their probabilities, as text."""
    tokens = encode_story(in_small_letters(beginning), model["vocab"])[:-1]
    probabilities = softmax(gpt_forward(model["config"], model["parameters"], tokens)["logits"][-1])
    best = sorted(zip(model["vocab"], probabilities), key=lambda pair: -pair[1])[:count]
    return ", ".join(f"{word} {p:.2f}" for word, p in best)


def known_words():
    """The words that the model knows, in lines."""
    words = [word for word in stories_model()["vocab"] if word.isalpha()]
    return textwrap.fill(" ".join(words), 90)
