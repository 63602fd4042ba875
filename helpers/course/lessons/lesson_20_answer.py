"""Lesson 20: an answer as it appears, and what a mistake in the forward pass changes."""

from ...attention import softmax
from ..models.rows import quicker
from ..models.smollm2 import one_question, read_smollm2
from ..show.status import working
from .lesson_20_llama_bugs import LLAMA_BUGS

MAX_TOKENS = 30  # of an answer


def show_answer(model, question):
    """Print a question, and the answer token by token: as it is computed, or as it was recorded."""
    pieces = model.stream(first_answer, question)
    first = next(pieces)  # before it, a line of progress clears the cell
    print(question)
    print(first, end="", flush=True)
    for piece in pieces:
        print(piece, end="", flush=True)
    print()


def first_answer(question):
    """The answer piece by piece, by the faster and less exact products of `python3 -m helpers chat`."""
    model, cache = read_smollm2(), None
    quicker(model)
    tokens, text = model.encode(one_question(question)), model.tokenizer.stream()
    with working("SmolLM2 reads the question", len(tokens)) as step:
        for token in tokens:
            x, cache = model.read(token, cache)
            step()
    for _ in range(MAX_TOKENS):
        token = most_likely(model.logits(x))
        if token == model.end:
            return
        yield text(token)
        x, cache = model.read(token, cache)


def most_likely(logits):
    return logits.index(max(logits))


def first_and_text(model, text, n):
    """The logits of the first new token, and the text of up to n new tokens, the most likely ones."""
    tokens, cache, new, first = model.encode(text), None, [], None
    while True:
        for token in tokens:
            logits, cache = model.step(token, cache)
        first, tokens = first or logits, [most_likely(logits)]
        new += tokens
        if tokens == [model.end] or len(new) == n:
            return first, model.decode(new)


def five_likeliest(model, text):
    """[token, id, logit, probability] of the five most likely next tokens."""

    def five_best(text):
        logits, _ = first_and_text(model, text, 1)
        chances = softmax(logits)
        best = sorted(range(len(logits)), key=lambda i: -logits[i])[:5]
        return [[model.decode([i]), i, logits[i], chances[i]] for i in best]

    return model.live(five_best, text)


def with_bugs(model, text, reference):
    """For each mistake: its name, the largest difference of the first logits from those of the reference,
    {token: logit}, the probability of the reference's first token, and three new tokens."""

    def with_bug(bug):
        logits, said = first_and_text(model.copy_with(**LLAMA_BUGS[bug]), text, 3)
        apart = max(abs(logits[i] - logit) for i, logit in reference.items())
        return [apart, softmax(logits)[next(iter(reference))], said]

    return [[bug, *model.live(with_bug, bug)] for bug in LLAMA_BUGS]
