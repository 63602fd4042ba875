"""A small GPT that learns to add, with its steps written out or without them."""

import random

from ...forms import addition_steps, majority
from ...gpt import init_gpt
from ...sampling import greedy, sample
from ...training import learning_rate
from ..engine import fast_generate, faster
from ..training.loop import descend, last_parameters, scale_initial_weights
from .lesson_22_tuning import weighted_gradients

VOCAB = "0123456789+=:."
CONFIG = {"vocab_size": 14, "n_positions": 20, "n_embd": 16, "n_layer": 1, "n_head": 4, "n_inner": 32}
PARTS = ["column 1", "column 1", "column 2", "column 2"]  # then the sum; column 1 is the last one


def question_of(a, b, n=2):
    """A sum as the model reads it.

    >>> question_of(7, 58)
    '07+58='
    """
    return f"{a:0{n}}+{b:0{n}}="


def at_once(a, b, n=2):
    """The sum without steps.

    >>> at_once(37, 58)
    '095.'
    """
    return f"{a + b:0{n + 1}}."


def with_steps(a, b, n=2):
    return addition_steps(a, b, n)


def test_sums(count=200, n=2):
    """Pairs of numbers of n digits that no training uses."""
    rng = random.Random(24)
    return [(rng.randrange(10**n), rng.randrange(10**n)) for _ in range(count)]


def train_sums(answer, steps=800, seed=1, batch=2, lr=0.01):
    """A model that learns to write answer(a, b, 2) after the question; only the answer has a loss."""
    rng, held_out = random.Random(seed), set(test_sums())

    def pair():
        while (found := (rng.randrange(100), rng.randrange(100))) in held_out:
            pass
        return found

    def of_batch(parameters):
        documents, masks = [], []
        for a, b in [pair() for _ in range(batch)]:
            asked, written = question_of(a, b), answer(a, b, 2)
            documents.append(tokens_of(asked + written))
            masks.append([0] * (len(asked) - 1) + [1 / len(written) / batch] * len(written))
        return None, weighted_gradients(CONFIG, parameters, documents, masks)

    def rate(step):
        return learning_rate(step, steps, lr, 40)

    parameters = scale_initial_weights(init_gpt(CONFIG, rng))
    return last_parameters(descend(parameters, of_batch, steps, rate, (0.9, 0.98), max_norm=1.0))


def tokens_of(text):
    return [VOCAB.index(character) for character in text]


def write_sum(parameters, question, rng=None):
    """What the model writes after a question, up to the full stop: sampled with rng, else the most likely."""

    def choose(logits):
        chances = faster()["softmax"](logits)
        return sample(chances, rng) if rng else greedy(chances).index(1.0)

    prompt = tokens_of(question)
    tokens = fast_generate(CONFIG, parameters, prompt, choose, CONFIG["n_positions"] + 1, VOCAB.index("."))
    return "".join(VOCAB[token] for token in tokens[len(prompt) :])


def final_answer(text):
    """What stands after the steps, without the full stop.

    >>> final_answer("1509:095."), final_answer("095.")
    ('095', '095')
    """
    return text.rpartition(":")[2].rstrip(".")


def is_right(text, a, b, n=2):
    return final_answer(text) == f"{a + b:0{n + 1}}"


def fraction_of_right_sums(parameters, sums, n=2):
    """How many of the sums the model writes right."""
    written = [write_sum(parameters, question_of(a, b, n)) for a, b in sums]
    return sum(is_right(text, a, b, n) for text, (a, b) in zip(written, sums)) / len(sums)


def first_wrong_part(text, a, b):
    """The part in which a text with steps first differs from the right one; "" if it does not.

    >>> first_wrong_part("1509:095.", 37, 58), first_wrong_part("1508:085.", 37, 58)
    ('', 'column 2')
    """
    right = addition_steps(a, b, 2)
    places = [i for i, character in enumerate(right) if text[i : i + 1] != character]
    return (PARTS + ["the sum"] * len(right))[places[0]] if places else ""


def vote(parameters, sums, n_samples=9, seed=1):
    """(the fraction of right samples, the fraction of right majorities)."""
    rng, single, voted = random.Random(seed), 0, 0
    for a, b in sums:
        samples = [write_sum(parameters, question_of(a, b), rng) for _ in range(n_samples)]
        single += sum(is_right(text, a, b) for text in samples) / n_samples
        voted += is_right(majority([final_answer(text) for text in samples]), a, b)
    return single / len(sums), voted / len(sums)
