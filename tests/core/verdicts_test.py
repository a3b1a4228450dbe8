"""What a rule came to on a file, in values."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from litecode.config.load import load_rules
from litecode.core.calls import TaskCalls
from litecode.core.errors import LitecodeError, ModelMissing, ModelTimeout, RuleError
from litecode.core.executing.executor import Result, Try
from litecode.core.executing.rules import Applied, CompiledRule, FileState, compile_rule, site_values, sites_of
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.regions import Area
from litecode.core.values import Attempt, Call, Finding, Prompt, Proof, Region, Reply, Severity, Span, State, Stop
from litecode.core.verdicts import Finished, in_input, unfinished, verdict_of

KEYS = {
    "fix": "pattern: $A == None\n  fix: $A is None",
    "report": "pattern: $A == None",
    "high": "pattern: $A == None\n  instruction: Write `is None`.",
    "low": "pattern: $A == None\n  instruction: Write `is None`.\n  confidence: low",
    "no pattern": "instruction: Write `is None`.",
}
TEXT = "x = (\n  é == None)\ny = a == None\n"


def rule(kind: str, severity: str = "error") -> CompiledRule:
    head = f"rules:\n- id: is-none\n  message: By identity.\n  language: python\n  severity: {severity}\n  "
    return compile_rule(load_rules((head + KEYS[kind] + "\n").encode(), ".litecode.yaml").rules[0], "python")


def state(text: str = TEXT) -> FileState:
    return FileState("a.py", Document(text), None)


def finished(kind: str, proof: Proof = Proof.PROVEN, after: str = TEXT, **more: Any) -> Finished:
    before = state(more.pop("text", TEXT))
    cuts = [found.cut for found in sites_of(rule(kind), before)]
    sites, ends = site_values(before.document, cuts)
    applied = Applied(replace(before, document=Document(after)), before.document, sites, ends, proof, **more)
    return Finished(applied, TaskCalls("a.py is-none"))


@pytest.mark.parametrize(
    ("kind", "proof", "after", "want"),
    [
        ("fix", Proof.PROVEN, "changed", State.STAGED),
        ("fix", Proof.PROVEN, TEXT, State.CONFORMS),
        ("fix", Proof.REFUSED, TEXT, State.REJECTED),
        ("high", Proof.PROVEN, "changed", State.STAGED),
        ("high", Proof.DOUBTFUL, "changed", State.HELD),
        ("low", Proof.PROVEN, TEXT, State.CONFORMS),
        ("low", Proof.DOUBTFUL, "changed", State.HELD),
        ("report", Proof.PROVEN, TEXT, State.FOUND),
    ],
)
def test_states(kind: str, proof: Proof, after: str, want: State) -> None:
    verdict = verdict_of(rule(kind, "warning"), "a.py", finished(kind, proof, after, reason="because"))
    assert (verdict.state, verdict.proof, verdict.reason) == (want, proof, "because")
    assert (verdict.path, verdict.rule, verdict.severity) == ("a.py", "is-none", Severity.WARNING)
    assert (verdict.line, verdict.sites) == (2, 2)


@pytest.mark.parametrize("kind", ["fix", "report", "high", "low"])
def test_without_a_site_it_conforms(kind: str) -> None:
    for no_model in (False, True):
        done = finished(kind, text="x = 1\n", after="x = 1\n")
        verdict = verdict_of(rule(kind), "a.py", done, no_model=no_model)
        assert (verdict.state, verdict.line, verdict.sites, verdict.findings) == (State.CONFORMS, 0, 0, ())


@pytest.mark.parametrize(
    ("kind", "want"),
    [
        ("fix", State.STAGED),
        ("report", State.FOUND),
        ("high", State.FOUND),
        ("low", State.SKIPPED),  # only a candidate, which may be in order
        ("no pattern", State.SKIPPED),
    ],
)
def test_without_a_model(kind: str, want: State) -> None:
    proof = Proof.REFUSED if "instruction" in KEYS[kind] else Proof.PROVEN
    after = "changed" if kind == "fix" else TEXT
    assert verdict_of(rule(kind), "a.py", finished(kind, proof, after), no_model=True).state is want


def test_findings_have_place_and_message() -> None:
    verdict = verdict_of(rule("report"), "a.py", finished("report"))
    one, two = (hashlib.sha256(code.encode()).hexdigest()[:16] for code in ("é==None", "a==None"))
    assert verdict.findings == (
        Finding("a.py", 2, 3, 2, "is-none", "By identity.", Severity.ERROR, one),
        Finding("a.py", 3, 5, 3, "is-none", "By identity.", Severity.ERROR, two),
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (TEXT, True),
        ("\n\n" + TEXT, True),
        (TEXT.replace("é == None", "é  ==\n  None"), True),
        (TEXT.replace("é", "e"), False),
        (TEXT.replace("y = a == None", "y = b == None"), False),
    ],
)
def test_a_mark_moves_with_its_code(text: str, same: bool) -> None:
    marks = [
        [f.mark for f in verdict_of(rule("report"), "a.py", finished("report", text=t)).findings] for t in (TEXT, text)
    ]
    assert (marks[0] == marks[1]) is same


def test_calls_are_added_up() -> None:
    done = finished("high", Proof.PROVEN, "changed")
    for tokens in (20, 30):
        reply = Reply("", Stop.END, 100, tokens, 1.0)
        done.record.calls.append(Call("p", Prompt((), 1), reply, 1, 2, 1.0, 2.5))
    done.record.calls.append(Call("p", Prompt((), 1), None, 1, 2, 3.0, 3.5, error="busy"))
    verdict = verdict_of(rule("high"), "a.py", done)
    assert (verdict.calls, verdict.output_tokens, verdict.seconds, verdict.cached) == (3, 50, 3.5, False)


@pytest.mark.parametrize(("known", "calls", "cached"), [(0, 0, False), (2, 0, True), (1, 1, False)])
def test_cached_is_what_needed_no_call_at_all(known: int, calls: int, cached: bool) -> None:
    done = finished("high", Proof.PROVEN, "changed")
    done.record.known = known
    done.record.calls += [Call("p", Prompt((), 1), None, 1, 2, 1.0, 2.5)] * calls
    assert verdict_of(rule("high"), "a.py", done).cached is cached


def test_attempts_are_in_bytes_of_the_blob() -> None:
    area = Area(Cut(8, 17), "statement", (Cut(8, 17),))
    result = Result(area, None, Proof.REFUSED, "no", (Try(area, "one", "no"), Try(area, "two")))
    verdict = verdict_of(rule("high"), "a.py", finished("high", Proof.REFUSED, results=(result,)))
    (first, second) = verdict.attempts
    assert isinstance(first.region, Region)
    assert (first.region.span, first.region.sites[0].text) == (Span(8, 18), "é == None")
    assert first == Attempt(first.region, "statement", "one", "no")
    assert (second.reply, second.refusal) == ("two", "")


class TestUnfinished:
    @pytest.mark.parametrize(
        ("error", "lenient", "want"),
        [
            (ModelMissing("no model"), True, State.SKIPPED),
            (ModelMissing("no model"), False, State.FAILED),
            (ModelTimeout("the time is up"), False, State.SKIPPED),
            (RuleError("a bad template"), True, State.FAILED),
            (LitecodeError("something else"), True, State.FAILED),
            (None, True, State.FAILED),
        ],
    )
    def test_what_could_not_be_done(self, error: LitecodeError | None, lenient: bool, want: State) -> None:
        verdict = unfinished(rule("high", "info"), state(), "the reason", error, lenient=lenient)
        assert (verdict.state, verdict.proof, verdict.reason) == (want, Proof.REFUSED, "the reason")
        assert (verdict.line, verdict.sites, len(verdict.findings)) == (2, 2, 2)
        assert (verdict.severity, verdict.calls, verdict.attempts) == (Severity.INFO, 0, ())

    def test_a_file_without_sites_any_more(self) -> None:
        verdict = unfinished(rule("high"), state("x = 1\n"), "the reason", None, lenient=False)
        assert (verdict.line, verdict.sites, verdict.findings) == (0, 0, ())

    def test_a_regex_that_takes_too_long_is_not_searched_for_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("litecode.core.patching.match.REGEX_SECONDS", 0.05)
        head = "rules:\n- {id: slow, message: Slow., regex: '(a|aa)+b', instruction: Do it.}\n"
        slow = compile_rule(load_rules(head.encode(), ".litecode.yaml").rules[0], None)
        text = state("a" * 60 + "c\n")
        with pytest.raises(RuleError, match="needs more than"):
            sites_of(slow, text)
        verdict = unfinished(slow, text, "it takes too long", RuleError("x"), lenient=False)
        assert (verdict.state, verdict.sites, verdict.reason) == (State.FAILED, 0, "it takes too long")


def results(*news: str | None) -> tuple[Result, ...]:
    """One region for each match."""
    cuts = [found.cut for found in sites_of(rule("low"), state())]
    return tuple(Result(Area(cut, "statement", (cut,)), new, Proof.PROVEN) for cut, new in zip(cuts, news, strict=True))


@pytest.mark.parametrize(
    ("news", "after", "left"),
    [
        (("x", None), "changed", (3,)),
        ((None, "x"), "changed", (2,)),
        (("x", "y"), "changed", ()),
        ((None, None), TEXT, ()),  # it conforms, and nobody asks
    ],
)
def test_what_a_candidate_that_was_left_says(news: Any, after: str, left: tuple[int, ...]) -> None:
    done = finished("low", Proof.PROVEN, after, results=results(*news))
    assert verdict_of(rule("low"), "a.py", done).left == left


def test_lines_are_those_of_the_input() -> None:
    done = finished("low", Proof.PROVEN, "changed", results=results("x", None))
    verdict = in_input(verdict_of(rule("low"), "a.py", done), lambda line: line + 10)
    assert (verdict.line, verdict.left) == (12, (13,))
    assert [(f.line, f.end_line) for f in verdict.findings] == [(12, 12), (13, 13)]
