"""A model of one's own: how it spells, what it begins with, how it is judged, and which files are refused."""

import copy
import math
import random

import pytest

from helpers import gpt_forward, init_gpt
from helpers.course.state.files import Refused
from helpers.course.training import hugging_face, own_model, own_writing
from helpers.course.training.bigram_start import begin_with_bigrams
from helpers.course.training.own_model import check_model, new_model, plan_training, spelling_of
from helpers.course.training.own_text import LIST, RUNNING, encoded, prepare_text

STORY = "\n".join(
    f"the {one} saw the {two} near a {three} house, and then the {one} went home again -- {one}"
    for one in ("cat", "dog", "fox")
    for two in ("hen", "cow", "pig", "owl")
    for three in ("red", "big")
)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "story.txt"
    path.write_text(STORY + "\n" + "-" * 30, encoding="utf-8")
    return prepare_text([path])


@pytest.fixture(scope="module")
def begun(text):
    """A model before its first step."""
    spelling, asked = spelling_of(text), {"steps": 20, "width": 8, "minutes": None}
    config, settings = plan_training(text, spelling, 1, asked)
    model, _, _ = new_model("mine", text, spelling, config, settings, asked)
    return model


# --- byte pairs


def test_byte_pairs_spell_the_text_and_no_token_is_long(text):
    spelling = spelling_of(text)
    assert spelling["unit"] == "pieces" and " the" in spelling["vocab"]
    assert len(set(spelling["vocab"])) == len(spelling["vocab"]) and max(map(len, spelling["vocab"])) <= 16
    units = text["train"] + text["val"] + text["test"]
    for unit, tokens in zip(units, encoded(units, spelling)):
        assert (tokens[0], tokens[-1]) == (1, 2) and len(tokens) < len(unit)
        assert "".join(spelling["vocab"][token] for token in tokens[1:-1]) == unit


def test_a_prompt_is_spelled_in_byte_pairs(begun):
    model = {**begun, "parameters": begun["run"]["parameters"]}
    tokens = own_writing.prompt_tokens("the cat", model)
    assert own_writing.spelled(tokens[1:], model) == "the cat" and len(tokens) < 8
    with pytest.raises(ValueError, match="'#'.*write with , - a"):
        own_writing.prompt_tokens("the #", model)


def test_an_exported_folder_keeps_the_byte_pairs(begun, tmp_path):
    parameters = begun["run"]["parameters"]
    model = {**begun, "parameters": parameters, "when": "now", "run": None}
    hugging_face.write_folder(model, tmp_path / "out")
    read = hugging_face.read_folder(tmp_path / "out", "back")
    same = ("kind", "unit", "vocab", "merges", "config")
    assert [name for name in same if read[name] != begun[name]] == []
    assert own_writing.prompt_tokens("the cat", read) == own_writing.prompt_tokens("the cat", begun)


def test_the_loss_is_shared_by_the_characters(begun):
    """Two windows that overlap: the second target and the later ones of the last are judged once."""
    parameters, config, vocab = begun["run"]["parameters"], begun["config"], begun["vocab"]
    model = {**begun, "parameters": parameters}
    token = vocab.index(" the")
    windows = [([1, token, token, 5], 0), ([token, token, 5, 2], 2)]
    one, two = (gpt_forward(config, parameters, tokens[:-1], tokens[1:])["losses"] for tokens, _ in windows)
    expected = (sum(one) + two[2]) / (4 + 4 + 1 + 1)  # " the", " the", a character and the end
    assert math.isclose(own_model.mean_loss_of(model, windows), expected, rel_tol=1e-9)


