"""`python3 -m helpers site`: the course as a folder of static files, to be run in a browser tab with
nothing installed.

JupyterLite is the page, Pyodide the Python that runs in it. Both are downloaded, pinned and checked;
nothing of this machine goes into the folder. The files that are the course's own stand in `tab/`.
"""

import os
import shutil
import subprocess
from pathlib import Path

from ..environment import ROOT, Problem
from .build import MARK, make_pages
from .download import KEPT, download, own_python, run_program
from .server import serve


def site(folder, offline):
    """Make the site in a folder; what a build before has downloaded is used again."""
    folder = Path(folder).resolve() if folder else KEPT / ("offline" if offline else "online")
    refuse_strangers_folder(folder)
    downloads = download()
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        print("Putting the pages together.", flush=True)
        make_pages(part, downloads, offline)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    report(folder, offline)
    return folder


def refuse_strangers_folder(folder):
    """Problem unless the folder is new, empty, or one that was made here."""
    if folder == ROOT or folder in ROOT.parents:
        raise Problem(f"{folder} holds the project itself: name a folder of its own.")
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file()):
        raise Problem(f"{folder} holds something else: name a new folder, or empty it first.")


def test_site(folder):
    """Run the lessons of an offline site in a real Chromium. Its packages go next to the downloads."""
    folder = site(folder, True)
    python, asked = own_python(), ROOT / "tests" / "browser"
    install = [python, "-m", "pip", "install", "--quiet", f"--requirement={asked / 'requirements.txt'}"]
    run_program(install, "What the tests need could not be installed")
    environment = {**os.environ, "SIXTEEN_SITE": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-m", "pytest", "-c", str(asked / "pytest.ini"), "-p", "no:cacheprovider"]
    command += ["-x", "-s", "-v", str(asked / "troubles.py"), str(asked / "in_chromium.py")]
    return subprocess.run(command, cwd=str(ROOT), env=environment).returncode


def report(folder, offline):
    """What was made, how large it is, and how to go on."""
    parts = {"Python for the browser": "static/pyodide", "the pages": "build", "lessons and helpers": "files"}
    sizes = {what: size(folder / place) for what, place in parts.items()}
    listed = ", ".join(f"{what} {megabytes(n)}" for what, n in sizes.items())
    print(f"{folder} is ready: {megabytes(size(folder))} ({listed}).")
    if offline:
        print(
            "It asks no other host for anything. It must be served by http: opened as a file, a page says "
            "so and no more. (By plain http from another machine, all but the stop button works.)"
        )
    else:
        print(
            "Its Python comes from Pyodide's public address, and the browser checks it. For a place "
            "without internet: --offline"
        )
    print("To look at it here: python3 -m helpers site --serve" + (" --offline" if offline else ""))


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


def make_site(options):
    """Make the site; show it, or test it, where that is asked for."""
    if options.test:
        return test_site(options.folder)
    folder = site(options.folder, options.offline)
    return serve(folder) if options.serve else None


def site_arguments(parser):
    where = "where to put it; default: a folder in .site"
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help=where)
    offline = "hold everything, and ask no other host for anything"
    parser.add_argument("--offline", action="store_true", help=offline)
    parser.add_argument("--serve", action="store_true", help="show it in a browser of this machine")
    tested = "run every lesson of it in a real Chromium, which must be installed"
    parser.add_argument("--test", action="store_true", help=tested)
