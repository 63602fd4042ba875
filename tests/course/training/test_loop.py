"""The loop: resumed to the bit, stopped without loss, and every bad file answered in one sentence."""

import pickle
import random

import pytest

from helpers import encode
from helpers.course.show import status
from helpers.course.state.files import StateError
from helpers.course.state.names_task import documents_of_model, read_lines, smallest_config, text_of_model
from helpers.course.training import loop as training_loop
from helpers.course.training.loop import (
    checkpoint_path,
    rate,
    scale_initial_weights,
    start_run,
    train,
    training_step,
)

VOCAB = ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"]
CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 5}
DOCUMENTS = [encode(text, VOCAB) for text in ("ab", "abc", "ca", "b", "cab", "aa", "bca")]
SETTINGS = {"steps": 12, "warmup_steps": 3, "batch_size": 2}


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))


def run_of(**more):
    return train(DOCUMENTS, CONFIG, VOCAB, {**SETTINGS, **more.pop("settings", {})}, **more)


def stopped_at(monkeypatch, step, **more):
    """A run into which somebody presses Ctrl-C while the step after so many is being made."""

    def interrupted(run, documents, gradients_of):
        if run["step"] == step:
            raise KeyboardInterrupt
        return training_step(run, documents, gradients_of)

    with monkeypatch.context() as patch:
        patch.setattr(training_loop, "training_step", interrupted)
        return run_of(keep="trial", **more)


@pytest.mark.parametrize("step", (0, 1, 5, 11))
def test_stopped_and_resumed_a_run_is_the_uninterrupted_one_to_the_bit(monkeypatch, capsys, step):
    whole = run_of()
    assert stopped_at(monkeypatch, step)["step"] == step
    said = f"Stopped after step {step} of 12. The run is saved: run this cell again to continue.\n"
    assert capsys.readouterr().out == said
    assert checkpoint_path("trial").exists()
    resumed = run_of(keep="trial")
    assert resumed == whole and pickle.dumps(resumed["parameters"]) == pickle.dumps(whole["parameters"])
    assert not checkpoint_path("trial").exists() and capsys.readouterr().out == ""


def test_the_line_of_progress_of_a_resumed_run_counts_all_steps(monkeypatch):
    """Nine of twelve steps are done when the resumed run makes its first: 75 %."""
    shown = []
    monkeypatch.setattr(status, "FIRST", 0)
    monkeypatch.setattr(status, "PAUSE", 0)
    monkeypatch.setattr(status, "where_shown", lambda: (shown.append, lambda: None))
    stopped_at(monkeypatch, 8)
    shown.clear()
    run_of(keep="trial")
    assert [text.split(": ")[1].split(" %")[0] for text in shown] == ["75", "83", "91", "100"]


def test_a_step_changes_nothing_of_the_run_before():
    run = start_run(DOCUMENTS, CONFIG, VOCAB, SETTINGS)
    before = pickle.dumps(run)
    after = training_step(run, DOCUMENTS)
    assert pickle.dumps(run) == before and after["step"] == len(after["history"]) == 1


def test_killed_between_two_steps_the_last_checkpoint_is_there(monkeypatch):
    monkeypatch.setattr(training_loop, "KEEP_EVERY", 2)

    def killed(run, documents, gradients_of):
        if run["step"] == 7:
            raise SystemExit
        return training_step(run, documents, gradients_of)

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(training_loop, "training_step", killed)
        run_of(keep="trial")
    assert training_loop.read_checkpoint("trial", start_run(DOCUMENTS, CONFIG, VOCAB, SETTINGS))["step"] == 6
    assert run_of(keep="trial") == run_of()


# --- checkpoints that are none


def spoiled(edit):
    """A checkpoint of step 5, with something in it changed by hand."""

    def write(path):
        run = pickle.loads(path.read_bytes())
        edit(run)
        path.write_bytes(pickle.dumps(run, protocol=5))

    return write


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-100])


