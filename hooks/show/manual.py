"""The manual of all commands, made from their own help: a man page, and docs/commands.md.

    python -m litecode.hooks.show.manual man > docs/git-litecode.1
    python -m litecode.hooks.show.manual markdown > docs/commands.md

git sends `git litecode --help` to the man page, so there has to be one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import click

from litecode.core.errors import EXIT_CLEAN, EXIT_FAILED, EXIT_FINDINGS, EXIT_INTERRUPTED
from litecode.hooks.cli import COMMANDS, PROGRAM, group

EXITS = (
    (EXIT_CLEAN, "nothing is left to do"),
    (EXIT_FINDINGS, "a finding with severity error remains, or a patch is held or rejected"),
    (EXIT_FAILED, "the job could not be done"),
    (EXIT_INTERRUPTED, "interrupted; nothing was changed, unless the last line says so"),
)


@dataclass(frozen=True, slots=True)
class Page:
    """What one command says of itself; `options` are pairs of how to write one and what it does."""

    name: str
    usage: str
    paragraphs: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


def pages() -> Iterator[Page]:
    """One for each command, and one for each command of a command, in the order of the help."""
    for name in COMMANDS:
        command = group.get_command(None, name)
        assert command is not None
        yield from _pages(name, command)


def _pages(name: str, command: click.Command) -> Iterator[Page]:
    context = click.Context(command, info_name=f"{PROGRAM} {name}", help_option_names=["-h", "--help"])
    usage = " ".join((f"{PROGRAM} {name}", *command.collect_usage_pieces(context)))
    text = (command.help or "").replace("\b", "")
    paragraphs = tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
    rows = (parameter.get_help_record(context) for parameter in command.get_params(context))
    options = tuple((row[0], " ".join(row[1].split())) for row in rows if row is not None)
    yield Page(name, usage, paragraphs, options)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                yield from _pages(f"{name} {inner}", found)


def markdown() -> str:
    """docs/commands.md"""
    lines = ["# Commands", "", "Made from the help of the program: `git litecode COMMAND -h` says the same.", ""]
    for page in pages():
        lines += [f"## `{PROGRAM} {page.name}`", "", f"    {page.usage}", ""]
        for paragraph in page.paragraphs:
            lines += [paragraph, ""]
        if page.options:
            lines += ["| option | what it does |", "| --- | --- |"]
            lines += [f"| `{_cell(option)}` | {_cell(does)} |" for option, does in page.options] + [""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def man() -> str:
    """docs/git-litecode.1, for `man git-litecode` and `git litecode --help`."""
    lines = ['.TH GIT\\-LITECODE 1 "" "LiteCode" "LiteCode Manual"', ".SH NAME"]
    lines += ["git\\-litecode \\- keep conventions on the staged files of a commit, with a small local model"]
    lines += [".SH SYNOPSIS", ".B git litecode", ".I COMMAND", "[\\fIOPTION\\fR]...", ".SH DESCRIPTION"]
    lines += [_roff(" ".join((group.help or "").split())), ".SH COMMANDS"]
    for page in pages():
        lines += [f".SS {_roff(f'{PROGRAM} {page.name}')}", ".nf", _roff(page.usage), ".fi"]
        for paragraph in page.paragraphs:
            lines += [".PP", _roff(paragraph)]
        for option, does in page.options:
            lines += [".TP", f"\\fB{_roff(option)}\\fR", _roff(does)]
    lines += [".SH EXIT STATUS"]
    for code, means in EXITS:
        lines += [".TP", f"\\fB{code}\\fR", _roff(means)]
    lines += [".SH SEE ALSO", "\\fBgit\\fR(1), \\fBgithooks\\fR(5)", ""]
    return "\n".join(lines)


def _roff(text: str) -> str:
    """Text as roff takes it: no escapes, no requests, hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


if __name__ == "__main__":
    sys.stdout.write(man() if sys.argv[1:] == ["man"] else markdown())
