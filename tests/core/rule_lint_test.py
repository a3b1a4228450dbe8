from __future__ import annotations

import pytest

from litecode.config.load import load_rules
from litecode.core.budget.tokens import Estimator
from litecode.core.rule_lint import lint

TESTS = "\ntests: {valid: [a], invalid: [b]}"


def faults(keys: str, language: str = "python") -> list[str]:
    lines = "".join(f"  {line}\n" for line in keys.split("\n"))
    text = f"rules:\n- id: the-rule\n  message: Do it.\n  language: {language}\n{lines}"
    return [fault.text for fault in lint(load_rules(text.encode(), ".litecode.yaml").rules[0], Estimator(1.0))]


@pytest.mark.parametrize(
    "keys",
    [
        "pattern: f($$$A)" + TESTS,
        "pattern: f($$$A)\nfix: g($$$A)" + TESTS,
        "pattern: f($$$A)\nfix: ''" + TESTS,
        "regex: f\\((.*)\\)\nfix: '((\\1'" + TESTS,
        "pattern: f($$$A)\ninstruction: Call g.\nensure: [import g]" + TESTS,
        "pattern: f($$$A)\nfix: g($$$A)\ntests: {valid: [a], invalid: [{code: f(1), fixed: g(1)}]}",
        # A candidate may stay, so that it is still there says nothing.
        "pattern: $F(1)\ninstruction: Call g.\nconfidence: low\n"
        "tests: {valid: [a], invalid: [{code: f(1), fixed: g(1)}]}",
    ],
)
def test_rules_without_a_fault(keys: str) -> None:
    assert faults(keys) == []


def test_a_language_without_a_parser() -> None:
    assert faults("regex: x\nfix: y\nensure: ['(']" + TESTS, "toml") == []


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("pattern: f(" + TESTS, "`pattern` does not parse as python: f("),
        ("pattern: f($A)\nfix: g($B)" + TESTS, "the fix uses $B, which the pattern does not have"),
        ("pattern: f($A)\nfix: g(($A)" + TESTS, "`fix` does not parse as python: g(($A)"),
        ("pattern: f($A)\nfix: g($A)\nensure: [import (]" + TESTS, "`ensure` does not parse as python: import ("),
        ("pattern: f($A)\ntests: {valid: [a]}", "it has no invalid examples"),
        ("pattern: f($A)\ntests: {invalid: [f(1)]}", "it has no valid examples"),
        ("pattern: f($A)", "it has no valid and invalid examples"),
        ("pattern: f($A)\ntests: {valid: [f(1)], invalid: [f(1)]}", "an example is both valid and invalid: f(1)"),
        (
            "pattern: f($A)\nfix: g($A)\ntests: {valid: [a], invalid: [f(0), {code: f(1), fixed: f(2)}]}",
            "it finds something in the `fixed` text of invalid 2",
        ),
    ],
)
def test_faults(keys: str, text: str) -> None:
    assert faults(keys) == [text]


def test_what_is_no_text_is_found_nowhere() -> None:
    keys = 'pattern: f($A)\nfix: g($A)\ntests: {valid: [a], invalid: [{code: f(1), fixed: "f(2)\\0"}]}'
    assert faults(keys) == []


@pytest.mark.parametrize(("words", "count"), [(600, 0), (1200, 1)])
def test_an_instruction_has_its_budget(words: int, count: int) -> None:
    found = faults(f"pattern: f($A)\ninstruction: Use g{' and h' * (words // 2)}." + TESTS)
    assert len(found) == count
    assert all(text.startswith("the instruction is too long: the prompt has about 1,") for text in found)


@pytest.mark.parametrize(
    ("keys", "notes"),
    [
        ("pattern: print($X)", ["it overrides pattern of the rule in litecode:python-logging"]),
        (
            "message: M\n  instruction: Do.",
            ["it overrides message, instruction of the rule in litecode:python-logging"],
        ),
        ("severity: 'off'", []),
        ("files: ^src/\n  message: M", []),
    ],
)
def test_a_rule_that_has_by_chance_the_id_of_a_preset_s(keys: str, notes: list[str]) -> None:
    text = f"extends: [litecode:python-logging]\nrules:\n- id: no-print\n  {keys}\n"
    rule = next(r for r in load_rules(text.encode(), ".litecode.yaml").rules if r.id == "no-print")
    found = [fault for fault in lint(rule, Estimator(1.0)) if "overrides" in fault.text]
    assert [fault.text.partition(", and has")[0] for fault in found] == notes
    assert all(fault.note for fault in found)
