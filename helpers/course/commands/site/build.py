"""The folder of pages: JupyterLite, Pyodide, and the course's own files."""

import base64
import hashlib
import io
import json
import re
import shutil
import tarfile
import zipfile
from pathlib import Path

from ...exercises.overview import BROUGHT, stub_names, title_and_numbers
from ...lessons.contents import lesson_titles
from ...state.registry import notebook_paths
from ..answers import read_page
from ..environment import ROOT
from .archives import LIBRARY, PYTHON_FILES, TAB, with_bytecode, write
from .download import PYODIDE
from .editions import course_index, with_edition
from .offline import keep_offline
from .pages import put_reading, put_terms
from .patches import mend
from .policy import FILE_TYPES, SETTINGS, secure

COMMANDS = ROOT / "helpers/course/commands"
FROM_PUBLIC_ADDRESS = ["pyodide.asm.wasm"]  # no script of others: only what the browser can check
APPS = ["notebooks", "tree", "edit", "lab"]
KERNEL_EXTENSION = "@jupyterlite/pyodide-kernel-extension"
FIRST_PAGE = "notebooks/index.html?path=notebooks%2F00_start_here.ipynb"
MARK = "sixteen-site.json"  # stands in every folder that was made here: only such a folder is replaced
SOMETIME = "2026-01-01T00:00:00Z"
SCRIPTS = ["begin.js", "tabs.js", "update.js", "bring.js", "course.js"]  # in this order
STUCK = (
    '<p id="course-stuck" style="max-width: 40em; margin: 2em auto; padding: 0 1em; '
    'font: 16px/1.5 sans-serif">The lessons cannot start here. They need JavaScript and a web server; a page '
    "that is opened as a file has none. In the folder of these pages run "
    "<code>python3 -m http.server</code>, "
    "then open http://localhost:8000/</p>"
)


def make_pages(folder, downloads, offline):
    unpack_pages(folder, downloads["jupyterlite-core"])
    unpack_kernel(folder, downloads["jupyterlite-pyodide-kernel"])
    preloaded = put_pyodide(folder, downloads, offline)
    put_contents(folder)
    put_course(folder)
    put_terms(folder)
    put_reading(folder, notebook_paths(ROOT / "notebooks"))
    configure(folder, preloaded)
    mend(folder)
    secure(folder)
    keep_offline(folder)
    (folder / MARK).write_text(json.dumps({"offline": offline, "pyodide": PYODIDE}) + "\n", encoding="utf-8")


def unpack_pages(folder, wheel):
    """JupyterLite's pages without parts that readers do not need: source maps, build scripts, other apps."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = [name for name in files.namelist() if name.endswith(".tgz")]
        inner = files.read(name)
    left_out = re.compile(
        r"\.map$|rspack|package\.json$|schema\.v0|^(repl|consoles|doc)/|^build/(repl|consoles)/"
    )
    for name, data in members(io.BytesIO(inner)):
        if not left_out.search(name):
            write(folder / name, data)


def members(archive):
    """(name below package/, bytes) of every file of an archive as npm makes them."""
    with tarfile.open(fileobj=archive, mode="r:gz") as files:
        for member in files:
            name = member.name.partition("package/")[2]
            if member.isfile() and name and ".." not in name.split("/"):
                yield name, files.extractfile(member).read()


def unpack_kernel(folder, wheel):
    inside = f".data/data/share/jupyter/labextensions/{KERNEL_EXTENSION}/"
    with zipfile.ZipFile(wheel) as files:
        for name in files.namelist():
            place = name.partition(inside)[2]
            if place and not place.endswith((".map", "/")) and "/pypi/" not in f"/{place}":
                write(folder / "extensions" / KERNEL_EXTENSION / place, files.read(name))


def put_pyodide(folder, downloads, offline):
    """Python for the browser, and the packages that a kernel starts with; their names."""
    place = folder / "static" / "pyodide"
    with open(downloads["pyodide"], "rb") as archive:
        files = dict(members(archive))
    write(place / "core.mjs", files["pyodide.mjs"])
    shutil.copy(TAB / "pyodide.mjs", place)
    wheels = {
        path.name: path.read_bytes()
        for name, path in downloads.items()
        if path.suffix == ".whl" and "lite-" not in name
    }
    with zipfile.ZipFile(downloads["jupyterlite-pyodide-kernel"]) as inside:
        wheels |= {
            name.rpartition("/")[2]: inside.read(name)
            for name in inside.namelist()
            if re.search(r"/pypi/(ipyk|pi|pyo)\w*-", name)
        }
    files |= with_bytecode({**wheels, LIBRARY: files[LIBRARY]}, files)
    for name in [*PYTHON_FILES, *wheels]:
        write(place / name, files[name])
    lock = {"info": json.loads(files["pyodide-lock.json"])["info"], "packages": {}}
    for name in wheels:
        package = lock_entry(name, files[name])
        lock["packages"][package["name"]] = package
    write(place / "pyodide-lock.json", json.dumps(lock))
    checked = {path.name: integrity(path) for path in place.iterdir() if path.suffix not in (".mjs", ".json")}
    here = "" if offline else public_address(downloads["jupyterlite-pyodide-kernel"])
    if not offline:
        checked = {name: checked[name] for name in FROM_PUBLIC_ADDRESS}
        for name in FROM_PUBLIC_ADDRESS:
            (place / name).unlink()
    listed = {"base": here, "files": checked, "packages": sorted(lock["packages"])}
    write(place / "files.json", json.dumps(listed))
    # jedi would double the time of a start: the kernel is only told that it is there
    return [*sorted(lock["packages"]), "jedi"]


def lock_entry(file_name, data):
    """A wheel as Pyodide's lock file lists it."""
    name, version = file_name.split("-")[:2]
    return {
        "name": name.lower().replace("_", "-"),
        "version": version,
        "file_name": file_name,
        "install_dir": "site",
        "sha256": hashlib.sha256(data).hexdigest(),
        "package_type": "package",
        "imports": [],
        "depends": [],
        "unvendored_tests": False,
    }


