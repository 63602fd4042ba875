"""The first start: whatever a newcomer runs into gets one sentence, and nothing half-made stays."""

import ast
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import venv

import pytest
from projects import ENVIRONMENT, copied, free_port, load, make_quickly, needs, posix
from pythons import OLD

from helpers.course.commands.environment import explain
from notebooks import ROOT

pytestmark = pytest.mark.all_only  # most of them make environments

OPEN = [sys.executable, "-m", "helpers", "open", "--no-browser", f"--port={free_port()}"]
PREPARE = [sys.executable, "-c", "from helpers.course.commands.environment import prepare; print(prepare())"]


@pytest.fixture
def project(tmp_path):
    """A copy that needs no package: its requirements.txt is empty."""
    project = copied(tmp_path, "helpers")
    needs(project, [])
    (project / "requirements.txt").touch()
    (project / "notebooks" / "00_start_here.ipynb").touch()
    return project


def quick_pip(index="http://127.0.0.1:9/simple"):
    """An environment in which pip knows one index, by default one that is not there, and is not patient."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    own = {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": index, "PIP_RETRIES": "0"}
    return {**kept, **own}


def run(command, folder):
    """Exit code and everything that was printed, as lines."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=folder, env=quick_pip(), timeout=120, **pipes)
    return done.returncode, done.stdout.decode("utf-8").splitlines()


@pytest.fixture(scope="session")
def with_pip(tmp_path_factory):
    """An environment that has pip, to be copied: Python takes seconds to make one, which one test below
    lets it do."""
    folder = tmp_path_factory.mktemp("with pip") / ".venv"
    venv.EnvBuilder(symlinks=os.name != "nt", with_pip=True).create(folder)
    return folder


@pytest.fixture
def soon(project, with_pip):
    """The same project, whose environment is copied."""
    path = project / ENVIRONMENT
    text = path.read_text(encoding="utf-8")
    makes = 'venv.EnvBuilder(symlinks=os.name != "nt", with_pip=True).create(str(FOLDER))'
    assert text.count(makes) == 1
    copies = f"shutil.copytree({str(with_pip)!r}, str(FOLDER), symlinks=True, dirs_exist_ok=True)"
    path.write_text(text.replace(makes, copies), encoding="utf-8")
    return project


# --- a Python that is too old


@pytest.mark.parametrize("version, python", OLD.items(), ids=OLD)
@pytest.mark.parametrize("how", [["-m", "helpers"], ["helpers"]], ids=["module", "folder"])
def test_an_old_python_is_told_so_once(project, version, python, how):
    code, said = run([python, *how, "open"], project)
    assert code == 1
    assert len(said) == 1
    assert "needs Python 3.10 or newer" in said[0] and version in said[0]


ENTRY = ["__init__.py", "__main__.py", "course/commands/__init__.py", "course/commands/environment.py"]


@pytest.mark.parametrize("name", ENTRY)
def test_the_way_in_parses_on_python_3_6(name):
    ast.parse((ROOT / "helpers" / name).read_text(encoding="utf-8"), feature_version=(3, 6))


# --- no ensurepip, no network


def test_without_ensurepip_the_package_is_named(project):
    hide = "import sys; sys.modules['ensurepip'] = None; "
    start = "from helpers.course.commands import main; sys.exit(main())"
    code, said = run([sys.executable, "-c", hide + start, "open"], project)
    assert code == 1 and len(said) == 2
    assert f"sudo apt install python3.{sys.version_info[1]}-venv" in said[-1] and "python.org" in said[-1]
    assert not (project / ".venv").exists()


def test_without_a_network_one_sentence_and_nothing_left(soon):
    (soon / "requirements.txt").write_text("jupyter\n", encoding="utf-8")
    code, said = run(OPEN, soon)
    assert code == 1
    assert "check the network connection" in said[-1]
    assert "First start" in said[0] and len(said) <= 3  # pip's own many lines are not among them
    assert not (soon / ".venv").exists()


