"""`python3 -m helpers update`: the newest edition of the course, with the reader's answers in it.

The published notebook always wins, answers move into it, and the reader's page is kept as `my_….ipynb`.
First every such page is kept, then JOURNAL is written, then the files change, then the answers move. Whatever
stops an update, the same command goes on with it.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from ..show.display import pluralized
from ..state.files import replace
from .answers import answers, changed_cells, is_unwritten, move, page_text, read_page, sources
from .environment import FOLDER, KEPT_INSIDE, ROOT, Problem, try_again, try_lock
from .names import NOTEBOOKS, PROGRAM

JOURNAL = NOTEBOOKS / "state" / "update.json"
NEW_FILES, INDEX = JOURNAL.with_suffix(".new"), JOURNAL.with_suffix(".index")
LESSON = re.compile(r"\d\d[a-z]?_\w+")
NO_GIT = (
    "This folder was not made by git, so it cannot fetch a newer edition. Download and unpack that one, and "
    f"run in its folder: {PROGRAM} update --from %s"
)
TAKE_ANOTHER = f"get the course in a new folder, and run there: {PROGRAM} update --from %s"
NOT_MADE_BY_COURSE = shutil.ignore_patterns(
    "__pycache__", ".ipynb_checkpoints", "*.tmp", "*.part", "update.*"
)


def update_course(options):
    """Fetch the newest edition, or take over an older folder, and move the answers into its lessons."""
    if options.place:
        return place_answers()
    refuse_open_jupyter()
    with only_one():
        if options.old:
            new = take_over(old_folder(options.old))
        else:
            new = fetch_edition()
        if new or JOURNAL.exists():
            # in a process of its own: the code and the table of names are those of the new edition
            return subprocess.call([sys.executable, "-m", "helpers", "update", "--place"], cwd=str(ROOT))
    print("This is the newest edition; nothing has changed.")
    return 0


@contextlib.contextmanager
def only_one():
    JOURNAL.parent.mkdir(parents=True, exist_ok=True)
    with JOURNAL.with_suffix(".lock").open("ab") as file:
        if not try_lock(file):
            raise Problem("Another update of this folder is running: wait until it has ended.")
        yield


def refuse_open_jupyter():
    """Problem while a Jupyter has this folder open: it would save old pages over the new ones."""
    home = Path.home()
    places = [FOLDER / KEPT_INSIDE["JUPYTER_RUNTIME_DIR"], home / ".local/share/jupyter/runtime"]
    places += [home / "Library/Jupyter/runtime", home / "AppData/Roaming/jupyter/runtime"]
    for path in [path for place in places for path in place.glob("jpserver-*.json")]:
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            server = json.loads(path.read_text(encoding="utf-8"))
            root = Path(server["root_dir"]).resolve()
            if root == ROOT or root in ROOT.parents or ROOT in root.parents:
                socket.create_connection(("127.0.0.1", server["port"]), 2).close()
                raise Problem(
                    f"JupyterLab has this folder open (port {server['port']}): save your pages, stop it with "
                    "Ctrl-C in its terminal, then run the same command again."
                )


# --- what an update needs of git


def git(*arguments, folder=ROOT, given=None, more=()):
    """What git prints; Problem with its reason where it fails."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
    environment.update(more)
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], input=given, env=environment, capture_output=True
        )
    except FileNotFoundError:
        raise Problem(
            "The program git is not installed: install it, then run the same command again."
        ) from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason was given"]
        raise try_again(f"git {arguments[0]} has failed ({said[-1][:300]}): mend that")
    return done.stdout


def lines(*arguments):
    """What git lists. It reads a copy of the index: killed while it refreshes that, it leaves no lock."""
    listed = git(*arguments, "-z", more={"GIT_INDEX_FILE": str(INDEX)}).decode("utf-8")
    return [line for line in listed.split("\0") if line]


def is_repository(folder):
    with contextlib.suppress(Problem, OSError):
        top = git("rev-parse", "--show-toplevel", folder=folder).decode("utf-8").strip()
        return os.path.samefile(top, str(folder))
    return False


