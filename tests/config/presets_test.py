"""The presets load, and each of their rules keeps what its examples promise, without a model."""

from __future__ import annotations

import time

import pytest

from litecode.config import presets
from litecode.config.load import load_rules
from litecode.config.rules import Rule
from litecode.core.budget.door import Door
from litecode.core.errors import ConfigError
from litecode.core.llm.tape import Tape
from litecode.core.rule_lint import lint
from litecode.core.rule_tests import check_example, examples_of

RULES = [
    pytest.param(rule, id=f"{name}/{rule.id}")
    for name in presets.names()
    for rule in load_rules(presets.read(name), f"litecode:{name}").rules
]


def test_names() -> None:
    assert len(presets.names()) >= 9
    assert list(presets.names()) == sorted(presets.names())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("python-loging", "did you mean `litecode:python-logging`?"),
        ("qqq", f"known are: {', '.join(presets.names())}"),
        ("../presets/python-logging", "did you mean `litecode:python-logging`?"),
        ("__init__", f"known are: {', '.join(presets.names())}"),
    ],
)
def test_an_unknown_preset(name: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        presets.read(name)
    assert (caught.value.message, caught.value.hint) == (f"there is no preset `litecode:{name}`", hint)


def test_all_presets_together() -> None:
    extends = ", ".join(f"litecode:{name}" for name in presets.names())
    loaded = load_rules(f"extends: [{extends}]".encode(), ".litecode.yaml")
    assert [rule.id for rule in loaded.rules] == [param.values[0].id for param in RULES]  # type: ignore[union-attr]  # rules
    assert loaded.warnings == ()


@pytest.mark.parametrize("name", presets.names())
def test_a_preset_has_no_warnings(name: str) -> None:
    assert load_rules(presets.read(name), "f").warnings == ()


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_enough_examples(rule: Rule) -> None:
    assert len(rule.tests.valid) >= 4
    assert len(rule.tests.invalid) >= 4
    assert len(set(rule.tests.valid)) == len(rule.tests.valid)
    assert rule.fix is None or any(example.fixed is not None for example in rule.tests.invalid)


@pytest.mark.parametrize("name", presets.names())
def test_every_example_passes_with_the_recorded_replies(name: str) -> None:
    door = Door(Tape(presets.replies(name)), clock=time.monotonic)
    rules = load_rules(presets.read(name), f"litecode:{name}").rules
    faults = [(rule.id, fault.text) for rule in rules for fault in lint(rule)]
    checked = [(rule.id, check_example(rule, e, lambda: door)) for rule in rules for e in examples_of(rule)]
    assert faults == []
    assert [(rule, one.outcome, one.example, one.reason, one.got) for rule, one in checked if not one.passed] == []
