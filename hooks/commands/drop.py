"""`git litecode drop`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.git.repository import Repository
from litecode.hooks.asking import repository_paths
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import files, runs


@click.command()
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=runs)
@click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=files)
def command(run_id: str | None, paths: tuple[str, ...]) -> int:
    """Forget the held patches of a run; index and worktree stay as they are.

    Without an ID those of the last run that holds something. With a PATH only those of these files and folders.
    """
    from litecode.core.held import dropped
    from litecode.hooks.deciding import carry, chosen, open_run

    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    terminal = make_terminal()
    run = open_run(repo, run_id, terminal, over=True)
    patches = chosen(run, repository_paths(repo, paths, cwd))
    return carry(repo, run, [dropped(repo, patch) for patch in patches], terminal)