def fetch_edition():
    """Keep the changed pages and replace the files by those of the newest edition; False if there is none."""
    if not is_repository(ROOT):
        if JOURNAL.exists():
            return True
        raise Problem(NO_GIT % ROOT)
    remove_lock_of_killed_run()
    target = newest()
    shutil.copyfile(ROOT / git("rev-parse", "--git-path", "index").decode("utf-8").strip(), INDEX)
    changed = changed_files("HEAD", target)
    # what a stopped update has already put here is not the reader's
    own = changed_files("HEAD") & changed_files(target)
    own |= {path for path in changed & untracked() if not is_equal(path, target)}
    changed |= {path for path in own if page_name(path) and damaged(ROOT / path)}
    pages = sorted(path for path in own & changed if LESSON.fullmatch(page_name(path) or ""))
    strangers = sorted(path for path in own - {*pages} if path in changed or path.startswith("helpers/"))
    if strangers:
        raise Problem(
            f"You have changed {', '.join(strangers[:5])}{' and more' * (len(strangers) > 5)}: put each back "
            "with `git checkout FILE`, after a copy if you need one, then run the same command again. "
            "Nothing has been changed."
        )
    if not changed and not JOURNAL.exists():
        return False
    for path in pages:
        keep(ROOT / path, published(path, "HEAD"), published(path, target))
    note(target=target)
    present = set(lines("ls-tree", "-r", "--name-only", target))
    put_files(sorted(changed & present), target)
    for path in changed - present:
        with contextlib.suppress(FileNotFoundError):
            (ROOT / path).unlink()
    dates = [git("log", "-1", "--format=%as", commit).decode().strip() for commit in ("HEAD", target)]
    git("reset", "--quiet", target)
    INDEX.unlink()
    print(f"From the edition of {dates[0]} to the edition of {dates[1]}.")
    return True


def put_files(paths, target):
    """Replace files by those of a commit, each in one step: git writes them into another folder first."""
    if not paths:
        return
    shutil.rmtree(NEW_FILES, ignore_errors=True)
    NEW_FILES.mkdir()
    checkout = ["checkout", target, "--pathspec-from-file=-", "--pathspec-file-nul"]
    elsewhere = {"GIT_WORK_TREE": str(NEW_FILES), "GIT_INDEX_FILE": str(NEW_FILES / ".index")}
    given = "\0".join([*paths, ".gitattributes"])  # it says how lines end
    git(*checkout, given=given.encode("utf-8"), more=elsewhere)
    for path in paths:
        with writing(ROOT / path):
            replace(NEW_FILES / path, ROOT / path)
    shutil.rmtree(NEW_FILES, ignore_errors=True)


def newest():
    """The newest commit of the branch that this one follows; Problem where this folder has own commits."""
    branch = git("rev-parse", "--abbrev-ref", "HEAD").decode("utf-8").strip()
    another = TAKE_ANOTHER % ROOT
    try:
        upstream = git("rev-parse", "--abbrev-ref", "@{upstream}").decode("utf-8").strip()
    except Problem:
        follows = f"The branch {branch} follows no other one"
        where = "No branch is checked out" if branch == "HEAD" else follows
        raise Problem(f"{where}, so there is nothing to update from: {another}") from None
    try:
        git("fetch", "--quiet", upstream.partition("/")[0])
    except Problem:
        if not JOURNAL.exists():
            raise  # the rest of a stopped update needs no network
    target = git("rev-parse", "@{upstream}").decode("utf-8").strip()
    own = int(git("rev-list", "--count", f"{target}..HEAD"))
    if own:
        raise Problem(
            f"The branch {branch} has {pluralized(own, 'commit')} that {upstream} does not have, and these "
            f"are left alone: {another}"
        )
    return target


def remove_lock_of_killed_run():
    """git leaves its lock when it is killed. With a journal here, the killed one was ours."""
    if JOURNAL.exists():
        with contextlib.suppress(OSError):
            (ROOT / git("rev-parse", "--git-path", "index.lock").decode("utf-8").strip()).unlink()


