"""What all tests share: the project on the path, and a state folder that is not the learner's."""

import functools
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path[:0] = [
    str(ROOT / "tests"),
    *map(str, sorted((ROOT / "tests").glob("*/"))),
    *map(str, sorted((ROOT / "tests/course").glob("*/"))),
]

from helpers.course.commands.test import TRAIN_LONGEST  # noqa: E402
from notebooks import LESSONS, graded  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="also run the tests marked all_only")
    parser.addoption("--lesson", metavar="NAME", help="of the tests, only those about this lesson: 05_gelu")


def pytest_configure(config):
    for name in (
        "CI",
        "BUILD_NUMBER",
    ):  # pytest would print every difference in full, even of expected failures
        os.environ.pop(name, None)
    config.made_folders = []
    config.environment_before = {name: os.environ.get(name) for name in ("SIXTEEN_STATE", "SIXTEEN_TRAINED")}
    if "SIXTEEN_TESTED" not in os.environ:  # the test command makes a folder for the states
        os.environ["SIXTEEN_STATE"] = made_folder(config, "state-")  # kernels started by nbval inherit it
    if "SIXTEEN_TRAINED" not in os.environ:  # see course.remembered
        os.environ["SIXTEEN_TRAINED"] = made_folder(config, "trained-")
    named = named_files(config)
    own = set((ROOT / "notebooks").glob("*.ipynb")) - set(LESSONS)  # a reader's copies and notes are no tests
    config.option.ignore = [
        *(config.option.ignore or []),
        *(str(path) for path in own if path.name not in named),
    ]


def pytest_unconfigure(config):
    for folder in config.made_folders:
        shutil.rmtree(folder, ignore_errors=True)
    for name, value in config.environment_before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def made_folder(config, prefix):
    config.made_folders.append(tempfile.mkdtemp(prefix=prefix))
    return config.made_folders[-1]


def named_files(config):
    """The names of the files that the command line names."""
    arguments = [str(argument) for argument in config.invocation_params.args]
    return {pathlib.Path(a.partition("::")[0]).name for a in arguments if not a.startswith("-")}


def pytest_collection_modifyitems(config, items):
    """Deselect what belongs to --all, unless its file is named; with --lesson, what is about something
    else."""
    everything, named, lesson = config.getoption("--all"), named_files(config), config.getoption("--lesson")

    def wanted(item):
        asked_for = item.path.name in named and not lesson
        in_tier = everything or asked_for or not (item.get_closest_marker("all_only") or is_long(item))
        return in_tier and (not lesson or is_about(item, lesson))

    def is_long(item):
        number = item.path.stem.partition("_")[0]
        is_named = "notebooks" in named or item.path.stem == lesson
        return item.path.suffix == ".ipynb" and number in TRAIN_LONGEST and not is_named

    selected = [item for item in items if wanted(item)]
    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = selected


def is_about(item, lesson):
    """Whether a test has the lesson for an argument: its notebook, its name, the number of an exercise in it;
    or stands in a file named after the lesson's number.

    Tests marked every_lesson look at all lessons at once, in well under a second.
    """
    if item.path.suffix == ".ipynb":
        return item.path.stem == lesson
    if f"{item.path.stem}_".startswith(f"test_lesson_{lesson.partition('_')[0]}_"):
        return True
    if item.get_closest_marker("every_lesson"):
        return True
    arguments = item.callspec.params.values() if hasattr(item, "callspec") else ()
    paths = [value for value in arguments if isinstance(value, pathlib.Path)]
    texts = [value for value in arguments if isinstance(value, str)]
    return lesson in [path.stem for path in paths] or not {lesson, *numbers_on(lesson)}.isdisjoint(texts)


@functools.cache
def numbers_on(lesson):
    """The numbers of the exercises on a lesson's page; a side lesson goes on with those of its lesson."""
    return [number for number, *_ in graded(ROOT / f"notebooks/{lesson}.ipynb")]


@pytest.fixture
def copy_of_course(tmp_path):
    """A clean copy of what a reader clones: notebooks and helpers, without state."""
    notes = shutil.ignore_patterns("state", "my_*", ".ipynb_checkpoints")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks", ignore=notes)
    shutil.copytree(ROOT / "helpers", tmp_path / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path
