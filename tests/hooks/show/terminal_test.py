from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.hooks.show.terminal import Terminal, cells, cut, pad, visible


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain text, 100% ok\\n", "plain text, 100% ok\\n"),
        ("naïve 日本 ✓ 👍", "naïve 日本 ✓ 👍"),
        ("עברית", "עברית"),  # right-to-left letters are no trick, the marks that reorder others are
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\tb\r\nc", "a\\tb\\r\\nc"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u202e\u2066\u200f\ufeff\u2028", "\\u202e\\u2066\\u200f\\ufeff\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("\udcff\udc80", "\\xff\\x80"),
        ("\ud800", "\\ud800"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_visible_keeps_what_it_is_told_to() -> None:
    assert visible("a\tb\n", keep="\t") == "a\tb\\n"


@settings(deadline=None)
@given(st.text(st.characters(codec=None)))
def test_what_is_visible_is_harmless(text: str) -> None:
    shown = visible(text)
    assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    shown.encode()
    assert visible(shown) == shown


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("ä", 1), ("👍", 2)])
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width
    assert pad(text, 5) == text + " " * (5 - width)


def test_cut() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc… (1 more characters)"


@pytest.mark.parametrize(
    ("out", "err", "environ", "want"),
    [
        (io.StringIO, io.StringIO, {}, (False, False, False)),
        (Tty, Tty, {}, (True, True, True)),
        (io.StringIO, Tty, {}, (False, True, True)),
        (Tty, io.StringIO, {}, (True, False, False)),
        (Tty, Tty, {"NO_COLOR": "1"}, (False, False, True)),
        (Tty, Tty, {"NO_COLOR": ""}, (True, True, True)),
        (Tty, Tty, {"TERM": "dumb"}, (False, False, False)),
    ],
)
def test_colour_is_for_terminals(
    out: type[io.StringIO], err: type[io.StringIO], environ: dict[str, str], want: tuple[bool, bool, bool]
) -> None:
    terminal = Terminal.of(out(), err(), environ)
    assert (terminal.colour_out, terminal.colour_err, terminal.live) == want


@pytest.mark.parametrize(
    ("environ", "width"), [({}, 80), ({"COLUMNS": "132"}, 132), ({"COLUMNS": "0"}, 80), ({"COLUMNS": "x"}, 80)]
)
def test_width(environ: dict[str, str], width: int) -> None:
    assert Terminal.of(io.StringIO(), Tty(), environ).width == width


def test_results_come_out_before_what_is_said_after_them() -> None:
    order: list[str] = []

    class Stream(io.StringIO):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name
            self.kept = ""

        def write(self, text: str) -> int:
            self.kept += text
            return len(text)

        def flush(self) -> None:
            if self.kept:
                order.append(f"{self.name}: {self.kept.strip()}")
            self.kept = ""

    terminal = Terminal(Stream("out"), Stream("err"))
    terminal.tell("first")
    terminal.print("second")
    terminal.tell("third")
    assert order == ["err: first", "out: second", "err: third"]


def test_a_closed_stream_is_no_terminal() -> None:
    closed = io.StringIO()
    closed.close()
    assert Terminal.of(closed, closed, {}) == Terminal(closed, closed)