def damaged(path):
    """Whether a notebook is none any more: a merge has left its marks in it."""
    return path.is_file() and read_page(path.read_bytes()) is None


def is_equal(path, target):
    """Whether a file of this folder is that of a commit."""
    with contextlib.suppress(Problem):
        return git("hash-object", path) == git("rev-parse", f"{target}:{path}")
    return False


def changed_files(*commits):
    """The paths in which two commits, or one and the files here, differ. A renamed file has two paths."""
    return set(lines("diff", "--name-only", "--no-renames", *commits))


def untracked():
    return set(lines("ls-files", "--others", "--exclude-standard"))


def page_name(path):
    """The lesson of "notebooks/01_tokens.ipynb", or None."""
    found = re.fullmatch(r"notebooks/([^/]+)\.ipynb", path)
    return found and found[1]


def published(path, commit, folder=ROOT):
    """The page of a commit; None if there is none."""
    with contextlib.suppress(Problem):
        return read_page(git("show", f"{commit}:{path}", folder=folder))
    return None


# --- what a reader has written is kept


def keep(path, base, new, even_if_only_read=True):
    """Keep a reader's page as my_NAME.ipynb, unless nothing in it is the reader's; noted in the journal.

    base is the page as it was published, new the one of the newest edition; None where there is none.
    """
    if not path.is_file():
        return
    data, lesson = path.read_bytes(), path.stem
    page = read_page(data)
    if page and base:
        own = changed_cells(page, base)
        if not own or (new and not changed_cells(page, new)):
            return  # only results are the reader's
    else:
        own = []
        if page and not even_if_only_read and not answers(page, lesson):
            return
    copy = write_copy(lesson, data)
    found = answers(page, lesson) if page else []
    unlike = [cell for cell in own if not any(cell[1] in answer.source for answer in found)]
    unlike = [cell for cell in unlike if not is_unwritten(cell[1])]
    note(kept={copy: {"lesson": lesson, "own": len(unlike), "readable": bool(page)}})


def write_copy(lesson, data):
    """Write a page as my_LESSON.ipynb, or my_LESSON-2.ipynb where another page has that name; its name."""
    for number in range(1, 1000):
        path = NOTEBOOKS / f"my_{lesson}{'' if number == 1 else f'-{number}'}.ipynb"
        if path.is_file() and path.read_bytes() == data:
            return path.name  # a stopped update has kept it
        if not os.path.lexists(str(path)):
            put_file(path, data)
            return path.name
    raise Problem(f"There are 999 copies of {lesson} in notebooks: remove some of them.")


def put_file(path, data):
    """Replace a file by some bytes in one step."""
    temporary = path.with_name(path.name + ".part")  # one name: what a kill leaves is written over
    try:
        with writing(path):
            temporary.write_bytes(data)
            replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def writing(path):
    """Problem, naming the file, where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise try_again(
            f"{path} cannot be written ({error.strerror}): close the program that uses it"
        ) from None


def journal():
    """{"kept": {copy: {lesson, own, readable}}, …} of an update that has not ended; else empty."""
    try:
        found = json.loads(JOURNAL.read_text(encoding="utf-8"))
        return found if isinstance(found.get("kept", {}), dict) else {}
    except (OSError, ValueError, AttributeError):
        return {}


def note(kept=(), **more):
    found = journal()
    found = {**found, **more, "kept": {**found.get("kept", {}), **dict(kept)}}
    put_file(JOURNAL, json.dumps(found, indent=1).encode("utf-8"))


# --- an older folder


def old_folder(name):
    folder = Path(name).expanduser().resolve()
    if not list((folder / "notebooks").glob("00_*.ipynb")):
        raise Problem(f"{folder} is no folder of the course: it has no notebooks/00_start_here.ipynb.")
    if folder == ROOT:
        raise Problem("--from names this folder itself: name the folder of the older edition.")
    return folder


def take_over(folder):
    """Keep the pages of an older folder that hold answers here, and copy what else is the reader's."""
    base = base_commit(folder)
    for path in sorted((folder / "notebooks").glob("*.ipynb")):
        if LESSON.fullmatch(path.stem):
            old = base and published(f"notebooks/{path.name}", base, folder)
            here = NOTEBOOKS / path.name
            keep(path, old, here.is_file() and read_page(here.read_bytes()), even_if_only_read=False)
    copy_files(folder / "notebooks", NOTEBOOKS)
    note(old=str(folder))
    return True


