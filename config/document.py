"""YAML text as nodes that know their line and column, so that every later error can name its place.

Scalars are typed as in the core schema of YAML 1.2, which is what editors check: `off` and `yes` are text. Anchors
and aliases work; tags do not. The size of the text, the number of nodes with every alias written out, and the depth
are limited, so that a hostile file costs little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import yaml

from litecode.core.errors import ConfigError

MAX_BYTES = 1_048_576
MAX_NODES = 100_000
MAX_DEPTH = 64

_NULL = re.compile(r"~|null|Null|NULL|")
_BOOLEAN = re.compile(r"true|True|TRUE|false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TYPED = frozenset(("", *"~nNtTfF+-.0123456789"))  # how text begins that may be something else
_LONGEST_NUMBER = 300  # Python refuses to read integers of thousands of digits
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_HINTS = (
    ("unknown escape character", "in double quotes a backslash begins an escape; put regexes in single quotes"),
    ("cannot start any token", "put the text in single quotes"),
    ("mapping values are not allowed", "put text that has ': ' in it in quotes, and check the indentation"),
    ("unexpected end of stream", "close the quote that is opened here"),
)


class Scalar(NamedTuple):
    """`value` is the data (None, bool, int, float or text) and `text` what was written. The text begins `inset`
    columns after the node and stands there character by character; `inset` is -1 when it does not.
    """

    value: str | float | bool | None
    text: str
    line: int
    column: int
    inset: int


class ListNode(NamedTuple):
    items: tuple[Node, ...]
    line: int
    column: int


class MapNode(NamedTuple):
    pairs: tuple[tuple[Scalar, Node], ...]
    line: int
    column: int


Node: TypeAlias = Scalar | ListNode | MapNode


@dataclass(frozen=True, slots=True)
class Source:
    """The file that nodes come from: makes its errors, collects its warnings."""

    path: str
    warnings: list[str] = field(default_factory=list)

    def where(self, node: Node, offset: int | None = None) -> str:
        """`path:line:col` of the node, or of the character `offset` of its text when the text stands there as it is."""
        inset = node.inset + offset if isinstance(node, Scalar) and offset is not None and node.inset >= 0 else 0
        return f"{self.path}:{node.line}:{node.column + inset}"

    def error(self, node: Node, message: str, hint: str) -> ConfigError:
        return ConfigError(message, hint, self.where(node))

    def warn(self, node: Node, message: str) -> None:
        self.warnings.append(f"{self.where(node)}: {message}")


def compose(data: bytes, path: str) -> Node | None:
    """The root node, None for an empty document. Every error is a `ConfigError` with its place."""
    text = _decode(data, path)
    builder = _Builder(Source(path))
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        raise _syntax_error(error, text, path) from error
    return builder.root


def plain(node: Node) -> object:
    """The data of a node without its places: dict, list, str, int, float, bool, None."""
    match node:
        case Scalar():
            return node.value
        case ListNode():
            return [plain(item) for item in node.items]
        case MapNode():
            return {key.text: plain(value) for key, value in node.pairs}


def text_nodes(node: Node) -> Iterator[Scalar]:
    """The node and all below it that are no lists and no mappings, in the order of the text, keys left out."""
    match node:
        case Scalar():
            yield node
        case ListNode():
            for item in node.items:
                yield from text_nodes(item)
        case MapNode():
            for _, value in node.pairs:
                yield from text_nodes(value)


def describe(node: Node) -> str:
    """What a node is, in the words of an error message."""
    match node:
        case ListNode():
            return "a list"
        case MapNode():
            return "a mapping"
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=bool()):
            return node.text
        case Scalar(value=str()):
            return "text"
        case Scalar():
            return "a number"


def _decode(data: bytes, path: str) -> str:
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data):,} bytes, a rules file may have {MAX_BYTES:,}"
        raise ConfigError(message, "is this the right file? move long notes to a page and give its url", path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace")
        raise ConfigError("not UTF-8 text", "save the file as UTF-8", _place(path, before)) from error
    found = _UNPRINTABLE.search(text)
    if found:
        message = f"control character U+{ord(found.group()):04X}"
        raise ConfigError(message, "remove it", _place(path, text[: found.start()]))
    return text


def _place(path: str, before: str) -> str:
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f"{path}:{line}:{column}"


def _syntax_error(error: yaml.YAMLError, text: str, path: str) -> ConfigError:
    problem = str(getattr(error, "problem", None) or error)
    context = str(getattr(error, "context", None) or "")
    # An open quote is noticed at the end of the file; where it was opened is what helps.
    name = "context_mark" if "quoted scalar" in context and "end of stream" in problem else "problem_mark"
    mark: yaml.Mark | None = getattr(error, name, None)
    if mark is None:
        return ConfigError(f"not valid YAML: {problem}", "check the syntax", path)
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        column = indent.index("\t") + 1
        return ConfigError(
            "a tab in the indentation", "indent with spaces, as YAML wants it", f"{path}:{mark.line + 1}:{column}"
        )
    hint = next((hint for part, hint in _HINTS if part in problem), "check the indentation and the brackets")
    return ConfigError(f"not valid YAML: {problem}", hint, f"{path}:{mark.line + 1}:{mark.column + 1}")


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet; `before` is the number of nodes that came before it."""

    event: yaml.NodeEvent
    before: int
    children: list[Node] = field(default_factory=list)


