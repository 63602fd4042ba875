"""What lesson 18 says about five seeds: the six steps on names and on stories, and text that is moved.

Trains 45 models of names (ten minutes on a free core), 15 of short names (three minutes) and 40 of stories
(an hour), prints the rows of the lesson's tables, and stops with an AssertionError where the lesson says
something else.
"""

import math

from helpers.course.engine import operations
from helpers.course.lessons.lesson_18_six_steps import (
    SIX_STEPS,
    after_steps,
    gpt2_config,
    model_loss,
    six_step_model,
    train_model,
)
from helpers.course.state.names_task import course_sets, smallest_config
from helpers.course.training.stories import (
    INITIAL_STD,
    RULE,
    STORY_SETTINGS,
    all_stories,
    course_stories,
    encode_story,
    kinds_of_words,
    split_stories,
)

from . import told

SEEDS = 42, 43, 44, 45, 46
STEPS = list(SIX_STEPS)


def variants(config):
    """{name: config}: GPT-2, the model after each step, and GPT-2 without positions."""
    found = {"GPT-2": config}
    found |= {name: after_steps(config, STEPS[: i + 1]) for i, name in enumerate(STEPS)}
    return found | {"GPT-2 without positions": {**config, "position": "none"}}


def model_losses(config, parameters, tokens):
    f = operations()
    return f.token_losses(six_step_model(f, config, parameters, tokens[:-1]), tokens[1:])


def row(name, losses, decimals=3):
    return " | ".join(
        [name, *(f"{loss:.{decimals}f}" for loss in [*losses, math.fsum(losses) / len(losses)])]
    )


def names_text():
    (training, validation, test), vocab = course_sets()
    return training, validation, gpt2_config(smallest_config(training + validation + test, vocab))


def names():
    training, validation, config = names_text()
    rows = {}
    fewer = {**config, "tied": False, "n_inner": 50}
    for name, chosen in {**variants(config), "GPT-2, own output matrix, F = 50": fewer}.items():
        rows[name] = []
        for seed in SEEDS:
            run = train_model(chosen, training, {"seed": seed})
            rows[name].append(model_loss(chosen, run["parameters"], validation))
        told(row(name, rows[name]))
    steps = ["GPT-2", *STEPS]
    changes = {b: [y - x for x, y in zip(rows[a], rows[b])] for a, b in zip(steps, STEPS)}
    means = {name: abs(math.fsum(found)) / len(found) for name, found in changes.items()}
    assert max(means[name] for name in ("no biases", "RMSNorm", "RoPE", "grouped queries")) < 0.0035
    assert f"{means['SwiGLU']:.3f}" == "0.011" and min(changes["SwiGLU"]) > 0
    assert [f"{edge(changes[STEPS[-1]]):.3f}" for edge in (min, max)] == ["-0.042", "-0.018"]
    assert f"{max(max(rows[name]) - min(rows[name]) for name in steps):.3f}" == "0.024"
    assert all(own < tied for own, tied in zip(rows["GPT-2, own output matrix, F = 50"], rows["GPT-2"]))


def moved():
    """Short names: the loss where they stand in training, and moved by 3, and that of all names."""
    training, validation, config = names_text()
    short = [[d for d in documents if len(d) <= 8] for documents in (training, validation)]
    for name, position in (("learned table", "learned"), ("RoPE", "rope"), ("none", "none")):
        chosen = {**config, "n_positions": 40, "position": position}
        runs = [train_model(chosen, short[0], {"seed": seed}) for seed in SEEDS]
        losses = [
            [model_loss(chosen, run["parameters"], short[1], first) for run in runs] for first in (0, 3)
        ]
        told(" | ".join([name, *(f"{min(some):.2f} to {max(some):.2f}" for some in losses)]))


def measured(config, parameters, documents, kinds):
    """The mean loss for each kind of word."""
    found = {}
    for tokens, of_words in zip(documents, kinds):
        for kind, loss in zip(of_words, model_losses(config, parameters, tokens), strict=True):
            found.setdefault(kind, []).append(loss)
    return {kind: math.fsum(losses) / len(losses) for kind, losses in found.items()}


def stories():
    documents, vocab, sizes = course_stories()
    plots = {story: plot for story, (_, plot) in all_stories(RULE).items()}
    texts = split_stories(RULE)["test"]
    test = [encode_story(story, vocab) for story in texts]
    kinds = [kinds_of_words(RULE, plots[story]) for story in texts]
    for name, chosen in variants(gpt2_config(sizes)).items():
        losses = []
        for seed in SEEDS:
            run = train_model(
                chosen, documents, {**STORY_SETTINGS, "steps": 1100, "seed": seed}, std=INITIAL_STD
            )
            losses.append(model_loss(chosen, run["parameters"], test))
            by_kind = measured(chosen, run["parameters"], test, kinds)
            if name == "GPT-2 without positions":
                guessed = by_kind["name"] > 0.4
            else:
                guessed = max(by_kind["colour"], by_kind["name"]) > 0.9
            assert guessed == (losses[-1] > 0.3), (name, seed, by_kind)
        told(row(name, losses, decimals=2))


PARTS = {"names": names, "moved": moved, "stories": stories}
