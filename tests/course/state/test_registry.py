"""The list of lessons: what each leaves, recomputed from the seed, against draws and sums done by hand."""

import copy
import math
import random
import re

import pytest
from tables import lists_in

from helpers.course.state import load_and_save as state
from helpers.course.state import registry as course
from helpers.course.state.network import CONFIG, PARAMETER_SHAPES, TARGETS, TOKENS, draw_parameters
from helpers.course.state.registry import Lesson, course_state, previous_lesson, shapes_after
from helpers.course.training import toy_task
from helpers.course.training.toy_task import STEPS
from helpers.optimizers import adamw_init, adamw_step
from helpers.toy import toy_backward, toy_forward
from notebooks import LESSONS as NOTEBOOKS
from notebooks import ROOT, code, trained_toy

LESSONS = course.lesson_names()


def test_the_course_starts_with_the_sentence_and_an_unused_rng():
    assert course_state("00_start_here") == {
        "config": CONFIG,
        "tokens": [1, 3, 4, 5, 2],
        "targets": [3, 4, 5, 2],
        "parameters": {},
        "activations": {},
        "rng_state": random.Random(42).getstate(),
    }


def test_lesson_01_draws_its_tables_and_adds_them():
    rng = random.Random(42)
    drawn = draw_parameters(rng, ["E_token", "E_pos"])
    after = course_state("01_tokens_and_embeddings")
    assert after["parameters"] == drawn and after["rng_state"] == rng.getstate()
    rows = [drawn["E_token"][token] for token in (1, 3, 4, 5, 2)]
    pairs = zip(rows, drawn["E_pos"], strict=True)
    assert after["activations"] == {"X": [[t + p for t, p in zip(*pair, strict=True)] for pair in pairs]}


def test_a_state_shares_nothing_with_the_course_or_with_another_state():
    spoiled = course_state("01_tokens_and_embeddings")
    spoiled["config"]["V"], spoiled["config"]["vocabulary"][0] = 99, "spoiled"
    spoiled["tokens"][0] = spoiled["targets"][0] = 0
    spoiled["parameters"]["E_token"][0][0] = spoiled["activations"]["X"][0][0] = 99.0
    assert (CONFIG["V"], CONFIG["vocabulary"][0], TOKENS[0], TARGETS[0]) == (6, "<PAD>", 1, 3)
    assert course_state("01_tokens_and_embeddings")["parameters"]["E_token"][0][0] != 99.0


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_leaves_what_its_entry_says_and_no_list_twice(name):
    """A number that a learner changes in one place must not change in another."""
    left = course_state(name)
    for section, shapes in shapes_after(name).items():
        assert list(left[section]) == list(shapes)
    state.check_state(name, left)
    lists = [id(inner) for part in values_in({**left, "rng_state": None}) for inner in lists_in(part)]
    assert len(lists) == len(set(lists)) > 0


def values_in(value):
    """What stands in nested dicts."""
    if not isinstance(value, dict):
        return [value]
    return [inner for part in value.values() for inner in values_in(part)]


def test_a_lesson_s_own_state_is_that_of_the_lessons_before_it_grown():
    """Nothing that stands is changed, but the heads that lesson 04 adds, and the parameters that lesson
    11 moves."""
    for name in LESSONS:
        left = course_state(name)
        for section, value in course_state(previous_lesson(name)).items() if previous_lesson(name) else ():
            for part, number in value.items() if isinstance(value, dict) else ():
                if (name, section) == ("14_training", "gpt"):
                    continue  # another model, that of the names
                if (name, part) in CHANGED or (name, section) in CHANGED:
                    assert left[section][part] != number
                else:
                    assert left[section][part] == number, f"{name} changes {part}"


CHANGED = {
    *[("04_multi_head_attention", part) for part in ("scores", "weights", "heads")],
    ("11_adamw", "parameters"),
}


def test_lessons_that_draw_one_after_the_other_get_what_one_draw_gets():
    """Which test_network.py does by hand. Nothing is drawn after lesson 08."""
    rng = random.Random(42)
    assert course_state("08_logits_and_loss")["parameters"] == draw_parameters(rng)
    for name in LESSONS[8:]:
        assert course_state(name)["rng_state"] == rng.getstate()


def test_the_steps_and_the_whole_network_agree():
    """Lessons 01 to 08 step by step are toy_forward; 09 and 10 split toy_backward between them."""
    before, after = course_state("10_backward_through_attention"), course_state("11_adamw")
    parameters, tokens, targets = (before[name] for name in ("parameters", "tokens", "targets"))
    activations = toy_forward(parameters, tokens, targets)
    assert before["activations"] == activations and list(before["activations"]) == list(activations)
    gradients, activation_gradients = toy_backward(parameters, activations, tokens, targets)
    for found, section in ((gradients, "gradients"), (activation_gradients, "activation_gradients")):
        assert before[section] == found and list(before[section]) == list(found)
        half = course_state("09_backward_through_feed_forward")[section]
        assert half and list(half) == list(found)[: len(half)]
    assert list(gradients) != list(half)
    moved, optimizer = adamw_step(parameters, gradients, adamw_init(parameters))
    assert after["parameters"] == moved and after["optimizer"] == optimizer


def test_what_lesson_00_trains_is_what_later_lessons_find(monkeypatch):
    """In the state, or else trained from the seed and put there; a learner's own is left alone."""
    trained, history = trained_toy()

    def train(parameters):
        assert parameters == draw_parameters(random.Random(42))
        return trained, history

    monkeypatch.setattr(toy_task, "train_toy", train)
    found = course_state("03_attention")
    assert toy_task.trained_parameters(found) is trained is found["trained"]
    state.check_state("03_attention", found)
    mine = {"trained": copy.deepcopy(trained)}
    mine["trained"]["gamma"][0] = 9.0
    assert toy_task.trained_parameters(mine) is mine["trained"] and mine["trained"]["gamma"][0] == 9.0


