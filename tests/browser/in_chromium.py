"""The course in a browser tab, in a real Chromium: what a reader without Python does.

    python3 -m helpers site --test

makes the offline site, installs what this needs beside it, and runs this file. Chromium must be
installed; SIXTEEN_CHROMIUM names another one.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import threading
import time

import pytest
from tab import CLASSROOM, FOLDER, KERNEL, NAMES, ROOT, WIDGET, Tab, recorded, shown

from helpers.course.commands import site
from helpers.course.commands.site import build
from helpers.course.commands.site.archives import unzipped
from helpers.course.commands.site.build import FROM_PUBLIC_ADDRESS
from helpers.course.commands.site.download import KEPT
from helpers.course.commands.site.server import Handler, Server, server
from helpers.course.state.registry import SIDE_LESSONS


def differences(lesson, got):
    """What a notebook shows in the tab and not in the repository, cell by cell; the cells must be the
    same ones."""
    pairs = zip(recorded(lesson), got, strict=True)
    for number, (due, cell) in enumerate(pairs):
        if due["cell_type"] != "code" or "nbval-ignore-output" in due["metadata"].get("tags", []):
            continue
        if shown(cell) != shown(due):
            yield number, "".join(due["source"])[:80], shown(cell), shown(due)


# --- the whole course


@pytest.fixture(scope="session")
def clock():
    seconds = {}
    yield seconds
    for name, spent in seconds.items():
        print(f"{name}: {spent:.1f} s")


def test_first_cell_cold(browser, address, clock):
    """From the link to the first cell's result, in a browser that has never seen the course."""
    context = browser.new_context()
    tab, start = Tab(context, address), time.monotonic()
    tab.open()
    tab.run(1)
    clock["first cell, cold"] = time.monotonic() - start
    context.close()


@pytest.mark.parametrize("lesson", NAMES)
def test_every_cell_shows_the_recorded_digits(lesson, stepping, address, clock):
    """Lesson after lesson in one browser; each leaves its state for the next."""
    tab = Tab(stepping, address).open(lesson)
    start = time.monotonic()
    got = tab.run_all()
    clock[f"Run All of {lesson}"] = time.monotonic() - start
    assert list(differences(lesson, got)) == []
    assert (f"{lesson}.pkl" in tab.files("notebooks/state")) == (lesson not in SIDE_LESSONS)
    assert tab.complaints == []
    tab.save()
    tab.page.close()


def test_one_other_digit_is_noticed():
    cells = recorded(NAMES[1])
    text = json.dumps(cells)
    assert text.count("0.2336  0.1362  0.3698") == 1
    changed = json.loads(text.replace("0.2336  0.1362  0.3698", "0.2336  0.1363  0.3698"))
    assert len(list(differences(NAMES[1], changed))) == 1


@pytest.mark.parametrize("lesson", NAMES[1:])
def test_opened_first(lesson, fresh, address):
    """In an empty browser, up to the cell that takes up what the lessons before would have left."""
    tab = Tab(fresh, address).open(lesson)
    cells = recorded(lesson)
    loads = [
        i
        for i, cell in enumerate(cells)
        if cell["cell_type"] == "code" and "load_state(" in "".join(cell["source"])
    ]
    for i in range(loads[0] + 1 if loads else 8):
        if cells[i]["cell_type"] == "code" and "nbval-ignore-output" not in cells[i]["metadata"].get(
            "tags", []
        ):
            assert shown(tab.run(i)) == shown(cells[i]), i


# --- what a reader does


def test_a_figure_moves_by_keyboard_and_under_the_pointer(fresh, address):
    tab = Tab(fresh, address).open(NAMES[1])
    cells = recorded(NAMES[1])
    (last,) = [i for i, cell in enumerate(cells) if "product_in_steps" in "".join(cell["source"])]
    for i in range(last + 1):
        if cells[i]["cell_type"] == "code":
            tab.run(i)
    tab.page.click(f".jp-Notebook .jp-Cell >> nth={last} >> summary:has-text('The answer')")
    tab.page.focus(".moves input")
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.inner_text(".moves p") == "Row 0, column 1: 1·6 + 2·8 = 22."
    tab.page.hover("[data-to='2']")
    assert tab.page.inner_text(".moves p") == "Row 1, column 0: 3·5 + 4·7 = 43."
    tab.page.keyboard.press("ArrowRight")  # under a resting pointer, which must not bring the old step back
    tab.page.wait_for_timeout(500)
    assert tab.page.inner_text(".moves p") == "Row 1, column 1: 3·6 + 4·8 = 50."
    assert tab.complaints == []


