"""Parentheses for code that is put into another place: `pow(a + b, 2)` is `(a + b) ** 2`."""

from __future__ import annotations

from functools import lru_cache

from litecode.core.patching import patterns
from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.regions import CONTAINERS, is_statement
from litecode.core.patching.syntax import Node, errors, parse
from litecode.core.patching.template import META


@lru_cache(maxsize=1024)
def inside(fix: str, name: str, part: str, language: str) -> bool:
    """Whether a part needs parentheses where a fix has its meta-variable, because signs around it bind stronger."""
    for match in META.finditer(fix):
        before, after = patterns.sample(fix[: match.start()]), patterns.sample(fix[match.end() :])

        def stands(new: str, kind: str = "", before: str = before, after: str = after) -> bool:
            text, offset = patterns.surrounded(f"{before}{new}{after}", language)
            start = offset + len(before)
            return _is_node(text, Cut(start, start + len(new)), language, kind) and not errors(text, language)

        if match["one"] == name and stands("x") and not stands(part) and stands(f"({part})", "paren"):
            return True
    return False


def outside(text: str, edit: Edit, node: Node, fix: str, language: str) -> bool:
    """Whether what takes the place of an expression needs parentheses, because signs around it bind stronger."""
    code, offset = patterns.surrounded(patterns.sample(fix), language)
    parent = node.parent()
    if parent is None or parent.kind in CONTAINERS or is_statement(node.kind, language):
        return False
    if not _is_node(code, Cut(offset, offset + len(patterns.sample(fix))), language):
        return False

    def stands(new: str, kind: str = "") -> bool:
        after = splice(text, [Edit(edit.cut, new)])
        return _is_node(after, Cut(edit.cut.start, edit.cut.start + len(new)), language, kind)

    return not stands(edit.text) and stands(f"({edit.text})", "paren")


def _is_node(code: str, place: Cut, language: str, kind: str = "") -> bool:
    """Whether a place of a text is one node, of a kind with `kind` in its name."""
    node: Node | None = parse(code, language)
    while node is not None:
        if node.cut == place and kind in node.kind:
            return True
        node = next((c for c in node.children() if c.cut.covers(place)), None)
    return False
