"""`git litecode ask`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.git.repository import Repository
from litecode.core.world import Options
from litecode.hooks.asking import repository_paths, terminal
from litecode.hooks.completing import files


@click.command()
@click.argument("question")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=files)
@click.option("--all-files", is_flag=True, help="Look at every tracked file, also while something is staged.")
def command(*, question: str, paths: tuple[str, ...], all_files: bool) -> int:
    """Answer a question about the staged files, or about all files while nothing is staged.

    The answer goes to stdout. No file, and nothing else, is changed.
    """
    from litecode.hooks.requesting import question as ask

    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    options = Options(paths=repository_paths(repo, paths, cwd), all_files=all_files)
    return ask(repo, options, question, terminal(), os.environ)