def test_from_lesson_to_lesson(fresh, address):
    """By the bar, by a link in the text, by a circle of the map, in one and the same tab; a changed state
    goes along."""
    tab = Tab(fresh, address).open()
    assert tab.lesson == NAMES[0] and "kept in this browser" in tab.page.inner_text("#course-note")
    tab.run_all()
    play = "import random; from helpers import save_state, load_state; state = load_state('00_start_here'); "
    assert "error" not in str(
        tab.say(play + "state['rng_state'] = random.Random(7).getstate(); save_state('00_start_here', state)")
    )
    tab.page.click("text=next ›")
    tab.page.wait_for_url(re.compile(NAMES[1]))
    tab.ready()
    assert "differs from the course's own in rng_state" in str([shown(cell) for cell in tab.run_all()])
    tab.page.click(".jp-Notebook .jp-Cell:last-child a:has-text('Lesson 02')")
    tab.page.wait_for_url(re.compile(NAMES[2]))
    tab.ready()
    tab.page.click("a.course-circle[aria-label^='04 ']")
    tab.page.wait_for_url(re.compile(NAMES[4]))
    tab.ready()
    tab.page.click("text=‹ previous")
    tab.page.wait_for_url(re.compile(NAMES[3]))
    tab.ready()
    assert len(fresh.pages) == 1
    assert f"{NAMES[0]}.pkl" in tab.files("notebooks/state")
    assert "Deleted the saved state of 00_start_here" in str(tab.say("import helpers; helpers.start_over()"))
    assert tab.files("notebooks/state") == []


def test_a_reload_in_the_middle(fresh, address):
    """Edits, outputs and the saved state stay; the lesson can be gone on with."""
    tab = Tab(fresh, address).open(NAMES[0])
    tab.run_all()
    tab.say("print('mine')")
    tab.save()
    tab.page.reload()
    tab.ready()
    cells = tab.cells()
    assert shown(cells[-1]) == [("stream stdout", "mine\n")]
    assert list(differences(NAMES[0], cells[:-1])) == []
    assert f"{NAMES[0]}.pkl" in tab.files("notebooks/state")
    assert "False" in str(tab.say("'network' in dir()"))
    tab.page.on("dialog", lambda dialog: dialog.accept())
    tab.page.click("text=Start afresh")
    tab.page.wait_for_function(
        f"() => window.jupyterapp && {WIDGET}?.content.widgets.length === {len(cells) - 1}"
    )


def test_what_is_passed_is_shown_in_the_bar(fresh, address):
    """As soon as it is graded, and with the next exercise; Escape closes it; a lesson's name leads there."""
    tab = Tab(fresh, address).open(NAMES[1])
    tab.page.click("#course-progress > summary")
    tab.page.wait_for_selector("#course-progress p:has-text('0 of ')")
    code = "def my_embedding(ids, E):\n    return [E[i] for i in ids]\n\ngrade('01.a', my_embedding)"
    assert "passed, 4 of 4" in str(tab.say(f"from helpers import grade\n{code}"))
    tab.page.focus("#course-progress > summary")
    tab.page.keyboard.press("Escape")
    assert not tab.page.is_visible("#course-progress li")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector(f"#course-progress p:has-text('1 of ') a[href*='{NAMES[1]}']")
    assert "Next: 01.b in 01 " in tab.page.inner_text("#course-progress p")
    assert tab.page.inner_text("#course-progress li:nth-child(2)").endswith(" 1 of 4")
    tab.say("open('state/passed/99.z.my_dot.py', 'w').write('noted by an edition with other numbers')")
    for _ in range(2):
        tab.page.click("#course-progress > summary")
    tab.page.wait_for_selector("#course-progress li:nth-child(2):has-text(' 2 of 4')")
    tab.say("import os; os.unlink('state/passed/99.z.my_dot.py')")
    assert "Next: 01.b in 01 " in str(
        tab.say("from helpers.course import exercises; exercises.my_progress()")
    )
    tab.page.click("#course-progress li:nth-child(3) a")
    tab.page.wait_for_url(re.compile(NAMES[2]))


def test_download(fresh, address):
    tab = Tab(fresh, address).open(NAMES[1])
    tab.say("'mine'")
    tab.save()
    with tab.page.expect_download() as download:
        tab.page.click("text=Download")
    notebook = json.loads(pathlib.Path(download.value.path()).read_text(encoding="utf-8"))
    assert download.value.suggested_filename == f"{NAMES[1]}.ipynb"
    assert (
        "".join(notebook["cells"][-1]["source"]) == "'mine'"
        and len(notebook["cells"]) == len(recorded(NAMES[1])) + 1
    )


