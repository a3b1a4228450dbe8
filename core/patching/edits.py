"""Replacing cuts of a text, and following changed lines through the replacements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from litecode.core.patching.document import Cut


class Edit(NamedTuple):
    """Put `text` in the place of `cut`."""

    cut: Cut
    text: str


def splice(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made. The cuts are of the original text and must not overlap (ValueError)."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: e.cut):
        if edit.cut.start < at:
            raise ValueError(f"edits overlap at character {edit.cut.start}")
        parts += (text[at : edit.cut.start], edit.text)
        at = edit.cut.end
    return "".join((*parts, text[at:]))


def moved(edits: Iterable[Edit], offset: int) -> int:
    """Where a character offset of the original text is after the edits; inside a replaced cut it is the end of the new
    text.
    """
    shift = 0
    for edit in sorted(edits, key=lambda e: e.cut):
        if edit.cut.end <= offset:
            shift += len(edit.text) - (edit.cut.end - edit.cut.start)
        elif edit.cut.start < offset:
            return edit.cut.start + shift + len(edit.text)
    return offset + shift


def follow_lines(text: str, edits: Iterable[Edit], changed: frozenset[int] | None) -> frozenset[int] | None:
    """The changed line numbers after the edits: a line is changed when something of a changed line is left in it, or
    text that an edit put in the place of some. A line end is part of the line that it ends.
    """
    if changed is None:
        return None
    result: set[int] = set()
    at, line, shift = 0, 1, 0  # `line` is that of `at`, in the old text
    for edit in (*sorted(edits, key=lambda e: e.cut), Edit(Cut(len(text), len(text)), "")):
        start, end = edit.cut
        first = line + text.count("\n", at, start)
        if start > at:
            result |= {n + shift for n in changed if line <= n <= first - _ends_line(text, at, start)}
        last = first + text.count("\n", start, end)
        if edit.text and any(first <= n <= last - _ends_line(text, start, end) for n in changed):
            rows = edit.text.count("\n") + 1 - edit.text.endswith("\n")
            result |= set(range(first + shift, first + shift + rows))
        shift += edit.text.count("\n") - (last - first)
        at, line = end, last
    return frozenset(result)


def _ends_line(text: str, start: int, end: int) -> bool:
    """Whether nothing of the line that `end` is in belongs to the range."""
    return end > start and text[end - 1] == "\n"
