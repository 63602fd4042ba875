"""The content security policy of the pages, and the headers that go with them."""

import base64
import hashlib
import json
import re

from ...show.player import PLAYER
from .archives import write

SETTINGS = {
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # a slow save is no other writer
    "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 3, "lastModifiedCheckMargin": 60_000},
}
INLINE = re.compile(r'(?s)<script(?: type="module")?>(.*?)</script>')
FILE_TYPES = {
    name: {"name": name, "extensions": [f".{name}"], "fileFormat": kind, "mimeTypes": [mime]}
    for name, kind, mime in [
        ("py", "text", "text/x-python"),
        ("txt", "text", "text/plain"),
        ("md", "text", "text/markdown"),
        ("json", "json", "application/json"),
        ("ipynb", "json", "application/x-ipynb+json"),
        ("pkl", "base64", "application/octet-stream"),
        ("part", "base64", "application/octet-stream"),
    ]
}


def policy(pages, elsewhere=""):
    """The content policy: scripts and connections of this place alone, and of the inline scripts only
    those that stand in the pages."""
    scripts = {script for page in pages for script in INLINE.findall(page)}
    inline = sorted(f"'sha256-{script_digest(script)}'" for script in scripts)
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


def secure(folder):
    """The policy in every page, for servers that send none, and as headers to be copied."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))}
    base = json.loads((folder / "static/pyodide/files.json").read_text(encoding="utf-8"))["base"]
    inline = [*pages.values(), f"<script>{PLAYER}</script>"]  # of the figures that move
    allowed = policy(inline, base and "/".join(base.split("/")[:3]))
    for path, page in pages.items():
        if 'http-equiv="Content-Security-Policy"' not in page:
            meta = f'<meta http-equiv="Content-Security-Policy" content="{allowed}">'
            write(path, page.replace("<head>", f"<head>{meta}", 1))
    headers = {"Content-Security-Policy": f"{allowed}; frame-ancestors 'self'", **HEADERS}
    write(folder / "_headers", "/*\n" + "".join(f"  {name}: {value}\n" for name, value in headers.items()))


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
