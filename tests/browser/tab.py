"""A page of the course in Chromium: what a reader sees, and the kernel behind it."""

import json
import os
import pathlib
import shutil
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from helpers.course.state.registry import notebook_paths  # noqa: E402

FOLDER = pathlib.Path(os.environ["SIXTEEN_SITE"])
LESSONS = notebook_paths(ROOT / "notebooks")
NAMES = [path.stem for path in LESSONS]
CHROMIUMS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"]
QUIET = (
    "--disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync"
)
QUIET += " --disable-domain-reliability --no-pings --disable-features=OptimizationHints,MediaRouter,Translate"
CLASSROOM = "class.example"  # a machine of the local network, asked by plain http
PATIENCE = 240_000  # milliseconds, for machines that do other work besides


def chromium():
    found = os.environ.get("SIXTEEN_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    assert found, "There is no Chromium: install one, or name it with SIXTEEN_CHROMIUM."
    return found


class Tab:
    """A page of the course: what a reader sees, and the kernel behind it."""

    def __init__(self, context, address):
        self.page, self.address, self.complaints = context.new_page(), address, []
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self.note)

    def note(self, message):
        if "Content Security Policy" in message.text or "integrity" in message.text:
            self.complaints.append(message.text)

    def open(self, lesson=None):
        path = (
            f"notebooks/index.html?path={urllib.parse.quote(f'notebooks/{lesson}.ipynb')}" if lesson else ""
        )
        self.page.goto(self.address + path)
        return self.ready()

    def ready(self):
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function(f"{KERNEL}?.status === 'idle'")
        return self

    @property
    def lesson(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.page.url).query)
        return pathlib.PurePosixPath(query["path"][0]).stem

    def command(self, name, patience=PATIENCE):
        """Do what a menu does, and wait for its end; an error where that does not come."""
        limit = "new Promise((_, fail) => setTimeout(() => fail(Error(`${name} has not ended`)), limit))"
        return self.page.evaluate(
            f"([name, limit]) => Promise.race([jupyterapp.commands.execute(name), {limit}])", [name, patience]
        )

    def run_all(self):
        self.command("notebook:run-all-cells", 4 * PATIENCE)  # lesson 16 trains for some minutes
        return self.cells()

    def cells(self):
        return self.page.evaluate(f"() => {WIDGET}.content.widgets.map((cell) => cell.model.toJSON())")

    def run(self, index):
        self.page.evaluate(f"(index) => {{ {WIDGET}.content.activeCellIndex = index; }}", index)
        self.command("notebook:run-cell")
        return self.cells()[index]

    def say(self, code):
        """Run a line of the reader's own, in a cell at the end, and give back what it printed."""
        self.page.evaluate(
            f"() => {{ {WIDGET}.content.activeCellIndex = {WIDGET}.content.widgets.length - 1; }}"
        )
        self.command("notebook:insert-cell-below")
        self.page.evaluate(
            f"(code) => {{ {WIDGET}.content.activeCell.model.sharedModel.setSource(code); }}", code
        )
        self.command("notebook:run-cell")
        return shown(self.cells()[-1])

    def save(self):
        self.command("docmanager:save")

    def files(self, folder):
        """The names in a folder of the browser's drive; none where it does not exist."""
        look = (
            "jupyterapp.serviceManager.contents.get(path, { content: true }).then((folder) => "
            "folder.content.map((file) => file.name))"
        )
        return self.page.evaluate(f"(path) => {look}.catch(() => [])", folder)


WIDGET = "[...jupyterapp.shell.widgets('main')].find((w) => w.context?.sessionContext)"
KERNEL = f"(window.jupyterapp && {WIDGET}?.context.sessionContext.session?.kernel)"


def shown(cell):
    """What a cell shows, with its streams joined: [(kind, text), ...]."""
    found = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            text = ("stream " + output["name"], "".join(output["text"]))
            if found and found[-1][0] == text[0]:
                text = (text[0], found.pop()[1] + text[1])
            found.append(text)
        elif output["output_type"] == "error":
            found.append(("error", f"{output['ename']}: {output['evalue']}"))
        else:
            data = {kind: "".join(value) for kind, value in output["data"].items()}
            if data:  # a progress line begins empty, and its words are cleared away
                found.append((output["output_type"], data))
    return found


def recorded(lesson):
    return json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))["cells"]
