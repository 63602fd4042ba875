"""What lesson 14 says about what it does not run: other seeds, no attention, other splits.

Trains for some minutes, prints each sentence as the lesson has it, and stops where one is not so.
"""

import math
import random

from helpers import (
    build_vocab,
    count_ngrams,
    encode,
    gpt_forward,
    init_gpt,
    mean_loss,
    train_val_test_split,
    tree_map,
)
from helpers.course.state.names_task import read_lines, smallest_config, split_documents
from helpers.course.training.counts import (
    best_strength,
    interpolated_loss,
    losses_of_positions,
    mean,
    mean_of,
)
from helpers.course.training.loop import (
    fast_gradients,
    scale_initial_weights,
    start_run,
    train,
    training_step,
)

from . import told

SEEDS = range(42, 47)
LINES = read_lines("names.txt")
VOCAB = build_vocab(LINES)
DOCUMENTS = [encode(line, VOCAB) for line in LINES]
CONFIG = smallest_config(DOCUMENTS, VOCAB)
TRAINING, VALIDATION, TEST = split_documents(LINES, VOCAB, 1)


def with_attention(seed):
    return train(TRAINING, CONFIG, VOCAB, {"seed": seed})["parameters"]


def without_output_projection(tree):
    """The tree with zeros for the output projection of attention, so that attention adds nothing."""

    def zeros(row):
        return [0.0] * len(row)

    return {name: tree_map(zeros, entry) if "attn.c_proj" in name else entry for name, entry in tree.items()}


def without_attention(seed):
    return trained_without_attention(TRAINING, CONFIG, VOCAB, {"seed": seed})


def trained_without_attention(documents, config, vocab, settings):
    """The same training; the output projection starts at 0 and has the gradient 0."""

    def gradients_without(*arguments):
        loss, gradients = fast_gradients(*arguments)
        return loss, without_output_projection(gradients)

    run = start_run(documents, config, vocab, settings)
    run["parameters"] = without_output_projection(run["parameters"])
    while run["step"] < run["settings"]["steps"]:
        run = training_step(run, documents, gradients_without)
    return run["parameters"]


def endings_twice():
    """The vocabulary of the endings that are written twice, and their documents."""
    endings = dict.fromkeys(name[-4:] for name in LINES if len(name) >= 4)
    lines = [f"{ending}-{ending}" for ending in endings]
    vocab = build_vocab(lines)
    return vocab, [encode(line, vocab) for line in lines]


def ninths(documents, split_seed):
    part = len(documents) // 9
    return train_val_test_split(documents, part, part, random.Random(split_seed))


def tell_of_checks():
    """Endings that are not each once; the loss before training with two mistakes, five seeds."""
    repeated = [name[-4:] for name in LINES if len(name) >= 4]
    seen, _, test_set = ninths(repeated, 1)
    told(f"{sum(ending in seen for ending in test_set)} of the {len(test_set)} test lines")
    vocab, documents = endings_twice()
    config, lines = smallest_config(documents, vocab), ninths(documents, 1)[1][:50]
    large, leaking = [], []
    for seed in SEEDS:
        parameters = init_gpt(config, random.Random(seed))
        larger = scale_initial_weights(parameters, narrow=768 * 5 * 5)
        large.append(mean_loss(config, larger, lines))
        parameters = scale_initial_weights(parameters)
        inputs = (line[:-1] for line in lines)
        leaking.append(mean(gpt_forward(config, parameters, each, each)["loss"] for each in inputs))
    told(f"it is {min(large):.2f} to {max(large):.2f}")
    told(f"it is {min(leaking):.2f} to {max(leaking):.2f}")


def tell_of_ngrams():
    """The endings in six splits: how much higher the test loss of 6-grams is than that of 4-grams."""
    vocab, documents = endings_twice()
    rises = []
    for split_seed in range(1, 7):
        training, validation, test_set = ninths(documents, split_seed)
        losses = []
        for longest in (4, 6):
            tables = [count_ngrams(training, n) for n in range(1, longest + 1)]
            strength = best_strength(validation, tables, len(vocab))
            losses.append(interpolated_loss(test_set, tables, len(vocab), strength))
        rises.append(losses[1] - losses[0])
    told(f"this rise is {min(rises):.3f} to {max(rises):.3f}")


def tell_of_endings():
    """The endings that are written twice, five seeds: a model without attention is as good as counts."""
    vocab, documents = endings_twice()
    config = smallest_config(documents, vocab)
    training, validation, test_set = ninths(documents, 1)
    found = []
    for seed in SEEDS:
        parameters = trained_without_attention(training, config, vocab, {"seed": seed, "steps": 400})
        losses = losses_by_line(config, parameters, test_set)
        found.append(
            [mean_of(losses), mean_of(line[:4] for line in losses), mean_of(line[5:9] for line in losses)]
        )
        print(seed, found[-1], flush=True)
    (low, high), *halves = ((min(column), max(column)) for column in zip(*found, strict=True))
    each = {f"{lowest:.2f} to {highest:.2f}" for lowest, highest in halves}
    counted = mean_of(losses_of_positions(test_set, training, validation, len(vocab)))
    assert low - 0.01 < counted < high + 0.01, counted  # "as good as the counts", and no better
    told(f"its test loss is {low:.2f} to {high:.2f}, and {' '.join(each)} in each half")


def losses_by_line(config, parameters, lines):
    return [gpt_forward(config, parameters, line[:-1], line[1:])["losses"] for line in lines]


def tell_of_names():
    """The names, five seeds: with and without attention, and how far chance moves the lead over counts."""
    models = [[trained(seed) for seed in SEEDS] for trained in (with_attention, without_attention)]
    for sentence, part in (
        ("{} with attention and {} without it", TEST),
        ("on the validation set they are {} and {}", VALIDATION),
    ):
        losses = [[mean_loss(CONFIG, parameters, part) for parameters in each] for each in models]
        told(sentence.format(*(f"{min(each):.2f} to {max(each):.2f}" for each in losses)))
    errors = []
    for part in (VALIDATION, TEST):
        ours = [losses_by_line(CONFIG, parameters, part) for parameters in models[0]]
        for letters in (1, 2):
            counted = losses_of_positions(part, TRAINING, VALIDATION, len(VOCAB), letters)
            errors += [standard_error(each, counted) for each in ours]
    told(f"a standard error of {min(errors):.2f} to {max(errors):.2f}")


def standard_error(ours, theirs):
    """The standard error of the difference of two mean losses on the same lines, over the choice of lines."""
    lead = mean_of(ours) - mean_of(theirs)
    rests = (sum(a) - sum(b) - lead * len(a) for a, b in zip(ours, theirs, strict=True))
    n = len(ours)
    return math.sqrt(sum(rest * rest for rest in rests) * n / (n - 1)) / sum(map(len, ours))


def tell_of_letters():
    """The names in six other splits: how much a second letter lowers the loss of the counts."""
    gains = []
    for split_seed in range(2, 8):
        training, validation, test_set = split_documents(LINES, VOCAB, split_seed)
        one, two = (
            mean_of(losses_of_positions(test_set, training, validation, len(VOCAB), letters))
            for letters in (1, 2)
        )
        gains.append(one - two)
    told(f"have a lower loss than with one, by {min(gains):.3f} to {max(gains):.3f}")


PARTS = {
    "checks": tell_of_checks,
    "ngrams": tell_of_ngrams,
    "endings": tell_of_endings,
    "names": tell_of_names,
    "letters": tell_of_letters,
}
