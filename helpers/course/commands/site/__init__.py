"""`python3 -m helpers site`: the course as a folder of static files, to be run in a browser tab with nothing installed.

JupyterLite is the page, Pyodide the Python that runs in it. Both are downloaded, pinned and checked; nothing of this machine
goes into the folder. The files that are the course's own stand in `tab/`.
"""

import base64
import contextlib
import hashlib
import http.server
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from .environment import INSTALL_ALL, PATIENCE, ROOT, Problem, explain, require_ensurepip
from ..lessons.registry import notebook_paths
from .readme import lessons

HERE = Path(__file__).resolve().parent
COMMANDS = HERE.parent
PINS, TAB = HERE / "pins.txt", HERE / "tab"
KEPT = ROOT / ".site"  # downloads, the environment that makes them, and the folder that is made if none is named
PYODIDE = "314.0.6"
PYODIDE_SHA256 = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"  # of what npm packs
LIBRARY = "python_stdlib.zip"
PYTHON_FILES = ["pyodide.asm.mjs", "pyodide.asm.wasm", LIBRARY]
FROM_PUBLIC_ADDRESS = ["pyodide.asm.wasm"]  # no script of others: only what the browser can check
APPS = ["notebooks", "tree", "edit", "lab"]
KERNEL_EXTENSION = "@jupyterlite/pyodide-kernel-extension"
FIRST_PAGE = "notebooks/index.html?path=notebooks%2F00_start_here.ipynb"
MARK = "sixteen-site.json"  # stands in every folder that was made here: only such a folder is replaced
SOMETIME = "2026-01-01T00:00:00Z"
PORT = 8016
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
TYPES |= {".ipynb": "application/json", ".whl": "application/zip", ".css": "text/css", ".html": "text/html; charset=utf-8"}


def site(folder, offline):
    """Make the site in a folder; what a build before has downloaded is used again."""
    folder = Path(folder).resolve() if folder else KEPT / ("offline" if offline else "online")
    refuse_strangers_folder(folder)
    downloads = download()
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        print("Putting the pages together.", flush=True)
        build(part, downloads, offline)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    report(folder, offline)
    return folder


def refuse_strangers_folder(folder):
    """Problem unless the folder is new, empty, or one that was made here."""
    if folder == ROOT or folder in ROOT.parents:
        raise Problem(f"{folder} holds the project itself: name a folder of its own.")
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file()):
        raise Problem(f"{folder} holds something else: name a new folder, or empty it first.")


# --- downloads


def download():
    """Where the wheels and Pyodide's archive are, after fetching what is missing and checking all of it."""
    folder = KEPT / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    wheels = {}
    for name, digest in pins():
        found = [path for path in folder.glob("*.whl") if sha256(path) == digest]
        wheels[name] = found[0] if found else None
    if not all(wheels.values()):
        print(f"Downloading {len(wheels)} packages, once.", flush=True)
        fetch_wheels(folder)
        return download()
    archive = folder / f"pyodide-{PYODIDE}.tgz"
    if not (archive.is_file() and sha256(archive) == PYODIDE_SHA256):
        print("Downloading Pyodide, the Python for browsers (6 MB), once.", flush=True)
        fetch_pyodide(folder)
    return {**wheels, "pyodide": archive}


def pins():
    """(name, sha256) of every wheel."""
    lines = PINS.read_text(encoding="utf-8").splitlines()
    return [re.fullmatch(r"(\S+)==\S+ --hash=sha256:(\w{64})", line).groups() for line in lines if line[:1] not in ("", "#")]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch_wheels(folder):
    command = [own_python(), "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", "--python-version=3.14", f"--dest={folder}", f"--requirement={PINS}"]
    run_program(command, "The packages could not be downloaded")


def own_python():
    """The Python of an environment of its own, which has pip and nothing else."""
    python = KEPT / "environment" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.is_file():
        require_ensurepip()
        import venv

        shutil.rmtree(KEPT / "environment", ignore_errors=True)
        venv.EnvBuilder(symlinks=os.name != "nt", with_pip=True).create(str(KEPT / "environment"))
    return str(python)


