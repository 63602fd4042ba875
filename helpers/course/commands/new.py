"""`python3 -m helpers new 23_a_name`: the skeleton of a lesson, which passes all tests once it is recorded.

It writes a notebook, and enters the lesson in the list of lessons and, from Part II on, in the maps.
"""

import re

from ..state.registry import SIDE_LESSONS, is_trained, lesson_names
from .answers import page_text
from .environment import ROOT
from .names import NOTEBOOKS, PROGRAM, Misuse

NAME = re.compile(r"(\d\d[a-z]?)_[a-z][a-z0-9_]+")
REGISTRY = ROOT / "helpers/course/state/registry.py"
MAPS = ROOT / "helpers/course/lessons/maps.py"
PATH = """\
import sys, pathlib  # find the folder that holds helpers/, wherever this notebook was opened
here = pathlib.Path.cwd()
sys.path.insert(0, str(next(p for p in [here, *here.parents] if (p / "helpers").is_dir())))"""
HEAD = """\
# {number} {title}

What does this lesson ask?
Write in one sentence what the reader does to answer it.

**You will be able to** say what the reader can do after this lesson · and a second thing.

Run the cells from top to bottom. To jump ahead, click a later cell and choose *Run*, *Run All Above \
Selected Cell*."""
IDEA = """\
## The first idea

Say why the reader needs it, then what it is.

**Predict**: how many tokens does the sentence have? Reason, then run the cell."""
ANSWER = """\
<details><summary>The answer in words</summary>

Every word is a token, and so are the two marks around the sentence.

</details>"""
KEEP = "**Keep this**: one sentence that the reader should remember."


def new_lesson(options):
    """Write the skeleton of a lesson."""
    found = NAME.fullmatch(options.name)
    if not found:
        raise Misuse(
            f"{options.name!a:.60} is no name of a lesson; choose one such as 23_a_name or 05b_a_name."
        )
    number, path = found.group(1), NOTEBOOKS / f"{options.name}.ipynb"
    taken = [name for name in [*lesson_names(), *SIDE_LESSONS] if name.startswith(f"{number}_")]
    if taken or path.exists():
        raise Misuse(f"There is a lesson {(taken or [options.name])[0]} already; choose another number.")
    before = lesson_before(number)
    entries = [(REGISTRY, "SIDE_LESSONS = {", f'    "{options.name}": "{before}",')]
    if number >= "12":
        entries += entries_in_maps(number, title_from(options.name))
    texts = {}
    for file, start, line in entries:
        texts[file] = with_entry(texts.get(file) or file.read_text(encoding="utf-8"), start, line)
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8", newline="\n")
    text = page_text(skeleton(number, title_from(options.name), before))
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"notebooks/{path.name} is written, and entered in {' and '.join(file.name for file in texts)}.")
    if number >= "12":
        print("In maps.py, say what it adds, and which model it shows if that is not lesson 13's.")
    print(f"Fill it in; then record it:  {PROGRAM} run 00 {number}   and test it:  {PROGRAM} test {number}")


def lesson_before(number):
    """The last lesson before a number that leaves a state without a long training."""
    names = [name for name in lesson_names() if not is_trained(name)]
    return [name for name in names if name[:2] <= number[:2]][-1]


def link_onward(number):
    """The link to the next lesson of the main path, with which every lesson before the last one ends."""
    names = [*lesson_names(), *SIDE_LESSONS]
    later = sorted(name for name in names if name[2] == "_" and name[:2] > number[:2])
    return f"\n\n**Next question.** Ask it here. [Lesson {later[0][:2]}]({later[0]}.ipynb)" if later else ""


def title_from(name):
    return name.partition("_")[2].replace("_", " ").capitalize()


def entries_in_maps(number, title):
    yield MAPS, "MODELS = {", f'    "{number}": (TOY_GPT, 5),'
    yield MAPS, "ADDED = {", f'    "{number}": ("say here what this lesson adds", set()),'
    if number.isdecimal():
        yield MAPS, "TODAY = [" if number >= "17" else "ONWARD = [", f'    ("{number}", "{title.lower()}"),'


def with_entry(text, start, line):
    """The text of a module with a line more at the end of the dict or list that begins so."""
    begin = text.index(f"\n{start}\n")
    end = text.index("\n}\n" if start[-1] == "{" else "\n]\n", begin)
    return f"{text[:end]}\n{line}{text[end:]}"


def skeleton(number, title, before):
    """A notebook with a head, the path, imports, the map, a state, an idea with its question, and an end."""
    imports = "from helpers import load_state\nfrom helpers.course import lessons, show"
    here = number if number >= "12" else number[:2]
    hidden = {"jupyter": {"source_hidden": True}}
    cells = [
        ("markdown", HEAD.format(number=number, title=title), {}),
        ("code", PATH, hidden),
        ("code", imports, hidden),
        ("code", f'lessons.network_map("{here}")', {}),
        ("code", f'state = load_state("{before}")', {}),
        ("markdown", IDEA, {}),
        ("code", 'show.closed(len(state["tokens"]))', {}),
        ("markdown", ANSWER, {}),
        ("markdown", KEEP + link_onward(number), {}),
    ]
    written = [cell(f"new-{number}-{i}", *each) for i, each in enumerate(cells)]
    metadata = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    }
    return {"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def cell(name, kind, source, metadata):
    made = {"cell_type": kind, "id": name, "metadata": metadata, "source": source.splitlines(keepends=True)}
    return {**made, "execution_count": None, "outputs": []} if kind == "code" else made


def new_arguments(parser):
    name = "its number and its name, such as 23_a_name or 05b_a_name"
    parser.add_argument("name", metavar="NAME", help=name)
