"""Copies of the helpers' functions in one namespace, where some of them can be replaced by others."""

import inspect
import types


def copies(modules):
    """Everything in these modules by name, each function copied without its input checks.

    The copies call each other by name in this one dict: what is replaced in it is replaced everywhere.
    """
    names = {
        name: value for module in modules for name, value in vars(module).items() if not name.startswith("__")
    }
    for name, value in names.items():
        if inspect.isfunction(value):
            bare = inspect.unwrap(value)
            names[name] = types.FunctionType(bare.__code__, names, name, bare.__defaults__, bare.__closure__)
    return names


def rebind_defaults(names):
    """Make a function that is a default, as gelu in `activation=gelu`, the one that has its name in this
    dict."""
    for value in names.values():
        if inspect.isfunction(value) and value.__globals__ is names and value.__defaults__:
            value.__defaults__ = tuple(names.get(getattr(d, "__name__", ""), d) for d in value.__defaults__)
