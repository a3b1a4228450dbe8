"""What the model is given, word for word."""

from __future__ import annotations

import pytest

from litecode.core.budget.tokens import Estimator
from litecode.core.executing.prompt import ANSWER, SYSTEM, Form, block, edit_prompt, fence_for
from litecode.core.values import Message

RULE = "Replace print by\n  logger.info."


@pytest.mark.parametrize(
    ("code", "fence"),
    [
        ("x", "```"),
        ("`x` and ``y``", "```"),
        ("```\nx\n```", "````"),
        ("a ````` b ``` c", "``````"),
        ("~~~\nx\n~~~", "```"),
        ("", "```"),
    ],
)
def test_a_fence_is_longer_than_any_in_the_code(code: str, fence: str) -> None:
    assert fence_for(code) == fence
    assert block(code, "python") == f"{fence}python\n{code}\n{fence}"


def test_the_rule_first_and_the_code_alone() -> None:
    assert edit_prompt("print(x)", "python", RULE) == (
        Message("system", f"{SYSTEM} Replace print by logger.info."),
        Message("user", "```python\nprint(x)\n```"),
    )


def test_a_refusal_is_told_as_a_fact() -> None:
    _, user = edit_prompt("print(x)", "python", RULE, note="`x` is lost; keep every value")
    assert user.content == f"```python\nprint(x)\n```\n\nNote that `x` is lost; keep every value. {ANSWER}"


def test_the_rule_last() -> None:
    system, user = edit_prompt("print(x)", None, RULE, form=Form.RULE_LAST)
    assert system.content == SYSTEM
    assert user.content == f"```\nprint(x)\n```\n\nReplace print by logger.info.\n{ANSWER}"
    _, user = edit_prompt("print(x)", None, RULE, form=Form.RULE_LAST, note="it is late")
    assert user.content == f"```\nprint(x)\n```\n\nReplace print by logger.info.\nNote that it is late.\n{ANSWER}"


@pytest.mark.parametrize("form", Form)
def test_examples_are_earlier_turns(form: Form) -> None:
    pairs = (("print(1)", "log(1)"), ("print(2)", "log(2)"))
    messages = edit_prompt("print(x)", "python", RULE, form=form, examples=pairs)
    assert [m.role for m in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [m.content for m in messages[1:5]] == [block(text, "python") for pair in pairs for text in pair]
    assert messages[-1] == edit_prompt("print(x)", "python", RULE, form=form)[-1]


def test_the_constant_part_is_short() -> None:
    assert Estimator(1.0).text(f"{SYSTEM} {ANSWER}") < 120


def test_the_beginning_is_the_same_for_all_regions_of_a_rule() -> None:
    one, other = (edit_prompt(code, "python", RULE, examples=(("a", "b"),)) for code in ("x", "y"))
    assert one[:-1] == other[:-1]
