"""Renaming by the tokens of a grammar, for languages that no parser of ours understands in full."""

from __future__ import annotations

import re
from collections.abc import Mapping

from litecode.core.filemap.outline import language_of, outline
from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit
from litecode.core.patching.gorename import GoName, doc_comment
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.syntax import Node, Token, has_grammar, parse, tokens

_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_NAME = re.compile(
    r"identifier(?:_pattern)?$|^(?:word|constant|name|variable_name|command_name|simple_identifier|function_name)$"
)
_KEYS = frozenset({"pair", "pair_pattern", "property_signature", "method_definition", "public_field_definition"})


def token_edits(files: Mapping[str, Document], old: str, new: str, home: str) -> dict[str, list[Edit]]:
    """The edits that rename; none when no file defines the name. Raises Impossible."""
    owner, _, name = old.rpartition(".")
    grammars = {path: language_of(path, document.text)[1] for path, document in files.items()}
    owners = _owners(files, name)
    if owner:
        owners = {
            path: [o for o in found if o.rsplit(".", 1)[-1] == owner.rsplit(".", 1)[-1]]
            for path, found in owners.items()
        }
    if home:
        owners = {path: found for path, found in owners.items() if path == home}
    every = sorted({o for found in owners.values() for o in found})
    if not every:
        return {}
    if len(every) > 1 or sum(map(len, owners.values())) > 1:
        raise Impossible(f"`{name}` is defined more than once: {', '.join(o or 'at the top' for o in every[:3])}")
    member = bool(every[0])
    source = next(path for path, found in owners.items() if found)
    go = GoName.of(files, name, source, member=member) if source.endswith(".go") else None
    result: dict[str, list[Edit]] = {}
    for path, document in files.items():
        grammar = grammars[path]
        found = (
            [t for t in tokens(document.text, grammar) if _is_use(t, name)] if grammar and has_grammar(grammar) else []
        )
        if not found or grammar is None:
            continue
        if grammar in _SCRIPTS and _is_foreign(document.text, name, source):
            continue
        root = parse(document.text, grammar)
        if go is not None and grammar == "go":
            found = [t for t in found if go.is_meant(path, root, _leaf(root, t))]
        if any(_is_use(t, new) for t in tokens(document.text, grammar)) and path in owners and owners[path]:
            raise Impossible(f"{path} has a `{new}` already")
        edits = [e for t in found if (e := _edit(root, t, new, grammar, member=member))]
        if grammar == "go" and path == source:
            edits += [Edit(cut, new) for t in found if (cut := doc_comment(document.text, _leaf(root, t)))]
        if edits:
            result[path] = edits
    return result


def _owners(files: Mapping[str, Document], name: str) -> dict[str, list[str]]:
    """For each file what the symbols of that name belong to, empty for the top of the file."""
    found: dict[str, list[str]] = {}
    for path, document in files.items():
        if name in document.text:
            symbols = outline(document.text, path).symbols
            names = [
                s.name for s in symbols if s.kind not in ("heading", "section") and s.name.rsplit(".", 1)[-1] == name
            ]
            if names:
                found[path] = [n.rpartition(".")[0] for n in names]
    return found


def _is_foreign(text: str, name: str, home: str) -> bool:
    """Whether a script has the name from a module that is not the one which defines it."""
    listed = rf"(?:import|const|let|var|export)\b[^;'\"]*[{{,\s]{re.escape(name)}\b[^;'\"]*"
    pattern = rf"{listed}(?:from\s*|require\()['\"]([^'\"]+)['\"]"
    found = re.search(pattern, text)
    if found is None:
        return False
    stem = re.sub(r"\.\w+$", "", home).removesuffix("/index").rsplit("/", 1)[-1]
    source = re.sub(r"\.[cm]?[jt]sx?$", "", found[1]).removesuffix("/index").rsplit("/", 1)[-1]
    return source not in (stem, ".", "..")


def _is_use(token: Token, name: str) -> bool:
    return (
        token.text.lstrip("$@") == name.lstrip("$@")
        and not token.is_comment
        and not token.is_string
        and _NAME.search(token.kind) is not None
    )


def _edit(root: Node, token: Token, new: str, grammar: str, *, member: bool) -> Edit | None:
    """The edit for one use, None for what only has the same name."""
    node = _leaf(root, token)
    sign = token.text[: len(token.text) - len(token.text.lstrip("$@"))]
    if grammar in _SCRIPTS and not member:
        if "shorthand_property_identifier" in token.kind and not _is_shared(node):
            return Edit(token.cut, f"{token.text}: {new}") if not _shadowed(node, token.text) else None
        if token.kind == "property_identifier":
            return Edit(token.cut, new) if _is_module_member(node, root) else None
        if _shadowed(node, token.text):
            return None
    if member and grammar in _SCRIPTS and token.kind != "property_identifier":
        return None
    if not member and grammar != "go" and token.kind == "field_identifier":
        return None
    return Edit(token.cut, sign + new)


def _leaf(root: Node, token: Token) -> Node:
    node = root
    while (inner := next((c for c in node.children() if c.cut.covers(token.cut)), None)) is not None:
        node = inner
    return node


def _is_shared(node: Node) -> bool:
    """`{ name }` in an import, an export or the destructuring of a module."""
    at: Node | None = node
    while at is not None:
        if at.kind in ("export_statement", "import_statement"):
            return True
        if at.kind == "assignment_expression":
            left = at.field("left")
            return left is not None and left.text.startswith(("module.exports", "exports"))
        if at.kind == "variable_declarator":
            value = at.field("value")
            return value is not None and value.text.startswith(("require(", "await import("))
        at = at.parent()
    return False


def _is_module_member(node: Node, root: Node) -> bool:
    """`text.slugify` where `text` is an import, and `exports.slugify`."""
    parent = node.parent()
    if parent is None or parent.kind in _KEYS:
        return False
    held = parent.field("object")
    if held is None:
        return False
    if held.text in ("exports", "module.exports"):
        return True
    name = re.escape(held.text)
    pattern = rf"import\s+(?:\*\s+as\s+)?{name}\b|(?:const|let|var)\s+{name}\s*=\s*(?:await\s+import|require)\("
    return held.kind == "identifier" and re.search(pattern, root.text) is not None


def _shadowed(node: Node, name: str) -> bool:
    """Whether a function around binds the name itself."""
    at = node.parent()
    while at is not None:
        parameters = at.field("parameters") or at.field("parameter")
        if parameters is not None and _binds(parameters, name):
            return True
        body = at.field("body")
        if parameters is not None and body is not None and _declares(body, name):
            return True
        at = at.parent()
    return False


def _binds(parameters: Node, name: str) -> bool:
    return any(
        n.text == name and n.kind in ("identifier", "shorthand_property_identifier_pattern") for n in parameters.walk()
    )


def _declares(body: Node, name: str) -> bool:
    for node in body.walk():
        if (
            node.kind in ("variable_declarator", "function_declaration")
            and (held := node.field("name")) is not None
            and held.text == name
        ):
            return True
    return False
