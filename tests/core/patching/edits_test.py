"""Edits against a slow reference that carries a mark on every character."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, follow_lines, moved, splice

TEXTS = st.text(alphabet="ab\n😀", max_size=24)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text and edits of it that do not overlap, in any order."""
    text = draw(TEXTS)
    points = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(points[::2], points[1::2], strict=False)
    edits = [Edit(Cut(start, end), draw(st.text(alphabet="xy\n", max_size=5))) for start, end in pairs]
    return text, draw(st.permutations(edits))


def slow_splice(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda e: e.cut)[::-1]:
        text = text[: edit.cut.start] + edit.text + text[edit.cut.end :]
    return text


@settings(deadline=None, max_examples=300)
@given(edited())
def test_splice(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    assert splice(text, edits) == slow_splice(text, edits)


@pytest.mark.parametrize(
    ("edits", "result"),
    [
        ([], "abcdef"),
        ([Edit(Cut(0, 6), "")], ""),
        ([Edit(Cut(0, 0), "x"), Edit(Cut(6, 6), "y")], "xabcdefy"),
        ([Edit(Cut(2, 2), "x"), Edit(Cut(2, 2), "y")], "abxycdef"),
        ([Edit(Cut(2, 4), "y"), Edit(Cut(2, 2), "x")], "abxyef"),
        ([Edit(Cut(4, 5), "y"), Edit(Cut(2, 4), "x")], "abxyf"),
    ],
)
def test_edits_side_by_side(edits: list[Edit], result: str) -> None:
    assert splice("abcdef", edits) == result


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(Cut(0, 3), ""), Edit(Cut(2, 4), "")],
        [Edit(Cut(0, 6), ""), Edit(Cut(2, 4), "")],
        [Edit(Cut(0, 3), "x"), Edit(Cut(1, 1), "y")],
        [Edit(Cut(0, 3), "x"), Edit(Cut(0, 3), "x")],
    ],
)
def test_overlapping_edits_are_an_error(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="edits overlap at character"):
        splice("abcdef", edits)


@settings(deadline=None, max_examples=300)
@given(edited(), st.data())
def test_moved(case: tuple[str, list[Edit]], data: st.DataObject) -> None:
    text, edits = case
    offset = data.draw(st.integers(0, len(text)))
    inside = [e for e in edits if e.cut.start < offset < e.cut.end]
    before = [e for e in edits if e.cut.end <= offset] + inside
    expected = len(slow_splice(text[:offset], [e for e in before if e not in inside]))
    if inside:
        head = text[: inside[0].cut.start]
        expected = len(slow_splice(head, [e for e in before if e not in inside])) + len(inside[0].text)
    assert moved(edits, offset) == expected


def slow_follow(text: str, edits: list[Edit], changed: frozenset[int]) -> frozenset[int]:
    """Each character of the old text is marked when its line is changed, each new one when its edit touches such a
    line; a new line is changed when one of its characters is marked. A line end is part of the line that it ends.
    """
    marked = [(char, text.count("\n", 0, at) + 1 in changed) for at, char in enumerate(text)]
    for edit in sorted(edits, key=lambda e: e.cut)[::-1]:
        start, end = edit.cut
        own_line = text.count("\n", 0, start) + 1 in changed
        mark = any(m for _, m in marked[start:end]) if end > start else own_line
        marked[start:end] = [(char, mark) for char in edit.text]
    line, found = 1, set()
    for char, mark in marked:
        if mark:
            found.add(line)
        line += char == "\n"
    return frozenset(found)


@settings(deadline=None, max_examples=600)
@given(edited(), st.data())
def test_follow_lines(case: tuple[str, list[Edit]], data: st.DataObject) -> None:
    text, edits = case
    lines = text.count("\n") + (not text.endswith("\n")) if text else 0
    changed = data.draw(st.frozensets(st.integers(1, lines))) if lines else frozenset()
    assert follow_lines(text, edits, changed) == slow_follow(text, edits, changed)


@pytest.mark.parametrize(
    ("edits", "changed", "after"),
    [
        ([], {2}, {2}),
        ([Edit(Cut(0, 3), "1")], {2}, {2}),  # the line before, same height
        ([Edit(Cut(0, 3), "1\n1\n1")], {2, 4}, {4, 6}),
        ([Edit(Cut(4, 7), "2\n2")], {2}, {2, 3}),
        ([Edit(Cut(4, 7), "2\n2")], {1, 3}, {1, 4}),  # what an unchanged line became is not changed
        ([Edit(Cut(4, 8), "")], {2}, set()),  # the line is gone
        ([Edit(Cut(4, 8), "")], {3}, {2}),
        ([Edit(Cut(4, 8), "")], {1, 4}, {1, 3}),
        ([Edit(Cut(3, 3), "\nnew")], {2}, {3}),
        ([Edit(Cut(4, 4), "new\n")], {3}, {4}),
        ([Edit(Cut(2, 5), "")], {2}, {1}),  # two lines became one
        ([Edit(Cut(0, 1), "x\n"), Edit(Cut(2, 3), "y\n")], {1}, {1, 2, 3}),
        ([Edit(Cut(0, 1), "x\n"), Edit(Cut(2, 3), "y\n")], {2}, {4}),
    ],
)
def test_follow_lines_by_example(edits: list[Edit], changed: set[int], after: set[int]) -> None:
    assert follow_lines("one\ntwo\nthree\nfour\n", edits, frozenset(changed)) == after


def test_all_lines_stay_all_lines() -> None:
    assert follow_lines("a\nb\n", [Edit(Cut(0, 1), "x\ny")], None) is None
