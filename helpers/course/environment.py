"""The environment in .venv: made once with the standard library alone, and mended when it is not usable."""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where a folder in use cannot be removed anyway
    fcntl = None

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = ROOT / "requirements.txt"
FOLDER = ROOT / ".venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
MARKER = FOLDER / "sixteen.json"  # empty while the environment is being made

# A newcomer without a network is told within half a minute; whoever set these for pip knows better.
PATIENCE = {"PIP_DEFAULT_TIMEOUT": "8", "PIP_RETRIES": "2"}

# JupyterLab's first start would otherwise ask whether to fetch news, and look for updates.
LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
}

NO_ENSUREPIP = (
    "This Python (%s) has no ensurepip, which making an environment needs: on Debian or Ubuntu run "
    "`sudo apt install python3.%d-venv`, elsewhere install Python from python.org"
)
NO_ENVIRONMENT = "%s is not a Python environment: move it away"
# What the operating system and pip say when something fails, and what we say.
EXPLANATIONS = [
    (
        ("No space left on device", "not enough space on the disk", "Disk quota exceeded"),
        "The disk is full: free about 500 MB",
    ),
    (
        ("WinError 5]", "WinError 32]"),
        "A file in .venv is in use: close every JupyterLab and terminal that uses it",
    ),
    (
        ("Read-only file system", "Permission denied", "Operation not permitted"),
        "The project folder cannot be written to: copy the project to a folder of your own",
    ),
    (
        ("Long Path",),
        "Windows refuses paths this long: move the project to a short one such as C:\\sixteen",
    ),
    (
        ("No module named pip",),
        "The environment in .venv has no pip: delete the folder .venv",
    ),
    (
        ("CERTIFICATE_VERIFY_FAILED",),
        "The package index's certificate was not accepted: on a company or school network ask for its "
        "certificate and name it with `pip config set global.cert FILE`",
    ),
    (
        ("connection broken by", "Connection", "timed out", "Max retries", "ProxyError", "versions: none)"),
        "The package index could not be reached, so Jupyter could not be installed: check the network "
        "connection (and the proxy, if you need one)",
    ),
]
UNKNOWN = "The environment could not be made (%s): mend that"


class Problem(Exception):
    """An expected failure: its text is the one sentence that the person reads."""


def again(sentence):
    return Problem(sentence + ", then run the same command again.")


def prepare():
    """The environment's Python, after making or updating the environment where that is needed."""
    try:
        if needed_work():
            with one_at_a_time():
                work = needed_work()  # another start may have done it meanwhile
                if work:
                    do, reason = work
                    print(reason, flush=True)
                    do()
                    print("The environment is ready.", flush=True)
    except OSError as error:
        raise again(explain(str(error))) from None
    except KeyboardInterrupt:
        raise Problem("Stopped during the set-up; the same command starts it again.") from None
    return str(PYTHON)


def needed_work():
    """What makes the environment usable, and why: (function, sentence), or None when it is ready."""
    if not os.path.lexists(str(FOLDER)):
        return make, "First start: making an environment in .venv, which takes a minute or two."
    marker, version = read_marker(), python_version()
    if marker == {}:
        return make, "An earlier start was interrupted: making the environment in .venv again."
    if version is None:
        refuse_foreign_folder()
        return make, "The Python in .venv does not start: making the environment again."
    if marker is None:
        return install, "This command did not make .venv: installing requirements.txt into it."
    if marker.get("python") != version:
        return make, f"The Python in .venv is another one now ({version}): making the environment again."
    if marker.get("requirements") != fingerprint():
        return install, "requirements.txt has changed: updating the environment in .venv."
    return None