class _Builder:
    """Takes the events of the parser one by one. No recursion, so that depth costs nothing."""

    def __init__(self, source: Source) -> None:
        self.root: Node | None = None
        self._source = source
        self._open: list[_Open] = []
        self._count = 0
        self._documents = 0
        self._anchors: dict[str, tuple[Node, int]] = {}

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._begin(event)
            self._done(_scalar(event), event.anchor, 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event)
            self._open.append(_Open(event, self._count - 1))
            if len(self._open) > MAX_DEPTH:
                raise self._error(event, f"nested deeper than {MAX_DEPTH} levels", "write it flatter")
        elif isinstance(event, yaml.CollectionEndEvent):
            opened = self._open.pop()
            self._done(self._collection(opened), opened.event.anchor, self._count - opened.before)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._error(event, "a second YAML document", "remove the line --- and what follows, or merge it")

    def _begin(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        if event.tag is not None:
            raise self._error(event, f"YAML tags such as {event.tag} are not used here", "remove the tag")
        self._add(event, 1)

    def _add(self, event: yaml.Event, nodes: int) -> None:
        self._count += nodes
        if self._count > MAX_NODES:
            message = f"more than {MAX_NODES:,} YAML nodes, aliases written out"
            raise self._error(event, message, "make the file smaller, or use fewer aliases")

    def _done(self, node: Node, anchor: str | None, size: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, size)
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node

    def _alias(self, event: yaml.AliasEvent) -> None:
        known = self._anchors.get(str(event.anchor))
        if known is None:
            raise self._error(event, f"undefined alias *{event.anchor}", "define the anchor with &name before it")
        self._add(event, known[1])
        self._done(known[0], None, known[1])

    def _collection(self, opened: _Open) -> ListNode | MapNode:
        line, column = _start(opened.event)
        children = opened.children
        if isinstance(opened.event, yaml.SequenceStartEvent):
            return ListNode(tuple(children), line, column)
        first: dict[str, Scalar] = {}
        for key in children[::2]:
            if not isinstance(key, Scalar) or key.value is None:
                raise self._source.error(key, f"a key must be text, not {describe(key)}", "write `key: value`")
            if key.text in first:
                message, hint = (
                    f"`{key.text}` is given twice",
                    f"remove one of the two; the first is in line {first[key.text].line}",
                )
                raise self._source.error(key, message, hint)
            first[key.text] = key
        return MapNode(tuple(zip(first.values(), children[1::2], strict=True)), line, column)

    def _error(self, event: yaml.Event, message: str, hint: str) -> ConfigError:
        line, column = _start(event)
        return ConfigError(message, hint, f"{self._source.path}:{line}:{column}")


def _start(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _scalar(event: yaml.ScalarEvent) -> Scalar:
    text, end, is_plain = event.value, event.end_mark, event.implicit[0]
    line, column = _start(event)
    around = end.column + 1 - column - len(text) if end and end.line + 1 == line else -1
    inset = around // 2 if around == (0 if is_plain else 2) else -1
    return Scalar(_value(text) if is_plain else text, text, line, column, inset)


def _value(text: str) -> str | float | bool | None:
    if text[:1] not in _TYPED or len(text) > _LONGEST_NUMBER:
        return text
    if _NULL.fullmatch(text):
        return None
    if _BOOLEAN.fullmatch(text):
        return text[0] in "tT"
    if _INTEGER.fullmatch(text):
        # A leading zero is decimal in YAML 1.2 and an error for int(text, 0).
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
