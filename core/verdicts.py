"""What one rule came to on one file, in the words that are shown."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from litecode.config.rules import Rule
from litecode.core.calls import TaskCalls
from litecode.core.errors import LitecodeError, ModelError, ModelTimeout, RuleError
from litecode.core.executing.rules import Applied, CompiledRule, FileState, site_values, sites_of
from litecode.core.patching.document import Cut, Document
from litecode.core.values import Attempt, Finding, Proof, Region, Site, State, Verdict


@dataclass(frozen=True, slots=True)
class Finished:
    """One task's result with its calls."""

    applied: Applied
    record: TaskCalls


def verdict_of(compiled: CompiledRule, path: str, finished: Finished, *, no_model: bool = False) -> Verdict:
    """STAGED means proven and HELD doubtful here; what is really staged is settled for all files together."""
    applied, record = finished.applied, finished.record
    rule = compiled.rule
    return Verdict(
        path=path,
        rule=rule.id,
        state=_unasked(compiled, applied) if no_model and rule.instruction is not None else _state(rule, applied),
        reason=applied.reason,
        proof=applied.proof,
        severity=rule.severity,
        line=applied.sites[0].line if applied.sites else 0,
        findings=findings(rule, path, applied.sites, applied.ends),
        sites=len(applied.sites),
        left=_left(applied),
        calls=len(record.calls),
        output_tokens=record.output_tokens,
        seconds=record.seconds,
        cached=record.known > 0 and not record.calls,
        attempts=_attempts(applied),
    )


def _left(applied: Applied) -> tuple[int, ...]:
    """Where a rule whose matches are candidates changed something else, but not this."""
    if not applied.changed:
        return ()
    cuts = [site for result in applied.results if result.conforms for site in result.area.sites]
    return tuple(applied.before.position(cut.start)[0] for cut in cuts)


def in_input(verdict: Verdict, origin: Callable[[int], int]) -> Verdict:
    """The verdict with the lines of the file as it was before any rule."""
    found = tuple(
        replace(f, line=origin(f.line), end_line=max(origin(f.line), origin(f.end_line))) for f in verdict.findings
    )
    line = origin(verdict.line) if verdict.line else 0
    return replace(verdict, line=line, findings=found, left=tuple(map(origin, verdict.left)))


def _unasked(compiled: CompiledRule, applied: Applied) -> State:
    """Without the model only a match that is a violation in any case is a finding; a candidate may be in order."""
    if not applied.sites:
        return State.CONFORMS
    return State.FOUND if compiled.asked.certain else State.SKIPPED


def _state(rule: Rule, applied: Applied) -> State:
    if applied.proof is Proof.REFUSED:
        return State.REJECTED
    if not applied.sites:
        return State.CONFORMS
    if rule.fix is None and rule.instruction is None:
        return State.FOUND
    if not applied.changed:
        return State.CONFORMS
    return State.STAGED if applied.proof is Proof.PROVEN else State.HELD


def unfinished(
    compiled: CompiledRule, state: FileState, reason: str, error: LitecodeError | None, *, lenient: bool
) -> Verdict:
    """The verdict of a task that could not be carried out. With `lenient` a model that is not there is no failure."""
    try:
        found = sites_of(compiled, state)
    except RuleError:  # a regex that takes too long: the reason says so
        found = []
    sites, ends = site_values(state.document, [f.cut for f in found])
    skipped = isinstance(error, ModelTimeout) or (lenient and isinstance(error, ModelError))
    return Verdict(
        path=state.path,
        rule=compiled.rule.id,
        state=State.SKIPPED if skipped else State.FAILED,
        reason=reason,
        proof=Proof.REFUSED,
        severity=compiled.rule.severity,
        line=sites[0].line if sites else 0,
        findings=findings(compiled.rule, state.path, sites, ends),
        sites=len(sites),
    )


def findings(rule: Rule, path: str, sites: Sequence[Site], ends: Sequence[int]) -> tuple[Finding, ...]:
    return tuple(
        Finding(path, s.line, s.column, end, rule.id, rule.message, rule.severity, _mark(s.text))
        for s, end in zip(sites, ends, strict=True)
    )


def _mark(text: str) -> str:
    """A short digest of code, white space aside."""
    plain = "".join(text.split()).encode("utf-8", "surrogatepass")
    return hashlib.sha256(plain).hexdigest()[:16]


def _attempts(applied: Applied) -> tuple[Attempt, ...]:
    before = applied.before
    return tuple(
        Attempt(_region(before, t.area.cut, t.area.kind, t.area.sites), t.area.kind, t.reply, t.refusal)
        for result in applied.results
        for t in result.tries
    )


def _region(document: Document, cut: Cut, kind: str, cuts: Sequence[Cut]) -> Region:
    return Region(document.span(cut), kind, site_values(document, cuts)[0])
