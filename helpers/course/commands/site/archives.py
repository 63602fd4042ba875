"""Archives, and the bytecode that Pyodide itself compiles for them."""

import hashlib
import io
import shutil
import tempfile
import zipfile
from pathlib import Path

from .download import HERE, KEPT, PYODIDE, run_program

TAB = HERE / "tab"
LIBRARY = "python_stdlib.zip"
PYTHON_FILES = ["pyodide.asm.mjs", "pyodide.asm.wasm", LIBRARY]


def with_bytecode(archives, pyodide):
    """The same archives, {name: bytes}, with bytecode: in wheels instead of the sources, in Python's own
    library next to them.

    pyodide is {name: bytes} of its files, which do the work.
    """
    contents = {name: unzipped(data) for name, data in archives.items()}
    sources = {
        f"{name}/{path}": data
        for name, files in contents.items()
        for path, data in files.items()
        if path.endswith(".py")
    }
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
    """{path: bytecode} of {path: source}, compiled by Pyodide itself; what was compiled before is used
    again."""
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
    node = shutil.which("node") or "node"
    run_program([node, str(TAB / "compile.mjs"), str(folder)], "The packages could not be compiled")
    return folder / "compiled.zip"


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