def test_a_running_cell_can_be_stopped(fresh, address):
    """By the stop button, while its progress is shown; the kernel lives on, and knows what it knew."""
    tab = Tab(fresh, address).open(NAMES[0])
    tab.say("kept = 41")
    tab.page.evaluate(
        f"""() => {{
            const loop = "for i in progress(range(10**9), what='counting'):\\n    i * i";
            const code = "from helpers import progress\\n" + loop;
            {WIDGET}.content.activeCell.model.sharedModel.setSource(code);
            window.ended = jupyterapp.commands.execute("notebook:run-cell");
        }}"""
    )
    tab.page.wait_for_selector("text=/counting: 0 %, about/")
    tab.page.click("[data-jp-item-name='interrupt'] jp-button")
    tab.page.wait_for_function("() => window.ended.then(() => true)")
    assert "KeyboardInterrupt" in str(shown(tab.cells()[-1]))
    assert "42" in str(tab.say("kept + 1"))


def test_the_training_of_lesson_14_is_stopped_and_goes_on(fresh, address):
    """Live progress, the stop button, and the same cell once more: it goes on where it was."""
    tab = Tab(fresh, address).open("14_training")
    cells = recorded("14_training")
    trains = next(
        i
        for i, cell in enumerate(cells)
        if cell["cell_type"] == "code" and 'keep="14_training"' in "".join(cell["source"])
    )
    for i in range(trains):
        if cells[i]["cell_type"] == "code":
            assert "error" not in str(shown(tab.run(i)))
    begun = []
    for _ in range(2):
        tab.page.evaluate(
            (
                f"(index) => {{ {WIDGET}.content.activeCellIndex = index; window.ended = "
                f"jupyterapp.commands.execute('notebook:run-cell'); }}"
            ),
            trains,
        )
        progress = tab.page.wait_for_selector(
            "text=/step [0-9]+, loss [0-9.]+: [1-9][0-9]* %, about/"
        ).inner_text()
        begun.append(int(re.search(r"step (\d+)", progress).group(1)))
        tab.page.click("[data-jp-item-name='interrupt'] jp-button")
        tab.page.wait_for_function("() => window.ended.then(() => true)")
        (stopped,) = re.findall(
            r"Stopped after step (\d+) of 800. The run is saved: run this cell again to continue.",
            str(shown(tab.cells()[trains])),
        )
        begun.append(int(stopped))
    assert 0 < begun[0] <= begun[1] < begun[2] <= begun[3]


def test_keyboard_only(fresh, address):
    """From the link to a graded exercise without a mouse."""
    tab = Tab(fresh, address).open()
    press = tab.page.keyboard.press
    stub = next(
        i
        for i, cell in enumerate(recorded(NAMES[0]))
        if "my_loss" in "".join(cell["source"]) and "grade(" in "".join(cell["source"])
    )
    for _ in range(60):
        if tab.page.evaluate("() => !!document.activeElement.closest('.jp-Notebook')"):
            break
        press("Tab")
    assert tab.page.evaluate("() => !!document.activeElement.closest('.jp-Notebook')")
    tab.page.evaluate(
        "() => { document.activeElement.blur(); document.querySelector('.skip-link').click(); }"
    )
    assert tab.page.evaluate("() => !!document.activeElement.closest('.jp-Notebook')")
    for _ in range(stub):
        press("Shift+Enter")
        tab.page.wait_for_function(f"{KERNEL}?.status === 'idle'")
    assert tab.page.evaluate(f"() => {WIDGET}.content.activeCellIndex") == stub
    press("Enter")
    press("ControlOrMeta+a")
    tab.page.keyboard.insert_text("def my_loss(p):\n    return -math.log(p)\n\ngrade('00.a', my_loss)")
    press("Shift+Enter")
    tab.page.wait_for_function(
        f"() => JSON.stringify({WIDGET}.content.widgets[{stub}].model.toJSON().outputs).includes('passed')"
    )


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_and_a_desk(width, scheme, browser, address, tmp_path):
    """Nothing but wide tables and pictures is wider than the screen; the text is large enough; the
    colours follow the system."""
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    tab = Tab(context, address).open()
    tab.run_all()
    page = tab.page
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    narrow = page.evaluate(
        "() => Math.min(...[...document.querySelectorAll('.jp-MarkdownOutput')].map((e) => "
        "e.clientWidth).filter(Boolean))"
    )
    assert narrow >= 0.7 * min(width, 900)
    assert (
        page.evaluate(
            "() => parseFloat(getComputedStyle(document.querySelector('.jp-MarkdownOutput p')).fontSize)"
        )
        >= 14
    )
    assert page.get_attribute("body", "data-jp-theme-light") == ("true" if scheme == "light" else "false")
    if os.environ.get("SIXTEEN_SHOTS"):
        page.screenshot(path=f"{os.environ['SIXTEEN_SHOTS']}/{width}_{scheme}.png")
    context.close()


