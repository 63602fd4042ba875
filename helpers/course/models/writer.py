"""What SmolLM2 writes in lessons 24 and 24b: replies, texts of a form, samples; or what was recorded.

A form is a list of parts (characters, least, most): from least to most of these characters, part after part.
"""

import functools
import json
import math
import random
import re
import string
from collections import Counter

from ...attention import softmax
from ...forms import mask_logits
from ...sampling import sample
from .rows import quicker
from .smollm2 import BEFORE_REPLY, BEGINNING, load_smollm2

END = "\u00b6"  # stands for <|im_end|> at the end of a form
LETTERS = string.ascii_letters + " "
USER = "<|im_start|>user\n"  # what a message of the user begins with


def literal(text):
    """The form of one text.

    >>> literal("ab")
    [('a', 1, 1), ('b', 1, 1)]
    """
    return [(character, 1, 1) for character in text]


def rests_of(text, form):
    """The forms that what follows a text can have; none where no text of the form begins with it.

    >>> rests_of("a", [("a", 1, 2), ("b", 1, 1)])
    [[('b', 1, 1)], [('a', 0, 1), ('b', 1, 1)]]
    """
    if not text or not form:
        return [] if text else [form]
    (characters, least, most), *rest = form
    n = 0
    while n < min(len(text), most) and text[n] in characters:
        n += 1
    found = [after for taken in range(least, n + 1) for after in rests_of(text[taken:], rest)]
    longer = [[(characters, max(least - n, 0), most - n), *rest]] if n == len(text) and n < most else []
    return found + longer


def prompt_of(*texts):
    """The messages of a user and a model in turn, up to where the model's next message begins."""
    marks = [BEFORE_REPLY, f"<|im_end|>\n{USER}"] * len(texts)
    return BEGINNING + "".join(text + mark for text, mark in zip(texts, marks))


def is_json(text, name):
    """Whether a text is a JSON object with one entry of this name.

    >>> is_json('{"country": "Mali"}', "country"), is_json("Mali", "country")
    (True, False)
    """
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and [*found] == [name]


def valid_and_cost(samples, name):
    """How many of some samples are JSON objects with one entry of this name, and their mean cost in nats.

    >>> valid_and_cost([["A", 3, 0.0], ['{"x": "B"}\u00b6', 1, 2.0]], "x")
    [1, 0.5]
    """
    valid = sum(times for text, times, _ in samples if is_json(text.removesuffix(END), name))
    return [valid, sum(times * nats for _, times, nats in samples) / sum(times for _, times, _ in samples)]


def quick_smollm2():
    """What writes: SmolLM2 with the faster products of the command chat, or what was recorded with it."""
    model = load_smollm2()
    if model.here:
        quicker(model)
    return Writer(model)


class Writer:
    """A model whose replies and tokens are computed here, or as they were recorded."""

    def __init__(self, model):
        self.model, self.kept, self.found = model, {"": None}, {}

    def reply(self, *texts, n=16):
        """The most likely next message of a conversation, at most n tokens of it."""
        return self.model.live(self.most_likely_text, prompt_of(*texts), n)

    def tokens_in_form(self, texts, *forms):
        """[token, its probability without the mask, the most likely token, its probability] for each token
        of the most likely next message that has one of the forms."""
        return self.model.live(self.write_in_form, prompt_of(*texts), *forms)

    def samples(self, question, form, n, masked, seed=1):
        """n sampled answers as [text, how many, nats], with the mask, or without it until the text can take
        the form no longer.

        The nats are what the mask costs: minus the log of the probability of the allowed tokens, summed.
        """
        return self.model.live(self.draw, prompt_of(question), form, n, masked, seed)

    # --- with the model

    @functools.cached_property
    def texts(self):
        """The text of each token; "" for the marks of a conversation, apart from the end of a message."""
        decode, control = self.model.decode, self.model.tokenizer.control
        texts = [decode([i]) for i in range(self.model.config["vocab_size"])]
        texts = ["" if text in control or END in text else text for text in texts]
        texts[self.model.end] = END
        return texts

    def read(self, text):
        """The last vector after a text, and the cache; what stands before a user's message is kept."""
        start = max((known for known in self.kept if text.startswith(known)), key=len)
        cache = self.kept[start]
        for part in re.split(f"(?<={re.escape(USER)})", text[len(start) :]):
            start += part
            for token in self.model.encode(part):
                x, cache = self.model.read(token, cache)
            if part.endswith(USER):
                self.kept[start] = cache
        return x, cache

    def most_likely_text(self, prompt, n):
        written, (x, cache) = [], self.read(prompt)
        while len(written) < n:
            logits = self.model.logits(x)
            token = logits.index(max(logits))
            if token == self.model.end:
                break
            written.append(token)
            x, cache = self.model.read(token, cache)
        return self.model.decode(written)

    def allowed(self, text, forms):
        """The tokens after which a text can still take one of the forms."""
        rests = [rest for form in forms for rest in rests_of(text, form)]
        if repr(rests) not in self.found:  # the same for many texts
            fits = [any(rests_of(token, rest) for rest in rests) for token in self.texts]
            self.found[repr(rests)] = [i for i, token in enumerate(self.texts) if token and fits[i]]
        return self.found[repr(rests)]

    def write_in_form(self, prompt, *forms):
        text, rows, (x, cache) = "", [], self.read(prompt)
        while True:
            logits = self.model.logits(x)
            masked, chances = mask_logits(logits, self.allowed(text, forms)), softmax(logits)
            token, wanted = masked.index(max(masked)), logits.index(max(logits))
            text += self.texts[token]
            rows.append([self.texts[token], chances[token], self.texts[wanted], chances[wanted]])
            if text.endswith(END):
                return rows
            x, cache = self.model.read(token, cache)

    def draw(self, prompt, form, n, masked, seed):
        """Samples that begin with the same tokens are continued together."""
        rng, rows = random.Random(seed), []

        def grow(text, x, cache, n, nats):
            logits = self.model.logits(x)
            chances, allowed = softmax(logits), self.allowed(text, [form])
            nats -= math.log(math.fsum(chances[i] for i in allowed))
            drawn = softmax(mask_logits(logits, allowed)) if masked else chances
            for token, times in sorted(Counter(sample(drawn, rng) for _ in range(n)).items()):
                longer = text + self.texts[token]
                if token in allowed and not longer.endswith(END):
                    grow(longer, *self.model.read(token, cache), times, nats)
                else:
                    rows.append([longer, times, nats if masked else 0.0])

        grow("", *self.read(prompt), n, 0.0)
        return sorted(rows)
