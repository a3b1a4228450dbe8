"""One rule changes in the text of a rules file, and not a byte besides."""

from __future__ import annotations

from typing import Any

import pytest

from litecode.config.edit import with_pattern, with_regex
from litecode.config.load import load_rules
from litecode.config.rules import AstPattern
from litecode.core.errors import ConfigError
from litecode.core.patching.refine import Narrowing, narrowed

HEAD = "# mine\nrules:\n- id: other\n  message: m  # first\n  regex: 'x'\n- id: a\n  message: m\n  language: python\n"
TAIL = "  severity: warning  # last\n\n# the end\n"
NOT = {"not": {"has": {"kind": "string"}}}
L = {"L": {"regex": "^log$"}}


def edited(text: str, keys: dict[str, Any], constraints: dict[str, Any]) -> str:
    rule = next(one for one in load_rules(text.encode(), "f").rules if one.id == "a")
    assert rule.pattern is not None
    want = AstPattern(*narrowed(rule.pattern.rule, rule.pattern.constraints, Narrowing(keys, constraints)))
    return with_pattern(text, "a", keys, constraints, want)


@pytest.mark.parametrize(
    ("before", "keys", "constraints", "after"),
    [
        (
            "  pattern: f($A)  # why\n",
            NOT,
            {},
            "  pattern:\n    pattern: f($A)  # why\n    not: {has: {kind: string}}\n",
        ),
        ("  pattern: 'f($A)'\n", NOT, {}, "  pattern:\n    pattern: 'f($A)'\n    not: {has: {kind: string}}\n"),
        (
            "  pattern: |\n    f(\n      $A)\n",
            NOT,
            {},
            "  pattern:\n    pattern: |\n      f(\n        $A)\n    not: {has: {kind: string}}\n",
        ),
        (
            "  pattern: $L.f()\n",
            {},
            L,
            "  pattern:\n    rule:\n      pattern: $L.f()\n    constraints:\n      L: {regex: ^log$}\n",
        ),
        (
            "  pattern:\n    pattern: f($A)  # why\n",
            NOT,
            {},
            "  pattern:\n    pattern: f($A)  # why\n    not: {has: {kind: string}}\n",
        ),
        ("  pattern: {pattern: f($A)}\n", NOT, {}, "  pattern: {pattern: f($A), not: {has: {kind: string}}}\n"),
        ("  pattern: {pattern: f($A), }\n", NOT, {}, "  pattern: {pattern: f($A),not: {has: {kind: string}}}\n"),
        (
            "  pattern:\n    kind: call\n    not: {regex: x}\n",
            NOT,
            {},
            "  pattern:\n    kind: call\n    not: {regex: x}\n    all: [{not: {has: {kind: string}}}]\n",
        ),
        (
            "  pattern:\n    not: {regex: x}\n    all:\n    - kind: call\n    # so\n",
            NOT,
            {},
            "  pattern:\n    not: {regex: x}\n    all:\n    - kind: call\n    - {not: {has: {kind: string}}}\n"
            "    # so\n",
        ),
        (
            "  pattern: {not: {regex: x}, all: [{kind: call}]}\n",
            NOT,
            {},
            "  pattern: {not: {regex: x}, all: [{kind: call}, {not: {has: {kind: string}}}]}\n",
        ),
        (
            "  pattern:\n    rule: {pattern: $L.f()}\n    constraints:\n      M: {kind: identifier}\n",
            NOT,
            L,
            "  pattern:\n    rule: {pattern: $L.f(), not: {has: {kind: string}}}\n    constraints:\n"
            "      M: {kind: identifier}\n      L: {regex: ^log$}\n",
        ),
        (
            "  pattern:\n    rule: {pattern: $L.f()}\n",
            {},
            L,
            "  pattern:\n    rule: {pattern: $L.f()}\n    constraints: {L: {regex: ^log$}}\n",
        ),
        (
            "  pattern:\n    rule: {pattern: $L.f()}\n    constraints: {L: {kind: identifier}}\n",
            {},
            L,
            "  pattern:\n    rule: {pattern: $L.f()}\n"
            "    constraints: {L: {all: [{kind: identifier}, {regex: ^log$}]}}\n",
        ),
        (
            "  pattern:\n    # the call\n    pattern: $L.f()\n    kind: call\n",
            {},
            L,
            "  pattern:\n    # the call\n    rule:\n      pattern: $L.f()\n      kind: call\n"
            "    constraints: {L: {regex: ^log$}}\n",
        ),
        (
            "  pattern: {pattern: $L.f()}\n",
            {},
            L,
            "  pattern: {rule: {pattern: $L.f()}, constraints: {L: {regex: ^log$}}}\n",
        ),
        (
            "  pattern: f()\n",
            {"not": {"inside": {"kind": "k" * 60, "has": {"regex": "r" * 40}}}},
            {},
            f"  pattern:\n    pattern: f()\n    not:\n      inside:\n        kind: {'k' * 60}\n        has:\n"
            f"          regex: {'r' * 40}\n",
        ),
    ],
)
def test_patterns(before: str, keys: dict[str, Any], constraints: dict[str, Any], after: str) -> None:
    assert edited(HEAD + before + TAIL, keys, constraints) == HEAD + after + TAIL


