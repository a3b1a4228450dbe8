"""Taking single hunks of a reply back. A small model often does what was asked and changes a line beside it; the gates
tell, and what they refuse is put back as it was, as long as the rest can stand without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import NamedTuple

MOST_HUNKS = 8
MOST_DROPPED = 2


class Hunk(NamedTuple):
    """Old lines [a1, a2) became new lines [b1, b2); line numbers count from 0 within the region."""

    a1: int
    a2: int
    b1: int
    b2: int


def hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [Hunk(a1, a2, b1, b2) for tag, a1, a2, b1, b2 in matcher.get_opcodes() if tag != "equal"]


def variants(
    old: str, new: str, sites: Sequence[range], *, optional: bool, is_comment: Callable[[str], bool]
) -> Iterator[str]:
    """The reply with one hunk mended, then with two. `sites` are the region's line numbers (from 0) that the rule is
    about.

    Comment lines that a hunk took away come back before its new lines. A hunk that turned lines beside the sites into
    as many other ones is taken back. Nothing else is, because an insertion can be the second half of what was asked;
    only with `optional` sites any hunk may go.
    """
    before, after = old.split("\n"), new.split("\n")
    found = hunks(before, after)
    if len(found) > MOST_HUNKS:
        return
    choices: dict[Hunk, list[str]] = {}
    for hunk in found:
        lines = before[hunk.a1 : hunk.a2]
        if lines and all(is_comment(line) for line in lines):
            choices[hunk] = [*lines, *after[hunk.b1 : hunk.b2]]
        elif optional or (hunk.a2 - hunk.a1 == hunk.b2 - hunk.b1 and not _touches(hunk, sites)):
            choices[hunk] = lines
    for size in range(1, MOST_DROPPED + 1):
        for mended in combinations(choices, size):
            variant = "\n".join(_mend(before, after, found, {h: choices[h] for h in mended}))
            if variant != old:
                yield variant


def _touches(hunk: Hunk, sites: Sequence[range]) -> bool:
    return any(n in site for site in sites for n in range(hunk.a1, hunk.a2))


def _mend(
    before: Sequence[str], after: Sequence[str], found: Sequence[Hunk], mended: Mapping[Hunk, list[str]]
) -> Iterator[str]:
    at = 0
    for hunk in found:
        yield from before[at : hunk.a1]
        yield from mended[hunk] if hunk in mended else after[hunk.b1 : hunk.b2]
        at = hunk.a2
    yield from before[at:]
