"""Models beside the first one: those to fall back on, and the judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from litecode.config.load import load_rules
from litecode.core.calls import Caller, TaskCalls
from litecode.core.errors import (
    LitecodeError,
    ModelBadReply,
    ModelCancelled,
    ModelError,
    ModelMissing,
    ModelTimeout,
    NotSent,
)
from litecode.core.executing.rules import Applied, FileState, apply_rule, compile_rule
from litecode.core.patching.document import Document
from litecode.core.values import Proof, Run, State
from litecode.core.world import Options
from litecode.hooks.world import make_run

TEXT = "x = 1\nprint(x)\n"
GOOD, BAD, OTHER = "logger.info(x)", "logger.info()", "logger.info(x, x)"
RULE = """\
language: python
pattern: print($$$A)
instruction: Replace print by logger.info.
ensure: [import logging, logger = logging.getLogger(__name__)]
"""
CANDIDATE = RULE + "confidence: low\n"
NO_PATTERN = "language: python\ninstruction: Replace print by logger.info.\n"
COMMENT = "language: python\nregex: '#.*der.*'\ninstruction: Translate the comment.\nconfidence: low\n"
WITH_TUPLE = """\
language: python
pattern: $C.execute($A)
instruction: Pass the values as parameters in a tuple, with ? in the SQL.
confidence: low
"""
ADDS = "language: python\npattern: fetch($URL)\ninstruction: Give each fetch a limit of time.\n"


class Bench:
    """Applies a rule to a text with several scripted models."""

    def __init__(self, scene: Any) -> None:
        self.model = scene.model
        scene.base()
        self.world = scene.world()
        self.opened: list[str] = []

    def another(self, name: str, answer: Any) -> Any:
        model = type(self.model)()
        model.name, model.digest, model.always = name, name * 8, answer
        return model

    def opener(self, model: Any) -> Callable[[], Any]:
        def find() -> Any:
            if isinstance(model, LitecodeError):
                raise model
            self.opened.append(model.name)
            return model

        return find

    def __call__(
        self, *fallbacks: Any, judge: Any = None, keys: str = RULE, text: str = TEXT, read_only: bool = False
    ) -> Applied:
        world = replace(
            self.world,
            fallbacks=tuple(map(self.opener, fallbacks)),
            judge=self.opener(judge) if judge is not None else None,
        )
        caller = Caller(world, start=world.clock(), deadline=None, read_only=read_only)
        lines = "".join(f"  {line}\n" for line in keys.splitlines())
        rules = load_rules(f"rules:\n- id: r\n  message: No.\n{lines}".encode(), ".litecode.yaml").rules
        compiled = compile_rule(rules[0], "python")
        self.record = TaskCalls("a.py r", "a.py")

        def run(job: Any, steps: Any) -> Any:
            return caller.drive(job, steps, compiled.rule.digest, self.record)

        try:
            return apply_rule(compiled, FileState("a.py", Document(text), None), run, caller.reserve)
        finally:
            self.caller = caller
            caller.close()


@pytest.fixture
def bench(scene: Any) -> Any:
    made = Bench(scene)
    yield made
    made.world.cache.close()


def reasons(applied: Applied) -> Sequence[str]:
    return [result.reason for result in applied.results]


class TestFallback:
    def test_what_the_first_model_could_not_do(self, bench: Bench) -> None:
        bench.model.always = BAD
        applied = bench(bench.another("big", GOOD))
        assert (applied.proof, applied.results[0].new) == (Proof.PROVEN, GOOD)
        assert [call.model for call in bench.caller.calls] == ["scripted"] * 3 + ["big"]
        assert bench.record.calls == list(bench.caller.calls)
        assert [bool(tried.refusal) for tried in applied.results[0].tries] == [True, True, True, False]
        assert (bench.caller.model_name, bench.caller.notes) == ("scripted", ())

    @pytest.mark.parametrize(
        ("answer", "keys", "proof"),
        [
            (GOOD, RULE, Proof.PROVEN),
            ([BAD, GOOD], RULE, Proof.PROVEN),
            ("print(x)", CANDIDATE, Proof.PROVEN),  # left alone
            (GOOD, CANDIDATE, Proof.DOUBTFUL),
        ],
    )
    def test_nobody_else_is_asked_where_it_could(self, bench: Bench, answer: Any, keys: str, proof: Proof) -> None:
        bench.model.answers = {"print(x)": answer}
        big = bench.another("big", OTHER)
        assert bench(big, keys=keys).proof is proof
        assert (big.prompts, bench.opened) == ([], [])

    def test_one_after_the_other(self, bench: Bench) -> None:
        bench.model.always = BAD
        models = [bench.another("a", BAD), bench.another("b", GOOD), bench.another("c", GOOD)]
        assert bench(*models).proof is Proof.PROVEN
        assert bench.opened == ["a", "b"]

    def test_all_in_vain(self, bench: Bench) -> None:
        bench.model.always = BAD
        applied = bench(bench.another("a", "print(x)"), bench.another("b", BAD))
        assert (applied.proof, applied.changed) == (Proof.REFUSED, False)
        assert len(applied.results[0].tries) == 9

    def test_it_is_known_the_next_time(self, bench: Bench) -> None:
        bench.model.always = BAD
        big = bench.another("big", GOOD)
        bench(big)
        made = len(big.prompts), len(bench.model.prompts)
        assert bench(big).results[0].new == GOOD
        assert bench(big, read_only=True).results[0].new == GOOD
        assert (len(big.prompts), len(bench.model.prompts)) == made
        assert bench.caller.calls == ()

    def test_without_it_the_refusal_is_what_is_known(self, bench: Bench) -> None:
        bench.model.always = BAD
        bench(bench.another("big", GOOD))
        assert bench().proof is Proof.REFUSED

    @pytest.mark.parametrize(
        "gone",
        [
            ModelMissing("the model big is not on this machine", "git litecode model pull big"),
            ModelError("odd"),
            NotSent("a.py is on the list of files that are sent to no other machine"),
        ],
    )
    def test_one_that_is_not_there_costs_nothing_else(self, bench: Bench, gone: LitecodeError) -> None:
        bench.model.always = BAD
        applied = bench(gone, text="print(x)\n\n\nprint(x, 1)\n")
        assert applied.proof is Proof.REFUSED
        hint = f"; {gone.hint}" if gone.hint else ""
        assert bench.caller.notes == (f"the fallback could not be asked: {gone.message}{hint}",)
        assert bench(gone, bench.another("big", GOOD)).proof is Proof.PROVEN

    def test_nor_does_one_that_fails(self, bench: Bench) -> None:
        bench.model.always = BAD
        error = ModelBadReply("no JSON")
        error.retry = False
        assert bench(bench.another("big", error)).proof is Proof.REFUSED
        assert bench.caller.notes == ("the fallback big could not be asked: no JSON",)

    def test_nor_one_that_is_too_slow(self, bench: Bench) -> None:
        bench.model.always = BAD
        big = bench.another("big", ModelTimeout("no answer within 5 s", "wait longer"))
        assert bench(big, text="print(x)\n\n\nprint(x, 1)\n").proof is Proof.REFUSED
        assert bench.caller.notes == ("the fallback big could not be asked: no answer within 5 s; wait longer",)
        assert len(big.prompts) == 1  # once in a run is enough

    def test_what_must_not_be_sent_is_about_one_region(self, bench: Bench) -> None:
        bench.model.always = BAD
        big = bench.another("big", None)
        big.answers = {"print(x)": NotSent("a secret"), "print(x, 1)": "logger.info(x, 1)"}
        first, second = bench(big, text="print(x)\n\n\nprint(x, 1)\n").results
        assert (first.proof, second.proof) == (Proof.REFUSED, Proof.PROVEN)

    def test_ctrl_c_ends_it(self, bench: Bench) -> None:
        bench.model.always = BAD
        with pytest.raises(ModelCancelled):
            bench(bench.another("big", ModelCancelled("interrupted")))

    def test_no_fallback_for_a_first_model_that_is_not_there(self, bench: Bench) -> None:
        bench.model.always = ModelMissing("gone")
        big = bench.another("big", GOOD)
        with pytest.raises(ModelMissing):
            bench(big)
        assert big.prompts == []

    @pytest.mark.parametrize(("window", "proof"), [(8192, Proof.PROVEN), (150, Proof.REFUSED)])
    def test_its_own_window_counts(self, bench: Bench, window: int, proof: Proof) -> None:
        bench.model.window = 150
        big = bench.another("big", GOOD)
        big.window = window
        assert bench(big).proof is proof
        assert len(big.prompts) == (window == 8192)


class TestJudge:
    @pytest.mark.parametrize("by_fallback", [False, True])
    def test_who_writes_the_same_makes_it_proven(self, bench: Bench, by_fallback: bool) -> None:
        bench.model.always = BAD if by_fallback else GOOD
        fallbacks = [bench.another("big", GOOD)] if by_fallback else []
        judge = bench.another("judge", GOOD)
        applied = bench(*fallbacks, judge=judge, keys=CANDIDATE)
        assert (applied.proof, applied.results[0].new) == (Proof.PROVEN, GOOD)
        assert len(judge.prompts) == 2
        assert len({prompt.messages for prompt in judge.prompts}) == 2
        assert all(GOOD not in message.content for prompt in judge.prompts for message in prompt.messages)

    @pytest.mark.parametrize(
        ("answers", "proof", "new", "reason"),
        [
            ([GOOD, OTHER], Proof.DOUBTFUL, GOOD, "; the judge: two answers: "),
            ([OTHER], Proof.DOUBTFUL, GOOD, "; the judge: two answers: "),
            ([BAD], Proof.DOUBTFUL, GOOD, "; the judge: a second answer was no good: "),
            ([GOOD, BAD], Proof.DOUBTFUL, GOOD, "; the judge: a second answer was no good: "),
            ([GOOD, "print(x)"], Proof.PROVEN, None, ""),  # no violation, then
            (["print(x)"], Proof.PROVEN, None, ""),
        ],
    )
    def test_who_does_not(self, bench: Bench, answers: Any, proof: Proof, new: str | None, reason: str) -> None:
        bench.model.always = GOOD
        judge = bench.another("judge", None)
        judge.answers = {"print(x)": answers}
        applied = bench(judge=judge, keys=CANDIDATE)
        assert (applied.proof, applied.results[0].new) == (proof, new)
        assert reason in reasons(applied)[0]

    def test_where_two_answers_of_the_model_differ(self, bench: Bench) -> None:
        text, one, two = "fetch(u)\n", "fetch(u, timeout=10)", "fetch(u, timeout=30)"
        bench.model.answers = {"fetch(u)": [one, two]}
        assert bench(text=text, keys=ADDS).proof is Proof.DOUBTFUL
        assert bench(text=text, keys=ADDS, judge=bench.another("judge", one)).proof is Proof.PROVEN
        assert bench(text=text, keys=ADDS, judge=bench.another("other", two)).proof is Proof.DOUBTFUL
        alone = bench(text=text, keys=ADDS, judge=bench.another("third", "fetch(u)"))
        assert (alone.proof, alone.results[0].new) == (Proof.DOUBTFUL, one)  # a match is a violation here

    @pytest.mark.parametrize(
        ("answer", "keys", "proof"),
        [
            (GOOD, RULE, Proof.PROVEN),
            (BAD, RULE, Proof.REFUSED),
            (
                "logger = print\nlogger.info(logger)",
                NO_PATTERN,
                Proof.DOUBTFUL,
            ),  # nothing but models says that it applies
            ("print(x)", CANDIDATE, Proof.PROVEN),
        ],
    )
    def test_what_it_is_not_asked(self, bench: Bench, answer: str, keys: str, proof: Proof) -> None:
        bench.model.always = answer
        judge = bench.another("judge", answer)
        text = TEXT if keys != NO_PATTERN else "logger = print\nprint(logger)\n"
        assert bench(judge=judge, keys=keys, text=text).proof is proof
        assert judge.prompts == []

    def test_what_gates_doubt_for_other_reasons_stays_with_a_person(self, bench: Bench) -> None:
        text, rule = "fetch(u)\n", ADDS + "confidence: low\n"
        bench.model.always = "try:\n    fetch(u, timeout=10)\nfinally:\n    pass"
        judge = bench.another("judge", bench.model.always)
        assert bench(keys=rule, text=text, judge=judge).proof is Proof.DOUBTFUL
        assert reasons(bench(keys=rule, text=text, judge=judge)) == ["there is a new `try` around the code"]
        assert judge.prompts == []

    def test_nobody_judges_himself(self, bench: Bench) -> None:
        bench.model.always = GOOD
        judge = bench.another("judge", GOOD)
        judge.digest = bench.model.digest
        assert bench(judge=judge, keys=CANDIDATE).proof is Proof.DOUBTFUL
        assert judge.prompts == []
        assert bench.caller.notes == ("scripted does not judge its own answers; name another model in litecode.judge",)

    @pytest.mark.parametrize(
        ("first", "judge"),
        [
            ("m (127.0.0.1)", "m (localhost)"),
            ("m (ollama) and n (127.0.0.1)", "n (127.0.0.1)"),
            ("m", "m (ollama)"),
        ],
    )
    def test_nor_does_it_elsewhere(self, bench: Bench, first: str, judge: str) -> None:
        bench.model.always, bench.model.name = GOOD, first
        other = bench.another(judge, GOOD)
        assert bench(judge=other, keys=CANDIDATE).proof is Proof.DOUBTFUL
        assert other.prompts == []

    @pytest.mark.parametrize(
        ("keys", "text", "one", "other"),
        [
            (COMMENT, "x = 1\n# der Benutzer\n", "# delete all users", "# create the user"),
            (CANDIDATE, "print('a')\n", "logger.info('a')", 'logger.info("a", )'),
            (WITH_TUPLE, "c.execute('a' % n)\n", "c.execute('a ?', (n))", "c.execute('a ?', (n,))"),
        ],
    )
    def test_what_is_only_nearly_the_same(self, bench: Bench, keys: str, text: str, one: str, other: str) -> None:
        bench.model.always = one
        assert bench(judge=bench.another("judge", other), keys=keys, text=text).proof is not Proof.PROVEN

    def test_one_that_is_too_slow_leaves_what_there_is(self, bench: Bench) -> None:
        bench.model.always = GOOD
        judge = bench.another("judge", ModelTimeout("the time for this run is up (5 s)"))
        applied = bench(judge=judge, keys=CANDIDATE)
        assert (applied.proof, applied.results[0].new) == (Proof.DOUBTFUL, GOOD)
        assert bench.caller.notes == ("the judge judge could not be asked: the time for this run is up (5 s)",)

    def test_one_that_is_not_there(self, bench: Bench) -> None:
        bench.model.always = GOOD
        applied = bench(judge=ModelMissing("the model big is not on this machine"), keys=CANDIDATE)
        assert (applied.proof, applied.results[0].new) == (Proof.DOUBTFUL, GOOD)
        assert bench.caller.notes == ("the judge could not be asked: the model big is not on this machine",)

    def test_it_is_known_the_next_time_and_only_for_that_answer(self, bench: Bench) -> None:
        bench.model.always = GOOD
        judge = bench.another("judge", GOOD)
        bench(judge=judge, keys=CANDIDATE)
        made = len(judge.prompts), len(bench.model.prompts)
        assert bench(judge=judge, keys=CANDIDATE).proof is Proof.PROVEN
        assert (len(judge.prompts), len(bench.model.prompts)) == made
        assert bench(keys=CANDIDATE).proof is Proof.DOUBTFUL
        bench.model.digest, bench.model.always = "3" * 64, OTHER
        judge.always = GOOD
        assert bench(judge=judge, keys=CANDIDATE).proof is Proof.DOUBTFUL

    def test_what_does_not_fit_it_is_held(self, bench: Bench) -> None:
        bench.model.always = GOOD
        judge = bench.another("judge", GOOD)
        judge.window = 100
        assert bench(judge=judge, keys=CANDIDATE).proof is Proof.DOUBTFUL


class TestRun:
    """Through a whole run."""

    @pytest.mark.parametrize(("judged", "state"), [(True, State.STAGED), (False, State.HELD)])
    def test_what_the_judge_writes_too_is_staged(self, scene: Any, judged: bool, state: State) -> None:
        keys = "".join(f"  {line}\n" for line in CANDIDATE.splitlines())
        scene.base(f"- id: r\n  message: No.\n{keys}", a_py="x = 1\n")
        scene.stage({"a.py": TEXT})
        scene.model.always = GOOD
        judge = type(scene.model)()
        judge.name, judge.digest, judge.always = "judge", "9" * 64, GOOD
        world = replace(scene.world(), judge=(lambda: judge) if judged else None)
        run: Run = make_run(world, Options())
        assert [verdict.state for verdict in run.verdicts] == [state]
        assert (GOOD in scene.staged("a.py")) is judged
        assert {call.model for call in run.calls} == {"scripted", *(["judge"] if judged else [])}
