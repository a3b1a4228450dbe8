"""Whether a file has what an import line says, in another form: `use std::{fmt, io}` has `use std::fmt`. A second
import of one name is an error in most languages.
"""

from __future__ import annotations

import re

from litecode.core.patching import python_head
from litecode.core.patching.heads import tops
from litecode.core.patching.pytree import tree
from litecode.core.patching.syntax import Node, parse, tokens

_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})


def has(text: str, language: str, line: str) -> bool:
    """The same code at the top of the file, quotes and semicolons aside, or all that it would bind."""
    wanted = _code(line, language)
    found = tops(text, language)
    if any(_code(node.text, language) == wanted for node in found):
        return True
    if language in _SCRIPTS:
        return _all_in(_names(parse(line, language).children()), _names(found))
    if language == "rust":
        return _all_in(_uses(parse(line, language).children()), _uses(found))
    if language == "go":
        return _all_in(_specs(parse(line, language).children()), _specs(found))
    return False


def bound(text: str, language: str) -> set[str]:
    """The names that the top level of a file binds, imports included; none for most languages."""
    if language in _SCRIPTS:
        return _names(tops(text, language))
    module = tree(text) if language == "python" else None
    return set() if module is None else python_head.top_names(module)


def _all_in(wanted: set[str], have: set[str]) -> bool:
    return bool(wanted) and wanted <= have


def _code(part: str, language: str) -> list[str]:
    found = [t for t in tokens(part.strip(), language) if t.text != ";" and not t.is_comment]
    return ["".join(t.text.split()) if t.text[:1] == "#" else t.text.replace("'", '"') for t in found]


def _names(nodes: list[Node]) -> set[str]:
    """The names that statements of JavaScript bind, exported ones too."""
    found: set[str] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if node.kind in ("function_declaration", "generator_function_declaration", "class_declaration"):
            name = node.field("name")
            found |= {name.text} if name else set()
        elif node.kind == "import_specifier":
            found.add((node.field("alias") or node.field("name") or node).text)
        elif node.kind == "variable_declarator":
            todo += [part for part in [node.field("name")] if part]
        elif node.kind == "pair_pattern":
            todo += [part for part in [node.field("value")] if part]
        elif node.kind in ("identifier", "shorthand_property_identifier_pattern"):
            found.add(node.text)
        elif node.kind in _BINDING:
            todo += node.children()
    return found


_BINDING = frozenset(
    """
    import_statement import_clause named_imports namespace_import import_require_clause export_statement
    lexical_declaration variable_declaration object_pattern array_pattern rest_pattern ambient_declaration
    """.split()
)


def _uses(nodes: list[Node]) -> set[str]:
    """The paths of `use` declarations of Rust, braces written out."""
    found: set[str] = set()
    for node in nodes:
        if node.kind == "use_declaration":
            argument = node.field("argument")
            found |= _written_out("", argument) if argument else set()
    return found


def _written_out(prefix: str, node: Node) -> set[str]:
    if node.kind == "scoped_use_list":
        path, members = node.field("path"), node.field("list")
        inner = f"{prefix}{_bare(path.text)}::" if path else prefix
        return _written_out(inner, members) if members else set()
    if node.kind == "use_list":
        return {path for child in node.children() if child.named for path in _written_out(prefix, child)}
    return {prefix.removesuffix("::") if node.text == "self" else prefix + _bare(node.text)}


def _bare(path: str) -> str:
    return re.sub(r"\s*::\s*", "::", " ".join(path.split()))


def _specs(nodes: list[Node]) -> set[str]:
    """The imports of Go, with their names."""
    return {
        " ".join(spec.text.split())
        for node in nodes
        if node.kind == "import_declaration"
        for spec in node.walk()
        if spec.kind == "import_spec"
    }