def test_each_target_is_judged_once_with_half_a_window_before_it(begun):
    units = [STORY, "the cat"]
    P = begun["config"]["n_positions"]
    judged = own_model.to_judge(units, begun)
    targets = [token for tokens, skipped in judged for token in tokens[1 + skipped :]]
    assert targets == [token for document in encoded(units, begun) for token in document[1:]]
    assert all(skipped in (0, P // 2) and len(tokens) <= P + 1 for tokens, skipped in judged)


def test_the_first_embeddings_predict_the_next_token():
    """a and b follow each other: with the two halves of an embedding swapped, the largest product tells."""
    config = {"vocab_size": 7, "n_positions": 4, "n_embd": 10, "n_layer": 1, "n_head": 1, "n_inner": 8}
    parameters = init_gpt(config, random.Random(1))
    documents = [[1, 3, 4, 3, 4, 3, 4, 2], [1, 5, 6, 5, 6, 5, 6, 2]] * 9
    first = begin_with_bigrams(parameters, documents, random.Random(1))
    rows = [row[2:] for row in first["wte.weight"]]
    for token, follows in {3: 4, 4: 3, 5: 6, 6: 5}.items():
        scores = [sum(x * y for x, y in zip(rows[token][:4], row[4:])) for row in rows]
        assert max(range(3, 7), key=scores.__getitem__) == follows
    logits = [first["ln_f.bias"][0] * row[0] for row in first["wte.weight"]]  # of an empty context
    assert logits[3] - logits[2] == pytest.approx(math.log(27.5 / 18.5)) and min(logits) == logits[0]


# --- plans


@pytest.mark.parametrize("minutes, width", [(0.1, 16), (3, 24), (10, 32)])
def test_a_model_is_as_wide_as_text_and_time_allow(text, minutes, width):
    """100 kB of 800 byte pairs, as on the recorded texts, on one core and on two."""
    text = {**text, "train": ["x" * 78_000]}
    spelling = {"vocab": ["?"] * 900}
    for processes in (1, 2):
        config = own_model.fitting_config(text, spelling, minutes, {"steps": None, "width": None}, processes)
        assert config["n_embd"] == width


# --- files


def spoil(*path, value):
    def change(model):
        for key in path[:-1]:
            model = model[key]
        model[path[-1]] = value

    return change


RUN_BIAS = ("run", "parameters", "ln_f.bias", 0)
BAD = {
    "a path that is no text": (spoil("trained_on", "paths", value=[5]), "paths is not a list of paths"),
    "paths that are a number": (spoil("trained_on", "paths", value=5), "paths is not a list of paths"),
    "an escape in the name of the text": (spoil("trained_on", "name", value="\x1b]0;x"), "trained_on name"),
    "an escape in the date": (spoil("when", value="\x1b[2J"), "its date"),
    "an escape in the vocabulary": (spoil("vocab", 5, value="\x1b[2J"), "control character"),
    "a mark of direction in the vocabulary": (spoil("vocab", 5, value="\u202e"), "control character"),
    "asked for a number": (spoil("asked", value=5), "asked is not a dict"),
    "asked for something else": (spoil("asked", value={"rm": 1}), "asked is not a dict"),
    "asked for a list": (spoil("asked", "width", value=[1]), "asked width"),
    "steps below 0": (spoil("steps", value=-1), "its number of steps"),
    "n-grams of no length": (spoil("counted", value=0), "n-grams"),
    "a learning rate that is none": (spoil("settings", "lr", value=math.nan), "settings lr"),
    "a setting that is a text": (spoil("settings", "cosine", value="no"), "settings cosine"),
    "beta_1 of 1": (spoil("settings", "beta_1", value=1), "beta_1"),
    "no steps": (spoil("settings", "steps", value=0), "leave no steps"),
    "parameters that overflow": (spoil(*RUN_BIAS, value=1e308), "not finite, or above"),
    "v below 0": (spoil("run", "optimizer", "v", "ln_f.bias", 0, value=-1.0), "below 0"),
    "no digest of the documents": (spoil("run", "documents", "sha256", value=5), "digest of the documents"),
    "no best model at the end": (
        lambda model: (
            model["run"].update(step=20, history=[1.0] * 20) or model["run"]["optimizer"].update(step=20)
        ),
        "best is a NoneType",
    ),
    "merges of three": (spoil("merges", 0, value=["a", "b", "c"]), "merges are not pairs"),
    "merges of numbers": (spoil("merges", 0, value=[1, 2]), "merges are not pairs"),
    "a merge of unknown texts": (spoil("merges", 0, value=["q", "q"]), "not in its vocab"),
    "merges of a special token": (spoil("merges", 0, value=["<E", "OS>"]), "not in its vocab"),
    "no merges": (spoil("merges", value=[]), "merges are not a list that fits"),
}


@pytest.mark.parametrize("change, words", BAD.values(), ids=BAD)
def test_every_small_field_of_a_file_is_checked(begun, change, words):
    model = copy.deepcopy(begun)
    check_model(model)
    change(model)
    with pytest.raises(Refused, match=words):
        check_model(model)


def test_a_file_of_an_earlier_edition_still_loads(begun):
    """It has no merges, no number of earlier steps, no trigrams, and options that are gone."""
    old = copy.deepcopy(begun)
    del old["merges"], old["before"], old["losses"]["trigrams"]
    old.update(kind=LIST, unit="letters", asked={**old["asked"], "layers": None, "heads": None})
    found = check_model(old)
    assert (found["merges"], found["before"]) == ([], 0) and found["kind"] != RUNNING


def test_slowness_is_that_of_the_quickest_of_three_steps(monkeypatch):
    def with_clock(*seconds):
        monkeypatch.setattr(own_model.time, "perf_counter", iter(seconds).__next__)
        return own_model.slowness()

    assert with_clock(0, 5, 5, 9, 9, 16) == pytest.approx(2 * with_clock(0, 3, 3, 5, 5, 9))
