"""Worktree files that git takes for unchanged although a checkout would write other bytes."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecode.core.git.linewise import Span, carried, spans
from litecode.core.git.moves import Applied
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.git.undo import undo
from litecode.core.values import Apply, Change

Opened = Callable[..., Repository]

MIXED = "its line endings are mixed where it would change; remove the file and `git checkout` it anew"
EDITED = "its unstaged edits would not survive the conversion of line endings or filters"


@pytest.mark.parametrize(
    ("raw", "before", "after", "hunks", "made"),
    [
        (b"1\r\n2\r\n", b"1\n2\n", b"1\nx\ny\n", b"@@ -2 +2,2 @@\n", b"1\r\nx\r\ny\r\n"),
        (b"1\n2\r\n3\n", b"1\n2\n3\n", b"x\n2\n3\n", b"@@ -1 +1 @@\n", b"x\n2\r\n3\n"),
        (b"1\r\n2\n", b"1\n2\n", b"2\n", b"@@ -1 +0,0 @@\n", b"2\n"),
        (b"1\r\n2\n", b"1\n2\n", b"1\nnew\n2\n", b"@@ -1,0 +2 @@\n", b"1\r\nnew\r\n2\n"),
        (b"1\r\n2\r\n", b"1\n2\n", b"new\n1\n2\n", b"@@ -0,0 +1 @@\n", b"new\r\n1\r\n2\r\n"),
        (b"1\r\n2", b"1\n2", b"1\nx\ny", b"@@ -2 +2,2 @@\n", b"1\r\nx\r\ny"),
        (b"$Id: a $\nb\n", b"$Id$\nb\n", b"$Id$\nc\n", b"@@ -2 +2 @@\n", b"$Id: a $\nc\n"),
        (b"1\rx\r\n2\r\n", b"1\rx\n2\n", b"1\rx\n3\n", b"@@ -2 +2 @@\n", b"1\rx\r\n3\r\n"),
        (b"1\r\n", b"1\n", b"2\r\n", b"@@ -1 +1 @@\n", b"2\r\n"),
        (b"1\r\n2\r\n", b"1\n2\n", b"1\n2\n", b"", b"1\r\n2\r\n"),
        (b"1\r\n2\n3\n", b"1\n2\n3\n", b"x\n3\n", b"@@ -1,2 +1 @@\n", None),
        (b"1\n2\r\n", b"1\n2\n", b"new\n1\n2\n", b"@@ -0,0 +1 @@\n", None),
        (b"1\r\n2\r\n3\r\n", b"1\n2\n", b"x\n2\n", b"@@ -1 +1 @@\n", None),
        (b"", b"1\n", b"2\n", b"@@ -1 +1 @@\n", None),
    ],
)
def test_each_line_keeps_its_bytes(raw: bytes, before: bytes, after: bytes, hunks: bytes, made: bytes | None) -> None:
    assert carried(raw, before, after, spans(hunks)) == made


line = st.tuples(st.sampled_from([b"a", b"b", b"c", b""]), st.sampled_from([b"\n", b"\r\n"]))


@given(st.lists(line, max_size=9), st.lists(st.sampled_from([b"a", b"b", b"x", b""]), max_size=9), st.booleans())
def test_whatever_changes(old: list[tuple[bytes, bytes]], new: list[bytes], open_end: bool) -> None:
    """In canonical form the result is what was wanted, and what did not change is there byte for byte."""
    raw, before, after = [text + end for text, end in old], [text + b"\n" for text, _ in old], [x + b"\n" for x in new]
    if open_end and old and old[-1][0]:
        raw[-1], before[-1] = old[-1][0], old[-1][0]
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changes = [Span(*places) for kind, *places in blocks if kind != "equal"]
    made = carried(b"".join(raw), b"".join(before), b"".join(after), changes)
    if made is None:
        ends = [{line[-2:] == b"\r\n" for line in raw[c.start : c.end] if line.endswith(b"\n")} for c in changes]
        assert any(len(found) != 1 for found in ends)
        return
    assert made.replace(b"\r\n", b"\n") == b"".join(after)
    result = made.splitlines(keepends=True)
    for kind, start, end, first, last in blocks:
        if kind == "equal":
            assert result[first:last] == raw[start:end]


@pytest.fixture
def scene(repo: Any) -> Any:
    """What the worktree holds of `w` is said by each test; staged is always the same."""
    repo.add({"w": "$Id$\nl2\nl3\nBAD\nl5\n"}, commit="base")
    repo.add({"w": "$Id$\nl2\nl3\nBAD\nl5\nl6\n"})
    return repo


def stage(scene: Any, opened: Opened, after: bytes, mode: Apply = Apply.STAGE, **options: Any) -> Applied:
    change = Change("w", "100644", scene.oid("w"), after)
    return apply(opened(scene), [change], mode, "7f3a", **options)


FIXED = b"$Id$\nl2\nl3\nGOOD\nADDED\nl5\nl6\n"
ALL_CRLF = b"$Id$\r\nl2\r\nl3\r\nBAD\r\nl5\r\nl6\r\n"
SOME_CRLF = b"$Id$\r\nl2\nl3\r\nBAD\nl5\r\nl6\n"
OLD_IDENT = b"$Id: 0123456789012345678901234567890123456789 $\nl2\nl3\nBAD\nl5\nl6\n"
KINDS = [
    ({"core.autocrlf": "input"}, "", ALL_CRLF),
    ({"core.autocrlf": "input"}, "", SOME_CRLF),
    ({"core.autocrlf": "input", "core.safecrlf": "true"}, "", SOME_CRLF),
    ({"core.autocrlf": "true"}, "", SOME_CRLF),
    ({}, "w text eol=lf\n", ALL_CRLF),
    ({}, "w text eol=crlf\n", SOME_CRLF),
    ({}, "w ident\n", OLD_IDENT),
    ({}, "w ident\n", b"$Id$\nl2\nl3\nBAD\nl5\nl6\n"),
    ({"core.autocrlf": "input"}, "w ident\n", OLD_IDENT.replace(b"l2\n", b"l2\r\n")),
]


@pytest.mark.parametrize(("config", "attributes", "raw"), KINDS)
def test_a_file_without_edits_gets_the_change_and_keeps_its_bytes(
    scene: Any, opened: Opened, config: dict[str, str], attributes: str, raw: bytes
) -> None:
    for name, value in config.items():
        scene.config(name, value)
    scene.write(".gitattributes", attributes)
    scene.write("w", raw)
    assert scene.git("diff", "--name-only", "--", "w") == b""
    held = stage(scene, opened, FIXED, Apply.HOLD)
    assert ([result.outcome.value for result in held.results], scene.read("w")) == (["held"], raw)
    assert stage(scene, opened, FIXED).rejected == ()
    ending = b"\r\n" if b"BAD\r\n" in raw else b"\n"
    assert scene.read("w") == raw.replace(b"BAD" + ending, b"GOOD" + ending + b"ADDED" + ending)
    assert scene.blob("w") == FIXED
    assert scene.git("diff", "--name-only", "--", "w") == b""
    undo(opened(scene), "7f3a.1")
    assert (scene.read("w"), scene.blob("w").endswith(b"BAD\nl5\nl6\n")) == (raw, True)


@pytest.mark.parametrize(
    ("raw", "after", "reason"),
    [
        (SOME_CRLF, b"$Id$\nl2\nGOOD\nl5\nl6\n", MIXED),  # a line with CRLF and one without become one
        (ALL_CRLF.replace(b"l2\r\n", b"l2\n"), b"$Id$\none\nl5\nl6\n", MIXED),
        (ALL_CRLF + b"mine\n", FIXED, EDITED),
        (SOME_CRLF.replace(b"l6", b"l6 mine"), FIXED, EDITED),
    ],
)
def test_what_is_left_alone(scene: Any, opened: Opened, raw: bytes, after: bytes, reason: str) -> None:
    scene.config("core.autocrlf", "input")
    scene.write("w", raw)
    staged = scene.blob("w")
    before = scene.snapshot()
    assert [result.reason for result in stage(scene, opened, after).rejected] == [reason]
    assert scene.snapshot() == before
    assert stage(scene, opened, after, index_only=True).rejected == ()
    assert (scene.read("w"), scene.blob("w")) == (raw, after)
    undo(opened(scene), "7f3a.1")
    assert (scene.read("w"), scene.blob("w")) == (raw, staged)
