"""Where one rule applies in one file: matches, less those on unchanged lines, less those that a comment or the rule
itself lets stand.
"""

from __future__ import annotations

from collections.abc import Sequence

from litecode.core.errors import RuleError
from litecode.core.executing.suppressions import suppressed_lines
from litecode.core.patching.document import Document
from litecode.core.patching.match import AstMatch, AstMatcher, Match, Matcher, RegexMatch, ast_matcher
from litecode.core.patching.syntax import has_grammar
from litecode.core.patching.vocabulary import Vocabulary, stay_pattern


def find_sites(
    document: Document,
    matcher: Matcher,
    rule: str,
    changed: frozenset[int] | None,
    exceptions: Sequence[AstMatcher] = (),
    grammar: str | None = None,
) -> list[AstMatch] | list[RegexMatch]:
    """The matches that count. `changed` are the line numbers that the commit touches, None for all; `grammar` is
    ast-grep's name of the file's language.
    """
    ignored = suppressed_lines(document.text, rule, grammar)
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
