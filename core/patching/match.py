"""Where a pattern or a regex matches: the door from a rule to its places in a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

from litecode.core.errors import RuleError
from litecode.core.patching import patterns
from litecode.core.patching.document import Cut
from litecode.core.patching.syntax import Node, has_grammar, parse

if TYPE_CHECKING:
    import regex

MOST_COMPILED = 8192  # regexes that are kept; with fewer than there are rules, each file would compile all anew
REGEX_SECONDS = 2.0  # for one regex on one file
MOST_REPEATS = 100_000  # each is compiled, so that `(a{1000}){1000}{1000}` would fill the memory
_REPEAT = re.compile(r"(?<!\\)\{(\d+)(?:,\d*)?\}")


class Match(Protocol):
    """A place where a matcher applies."""

    @property
    def cut(self) -> Cut: ...


@dataclass(frozen=True, slots=True)
class AstMatch:
    cut: Cut
    node: Node


@dataclass(frozen=True, slots=True)
class RegexMatch:
    cut: Cut
    match: regex.Match[str]


class Matcher(Protocol):
    """Finds the places of one rule; `find` returns the outermost matches in the order of the text, none overlapping."""

    def find(self, text: str) -> list[AstMatch] | list[RegexMatch]: ...

    @property
    def words(self) -> frozenset[str]:
        """Words of the pattern itself, which a rewrite may take away."""

    @property
    def signs(self) -> str:
        """The text of the pattern, for the operators that it names."""


@dataclass(frozen=True, slots=True)
class AstMatcher:
    """An ast-grep rule object on one language: `rule` as it was written, `search` as it is searched for."""

    rule: Mapping[str, Any]
    constraints: Mapping[str, Any]
    language: str
    search: Mapping[str, Any]

    def find(self, text: str) -> list[AstMatch]:
        return [AstMatch(node.cut, node) for node in outermost(self.find_in(parse(text, self.language)))]

    def find_in(self, node: Node) -> list[Node]:
        """All matches below a node, nested ones too."""
        return node.find_all(self.search, self.constraints)

    @property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self.signs))

    @property
    def signs(self) -> str:
        return " ".join(patterns.wordings(self.rule, self.language))

    @property
    def sources(self) -> tuple[str, ...]:
        """The plain patterns of which a match has found one."""
        choices = [self.rule, *(self.rule.get("any") or ()), *(self.rule.get("all") or ())]
        return tuple(choice["pattern"] for choice in choices if isinstance(choice.get("pattern"), str))


@dataclass(frozen=True, slots=True)
class RegexMatcher:
    """A Python `re` pattern with MULTILINE over the whole text, searched with a time limit."""

    pattern: str

    def find(self, text: str) -> list[RegexMatch]:
        found: list[RegexMatch] = []
        try:
            for match in _compile(self.pattern).finditer(text, timeout=REGEX_SECONDS):
                cut = _trimmed(text, Cut(*match.span()))
                if cut.end > cut.start:
                    found.append(RegexMatch(cut, match))
        except TimeoutError:
            raise RuleError(
                f"the regex needs more than {REGEX_SECONDS:g} s on one file: {self.pattern}",
                "avoid nested repetition such as (a+)+ in it",
            ) from None
        return found

    @property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d]\w+", re.sub(r"\\[a-zA-Z]", " ", self.pattern)))

    @property
    def signs(self) -> str:
        return self.pattern


@lru_cache(maxsize=MOST_COMPILED)
def _compile(pattern: str) -> regex.Pattern[str]:
    import regex

    if prod(int(count) or 1 for count in _REPEAT.findall(pattern)) > MOST_REPEATS:
        raise RuleError(f"the regex repeats something more than {MOST_REPEATS} times: {pattern}", "use + or *")
    try:
        return regex.compile(pattern, regex.MULTILINE)
    except regex.error as err:
        raise RuleError(f"the regex cannot be used: {err}", "write it as a Python regular expression") from None


def _trimmed(text: str, cut: Cut) -> Cut:
    """A match without the white space at its ends, if there is more: what counts is the code, not its indentation."""
    start, end = cut
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Cut(start, end) if start < end else cut


def outermost(nodes: list[Node]) -> list[Node]:
    """Those that lie in no other; `nodes` are sorted by start, larger ones first."""
    kept: list[Node] = []
    for node in nodes:
        if not kept or node.cut.start >= kept[-1].cut.end:
            kept.append(node)
    return kept


def ast_matcher(
    rule: Mapping[str, Any], constraints: Mapping[str, Any], language: str, name: str = "the pattern"
) -> AstMatcher:
    """A matcher for an ast-grep rule object, which messages call `name`; RuleError when the language has no grammar or
    a pattern is broken.
    """
    if not has_grammar(language):
        raise RuleError(f"patterns are not available for {language}", "use `regex:` instead of `pattern:`")
    patterns.check((rule, constraints), language, name)
    parse("", language).find_all(rule, constraints, name)  # whatever else is wrong with it
    search = patterns.in_types(patterns.in_context(rule, language), language)
    return AstMatcher(rule, patterns.in_context(constraints, language), language, search)


def regex_matcher(pattern: str) -> RegexMatcher:
    """A matcher for a regex; raises RuleError when it does not compile."""
    _compile(pattern)
    return RegexMatcher(pattern)
