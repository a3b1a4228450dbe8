"""`git litecode run`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.errors import UsageError
from litecode.core.git.repository import Repository
from litecode.core.values import Apply
from litecode.core.world import Options
from litecode.hooks.asking import check_revisions, repository_paths, skipped_rules, terminal
from litecode.hooks.performing import Manner, perform
from litecode.hooks.selecting import selecting


@click.command()
@selecting
@click.option("-m", "--message", metavar="TEXT", help="Carry out a request in place of the rules.")
@click.option("--yes", is_flag=True, help="Stage also what is held only because nobody has said yes.")
@click.option("--apply", type=click.Choice([way.value for way in Apply]), help="What to do with proven patches.")
@click.option("--no-cache", is_flag=True, help="Ask the model again, also what is known from earlier runs.")
@click.option("--dry-run", is_flag=True, help="Show what would be done: call no model, change nothing.")
def command(
    *,
    paths: tuple[str, ...],
    all_files: bool,
    from_ref: str | None,
    to_ref: str | None,
    only: tuple[str, ...],
    form: str,
    verbose: bool,
    message: str | None,
    yes: bool,
    apply: str | None,
    no_cache: bool,
    dry_run: bool,
) -> int:
    """Apply the rules to the staged files, and stage what is proven.

    What is not proven is held: it is kept as a patch and shown, and never staged by itself. So is what a request (-m)
    has made, until you say yes.
    """
    check_revisions(all_files, from_ref, to_ref)
    cwd = Path.cwd()
    repo = Repository.discover(cwd, os.environ)
    options = Options(
        paths=repository_paths(repo, paths, cwd),
        all_files=all_files,
        from_ref=from_ref,
        to_ref=to_ref,
        yes=yes,
        dry_run=dry_run,
        fresh=no_cache,
        only=only,
        skip=skipped_rules(os.environ),
    )
    way = Apply(apply) if apply else None
    if message is not None:
        if only or form not in ("text", "json"):
            option = "--only" if only else f"--format {form}"
            raise UsageError(f"{option} is about rules, and -m is a request in their place", "leave one of them out")
        from litecode.hooks.requesting import request

        return request(repo, options, message, terminal(), os.environ, apply=way, manner=Manner(form, verbose))
    return perform(repo, options, terminal(), os.environ, apply=way, manner=Manner(form, verbose))
