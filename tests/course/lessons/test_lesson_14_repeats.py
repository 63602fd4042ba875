"""Lesson 14's lines, ending-ending: what the model generates, the learning curve and the parts of a line."""

import random

from helpers import mean_loss
from helpers.course.lessons.lesson_14_repeats import (
    draw_line,
    draw_lines,
    learning_curve,
    losses_five_back,
    losses_of_gpt,
    means_by_part,
)
from helpers.course.training.counts import mean_of
from helpers.course.training.loop import start_run, train

VOCAB = ["<PAD>", "<BOS>", "<EOS>", "-", "a", "b"]
CONFIG = {"vocab_size": 6, "n_positions": 10, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 8}


def lines(number, rng):
    """<BOS>, four letters, a hyphen, the same letters, <EOS>"""
    halves = [rng.choices([4, 5], k=4) for _ in range(number)]
    return [[1, *half, 3, *half, 2] for half in halves]


def test_a_line_is_drawn_from_the_probabilities_and_ends_with_eos_or_the_last_position():
    run = start_run(lines(4, random.Random(1)), CONFIG, VOCAB, {"steps": 4})
    drawn = draw_lines(run, 20)
    assert drawn == draw_lines(run, 20) and drawn[0] == draw_line(run, random.Random(7))
    assert all(len(line) <= 10 and {*line} <= {*"-ab"} for line in drawn)
    assert len({*map(len, drawn)}) > 3


def test_the_learning_curve_has_the_means_of_the_history_and_the_loss_of_each_checkpoint():
    documents = lines(8, random.Random(1))
    start = start_run(documents[:6], CONFIG, VOCAB, {"steps": 5, "warmup_steps": 1})
    end = train(documents[:6], CONFIG, VOCAB, run=start)
    curve, history = learning_curve([start, end], documents[6:], every=2), end["history"]
    assert curve["training set"] == [
        (1, (history[0] + history[1]) / 2),
        (3, (history[2] + history[3]) / 2),
        (5, history[4]),
    ]
    losses = [mean_loss(CONFIG, run["parameters"], documents[6:]) for run in (start, end)]
    assert curve["validation set"] == list(zip([0, 5], losses))
    assert mean_of(losses_of_gpt(end, documents[6:])) == losses[1]


def test_counts_that_look_five_back_predict_the_second_half():
    documents = lines(60, random.Random(1))
    losses = losses_five_back(documents[40:], documents[:20], documents[20:40], len(VOCAB))
    _, first, second = means_by_part(losses)
    assert second < 0.4 < 0.6 < first and mean_of(line[4:5] for line in losses) < 0.4
