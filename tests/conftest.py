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
sys.path.insert(0, str(ROOT / "tests"))

from beside import share_the_work  # noqa: E402
from course import LESSONS  # noqa: E402
from pythons import OPENER, lines_from  # noqa: E402


def pytest_configure(config):
    for name in ("CI", "BUILD_NUMBER"):  # pytest would spell out every difference, even of near misses that fail on purpose
        os.environ.pop(name, None)
    beside_another = share_the_work(config)
    if "SIXTEEN_TESTED" not in os.environ or beside_another:  # the test command makes a folder for the states, nobody else does
        config.made_state = tempfile.mkdtemp(prefix="state-")
        config.state_before = os.environ.get("SIXTEEN_STATE")
        os.environ["SIXTEEN_STATE"] = config.made_state  # kernels started by nbval inherit it
    if not beside_another:  # they find ours
        os.environ["SIXTEEN_TRAINED"] = config.trained = tempfile.mkdtemp(prefix="trained-")  # see course.remembered
    named = {pathlib.Path(argument.partition("::")[0]).name for argument in config.invocation_params.args}
    own = set((ROOT / "notebooks").glob("*.ipynb")) - set(LESSONS)  # a reader's copies and notes are no tests
    config.option.ignore = [*(config.option.ignore or []), *(str(path) for path in own if path.name not in named)]


@pytest.fixture(scope="session")
def opened():
    """What opened_first.py says about a lesson, asked once of the Python that opens lessons first."""
    return functools.cache(lambda path: lines_from(OPENER, "opened_first.py", path)[0])


def pytest_unconfigure(config):
    shutil.rmtree(getattr(config, "trained", ""), ignore_errors=True)
    if hasattr(config, "made_state"):
        shutil.rmtree(config.made_state, ignore_errors=True)
        del os.environ["SIXTEEN_STATE"]
        if config.state_before is not None:
            os.environ["SIXTEEN_STATE"] = config.state_before


@pytest.fixture
def copy_of_course(tmp_path):
    """A clean copy of what a reader clones: notebooks and helpers, without state."""
    for folder in ("notebooks", "helpers"):
        ignored = shutil.ignore_patterns("state", "my_*", ".ipynb_checkpoints")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    return tmp_path
