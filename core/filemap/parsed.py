"""Symbols and imports of a text that a grammar understands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from litecode.core.filemap.grammars import HOLDERS, KINDS, Kinds
from litecode.core.filemap.imports import imported_names
from litecode.core.filemap.symbols import Found, Symbol, one_line
from litecode.core.patching.syntax import Node, parse

_NAMES = frozenset(
    """
    identifier simple_identifier type_identifier name word constant variable namespace_identifier keyframes_name
    """.split()
)
_BODIES = frozenset(
    """
    class_body enum_class_body function_body block do_block do field_declaration_list enumerator_list struct_type
    interface_type block_start keyframe_block_list declaration_list template_body
    """.split()
)
# One function in several clauses, each of them a node.
_IN_CLAUSES = frozenset({"haskell", "elixir"})
_WRAPPERS = frozenset({"decorated_definition", "export_statement", "ambient_declaration", "template_declaration"})
_ATTRIBUTE = re.compile(r"\s*(?:#\[.*\]|@[\w.]+(?:\(.*\))?)\s*$")
_ATTRIBUTED = frozenset({"rust", "javascript", "typescript", "tsx", "dart"})
_TAIL = re.compile(r"\s*(?:\{|=>|=|:|,?\s*\bdo:.*|\bdo\b|\bwhere\b|,|;)\s*$")
_REMARK = re.compile(r"[ \t](?:#|//)[ \t].*")
_DEFINES = re.compile(r"^(?:@\w+\s+)*(?:def\w*)\s+(?:[\w]+,\s*for:\s*)?([\w.]+[?!]?)")
_VALUES = frozenset({"variable", "constant", "key", "binding"})


class _Open(NamedTuple):
    end: int
    name: str
    kind: str


class _Wanted(NamedTuple):
    """The ast-grep rule that finds symbols and imports in one walk, and the kinds of nodes that are imports; where such
    a kind can be either, there is a rule for each.
    """

    rule: dict[str, Any]
    imports: frozenset[str]
    other: dict[str, Any] | None = None


@cache
def _wanted(grammar: str) -> _Wanted:
    kinds = KINDS.get(grammar, Kinds({}))
    symbols = [*({"kind": kind} for kind in kinds.labels), *(dict(rule) for rule, _ in kinds.rules)]
    imports = [*({"kind": kind} for kind in kinds.imports), *map(dict, kinds.import_rules)]
    names = frozenset(rule["kind"] for rule in imports)
    if names.intersection(rule["kind"] for rule in symbols):
        return _Wanted({"any": symbols}, frozenset(), {"any": imports})
    return _Wanted({"any": symbols + imports}, names)


def find(text: str, grammar: str) -> Found:
    if grammar not in KINDS:
        return Found((), ())
    root, wanted = parse(text, grammar), _wanted(grammar)
    nodes, importing = root.find_all(wanted.rule), []
    if wanted.other is not None:
        importing = root.find_all(wanted.other)
    elif wanted.imports:
        importing = [node for node in nodes if node.kind in wanted.imports]
        nodes = [node for node in nodes if node.kind not in wanted.imports]
    starts = list(accumulate(map((1).__add__, map(len, text.split("\n"))), initial=0))
    symbols = tuple(_merged(_symbols(nodes, text, starts, grammar), grammar))
    return Found(symbols, tuple(dict.fromkeys(imported_names(importing, grammar))))


def _symbols(nodes: list[Node], text: str, starts: list[int], grammar: str) -> Iterator[Symbol]:
    stack: list[_Open] = []
    for node in nodes:
        while stack and node.cut.start >= stack[-1].end:
            stack.pop()
        if stack and stack[-1].kind not in HOLDERS:
            continue
        kind = _kind(node, grammar)
        name = _name(node, grammar)
        if not name or _requires(node):
            continue
        outer = stack[-1].name if stack else ""
        if grammar == "go" and kind == "method":
            outer = _receiver(node)
        if stack and kind == "function" and (stack[-1].kind not in ("module", "namespace") or grammar == "ruby"):
            kind = "method"
        full = f"{outer}.{name}" if outer else name
        stack.append(_Open(node.cut.end, full, kind))
        whole = _wrapped(node)
        first = _above(text, starts, bisect_right(starts, whole.cut.start), grammar)
        last = bisect_right(starts, max(whole.cut.start, whole.cut.end - 1))
        yield Symbol(full, kind, _signature(node, whole, kind, text), first, last)


def _kind(node: Node, grammar: str) -> str:
    kinds = KINDS[grammar]
    label = kinds.labels.get(node.kind)
    if label is None:
        of_kind = [label for rule, label in kinds.rules if rule["kind"] == node.kind]
        label = of_kind[0]
        if len(of_kind) > 1 and (grammar == "elixir" or node.kind == "declaration"):
            label = _told_apart(node, grammar)
    if label == "variable" and _holds_function(node):
        return "function"
    if grammar == "go" and label == "type":
        shape = node.field("type")
        return {"struct_type": "struct", "interface_type": "interface"}.get(shape.kind if shape else "", "type")
    if label == "variable" and node.kind == "declaration" and _declares_function(node):
        return "function"
    return label


def _told_apart(node: Node, grammar: str) -> str:
    if grammar == "elixir":
        return "module" if node.text.startswith(("defmodule", "defprotocol", "defimpl")) else "function"
    return "function" if _declares_function(node) else "variable"


def _declares_function(node: Node) -> bool:
    at = node.field("declarator")
    while at is not None:
        if at.kind == "function_declarator":
            return True
        at = at.field("declarator")
    return False


def _holds_function(node: Node) -> bool:
    value = node.field("value")
    return value is not None and value.kind in ("arrow_function", "function_expression", "function", "lambda")


def _requires(node: Node) -> bool:
    """`const a = require('a')` is an import."""
    value = node.field("value")
    return value is not None and value.kind == "call_expression" and value.text.startswith("require(")


def _name(node: Node, grammar: str) -> str:
    """The name of what a node defines, with dots between its parts; empty for patterns that bind several."""
    if grammar == "elixir":
        found = _DEFINES.match(node.text)
        return found.group(1) if found else ""
    if grammar == "hcl":
        words = [child.text.strip('"') for child in node.children() if child.kind in ("identifier", "string_lit")]
        return ".".join(words)
    if grammar == "css":
        return one_line(node.text.split("{")[0], 60)
    if grammar in ("json", "yaml", "nix"):
        return one_line(node.children()[0].text.strip("\"'"), 60)
    if node.kind == "impl_item":
        implemented = node.field("type")
        return re.split(r"[<\s]", implemented.text)[0].rpartition("::")[2] if implemented else ""
    if node.kind in ("constructor_definition", "init_declaration"):
        return "constructor" if node.kind == "constructor_definition" else "init"
    if node.kind == "companion_object":
        return "Companion"
    held = node.field("name") or node.field("left") or _declared(node) or _named_child(node)
    name = held.text if held is not None else ""
    if not re.fullmatch(r"[\w$#~?!=.:\\@*]+|operator.*|\[.*\]|[^\w\s]+|\"[^\"]*\"|'[^']*'", name):
        return ""
    return re.sub(r"::|:|\\", ".", name.strip("\"'")) if "operator" not in name else one_line(name, 40)


def _declared(node: Node) -> Node | None:
    """C hides a name inside of pointers, arrays and parameter lists."""
    at = node.field("declarator")
    while at is not None and (inner := at.field("declarator")) is not None:
        at = inner
    if at is not None and at.kind in ("reference_declarator", "parenthesized_declarator"):
        at = next((_declared(child) or child for child in at.children() if child.named), at)
        if at.kind == "function_declarator":
            at = at.field("declarator")
    return at


def _named_child(node: Node) -> Node | None:
    for child in node.children():
        if child.kind in _NAMES:
            return child
        if child.kind.endswith("_signature") or child.kind in ("variable_declaration", "pattern"):
            return child.field("name") or _named_child(child)
    return None


def _receiver(node: Node) -> str:
    receiver = node.field("receiver")
    found = re.search(r"(\w+)\s*(?:\[[^\]]*\])?\s*\)$", receiver.text) if receiver else None
    return found.group(1) if found else ""


def _wrapped(node: Node) -> Node:
    """The statement that is the symbol: with its decorators, its `export`, its `const`."""
    parent = node.parent()
    if node.kind in (
        "variable_declarator",
        "assignment_expression",
        "assignment",
        "type_spec",
        "const_spec",
        "var_spec",
    ):
        alone = parent is not None and sum(child.named for child in parent.children()) == 1
        if parent is None or not alone or parent.parent() is None:
            return node
        node, parent = parent, parent.parent()
    while parent is not None and parent.kind in _WRAPPERS:
        node, parent = parent, parent.parent()
    return node


def _above(text: str, starts: list[int], line: int, grammar: str) -> int:
    """The line of the first attribute above a definition, where the grammar has them as neighbours."""
    if grammar not in _ATTRIBUTED:
        return line
    while line > 1 and _ATTRIBUTE.match(text[starts[line - 2] : starts[line - 1]]):
        line -= 1
    return line


def _signature(node: Node, whole: Node, kind: str, text: str) -> str:
    """What stands before the body, without decorators."""
    start = node.cut.start
    if whole.kind != "decorated_definition" and whole.cut.start < start:
        before = text[whole.cut.start : start]
        start = whole.cut.start if "\n" not in before.strip() and "@" not in before else start
    value = node.field("value") or node.field("right") if kind not in _VALUES else None
    body = (value or node).field("body") or _body(value or node)
    end = body.cut.start if body is not None and body.cut.start > start else node.cut.end
    written = _REMARK.sub("", text[start:end])
    written = re.sub(r"^(?:@\w+(?:\([^)]*\))?\s+)+", "", written)
    if kind in _VALUES:
        first, more, _ = written.strip().partition("\n")
        return one_line(first.rstrip(" ;,") + (" …" if more else ""))
    if body is None:
        written = written.strip().split("\n")[0]
    return one_line(_TAIL.sub("", one_line(written, 1000)))


def _body(node: Node) -> Node | None:
    return next((child for child in node.children() if child.kind in _BODIES), None)


def _merged(symbols: Iterator[Symbol], grammar: str) -> Iterator[Symbol]:
    last: Symbol | None = None
    for symbol in symbols:
        if last is not None and grammar in _IN_CLAUSES and (last.name, last.kind) == (symbol.name, symbol.kind):
            last = last._replace(end_line=symbol.end_line)
            continue
        if last is not None:
            yield last
        last = symbol
    if last is not None:
        yield last
