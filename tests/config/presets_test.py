"""The presets load, and each of their rules keeps what its examples promise, by ast-grep itself."""

from __future__ import annotations

import re
import time

import pytest
from ast_grep_py import Config, SgNode, SgRoot

from litecode.config import languages, presets
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
    assert {"javascript-modern", "python-datetime", "python-logging"} <= set(presets.names())
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
    assert rule.fix is None or any(example.fixed is not None for example in rule.tests.invalid)


@pytest.mark.parametrize("rule", RULES)
def test_conforming_code_is_left_alone(rule: Rule) -> None:
    assert {code: [node.text() for node in _matches(rule, code)] for code in rule.tests.valid} == {
        code: [] for code in rule.tests.valid
    }


@pytest.mark.parametrize("rule", RULES)
def test_violations_are_found_and_fixed(rule: Rule) -> None:
    for example in rule.tests.invalid:
        assert len(_matches(rule, example.code)) == 1, example.code
        if rule.fix is not None:
            fixed = _fixed(rule, rule.fix, example.code)
            assert _matches(rule, fixed) == [], fixed
            assert example.fixed in (None, fixed)


@pytest.mark.parametrize("name", presets.names())
def test_every_example_passes_with_the_recorded_replies(name: str) -> None:
    door = Door(Tape(presets.replies(name)), clock=time.monotonic)
    rules = load_rules(presets.read(name), f"litecode:{name}").rules
    faults = [(rule.id, fault.text) for rule in rules for fault in lint(rule)]
    checked = [(rule.id, check_example(rule, e, lambda: door)) for rule in rules for e in examples_of(rule)]
    assert faults == []
    assert [(rule, one.outcome, one.example, one.reason, one.got) for rule, one in checked if not one.passed] == []


@pytest.mark.parametrize("rule", RULES)
def test_fixed_examples_have_the_lines_of_ensure_already(rule: Rule) -> None:
    for example in rule.tests.invalid:
        if example.fixed is not None:
            names = {line.rpartition(" ")[2] if "import" in line else line for line in rule.ensure}
            assert {name for name in names if name not in example.code} == set()


def _matches(rule: Rule, code: str) -> list[SgNode]:
    assert rule.pattern is not None
    language = languages.find(rule.language)
    assert language is not None
    config: Config = {"rule": dict(rule.pattern.rule)}  # type: ignore[typeddict-item]  # checked by ast-grep
    if rule.pattern.constraints:
        config["constraints"] = dict(rule.pattern.constraints)  # type: ignore[arg-type]  # checked by ast-grep
    return SgRoot(code, str(language.parser)).root().find_all(config)


def _fixed(rule: Rule, fix: str, code: str) -> str:
    """The code with its only match replaced by the template, as ast-grep fills it."""
    (node,) = _matches(rule, code)

    def fill(variable: re.Match[str]) -> str:
        if not variable[1]:
            return node[variable[2]].text()
        nodes = node.get_multiple_matches(variable[2])
        return code[nodes[0].range().start.index : nodes[-1].range().end.index] if nodes else ""

    new = re.sub(r"\$(\$\$)?([A-Z_]+)", fill, fix)
    return code[: node.range().start.index] + new + code[node.range().end.index :]
