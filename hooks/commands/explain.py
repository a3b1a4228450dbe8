"""`git litecode explain`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from litecode.config import keys, presets
from litecode.config.load import load_rules
from litecode.config.rules import RulesFile
from litecode.core.errors import UsageError
from litecode.core.git.repository import Repository
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.completing import rules as rule_ids
from litecode.hooks.fast import RULES_FILE
from litecode.hooks.rules_file import find_rules, no_rules
from litecode.hooks.show.rule import list_lines, rule_lines
from litecode.hooks.show.terminal import Terminal


@click.command()
@click.argument("rule_id", metavar="[RULE]", required=False, shell_complete=rule_ids)
def command(rule_id: str | None) -> None:
    """Say a rule in words: what it looks at, what it finds, what happens then. Without a RULE, list them all.

    `litecode:NAME` lists the rules of a preset, which can be done anywhere.
    """
    terminal = make_terminal()
    if rule_id is not None and rule_id.startswith(keys.PRESET_PREFIX):
        _list(load_rules(presets.read(rule_id.removeprefix(keys.PRESET_PREFIX)), rule_id), terminal)
        return
    repo = Repository.discover(Path.cwd(), os.environ)
    found = find_rules(repo, hook=False)
    if found is None:
        raise no_rules(repo)
    rules = load_rules(found.data, RULES_FILE)
    if rule_id is None:
        _list(rules, terminal)
        return
    chosen = next((rule for rule in rules.rules if rule.id == rule_id), None)
    if chosen is None:
        from difflib import get_close_matches

        near = get_close_matches(rule_id, [rule.id for rule in rules.rules], 1)
        hint = f"did you mean `git litecode explain {near[0]}`?" if near else "`git litecode explain` lists the rules"
        raise UsageError(f"there is no rule {rule_id}", hint)
    for line in rule_lines(chosen, rules, terminal):
        terminal.print(line)


def _list(rules: RulesFile, terminal: Terminal) -> None:
    for line in list_lines(rules, terminal):
        terminal.print(line)
    if not rules.rules:
        terminal.tell(f"litecode: {RULES_FILE} has no rules yet")
