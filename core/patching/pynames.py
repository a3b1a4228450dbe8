"""Edits in one Python file that put a new name in the place of an old one."""

from __future__ import annotations

import ast

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pymodules import Function, Places
from litecode.core.patching.syntax import tokens

COMMON = (
    frozenset(dir(dict)) | frozenset(dir(list)) | frozenset(dir(str)) | frozenset(dir(set)) | {"close", "read", "write"}
)


def _name_of(text: str, node: ast.AST, name: str, places: Places) -> Edit | None:
    """Where the name of a `def` or `class` is."""
    assert isinstance(node, (*Function, ast.ClassDef))
    start = places.offset(node.lineno, node.col_offset)
    at = text.find(name, start + len("def "))
    return Edit(Cut(at, at + len(name)), name) if at >= 0 else None


class Edits:
    """Makes edits in one file."""

    def __init__(self, text: str, old: str, new: str) -> None:
        self.text, self.old, self.new = text, old, new
        self.places = Places(text)
        self.edits: list[Edit] = []

    def at(self, start: int) -> None:
        cut = Cut(start, start + len(self.old))
        if cut.of(self.text) != self.old:
            raise Impossible(f"a use of `{self.old}` in an f-string cannot be told")
        self.edits.append(Edit(cut, self.new))

    def name(self, node: ast.Name) -> None:
        self.at(self.places.cut(node).start)

    def attribute(self, node: ast.Attribute) -> None:
        self.at(self.places.cut(node).end - len(self.old))

    def definition(self, node: ast.AST) -> None:
        found = _name_of(self.text, node, self.old, self.places)
        if found is not None:
            self.at(found.cut.start)

    def listed(self, node: ast.stmt) -> None:
        """In `global a, b` the names have no nodes of their own."""
        self.edits += [
            Edit(t.cut, self.new)
            for t in tokens(self.text, "python")
            if t.text == self.old and t.kind == "identifier" and self.places.cut(node).covers(t.cut)
        ]

    def string(self, node: ast.Constant, value: str) -> None:
        """A text that names the thing; `value` is what it says now."""
        cut = self.places.cut(node)
        written = cut.of(self.text)
        at = written.rfind(self.old)
        if written.count(value) == 1 and at >= 0:
            self.at(cut.start + at)


def is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""
