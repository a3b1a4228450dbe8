"""Taking a match out of a text: a statement goes with its line, and nothing else may take its place."""

from __future__ import annotations

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.regions import containers
from litecode.core.patching.syntax import Node, parse


class Inseparable(Exception):
    """The code around the match cannot stand without it."""


def removal(text: str, node: Node, language: str) -> Edit:
    """The edit that takes a node out. When nothing but a separator is left of its lines, they go too. Raises
    Inseparable: in C, without `f();` in `if (a) f();` the next statement would belong to the `if`.
    """
    block = node.parent()
    while block is not None and block.kind not in containers(language) and block.parent() is not None:
        block = block.parent()
    if block is None:
        return Edit(node.cut, "")
    own = next((child for child in block.children() if _is(child, node, text)), None)
    edit = Edit(_with_lines(text, own.cut if own else node.cut), "")
    after = _twin(parse(splice(text, [edit]), language), block)
    if after is None or _size(after) != _size(block) - (own is not None):
        raise Inseparable("the code around the match cannot stand without it")
    return edit


def _is(child: Node, node: Node, text: str) -> bool:
    """Whether a statement is the match and nothing else, but for the sign that ends it."""
    return child.cut.covers(node.cut) and child.cut.of(text).strip("; \t\n") == node.cut.of(text).strip("; \t\n")


def _size(block: Node) -> int:
    return sum(1 for child in block.children() if child.named and "comment" not in child.kind)


def _twin(root: Node, block: Node) -> Node | None:
    """The block in the tree after the removal: it begins where it began."""
    return next((n for n in root.walk() if n.kind == block.kind and n.cut.start == block.cut.start), None)


def _with_lines(text: str, cut: Cut) -> Cut:
    """The cut with the blanks before or after it; with its whole lines when nothing but a separator is left of them."""
    start, end = cut
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t":
        end += 1
    begins = start == 0 or text[start - 1] == "\n"
    tail = end + 1 if begins and text[end : end + 1] in (";", ",") else end
    while tail < len(text) and text[tail] in " \t":
        tail += 1
    if begins and text[tail : tail + 1] == "\n":
        return Cut(start, tail + 1)
    if begins and tail == len(text):
        return Cut(max(0, start - 1), tail)
    if text[end : end + 1] in ("\n", ""):
        return Cut(start, end)  # no blanks at the end of the line
    if begins:
        return Cut(cut.start, end)
    return Cut(start if end > cut.end else cut.start, cut.end)
