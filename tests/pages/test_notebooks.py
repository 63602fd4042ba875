"""What nbval does not look at: how the notebooks are recorded, their form, and that each can be opened
first."""

import ast
import html
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
from pythons import OPENER, is_long, lines_from
from reading_time import figures, guards, stated

from notebooks import LESSONS, NAMES, ROOT, cells, code, open_prose, prose

SETUP = cells(LESSONS[0], "code")[0]["source"]
MACHINE = re.compile(r"/home/|/Users/|/root/|/tmp/|/mnt/|[A-Z]:\\\\|0x[0-9a-f]{6,}")
RAW_FLOAT = re.compile(r"\d\.\d{10,}|\d\.\d+e-\d\d")


def problems(notebook):
    """Everything in a recorded notebook that nbval would pass over, one line each."""
    if (notebook["nbformat"], notebook["nbformat_minor"]) != (4, 5):
        yield "not in format 4.5"
    if set(notebook["metadata"]) != {"kernelspec", "language_info"}:
        yield "metadata of the notebook besides kernelspec and language_info"
    if notebook["metadata"].get("kernelspec", {}).get("display_name") != "Python 3 (ipykernel)":
        yield "another kernel name"
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if [cell["execution_count"] for cell in code] != list(range(1, len(code) + 1)):
        yield "cells not run once each, from top to bottom"
    if "".join(code[0]["source"]) != SETUP:
        yield "the first code cell is not the one that all lessons share"
    for cell in notebook["cells"]:  # no tags: every output is compared, and running changes nothing
        allowed = {"jupyter": {"source_hidden": True}} if cell in code[:2] else {}
        if cell["metadata"] != allowed:
            yield f"{cell['id']}: metadata {cell['metadata']}, not {allowed}"
        if re.search(r"#\s*(NBVAL|PYTEST)_", "".join(cell["source"])):
            yield f"{cell['id']}: an nbval comment"
        for output in cell.get("outputs", []):
            yield from (f"{cell['id']}: {what}" for what in output_problems(output))
        if cell["cell_type"] == "code" and any(
            len(line.rstrip()) > 115 for line in "".join(cell["source"]).splitlines()
        ):
            yield f"{cell['id']}: a line that runs out of the page"
        streams = [o["output_type"] for o in cell.get("outputs", [])].count("stream")
        if streams > 1:
            yield f"{cell['id']}: streams not coalesced"


