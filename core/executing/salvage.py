"""Taking single hunks of a reply back. A small model often does what was asked and changes a line beside it; the gates
tell, and what they refuse is put back as it was, as long as the rest can stand without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

    @property
    def inserts_only(self) -> bool:
        return self.a1 == self.a2


def hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [Hunk(a1, a2, b1, b2) for tag, a1, a2, b1, b2 in matcher.get_opcodes() if tag != "equal"]


def variants(old: str, new: str, sites: Sequence[range], *, optional: bool) -> Iterator[str]:
    """The reply with one hunk taken back, then with two. `sites` are the region's line numbers (from 0) that the rule
    is
    about.

    When every match is a violation, only hunks that changed lines beside the sites may go: an insertion can be the
    second half of what was asked. With `optional` sites each hunk may.
    """
    before, after = old.split("\n"), new.split("\n")
    found = hunks(before, after)
    if len(found) > MOST_HUNKS:
        return
    loose = [h for h in found if optional or (not h.inserts_only and not _touches(h, sites))]
    for size in range(1, MOST_DROPPED + 1):
        for dropped in combinations(loose, size):
            if len(dropped) < len(found):
                yield "\n".join(_without(before, after, found, dropped))


def _touches(hunk: Hunk, sites: Sequence[range]) -> bool:
    return any(n in site for site in sites for n in range(hunk.a1, hunk.a2))


def _without(
    before: Sequence[str], after: Sequence[str], found: Sequence[Hunk], dropped: Sequence[Hunk]
) -> Iterator[str]:
    at = 0
    for hunk in found:
        yield from before[at : hunk.a1]
        yield from before[hunk.a1 : hunk.a2] if hunk in dropped else after[hunk.b1 : hunk.b2]
        at = hunk.a2
    yield from before[at:]
