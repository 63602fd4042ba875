"""What lessons 14 and 14c tell of trainings that they do not run: other splits, other seeds, other cuts of a batch.

    python tests/benchmarks/told_in_lesson_14.py

Trains for some minutes, prints each sentence as the lessons have it, and stops where one is not so.
"""

import math
import pathlib
import random
import sys

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

from published import PUBLISHED  # noqa: E402

from helpers import (  # noqa: E402
    count_ngrams, fast_gradients, global_norm, list_characters, next_batch, ngram_losses, split_documents, text_to_tokens,
)  # fmt: skip
from helpers.course.trainer import one_step, read_lines, smallest_config, start_run, train  # noqa: E402

LINES = read_lines("names.txt")
CHARACTERS = list_characters(LINES)
DOCUMENTS = [text_to_tokens(line, CHARACTERS) for line in LINES]
CONFIG, PART = smallest_config(DOCUMENTS, CHARACTERS), len(LINES) // 9
TRAINING, CHOOSING, _ = split_documents(DOCUMENTS, PART, PART, random.Random(1))


def told(sentence):
    print(sentence)
    assert sentence in PUBLISHED, "the lessons say something else"


def bigram_loss(training, documents, amount):
    counts = count_ngrams(training, 2)
    losses = [x for d in documents for x in ngram_losses(d, counts, 2, len(CHARACTERS), amount)]
    return math.fsum(losses) / len(losses)


def below_the_bigrams(seed):
    """Held out, after lesson 14's training on another split; the bigrams' amount is the best on the choosing part."""
    training, choosing, held_out = split_documents(DOCUMENTS, PART, PART, random.Random(seed))
    amount = min((0.03, 0.1, 0.2, 0.5, 1.0), key=lambda amount: bigram_loss(training, choosing, amount))
    run = train(training, CONFIG, CHARACTERS)
    return bigram_loss(training, held_out, amount) - fast_gradients(CONFIG, run["parameters"], held_out)[0]


def short(**settings):
    """Lesson 14c's short run."""
    return train(TRAINING, CONFIG, CHARACTERS, {"steps": 100, "warm_up": 10, **settings})


def chosen(run):
    return fast_gradients(CONFIG, run["parameters"], CHOOSING[:100])[0]


def worse(**settings):
    """How much worse a short run is with a knob switched off, at three times the usual rate, for three seeds."""
    return [chosen(short(lr=0.03, seed=seed, **settings)) - chosen(short(lr=0.03, seed=seed)) for seed in (42, 43, 44)]


def longer_batches():
    """How many of the short run's gradients are longer than its limit."""
    run, count = start_run(TRAINING, CONFIG, CHARACTERS, {"steps": 100, "warm_up": 10}), 0
    for _ in range(100):
        rng = random.Random()
        rng.setstate(run["rng_state"])
        batch, _ = next_batch(run["deck"], len(TRAINING), run["settings"]["batch"], rng)
        count += global_norm(fast_gradients(CONFIG, run["parameters"], [TRAINING[i] for i in batch])[1]) > run["settings"]["clip"]
        run = one_step(run, TRAINING)
    return count


def mean_of_means(parameters, first, second):
    """How far the mean of two pieces' gradients lies from the gradient of the whole batch, as a share of its length."""

    def gradient(documents):
        return [x for row in fast_gradients(CONFIG, parameters, documents)[1]["wte.weight"] for x in row]

    whole = gradient(first + second)
    means = [(a + b) / 2 for a, b in zip(gradient(first), gradient(second), strict=True)]
    return math.dist(means, whole) / math.hypot(*whole)


def nudged(by=1e-15):
    """How far the losses of lesson 14's run move when one weight is nudged before its first step."""
    run = start_run(TRAINING, CONFIG, CHARACTERS)
    table = [list(row) for row in run["parameters"]["wte.weight"]]
    table[5][0] += by
    twin = {**run, "parameters": {**run["parameters"], "wte.weight": table}}
    histories = [train(TRAINING, CONFIG, CHARACTERS, run=start)["history"] for start in (run, twin)]
    return max(abs(a - b) for a, b in zip(*histories, strict=True))


def main():
    moved = nudged()
    print(f"one weight nudged by 1e-15 moves the losses by {moved:.0e}")
    assert moved <= 1e-14
    by = [below_the_bigrams(seed) for seed in (1, 2, 3)]
    told("by {:.2f}, {:.2f} and {:.2f} nats".format(*by))
    told("{:.2f}, {:.2f} and {:.2f}".format(*(chosen(short(seed=seed)) for seed in (44, 45, 46))))
    cold, flat = worse(warm_up=0), worse(cosine=False)
    print("without warm-up", *(f"{x:.3f}" for x in cold), "without cosine", *(f"{x:.3f}" for x in flat))
    told(f"{sum(cold) / 3:.2f} nats worse on average, without cosine {sum(flat) / 3:.2f}")
    told(f"{longer_batches()} of the 100 batches")
    parameters, eight = short()["parameters"], TRAINING[:8]
    told(f"off by {mean_of_means(parameters, eight[:4], eight[4:]):.0%}")
    eight = sorted(eight, key=len)
    told(f"by {mean_of_means(parameters, eight[:2], eight[2:]):.0%}")


if __name__ == "__main__":
    main()
