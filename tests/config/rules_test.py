"""The digest of a rule changes with what the rule does, and with nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from litecode.config.rules import AstPattern, Confidence, Invalid, RegionKind, Rule, RuleTests, Where
from litecode.config.select import Filter
from litecode.core.values import Severity

RULE = Rule(
    id="no-print",
    message="Use the logger.",
    language="python",
    filter=Filter(types_or=("python", "pyi")),
    pattern=AstPattern({"pattern": "print($$$A)", "not": {"kind": "x"}}, {"A": {"kind": "string"}}),
    instruction="Use logger.info().",
)


def test_the_digest_stays_the_same_from_release_to_release() -> None:
    assert RULE.digest == "5a740f9a62f4920773d546314ef75299cf07cacb466183d31bd2018db79277e9"


def test_the_order_of_keys_does_not_matter() -> None:
    turned = AstPattern({"not": {"kind": "x"}, "pattern": "print($$$A)"}, {"A": {"kind": "string"}})
    assert replace(RULE, pattern=turned).digest == RULE.digest


@pytest.mark.parametrize(
    "fields",
    [
        {"message": "Other."},
        {"note": "Why."},
        {"url": "https://example.com"},
        {"severity": Severity.WARNING},
        {"severity": Severity.OFF},
        {"tests": RuleTests(("a",), (Invalid("b"),))},
        {"metadata": {"a": 1}},
        {"line": 7},
        {"source": "litecode:x"},
    ],
    ids=str,
)
def test_what_only_explains_is_not_in_the_digest(fields: dict[str, Any]) -> None:
    assert replace(RULE, **fields).digest == RULE.digest


CHANGES: list[dict[str, Any]] = [
    {"id": "no-prints"},
    {"language": "ruby"},
    {"filter": Filter()},
    {"filter": RULE.filter._replace(files="^src/")},
    {"filter": RULE.filter._replace(exclude="^src/")},
    {"filter": RULE.filter._replace(exclude_types=("pyi",))},
    {"pattern": None},
    {"pattern": AstPattern({"pattern": "print($$$A)"})},
    {"pattern": AstPattern({"pattern": "print($$$A)"}, {"A": {"kind": "string"}})},
    {"pattern": None, "regex": "print"},
    {"fix": ""},
    {"fix": "x", "instruction": None},
    {"instruction": "Use logger.info()"},
    {"ensure": ("import logging",)},
    {"region": RegionKind.STATEMENT},
    {"confidence": Confidence.LOW},
    {"reject": AstPattern({"pattern": "x"})},
    {"expect": AstPattern({"pattern": "x"})},
    {"where": Where.FILE},
    {"verify": (("make",),)},
]


def test_what_the_rule_does_is_in_the_digest() -> None:
    digests = [replace(RULE, **fields).digest for fields in CHANGES]
    assert len({RULE.digest, *digests}) == len(CHANGES) + 1
    assert all(len(digest) == 64 for digest in digests)


def test_rules_can_be_keys() -> None:
    assert {RULE: 1}[replace(RULE)] == 1
    assert {RULE: 1}.get(replace(RULE, fix="x")) is None
