"""The commands as a reader types them, in a copy of the course whose environment is ready."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree

import jupyter_client
import nbformat
import pytest
from test_environment import free_port, load, make_quickly, posix

from helpers.course import commands
from helpers.course.commands import names, record, two_processes
from helpers.course.commands import open as opening
from helpers.course.commands import test as testing
from notebooks import ROOT

LESSON_0, LESSON_1 = "00_start_here", "01_tokens_and_embeddings"
FIND_HELPERS = """\
import sys, pathlib
here = pathlib.Path.cwd()
sys.path.insert(0, str(next(p for p in [here, *here.parents] if (p / "helpers").is_dir())))
"""
LAB_FILES = pathlib.Path(sysconfig.get_path("data"), "share", "jupyter", "lab")


@pytest.fixture
def project(tmp_path):
    """A copy without lessons, whose environment borrows the packages of the one that runs the tests."""
    folder = tmp_path / "the [2024] k\u00fcrs"  # brackets in a path are no pattern
    for name in ["helpers", ".github"]:
        shutil.copytree(ROOT / name, folder / name)
    for name in ["README.md", "requirements.txt", ".pytest.ini"]:
        shutil.copy(ROOT / name, folder / name)
    (folder / "notebooks").mkdir()
    environment = load(folder)
    make_quickly(environment)
    borrow_packages(environment)
    return folder


def borrow_packages(environment):
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    next(environment.FOLDER.rglob("site-packages")).joinpath("borrowed.pth").write_text(
        "\n".join(packages), encoding="utf-8"
    )


def settings(project):
    """An environment with an empty home, in which no state folder is chosen."""
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    ours = ("SIXTEEN_", "JUPYTER", "IPYTHON", "npm_config", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, **dict.fromkeys(["HOME", "USERPROFILE"], str(home)), "JUPYTERLAB_DIR": str(LAB_FILES)}


def helpers(project, *arguments, cwd=None):
    """Run a command; the result has returncode, stdout and stderr."""
    command = [sys.executable, "-m", "helpers", *arguments]
    options = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 120}
    return subprocess.run(command, cwd=cwd or project, env=settings(project), **options)


def write_lesson(project, name, *sources, metadata=None):
    """A lesson of one markdown cell and some code cells, never run; returns its path."""
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


# --- the command line


def test_no_command_prints_the_help(project):
    done = helpers(project)
    assert done.returncode == 0
    for name in ["open", "test", "run", "show", "train", "say", "models", "reset", "grade", "site"]:
        assert f"\n    {name} " in done.stdout


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_each_command_has_help(name, capsys):
    with pytest.raises(SystemExit) as end:
        commands.main([name, "--help"])
    assert end.value.code in (0, None)
    assert commands.COMMANDS[name][1] in capsys.readouterr().out


LESSONS = [LESSON_0, LESSON_1, "03_attention", "04_multi_head_attention", "10_backward_through_attention"]


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    for name in [*LESSONS, "my_03_attention", "3_attention", "03_attention-Copy1", "12_notes"]:
        (tmp_path / f"{name}.ipynb").touch()
    for module in (names, record, testing):
        monkeypatch.setattr(module, "NOTEBOOKS", tmp_path)


MISUSE = [
    (["opne"], "There is no command 'opne'; did you mean open?"),
    (
        ["xyz"],
        "There is no command 'xyz'; there are open, test, run, show, train, say, models, export, import, "
        "fetch, chat, reset, grade, site.",
    ),
    (["show", "gleu"], "There is no function to show named 'gleu'; did you mean gelu"),
    (["show", "gelu", "load_state"], "There is no function to show named 'load_state'; did you mean "),
    (["show", "zzz"], "There is no function to show named 'zzz'; there are "),
    (["open", "02"], "There is no lesson '02'; there are 00_start_here, 01_tokens_and_embeddings"),
    (["run", "tokenz_and_embedding"], "There is no lesson 'tokenz_and_embedding'; did you mean 01_tokens_"),
    (["reset", "\u00e9"], "There is no lesson '\\xe9'; there are 00_start_here"),
    (["say", "--temperature", "0"], "a temperature is a number above 0"),
    (["say", "--temperature", "warm"], "a temperature is a number above 0"),
    (["say", "-n", "0"], "how many is a whole number from 1"),
    (["open", "--port", "0"], "a port is a number from 1 to 65535"),
    (["open", "--port", "many"], "a port is a number from 1 to 65535"),
]


@pytest.mark.parametrize("arguments, sentence", MISUSE)
def test_misuse_is_code_2_and_one_sentence(lessons, arguments, sentence, capsys):
    try:
        code = commands.main(arguments)
    except SystemExit as end:  # argparse's own way
        code = end.code
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert sentence in err.splitlines()[-1]


FOUND = [
    ("00", "00_start_here"),
    ("0", "00_start_here"),
    ("1", "01_tokens_and_embeddings"),
    ("01", "01_tokens_and_embeddings"),
    ("10", "10_backward_through_attention"),
    ("multi", "04_multi_head_attention"),
    ("TOKENS", "01_tokens_and_embeddings"),
    ("03_attention", "03_attention"),
    ("03_attention.ipynb", "03_attention"),
    ("notebooks/03_attention.ipynb", "03_attention"),
]


@pytest.mark.parametrize("asked, name", FOUND)
def test_a_lesson_is_found(lessons, asked, name):
    assert names.find_lesson(asked) == name


NOT_FOUND = [
    (
        "attention",
        (
            "'attention' fits several lessons: 03_attention, 04_multi_head_attention, "
            "10_backward_through_attention."
        ),
    ),
    ("03_atention", "There is no lesson '03_atention'; did you mean 03_attention"),
    ("2", "There is no lesson '2'; there are 00_start_here, "),
    (
        "my_03_attention",
        "'my_03_attention' is a notebook of your own: open it from JupyterLab's list of files.",
    ),
    ("12_notes.ipynb", "'12_notes' is a notebook of your own"),
    ("12", "There is no lesson '12'; there are 00_start_here, "),
]


@pytest.mark.parametrize("asked, sentence", NOT_FOUND)
def test_a_lesson_is_not_found(lessons, asked, sentence):
    with pytest.raises(names.Misuse) as error:
        names.find_lesson(asked)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize("path", ["helpers", "helpers/", "helpers/__main__.py"])
def test_it_runs_by_its_path_from_another_folder(project, tmp_path, path):
    """The folder has a math.py, as a learner's may; neither it nor a module of ours hides the library's."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "math.py").write_text("raise SystemExit('the wrong math')", encoding="utf-8")
    shutil.copy(elsewhere / "math.py", project / "helpers" / "textwrap.py")
    command = [sys.executable, os.path.relpath(project, elsewhere) + "/" + path, "show", "gelu"]
    done = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == ""
    assert 'def gelu(x: "float") -> "float":' in done.stdout


