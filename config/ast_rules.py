"""Patterns and rule objects of ast-grep as kinds of value: their shape is checked here, with line and column, because
ast-grep ignores some unknown keys. Whether a pattern fits its language is checked where ast-grep is at hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from litecode.config.document import MapNode, Node, Scalar, Source, plain
from litecode.config.kinds import Data, Items, Kind, Schema, Text, did_you_mean, flow, pairs_of
from litecode.config.rules import AstPattern

_VARIABLE = r"[A-Z_][A-Z0-9_]*"


@dataclass(frozen=True, slots=True)
class AstRule:
    """A rule object, or with `relation` one that stands under `inside`, `has`, `precedes` or `follows`."""

    relation: bool = False

    def read(self, node: Node, label: str, source: Source) -> dict[str, object]:
        if isinstance(node, Scalar) and isinstance(node.value, str):
            raise source.error(node, f"{label} must be a mapping, not text", self._meant(node.value, label))
        keys = _RELATION_KEYS if self.relation else _RULE_KEYS
        pairs = pairs_of(node, label, source)
        if not pairs:
            raise source.error(node, f"{label} is empty", "write a rule object of ast-grep")
        rule: dict[str, object] = {}
        for key, value in pairs:
            kind = keys.get(key.text)
            if kind is None:
                raise source.error(key, f"unknown key `{key.text}` in {label}", did_you_mean(key.text, list(keys)))
            read = kind.read(value, f"`{key.text}`", source)
            rule[key.text] = list(read) if isinstance(read, tuple) else read
        return rule

    def _meant(self, text: str, label: str) -> str:
        """Code was written where ast-grep wants a rule object."""
        meant = {"pattern": text.strip()} | ({"stopBy": "end"} if self.relation else {})
        if "\n" in text.strip():
            return "write the code under `pattern:` in it"
        if label.startswith("`"):
            return f"write `{flow({label.strip('`'): meant})[1:-1]}`"
        return f"write `- {flow(meant)[1:-1]}`"

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/ast-relation" if self.relation else "#/$defs/ast-rule"}


@dataclass(frozen=True, slots=True)
class _Anything:
    def read(self, node: Node, label: str, source: Source) -> object:
        del label, source
        return plain(node)

    def schema(self) -> Schema:
        return {}


@dataclass(frozen=True, slots=True)
class _TextOr:
    mapping: Kind[object]

    def read(self, node: Node, label: str, source: Source) -> object:
        return (self.mapping if isinstance(node, MapNode) else Text()).read(node, label, source)

    def schema(self) -> Schema:
        return {"anyOf": [Text().schema(), self.mapping.schema()]}


# Without `matches`: there are no utility rules that it could refer to.
_RULE_KEYS: dict[str, Kind[object]] = {
    "pattern": _TextOr(Data()),
    "kind": Text(),
    "regex": Text(),
    "nthChild": _Anything(),
    "range": Data(),
    "inside": AstRule(relation=True),
    "has": AstRule(relation=True),
    "precedes": AstRule(relation=True),
    "follows": AstRule(relation=True),
    "all": Items(AstRule(), filled=True),
    "any": Items(AstRule(), filled=True),
    "not": AstRule(),
}
_RELATION_KEYS: dict[str, Kind[object]] = {**_RULE_KEYS, "stopBy": _TextOr(AstRule()), "field": Text()}


@dataclass(frozen=True, slots=True)
class AstSearch:
    """A pattern as text, a rule object of ast-grep, or `{rule: ..., constraints: ...}`."""

    def read(self, node: Node, label: str, source: Source) -> AstPattern:
        if isinstance(node, Scalar):
            return AstPattern({"pattern": Text().read(node, label, source)})
        pairs = pairs_of(node, label, source)
        if not any(key.text == "rule" for key, _ in pairs):
            return AstPattern(AstRule().read(node, label, source))
        rule: dict[str, object] = {}
        constraints: dict[str, object] = {}
        for key, value in pairs:
            if key.text == "rule":
                rule = AstRule().read(value, "`rule`", source)
            elif key.text == "constraints":
                constraints = _constraints(value, source)
            else:
                hint = did_you_mean(key.text, ["rule", "constraints"])
                raise source.error(key, f"unknown key `{key.text}` in {label}", hint)
        return AstPattern(rule, constraints)

    def schema(self) -> Schema:
        rule = AstRule().schema()
        names = {"pattern": f"^{_VARIABLE}$"}
        constraints = {"type": "object", "propertyNames": names, "additionalProperties": rule}
        whole = {
            "type": "object",
            "properties": {"rule": rule, "constraints": constraints},
            "additionalProperties": False,
            "required": ["rule"],
        }
        return {"anyOf": [Text().schema(), rule, whole]}


def definitions() -> Schema:
    """The `$defs` that the schema of `AstSearch` refers to."""
    return {"ast-rule": _schema(_RULE_KEYS), "ast-relation": _schema(_RELATION_KEYS)}


def _schema(keys: dict[str, Kind[object]]) -> Schema:
    properties = {name: kind.schema() for name, kind in keys.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False, "minProperties": 1}


def _constraints(node: Node, source: Source) -> dict[str, object]:
    constraints: dict[str, object] = {}
    for key, value in pairs_of(node, "`constraints`", source):
        if not re.fullmatch(_VARIABLE, key.text):
            hint = "write the name of a meta-variable without $, in capitals: NAME"
            raise source.error(key, f"`{key.text}` cannot be constrained", hint)
        constraints[key.text] = AstRule().read(value, f"`{key.text}`", source)
    return constraints
