"""The forward pass of a Llama with the reader's functions, each compared with ours in a tiny Llama first."""

import ast
import contextlib
import copy
import difflib
import io
import json
import random

from ...llama import llama_param_sizes
from ...parameters import random_matrix
from .. import ROOT
from ..models.smollm2 import fast, fast_names
from ..state.registry import notebook_paths
from . import EXERCISES
from .in_network import apart, in_words, ordinal
from .judge import fault_of, is_stub, raised, short_repr

TINY = {
    "vocab_size": 11,
    "n_embd": 24,
    "n_layer": 2,
    "n_head": 6,
    "n_kv_head": 2,
    "n_inner": 20,
    "rope_base": 10000.0,
    "eps": 1e-5,
}
TOKENS = [3, 1, 4, 1, 5]
LESSON = "20"
OTHER_NAMES = {"grouped_attention": "grouped_query_attention"}  # where an exercise has another name


class Different(Exception):
    """The reader's function gives something else than ours; the message says where."""


def llama_with(forward, /, **functions):
    """A copy of llama_forward with the reader's functions in it: llama_with(llama_forward, rope=my_rope).

    Prints whose functions are in it. What gives something else than ours in a tiny Llama stays out. The copy
    is a function forward(config, parameters, tokens, cache) without input checks.
    """
    known, lines, own = fast_names(), [], {}
    for name, function in functions.items():
        if name not in known or not callable(known[name]):
            near = difflib.get_close_matches(name, known, n=1)
            lines.append(f"A Llama calls no {name}{f'; did you mean {near[0]}?' if near else '.'}")
        elif not callable(function):
            lines.append(f"{name}: give the function itself, not {short_repr(function, 40)}.")
        elif not is_stub(function):
            try:
                in_tiny({name: function})
                own[name] = function
            except Different as different:
                lines.append(f"{different} Ours is in place.")
    stubs = [name for name, function in functions.items() if callable(function) and is_stub(function)]
    if stubs:
        lines.append(f"{in_words(stubs)}: not tried yet, ours {'is' if len(stubs) == 1 else 'are'} in place.")
    if own:
        lines.append(f"Yours in the forward pass: {in_words(list(own))}.")
    print("\n".join(lines))
    return fast(forward, **own)


def in_tiny(own):
    """Run a tiny Llama with these functions; Different if one of them differs from ours. How often each was
    called."""
    rng, calls = random.Random(42), dict.fromkeys(own, 0)
    weights = {
        name: random_matrix(rng, *size, 0.5)
        if len(size) == 2
        else [rng.uniform(0.5, 2) for _ in range(size[0])]
        for name, size in llama_param_sizes(TINY).items()
    }
    names, known = fast_names(), fast_names()
    names.update({name: compared(name, function, known[name], calls) for name, function in own.items()})
    forward = names["llama_forward"]  # every function in it looks its names up there
    _, cache = forward(TINY, weights, TOKENS[:-1])
    forward(TINY, weights, TOKENS[-1:], cache)
    unused = [name for name in own if not calls[name]]
    if unused:
        raise Different(f"The forward pass does not call {in_words(unused)}.")


def compared(name, function, ours, calls):
    """The reader's function, whose every result is compared with that of ours."""

    def watch(*arguments, **named):
        calls[name] += 1
        where = f"The {ordinal(calls[name])} call of {name}"
        try:
            got = function(*copy.deepcopy(arguments), **named)
        except Exception as error:
            raise Different(f"{where} went wrong. {raised(error, function)}") from None
        if got is None:
            raise Different(f"{where} returned None.")
        difference = apart(got, due := ours(*arguments, **named))
        if difference:
            raise Different(f"{where} first differs from ours{difference}")
        return due

    return watch


def yours(number, function):
    """The reader's function if it passes its exercise, else ours: yours("20.c", my_answer)."""
    with contextlib.redirect_stdout(io.StringIO()):
        passed = callable(function) and not is_stub(function) and passes(function, number)
    return function if passed else EXERCISES[number].solution


# --- what the reader wrote in earlier lessons


def my_answers():
    """{name: function} of the reader's own functions in the saved notebooks of earlier lessons.

    Those that a Llama calls and that pass their exercise: my_softmax of lesson 03 is softmax. Prints which.
    """
    found, lessons = {}, {}
    for path in notebook_paths(ROOT / "notebooks"):
        lesson = path.stem.partition("_")[0]
        if lesson < LESSON:
            for name, function in answers_of_notebook(path):
                found[name], lessons[name] = function, lesson
    said = [f"{name} (lesson {lessons[name]})" for name in found]
    print(
        f"Found: {in_words(said)}."
        if said
        else "The notebooks of earlier lessons hold no solved exercises that a Llama calls."
    )
    return found


def answers_of_notebook(path):
    """The name in a Llama and the function, for each answer in a notebook that passes and can run in one."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"]) if cell["cell_type"] == "code" else ""
            if 'grade("' in source:
                number = source.partition('grade("')[2].partition('"')[0]
                yield from answer_in(source, number)


def answer_in(source, number):
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    kept = (ast.FunctionDef, ast.Import, ast.ImportFrom)
    tree.body = [node for node in tree.body if isinstance(node, kept)]
    names, known = namespace(), fast_names()
    for node in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        name = node.name.removeprefix("my_")
        name = OTHER_NAMES.get(name, name)
        if (
            not node.name.startswith("my_")
            or name == "linear"
            or name not in known
            or number not in EXERCISES
        ):
            continue  # linear is the product of packed matrices
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            exec(compile(tree, f"lesson {number}", "exec"), names)
            function = names[node.name]
            if not is_stub(function) and passes(function, number):
                in_tiny({name: function})
                yield name, function


def namespace():
    """What a notebook imports, without input checks."""
    names = vars(__import__("helpers")) | fast_names()
    return {name: value for name, value in names.items() if not name.startswith("__")} | vars(
        __import__("math")
    )


def passes(function, number):
    return not any(fault_of(number, function, arguments) for arguments in EXERCISES[number].inputs)