BAD = {
    "cut off": (cut_off, "it is damaged"),
    "empty": (lambda path: path.write_bytes(b""), "it is damaged"),
    "no plain data": (
        lambda path: path.write_bytes(pickle.dumps(random.Random(1), protocol=5)),
        "more than plain data",
    ),
    "another size": (
        spoiled(lambda run: run["config"].update(n_embd=8)),
        "another run: config n_embd is 8, not 4",
    ),
    "another size inside": (
        spoiled(lambda run: run["parameters"]["ln_f.bias"].append(0.0)),
        "ln_f.bias has 5 entries, not 4",
    ),
    "memory of another": (
        spoiled(lambda run: run["optimizer"]["m"].pop("ln_f.bias")),
        "ln_f.bias is missing from m",
    ),
    "other settings": (
        spoiled(lambda run: run["settings"].update(lr=0.5)),
        "another run: settings lr is 0.5, not 0.01",
    ),
    "other text": (
        spoiled(lambda run: run["documents"].update(number=3)),
        "another run: documents number is 3, not 7",
    ),
    "other letters": (spoiled(lambda run: run["vocab"].append("d")), "another run: other vocab"),
    "nan": (
        spoiled(lambda run: run["parameters"]["wte.weight"][0].__setitem__(0, float("nan"))),
        "not finite",
    ),
    "a step too far": (spoiled(lambda run: run.update(step=13)), "its step is none of this run"),
    "an order of others": (
        spoiled(lambda run: run.update(order=[7])),
        "its order names a document that there is not",
    ),
    "no state of a generator": (spoiled(lambda run: run.update(rng_state=(3, (1,), None))), "rng_state"),
    "something else": (spoiled(lambda run: run.update(more=1)), "'more' does not belong in it"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_checkpoint_is_named_in_one_sentence_and_left_where_it_is(monkeypatch, name):
    write, words = BAD[name]
    stopped_at(monkeypatch, 5)
    write(checkpoint_path("trial"))
    before = checkpoint_path("trial").read_bytes()
    with pytest.raises(StateError, match="notebooks/state/trial.checkpoint.pkl cannot be used: ") as raised:
        run_of(keep="trial")
    assert words in str(raised.value) and "anew=True" in str(raised.value)
    assert checkpoint_path("trial").read_bytes() == before
    assert run_of(keep="trial", anew=True) == run_of()


def test_a_checkpoint_that_cannot_be_written_is_said_before_the_work(monkeypatch, tmp_path):
    (tmp_path / "state").write_text("a file where the folder belongs")
    monkeypatch.setattr(training_loop, "training_step", None)  # it is never reached
    with pytest.raises(StateError, match="was not written: notebooks/state is no folder. Remove it"):
        run_of(keep="trial", anew=True)


# --- files and documents that cannot be trained on


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "lines.txt is empty"),
        (b" \n\n", "lines.txt is empty"),
        (b"anna\n", "lines.txt has one line; give at least 10"),
        (b"anna\n" * 9, "lines.txt has 9 lines"),
        (b"anna\n" * 9 + b"x" * 64, "line 10 of lines.txt has 64 characters; cut it to 63"),
        ("zoë\n".encode("latin-1") * 12, "lines.txt is no text in UTF-8"),
    ],
)
def test_a_file_that_is_no_text_of_short_lines_is_refused(tmp_path, data, words):
    path = tmp_path / "lines.txt"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=words):
        read_lines(path)


def test_a_missing_file_is_refused_and_sound_lines_read(tmp_path):
    with pytest.raises(ValueError, match="no.txt cannot be read"):
        read_lines(tmp_path / "no.txt")
    (tmp_path / "lines.txt").write_bytes("\ufeffzoë\r\n\r\n anna \n".encode() * 5)
    assert read_lines(tmp_path / "lines.txt")[:2] == ["zoë", "anna"]


