"""What is asked for one region, what is done with each reply, and when it ends."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from litecode.core.errors import ModelBusy, ModelTooLarge
from litecode.core.executing.executor import Job, Result, first_prompt, rewrite_region
from litecode.core.executing.prompt import ANSWER, Form, edit_prompt
from litecode.core.patching.document import Document
from litecode.core.patching.gates.base import Asked
from litecode.core.patching.match import ast_matcher, regex_matcher
from litecode.core.patching.regions import Area, regions_of
from litecode.core.patching.vocabulary import vocabulary
from litecode.core.values import Prompt, Proof, Reply, Sampling, Stop

PRINT = "Replace print by logger.info, with %s placeholders instead of an f-string."
GET = "Give the call a timeout of 10 seconds: timeout=10."
ENSURE = ("import logging", "logger = logging.getLogger(__name__)")
EXAMPLES = (('print(f"a {b}")', 'logger.info("a %s", b)'),)
TOO_LARGE = ModelTooLarge("9,000 of 8,192 tokens")

RIGHT = 'logger.info("total %s", x)'
WRONG = 'logger.info("sum %s", x)'
SOURCE = 'def f(x):\n    print(f"total {x}")\n    return x\n'
REGION = 'print(f"total {x}")'


def job(text: str = SOURCE, instruction: str = PRINT, **more: Any) -> Job:
    """A job on the first region of a text. `pattern` None is a rule without one; `regex` goes without a grammar."""
    language = None if "regex" in more else "python"

    def matcher(name: str) -> Any:
        pattern = more.get(name)
        return ast_matcher({"pattern": pattern}, {}, "python") if pattern else None

    more.setdefault("pattern", None if "regex" in more else "print($$$A)")
    found: Any = regex_matcher(more["regex"]) if "regex" in more else matcher("pattern")
    document = Document.decode(text.encode())
    kind = more.get("kind", "statement" if language else "line")
    if found is None:
        area = Area(
            regions_of(
                document,
                [m.cut for m in ast_matcher({"kind": "function_definition"}, {}, "python").find(text)],
                "function",
                "python",
            )[0].cut,
            "function",
            (),
        )
    else:
        area = regions_of(document, [m.cut for m in found.find(text)], kind, language)[0]
    certain = more.get("certain", found is not None)
    asked = Asked(
        vocabulary(instruction), found, matcher("reject"), matcher("expect"), more.get("ensure", ENSURE), certain
    )
    return Job(document, area, language, instruction, asked, more.get("examples", ()), lambda code: 100 + len(code))


class Drive:
    """Sends canned replies (code, a whole `Reply`, or an error to throw) as long as the executor asks."""

    def __init__(self, job: Job, *answers: str | Reply | Exception) -> None:
        self.prompts: list[Prompt] = []
        steps = rewrite_region(job)
        left = list(answers)
        try:
            prompt = next(steps)
            while True:
                self.prompts.append(prompt)
                assert left, f"one more answer is wanted: {prompt.messages[-1].content}"
                prompt = self._send(steps, left.pop(0))
        except StopIteration as end:
            self.result: Result = end.value
        assert left == []

    @staticmethod
    def _send(steps: Generator[Prompt, Reply, Result], answer: str | Reply | Exception) -> Prompt:
        if isinstance(answer, Exception):
            return steps.throw(answer)
        return steps.send(answer if isinstance(answer, Reply) else said(answer))

    @property
    def asked(self) -> list[str]:
        return [prompt.messages[-1].content for prompt in self.prompts]

    @property
    def refusals(self) -> list[str]:
        return [one.refusal for one in self.result.tries]


def said(code: str, stop: Stop = Stop.END) -> Reply:
    return Reply(f"```python\n{code}\n```", stop, 10, 10, 0.1)


class TestTries:
    def test_one_good_reply_is_enough(self) -> None:
        drive = Drive(job(), RIGHT)
        assert drive.result == Result(job().area, RIGHT, Proof.PROVEN, "", drive.result.tries)
        assert not drive.result.conforms
        assert [(one.reply, one.refusal) for one in drive.result.tries] == [(f"```python\n{RIGHT}\n```", "")]
        assert drive.prompts == [first_prompt(job())]

    def test_the_first_prompt_shows_the_region_alone(self) -> None:
        prompt = first_prompt(job())
        assert prompt == Prompt(edit_prompt(REGION, "python", PRINT), 100 + len(REGION), Sampling())
        assert "return x" not in str(prompt.messages)

    def test_each_try_has_something_changed(self) -> None:
        text = 'def f(x):\n    print(\n        f"total {x}",\n    )\n'
        drive = Drive(job(text), WRONG, 'logger.info("total %s")', RIGHT)
        region, joined = 'print(\n    f"total {x}",\n)', 'print(f"total {x}")'
        first, second, third = drive.refusals
        assert "" not in {first, second}
        assert (first != second, third) == (True, "")
        assert [p.messages for p in drive.prompts] == [
            edit_prompt(region, "python", PRINT),
            edit_prompt(joined, "python", PRINT, form=Form.RULE_LAST, note=first),
            edit_prompt(joined, "python", PRINT, note=second),
        ]
        assert [p.reserve for p in drive.prompts] == [100 + len(code) for code in (region, joined, joined)]
        assert drive.result.proof is Proof.PROVEN
        assert drive.result.new == RIGHT

    def test_after_the_last_try_it_is_refused_with_the_last_reason(self) -> None:
        drive = Drive(job(), WRONG, REGION, 'logger.info("total %s")')
        assert drive.result.proof is Proof.REFUSED
        assert drive.result.new is None
        assert drive.result.reason == drive.refusals[-1] != ""
        assert drive.refusals[1] == f"the code must change: `{REGION}`"
        assert drive.result.fits
        assert not drive.result.conforms

    @pytest.mark.parametrize(
        ("reply", "reason"),
        [
            (said(RIGHT, Stop.LENGTH), "the reply was cut off"),
            (Reply("I see.", Stop.END, 1, 1, 0.1), "the reply has no code block"),
            (said(""), "the code is empty"),
        ],
    )
    def test_a_reply_without_code_is_a_try_too(self, reply: Reply, reason: str) -> None:
        drive = Drive(job(), reply, RIGHT)
        assert drive.refusals == [reason, ""]
        assert drive.result.new == RIGHT
        assert f"Note that {reason}." in drive.asked[1]

    def test_the_margin_is_taken_off_and_put_back(self) -> None:
        text = "class A:\n\tdef f(self, x):\n\t\tif x:\n\t\t\tprint('a',\n\t\t\t      x)\n"
        drive = Drive(job(text, "Replace print by logger.info."), "logger.info('a %s', x)")
        assert "```python\nprint('a',\n      x)\n```" in drive.asked[0]
        assert drive.result.new == "logger.info('a %s',\n\t\t\t      x)"

    def test_a_region_that_cannot_be_dedented_is_sent_as_it_stands(self) -> None:
        text = "def f(x):\n    print('''a\n b''', x)\n"
        assert "```python\nprint('''a\n b''', x)\n```" in first_prompt(job(text)).messages[-1].content

    def test_other_errors_of_the_model_pass_through(self) -> None:
        steps = rewrite_region(job())
        next(steps)
        with pytest.raises(ModelBusy):
            steps.throw(ModelBusy("busy"))


class TestSalvage:
    TEXT = "def f(x):\n    z = x\n    # why\n    y = x + 1\n    print(y)\n    z += y\n    return z\n"
    RULE = "Replace print by logger.info."
    GOOD = TEXT.replace("print", "logger.info").rstrip()

    @pytest.mark.parametrize(
        "reply",
        [
            GOOD,
            GOOD.replace("    # why\n", ""),
            GOOD.replace("f(x)", "f(a)"),
            GOOD.replace("f(x)", "f(a)").replace("return z", "return y"),
            GOOD.replace("    # why\n", "").replace("return z", "return y"),
            "import logging\n\n" + GOOD.replace("info(y)", "info(y)  # log it"),
        ],
    )
    def test_what_was_done_beside_is_undone(self, reply: str) -> None:
        drive = Drive(job(self.TEXT, self.RULE, kind="function"), reply)
        assert drive.result.proof is Proof.PROVEN
        assert drive.result.new == self.GOOD

    @pytest.mark.parametrize(
        "reply",
        [
            GOOD.replace("\n    return z", ""),  # a deletion is never taken for an accident
            GOOD.replace("x + 1", "x + 2"),  # one hunk with the site
            GOOD.replace("f(x)", "f(a)").replace("# why", "# so").replace("return z", "return y"),
        ],
    )
    def test_what_cannot_be_undone_is_refused(self, reply: str) -> None:
        drive = Drive(job(self.TEXT, self.RULE, kind="function"), reply, reply, reply)
        assert drive.result.proof is Proof.REFUSED
        assert drive.result.new is None


class TestOpinions:
    INSTRUCTION = "Replace print by a call of the logger."
    TEXT = "def f(x):\n    print('total', x)\n"
    WARN, INFO = "logger.warning('total %s', x)", "logger.info('total %s', x)"

    def drive(self, *answers: str | Reply | Exception) -> Drive:
        return Drive(job(self.TEXT, self.INSTRUCTION), *answers)

    def test_what_only_the_model_knows_is_asked_again_in_another_form_and_with_another_draw(self) -> None:
        drive = self.drive(self.WARN, self.WARN, 'logger.warning("total %s", x,)')
        assert drive.result.proof is Proof.PROVEN
        assert drive.result.new == self.WARN
        assert [p.sampling.temperature for p in drive.prompts] == [0.0, 0.0, 0.4]
        assert drive.asked[1].endswith(f"{self.INSTRUCTION}\n{ANSWER}")
        assert drive.asked[2] == drive.asked[0]

    @pytest.mark.parametrize(
        ("opinions", "reason"),
        [
            ((INFO,), "; two answers: warning, info"),
            ((WARN, INFO), "; two answers: warning, info"),
            (("print('total', x)",), "; a second answer leaves it as it is"),
            (("logger.info('sum')", INFO), "; two answers: warning, info"),
            (("logger.info('sum')", said("")), "; no second answer was good"),
            ((said("", Stop.LENGTH), "it is fine"), "; no second answer was good"),
            ((TOO_LARGE,), "; 9,000 of 8,192 tokens"),
        ],
    )
    def test_another_answer_makes_it_doubtful(self, opinions: tuple[Any, ...], reason: str) -> None:
        drive = self.drive(self.WARN, *opinions)
        assert drive.result.proof is Proof.DOUBTFUL
        assert drive.result.new == self.WARN
        assert drive.result.reason.endswith(reason)
        assert drive.result.reason.startswith("`warning` ")

    def test_another_answer_with_nothing_of_its_own_is_taken(self) -> None:
        drive = Drive(job(self.TEXT, "Replace print by logger.info."), self.WARN, self.INFO)
        assert (drive.result.proof, drive.result.new, drive.result.reason) == (Proof.PROVEN, self.INFO, "")
        assert drive.refusals == ["", "two answers: warning, info"]

    def test_one_that_is_no_good_does_not_count(self) -> None:
        drive = self.drive(self.WARN, "logger.warning('sum')", self.WARN)
        assert drive.result.proof is Proof.PROVEN
        assert drive.refusals[0] == drive.refusals[2] == ""
        assert drive.refusals[1].startswith("a second answer was no good: ")

    def test_second_opinions_are_told_what_the_first_answer_was_told(self) -> None:
        drive = self.drive("logger.warning('sum')", self.WARN, self.WARN, self.WARN)
        assert drive.result.proof is Proof.PROVEN
        assert all(f"Note that {drive.refusals[0]}." in text for text in drive.asked[1:])

    @pytest.mark.parametrize(
        ("one", "other", "reason"),
        [
            ("fetch(x)", "fetch(x)()", "two answers: nothing, ("),
            ("fetch(x)()", "fetch(x)", "two answers: (, nothing"),
        ],
    )
    def test_a_longer_and_a_shorter_answer_are_told_apart(self, one: str, other: str, reason: str) -> None:
        text = "from a import fetch\n\n\ndef f(x):\n    get(x)\n"
        rule = job(text, "Call it for the user.", pattern="get($A)", ensure=())
        drive = Drive(rule, one, other)
        assert drive.result.proof is Proof.DOUBTFUL
        assert drive.result.reason.endswith(reason)


class TestCandidates:
    """Rules whose match is not always a violation."""

    TEXT = "import requests\n\n\ndef f(u):\n    return requests.get(u)\n"
    FIXED = "return requests.get(u, timeout=10)"

    def job(self, **more: Any) -> Job:
        return job(self.TEXT, GET, pattern="requests.get($$$A)", certain=False, ensure=(), **more)

    def test_an_unchanged_reply_means_that_it_conforms(self) -> None:
        drive = Drive(self.job(), "return requests.get(u)")
        assert drive.result.conforms
        assert drive.result.reason == ""
        assert drive.refusals == [""]

    def test_a_change_is_doubtful(self) -> None:
        drive = Drive(self.job(), self.FIXED, self.FIXED)
        assert drive.result.proof is Proof.DOUBTFUL
        assert drive.result.new == self.FIXED
        assert "only a candidate" in drive.result.reason

    def test_a_change_that_one_form_of_the_prompt_alone_wants_is_none(self) -> None:
        drive = Drive(self.job(), self.FIXED, "return requests.get(u)")
        assert drive.result.conforms
        assert drive.refusals == ["", "a second answer leaves it as it is"]
        assert drive.asked[1].endswith(ANSWER)

    @pytest.mark.parametrize("second", [said("", Stop.LENGTH), TOO_LARGE, "return requests.get(v)"])
    def test_a_second_answer_that_is_no_good_leaves_the_doubt(self, second: str | Reply | Exception) -> None:
        assert Drive(self.job(), self.FIXED, second).result.proof is Proof.DOUBTFUL

    def test_expect_proves_it(self) -> None:
        drive = Drive(self.job(expect="requests.get($$$A, timeout=$T)"), self.FIXED)
        assert drive.result.proof is Proof.PROVEN

    def test_reject_refuses_it(self) -> None:
        wrong = "return requests.get(u, timeout=None)"
        rule = self.job(reject="requests.get($$$A, timeout=None)")
        drive = Drive(rule, wrong, wrong, self.FIXED)
        assert drive.result.proof is Proof.PROVEN
        assert drive.refusals[2] == ""
        assert all(drive.refusals[:2])


class TestWithoutPattern:
    TEXT = "def add(a, b):\n    return a + b\n"
    DOCUMENTED = 'def add(a, b):\n    """Give the sum."""\n    return a + b'

    def job(self) -> Job:
        return job(self.TEXT, "Write a docstring.", pattern=None, ensure=())

    def test_an_unchanged_function_conforms(self) -> None:
        assert Drive(self.job(), self.TEXT.rstrip()).result.conforms

    def test_a_change_is_doubtful_because_nothing_shows_that_the_rule_applies(self) -> None:
        drive = Drive(self.job(), self.DOCUMENTED, self.DOCUMENTED)
        assert drive.result.proof is Proof.DOUBTFUL
        assert "the rule has no pattern" in drive.result.reason


class TestWithoutGrammar:
    def test_a_line_is_rewritten(self) -> None:
        rule = job("a = 1\n  colour = red\n", "Spell it color.", regex="colour", ensure=())
        drive = Drive(rule, "color = red")
        assert (drive.result.proof, drive.result.new) == (Proof.PROVEN, "color = red")
        assert drive.asked == ["```\ncolour = red\n```"]

    def test_a_second_line_is_refused(self) -> None:
        rule = job("a = 1\n  colour = red\n", "Spell it color.", regex="colour", ensure=())
        drive = Drive(rule, "color = red\nb = 2", "color = red\nb = 2", "color = red\nb = 2")
        assert drive.result.proof is Proof.REFUSED


class TestTooLarge:
    def test_examples_go_first(self) -> None:
        drive = Drive(job(examples=EXAMPLES), TOO_LARGE, WRONG, RIGHT)
        assert [len(p.messages) for p in drive.prompts] == [4, 2, 2]
        assert [p.messages for p in drive.prompts[1:]] == [
            edit_prompt(REGION, "python", PRINT),
            edit_prompt(REGION, "python", PRINT, form=Form.RULE_LAST, note=drive.refusals[0]),
        ]
        assert drive.result.new == RIGHT

    @pytest.mark.parametrize("examples", [(), EXAMPLES])
    def test_then_it_is_refused_with_the_numbers(self, examples: Any) -> None:
        drive = Drive(job(examples=examples), *[TOO_LARGE] * (1 + len(examples)))
        assert drive.result == Result(job().area, None, Proof.REFUSED, "9,000 of 8,192 tokens", fits=False)

    def test_a_note_that_does_not_fit_ends_the_tries(self) -> None:
        drive = Drive(job(), WRONG, TOO_LARGE)
        assert drive.result.proof is Proof.REFUSED
        assert drive.result.reason == drive.refusals[0] != ""
        assert drive.result.fits

    def test_second_opinions_drop_them_too(self) -> None:
        rule = job(TestOpinions.TEXT, TestOpinions.INSTRUCTION, examples=EXAMPLES)
        drive = Drive(rule, TestOpinions.WARN, TOO_LARGE, TestOpinions.WARN, TestOpinions.WARN)
        assert [len(p.messages) for p in drive.prompts] == [4, 4, 2, 2]
        assert drive.result.proof is Proof.PROVEN


def test_examples_are_shown_in_every_call() -> None:
    drive = Drive(job(examples=EXAMPLES), WRONG, RIGHT)
    assert all(REGION not in p.messages[1].content and len(p.messages) == 4 for p in drive.prompts)


def test_the_region_of_the_result_is_that_of_the_job() -> None:
    one = job()
    for answers in ((RIGHT,), (WRONG, WRONG, WRONG), (TOO_LARGE,)):
        result = Drive(one, *answers).result
        assert result.area is one.area
        assert {t.area for t in result.tries} <= {one.area}


def test_sampling_is_greedy_unless_another_draw_is_wanted() -> None:
    assert {p.sampling for p in Drive(job(), WRONG, WRONG, WRONG).prompts} == {Sampling(0.0)}
