"""A change carried over to a worktree file line by line.

A worktree file may be unchanged for git and yet not what a checkout would write: CRLF under `core.autocrlf=input`,
mixed line endings, an `$Id$` that was expanded for an older blob. Written as a checkout does, lines that nobody has
touched would become others. All these conversions keep the number of lines, so each line of the file has its
counterpart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_RANGES = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Span(NamedTuple):
    """Lines `start` to `end` of the old side, counted from 0, become the lines `first` to `last` of the new one."""

    start: int
    end: int
    first: int
    last: int


def spans(hunks: bytes) -> Iterator[Span]:
    """The places of hunks without context."""
    for found in _RANGES.finditer(hunks):
        start, count, new, length = (1 if number is None else int(number) for number in found.groups())
        begin, first = start - bool(count), new - bool(length)
        yield Span(begin, begin + count, first, first + length)


def carried(raw: bytes, before: bytes, after: bytes, places: Iterable[Span]) -> bytes | None:
    """`raw`, a form of `before`, with what `after` changes at these places; every other line keeps its bytes, and new
    lines end as those that they replace. None when these do not all end alike, or the lines have no counterparts.
    """
    lines, new = _lines(raw), _lines(after)
    if len(lines) != len(_lines(before)):
        return None
    made: list[bytes] = []
    at = 0
    for place in places:
        endings = _endings(lines[place.start : place.end]) or _endings(lines[: place.start][-1:]) or _endings(lines)
        if len(endings) > 1:
            return None
        made += lines[at : place.start]
        made += [_ended(line, crlf=b"\r\n" in endings) for line in new[place.first : place.last]]
        at = place.end
    return b"".join(made + lines[at:])


def _lines(text: bytes) -> list[bytes]:
    """With their line feeds; only these end a line for git."""
    return re.findall(rb"[^\n]*\n|[^\n]+", text)


def _endings(lines: Iterable[bytes]) -> set[bytes]:
    return {b"\r\n" if line.endswith(b"\r\n") else b"\n" for line in lines if line.endswith(b"\n")}


def _ended(line: bytes, *, crlf: bool) -> bytes:
    return line[:-1] + b"\r\n" if crlf and line.endswith(b"\n") and not line.endswith(b"\r\n") else line
