"""Where one rule applies in one file: matches, less those on unchanged lines, less those that a comment or the rule
itself lets stand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from litecode.core.errors import RuleError
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.match import AstMatch, AstMatcher, Match, Matcher, RegexMatch, ast_matcher
from litecode.core.patching.syntax import has_grammar, tokens
from litecode.core.patching.vocabulary import Vocabulary, stay_pattern

_IGNORE = re.compile(r"litecode-ignore:[ \t]*(?P<ids>[\w\-]+(?:[ \t]*,[ \t]*[\w\-]+)*)")


def find_sites(
    document: Document,
    matcher: Matcher,
    rule: str,
    changed: frozenset[int] | None,
    exceptions: Sequence[AstMatcher] = (),
) -> list[AstMatch] | list[RegexMatch]:
    """The matches that count. `changed` are the line numbers that the commit touches, None for all."""
    ignored = suppressed_lines(document.text, rule)
    standing = [m.cut for e in exceptions for m in e.find(document.text)]

    def counts(match: Match) -> bool:
        lines = document.lines_of(match.cut)
        if changed is not None and not any(n in changed for n in lines):
            return False
        if any(n in ignored for n in lines):
            return False
        return not any(match.cut == cut for cut in standing)

    found = matcher.find(document.text)
    return [m for m in found if counts(m)]  # type: ignore[return-value]  # one list of either kind, as `find` gives it


def suppressed_lines(text: str, rule: str) -> frozenset[int]:
    """The lines that a comment on them or on the line above takes out of a rule."""
    return frozenset(line for number in _ignoring(text, rule) for line in (number, number + 1))


def _ignoring(text: str, rule: str) -> list[int]:
    """The lines with a comment that names the rule."""
    if "litecode-ignore" not in text:
        return []
    rows = ((number, _IGNORE.search(line)) for number, line in enumerate(text.split("\n"), 1))
    return [number for number, match in rows if match and rule in re.split(r"[ \t]*,[ \t]*", match["ids"])]


def needless(document: Document, matcher: Matcher | None, rule: str) -> list[int]:
    """The lines of comments that take a rule out where it matches nothing. A rule without a pattern matches all."""
    if matcher is None or "litecode-ignore" not in document.text:
        return []
    lines = {number for match in matcher.find(document.text) for number in document.lines_of(match.cut)}
    return [n for n in _ignoring(document.text, rule) if n not in lines and n + 1 not in lines]


def exceptions_of(vocabulary: Vocabulary, language: str | None) -> tuple[AstMatcher, ...]:
    """Matchers for the code that the instruction itself lets stand: `x == null` in `Exception: … (x == null) is
    allowed`.
    """
    if language is None or not has_grammar(language):
        return ()
    found: list[AstMatcher] = []
    for fragment in vocabulary.stays:
        pattern = stay_pattern(fragment)
        if pattern is not None:
            try:
                found.append(ast_matcher({"pattern": pattern}, {}, language))
            except RuleError:
                continue  # no code after all
    return tuple(found)


def in_comment(text: str, language: str | None, cut: Cut) -> bool:
    starts, cuts = _comments(text, language)
    at = bisect_right(starts, cut.start) - 1
    return at >= 0 and cuts[at].covers(cut)


@lru_cache(maxsize=16)
def _comments(text: str, language: str | None) -> tuple[list[int], list[Cut]]:
    """Where the comments of a text are, with their starts in order; asked for each match of each rule."""
    cuts = sorted((t.cut for t in tokens(text, language) if t.is_comment), key=lambda cut: cut.start)
    return [cut.start for cut in cuts], cuts
