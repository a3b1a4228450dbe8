"""`git litecode doctor`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS
from litecode.hooks.checking import Check, Health
from litecode.hooks.doctor import examine
from litecode.hooks.show.terminal import visible


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--call", is_flag=True, help="Make a call, to see how fast the model is and what is set up for it.")
def command(form: str, *, call: bool) -> int:
    """Check that everything is in place, one line each, with the remedy. Exit code 1 when there is a problem."""
    checks = []
    for check in examine(Path.cwd(), os.environ, call=call):
        checks.append(check)
        if form == "text":
            _print(check)
    if form == "json":
        import json

        click.echo(json.dumps([check._asdict() for check in checks], indent=2, ensure_ascii=False))
    return EXIT_FINDINGS if any(check.health is Health.PROBLEM for check in checks) else EXIT_CLEAN


def _print(check: Check) -> None:
    colours = {Health.OK: "green", Health.WARNING: "yellow", Health.PROBLEM: "red"}
    mark = click.style(f"{check.health:8}", fg=colours[check.health])
    remedy = f"\n{'':21}-> {visible(check.remedy, chr(10))}" if check.remedy else ""
    click.echo(f"{mark} {check.name:11} {visible(check.detail, chr(10))}{remedy}")
