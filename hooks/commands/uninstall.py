"""`git litecode uninstall`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.git.repository import Repository
from litecode.hooks import config_hooks, install
from litecode.hooks.editor import remove_schema
from litecode.hooks.place import locate


@click.command()
def command() -> None:
    """Take away what `install` added, and put back the hooks that were there before."""
    repository = Repository.discover(Path.cwd(), os.environ)
    lines = install.uninstall(locate(repository)) + config_hooks.uninstall(repository)
    for line in lines or ["no hook of LiteCode is installed here"]:
        click.echo(line)
    remove_schema(repository)
