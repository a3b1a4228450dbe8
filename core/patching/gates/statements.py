"""Gates for the statements of a region: those that no match touches stay as they are, where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.places import places, within
from litecode.core.patching.gates.wording import is_name, may_go
from litecode.core.patching.match import RegexMatcher
from litecode.core.patching.regions import containers, is_statement
from litecode.core.patching.syntax import Node, Token, has_grammar, parse, tokens

_CLOSERS = frozenset(")]}")


class _Unit(NamedTuple):
    """A statement without the statements within: its tokens, in how many others it is, and where all of it is."""

    tokens: tuple[Token, ...]
    depth: int
    cut: Cut

    def touches(self, sites: Sequence[Cut]) -> bool:
        return any(site.touches(token.cut) for site in sites for token in self.tokens)

    @property
    def texts(self) -> list[str]:
        """What counts in a comparison: no trailing comma, no semicolon at the end, quotes of one kind."""
        found = [t.text.replace("'", '"') for t in self.tokens]
        while found and found[-1] == ";":
            found.pop()
        return [t for i, t in enumerate(found) if not (t == "," and found[i + 1 : i + 2] and found[i + 1] in _CLOSERS)]


def untouched(rewrite: Rewrite) -> Objection | None:
    """Statements away from the matches are in the rewrite, in their order, and in no other block."""
    language = rewrite.language
    if not rewrite.area.sites or language is None or not has_grammar(language):
        return None
    rest = iter(_units(rewrite.after, language, rewrite.new_cut))
    moved = ""
    for unit in _units(rewrite.before, language, rewrite.area.cut):
        if unit.touches(rewrite.area.sites) or any(unit.cut.covers(site) for site in rewrite.area.sites):
            continue  # what is around a match is the business of the gate `outside`
        shown = quoted(rewrite.before[unit.tokens[0].cut.start : unit.tokens[-1].cut.end].split("\n")[0])
        found = next((new for new in rest if new.texts == unit.texts), None)
        if found is None:
            return Objection("untouched", Grade.DOUBT, f"{shown} was changed, moved or lost")
        if found.depth != unit.depth:
            moved = moved or f"{shown} was moved into another block"
    return Objection("untouched", Grade.DOUBT, moved) if moved else None


def _units(text: str, language: str, cut: Cut) -> list[_Unit]:
    """The statements of a part of a text, in their order."""
    kinds = containers(language)
    todo: list[tuple[Node, Node | None, int]] = [(parse(text, language), None, 0)]
    found: list[tuple[Cut, int]] = []
    while todo:
        node, parent, depth = todo.pop()
        if not node.cut.touches(cut):
            continue
        inner = depth
        if _is_unit(node, parent, kinds, language) and cut.covers(node.cut):
            found.append((node.cut, depth))
            inner = depth + 1
        todo += [(child, node, inner) for child in reversed(node.children())]
    units: dict[Cut, list[Token]] = {place: [] for place, _ in found}
    for token in (t for t in tokens(text, language) if cut.covers(t.cut) and not t.is_comment):
        home = next((place for place, _ in reversed(found) if place.covers(token.cut)), None)
        if home is not None:
            units[home].append(token)
    return [_Unit(tuple(units[place]), depth, place) for place, depth in found if units[place]]


def _is_unit(node: Node, parent: Node | None, kinds: frozenset[str], language: str) -> bool:
    if not node.named or "comment" in node.kind or node.kind in kinds:
        return False
    return is_statement(node.kind, language) or (parent is not None and parent.kind in kinds)


def wrapped(rewrite: Rewrite) -> Objection | None:
    """Code did not become the body of a new `if`, loop or function that the rule does not name."""
    language = rewrite.language
    if not rewrite.area.sites or language is None or not has_grammar(language):
        return None
    known = {unit.texts[0] for unit in _units(rewrite.before, language, rewrite.area.cut) if unit.texts}
    asked = rewrite.asked.vocabulary.words | rewrite.asked.vocabulary.code
    units = _units(rewrite.after, language, rewrite.new_cut)
    for unit in units:
        word = unit.texts[0] if unit.texts else ""
        around = any(unit.cut.covers(other.cut) and other is not unit for other in units)
        if around and word.isalpha() and word not in known and word not in asked:
            return Objection("wrapped", Grade.DOUBT, f"there is a new {quoted(word)} around the code")
    return None


def order(rewrite: Rewrite) -> Objection | None:
    """What a regex has found holds no values that could be followed; their names stay in their order at least, and one
    alternative of the regex does not become another.
    """
    asked, matcher = rewrite.asked, rewrite.asked.matcher
    if not isinstance(matcher, RegexMatcher) or not rewrite.area.sites:
        return None
    old, new = (
        _named_units(rewrite.before, rewrite, rewrite.area.cut),
        _named_units(rewrite.after, rewrite, rewrite.new_cut),
    )
    had, has = ({name for names, _ in part for name in names} for part in (old, new))
    for name in sorted(has - had - asked.vocabulary.words - asked.vocabulary.code):
        if name in matcher.words:
            return Objection("order", Grade.REFUSE, f"{quoted(name)} is another thing that the rule looks for")
    gone = may_go(rewrite) - has
    for names, touched in old:
        wanted = [name for name in names if name not in gone]
        if touched and not any(_in_order(wanted, found) for found, _ in new):
            return Objection("order", Grade.DOUBT, f"the names of {quoted(' '.join(wanted))} were changed or moved")
    return None


def _named_units(text: str, rewrite: Rewrite, cut: Cut) -> list[tuple[list[str], bool]]:
    """The names of each statement, and whether a site touches it; without a grammar those of all of the region."""
    if rewrite.language is None or not has_grammar(rewrite.language):
        return [([rewrite.spelt(t.text) for t in within(text, rewrite.language, cut) if is_name(t)], True)]
    units = _units(text, rewrite.language, cut)
    return [
        ([rewrite.spelt(t.text) for t in unit.tokens if is_name(t)], unit.touches(rewrite.area.sites)) for unit in units
    ]


def _in_order(wanted: Sequence[str], found: Sequence[str]) -> bool:
    rest = iter(found)
    return all(any(name == other for other in rest) for name in wanted)


def placeholders(rewrite: Rewrite) -> Objection | None:
    """A `?` that stands for a value is not in quotes: there it is only a question mark."""
    if "?" not in rewrite.asked.vocabulary.quoted and "?" not in rewrite.asked.vocabulary.signs.split():
        return None
    all_ = places(rewrite)
    before, after = (" ".join(t.text for t in part if t.is_string) for part in (all_.inside, all_.added))
    if any(after.count(sign) > before.count(sign) for sign in ("'?'", '"?"')):
        return Objection("placeholders", Grade.REFUSE, "a `?` in quotes stands for nothing")
    return None


GATES = (placeholders, untouched, wrapped, order)
