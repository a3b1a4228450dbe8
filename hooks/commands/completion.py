"""`git litecode completion`"""

from __future__ import annotations

import click

from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import SHELLS


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print what makes a shell complete `git litecode`, to be read by it.

    Commands, options, the rules and the runs of the repository are completed.
    """
    from litecode.hooks.cli import group
    from litecode.hooks.completing import script

    make_terminal().print(script(shell, group).rstrip("\n"))
