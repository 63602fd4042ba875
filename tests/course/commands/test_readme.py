"""The README's map, picture, sample and example; links, files and commands in all three pages."""

import re
import shlex
import shutil

import pytest
from reading_time import stated

from helpers.course import commands
from helpers.course.commands import readme
from helpers.course.lessons.contents import lesson_titles
from helpers.course.show.compare import leaves
from helpers.course.training.stories import stories_model
from notebooks import LESSONS, ROOT, prose

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", ".github/CONTRIBUTING.md", ".github/TEACHING.md", "notebooks/AGENTS.md"]
# GitHub resolves these against the repository's address
ON_GITHUB = {"../../deployments/github-pages", "../../discussions"}
FILE = re.compile(r"`((?:helpers|tests|notebooks)/[\w/.]+)`")


@pytest.mark.every_lesson
def test_course_map_and_picture_are_fresh(tmp_path):
    """Refreshing a copy changes nothing. After a change of a lesson's title, it changes the map."""
    made = ("README.md", readme.PICTURE, readme.STORY_PICTURE)
    for name in (*made, *(f"notebooks/{path.name}" for path in LESSONS)):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    readme.refresh_readme(tmp_path)
    for name in made:
        fresh = (tmp_path / name).read_bytes() == (ROOT / name).read_bytes()
        assert fresh, f"{name} is not what the lessons say: `python3 -m helpers run 00` updates it"
    lesson = tmp_path / "notebooks" / LESSONS[1].name
    lesson.write_text(lesson.read_text(encoding="utf-8").replace("# 01 ", "# 01 New "), encoding="utf-8")
    readme.refresh_readme(tmp_path)
    assert "01 New " in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_map_survives_what_readers_leave(tmp_path):
    """Copies, notes and empty files are left out. A lesson with a damaged first cell keeps its place."""
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    for path in LESSONS:
        shutil.copy(path, notebooks)
    expected = lesson_titles(ROOT)
    shutil.copy(LESSONS[3], notebooks / "03_attention-Copy1.ipynb")
    notes = '{"cells": [{"cell_type": "code", "source": "print(1)"}]}'
    (notebooks / "12_notes.ipynb").write_text(notes, encoding="utf-8")
    (notebooks / "13_empty.ipynb").touch()
    (notebooks / "14_folder.ipynb").mkdir()
    assert lesson_titles(tmp_path) == expected
    for text in ("", "[]", '{"cells": []}', '{"cells": [{"source": "# Mine"}]}', '{"cells": 1}'):
        (notebooks / LESSONS[3].name).write_text(text, encoding="utf-8")
        assert lesson_titles(tmp_path)[3] == (LESSONS[3].name, LESSONS[3].stem, "")
        assert lesson_titles(tmp_path)[:3] == expected[:3]


def test_the_story_of_the_picture_is_what_the_command_below_it_writes(capsys):
    (command,) = re.findall(r"(?m)^    python3 -m helpers (say .*?) *# prints this story$", TEXT)
    assert commands.main(shlex.split(command)) == 0
    assert re.findall(r"\w+|[.?!]", capsys.readouterr().out) == readme.STORY.split()
    assert f'--prompt "{readme.PROMPT}"' in command and f"after the words {readme.PROMPT}." in TEXT


def test_the_numbers_of_the_picture_are_attention_weights_of_the_model():
    model = stories_model()
    places = readme.words_read(model, readme.STORY.split())
    assert places[35][0] == 0 and readme.STORY.split()[35] == "mia"
    assert {readme.STORY.split()[i] for i in places} == {"ball", "bag", "red", "tom", "mia"}
    drawn = re.findall(r">(0\.\d\d|1\.00)<", (ROOT / readme.STORY_PICTURE).read_text(encoding="utf-8"))
    assert drawn == [f"{weight:.2f}" for _, weight in places.values()]
    count = sum(len(leaves(tensor)) for tensor in model["parameters"].values())
    assert f"a model of {count:,} parameters" in TEXT


def test_the_example_is_what_show_prints(capsys):
    assert commands.main(["show", readme.EXAMPLE]) == 0
    printed = capsys.readouterr().out
    assert f"python3 -m helpers show {readme.EXAMPLE}`" in TEXT and f"```python\n{printed}```" in TEXT


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert broken(text, (ROOT / page).parent) == []


def broken(text, folder):
    """The links of a page that lead nowhere: to no file, or to no heading of the page itself."""
    headings = [re.sub(r"[^\w -]", "", line).lower() for line in re.findall(r"(?m)^#+ (.*)$", text)]
    anchors = {heading.replace(" ", "-") for heading in headings}
    links = set(re.findall(r"\]\(([^)\s]+)\)", text)) - ON_GITHUB
    return sorted(x for x in links if (x[1:] not in anchors if x[0] == "#" else not (folder / x).exists()))


@pytest.mark.parametrize("page", PAGES)
def test_files_named_exist(page):
    """All but the notebook that a maintainer is told to write, and the folder that running a lesson makes."""
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = {name for name in FILE.findall(text) if not (ROOT / name).exists()} - {"notebooks/state/"}
    assert missing == set(re.findall(r"Write `(notebooks/\w+\.ipynb)`", text))


@pytest.mark.parametrize("page", PAGES)
def test_commands_named_exist(page, capsys):
    """Each command of the page exists, and its help names the option that the page gives it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"python3 -m helpers (\w+)(?: [A-Z\d][\w/]*)?(?: (--[\w-]+))?", text)
    assert named and {command for command, _ in named} <= set(commands.COMMANDS)
    for command, option in named:
        if option:
            with pytest.raises(SystemExit):
                commands.main([command, "--help"])
            assert option in capsys.readouterr().out, (command, option)


def test_the_weekend_takes_about_seven_hours():
    """The lessons that the README lists for a weekend, by the minutes that they state."""
    numbers = re.search(r"A weekend\*\*, seven to eight hours: lessons ([\d, and]+)", TEXT)[1]
    weekend = re.findall(r"\d\d", numbers)
    minutes = [stated(path) for path in LESSONS if path.name[:2] in weekend and path.name[2] == "_"]
    assert len(weekend) == len(minutes) and 340 <= sum(minutes) + 20 <= 440  # 03b takes 20
    heads = {path.name[:2] for path in LESSONS if "**Path**: a weekend" in prose(path)}
    assert heads == set(weekend), "the README and the heads of the lessons name other lessons"
