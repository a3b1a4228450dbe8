"""Which uses of a name in Go mean the declaration that is renamed: by package, selector and scope.

Go has no declarations in other files of a package to import, so that the folder of a file tells whether it sees the
name, and the import of another package is the only other way to it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.syntax import Node, parse

_IMPORT = re.compile(r'^\s*(?:import\s+)?(?:(?P<alias>[\w.]+)\s+)?"(?P<path>[^"\n]+)"', re.MULTILINE)
_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_LOCALS = frozenset({"short_var_declaration", "var_spec", "const_spec", "range_clause"})
_PARAMETERS = frozenset({"parameter_declaration", "variadic_parameter_declaration"})


@dataclass(frozen=True, slots=True)
class GoName:
    """A name of a package, or a method or field of one of its types, and the file that declares it."""

    name: str
    member: bool
    home: str
    package: str
    has_field: bool

    @classmethod
    def of(cls, files: Mapping[str, Document], name: str, home: str, *, member: bool) -> GoName:
        texts = [d.text for path, d in files.items() if path.endswith(".go") and name in d.text]
        fields = (n for text in texts for n in parse(text, "go").walk() if n.kind == "field_declaration")
        has_field = any(c.kind == "field_identifier" and c.text == name for n in fields for c in n.children())
        package = re.search(r"^package\s+(\w+)", files[home].text, re.MULTILINE)
        return cls(name, member, home, package[1] if package else "", has_field)

    def is_meant(self, path: str, root: Node, node: Node) -> bool:
        """Whether a node of a file is a use of it. Raises Impossible where a local name hides it in part."""
        if self.member:
            return node.kind == "field_identifier"
        parent = node.parent()
        if parent is not None and parent.kind in ("selector_expression", "qualified_type"):
            owner = parent.children()[0]
            if owner.cut != node.cut:
                return owner.text in self._called(root.text)
        if node.kind == "field_identifier" or posixpath.dirname(path) != posixpath.dirname(self.home):
            return False
        return not (self.has_field and _is_key(node)) and not self._is_local(path, node)

    def _called(self, text: str) -> set[str]:
        """What a file calls the package."""
        imports = ((m["alias"], m["path"]) for m in _IMPORT.finditer(text))
        folder = posixpath.basename(posixpath.dirname(self.home)) or self.package
        mine = ((alias, path) for alias, path in imports if posixpath.basename(path) in (self.package, folder))
        return {alias or self.package for alias, _ in mine}

    def _is_local(self, path: str, node: Node) -> bool:
        for function in _around(node):
            declared = {n.kind for n in function.walk() if n.kind in _LOCALS | _PARAMETERS and self._declares(n)}
            if declared & _LOCALS:
                raise Impossible(f"a function of {path} has a local `{self.name}`, too")
            if declared:
                return True
        return False

    def _declares(self, node: Node) -> bool:
        left = node.field("left")
        named = [left, *left.children()] if left is not None else list(node.children())
        return any(n.kind == "identifier" and n.text == self.name for n in named)


def doc_comment(text: str, node: Node) -> Cut | None:
    """The place of a declared name that begins the comment above its declaration, as is the custom in Go."""
    parent = node.parent()
    declared = parent.field("name") if parent is not None else None
    if declared is None or declared.cut != node.cut:
        return None
    begin = text.rfind("\n", 0, node.cut.start) + 1
    found = re.search(rf"(?:^|\n)[ \t]*//[ \t]*({re.escape(node.text)})\b[^\n]*\n(?:[ \t]*//[^\n]*\n)*\Z", text[:begin])
    return Cut(*found.span(1)) if found else None


def _is_key(node: Node) -> bool:
    """`name` of `T{name: x}`."""
    element = node.parent()
    if element is not None and element.kind == "literal_element":
        node, element = element, element.parent()
    return element is not None and element.kind == "keyed_element" and element.children()[0].cut == node.cut


def _around(node: Node) -> Iterator[Node]:
    at = node.parent()
    while at is not None:
        if at.kind in _FUNCTIONS and (at.field("name") is None or at.field("name") is not node):
            yield at
        at = at.parent()
