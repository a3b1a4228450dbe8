"""What examples have that a constraint of ast-grep can speak of: kinds and words in a match, around it, beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litecode.core.patching.document import Cut
from litecode.core.patching.match import AstMatcher
from litecode.core.patching.patterns import codes
from litecode.core.patching.syntax import Node, parse
from litecode.core.patching.template import META

DEEPEST = 6  # levels below a match that are looked at
LONGEST = 40  # characters of a word that a regex names
MOST_WORDS = 6  # in one list of alternatives
_BARE = 2.5  # that a number or a name is somewhere below says little: any other would do as well
_FIELDS = ("name", "key", "function", "object", "property", "attribute", "operator", "left", "right", "value")
_PREFIX = re.compile(r"_*[a-z]{2,}_(?=\w)")  # `test_` of `test_total`
_WORD = re.compile(r"[\w.$@:-]+|[^\w\s]{1,3}")


@dataclass(frozen=True, slots=True)
class Feature:
    """A rule object that a match fulfils or not, on itself or on one of its meta-variables. `cost` grows with size."""

    rule: Mapping[str, Any]
    variable: str
    cost: float


Places = Sequence[tuple[str, Cut]]


def features(matcher: AstMatcher, wanted: Places, unwanted: Places) -> Iterator[Feature]:
    """Everything that one of the places has; the same feature may come more than once."""
    nodes = [[_node(matcher, text, cut) for text, cut in places] for places in (wanted, unwanted)]
    names = sorted({m["one"] for code in codes(matcher.rule) for m in META.finditer(code) if m["one"]})
    for name in names:
        yield from _of_variable(name, nodes)
    for group in nodes:
        for node in group:
            yield from _inside(node)
            yield from _below(node)
            yield from _beside(node)
            yield Feature({"kind": node.kind}, "", 1)
        yield from (Feature(rule, "", cost + 1) for rule, cost in _words({node.text for node in group}))
        yield from _alternatives(group)


def _node(matcher: AstMatcher, text: str, cut: Cut) -> Node:
    return next(node for node in matcher.find_in(parse(text, matcher.language)) if node.cut == cut)


def _of_variable(name: str, nodes: Sequence[Sequence[Node]]) -> Iterator[Feature]:
    """The kind and the words of what a meta-variable holds."""
    for group in nodes:
        held = [found[0] for node in group if (found := node.captured_nodes(name))]
        for kind in sorted({node.kind for node in held}):
            yield Feature({"kind": kind}, name, 1)
        yield from (Feature(rule, name, cost) for rule, cost in _words({node.text for node in held}))


def _words(texts: set[str]) -> Iterator[tuple[dict[str, Any], float]]:
    """Regexes for each of the texts, and for all of them."""
    short = sorted(text for text in texts if _WORD.fullmatch(text) and len(text) <= LONGEST)
    for text in short:
        yield {"regex": f"^{_escaped(text)}$"}, 2
    if 1 < len(short) == len(texts) <= MOST_WORDS:
        yield {"regex": f"^({'|'.join(map(_escaped, short))})$"}, 2 + 0.5 * len(short)


def _escaped(text: str) -> str:
    """For the regexes of Rust, which know fewer escapes than re.escape makes."""
    return re.sub(r"([\\.+*?()|\[\]{}^$#&~-])", r"\\\1", text) if not text.isalnum() else text


def _below(node: Node) -> Iterator[Feature]:
    todo = [(child, 1) for child in node.children()]
    while todo:
        below, depth = todo.pop()
        deep = {} if depth == 1 else {"stopBy": "end"}
        price = 2 if depth == 1 else 2.5
        if below.named:
            bare = 0 if any(child.named for child in below.children()) else _BARE
            yield Feature({"has": {"kind": below.kind, **deep}}, "", price + bare)
            for rule, cost in _named(below):
                yield Feature({"has": {**rule, **deep}}, "", price + cost)
        elif _WORD.fullmatch(below.text):
            yield Feature({"has": {"regex": f"^{_escaped(below.text)}$", **deep}}, "", price + 1)
        if depth < DEEPEST:
            todo += [(child, depth + 1) for child in below.children()]


def _named(node: Node) -> Iterator[tuple[dict[str, Any], float]]:
    """The kind together with a word that says which one it is: its text, or the text of a field."""
    if _WORD.fullmatch(node.text) and len(node.text) <= LONGEST:
        # A bare name stands for many things: that of an argument, of a variable, of a function. So does a number.
        vague = node.kind == "identifier" or node.text[0].isdigit()
        yield {"kind": node.kind, "regex": f"^{_escaped(node.text)}$"}, 3 if vague else 1
    for name in _FIELDS:
        field = node.field(name)
        if field is not None and _WORD.fullmatch(field.text) and len(field.text) <= LONGEST:
            yield {"kind": node.kind, "has": {"field": name, "regex": f"^{_escaped(field.text)}$"}}, 2
            head = _PREFIX.match(field.text)
            if head is not None:
                yield {"kind": node.kind, "has": {"field": name, "regex": f"^{_escaped(head[0])}"}}, 2.5


def _inside(node: Node) -> Iterator[Feature]:
    parent, depth = node.parent(), 1
    while parent is not None:
        above = parent.parent()
        if above is not None or depth == 1:
            far = {} if depth == 1 else {"stopBy": "end"}
            price = 2 if depth == 1 else 2.5
            yield Feature({"inside": {"kind": parent.kind, **far}}, "", price)
            for rule, cost in _named(parent):
                yield Feature({"inside": {**rule, **far}}, "", price + cost)
        parent, depth = above, depth + 1


def _beside(node: Node) -> Iterator[Feature]:
    """Its place among its siblings, and the ones next to it."""
    parent = node.parent()
    siblings = [child for child in parent.children() if child.named] if parent is not None else []
    at = next((n for n, child in enumerate(siblings) if child.cut == node.cut), None)
    if at is None:
        return
    yield Feature({"nthChild": at + 1}, "", 3)
    for word, other in (("follows", at - 1), ("precedes", at + 1)):
        if 0 <= other < len(siblings):
            yield Feature({word: {"kind": siblings[other].kind}}, "", 2.5)
            for rule, cost in _named(siblings[other]):
                yield Feature({word: rule}, "", 2.5 + cost)


def _alternatives(group: Sequence[Node]) -> Iterator[Feature]:
    """One regex for the words that all matches of a side have: in nodes of the same kind below, or in the same field of
    a node below or around.
    """
    below: dict[tuple[str, str], set[str]] = {}
    around: dict[tuple[str, str], set[str]] = {}
    for node in group:
        for words, nodes in ((below, list(node.walk())[1:]), (around, list(_above(node)))):
            for other in nodes:
                if words is below and other.named and not other.children():
                    words.setdefault((other.kind, ""), set()).add(other.text)
                for name in _FIELDS:
                    if (field := other.field(name)) is not None:
                        words.setdefault((other.kind, name), set()).add(field.text)
    for key, found in (("has", below), ("inside", around)):
        for (kind, name), texts in sorted(found.items()):
            for rule, cost in _words(texts):
                if "|" in rule["regex"]:
                    inner = {"has": {"field": name, **rule}} if name else rule
                    yield Feature({key: {"kind": kind, **inner, "stopBy": "end"}}, "", 3.5 + cost)


def _above(node: Node) -> Iterator[Node]:
    parent = node.parent()
    while parent is not None:
        yield parent
        parent = parent.parent()
