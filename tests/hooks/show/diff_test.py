from __future__ import annotations

import io
import re

import pytest

from litecode.hooks.show.diff import diff_lines, print_diff
from litecode.hooks.show.terminal import Terminal

HEAD = "--- a/a.py\n+++ b/a.py\n"


@pytest.mark.parametrize(
    "diff",
    [
        HEAD + "@@ -1,2 +1,2 @@ def f():\n one\n-two\n+2\n",
        HEAD + "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n",
        HEAD + "@@ -1,2 +1,2 @@\n--- a sql comment\n+++ b\n \n@@ -9 +9 @@\n-x\n+\ty\n",
        "diff --git a/a b/a\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+é 日本\n",
    ],
)
def test_a_plain_diff_stays_as_it_is(diff: str) -> None:
    lines = list(diff_lines(diff, colour=False))
    assert lines == diff.removesuffix("\n").split("\n")
    coloured = list(diff_lines(diff, colour=True))
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == lines


def test_colours() -> None:
    diff = HEAD + "@@ -1,3 +1,2 @@\n same\n-gone\n-gone too\n+new\n\\ No newline at end of file\n"
    assert list(diff_lines(diff, colour=True)) == [
        "\x1b[1m--- a/a.py\x1b[0m",
        "\x1b[1m+++ b/a.py\x1b[0m",
        "\x1b[36m@@ -1,3 +1,2 @@\x1b[0m",
        " same",
        "\x1b[31m-\x1b[0m\x1b[31mgone\x1b[0m",
        "\x1b[31m-\x1b[0m\x1b[31mgone too\x1b[0m",
        "\x1b[32m+\x1b[0m\x1b[32mnew\x1b[0m",
        "\\ No newline at end of file",
    ]


def test_changed_words_are_marked() -> None:
    lines = list(diff_lines(HEAD + '@@ -1 +1 @@\n-    print("a", b)\n+    log.info("a", b)\n', colour=True))
    assert lines[-2:] == [
        '\x1b[31m-\x1b[0m\x1b[31m    \x1b[0m\x1b[1;31;7mprint\x1b[0m\x1b[31m("a", b)\x1b[0m',
        '\x1b[32m+\x1b[0m\x1b[32m    \x1b[0m\x1b[1;32;7mlog.info\x1b[0m\x1b[32m("a", b)\x1b[0m',
    ]


@pytest.mark.parametrize(
    "body",
    [
        "-one two three\n+quite another line here\n",  # nothing in common
        "-a = 1\n-b = 2\n+a = 3\n",  # not as many on both sides
        "-" + "word " * 300 + "x\n+" + "word " * 300 + "y\n",  # too long to compare
    ],
)
def test_words_are_not_marked_where_it_helps_nobody(body: str) -> None:
    assert not [line for line in diff_lines(HEAD + "@@ -1 +1 @@\n" + body, colour=True) if ";7m" in line]


@pytest.mark.parametrize("colour", [True, False])
def test_hostile_lines(colour: bool) -> None:
    text = "\x1b]0;title\x07\x1b[2Jx\u202ey\r\udcfe\ttab"
    lines = list(diff_lines(HEAD + f"@@ -1 +1 @@ {text}\n-{text}\n+{text}z\n {text}\n", colour))
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    shown = "\\x1b]0;title\\x07\\x1b[2Jx\\u202ey\\r\\xfe\ttab"
    assert plain[2:] == [f"@@ -1 +1 @@ {shown}", f"-{shown}", f"+{shown}z", f" {shown}"]


def test_line_ends() -> None:
    crlf = HEAD + "@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\r\n"
    assert list(diff_lines(crlf, colour=False))[3:] == [" one", "-two", "+2"]
    lost = HEAD + "@@ -1,2 +1,2 @@\n one\r\n-two\r\n+two\n"
    assert list(diff_lines(lost, colour=False))[3:] == [" one\\r", "-two\\r", "+two"]


def test_long_lines_are_cut() -> None:
    (line,) = list(diff_lines(HEAD + "@@ -0,0 +1 @@\n+" + "x" * 20_000 + "\n", colour=False))[3:]
    assert line == "+" + "x" * 1000 + "… (19000 more characters)"


def test_an_empty_diff_has_no_lines() -> None:
    assert list(diff_lines("", colour=False)) == []


class Tty(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "want"),
    [
        (io.TextIOWrapper, b"before\n" + HEAD.encode() + b"@@ -0,0 +1 @@\n+\x1b[2J\xe9\r\n"),
        (Tty, b"before\n" + HEAD.encode() + b"@@ -0,0 +1 @@\n+\\x1b[2J\\xe9\n"),
    ],
)
def test_only_a_terminal_is_protected(stream: type[io.TextIOWrapper], want: bytes) -> None:
    raw = io.BytesIO()
    out = stream(raw, encoding="utf-8", newline="")
    terminal = Terminal(out, out)
    terminal.print("before")
    print_diff(HEAD + "@@ -0,0 +1 @@\n+\x1b[2J\udce9\r\n", terminal)
    out.flush()
    assert raw.getvalue() == want