@pytest.mark.parametrize(
    ("before", "keys", "constraints", "after"),
    [
        ("pattern: f($A)", NOT, {}, "pattern: {pattern: f($A), not: {has: {kind: string}}}"),
        ("pattern: $L.f()", {}, L, "pattern: {rule: {pattern: $L.f()}, constraints: {L: {regex: ^log$}}}"),
    ],
)
def test_a_rule_on_one_line(before: str, keys: dict[str, Any], constraints: dict[str, Any], after: str) -> None:
    text = "rules: [{id: a, message: m, language: python, PATTERN, severity: error}]"
    assert edited(text.replace("PATTERN", before), keys, constraints) == text.replace("PATTERN", after)


def test_the_end_of_a_file_without_a_line_end() -> None:
    assert edited(HEAD + "  pattern: f()", NOT, {}) == HEAD + (
        "  pattern:\n    pattern: f()\n    not: {has: {kind: string}}"
    )


def test_a_rule_of_a_preset_gets_the_whole_pattern() -> None:
    text = "extends: [litecode:python-logging]\nrules:\n- id: no-print\n  severity: error\n"
    want = AstPattern({"pattern": "print($$$A)", **NOT})
    assert with_pattern(text, "no-print", NOT, {}, want) == (
        text + "  pattern: {pattern: print($$$A), not: {has: {kind: string}}}\n"
    )
    want = AstPattern({"pattern": "$L.f()"}, L)
    assert with_pattern(text, "no-print", {}, L, want).endswith(
        "  pattern: {rule: {pattern: $L.f()}, constraints: {L: {regex: ^log$}}}\n"
    )
    assert with_regex(text, "no-print", "a'b").endswith("  regex: 'a''b'\n")


@pytest.mark.parametrize("before", ["x", "'x'", '"x"', "|-\n    x"])
def test_regexes(before: str) -> None:
    text = f"rules:\n- id: a\n  message: m\n  regex: {before}  # why\n  fix: y\n"
    if "|" in before:
        text = text.replace("  # why", "")
    comment = "  # why" if "# why" in text else ""
    assert with_regex(text, "a", r"x(?!'\w)") == (
        f"rules:\n- id: a\n  message: m\n  regex: 'x(?!''\\w)'{comment}\n  fix: y\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extends: [litecode:python-logging]\n", "no entry for the rule a, which comes from a preset"),
        ("rules: []\n", "no entry for the rule a, which comes from a preset"),
        ("- a\n", "no entry for the rule a, which comes from a preset"),
        (
            "rules:\n- {id: b, message: m, language: python, pattern: &p {pattern: f()}}\n"
            "- {id: a, message: m, language: python, pattern: *p}\n",
            "the pattern cannot be changed where it stands",
        ),
        (
            "rules:\n- id: a\n  message: m\n  language: python\n  pattern:\n    rule: {pattern: $L.f()}\n"
            "    constraints:\n      L:\n        kind: identifier\n",
            "the constraint that is there is not on one line",
        ),
    ],
)
def test_what_cannot_be_changed_alone(text: str, message: str) -> None:
    want = AstPattern({"pattern": "f()", **NOT})
    with pytest.raises(ConfigError, match=message):
        edited(text, {}, L) if "constraints" in text else with_pattern(text, "a", NOT, {}, want)