def test_a_classroom_server(fresh, address):
    """By plain http from another machine, browsers have no service worker: the lessons run, and hand
    their states on."""
    tab = Tab(fresh, address.replace("localhost", CLASSROOM)).open(NAMES[1])
    assert tab.page.evaluate("() => [isSecureContext, !!navigator.serviceWorker]") == [False, False]
    assert "restart the kernel" in tab.page.inner_text("#course-note")
    assert list(differences(NAMES[1], tab.run_all())) == []
    tab.page.wait_for_timeout(1500)
    tab.page.click("text=next ›")
    tab.page.wait_for_url(re.compile(NAMES[2]))
    tab.ready()
    assert f"{NAMES[1]}.pkl" in str(tab.say("import os; print(os.listdir('state'))"))


# --- what the folder holds, and whom it asks


class Elsewhere(Handler):
    """Another host, which lets every page read its files."""

    headers_sent = {"Access-Control-Allow-Origin": "*"}


@pytest.mark.parametrize("honest", [True, False])
def test_python_from_its_public_address(honest, fresh, tmp_path, monkeypatch):
    """Without --offline: Pyodide's WebAssembly comes from there, and one changed byte is noticed by the
    browser."""
    for name in FROM_PUBLIC_ADDRESS:
        data = (FOLDER / "static/pyodide" / name).read_bytes()
        (tmp_path / name).write_bytes(data if honest else data[:-1] + bytes([data[-1] ^ 1]))
    public = Server(("127.0.0.1", 0), lambda *a: Elsewhere(*a, directory=str(tmp_path)))
    threading.Thread(target=public.serve_forever, daemon=True).start()
    monkeypatch.setattr(build, "public_address", lambda wheel: f"http://127.0.0.1:{public.server_port}/")
    folder = site.site(tmp_path / "online", False)
    assert not any((folder / "static/pyodide" / name).exists() for name in FROM_PUBLIC_ADDRESS)
    with server(folder, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        tab = Tab(fresh, f"http://localhost:{running.server_port}/")
        if honest:
            assert "3.14" in str(tab.open(NAMES[0]).say("import sys; print(sys.version)"))
        else:
            tab.page.goto(tab.address)
            tab.page.wait_for_function(f"{KERNEL} || false")
            tab.page.wait_for_timeout(60_000)
            assert tab.page.evaluate(f"() => {KERNEL}.status") != "idle"
            checked = json.loads((folder / "static/pyodide/files.json").read_text(encoding="utf-8"))
            for name, integrity in checked["files"].items():
                ask = "([url, integrity]) => fetch(url, { integrity }).then(() => 'taken', () => 'refused')"
                assert tab.page.evaluate(ask, [checked["base"] + name, integrity]) == "refused"
        running.shutdown()
    public.shutdown()


def test_nothing_of_the_machine_is_in_it():
    """No path, user or machine name; no script but the course's and those of the pinned packages."""
    secrets = {
        str(ROOT),
        str(pathlib.Path.home()),
        str(FOLDER),
        os.environ.get("USER", ""),
        socket.gethostname(),
    }
    secrets = [word.encode() for word in secrets if len(word) > 4 and word not in ("runner", "/root")]
    for path in filter(pathlib.Path.is_file, FOLDER.rglob("*")):
        data = path.read_bytes()
        if path.suffix in (".whl", ".zip"):
            data += b"".join(unzipped(data).values())
        assert not [word for word in secrets if word in data], path


def test_a_second_build_is_the_same(tmp_path):
    """Compiled anew, too."""
    shutil.rmtree(KEPT / "compiled")
    again = site.site(tmp_path / "again", True)
    files = {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert files == {
        path.relative_to(FOLDER): path.read_bytes() for path in FOLDER.rglob("*") if path.is_file()
    }


def test_no_other_host_is_asked(browser, netlog, address):
    """The last test: what the browser has logged of every connection, of pages, workers and itself."""
    browser.close()
    lines = netlog.read_text(encoding="utf-8", errors="replace").splitlines()
    ours = re.compile(r"https?://(localhost|127\.0\.0\.1|class\.example):\d+")
    asked = [
        re.search(r'"url":"(\w+://[^/"]+)', line)
        for line in lines
        if ours.match(line.partition('"initiator":"')[2])
    ]
    hosts = {
        found.group(1) for found in asked if found
    }  # what the browser asks on its own behalf has no page as initiator
    assert hosts and {host for host in hosts if not ours.fullmatch(host)} == set()
