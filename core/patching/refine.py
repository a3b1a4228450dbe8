"""The smallest constraint that separates what a pattern should find from what it should not, searched for in code.

A constraint is built from what the examples have: kinds and words in the matches, around them and beside them. Each
candidate is tried with ast-grep itself, so that what is said about it is what a rule with it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate, combinations
from typing import Any

from litecode.core.errors import RuleError
from litecode.core.patching.document import Cut
from litecode.core.patching.features import Feature, features
from litecode.core.patching.match import AstMatcher, ast_matcher
from litecode.core.patching.syntax import parse

MOST_PARTS = 3  # of one constraint
MOST_EXCEPTIONS = 4  # when no small constraint is enough
MOST_CANDIDATES = 60  # that are combined with each other
MOST_ANSWERS = 5
MOST_FEATURES = 5000  # that are tried, each on every example
_PIECES = re.compile(r"\w+|\s+|[^\w\s]")
_POSITIVE = 1.5  # examples happen to have things in common; what sets an exception apart was written down on purpose


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is added to a rule object: keys of the rule, and constraints of meta-variables. `cost` is its size."""

    keys: Mapping[str, Any] = field(default_factory=dict)
    constraints: Mapping[str, Any] = field(default_factory=dict)
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class _Literal:
    """A feature that must be there, or must not; `excludes` has the unwanted matches that it rules out."""

    feature: Feature
    wanted: bool
    excludes: frozenset[int]
    cost: float


@dataclass(frozen=True, slots=True)
class _Place:
    text: str
    cut: Cut


def refine(
    matcher: AstMatcher, valid: Sequence[str], invalid: Sequence[str], fixed: Mapping[str, str] | None = None
) -> list[Narrowing]:
    """The narrowings after which nothing is found in `valid` and what is found in `invalid` still is, the smallest
    first; none when there is no such. Each has been tried. `fixed` has the right text for some of `invalid`: what stays
    the same in it is not what the rule is about.
    """
    unwanted = [_Place(text, node.cut) for text in valid for node in matcher.find_in(parse(text, matcher.language))]
    wanted: list[_Place] = []
    for text in invalid:
        matches = [_Place(text, match.cut) for match in matcher.find(text)]
        meant = [matches[n] for n in _meant(matches, text, (fixed or {}).get(text))]
        wanted += meant
        unwanted += [place for place in matches if place not in meant]
    if not unwanted:
        return []
    literals = sorted(_literals(matcher, wanted, unwanted), key=lambda one: (one.cost, repr(one.feature)))
    found: list[Narrowing] = []
    for chosen in _covers(literals, len(unwanted)):
        narrowing = _narrowing(chosen)
        if _holds(matcher, narrowing, wanted, unwanted):
            found.append(narrowing)
        if len(found) == MOST_ANSWERS:
            break
    return found


