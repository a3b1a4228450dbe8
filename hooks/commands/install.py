"""`git litecode install`"""

from __future__ import annotations

import os
from pathlib import Path

import click

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
def command(shared: bool) -> None:
    """Add the native hooks; one that is there already is kept and runs first."""
    repository = Repository.discover(Path.cwd(), os.environ)
    for line in install.install(locate(repository), shared=shared):
        click.echo(line)
    write_schema(repository)
