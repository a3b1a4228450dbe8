"""What a person at the terminal is asked, and what comes of the answers."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from litecode.core.values import Change, Patch, Plan, Run, State
from litecode.hooks.consent import ask
from litecode.hooks.show.terminal import Terminal


def patch(path: str, state: State = State.HELD) -> Patch:
    diff = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new of {path}\n"
    return Patch(path, diff, state, (), Change(path, "100644", "0" * 40, b"new\n"))


def run(*paths: str) -> Run:
    return Run("7f3a", 0.0, (), Plan(()), patches=(*map(patch, paths), patch("staged.py", State.STAGED)))


def answers(*lines: str) -> tuple[Callable[[str], str], list[str]]:
    asked: list[str] = []
    left = list(lines)

    def read(question: str) -> str:
        asked.append(question)
        if not left:
            raise EOFError
        return left.pop(0)

    return read, asked


CHOICES = [
    (("a",), ("y",), ("a",)),
    (("a",), ("Yes",), ("a",)),
    (("a",), ("n",), ()),
    (("a",), ("q",), ()),
    (("a",), (), ()),
    (("a",), ("", "f", "y"), ("a",)),
    (("a", "b"), ("y",), ("a", "b")),
    (("a", "b"), ("f", "y", "n"), ("a",)),
    (("a", "b"), ("f", "n", "y"), ("b",)),
    (("a", "b", "c"), ("f", "n", "a"), ("b", "c")),
    (("a", "b", "c"), ("f", "y", "q"), ("a",)),
    (("a", "b"), ("f", "y"), ("a",)),
    (("a", "b"), ("f", "d", "?", "y", "n"), ("a",)),
]


@pytest.mark.parametrize(("paths", "typed", "chosen"), CHOICES)
def test_answers(paths: tuple[str, ...], typed: tuple[str, ...], chosen: tuple[str, ...]) -> None:
    read, _ = answers(*typed)
    assert ask(run(*paths), Terminal(io.StringIO(), io.StringIO()), read) == chosen


def test_questions_help_and_diffs() -> None:
    out, err = io.StringIO(), io.StringIO()
    read, asked = answers("?", "d", "f", "?", "n", "n")
    assert ask(run("a", "b\x1b[2J"), Terminal(out, err), read) == ()
    assert asked[:3] == ["Stage 2 files [y,n,f,d,?]? "] * 3
    assert asked[3:] == ["Stage a [y,n,a,q,d,?]? ", "Stage a [y,n,a,q,d,?]? ", "Stage b\\x1b[2J [y,n,a,q,d,?]? "]
    assert "f - decide file by file" in err.getvalue()
    assert "a - stage it and all that follow" in err.getvalue()
    assert out.getvalue().count("+new of a\n") == 2
    assert "\x1b" not in out.getvalue()


def test_one_file_has_no_question_about_files() -> None:
    read, asked = answers("n")
    ask(run("a"), Terminal(io.StringIO(), io.StringIO()), read)
    assert asked == ["Stage this change [y,n,d,?]? "]


def test_nothing_held_asks_nothing() -> None:
    read, asked = answers()
    assert ask(run(), Terminal(io.StringIO(), io.StringIO()), read) == ()
    assert asked == []
