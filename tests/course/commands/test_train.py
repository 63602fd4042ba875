"""The command that trains on a text of one's own: what it reads, refuses, says, keeps and resumes."""

import pickle
import random
import re

import pytest
from projects import exit_code

from helpers.course import commands
from helpers.course.commands import train as training
from helpers.course.training import own_model, own_text
from helpers.course.training.own_model import load_model, model_path
from helpers.course.training.own_text import LIST, RUNNING, clean_text, files_digest, kind_of, prepare_text

LINES = [f"{a}{b}{c}" for a in "bdgkm" for b in "aeiou" for c in ("l", "n", "rt")]  # 75 words
TOWNS = "\n".join(LINES)
STORY = "\n".join(
    f"the {one} saw the {two} near a {three} house, and then the {one} went home again"
    for one in ("cat", "dog", "fox")
    for two in ("hen", "cow", "pig", "owl")
    for three in ("red", "big")
)


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(own_model, "JUDGED", 200)
    monkeypatch.setattr(own_model, "ON_THE_WAY", 50)
    monkeypatch.setattr(training, "slowness", lambda: 1.0)
    monkeypatch.setattr("helpers.course.training.own_writing.WRITTEN", 60)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    return tmp_path / "texts"


def written(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return path


def train(path, *options, code=0):
    assert commands.main(["train", str(path), "--steps", "4", "--processes", "1", *options]) == code


# --- odd files. What a file of each kind gives is tested in reading/test_documents.py


def folder_of(**files):
    def write(folder):
        for name, data in files.items():
            written(folder, name.replace("_", "."), data)
        return folder

    return write


def twelve_notes(folder):
    for i in range(12):
        written(folder, f"{i}.txt", f"note {LINES[i]} " + STORY[9 * i : 9 * i + 100])
    return folder


GREEK = "\n".join(a + b + c for a in "βγδκλ" for b in "αειο" for c in ("ς", "ν", "ρα"))
REFUSED = {
    # what a.txt holds, or a function that writes a folder; and words of the sentence
    "empty": ("", "a.txt gives no text: it holds no text."),
    "blank": (" \n\t\n", "a.txt gives no text: it holds no text."),
    "one line": ("anna\n", "a.txt holds 4 characters; give a list of at least 10 lines"),
    "nine lines": ("\n".join(LINES[:9]), "give a list of at least 10 lines, or a text of 1,000"),
    "100 equal lines": ("anna\n" * 100, "a.txt holds 1 line; give at least 10"),
    "UTF-16 without a mark": (TOWNS.encode("utf-16-le"), "it looks like UTF-16 without a byte"),
    "missing": (lambda folder: folder / "a.txt", "a.txt gives no text: there is no such file."),
    "an empty folder": (folder_of(), "texts holds no file to read."),
    "a folder of hidden files": (folder_of(_a=TOWNS), "texts holds no file to read."),
    "a folder of pictures": (
        folder_of(a_png=b"\x89PNG\r\n", b_gif=b"GIF89a"),
        "picture, lesson 20b), and 1 more.",
    ),
}


@pytest.mark.parametrize("made, sentence", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_trained_on_is_told_in_one_sentence(made, sentence, folder, capsys):
    train(made(folder) if callable(made) else written(folder, "a.txt", made), code=2)
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and sentence in err and not model_path("mine").exists()


READ = {
    # what a.txt holds, or a function that writes a folder; words that are said; a character of the vocabulary
    "a list": (TOWNS, ["a list", "1 file, 324 characters", "nothing to clean", "59 lines to train on"], "b"),
    "ten lines": ("\n".join(LINES[:10]), ["8 lines are few: expect the model to recite"], "b"),
    "CRLF": (b"\xef\xbb\xbf" + TOWNS.replace("\n", "\r\n").encode(), ["a list", "nothing to clean"], "b"),
    "Windows-1252": (
        (TOWNS + "\nz\u00fcrich").encode("cp1252"),
        ["which is a guess", "--encoding\n"],
        "\u00fc",
    ),
    "Greek": (GREEK, ["a list", "Characters 12 and 3 special tokens"], "\u03b2"),
    "one line of 20,000 characters": (
        " ".join([*LINES, ""]) * 60,
        ["a running text", "pieces to train on"],
        " ",
    ),
    "a few zero bytes": (
        "\n".join(a + b for a in LINES for b in LINES) + "\nan\0na",
        ["1 NUL bytes removed"],
        "b",
    ),
    "zero-width spaces": (TOWNS + "\nan\u200bna", ["1 invisible characters removed"], "b"),
    "separate accents": (TOWNS + "\nzoe\u0308", ["1 letters with separate accents joined"], "\u00eb"),
    "a no-break space": (TOWNS + "\nan\u00a0na", ["1 special spaces made ordinary"], " "),
    "a control character": (TOWNS + "\nbe\x1bll", ["1 control characters removed"], "b"),
    "lines twice": (TOWNS + "\n" + TOWNS.upper(), ["75 lines dropped"], "b"),
    "lines of 70 characters": (
        "\n".join(c * 70 for c in "abcdefghijklmnop") + "\n" + TOWNS * 5,
        ["a list"],
        "b",
    ),
    "emoji": (TOWNS + "\n\U0001f600\U0001f600", ["a list"], "\U0001f600"),
    "a story": (STORY, ["a running text", "pieces to train on"], "\n"),
    "a folder": (
        folder_of(a_txt=TOWNS, b_html="<p>vvv", c_png=b"\x89PNG\r\n"),
        ["c.png: not read: it is a picture", "2 files"],
        "v",
    ),
    "twelve notes": (
        twelve_notes,
        ["a running text", "8 files to train on, 2 for validation, 2 to test"],
        " ",
    ),
}


@pytest.mark.parametrize("made, said, character", READ.values(), ids=READ)
def test_what_is_read_is_cleaned_and_told(made, said, character, folder, capsys):
    path = made(folder) if callable(made) else written(folder, "a.txt", made)
    train(path, "--width", "8")
    out, err = capsys.readouterr()
    assert err == "" and [words for words in said if words not in out] == []
    vocab = set(load_model("mine")["vocab"])
    assert character in vocab and not vocab & {*"\0\u200b\u0308\u00a0\x1b\ufeff\r"}


def test_an_encoding_can_be_named(folder, capsys):
    path = written(folder, "a.txt", GREEK.encode("iso8859-7"))
    train(path, "--encoding", "iso8859-7")
    assert "\u03b2" in load_model("mine")["vocab"] and "guess" not in capsys.readouterr().out
    train(path, "--encoding", "klingon", code=2)
    assert "--encoding is 'klingon', which is no encoding" in capsys.readouterr().err


# --- lists and running texts


@pytest.mark.parametrize(
    "text, kind",
    [
        (TOWNS, LIST),
        ("\n".join(f"{x} upon stour" for x in LINES), LIST),
        (STORY, RUNNING),
        ("\n".join(f"if {x}:\n    {x} = 1" for x in LINES), RUNNING),  # half of the lines are indented
        ("\n".join(LINES[:9]), RUNNING),
        (" ".join(LINES), RUNNING),
    ],
)
def test_each_line_for_itself_or_not(text, kind):
    assert kind_of([text]) == kind


def test_clean_text_keeps_indentation_and_joins_blank_lines():
    assert clean_text("a:\r\n\tb  c\x00\r\n\r\n\r\n\r\nd \u00a0") == "a:\n    b c\n\nd"


def test_windows_make_each_token_but_the_first_a_target_once():
    for n, length in [(2, 3), (10, 3), (9, 4), (100, 7)]:
        cut = own_text.windows(list(range(n)), length)
        assert [token for window in cut for token in window[1:]] == list(range(1, n))
        assert all(2 <= len(window) <= length + 1 for window in cut)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("sizes", [range(1, 30), [5] * 27, [1000, 5, 5, 900, 5, 5, 5, 5, 5, 5], [7, 7, 7]])
def test_files_of_different_sizes_are_split_by_their_characters(seed, sizes):
    units = [chr(97 + i % 26) * size for i, size in enumerate(sizes)]
    parts = own_text.split_by_size(units, random.Random(seed))
    assert sorted(sum(parts, [])) == sorted(units) and all(parts)
    if max(sizes) < sum(sizes) / 9:
        assert all(1 / 12 <= sum(map(len, part)) / sum(sizes) <= 1.5 / 9 for part in parts[1:])
    assert sum(map(len, parts[0])) >= sum(sizes) / 3


def test_lines_of_a_list_by_hand():
    lines = ["ann", " bob ", "", "ANN!", "x" * 60 + " y" * 5]
    assert own_text.lines_of_list(["\n".join(lines)]) == (["ann", "bob", "x" * 60 + " y", "y y y y"], 1)


def test_the_sets_share_no_line_and_hold_all_of_them(folder):
    text = prepare_text([written(folder, "a.txt", TOWNS + "\n" + TOWNS.upper())])
    parts = [set(text[part]) for part in ("train", "val", "test")]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 75 and set.union(*parts) == set(LINES)
    assert [len(part) for part in parts] == [59, 8, 8]


def test_long_lines_that_come_again_are_dropped_from_a_running_text(folder):
    line = "this line of more than forty characters stands in every note"
    story = "\n".join([STORY, line, STORY[:50], line.upper()])
    text = prepare_text([written(folder, "a.txt", story)])
    whole = "".join(text["train"] + text["val"] + text["test"])
    assert whole.lower().count(line) == 1 and text["dropped"] == ["1 line"]


def test_of_a_large_alphabet_the_rarest_become_one_sign(folder):
    frequent = "\n".join(chr(0x4E00 + i) * 9 for i in range(499))
    rare = "\n".join(chr(0x5E00 + i) for i in range(40))
    text = prepare_text([written(folder, "a.txt", frequent + "\n" + rare)])
    assert len(text["vocab"]) <= 3 + 501 and own_text.RARE in text["vocab"] and len(text["rare"]) == 39


# --- Ctrl-C, resuming, and models of the same name


def interrupted_at(monkeypatch, step):
    def stopping(run, documents, gradients_of):
        if run["step"] == step:
            raise KeyboardInterrupt
        return real(run, documents, gradients_of)

    real = own_model.training_step
    monkeypatch.setattr(own_model, "training_step", stopping)


@pytest.mark.parametrize("text, steps", [(TOWNS, (0, 3, 11)), (STORY, (5,))], ids=["a list", "byte pairs"])
def test_the_same_command_resumes_to_the_bit(folder, monkeypatch, capsys, text, steps):
    path, command = written(folder, "a.txt", text), ["--steps", "12", "--width", "8"]
    train(path, *command, "--name", "whole")
    whole = load_model("whole")
    for step in steps:
        with monkeypatch.context() as patch:
            interrupted_at(patch, step)
            train(path, *command, "--anew", code=1)
        assert f"Stopped after step {step} of 12." in capsys.readouterr().out
        assert load_model("mine")["run"]["step"] == step
        train(path, *command)
        resumed = load_model("mine")
        assert not step or f"Resumed after step {step}." in capsys.readouterr().out
        same = ("parameters", "losses", "steps", "config", "settings", "vocab", "merges", "trained_on")
        assert [name for name in same if pickle.dumps(whole[name]) != pickle.dumps(resumed[name])] == []


@pytest.mark.parametrize("text", [TOWNS, STORY], ids=["a list", "byte pairs"])
def test_a_killed_training_goes_on_from_what_was_saved_last_to_the_bit(folder, monkeypatch, text):
    """SystemExit stands for a kill: nothing catches it, so nothing is saved any more."""

    def killed(run, documents, gradients_of):
        return real(run, documents, gradients_of) if run["step"] < 7 else exit()

    path, command, real = (
        written(folder, "a.txt", text),
        ["--steps", "12", "--width", "8"],
        own_model.training_step,
    )
    train(path, *command, "--name", "whole")
    with monkeypatch.context() as patch:
        patch.setattr(own_model, "training_step", killed)
        patch.setattr(
            training.Checkpointer, "now_and_then", lambda self, m: m["run"]["step"] == 5 and self.save(m)
        )
        with pytest.raises(SystemExit):
            train(path, *command)
    assert load_model("mine")["run"]["step"] == 5
    train(path, *command)
    assert load_model("mine")["parameters"] == load_model("whole")["parameters"]


def test_two_trainings_with_one_name_do_not_replace_each_other(folder, monkeypatch, capsys):
    """In the middle of one training another command finishes: its model stays, and the first one ends."""
    path, real = written(folder, "a.txt", TOWNS), own_model.training_step

    def meanwhile(run, documents, gradients_of):
        if run["step"] == 3:
            monkeypatch.setattr(own_model, "training_step", real)
            train(path, "--name", "mine")
        return real(run, documents, gradients_of)

    monkeypatch.setattr(own_model, "training_step", meanwhile)
    train(path, "--name", "mine", code=2)
    assert "Another training has written mine meanwhile" in capsys.readouterr().err
    assert load_model("mine")["run"] is None  # the finished one


def test_a_trained_model_is_not_trained_twice(folder, capsys):
    path = written(folder, "a.txt", TOWNS)
    train(path)
    before = model_path("mine").read_bytes()
    capsys.readouterr()
    train(path)
    assert "mine has been trained on this text with these options." in capsys.readouterr().out
    assert model_path("mine").read_bytes() == before
    train(path, "--anew")
    assert load_model("mine")["parameters"] == pickle.loads(before)["parameters"]


@pytest.mark.parametrize("text", [TOWNS, STORY], ids=["a list", "byte pairs"])
def test_the_same_text_with_more_steps_goes_on(folder, monkeypatch, capsys, text):
    """From the saved parameters: its best validation loss cannot be higher than before."""
    monkeypatch.setattr(training, "MIN_EXPECTED", 10)
    path = written(folder, "a.txt", text)
    train(path, "--steps", "40", "--width", "8")
    first = load_model("mine")
    expects = "Expect a loss of about" in capsys.readouterr().out
    assert expects == (text == STORY)  # only of byte pairs was it measured how a loss goes on
    train(path, "--steps", "60", "--width", "8")
    out, second = capsys.readouterr().out, load_model("mine")
    assert "goes on from the model that is there, after 40 steps" in out
    assert re.findall(r"(?m)^ +step (\d+)", out) == [str(n) for n in range(42, 61, 2)]
    assert (second["before"], second["settings"]["steps"]) == (40, 20) and 40 <= second["steps"] <= 60
    assert second["losses"]["validation"] <= first["losses"]["validation"] + 0.02
    train(path, "--steps", "50", "--width", "8")
    assert "has been trained on this text" in capsys.readouterr().out


def test_a_computer_of_half_the_speed_makes_half_the_steps_in_the_same_minutes(folder, monkeypatch, capsys):
    path, steps = written(folder, "a.txt", TOWNS), []
    interrupted_at(monkeypatch, 1)
    for slow in (1.0, 2.0):
        monkeypatch.setattr(training, "slowness", lambda: slow)
        options = ["--minutes", "0.1", "--width", "32", "--processes", "1", "--anew"]
        assert commands.main(["train", str(path), *options]) == 1
        said = re.search(r"Training +([\d,]+) steps .*about (\d+) s on", capsys.readouterr().out)
        steps.append(int(said[1].replace(",", "")))
        assert 5 <= int(said[2]) <= 6
    assert steps[1] == pytest.approx(steps[0] / 2, abs=10)


def test_a_training_that_was_stopped_is_not_made_longer(folder, monkeypatch, capsys):
    path = written(folder, "a.txt", TOWNS)
    with monkeypatch.context() as patch:
        interrupted_at(patch, 2)
        train(path, code=1)
    capsys.readouterr()
    train(path, "--minutes", "1", code=2)
    assert "is in training, made with --steps 4; give these to resume it" in capsys.readouterr().err


def test_another_text_or_other_options_want_another_name(folder, capsys):
    path = written(folder, "a.txt", TOWNS)
    train(path)
    capsys.readouterr()
    for others, words in [
        ([written(folder, "b.txt", GREEK)], "of a.txt; give another --name"),
        ([path, "--width", "8"], "made with --steps 4; give another --name"),
    ]:
        train(*others, code=2)
        assert words in capsys.readouterr().err
    written(folder, "a.txt", TOWNS + "\nmore")
    train(path, code=2)
    assert "a.txt has changed" in capsys.readouterr().err


def test_a_changed_text_is_told_by_say(folder, capsys):
    path = written(folder, "a.txt", TOWNS)
    train(path)
    capsys.readouterr()
    assert commands.main(["say", "--model", "mine", "-n", "2", "--seed", "1"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2 and "trained on a.txt" in err and "changed" not in err
    written(folder, "a.txt", TOWNS.replace("bal", "pal"))
    commands.main(["say", "--model", "mine", "-n", "2", "--seed", "1"])
    again, err = capsys.readouterr()
    assert again == out and "a.txt has changed since then" in err


def test_a_fingerprint_sees_every_change_in_a_folder(folder):
    written(folder, "a.txt", "Ann")
    seen = {files_digest([folder])}
    for change in (
        lambda: written(folder, "a.txt", "Bob"),
        lambda: written(folder, "b.txt", "Ann"),
        lambda: (folder / "b.txt").rename(folder / "c.txt"),
        lambda: (folder / "a.txt").unlink(),
    ):
        change()
        seen.add(files_digest([folder]))
    assert len(seen) == 5
    written(folder, ".hidden", "x")
    assert files_digest([folder]) in seen and files_digest([folder / "none"]) == ""


# --- the result


def test_ten_lines_are_recited_and_that_is_told(folder, capsys, monkeypatch):
    monkeypatch.setattr("helpers.course.training.own_writing.WRITTEN", 300)
    path = written(folder, "a.txt", "\n".join(LINES[::8]))
    train(path, "--steps", "80", "--width", "16")
    out = capsys.readouterr().out
    number, of = map(int, re.search(r"(\d+) of (\d+) by the model", out).groups())
    assert number > of / 2 and "So the model recites" in out


def test_the_end_shows_three_losses_and_samples_side_by_side(folder, capsys):
    train(written(folder, "a.txt", TOWNS))
    out = capsys.readouterr().out
    losses = dict(re.findall(r"(?m)^  (uniform|bigrams|trigrams|model, \w+ set) +(\d\.\d\d)$", out))
    kept = load_model("mine")["losses"]
    for label, loss in losses.items():
        assert f"{kept[label.removeprefix('model, ').removesuffix(' set')]:.2f}" == loss
    assert len(losses) == 5 and re.search(r"(?m)^  \d-grams +the model$", out)


def test_of_running_texts_the_longest_are_shown(capsys):
    training.show_beside(("counts", ["a", "bbb ccc", "dd"]), ("model", ["", "e", "ffff"]), RUNNING)
    assert [line.split() for line in capsys.readouterr().out.splitlines()][2] == ["bbb", "ccc", "ffff"]


def test_the_losses_are_those_of_another_computation(folder, monkeypatch):
    """Of a list, the mean over all tokens of all lines, by the readable GPT."""
    from helpers import encode, mean_loss

    monkeypatch.setattr(own_model, "ON_THE_WAY", 10_000)  # so all tokens are judged
    train(written(folder, "a.txt", TOWNS), "--name", "m")
    model, text = load_model("m"), prepare_text([folder / "a.txt"])
    for name, part in {"training": "train", "validation": "val", "test": "test"}.items():
        documents = [encode(line, model["vocab"]) for line in text[part]]
        assert abs(mean_loss(model["config"], model["parameters"], documents) - model["losses"][name]) < 1e-9


def test_a_model_is_judged_on_tokens_from_everywhere():
    documents = [([i] * 12, 2) for i in range(100)]
    for most in (100, 200):
        judges = own_model.drawn(documents, most)
        assert 10 * len(judges) == most and judges == own_model.drawn(documents, most)
        numbers = sorted(tokens[0] for tokens, _ in judges)
        assert numbers[0] < 25 and numbers[-1] >= 75
    assert sorted(own_model.drawn(documents, 10_000)) == documents


@pytest.mark.parametrize(("steps", "tokens"), [(1, 50), (40, 160), (10_000, 200)])
def test_a_short_training_is_judged_on_few_tokens(steps, tokens):
    """An eighth of the tokens that it has seen, but 50 at least and 200 at most (see own_state)."""
    model = {"before": 0, "best": {"step": steps}, "config": {"n_positions": 16}}
    assert own_model.tokens_to_judge(model, {"kind": RUNNING}) == tokens


def test_models_are_listed_and_removed(folder, capsys):
    assert commands.main(["models"]) == 0
    assert "There is no model yet." in capsys.readouterr().out
    train(written(folder, "a.txt", TOWNS), "--name", "towns")
    capsys.readouterr()
    commands.main(["models"])
    assert re.match(r"towns: trained on a.txt, .* 4 steps; test loss \d\.\d\d", capsys.readouterr().out)
    assert commands.main(["models", "--remove", "town"]) == 2
    assert "did you mean towns?" in capsys.readouterr().err
    assert commands.main(["models", "--remove", "towns"]) == 0 and not model_path("towns").exists()


# --- files of models are not trusted


def spoil(change):
    def write(path):
        model = pickle.loads(path.read_bytes())
        change(model)
        path.write_bytes(pickle.dumps(model, protocol=5))

    return write


BAD = {
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-50]), "it is damaged"),
    "no plain data": (lambda path: path.write_bytes(pickle.dumps(random.Random(1))), "more than plain data"),
    "a list": (lambda path: path.write_bytes(pickle.dumps([1])), "the model is a list, not a dict"),
    "a weight gone": (spoil(lambda model: model["parameters"]["ln_f.bias"].pop()), "has 15 entries, not 16"),
    "no number": (spoil(lambda model: model["parameters"]["ln_f.bias"].__setitem__(0, "1")), "not a number"),
    "not finite": (spoil(lambda model: model["parameters"]["ln_f.bias"].__setitem__(0, 1e999)), "not finite"),
    "another width": (spoil(lambda model: model["config"].update(n_embd=8)), "has 16 entries, not 8"),
    "a vocabulary too short": (spoil(lambda model: model["vocab"].pop()), "vocab is not a list"),
    "without losses": (spoil(lambda model: model["losses"].pop("test")), "its loss test is not a number"),
    "a kind of its own": (spoil(lambda model: model.update(kind="poem")), "its kind of text is unknown"),
    "more than there is": (spoil(lambda model: model.update(note="x")), "'note' does not belong"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "it is a folder"),
}


@pytest.fixture(scope="module")
def bytes_of_a_model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIXTEEN_STATE", str(folder))
        train(written(folder, "a.txt", TOWNS), "--width", "16")
        return model_path("mine").read_bytes()


@pytest.mark.parametrize("damage, words", BAD.values(), ids=BAD)
def test_a_file_that_is_no_model_is_one_sentence(damage, words, bytes_of_a_model, capsys):
    model_path("mine").parent.mkdir(parents=True)
    model_path("mine").write_bytes(bytes_of_a_model)
    damage(model_path("mine"))
    capsys.readouterr()
    assert commands.main(["say", "--model", "mine"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and words in err and "notebooks/state/models/mine.pkl" in err


MISUSE = [
    (["--steps", "0"], "number of steps"),
    (["--minutes", "-1"], "minutes"),
    (["--minutes", "nan"], "minutes"),
    (["--width", "512"], "pure Python trains at most"),
    (["--name", "../x"], "is no name for a model"),
    (["--name", "con"], "is no name for a model"),
    (["--processes", "0"], "number of processes"),
]


@pytest.mark.parametrize("options, words", MISUSE)
def test_misuse_is_one_sentence(options, words, folder, capsys):
    path = written(folder, "a.txt", TOWNS)
    assert exit_code(commands.main, ["train", str(path), *options]) == 2
    assert words in capsys.readouterr().err.splitlines()[-1]


def test_the_names_of_the_course_are_the_text_where_none_is_given(capsys):
    assert commands.main(["train", "--steps", "1", "--processes", "1"]) == 0
    out = capsys.readouterr().out
    assert "names.txt: 1 file" in out and "1,597 lines to train on, 228 for validation, 228 to test" in out
