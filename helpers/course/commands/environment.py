"""The environment in .venv: made once with the standard library alone, and mended when it is not usable."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from .. import ROOT

try:
    import fcntl
except ImportError:  # Windows, whose own way to lock a file follows
    fcntl = None
    import msvcrt

REQUIREMENTS = ROOT / "requirements.txt"
FOLDER = ROOT / ".venv"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
MARKER = FOLDER / "sixteen.json"  # empty while the environment is being made
NEEDED = ["ipykernel", "jupyterlab", "nbconvert", "nbval", "pytest"]  # what the commands start

# Jupyter, IPython and npm keep settings, histories, cookies and logs; these stay in the environment, too.
KEPT_INSIDE = {
    "JUPYTER_CONFIG_DIR": "home/jupyter",
    "JUPYTER_DATA_DIR": "home/jupyter/data",
    "JUPYTER_RUNTIME_DIR": "home/jupyter/runtime",
    "IPYTHONDIR": "home/ipython",
    "npm_config_cache": "home/npm",
}
# A reader's settings for another Jupyter: some would open this one to everybody, or start a kernel from
# elsewhere.
NOT_OURS = ["JUPYTER_TOKEN", "JUPYTER_TOKEN_FILE", "JUPYTER_CONFIG_PATH", "JUPYTER_PATH", "JUPYTER_NO_CONFIG"]
NOT_OURS += ["JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"]

# Settings of pip that would put the packages elsewhere, or nowhere.
PIP_REDIRECTS = ["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON"]
INSTALL_ALL = {"PIP_USER": "0", "PIP_NO_DEPS": "0", "PIP_DRY_RUN": "0", "PYTHONIOENCODING": "utf-8"}
PIP_ELSEWHERE = "pip is set to install elsewhere (%s): undo that with `pip config unset %s`"

# A newcomer without a network is told within half a minute; whoever set these for pip knows better.
PATIENCE = {"PIP_DEFAULT_TIMEOUT": "8", "PIP_RETRIES": "2"}

# JupyterLab's first start would otherwise ask whether to fetch news, look for updates, and be light on a dark
# system.
LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
}

NO_ENSUREPIP = (
    "This Python (%s) has no ensurepip, which making an environment needs: on Debian or Ubuntu run "
    "`sudo apt install python3.%d-venv`, elsewhere install Python from python.org"
)
NO_ENVIRONMENT = "%s is not a Python environment: move it away"
NO_SUCH_PATH = (
    "The path of the project, %s, holds a %r, which no Python environment allows: rename the folder"
)
NOT_WHOLE = (
    "pip has ended, but %s cannot be imported from .venv: look at pip's settings with `pip config list`"
)
# What the operating system and pip say when something fails, and what we say.
EXPLANATIONS = {
    "No space left|not enough space|quota exceeded": "The disk is full: free about 500 MB",
    r"WinError (5|32)\]": "A file in .venv is in use: close every JupyterLab and terminal that uses it",
    "Read-only file system|Permission denied|Operation not permitted": "The project folder cannot be written "
    "to: copy the project to a folder of your own",
    "Long Path": "Windows refuses paths this long: move the project to a short one such as C:\\sixteen",
    "No module named pip": "The environment in .venv has no pip: delete the folder .venv",
    "CERTIFICATE_VERIFY_FAILED": "The package index's certificate was not accepted: on a company or school "
    "network ask for its certificate and name it with `pip config set global.cert FILE`",
    "connection broken by|Connection|timed out|Max retries|ProxyError|resolve": "The package index could not "
    "be reached: check the network connection (and the proxy, if you need one)",
    "No matching distribution|Could not find a version|404 Client Error|HTTP error 404": "The package index "
    "did not give what was asked for: check the network connection, and the index that `pip config list` "
    "names",
}


class Problem(Exception):
    """An expected failure: its text is the one sentence that the person reads."""


def try_again(sentence):
    return Problem(sentence + ", then run the same command again.")


def prepare():
    """The environment's Python, after making or updating the environment where that is needed."""
    os.environ.pop("PYTHONWARNINGS", None)  # "error" would turn a warning of pip or Jupyter into a failure
    try:
        if next_step():
            with one_at_a_time():
                work = next_step()  # another start may have done it meanwhile
                if work:
                    do, reason = work
                    print(reason, flush=True)
                    do()
                    print("The environment is ready.", flush=True)
    except OSError as error:
        raise try_again(explain(str(error))) from None
    except KeyboardInterrupt:
        raise Problem("Stopped during the set-up; the same command starts it again.") from None
    return str(PYTHON)


