"""The shipped JSON Schema is current, and accepts and refuses the documents that `load_rules` does."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from litecode.config import keys, presets
from litecode.config.document import compose, plain
from litecode.config.kinds import Key
from litecode.config.load import load_rules
from litecode.config.schema import generate

SCHEMA = generate.schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# What the errors are about that only code can see.
CODE_ONLY = (
    "is not a valid regex",
    "is not a valid template",
    "two rules have the id",
    "unknown type",
    "there is no preset",
    "is given twice",
    "a tab in the indentation",
    "rule `no-wran` has no `message`",  # may override a preset
    "rule `other` has no `message`",
    "rule `no-warn` needs a parser",  # the pattern is in the preset
)

ERRORS = [
    case.partition("----\n")
    for case in Path(__file__).with_name("load_errors.txt").read_text("utf-8").split("====\n")
]  # fmt: skip
SEEN = [
    text
    for text, _, shown in ERRORS
    if not any(part in shown for part in CODE_ONLY) and not shown.startswith("litecode:")  # an error in a preset
]


def accepts(text: str) -> bool:
    node = compose(text.encode(), "f")
    return bool(VALIDATOR.is_valid(None if node is None else plain(node)))


def test_the_shipped_file_is_current() -> None:
    shipped = files("litecode.config.schema").joinpath(generate.FILE_NAME).read_text("utf-8")
    assert shipped == generate.text()
    assert json.loads(shipped) == json.loads(json.dumps(SCHEMA))


def test_the_command_prints_it() -> None:
    out = subprocess.run((sys.executable, "-m", "litecode.config.schema"), check=True, capture_output=True).stdout
    assert out.decode() == generate.text()


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", SEEN)
def test_what_load_refuses_the_schema_refuses(text: str) -> None:
    assert not accepts(text)


def test_most_errors_are_seen_by_the_schema() -> None:
    assert len(SEEN) >= 90
    assert [part for part in CODE_ONLY if not any(part in shown for _, _, shown in ERRORS)] == []


A = "rules:\n- id: a\n  message: M.\n  "
VALID = [
    "",
    "# nothing\n",
    "{}",
    "rules:",
    "rules: []",
    "minimum_litecode_version: '0'",
    "extends: []",
    "extends: [litecode:python-logging]",
    "extends: [litecode:python-logging]\nrules:\n- {id: no-print, severity: off}",
    "extends: [litecode:python-logging]\nrules:\n- {id: no-print, instruction: Use log.}",
    "files: ''\nexclude: ^x",
    A + "regex: x",
    A + "instruction: x",
    A + "instruction: |\n    x\n    y",
    A + "regex: x\n  fix: ''",
    A + "regex: x\n  instruction: y\n  ensure: [z]",
    A + "regex: x\n  severity: off",
    A + "regex: x\n  severity: 'hint'",
    A + "regex: x\n  note: |\n    y",
    A + "regex: x\n  url: https://example.com/",
    A + "regex: x\n  files: ''\n  exclude: y",
    A + "regex: x\n  types: [python]\n  types_or: []\n  exclude_types: [binary]",
    A + "regex: x\n  language: sql\n  fix: y",
    A + "language: python\n  pattern: print($A)",
    A + "language: sh\n  pattern: cd $A\n  fix: cd \"$A\"",
    A + "language: python\n  pattern: {kind: call}",
    A + "language: python\n  pattern: {any: [{pattern: {context: x, selector: y}}, {not: {regex: x}}]}",
    A + "language: python\n  pattern: {has: {kind: x, stopBy: end, field: y}}",
    A + "language: python\n  pattern: {inside: {kind: x, stopBy: {kind: z}}, nthChild: 1}",
    A + "language: python\n  pattern: {nthChild: {position: 2n}, range: {start: {line: 0}}}",
    A + "language: python\n  pattern: {rule: {kind: x}, constraints: {A: {kind: y}}}",
    A + "language: python\n  instruction: x\n  reject: print($A)\n  expect: {kind: x}",
    A + "regex: x\n  instruction: y\n  region: function\n  confidence: low\n  where: file",
    A + "regex: x\n  verify: [[python, -m, pytest]]",
    A + "regex: x\n  verify: []",
    A + "regex: x\n  tests: {valid: [a], invalid: [b, {code: c}, {code: d, fixed: ''}]}",
    A + "regex: x\n  tests: {}",
    A + "regex: x\n  metadata: {a: 1, b: [c, {d: ~}]}",
    A + "regex: yes",
    A + "regex: x\n- {id: b, message: N., instruction: y}",
]  # fmt: skip


@pytest.mark.parametrize("text", VALID)
def test_what_load_accepts_the_schema_accepts(text: str) -> None:
    assert load_rules(text.encode(), "f").path == "f"
    assert accepts(text)


@pytest.mark.parametrize("name", presets.names())
def test_presets_conform(name: str) -> None:
    assert accepts(presets.read(name).decode())


@pytest.mark.parametrize(
    ("table", "properties"),
    [
        (keys.FILE_KEYS, SCHEMA["properties"]),
        (keys.RULE_KEYS, SCHEMA["$defs"]["rule"]["properties"]),  # type: ignore[index]  # JSON
    ],
)
def test_every_key_has_its_explanation(
    table: tuple[Key[object], ...], properties: dict[str, dict[str, object]]
) -> None:
    assert {name: entry["description"] for name, entry in properties.items()} == {key.name: key.doc for key in table}


def test_defaults_are_shown() -> None:
    rule = SCHEMA["$defs"]["rule"]["properties"]  # type: ignore[index]  # JSON
    assert {name: entry["default"] for name, entry in rule.items() if "default" in entry} == {
        "severity": "error",
        "exclude": "^$",
        "types": ["text"],
        "confidence": "high",
        "where": "changed",
    }
