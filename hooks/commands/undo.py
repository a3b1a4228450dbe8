"""`git litecode undo`"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from litecode.core.errors import StateError
from litecode.core.git.repository import Repository
from litecode.core.notes import operation_sentences
from litecode.core.store.runs import RunStore
from litecode.hooks.asking import repository_paths
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import files, runs
from litecode.hooks.noticing import noticing
from litecode.hooks.show.terminal import Terminal, visible
from litecode.hooks.show.text import count


@click.command()
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=runs)
@click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=files)
def command(run_id: str | None, paths: tuple[str, ...]) -> None:
    """Take back what a run has changed in index and worktree; edits made since then stay.

    Without an ID the last run, if it has changed something. With a PATH only those files. Commits are never rewritten.
    """
    from litecode.core.git.recovery import recover
    from litecode.core.git.undo import undo

    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    terminal = make_terminal()
    recover(repo)
    name = _chosen(repo, run_id)
    with noticing(repo):
        applied = undo(repo, name, paths=repository_paths(repo, paths, cwd))
    for result in applied.results:
        terminal.print(f"{visible(result.path)}: {visible(result.reason) or 'taken back'}")
    _mark(repo, name, paths, terminal)
    for sentence in operation_sentences(repo):
        terminal.tell(f"note: {sentence}")
    terminal.tell(f"litecode: took back {count(len(applied.results), 'file')} of the run {name}")


def _chosen(repo: Repository, name: str | None) -> str:
    """The run to take back: the one with that name, or with the only name that begins so, or the last one.

    When the last run has changed nothing, because the commit was stopped say, the one before it may be in a commit
    already: then it has to be named.
    """
    from litecode.core.git.journal import Phase, journals

    done = [journal.header.run for journal in journals(repo, phases=(Phase.DONE,)) if journal.header.kind == "apply"]
    if name is None:
        if not done:
            raise StateError(
                "no run has changed anything that could be taken back", "`git litecode log` lists the runs"
            )
        last = next((record.id for record in RunStore(repo.state_dir).list() if not record.undone), done[0])
        if last not in done:
            raise StateError(
                f"the last run {last} has changed nothing",
                f"`git litecode undo {done[0]}` takes back the one before it",
            )
        return done[0]
    fitting = sorted({run for run in done if run.startswith(name)})
    return fitting[0] if name and name not in fitting and len(fitting) == 1 else name


def _mark(repo: Repository, name: str, paths: tuple[str, ...], terminal: Terminal) -> None:
    """Let the log say that the whole run was taken back; a run that is no longer kept needs no mark."""
    store = RunStore(repo.state_dir)
    if paths or name not in {record.id for record in store.list()}:
        return
    try:
        run = store.load(name)
        store.save(replace(run, extra={**run.extra, "undone": True}))
    except StateError as error:
        terminal.tell(f"note: {visible(error.message)}")