def test_of_a_folder_the_lines_of_all_files_are_read_cleaned_cut_and_taken_once(tmp_path):
    with pytest.raises(ValueError, match=f"{tmp_path.name} is empty"):
        read_lines(tmp_path)
    (tmp_path / "a.txt").write_text(
        "\n".join(f"line {i}" for i in range(12)) + "\nzoe\u0308\u200b\n", "utf-8"
    )
    (tmp_path / "b.html").write_text("<p>Line 3<p>" + "word " * 20, "utf-8")
    (tmp_path / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    lines = [f"line {i}" for i in range(12)] + ["zo\u00eb"]
    assert read_lines(tmp_path) == [*lines, ("word " * 12).strip(), ("word " * 8).strip()]


@pytest.mark.parametrize(
    "documents, words",
    [
        ([], "there are no documents"),
        ([[1, 3, 2], [1]], "document 1 has 1 tokens; from 2 to 6 fit a table of 5 positions"),
        ([[1, 3, 3, 3, 3, 3, 2]], "document 0 has 7 tokens"),
        ([[1, 6, 2]], "document 0 holds a token that is none of the 6"),
    ],
)
def test_documents_that_do_not_fit_the_model_are_refused(documents, words):
    with pytest.raises(ValueError, match=f"train: {words}"):
        train(documents, CONFIG, VOCAB, SETTINGS)


# --- the course's own texts


def test_the_table_has_a_position_for_each_token_that_is_read():
    """The longest document has five tokens; the last one is only a target."""
    config = smallest_config([[1, 3, 2], [1, 3, 4, 5, 2]], ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"])
    assert (config["n_positions"], config["vocab_size"], config["n_inner"]) == (4, 6, 64)


def test_learning_rate_without_cosine_stays_after_the_warm_up():
    settings = {"steps": 6, "lr": 1.0, "warmup_steps": 2, "cosine": False}
    assert [rate(step, settings) for step in range(6)] == [0.5, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert rate(4, settings | {"cosine": True}) == pytest.approx(0.5)  # half of the way down


def test_scaled_initial_weights_by_hand():
    """√(12 / 3) = 2: matrices are doubled, vectors stay."""
    parameters = {"wte.weight": [[1.0, 2.0, 3.0]], "ln_f.weight": [1.0, 1.0, 1.0]}
    expected = {"wte.weight": [[2.0, 4.0, 6.0]], "ln_f.weight": [1.0, 1.0, 1.0]}
    assert scale_initial_weights(parameters, narrow=12) == expected


@pytest.mark.parametrize("name, count", [("names.txt", range(1900, 2200)), ("elements.txt", [118])])
def test_a_text_of_the_course_is_distinct_lower_case_words(name, count):
    lines = read_lines(name)
    assert len(lines) in count and len(set(lines)) == len(lines)
    assert all(2 <= len(line) <= 13 and set(line) <= set("abcdefghijklmnopqrstuvwxyz") for line in lines)


@pytest.mark.parametrize("seed", (1, 2))
def test_a_split_is_found_again_by_its_seed(tmp_path, seed):
    """By hand: of eighteen lines, a seed shuffles them, and two, then two, then the rest are taken."""
    lines = list("abcdefghijklmnopqr")
    vocab, path = ["<PAD>", "<BOS>", "<EOS>", *lines], tmp_path / "a.txt"
    path.write_text("\n".join(lines))
    order = [[1, 3 + i, 2] for i in range(18)]
    random.Random(seed).shuffle(order)
    sets = order[4:], order[:2], order[2:4]
    text = text_of_model(path, seed, *sets)
    assert documents_of_model(text, vocab) == sets
    with pytest.raises(ValueError, match="^a.txt is not what lesson 14 trained on any more; run lesson 14"):
        documents_of_model({**text, "seed": 3 - seed}, vocab)


def test_elements_stand_at_their_numbers_and_every_letter_begins_a_name():
    elements = read_lines("elements.txt")
    known = {1: "hydrogen", 6: "carbon", 26: "iron", 50: "tin", 79: "gold", 92: "uranium", 118: "oganesson"}
    assert {number: elements[number - 1] for number in known} == known
    assert {name[0] for name in read_lines("names.txt")} == set("abcdefghijklmnopqrstuvwxyz")