def test_show_prints_what_can_be_pasted(project):
    done = helpers(project, "show", "dot", "gelu")
    assert done.returncode == 0
    assert "no credit" in done.stdout.splitlines()[0]
    scope = {}
    exec(compile(done.stdout, "pasted", "exec"), scope)
    assert scope["dot"]([1, 2], [3, 4]) == 11 and scope["gelu"](0) == 0


def test_show_survives_an_old_console(project):
    command = [sys.executable, "-m", "helpers", "show", *commands.public_functions()]
    plain = {**settings(project), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, cwd=project, env=plain, capture_output=True)
    assert done.returncode == 0, done.stderr
    compile(done.stdout, "pasted", "exec")


def test_reset_deletes_the_saved_states(project):
    write_lesson(project, LESSON_0)
    write_lesson(project, LESSON_1)
    state = project / "notebooks" / "state"
    state.mkdir()
    for name in [LESSON_0, LESSON_1]:
        (state / f"{name}.pkl").write_bytes(b"damaged")
    done = helpers(project, "reset", "1")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    assert LESSON_1 in done.stdout and LESSON_0 not in done.stdout
    assert [path.stem for path in state.iterdir()] == [LESSON_0]
    assert helpers(project, "reset").returncode == 0
    assert list(state.iterdir()) == []


