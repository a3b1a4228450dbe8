"""What becomes of everything a run found out: which patches are staged, which are held, and why.

Two rules decide, both so that nobody commits half a change. A patch is one whole file: while one rule on a file is
not settled, the file is held. And while an error finding is left, the commit is going to be stopped; then nothing is
staged at all, because an index that was changed by a hook that fails is a trap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from litecode.core.patching.diffs import unified
from litecode.core.values import Apply, Change, Patch, Proof, Severity, StagedFile, State, Verdict


@dataclass(frozen=True, slots=True)
class FileEnd:
    """A file at the end of all rules: the blob it began as, its new bytes (the same when nothing changed), and the
    verdicts so far, whose states say what each rule came to by itself (STAGED: proven, HELD: doubtful).
    """

    file: StagedFile
    before: bytes
    after: bytes
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Consent:
    """What the person has allowed: `yes` stages doubtful patches too; `strict` is a hook, where any error finding stops
    the commit.
    """

    apply: Apply
    yes: bool = False
    strict: bool = False
    written: bool = False  # too late to hold anything back
    asked: bool = True  # whether a person asked to hold, or nothing is to be written anyhow


@dataclass(frozen=True, slots=True)
class Settled:
    verdicts: tuple[Verdict, ...]
    patches: tuple[Patch, ...]


_UNSETTLED = frozenset({State.HELD, State.REJECTED, State.FAILED, State.SKIPPED})


def settle(ends: Sequence[FileEnd], consent: Consent, refused: Mapping[str, str] = {}) -> Settled:
    """`refused` has paths that the transaction cannot write, each with the reason."""
    ends = [_with_consent(end, consent, refused.get(end.file.path)) for end in ends]
    blocker = None if consent.written else next((v for e in ends for v in e.verdicts if _stops(v, consent)), None)
    verdicts: list[Verdict] = []
    patches: list[Patch] = []
    for end in ends:
        own = next((v for v in end.verdicts if v.state in _UNSETTLED), None)
        why = _why_held(own, blocker, consent)
        if end.after == end.before:
            verdicts += end.verdicts
            continue
        verdicts += [_held(v, why) if why and v.state is State.STAGED else v for v in end.verdicts]
        patches.append(_patch(end, why))
    return Settled(tuple(verdicts), tuple(patches))


def _with_consent(end: FileEnd, consent: Consent, refused: str | None) -> FileEnd:
    def agreed(verdict: Verdict) -> Verdict:
        if refused is not None and verdict.state in (State.STAGED, State.HELD):
            return replace(verdict, state=State.REJECTED, proof=Proof.REFUSED, reason=refused)
        if consent.yes and verdict.state is State.HELD:
            return replace(verdict, state=State.STAGED)
        return verdict

    return replace(end, verdicts=tuple(agreed(v) for v in end.verdicts))


def _stops(verdict: Verdict, consent: Consent) -> bool:
    """Whether the commit cannot go on because of it. A skipped one (no time, no model) never stops anybody."""
    if verdict.severity is not Severity.ERROR:
        return False
    left = {State.HELD, State.REJECTED, State.FAILED} | ({State.FOUND} if consent.strict else set())
    return verdict.state in left


def _why_held(own: Verdict | None, blocker: Verdict | None, consent: Consent) -> str:
    if own is not None:
        return own.reason if own.state is State.HELD else f"{own.rule} on this file: {own.reason}"
    if blocker is not None:
        return f"proven, but kept back with {blocker.path} ({blocker.rule}), which is not settled"
    if consent.apply is Apply.HOLD:
        return "proven; held because you asked for it" if consent.asked else "proven; `git litecode run` stages it"
    return ""


def _held(verdict: Verdict, why: str) -> Verdict:
    return replace(verdict, state=State.HELD, reason=verdict.reason or why)


def _patch(end: FileEnd, why: str) -> Patch:
    rules = tuple(v.rule for v in end.verdicts if v.state in (State.STAGED, State.HELD))
    change = Change(end.file.path, end.file.mode, end.file.oid, end.after)
    diff = unified(end.file.path, end.file.mode, end.before, end.after)
    return Patch(end.file.path, diff, State.HELD if why else State.STAGED, rules, change, why)


def staged(settled: Settled) -> list[Change]:
    """The changes that are to be written."""
    return [patch.change for patch in settled.patches if patch.state is State.STAGED]
