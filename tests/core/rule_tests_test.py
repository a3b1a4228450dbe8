"""The examples of rules: what passes, what is noisy, missing, wrong or not recorded."""

from __future__ import annotations

import re
import time
from functools import partial

import pytest

from litecode.config.load import load_rules
from litecode.config.rules import Rule
from litecode.core.budget.door import Door
from litecode.core.errors import ModelUnrecorded
from litecode.core.rule_tests import Checked, Example, Side, check_example, examples_of
from litecode.core.values import Message, Prompt, Reply, Stop

FIX = "pattern: $A == None\nfix: $A is None"
PRINT = "pattern: print($$$A)\ninstruction: Replace print by repr."
LOW = PRINT + "\nconfidence: low"
REPORT = "pattern: eval($$$A)"


def rule_of(keys: str, language: str = "python") -> Rule:
    lines = "".join(f"  {line}\n" for line in keys.split("\n"))
    text = f"rules:\n- id: the-rule\n  message: Do it.\n  language: {language}\n{lines}"
    return load_rules(text.encode(), ".litecode.yaml").rules[0]


class Port:
    """Answers with the code in the prompt after replacing text in it; has no reply to code with `unknown` in it."""

    name = "scripted"
    digest = "d"
    slots = 1

    def __init__(self, old: str = "print(", new: str = "repr(", window: int = 8192) -> None:
        self.change = old, new
        self.window = window
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        found = re.findall(r"^```\w*\n(.*?)\n```$", prompt.messages[-1].content, re.DOTALL | re.MULTILINE)
        if "unknown" in found[-1]:
            raise ModelUnrecorded("no reply")
        return Reply(f"```\n{found[-1].replace(*self.change)}\n```", Stop.END, 10, 10, 0.0)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        return None if messages else 0

    def close(self) -> None: ...


def check(rule: Rule, side: str, code: str, fixed: str | None = None, port: Port | None = None) -> Checked:
    opened = Door(port or Port(), clock=time.monotonic)
    return check_example(rule, Example(Side(side), 1, code, fixed), lambda: opened)


@pytest.mark.parametrize(
    ("keys", "side", "code", "fixed", "outcome", "reason"),
    [
        (FIX, "valid", "x is None", None, "passed", ""),
        (FIX, "valid", "a\nx == None", None, "noisy", "the rule finds `x == None` in line 2"),
        (FIX, "invalid", "x == None", None, "passed", ""),
        (FIX, "invalid", "x == None", "x is None", "passed", ""),
        (FIX, "invalid", "x == None\n", "x is None", "passed", ""),
        (FIX, "invalid", "x == None", "x is not None", "wrong", "fixed in another way than the example says"),
        (FIX, "invalid", "x is None", None, "missing", "the rule finds nothing"),
        (FIX, "invalid", "# litecode-ignore: the-rule\nx == None", None, "missing", "the rule finds nothing"),
        (FIX, "invalid", "x\0 == None", None, "wrong", "it cannot be read: binary"),
        (REPORT, "valid", "evaluate(x)", None, "passed", ""),
        (REPORT, "valid", "eval(\n  x)", None, "noisy", "the rule finds `eval(…` in line 1"),
        (REPORT, "invalid", "eval(x)", None, "passed", ""),
        (
            REPORT,
            "invalid",
            "eval(x)",
            "f(x)",
            "wrong",
            "the rule has neither `fix` nor `instruction`, so nothing is fixed",
        ),
        (PRINT, "valid", "len(1)", None, "passed", ""),
        (PRINT, "valid", "print(1)", None, "noisy", "the rule finds `print(1)` in line 1"),
        (PRINT, "invalid", "print(x)", "repr(x)", "passed", ""),
        (PRINT, "invalid", "print(x)", "repr(y)", "wrong", "fixed in another way than the example says"),
        (PRINT, "invalid", "print(unknown)", None, "unrecorded", "no reply"),
        (LOW, "valid", "print(unknown)", None, "unrecorded", "no reply"),
        (LOW, "valid", "print(x)", None, "noisy", "the rule changes it"),
        (LOW, "valid", "len(x)", None, "passed", ""),
    ],
)
def test_outcomes(keys: str, side: str, code: str, fixed: str | None, outcome: str, reason: str) -> None:
    checked = check(rule_of(keys), side, code, fixed)
    assert (checked.outcome.value, checked.reason) == (outcome, reason)
    assert checked.passed is (outcome == "passed")


@pytest.mark.parametrize(
    ("keys", "port", "code", "outcome", "reason"),
    [
        (PRINT, Port("print(", "print("), "print(x)", "wrong", "rejected: the code must change: `print(x)`"),
        (LOW, Port("print(", "print("), "print(x)", "wrong", "it stays as it is"),
        (LOW, Port(), "print(x)", "passed", "held: "),
        (PRINT, Port(window=300), f"print({'x' * 3000})", "wrong", "rejected: the request does not fit"),
    ],
)
def test_what_the_model_leaves(keys: str, port: Port, code: str, outcome: str, reason: str) -> None:
    checked = check(rule_of(keys), "invalid", code, port=port)
    assert checked.outcome.value == outcome
    assert checked.reason.startswith(reason)


def test_candidates_that_stay_are_no_noise() -> None:
    assert check(rule_of(LOW), "valid", "print(x)", port=Port("print(", "print(")).passed


@pytest.mark.parametrize(("keys", "code"), [(PRINT, "print(x)"), (LOW, "print(unknown)")])
def test_without_a_model_only_what_is_found_is_checked(keys: str, code: str) -> None:
    rule = rule_of(keys)
    assert check_example(rule, Example(Side.INVALID, 1, code, "never compared"), None).passed
    assert check_example(rule, Example(Side.INVALID, 1, "len(x)"), None).outcome.value == "missing"


def test_a_fix_needs_no_model() -> None:
    fixed = check_example(rule_of(FIX), Example(Side.INVALID, 1, "x == None", "x is None"), None)
    assert (fixed.passed, fixed.got) == (True, "x is None")


def test_a_regex_whose_fix_is_found_again() -> None:
    checked = check(rule_of("regex: 'TODO'\nfix: 'TODO(me)'"), "invalid", "# TODO")
    assert (checked.outcome.value, checked.got) == ("wrong", "# TODO(me)")
    assert checked.reason == "the rule finds it again after the fix"


def test_nobody_is_tested_with_the_answer_before_them() -> None:
    tests = "\ntests: {invalid: [{code: print(a), fixed: repr(a)}, {code: print(b), fixed: repr(b)}]}"
    rule = rule_of(PRINT + tests)
    first, second = examples_of(rule)
    for example, other in ((first, "print(b)"), (second, "print(a)")):
        port = Port()
        assert check_example(rule, example, partial(Door, port, clock=time.monotonic)).passed
        shown = " ".join(message.content for message in port.prompts[0].messages[:-1])
        assert other in shown
        assert example.code not in shown


def test_examples_are_counted_in_their_list() -> None:
    rule = rule_of(FIX + "\ntests: {valid: [a, b], invalid: [c, {code: d, fixed: ''}]}")
    assert [(e.side.value, e.number, e.code, e.fixed) for e in examples_of(rule)] == [
        ("valid", 1, "a", None),
        ("valid", 2, "b", None),
        ("invalid", 1, "c", None),
        ("invalid", 2, "d", ""),
    ]
