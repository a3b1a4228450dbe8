"""The kinds of value that a key can have. Each kind is one object that reads a node and writes the JSON Schema of
what it reads, so that the two cannot drift apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar, cast

from litecode.config.document import ListNode, MapNode, Node, Scalar, Source, describe, plain

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=StrEnum)

Schema = dict[str, object]


class Kind(Protocol[T_co]):
    def read(self, node: Node, label: str, source: Source) -> T_co:
        """The value of the node. `label` names the key in errors, which are `ConfigError`s with the node's place."""

    def schema(self) -> Schema: ...


@dataclass(frozen=True, slots=True)
class Key(Generic[T_co]):
    """A key of a mapping: its kind, the value without it, and what it means (Markdown, for editors)."""

    name: str
    kind: Kind[T_co]
    default: T_co
    doc: str


@dataclass(frozen=True, slots=True)
class Values:
    """What a mapping gave: its values by key, and for errors the nodes of the mapping, of its keys and its values."""

    node: Node
    given: Mapping[str, object]
    places: Mapping[str, Node]
    nodes: Mapping[str, Node]

    def get(self, key: Key[T]) -> T:
        return cast("T", self.given.get(key.name, key.default))


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, else an empty string."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name.lower(), list(known), 1)), "")


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A hint: the nearest known name, or all of them."""
    near = nearest(name, known)
    return f"did you mean `{near}`?" if near else f"known are: {', '.join(known)}"


def read_mapping(node: Node, label: str, keys: Sequence[Key[object]], source: Source) -> Values:
    """Read a mapping with these keys, in the order of the text; an unknown key is an error."""
    known = {key.name: key for key in keys}
    given: dict[str, object] = {}
    places: dict[str, Node] = {}
    nodes: dict[str, Node] = {}
    for place, value in pairs_of(node, label, source):
        key = known.get(place.text)
        if key is None:
            raise source.error(place, f"unknown key `{place.text}` in {label}", _meant_key(place.text, list(known)))
        given[key.name] = key.kind.read(value, f"`{key.name}`", source)
        places[key.name] = place
        nodes[key.name] = value
    return Values(node, given, places, nodes)


def mapping_schema(keys: Sequence[Key[object]]) -> Schema:
    properties: Schema = {}
    for key in keys:
        properties[key.name] = {"description": key.doc} | key.kind.schema() | _default(key)
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _default(key: Key[object]) -> Schema:
    """The default as JSON; nothing for an empty one, which says no more than that the key may be left out."""
    if not key.default or not isinstance(key.default, str | tuple):
        return {}
    return {"default": str(key.default) if isinstance(key.default, str) else list(key.default)}


# Words of ast-grep, semgrep, Sourcery and pre-commit for what has another name here, and keys that belong elsewhere:
# the key that helps, and how. A word says nothing in a mapping that has no such key.
_FILES = ("files", "write a regex under `files`, not a glob")
_TESTS = ("tests", "write it under `tests`")
_PART = ("pattern", "write it under `pattern`, in a rule object: {pattern: ..., not: {pattern: ...}}")
_OWN = ("rules", "write it in a rule, under `rules`")
_FOREIGN: dict[str, tuple[tuple[str, str], ...]] = {
    "rule": (("pattern", "write the rule object under `pattern`"), ("rules", "did you mean `rules`?")),
    "languages": (("language", "write one `language`; a second language is a second rule"), _OWN),
    "ignores": (("exclude", "write a regex under `exclude`"),),
    "description": (("message", "did you mean `message`?"),),
    "name": (("id", "did you mean `id`?"),),
    "replacement": (("fix", "did you mean `fix`?"),),
    "prompt": (("instruction", "did you mean `instruction`?"),),
    "level": (("severity", "did you mean `severity`?"),),
    "examples": (("tests", "did you mean `tests`?"),),
    "code": (("tests", "write it under `tests`, in an item of `invalid`"),),
    **dict.fromkeys(("glob", "globs", "include", "includes", "path", "paths"), (_FILES,)),
    **dict.fromkeys(("valid", "invalid"), (_TESTS, _OWN)),
    **dict.fromkeys(("not", "any", "all", "inside", "has", "follows", "precedes", "kind", "constraints"), (_PART,)),
    **dict.fromkeys(("id", "message", "pattern", "regex", "fix", "instruction", "severity", "language"), (_OWN,)),
}
_ANYWHERE = {"<<": "merge keys are not used here; write the keys out"}


def _meant_key(name: str, known: Sequence[str]) -> str:
    return (
        _ANYWHERE.get(name)
        or next((hint for key, hint in _FOREIGN.get(name, ()) if key in known), "")
        or did_you_mean(name, known)
    )


def flow(value: object) -> str:
    """Data as YAML in one line, for hints."""
    import yaml

    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000)
    text = text.removesuffix("\n").removesuffix("\n...")
    return re.sub(r"'([a-z]+(?::[\w-]+)+)'", r"\1", text)  # a colon within a word needs no quotes


def pairs_of(node: Node, label: str, source: Source) -> tuple[tuple[Scalar, Node], ...]:
    if not isinstance(node, MapNode):
        raise source.error(node, f"{label} must be a mapping, not {describe(node)}", "write `key: value` lines")
    return node.pairs


@dataclass(frozen=True, slots=True)
class Text:
    """Text. It may be empty only where `empty` says so, and have line breaks unless `line` says one line."""

    empty: bool = False
    line: bool = False

    def read(self, node: Node, label: str, source: Source) -> str:
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            hint = "write text here; text that begins like a list or has ': ' in it needs quotes"
            if isinstance(node, Scalar) and node.text:
                hint = f"put it in quotes: '{node.text}'"
            raise source.error(node, f"{label} must be text, not {describe(node)}", hint)
        if not self.empty and not node.value.strip():
            raise source.error(node, f"{label} is empty", "write something, or leave it out")
        if self.line and ("\n" in node.value or "\r" in node.value):
            raise source.error(node, f"{label} must be a single line", "write it on one line, without | or >")
        return node.value

    def schema(self) -> Schema:
        schema: Schema = {"type": "string"}
        if not self.empty:
            schema["pattern"] = r"\S"
        if self.line:
            schema["not"] = {"pattern": r"[\r\n]"}
        return schema


@dataclass(frozen=True, slots=True)
class Shaped:
    """Text on one line that matches `shape` completely; `words` says what it is, `hint` what it looks like."""

    shape: str
    words: str
    hint: str

    def read(self, node: Node, label: str, source: Source) -> str:
        text = Text(line=True).read(node, label, source)
        if not re.fullmatch(self.shape, text):
            raise source.error(node, f"{label} `{text}` is not {self.words}", self.hint)
        return text

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{self.shape}$"}


@dataclass(frozen=True, slots=True)
class Choice(Generic[E]):
    options: type[E]

    def read(self, node: Node, label: str, source: Source) -> E:
        text = Text(line=True).read(node, label, source)
        allowed = [option.value for option in self.options]
        if text not in allowed:
            raise source.error(node, f"{label} cannot be `{text}`", f"allowed are: {', '.join(allowed)}")
        return self.options(text)

    def schema(self) -> Schema:
        return {"enum": [option.value for option in self.options]}


def lines_of(text: str) -> list[object]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@dataclass(frozen=True, slots=True)
class Items(Generic[T]):
    """A list of one kind; with `filled` it needs an item. `meant` makes the items of text that is in its place."""

    of: Kind[T]
    filled: bool = False
    meant: Callable[[str], list[object]] = lines_of

    def read(self, node: Node, label: str, source: Source) -> tuple[T, ...]:
        if not isinstance(node, ListNode):
            written = self.meant(node.text) if isinstance(node, Scalar) else []
            hint = (
                f"write a list: {flow(written)}"
                if written
                else "write a list, one item in a line that begins with `- `"
            )
            raise source.error(node, f"{label} must be a list, not {describe(node)}", hint)
        if self.filled and not node.items:
            raise source.error(node, f"{label} is empty", "write an item, or leave it out")
        item = label if label.startswith("an item of") else f"an item of {label}"
        return tuple(self.of.read(child, item, source) for child in node.items)

    def schema(self) -> Schema:
        schema: Schema = {"type": "array", "items": self.of.schema()}
        if self.filled:
            schema["minItems"] = 1
        return schema


@dataclass(frozen=True, slots=True)
class Nullable(Generic[T]):
    """The kind, or a key with nothing behind it, which means `default`."""

    of: Kind[T]
    default: T

    def read(self, node: Node, label: str, source: Source) -> T:
        if isinstance(node, Scalar) and node.value is None:
            return self.default
        return self.of.read(node, label, source)

    def schema(self) -> Schema:
        return {"anyOf": [self.of.schema(), {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class Record(Generic[T]):
    """A mapping with known keys, built into a value. `from_text` lets plain text stand for it."""

    keys: Sequence[Key[object]]
    build: Callable[[Values], T]
    required: tuple[str, ...] = ()
    from_text: Callable[[str], T] | None = None

    def read(self, node: Node, label: str, source: Source) -> T:
        if self.from_text is not None and isinstance(node, Scalar):
            return self.from_text(Text().read(node, label, source))
        values = read_mapping(node, label, self.keys, source)
        for name in self.required:
            if name not in values.given:
                raise source.error(node, f"{label} has no `{name}`", f"add `{name}:`")
        return self.build(values)

    def schema(self) -> Schema:
        schema = mapping_schema(self.keys)
        if self.required:
            schema["required"] = list(self.required)
        return schema if self.from_text is None else {"anyOf": [Text().schema(), schema]}


@dataclass(frozen=True, slots=True)
class Data:
    """A mapping with any content."""

    def read(self, node: Node, label: str, source: Source) -> Mapping[str, object]:
        return {key.text: plain(value) for key, value in pairs_of(node, label, source)}

    def schema(self) -> Schema:
        return {"type": "object"}
