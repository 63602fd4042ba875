"""One student's notebook, judged in a process of its own: `grade_class` starts this program.

The student's function runs with the lesson's cells and the student's cells that it needs, and no others. The
verdict is the judge's own; what a cell prints is thrown away.
"""

import ast
import contextlib
import json
import linecache
import os
import re
import symtable
import sys
from pathlib import Path

MEMORY, FILE_SIZE = 4 << 30, 100 << 20  # bytes
ANSWER = "answer.py"  # stands in place of a file name in a sentence about a line


class Cell:
    """A cell of code with the names that it reads (uses) and those that it binds or changes (gives)."""

    def __init__(self, source, number=0):
        self.source = plain_python(source)
        self.file = f"<cell {number} of the answer>"
        self.tree = ast.parse(self.source)
        scopes = [symtable.symtable(self.source, "cell", "exec")]
        for scope in scopes:
            scopes += scope.get_children()
        top = scopes[0].get_symbols()
        inside = [symbol for scope in scopes[1:] for symbol in scope.get_symbols() if symbol.is_global()]
        self.uses = {symbol.get_name() for symbol in [*top, *inside] if symbol.is_referenced()}
        self.gives = {symbol.get_name() for symbol in top if symbol.is_assigned() or symbol.is_imported()}
        self.gives |= {name for node in self.tree.body for name in changed_names(node)}


def plain_python(source):
    """The source without the lines that only IPython understands, such as %time and !ls."""
    with contextlib.suppress(SyntaxError):
        ast.parse(source)
        return source
    return re.sub(r"(?m)^([ \t]*)(?:[%!?]|\w+ = [%!]).*|^.*\w\?+$", r"\1pass", source)


def changed_names(node):
    """The lists and dicts that a statement changes: `table` of `table[0] = 1` and of `table.append(1)`."""
    for part in ast.walk(node):
        inner = part.func.value if is_method_call(part) else part
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            inner = part.value
        while isinstance(inner, (ast.Subscript, ast.Attribute)):
            inner = inner.value
        if inner is not part and isinstance(inner, ast.Name):
            yield inner.id


def is_method_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def parsed(sources):
    """The cells that are Python."""
    for number, source in enumerate(sources, 1):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            yield Cell(source, number)


def graded_function(cell, number):
    """What a cell hands to `grade("01.a", …)`, as an expression; None if it does not."""
    found = None
    for node in ast.walk(cell.tree):
        if is_grade_call(node) and isinstance(node.args[0], ast.Constant) and node.args[0].value == number:
            found = node.args[1]
    return found


def is_grade_call(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "grade" and len(node.args) > 1


def needed(wanted, cells):
    """The cells that give the wanted names, and those that give what these use, in their order."""
    chosen = []
    while True:
        found = [cell for cell in cells if cell.gives & wanted]
        if len(found) == len(chosen):
            return found
        chosen, wanted = found, wanted.union(*(cell.uses for cell in found))


def judge_answer(number, lesson, notebook, judge):
    """(kind, sentences): the judge's verdict on the function that a notebook gives for an exercise."""
    line = f'grade("{number}"'
    own = [source for source in notebook if source not in lesson]
    if not any(line in source for source in own):  # the stub is untouched, and judged as it is
        own = [source for source in notebook if source not in lesson or line in source]
    own = list(parsed(own))
    places = [i for i, cell in enumerate(own) if graded_function(cell, number)]
    if not places:
        return "look", "the cell with its grade line is not Python"
    last = places[-1]
    expression = graded_function(own[last], number)
    wanted = Cell(ast.unparse(expression)).uses
    before = [*parsed(before_stub(number, lesson)), *own[: last + 1]]
    cells = needed(wanted, before)
    given = set().union(*(cell.gives for cell in cells))
    missing = wanted.union(*(cell.uses for cell in cells)) - given
    names = namespace()
    for cell in [*needed(missing, own[last + 1 :]), *cells]:
        run_cell(cell, names)
    try:
        function = eval(compile(ast.Expression(expression), ANSWER, "eval"), names)
    except Exception as error:
        return "look", f"{type(error).__name__}: {error}"
    verdict = judge(number, function)
    return verdict.kind, verdict.said


def before_stub(number, lesson):
    """The lesson's cells before the stub of an exercise."""
    stub = next(i for i, source in enumerate(lesson) if f'grade("{number}"' in source)
    return lesson[:stub]


def namespace():
    """What a cell finds in a notebook, but for the kernel."""
    return {"__name__": "__main__", "display": lambda *values, **named: None, "get_ipython": lambda: None}


def run_cell(cell, names):
    """Run a cell statement by statement, without its grade lines. One that fails costs only itself."""
    linecache.cache[cell.file] = len(cell.source), None, cell.source.splitlines(keepends=True), cell.file
    for node in cell.tree.body:
        if isinstance(node, ast.Expr) and is_grade_call(node.value):
            continue
        with contextlib.suppress(BaseException):
            exec(compile(ast.Module([node], []), cell.file, "exec"), names)


# --- the process


def limit():
    """Bounds for what a cell can use, where the system has them."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))


def channel():
    """The pipe to the grading process. From now on the usual outputs lead nowhere."""
    told, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")
    return open(told, "w", encoding="utf-8")


def judge_what_is_asked():
    from ..exercises.judge import exercise_with, judge
    from ..lessons.contents import cell_sources

    asked, told = json.load(sys.stdin), channel()
    for number in asked["numbers"]:
        exercise_with(number)  # all that judges is loaded before a cell runs
    lesson = cell_sources(Path(asked["lesson"]))
    limit()
    for number in asked["numbers"]:
        try:
            kind, text = judge_answer(number, lesson, asked["cells"], judge)
        except Exception as error:
            kind, text = "look", f"it cannot be judged: {type(error).__name__}: {error}"
        print(json.dumps([asked["token"], number, kind, text[:2000]]), file=told, flush=True)
    os._exit(0)


if __name__ == "__main__":
    judge_what_is_asked()
