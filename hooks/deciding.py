"""What `apply`, `drop` and `review` have in common: find the run, carry out decisions, say what came of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, StateError
from litecode.core.git.recovery import recover
from litecode.core.git.repository import Repository
from litecode.core.held import Decision, carry_out, newest_open, open_patches
from litecode.core.notes import recovery_sentences
from litecode.core.store.runs import RunStore
from litecode.core.values import Patch, Run, State
from litecode.hooks.show.terminal import Terminal, visible
from litecode.hooks.show.text import count


def open_run(repo: Repository, name: str | None, terminal: Terminal) -> Run:
    """The run of that name, without a name the newest one that has something to decide about. Interrupted runs are
    finished first. Raises StateError when nothing is held.
    """
    recovery = recover(repo)
    for sentence in () if recovery.nothing else recovery_sentences(recovery):
        terminal.tell(f"note: {visible(sentence)}")
    store = RunStore(repo.state_dir)
    if name is not None:
        run = store.load(name)
        if open_patches(run):
            return run
        raise StateError(f"the run {run.id} holds nothing", f"`git litecode show {run.id}` tells what became of it")
    waiting = (record for record in store.list() if record.states.get(State.HELD) or record.states.get(State.REJECTED))
    found = newest_open(store.load(record.id) for record in waiting if not record.damage)
    if found is None:
        raise StateError("no run holds a patch", "`git litecode log` lists the runs")
    return found


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
    carried = carry_out(repo, run, decisions, index_only=index_only)
    RunStore(repo.state_dir).save(carried.run)
    refused = {result.path for result in carried.refused}
    for result in carried.results:
        state = "not staged" if result.path in refused else "staged"
        terminal.print(f"{visible(result.path)}: {state}" + (f", {visible(result.reason)}" if result.reason else ""))
    gone = [d for d in decisions if d.keep == d.base and d.patch.path not in refused]
    for decision in gone:
        terminal.print(f"{visible(decision.patch.path)}: dropped")
    staged = len(carried.results) - len(refused)
    parts = [f"{count(staged, 'patch', 'patches')} staged"] if staged or not gone else []
    parts += [f"{len(gone)} dropped"] if gone else []
    left = open_patches(carried.run)
    parts += [f"{len(left)} held: git litecode review {run.id}"] if left else []
    undo = f"    undo: git litecode undo {run.id}" if staged else ""
    terminal.tell(f"litecode: {', '.join(parts)}{undo}")
    if any("unstaged edits" in result.reason for result in carried.refused):
        terminal.tell(
            f"hint: put the unstaged edits aside, or stage it alone: git litecode apply --index-only {run.id} PATH"
        )
    return EXIT_FINDINGS if left else EXIT_CLEAN