SAID = {
    "[Errno 28] No space left on device: '/x/y'": "disk is full",
    "OSError: [Errno 122] Disk quota exceeded": "disk is full",
    "[Errno 13] Permission denied: '/x/.venv'": "cannot be written to",
    "[WinError 5] Access is denied: 'C:\\x\\.venv\\Scripts\\python.exe'": "JupyterLab",
    "[Errno 2] No such file or directory: ... Windows Long Path support enabled": "short one",
    "/x/.venv/bin/python: No module named pip": "delete the folder .venv",
    "connection broken by 'x'\nERROR: Could not find a version of jupyter (from versions: none)": "network",
    "ERROR: Could not find a version that satisfies jupyter (from versions: none)": "did not give",
    "SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] ...": "certificate",
    "ERROR: Exception:\nTraceback (most recent call last):\n  x\nUserWarning: seven": "(UserWarning: seven)",
    "Collecting jupyter\nERROR: something new\nmore about it": "(ERROR: something new)",
    "": "no reason was given",
}


@pytest.mark.parametrize("said", SAID)
def test_what_is_said_when_the_set_up_fails(said):
    assert SAID[said] in explain(said)


# --- an environment that is there, but is not usable


def folder_only(environment):
    environment.FOLDER.mkdir()


def interrupted(environment):
    environment.FOLDER.mkdir()
    environment.MARKER.touch()


def marker(text):
    def bring_about(environment):
        make_quickly(environment)
        environment.MARKER.write_text(text, encoding="utf-8")

    return bring_about


def python(program):
    """In the place of the environment's Python: these bytes, or nothing."""

    def bring_about(environment):
        make_quickly(environment)
        environment.PYTHON.unlink()
        if program is not None:
            environment.PYTHON.write_bytes(program)
            environment.PYTHON.chmod(0o755)

    return bring_about


def a_module_is_missing(environment):
    environment.NEEDED = ["json", "no_such_module"]
    make_quickly(environment)


def other_python(environment):
    make_quickly(environment)
    text = environment.MARKER.read_text(encoding="utf-8")
    environment.MARKER.write_text(re.sub(r"3\.\d+", "3.9", text), encoding="utf-8")


def other_requirements(environment):
    make_quickly(environment)
    environment.REQUIREMENTS.write_text("# changed\n", encoding="utf-8")


def made_by_hand(environment):
    make_quickly(environment)
    environment.MARKER.unlink()


CONDITIONS = [
    (lambda environment: None, "make", "First start"),
    (folder_only, "make", "does not start"),
    (interrupted, "make", "interrupted"),
    (marker('{"python": "3.'), "make", "interrupted"),
    (marker("[]"), "make", "interrupted"),
    (python(None), "make", "does not start"),
    (python(b"not a program"), "make", "does not start"),
    (python(b"#!/bin/sh\nprintf '\\377'\n"), "make", "does not start"),
    (a_module_is_missing, "make", "no_such_module"),
    (other_python, "make", "another one now"),
    (other_requirements, "install", "has changed"),
    (made_by_hand, "install", "did not make"),
]


@pytest.mark.parametrize("bring_about, what, why", CONDITIONS)
def test_what_is_done_about_it_and_why(project, bring_about, what, why):
    environment = load(project)
    bring_about(environment)
    do, sentence = environment.next_step()
    assert do.__name__ == what
    assert why in sentence and sentence.endswith(".") and "\n" not in sentence


def test_a_ready_environment_is_used_as_it_is(project):
    """Nothing is printed but the path that was asked for."""
    environment = load(project)
    make_quickly(environment)
    assert environment.next_step() is None
    assert run(PREPARE, project) == (0, [str(environment.PYTHON)])


def test_a_folder_that_is_no_environment_is_not_deleted(project):
    precious = project / ".venv" / "precious.txt"
    precious.parent.mkdir()
    precious.write_text("mine", encoding="utf-8")
    code, said = run(OPEN, project)
    assert code == 1
    assert len(said) == 1 and "move it away" in said[0]
    assert precious.read_text(encoding="utf-8") == "mine"


def test_an_environment_whose_python_is_gone_is_made_again(project):
    environment = load(project)
    python(None)(environment)
    (environment.FOLDER / "left over").touch()
    code, said = run(PREPARE, project)
    assert code == 0, said
    assert "does not start" in said[0] and said[-1] == str(environment.PYTHON)
    assert not (environment.FOLDER / "left over").exists()
    assert environment.next_step() is None
    lab = environment.FOLDER / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    assert '"fetchNews": "false"' in lab.read_text(encoding="utf-8")


