"""Hunks taken apart and put together: any choice of them is exactly the lines that were chosen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.patching.diffs import unified
from litecode.core.patching.hunks import (
    BadHunk,
    Hunk,
    Row,
    assemble,
    edited,
    hunks_in,
    hunks_of,
    reverse,
    split,
)

OLD = b"".join(b"%d\n" % number for number in range(1, 31))
# Changes at lines 3, 5 and 20: the first two share a hunk.
NEW = OLD.replace(b"3\n", b"3 new\n", 1).replace(b"5\n", b"5 new\nmore\n", 1).replace(b"\n20\n", b"\n")

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"\xff\xfe\n", "ü\f\n".encode()]), max_size=12)
CONTENTS = st.builds(lambda lines, end: b"".join(lines) + end, LINES, st.sampled_from([b"", b"end"]))


@given(CONTENTS, CONTENTS)
@settings(deadline=None, max_examples=300)
def test_all_hunks_make_the_new_content_and_none_the_old(old: bytes, new: bytes) -> None:
    hunks = hunks_of(old, new)
    pieces = [part for hunk in hunks for part in split(hunk)]
    assert assemble(old, hunks) == assemble(old, pieces) == new
    assert assemble(old, []) == old
    assert assemble(new, [reverse(hunk) for hunk in hunks]) == old
    assert hunks_in(unified("a", "100644", old, new)) == hunks
    assert all(edited(hunk, hunk.text()) == hunk for hunk in pieces)


@given(CONTENTS, CONTENTS, st.integers(0, 2**12))
@settings(deadline=None, max_examples=300)
def test_any_choice_is_the_chosen_lines(old: bytes, new: bytes, mask: int) -> None:
    """Taking some pieces first and the rest afterwards is the same as taking all at once, unless a piece leaves a line
    without its end in the middle, which is refused.
    """
    pieces = [part for hunk in hunks_of(old, new) for part in split(hunk)]
    some = [piece for number, piece in enumerate(pieces) if mask >> number & 1]
    try:
        partly = assemble(old, some)
    except BadHunk as error:
        assert "without an end" in str(error)  # noqa: PT017
        return
    expected = [row.line for piece in pieces for row in piece.rows if row.sign == "+" and piece in some]
    lines = partly.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    assert all(line in lines or "\f" in line for line in expected)
    assert assemble(partly, hunks_of(partly, new)) == new


def test_the_hunks_of_a_change() -> None:
    first, second = hunks_of(OLD, NEW)
    assert (first.header, second.header) == ("@@ -1,8 +1,9 @@", "@@ -17,7 +18,6 @@")
    assert [part.header for part in split(first)] == ["@@ -1,4 +1,4 @@", "@@ -4,5 +4,6 @@"]
    assert split(second) == (second,)
    assert assemble(OLD, [split(first)[1]]) == OLD.replace(b"5\n", b"5 new\nmore\n", 1)
    assert assemble(OLD, [second]) == OLD.replace(b"\n20\n", b"\n")


def test_a_new_file_and_an_emptied_one() -> None:
    (made,) = hunks_of(b"", b"a\nb")
    assert made.text() == "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
    (gone,) = hunks_of(b"a\nb", b"")
    assert gone.header == "@@ -1,2 +0,0 @@"
    assert hunks_of(b"a\n", b"a\n") == ()


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (" 1\n-2\n+two\n 3\n", b"1\ntwo\n3\n"),
        ("@@ any header @@\n 1\n-2\n+two\n+and more\n 3\n# a note\n", b"1\ntwo\nand more\n3\n"),
        (" 1\n 2\n+two\n 3\n", b"1\n2\ntwo\n3\n"),
        ("-1\n-2\n-3\n+all\n", b"all\n"),
        (" 1\n-2\n-3\n\\ No newline is noted in vain\n", None),
        ("", b"none"),
        ("# only notes\n\n", b"none"),
        (" 1\n+two\n 3\n", None),
        (" 1\n-2\n+two\n 3\n 4\n", None),
        (" one\n-2\n+two\n 3\n", None),
        ("1\n-2\n+two\n 3\n", None),
        ("\\ No newline at end of file\n", None),
    ],
)
def test_edits_of_a_person(text: str, result: bytes | None) -> None:
    """A result of None is refused; `none` means that nothing is left of the hunk."""
    (hunk,) = hunks_of(b"1\n2\n3\n", b"1\nzwei\n3\n")
    if result is None:
        with pytest.raises(BadHunk):
            edited(hunk, text)
    elif result == b"none":
        assert edited(hunk, text) is None
    else:
        found = edited(hunk, text)
        assert found is not None
        assert assemble(b"1\n2\n3\n", [found]) == result


def test_an_editor_that_strips_blanks_at_the_ends_of_lines() -> None:
    (hunk,) = hunks_of(b"\n2\n\n", b"\ntwo\n\n")
    assert edited(hunk, "\n-2\n+two\n\n") == hunk


@pytest.mark.parametrize(
    "hunks",
    [
        (Hunk(0, 0, (Row("-", "x\n"),)),),
        (Hunk(9, 9, (Row("-", "1\n"),)),),
        (Hunk(0, 0, (Row("-", "1\n"),)), Hunk(0, 0, (Row("-", "1\n"), Row("+", "2\n")))),
        (Hunk(1, 1, (Row("+", "a\n"),)), Hunk(1, 1, (Row("+", "b\n"),))),
        (Hunk(0, 0, (Row("+", "no end"), Row(" ", "1\n"))),),
    ],
)
def test_hunks_that_do_not_go_together(hunks: tuple[Hunk, ...]) -> None:
    with pytest.raises(BadHunk):
        assemble(b"1\n2\n3\n", hunks)


@pytest.mark.parametrize("diff", ["@@ -1 +1 @@\n-a\n", "@@ -1,2 +1,2 @@\n-a\n+b\n", "@@ -1 +1 @@\n-a\n+b\nnonsense\n"])
def test_a_patch_that_is_not_ours(diff: str) -> None:
    with pytest.raises(BadHunk):
        hunks_in(diff)
    assert hunks_in("") == ()
