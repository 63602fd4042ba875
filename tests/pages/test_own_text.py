"""A text of one's own in lessons 14 to 15c: every cell runs, and each lesson judges on the test set of lesson
14. The trainings are shortened."""

import os
import random
import re

import pytest
from cell_runner import run_cell

from helpers.course.training import loop as training_loop
from notebooks import LESSONS, cells

pytestmark = pytest.mark.all_only  # five lessons, for each of three texts

SHORTER = [
    (r'"steps": \d+', '"steps": 12'),
    (r'"warmup_steps": \d+', '"warmup_steps": 2'),
    (r"range\(20, 101, 20\)", "range(6, 13, 6)"),
    (r"\bn=5000\b", "n=50"),
    (r"\brange\((100|5000)\)", "range(8)"),
    (r"\[:128\]", "[:32]"),
]


def words(alphabet, number, seed=1):
    """So many different words of two to nine letters, each with a vowel in every second place."""
    rng, found = random.Random(seed), {}
    consonants, vowels = alphabet
    while len(found) < number:
        pairs = [rng.choice(consonants) + rng.choice(vowels) for _ in range(rng.randint(1, 4))]
        found["".join(pairs) + rng.choice(["", rng.choice(consonants)])] = None
    return list(found)


LATIN = "bcdfghjklmnprstvwxyz", "aeiou"
GREEK = "βγδθκλμνξπρστφχψ", "αεηιουω"
HARBOURS = ["Port " + word.title() for word in words(LATIN, 40)]  # capitals and spaces, no q, a few lines


def write_list(folder, lines):
    path = folder / "list.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def write_notes(folder, lines):
    """Twelve files of three kinds; each has a line that is too long for the model, and one that all have."""
    notes = folder / "notes"
    notes.mkdir()
    for i in range(12):
        mine = ["my notes", *lines[12 * i : 12 * i + 10], " ".join(lines[12 * i : 12 * i + 12])]
        text = "<p>".join(mine) if i % 3 == 0 else "\n".join(mine)
        (notes / f"note{i}.{('html', 'txt', 'md')[i % 3]}").write_text(text, "utf-8")
    return notes


TEXTS = {
    "Greek": (write_list, words(GREEK, 300)),
    "capitals and spaces": (write_list, HARBOURS),
    "a folder of notes": (write_notes, words(LATIN, 150)),
}


@pytest.fixture
def shortened(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))
    monkeypatch.setitem(training_loop.SETTINGS, "steps", 80)
    monkeypatch.setitem(training_loop.SETTINGS, "warmup_steps", 4)
    monkeypatch.chdir(tmp_path)


def run_lesson(number, change=(), until=None):
    """All names of a lesson after its last cell, or after the one that gives the name `until`."""
    (path,) = [path for path in LESSONS if path.stem.startswith(f"{number}_")]
    os.chdir(path.parent)
    namespace = {"__name__": "__main__"}
    for cell in cells(path, "code"):
        source = cell["source"]
        for old, new in SHORTER:
            source = re.sub(old, new, source)
        for old, new in change:
            source = source.replace(old, new)
        run_cell(source, namespace)
        if until in namespace:
            break
    return namespace


def train_on(path, split_seed=1):
    here = [('path = "names.txt"', f"path = {str(path)!r}"), ("// 9, 1\n", f"// 9, {split_seed}\n")]
    return run_lesson("14", here)


@pytest.mark.parametrize("write, lines", TEXTS.values(), ids=TEXTS)
def test_lessons_14_to_15c_run_with_another_text_and_judge_on_its_test_set(write, lines, shortened, tmp_path):
    path = write(tmp_path, lines)
    trained = train_on(path)
    assert len(trained["names_test"]) == len(trained["names"]) // 9
    run_lesson("14b", [('path = NOTEBOOKS / "elements.txt"', f"path = pathlib.Path({str(path)!r})")])
    hyperparameters, generation, *others = (run_lesson(number) for number in ("14c", "15", "15b", "15c"))
    for name in ("train", "val", "test"):
        assert generation[f"{name}_set"] == trained[f"names_{name}"]
        assert name == "test" or hyperparameters[f"{name}_set"] == trained[f"names_{name}"]
    for lesson in (hyperparameters, generation, *others):
        assert lesson["vocab"] == trained["names_vocab"] != [] and lesson["config"] == trained["names_config"]
    assert generation["gpt"]["step"] == 80 and {*generation["mar"]} <= {*trained["names_vocab"]}


def test_another_split_travels_too(shortened, tmp_path):
    path = write_list(tmp_path, words(LATIN, 100))
    first = train_on(path)
    second = train_on(path, split_seed=2)
    assert first["names_test"] != second["names_test"]
    assert run_lesson("15", until="test_set")["test_set"] == second["names_test"]
