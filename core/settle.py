"""What becomes of everything a run found out: which patches are staged, which are held, and why.

Two rules decide, both so that nobody commits half a change. A patch is one whole file: while one rule on a file is
not settled, the file is held. A rule that was skipped has nothing to settle. In a hook the proven changes of others do
not wait for a rejected warning: the commit goes on, and nothing of that rule is in the file. And while an error finding
is left, the commit is going to be stopped; then nothing is staged at all, because an index that was changed by a hook
that fails is a trap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from litecode.core.patching.diffs import unified
from litecode.core.values import Apply, Change, Patch, Proof, Severity, StagedFile, State, Verdict


@dataclass(frozen=True, slots=True)
class FileEnd:
    """A file at the end of all rules: the blob it began as (None for a new file, whose id counts for nothing), its new
    bytes (the same when nothing changed), and the verdicts so far, whose states say what each rule came to by itself
    (STAGED: proven, HELD: asked for or doubtful).
    """

    file: StagedFile
    before: bytes | None
    after: bytes
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Consent:
    """What the person has allowed: `yes` stages doubtful patches too; `strict` is a hook, where any error finding stops
    the commit. `kept_back` says why nothing may be staged.
    """

    apply: Apply
    yes: bool = False
    strict: bool = False
    written: bool = False  # too late to hold anything back
    kept_back: str = ""
    why_held: str = "held because you asked for it"  # of proven patches, where `apply` is to hold


@dataclass(frozen=True, slots=True)
class Settled:
    verdicts: tuple[Verdict, ...]
    patches: tuple[Patch, ...]


_UNSETTLED = frozenset({State.HELD, State.REJECTED, State.FAILED})


def settle(ends: Sequence[FileEnd], consent: Consent, refused: Mapping[str, str] = {}) -> Settled:
    """`refused` has paths that the transaction cannot write, each with the reason."""
    own = [_own(end, consent, refused.get(end.file.path)) for end in ends]
    blocker = None if consent.written else next((v for vs, _ in own for v in vs if _stops(v, consent)), None)
    verdicts: list[Verdict] = []
    patches: list[Patch] = []
    for end, (settled, why) in zip(ends, own, strict=True):
        why = why or _why_held(blocker, consent)
        news = bool(why) and why == consent.kept_back
        verdicts += [_held(v, why, news=news) if why and v.state is State.STAGED else v for v in settled]
        if end.after != end.before:
            patches.append(_patch(end, refused.get(end.file.path), why))
    return Settled(tuple(verdicts), tuple(patches))


def _own(end: FileEnd, consent: Consent, refused: str | None) -> tuple[tuple[Verdict, ...], str]:
    """What becomes of a file for reasons of its own, and the reason when it is held."""
    if refused is None and end.after == end.before:
        refused = "another rule takes the change back"
    verdicts = [_agreed(v, consent, refused) for v in end.verdicts]
    unsettled = next((v for v in verdicts if _holds_file(v, consent)), None)
    if unsettled is None:
        return tuple(verdicts), ""
    alone = unsettled.state is State.HELD and all(v.state is not State.STAGED for v in verdicts)
    why = unsettled.reason if alone else held_by(unsettled)
    return tuple(_held(v, why) if v.state is State.STAGED else v for v in verdicts), why


def held_by(verdict: Verdict) -> str:
    """The reason of a proven change that waits for another rule on its file."""
    return f"{verdict.rule or 'the request'} on this file: {verdict.reason}"


def _holds_file(verdict: Verdict, consent: Consent) -> bool:
    if verdict.state is State.REJECTED:
        return verdict.severity is Severity.ERROR or not consent.strict
    return verdict.state in _UNSETTLED


def _agreed(verdict: Verdict, consent: Consent, refused: str | None) -> Verdict:
    if refused is not None and verdict.state in (State.STAGED, State.HELD):
        return replace(verdict, state=State.REJECTED, proof=Proof.REFUSED, reason=refused)
    if consent.yes and verdict.state is State.HELD and (verdict.rule or verdict.proof is not Proof.DOUBTFUL):
        return replace(verdict, state=State.STAGED)
    return verdict


def _stops(verdict: Verdict, consent: Consent) -> bool:
    """Whether the commit cannot go on because of it. A skipped one (no time, no model) never stops anybody."""
    if verdict.severity is not Severity.ERROR:
        return False
    return verdict.state in _UNSETTLED or (consent.strict and verdict.state is State.FOUND)


def kept_back_with(blocker: Verdict) -> str:
    """The reason of a change that waits for what stops the commit."""
    whose = f" ({blocker.rule})" if blocker.rule else ""
    return f"{'proven, but ' if blocker.rule else ''}kept back with {blocker.path}{whose}, which is not settled"


def _why_held(blocker: Verdict | None, consent: Consent) -> str:
    if blocker is not None:
        return kept_back_with(blocker)
    if consent.kept_back:
        return consent.kept_back
    if consent.apply is Apply.HOLD:
        return f"proven; {consent.why_held}"
    return ""


def _held(verdict: Verdict, why: str, *, news: bool = False) -> Verdict:
    """With `news` the reason goes before the one that it has already."""
    return replace(verdict, state=State.HELD, reason=why if news else verdict.reason or why)


def _patch(end: FileEnd, refused: str | None, why: str) -> Patch:
    rules = tuple(v.rule for v in end.verdicts if v.rule and v.state in (State.STAGED, State.HELD))
    change = Change(end.file.path, end.file.mode, None if end.before is None else end.file.oid, end.after)
    diff = unified(end.file.path, end.file.mode, end.before, end.after)
    if refused is not None:
        return Patch(end.file.path, diff, State.REJECTED, rules, change, refused)
    return Patch(end.file.path, diff, State.HELD if why else State.STAGED, rules, change, why)


def staged(settled: Settled) -> list[Change]:
    """The changes that are to be written."""
    return [patch.change for patch in settled.patches if patch.state is State.STAGED]