def base_commit(folder):
    """The published commit that an older folder began with, where git knows it."""
    if is_repository(folder):
        for upstream in ("@{upstream}", "origin/HEAD", "HEAD"):
            with contextlib.suppress(Problem):
                return git("merge-base", "HEAD", upstream, folder=folder).decode("utf-8").strip()
    return None


def copy_files(old, new):
    """Copy the reader's own notebooks, states and models, where nothing of that name is here."""
    ignored = NOT_MADE_BY_COURSE(str(old), [path.name for path in old.iterdir()])
    for path in sorted(old.iterdir()):
        target = new / path.name
        is_lesson = path.suffix == ".ipynb" and LESSON.fullmatch(path.stem)
        if path.name in ignored or path.is_symlink() or is_lesson:
            continue
        if path.is_dir():
            target.mkdir(exist_ok=True)
            copy_files(path, target)
        elif not os.path.lexists(str(target)):
            part = target.with_name(target.name + ".part")
            shutil.copyfile(str(path), str(part))
            replace(part, target)


# --- the answers go into the new pages


def place_answers():
    """Move the answers of the kept pages into the lessons, and say where everything is."""
    found, kept, old = [], journal().get("kept", {}), journal().get("old")
    pages = {path.stem: read_page(path.read_bytes()) for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))}
    pages = {lesson: page for lesson, page in pages.items() if page and LESSON.fullmatch(lesson)}
    before = {lesson: sources(page) for lesson, page in pages.items()}
    for copy, of in kept.items():
        page = (NOTEBOOKS / copy).is_file() and read_page((NOTEBOOKS / copy).read_bytes())
        found += [(copy, answer) for answer in (answers(page, of["lesson"]) if page else [])]
    moved = move([answer for _, answer in found], pages)
    for lesson, page in pages.items():
        if sources(page) != before[lesson]:
            put_file(NOTEBOOKS / f"{lesson}.ipynb", page_text(page).encode("utf-8"))
    with contextlib.suppress(FileNotFoundError):
        JOURNAL.unlink()
    say_what_moved(kept, [(copy, *pair) for (copy, _), pair in zip(found, moved)], old)
    return 0


def say_what_moved(kept, moved, old):
    """One sentence on each thing that a reader looks for now."""
    placed = [answer for _, answer, exercise in moved if exercise]
    if moved:
        print(f"{pluralized(len(placed), 'answer')} of {len(moved)} moved into the lessons of this edition.")
    for copy, of in kept.items():
        staying = [answer for name, answer, exercise in moved if name == copy and not exercise]
        left = [f"{answer.number} {answer.name}" for answer in staying]
        if left:
            print(f"{copy} keeps {', '.join(left)}, without a place today.")
        if of["own"]:
            print(f"{copy} keeps {pluralized(of['own'], 'other cell')} that you wrote or changed.")
        if not of["readable"]:
            print(f"{copy} is your file of lesson {of['lesson']}, which is no notebook any more (JSON).")
    if kept:
        names = [*kept] if len(kept) < 4 else [*list(kept)[:2], "…"]
        print(f"Your old pages are in the folder notebooks: {', '.join(names)} ({len(kept)} in total).")
    if old:
        print(f"{old} is as it was.")
    print("This is the newest edition. What is new: .github/CHANGELOG.md")


def update_arguments(parser):
    old = "an older folder of the course, whose answers are moved into this one"
    parser.add_argument("--from", dest="old", metavar="FOLDER", help=old)
    parser.add_argument("--place", action="store_true", help=argparse.SUPPRESS)  # the second half of it
