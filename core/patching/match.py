"""Where a pattern or a regex matches: the door from a rule to its places in a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from litecode.core.errors import RuleError
from litecode.core.patching.document import Cut
from litecode.core.patching.syntax import Node, has_grammar, parse

if TYPE_CHECKING:
    import regex

REGEX_SECONDS = 2.0  # for one regex on one file
_META = re.compile(r"\$+(?:[A-Z_][A-Z0-9_]*)?")

# A pattern is a fragment; it is sound when it parses in one of these surroundings.
_SURROUNDINGS = (
    "{}",
    "{};",
    "{{ {} }}",
    "({})",
    "[{}]",
    "class X {{ {} }}",
    "void f() {{ {}; }}",
    "a {{ {} }}",
    "fn f() {{ {} }}",
)


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
    """An ast-grep rule object on one language."""

    rule: Mapping[str, Any]
    constraints: Mapping[str, Any]
    language: str

    def find(self, text: str) -> list[AstMatch]:
        nodes = parse(text, self.language).find_all(self.rule, self.constraints)
        return [AstMatch(node.cut, node) for node in _outermost(nodes)]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for text in _patterns(self.rule) for word in re.findall(r"\w+", _META.sub(" ", text)))

    @property
    def signs(self) -> str:
        return " ".join(_META.sub(" ", text) for text in _patterns(self.rule))

    @property
    def source(self) -> str | None:
        """The plain pattern, if the rule is nothing else."""
        pattern = self.rule.get("pattern")
        return pattern if isinstance(pattern, str) and len(self.rule) == 1 else None


@dataclass(frozen=True, slots=True)
class RegexMatcher:
    """A Python `re` pattern with MULTILINE over the whole text, searched with a time limit."""

    pattern: str

    def find(self, text: str) -> list[RegexMatch]:
        found: list[RegexMatch] = []
        at = -1
        try:
            for match in _compile(self.pattern).finditer(text, timeout=REGEX_SECONDS):
                cut = _trimmed(text, Cut(*match.span()))
                if cut.end > cut.start and cut.start >= at:
                    found.append(RegexMatch(cut, match))
                    at = cut.end
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


@lru_cache(maxsize=256)
def _compile(pattern: str) -> regex.Pattern[str]:
    import regex

    try:
        return regex.compile(pattern, regex.MULTILINE)
    except regex.error as err:
        raise RuleError(f"the regex cannot be used: {err}", "it must be a Python regular expression") from None


def _trimmed(text: str, cut: Cut) -> Cut:
    """A match without the white space at its ends: what counts is the code it found, not the indentation before it."""
    start, end = cut
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Cut(start, end)


def _outermost(nodes: list[Node]) -> list[Node]:
    kept: list[Node] = []
    for node in nodes:  # sorted by start, larger first
        if not kept or node.cut.start >= kept[-1].cut.end:
            kept.append(node)
    return kept


def _patterns(rule: object) -> list[str]:
    """All pattern texts of a rule object, those under `not` left out: they say what must not be there."""
    if isinstance(rule, str):
        return []
    if isinstance(rule, Mapping):
        found: list[str] = []
        for key, value in rule.items():
            if key == "pattern":
                found.append(value if isinstance(value, str) else str(value.get("context", "")))
            elif key != "not":
                found += _patterns(value)
        return found
    if isinstance(rule, (list, tuple)):
        return [text for part in rule for text in _patterns(part)]
    return []


def ast_matcher(rule: Mapping[str, Any], constraints: Mapping[str, Any], language: str) -> AstMatcher:
    """A matcher for an ast-grep rule object; RuleError when the language has no grammar or a pattern is broken."""
    if not has_grammar(language):
        raise RuleError(f"patterns are not available for {language}", "use `regex:` instead of `pattern:`")
    for pattern in _patterns(rule):
        _check_pattern(pattern, language)
    matcher = AstMatcher(rule, constraints, language)
    matcher.find("")
    return matcher


def _check_pattern(pattern: str, language: str) -> None:
    """ast-grep takes a pattern with a syntax error and then matches nothing, or too much."""
    code = _META.sub(lambda m: "_" + (m.group().lstrip("$") or "x"), pattern)
    for surroundings in _SURROUNDINGS:
        if not parse(surroundings.format(code), language).find_all({"kind": "ERROR"}):
            return
    raise RuleError(f"the pattern does not parse as {language}: {pattern}", "check brackets and quotes")


def regex_matcher(pattern: str) -> RegexMatcher:
    """A matcher for a regex; raises RuleError when it does not compile."""
    _compile(pattern)
    return RegexMatcher(pattern)
