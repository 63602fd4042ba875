"""The notebooks as the tests read them."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from helpers.course.lessons import notebook_paths  # noqa: E402

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
    texts = []
    for cell in cells(path, "code"):
        for output in cell["outputs"]:
            texts.append("".join(output.get("text", output.get("data", {}).get("text/plain", ""))))
    return "\n".join(texts)


def folded(path):
    """(summary, text) of every <details> block."""
    blocks = re.findall(r"<details><summary>(.*?)</summary>(.*?)</details>", prose(path), re.S)
    return [(summary, text.strip()) for summary, text in blocks]
