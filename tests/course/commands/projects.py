"""Small copies of the course for the tests of the commands, and how a command runs in one."""

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from unittest import mock

import nbformat
import pytest

from notebooks import ROOT

posix = pytest.mark.skipif(os.name == "nt", reason="sends the signals of a POSIX terminal")
LESSON_0, LESSON_1 = "00_start_here", "01_tokens_and_embeddings"
LAB_FILES = Path(sysconfig.get_path("data"), "share", "jupyter", "lab")
ENVIRONMENT = "helpers/course/commands/environment.py"
FIND_HELPERS = """\
import sys, pathlib
here = pathlib.Path.cwd()
sys.path.insert(0, str(next(p for p in [here, *here.parents] if (p / "helpers").is_dir())))
"""


def copied(folder, *names):
    """A copy of some files and folders; its path has a space, brackets and another letter."""
    project = folder / "the [2024] k\u00fcrs"
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, project)
    (project / "notebooks").mkdir()
    return project


def ready(folder):
    """A copy without lessons, whose environment borrows the packages of the one that runs the tests."""
    project = copied(folder, "helpers", ".github", "README.md", "requirements.txt", ".pytest.ini")
    shutil.copy(ROOT / "notebooks/stories.safetensors", project / "notebooks")  # it writes in the README
    environment = load(project)
    make_quickly(environment)
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    place = next(environment.FOLDER.rglob("site-packages"))
    (place / "borrowed.pth").write_text("\n".join(packages), encoding="utf-8")
    return project


def needs(project, modules):
    """Let a copy ask its environment for these modules."""
    path = project / ENVIRONMENT
    text = path.read_text(encoding="utf-8")
    text, found = re.subn(r"(?m)^NEEDED = .*?(?=  #)", f"NEEDED = {modules}", text)
    assert found == 1
    path.write_text(text, encoding="utf-8")


def load(project):
    """The environment module of a copy: its paths are the copy's."""
    names = {"copied": "__init__.py", "copied.commands.environment": "commands/environment.py"}
    with mock.patch.dict(sys.modules):
        for name, path in names.items():
            spec = importlib.util.spec_from_file_location(name, project / "helpers/course" / path)
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]


def make_quickly(environment):
    """An environment that is ready, without pip: whoever called pip would fail."""
    venv.EnvBuilder(symlinks=os.name != "nt").create(environment.FOLDER)
    environment.write_marker()


def settings(project):
    """Variables with an empty home, in which no state folder is chosen."""
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    ours = ("SIXTEEN_", "JUPYTER", "IPYTHON", "npm_config", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, **dict.fromkeys(["HOME", "USERPROFILE"], str(home)), "JUPYTERLAB_DIR": str(LAB_FILES)}


def helpers(project, *arguments):
    """Run a command; the result has returncode, stdout and stderr."""
    command = [sys.executable, "-m", "helpers", *arguments]
    options = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 600}
    return subprocess.run(command, cwd=project, env=settings(project), **options)


def write_lesson(project, name, *sources, metadata=None):
    """A lesson of one markdown cell and some code cells, never run; its path."""
    kernel = {"display_name": "something else", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    notebook.cells.append(nbformat.v4.new_markdown_cell("# 00 A title\n\nWhat is asked? More.", id="title"))
    for number, source in enumerate(sources):
        cell = nbformat.v4.new_code_cell(source, id=f"cell-{number}", metadata=metadata or {})
        notebook.cells.append(cell)
    path = project / "notebooks" / f"{name}.ipynb"
    nbformat.write(notebook, path)
    return path


def code_cells(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def free_port():
    """A port that neither a JupyterLab at the usual place nor another run of the tests has."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def exit_code(call, *arguments):
    """The code of a command that argparse may end."""
    try:
        return call(*arguments)
    except SystemExit as end:
        return end.code or 0
