"""Downloads: the packages and Pyodide, pinned and checked."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from ..environment import INSTALL_ALL, PATIENCE, ROOT, Problem, explain, pip, require_ensurepip
from ..fetch import sha256

HERE = Path(__file__).resolve().parent
PINS = HERE / "pins.txt"
# downloads, the environment that makes them, and the folder that is made if none is named
KEPT = ROOT / ".site"
PYODIDE = "314.0.6"
PYODIDE_SHA256 = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"  # of what npm packs


def download():
    """Where the wheels and Pyodide's archive are, after fetching what is missing and checking all of it."""
    folder = KEPT / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    wheels = {}
    for name, digest in pins():
        found = [path for path in folder.glob("*.whl") if sha256(path) == digest]
        wheels[name] = found[0] if found else None
    if not all(wheels.values()):
        print(f"Downloading {len(wheels)} packages, once.", flush=True)
        fetch_wheels(folder)
        return download()
    archive = folder / f"pyodide-{PYODIDE}.tgz"
    if not (archive.is_file() and sha256(archive) == PYODIDE_SHA256):
        print("Downloading Pyodide, the Python for browsers (6 MB), once.", flush=True)
        fetch_pyodide(folder)
    return {**wheels, "pyodide": archive}


def pins():
    """(name, sha256) of every wheel."""
    lines = PINS.read_text(encoding="utf-8").splitlines()
    return [
        re.fullmatch(r"(\S+)==\S+ --hash=sha256:(\w{64})", line).groups()
        for line in lines
        if line[:1] not in ("", "#")
    ]


def fetch_wheels(folder):
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--python-version=3.14"]
    command = pip("download", *options, f"--dest={folder}", f"--requirement={PINS}", python=own_python())
    run_program(command, "The packages could not be downloaded")


def own_python():
    """The Python of an environment of its own, which has pip and nothing else."""
    python = KEPT / "environment" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.is_file():
        require_ensurepip()
        import venv

        shutil.rmtree(KEPT / "environment", ignore_errors=True)
        venv.EnvBuilder(symlinks=os.name != "nt", with_pip=True).create(str(KEPT / "environment"))
    return str(python)


def run_program(command, failed):
    """Run a program that downloads; Problem, with its reason, when it fails."""
    environment = {**PATIENCE, **os.environ, **INSTALL_ALL}
    done = subprocess.run(
        command, cwd=str(KEPT), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        raise Problem(
            f"{failed}: {explain(done.stdout.decode('utf-8', 'replace'))}, then run the same command again."
        )


def fetch_pyodide(folder):
    """Pyodide's archive, by npm, which knows where this machine gets its packages."""
    archive, npm = folder / f"pyodide-{PYODIDE}.tgz", shutil.which("npm")
    if not npm:
        raise Problem(
            "npm is not installed, and Pyodide comes from it: install Node.js (it brings npm), then run "
            "the same command again."
        )
    command = [npm, "pack", "--silent", f"pyodide@{PYODIDE}", f"--pack-destination={folder}"]
    run_program(command, "Pyodide could not be downloaded")
    if sha256(archive) != PYODIDE_SHA256:
        archive.unlink()
        raise Problem(
            "What npm has downloaded is not the Pyodide that this course was tested with, and was deleted."
        )
