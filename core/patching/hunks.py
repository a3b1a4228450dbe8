"""The hunks of a change: taken one by one, split, edited by a person, put together again.

Lines are text with their own ending; bytes that are no UTF-8 are surrogates, so that encoding gives them back exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from typing import NamedTuple

CONTEXT = 3
_NO_END = "\\ No newline at end of file"
_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
Op = tuple[str, int, int, int, int]  # as difflib's opcodes


class BadHunk(ValueError):
    """A hunk, or several together, cannot be applied; the text says why in one clause."""


class Row(NamedTuple):
    """One line of a hunk; the sign is a blank, `-` or `+`."""

    sign: str
    line: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """`old` and `new` are how many lines come before it on either side."""

    old: int
    new: int
    rows: tuple[Row, ...]

    def side(self, sign: str) -> list[str]:
        """Its lines before (`-`) or after (`+`) the change."""
        return [row.line for row in self.rows if row.sign in (" ", sign)]

    @property
    def header(self) -> str:
        return f"@@ -{_range(self.old, len(self.side('-')))} +{_range(self.new, len(self.side('+')))} @@"

    @property
    def line(self) -> int:
        """The 1-based line of the old text where the change begins."""
        same = next((place for place, row in enumerate(self.rows) if row.sign != " "), 0)
        return self.old + same + 1

    @property
    def changes(self) -> bool:
        return any(row.sign != " " for row in self.rows)

    def text(self) -> str:
        """As in a patch, the header first."""
        return f"{self.header}\n" + "".join(map(_written, self.rows))


def lines_of(data: bytes) -> list[str]:
    return _lines(data.decode("utf-8", "surrogateescape"))


def hunks_of(old: bytes, new: bytes, context: int = CONTEXT) -> tuple[Hunk, ...]:
    """What has to be done to `old` to make it `new`, with lines of context around."""
    before, after = lines_of(old), lines_of(new)
    found = []
    for group in _groups(before, after, context):
        rows: list[Row] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                rows += (Row(" ", line) for line in before[i1:i2])
            else:
                rows += (Row("-", line) for line in before[i1:i2])
                rows += (Row("+", line) for line in after[j1:j2])
        found.append(Hunk(group[0][1], group[0][3], tuple(rows)))
    return tuple(found)


def hunks_in(diff: str) -> tuple[Hunk, ...]:
    """The hunks of a patch of one file that `litecode.core.patching.diffs` made. Raises BadHunk for anything else."""
    lines = _lines(diff)
    starts = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    hunks = []
    for start, end in pairwise([*starts, len(lines)]):
        numbers = _HEADER.findall(lines[start])[0]
        old, had, new, has = (int(number or 1) for number in numbers)
        hunk = Hunk(old - 1 if had else old, new - 1 if has else new, _rows(lines[start + 1 : end]))
        if (len(hunk.side("-")), len(hunk.side("+"))) != (had, has):
            raise BadHunk("the numbers in its header are wrong")
        hunks.append(hunk)
    return tuple(hunks)


def split(hunk: Hunk) -> tuple[Hunk, ...]:
    """The smallest hunks that it can be cut into: wherever an unchanged line stands between two changes. Neighbours
    share these lines. One that cannot be cut comes back alone.
    """
    runs = [(changed, list(rows)) for changed, rows in groupby(hunk.rows, key=lambda row: row.sign != " ")]
    parts = []
    old, new = hunk.old, hunk.new
    for number, (changed, rows) in enumerate(runs):
        if changed:
            before = runs[number - 1][1] if number else []
            after = runs[number + 1][1] if number + 1 < len(runs) else []
            parts.append(Hunk(old - len(before), new - len(before), (*before, *rows, *after)))
        old += sum(row.sign != "+" for row in rows)
        new += sum(row.sign != "-" for row in rows)
    return tuple(parts)


def assemble(old: bytes, hunks: Sequence[Hunk]) -> bytes:
    """`old` with these hunks of it, and no others. Raises BadHunk when two of them change the same place, or one is of
    another content.
    """
    lines = lines_of(old)
    for hunk in hunks:
        side = hunk.side("-")
        if lines[hunk.old : hunk.old + len(side)] != side:
            raise BadHunk("its lines are not those of the file")
    edits = sorted((edit for hunk in hunks for edit in _edits(hunk)), key=lambda edit: edit[:2])
    out: list[str] = []
    at, inserted = 0, -1
    for start, end, new in edits:
        if start < at or (start == end == inserted):
            raise BadHunk("two hunks change the same place")
        out += [*lines[at:start], *new]
        at, inserted = end, start if start == end else -1
    out += lines[at:]
    if any(not line.endswith("\n") for line in out[:-1]):
        raise BadHunk("a line without an end can only be the last one of the file")
    return "".join(out).encode("utf-8", "surrogateescape")


def reverse(hunk: Hunk) -> Hunk:
    """The hunk that takes this one back."""
    signs = {" ": " ", "-": "+", "+": "-"}
    return Hunk(hunk.new, hunk.old, tuple(Row(signs[sign], line) for sign, line in hunk.rows))


def edited(hunk: Hunk, text: str) -> Hunk | None:
    """The hunk as a person has edited its text; lines that begin with `#` do not count. None when nothing is left of
    it. Raises BadHunk when it would no longer fit where it stood.
    """
    lines = [line for line in _lines(text) if not line.startswith(("#", "@@"))]
    if not "".join(lines).strip():
        return None
    found = Hunk(hunk.old, hunk.new, _rows(lines))
    if found.side("-") != hunk.side("-"):
        raise BadHunk("its unchanged and removed lines together must stay those of the file")
    return found


def _edits(hunk: Hunk) -> Iterator[tuple[int, int, list[str]]]:
    """Each run of changed lines: where it begins and ends in the old content, and what comes there."""
    at = hunk.old
    for changed, run in groupby(hunk.rows, key=lambda row: row.sign != " "):
        rows = list(run)
        end = at + sum(row.sign != "+" for row in rows)
        if changed:
            yield at, end, [row.line for row in rows if row.sign == "+"]
        at = end


def _rows(lines: Sequence[str]) -> tuple[Row, ...]:
    rows: list[Row] = []
    for line in lines:
        if line.startswith("\\"):  # the line before has no end
            if not rows:
                raise BadHunk("it begins with a note about a line that is not there")
            rows[-1] = Row(rows[-1].sign, rows[-1].line.removesuffix("\n"))
        elif line[:1] in (" ", "-", "+"):
            rows.append(Row(line[0], line[1:]))
        elif line in ("\n", "\r\n"):  # an editor took the blank at the end of the line
            rows.append(Row(" ", line))
        else:
            raise BadHunk("every line must begin with a blank, - or +")
    return tuple(rows)


def _written(row: Row) -> str:
    return f"{row.sign}{row.line}" if row.line.endswith("\n") else f"{row.sign}{row.line}\n{_NO_END}\n"


def _lines(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _range(before: int, count: int) -> str:
    if count == 1:
        return str(before + 1)
    return f"{before + 1 if count else before},{count}"


def _groups(old: list[str], new: list[str], context: int) -> Iterator[list[Op]]:
    """The operations in groups that make a hunk, each with its lines of context."""
    group: list[Op] = []
    ops = operations(old, new)
    for number, (tag, i1, i2, j1, j2) in enumerate(ops):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        after = min(context, i2 - i1) if number else 0
        before = min(context, i2 - i1) if number + 1 < len(ops) else 0
        if number and before and i2 - i1 <= 2 * context:
            group.append((tag, i1, i2, j1, j2))
            continue
        if number:
            yield [*group, (tag, i1, i1 + after, j1, j1 + after)]
        group = [(tag, i2 - before, i2, j2 - before, j2)]
    if any(tag != "equal" for tag, *_ in group):
        yield group


def operations(old: list[str], new: list[str]) -> list[Op]:
    """What difflib makes of the two, less what they have in common at their ends: that is most of it."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = SequenceMatcher(None, a, b, autojunk=len(a) > 2000)
    middle: list[Op] = [(t, i1 + head, i2 + head, j1 + head, j2 + head) for t, i1, i2, j1, j2 in matcher.get_opcodes()]
    end: Op = ("equal", len(old) - tail, len(old), len(new) - tail, len(new))
    return [*([("equal", 0, head, 0, head)] if head else []), *middle, *([end] if tail else [])]
