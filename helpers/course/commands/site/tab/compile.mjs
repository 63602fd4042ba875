// Compiles Python's sources with the Python that will run them: `node compile.mjs FOLDER`, which holds Pyodide and
// sources.zip and gets compiled.zip. In a reader's tab the compiler would take a third of the wait for the first cell.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const PROGRAM = `
import importlib.util, marshal, zipfile
header = importlib.util.MAGIC_NUMBER + bytes([1]) + bytes(11)  # never compared with a source
with zipfile.ZipFile("/sources.zip") as sources, zipfile.ZipFile("/compiled.zip", "w") as compiled:
    for path in sources.namelist():
        code = compile(sources.read(path), path, "exec", dont_inherit=True, optimize=0)
        compiled.writestr(path, header + marshal.dumps(code))
`;

const folder = resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")));
const pyodide = await loadPyodide({ env: { PYTHONHASHSEED: "0" } }); // the same bytes each time
pyodide.FS.writeFile("/sources.zip", readFileSync(join(folder, "sources.zip")));
pyodide.runPython(PROGRAM);
writeFileSync(join(folder, "compiled.zip"), pyodide.FS.readFile("/compiled.zip"));
