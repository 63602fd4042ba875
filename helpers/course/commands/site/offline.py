"""What the browser keeps, so that the lessons also work without a network."""

import hashlib
import json
import re

from .archives import write

# Pages and fonts that no lesson opens, and what only the server or the browser itself reads.
LEFT_OUT = re.compile(
    r"^(lab|tree|edit)/|^build/(lab|tree|edit)/|^build/.*\.(eot|svg|ttf)$|licenses"
    r"|^service-worker\.js$|^_headers$|^sixteen\.html$"
)


def keep_offline(folder):
    """The list of files that the service worker keeps, and this build's name in the worker."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in paths]
    python = json.loads((folder / "static/pyodide/files.json").read_text(encoding="utf-8"))
    elsewhere = [python["base"] + name for name in python["files"]] if python["base"] else []
    kept = [name for name in names if not LEFT_OUT.search(name)] + elsewhere
    write(folder / "static" / "course" / "offline.json", json.dumps(kept))
    whole = hashlib.sha256()
    for name, path in zip(names, paths, strict=True):
        whole.update(f"{name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    worker = folder / "service-worker.js"
    program, build = worker.read_text(encoding="utf-8"), f"sixteen-{whole.hexdigest()[:16]}"
    write(worker, program.replace("sixteen-BUILD", build))
