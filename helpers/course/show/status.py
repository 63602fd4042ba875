"""A progress line for long work. It disappears at the end, so it is never part of a recorded output.

A notebook shows the line as an output that is updated and finally cleared; a terminal rewrites its last
line; anywhere else nothing is shown. Clearing also removes what the cell printed earlier, so a cell prints
after its work.
"""

import sys
import time
from contextlib import contextmanager
from html import escape

FIRST, PAUSE = 0.5, 0.5  # seconds before the first line, and from line to line


@contextmanager
def working(what, total=None):
    """Show how far the work inside is: `with working("nudging 3,456 numbers", total=6912) as step:`.

    step() counts one; step(function) is the same function, counted each time it is called:
    `numerical_gradient(step(loss_of), parameters)`.
    """
    line = Line(what, total)
    try:
        yield line.step
    finally:
        line.clear()


def progress(iterable, what="working"):
    """Iterate over an iterable, and show the progress if it takes more than a moment."""
    with working(what, len(iterable) if hasattr(iterable, "__len__") else None) as step:
        for item in iterable:
            yield item
            step()


class Line:
    """The line: when it is due, what it says, where it goes. done counts the steps of an earlier run."""

    def __init__(self, what, total, done=0):
        self.what, self.total, self.done, self.before = what, total, done, done
        self.started = time.monotonic()
        self.due = self.started + FIRST
        self.show, self.clear = where_shown()
        self.kept = None

    def keep(self, thing):
        """Show a text or a figure from now on, above the line."""
        self.kept, self.due = thing, 0.0

    def step(self, function=None):
        if function is not None:
            return self.counted(function)
        self.done += 1
        now = time.monotonic()
        if now >= self.due:
            self.due = now + PAUSE
            line = wording(self.what, self.done, self.total, now - self.started, self.before)
            self.show(line) if self.kept is None else self.show(line, self.kept)

    def counted(self, function):
        def counting(*arguments, **named):
            result = function(*arguments, **named)
            self.step()
            return result

        return counting


def wording(what, done, total, seconds, before=0):
    """One line: how far, and how long the rest will take if it goes on like this.

    An earlier run did the first `before` steps; the seconds are those of the others.
    """
    if not total or done > total:
        return f"{what}: {done:,} done in {seconds:.0f} s"
    left = seconds * (total - done) / (done - before)
    return f"{what}: {100 * done // total} %, about {left:.0f} s left"


def where_shown():
    """Where the line can be shown: two functions, one that shows a text and one that takes it away."""
    if sys.stderr is not None and sys.stderr.isatty():
        return terminal()
    running = sys.modules.get("IPython")  # never imported from here: the helpers need no IPython
    shell = running.get_ipython() if running else None
    return notebook(shell.display_pub) if shell else (lambda *things: None, lambda: None)


def terminal():
    widest = [0]

    def write(text, above=None):
        widest[0] = max(widest[0], len(text))
        sys.stderr.write("\r" + text.ljust(widest[0]))
        sys.stderr.flush()

    def clear():
        if widest[0]:
            write("")
            sys.stderr.write("\r")

    return write, clear


def notebook(publisher):
    """The output begins empty, and only its updates have words: nbval compares outputs and does not look
    at updates."""
    name = {"display_id": f"progress-{time.monotonic_ns()}"}
    begun = []

    def show(text, above=None):
        if not begun:
            begun.append(publisher.publish({}, transient=name))
        bundle = {"text/plain": text if above is None else f"{above!r}\n{text}"}
        if hasattr(above, "_repr_html_"):
            bundle["text/html"] = f"{above._repr_html_()}<pre>{escape(text)}</pre>"
        publisher.publish(bundle, transient=name, update=True)

    def clear():
        # always, shown or not: what is recorded must not depend on how fast a machine is
        publisher.clear_output()

    return show, clear