def run_program(command, failed):
    """Run a program that downloads; Problem, with its reason, when it fails."""
    environment = {**PATIENCE, **os.environ, **INSTALL_ALL}
    done = subprocess.run(command, cwd=str(KEPT), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise Problem(f"{failed}: {explain(done.stdout.decode('utf-8', 'replace'))}, then run the same command again.")


def fetch_pyodide(folder):
    """Pyodide's archive, by npm, which knows where this machine gets its packages."""
    archive, npm = folder / f"pyodide-{PYODIDE}.tgz", shutil.which("npm")
    if not npm:
        raise Problem("npm is not installed, and Pyodide comes from it: install Node.js (it brings npm), then run the same command again.")
    run_program([npm, "pack", "--silent", f"pyodide@{PYODIDE}", f"--pack-destination={folder}"], "Pyodide could not be downloaded")
    if sha256(archive) != PYODIDE_SHA256:
        archive.unlink()
        raise Problem("What npm has downloaded is not the Pyodide that this course was tested with, and was deleted.")


# --- compiled beforehand


def with_bytecode(archives, pyodide):
    """The same archives, {name: bytes}, with bytecode: in wheels instead of the sources, in Python's own library beside them.

    pyodide is {name: bytes} of its files, which do the work.
    """
    contents = {name: unzipped(data) for name, data in archives.items()}
    sources = {f"{name}/{path}": data for name, files in contents.items() for path, data in files.items() if path.endswith(".py")}
    for place, code in compiled(sources, pyodide).items():
        name, _, path = place.partition("/")
        contents[name][path + "c"] = code
        if name != LIBRARY:  # its lines are shown where something fails
            del contents[name][path]
    return {name: zipped(files) for name, files in contents.items()}


def unzipped(data):
    """{path: bytes} of an archive, without the list of its own files."""
    with zipfile.ZipFile(io.BytesIO(data)) as files:
        return {path: files.read(path) for path in files.namelist() if not path.endswith(("/", "/RECORD"))}


def zipped(files):
    """An archive of {path: bytes}: the same bytes whenever it is made."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as into:
        for path in sorted(files):
            into.writestr(zipfile.ZipInfo(path), files[path], zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def compiled(sources, pyodide):
    """{path: bytecode} of {path: source}, compiled by Pyodide itself; what was compiled before is used again."""
    packed = zipped(sources)
    kept = KEPT / "compiled" / f"{PYODIDE}-{hashlib.sha256(packed).hexdigest()}.zip"
    if not kept.is_file():
        print("Compiling Python's library and the packages, once, so that no browser need do it.", flush=True)
        shutil.rmtree(kept.parent, ignore_errors=True)
        kept.parent.mkdir()
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            compile_all(Path(folder), packed, pyodide).replace(kept)
    return unzipped(kept.read_bytes())


def compile_all(folder, packed, pyodide):
    """Run Pyodide in Node.js, which comes with npm; the file that it makes."""
    for name in [*PYTHON_FILES, "pyodide.mjs", "pyodide-lock.json"]:
        write(folder / name, pyodide[name])
    write(folder / "sources.zip", packed)
    run_program([shutil.which("node") or "node", str(TAB / "compile.mjs"), str(folder)], "The packages could not be compiled")
    return folder / "compiled.zip"


# --- the pages


def build(folder, downloads, offline):
    unpack_pages(folder, downloads["jupyterlite-core"])
    unpack_kernel(folder, downloads["jupyterlite-pyodide-kernel"])
    preloaded = put_pyodide(folder, downloads, offline)
    put_contents(folder)
    put_course(folder)
    configure(folder, preloaded, offline)
    secure(folder, offline)
    (folder / MARK).write_text(json.dumps({"offline": offline, "pyodide": PYODIDE}) + "\n", encoding="utf-8")


def unpack_pages(folder, wheel):
    """JupyterLite's pages without what nobody opens: source maps, build scripts, other apps."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = [name for name in files.namelist() if name.endswith(".tgz")]
        inner = files.read(name)
    left_out = re.compile(r"\.map$|rspack|package\.json$|schema\.v0|^(repl|consoles|doc)/|^build/(repl|consoles)/")
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


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))


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
    wheels = {path.name: path.read_bytes() for name, path in downloads.items() if path.suffix == ".whl" and "lite-" not in name}
    with zipfile.ZipFile(downloads["jupyterlite-pyodide-kernel"]) as inside:
        wheels |= {name.rpartition("/")[2]: inside.read(name) for name in inside.namelist() if re.search(r"/pypi/(ipyk|pi|pyo)\w*-", name)}
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
    write(place / "files.json", json.dumps({"base": here, "files": checked, "packages": sorted(lock["packages"])}))
    return [*sorted(lock["packages"]), "jedi"]  # it would double the time of a start: the kernel is only told that it is there