def integrity(path):
    """What the browser compares a file with before anybody sees it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode("ascii")


def public_address(wheel):
    """Where Pyodide's makers serve it, as the kernel's package names the place; there npm's package has a
    folder of its own."""
    with zipfile.ZipFile(wheel) as files:
        text = files.read("jupyterlite_pyodide_kernel/constants.py").decode("utf-8")
    host = re.search(r'f"(https://[\w.]+)/pyodide/v\{PYODIDE_VERSION\}', text).group(1)
    return f"{host}/npm/pyodide@{PYODIDE}/"


def contents():
    """{path: bytes} of what a reader finds in the tab: the lessons, their data, the helpers, the licence."""
    found = {f"notebooks/{path.name}": path for path in notebook_paths(ROOT / "notebooks")}
    for data in ("*.txt", "*.safetensors"):
        found |= {f"notebooks/{path.name}": path for path in (ROOT / "notebooks").glob(data)}
    for path in sorted((ROOT / "helpers").rglob("*.*")):
        # the commands start programs, which a tab cannot
        if path.suffix in (".py", ".json") and COMMANDS not in path.parents:
            found[path.relative_to(ROOT).as_posix()] = path
    data = {name: path.read_bytes() for name, path in sorted({**found, "LICENSE": ROOT / "LICENSE"}.items())}
    return {name: with_edition(page) if (page := lesson(name, text)) else text for name, text in data.items()}


def lesson(name, data):
    """The page of a lesson; None for other files."""
    return read_page(data) if name.endswith(".ipynb") else None


def put_contents(folder):
    """The files themselves, and a listing of each folder."""
    listed = {"": {}}
    for name, data in contents().items():
        write(folder / "files" / name, data)
        parent = name.rpartition("/")[0]
        listed.setdefault(parent, {})[name] = entry(name, len(data))
        while parent:
            above = parent.rpartition("/")[0]
            listed.setdefault(above, {})[parent] = entry(parent, None)
            parent = above
    for name, entries in listed.items():
        model = {**entry(name, None), "format": "json", "content": [entries[key] for key in sorted(entries)]}
        write(folder / "api" / "contents" / name / "all.json", json.dumps(model))


def entry(path, size):
    """A file or folder (one without a size) as Jupyter's contents interface describes it."""
    kind = "directory" if size is None else "notebook" if path.endswith(".ipynb") else "file"
    mimetype = "application/octet-stream" if path.endswith(".safetensors") else "text/plain"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "type": kind,
        "size": size,
        "content": None,
        "format": None,
        "mimetype": mimetype if kind == "file" else None,
        "created": SOMETIME,
        "last_modified": SOMETIME,
        "writable": True,
        "hash": None,
        "hash_algorithm": None,
    }


