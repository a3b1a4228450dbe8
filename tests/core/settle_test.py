"""What is staged and what is held, file by file and for all files together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecode.core.settle import Consent, FileEnd, Settled, settle, staged
from litecode.core.values import Apply, Change, Proof, Severity, StagedFile, State, Verdict

STAGE = Consent(Apply.STAGE)


def verdict(path: str, state: State, severity: Severity = Severity.ERROR) -> Verdict:
    proof = {State.STAGED: Proof.PROVEN, State.HELD: Proof.DOUBTFUL}.get(state, Proof.REFUSED)
    reason = "" if state in (State.STAGED, State.CONFORMS) else f"{state.value} for a reason"
    return Verdict(path, f"{path[0]}-{state.value}", state, reason, proof, severity)


def end(path: str, *states: State | Verdict, changed: bool = True) -> FileEnd:
    file = StagedFile(path, "100644", path[0] * 40)
    verdicts = tuple(s if isinstance(s, Verdict) else verdict(path, s) for s in states)
    return FileEnd(file, b"old\n", b"new\n" if changed else b"old\n", verdicts)


def states(settled: Settled) -> list[str]:
    return [v.state.value for v in settled.verdicts]


def patches(settled: Settled) -> dict[str, tuple[str, str]]:
    return {patch.path: (patch.state.value, patch.reason) for patch in settled.patches}


def test_proven_patches_are_staged() -> None:
    settled = settle([end("a.py", State.STAGED), end("b.py", State.CONFORMS, changed=False)], STAGE)
    assert states(settled) == ["staged", "conforms"]
    (patch,) = settled.patches
    assert (patch.path, patch.state, patch.rules, patch.reason) == ("a.py", State.STAGED, ("a-staged",), "")
    assert patch.diff == "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\n"
    assert staged(settled) == [Change("a.py", "100644", "a" * 40, b"new\n")] == [patch.change]


@pytest.mark.parametrize(
    ("other", "want", "reason"),
    [
        (State.HELD, "held", "a-held on this file: held for a reason"),
        (State.REJECTED, "held", "a-rejected on this file: rejected for a reason"),
        (State.FAILED, "held", "a-failed on this file: failed for a reason"),
        (State.SKIPPED, "staged", ""),
        (State.FOUND, "staged", ""),
        (State.CONFORMS, "staged", ""),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_file_waits_until_every_rule_on_it_is_settled(other: State, want: str, reason: str, first: bool) -> None:
    unsettled = verdict("a.py", other, Severity.WARNING)
    both = (unsettled, State.STAGED) if first else (State.STAGED, unsettled)
    settled = settle([end("a.py", *both)], STAGE)
    assert {v.rule: v.state.value for v in settled.verdicts} == {"a-staged": want, unsettled.rule: other.value}
    assert patches(settled) == {"a.py": (want, reason)}
    assert {v.reason for v in settled.verdicts if v.rule == "a-staged"} == {reason}
    assert len(staged(settled)) == (want == "staged")


@pytest.mark.parametrize(("severity", "want"), [(Severity.WARNING, "staged"), (Severity.ERROR, "held")])
def test_in_a_hook_it_does_not_wait_for_a_rejected_warning(severity: Severity, want: str) -> None:
    """Nothing of it is in the file, and it stops nobody."""
    file = end("a.py", verdict("a.py", State.REJECTED, severity), State.STAGED)
    settled = settle([file], replace(STAGE, strict=True))
    assert [v.state.value for v in settled.verdicts] == ["rejected", want]


@pytest.mark.parametrize(
    ("other", "want"),
    [
        (State.HELD, "a-held on this file: held for a reason"),
        (State.REJECTED, "a-rejected on this file: rejected for a reason"),
        (State.FAILED, "a-failed on this file: failed for a reason"),
    ],
)
def test_a_file_waits_for_an_error_of_any_kind(other: State, want: str) -> None:
    settled = settle([end("a.py", other, State.STAGED)], STAGE)
    assert states(settled) == [other.value, "held"]
    assert patches(settled) == {"a.py": ("held", want)}
    assert [v.reason for v in settled.verdicts] == [f"{other.value} for a reason", want]
    assert staged(settled) == []


def test_a_doubtful_change_alone_is_held_for_its_own_reason() -> None:
    settled = settle([end("a.py", State.HELD, State.CONFORMS, verdict("a.py", State.REJECTED, Severity.INFO))], STAGE)
    assert states(settled) == ["held", "conforms", "rejected"]
    assert patches(settled) == {"a.py": ("held", "held for a reason")}


class TestBlocking:
    """While an error finding is left, nothing at all is staged."""

    @pytest.mark.parametrize(
        ("state", "severity", "strict", "blocks"),
        [
            (State.HELD, Severity.ERROR, False, True),
            (State.REJECTED, Severity.ERROR, False, True),
            (State.FAILED, Severity.ERROR, False, True),
            (State.HELD, Severity.ERROR, True, True),
            (State.FOUND, Severity.ERROR, True, True),
            (State.FOUND, Severity.ERROR, False, False),
            (State.FOUND, Severity.WARNING, True, False),
            (State.SKIPPED, Severity.ERROR, True, False),
            (State.CONFORMS, Severity.ERROR, True, False),
            (State.HELD, Severity.WARNING, True, False),
            (State.REJECTED, Severity.INFO, True, False),
            (State.FAILED, Severity.HINT, True, False),
        ],
    )
    def test_what_stops_a_commit(self, state: State, severity: Severity, strict: bool, blocks: bool) -> None:
        other = end("b.py", verdict("b.py", state, severity), changed=state is State.HELD)
        settled = settle([end("a.py", State.STAGED), other], replace(STAGE, strict=strict))
        assert len(staged(settled)) == (not blocks)
        if blocks:
            reason = f"proven, but kept back with b.py (b-{state.value}), which is not settled"
            assert patches(settled)["a.py"] == ("held", reason)
            assert (settled.verdicts[0].state, settled.verdicts[0].reason) == (State.HELD, reason)
        assert settled.verdicts[1] == other.verdicts[0]

    def test_a_proven_change_that_waits_for_a_warning_on_its_file_is_left_too(self) -> None:
        waiting = end("b.py", State.STAGED, verdict("b.py", State.HELD, Severity.WARNING))
        settled = settle([end("a.py", State.STAGED), waiting], STAGE)
        assert states(settled) == ["held", "held", "held"]
        assert staged(settled) == []
        assert patches(settled)["a.py"][1] == "proven, but kept back with b.py (b-staged), which is not settled"

    def test_a_warning_alone_keeps_only_its_own_file(self) -> None:
        waiting = end("b.py", *(verdict("b.py", s, Severity.WARNING) for s in (State.STAGED, State.HELD)))
        settled = settle([end("a.py", State.STAGED), waiting], STAGE)
        assert states(settled) == ["staged", "held", "held"]
        assert [change.path for change in staged(settled)] == ["a.py"]

    def test_what_is_written_cannot_be_kept_back(self) -> None:
        ends = [end("a.py", State.STAGED), end("b.py", State.STAGED)]
        settled = settle(ends, replace(STAGE, written=True), {"b.py": "edited meanwhile"})
        assert states(settled) == ["staged", "rejected"]


class TestConsent:
    @pytest.mark.parametrize(
        ("consent", "want"),
        [
            (STAGE, ["held", "held"]),
            (replace(STAGE, yes=True), ["staged", "staged"]),
            (replace(STAGE, yes=True, strict=True), ["staged", "staged"]),
            (Consent(Apply.WORKTREE, yes=True), ["staged", "staged"]),
            (Consent(Apply.HOLD, yes=True), ["held", "held"]),
        ],
    )
    def test_yes_stages_what_is_doubtful(self, consent: Consent, want: list[str]) -> None:
        settled = settle([end("a.py", State.STAGED), end("b.py", State.HELD)], consent)
        assert states(settled) == want
        assert len(staged(settled)) == want.count("staged")

    @pytest.mark.parametrize("state", [State.REJECTED, State.FAILED])
    def test_yes_stages_nothing_that_was_refused(self, state: State) -> None:
        settled = settle([end("a.py", State.HELD), end("b.py", state, changed=False)], replace(STAGE, yes=True))
        assert states(settled) == ["held", state.value]
        assert staged(settled) == []

    @pytest.mark.parametrize(
        ("consent", "reason"),
        [
            (Consent(Apply.HOLD), "proven; held because you asked for it"),
            (Consent(Apply.HOLD, why_held="`git litecode run` stages it"), "proven; `git litecode run` stages it"),
            (replace(STAGE, kept_back="it would be empty"), "it would be empty"),
        ],
    )
    def test_proven_patches_can_be_held(self, consent: Consent, reason: str) -> None:
        settled = settle([end("a.py", State.STAGED, State.CONFORMS)], consent)
        assert patches(settled) == {"a.py": ("held", reason)}
        assert [(v.state.value, v.reason) for v in settled.verdicts] == [("held", reason), ("conforms", "")]


class TestRefused:
    """By the transaction: unstaged edits are in the way, say."""

    def test_every_change_of_the_file_is_rejected(self) -> None:
        settled = settle([end("a.py", State.STAGED, State.HELD, State.FOUND)], STAGE, {"a.py": "in the way"})
        assert [(v.state, v.proof, v.reason) for v in settled.verdicts[:2]] == [
            (State.REJECTED, Proof.REFUSED, "in the way")
        ] * 2
        assert settled.verdicts[2].state is State.FOUND
        assert patches(settled) == {"a.py": ("rejected", "in the way")}
        assert settled.patches[0].rules == ("a-staged", "a-held")

    def test_the_others_are_held_with_it(self) -> None:
        ends = [end("a.py", State.STAGED), end("b.py", State.STAGED)]
        settled = settle(ends, STAGE, {"b.py": "in the way"})
        assert states(settled) == ["held", "rejected"]
        assert staged(settled) == []

    def test_unless_it_is_no_error(self) -> None:
        ends = [end("a.py", State.STAGED), end("b.py", verdict("b.py", State.STAGED, Severity.WARNING))]
        settled = settle(ends, STAGE, {"b.py": "in the way"})
        assert states(settled) == ["staged", "rejected"]
        assert [change.path for change in staged(settled)] == ["a.py"]


def test_rules_that_take_each_other_s_change_back_are_rejected() -> None:
    settled = settle([end("a.py", State.STAGED, State.STAGED, changed=False), end("b.py", State.STAGED)], STAGE)
    assert states(settled) == ["rejected", "rejected", "held"]
    assert {v.reason for v in settled.verdicts[:2]} == {"another rule takes the change back"}
    assert list(patches(settled)) == ["b.py"]


@pytest.mark.parametrize("state", [State.CONFORMS, State.FOUND, State.SKIPPED, State.REJECTED, State.FAILED])
def test_a_file_without_a_change_has_no_patch(state: State) -> None:
    only = end("a.py", state, changed=False)
    settled = settle([only], STAGE)
    assert settled == Settled(only.verdicts, ())


def test_nothing_to_settle() -> None:
    assert settle([], STAGE) == Settled((), ())
