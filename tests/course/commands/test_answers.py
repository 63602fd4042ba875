"""Where a reader's answers go in a newer edition: one table of cases, for Python and for the browser tab."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.course.commands import answers
from helpers.course.commands.site.editions import course_index, with_edition
from notebooks import LESSONS, ROOT

CASES = json.loads(Path(__file__).with_name("moving.json").read_text(encoding="utf-8"))
TAB = ROOT / "helpers/course/commands/site/tab"


def page(sources):
    return {"cells": [{"cell_type": "code", "source": source, "outputs": ["old"]} for source in sources]}


def codes(pages):
    return {lesson: ["".join(cell["source"]) for cell in page["cells"]] for lesson, page in pages.items()}


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_answers_find_their_places(case):
    pages = {lesson: page(sources) for lesson, sources in case["pages"].items()}
    found = [answer for lesson, sources in case["old"] for answer in answers.answers(page(sources), lesson)]
    moved = answers.move(found, pages)
    assert codes(pages) == case["after"]
    assert [[answer.number, answer.name] for answer, place in moved if not place] == case["left"]
    for lesson, sources in case["pages"].items():
        for cell, before in zip(pages[lesson]["cells"], sources, strict=True):
            assert cell["outputs"] == (["old"] if "".join(cell["source"]) == before else [])


def test_every_exercise_of_the_course_is_a_stub():
    """In every lesson: what is taken for an answer later is what a reader wrote."""
    pages = {path.stem: answers.read_page(path.read_bytes()) for path in LESSONS}
    found = [exercise for exercise in answers.exercises(pages)]
    assert len(found) > 100
    written = [
        exercise.number for exercise in found if not answers.is_unwritten("".join(exercise.cell["source"]))
    ]
    assert written == []


@pytest.mark.parametrize("data", [b"", b"<<<<<<< HEAD", b"[]", b'{"cells": [1]}', b'{"cells": []}', b"\xff"])
def test_what_is_no_notebook(data):
    assert answers.read_page(data) is None


# --- the same in the browser tab

RUN = """
const window = {}, cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
new Function("window", require("fs").readFileSync(process.argv[1], "utf8"))(window);
const cell = (source) => ({ cell_type: "code", source, outputs: ["old"] });
const page = (sources) => ({ cells: sources.map(cell) });
console.log(JSON.stringify(cases.map(({ pages, old }) => {
  const now = Object.fromEntries(Object.entries(pages).map(([lesson, sources]) => [lesson, page(sources)]));
  const found = old.flatMap(([lesson, sources]) => window.moving.answers(page(sources), lesson));
  const left = window.moving.move(found, now).map(({ number, name }) => [number, name]);
  const after = Object.entries(now).map(([lesson, { cells }]) => [lesson, cells.map(({ source }) => source)]);
  return { after: Object.fromEntries(after), left };
})));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_the_tab_finds_the_same_places():
    command = ["node", "-e", RUN, str(TAB / "update.js")]
    done = subprocess.run(command, input=json.dumps(CASES).encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    for case, found in zip(CASES, json.loads(done.stdout), strict=True):
        assert found == {"after": case["after"], "left": case["left"]}, case["what"]


PLAN = """
const window = {}, { stored, course, published } = JSON.parse(require("fs").readFileSync(0, "utf8"));
new Function("window", require("fs").readFileSync(process.argv[1], "utf8"))(window);
const files = new Map(Object.entries(stored));
window.moving.plan(files, course, async (lesson) => published[lesson]).then((found) => {
  const changes = found && Object.fromEntries([...found.changes].map(([key, value]) => [key, value ?? null]));
  console.log(JSON.stringify(found && { ...found, changes }));
});
"""


def planned(stored, lessons):
    """What the tab would change for {lesson: kept page}, where these lessons are published."""
    pages = {lesson: page(sources) for lesson, sources in lessons.items()}
    course = course_index(pages)
    given = {
        "stored": {f"notebooks/{lesson}.ipynb": {"content": content} for lesson, content in stored.items()},
        "course": course,
        "published": {name: tab_page(*i) for name, i in pages_of(lessons)},
    }
    command = ["node", "-e", PLAN, str(TAB / "update.js")]
    done = subprocess.run(command, input=json.dumps(given).encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def pages_of(lessons):
    return [(lesson, (sources, sources)) for lesson, sources in lessons.items()]


def tab_page(published, now):
    """A page of the tab that was published with some sources, and has these now."""
    found = json.loads(with_edition({**page(published), "metadata": {}}))
    return {**found, "cells": page(now)["cells"]}


STUB, DONE = 'def f(x):\n    ...\n\ngrade("01.a", f)', 'def f(x):\n    return x\n\ngrade("01.a", f)'


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_the_tab_moves_the_answers_of_a_lesson_that_has_another_name_now():
    """The page may come from an edition without marks. A notebook of the reader's own stays."""
    kept = {"01_an_old_name": page(["old text", DONE]), "12_notes": page(["x = 1"])}
    found = planned(kept, {"01_a_new_name": ["new text", STUB]})
    changes = {key[10:-6]: value and value["content"] for key, value in found["changes"].items()}
    assert changes.keys() == {"01_an_old_name", "my_01_an_old_name", "01_a_new_name"}
    assert changes["01_an_old_name"] is None and changes["my_01_an_old_name"] == kept["01_an_old_name"]
    assert codes({"": changes["01_a_new_name"]})[""] == ["new text", DONE] and found["moved"] == 1


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_what_the_tab_does_with_kept_pages():
    old, new = ["old text", STUB], ["new text", STUB]
    kept = {
        "01_read": tab_page(old, old),
        "02_solved": tab_page(old, ["old text", DONE, "my own"]),
        "my_02_solved": tab_page(old, ["an earlier copy"]),
        "03_newest": tab_page(new, ["new text", "my own"]),
        "04_damaged": {"cells": [None]},
        "05_before_editions": page(["old text", "changed, perhaps"]),
    }
    lessons = {lesson: [f"new text of {lesson}"] for lesson in kept if lesson[:2] != "my"}
    found = planned(kept, {**lessons, "02_solved": new, "03_newest": new})
    changes = {key[10:-6]: value for key, value in found["changes"].items()}
    assert changes.keys() == {
        *("01_read", "02_solved", "04_damaged", "05_before_editions"),
        *("my_02_solved-2", "my_04_damaged", "my_05_before_editions"),
    }
    gone = [lesson for lesson, value in changes.items() if value is None]  # the server has the new one
    assert gone == ["01_read", "04_damaged", "05_before_editions"]
    assert codes({"": changes["02_solved"]["content"]})[""] == ["new text", DONE]
    assert changes["my_02_solved-2"]["content"] == kept["02_solved"]
    assert found["moved"] == 1 and found["left"] == [] and found["others"]["02_solved"] == 1
    after = {**kept, **{lesson: value and value["content"] for lesson, value in changes.items()}}
    after = {lesson: content for lesson, content in after.items() if content}
    assert planned(after, {**lessons, "02_solved": new, "03_newest": new}) is None
