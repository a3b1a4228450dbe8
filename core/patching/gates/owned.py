"""Variables that a region makes for itself: a loop's counter, a parameter of a callback, what an `as` binds."""

from __future__ import annotations

from litecode.core.patching.gates.base import Rewrite
from litecode.core.patching.syntax import Node, Token, has_grammar, parse, tokens

_BINDERS = frozenset(
    """
    variable_declarator formal_parameters arrow_function catch_clause for_in_statement enhanced_for_statement
    lambda_parameters for_in_clause for_statement as_pattern_target range_clause short_var_declaration
    closure_parameters block_parameters required_parameter
    """.split()
)
_LISTS = frozenset({"expression_list", "identifier_list", "pattern_list", "required_parameter"})
_FIELDS = ("name", "left", "parameter", "pattern", "value")


def is_own(rewrite: Rewrite, token: Token) -> bool:
    """Whether a name is bound in the region by a loop, a callback or the like, and used nowhere else in the file."""
    language = rewrite.language
    if language is None or not has_grammar(language) or not rewrite.area.sites:
        return False
    uses = [t for t in tokens(rewrite.before, language) if t.text == token.text and not t.is_comment]
    if not all(rewrite.area.cut.covers(use.cut) for use in uses):
        return False
    return any(_binds(node) for node in _leaves(parse(rewrite.before, language), {use.cut for use in uses}))


def _leaves(root: Node, cuts: set[tuple[int, int]]) -> list[Node]:
    return [node for node in root.walk() if node.cut in cuts and not node.children()]


def _binds(node: Node) -> bool:
    parent = node.parent()
    if parent is not None and parent.kind in _LISTS:
        node, parent = parent, parent.parent()
    if parent is None or parent.kind not in _BINDERS:
        return False
    fields = [found.cut for name in _FIELDS if (found := parent.field(name)) is not None]
    value = parent.field("value") if parent.kind == "variable_declarator" else None
    if value is not None and value.cut == node.cut:
        return False
    return node.cut in fields or parent.kind.endswith("parameters") or parent.kind == "as_pattern_target"
