"""`show`: a line on each function, names in any letters, and a recipe that works in an empty interpreter."""

import math
import subprocess
import sys

import pytest

from helpers.course import commands
from helpers.course.show.source import public_functions


def test_without_a_name_each_function_has_a_line(capsys):
    assert commands.main(["show"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == public_functions()
    assert all(len(line.split()) > 3 for line in lines)


@pytest.mark.parametrize("name", ["GELU", "gelu", "Layer-Norm"])
def test_a_name_in_any_letters_is_found(name, capsys):
    assert commands.main(["show", name]) == 0
    assert f"def {name.lower().replace('-', '_')}(" in capsys.readouterr().out


def test_an_unknown_recipe_is_a_wrong_command_line(capsys):
    assert commands.main(["show", "--recipe", "bert"]) == 2
    assert "gpt" in capsys.readouterr().err


def test_the_recipe_trains_and_writes_without_the_course(tmp_path, capsys):
    """Two steps on four lines, in an interpreter that finds neither the course nor any package."""
    assert commands.main(["show", "--recipe", "gpt"]) == 0
    program = capsys.readouterr().out.replace("steps=500", "steps=2")
    (tmp_path / "recipe.py").write_text(program, encoding="utf-8")
    (tmp_path / "my_text.txt").write_text("ada\nben\n\nida\nned\n", encoding="utf-8")
    command = [sys.executable, "-I", "-S", "recipe.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    first, *written = done.stdout.splitlines()
    loss = float(first.removeprefix("step 0: loss "))
    assert (
        done.stderr == "" and abs(loss - math.log(9)) < 0.1 and len(written) == 10
    )  # six letters, three tokens
