"""The yes of a person to a machine that code may be sent to: asked once for each host, with the numbers, and kept in
git's configuration for the user. A hook never asks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from litecode.core.git.repository import Repository
from litecode.core.world import World
from litecode.hooks.show.terminal import Terminal, visible

CONSENT = "litecode.remote"


def strangers(world: World) -> tuple[str, ...]:
    """The hosts of the endpoints that nobody has said yes to."""
    return tuple(host for host in world.remote if host not in world.settings.remote)


def agrees(
    repo: Repository, hosts: tuple[str, ...], numbers: str, terminal: Terminal, ask: Callable[[str], str] = input
) -> bool:
    """Whether the person says yes to all of them; then it is kept. Without a terminal nobody is asked."""
    if not hosts or not is_interactive(terminal):
        return False
    for host in hosts:
        terminal.tell(f"litecode: {visible(host)} is not this machine. This run would send there: {numbers}.")
        terminal.tell("litecode: What is sent can be read, kept and, on free plans, used for training there.")
        terminal.tell(f"Send code to {visible(host)}, now and in later runs? [y/N]")
        try:
            answer = ask("")
        except EOFError:
            return False
        if answer.strip().lower() not in {"y", "yes"}:
            return False
        remember(repo, host)
        terminal.tell(f"litecode: to take it back: git config --global --unset-all {CONSENT} '^{visible(host)}$'")
    return True


def remember(repo: Repository, host: str) -> None:
    """Written by git itself, so that it lands where git reads it."""
    repo.git.write("config", "--global", "--add", CONSENT, host)


def is_interactive(terminal: Terminal) -> bool:
    try:
        return sys.stdin.isatty() and terminal.err.isatty()
    except ValueError:  # closed
        return False
