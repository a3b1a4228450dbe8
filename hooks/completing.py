"""Completion of command lines by bash, zsh and fish: click's own scripts, taught that `git litecode` is `git-litecode`.

A script asks the program on every TAB, with the words so far in the environment, so that it knows the commands and
options of the version that is installed, and the rules and runs of the repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")
EXECUTABLE = "git-litecode"
VARIABLE = "_GIT_LITECODE_COMPLETE"  # as click names it

# Git's own completion calls `_git_NAME` for a command that it does not know, with the line in `words` and `cword`, and
# leaves it to the candidates to end with a blank.
_BASH = """
_git_litecode() {
    local at=1
    while [ "$at" -lt "$cword" ] && [ "${words[at]}" != litecode ]; do at=$((at + 1)); done
    local COMP_CWORD=$((cword - at))
    local -a COMP_WORDS=(git-litecode "${words[@]:at+1}")
    %(function)s git-litecode
    if [ ${#COMPREPLY[@]} -gt 0 ]; then COMPREPLY=("${COMPREPLY[@]/%%/ }"); fi
}
"""
# zsh's `_git` calls `_git-NAME`, with `words` beginning at NAME.
_ZSH = """
_git-litecode() {
    %(function)s
}
"""
# fish asks the completions of `git-NAME` by itself, from 3.7 on.
_FISH = """
function %(function)s_of_git
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains --index litecode $words)
    and complete --do-complete (string escape -- git-litecode $words[(math $at + 1)..-2] | string join ' ')" $words[-1]"
end

complete --no-files --command git --condition '__fish_git_using_command litecode' --arguments \
"(%(function)s_of_git)"
"""
_WRAPPERS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def script(shell: str, group: click.Command) -> str:
    """What the shell has to read."""
    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(group, {}, EXECUTABLE, VARIABLE)
    text: str = made.source_template % made.source_vars()
    return text + _WRAPPERS[shell] % {"function": made.func_name}


def answer(group: click.Command, instruction: str) -> int:
    """Print the candidates for the words in the environment; `instruction` is the value of VARIABLE."""
    from click.shell_completion import shell_complete

    return shell_complete(group, {}, EXECUTABLE, VARIABLE, instruction)


def _quiet(find: Callable[[], Iterable[tuple[str, str]]]) -> Completer:
    """Candidates with a word about each. Nobody wants a message in the middle of a line: what fails has none."""

    @wraps(find)
    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            return [CompletionItem(name, help=said) for name, said in find() if name.startswith(incomplete)]
        except Exception:
            return []

    return complete


@_quiet
def runs() -> Iterable[tuple[str, str]]:
    """The runs of this worktree, the newest first."""
    from litecode.core.git.repository import Repository
    from litecode.core.store.runs import RunStore

    records = RunStore(Repository.discover(Path.cwd(), os.environ).state_dir).list()
    return [(record.id, record.request or " ".join(record.command)) for record in records]


@_quiet
def rules() -> Sequence[tuple[str, str]]:
    """The rules of this repository."""
    from litecode.config.load import load_rules
    from litecode.core.git.repository import Repository
    from litecode.hooks.fast import RULES_FILE
    from litecode.hooks.rules_file import find_rules

    found = find_rules(Repository.discover(Path.cwd(), os.environ), hook=False)
    return [(rule.id, rule.message) for rule in load_rules(found.data, RULES_FILE).rules] if found is not None else ()


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shell knows the files better."""
    return [CompletionItem(incomplete, type="file")]
