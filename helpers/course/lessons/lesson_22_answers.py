"""Questions about a sentence, and a model of stories that learns to answer them.

A conversation is a text of words: "<user>", a sentence, a question, "<model>", the answer.
"""

import itertools
import math
import random

from ...training import learning_rate
from ..engine import faster
from ..training.loop import descend, last_parameters
from ..training.stories import RICH_RULE, encode_story
from .lesson_22_tuning import weighted_gradients

NEW_WORDS = ["<user>", "<model>", "colour", "of"]
HELD_OUT = 64  # facts
QUESTION = "what colour is the {thing} of {name} ?"


def all_facts():
    """(facts to train on, facts held out): every name with every colour and every thing."""
    lists = {"name": "names", "colour": "colours", "thing": "things"}
    chosen = itertools.product(*(RICH_RULE[name] for name in lists.values()))
    facts = [dict(zip(lists, words)) for words in chosen]
    random.Random(3).shuffle(facts)
    return facts[HELD_OUT:], facts[:HELD_OUT]


def sentence_of(fact):
    """The sentence of a fact.

    >>> sentence_of({"name": "mia", "colour": "red", "thing": "ball"})
    'mia has a red ball .'
    """
    return "{name} has a {colour} {thing} .".format(**fact)


def with_new_words(model, seed=1):
    """The model with more words in its vocabulary; their vectors are drawn at random."""
    rng, D, table = random.Random(seed), model["config"]["n_embd"], "wte.weight"
    rows = [[rng.gauss(0, 0.02) for _ in range(D)] for _ in NEW_WORDS]
    parameters = {**model["parameters"], table: model["parameters"][table] + rows}
    vocab = [*model["vocab"], *NEW_WORDS]
    return {"config": {**model["config"], "vocab_size": len(vocab)}, "vocab": vocab, "parameters": parameters}


def conversation(text, question, vocab, answer=None):
    """(tokens, mask): the chat template, and 1 for each target that belongs to the answer.

    Without an answer the tokens end where it begins, and the mask has no 1.
    """
    prompt = encode_story(f"<user> {text} {question} <model>", vocab)[:-1]  # without <EOS>
    if answer is None:
        return prompt, [0] * (len(prompt) - 1)
    tokens = [*prompt, *encode_story(answer, vocab)[1:]]  # without <BOS>
    return tokens, [0] * (len(prompt) - 1) + [1] * (len(tokens) - len(prompt))


def tune_on_answers(model, facts, steps=150, n=4, lr=0.006, seed=1):
    """The model after instruction tuning: n conversations a step, and the loss of their answers."""
    config, vocab, rng = model["config"], model["vocab"], random.Random(seed)

    def of_batch(parameters):
        chats = []
        for _ in range(n):
            fact = rng.choice(facts)
            chats.append(conversation(sentence_of(fact), QUESTION.format(**fact), vocab, fact["colour"]))
        weights = [[m / sum(mask) / n for m in mask] for _, mask in chats]  # of the mean masked loss
        return None, weighted_gradients(config, parameters, [tokens for tokens, _ in chats], weights)

    def rate(step):
        return learning_rate(step, steps, lr, 10)

    run = descend(model["parameters"], of_batch, steps, rate, betas=(0.9, 0.95))
    return {**model, "parameters": last_parameters(run)}


def next_words(model, text, question):
    """{word: probability} of the first word of the answer, the most probable first."""
    tokens, _ = conversation(text, question, model["vocab"])
    logits = faster()["gpt_forward"](model["config"], model["parameters"], tokens)["logits"][-1]
    chances = zip(model["vocab"], faster()["softmax"](logits))
    return dict(sorted(chances, key=lambda entry: -entry[1]))


def first_word(model, text, question):
    """The most probable first word of the answer."""
    return next(iter(next_words(model, text, question)))


def fraction_right(model, facts):
    """How many questions about these facts are answered right."""
    asked = [(sentence_of(fact), QUESTION.format(**fact), fact["colour"]) for fact in facts]
    return math.fsum(first_word(model, *some) == right for *some, right in asked) / len(asked)
