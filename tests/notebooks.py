"""The notebooks as the tests read them."""

import functools
import hashlib
import importlib
import inspect
import json
import os
import pathlib
import pickle
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from helpers.course.state.network import SEED, draw_parameters
from helpers.course.state.registry import notebook_paths  # noqa: E402
from helpers.course.training.toy_task import train_toy

LESSONS = notebook_paths(ROOT / "notebooks")
NAMES = [path.stem for path in LESSONS]


def cells(path, kind=None):
    """The cells of a notebook, with the source as one string."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in found:
        cell["source"] = "".join(cell["source"])
    return [cell for cell in found if kind in (None, cell["cell_type"])]


def prose(path):
    return "\n\n".join(cell["source"] for cell in cells(path, "markdown"))


def code(path):
    return "\n\n".join(cell["source"] for cell in cells(path, "code"))


def shown(path):
    """Everything that the cells print or show as text."""
    return "\n".join(shown_by(cell) for cell in cells(path, "code"))


def shown_by(cell):
    return "\n".join("".join(o.get("text", o.get("data", {}).get("text/plain", ""))) for o in cell["outputs"])


def details(text):
    """(summary, text) of every <details> block."""
    blocks = re.findall(r"<details><summary>(.*?)</summary>(.*?)</details>", text, re.S)
    return [(summary, text.strip()) for summary, text in blocks]


def folded(path):
    return details(prose(path))


def open_prose(path):
    """What stands in view: prose without its folds."""
    return re.sub(r"(?s)<details>.*?</details>", "", prose(path))


def graded(path, numbers=r"\d+\.\w+"):
    """(number, source of the stub's cell, the folds that come before the next cell of code) of each cell
    that grades."""
    found = []
    for cell in cells(path):
        match = cell["cell_type"] == "code" and re.search(
            rf'(?m)^grade\("({numbers})", \w+\)', cell["source"]
        )
        if match:
            found.append((match.group(1), cell["source"], []))
        elif cell["cell_type"] == "code":
            found.append(None)  # what is folded behind this cell belongs to no stub
        elif found and found[-1]:
            found[-1][2].extend(details(cell["source"]))
    return [entry for entry in found if entry]


class Section:
    """What stands between two headings of level 2 or 3: its heading, prose, code, and what the code shows."""

    def __init__(self, heading):
        self.heading, self.prose, self.code, self.shown = heading, "", "", ""

    def __repr__(self):
        return self.heading


def sections(path):
    """The sections of a notebook; what comes before the first heading of level 2 is the first."""
    found = [Section("the head")]
    for cell in cells(path):
        if cell["cell_type"] == "code":
            found[-1].code += cell["source"] + "\n\n"
            found[-1].shown += shown_by(cell) + "\n"
            continue
        before, *headed = re.split(r"(?m)^(?=#{2,3} )", cell["source"])
        found[-1].prose += before + "\n\n"
        for text in headed:
            found.append(Section(text.partition("\n")[0]))
            found[-1].prose = text + "\n\n"
    return found


def remembered(function, folder):
    """The same function, whose results a folder keeps, and what it has appended to lists: the same arguments
    give the same numbers."""

    @functools.wraps(function)
    def remember(*arguments, **named):
        bound = inspect.signature(function).bind(*arguments, **named)
        bound.apply_defaults()
        asked = f"{function.__name__} {bound.arguments}"  # every digit of every number
        file = pathlib.Path(folder, hashlib.sha256(asked.encode()).hexdigest())
        lists = [value for value in bound.arguments.values() if isinstance(value, list)]
        if not file.exists():
            written = file.with_suffix(f".{os.getpid()}")
            written.write_bytes(pickle.dumps((function(*arguments, **named), lists)))
            written.replace(file)
        result, changed = pickle.loads(file.read_bytes())
        for value, after in zip(lists, changed):
            value[:] = after
        return result

    return remember


TRAININGS = """training.toy_task.train_toy training.loop.train training.stories.train_stories
lessons.lesson_18_six_steps.train_model lessons.lesson_18b_routing.train_experts
lessons.lesson_20b_digit_task.train_pictures lessons.lesson_21_circuits.train_copying
lessons.lesson_22b_policy.imitate lessons.lesson_22_tuning.dpo lessons.lesson_22_answers.tune_on_answers"""


def train_once():
    """From now on the functions that train longest find in a folder what another process has trained."""
    for name in TRAININGS.split():
        module, _, function = name.rpartition(".")
        room = importlib.import_module(f"helpers.course.{module}")
        setattr(room, function, remembered(getattr(room, function), os.environ["SIXTEEN_TRAINED"]))


@functools.cache
def trained_toy():
    """Lesson 00's training, once for all tests: the parameters behind it, and its history."""
    return remembered(train_toy, os.environ["SIXTEEN_TRAINED"])(draw_parameters(random.Random(SEED)))
