"""Ways to make a rule more precise, found from its own examples, and what each would change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from litecode.config.rules import AstPattern, Rule
from litecode.core.errors import RuleError
from litecode.core.executing.rules import CompiledRule, FileState, compile_rule, sites_of
from litecode.core.patching.document import Cut, Document, Unreadable
from litecode.core.patching.guards import guard
from litecode.core.patching.match import AstMatcher
from litecode.core.patching.refine import narrowed, refine
from litecode.core.rule_tests import grammar_of


@dataclass(frozen=True, slots=True)
class Way:
    """One way: the rule as it would be. For a pattern, what is added to it; for a regex, its guards."""

    rule: Rule
    keys: Mapping[str, Any]
    constraints: Mapping[str, Any]
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Noise:
    """How the rule does on its examples: numbers, counting from 1, of valid ones that it finds, and of invalid ones
    that it does not.
    """

    noisy: tuple[int, ...]
    missing: tuple[int, ...]


def finding(rule: Rule) -> Rule:
    """What of a rule finds places. A `fix` whose result is found again cannot be used before the rule is refined."""
    return replace(rule, fix=None) if rule.pattern is not None else rule


def noise_of(rule: Rule) -> Noise:
    """Raises RuleError for a rule that finds nothing by code, or cannot be used."""
    if rule.pattern is None and rule.regex is None:
        raise RuleError(
            f"rule {rule.id} has neither `pattern` nor `regex`, so code cannot find its places",
            "write a pattern; `git litecode refine` makes it precise",
            f"{rule.source}:{rule.line}",
        )
    compiled = compile_rule(finding(rule), grammar_of(rule))
    found = [_finds(compiled, code) for code in rule.tests.valid]
    missed = [not _finds(compiled, test.code) for test in rule.tests.invalid]
    return Noise(_numbers(found), _numbers(missed))


def ways(rule: Rule) -> list[Way]:
    """The ways to find no valid example and every invalid one, the smallest first. Each has been tried on them, and on
    what the invalid ones are fixed to.
    """
    valid = [*rule.tests.valid, *(test.fixed for test in rule.tests.invalid if test.fixed is not None)]
    invalid = [test.code for test in rule.tests.invalid]
    compiled = compile_rule(finding(rule), grammar_of(rule))
    found: list[Way] = []
    if isinstance(compiled.asked.matcher, AstMatcher) and rule.pattern is not None:
        fixed = {test.code: test.fixed for test in rule.tests.invalid if test.fixed is not None}
        for narrowing in refine(compiled.asked.matcher, _readable(valid), _readable(invalid), fixed):
            pattern = AstPattern(*narrowed(rule.pattern.rule, rule.pattern.constraints, narrowing))
            found.append(Way(replace(rule, pattern=pattern), narrowing.keys, narrowing.constraints))
    elif rule.regex is not None:
        guarded = guard(rule.regex, _readable(valid), _readable(invalid))
        found = [Way(replace(rule, regex=one.regex), {}, {}, one.guards) for one in guarded]
    return [way for way in found if _usable(way.rule) and noise_of(way.rule) == Noise((), ())]


def _usable(rule: Rule) -> bool:
    """A `fix` may need what the pattern now excludes, and a rule must stay one that can be loaded."""
    try:
        compile_rule(rule, grammar_of(rule))
    except RuleError:
        return False
    return True


def lost(before: CompiledRule, after: CompiledRule, state: FileState) -> tuple[int, tuple[Cut, ...]]:
    """How many places of a file the rule finds before, and which of them it does not find any more."""
    old = [site.cut for site in sites_of(before, state)]
    new = {site.cut for site in sites_of(after, state)}
    return len(old), tuple(cut for cut in old if cut not in new)


def _finds(compiled: CompiledRule, code: str) -> bool:
    return any(sites_of(compiled, FileState("example", Document(text), None)) for text in _readable([code]))


def _readable(codes: list[str]) -> list[str]:
    """Examples as a file would be read; those that no file could have are of no use here."""
    texts: list[str] = []
    for code in codes:
        try:
            texts.append(Document.decode(code.encode()).text)
        except (Unreadable, UnicodeEncodeError):
            continue
    return texts


def _numbers(flags: list[bool]) -> tuple[int, ...]:
    return tuple(number for number, flag in enumerate(flags, 1) if flag)
