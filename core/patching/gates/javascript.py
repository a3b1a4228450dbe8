"""Checks of JavaScript and TypeScript that need no project: `const` and `let` against the assignments in scope."""

from __future__ import annotations

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.syntax import Node, parse

_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_SCOPES = frozenset(
    {"statement_block", "program", "for_statement", "for_in_statement", "switch_body", "class_static_block"}
)
_ASSIGNS = {"assignment_expression": "left", "augmented_assignment_expression": "left", "update_expression": "argument"}


def constants(rewrite: Rewrite) -> Objection | None:
    """A name declared by `const` is never assigned again; where the rule names both, `let` is for those that are."""
    if rewrite.language not in _LANGUAGES:
        return None
    words = rewrite.asked.vocabulary.words
    for declaration in _declarations(parse(rewrite.after, rewrite.language), rewrite.new_cut):
        keyword = declaration.children()[0].text
        if keyword not in ("const", "let"):
            continue
        for name, has_value in _names(declaration):
            again = _assigned(declaration, name)
            if keyword == "const" and again is not None:
                # The assignment itself is not quoted: small models copy what they are shown.
                text = f"{quoted(name)} is assigned again later, so it must be let"
                return Objection("constants", Grade.REFUSE, text)
            if keyword == "const" and not has_value:
                return Objection("constants", Grade.REFUSE, f"{quoted(name)} has no value at first, so it must be let")
            if keyword == "let" and again is None and has_value and {"const", "let"} <= words:
                text = f"{quoted(name)} is never assigned again, so it must be const"
                return Objection("constants", Grade.REFUSE, text)
    return None


def _declarations(root: Node, cut: Cut) -> list[Node]:
    return [n for n in root.find_all({"kind": "lexical_declaration"}) if cut.covers(n.cut)]


def _names(declaration: Node) -> list[tuple[str, bool]]:
    """Plain names of a declaration, each with whether it has a value."""
    found: list[tuple[str, bool]] = []
    for declarator in declaration.children():
        name = declarator.field("name") if declarator.kind == "variable_declarator" else None
        if name is not None and name.kind == "identifier":
            found.append((name.text, declarator.field("value") is not None))
    return found


def _assigned(declaration: Node, name: str) -> Node | None:
    """An assignment to the name in the scope of its declaration."""
    scope = declaration.parent()
    while scope is not None and scope.kind not in _SCOPES:
        scope = scope.parent()
    if scope is None:
        return None
    for kind, side in _ASSIGNS.items():
        for node in scope.find_all({"kind": kind}):
            target = node.field(side)
            if target is not None and target.text == name:
                return node
    return None


GATES = (constants,)
