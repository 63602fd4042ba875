"""`python3 -m helpers show`: functions of the mathematics, ready to be pasted."""

import inspect

from ..show.source import paste_block, public_functions, summaries
from .names import unknown
from .recipe_gpt import train_small_gpt

RECIPES = {"gpt": train_small_gpt}
# The last lines of a recipe: what the reader changes first.
START = """

with open("my_text.txt", encoding="utf-8") as file:  # short lines: names, dishes, verses
    {}([line.strip() for line in file if line.strip()])
"""


def show_functions(options):
    """Print functions or a recipe so that they can be pasted; without a name, a line on each of them."""
    if options.recipe:
        print(recipe_text(options.recipe))
    elif options.names:
        known = public_functions()
        print(paste_block([known_name(name, known) for name in options.names]).rstrip())
    else:
        width = max(map(len, public_functions()))
        print("\n".join(f"{name:{width}}  {summary}" for name, summary in summaries().items()))


def known_name(name, known):
    """The function that a name means, in whatever letters it is written; Misuse if there is none."""
    by_letters = {function.lower(): function for function in known}
    asked = name.lower().replace("-", "_")
    if asked not in by_letters:
        raise unknown("function to show named", name, known)
    return by_letters[asked]


def recipe_text(name):
    """A program that needs nothing of the course: the functions that it calls, then its own lines."""
    program = RECIPES.get(name)
    if program is None:
        raise unknown("recipe", name, list(RECIPES))
    called = [name for name in public_functions() if name in program.__code__.co_names]
    called += [name for part in program.__code__.co_consts if inspect.iscode(part) for name in part.co_names]
    block = paste_block([name for name in public_functions() if name in called])
    imports = "" if "\nimport random\n" in block else "import random\n"
    head, blank, rest = block.partition("\n\n")
    return (
        f"{head}\n\n{imports}{rest}\n\n{inspect.getsource(program)}{START.format(program.__name__)}".rstrip()
    )


def show_arguments(parser):
    parser.add_argument("names", nargs="*", metavar="NAME", help="a function; default: list them all")
    parser.add_argument("--recipe", metavar="RECIPE", help="a whole program to paste: " + ", ".join(RECIPES))
