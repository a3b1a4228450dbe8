"""Checks of JavaScript and TypeScript that need no project: `const` and `let` against what is assigned and used."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.syntax import Node, parse

_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_BLOCKS = frozenset(
    {"statement_block", "program", "for_statement", "for_in_statement", "switch_body", "class_static_block"}
)
_FUNCTIONS = frozenset(
    """
    function_declaration function_expression arrow_function method_definition generator_function
    generator_function_declaration
    """.split()
)
_ASSIGNS = {
    "assignment_expression": "left",
    "augmented_assignment_expression": "left",
    "update_expression": "argument",
    "for_in_statement": "left",
}
_DECLARES = frozenset({"lexical_declaration", "variable_declaration"})


def constants(rewrite: Rewrite) -> Objection | None:
    """A name declared by `const` is never assigned again; where the rule names both, `let` is for those that are."""
    if rewrite.language not in _LANGUAGES:
        return None
    words = rewrite.asked.vocabulary.words
    for declaration in _new_declarations(rewrite, rewrite.language):
        keyword = _keyword(declaration)
        for name, has_value in _names(declaration):
            again = _assigned(declaration, name)
            if keyword == "const" and again:
                # The assignment itself is not quoted: small models copy what they are shown.
                text = f"{quoted(name)} is assigned again later, so it must be let"
                return Objection("constants", Grade.REFUSE, text)
            if keyword == "const" and not has_value:
                return Objection("constants", Grade.REFUSE, f"{quoted(name)} has no value at first, so it must be let")
            if keyword == "let" and not again and has_value and {"const", "let"} <= words:
                text = f"{quoted(name)} is never assigned again, so it must be const"
                return Objection("constants", Grade.REFUSE, text)
    return None


def scopes(rewrite: Rewrite) -> Objection | None:
    """What was `var` is used where `const` and `let` reach: in their block, below them, and declared once. What was
    declared still is: without a declaration, an assignment makes a global variable.
    """
    if rewrite.language not in _LANGUAGES:
        return None
    old = _within(rewrite.before, rewrite.language, rewrite.area.cut)
    now = {name for node in _within(rewrite.after, rewrite.language, rewrite.new_cut) for name, _ in _names(node)}
    for name in (name for node in old for name, _ in _names(node)):
        if name not in now and re.search(rf"(?<![\w.$]){re.escape(name)}\s*=[^=>]", rewrite.new):
            return Objection("scopes", Grade.REFUSE, f"{quoted(name)} is not declared any more")
    hoisted = {name for node in old if _keyword(node) == "var" for name, _ in _names(node)}
    for declaration in _new_declarations(rewrite, rewrite.language):
        for name, _ in _names(declaration):
            fault = _reach_fault(declaration, name) if name in hoisted else ""
            if fault:
                return Objection("scopes", Grade.REFUSE, f"{quoted(name)} {fault}, so it must stay var")
    return None


def _within(text: str, language: str, cut: Cut) -> list[Node]:
    """The declarations in a part of a text."""
    found = parse(text, language).find_all({"any": [{"kind": kind} for kind in sorted(_DECLARES)]})
    return [node for node in found if cut.covers(node.cut)]


def _new_declarations(rewrite: Rewrite, language: str) -> Iterator[Node]:
    """The `const` and `let` declarations that the region did not have."""
    known = Counter(node.text for node in _within(rewrite.before, language, rewrite.area.cut))
    for node in _within(rewrite.after, language, rewrite.new_cut):
        if known[node.text]:
            known[node.text] -= 1
        elif _keyword(node) in ("const", "let"):
            yield node


def _keyword(declaration: Node) -> str:
    return declaration.children()[0].text


def _names(declaration: Node) -> list[tuple[str, bool]]:
    """The names of a declaration, each with whether it has a value."""
    return [
        (name, child.field("value") is not None)
        for child in declaration.children()
        if child.kind == "variable_declarator" and (target := child.field("name")) is not None
        for name in _bound(target)
    ]


def _bound(target: Node) -> list[str]:
    """The names that a pattern binds, or assigns; default values and members bind nothing."""
    if target.kind in ("identifier", "shorthand_property_identifier_pattern"):
        return [target.text]
    if target.kind in ("assignment_pattern", "object_assignment_pattern"):
        left = target.field("left")
        return [] if left is None else _bound(left)
    if target.kind == "pair_pattern":
        value = target.field("value")
        return [] if value is None else _bound(value)
    if target.kind in ("object_pattern", "array_pattern", "rest_pattern", "required_parameter", "optional_parameter"):
        return [name for child in target.children() if child.named for name in _bound(child)]
    return []


def _assigned(declaration: Node, name: str) -> bool:
    """Whether something in the scope of a declaration assigns to the name."""
    block = _up(declaration.parent(), _BLOCKS)
    for kind, side in _ASSIGNS.items():
        for node in block.find_all({"kind": kind}) if block else ():
            target = node.field(side)
            declares = kind == "for_in_statement" and node.field("kind") is not None
            if target is not None and not declares and name in _bound(target) and not _shadowed(node, name, block):
                return True
    return False


def _reach_fault(declaration: Node, name: str) -> str:
    block, function = _up(declaration.parent(), _BLOCKS), _up(declaration.parent(), _FUNCTIONS | {"program"})
    if block is None or function is None:
        return ""
    others = [
        (node, _up(node.parent(), _BLOCKS))
        for node in function.find_all({"any": [{"kind": kind} for kind in sorted(_DECLARES)]})
        if node.cut != declaration.cut and name in (n for n, _ in _names(node)) and not _shadowed(node, name, function)
    ]
    if any(block.cut.covers(node.cut) and (_keyword(node) == "var" or _same(home, block)) for node, home in others):
        return "is declared more than once"
    for use in function.find_all({"any": [{"kind": k, "regex": f"^{re.escape(name)}$"} for k in _USES]}):
        if _shadowed(use, name, function):
            continue
        if not block.cut.covers(use.cut):
            own = (home for node, home in others if node.cut.start <= use.cut.start)
            if not any(home is not None and home.cut.covers(use.cut) for home in own):
                return "is used outside of the block that declares it"
        elif use.cut.end <= declaration.cut.start and _same(_up(use, _FUNCTIONS | {"program"}), function):
            return "is used before it is declared"
    return ""


_USES = ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")


def _shadowed(node: Node, name: str, scope: Node | None) -> bool:
    """Whether another declaration of the name, between a node and a scope around it, is what the node means."""
    at = node.parent() if node.kind in _DECLARES else node
    while at is not None and not _same(at, scope):
        if at.kind in _FUNCTIONS and (name in _parameters(at) or name in _own(at, "variable_declaration", deep=True)):
            return True
        if at.kind in _BLOCKS and name in _own(at, "lexical_declaration", deep=False):
            return True
        if at.kind == "catch_clause" and name in [n for p in [at.field("parameter")] if p for n in _bound(p)]:
            return True
        if at.kind == "for_in_statement" and at.field("kind") is not None:
            left = at.field("left")
            if left is not None and name in _bound(left):
                return True
        at = at.parent()
    return False


def _parameters(function: Node) -> list[str]:
    one, many = function.field("parameter"), function.field("parameters")
    found = [one] if one else many.children() if many else []
    return [name for child in found if child.named for name in _bound(child)]


def _own(node: Node, kind: str, *, deep: bool) -> list[str]:
    """The names that declarations in a node bind: directly in it, or `deep` anywhere."""
    found = node.find_all({"kind": kind}) if deep else [child for child in node.children() if child.kind == kind]
    return [name for declaration in found for name, _ in _names(declaration)]


def _up(node: Node | None, kinds: frozenset[str]) -> Node | None:
    while node is not None and node.kind not in kinds:
        node = node.parent()
    return node


def _same(one: Node | None, other: Node | None) -> bool:
    return one is not None and other is not None and (one.kind, one.cut) == (other.kind, other.cut)


GATES = (constants, scopes)