def test_changed_requirements_are_installed_into_what_is_there(project):
    """The environment has no pip, so what happens is seen at once: pip is called, nothing is deleted."""
    environment = load(project)
    other_requirements(environment)
    code, said = run(OPEN, project)
    assert code == 1
    assert "has changed" in said[0] and "has no pip: delete the folder .venv" in said[-1]
    assert environment.PYTHON.exists() and "has changed" in environment.next_step()[1]


def test_a_python_that_never_ends_does_not_start(project, monkeypatch):
    environment = load(project)
    make_quickly(environment)

    def waits(*arguments, timeout, **options):
        raise subprocess.TimeoutExpired("python", timeout)

    monkeypatch.setattr(environment.subprocess, "check_output", waits)
    assert environment.ask_python() == (None, [])


def test_ready_is_said_only_when_everything_is_there(soon):
    """pip ends well, for its requirements are empty; but something that the commands start cannot be
    imported."""
    needs(soon, ["json", "no_such_module"])
    code, said = run(PREPARE, soon)
    assert code == 1
    assert "no_such_module cannot be imported from .venv: look at pip's settings" in said[-1]
    assert "The environment is ready." not in said and not (soon / ".venv").exists()


LEADS_ELSEWHERE = dict.fromkeys(["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"], "x")
DOES_LESS = dict.fromkeys(["PIP_NO_DEPS", "PIP_DRY_RUN", "PIP_USER"], "1")
WATCH_PIP = """
import os, sys
from helpers.course.commands import environment
def pip(*arguments):
    watch = "import os; print(sorted((k, v) for k, v in os.environ.items() if k.startswith('PIP_')))"
    return [sys.executable, "-c", watch] if arguments[0] == "install" else [sys.executable, "-c", ""]
environment.pip, environment.follow = pip, lambda lines: print(*lines)
environment.require_needed = environment.write_settings = environment.write_marker = lambda: None
environment.install()
"""


def test_settings_that_lead_pip_elsewhere_do_not_reach_it(project):
    environment = {**quick_pip(), **LEADS_ELSEWHERE, **DOES_LESS, "PIP_CERT": "kept"}
    command = [sys.executable, "-c", WATCH_PIP]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=60)
    seen = dict(ast.literal_eval(done.stdout.strip()))
    assert not LEADS_ELSEWHERE.keys() & seen.keys()
    assert {seen[name] for name in DOES_LESS} == {"0"} and seen["PIP_CERT"] == "kept"


@pytest.mark.parametrize("name", ["target", "prefix", "root"])
def test_a_configuration_that_leads_pip_elsewhere_is_named(soon, tmp_path, name):
    (tmp_path / "pip.conf").write_text(f"[global]\n{name} = {tmp_path / 'elsewhere'}\n", encoding="utf-8")
    environment = {**quick_pip(), "PIP_CONFIG_FILE": str(tmp_path / "pip.conf")}
    done = subprocess.run(PREPARE, cwd=soon, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert f"global.{name}=" in done.stderr and f"`pip config unset global.{name}`" in done.stderr
    assert not (tmp_path / "elsewhere").exists() and not (soon / ".venv").exists()


@posix
def test_a_path_that_no_environment_can_have(project):
    colon = project.rename(project.with_name("a:b"))
    code, said = run(OPEN, colon)
    assert code == 1 and len(said) == 2 and "rename the folder" in said[-1]


def test_whatever_jupyter_keeps_it_keeps_in_the_environment(project, monkeypatch):
    environment = load(project)
    for name in [*environment.NOT_OURS, *environment.KEPT_INSIDE]:
        monkeypatch.setenv(name, "the reader's own")
    variables = environment.child_environment()
    assert not {*environment.NOT_OURS} & variables.keys()
    inside = [pathlib.Path(variables[name]) for name in environment.KEPT_INSIDE]
    assert all(path.is_relative_to(environment.FOLDER) for path in inside)
    assert variables["PATH"] == os.environ["PATH"]


class LocksOfWindows:
    """As msvcrt behaves: a byte that is locked is refused, whoever asks."""

    LK_NBLCK = 2
    held = 0

    def locking(self, descriptor, mode, count):
        assert (mode, count) == (self.LK_NBLCK, 1) and os.lseek(descriptor, 0, os.SEEK_CUR) > 10**6
        self.held -= 1
        if self.held >= 0:
            raise PermissionError(13, "Permission denied")


def test_windows_has_a_lock_too(project, monkeypatch, capsys):
    environment = load(project)
    locks = LocksOfWindows()
    monkeypatch.setattr(environment, "fcntl", None)
    monkeypatch.setattr(environment, "msvcrt", locks, raising=False)
    for held in (0, 3):
        locks.held = held
        with environment.one_at_a_time():
            assert locks.held < 0
        assert capsys.readouterr().out.count("waiting for it") == (held > 0)


# --- interrupted


@pytest.fixture
def silent_index():
    """A package index that takes calls and never answers: where a slow network leaves pip."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        yield server, f"http://127.0.0.1:{server.getsockname()[1]}/simple"


def start_until_pip_waits(project, silent_index):
    """A first start, stopped in the middle of pip's work; like a terminal, in a process group of its own."""
    server, url = silent_index
    (project / "requirements.txt").write_text("jupyter\n", encoding="utf-8")
    command = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "start_new_session": True}
    start = subprocess.Popen(OPEN, cwd=project, env=quick_pip(url), **command)
    connection, _ = server.accept()
    return start, connection


