"""The options that `run` and `check` have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from litecode.hooks.completing import files, rules

FORMATS = ("text", "json", "github", "sarif")

F = TypeVar("F", bound=Callable[..., object])


def selecting(function: F) -> F:
    """The arguments and options that say what to look at and how to show it."""
    for decorate in reversed(
        (
            click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=files),
            click.option("--all-files", is_flag=True, help="Look at every tracked file, and at all of its lines."),
            click.option("--from-ref", metavar="REV", help="Look at what --to-ref changed since it left this commit."),
            click.option("--to-ref", metavar="REV", help="See --from-ref; HEAD if not given."),
            click.option(
                "--only",
                multiple=True,
                metavar="RULE",
                shell_complete=rules,
                help="Apply this rule alone; can be repeated.",
            ),
            click.option(
                "--format", "form", type=click.Choice(FORMATS), default="text", help="How to show the result."
            ),
            click.option("-v", "--verbose", is_flag=True, help="Also show what conforms and what was left alone."),
        )
    ):
        function = decorate(function)
    return function
