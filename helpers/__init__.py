"""The mathematics of the course on lists, made to be copied, and the verbs of its notebooks.

Every public function, class and constant of helpers/*.py is exported from here; helpers/course/__init__.py
lists these modules. A function with shapes in its signature checks its arguments when it is called from
outside. The verbs are check, grade, load_state, save_state and start_over; the rest of the machinery is in
helpers.course.

This file and the commands also parse on old Pythons, so that those can be told what is missing.
"""

import sys

if sys.version_info < (3, 10):
    sys.exit(
        "This course needs Python 3.10 or newer, and this is Python %d.%d: install a newer one from "
        "python.org, then run the same command with it." % tuple(sys.version_info[:2])
    )

from importlib import import_module

from .course import MODULES
from .course.argument_checks import checked, checked_on_error

VERBS = {
    "check": "show.compare",
    "grade": "exercises.grade",
    "load_state": "state.load_and_save",
    "save_state": "state.load_and_save",
    "start_over": "state.load_and_save",
}


def _public_names(module):
    """What a module defines: functions and classes of its own, and constants."""
    return {
        name: value
        for name, value in vars(module).items()
        if name.isupper() or getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
    }


def _with_checks(value):
    """A function with shapes in its signature checks its arguments; the modules keep it as it is."""
    shapes = getattr(value, "__annotations__", {}).values()
    is_function = isinstance(value, type(_with_checks)) and not hasattr(value, "is_checked")
    return checked(value) if is_function and any(isinstance(shape, str) for shape in shapes) else value


for _module in [import_module("%s.%s" % (__name__, _name)) for _name in MODULES]:
    globals().update({name: _with_checks(value) for name, value in _public_names(_module).items()})
for _name, (_forward, _backward) in OPERATIONS.items():
    OPERATIONS[_name] = checked_on_error(globals()[_forward.__name__]), _backward
Tape.watch = checked(Tape.watch)


def __getattr__(name):
    """The verbs load their machinery when they are first used."""
    if name not in VERBS:
        raise AttributeError("helpers has no %s; is it in one of the rooms of helpers.course?" % name)
    return getattr(import_module("%s.course.%s" % (__name__, VERBS[name])), name)


def __dir__():
    return sorted([*globals(), *VERBS])
