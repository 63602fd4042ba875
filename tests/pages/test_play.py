"""What a reader changes first, played from the lesson where it is changed to the end of Part I.

Everything runs on, but for checks that know the course's numbers; or it is refused in one sentence in the
lesson where it is changed, or where a lesson that cannot follow it loads its state. No figure keeps the
labels of another sentence. Long work is shortened: two steps where the lessons take hundreds, one
training for all, no table of finite differences.
"""

import contextlib
import os
import re
import shutil

import pytest
from cell_runner import run_cell

import helpers
from helpers.course.show.compare import CheckFailed
from helpers.course.state.files import StateError, unpickle
from helpers.course.state.load_and_save import check_state, differences
from helpers.course.state.registry import course_state, lesson_names
from helpers.course.training import toy_task
from notebooks import LESSONS, ROOT, cells, trained_toy

pytestmark = pytest.mark.all_only  # all lessons of Part I, run a dozen times

SHORTER = [
    (r"\b(steps|pairs)=\d\d+", r"\1=2"),
    (r"range\(-?\d{3,}(, \d{3,})?\)", "range(2)"),
    (r"range\((11|40)\)|range\((\d+), what=", "range(2)"),
    (r"\[40\]", "[-1]"),
    (r"\(1, 100\)", "(1, 2)"),
    (r"\b(512|2048)\b", "8"),
    (r"through\((\w+), 10", r"through(\1, 2"),
    (r"for _ in range\(10\)", "for _ in range(2)"),
    (r"range\(0, F, 8\)", "range(0, 8, 8)"),
    (r"for column in range\(D\)", "for column in range(2)"),
    (r"for n in \(16, 32, 64\)", "for n in (16,)"),
]
WORDS = r"<BOS>|<EOS>|<PAD>|\bI\b|\blike\b|\btransformers\b"


def sentence(words):
    return ["<BOS>", *words.split(), "<EOS>"]


OURS = sentence("I like transformers")


PART_I = [path for path in LESSONS if path.stem < "12"]


class Play:
    """The lessons from one on, run in one process with a change, in a folder of states of its own."""

    def __init__(self, folder, start="00", texts=None, lines=None):
        """texts: {old: new} to change in the lessons; lines: {name: line to run as soon as the name is
        there}."""
        self.place = start
        self.folder, self.start, self.texts, self.lines = folder, start, texts or {}, lines or {}
        self.shown, self.died, self.told, self.changed = {}, [], [], set()

    def run(self, paths=PART_I):
        for path in paths:
            if path.stem >= self.start and not self.told_to_stop():
                self.lesson(path)
        return self

    def lesson(self, path):
        os.chdir(path.parent)
        namespace = {"__name__": "__main__"}
        for i, cell in enumerate(cells(path, "code")):
            where = f"{path.stem[:3].strip('_')} cell {i} ({cell['source'].strip().splitlines()[0]:.60})"
            try:
                shown = run_cell(self.source(path, cell["source"]), namespace)
            except Exception as error:
                if ours(error) and (
                    isinstance(error, (CheckFailed, StateError)) or path.stem.startswith(self.place)
                ):
                    self.told.append((where, error))
                else:
                    self.died.append(f"{where}: {type(error).__name__}: {error}")
                if not isinstance(error, CheckFailed):
                    return
            else:
                self.shown[path.stem, i] = shown
            for name in self.lines.keys() & namespace.keys() - self.changed:
                run_cell(self.lines[name], namespace)
                self.changed.add(name)

    def source(self, path, source):
        for long, short in SHORTER:
            source = re.sub(long, short, source)
        for old, new in self.texts.items():
            if old in source:
                source = source.replace(old, new)
                self.changed.add(old)
        return source

    def told_to_stop(self):
        return self.died or any(not isinstance(error, CheckFailed) for _, error in self.told)


def ours(error):
    """One sentence of the course: a state, a check, an assert that teaches, or a ValueError from inside a
    helper."""
    last = error.__traceback__
    while last.tb_next:
        last = last.tb_next
    inside = str(ROOT / "helpers") in last.tb_frame.f_code.co_filename
    said = len(str(error)) > 20 and "\n" not in str(error)
    return said and (
        isinstance(error, (StateError, AssertionError))
        or inside
        and isinstance(error, (ValueError, TypeError))
    )


def short_training(parameters, steps=toy_task.STEPS, watched=None, **settings):
    """Whatever is trained, it ends as the one training that the tests pay for."""
    trained, history = trained_toy()
    if watched is not None:
        watched += [(0, parameters), (toy_task.STEPS, trained)]
    return trained, history[:steps]


def no_differences(function, at, *settings, **named):
    """For the whole network: the function once, for what it might say; and zeros. For a tensor: as it is."""
    if not isinstance(at, dict):
        return measured(function, at, *settings, **named)
    function(at)
    return helpers.tree_map(lambda vector: [0.0] * len(vector), at)


measured = helpers.numerical_gradient


