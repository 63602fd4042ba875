"""Questions about a sentence, and a model of stories that learns to answer them.

A conversation is a text of words: "<user>", a sentence, a question, "<model>", the answer.
"""

import itertools
import math
import random

from ...training import learning_rate
from ..engine import fast_loss, faster
from ..show.display import table
from ..show.tokens import token_boxes
from ..training.loop import descend, last_parameters
from ..training.stories import RICH_RULE, encode_story, tell_story
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


def tune_on_answers(model, facts, steps=200, lr=0.004, seed=1, masked=True, old=None, weights_of=None):
    """The model after supervised fine-tuning: a conversation a step, and the loss of its answer.

    masked=False takes the loss of all tokens. old is a list of stories: then each step also takes one.
    weights_of(tokens, id of <model>) gives the weights of a conversation's losses in place of the mask.
    """
    config, vocab, rng = model["config"], model["vocab"], random.Random(seed)

    def of_batch(parameters):
        fact = rng.choice(facts)
        tokens, mask = conversation(sentence_of(fact), QUESTION.format(**fact), vocab, fact["colour"])
        if weights_of:
            mask = weights_of(tokens, vocab.index("<model>"))
        batch = [(tokens, mask if masked else [1] * len(mask))]
        if old:
            story = encode_story(rng.choice(old), vocab)
            batch.append((story, [1] * (len(story) - 1)))
        weights = [[m / sum(mask) / len(batch) for m in mask] for _, mask in batch]  # of the mean loss
        return None, weighted_gradients(config, parameters, [tokens for tokens, _ in batch], weights)

    def rate(step):
        return learning_rate(step, steps, lr, 10)

    run = descend(model["parameters"], of_batch, steps, rate, betas=(0.9, 0.95))
    return {**model, "parameters": last_parameters(run)}


def new_stories(n=20, seed=5):
    """Stories as those that the model of stories was trained on."""
    rng = random.Random(seed)
    return [tell_story(RICH_RULE, rng) for _ in range(n)]


def loss_on_stories(model, told):
    """The mean loss of the model on these stories."""
    documents = [encode_story(story, model["vocab"]) for story in told]
    return fast_loss(model["config"], model["parameters"], documents)


def next_words(model, text, question):
    """{word: probability} of the first word of the answer, the most probable first."""
    tokens, _ = conversation(text, question, model["vocab"])
    logits = faster()["gpt_forward"](model["config"], model["parameters"], tokens)["logits"][-1]
    chances = zip(model["vocab"], faster()["softmax"](logits))
    return dict(sorted(chances, key=lambda entry: -entry[1]))


def most_probable(model, text, question, n=3):
    """The n most probable first words of the answer, with their probabilities, as text."""
    chances = list(next_words(model, text, question).items())[:n]
    return ", ".join(f"{word} {chance:.2f}" for word, chance in chances)


def first_word(model, text, question):
    """The most probable first word of the answer."""
    return next(iter(next_words(model, text, question)))


def fraction_right(model, facts):
    """How many questions about these facts are answered right."""
    asked = [(sentence_of(fact), QUESTION.format(**fact), fact["colour"]) for fact in facts]
    return math.fsum(first_word(model, *some) == right for *some, right in asked) / len(asked)


# --- what the lesson shows


def conversation_figure(fact, vocab):
    """The inputs and targets of the conversation about a fact."""
    tokens, _ = conversation(sentence_of(fact), QUESTION.format(**fact), vocab, fact["colour"])
    words = [vocab[token] for token in tokens]
    return token_boxes({"input": words[:-1], "target": words[1:]}, "a conversation", aligned=True)


def score_table(models, known, held_out):
    """A row for each model, below that of guessing: right answers, and the loss on stories."""
    guess, some = 1 / len(RICH_RULE["colours"]), new_stories()
    V = max(len(model["vocab"]) for model in models.values())
    rows = [["guessing", f"{guess:.2f}", f"{guess:.2f}", f"{math.log(V):.2f}"]]
    for name, model in models.items():
        right = [f"{fraction_right(model, facts):.2f}" for facts in (known, held_out)]
        rows.append([name, *right, f"{loss_on_stories(model, some):.2f}"])
    heads = [f"{len(known)} known facts right", f"{len(held_out)} held-out facts right"]
    return table(["model", *heads, f"loss on {len(some)} stories"], rows)
