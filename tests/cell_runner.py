"""Run notebooks with the standard library alone and compare what their cells show with what is recorded.

    python tests/cell_runner.py notebooks/00_start_here.ipynb …

Needs no Jupyter, so that every Python on the machine can be asked for its digits. Prints one line of JSON
for each cell that differs and exits with 1 if there is any. Set SIXTEEN_STATE to a folder of your own, or
the state is written to notebooks/state.
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import sys


def run_cell(source, namespace):
    """Execute one cell; return its printed text, and its last expression's text and HTML."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), namespace)
        if last is not None:
            value = eval(compile(last, "<cell>", "eval"), namespace)
    result = {"printed": printed.getvalue()}
    if value is not None and not source.rstrip().endswith(";"):
        result["text"] = repr(value)
        if hasattr(value, "_repr_html_"):
            result["html"] = value._repr_html_()
    return result


def recorded(cell):
    """The same three things as the notebook file holds them."""
    result = {"printed": ""}
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            result["printed"] += "".join(output["text"])
        elif output["output_type"] == "execute_result":
            result["text"] = "".join(output["data"]["text/plain"])
            if "text/html" in output["data"]:
                result["html"] = "".join(output["data"]["text/html"])
    return result


def same(got, expected):
    """Equal up to white space: Jupyter breaks long lists into lines."""
    return got.keys() == expected.keys() and all(got[k].split() == expected[k].split() for k in got)


def differences(path):
    """Run a notebook in its folder, and give every cell that shows something else than recorded."""
    os.chdir(path.parent)
    namespace = {"__name__": "__main__"}
    cells = [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
    for cell in cells:
        source, expected = "".join(cell["source"]), recorded(cell)
        try:
            got = run_cell(source, namespace)
        except Exception as error:
            got = {"raised": f"{type(error).__name__}: {error}"}
        ignored = "nbval-ignore-output" in cell["metadata"].get("tags", []) and "raised" not in got
        if not ignored and not same(got, expected):
            place = {"notebook": path.name, "cell": cell["id"], "source": source}
            yield {**place, "got": got, "recorded": expected}


if __name__ == "__main__":
    if "SIXTEEN_TRAINED" in os.environ:  # a test has started us
        sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[:2])
        from notebooks import train_once

        train_once()
    paths = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    found = [line for path in paths for line in differences(path)]
    for line in found:
        print(json.dumps(line))
    sys.exit(bool(found))