def lock_entry(file_name, data):
    """A wheel as Pyodide's lock file lists it."""
    name, version = file_name.split("-")[:2]
    return {
        "name": name.lower().replace("_", "-"), "version": version, "file_name": file_name, "install_dir": "site",
        "sha256": hashlib.sha256(data).hexdigest(), "package_type": "package", "imports": [], "depends": [],
        "unvendored_tests": False,
    }  # fmt: skip


def integrity(path):
    """What the browser compares a file with before anybody sees it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode("ascii")


def public_address(wheel):
    """Where Pyodide's makers serve it, as the kernel's package names the place; there npm's package has a folder of its own."""
    with zipfile.ZipFile(wheel) as files:
        text = files.read("jupyterlite_pyodide_kernel/constants.py").decode("utf-8")
    host = re.search(r'f"(https://[\w.]+)/pyodide/v\{PYODIDE_VERSION\}', text).group(1)
    return f"{host}/npm/pyodide@{PYODIDE}/"


def contents():
    """{path: bytes} of what a reader finds in the tab: the lessons, their data, the helpers, the licence."""
    found = {f"notebooks/{path.name}": path for path in notebook_paths(ROOT / "notebooks")}
    found |= {f"notebooks/{path.name}": path for path in (ROOT / "notebooks").glob("*.txt")}
    for path in sorted((ROOT / "helpers").rglob("*.py")):
        if COMMANDS not in path.parents:  # they start programs, which a tab cannot
            found[path.relative_to(ROOT).as_posix()] = path
    return {name: path.read_bytes() for name, path in sorted({**found, "LICENSE": ROOT / "LICENSE"}.items())}


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
    return {
        "name": path.rpartition("/")[2], "path": path, "type": kind, "size": size, "content": None, "format": None,
        "mimetype": "text/plain" if kind == "file" else None, "created": SOMETIME, "last_modified": SOMETIME, "writable": True,
        "hash": None, "hash_algorithm": None,
    }  # fmt: skip


def put_course(folder):
    """What is the course's own: the bar above the notebook, the stop button, the first page."""
    for name in ("course.js", "course.css"):
        write(folder / "static" / "course" / name, (TAB / name).read_bytes())
    listed = [{"name": name, "title": title, "question": question} for name, title, question in lessons()]
    write(folder / "static" / "course" / "lessons.json", json.dumps(listed, ensure_ascii=False))
    found = contents()
    sources = {name: data.decode("utf-8") for name, data in found.items() if name.endswith(".py")}
    others = [name for name in found if name not in sources]
    brought = {"program": (TAB / "in_tab.py").read_text(encoding="utf-8"), "sources": sources, "others": others}
    write(folder / "static" / "course" / "helpers.json", json.dumps(brought, ensure_ascii=False))
    for icon in ("notebook", "file", "busy-1", "busy-2", "busy-3"):
        write(folder / "static" / "favicons" / f"favicon-{icon}.ico", (folder / "notebooks" / "favicon.ico").read_bytes())
    worker = folder / "service-worker.js"
    write(worker, worker.read_bytes() + (TAB / "stop.js").read_bytes())
    write(folder / "index.html", (TAB / "index.html").read_text(encoding="utf-8").replace("FIRST_PAGE", FIRST_PAGE))
    added = '<link rel="stylesheet" href="../static/course/course.css"><script src="../static/course/course.js"></script>'
    page = folder / "notebooks" / "index.html"
    write(page, page.read_text(encoding="utf-8").replace("</head>", added + "</head>", 1))
    for name in APPS:
        page = folder / name / "index.html"
        text = page.read_text(encoding="utf-8").replace("<html>", '<html lang="en">', 1).replace("Loading JupyterLite...", "Loading the course…")
        write(page, re.sub(r"<title>[^<]*</title>", "<title>Sixteen</title>", text, count=1))
    write(folder / "api" / "translations" / "all.json", json.dumps({"data": {"en": {"displayName": "English", "nativeName": "English"}}, "message": ""}))
    write(folder / "api" / "translations" / "en.json", json.dumps({"data": {}, "message": ""}))
    write(folder / "build" / "schemas" / "all_federated.json", "[]")


def configure(folder, preloaded, offline):
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
        "federated_extensions": [{"name": KERNEL_EXTENSION, "extension": "./extension", "load": f"static/{remote.name}"}],
        "litePluginSettings": {f"{KERNEL_EXTENSION}:kernel": kernel},
        "settingsOverrides": SETTINGS,
        "fileTypes": FILE_TYPES,
    }
    write(path, json.dumps(config, indent=1))


