"""What goes wrong in readers' browsers: pages opened one right after the other, damaged files, refused
service workers, blocked storage, two tabs, no network.

Each profile is a fresh one, on the servers that a course is shown with: `python3 -m http.server`, and one
that lets browsers keep files for ten minutes.
"""

import contextlib
import functools
import http.server
import json
import threading
import time

import pytest
from tab import FOLDER, KERNEL, NAMES, QUIET, WIDGET, Tab, chromium, recorded, shown

OPENINGS = 3
PYTHON = "static/pyodide"


class Plain(http.server.SimpleHTTPRequestHandler):
    """What `python3 -m http.server` answers; a path in `changed` is answered otherwise."""

    changed, waits = {}, 0

    def do_GET(self):
        path = self.path.partition("?")[0].lstrip("/")
        if path == "service-worker.js":
            time.sleep(self.waits)
        if path not in self.changed:
            return super().do_GET()
        data = self.changed[path]
        if data is None:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


class MaxAge(Plain):
    """Like a server of public pages."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(0.03)
        super().do_GET()

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


class SlowWorker(Plain):
    waits = 5


class NoWorker(Plain):
    changed = {"service-worker.js": None}


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        pass  # a browser that has gone away


@contextlib.contextmanager
def served(handler):
    """The address of the site, as one kind of server answers, and the server."""
    with Server(("127.0.0.1", 0), functools.partial(handler, directory=str(FOLDER))) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://localhost:{running.server_port}/", running
        running.shutdown()


@pytest.fixture
def profile(browser, tmp_path_factory):
    """Makes browsers that have never been used; closes them at the end."""
    opened = []

    def open_browser(preferences=None):
        folder = tmp_path_factory.mktemp("profile")
        if preferences:
            (folder / "Default").mkdir()
            (folder / "Default" / "Preferences").write_text(json.dumps(preferences), encoding="utf-8")
        context = browser.browser_type.launch_persistent_context(
            str(folder),
            executable_path=chromium(),
            args=[*QUIET.split(), "--no-sandbox"],
            viewport={"width": 1400, "height": 900},
        )
        opened.append(context)
        return context

    yield open_browser
    for context in opened:
        context.close()


def first_cell(tab):
    """What the first code cell shows; nothing where all is well."""
    cells = recorded(tab.lesson)
    return shown(tab.run(next(i for i, cell in enumerate(cells) if cell["cell_type"] == "code")))


def status(tab, contains):
    """The line of the bar that tells how it is with Python, once it contains some words."""
    tab.page.wait_for_function(
        "(words) => document.getElementById('course-status')?.textContent.includes(words)",
        arg=contains,
        timeout=60_000,
    )
    return tab.page.inner_text("#course-status")


# --- pages opened one right after the other


@pytest.mark.parametrize("handler", [Plain, MaxAge, SlowWorker, NoWorker])
def test_next_at_once(handler, profile):
    """The first cell of lesson 00, then *next*: lesson 01 finds the course's folder."""
    for _ in range(OPENINGS):
        with served(handler) as (address, _server):
            tab = Tab(profile(), address).open()
            assert first_cell(tab) == []
            tab.page.click("text=next ›")
            tab.page.wait_for_url(f"**{NAMES[1]}*")
            assert first_cell(tab.ready()) == []
            if handler is NoWorker:
                assert "■ cannot stop a cell" in tab.page.inner_text("#course-note")
            tab.page.context.close()


@pytest.mark.parametrize("handler", [Plain, MaxAge])
def test_second_tab_at_once(handler, profile):
    for _ in range(OPENINGS):
        with served(handler) as (address, _server):
            tab = Tab(profile(), address).open()
            assert first_cell(tab) == []
            assert first_cell(Tab(tab.page.context, address).open(NAMES[1])) == []
            tab.page.context.close()


# --- files that are gone


def test_a_deleted_file_is_gone(fresh, address):
    """Written twice and deleted, a file does not exist: Python is told so, and does not wait."""
    tab = Tab(fresh, address).open(NAMES[0])
    lines = [
        "import os",
        "os.makedirs('state', exist_ok=True)",
        "for text in ('a', 'b'):",
        "    _ = open('state/new', 'w').write(text)",
        "    os.replace('state/new', 'state/zz.pkl')",
        "os.unlink('state/zz.pkl')",
        "print(os.path.exists('state/zz.pkl'), os.listdir('state'))",
        "try:",
        "    os.stat('state/zz.pkl')",
        "except FileNotFoundError:",
        "    print('gone')",
        "_ = open('state/zz.pkl', 'w').write('c')",
        "print(open('state/zz.pkl').read())",
    ]
    assert shown_text(tab.say("\n".join(lines))) == "False []\ngone\nc\n"


def shown_text(outputs):
    return "".join(text for kind, text in outputs if kind == "stream stdout") or str(outputs)


