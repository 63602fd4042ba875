"""`update`: the newest edition by git or from an older folder, in small repositories of three lessons."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
from projects import helpers, posix

from helpers.course.commands import update
from helpers.course.commands.environment import Problem
from notebooks import ROOT

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")
STUB = 'def {0}(x):\n    ...\n\ngrade("{1}", {0})'
DONE = 'def {0}(x):\n    return x + {2}\n\ngrade("{1}", {0})'
OLD = {
    "00_start_here": ["import helpers", STUB.format("my_count", "00.a")],
    "01_tokens": [STUB.format("my_dot", "01.a"), "old = 1", STUB.format("my_gone", "01.b")],
    "02_heads": [STUB.format("my_linear", "02.a")],
    "03_an_old_name": [STUB.format("my_mask", "03.a"), *map(str, range(50))],
}
NEW = {
    "00_start_here": ["import helpers", STUB.format("my_count", "00.a")],
    "01_tokens": ["new = 1", STUB.format("my_dot", "01.c")],
    "02_heads": ["new = 2", STUB.format("my_linear", "02.a")],
    "03_a_new_name": [STUB.format("my_mask", "03.a"), *map(str, range(50))],
}


def git(folder, *arguments):
    settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
    done = subprocess.run(["git", "-C", str(folder), *settings, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_pages(project, lessons):
    (project / "notebooks").mkdir(exist_ok=True)
    for lesson, sources in lessons.items():
        cells = [
            {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": source, "outputs": []}
            for i, source in enumerate(sources)
        ]
        text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        (project / "notebooks" / f"{lesson}.ipynb").write_text(text, encoding="utf-8")


def edit(project, lesson, cell, source):
    path = project / "notebooks" / f"{lesson}.ipynb"
    page = json.loads(path.read_text(encoding="utf-8"))
    page["cells"][cell] = {**page["cells"][cell], "source": source, "outputs": ["mine"]}
    path.write_text(json.dumps(page), encoding="utf-8")


def shown(project, lesson):
    page = json.loads((project / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in page["cells"]]


def copies(project):
    return sorted(path.name for path in (project / "notebooks").glob("my_*"))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A repository with two editions; the newest is checked out."""
    project = tmp_path_factory.mktemp("published") / "the [2024] kürs"
    shutil.copytree(ROOT / "helpers", project / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (".gitignore", ".gitattributes", "requirements.txt"):
        shutil.copy(ROOT / name, project)
    write_pages(project, OLD)
    (project / "leaves.txt").write_text("1", encoding="utf-8")
    git(project.parent, "init", "--quiet", "--initial-branch=main", str(project))
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=old", "--date=2026-01-31T12:00:00Z")
    write_pages(project, NEW)
    (project / "notebooks/03_an_old_name.ipynb").unlink()
    (project / "leaves.txt").unlink()
    (project / "comes.txt").write_text("2", encoding="utf-8")
    (project / "requirements.txt").write_text("jupyter\n", encoding="utf-8")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=new", "--date=2026-02-28T12:00:00Z")
    return project


@pytest.fixture
def reader(published, tmp_path):
    """A reader's clone of the older edition."""
    project = tmp_path / "mein kürs"
    git(tmp_path, "clone", "--quiet", str(published), str(project))
    git(project, "reset", "--quiet", "--hard", "HEAD~1")
    return project


def solve(project):
    edit(project, "00_start_here", 1, DONE.format("my_count", "00.a", 0))
    edit(project, "01_tokens", 0, DONE.format("my_dot", "01.a", 1))
    edit(project, "01_tokens", 1, "old = 2")
    edit(project, "01_tokens", 2, DONE.format("my_gone", "01.b", 2))
    edit(project, "02_heads", 0, DONE.format("my_linear", "02.a", 3))


def assert_updated(project):
    assert shown(project, "01_tokens") == ["new = 1", DONE.format("my_dot", "01.c", 1)]
    assert shown(project, "02_heads") == ["new = 2", DONE.format("my_linear", "02.a", 3)]
    assert shown(project, "00_start_here")[1] == DONE.format("my_count", "00.a", 0)
    assert shown(project, "my_01_tokens")[1:] == ["old = 2", DONE.format("my_gone", "01.b", 2)]
    assert not (project / "notebooks/state/update.json").exists()


def test_by_git(reader):
    solve(reader)
    done = helpers(reader, "update")
    assert done.returncode == 0, done.stderr
    assert_updated(reader)
    assert "From the edition of 2026-01-31 to the edition of 2026-02-28." in done.stdout
    assert "2 answers of 3 moved" in done.stdout
    assert "my_01_tokens.ipynb keeps 01.b my_gone, without a place today." in done.stdout
    assert "my_01_tokens.ipynb keeps 1 other cell that you wrote or changed." in done.stdout
    assert copies(reader) == ["my_01_tokens.ipynb", "my_02_heads.ipynb"]  # nothing is new in lesson 00
    assert not (reader / "leaves.txt").exists() and (reader / "comes.txt").exists()
    assert (reader / "requirements.txt").read_text(encoding="utf-8") == "jupyter\n"
    changed = [f" M notebooks/{lesson}.ipynb" for lesson in sorted(NEW)[:3]]
    assert git(reader, "status", "--short").splitlines() == changed
    again = helpers(reader, "update")
    assert again.stdout == "This is the newest edition; nothing has changed.\n"
    assert_updated(reader)


def test_lines_end_as_the_course_says_it(reader):
    """Not as git on Windows is set, also where .gitattributes itself is as before."""
    git(reader, "config", "core.autocrlf", "true")
    assert helpers(reader, "update").returncode == 0
    assert (reader / "requirements.txt").read_bytes() == b"jupyter\n"
    assert git(reader, "status", "--short") == ""


def test_a_lesson_that_has_another_name_now(reader):
    """The old page is kept and its answer moves, as in the others. git calls such a file renamed."""
    edit(reader, "03_an_old_name", 0, DONE.format("my_mask", "03.a", 4))
    done = helpers(reader, "update")
    assert "1 answer of 1 moved" in done.stdout, done.stderr
    assert shown(reader, "03_a_new_name")[0] == DONE.format("my_mask", "03.a", 4)
    assert copies(reader) == ["my_03_an_old_name.ipynb"]
    assert not (reader / "notebooks/03_an_old_name.ipynb").exists()


def test_results_alone_are_dropped(reader):
    for lesson, sources in OLD.items():
        edit(reader, lesson, 0, sources[0])
    assert helpers(reader, "update").returncode == 0
    assert copies(reader) == [] and shown(reader, "01_tokens") == NEW["01_tokens"]


def test_no_json_and_a_copy_of_that_name(reader):
    solve(reader)
    (reader / "notebooks/my_02_heads.ipynb").write_text("an earlier copy", encoding="utf-8")
    (reader / "notebooks/01_tokens.ipynb").write_text("<<<<<<< HEAD", encoding="utf-8")
    done = helpers(reader, "update")
    assert "my_01_tokens.ipynb is your file of lesson 01_tokens, which is no notebook" in done.stdout
    assert shown(reader, "01_tokens") == NEW["01_tokens"]
    assert copies(reader) == ["my_01_tokens.ipynb", "my_02_heads-2.ipynb", "my_02_heads.ipynb"]
    assert (reader / "notebooks/my_02_heads.ipynb").read_text(encoding="utf-8") == "an earlier copy"


def test_after_a_stash_with_conflicts(reader):
    """What `git pull` advises, and leaves notebooks with marks of a merge."""
    solve(reader)
    git(reader, "stash")
    git(reader, "merge", "--quiet", "--ff-only", "origin/main")
    subprocess.run(["git", "-C", str(reader), "stash", "pop"], capture_output=True)
    assert "<<<<<<<" in (reader / "notebooks/02_heads.ipynb").read_text(encoding="utf-8")
    assert helpers(reader, "update").returncode == 0
    assert shown(reader, "02_heads") == NEW["02_heads"]
    assert "<<<<<<<" in (reader / "notebooks/my_02_heads.ipynb").read_text(encoding="utf-8")


def refused(project, *arguments):
    """The sentence of an update that changes nothing."""
    before = {path: path.read_bytes() for path in (project / "notebooks").glob("*.*")}
    done = helpers(project, "update", *arguments)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1
    assert before == {path: path.read_bytes() for path in (project / "notebooks").glob("*.*")}
    return done.stderr


def test_changed_helpers_are_named(reader):
    solve(reader)
    with (reader / "helpers/gpt.py").open("a", encoding="utf-8") as file:
        file.write("mine = 1\n")
    assert "You have changed helpers/gpt.py: put each back with `git checkout FILE`" in refused(reader)


def test_git_s_index_is_left_alone_before_there_is_a_journal(reader):
    """git would refresh it under a lock, which stays if it is killed."""
    for path in [*reader.glob("*.txt"), *reader.glob("helpers/*.py")]:
        os.utime(path, (1, 1))
    before = (reader / ".git/index").read_bytes()
    (reader / "comes.txt").write_text("mine", encoding="utf-8")
    refused(reader)
    assert (reader / ".git/index").read_bytes() == before


def test_own_files_in_the_way_are_named(reader):
    (reader / "comes.txt").write_text("mine", encoding="utf-8")
    assert "You have changed comes.txt" in refused(reader)


def test_killed_while_the_files_were_put_in_place(reader):
    """Some are new already, git's lock is left, and the folder of the others holds the half of one."""
    solve(reader)
    (reader / "notebooks/state/update.new").mkdir(parents=True)
    journal = {"kept": {}, "target": git(reader, "rev-parse", "origin/HEAD").strip()}
    (reader / "notebooks/state/update.json").write_text(json.dumps(journal), encoding="utf-8")
    (reader / "notebooks/state/update.new/requirements.txt").write_text("ju", encoding="utf-8")
    for lock in (".git/index.lock", "notebooks/state/update.new/.index.lock"):
        (reader / lock).touch()
    (reader / "comes.txt").write_text("2", encoding="utf-8")
    done = helpers(reader, "update")
    assert done.returncode == 0, done.stderr
    assert_updated(reader)
    assert (reader / "comes.txt").read_text(encoding="utf-8") == "2"
    assert (reader / "requirements.txt").read_text(encoding="utf-8") == "jupyter\n"
    assert [path.name for path in (reader / "notebooks/state").iterdir()] == ["update.lock"]


@posix
def test_no_file_changes_before_git_has_written_all(reader, tmp_path):
    """git ends in the middle: the reader's files are as they were, and the next update goes on."""
    solve(reader)
    before = {path: path.read_bytes() for path in [*reader.glob("*.txt"), *reader.glob("notebooks/*.ipynb")]}
    real, own = shutil.which("git"), tmp_path / "bin/git"
    own.parent.mkdir()
    own.write_text(
        f'#!/bin/sh\ncase "$*" in *checkout*) exit 1;; esac\nexec "{real}" "$@"\n', encoding="utf-8"
    )
    own.chmod(0o755)
    command = [sys.executable, "-m", "helpers", "update"]
    variables = {**os.environ, "PATH": f"{own.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=reader, env=variables, capture_output=True, text=True)
    assert done.returncode == 1 and "git checkout has failed" in done.stderr
    assert before == {path: path.read_bytes() for path in before}
    assert helpers(reader, "update").returncode == 0
    assert_updated(reader)


def test_own_commits_and_another_branch(reader, published, tmp_path):
    solve(reader)
    git(reader, "commit", "--quiet", "--all", "--message=mine")
    assert "has 1 commit that origin/main does not have" in refused(reader)
    git(reader, "switch", "--quiet", "--create", "mine")
    assert "The branch mine follows no other one" in refused(reader)
    git(reader, "checkout", "--quiet", "--detach")
    assert "No branch is checked out" in refused(reader)
    newest = tmp_path / "newest"
    git(tmp_path, "clone", "--quiet", str(published), str(newest))
    git(reader, "switch", "--quiet", "main")
    assert helpers(newest, "update", "--from", str(reader)).returncode == 0  # what the sentence advises
    assert shown(newest, "02_heads")[1] == DONE.format("my_linear", "02.a", 3)


def archive(published, folder, commit):
    """The folder that a downloaded archive of a commit makes."""
    folder.mkdir()
    git(published, "archive", f"--output={folder / 'all.tar'}", commit)
    shutil.unpack_archive(str(folder / "all.tar"), str(folder))
    return folder


def test_from_an_archive(published, tmp_path):
    old, new = archive(published, tmp_path / "old", "HEAD~1"), archive(published, tmp_path / "new", "HEAD")
    solve(old)
    edit(old, "00_start_here", 1, OLD["00_start_here"][1])
    for name in ("state/a.pkl", "models/mine/b.bin", "my_notes.ipynb", "own.txt"):
        (old / "notebooks" / name).parent.mkdir(parents=True, exist_ok=True)
        (old / "notebooks" / name).write_text("mine", encoding="utf-8")
    (new / "notebooks/own.txt").write_text("there", encoding="utf-8")
    assert f"update --from {new}" in refused(new)
    assert "it has no notebooks/00_start_here.ipynb" in refused(new, "--from", str(tmp_path))
    assert "--from names this folder itself" in refused(new, "--from", str(new))
    before = {path: path.read_bytes() for path in old.rglob("*") if path.is_file()}
    done = helpers(new, "update", "--from", str(old))
    assert done.returncode == 0 and "2 answers of 3 moved" in done.stdout
    assert before == {path: path.read_bytes() for path in old.rglob("*") if path.is_file()}
    assert copies(new) == ["my_01_tokens.ipynb", "my_02_heads.ipynb", "my_notes.ipynb"]
    assert shown(new, "00_start_here") == NEW["00_start_here"]
    assert shown(new, "01_tokens") == ["new = 1", DONE.format("my_dot", "01.c", 1)]
    for name, text in {"state/a.pkl": "mine", "models/mine/b.bin": "mine", "own.txt": "there"}.items():
        assert (new / "notebooks" / name).read_text(encoding="utf-8") == text
    again = helpers(new, "update", "--from", str(old))
    assert again.returncode == 0 and len(copies(new)) == 3


def test_jupyter_is_open(reader):
    runtime = reader / ".venv/home/jupyter/runtime"
    runtime.mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        told = {"root_dir": str(reader), "port": port}
        (runtime / "jpserver-1.json").write_text(json.dumps(told), encoding="utf-8")
        (runtime / "jpserver-2.json").write_text("damaged", encoding="utf-8")
        assert f"JupyterLab has this folder open (port {port})" in refused(reader)
    assert helpers(reader, "update").returncode == 0  # its file is still there, but nothing answers


def test_a_locked_file_is_one_sentence(tmp_path, monkeypatch):
    """Windows refuses to replace a file that another program has open."""

    def locked(source, target):
        raise PermissionError(13, "The process cannot access the file")

    monkeypatch.setattr(update, "replace", locked)
    with pytest.raises(Problem, match="page.ipynb cannot be written .*: close the program that uses it"):
        update.put_file(tmp_path / "page.ipynb", b"new")
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.all_only
def test_killed_at_any_moment(reader, tmp_path):
    """Killed with all that it started, then run again: the same result as without."""
    solve(reader)
    whole = tmp_path / "whole"
    shutil.copytree(reader, whole)
    start = time.monotonic()
    assert helpers(whole, "update").returncode == 0
    seconds = time.monotonic() - start
    for i in range(20):
        project = tmp_path / f"killed {i}"
        shutil.copytree(reader, project)
        command = [sys.executable, "-m", "helpers", "update"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running = subprocess.Popen(command, cwd=project, start_new_session=True, **quiet)
        time.sleep(seconds * (i + 1) / 21)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        done = helpers(project, "update")
        assert done.returncode == 0, done.stderr
        assert_updated(project)
        assert copies(project) == copies(whole)
        assert git(project, "status", "--short") == git(whole, "status", "--short")
