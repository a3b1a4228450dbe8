"""`git litecode review`"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, UsageError
from litecode.core.git.repository import Repository
from litecode.hooks.asking import repository_paths
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import files, runs


@click.command()
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=runs)
@click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=files)
@click.option("--list", "listing", is_flag=True, help="Show the hunks with their numbers and ask nothing.")
@click.option("--accept", multiple=True, metavar="WHICH", help="Stage PATH or PATH:HUNK; asks nothing, repeatable.")
@click.option("--reject", multiple=True, metavar="WHICH", help="Drop PATH or PATH:HUNK; asks nothing, repeatable.")
def command(
    run_id: str | None, paths: tuple[str, ...], listing: bool, accept: tuple[str, ...], reject: tuple[str, ...]
) -> int:
    """Go through the held patches of a run, hunk by hunk, with the keys of `git add -p`.

    The answers are read from standard input, a line each, so that a pipe can give them; everything is staged together
    at the end. What is not decided stays held. Without an ID the last run is reviewed that holds something which is not
    in the index already. The exit code is 1 while something is held.
    """
    from litecode.hooks.deciding import carry, chosen, open_run
    from litecode.hooks.show.review import Dialogue, Item, Stance, choose, closing, show_items
    from litecode.hooks.text_editor import edit

    if listing and (accept or reject):
        raise UsageError("--list decides nothing", "leave it out, or --accept and --reject")
    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    terminal = make_terminal()
    run = open_run(repo, run_id, terminal)
    items = [Item.of(run, patch, repo.object_format) for patch in chosen(run, repository_paths(repo, paths, cwd))]
    if listing:
        show_items(items, terminal)
        return EXIT_FINDINGS
    if accept or reject:
        choose(items, accept, Stance.TAKEN, lambda name: repo.relative(name, cwd))
        choose(items, reject, Stance.DROPPED, lambda name: repo.relative(name, cwd))
    else:
        echo = not (sys.stdin and sys.stdin.isatty())
        Dialogue(terminal, _answer, lambda text: edit(repo, text, os.environ), echo).hold(items)
    terminal.tell(f"litecode: {closing(items)}")
    decisions = [decision for item in items if (decision := item.decision()) is not None]
    return carry(repo, run, decisions, terminal) if decisions else EXIT_FINDINGS if items else EXIT_CLEAN


def _answer() -> str | None:
    """The next line of standard input, None when there is none."""
    line = sys.stdin.readline() if sys.stdin else ""
    return line.rstrip("\r\n") if line else None
