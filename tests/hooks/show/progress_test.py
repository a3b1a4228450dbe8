from __future__ import annotations

import io
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.events import Event, EventKind
from litecode.hooks.show.progress import Progress, Tally
from litecode.hooks.show.terminal import Terminal

EVENTS = (
    Event(EventKind.PLANNED, total=3),
    Event(EventKind.READY, "1", "shop/cart.py", "no-print"),
    Event(EventKind.READY, "2", "shop/mail.py", "no-print"),
    Event(EventKind.CALL, "1", "shop/cart.py", "no-print", tokens=54, seconds=2.0),
    Event(EventKind.ENDED, "1", "shop/cart.py", "no-print", "done"),
    Event(EventKind.CALL, text="shop/mail.py no-print", tokens=10, seconds=0.5),
    Event(EventKind.NOTE, text="the model was loaded\x1b[2J"),
)


@pytest.mark.parametrize(
    ("count", "now", "line"),
    [
        (1, 0.0, "litecode: 0 of 3 tasks, 0 s"),
        (2, 0.0, "litecode: 0 of 3 tasks, 0 s; shop/cart.py no-print"),
        (4, 2.2, "litecode: 0 of 3 tasks, 54 tokens at 27/s, 2 s; shop/cart.py no-print"),
        (5, 10.0, "litecode: 1 of 3 tasks, 54 tokens at 27/s, 10 s; shop/mail.py no-print"),  # one task tells nothing
        (5, 99.6, "litecode: 1 of 3 tasks, 54 tokens at 27/s, 1 min 40 s; shop/mail.py no-print"),
    ],
)
def test_the_line(count: int, now: float, line: str) -> None:
    tally = Tally()
    for event in EVENTS[:count]:
        tally.add(event, 0.0)
    assert tally.line(now) == line


def begun(total: int, *names: str) -> Tally:
    tally = Tally()
    tally.add(Event(EventKind.PLANNED, total=total), 0.0)
    for name in names:
        tally.add(Event(EventKind.READY, name, f"{name}.py", "r"), 0.0)
    return tally


def call(tally: Tally, name: str, now: float) -> None:
    tally.add(Event(EventKind.CALL, text=f"{name}.py r", tokens=10, seconds=1.0), now)


def end(tally: Tally, name: str, now: float) -> None:
    tally.add(Event(EventKind.ENDED, name, f"{name}.py", "r", "done"), now)


def left(tally: Tally, now: float) -> str:
    return tally.line(now).partition("about ")[2].partition(" left")[0]


def test_what_is_left_goes_down_between_two_events_and_counts_retries() -> None:
    tally = begun(4, "a", "b", "c", "d")
    for name, now in (("a", 10.0), ("b", 20.0)):
        call(tally, name, now)
        end(tally, name, now)
    assert [left(tally, now) for now in (20.0, 25.0, 39.0, 39.5, 60.0)] == ["20 s", "15 s", "1 s", "", ""]
    for number in range(5):  # `c` is refused again and again
        call(tally, "c", 30.0 + 10 * number)
    assert left(tally, 70.0) == "20 s"
    end(tally, "c", 70.0)
    assert left(tally, 70.0) == "23 s"  # seven calls for three tasks


@pytest.mark.parametrize(
    "tally",
    [
        begun(3),
        begun(3, "a", "b", "c"),
        Tally(),
    ],
)
def test_without_experience_nothing_is_guessed(tally: Tally) -> None:
    assert left(tally, 50.0) == ""
    call(tally, "a", 60.0)
    end(tally, "a", 60.0)
    assert left(tally, 60.0) == ""


def test_tasks_without_a_call_are_no_experience() -> None:
    tally = begun(5, "a", "b", "c", "d", "e")
    for name in "abc":
        end(tally, name, 5.0)
    assert left(tally, 5.0) == ""


def test_nothing_is_guessed_at_the_end() -> None:
    tally = Tally()
    for event in (Event(EventKind.PLANNED, total=1), Event(EventKind.READY, "1"), Event(EventKind.ENDED, "1")):
        tally.add(event, 0.0)
    assert tally.line(5.0) == "litecode: 1 of 1 task, 5 s"


def test_hostile_names_are_harmless() -> None:
    tally = Tally()
    tally.add(Event(EventKind.READY, "1", "a\x1b[2J\n.py", "r\udcff"), 0.0)
    assert tally.line(0.0) == "litecode: 0 of 0 tasks, 0 s; a\\x1b[2J\\n.py r\\xff"


def test_without_a_terminal_only_notes_are_told(screen: Callable[..., Any]) -> None:
    terminal = screen()
    progress = Progress(terminal)
    for event in EVENTS:
        progress(event)
    progress.close()
    assert terminal.stderr == "note: the model was loaded\\x1b[2J\n"
    assert terminal.stdout == ""


def test_plain_lines_on_demand(screen: Callable[..., Any]) -> None:
    terminal = screen()
    progress = Progress(terminal, verbose=True)
    for event in EVENTS:
        progress(event)
    progress.close()
    assert terminal.stderr.splitlines() == [
        "litecode: 3 tasks",
        "litecode: shop/cart.py no-print: 54 tokens in 2.0 s",
        "litecode: shop/cart.py no-print: done, 1 of 3",
        "litecode: shop/mail.py no-print: 10 tokens in 0.5 s",
        "note: the model was loaded\\x1b[2J",
    ]


def test_what_is_quick_shows_no_live_line() -> None:
    err = io.StringIO()
    progress = Progress(Terminal(io.StringIO(), err, live=True))
    for event in EVENTS[:5]:
        progress(event)
    progress.close()
    time.sleep(0.6)
    assert err.getvalue() == ""


SCRIPT = """
import os, sys, time
from litecode.core.events import Event, EventKind
from litecode.hooks.show.progress import Progress
from litecode.hooks.show.terminal import Terminal
terminal = Terminal.of(sys.stdout, sys.stderr, os.environ)
progress = Progress(terminal)
progress(Event(EventKind.PLANNED, total=2))
assert "rich" not in sys.modules
progress(Event(EventKind.READY, "1", "shop/cart.py", "no-print"))
time.sleep(1.0)
progress(Event(EventKind.NOTE, text="half way"))
time.sleep(0.3)
progress(Event(EventKind.ENDED, "1", "shop/cart.py", "no-print", "done"))
time.sleep(0.5)
progress.close()
terminal.tell("done")
"""


def test_a_terminal_shows_a_line_that_goes_away() -> None:
    main, side = pty.openpty()
    environ = os.environ | {"TERM": "xterm-256color", "COLUMNS": "60", "LINES": "20"}
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=side, stderr=side, env=environ)
    os.close(side)
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([main], [], [], 0.2)[0]:
            try:
                data = os.read(main, 65536)
            except OSError:
                break
            if not data:
                break
            seen += data
    os.close(main)
    assert child.wait(10) == 0
    text = seen.decode()
    assert "litecode: 0 of 2 tasks, 1 s; shop/cart.py no-print" in text
    assert "note: half way" in text
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1  # the cursor is hidden, and shown again
    assert "\x1b[2K" in text.rpartition("litecode: ")[2]  # the line is erased at the end
    assert text.endswith("done\r\n")