@posix
@pytest.mark.parametrize("send", ["killpg", "kill"], ids=["to all, as a terminal does", "to the command"])
def test_ctrl_c_leaves_nothing_half_made(soon, silent_index, send):
    start, connection = start_until_pip_waits(soon, silent_index)
    with connection:
        assert (soon / ".venv").exists()
        getattr(os, send)(start.pid, signal.SIGINT)
        said = start.communicate(timeout=60)[0].decode("utf-8").splitlines()
        connection.settimeout(1)
        while connection.recv(4096):  # what pip asked for, and then nothing, because pip has ended
            pass
    assert start.returncode == 1
    assert said[-1] == "Stopped during the set-up; the same command starts it again."
    assert "Traceback" not in "".join(said)
    assert not (soon / ".venv").exists()


@posix
def test_after_a_power_cut_the_next_start_repairs(soon, silent_index):
    start, connection = start_until_pip_waits(soon, silent_index)
    with connection:
        os.killpg(start.pid, signal.SIGKILL)
        start.communicate(timeout=60)
    environment = load(soon)
    assert environment.FOLDER.exists() and environment.next_step()
    (soon / "requirements.txt").write_text("", encoding="utf-8")
    code, said = run(PREPARE, soon)
    assert code == 0, said
    assert "interrupted" in said[0] and said[-1] == str(environment.PYTHON)
    assert environment.next_step() is None


@posix
def test_a_second_start_waits_for_the_first(project):
    """This test is the first start: it holds the lock until its environment is ready."""
    environment = load(project)
    with environment.one_at_a_time():
        command = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        second = subprocess.Popen(PREPARE, cwd=project, env=quick_pip(), **command)
        assert b"waiting for it" in second.stdout.readline()
        make_quickly(environment)
    said = second.communicate(timeout=60)[0].decode("utf-8").splitlines()
    assert (second.returncode, said) == (0, [str(environment.PYTHON)])


# --- progress

PIP_SAYS = ["Collecting one>=1 (from -r requirements.txt (line 1))\n", "  Downloading one.whl (1 kB)\n"]
PIP_SAYS += [f"Collecting package-{n}\n" for n in range(2, 61)]
PIP_SAYS += ["Installing collected packages: one, two, three\n", "Successfully installed one two three\n"]


def test_without_a_terminal_progress_is_a_handful_of_lines(project, capsys):
    assert load(project).follow(PIP_SAYS) == "".join(PIP_SAYS)
    assert capsys.readouterr().out.splitlines() == [
        "Collecting packages: 1, one>=1",
        "Collecting packages: 26, package-26",
        "Collecting packages: 51, package-51",
        "Installing 3 packages",
    ]


def test_in_a_terminal_progress_is_one_changing_line(project, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    load(project).follow(PIP_SAYS)
    out = capsys.readouterr().out
    shown = [line.strip() for line in out.split("\r") if line]
    assert "\n" not in out and len(shown) == 62
    assert shown[-3:] == ["Collecting packages: 60, package-60", "Installing 3 packages", ""]
