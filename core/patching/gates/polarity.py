"""Conditions that were turned over on purpose: what was asserted becomes the test of a new `if` that raises."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.syntax import Node, has_grammar, parse

_OPPOSITE = {
    "==": "!=",
    "===": "!==",
    "<": ">=",
    ">": "<=",
    "is": "is not",
    "in": "not in",
}
_OPPOSITE |= {new: old for old, new in _OPPOSITE.items()}
_BOTH = {"and": "and", "&&": "and", "or": "or", "||": "or"}
_LOGIC = frozenset({"not", "!", *_BOTH})
_BRACKETS = frozenset({"parenthesized_expression", "condition_clause"})
_IFS = frozenset({"if_statement", "if_expression", "if", "unless"})

_ASSERTIONS = ("assert", "require", "check", "ensure", "precondition", "unless")

Form = tuple[object, ...]


class Turned(NamedTuple):
    """A condition of the old text, and the one of the new text that says the opposite."""

    old: Cut
    new: Cut


@lru_cache(maxsize=64)
def turned(rewrite: Rewrite) -> tuple[Turned, ...]:
    """The conditions of new `if`s that are the opposite of an expression in a site, which was no test of an `if`."""
    return _pairs(rewrite, opposite=True)


def polarity(rewrite: Rewrite) -> Objection | None:
    """What was asserted is not the test of an `if` as it is: that raises when all is well."""
    right = {pair.new for pair in turned(rewrite)}
    for pair in _pairs(rewrite, opposite=False):
        if pair.new not in right and _asserted(rewrite, pair.old):
            shown = quoted(pair.new.of(rewrite.after))
            return Objection("polarity", Grade.REFUSE, f"{shown} is true when all is well; test for the opposite")
    return None


def _pairs(rewrite: Rewrite, *, opposite: bool) -> tuple[Turned, ...]:
    language = rewrite.language
    if language is None or not has_grammar(language) or not rewrite.area.sites:
        return ()
    before, after = parse(rewrite.before, language), parse(rewrite.after, language)
    old, new = _tests(before, rewrite.area.cut), _tests(after, rewrite.new_cut)
    if len(new) <= len(old):
        return ()
    known = {node.cut for node in old}
    parts = [n for n in _within(before, rewrite.area.cut) if n.named and n.cut not in known and _in_site(rewrite, n)]
    found: list[Turned] = []
    try:
        for test in new:
            wanted = _form(test, opposite=opposite)
            same = next((n for n in parts if _form(n) == wanted and all(n.cut != pair.old for pair in found)), None)
            if same is not None:
                found.append(Turned(same.cut, test.cut))
    except RecursionError:  # a condition of a thousand terms is nobody's assertion
        return ()
    return tuple(found)


def _in_site(rewrite: Rewrite, node: Node) -> bool:
    """Whether it is an expression of a site, and no part of a condition."""
    parent = node.parent()
    while parent is not None and parent.kind in _BRACKETS:
        parent = parent.parent()
    signs = {child.text for child in parent.children() if not child.named} if parent is not None else set()
    return not signs & _LOGIC and any(site.covers(node.cut) for site in rewrite.area.sites)


def _asserted(rewrite: Rewrite, condition: Cut) -> bool:
    """Whether an expression is what an assertion says, or an argument of a call that is named like one."""
    for site in rewrite.area.sites:
        if site.covers(condition):
            words = re.findall(r"\w+", site.of(rewrite.before)[: condition.start - site.start])
            return any(word.lower().startswith(_ASSERTIONS) for word in words)
    return False


def _within(root: Node, cut: Cut) -> list[Node]:
    return [node for node in root.walk() if cut.covers(node.cut)]


def _tests(root: Node, cut: Cut) -> list[Node]:
    """The conditions of the `if`s in a part of a text."""
    # By its condition: a comment behind the region counts for the grammars as the end of the `if` before it.
    conditions = (node.field("condition") for node in root.walk() if node.named and node.kind in _IFS)
    return [node for node in conditions if node is not None and cut.covers(node.cut)]


def _form(node: Node, *, opposite: bool = False) -> Form:
    """A condition with its negations pushed down to the comparisons; two that say the same have one form."""
    inner = [child for child in node.children() if child.named and "comment" not in child.kind]
    if node.kind in _BRACKETS and len(inner) == 1:
        return _form(inner[0], opposite=opposite)
    signs = [" ".join(child.text.split()) for child in node.children() if not child.named]
    if len(inner) == 1 and signs in (["not"], ["!"]):
        return _form(inner[0], opposite=not opposite)
    if len(inner) == 2 and len(signs) == 1 and signs[0] in _BOTH:
        word = _BOTH[signs[0]]
        if opposite:
            word = "or" if word == "and" else "and"
        parts = [_form(child, opposite=opposite) for child in inner]
        return (word, *(piece for part in parts for piece in (part[1:] if part[0] == word else (part,))))
    sign = " ".join(signs)
    if len(inner) == 2 and sign in _OPPOSITE:
        return ("compare", _text(inner[0]), _OPPOSITE[sign] if opposite else sign, _text(inner[1]))
    return ("not", _text(node)) if opposite else ("is", _text(node))


def _text(node: Node) -> str:
    """The tokens of an expression, one blank between them, quotes of one kind."""
    leaves = [part.text for part in node.walk() if not part.children() and "comment" not in part.kind]
    return " ".join(leaves).replace("'", '"')


GATES = (polarity,)
