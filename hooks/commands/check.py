"""`git litecode check`"""

from __future__ import annotations

import os
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
) -> int:
    """Show what breaks a rule, and change nothing.

    A finding is a line `path:line:col: rule-id message`. The exit code is 1 when there is an error among them.
    """
    if diff and form != "text":
        raise UsageError(f"--diff and --format {form} ask for different output", "leave one of them out")
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
    )
    return perform(repo, options, terminal(), os.environ, manner=Manner(form, verbose, diff))
