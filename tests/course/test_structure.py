"""How the helpers are built: who imports whom, which names there are, how long lines are."""

import ast
import functools
import graphlib
import re
import sys
from collections import defaultdict

from notebooks import ROOT

# A room imports from itself and from the rooms before it.
ROOMS = ["show", "reading", "models", "state", "training", "lessons", "exercises", "commands"]
PACKAGE = "helpers"  # its __init__.py exports the public functions of the modules and of all rooms
MAX_COLUMNS = 110
EXCEPTION = re.compile(r"#\s*fmt:")  # a comment that keeps the formatter away
QUOTED = re.compile(r"tests/published\.py")
WRONG_LIMIT = re.compile(r"_?(MOST|LEAST|FEWEST|DEEPEST|LONGEST|SHORTEST|LARGEST|SMALLEST|LIMIT)(_\w+)?")


def sources(*folders):
    """{path from the project's folder: source} of every Python file."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).glob("**/*.py"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


HELPERS = sources("helpers")
parsed = functools.cache(ast.parse)


def module_name(path):
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(files):
    """{module: the modules that it imports, anywhere in its source}; of ours by their full names."""
    own = set(map(module_name, files))
    found = {}
    for path, text in files.items():
        module, found[module_name(path)] = module_name(path), set()
        package = module.split(".") if path.endswith("/__init__.py") else module.split(".")[:-1]
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.Import):
                found[module] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) + 1 - node.level] if node.level else []
                start = ".".join([*above, *([node.module] if node.module else [])])
                parts = {f"{start}.{alias.name}" for alias in node.names}
                found[module] |= {part if part in own else start for part in parts}
    return found


def height(module):
    """0 for the mathematics, 1 for what is below the rooms, then the rooms, last what exports them."""
    if module in (PACKAGE, f"{PACKAGE}.__main__"):
        return 2 + len(ROOMS)
    parts = module.split(".")
    if parts[1] != "course":
        return 0
    return 2 + ROOMS.index(parts[2]) if parts[2:] and parts[2] in ROOMS else 1


def upward_imports(files):
    """Imports from a room below. The exercises see what a notebook sees: the package itself."""
    found = [(module, other) for module, others in imports(files).items() for other in others]
    return sorted(
        (module, other)
        for module, other in found
        if other.split(".")[0] == PACKAGE
        and (height(other) > height(module) and not (other == PACKAGE and ".exercises." in module))
    )


def circle(files):
    """The modules of a circle of imports; an empty list if there is none."""
    graph = {module: others - {module} for module, others in imports(files).items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def foreign_imports(files):
    """What is neither ours nor in the standard library."""
    known = {*sys.stdlib_module_names, PACKAGE}
    found = [(module, other) for module, others in imports(files).items() for other in others]
    return sorted((module, other) for module, other in found if other.split(".")[0] not in known)


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def private_imports(files):
    """Private names of one module that another one imports, or reads from a module that it imported."""
    found = []
    for path, text in files.items():
        nodes, modules = list(ast.walk(parsed(text))), set()
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.level or node.module.startswith(PACKAGE)):
                modules |= {alias.asname or alias.name for alias in node.names}
                found += [(path, alias.name) for alias in node.names if is_private(alias.name)]
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in modules and is_private(node.attr):
                    found.append((path, f"{node.value.id}.{node.attr}"))
    return found


def defined_twice(files):
    """{name: modules} of functions and classes. A lesson's exercises have the names of its notebook."""
    places = defaultdict(list)
    for path, text in files.items():
        for node in parsed(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name not in (
                "__getattr__",
                "__dir__",
            ):
                if "/exercises/lesson_" not in path:
                    places[node.name].append(path)
    return {name: found for name, found in places.items() if len(found) > 1}


def layout_faults(files):
    """(path, line) of each line that is too long or asks the formatter for an exception.

    Tables of quoted sentences and answers may have long lines: a change of one is to be a change of one line.
    """
    return [
        (path, number)
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > MAX_COLUMNS and not QUOTED.search(path) or EXCEPTION.search(line)
    ]


def wrong_limits(files):
    """Limits, among the constants at the top level, that do not begin with MAX_ or MIN_."""
    found = []
    for path, text in files.items():
        for node in parsed(text).body:
            for target in node.targets if isinstance(node, ast.Assign) else []:
                names = [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
                found += [(path, name) for name in names if WRONG_LIMIT.fullmatch(name)]
    return found


def test_a_room_imports_only_from_itself_and_the_rooms_below():
    assert upward_imports(HELPERS) == []
    assert {height(module) for module in imports(HELPERS)} == set(range(3 + len(ROOMS)))


def test_no_modules_import_each_other_in_a_circle():
    assert circle(HELPERS) == []


def test_only_the_standard_library_is_imported():
    """But for the files that Pythons of other environments run: Jupyter and pytest, and the reading page."""
    run_elsewhere = {"helpers.course.commands.start", "helpers.course.commands.site.reading"}
    assert {module for module, _ in foreign_imports(HELPERS)} == run_elsewhere


def test_no_module_uses_a_private_name_of_another():
    assert private_imports(HELPERS) == []


def test_no_function_is_defined_in_two_modules():
    assert defined_twice(HELPERS) == {}


def test_lines_are_short_and_the_formatter_lays_out_all_of_them():
    assert layout_faults({**HELPERS, **sources("tests")}) == []


def test_limits_are_named_max_or_min():
    assert wrong_limits({**HELPERS, **sources("tests")}) == []
