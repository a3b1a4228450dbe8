"""What `apply`, `drop` and `review` have in common: find the run, carry out decisions, say what came of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, StateError
from litecode.core.git.recovery import recover
from litecode.core.git.repository import Repository
from litecode.core.held import Decision, carry_out, is_open, is_over, open_patches
from litecode.core.notes import operation_sentences, recovery_sentences
from litecode.core.store.records import RunRecord
from litecode.core.store.runs import RunStore
from litecode.core.values import Patch, Run, State
from litecode.hooks.noticing import noticing
from litecode.hooks.show.history import command_words, when
from litecode.hooks.show.terminal import Terminal, visible
from litecode.hooks.show.text import count


def open_run(repo: Repository, name: str | None, terminal: Terminal, *, over: bool = False) -> Run:
    """The run of that name, without a name the newest one that has something to decide about, which is named unless it
    is the last of all. With `over` one whose changes are in the index by now counts as well. Interrupted runs are
    finished first. Raises StateError when nothing is held.
    """
    recovery = recover(repo)
    for sentence in () if recovery.nothing else recovery_sentences(recovery):
        terminal.tell(f"note: {visible(sentence)}")
    store = RunStore(repo.state_dir)
    if name is not None:
        asked = store.load(name)
        if open_patches(asked):
            return asked
        raise StateError(f"the run {asked.id} holds nothing", f"`git litecode show {asked.id}` tells what became of it")
    records = store.list()
    passed: list[str] = []
    for run in _waiting(store, records):
        if not over and is_over(repo, run):
            passed.append(run.id)
            continue
        if run.id != records[0].id:
            terminal.tell(f"note: the last run {records[0].id} has nothing left to decide; this is {_named(run)}")
        return run
    if passed:
        raise StateError(
            f"no run holds a patch that is not there already; the last one that held something is {passed[0]}",
            f"git litecode drop {passed[0]} forgets it",
        )
    raise StateError("no run holds a patch", "`git litecode log` lists the runs")


def _waiting(store: RunStore, records: Sequence[RunRecord]) -> Iterator[Run]:
    for record in records:
        if not record.damage and (record.states.get(State.HELD) or record.states.get(State.REJECTED)):
            run = store.load(record.id)
            if is_open(run):
                yield run


def _named(run: Run) -> str:
    return f"{run.id} of {when(run.started)}, {visible(run.request) or command_words(run.command)}"


def chosen(run: Run, paths: Collection[str]) -> tuple[Patch, ...]:
    """The open patches of a run, only those of the files and folders that were named. Raises StateError for none."""
    patches = open_patches(run)
    if not paths:
        return patches
    found = tuple(p for p in patches if any(not q or p.path == q or p.path.startswith(f"{q}/") for q in paths))
    if not found:
        named = ", ".join(visible(patch.path) for patch in patches)
        raise StateError(f"the run {run.id} holds no patch of that file", f"it holds: {named}")
    return found


def carry(
    repo: Repository, run: Run, decisions: Sequence[Decision], terminal: Terminal, *, index_only: bool = False
) -> int:
    """Carry decisions out, keep the run as it is then, and tell. Gives the exit code: 1 while something of the run
    waits for somebody.
    """
    with noticing(repo):
        carried = carry_out(repo, run, decisions, index_only=index_only)
    RunStore(repo.state_dir).save(carried.run)
    refused = {result.path for result in carried.refused}
    there = {result.path for result in carried.there}
    for result in carried.results:
        state = "not staged" if result.path in refused else "left as it is" if result.path in there else "staged"
        terminal.print(f"{visible(result.path)}: {state}" + (f", {visible(result.reason)}" if result.reason else ""))
    gone = [d for d in decisions if d.keep == d.base and d.patch.path not in refused]
    for decision in gone:
        terminal.print(f"{visible(decision.patch.path)}: dropped")
    staged = len(carried.results) - len(refused) - len(there)
    parts = [f"{count(staged, 'patch', 'patches')} staged"] if staged or not (gone or there) else []
    parts += [f"{len(there)} there already"] if there else []
    parts += [f"{len(gone)} dropped"] if gone else []
    left = open_patches(carried.run)
    parts += [f"{len(left)} held: git litecode review {run.id}"] if left else []
    undo = f"    undo: git litecode undo {run.id}" if staged else ""
    whose = "" if staged or left else f" of the run {run.id}"
    terminal.tell(f"litecode: {', '.join(parts)}{whose}{undo}")
    for sentence in operation_sentences(repo) if staged else ():
        terminal.tell(f"note: {sentence}")
    for hint in _ways_out(run, [result.reason for result in carried.refused]):
        terminal.tell(f"hint: {hint}")
    return EXIT_FINDINGS if left else EXIT_CLEAN


def _ways_out(run: Run, reasons: Sequence[str]) -> Iterator[str]:
    """What to do about patches that could not be staged."""
    in_the_way = [reason for reason in reasons if "unstaged edits" in reason]
    if in_the_way:
        yield f"put the unstaged edits aside, or stage it alone: git litecode apply --index-only {run.id} PATH"
    if len(in_the_way) < len(reasons):
        yield f"git litecode drop {run.id} forgets what cannot be staged any more; git litecode run looks anew"
