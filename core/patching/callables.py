"""The head of a function in any language whose grammar tells parameters apart."""

from __future__ import annotations

from dataclasses import dataclass

from litecode.core.patching.document import Cut
from litecode.core.patching.syntax import Node, has_grammar, parse, tokens

_SIGNS = frozenset({"keyword_separator", "positional_separator", "comment", "line_comment", "block_comment"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """`name` is empty for a pattern that binds several names; `optional` means that callers may leave it out."""

    name: str
    text: str
    optional: bool
    cut: Cut


@dataclass(frozen=True, slots=True)
class Head:
    """`keyword_from` is the index of the first parameter that only a keyword reaches (Python)."""

    name: str
    parameters: tuple[Parameter, ...]
    keyword_from: int
    whole: Cut
    inside: Cut  # of the parameters, without their parentheses

    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters)


def heads(text: str, language: str | None) -> list[Head]:
    """Every function of a text that has a list of parameters, outer ones first."""
    if language is None or not has_grammar(language):
        return []
    found = []
    for node in parse(text, language).walk():
        parameters = node.field("parameters")
        if parameters is not None and node.named:
            found.append(_head(node, parameters))
    return found


def first(text: str, language: str | None) -> Head | None:
    """The function that a region is, None when it is something else."""
    return next(iter(heads(text, language)), None)


def _head(node: Node, parameters: Node) -> Head:
    inner = [c for c in parameters.children() if c.named]
    keyword_from = len(inner)
    found: list[Parameter] = []
    for child in inner:
        if child.kind in ("keyword_separator", "list_splat_pattern"):
            keyword_from = min(keyword_from, len(found) + (child.kind != "keyword_separator"))
        if child.kind not in _SIGNS:
            found.append(_parameter(child))
    cut = parameters.cut
    if parameters.text[:1] in ("(", "|"):
        cut = Cut(cut.start + 1, cut.end - 1)
    return Head(_name(node), tuple(found), keyword_from, node.cut, cut)


def _name(node: Node) -> str:
    held = node.field("name") or node.field("declarator")
    parent = node.parent()
    if held is None and parent is not None:
        held = parent.field("name") or parent.field("left")
    return held.text.rsplit(".", 1)[-1] if held is not None else ""


def _parameter(node: Node) -> Parameter:
    named = node
    for field in ("name", "pattern", "left", "declarator") * 2:
        named = named.field(field) or named
    name = named.text.lstrip("*&$.")
    if not name.isidentifier():
        found = [t.text for t in tokens(node.text, None) if t.kind == "identifier"]
        wrapped = node.kind.startswith(("typed", "rest", "dict", "list_splat")) and found
        name = found[0] if wrapped else ""
    text = node.text
    optional = (
        "=" in text or "?" in text.split(":")[0] or text.lstrip().startswith(("*", "...")) or "optional" in node.kind
    )
    return Parameter(name, text, optional, node.cut)
