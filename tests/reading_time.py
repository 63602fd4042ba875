"""A report: how long each lesson takes, and how much of it stands in view. Nothing here is a limit.

    .venv/bin/python tests/reading_time.py

Found with people who read all lessons and did every exercise: 120 words in view a minute, 15 seconds a
line of code, 25 a table or figure, 20 an option of a quiz, 12 minutes an exercise, 5 a line to write in
place. The minutes are rounded to 5, and the head of a lesson states them.
"""

import ast
import re

from notebooks import LESSONS, cells, code, graded, open_prose, prose


def lines_of(source):
    """The lines that are code: neither blank nor comment nor docstring."""
    told = set()
    for node in ast.walk(ast.parse(source)):
        told_about = isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module))
        if told_about and ast.get_docstring(node) is not None:
            told.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = [line.strip() for line in source.splitlines()]
    return [line for i, line in enumerate(lines, 1) if line and i not in told and not line.startswith("#")]


def guards(source):
    """How many statements inside functions do nothing but refuse bad input: what refuses stands outside,
    in helpers/."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    inside = {node for function in functions for node in ast.walk(function)}
    return sum(isinstance(node, (ast.Raise, ast.Try)) for node in inside)


def words(text):
    return len(re.findall(r"[^\W\d_]+", text))


def pictures(path):
    """How many tables and figures the cells show."""
    outputs = [output for cell in cells(path, "code") for output in cell["outputs"]]
    html = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    return len(re.findall(r"<table|<img\b", "".join(html)))


def figures(path):
    """What a lesson is measured by; its minutes to the nearest 5."""
    numbers = [number for number, _, _ in graded(path)]
    letters = sum(number[-1].isalpha() for number in numbers)
    found = {
        "cells": len(cells(path)),
        "lines": sum(len(lines_of(cell["source"])) for cell in cells(path, "code")),
        "guards": guards(code(path)),
        "words": words(open_prose(path)),
        "pictures": pictures(path),
        "options": len(re.findall(r"<summary>[A-E]\. ", prose(path))),
        "exercises": len(numbers) - letters,
        "your turn": letters,
    }
    seconds = {"lines": 15, "pictures": 25, "options": 20, "exercises": 12 * 60, "your turn": 5 * 60}
    minutes = found["words"] / 120 + sum(found[name] * each for name, each in seconds.items()) / 60
    found["minutes"] = 5 * round(minutes / 5)
    return found


def stated(path):
    """The minutes that the head of a lesson states; None where it states none."""
    found = re.search(r"\*\*Time\*\*: about (\d+) minutes", prose(path))
    return int(found.group(1)) if found else None


def main():
    rows = {path.stem: {**figures(path), "stated": stated(path)} for path in LESSONS}
    rows["all"] = {name: sum(row[name] or 0 for row in rows.values()) for name in rows[LESSONS[0].stem]}
    widest = max(map(len, rows))
    print("".ljust(widest), *rows["all"], sep="  ")
    for name, row in rows.items():
        print(name.ljust(widest), *(str(value).rjust(len(column)) for column, value in row.items()), sep="  ")


if __name__ == "__main__":
    main()