def test_the_six_sentences_are_learned_as_far_as_they_can_be():
    """Any of three words, then any of two others, then the first once more, then the end: ln 3, ln 2, 0
    and 0."""
    trained, history = trained_toy()
    assert len(history) == STEPS and all(abs(loss - math.log(6)) < 0.5 for loss in history[0])
    possible = [math.log(3), math.log(2), 0.0, 0.0]
    assert [abs(loss - least) < 0.02 for loss, least in zip(history[-1], possible, strict=True)] == [True] * 4
    assert list(trained) == list(PARAMETER_SHAPES)
    assert unmoved_rows(trained, "E_token") == [0, 2] and unmoved_rows(trained, "E_pos") == [4]


def unmoved_rows(trained, name):
    """The rows of a table that training has not moved: <PAD> and <EOS>, and where <EOS> stands."""
    drawn = draw_parameters(random.Random(42))[name]
    return [i for i, row in enumerate(trained[name]) if row == drawn[i]]


@pytest.mark.every_lesson
def test_lessons_are_numbered_in_order():
    assert [int(name[:2]) for name in LESSONS] == sorted({int(name[:2]) for name in LESSONS})


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_loads_the_state_that_it_starts_from(path):
    """Lesson 00 loads none; 14b, about files, and those about other models and texts need none."""
    loaded = re.findall(r'load_state\("(\w+)"\)', code(path))
    needs_none = path.stem[:3] in "00_ 10c 14b 17_ 17b 18_ 18c 20_ 20b 21_ 21b 23b 24_ 24b 25_".split()
    assert loaded == ([] if needs_none else [course.starts_from(path.stem)])


def test_only_the_course_s_own_notebooks_are_lessons(tmp_path):
    """JupyterLab's Duplicate, a reader's notes, a folder, and a lesson that is not there yet."""
    names = ["06_feed_forward", "06b_feed_forward_variants", "10b_bug_hunt", "01_tokens_and_embeddings"]
    for name in [*names, "03_attention-Copy1", "12_notes", "06b_mine", "my_06_feed_forward", "Untitled"]:
        (tmp_path / f"{name}.ipynb").touch()
    (tmp_path / "02_queries_keys_values.ipynb").mkdir()
    assert [path.stem for path in course.notebook_paths(tmp_path)] == sorted(names)
    assert {path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")} >= {
        f"{name}.ipynb" for name in names
    }


def test_previous_lesson():
    assert previous_lesson("00_start_here") is None
    assert previous_lesson("01_tokens_and_embeddings") == "00_start_here"
    assert previous_lesson("11_adamw") == "10_backward_through_attention"
    assert previous_lesson("13_gpt2") == "10_backward_through_attention"  # lesson 11 moves what 10 has found
    assert previous_lesson("16_stories") == "13_gpt2"  # it trains a model of its own
    for before, name in zip(LESSONS, LESSONS[1:]):
        if name not in ("13_gpt2", "16_stories"):
            assert previous_lesson(name) == before


def test_lesson_13_leaves_two_untrained_blocks():
    left, before = course_state("13_gpt2"), course_state("10_backward_through_attention")
    gpt = left.pop("gpt")
    assert left == before and gpt["vocab"] == CONFIG["vocabulary"]
    assert (gpt["step"], gpt["history"]) == (0, [])
    sizes = {"vocab_size": 6, "n_positions": 5, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_inner": 64}
    assert gpt["config"] == sizes
    rng = random.Random(42)
    assert gpt["parameters"]["wte.weight"] == [[rng.gauss(0, 0.02) for _ in range(16)] for _ in range(6)]
    assert gpt["optimizer"] == adamw_init(gpt["parameters"])


def test_what_takes_long_is_trained_only_where_it_is_asked_for(monkeypatch):
    def train(state):
        state["gpt"]["step"] = 100

    def step(state):
        state["gpt"] = course.untrained_gpt(["a", "b"], course.gpt_config(["a", "b"], 2, 2, 1, 1, 3))

    lessons = [
        Lesson("14_training", {"gpt": course.GPT}, step, train=train),
        Lesson("15_generation", {}, course.unchanged),
    ]
    monkeypatch.setattr(course, "LESSONS", [*course.LESSONS[: LESSONS.index("13_gpt2") + 1], *lessons])
    for name in ("14_training", "15_generation"):
        assert course.is_trained(name) and not course.is_trained("13_gpt2")
        quick, slow = course_state(name), course_state(name, trained=True)
        assert (quick["gpt"].pop("step"), slow["gpt"].pop("step")) == (0, 100) and quick == slow
        state.check_state(name, course_state(name))


@pytest.mark.parametrize(
    "asked, offered",
    [
        ("01", "01_tokens_and_embeddings"),
        ("../state/00_start_here", "00_start_here"),
        ("zzz", "00_start_here or 01_tokens_and_embeddings"),
        (None, "00_start_here"),
        ("\u2028" * 500, "00_start_here"),
    ],
)
@pytest.mark.parametrize("function", [course_state, previous_lesson, shapes_after])
def test_an_unknown_lesson_gets_the_near_matches(function, asked, offered):
    with pytest.raises(ValueError) as caught:
        function(asked)
    message = str(caught.value)
    assert offered in message and message.isascii() and len(message) < 600 and "\n" not in message
