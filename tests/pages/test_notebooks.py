"""What nbval does not look at: how the notebooks are recorded, and their form."""

import html
import json
import re

import nbformat
import pytest
from reading_time import figures, guards, stated

from notebooks import LESSONS, NAMES, cells, code, open_prose, prose

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
        if cell in code and any(len(line) > 115 for line in "".join(cell["source"]).splitlines()):
            yield f"{cell['id']}: a line that runs out of the page"
        if [o["output_type"] for o in cell.get("outputs", [])].count("stream") > 1:
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


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_recorded_as_it_should_be(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert list(problems(notebook)) == []
    nbformat.validate(nbformat.read(path, as_version=4))


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_symbols_are_folded_and_no_function_refuses_bad_input(path):
    assert "| symbol" not in open_prose(path) and guards(code(path)) == 0


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_the_head_states_about_the_time_that_a_lesson_takes(path):
    """Where it states a time: within 15 %, or 10 minutes, of what is counted."""
    told, counted = stated(path), figures(path)["minutes"]
    assert told is None or abs(told - counted) <= max(10, 0.15 * counted)


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_shows_where_the_reader_is(path):
    number = path.stem.split("_")[0] if path.stem >= "12" else path.stem[:2]
    shown = json.dumps(cells(path)).replace('\\"', '"')
    pictures = re.findall(r'alt="((?:The network|GPT-2 as)[^"]*)"', shown)
    assert not pictures or number == "00" or f"You are here: lesson {number}." in html.unescape(pictures[0])


HEAD = (
    "Run the cells from top to bottom. To jump ahead, click a later cell and choose *Run*, *Run All Above "
    "Selected Cell*."
)


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_the_head_says_in_which_order_to_run_the_cells(path):
    assert cells(path)[0]["source"].split("\n\n")[-1] == HEAD


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


def links_to_go_on(path):
    """The lessons that the last paragraph of a lesson links to, in order."""
    onward = cells(path)[-1]["source"].partition("**Next question.**")[2]
    return re.findall(r"\]\((\w+)\.ipynb\)", onward)


MAIN = [path.stem for path in LESSONS if re.match(r"\d\d_", path.stem)]
# 03b is a bridge from 03 to 14.
WALKED = [path for path in LESSONS if path.stem < MAIN[-1] and not path.stem.startswith("03b")]


@pytest.mark.parametrize("path", WALKED, ids=lambda path: path.stem)
def test_the_first_link_at_the_end_goes_to_the_next_main_lesson(path):
    """Also from a side lesson: it is an aside, and leads back."""
    later = [stem for stem in MAIN if stem[:2] > path.stem[:2]]
    assert links_to_go_on(path)[:1] == later[:1]
