"""A line that comes and goes: when it is due, what it says, and that nothing recorded knows of it."""

import io
import sys
import types

import pytest

from helpers.course.show import status as module
from helpers.course.show.status import Line, progress, wording, working


@pytest.mark.parametrize(
    "done, total, seconds, before, text",
    [
        (1, 4, 2.0, 0, "w: 25 %, about 6 s left"),
        (4, 4, 2.0, 0, "w: 100 %, about 0 s left"),
        (6911, 6912, 9.0, 0, "w: 99 %, about 0 s left"),
        (1234, None, 5.4, 0, "w: 1,234 done in 5 s"),
        (5, 4, 2.0, 0, "w: 5 done in 2 s"),
        (6, 10, 2.0, 4, "w: 60 %, about 4 s left"),  # an earlier run did four: each of these two took 1 s
    ],
)
def test_how_far_and_how_long_still(done, total, seconds, before, text):
    assert wording("w", done, total, seconds, before) == text


class Clock:
    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now

    def monotonic_ns(self):
        return 7


@pytest.fixture
def seen(monkeypatch):
    """(time, text) of each line shown, and "cleared"; the clock stands until it is set on."""
    clock, found = Clock(), []
    places = (lambda text: found.append((round(clock.now - 100, 3), text)), lambda: found.append("cleared"))
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "where_shown", lambda: places)
    return types.SimpleNamespace(found=found, clock=clock)


def test_quick_work_shows_nothing(seen):
    with working("w", 40) as step:
        for _ in range(40):
            seen.clock.now += 0.01
            step()
    assert seen.found == ["cleared"]


def test_the_first_line_comes_after_half_a_second_and_then_two_a_second(seen):
    for _ in progress(range(80), what="w"):
        seen.clock.now += 1 / 16
    assert [when for when, _ in seen.found[:-1]] == [n / 2 for n in range(1, 11)]
    assert seen.found[1][1] == "w: 20 %, about 4 s left" and seen.found[-1] == "cleared"


def test_a_function_that_is_counted_is_the_same_function(seen):
    with working("nudging", 3) as step:
        counted = step(lambda a, b=1: (a, b))
        seen.clock.now += 1
        assert counted(1) == (1, 1) and counted(2, b=3) == (2, 3)
    assert [text for _, text in seen.found[:-1]] == ["nudging: 33 %, about 2 s left"]


def test_a_failure_takes_the_line_away_and_passes_through(seen):
    def fails(x):
        raise KeyError(x)

    with pytest.raises(KeyError), working("w", 2) as step:
        step(fails)(1)
    assert seen.found == ["cleared"]


def test_progress_goes_through_whatever_it_is_given(seen):
    assert list(progress(iter("abc"))) == ["a", "b", "c"] and list(progress([])) == []
    seen.clock.now += 1
    counted = progress(range(4))
    next(counted)
    seen.clock.now += 1
    next(counted)
    counted.close()  # a break out of the loop
    assert seen.found[-2:] == [(2.0, "working: 25 %, about 3 s left"), "cleared"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def last_line(text):
    """What stands in the last line of a terminal: each carriage return writes over what is there."""
    shown = ""
    for part in text.split("\r"):
        shown = part + shown[len(part) :]
    return shown


def test_a_terminal_rewrites_one_line_and_ends_with_an_empty_one(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = Line("w", None)
    line.show("a long line")
    line.show("short")
    assert last_line(terminal.getvalue()).rstrip() == "short" and "\n" not in terminal.getvalue()
    line.clear()
    assert last_line(terminal.getvalue()).strip() == "" and terminal.getvalue().endswith("\r")


def test_what_is_no_terminal_gets_nothing(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)  # whoever imports it gets an error
    monkeypatch.setattr(module, "FIRST", 0)
    for stream in io.StringIO(), None:
        monkeypatch.setattr(sys, "stderr", stream)
        with working("w", 3) as step:
            step()
        assert stream is None or stream.getvalue() == ""


class Shell:
    """An IPython that keeps what is published."""

    def __init__(self):
        self.published, self.display_pub = [], self

    def publish(self, data, transient=None, update=False):
        self.published.append((data, transient["display_id"], update))

    def clear_output(self):
        self.published.append("cleared")


def test_a_notebook_gets_an_empty_output_its_updates_and_a_clear(monkeypatch):
    """nbval compares every output and no update; a front end shows the update in the place of the empty
    one."""
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    line = Line("w", None)
    line.show("one")
    line.show("two")
    line.clear()
    (first, name, update), *updates, last = shell.published
    assert (first, update, last) == ({}, False, "cleared")
    assert updates == [({"text/plain": text}, name, True) for text in ("one", "two")]
