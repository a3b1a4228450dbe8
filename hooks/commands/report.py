"""`git litecode report`"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import click

from litecode.core.errors import UsageError, clause_of
from litecode.core.git.repository import Repository
from litecode.core.store.runs import RunStore
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import runs


@click.command()
@click.argument("run_id", metavar="[ID]", required=False, shell_complete=runs)
@click.option(
    "--html", "target", metavar="FILE", required=True, type=click.Path(path_type=Path), help="Where to write."
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(run_id: str | None, target: Path, force: bool) -> None:
    """Write a run as one HTML page: verdicts, diffs side by side, time and tokens of every call.

    The page needs no network and no other file. It has code in it, as the run has.
    """
    from litecode.hooks.show.report import page

    repo = Repository.discover(Path.cwd(), os.environ)
    run = RunStore(repo.state_dir).load(run_id)
    text = page(run, version("litecode"))
    try:
        with target.open("w" if force else "x", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{target} is there already", "name another file, or add --force") from None
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {clause_of(error)}", "name another file") from None
    make_terminal().tell(f"litecode: the run {run.id} is in {target}")