SETTINGS = {
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 3, "lastModifiedCheckMargin": 60_000},  # a slow save is no other writer
}
FILE_TYPES = {
    name: {"name": name, "extensions": [f".{name}"], "fileFormat": kind, "mimeTypes": [mime]}
    for name, kind, mime in [
        ("py", "text", "text/x-python"), ("txt", "text", "text/plain"), ("md", "text", "text/markdown"), ("json", "json", "application/json"),
        ("ipynb", "json", "application/x-ipynb+json"), ("pkl", "base64", "application/octet-stream"), ("part", "base64", "application/octet-stream"),
    ]
}  # fmt: skip


# --- what a browser may do with the pages


def policy(pages, offline, elsewhere=""):
    """The content policy: scripts and connections of this place alone, and of the inline scripts only those that stand in the pages."""
    inline = sorted({f"'sha256-{script_digest(script)}'" for page in pages for script in re.findall(r"(?s)<script>(.*?)</script>|<script type=\"module\">(.*?)</script>", page) for script in [script[0] or script[1]]})
    here = f"'self' {elsewhere}".strip()
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", "'wasm-unsafe-eval'", "'unsafe-eval'", *inline]),
        "worker-src": "'self'",
        "connect-src": here,
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def script_digest(script):
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def secure(folder, offline):
    """The policy in every page, for servers that send none, and beside them as headers to be copied."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    base = json.loads((folder / "static/pyodide/files.json").read_text(encoding="utf-8"))["base"]
    allowed = policy(pages.values(), offline, base and "/".join(base.split("/")[:3]))
    for path, page in pages.items():
        if "http-equiv=\"Content-Security-Policy\"" not in page:
            write(path, page.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{allowed}">', 1))
    headers = {"Content-Security-Policy": f"{allowed}; frame-ancestors 'self'", **HEADERS}
    write(folder / "_headers", "/*\n" + "".join(f"  {name}: {value}\n" for name, value in headers.items()))


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


# --- tested


def test_site(folder, offline):
    """Run the lessons of an offline site in a real Chromium; what that needs is installed beside the downloads."""
    folder = site(folder, True)
    python, asked = own_python(), ROOT / "tests" / "browser"
    run_program([python, "-m", "pip", "install", "--quiet", f"--requirement={asked / 'requirements.txt'}"], "What the tests need could not be installed")
    environment = {**os.environ, "SIXTEEN_SITE": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-m", "pytest", "-c", str(asked / "pytest.ini"), "-p", "no:cacheprovider", "-x", "-s", "-v", str(asked / "in_chromium.py")]
    return subprocess.run(command, cwd=str(ROOT), env=environment).returncode


# --- told and shown


def report(folder, offline):
    """What was made, how large it is, and how to go on."""
    parts = {"Python for the browser": "static/pyodide", "the pages": "build", "lessons and helpers": "files"}
    sizes = {what: size(folder / place) for what, place in parts.items()}
    whole = size(folder)
    print(f"{folder} is ready: {megabytes(whole)} ({', '.join(f'{what} {megabytes(n)}' for what, n in sizes.items())}).")
    if offline:
        print("It asks no other host for anything. It must be served by http: opened as files, it shows nothing. (By plain http from another machine, all but the stop button works.)")
    else:
        print("Its Python comes from Pyodide's public address, and the browser checks it. For a place without internet: --offline")
    print("To look at it here: python3 -m helpers site --serve" + (" --offline" if offline else ""))


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of one folder, with the types and headers that the pages need; no listings."""

    headers_sent = {}
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def end_headers(self):
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def list_directory(self, path):
        self.send_error(404)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        """Says nothing of a browser that has gone away."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


def server(folder, port=PORT):
    """A server of a folder for this machine alone."""
    lines = (folder / "_headers").read_text(encoding="utf-8").splitlines()[1:]
    headers = dict(line.strip().split(": ", 1) for line in lines)
    handler = type("FolderHandler", (Handler,), {"headers_sent": headers})
    with contextlib.suppress(OSError):
        return Server(("127.0.0.1", port), lambda *a: handler(*a, directory=str(folder)))
    raise Problem(f"Port {port} is taken: close what uses it. (The address stays the same, because what you do is kept with it.)")


def serve(folder, port=PORT):
    """Show a folder on this machine alone, until Ctrl-C."""
    with server(folder, port) as running:
        print(f"Open http://localhost:{running.server_port}/ in a browser of this machine. To stop, press Ctrl-C here.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            running.serve_forever()
    print("Stopped.")
