"""The places of JupyterLite's own code that the course needs otherwise. Its version is pinned: each
place is found exactly once."""

import re

from ..environment import Problem
from .archives import write

KERNEL = "extensions/@jupyterlite/pyodide-kernel-extension/static"
PATCHES = [
    # No page is read before update.js has moved the answers into a newer edition.
    (
        "config-utils.js",
        "document.head.appendChild(bundle);",
        "await self.course?.updated;document.head.appendChild(bundle);",
    ),
    # A kernel is made when the service worker answers, or when begin.js has given it up. Today's code looks
    # once, and a kernel made too early has no files.
    (
        f"{KERNEL}/*.js",
        "l=!!((null==i?void 0:i.enabled)||crossOriginIsolated)",
        "l=await(self.courseDrive?self.courseDrive(i):!!(i&&i.enabled))",
    ),
    (f"{KERNEL}/*.js", "loadPyodideOptions:u,", "loadPyodideOptions:{...u,hasDrive:l},"),
    # A file that is not there, or a refusal of the browser's storage, is an answer. Without one the kernel
    # waits for ever, and nothing stops it.
    (
        "build/*.js",
        "await this._driveContentsProcessor.processDriveRequest(e);",
        "await this._driveContentsProcessor.processDriveRequest(e).catch("
        r'e=>({courseError:/does not exist|Could not find/.test(String(e))?"ENOENT":"EIO"}));',
    ),
    (
        f"{KERNEL}/comlink.worker.*.js",
        "return JSON.parse(t.responseText)",
        "let r=JSON.parse(t.responseText);"
        "if(r&&r.courseError)throw new this.FS.ErrnoError(this.ERRNO_CODES[r.courseError]);return r",
    ),
]


def mend(folder):
    """Replace each of the places in a folder of pages."""
    for pattern, old, new in PATCHES:
        texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob(pattern))}
        found = [path for path, text in texts.items() if old in text]
        if len(found) != 1 or texts[found[0]].count(old) != 1:
            raise Problem(
                f"{pattern} of JupyterLite has no single {re.sub(r'[(;].*', '', old)!a}: see patches.py."
            )
        write(found[0], texts[found[0]].replace(old, new))
