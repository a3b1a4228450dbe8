"""Ways to make a rule precise: tried on its examples, also on what those are fixed to."""

from __future__ import annotations

from typing import Any

import pytest

from litecode.config.load import load_rules
from litecode.config.rules import Rule
from litecode.core.errors import RuleError
from litecode.core.executing.rules import FileState, compile_rule
from litecode.core.patching.document import Cut, Document
from litecode.core.refining import Noise, lost, noise_of, ways


def rule_of(keys: str) -> Rule:
    return load_rules(f"rules:\n- id: a\n  message: m\n{keys}".encode(), ".litecode.yaml").rules[0]


PATTERN = "  language: python\n  pattern: f($$$A)\n"


@pytest.mark.parametrize(
    ("keys", "noise"),
    [
        (PATTERN + "  tests: {valid: [g(), f(1)], invalid: [f(2), g()]}\n", Noise((2,), (2,))),
        ("  regex: x\n  tests: {valid: [x, a, x], invalid: [x]}\n", Noise((1, 3), ())),
        ('  regex: x\n  tests: {valid: ["x\\0"], invalid: ["x\\0", x]}\n', Noise((), (1,))),
        ("  regex: x\n", Noise((), ())),
    ],
)
def test_noise(keys: str, noise: Noise) -> None:
    assert noise_of(rule_of(keys)) == noise


def test_a_rule_for_the_model_alone_has_no_places() -> None:
    with pytest.raises(RuleError, match="rule a has neither `pattern` nor `regex`") as caught:
        noise_of(rule_of("  instruction: Do it.\n"))
    assert caught.value.where == ".litecode.yaml:2"


def test_each_way_is_a_rule_that_does_what_the_examples_say() -> None:
    found = ways(rule_of(PATTERN + "  tests: {valid: [f(x=1)], invalid: [f(2), {code: f(3), fixed: 'f(x=3)'}]}\n"))
    assert found
    for way in found:
        assert noise_of(way.rule) == Noise((), ())
        assert way.guards == ()
        assert way.keys or way.constraints


def test_what_it_is_fixed_to_must_not_be_found_either() -> None:
    examples = "  tests: {valid: ['f(a, b)'], invalid: [{code: f(a), fixed: 'f(a, timeout=1)'}]}\n"
    for way in ways(rule_of(PATTERN + examples)):
        after = compile_rule(way.rule, "python")
        state = FileState("a.py", Document("f(a, timeout=1)\nf(a)\n"), None)
        assert lost(compile_rule(rule_of(PATTERN), "python"), after, state) == (2, (Cut(0, 15),))


def test_regexes_get_guards() -> None:
    first = ways(rule_of("  regex: TODO\n  tests: {valid: ['TODO(a)'], invalid: [TODO]}\n"))[0]
    assert (first.rule.regex, first.guards) == (r"TODO(?!\()", (r"(?!\()",))


@pytest.mark.parametrize(
    "keys",
    [
        PATTERN + "  tests: {valid: [f(1)], invalid: [f(1)]}\n",
        PATTERN + "  tests: {valid: [g()], invalid: [f(1)]}\n",
        "  regex: x\n  tests: {valid: [x], invalid: [x]}\n",
        "  instruction: Do it.\n  tests: {valid: [x], invalid: [y]}\n",
    ],
)
def test_no_way(keys: str) -> None:
    assert ways(rule_of(keys)) == []


class TestFixesThatAreFoundAgain:
    CD = "  language: bash\n  pattern: cd $DIR\n  fix: cd $DIR || exit 1\n"

    def test_the_constraint_makes_the_fix_usable(self) -> None:
        rule = rule_of(self.CD + '  tests: {valid: ["cd a || exit 1"], invalid: ["cd a", "mkdir b; cd b"]}\n')
        with pytest.raises(RuleError, match="match the fixed code again"):
            compile_rule(rule, "bash")
        found = ways(rule)
        assert found[0].keys == {"not": {"inside": {"kind": "list"}}}
        assert all(compile_rule(way.rule, "bash").rule.fix == rule.fix for way in found)

    def test_no_way_where_nothing_tells_the_fixed_code_apart(self) -> None:
        assert ways(rule_of(PATTERN + "  fix: f($$$A, 1)\n  tests: {valid: [f(a)], invalid: [f(1)]}\n")) == []


@pytest.mark.parametrize(
    ("valid", "invalid", "first"),
    [
        (
            "f(u, timeout=5)",
            "f(u, params=p)",
            {"kind": "keyword_argument", "has": {"field": "name", "regex": "^timeout$"}},
        ),
        ("f(u, timeout=5)", "f(u)", {"kind": "keyword_argument"}),
        ("f(u, 'a')", "f(u)", {"kind": "string"}),
    ],
)
def test_a_named_argument_says_more_than_its_value(valid: str, invalid: str, first: dict[str, Any]) -> None:
    found = ways(rule_of(PATTERN + f'  tests: {{valid: ["{valid}"], invalid: ["{invalid}"]}}\n'))
    assert found[0].keys == {"not": {"has": {**first, "stopBy": "end"}}}