def child_environment():
    """The variables with which Jupyter and its kernels run: whatever they keep, they keep in .venv."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    return dict(kept, **{name: str(FOLDER / place) for name, place in KEPT_INSIDE.items()})


def next_step():
    """What makes the environment usable, and why: (function, sentence), or None when it is ready."""
    if not os.path.lexists(str(FOLDER)):
        return make, "First start: making an environment in .venv, which takes a minute or two."
    marker, (version, missing) = read_marker(), ask_python()
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
    if missing:
        return make, f"{', '.join(missing)} is missing from .venv: making the environment again."
    return None


def read_marker():
    """What the marker says, {} when the environment was never finished, None when it is not one of ours."""
    try:
        marker = json.loads(MARKER.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    except OSError:
        return None
    return marker if isinstance(marker, dict) else {}


def write_marker():
    content = {"python": ask_python()[0], "requirements": fingerprint()}
    MARKER.write_text(json.dumps(content), encoding="utf-8")


def fingerprint():
    return hashlib.sha256(REQUIREMENTS.read_text(encoding="utf-8").encode("utf-8")).hexdigest()


QUESTION = """\
import sys, importlib.util
print('%d.%d' % sys.version_info[:2], *[name for name in sys.argv[1:] if not importlib.util.find_spec(name)])
"""


def ask_python():
    """The version of the environment's Python, such as "3.12", and what it misses; (None, []) when it
    does not start."""
    command = [str(PYTHON), "-I", "-c", QUESTION, *NEEDED]
    try:
        said = subprocess.check_output(command, stderr=subprocess.DEVNULL, timeout=60).decode("utf-8")
        version, *missing = said.split()
        return version, missing
    except (OSError, subprocess.SubprocessError, ValueError):
        return None, []


def refuse_foreign_folder():
    """Problem when .venv holds something that is no environment: it is not ours to delete."""
    ours = MARKER.exists() or (FOLDER / "pyvenv.cfg").exists()
    if not ours and not (FOLDER.is_dir() and not os.listdir(str(FOLDER))):
        raise try_again(NO_ENVIRONMENT % FOLDER)


@contextlib.contextmanager
def one_at_a_time():
    """Wait while another start is making the environment, where files can be locked."""
    with REQUIREMENTS.open("rb") as file:
        if not try_lock(file):
            print("Another start is making the environment: waiting for it.", flush=True)
            while not try_lock(file):
                time.sleep(0.2)
        yield


def try_lock(file):
    """Whether the file is ours alone from now until it is closed; True, too, where files cannot be locked."""
    try:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            file.seek(2**30)  # a byte after the end: pip must be able to read those of the file
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass
    return True


def make():
    """Make .venv from nothing; whatever stops this, nothing half-made stays."""
    if os.pathsep in str(FOLDER):
        raise try_again(NO_SUCH_PATH % (ROOT, os.pathsep))
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
        raise try_again(NO_ENSUREPIP % (sys.executable, sys.version_info[1])) from None


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
        raise try_again(explain((error.output or b"").decode("utf-8", "replace"))) from None


def install():
    """Install requirements.txt into .venv, look whether all is there, and mark it as ready."""
    environment = dict(PATIENCE, **os.environ)
    environment.update(INSTALL_ALL)
    for name in PIP_REDIRECTS:
        environment.pop(name, None)
    refuse_elsewhere(environment)
    command = pip("install", "--progress-bar", "off", "-r", REQUIREMENTS.name)
    child = subprocess.Popen(
        command, cwd=str(ROOT), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output = follow(line.decode("utf-8", "replace") for line in child.stdout)
    except KeyboardInterrupt:
        end(child)
        raise
    if child.wait() != 0:
        raise try_again(explain(output))
    require_needed()
    write_settings()
    write_marker()


def pip(*arguments, python=PYTHON):
    return [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]


def refuse_elsewhere(environment):
    """Problem when a configuration file makes pip install into another folder: no variable can undo that."""
    listed = subprocess.run(
        pip("config", "list"), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    for line in listed.stdout.decode("utf-8", "replace").splitlines():
        name = line.partition("=")[0]
        if name.endswith((".target", ".prefix", ".root")):
            raise try_again(PIP_ELSEWHERE % (line.strip(), name))


def require_needed():
    """Problem unless everything that the commands start can be imported."""
    program = "import sys, importlib; [importlib.import_module(n) for n in sys.argv[1:]]"
    command = [str(PYTHON), "-I", "-c", program, *NEEDED]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        missing = ask_python()[1] or NEEDED
        raise try_again(NOT_WHOLE % ", ".join(missing))


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
                    show_line(f"Collecting packages: {packages}, {line.split()[1]}", terminal)
            elif line.startswith("Installing collected packages:"):
                show_line(f"Installing {line.count(',') + 1} packages", terminal)
    finally:
        if terminal:
            show_line("", terminal)  # whatever is printed next finds an empty line
    return "".join(said)


def show_line(text, terminal):
    if terminal:
        print("\r" + text[:78].ljust(78), end="\r", flush=True)
    else:
        print(text, flush=True)


def explain(output, failed="The environment could not be made"):
    """What the operating system or pip said, in our words where they are known."""
    for signs, sentence in EXPLANATIONS.items():
        if re.search(signs, output):
            return sentence
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["no reason was given"]
    errors = [line for line in lines if line.startswith("ERROR:") and line != "ERROR: Exception:"]
    return "%s (%.300s): mend that" % (failed, (errors or lines)[-1])


def write_settings():
    path = FOLDER / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(LAB_SETTINGS, indent=2) + "\n", encoding="utf-8")
