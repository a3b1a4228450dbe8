"""Right-to-left names, lines of 20,000 characters, and terminals that know ASCII only."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.errors import UsageError
from litecode.core.events import Event, EventKind
from litecode.core.values import State, Verdict
from litecode.core.world import Options
from litecode.hooks.show.diff import diff_lines
from litecode.hooks.show.progress import Progress
from litecode.hooks.show.terminal import Terminal, encodable, fit
from litecode.hooks.show.text import finding_line, show_error, show_run, verdict_lines

HEBREW, ARABIC = "שלום.py", "مرحبا/سلة.py"
LONG = "x" * 20_000


def diff(old: str, new: str) -> str:
    return f"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-{old}\n+{new}\n"


class TestRightToLeft:
    def test_a_finding_stays_in_order(self, found: Callable[..., Any]) -> None:
        """Logical order is that of every other name: a terminal decides how letters run, the fields stay apart."""
        assert finding_line(found(HEBREW, 14, "no-print", "No print.")) == f"{HEBREW}:14:5: no-print No print."

    @pytest.mark.parametrize("mark", ["\u202e", "\u202b", "\u2067", "\u200f", "\u061c"])
    def test_marks_that_turn_the_line_are_shown(self, mark: str, found: Callable[..., Any]) -> None:
        line = finding_line(found(f"a{mark}gnp.py", 1, "r", f"x{mark}y"))
        assert mark not in line
        assert line == f"a\\u{ord(mark):04x}gnp.py:1:5: r x\\u{ord(mark):04x}y"

    def test_columns_are_aligned(self, screen: Callable[..., Any]) -> None:
        verdicts = [
            Verdict(path, "no-print", State.HELD, "why", line=3) for path in (HEBREW, ARABIC, "a.py", "a\u0301.py")
        ]
        lines = list(verdict_lines(verdicts, Options(), screen()))
        # Each of these letters takes one column, and an accent none.
        assert {line.replace("\u0301", "").index("no-print") for line in lines} == {2 + len(f"{ARABIC}:3") + 2}


class TestLongLines:
    def test_a_pair_begins_where_it_differs(self) -> None:
        removed, added = list(diff_lines(diff(LONG + "a" + LONG, LONG + "b" + LONG), False))[3:]
        for line, mark, letter in ((removed, "-", "a"), (added, "+", "b")):
            assert line == f"{mark}(19800 characters) …{'x' * 200}{letter}{'x' * 779}… (19221 more characters)"

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("a" + LONG, "b" + LONG),  # differs at the beginning
            ("x" * 700 + "a", "x" * 700 + "b"),  # is short enough
            ("short", "shirt"),
        ],
    )
    def test_a_pair_that_is_shown_from_its_beginning(self, old: str, new: str) -> None:
        removed, added = list(diff_lines(diff(old, new), False))[3:]
        assert (removed[:700], added[:700]) == (f"-{old}"[:700], f"+{new}"[:700])
        assert removed != added.replace("+", "-", 1)

    def test_coloured(self) -> None:
        started = time.monotonic()
        lines = list(diff_lines(diff(LONG + " = 1", LONG + " = 2"), True))
        assert time.monotonic() - started < 5
        assert "1" in lines[3].rpartition("x")[2]
        assert max(map(len, lines)) < 1100

    def test_nothing_that_is_printed_of_a_run_is_long(
        self, screen: Callable[..., Any], make_run: Any, found: Any
    ) -> None:
        verdict = Verdict("a.py", "r", State.FOUND, LONG, line=1, sites=1, findings=(found("a.py", 1, "r", LONG),))
        shown = screen()
        show_run(make_run(verdicts=(verdict,)), Options(), shown)
        show_error(UsageError(LONG, LONG), shown)
        lines = (shown.stdout + shown.stderr).splitlines()
        assert len(lines) > 3
        assert max(map(len, lines)) < 1100
        assert all("more characters)" in line for line in lines if "xxx" in line)


class TestAscii:
    @pytest.fixture
    def ascii_terminal(self) -> tuple[Terminal, io.BytesIO, io.BytesIO]:
        out, err = io.BytesIO(), io.BytesIO()
        files = [io.TextIOWrapper(file, encoding="ascii", write_through=True) for file in (out, err)]
        return Terminal(files[0], files[1], live=True, width=60), out, err

    def test_everything_can_be_written(self, ascii_terminal: Any, found: Any, make_run: Any) -> None:
        terminal, out, err = ascii_terminal
        verdicts = (
            Verdict(
                "grün.py", "r", State.FOUND, line=1, sites=1, findings=(found("grün.py", 1, "r", "Größe “a” " + LONG),)
            ),
            Verdict("日本.py", "r", State.HELD, "“quoted”", line=2, sites=1),
            Verdict("plain.py", "r", State.HELD, "why", line=2, sites=1),
        )
        show_run(make_run(verdicts=verdicts), Options(), terminal)
        text = out.getvalue().decode("ascii")
        assert "gr\\xfcn.py:1:5: r Gr\\xf6\\xdfe \\u201ca\\u201d xxx" in text
        assert "x... (19710 more characters)" in text
        held = [line for line in text.splitlines() if " held " in line]
        assert held[0].split() == ["plain.py:2", "r", "held", "why"]
        assert held[1].split() == ["\\u65e5\\u672c.py:2", "r", "held", "\\u201cquoted\\u201d"]
        assert len({line.index(" r ") for line in held}) == 1  # aligned as it is written
        assert err.getvalue().isascii()

    def test_the_progress_line(
        self, ascii_terminal: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """rich's own dots would end its thread with an error there."""
        monkeypatch.setenv("TERM", "xterm")
        terminal, _, err = ascii_terminal
        progress = Progress(terminal)
        progress(Event(EventKind.PLANNED, total=1))
        progress(Event(EventKind.READY, "t", "ordner/grün" * 20 + ".py", "rule"))
        until = time.monotonic() + 60
        while b"of 1 task" not in err.getvalue() and time.monotonic() < until:
            time.sleep(0.05)
        progress(Event(EventKind.NOTE, text="größer…"))
        progress.close()
        text = err.getvalue().decode("ascii")
        lines = [line for line in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "\n").splitlines() if line]
        assert any(line.startswith("litecode: 0 of 1 task, ") and line.endswith("...") for line in lines), lines
        assert max(map(len, lines)) < 60
        assert "note: gr\\xf6\\xdfer..." in lines
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize(
        ("encoding", "text", "expected"),
        [
            ("ascii", "a…ü", "a...\\xfc"),
            ("latin-1", "a…ü", "a...ü"),
            ("utf-8", "a…ü", "a…ü"),
            ("ascii", "plain", "plain"),
        ],
    )
    def test_what_a_stream_can_take(self, encoding: str, text: str, expected: str) -> None:
        assert encodable(text, io.TextIOWrapper(io.BytesIO(), encoding=encoding)) == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc..."),
        ("日本語です", 10, "日本語です"),
        ("日本語です", 9, "日本語..."),
        ("日本語です", 8, "日本..."),
        ("", 3, ""),
    ],
)
def test_fit(text: str, width: int, expected: str) -> None:
    assert fit(text, width) == expected
