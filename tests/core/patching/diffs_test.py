"""Diffs against git itself: what `git apply` makes of A is B, and of anything else nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from unidiff import PatchSet

from litecode.core.patching.diffs import unified

SETTINGS = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
LINES = st.lists(
    st.sampled_from([b"a", b"b", b"c", b"", b"  d", "é😀".encode(), b"\xff\xfe", b"\\ No newline"]), max_size=14
)
PATHS = [
    "a.txt",
    "dir/sub dir/b c.txt",
    " lead and trail ",
    'quo"te.txt',
    "back\\slash.txt",
    "tab\there.txt",
    "new\nline.txt",
    "umlaut-ü-😀.txt",
    os.fsdecode(b"latin-\xfc.txt"),
    "bell\a\b\v\f\r\x01\x7f.txt",
    "-dash",
    "b/a",
    "a/b/dev/null",
    "x => y",
    "tab\tand blank .txt",
    "nbsp\u00a0.txt",
]


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    eol = draw(st.sampled_from([b"\n", b"\r\n"]))
    data = eol.join(draw(LINES))
    return data + eol if draw(st.booleans()) and data else data


@st.composite
def pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two contents, of which the second often is the first with some lines changed."""
    old = draw(contents())
    if draw(st.booleans()):
        return old, draw(contents())
    lines = old.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 2))] = draw(
            st.lists(st.sampled_from([b"x\n", b"y\r\n", b"a\n"]), max_size=2)
        )
    return old, b"".join(lines)


def git_apply(place: Path, diff: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    patch = diff.encode("utf-8", "surrogateescape")
    return subprocess.run(("git", "apply", *options, "-"), cwd=place, input=patch, capture_output=True, check=False)


def applied(place: Path, path: str, diff: str, old: bytes | None) -> bytes:
    file = place / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if old is not None:
        file.write_bytes(old)
    for options in (("--check",), ()):
        done = git_apply(place, diff, "--whitespace=nowarn", *options)
        assert done.returncode == 0, (done.stderr.decode(errors="replace"), diff)
    return file.read_bytes()


@SETTINGS
@given(pair=pairs())
@example(pair=(b"a\n", b"a"))
@example(pair=(b"a", b"a\n"))
@example(pair=(b"a\r\nb\r\n", b"a\r\nx\r\n"))
@example(pair=(b"a\nb", b"a\nb\nc"))
@example(pair=(b"a\nb\nb\nb\na", b"b\nb\nb\nb\na"))  # the last line is context, although both have it
@example(pair=(b"", b"a\n"))
@example(pair=(b"a\n", b""))
@example(pair=(b"a\rb\n", b"a\rc\n"))
@example(pair=(b"\n\n", b"\n"))
def test_git_apply_makes_b_of_a(hermetic: Path, pair: tuple[bytes, bytes]) -> None:
    old, new = pair
    diff = unified("a.txt", "100644", old, new)
    if old == new:
        assert diff == ""
    else:
        assert applied(hermetic, "a.txt", diff, old) == new


@SETTINGS
@given(new=contents())
@example(new=b"")
@example(new=b"\n")
@example(new=b"no end")
def test_git_apply_makes_new_files(hermetic: Path, new: bytes) -> None:
    assert applied(hermetic, "a.txt", unified("a.txt", "100644", None, new), None) == new


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("old", "new"), [(b"a\nb\n", b"a\nc\n"), (None, b"a\n"), (None, b""), (b"a", b"")])
def test_odd_names(tmp_path: Path, path: str, old: bytes | None, new: bytes) -> None:
    assert applied(tmp_path, path, unified(path, "100644", old, new), old) == new
    assert [os.fsdecode(file) for _, _, files in os.walk(os.fsencode(tmp_path)) for file in files] == [Path(path).name]


def test_a_new_file_has_its_mode(tmp_path: Path) -> None:
    applied(tmp_path, "run.sh", unified("run.sh", "100755", None, b"#!/bin/sh\n"), None)
    assert (tmp_path / "run.sh").stat().st_mode & 0o111 == 0o111


