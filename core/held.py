"""What becomes of held patches when a person decides: staged whole or in part, dropped, or left for later.

A patch is held against a blob A. By the time somebody decides, the index may have moved on, so a patch is first merged
with what is staged now. What cannot be merged stays held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from litecode.core.errors import StateError
from litecode.core.git.convert import Converter
from litecode.core.git.moves import Outcome, Result, blob_id
from litecode.core.git.rawdiff import REGULAR_MODES, Entry, entries, twins
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.patching.diffs import unified
from litecode.core.patching.hunks import BadHunk, assemble, hunks_in, reverse
from litecode.core.values import Apply, Change, Patch, Run, State, Verdict

PARTLY = "in part"
_THERE = "it is there already"
_GONE = "it is not in the index any more"


@dataclass(frozen=True, slots=True)
class Decision:
    """About one open patch of a run, which starts from the content `base`: `take` is `base` with what is to be staged,
    `keep` is `take` with what stays held. What is in neither is dropped.
    """

    patch: Patch
    base: bytes
    take: bytes
    keep: bytes


@dataclass(frozen=True, slots=True)
class Carried:
    """The run as it is afterwards, and what became of each decision that stages something."""

    run: Run
    results: tuple[Result, ...] = ()

    @property
    def refused(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.outcome is Outcome.REJECTED)

    @property
    def there(self) -> tuple[Result, ...]:
        """Those that changed nothing, because the index had it all already."""
        return tuple(result for result in self.results if result.reason == _THERE)


def open_patches(run: Run) -> tuple[Patch, ...]:
    """The patches that wait for somebody: held ones, and those that could not be written when the run was made."""
    return tuple(patch for patch in run.patches if patch.state in (State.HELD, State.REJECTED))


def verdicts_of(run: Run, patch: Patch) -> tuple[Verdict, ...]:
    """The verdicts that an open patch is about."""
    if patch.state is State.HELD:
        return tuple(v for v in run.verdicts if v.path == patch.path and v.state is State.HELD)
    return tuple(v for v in run.verdicts if (v.path, v.state, v.reason) == (patch.path, State.REJECTED, patch.reason))


def base_of(patch: Patch, object_format: str) -> bytes:
    """The content that the patch starts from, had back out of the patch: git may have thrown the blob away since.
    Raises StateError when the patch does not fit its own blobs.
    """
    remedy = "drop the patch, and run again"
    try:
        base = assemble(patch.change.after, [reverse(hunk) for hunk in hunks_in(patch.diff)])
    except BadHunk as error:
        raise StateError(f"the patch of {patch.path} is damaged: {error}", remedy) from None
    before = patch.change.before
    if before is not None and blob_id(base, object_format) != before:
        raise StateError(f"the patch of {patch.path} does not start from the blob that it names", remedy)
    return base


def whole(repo: Repository, patch: Patch) -> Decision:
    """The yes to all of a patch."""
    return Decision(patch, base_of(patch, repo.object_format), patch.change.after, patch.change.after)


def dropped(repo: Repository, patch: Patch) -> Decision:
    """The no to all of a patch."""
    base = base_of(patch, repo.object_format)
    return Decision(patch, base, base, base)


def carry_out(repo: Repository, run: Run, decisions: Sequence[Decision], *, index_only: bool = False) -> Carried:
    """Stage what is to be staged, in one transaction, and write down the rest in the run, which the caller keeps.

    A patch that cannot be merged with what is staged by now, or with the unstaged edits, is left as it is and has a
    refusing result; with `index_only` unstaged edits in the way stay, and only the index changes. Raises GitError when
    nothing at all could be done.
    """
    wanted = [decision for decision in decisions if decision.take != decision.base]
    changes, results = _rebased(repo, wanted)
    if changes:
        applied = apply(repo, changes, Apply.STAGE, run.id, index_only=index_only)
        results |= {result.path: result for result in applied.results}
    refused = {path for path, result in results.items() if result.outcome is Outcome.REJECTED}
    for decision in decisions:
        if decision.patch.path not in refused:
            run = _settled(run, decision, repo.object_format)
    return Carried(run, tuple(results[decision.patch.path] for decision in wanted))


def _rebased(repo: Repository, decisions: Sequence[Decision]) -> tuple[list[Change], dict[str, Result]]:
    """The changes to make now, and the results of paths for which there is none."""
    paths = [decision.patch.path for decision in decisions]
    index = entries(repo, paths) if paths else {}
    changes, results = [], {}
    with Converter(repo, frozenset()) as converter:
        for decision in decisions:
            path = decision.patch.path
            change = _rebase(converter, decision, index, repo.object_format)
            if isinstance(change, Result):
                results[path] = change
            else:
                changes.append(change)
    blobs = {d.patch.path: d.patch.change.before for d in decisions}
    gone = {path: oid for path, oid in blobs.items() if oid is not None and path in results and path not in index}
    for path, twin in twins(repo, gone, paths).items():
        results[path] = Result(path, Outcome.REJECTED, f"{results[path].reason}; {twin} has the same content")
    return changes, results


def _rebase(
    converter: Converter, decision: Decision, index: Mapping[str, Entry], object_format: str
) -> Change | Result:
    change, path = decision.patch.change, decision.patch.path
    entry = index.get(path)
    if entry is None:
        if change.before is None:
            return Change(path, change.mode, None, decision.take)
        return Result(path, Outcome.REJECTED, _GONE)
    if entry.oid == blob_id(decision.take, object_format):
        return Result(path, Outcome.APPLIED, _THERE)
    if entry.oid == change.before or change.before is None or entry.stage:
        return Change(path, entry.mode, change.before, decision.take)  # what is wrong with it, the transaction says
    if entry.mode not in REGULAR_MODES:
        return Result(path, Outcome.REJECTED, "it is not a regular file")
    current = converter.objects.read(entry.oid)
    merged = converter.merge(current, decision.base, decision.take)
    if merged is None:
        return Result(path, Outcome.REJECTED, "what is staged by now changes the same lines")
    if merged == current:
        return Result(path, Outcome.APPLIED, _THERE)
    return Change(path, entry.mode, entry.oid, merged)


def _settled(run: Run, decision: Decision, object_format: str) -> Run:
    """The run in which the patch has become one that is staged, one that is held, both or none."""
    patch = decision.patch
    rules = patch.rules or tuple(verdict.rule for verdict in verdicts_of(run, patch))
    new = []
    if decision.take != decision.base:
        new.append(_part(patch, State.STAGED, rules, patch.change.before, decision.base, decision.take))
    if decision.keep != decision.take:
        before = blob_id(decision.take, object_format) if decision.take != decision.base else patch.change.before
        new.append(_part(patch, State.HELD, rules, before, decision.take, decision.keep))
    verdicts = _judged(run, decision)
    at = run.patches.index(patch)
    return replace(run, patches=(*run.patches[:at], *new, *run.patches[at + 1 :]), verdicts=verdicts)


def _part(patch: Patch, state: State, rules: tuple[str, ...], before: str | None, base: bytes, after: bytes) -> Patch:
    old = None if before is None else base
    change = Change(patch.path, patch.change.mode, before, after)
    reason = patch.reason if state is State.HELD else ""
    return Patch(patch.path, unified(patch.path, change.mode, old, after), state, rules, change, reason)


def _judged(run: Run, decision: Decision) -> tuple[Verdict, ...]:
    concerned = set(map(id, verdicts_of(run, decision.patch)))

    def judged(verdict: Verdict) -> Verdict:
        if decision.keep != decision.take:
            return replace(verdict, state=State.HELD)
        if decision.take == decision.base:
            return replace(verdict, state=State.DROPPED)
        return replace(
            verdict, state=State.STAGED, reason="" if decision.take == decision.patch.change.after else PARTLY
        )

    return tuple(judged(v) if id(v) in concerned else v for v in run.verdicts)


def is_over(repo: Repository, run: Run) -> bool:
    """Whether there is nothing left to decide about: all that the run holds is in the index by now, or is about files
    that are not.
    """
    try:
        changes, results = _rebased(repo, [whole(repo, patch) for patch in open_patches(run)])
    except StateError:  # damaged; whoever looks at it is told
        return False
    return not changes and all(r.reason == _THERE or r.reason.startswith(_GONE) for r in results.values())


def is_open(run: Run) -> bool:
    """Whether there is something to decide about; in a run that was taken back there is not."""
    return bool(open_patches(run)) and run.extra.get("undone") is not True
