"""What lesson 15c says about lengths of names by counts, and about hidden units and vowels, with five seeds.

Trains five models, about four minutes, and stops where a sentence of the lesson does not hold.
"""

import itertools
import random
import statistics
from collections import Counter

from helpers import count_ngrams, gpt_forward, mean_loss, sample, softmax
from helpers.course.engine import fast_generate
from helpers.course.training.loop import start_run, train
from helpers.course.training.own_writing import generate_by_counts

from . import told
from .lesson_14 import CONFIG, SEEDS, TEST, TRAINING, VALIDATION, VOCAB

W_2, B_2, VOWELS = "h.0.mlp.c_proj.weight", "h.0.mlp.c_proj.bias", "aeiou"
UNITS = range(CONFIG["n_inner"])


def mean_activations(parameters):
    """{letter: the mean activation of each hidden unit at this letter}, as lesson 15c computes it."""
    found = {}
    for document in TEST[:200]:
        activated = gpt_forward(CONFIG, parameters, document[:-1])["h.0.mlp.activated"]
        for token, row in zip(document, activated):
            found.setdefault(VOCAB[token], []).append(row)
    return {letter: [sum(c) / len(c) for c in zip(*rows)] for letter, rows in found.items() if len(rows) > 5}


def gaps(means, group):
    """For each unit: its lowest mean in the group minus its highest outside it."""
    others = [letter for letter in means if letter not in group]
    return [
        min(means[letter][unit] for letter in group) - max(means[letter][unit] for letter in others)
        for unit in range(CONFIG["n_inner"])
    ]


def separated(means, groups):
    """How many of these groups of letters some unit separates."""
    return sum(max(gaps(means, group)) > 0 for group in groups)


def groups_of_letters(means):
    """(1,000 random groups of five letters, all groups of five of the ten most frequent)"""
    rng, letters = random.Random(0), sorted(letter for letter in means if len(letter) == 1)
    count = Counter(token for document in TRAINING for token in document)
    frequent = sorted(letters, key=lambda letter: -count[VOCAB.index(letter)])[:10]
    return [rng.sample(letters, 5) for _ in range(1000)], [*itertools.combinations(frequent, 5)]


def activations(parameters):
    """For each unit, its activations in 200 names."""
    documents = [document[:-1] for document in TEST[:200]]
    return [
        *zip(*(row for d in documents for row in gpt_forward(CONFIG, parameters, d)["h.0.mlp.activated"]))
    ]


def ablated(parameters, units, kept=None):
    """By how much the loss rises if these units are set to 0, or to the means in kept."""
    rows = [[0.0 if i in units else w for i, w in enumerate(row)] for row in parameters[W_2]]
    bias = [
        b + (sum(row[i] * kept[i] for i in units) if kept else 0.0)
        for b, row in zip(parameters[B_2], parameters[W_2])
    ]
    changed = {**parameters, W_2: rows, B_2: bias}
    return mean_loss(CONFIG, changed, TEST) - mean_loss(CONFIG, parameters, TEST)


def found_in_sets(generate, seeds=range(5)):
    """(training names, held-out names) among the different ones of 5,000 for each seed, added up.
    generate(rng, begin, longest, end) gives one name."""
    begin, end, longest = VOCAB.index("<BOS>"), VOCAB.index("<EOS>"), CONFIG["n_positions"] + 1
    parts = [{tuple(d[1:-1]) for d in part} for part in (TRAINING, VALIDATION + TEST)]
    found = [0, 0]
    for rng in map(random.Random, seeds):
        names = [generate(rng, [begin], longest, end) for _ in range(5000)]
        different = {tuple(token for token in name if token > end) for name in names}
        found = [n + len(different & part) for n, part in zip(found, parts)]
    return found


def found_by_4_grams():
    """found_in_sets of 4-grams with s = 30."""
    tables = [count_ngrams(TRAINING, n) for n in (1, 2, 3, 4)]
    return found_in_sets(
        lambda rng, begin, longest, end: generate_by_counts(tables, len(VOCAB), 30, begin, rng, longest, end)
    )