def test_a_variant_starts_over_with_its_lesson(project):
    write_lesson(project, "06b_feed_forward_variants")
    state = project / "notebooks" / "state"
    state.mkdir()
    for name in ["04_multi_head_attention", "06_feed_forward", "11_adamw"]:
        (state / f"{name}.pkl").touch()
    done = helpers(project, "reset", "06b")
    assert (done.returncode, done.stdout) == (0, "Deleted the saved state of 06_feed_forward, 11_adamw.\n")


@posix
def test_a_reader_who_has_seen_enough_gets_no_complaint(project):
    many = " ".join(commands.public_functions())
    for way in (f"show {many} | head -n 1", "show gelu >&-"):
        command = f'"{sys.executable}" -m helpers {way}'
        done = subprocess.run(
            command, shell=True, cwd=project, env=settings(project), capture_output=True, text=True
        )
        assert done.stderr == "", done.stderr


def test_ctrl_c_is_one_sentence(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "public_functions", interrupted)
    assert commands.main(["show", "gelu"]) == 1
    assert capsys.readouterr() == ("", "Stopped.\n")


# --- open


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_first_free_port_is_taken_and_said(taken_port, monkeypatch, capsys):
    monkeypatch.setattr(opening, "FIRST_PORT", taken_port)
    port = opening.chosen_port(None)
    assert port > taken_port and opening.is_free(port)
    said = f"Port {taken_port} is taken (another JupyterLab, perhaps): using {port}.\n"
    assert capsys.readouterr().out == said


def test_a_free_port_is_taken_silently(taken_port, monkeypatch, capsys):
    monkeypatch.setattr(opening, "FIRST_PORT", taken_port)
    port = opening.chosen_port(None)
    capsys.readouterr()
    assert opening.chosen_port(port) == port
    monkeypatch.setattr(opening, "FIRST_PORT", port)
    assert opening.chosen_port(None) == port
    assert capsys.readouterr().out == ""


def test_all_ports_taken(taken_port, monkeypatch):
    monkeypatch.setattr(opening, "FIRST_PORT", taken_port)
    monkeypatch.setattr(opening, "PORTS", 1)
    with pytest.raises(names.Problem, match="all taken: close a JupyterLab, or give --port"):
        opening.chosen_port(None)


def test_the_port_that_was_asked_for_is_taken(project, taken_port):
    write_lesson(project, LESSON_0)
    done = helpers(project, "open", "--no-browser", "--port", str(taken_port))
    assert (done.returncode, done.stdout) == (1, "")
    sentence = f"Port {taken_port} is taken or not allowed: give another one, or leave --port out.\n"
    assert done.stderr == sentence


