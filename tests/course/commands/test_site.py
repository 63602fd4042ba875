"""`site`: the pages beside the lessons. The lessons themselves are tested in a browser (tests/browser)."""

import base64
import hashlib
import http.client
import json
import re
import subprocess
import sys
import threading

import pytest

from helpers.course.commands.site.archives import TAB
from helpers.course.commands.site.build import brought_to_kernel, contents, lesson
from helpers.course.commands.site.pages import put_terms
from helpers.course.commands.site.patches import PATCHES
from helpers.course.commands.site.policy import secure
from helpers.course.commands.site.reading import FORMULA, cell_html, output_html
from helpers.course.commands.site.server import server
from helpers.course.exercises.overview import Overview, lesson_list
from helpers.course.lessons.terms import definitions
from helpers.course.show.player import PLAYER
from notebooks import LESSONS


def test_each_term_leads_to_its_lesson(tmp_path):
    put_terms(tmp_path)
    page = (tmp_path / "terms.html").read_text(encoding="utf-8")
    assert page.count("<tr>") == 1 + len(definitions())
    linked = set(re.findall(r'href="notebooks/index\.html\?path=notebooks%2F(\w+\.ipynb)"', page))
    assert linked == {name for _, _, name in definitions()} <= {path.name for path in LESSONS}
    assert (tmp_path / "static/course/terms.js").is_file()


@pytest.mark.parametrize(
    "text, formulas",
    [("$$a\nb$$ and $x_1$", ["a\nb", "x_1"]), (r"5 $ and 6 $", []), ("costs $5 or $6", []), (r"\$a$", [])],
)
def test_what_is_a_formula(text, formulas):
    assert [found[1] or found[2] for found in FORMULA.finditer(text)] == formulas


def test_a_page_for_reading_holds_no_script():
    data = {"text/html": '<img alt="a"><script>alert(1)</script>', "text/plain": "x"}
    assert (
        output_html({"output_type": "display_data", "data": data})
        == '<div class="output"><img alt="a"></div>'
    )
    assert output_html({"output_type": "stream", "text": ["a < b"]}) == '<pre class="output">a &lt; b</pre>'
    code = {"cell_type": "code", "source": "1 < 2", "metadata": {}, "outputs": []}
    assert cell_html(code) == "<pre><code>1 &lt; 2</code></pre>"
    assert cell_html({**code, "metadata": {"jupyter": {"source_hidden": True}}}).startswith("<details>")


def test_the_policy_lets_the_scripts_of_the_pages_and_of_the_figures_run_and_no_other(tmp_path):
    (tmp_path / "static/pyodide").mkdir(parents=True)
    (tmp_path / "static/pyodide/files.json").write_text('{"base": ""}')
    (tmp_path / "index.html").write_text("<html><head><script>one()</script></head></html>")
    secure(tmp_path)
    listed = re.findall("'sha256-([^']+)'", (tmp_path / "_headers").read_text(encoding="utf-8"))
    made = [hashlib.sha256(script.encode("utf-8")).digest() for script in ("one()", PLAYER)]
    assert listed == sorted(base64.b64encode(digest).decode("ascii") for digest in made)


def test_only_notebooks_are_lessons():
    assert lesson("helpers/gpt.py", b"{}") is None
    assert lesson("notebooks/01.ipynb", b'{"cells": [{"cell_type": "code", "source": "1"}]}')


def test_every_patch_changes_something():
    assert all(old != new for _, old, new in PATCHES)


def test_no_folder_is_asked_for_a_module_of_the_helpers():
    """Each look into a folder is a question to the page, and the grader looks for 26 side lessons."""
    code = [
        (TAB / "in_tab.py").read_text(encoding="utf-8"),
        "begin({'helpers/__init__.py': '', 'helpers/a/__init__.py': 'x = 1', 'helpers/a/b.py': 'x = 1'})",
        "sys.path.append('/drive/notebooks')",
        "import json.tool, helpers.a.b",
        "print(helpers.a.b.x, importlib.util.find_spec('helpers.a.c'), importlib.util.find_spec('mine'))",
        "importlib.invalidate_caches()",
        "print(importlib.util.find_spec('helpers.a.d'), importlib.util.find_spec('json.decoder') is None)",
        "print([folder for folder in sys.path_importer_cache if folder.startswith('/drive/helpers')])",
    ]
    done = subprocess.run([sys.executable, "-I", "-c", "\n".join(code)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 None None\nNone False\n[]\n", "")


def test_in_a_tab_progress_reads_no_notebook(tmp_path):
    """Each file is a question to the page. The titles and numbers come with the helpers."""
    (tmp_path / "helpers.json").write_text(json.dumps(brought_to_kernel(contents())), encoding="utf-8")
    code = [
        "import json, pathlib, sys",
        "brought = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding='utf-8'))",
        "exec(brought['program'])",
        "begin(brought['sources'])",
        "from helpers.course.exercises import overview, passed",
        "overview.read_passes = lambda: ({'01.a': passed.Pass('01.a', '2026', 'x = 1')}, [])",
        "print(overview.my_progress().table())",
    ]
    command = [sys.executable, "-I", "-c", "\n".join(code), str(tmp_path / "helpers.json")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    table = Overview(lesson_list(LESSONS), {"01.a": None}).table()
    assert (done.stdout, done.stderr) == (table + "\n", "")


def test_a_name_that_no_file_can_have_is_not_found(tmp_path, capfd):
    (tmp_path / "_headers").write_text("/*\n  X: y\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    with server(tmp_path, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        for path, due in (("/a.txt", 200), ("/%00", 404), ("/a%00/b.txt", 404), ("/../a", 404)):
            asked = http.client.HTTPConnection("127.0.0.1", running.server_port)
            asked.request("GET", path)
            assert asked.getresponse().status == due, path
        running.shutdown()
    assert capfd.readouterr() == ("", "")