def test_training_twice(fresh, address):
    """Lesson 14's training, twice in one kernel, with few steps: both runs end, with the same losses."""
    tab = Tab(fresh, address).open("14_training")
    train = [
        "from helpers.course.state.names_task import course_text",
        "from helpers.course.training import loop as training_loop",
        "training_loop.KEEP_EVERY = 1  # the checkpoint is replaced after every step",
        "documents, vocab, config = course_text()",
        "run = training_loop.train(documents, config, vocab, {'steps': 3, 'warmup_steps': 1},",
        "                          keep='14_training')",
        "print(run['step'], run['history'])",
    ]
    assert "error" not in str(first_cell(tab))
    once, again = (shown_text(tab.say("\n".join(train))) for _ in range(2))
    assert once.startswith("3 [") and again == once


# --- a page that cannot work says why


@pytest.mark.parametrize("name", ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide.asm.mjs"])
@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_damaged_python(name, damage, profile):
    whole = (FOLDER / PYTHON / name).read_bytes()
    data = None if damage == "missing" else whole[: len(whole) // 2]
    handler = type("Damaged", (Plain,), {"changed": {f"{PYTHON}/{name}": data}})
    with served(handler) as (address, _server):
        tab = Tab(profile(), address)
        tab.page.goto(address)
        named = "a file of Python" if name.endswith(".mjs") else name
        assert f"{named} is missing, incomplete or changed. Reload" in status(tab, "Python cannot start")


def test_python_that_never_comes(profile):
    handler = type("Damaged", (Plain,), {"changed": {f"{PYTHON}/pyodide.mjs": None}})
    with served(handler) as (address, _server):
        tab = Tab(profile(), address)
        tab.page.goto(address)
        assert "Reload this page" in status(tab, "Python has not started after 30 seconds")


def test_storage_is_blocked(profile):
    blocked = profile({"profile": {"default_content_setting_values": {"cookies": 2}}})
    with served(Plain) as (address, _server):
        tab = Tab(blocked, address)
        tab.page.goto(address)
        assert "Allow cookies and site data" in status(tab, "blocks storage")
        assert tab.page.query_selector("#jupyterlite-loading-indicator:not(.hidden)") is None


@pytest.mark.parametrize("scripts", [True, False])
def test_opened_as_a_file(scripts, browser):
    """Not by http, and with scripts switched off."""
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto((FOLDER / "index.html").as_uri())
    page.wait_for_url("**/notebooks/index.html**")
    page.wait_for_timeout(2000)
    assert "python3 -m http.server" in page.inner_text("body") and page.is_visible("#course-stuck")
    context.close()


def test_a_word_while_python_loads(profile):
    with served(Plain) as (address, _server):
        tab = Tab(profile(), address)
        tab.page.goto(address)
        status(tab, "Python is loading, about 10 seconds")
        assert not tab.page.is_visible("#course-stuck")
        tab.ready()
        status(tab, "Run a cell with ▶ or Shift+Enter.")
        sizes = (
            "(all) => all.map((button) => Math.min(button.offsetWidth, button.offsetHeight)).filter(Boolean)"
        )
        assert min(tab.page.eval_on_selector_all(".jp-NotebookPanel-toolbar jp-button", sizes)) >= 24


# --- two tabs, and no network


def test_a_lesson_in_two_tabs(fresh, address):
    """The tab that was opened first does not replace what the other one has saved, unless it is told to."""
    first, second = (Tab(fresh, address).open(NAMES[1]) for _ in range(2))
    for tab in (first, second):
        tab.page.wait_for_selector("#course-tabs:has-text('also open in another tab')", timeout=20_000)
    second.say("'second'")
    second.save()
    first.page.wait_for_selector("#course-tabs:has-text('Another tab has saved this lesson')")
    first.say("'first'")
    first.save()
    first.page.wait_for_timeout(5000)  # longer than autosave takes
    assert kept_source(first) == "'second'"
    first.page.click("text=Replace it with this page")
    wait_until(first, lambda: kept_source(first) == "'first'")
    second.page.wait_for_selector("#course-tabs:has-text('Another tab has saved this lesson')")
    with second.page.expect_navigation():
        second.page.click("text=Show what the other tab saved")
    assert "".join(second.ready().cells()[-1]["source"]) == "'first'"


def wait_until(tab, holds, seconds=60):
    """Until something holds, on machines that do other work besides."""
    for _ in range(2 * seconds):
        if holds():
            return
        tab.page.wait_for_timeout(500)
    assert holds()


def kept_source(tab):
    """The source of the last cell as it is kept in the browser."""
    get = "(path) => jupyterapp.serviceManager.contents.get(path, { content: true })"
    kept = tab.page.evaluate(get, f"notebooks/{tab.lesson}.ipynb")
    return "".join(kept["content"]["cells"][-1]["source"])


def test_without_a_network(profile):
    """Loaded once, the course goes on when its server is gone: the next lesson, a lesson never opened, a
    restarted kernel."""
    with served(Plain) as (address, _server):
        tab = Tab(profile(), address).open()
        assert first_cell(tab) == []
        status(tab, "works offline")
    tab.page.click("text=next ›")
    tab.page.wait_for_url(f"**{NAMES[1]}*")
    assert "error" not in str([shown(cell) for cell in tab.ready().run_all()])
    assert first_cell(tab.open(NAMES[-1])) == []
    assert shown_text(tab.say("import helpers; print(helpers.__name__)")) == "helpers\n"
    assert tab.page.evaluate(f"() => {WIDGET}.context.sessionContext.restartKernel().then(() => true)")
    tab.page.wait_for_function(f"{KERNEL}?.status === 'idle'")
    assert shown_text(tab.say("print(40 + 2)")) == "42\n"


def test_what_is_kept_offline():
    """Every lesson, every helper and the whole of Python; a name for this build."""
    kept = set(json.loads((FOLDER / "static/course/offline.json").read_text(encoding="utf-8")))
    assert {f"files/notebooks/{name}.ipynb" for name in NAMES} <= kept
    assert {path.relative_to(FOLDER).as_posix() for path in (FOLDER / PYTHON).iterdir()} <= kept
    assert "sixteen-BUILD" not in (FOLDER / "service-worker.js").read_text(encoding="utf-8")
    assert (FOLDER / "favicon.ico").is_file()


# --- a newer edition

SOLVED = "def my_embedding(ids, E):\n    return [E[i] for i in ids]\n\ngrade('01.a', my_embedding)"
KEEP = """async ([path, solved]) => {
  const { contents } = jupyterapp.serviceManager;
  const { content } = await contents.get(path, { content: true });
  content.metadata.sixteen.edition = "an older one";
  for (const cell of content.cells) {
    if (solved && String(cell.source).includes('grade("01.a"')) cell.source = solved;
  }
  await contents.save(path, { type: "notebook", format: "json", content });
}"""


def test_a_newer_edition(fresh, address):
    """A page that was only read is new; an answer moves, the old page is kept, and Undo brings it back."""
    tab = Tab(fresh, address).open(NAMES[0])
    tab.page.evaluate(KEEP, [f"notebooks/{NAMES[1]}.ipynb", SOLVED])
    tab.page.evaluate(KEEP, [f"notebooks/{NAMES[2]}.ipynb", ""])
    tab.open(NAMES[1])
    assert "1 answer moved into it." in tab.page.inner_text("#course-update")
    sources = ["".join(cell["source"]) for cell in tab.cells()]
    due = ["".join(cell["source"]) for cell in recorded(NAMES[1])]
    assert [cell for cell, published in zip(sources, due, strict=True) if cell != published] == [SOLVED]
    assert f"my_{NAMES[1]}.ipynb" in tab.files("notebooks")
    assert f"my_{NAMES[2]}.ipynb" not in tab.files("notebooks")
    tab.page.on("dialog", lambda dialog: dialog.accept())
    tab.page.click("text=Undo")
    tab.page.wait_for_function("() => document.querySelector('#course-update:empty')")
    assert f"my_{NAMES[1]}.ipynb" not in tab.ready().files("notebooks")


def test_a_link_of_an_earlier_edition_opens_the_lesson_of_that_number(fresh, address):
    assert Tab(fresh, address).open(f"{NAMES[1][:2]}_an_old_name").lesson == NAMES[1]


def test_a_lesson_that_is_only_read_is_not_kept(fresh, address):
    """JupyterLite would save it, because the name of the page's Python has changed."""
    tab = Tab(fresh, address).open(NAMES[1])
    tab.page.wait_for_timeout(6000)  # longer than autosave takes
    keys = """() => new Promise((done) => {
      const request = indexedDB.open("JupyterLite Storage - /");
      request.onsuccess = () => {
        const asked = request.result.transaction("files").objectStore("files").getAllKeys();
        asked.onsuccess = () => done(asked.result);
      };
    })"""
    assert f"notebooks/{NAMES[1]}.ipynb" not in tab.page.evaluate(keys)


def test_missing_files_are_named(profile):
    for path in (f"files/notebooks/{NAMES[0]}.ipynb", "static/course/helpers.json"):
        handler = type("Damaged", (Plain,), {"changed": {path: None}})
        with served(handler) as (address, _server):
            tab = Tab(profile(), address)
            tab.page.goto(address)
            assert path.removeprefix("static/") in status(tab, "missing")
            tab.page.context.close()


def test_the_page_of_terms(fresh, address):
    page = fresh.new_page()
    page.goto(f"{address}terms.html")
    page.fill("input", "softmax")
    assert 0 < page.locator("tbody tr:visible").count() < page.locator("tbody tr").count()
    href = page.get_attribute("tbody tr:visible a", "href")
    assert Tab(fresh, address).open(href.partition("%2F")[2].removesuffix(".ipynb")).lesson in NAMES


def test_the_chat_model_s_file_is_checked_first(fresh, address, tmp_path):
    """Another file is refused in one sentence, and nothing of it is kept."""
    other = tmp_path / "other.gguf"
    other.write_bytes(b"no model")
    tab = Tab(fresh, address).open("20_chat_model")
    with tab.page.expect_file_chooser() as chooser:
        tab.page.click("text=Bring SmolLM2's file")
    chooser.value.set_files(str(other))
    tab.page.wait_for_selector("#course-file:has-text('other.gguf has 8 bytes; the file')")
    assert tab.files("notebooks/models") == []
    assert not Tab(fresh, address).open(NAMES[1]).page.is_visible("text=Bring SmolLM2's file")
