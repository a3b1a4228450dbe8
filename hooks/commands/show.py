"""`git litecode show`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.git.repository import Repository
from litecode.core.store.runs import RunStore
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import runs
from litecode.hooks.selecting import FORMATS


@click.command()
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=runs)
@click.option("--calls", is_flag=True, help="Also show every prompt and reply, with token counts.")
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="text", help="How to show it.")
def command(run_id: str | None, calls: bool, form: str) -> None:
    """Show a run: verdicts, reasons and diffs. Without an ID the last one; the first digits of an ID are enough."""
    from litecode.core.world import Options
    from litecode.hooks.show.history import show_page

    repo = Repository.discover(Path.cwd(), os.environ)
    run = RunStore(repo.state_dir).load(run_id)
    terminal = make_terminal()
    if form == "json":
        from importlib.metadata import version

        from litecode.hooks.show.json import run_json

        terminal.print(run_json(run, Options(), version("litecode")))
    else:
        show_page(run, terminal, calls)
