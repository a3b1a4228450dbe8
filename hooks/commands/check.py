"""`git litecode check`"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from litecode.core.errors import UsageError
from litecode.core.git.repository import Repository
from litecode.core.world import Options
from litecode.hooks.asking import check_revisions, repository_paths, skipped_rules, terminal
from litecode.hooks.performing import Manner, perform
from litecode.hooks.selecting import selecting


@click.command()
@selecting
@click.option("--diff", is_flag=True, help="Print the diff that `run` would make, and nothing else.")
@click.option("--no-model", is_flag=True, help="Call no model: patterns and fixes only.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Be quiet about what this file lists."
)
@click.option(
    "--write-baseline", type=click.Path(path_type=Path), metavar="FILE", help="List all findings in a file, for later."
)
@click.option("--stdin-filename", metavar="PATH", help="Check standard input as if it were this file.")
def command(
    *,
    paths: tuple[str, ...],
    all_files: bool,
    from_ref: str | None,
    to_ref: str | None,
    only: tuple[str, ...],
    form: str,
    verbose: bool,
    diff: bool,
    no_model: bool,
    baseline: Path | None,
    write_baseline: Path | None,
    stdin_filename: str | None,
) -> int:
    """Show what breaks a rule, and change nothing.

    A finding is a line `path:line:col: rule-id message`. The exit code is 1 when there is an error among them.
    """
    if diff and form != "text":
        raise UsageError(f"--diff and --format {form} ask for different output", "leave one of them out")
    if baseline is not None and write_baseline is not None:
        raise UsageError("--baseline and --write-baseline do not go together", "write it first, then use it")
    if stdin_filename is not None and (paths or all_files or from_ref):
        raise UsageError("--stdin-filename is about one file alone", "leave out other files and revisions")
    check_revisions(all_files, from_ref, to_ref)
    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    options = Options(
        paths=repository_paths(repo, paths, cwd),
        all_files=all_files,
        from_ref=from_ref,
        to_ref=to_ref,
        check=True,
        no_model=no_model,
        only=only,
        skip=skipped_rules(os.environ),
        content=(repo.relative(stdin_filename, cwd), sys.stdin.buffer.read()) if stdin_filename is not None else None,
    )
    manner = Manner(form, verbose, diff, baseline, write_baseline)
    return perform(repo, options, terminal(), os.environ, manner=manner)
