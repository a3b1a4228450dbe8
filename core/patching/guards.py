"""The smallest guard that keeps a regex away from what it should not find: a look ahead, or a look behind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from litecode.core.errors import RuleError
from litecode.core.patching.document import Cut
from litecode.core.patching.match import regex_matcher

MOST_PARTS = 2
MOST_ANSWERS = 5
MOST_PIECES = 3  # tokens that a guard spells out
_PIECE = re.compile(r"\w+|[ \t]+|[^\w\s]")
_FLAGS = re.compile(r"\(\?[aiLmsux]+\)")


class Guarded(NamedTuple):
    """The whole regex, the guards in it, and how large those are."""

    regex: str
    guards: tuple[str, ...]
    cost: float


class _Guard(NamedTuple):
    """`before` stands before the regex, `after` behind it; one of them is empty."""

    before: str
    after: str
    cost: float


class _Place(NamedTuple):
    text: str
    cut: Cut

    @property
    def head(self) -> str:
        """The line before the match."""
        return self.text[self.text.rfind("\n", 0, self.cut.start) + 1 : self.cut.start]

    def rest(self, start: int) -> str:
        """The line from an offset on."""
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end]


def guard(regex: str, valid: Sequence[str], invalid: Sequence[str]) -> list[Guarded]:
    """The regexes with a guard that find nothing in `valid` and all that the regex finds in `invalid`, the smallest
    first; none when there is no such. Each has been tried.
    """
    matcher = regex_matcher(regex)
    wanted = [_Place(text, match.cut) for text in invalid for match in matcher.find(text)]
    unwanted = [_Place(text, match.cut) for text in valid for match in matcher.find(text)]
    if not unwanted:
        return []
    helping = [one for one in _guards(unwanted, wanted) if _keeps(_with(regex, [one]), wanted)]
    helping = sorted(dict.fromkeys(helping), key=lambda one: (one.cost, one))
    for size in range(1, MOST_PARTS + 1):
        found = [
            Guarded(new, tuple(one.before + one.after for one in chosen), sum(one.cost for one in chosen))
            for chosen in combinations(helping[:60], size)
            if _keeps(new := _with(regex, chosen), wanted) and not _finds(new, valid)
        ]
        if found:
            return sorted(found, key=lambda one: (one.cost, one.regex))[:MOST_ANSWERS]
    return []


def _guards(unwanted: Sequence[_Place], wanted: Sequence[_Place]) -> Iterator[_Guard]:
    for place in unwanted:
        behind, head, line = place.rest(place.cut.end), place.head, place.rest(place.cut.start)
        for words, cost in _spelled(_PIECE.findall(behind)[:MOST_PIECES], forward=True):
            yield _Guard("", f"(?!{words})", 1 + cost)
        if not behind:
            yield _Guard("", "(?!$)", 1.5)
        for words, cost in _spelled(_PIECE.findall(head)[-MOST_PIECES:], forward=False):
            yield _Guard(f"(?<!{words})", "", 1 + cost)
        if not head:
            yield _Guard("(?<!^)", "", 1.5)
        for word in dict.fromkeys(re.findall(r"\w+|[^\w\s]", line)):
            yield _Guard(f"(?![^\\n]*{_whole(word)})", "", 3.5)
    for place in wanted[:1]:
        behind, head = place.rest(place.cut.end), place.head
        for words, cost in _spelled(_PIECE.findall(behind)[:MOST_PIECES], forward=True):
            yield _Guard("", f"(?={words})", 2 + cost)
        if not behind:
            yield _Guard("", "$", 2)
        for words, cost in _spelled(_PIECE.findall(head)[-MOST_PIECES:], forward=False):
            yield _Guard(f"(?<={words})", "", 2 + cost)
        if not head:
            yield _Guard("^", "", 2)


def _spelled(pieces: Sequence[str], *, forward: bool) -> Iterator[tuple[str, float]]:
    """Regexes for the pieces next to a match, from one of them to all: word for word, and ahead also by their kind. A
    look behind needs a fixed length, so there it is word for word, or one character by its kind.
    """
    if pieces and not forward and re.match(r"\w", pieces[-1]):
        yield r"\w", 0.5
    for count in range(1, len(pieces) + 1):
        part = pieces[:count] if forward else pieces[-count:]
        yield "".join(map(re.escape, part)), 0.5 * count + 0.1 * sum(map(len, part))
        kinds = "".join(
            r"\w+" if p[0].isalnum() or p[0] == "_" else r"[ \t]+" if p.isspace() else re.escape(p) for p in part
        )
        if forward and kinds != "".join(map(re.escape, part)):
            yield kinds, 0.8 * count


def _whole(word: str) -> str:
    return rf"\b{word}\b" if re.fullmatch(r"\w+", word) else re.escape(word)


def _with(regex: str, chosen: Sequence[_Guard]) -> str:
    """What stands before the regex goes behind its flags; alternatives in it are held together."""
    flags = _FLAGS.match(regex)
    head, body = (flags[0], regex[flags.end() :]) if flags else ("", regex)
    if "|" in body:
        body = f"(?:{body})"
    return head + "".join(one.before for one in chosen) + body + "".join(one.after for one in chosen)


def _keeps(regex: str, wanted: Sequence[_Place]) -> bool:
    try:
        re.compile(regex, re.MULTILINE)  # what the rules file takes
        matcher = regex_matcher(regex)
        return all(place.cut in {match.cut for match in matcher.find(place.text)} for place in wanted)
    except (RuleError, re.error):
        return False


def _finds(regex: str, texts: Sequence[str]) -> bool:
    return any(regex_matcher(regex).find(text) for text in texts)
