"""Source of the mathematics for pasting: functions as they stand, everything they need, and nothing else."""

import ast
import doctest
import re
import symtable
from typing import NamedTuple

from .. import MODULES, ROOT

LICENCE = """\
# From the course Sixteen. MIT No Attribution (MIT-0): yours to use and change, no credit needed.
# A string in a signature is a shape: "T n" is T rows of n numbers. Nothing here enforces it."""


class Source(NamedTuple):
    """What the modules hold at their top level, in order: definitions, imports, and of what is public the
    first line of its docstring."""

    definitions: dict
    imports: dict
    summaries: dict


def read_source():
    """Take the modules apart without importing them."""
    source = Source({}, {}, {})
    for module in MODULES:
        text = (ROOT / "helpers" / f"{module}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                source.imports.update(import_lines(node))
            else:
                lines = own_lines(node, text.splitlines())
                source.definitions.update(dict.fromkeys(names_defined(node), lines))
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                source.summaries[node.name] = (ast.get_docstring(node) or "").partition("\n")[0]
    return source


def import_lines(node):
    """One import line for each name that is bound; none for our own modules, whose source is pasted."""
    if isinstance(node, ast.ImportFrom):
        if node.level:
            return {}
        return {a.asname or a.name: f"from {node.module} import {ast.unparse(a)}" for a in node.names}
    return {a.asname or a.name.split(".")[0]: f"import {ast.unparse(a)}" for a in node.names}


def names_defined(node):
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return []


def own_lines(node, lines):
    """The whole lines of a definition, with the comment directly above it."""
    first = node.lineno - 1
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return "\n".join(lines[first : node.end_lineno])


def names_used(text):
    """The global names that a definition mentions: in its code, its signature's strings, and its doctest."""
    examples = "".join(example.source for example in doctest.DocTestParser().get_examples(text))
    told = symtable.symtable(examples, "doctest", "exec")
    defined = {symbol.get_name() for symbol in told.get_symbols() if symbol.is_assigned()}
    mentioned = global_names(symtable.symtable(text, "definition", "exec")) | names_in_signature(text)
    return mentioned | global_names(told) - defined


def names_in_signature(text):
    """Of `parameters: "BLOCK_PARAM_SHAPES"` and `parameters: "gpt_param_shapes(config)"` the dict and the
    function."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    hints = [hint for f in functions for hint in [f.returns, *(a.annotation for a in f.args.args)] if hint]
    strings = [part.value for hint in hints for part in ast.walk(hint) if isinstance(part, ast.Constant)]
    return {name for string in strings for name in re.findall(r"^[A-Z_]{2,}$|^\w+(?=\()", string)}


def global_names(table):
    top = table.get_type() == "module"
    names = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())}
    return names.union(*(global_names(child) for child in table.get_children()))


def block_parts(names):
    """What a block is made of: sorted import lines, and {name: source} in the order of the modules."""
    source, needed, imports = read_source(), set(), set()

    def visit(name):
        if name in needed:
            return
        needed.add(name)
        for used in names_used(source.definitions[name]):
            if used in source.definitions:
                visit(used)
            elif used in source.imports:
                imports.add(source.imports[used])

    for name in names:
        visit(name)
    ordered = {name: text for name, text in source.definitions.items() if name in needed}
    return sorted(imports, key=lambda line: (line.startswith("from"), line)), ordered


def paste_block(names):
    """Source that works in an empty file: licence line, imports, what is needed, the functions."""
    imports, ordered = block_parts(names)
    head = "\n".join([LICENCE, "", *imports]).rstrip()
    return "\n\n\n".join([head, *dict.fromkeys(ordered.values())]) + "\n"


def public_functions():
    """The names that paste_block takes, in the order of the modules."""
    return list(summaries())


def summaries():
    """{name: the first line of its docstring} of what paste_block takes, in the order of the modules."""
    return read_source().summaries
