"""The command line: what it offers, what it refuses, and how a lesson is named."""

import os
import shutil
import subprocess
import sys

import pytest
from projects import LESSON_0, LESSON_1, copied, exit_code, helpers, posix, ready, settings, write_lesson

from helpers.course import commands
from helpers.course.commands import names
from helpers.course.show.source import public_functions


@pytest.fixture
def project(tmp_path):
    return ready(tmp_path)


def test_no_command_prints_the_help(capsys):
    assert commands.main([]) in (0, None)
    printed = capsys.readouterr().out
    assert [name for name in commands.COMMANDS if f"\n    {name} " not in printed] == []


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_each_command_has_help(name, capsys):
    assert exit_code(commands.main, [name, "--help"]) == 0
    assert commands.COMMANDS[name][2] in " ".join(capsys.readouterr().out.split())


LESSONS = [LESSON_0, LESSON_1, "03_attention", "04_multi_head_attention", "10_backward_through_attention"]


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    for name in [*LESSONS, "my_03_attention", "3_attention", "03_attention-Copy1", "12_notes"]:
        (tmp_path / f"{name}.ipynb").touch()
    monkeypatch.setattr(names, "NOTEBOOKS", tmp_path)


MISUSE = [
    # arguments, what must occur in the sentence
    (["opne"], "mean open"),
    (["xyz"], "there are open, "),
    (["open", "02"], "there are 00_start_here"),
    (["run", "tokenz_and_embedding"], "mean 01_tokens_"),
    (["reset", "\u00e9"], "'\\xe9'"),
    (["say", "--temperature", "0"], "temperature"),
    (["say", "-n", "0"], "how many"),
    (["open", "--port", "many"], "port"),
]


@pytest.mark.parametrize("arguments, word", MISUSE)
def test_misuse_is_code_2_and_one_sentence(lessons, arguments, word, capsys):
    assert exit_code(commands.main, arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and word in err.splitlines()[-1]


def test_numbers_between_bounds():
    whole = names.number_between("a length", 1, 2000)
    share = names.number_between("a share", 0, 1, float, above=True)
    assert whole("1") == 1 and whole("2000") == 2000 and share("1") == 1.0
    for parse, texts in ((whole, ["0", "2001", "1.5", "x", ""]), (share, ["0", "1.1", "nan", "inf", "x"])):
        for text in texts:
            with pytest.raises(Exception, match="^a (length is a whole|share is a) number .*(1|2,000)$"):
                parse(text)


FOUND = {
    "00": LESSON_0,
    "0": LESSON_0,
    "1": LESSON_1,
    "10": "10_backward_through_attention",
    "multi": "04_multi_head_attention",
    "TOKENS": LESSON_1,
    "03_attention": "03_attention",
    "notebooks/03_attention.ipynb": "03_attention",
}
NOT_FOUND = {
    "attention": "several",
    "03_atention": "mean 03_attention",
    "2": "there are 00_start_here",
    "my_03_attention": "of your own",
    "12_notes.ipynb": "of your own",
    "12": "there are 00_start_here",
}


def test_how_a_lesson_is_named(lessons):
    assert {asked: names.find_lesson(asked) for asked in FOUND} == FOUND
    for asked, word in NOT_FOUND.items():
        with pytest.raises(names.Misuse, match=word):
            names.find_lesson(asked)


@pytest.mark.parametrize("path", ["helpers/", "helpers/__main__.py"])
def test_it_runs_by_its_path_from_another_folder(project, tmp_path, path):
    """The folder has a math.py, as a learner's may; neither it nor a module of ours hides the library's."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "math.py").write_text("raise SystemExit('the wrong math')", encoding="utf-8")
    shutil.copy(elsewhere / "math.py", project / "helpers" / "textwrap.py")
    command = [sys.executable, os.path.relpath(project, elsewhere) + "/" + path, "show", "gelu"]
    done = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == "" and 'def gelu(x: "float") -> "float":' in done.stdout


def test_show_survives_an_old_console(project):
    command = [sys.executable, "-m", "helpers", "show", *public_functions()]
    plain = {**settings(project), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, cwd=project, env=plain, capture_output=True)
    assert done.returncode == 0, done.stderr
    compile(done.stdout, "pasted", "exec")


@posix
def test_a_reader_who_has_seen_enough_gets_no_complaint(project):
    many = " ".join(public_functions())
    for way in (f"show {many} | head -n 1", "show gelu >&-"):
        command = f'"{sys.executable}" -m helpers {way}'
        options = {"env": settings(project), "capture_output": True, "text": True}
        assert subprocess.run(command, shell=True, cwd=project, **options).stderr == ""


def test_ctrl_c_is_one_sentence(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("helpers.course.commands.show.show_functions", interrupted)
    assert commands.main(["show", "gelu"]) == 1
    assert capsys.readouterr() == ("", "Stopped.\n")


def test_reset_deletes_the_saved_states_from_a_lesson_on(project):
    for name in [LESSON_0, LESSON_1, "06b_feed_forward_variants"]:
        write_lesson(project, name)
    state = project / "notebooks" / "state"
    state.mkdir()
    for name in [LESSON_0, "04_multi_head_attention", "06_feed_forward", "11_adamw"]:
        (state / f"{name}.pkl").write_bytes(b"damaged")
    done = helpers(project, "reset", "06b")  # a side lesson starts over with its lesson
    assert done.returncode == 0 and "06_feed_forward, 11_adamw" in done.stdout
    assert sorted(path.stem for path in state.iterdir()) == [LESSON_0, "04_multi_head_attention"]
    assert helpers(project, "reset").returncode == 0 and list(state.iterdir()) == []


def test_ctrl_c_while_the_commands_are_imported_is_one_word(tmp_path):
    project = copied(tmp_path, "helpers")
    commands_file = project / "helpers/course/commands/__init__.py"
    commands_file.write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "helpers"], cwd=project, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Stopped.\n")
