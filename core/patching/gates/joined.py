"""Signs that only join texts: `"a" + b`, `"%s" % a`. A placeholder or an interpolation takes their place."""

from __future__ import annotations

from litecode.core.patching.document import Cut
from litecode.core.patching.syntax import Node, has_grammar, parse

SUMS = frozenset({"binary_operator", "binary_expression", "infix_expression", "additive_expression"})
_JOINTS = frozenset({"+", "%", ".", ".."})


def joining(text: str, language: str | None, cut: Cut) -> frozenset[Cut]:
    """The places of the signs in a part of a text that have a text as an operand."""
    if language is None or not has_grammar(language):
        return frozenset()
    found = (node for node in parse(text, language).walk() if node.kind in SUMS and cut.covers(node.cut))
    return frozenset(
        child.cut for node in found if _is_text(node) for child in node.children() if child.text in _JOINTS
    )


def _is_text(node: Node) -> bool:
    """Whether it is a text, or a sum with one as an operand; what is only called with a text is none."""
    todo = [node]
    while todo:
        part = todo.pop()
        if "string" in part.kind and part.named:
            return True
        if part.kind in SUMS or part.kind == "parenthesized_expression":
            todo += [child for child in part.children() if child.named]
    return False