def read_marker():
    """What the marker says, {} when the environment was never finished, None when it is not one of ours."""
    try:
        return json.loads(MARKER.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    except OSError:
        return None


def write_marker():
    content = {"python": python_version(), "requirements": fingerprint()}
    MARKER.write_text(json.dumps(content), encoding="utf-8")


def fingerprint():
    return hashlib.sha256(REQUIREMENTS.read_text(encoding="utf-8").encode("utf-8")).hexdigest()


def python_version():
    """The version of the environment's Python, such as "3.12", or None when it does not start."""
    command = [str(PYTHON), "-I", "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.check_output(command, stderr=subprocess.DEVNULL).decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def refuse_foreign_folder():
    """Problem when .venv holds something that is no environment: it is not ours to delete."""
    ours = MARKER.exists() or (FOLDER / "pyvenv.cfg").exists()
    if not ours and not (FOLDER.is_dir() and not os.listdir(str(FOLDER))):
        raise again(NO_ENVIRONMENT % FOLDER)


@contextlib.contextmanager
def one_at_a_time():
    """Wait while another start is making the environment, where files can be locked."""
    with REQUIREMENTS.open("rb") as file:
        if fcntl:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print("Another start is making the environment: waiting for it.", flush=True)
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError:
                pass  # a file system without locks
        yield


def make():
    """Make .venv from nothing; whatever stops this, nothing half-made stays."""
    require_ensurepip()
    try:
        remove_folder()
        FOLDER.mkdir()
        MARKER.touch()
        create()
        install()
    except BaseException:
        shutil.rmtree(str(FOLDER), ignore_errors=True)
        raise


def require_ensurepip():
    """Problem when this Python cannot put pip into an environment; Debian's needs one more package for it."""
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        raise again(NO_ENSUREPIP % (sys.executable, sys.version_info[1])) from None


def remove_folder():
    if FOLDER.is_dir() and not FOLDER.is_symlink():
        shutil.rmtree(str(FOLDER))
    elif os.path.lexists(str(FOLDER)):
        FOLDER.unlink()


def create():
    import venv  # here, because a start with a ready environment should not pay for it

    try:
        venv.EnvBuilder(symlinks=os.name != "nt", with_pip=True).create(str(FOLDER))
    except subprocess.CalledProcessError as error:
        raise again(explain((error.output or b"").decode("utf-8", "replace"))) from None


def install():
    """Install requirements.txt into .venv, and mark it as ready."""
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--progress-bar", "off", "-r", REQUIREMENTS.name]
    environment = dict(PATIENCE, **os.environ)
    environment.update(PIP_USER="0", PYTHONIOENCODING="utf-8")
    pip = subprocess.Popen(
        command, cwd=str(ROOT), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output = follow(line.decode("utf-8", "replace") for line in pip.stdout)
    except KeyboardInterrupt:
        end(pip)
        raise
    if pip.wait() != 0:
        raise again(explain(output))
    write_settings()
    write_marker()


def end(process):
    """Give a process that has probably seen the same Ctrl-C a moment to end by itself."""
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def follow(lines):
    """Show how far pip is: one changing line in a terminal, else a line now and then. Returns all it said."""
    terminal, packages, said = sys.stdout.isatty(), 0, []
    try:
        for line in lines:
            said.append(line)
            if line.startswith("Collecting "):
                packages += 1
                if terminal or packages % 25 == 1:
                    show(f"Collecting packages: {packages}, {line.split()[1]}", terminal)
            elif line.startswith("Installing collected packages:"):
                show(f"Installing {line.count(',') + 1} packages", terminal)
    finally:
        if terminal:
            show("", terminal)  # whatever is printed next finds an empty line
    return "".join(said)


def show(text, terminal):
    if terminal:
        print("\r" + text[:78].ljust(78), end="\r", flush=True)
    else:
        print(text, flush=True)


def explain(output):
    """What the operating system or pip said, in our words where they are known."""
    for signs, sentence in EXPLANATIONS:
        if any(sign in output for sign in signs):
            return sentence
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["no reason was given"]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return UNKNOWN % (errors or lines)[-1]


def write_settings():
    path = FOLDER / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(LAB_SETTINGS, indent=2) + "\n", encoding="utf-8")
