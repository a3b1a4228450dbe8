"""`git litecode map`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.git.repository import Repository
from litecode.hooks.asking import repository_paths
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import files


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=files)
@click.option(
    "-m", "--message", metavar="TEXT", help="Show the files that fit this request first, and how well they do."
)
@click.option("--all-files", is_flag=True, help="Every tracked file instead of the staged ones.")
@click.option("--tokens", type=click.IntRange(min=1), metavar="NUMBER", help="How many tokens the map may have.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@click.option("-v", "--verbose", is_flag=True, help="Also list the files that were left out.")
def command(
    *, paths: tuple[str, ...], message: str | None, all_files: bool, tokens: int | None, form: str, verbose: bool
) -> None:
    """Show what a planner sees of the files: the map, its tokens, and what was left out of it.

    Calls no model. Reads the files of the index, like every run.
    """
    from litecode.hooks.mapping import MapOptions, make_map, show_map

    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    options = MapOptions(repository_paths(repo, paths, cwd), all_files, message, tokens)
    show_map(make_map(repo, options), make_terminal(), form, verbose)
