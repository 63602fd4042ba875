"""Two pages beside the lessons: the terms of the course with a filter box, and all lessons in one file."""

import html
import subprocess

from ...lessons.terms import in_alphabetical_order
from ..environment import ROOT, Problem
from .archives import TAB, write
from .download import HERE, own_python, run_program

TERMS = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Terms of Sixteen</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="static/course/reading.css"></head>
<body><h1>Terms</h1><p><a href="index.html">The lessons</a></p>
<p><label>Find: <input type="search" autofocus></label> <output></output></p>
<table><thead>
<tr><th scope="col">term</th><th scope="col">meaning</th><th scope="col">lesson</th></tr></thead>
<tbody>%s</tbody></table><script src="static/course/terms.js"></script></body></html>
"""


def put_terms(folder):
    rows = []
    for term, sentence, name in in_alphabetical_order():
        link = f"notebooks/index.html?path=notebooks%2F{name}"
        cells = f"<td>{html.escape(term)}</td><td>{html.escape(sentence)}</td>"
        rows.append(f'<tr>{cells}<td><a href="{link}">{name.partition("_")[0]}</a></td></tr>')
    for name in ("terms.js", "reading.css"):
        write(folder / "static" / "course" / name, (TAB / name).read_bytes())
    write(folder / "terms.html", TERMS % "".join(rows))


def put_reading(folder, notebooks):
    """sixteen.html: all lessons in one file, which needs no network."""
    command = [own_python(), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
    run_program(
        [*command, "-r", str(HERE / "reading.txt")], "What makes the page for reading could not be installed"
    )
    command = [own_python(), "-I", "-X", "utf8", str(HERE / "reading.py"), *map(str, notebooks)]
    style = (TAB / "reading.css").read_bytes()
    done = subprocess.run(command, input=style, capture_output=True, cwd=str(ROOT))
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Problem(
            f"The page for reading could not be made: {said[-1] if said else 'no reason was given'}."
        )
    write(folder / "sixteen.html", done.stdout)