@pytest.mark.parametrize("path", PATHS)
def test_names_are_written_as_git_writes_them(hermetic: Path, path: str) -> None:
    (hermetic / "x").mkdir()
    for name, data in (("a", b"1\n"), ("b", b"2\n")):
        file = hermetic / "x" / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    command = ("git", "-c", "core.quotePath=true", "diff", "--no-index", "--no-prefix", f"a/{path}", f"b/{path}")
    theirs = subprocess.run(command, cwd=hermetic / "x", capture_output=True, check=False).stdout
    ours = unified(path, "100644", b"1\n", b"2\n").encode("utf-8", "surrogateescape")
    index = theirs.split(b"\n")[1]
    assert index.startswith(b"index ")
    assert ours == theirs.replace(index + b"\n", b"")


@SETTINGS
@given(pair=pairs())
def test_unidiff_counts_the_same(pair: tuple[bytes, bytes]) -> None:
    old, new = (data.decode("utf-8", "replace").replace("\r", "").encode() for data in pair)
    diff = unified("a.txt", "100644", old, new)
    parsed = PatchSet(diff)
    if old == new:
        assert len(parsed) == 0
        return
    (file,) = parsed
    assert file.path == "a.txt"
    rows = [row for row in diff.split("\n") if not row.startswith(("---", "+++"))]
    assert file.added == sum(row.startswith("+") for row in rows)
    assert file.removed == sum(row.startswith("-") for row in rows)
    assert file.added - file.removed == len(new.splitlines()) - len(old.splitlines())


def test_unidiff_knows_new_files_and_odd_names() -> None:
    (file,) = PatchSet(unified("dir/b c.txt", "100644", None, b"a\nb\n"))
    assert (file.path, file.is_added_file, file.added, file.removed) == ("dir/b c.txt", True, 2, 0)


BASE = b"".join(b"line %d\n" % n for n in range(1, 21))


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace(b"line 10\n", b"line ten\n"),  # the line itself
        BASE.replace(b"line 9\n", b""),  # its context
        BASE.replace(b"line 12\n", b"line 12 \n"),
        BASE.replace(b"\n", b"\r\n"),
        b"",
        BASE[: BASE.index(b"line 11")],
    ],
)
def test_git_apply_refuses_another_a(tmp_path: Path, other: bytes) -> None:
    diff = unified("a.txt", "100644", BASE, BASE.replace(b"line 10\n", b"LINE 10\n"))
    (tmp_path / "a.txt").write_bytes(other)
    assert git_apply(tmp_path, diff).returncode != 0
    assert (tmp_path / "a.txt").read_bytes() == other


def test_git_apply_refuses_a_new_file_where_one_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"mine\n")
    assert git_apply(tmp_path, unified("a.txt", "100644", None, b"theirs\n")).returncode != 0
    assert (tmp_path / "a.txt").read_bytes() == b"mine\n"


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        (b"a\n", b"b\n", "@@ -1 +1 @@\n-a\n+b\n"),
        (b"a\n", b"a\nb\n", "@@ -1 +1,2 @@\n a\n+b\n"),
        (b"", b"a\n", "@@ -0,0 +1 @@\n+a\n"),
        (b"a\n", b"", "@@ -1 +0,0 @@\n-a\n"),
        (b"a", b"b", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"),
        (b"a\r\n", b"b\r\n", "@@ -1 +1 @@\n-a\r\n+b\r\n"),
        (
            BASE,
            BASE.replace(b"line 5\n", b"five\n").replace(b"line 15\n", b"fifteen\n"),
            "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+five\n line 6\n line 7\n line 8\n"
            "@@ -12,7 +12,7 @@\n line 12\n line 13\n line 14\n-line 15\n+fifteen\n line 16\n line 17\n line 18\n",
        ),
    ],
)
def test_hunks(old: bytes, new: bytes, body: str) -> None:
    head = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
    assert unified("a.txt", "100644", old, new) == head + body


def test_a_change_in_a_large_file_is_found_at_once() -> None:
    old = b"".join(b"line %d\n" % n for n in range(50_000))
    new = old.replace(b"line 25000\n", b"changed\n")
    diff = unified("a.txt", "100644", old, new)
    assert diff.split("\n")[3] == "@@ -24998,7 +24998,7 @@"
    assert diff.count("\n") == 12


def test_context() -> None:
    new = BASE.replace(b"line 10\n", b"LINE\n")
    assert unified("a", "100644", BASE, new, 0).endswith("@@ -10 +10 @@\n-line 10\n+LINE\n")
    assert "@@ -9,3 +9,3 @@" in unified("a", "100644", BASE, new, 1)