def fetch(url):
    """The page at an address; Jupyter prints its address a moment before it answers."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(url) as page:
                return page.read().decode("utf-8")
        except urllib.error.URLError:
            time.sleep(0.05)
    raise AssertionError(f"nothing answers at {url}")


CARELESS = ["ServerApp.ip", "ServerApp.token", "IdentityProvider.token", "PasswordIdentityProvider.token"]


def refused(url):
    try:
        urllib.request.urlopen(url)
    except urllib.error.HTTPError as error:
        return error.code == 403


def listens_to_others(port):
    """Whether the port is taken at an address of this machine that others could reach, too."""
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.2", port))
    except OSError:
        return sys.platform == "linux"  # elsewhere that address may not exist
    return False


def start_a_kernel(project, port, token):
    """Start one, and wait for its answer: it has then said all that kernels say when they start."""
    ask = {"Authorization": f"token {token}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/kernels", data=b"{}", headers=ask)
    with urllib.request.urlopen(request) as answer:
        kernel = json.load(answer)["id"]
    client = jupyter_client.BlockingKernelClient()
    client.load_connection_file(str(project / f".venv/home/jupyter/runtime/kernel-{kernel}.json"))
    client.start_channels(hb=False)  # a heartbeat that is late on a busy machine would pass for a dead kernel
    client.kernel_info(reply=True, timeout=60)
    client.stop_channels()


@posix
@pytest.mark.skipif(not LAB_FILES.exists(), reason="JupyterLab's own files are elsewhere")
@pytest.mark.parametrize("to_all", [True, False], ids=["Ctrl-C, to all", "to the command"])
def test_open_shows_the_lesson_until_it_is_stopped(project, tmp_path, to_all):
    for name in [LESSON_0, LESSON_1]:
        write_lesson(project, name, "1 + 1")
    careless = "".join(
        f"c.{where}='0.0.0.0'\n" if where.endswith("ip") else f"c.{where}=''\n" for where in CARELESS
    )
    home = pathlib.Path(settings(project)["HOME"])
    for folder in (home / ".jupyter", project / ".venv/etc/jupyter", project / ".venv/home/jupyter"):
        folder.mkdir(parents=True)
        for name in ("jupyter_server_config.py", "jupyter_lab_config.py"):
            (folder / name).write_text(careless, encoding="utf-8")
    port = free_port()
    command = [sys.executable, str(project / "helpers"), "open", "tokens", "--no-browser", f"--port={port}"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    ours, terminal = os.openpty()  # Jupyter treats Ctrl-C differently where nobody could answer a question
    lab = subprocess.Popen(command, cwd=tmp_path, env=settings(project), stdin=terminal, **pipes)
    watchdog = threading.Timer(120, os.killpg, [lab.pid, signal.SIGKILL])
    watchdog.start()
    try:
        said = []
        for line in lab.stdout:
            said.append(line.strip())
            if "http://127.0.0.1" in line:
                break
        assert said[0].endswith("To stop it, press Ctrl-C here.")
        place = f"/lab/tree/notebooks/{LESSON_1}.ipynb"
        assert place in said[-1]
        assert f'"treePath": "notebooks/{LESSON_1}.ipynb"' in fetch(said[-1])
        listing = json.loads(fetch(said[-1].replace(place, "/api/contents")))
        assert {"helpers", "notebooks"} <= {entry["name"] for entry in listing["content"]}
        assert refused(f"http://127.0.0.1:{port}/api/contents") and refused(
            f"http://127.0.0.1:{port}/api/contents?token="
        )
        assert not listens_to_others(port)
        start_a_kernel(project, port, said[-1].partition("token=")[2])
        stop = os.killpg if to_all else os.kill
        stop(lab.pid, signal.SIGINT if to_all else signal.SIGTERM)
        rest = lab.stdout.read()
        assert rest.endswith("JupyterLab has stopped.\n") and "encryption" not in rest
        assert lab.wait() == 0
        assert sorted(path.name for path in home.rglob("*")) == [
            ".jupyter",
            "jupyter_lab_config.py",
            "jupyter_server_config.py",
        ]
    finally:
        watchdog.cancel()
        if lab.poll() is None:
            os.killpg(lab.pid, signal.SIGKILL)
        lab.communicate()
        os.close(ours)
        os.close(terminal)


@posix
def test_ctrl_c_while_jupyterlab_starts_is_no_traceback(project):
    """In place of JupyterLab, a module that presses Ctrl-C as soon as it is imported."""
    write_lesson(project, LESSON_0)
    package = next((project / ".venv").rglob("site-packages")) / "jupyterlab"
    package.mkdir()
    (package / "__init__.py").touch()
    press = "import os, signal\nfor process in [os.getppid(), os.getpid()]: os.kill(process, signal.SIGINT)\n"
    (package / "labapp.py").write_text(press, encoding="utf-8")
    (package.parent / "zmq.py").touch()
    done = helpers(project, "open", f"--port={free_port()}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("JupyterLab has stopped.\n")


# --- test

SMALL_TESTS = """
import os, pathlib

def test_good():
    state = pathlib.Path(os.environ["SIXTEEN_STATE"])
    assert len(list(state.glob("*.pkl"))) == (13 if "SIXTEEN_TESTED" in os.environ else 0)

def test_bad():
    assert not os.environ