@contextlib.contextmanager
def shortened(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIXTEEN_STATE", str(folder))
        patch.setattr(toy_task, "train_toy", short_training)
        patch.setattr(helpers, "numerical_gradient", no_differences)
        patch.chdir(ROOT)
        yield


@pytest.fixture(scope="module")
def as_it_is(tmp_path_factory):
    """Nothing changed: what the lessons show, and the states that they leave."""
    folder = tmp_path_factory.mktemp("as_it_is")
    with shortened(folder):
        return Play(folder).run()


def played(as_it_is, folder, start="00", **change):
    """Start from the states that the lessons before left."""
    for path in as_it_is.folder.glob("*.pkl"):
        if path.stem < start:
            shutil.copy(path, folder)
    with shortened(folder):
        play = Play(folder, start, **change).run()
    assert play.died or play.changed == {*play.texts, *play.lines}, (
        "a lesson does not stand as this test knows it: point the change at what it says now"
    )
    return play


def test_played_as_it_is_every_cell_runs(as_it_is):
    assert (as_it_is.died, as_it_is.told) == ([], [])


def test_the_states_stepped_branch_are_those_recomputed(as_it_is):
    """The trained network aside, which a state holds or not."""
    for name in sorted({path.stem for path in PART_I} & {*lesson_names()}):
        state = check_state(name, unpickle((as_it_is.folder / f"{name}.pkl").read_bytes()))
        trained = state.pop("trained", None)
        assert differences(state, course_state(name)) == []
        assert trained is None or trained == trained_toy()[0]


SENTENCES = ["", "like", "transformers like", "I like I"]
SPLIT = '"I like transformers".split()'


@pytest.mark.parametrize("words", SENTENCES)
def test_another_sentence(words, as_it_is, tmp_path):
    play = played(as_it_is, tmp_path, "01", texts={SPLIT: f'"{words}".split()'})
    assert play.died == []
    assert mislabelled(as_it_is, play, sentence(words)) == []


def test_a_sentence_that_is_too_long_is_refused(as_it_is, tmp_path):
    play = played(as_it_is, tmp_path, "01", texts={SPLIT: '"I like I like I".split()'})
    assert play.died == []
    assert len(play.told) == 1 and not isinstance(play.told[0][1], CheckFailed)


def test_an_unknown_word_stops_where_it_is_typed(as_it_is, tmp_path):
    """In Python's own words, which name it."""
    (died,) = played(as_it_is, tmp_path, "01", texts={SPLIT: '"I like cats".split()'}).died
    assert "split()" in died and died.endswith("ValueError: 'cats' is not in list")


def labels(shown):
    """The words of the vocabulary in what a cell shows, in order: those of a figure's rows, or of a
    table's header."""
    return re.findall(WORDS, shown.get("text", ""))


def holds(found, words):
    return any(found[i : i + len(words)] == words for i in range(len(found)))


def mislabelled(as_it_is, play, words):
    """The cells that show our sentence still, unless they name it themselves."""
    asked = [
        place
        for place, shown in as_it_is.shown.items()
        if place in play.shown and holds(labels(shown), OURS[:4])
    ]
    kept = [place for place in asked if holds(labels(play.shown[place]), OURS[:4])]
    new = [place for place in asked if holds(labels(play.shown[place]), words[:-1])]
    return [f"{lesson} cell {i}" for lesson, i in asked if (lesson, i) in kept or (lesson, i) not in new]


WEIGHTS = {
    "E_token": "E_token[3][5] = 1.5",
    "W_Q": "W_Q[0][2][3] = 1.5",
    "W_O": "W_O[1][4] = 1.5",
    "W_1": "W_1[7][2] = 1.5",
    "gamma": "gamma[4] = 2.0",
    "W_lm": "W_lm[4][0] = 1.5",
}


def test_changed_weights(as_it_is, tmp_path):
    """One in each of six tensors, where the lessons draw them."""
    play = played(as_it_is, tmp_path, "01", lines=WEIGHTS)
    assert play.died == []
    assert announced(play)


def announced(play):
    """A later lesson says that the numbers are not the course's own."""
    said = "".join(shown["printed"] for shown in play.shown.values())
    return "differs from the course's own in" in said


TEXTS = {
    "seed and sigma": (
        "00",
        {"random.Random(42).getstate()": "random.Random(7).getstate()", "sigma=0.1": "sigma=0.5"},
    ),
    "four heads of four": ("00", {'"config": toy.CONFIG': '"config": {**toy.CONFIG, "H": 4, "K": 4}'}),
    "lr": ("11", {"gradients, adamw_init(parameters))": "gradients, adamw_init(parameters), lr=0.1)"}),
}


@pytest.mark.parametrize("start, texts", TEXTS.values(), ids=TEXTS)
def test_a_changed_line(start, texts, as_it_is, tmp_path):
    play = played(as_it_is, tmp_path, start, texts=texts)
    assert play.died == []
    assert start == "11" or announced(play)


def test_four_heads_without_the_sizes_are_refused(as_it_is, tmp_path):
    """Changed in lesson 02 alone, where the state still says two heads of eight."""
    play = played(as_it_is, tmp_path, "02", lines={"k": "H, k = 4, 4"})
    assert play.died == []
    assert any(isinstance(error, StateError) for _, error in play.told)