def narrowed(
    rule: Mapping[str, Any], constraints: Mapping[str, Any], narrowing: Narrowing
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rule object and constraints with the narrowing. What a key says already holds besides."""
    new, more = dict(rule), dict(constraints)
    for key, value in narrowing.keys.items():
        if key in new:
            new["all"] = [*new.get("all", ()), {key: value}]
        else:
            new[key] = value
    for name, value in narrowing.constraints.items():
        more[name] = {"all": [more[name], value]} if name in more else value
    return new, more


def _literals(matcher: AstMatcher, wanted: Sequence[_Place], unwanted: Sequence[_Place]) -> Iterator[_Literal]:
    places = [*wanted, *unwanted]
    seen: set[str] = set()
    for feature in features(
        matcher, [(place.text, place.cut) for place in wanted], [(p.text, p.cut) for p in unwanted]
    ):
        if repr(feature) in seen:
            continue
        seen.add(repr(feature))
        if len(seen) > MOST_FEATURES:
            return
        having = _having(matcher, feature, places)
        of_wanted = [n in having for n in range(len(wanted))]
        of_unwanted = frozenset(n for n in range(len(unwanted)) if n + len(wanted) in having)
        if not any(of_wanted) and of_unwanted:
            yield _Literal(feature, False, of_unwanted, feature.cost + 1)
        elif all(of_wanted) and len(of_unwanted) < len(unwanted):
            excluded = frozenset(range(len(unwanted))) - of_unwanted
            yield _Literal(feature, True, excluded, feature.cost + _POSITIVE)


def _having(matcher: AstMatcher, feature: Feature, places: Sequence[_Place]) -> frozenset[int]:
    """The numbers of the places that have the feature."""
    added = Narrowing(feature.rule, {}) if not feature.variable else Narrowing({}, {feature.variable: feature.rule})
    try:
        with_it = _with(matcher, added)
        cuts = {
            text: {node.cut for node in with_it.find_in(parse(text, matcher.language))}
            for text in {place.text for place in places}
        }
    except RuleError:
        return frozenset()  # a kind or regex that ast-grep does not take
    return frozenset(n for n, place in enumerate(places) if place.cut in cuts[place.text])


def _covers(literals: Sequence[_Literal], unwanted: int) -> Iterator[tuple[_Literal, ...]]:
    """Sets of literals that together rule out everything unwanted and of which none is idle, by their cost."""
    everything = frozenset(range(unwanted))
    single = [(one,) for one in literals if one.excludes == everything]
    partial = _strongest([one for one in literals if one.excludes != everything])
    sets: list[tuple[_Literal, ...]] = list(single)
    for size in range(2, MOST_PARTS + 1):
        sets += [chosen for chosen in combinations(partial, size) if _exact(chosen, everything)]
        if sets:
            break
    if not sets and (many := _greedy(literals, everything)):
        sets = [many]
    yield from sorted(sets, key=lambda chosen: (sum(one.cost for one in chosen), len(chosen)))


def _greedy(literals: Sequence[_Literal], everything: frozenset[int]) -> tuple[_Literal, ...]:
    """A set that is not the smallest, where no small one is enough: always what excludes most for its cost."""
    chosen: list[_Literal] = []
    left = everything
    while left and len(chosen) < MOST_EXCEPTIONS:
        best = max(literals, key=lambda one: (len(one.excludes & left) / one.cost, -one.cost), default=None)
        if best is None or not best.excludes & left:
            return ()
        chosen.append(best)
        left -= best.excludes
    return () if left else tuple(chosen)


def _strongest(literals: Sequence[_Literal]) -> list[_Literal]:
    """For each set of excluded matches the cheapest literals; the number is limited, because they are combined."""
    best: dict[frozenset[int], list[_Literal]] = {}
    for one in literals:
        best.setdefault(one.excludes, []).append(one)
    return sorted((one for group in best.values() for one in group[:2]), key=lambda one: one.cost)[:MOST_CANDIDATES]


def _exact(chosen: Sequence[_Literal], everything: frozenset[int]) -> bool:
    if frozenset().union(*(one.excludes for one in chosen)) != everything:
        return False
    return all(
        frozenset().union(*(other.excludes for other in chosen if other is not one)) != everything for one in chosen
    )


def _narrowing(chosen: Sequence[_Literal]) -> Narrowing:
    """Exceptions come under one `not`; of two wanted features with the same key the second stands under `all`."""
    forbidden = [one.feature.rule for one in chosen if not one.wanted and not one.feature.variable]
    keys: dict[str, Any] = {}
    constraints: dict[str, Any] = {}
    if forbidden:
        keys["not"] = forbidden[0] if len(forbidden) == 1 else {"any": forbidden}
    for one in chosen:
        rule = one.feature.rule if one.wanted else {"not": one.feature.rule}
        if one.feature.variable:
            name = one.feature.variable
            constraints[name] = {"all": [constraints[name], rule]} if name in constraints else rule
        elif one.wanted:
            ((key, value),) = rule.items()
            if key in keys:
                keys["all"] = [*keys.get("all", ()), rule]
            else:
                keys[key] = value
    return Narrowing(keys, constraints, sum(one.cost for one in chosen))


def _holds(matcher: AstMatcher, narrowing: Narrowing, wanted: Sequence[_Place], unwanted: Sequence[_Place]) -> bool:
    """The proof on the examples, with the rule as it would be written."""
    new = _with(matcher, narrowing)
    found = {text: {match.cut for match in new.find(text)} for text in {p.text for p in (*wanted, *unwanted)}}
    return all(p.cut in found[p.text] for p in wanted) and not any(p.cut in found[p.text] for p in unwanted)


def _meant(found: Sequence[_Place], text: str, fixed: str | None) -> list[int]:
    """The numbers of the matches that `fixed` changes; those that a change only touches count when no other does."""
    if fixed is None:
        return list(range(len(found)))
    old, new = _PIECES.findall(text), _PIECES.findall(fixed)
    at = [0, *accumulate(map(len, old))]
    ops = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changes = [Cut(at[i1], at[i2]) for tag, i1, i2, _, _ in ops if tag != "equal"]
    inner = [n for n, p in enumerate(found) if any(c.start < p.cut.end and p.cut.start < c.end for c in changes)]
    edge = [n for n, p in enumerate(found) if any(c.start <= p.cut.end and p.cut.start <= c.end for c in changes)]
    return inner or edge or list(range(len(found)))


def _with(matcher: AstMatcher, narrowing: Narrowing) -> AstMatcher:
    rule, constraints = narrowed(matcher.rule, matcher.constraints, narrowing)
    return ast_matcher(rule, constraints, matcher.language)