"""


@pytest.fixture
def tested(project):
    (project / "tests").mkdir()
    (project / "tests" / "test_small.py").write_text(SMALL_TESTS, encoding="utf-8")
    write_lesson(project, LESSON_0, "1 + 1")
    return project


def closing(done):
    """The last line, without its width and its time."""
    return done.stdout.splitlines()[-1].strip("= ").rpartition(" in ")[0]


def test_pytest_gets_the_arguments_and_gives_the_code(tested):
    good = helpers(tested, "test", "-k", "not bad", "--no-header")
    assert (good.returncode, closing(good)) == (0, "2 passed")  # a cell and a test
    bad = helpers(tested, "test", "-q", "tests/test_small.py")
    assert bad.returncode == 1
    assert "1 failed, 1 passed" in bad.stdout  # a path is tested instead of everything


MORE_TESTS = """
import pytest

def test_skipped():
    pytest.skip("not here")

def test_without_its_fixture(no_such_fixture):
    pass
"""


def test_two_processes_are_counted_and_reported_as_one(tested):
    """One fails in each process; the report is one file, and the last line is the only one with a count."""
    (tested / "tests" / "test_more.py").write_text(MORE_TESTS, encoding="utf-8")
    write_lesson(tested, LESSON_0, "1 + 1", "1 / 0")
    done = helpers(tested, "test", "--junitxml=made/report.xml")
    assert (done.returncode, closing(done)) == (1, "2 failed, 2 passed, 1 skipped, 1 error")
    counts = [line for line in done.stdout.splitlines() if " passed" in line]
    assert len(counts) == 1 and "generated xml" not in done.stdout
    suites = list(ElementTree.parse(tested / "made" / "report.xml").getroot())
    cases = [case for suite in suites for case in suite]
    assert [len(suites), len(cases)] == [2, sum(int(suite.get("tests")) for suite in suites)] == [2, 6]
    assert sorted(kind.tag for case in cases for kind in case) == ["error", "failure", "failure", "skipped"]


def test_the_name_of_a_report_is_found_however_it_is_written():
    for arguments in (["--junitxml=a.xml"], ["--junitxml", "a.xml"], ["--junit-xml=a.xml"]):
        assert two_processes.without_report(["-x", *arguments, "-q"]) == (["-x", "-q"], "a.xml")
    assert two_processes.without_report(["-x"]) == (["-x"], None)


@pytest.mark.parametrize(
    "codes, code",
    [
        ([0, 0], 0),
        ([0, 1], 1),
        ([0, 5], 0),
        ([5, 5], 5),
        ([2, 1], 2),
        ([1, 2], 2),
        ([-9, 0], 1),
        ([5, 1], 1),
        ([3, 1], 3),
    ],
)
def test_one_exit_code_of_two(codes, code):
    assert two_processes.exit_code(codes) == code


@pytest.mark.all_only
def test_a_process_without_tests_is_no_failure_and_two_are(tested):
    for word, code, said in (("good", 0, "1 passed"), ("no_such_test", 5, "no tests ran")):
        done = helpers(tested, "test", "-k", word)
        assert (done.returncode, closing(done)) == (code, said)


@pytest.mark.all_only
def test_a_process_that_dies_is_an_error(tested):
    dies = "import os\n\ndef test_it():\n    os._exit(0)\n"
    (tested / "tests" / "test_dies.py").write_text(dies, encoding="utf-8")
    done = helpers(tested, "test")
    assert (done.returncode, closing(done)) == (1, "1 passed, 1 error")


@posix
@pytest.mark.all_only
def test_ctrl_c_stops_both_processes(tested):
    waits = "import pathlib, time\npathlib.Path(__file__).with_suffix('.{}').touch(); time.sleep(100)"
    write_lesson(tested, LESSON_0, waits.format("0").replace("__file__", repr(str(tested / "tests" / "x"))))
    (tested / "tests" / "test_waits.py").write_text(waits.format("1"), encoding="utf-8")
    command = [sys.executable, "-m", "helpers", "test"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    asked = subprocess.Popen(command, cwd=tested, env=settings(tested), **pipes)
    try:
        for name in ("x.0", "test_waits.1"):
            while not (tested / "tests" / name).exists():
                assert asked.poll() is None
                time.sleep(0.05)
        os.killpg(asked.pid, signal.SIGINT)
        said, _ = asked.communicate(timeout=60)
        assert asked.returncode == 2 and said.count("KeyboardInterrupt") >= 2, said
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(asked.pid, signal.SIGKILL)


EARLY = ["notebooks/05_gelu.ipynb", "tests", "--ignore=tests/test_small.py"]
LATE = ["notebooks/13_gpt2.ipynb", "tests", "--ignore=tests/test_play.py"]
TESTS = ["tests/test_play.py", "tests/test_small.py"]
PARTS = [
    # arguments, lessons, the arguments of each process
    ([], [], [EARLY, LATE]),
    (["--all"], [], [[*EARLY, "--all"], [*LATE, "--all"]]),
    (["-x", "tests/test_play.py::test_a"], [], [["-x", "tests/test_play.py::test_a"]]),
    (["--pdb"], [], [["--pdb"]]),
    (
        ["-x", "--all"],
        ["05_gelu"],
        [["notebooks/05_gelu.ipynb", "-x"], ["tests", "--lesson=05_gelu", "-x", "--all"]],
    ),
]


@pytest.mark.parametrize("arguments, asked, expected", PARTS)
def test_what_each_process_is_asked(tmp_path, monkeypatch, arguments, asked, expected):
    for name in ("notebooks/05_gelu.ipynb", "notebooks/13_gpt2.ipynb", "notebooks/05_mine.ipynb", *TESTS):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(two_processes, "ROOT", tmp_path)
    monkeypatch.setattr(two_processes.os, "cpu_count", lambda: 2)
    assert two_processes.pytest_arguments(arguments, asked) == expected
    monkeypatch.setattr(two_processes.os, "cpu_count", lambda: 1)
    assert len(two_processes.pytest_arguments(arguments, asked)) == 1


def test_lessons_are_told_from_what_is_pytest_s(lessons):
    assert testing.lessons_asked_for(["3", "multi", "-x", "10"]) == (
        ["03_attention", LESSONS[3]],
        ["-x", "10"],
    )
    for arguments in ([], ["-k", "10"], ["tests"], ["tests/test_nothing.py"], ["test_nothing.py::test_x"]):
        assert testing.lessons_asked_for(arguments) == ([], arguments)
    with pytest.raises(names.Misuse, match="There is no lesson '02'"):
        testing.lessons_asked_for(["02", "-x"])


@pytest.mark.all_only
def test_the_plain_way_is_the_same(tested):
    """Without our command: pytest in the project folder, with .pytest.ini and nothing else, whose
    patterns brackets disturb."""
    tested = tested.rename(tested.with_name("the course"))
    write_lesson(tested, "my_copy", "1 / 0")
    (tested / "notebooks" / ".ipynb_checkpoints").mkdir()
    write_lesson(tested, ".ipynb_checkpoints/00_start_here-checkpoint", "1 / 0")
    command = [sys.executable, "-m", "pytest", "--nbval", "-k", "not bad"]
    plain = {**settings(tested), "SIXTEEN_STATE": str(tested.parent)}
    options = {"env": plain, "capture_output": True, "text": True}
    done = subprocess.run([*command, "notebooks", "tests"], cwd=tested, **options)
    assert done.returncode == 0 and "2 passed, 1 deselected" in done.stdout
    assert not list(tested.rglob(".pytest_cache"))
    inside = subprocess.run(command, cwd=tested / "notebooks", **options)
    assert inside.returncode == 0 and "1 passed" in inside.stdout


@pytest.mark.all_only
def test_no_cell_waits_for_ever(tested):
    ini = tested / ".pytest.ini"
    text = ini.read_text(encoding="utf-8")
    assert text.count("--nbval-cell-timeout=900") == 1
    ini.write_text(text.replace("--nbval-cell-timeout=900", "--nbval-cell-timeout=1"), encoding="utf-8")
    write_lesson(tested, LESSON_0, "import time; time.sleep(100)")
    done = helpers(tested, "test", "notebooks")
    assert done.returncode == 1
    assert "Timeout of 1 seconds exceeded" in done.stdout


# --- run


PRINTS = 'import sys\nfor text in ["one", " and two\\n", "\u00d7 3\\n"]:\n    print(text, end="", flush=True)'


def test_run_records_a_lesson_as_jupyterlab_would(project):
    timing = {"execution": {"iopub.status.busy": "2020-01-01T00:00:00"}, "tags": ["kept"]}
    sources = [PRINTS, 'print("before"); display(4); print("after")', "6 * 7", ""]
    path = write_lesson(project, LESSON_0, *sources, metadata=timing)
    done = helpers(project, "run")
    assert (done.returncode, done.stderr) == (0, "")
    cells = code_cells(path)
    printed = {"name": "stdout", "output_type": "stream", "text": ["one and two\n", "\u00d7 3\n"]}
    assert cells[0]["outputs"] == [printed]
    assert [output["output_type"] for output in cells[1]["outputs"]] == ["stream", "display_data", "stream"]
    assert cells[2]["outputs"][0]["data"] == {"text/plain": ["42"]}
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, None]
    assert [cell["id"] for cell in cells] == ["cell-0", "cell-1", "cell-2", "cell-3"]
    assert all(cell["metadata"] == {"tags": ["kept"]} for cell in cells)
    text = path.read_bytes().decode("utf-8")
    assert json.loads(text)["metadata"]["kernelspec"] == record.KERNEL
    assert text == nbformat.writes(nbformat.reads(text, as_version=4)) + "\n"  # what JupyterLab saves
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert "| [00 A title](notebooks/00_start_here.ipynb) | What is asked? |" in readme


def stream(name, *lines):
    return {"name": name, "output_type": "stream", "text": list(lines)}


SHOWN = {"data": {}, "metadata": {}, "output_type": "display_data"}
MERGED = [
    ([], []),
    ([stream("stdout", "a"), stream("stdout", "b\n", "c")], [stream("stdout", "ab\n", "c")]),
    ([stream("stdout", "a\n"), stream("stdout", "b\n")], [stream("stdout", "a\n", "b\n")]),
    ([stream("stdout", "a"), stream("stderr", "b")], [stream("stdout", "a"), stream("stderr", "b")]),
    ([stream("stdout", "a"), SHOWN, stream("stdout", "b")],) * 2,
]


@pytest.mark.parametrize("outputs, merged", MERGED)
def test_what_is_printed_in_one_go_is_one_output(outputs, merged):
    assert record.merge_streams(outputs) == merged


def test_run_alone_finds_what_the_lesson_before_would_have_left(project):
    write_lesson(project, LESSON_0, "1 / 0")
    load_state = FIND_HELPERS + f'from helpers import load_state\nload_state("{LESSON_0}")["tokens"]'
    path = write_lesson(project, LESSON_1, load_state)
    done = helpers(project, "run", "1")
    assert (done.returncode, done.stdout) == (0, f"Running {LESSON_1}\n"), done.stderr
    line, output = code_cells(path)[0]["outputs"]
    assert line["text"] == [f"Going on from {LESSON_0}, with the course's own numbers.\n"]
    assert output["data"] == {"text/plain": ["[1, 3, 4, 5, 2]"]}
    assert not (project / "notebooks" / "state").exists()


@pytest.mark.all_only
def test_a_cell_that_raises_leaves_the_lesson_as_it_was(project):
    path = write_lesson(project, LESSON_1, '"fine"', 'raise ValueError("seven")', "1 / 0")
    before = path.read_bytes()
    done = helpers(project, "run", LESSON_1)
    assert (done.returncode, done.stdout) == (1, f"Running {LESSON_1}\n")
    expected = f"{LESSON_1}, code cell 2 raises ValueError: seven; the notebook is left as it was.\n"
    assert done.stderr == expected
    assert path.read_bytes() == before
    assert [other.name for other in path.parent.iterdir()] == [path.name]


def test_lessons_run_in_the_order_of_the_course(monkeypatch):
    ran = []
    monkeypatch.setenv("SIXTEEN_STATE", "")  # run sets it; put back at the end
    monkeypatch.setattr(record, "prepare", lambda: "python")
    monkeypatch.setattr(record, "execute", lambda python, lesson, folder: ran.append(lesson))
    monkeypatch.setattr(record, "write_notebook", lambda lesson, notebook: None)
    monkeypatch.setattr(record, "refresh_readme", lambda root: None)
    monkeypatch.setattr(record.teaching, "refresh_teaching", lambda root: None)
    assert commands.main(["run", "02", "0", "1", "01"]) == 0
    assert [lesson[:2] for lesson in ran] == ["00", "01", "02"]


@pytest.mark.all_only
def test_what_readers_leave_beside_the_lessons_is_neither_run_nor_tested(tested):
    """JupyterLab's Duplicate, notes, an empty file, a folder; named, a notebook of theirs is tested."""
    path = write_lesson(tested, LESSON_1, "1 + 1")
    for name in ["01_tokens_and_embeddings-Copy1", "12_notes"]:
        shutil.copy(write_lesson(tested, name, "1 / 0"), tested / "notebooks" / "Untitled.ipynb")
    (tested / "notebooks" / "13_empty.ipynb").touch()
    (tested / "notebooks" / "14_folder.ipynb").mkdir()
    done = helpers(tested, "run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Running {LESSON_0}\nRunning {LESSON_1}\n" and code_cells(path)[0]["outputs"]
    assert closing(helpers(tested, "test", "-k", "not bad")) == "3 passed"
    assert "1 failed" in helpers(tested, "test", "notebooks/12_notes.ipynb").stdout
    asked = helpers(tested, "run", "12_notes")
    assert asked.returncode == 2 and "stands in LESSONS of helpers/course/state/registry.py" in asked.stderr


@pytest.mark.all_only
def test_one_lesson_alone_passes_and_a_reader_s_own_states_stay(tested, tmp_path):
    """It loads what the lesson before leaves, whatever states a reader has."""
    source = FIND_HELPERS + f'from helpers import load_state, save_state\nload_state("{LESSON_0}")["tokens"]'
    path = write_lesson(tested, LESSON_1, source)
    assert helpers(tested, "run", "1").returncode == 0 and len(code_cells(path)[0]["outputs"]) == 2
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / f"{LESSON_0}.pkl").write_bytes(b"the reader's own")
    environment = {**settings(tested), "SIXTEEN_STATE": str(mine)}
    command = [sys.executable, "-m", "helpers", "test", f"notebooks/{LESSON_1}.ipynb"]
    done = subprocess.run(command, cwd=tested, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout
    assert (mine / f"{LESSON_0}.pkl").read_bytes() == b"the reader's own" and len(list(mine.iterdir())) == 1


@pytest.mark.all_only
def test_a_file_named_as_a_module_of_python_s_hides_it_from_no_child(project):
    path = write_lesson(project, LESSON_0, "6 * 7")
    for name in ["nbconvert", "traitlets", "uuid", "asyncio"]:
        (project / f"{name}.py").write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    done = helpers(project, "run")
    assert (done.returncode, done.stderr) == (0, "") and code_cells(path)[0]["outputs"]


def test_a_lesson_that_cannot_be_written_is_named(lessons, tmp_path, monkeypatch):
    def refuses(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(record, "replace", refuses)
    with pytest.raises(
        names.Problem, match=r"03_attention.ipynb cannot be written \(Permission denied\): allow writing"
    ):
        record.write_notebook("03_attention", {"metadata": {}, "cells": []})
    assert not list(tmp_path.glob("*.part"))


def test_a_crash_while_writing_leaves_the_old_lesson(lessons, tmp_path, monkeypatch):
    notebook = {"metadata": {}, "cells": [], "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / "03_attention.ipynb"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(record, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        record.write_notebook("03_attention", notebook)
    assert path.read_text(encoding="utf-8") == "old"
    assert not list(tmp_path.glob("*.part"))