def found_by_gpt(parameters):
    """found_in_sets of a trained model at temperature 1."""
    return found_in_sets(
        lambda rng, begin, longest, end: fast_generate(
            CONFIG, parameters, begin, lambda logits: sample(softmax(logits), rng), longest, end
        )
    )


def names_by_position(strength=10):
    """The lengths of 5,000 names from counts by position and last letter."""
    counts, rng, lengths = {}, random.Random(5), []
    for document in TRAINING:
        for i in range(1, len(document)):
            for context in ((), (i,), (i, document[i - 1])):
                counts.setdefault(context, Counter())[document[i]] += 1
    for _ in range(5000):
        tokens = [VOCAB.index("<BOS>")]
        while len(tokens) <= CONFIG["n_positions"] and tokens[-1] != VOCAB.index("<EOS>"):
            p = [1 / len(VOCAB)] * len(VOCAB)
            for context in ((), (len(tokens),), (len(tokens), tokens[-1])):
                row = counts.get(context, {})
                total = sum(row.values()) + strength
                p = [(row.get(token, 0) + strength * q) / total for token, q in enumerate(p)]
            tokens.append(sample(p, rng))
        lengths.append(sum(token > VOCAB.index("<EOS>") for token in tokens))
    return lengths


def main():
    found, held_out = found_by_4_grams()
    expected = held_out * len(TRAINING) / len(VALIDATION + TEST)
    told(f"we found {found} training names, and {expected:.0f} are expected")
    found, held_out = found_by_gpt(train(TRAINING, CONFIG, VOCAB, {"seed": 42})["parameters"])
    expected = held_out * len(TRAINING) / len(VALIDATION + TEST)
    told(f"In five runs of GPT-2 we found {found}, and {expected:.0f} are expected")
    lengths = names_by_position()
    short = sum(length < 3 for length in lengths) / len(lengths)
    print(f"counts by position and last letter: {short:.2%} of the names have fewer than three letters")
    assert short < 0.001
    for seed in SEEDS:
        untrained = mean_activations(start_run(TRAINING, CONFIG, VOCAB, {"seed": seed})["parameters"])
        parameters = train(TRAINING, CONFIG, VOCAB, {"seed": seed})["parameters"]
        means, columns = mean_activations(parameters), activations(parameters)
        kept = [statistics.fmean(column) for column in columns]
        norms = [sum(row[i] ** 2 for row in parameters[W_2]) ** 0.5 for i in UNITS]
        adds = [statistics.pstdev(column) * norm for column, norm in zip(columns, norms)]
        before, found = max(gaps(untrained, VOWELS)), gaps(means, VOWELS)
        units = [unit for unit in UNITS if found[unit] > 0]
        rest = [unit for unit in UNITS if found[unit] <= 0]
        strong = sorted(rest, key=lambda unit: -adds[unit])[: len(units)]
        by_chance, frequent = (separated(means, groups) for groups in groups_of_letters(means))
        print(
            f"seed {seed}: best gap {before:.2f} before training, {max(found):.2f} after; {len(units)} units"
        )
        print(f"    {by_chance} of the random groups have one, and {frequent} of those of frequent letters")
        costs = [ablated(parameters, random.Random(n).sample(rest, len(units))) for n in range(3)]
        whole, others = ablated(parameters, units), ablated(parameters, strong)
        print(
            f"    set to 0: {whole:.3f}; as many strong others: {others:.3f}; random others: {max(costs):.3f}"
        )
        whole_kept, others_kept = ablated(parameters, units, kept), ablated(parameters, strong, kept)
        print(f"    set to their means: {whole_kept:.3f}; strong: {others_kept:.3f}")
        assert before < 0 and max(found) > 1 and len(units) >= 3 and not by_chance and frequent < 10
        assert whole > 3 * max(costs) and whole > others and others_kept > whole_kept
        assert sum(adds[unit] for unit in strong) > sum(adds[unit] for unit in units)
