"""`git litecode plan`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.git.repository import Repository
from litecode.core.world import Options
from litecode.hooks.asking import check_revisions, repository_paths, terminal
from litecode.hooks.completing import files
from litecode.hooks.performing import Manner


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=files)
@click.option("-m", "--message", metavar="TEXT", required=True, help="The request to plan.")
@click.option("--all-files", is_flag=True, help="Look at every tracked file.")
@click.option("-v", "--verbose", is_flag=True, help="Also tell of each model call.")
def command(*, paths: tuple[str, ...], message: str, all_files: bool, verbose: bool) -> int:
    """Show the tasks that a request would become, and change nothing.

    A request that code can plan takes no model call.
    """
    from litecode.hooks.requesting import request

    check_revisions(all_files, None, None)
    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    options = Options(paths=repository_paths(repo, paths, cwd), all_files=all_files, dry_run=True)
    return request(repo, options, message, terminal(), os.environ, manner=Manner("text", verbose))
