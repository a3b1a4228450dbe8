"""The comments that take a place out of a rule: `litecode-ignore: rule-id`, on the line or on one of its own above."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.match import Matcher
from litecode.core.patching.syntax import tokens

_IGNORE = re.compile(
    r"(?<![`'\"])litecode-ignore(?:(?::[ \t]*(?P<ids>[\w\-]+(?:[ \t]*,[ \t]*[\w\-]+)*))|:?[ \t]*(?:\*/|-->)?[ \t]*$)",
    re.MULTILINE,
)
# What a line begins with that is a comment as a whole, in files without a grammar.
_COMMENT_SIGN = re.compile(r"\s*(?:[#;%*'\"]|//|--|/\*|<!|\{|\.\.|REM\b|rem\b|dnl\b)")


class Suppression(NamedTuple):
    """A comment in line `line` that names the rules `ids`; a comment that stands `alone` means the next line, too."""

    line: int
    ids: tuple[str, ...]
    alone: bool

    @property
    def lines(self) -> tuple[int, ...]:
        return (self.line, self.line + 1) if self.alone else (self.line,)


def suppressed_lines(text: str, rule: str, grammar: str | None) -> frozenset[int]:
    """The lines that a comment takes out of a rule."""
    return frozenset(line for found in suppressions(text, grammar) if rule in found.ids for line in found.lines)


def needless(document: Document, matcher: Matcher | None, rule: str, grammar: str | None) -> list[int]:
    """The lines of comments that take a rule out where it matches nothing. A rule without a pattern matches all."""
    if matcher is None or "litecode-ignore" not in document.text:
        return []
    lines = {number for match in matcher.find(document.text) for number in document.lines_of(match.cut)}
    named = (found for found in suppressions(document.text, grammar) if rule in found.ids)
    return [found.line for found in named if not lines.intersection(found.lines)]


def unknown(text: str, known: Collection[str], grammar: str | None) -> Iterator[tuple[int, str]]:
    """The lines of comments that name no rule, with the name that is none of the `known`, empty where there is none."""
    for found in suppressions(text, grammar):
        for name in found.ids or ("",):
            if name not in known:
                yield found.line, name


@lru_cache(maxsize=16)
def suppressions(text: str, grammar: str | None) -> tuple[Suppression, ...]:
    """All of a text, in their order. What stands in a string of one line is no comment; in one of several lines there
    is no other place for it.
    """
    if "litecode-ignore" not in text:
        return ()
    return tuple(_found(text, grammar))


def _found(text: str, grammar: str | None) -> Iterator[Suppression]:
    number, before = 1, 0
    for match in _IGNORE.finditer(text):
        here = match.start()
        number, before = number + text.count("\n", before, here), here
        begin = text.rfind("\n", 0, here) + 1
        if _quoted(text, grammar, here):
            continue
        comment = _holding(_comments(text, grammar), here)
        lead = text[begin : max(begin, comment.start if comment else here)]
        alone = re.search(r"\w", lead) is None or (comment is None and _COMMENT_SIGN.match(lead) is not None)
        ids = tuple(re.split(r"[ \t]*,[ \t]*", match["ids"])) if match["ids"] else ()
        yield Suppression(number, ids, alone)


def in_comment(text: str, grammar: str | None, cut: Cut) -> bool:
    found = _holding(_comments(text, grammar), cut.start)
    return found is not None and found.covers(cut)


def _quoted(text: str, grammar: str | None, offset: int) -> bool:
    found = _holding(_strings(text, grammar), offset)
    return found is not None and "\n" not in found.of(text)


def _holding(cuts: tuple[list[int], list[Cut]], offset: int) -> Cut | None:
    starts, sorted_cuts = cuts
    at = bisect_right(starts, offset) - 1
    return sorted_cuts[at] if at >= 0 and offset < sorted_cuts[at].end else None


@lru_cache(maxsize=16)
def _comments(text: str, grammar: str | None) -> tuple[list[int], list[Cut]]:
    """Where the comments of a text are, with their starts in order; asked for each match of each rule."""
    return _in_order([t.cut for t in tokens(text, grammar) if t.is_comment])


@lru_cache(maxsize=16)
def _strings(text: str, grammar: str | None) -> tuple[list[int], list[Cut]]:
    return _in_order([t.cut for t in tokens(text, grammar) if t.is_string])


def _in_order(cuts: list[Cut]) -> tuple[list[int], list[Cut]]:
    cuts = sorted(cuts, key=lambda cut: cut.start)
    return [cut.start for cut in cuts], cuts
