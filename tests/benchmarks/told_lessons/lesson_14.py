"""What lesson 14 says about trainings that it does not run: other seeds, no attention, other texts.

Trains for some minutes, prints each sentence as the lesson has it, and stops where one is not so. The other
texts come with Python, and each version has others: measured with Python 3.11.7 and time zones 2025b.
"""

import ast
import math
import pathlib
import random
import sysconfig
import zoneinfo

from helpers import (
    build_vocab,
    count_ngrams,
    encode,
    gpt_forward,
    mean_loss,
    ngram_losses,
    train_val_test_split,
    tree_map,
)
from helpers.course.engine import fast_loss
from helpers.course.state.names_task import read_lines, smallest_config, split_documents
from helpers.course.training.counts import interpolated_losses
from helpers.course.training.loop import fast_gradients, start_run, train, training_step

from . import told

SEEDS = range(42, 47)
LINES = read_lines("names.txt")
VOCAB = build_vocab(LINES)
DOCUMENTS = [encode(line, VOCAB) for line in LINES]
CONFIG, PART = smallest_config(DOCUMENTS, VOCAB), len(LINES) // 9
TRAINING, VALIDATION, TEST = train_val_test_split(DOCUMENTS, PART, PART, random.Random(1))


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


# --- other texts


def names_in_the_library(number=2000):
    """Names of functions, classes and arguments in the files of Python's standard library."""
    found = set()
    for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            if isinstance(node, ast.arg):
                found.add(node.arg)
    return sorted(random.Random(1).sample(sorted(name for name in found if 3 <= len(name) <= 30), number))


def mean_of(losses):
    losses = [loss for some in losses for loss in some]
    return math.fsum(losses) / len(losses)


def losses_of_text(lines, seed=42):
    """The test losses of bigrams, interpolated 4-grams, GPT-2, and GPT-2 with its attention ablated."""
    vocab = build_vocab(lines)
    documents, V, part = [encode(line, vocab) for line in lines], len(vocab), len(lines) // 9
    config = smallest_config(documents, vocab)
    training, val_set, test_set = train_val_test_split(documents, part, part, random.Random(1))
    tables = [count_ngrams(training, n) for n in range(1, 5)]

    def bigrams(some, alpha):
        return mean_of(ngram_losses(document, tables[1], 2, V, alpha) for document in some)

    def four(some, strength):
        return mean_of(interpolated_losses(document, tables, V, strength) for document in some)

    alpha = min((0.03, 0.1, 0.2, 0.5, 1.0), key=lambda alpha: bigrams(val_set, alpha))
    strength = min((3, 10, 30, 100), key=lambda strength: four(val_set, strength))
    parameters = train(training, config, vocab, {"seed": seed})["parameters"]
    models = parameters, without_output_projection(parameters)
    return [
        bigrams(test_set, alpha),
        four(test_set, strength),
        *(fast_loss(config, each, test_set) for each in models),
    ]


def tell_of_texts():
    zones = sorted(zoneinfo.available_timezones())
    told(f"the {len(zones)} time zones of Python's module `zoneinfo`")
    (_, four, network, ablated), other = losses_of_text(zones), losses_of_text(names_in_the_library())
    told(f"{network:.3f}, with its attention ablated {ablated:.3f}, and the 4-grams have {four:.3f}")
    told(f"it has {other[2]:.3f}, and the 4-grams have {other[1]:.3f}")


def tell_of_more_steps(steps=3200):
    """The names of the library, in a training that is four times as long."""
    lines = names_in_the_library()
    vocab = build_vocab(lines)
    training, _, test_set = sets = split_documents(lines, vocab, 1)
    config = smallest_config(sum(sets, []), vocab)
    run = train(training, config, vocab, {"seed": 42, "steps": steps})
    loss = fast_loss(config, run["parameters"], test_set)
    told(f"with {steps:,} steps instead of 800 it has {loss:.3f}")


def tell_of_endings():
    """The endings that are written twice, five seeds: how near a model comes that never had attention."""
    endings = dict.fromkeys(name[-4:] for name in LINES if len(name) >= 4)
    lines = [f"{ending}-{ending}" for ending in endings]
    vocab, part = build_vocab(lines), len(lines) // 9
    documents = [encode(line, vocab) for line in lines]
    config = smallest_config(documents, vocab)
    training, _, test_set = train_val_test_split(documents, part, part, random.Random(1))
    found = []
    for seed in SEEDS:
        parameters = trained_without_attention(training, config, vocab, {"seed": seed, "steps": 400})
        losses = losses_by_line(config, parameters, test_set)
        found.append(
            [mean_of(losses), mean_of(line[:4] for line in losses), mean_of(line[5:9] for line in losses)]
        )
        print(seed, found[-1], flush=True)
    (low, high), first, second = ((min(column), max(column)) for column in zip(*found, strict=True))
    told(
        f"its test loss is {low:.2f} to {high:.2f}: {first[0]:.2f} to {first[1]:.2f} in the first half, and "
        f"{second[0]:.2f} to {second[1]:.2f} in the second"
    )


def losses_by_line(config, parameters, lines):
    return [gpt_forward(config, parameters, line[:-1], line[1:])["losses"] for line in lines]


def tell_of_names():
    ranges = []
    for trained in (with_attention, without_attention):
        losses = [mean_loss(CONFIG, trained(seed), TEST) for seed in SEEDS]
        ranges.append(f"{min(losses):.3f} to {max(losses):.3f}")
    told("{} with attention and {} without it".format(*ranges))


PARTS = {
    "endings": tell_of_endings,
    "names": tell_of_names,
    "texts": tell_of_texts,
    "steps": tell_of_more_steps,
}
