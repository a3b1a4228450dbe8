"""`git litecode trust`"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from litecode.config.load import load_rules
from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, UsageError
from litecode.core.git.repository import Repository
from litecode.core.trust.approvals import Approvals
from litecode.core.verifying import commands_of
from litecode.hooks.asking import terminal
from litecode.hooks.fast import RULES_FILE
from litecode.hooks.rules_file import find_rules, no_rules
from litecode.hooks.show.terminal import visible


@click.command()
@click.option("--yes", is_flag=True, help="Trust without being asked; the commands are printed all the same.")
@click.option("--show", is_flag=True, help="Only show the commands; exit code 1 when they are not trusted.")
@click.option("--revoke", is_flag=True, help="Take the trust in this repository back.")
def command(*, yes: bool, show: bool, revoke: bool) -> int:
    """Let the `verify` commands of .litecode.yaml run, on a copy of what is to be committed.

    The trust is for this worktree and for these commands word by word; it is kept outside of the repository. When a
    command is changed, it has to be given again. It says nothing about the files that the commands run.
    """
    if yes + show + revoke > 1:
        raise UsageError("--yes, --show and --revoke do different things", "give one of them")
    repo = Repository.discover(Path.cwd(), os.environ)
    approvals = Approvals.of(os.environ)
    out = terminal()
    if revoke:
        out.print("the trust is taken back" if approvals.revoke(repo.top) else "nothing was trusted here")
        return EXIT_CLEAN
    found = find_rules(repo, hook=False)
    if found is None:
        raise no_rules(repo)
    commands = commands_of(load_rules(found.data, RULES_FILE))
    if not commands:
        out.print(f"{RULES_FILE} has no verify commands")
        return EXIT_CLEAN
    for words in commands:
        out.print(visible(shlex.join(words)))
    if approvals.are_approved(repo.top, commands):
        out.tell("litecode: these commands are trusted")
        return EXIT_CLEAN
    if show:
        out.tell("litecode: these commands are not trusted: git litecode trust")
        return EXIT_FINDINGS
    if not yes and not _agrees(repo.top.name):
        out.tell("litecode: not trusted, they will not be run")
        return EXIT_FINDINGS
    approvals.approve(repo.top, commands)
    out.tell("litecode: trusted; git litecode trust --revoke takes it back")
    return EXIT_CLEAN


def _agrees(name: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("there is nobody to ask", "look at the commands, then: git litecode trust --yes")
    return click.confirm(f"Run these commands as you, with the files of {visible(name)} in a copy?", err=True)
