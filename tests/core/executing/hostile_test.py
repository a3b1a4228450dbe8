"""What a model may answer at its worst: every reply is either brought back to the right change or refused.

Each reply is given to every try. `right` is the only text that may come out as a change.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from litecode.config.rules import AstPattern, RegionKind, Rule
from litecode.core.budget.fit import can_fit, refusal, reserve_for
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import ModelTooLarge
from litecode.core.executing.executor import Job, Result, Steps
from litecode.core.executing.rules import Applied, FileState, apply_rule, compile_rule
from litecode.core.patching.document import Document
from litecode.core.values import Prompt, Proof, Reply, Stop

BEFORE = (
    "import logging\r\nlogger = logging.getLogger(__name__)\r\n\r\n\r\ndef f(a, b):\r\n"
    "    print(\r\n        a,  # the first\r\n        b,\r\n    )\r\n    return a"
)
RIGHT = BEFORE.replace("print(\r\n        a,", 'logger.info("%s %s",\r\n        a,')
CODE = 'logger.info("%s %s",\n    a,  # the first\n    b,\n)'
RULE = Rule(
    "no-print",
    "Use the logger.",
    language="python",
    pattern=AstPattern({"pattern": "print($$$A)"}),
    instruction="Replace print() by logger.info() with %s placeholders (no f-string).",
)
SAID = f"```python\n{CODE}\n```"

REPAIRED = {
    "plain": SAID,
    "prose around": f"Sure! Here it is:\n\n{SAID}\n\nI hope this helps.",
    "no fence": CODE,
    "other fence": f"~~~~\n{CODE}\n~~~~",
    "unclosed fence": f"```python\n{CODE}\n",
    "reasoning": f"<think>print is bad, so I write ```x```</think>\n{SAID}",
    "chat token at the end": f"{SAID}<|im_end|>",
    "CRLF": SAID.replace("\n", "\r\n"),
    "indented": "```python\n" + "\n".join("    " + line for line in CODE.split("\n")) + "\n```",
    "an import above": f"```python\nimport logging\n\n{CODE}\n```",
    "the whole function, once the region is that large": f"```python\ndef f(a, b):\n    {CODE}\n    return a\n```",
}
REFUSED = {
    "empty": "",
    "blank block": "```python\n\n```",
    "unchanged": "```python\nprint(\n    a,  # the first\n    b,\n)\n```",
    "half": '```python\nlogger.info("%s %s",\n    a,  # the first\n```',
    "elision": '```python\nlogger.info("%s", a)  # the first\n# ... rest of the code\n```',
    "lost comment and value": '```python\nlogger.info("%s", a)\n```',
    "chat token inside": SAID.replace("%s %s", "%s <|im_start|> %s"),
    "f-string": '```python\nlogger.info(f"{a} {b}")  # the first\n```',
    "too few values": SAID.replace("    b,\n", ""),
    "another function": "```python\ndef g(x):\n    return x\n```",
    "a header that nobody asked for": f"```python\nlogger = logging.getLogger('x')\n{CODE}\n```",
    "a question": "Which logger do you mean? Please copy the code.",
    "unasked code": f"```python\n{CODE}\nos.system('x')\n```",
    "10 MB": "```python\n" + "x = 1\n" * 1_700_000 + "```",
}


def drive(answer: Callable[[Prompt], Reply]) -> Callable[[Job, Callable[[Job], Steps]], Result]:
    def run(job: Job, steps: Callable[[Job], Steps]) -> Result:
        generator = steps(job)
        try:
            prompt = next(generator)
            while True:
                try:
                    reply = answer(prompt)
                except ModelTooLarge as err:
                    prompt = generator.throw(err)
                else:
                    prompt = generator.send(reply)
        except StopIteration as end:
            result: Result = end.value
            return result

    return run


def applied(before: str, reply: str, stop: Stop = Stop.END, rule: Rule = RULE) -> Applied:
    state = FileState("f.py", Document.decode(before.encode()), None)
    return apply_rule(
        compile_rule(rule, "python"), state, drive(lambda _: Reply(reply, stop, 1, 1, 0.0)), lambda _: 100
    )


@pytest.mark.parametrize("name", REPAIRED)
def test_wrapping_is_taken_off(name: str) -> None:
    result = applied(BEFORE, REPAIRED[name])
    assert (result.proof, result.reason) == (Proof.PROVEN, "")
    got = result.state.document.encode(result.state.document.text).decode()
    assert "".join(got.split()) == "".join(RIGHT.split())
    assert got.count("\r\n") == got.count("\n")
    assert not got.endswith("\n")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_changes_nothing(name: str) -> None:
    started = time.monotonic()
    result = applied(BEFORE, REFUSED[name])
    assert result.proof is Proof.REFUSED
    assert result.reason
    assert result.state.document.text == Document.decode(BEFORE.encode()).text
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("stop", [Stop.LENGTH, Stop.ERROR, Stop.UNKNOWN])
def test_a_reply_that_did_not_end_is_not_looked_at(stop: Stop) -> None:
    result = applied(BEFORE, SAID, stop)
    assert result.proof is Proof.REFUSED
    assert not result.changed


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("\n".join(f"    x{n} = [{n:08d}, {n * 7:09d}, {n * 13:09d}]" for n in range(600)), RegionKind.FUNCTION),
        ("    print(\n" + "\n".join("        " + "1234567890, " * 6 for _ in range(2000)) + "\n    )", None),
    ],
    ids=["a function of 600 lines", "2,000 lines of digits"],
)
def test_what_does_not_fit_is_refused_with_the_numbers(body: str, kind: RegionKind | None) -> None:
    """Nothing is sent that is larger than the window, and nothing of it is cut."""
    text = f"def f(a):\n    print(a)\n{body}\n"
    rule = Rule(**{f: getattr(RULE, f) for f in RULE.__dataclass_fields__} | {"region": kind})
    estimator = Estimator(1.02)
    sent: list[int] = []

    def answer(prompt: Prompt) -> Reply:
        fit = can_fit(prompt.messages, 8192, prompt.reserve, estimator)
        if not fit.fits:
            raise refusal(fit)
        sent.append(fit.needed)
        return Reply('```python\nlogger.info("%s", a)\n```', Stop.END, 1, 1, 0.0)

    state = FileState("f.py", Document.decode(text.encode()), None)
    result = apply_rule(
        compile_rule(rule, "python"), state, drive(answer), lambda t: reserve_for(estimator.content([t]))
    )
    assert result.proof is Proof.REFUSED
    assert "of 8,192 tokens" in " ".join(r.reason for r in result.results)
    assert all(needed <= 8192 for needed in sent)
    assert not result.changed
