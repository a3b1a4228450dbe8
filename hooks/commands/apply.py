"""`git litecode apply`"""

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
@click.option(
    "--index-only",
    is_flag=True,
    help="Where unstaged edits are in the way, stage the patch and leave the worktree file alone.",
)
def command(run_id: str | None, paths: tuple[str, ...], index_only: bool) -> int:
    """Stage the held patches of a run.

    Without an ID those of the last run that holds something which is not in the index already. With a PATH only those
    of these files and folders. What was staged or edited since the run stays; a patch that touches it is left held.
    """
    from litecode.core.held import whole
    from litecode.hooks.deciding import carry, chosen, open_run

    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    terminal = make_terminal()
    run = open_run(repo, run_id, terminal)
    patches = chosen(run, repository_paths(repo, paths, cwd))
    return carry(repo, run, [whole(repo, patch) for patch in patches], terminal, index_only=index_only)