def put_course(folder):
    """What is the course's own: the bar above the notebook, the stop button, the first page."""
    for name in [*SCRIPTS, "course.css"]:
        write(folder / "static" / "course" / name, (TAB / name).read_bytes())
    stubs = {path.name: stub_names(path) for path in notebook_paths(ROOT / "notebooks")}
    listed = [
        {"name": name, "title": title, "question": question, "exercises": list(stubs[name].items())}
        for name, title, question in lesson_titles()
    ]
    write(folder / "static" / "course" / "lessons.json", json.dumps(listed, ensure_ascii=False))
    found = contents()
    pages = {Path(name).stem: page for name, data in found.items() if (page := lesson(name, data))}
    write(folder / "static" / "course" / "exercises.json", json.dumps(course_index(pages)))
    brought = brought_to_kernel(found)
    write(folder / "static" / "course" / "helpers.json", json.dumps(brought, ensure_ascii=False))
    favicon = (folder / "notebooks" / "favicon.ico").read_bytes()
    write(folder / "favicon.ico", favicon)
    for icon in ("notebook", "file", "busy-1", "busy-2", "busy-3"):
        write(folder / "static" / "favicons" / f"favicon-{icon}.ico", favicon)
    worker = folder / "service-worker.js"
    write(worker, (TAB / "worker.js").read_bytes() + worker.read_bytes())
    first = (TAB / "index.html").read_text(encoding="utf-8").replace("FIRST_PAGE", FIRST_PAGE)
    write(folder / "index.html", first)
    put_scripts(folder / "notebooks" / "index.html", folder)
    for name in APPS:
        page = folder / name / "index.html"
        text = page.read_text(encoding="utf-8").replace("<html>", '<html lang="en">', 1)
        text = text.replace("Loading JupyterLite...", "Loading the course…")
        write(page, re.sub(r"<title>[^<]*</title>", "<title>Sixteen</title>", text, count=1))
    languages = {"en": {"displayName": "English", "nativeName": "English"}}
    for name, data in (("all", languages), ("en", {})):
        write(folder / "api" / "translations" / f"{name}.json", json.dumps({"data": data, "message": ""}))
    write(folder / "build" / "schemas" / "all_federated.json", "[]")


def brought_to_kernel(found):
    """What a kernel has in memory from its start, and the other files by name."""
    sources = {name: data.decode("utf-8") for name, data in found.items() if name.endswith(".py")}
    others = [name for name in found if name not in sources]
    known = {path.name: title_and_numbers(path) for path in notebook_paths(ROOT / "notebooks")}
    sources[f"helpers/course/exercises/{BROUGHT}"] = json.dumps(known, ensure_ascii=False)
    program = (TAB / "in_tab.py").read_text(encoding="utf-8")
    return {"program": program, "sources": sources, "others": others}


def put_scripts(page, folder):
    """The course's scripts in a page, and a sentence that stays where they cannot run."""
    config = json.loads((folder / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    head = '<link rel="stylesheet" href="../static/course/course.css">'
    head += "<style>.course #course-stuck { display: none; }</style>"
    for name in SCRIPTS:
        version = f' data-version="{config["appVersion"]}"' if name == "begin.js" else ""
        head += f'<script src="../static/course/{name}"{version}></script>'
    text = page.read_text(encoding="utf-8").replace("</head>", head + "</head>", 1)
    text = re.sub(r"(?s)<noscript>.*?</noscript>", "", text)
    write(page, re.sub(r"<body[^>]*>", lambda body: body.group() + STUCK, text, count=1))


def configure(folder, preloaded):
    path = folder / "jupyter-lite.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    (remote,) = (folder / "extensions" / KERNEL_EXTENSION / "static").glob("remoteEntry.*.js")
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": preloaded},
    }
    config["jupyter-config-data"] |= {
        "appName": "Sixteen",
        "appUrl": "./notebooks",
        "contentsAllJsonFile": "all.json",
        "exposeAppInBrowser": "true",
        "showLoadingIndicator": True,
        "federated_extensions": [
            {"name": KERNEL_EXTENSION, "extension": "./extension", "load": f"static/{remote.name}"}
        ],
        "litePluginSettings": {f"{KERNEL_EXTENSION}:kernel": kernel},
        "settingsOverrides": SETTINGS,
        "fileTypes": FILE_TYPES,
    }
    write(path, json.dumps(config, indent=1))
