"""Writes the JSON Schema of the rules file from the table in `keys`."""

from __future__ import annotations

import json

from litecode.config import keys
from litecode.config.ast_rules import definitions
from litecode.config.conditions import CONDITIONS, EXCLUSIVE
from litecode.config.kinds import Schema, mapping_schema

FILE_NAME = "litecode.schema.json"


def schema() -> Schema:
    """The schema as JSON data. It accepts what `load_rules` accepts, except for what only code can check: that regexes
    compile, ids are unique, presets, types and versions exist, and an override names a rule of a preset.
    """
    rule = mapping_schema(keys.RULE_KEYS)
    exclusive = [condition.schema() for condition in EXCLUSIVE]
    complete = [condition.schema() for condition in CONDITIONS if condition not in EXCLUSIVE]
    whole: Schema = {"required": [key.name for key in keys.REQUIRED], "allOf": complete}
    extends = {"required": ["extends"], "properties": {"extends": {"minItems": 1}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of LiteCode (.litecode.yaml)",
        **mapping_schema(keys.FILE_KEYS),
        "type": ["object", "null"],
        "if": extends,
        "else": {"properties": {"rules": {"items": {"$ref": "#/$defs/complete-rule"}}}},
        "$defs": {
            "rule": rule | {"required": [keys.ID.name], "allOf": exclusive},
            "complete-rule": whole,
            **definitions(),
        },
    }


def text() -> str:
    """The schema as the text of the shipped file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
