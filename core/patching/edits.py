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
    """The changed line numbers after the edits: a line that was made from a changed line is changed, all others are
    not.
    """
    if changed is None:
        return None
    result: set[int] = set()
    shift = 0
    done = 0  # original lines that are dealt with
    for edit in sorted(edits, key=lambda e: e.cut):
        first = text.count("\n", 0, edit.cut.start) + 1
        last = first + text.count("\n", edit.cut.start, edit.cut.end)
        result |= {n + shift for n in changed if done < n < first}
        new_last = first + edit.text.count("\n")
        if any(first <= n <= last for n in changed):
            result |= set(range(first + shift, new_last + shift + 1))
        shift += new_last - last
        done = last
    result |= {n + shift for n in changed if n > done}
    return frozenset(result)
