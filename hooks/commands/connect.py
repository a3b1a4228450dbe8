"""`git litecode connect`"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from litecode.core.errors import UsageError
from litecode.core.git.process import GitEnv
from litecode.core.llm.probe import Probe
from litecode.hooks.asking import terminal
from litecode.hooks.connecting import Wanted, at_hand, keep, tested, wanted_of
from litecode.hooks.remote import is_interactive
from litecode.hooks.show.terminal import Terminal, visible

EXAMPLES = "for example: git litecode connect embedded; git litecode connect http://127.0.0.1:8080/v1 --model NAME"


@click.command()
@click.argument("endpoint", required=False)
@click.option("--model", default="", metavar="NAME", help="The model, as the endpoint names it.")
@click.option("--key-variable", metavar="NAME", help="The environment variable that has the key for this host.")
@click.option("--key-helper", metavar="COMMAND", help="A command that prints the key for this host.")
@click.option("--keyring", metavar="SERVICE[/USER]", help="The entry of the keyring with the key for this host.")
@click.option("--allow-remote", is_flag=True, help="Code may be sent to this host, which is another machine.")
@click.option("--add", "more", is_flag=True, help="Add the endpoint to those that are there.")
@click.option("--no-test", is_flag=True, help="Make no call; write the settings unseen.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    *,
    endpoint: str | None,
    model: str,
    key_variable: str | None,
    key_helper: str | None,
    keyring: str | None,
    allow_remote: bool,
    more: bool,
    no_test: bool,
    form: str,
) -> int:
    """Choose where the model runs: `embedded`, `ollama`, or the address of an OpenAI-compatible server.

    One call is made to see that it works; then the choice is written to your own git configuration, never to that of
    a repository. Without ENDPOINT you are asked. Keys are not settings: say where yours is.
    """
    out = terminal()
    keys = [("keyVariable", key_variable), ("keyHelper", key_helper), ("keyring", keyring)]
    given = [(name, value) for name, value in keys if value is not None]
    if len(given) > 1:
        raise UsageError("there is one place for a key", "give one of --key-variable, --key-helper and --keyring")
    git = GitEnv.of(Path.cwd(), os.environ)
    if endpoint is None:
        if form == "json" or not is_interactive(out):
            raise UsageError("there is nobody to ask", EXAMPLES)
        endpoint, model, given = _asked(out, model, given)
    wanted = replace(wanted_of(endpoint, model, given[0] if given else None, os.environ), more=more)
    if wanted.host and not allow_remote:
        _consent(wanted, out, can_ask=form == "text" and is_interactive(out))
    found = None if no_test else tested(wanted, git, os.environ)
    _show(wanted, found, keep(wanted, git), out, form)
    return 0


def _asked(out: Terminal, model: str, given: Sequence[tuple[str, str]]) -> tuple[str, str, list[tuple[str, str]]]:
    """Endpoint, model and key by a short conversation."""
    choices = at_hand(os.environ)
    for number, choice in enumerate(choices, 1):
        out.tell(f"{number:>3}  {visible(choice.words)}")
    out.tell("     or the address of an OpenAI-compatible server, e.g. http://127.0.0.1:8080/v1")
    said = click.prompt("Where does the model run?", default="1" if choices else None, err=True).strip()
    if said.isdecimal() and 1 <= int(said) <= len(choices):
        choice = choices[int(said) - 1]
        return choice.endpoint, model or choice.model, list(given)
    model = model or click.prompt("The model, as the server names it (empty: the only one)", default="", err=True)
    if not given and said.startswith("https://"):
        name = click.prompt("The environment variable with the key (empty: no key)", default="", err=True).strip()
        return said, model.strip(), [("keyVariable", name)] if name else []
    return said, model.strip(), list(given)


def _consent(wanted: Wanted, out: Terminal, *, can_ask: bool) -> None:
    host = wanted.host
    hint = "add --allow-remote if code of your repositories may be sent there"
    if not can_ask:
        raise UsageError(f"{visible(host)} is not this machine", hint)
    out.tell(f"{visible(host)} is another machine. The code that rules and requests are about will be sent there:")
    out.tell("up to a window of tokens in each call. It can be read, kept and, on free plans, used for training.")
    if wanted.site is not None and wanted.site.scheme != "https":
        out.tell(
            "The connection is not encrypted: whoever is on the way can read it, too. A tunnel or https is better."
        )
    if not click.confirm(f"Send code to {visible(host)}?", err=True):
        raise UsageError(f"code is not sent to {visible(host)}, nothing was written", hint)


def _show(wanted: Wanted, found: Probe | None, written: Sequence[str], out: Terminal, form: str) -> None:
    if form == "json":
        import json

        facts: dict[str, object] = {"endpoint": wanted.endpoint, "host": wanted.host, "written": list(written)}
        if found is not None:
            facts |= {
                "model": found.name,
                "digest": "" if "://" in found.digest else found.digest,
                "window": found.window,
                "allocated": found.allocated,
                "tokens_per_second": round(found.speed, 2),
                "seconds": round(found.seconds, 3),
            }
        out.print(json.dumps(facts, indent=2))
        return
    if found is not None:
        allocated = f", {found.allocated:,} set up" if found.allocated else ""
        out.print(visible(f"{found.name} answers: {found.window:,} tokens{allocated}, {found.speed:.1f} tokens/s"))
    for line in written:
        out.print(visible(line))
    if os.environ.get("LITECODE_ENDPOINT"):
        out.tell("note: LITECODE_ENDPOINT is set in the environment and goes before this")
