"""From what a model said to the code that it gave."""

from __future__ import annotations

import pytest

from litecode.core.executing.reply import LONGEST, Unusable, code_of
from litecode.core.values import Reply, Stop

REGION = "print(total, sep=';')"
CODE = "logger.info(total, sep=';')"
TICKS = "```"


def said(text: str, stop: Stop = Stop.END) -> Reply:
    return Reply(text, stop, 10, 10, 0.1)


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{CODE}\n```",
        f"```\n{CODE}\n```\n",
        f"~~~python\n{CODE}\n~~~",
        f"````\n{CODE}\n````",
        f"``` python title=x\n{CODE}\n```",
        f"Sure! Here is the code:\n\n```python\n{CODE}\n```\n\nI replaced `print` with the logger.",
        f"1. Change it:\n\n   ```python\n   {CODE}\n   ```\n",
        f"```python\n\n\n{CODE}   \n\n```",
        f"```python\r\n{CODE}\r\n```\r\n",
        f"```python\r{CODE}\r```",
        f"```python\n{CODE}\n```<|im_end|>\n",
        f"```python\n{CODE}\n```</s>",
        f"<think>First I look at print(total).</think>\n```python\n{CODE}\n```",
        f"<THINKING>```python\nprint(1)\n```</THINKING>```python\n{CODE}\n```",
        f"```python\n{CODE}",  # the end mark of the model took the place of the fence
        CODE,
        f"\n\n{CODE}\n\n",
        f"{CODE}<|endoftext|>",
        f"Install it:\n```sh\npip install logger\n```\nThen:\n```python\n{CODE}\n```",
        f"Before:\n```python\n{REGION}\n```\nAfter:\n```python\n{CODE}\n```",
        f"```python\n{CODE}\n```\nThis was:\n```python\n{REGION}\n```",
    ],
)
def test_the_code_is_found(text: str) -> None:
    assert code_of(said(text), REGION) == CODE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        (" \n\t\n", "the reply is empty"),
        ("<|im_end|>", "the reply is empty"),
        ("<think>I will never come to an end", "the reply is empty"),
        ("I cannot help with that.", "the reply has no code block"),
        ("The code conforms already.", "the reply has no code block"),
        ("```print(total)```", "the reply has no code block"),
        (f"Use ```{CODE}``` instead of {REGION}", "the reply has no code block"),
        ('{"tool": "edit", "path": "a.py"}', "the reply has no code block"),
        ("x" * (LONGEST + 1), f"the reply has {LONGEST + 1} characters"),
        (f"```python\n{CODE}  # \ud83d\n```", "the reply is not valid Unicode"),
    ],
)
def test_what_has_no_code_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Unusable) as caught:
        code_of(said(text), REGION)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (Stop.LENGTH, "the reply was cut off"),
        (Stop.ERROR, "the reply did not end cleanly"),
        (Stop.UNKNOWN, "the reply did not end cleanly"),
    ],
)
def test_only_a_clean_stop_counts(stop: Stop, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        code_of(said(f"```python\n{CODE}\n```", stop), REGION)


@pytest.mark.parametrize(
    "region",
    [
        f"text = '''\n{TICKS}sh\nls\n{TICKS}\n'''",
        f"text = '''\n{TICKS}\nls\n{TICKS}\n'''",
        "text = '''\n~~~\nls\n~~~\n'''",
    ],
)
def test_a_longer_fence_holds_code_with_fences_in_it(region: str) -> None:
    assert code_of(said(f"````python\n{region}\n````"), region) == region


def test_the_unchanged_region_is_an_answer_when_there_is_no_other() -> None:
    text = f"It conforms:\n```python\n{REGION}\n```\nRun it with:\n```sh\npython app.py\n```"
    assert code_of(said(text), REGION) == REGION


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("```\n    if x:\n        y()\n```", "    if x:\n        y()"),  # the margin is for `repair` to take away
        ("  ```\n  if x:\n      y()\n  ```", "if x:\n    y()"),
        ("  ```\n  if x:\n\n      y()\n  ```", "if x:\n\n    y()"),
        ("  ```\nif x:\n    y()\n  ```", "if x:\n    y()"),
        ("```\n```", ""),
    ],
)
def test_the_indentation_of_a_fence_goes_and_that_of_the_code_stays(text: str, want: str) -> None:
    assert code_of(said(text), "if x:\n    y()") == want