def output_problems(output):
    if output["output_type"] == "error":
        yield "a traceback"
    if output.get("name") == "stderr":
        yield "text on stderr"
    data = output.get("data", {"text/plain": output.get("text", "")})
    if set(data) - {"text/plain", "text/html"}:
        yield f"output of a kind that nbval may skip: {sorted(data)}"
    text = "".join(data.get("text/plain", ""))
    if MACHINE.search(text):
        yield "something of one machine: a path or an address"
    if RAW_FLOAT.search(text):
        yield "a raw float"
    for image in re.findall(r"<img[^>]*>", "".join(data.get("text/html", ""))):
        if not re.search(r'alt="[^"]{12,}"', image):
            yield "a picture without alt text"


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_recorded_as_it_should_be(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert list(problems(notebook)) == []
    nbformat.validate(nbformat.read(path, as_version=4))


def open_answers(found):
    """The predictions whose answer does not come folded, before the next heading or prediction; a check
    may come at once."""
    predicted = [
        (i, text)
        for i, cell in enumerate(found)
        if cell["cell_type"] == "markdown"
        for text in re.findall(r"(?im)^.*\*\*predict\*\*.*$", cell["source"])
    ]
    for i, text in predicted:
        heads = any(re.search(r"(?m)^#+ ", tail) for tail in found[i]["source"].partition(text)[2:])
        calls = []
        for cell in found[i + 1 :]:
            if cell["cell_type"] == "markdown" and re.search(r"(?im)^#+ |\*\*predict\*\*", cell["source"]):
                break
            calls += [last_call(cell["source"])] if cell["cell_type"] == "code" else []
        if heads or not ("closed" in calls or calls[:1] == ["check"]):
            yield text


def last_call(source):
    """The name of the function that a cell ends by calling; None if it ends otherwise."""
    last = ast.parse(source).body[-1]
    called = last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    return called.id if isinstance(called, ast.Name) else None


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_the_answer_to_a_prediction_is_closed(path):
    assert list(open_answers(cells(path))) == []


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_symbols_are_folded(path):
    assert "| symbol" not in open_prose(path)


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_no_function_of_a_lesson_refuses_bad_input(path):
    assert guards(code(path)) == 0


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_the_head_states_about_the_time_that_a_lesson_takes(path):
    """Where it states a time: within 15 %, or 10 minutes, of what is counted."""
    told, counted = stated(path), figures(path)["minutes"]
    assert told is None or abs(told - counted) <= max(10, 0.15 * counted)


def test_the_reading_time_of_a_page_counted_by_hand(tmp_path):
    """127 words at 120 a minute, 4 lines of 15 s, 2 pictures of 25 s, 3 options of 20 s, 12 and 5
    minutes: 20.9 minutes."""
    page = tmp_path / "00_page.ipynb"
    code = [
        'def f(x):\n    """Not counted."""\n\n    # nor this\n    ...\n\ngrade("00.1", f)',
        'grade("00.a", my_f)',
    ]
    options = "".join(
        f"<details><summary>{letter}. Yes</summary>\n\nNo. Ten.\n\n</details>" for letter in "ABC"
    )
    made = [nbformat.v4.new_markdown_cell("**Time**: about 21 minutes. " + "word " * 123 + "2 x_1" + options)]
    made += [nbformat.v4.new_code_cell(source) for source in code]
    html = {"text/html": "<table></table><img alt=''>"}
    made[-1]["outputs"] = [nbformat.v4.new_output("execute_result", html, execution_count=1)]
    nbformat.write(nbformat.v4.new_notebook(cells=made), page)
    found = {
        "cells": 3,
        "lines": 4,
        "guards": 0,
        "words": 127,
        "pictures": 2,
        "options": 3,
        "exercises": 1,
        "your turn": 1,
    }
    assert figures(page) == {**found, "minutes": 20} and stated(page) == 21


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_shows_where_the_reader_is(path):
    number = path.stem.split("_")[0] if path.stem >= "12" else path.stem[:2]
    pictures = re.findall(
        r'alt="((?:The network|GPT-2 as)[^"]*)"', json.dumps(cells(path)).replace('\\"', '"')
    )
    assert not pictures or number == "00" or f"You are here: lesson {number}." in html.unescape(pictures[0])


HEAD = (
    "Run the cells from top to bottom. To jump ahead, click a later cell and choose *Run*, *Run All Above "
    "Selected Cell*."
)


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_the_head_says_in_which_order_to_run_the_cells(path):
    assert cells(path)[0]["source"].split("\n\n")[-1] == HEAD


@pytest.mark.parametrize("path", [path for path in LESSONS if not is_long(path)], ids=lambda path: path.stem)
def test_opened_first_it_runs_on_its_own(path):
    """It is opened by another Python than that of the tests where the machine has one, so the digits are
    those of all. test_pythons.py opens the long lessons.
    """
    assert lines_from(OPENER, "cell_runner.py", path) == []


def test_a_changed_weight_is_noticed_by_the_next_lesson(copy_of_course):
    """nbval steps through all lessons, and no loader finds a difference from
    helpers/course/state/registry.py.

    So the state stepped through is the state recomputed. This is the near miss.
    """
    lesson = copy_of_course / "notebooks" / LESSONS[2].name
    text = lesson.read_text(encoding="utf-8")
    drawn = r"rng.setstate(state[\"rng_state\"])"
    assert text.count(drawn) == 1
    lesson.write_text(text.replace(drawn, "rng.seed(43)"), encoding="utf-8")
    environment = {
        **os.environ,
        "SIXTEEN_STATE": str(copy_of_course / "state"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    paths = [str(copy_of_course / "notebooks" / path.name) for path in LESSONS[2:4]]
    command = [sys.executable, str(ROOT / "tests/cell_runner.py"), *paths]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    cells = [
        cell for cell in map(json.loads, result.stdout.splitlines()) if cell["notebook"] == LESSONS[3].name
    ]
    loads = [cell for cell in cells if "load_state(" in cell["source"]]
    assert result.stderr == "" and len(loads) == 1 and len(loads[0]["got"]["printed"].splitlines()) == 1


def headings(path):
    return {h.strip().replace(" ", "-").replace("`", "") for h in re.findall(r"(?m)^#+ (.*)$", prose(path))}


def broken_links(text, folder):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        if target.startswith("https://"):
            continue
        if not (folder / file).exists() or (anchor and anchor not in headings(folder / file)):
            yield target


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_links_lead_somewhere(path):
    assert list(broken_links(prose(path), path.parent)) == []
    assert list(broken_links("[a](99_nowhere.ipynb) [b](00_start_here.ipynb#Nowhere)", path.parent)) != []
