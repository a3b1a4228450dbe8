"""`git litecode log`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.git.repository import Repository
from litecode.core.store.runs import RunStore
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.show.history import log_line


@click.command()
@click.option("-n", "--max-count", type=click.IntRange(min=1), metavar="NUMBER", help="Show at most so many.")
def command(max_count: int | None) -> None:
    """List the runs that are kept in this worktree, the newest first."""
    repo = Repository.discover(Path.cwd(), os.environ)
    terminal = make_terminal()
    records = RunStore(repo.state_dir).list()
    for record in records[:max_count]:
        terminal.print(log_line(record, terminal))
    if not records:
        terminal.tell("litecode: there is no run yet")
