"""`open`: the port, what Jupyter shows and to whom, and how it stops."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import jupyter_client
import pytest
from projects import LAB_FILES, LESSON_0, LESSON_1, free_port, helpers, posix, ready, settings, write_lesson

from helpers.course.commands import environment
from helpers.course.commands import open as opening


@pytest.fixture
def project(tmp_path):
    return ready(tmp_path)


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_first_free_port_is_taken(taken_port, monkeypatch, capsys):
    monkeypatch.setattr(opening, "FIRST_PORT", taken_port)
    port = opening.chosen_port(None)
    assert port > taken_port and opening.is_free(port)
    out = capsys.readouterr().out
    assert str(taken_port) in out and str(port) in out
    monkeypatch.setattr(opening, "FIRST_PORT", port)
    assert opening.chosen_port(None) == opening.chosen_port(port) == port
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(opening, "FIRST_PORT", taken_port)
    monkeypatch.setattr(opening, "PORTS", 1)
    with pytest.raises(environment.Problem, match="--port"):
        opening.chosen_port(None)


def test_the_port_that_was_asked_for_is_taken(project, taken_port):
    write_lesson(project, LESSON_0)
    done = helpers(project, "open", "--no-browser", "--port", str(taken_port))
    assert (done.returncode, done.stdout) == (1, "") and f"Port {taken_port}" in done.stderr


def page(url):
    """The page at an address; Jupyter prints its address a moment before it answers."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(url) as answer:
                return answer.read().decode("utf-8")
        except urllib.error.URLError:
            time.sleep(0.05)
    raise AssertionError(f"nothing answers at {url}")


def refused(url):
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(url)
    return error.value.code == 403


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


CARELESS = """
c.ServerApp.ip = "0.0.0.0"
c.ServerApp.token = c.IdentityProvider.token = c.PasswordIdentityProvider.token = ""
"""


def write_careless_settings(project):
    home = project.parent / "home"
    for folder in (home / ".jupyter", project / ".venv/etc/jupyter", project / ".venv/home/jupyter"):
        folder.mkdir(parents=True)
        for name in ("jupyter_server_config.py", "jupyter_lab_config.py"):
            (folder / name).write_text(CARELESS, encoding="utf-8")
    return home


@posix
@pytest.mark.all_only  # JupyterLab starts in ten seconds
@pytest.mark.skipif(not LAB_FILES.exists(), reason="JupyterLab's own files are elsewhere")
@pytest.mark.parametrize("to_all", [True, False], ids=["Ctrl-C, to all", "to the command"])
def test_open_shows_the_lesson_until_it_is_stopped(project, tmp_path, to_all):
    for name in [LESSON_0, LESSON_1]:
        write_lesson(project, name, "1 + 1")
    home, port = write_careless_settings(project), free_port()
    before = sorted(home.rglob("*"))
    command = [sys.executable, str(project / "helpers"), "open", "tokens", "--no-browser", f"--port={port}"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    ours, terminal = os.openpty()  # Jupyter treats Ctrl-C differently where nobody could answer a question
    lab = subprocess.Popen(command, cwd=tmp_path, env=settings(project), stdin=terminal, **pipes)
    watchdog = threading.Timer(120, os.killpg, [lab.pid, signal.SIGKILL])
    watchdog.start()
    try:
        address = next(line.strip() for line in lab.stdout if "http://127.0.0.1" in line)
        place = f"/lab/tree/notebooks/{LESSON_1}.ipynb"
        assert place in address and f'"treePath": "notebooks/{LESSON_1}.ipynb"' in page(address)
        listing = json.loads(page(address.replace(place, "/api/contents")))
        assert {"helpers", "notebooks"} <= {entry["name"] for entry in listing["content"]}
        for token in ("", "?token="):
            assert refused(f"http://127.0.0.1:{port}/api/contents{token}")
        assert not listens_to_others(port)
        start_a_kernel(project, port, address.partition("token=")[2])
        os.killpg(lab.pid, signal.SIGINT) if to_all else os.kill(lab.pid, signal.SIGTERM)
        rest = lab.stdout.read()
        assert lab.wait() == 0 and "encryption" not in rest and "Traceback" not in rest
        assert sorted(home.rglob("*")) == before
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
