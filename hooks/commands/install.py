"""`git litecode install`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.errors import UsageError
from litecode.core.git.repository import Repository
from litecode.hooks import install
from litecode.hooks.editor import write_schema
from litecode.hooks.place import locate


@click.command()
@click.option(
    "--shared",
    is_flag=True,
    help="Also change a hooks folder (core.hooksPath) that other repositories use or that is committed.",
)
@click.option(
    "--config",
    "in_config",
    is_flag=True,
    help="Configure the hooks in git's configuration (git 2.54), and touch no hooks folder.",
)
def command(shared: bool, in_config: bool) -> None:
    """Add the native hooks; one that is there already is kept and runs first."""
    if shared and in_config:
        raise UsageError("--shared and --config ask for different places", "leave one of them out")
    repository = Repository.discover(Path.cwd(), os.environ)
    for line in _installed(repository, shared, in_config):
        click.echo(line)
    write_schema(repository)


def _installed(repository: Repository, shared: bool, in_config: bool) -> list[str]:
    from litecode.hooks import config_hooks

    if in_config:
        return config_hooks.install(repository, locate(repository))
    if config_hooks.configured(repository):
        raise UsageError(
            "the hooks are in git's configuration already", "`git litecode uninstall` first takes them out"
        )
    return install.install(locate(repository), shared=shared)
