"""`new`: the skeleton of a lesson, which passes the tests of all lessons once it is recorded."""

import json
import shutil
import subprocess
import sys

import nbformat
import pytest
from projects import helpers, ready, settings

from notebooks import ROOT


@pytest.fixture
def project(tmp_path):
    """A copy with all notebooks, whose environment is ready."""
    project = ready(tmp_path)
    for path in ROOT.glob("notebooks/*.*"):
        if path.suffix in (".ipynb", ".txt", ".safetensors"):
            shutil.copy(path, project / "notebooks")
    return project


STARTS = {"98_a_surprise": "13_gpt2", "05z_more_units": "05_gelu"}  # no lesson will have these names


@pytest.mark.parametrize("name", STARTS)
def test_a_skeleton_is_written_and_entered_in_the_lists(project, name):
    done = helpers(project, "new", name)
    assert done.returncode == 0, done.stderr
    notebook = nbformat.read(project / f"notebooks/{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert f'load_state("{STARTS[name]}")' in "".join(cell["source"] for cell in notebook["cells"])
    show = "from helpers.course.lessons import maps; print(repr(maps.course_figure()))"
    figure = subprocess.run([sys.executable, "-c", show], cwd=project, capture_output=True, text=True)
    assert name.partition("_")[2].replace("_", " ") in figure.stdout, figure.stderr
    assert helpers(project, "new", name).returncode == 2


@pytest.mark.parametrize("name", ["surprise", "23", "23_", "../23_a", "13_again"])
def test_a_name_that_is_none_or_taken(project, name):
    before = sorted(path.name for path in project.glob("notebooks/*"))
    assert helpers(project, "new", name).returncode == 2
    assert sorted(path.name for path in project.glob("notebooks/*")) == before


@pytest.mark.all_only
def test_a_recorded_skeleton_passes_the_tests_of_lessons(project):
    shutil.copytree(ROOT / "tests", project / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    assert helpers(project, "new", "05y_a_surprise").returncode == 0
    done = helpers(project, "run", "00", "05y")
    assert done.returncode == 0, done.stderr
    recorded = json.loads((project / "notebooks/05y_a_surprise.ipynb").read_text(encoding="utf-8"))
    assert recorded["cells"][3]["outputs"]
    command = [sys.executable, "-m", "helpers", "test", "05y"]
    tested = subprocess.run(command, cwd=project, env=settings(project), capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout[-3000:]
