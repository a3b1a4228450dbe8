"""`git litecode test`"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import click

from litecode.config import keys, presets
from litecode.config.load import load_rules
from litecode.config.rules import Rule, RulesFile
from litecode.config.select import REPLIES, Selection, tags_for
from litecode.core.budget.door import Door
from litecode.core.errors import UsageError
from litecode.core.git.repository import Repository
from litecode.core.llm.tape import Tape
from litecode.core.ports import ModelPort
from litecode.core.rule_lint import Fault, lint
from litecode.core.rule_tests import check_example, examples_of
from litecode.hooks.asking import check_only, terminal
from litecode.hooks.completing import rules as rule_ids
from litecode.hooks.fast import RULES_FILE
from litecode.hooks.rules_file import find_rules, no_rules
from litecode.hooks.show.terminal import Terminal
from litecode.hooks.show.tests import Tested, exit_code_of, show_tests, tests_json
from litecode.hooks.world import settings_of


@click.command()
@click.argument("names", nargs=-1, metavar="[RULE]...", shell_complete=rule_ids)
@click.option("--record", is_flag=True, help="Ask the model for replies that are not recorded yet, and keep them.")
@click.option("--update", is_flag=True, help="Ask the model for all replies anew, and keep those.")
@click.option("--no-model", is_flag=True, help="Check only what needs no reply: what the rules find, and every `fix`.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="How to show the result.")
@click.option("-v", "--verbose", is_flag=True, help="Also show what passes, and notes.")
def command(names: tuple[str, ...], record: bool, update: bool, no_model: bool, form: str, verbose: bool) -> int:
    """Check rules against their `valid` and `invalid` examples, with recorded replies in place of the model.

    Without RULE all rules of the rules file are tested. `litecode:NAME` stands for the rules of a preset, which can be
    tested anywhere. The exit code is 1 when an example fails, 2 when a reply is not recorded.
    """
    if no_model and (record or update):
        raise UsageError("--no-model and --record ask for different things", "leave one of them out")
    asked = [name for name in names if not name.startswith(keys.PRESET_PREFIX)]
    packs = [name.removeprefix(keys.PRESET_PREFIX) for name in names if name.startswith(keys.PRESET_PREFIX)]
    shown = terminal()
    tested: list[Tested] = []
    for name in packs:
        rules = load_rules(presets.read(name), f"{keys.PRESET_PREFIX}{name}")
        tape = Tape(presets.replies(name), (), _model(record or update, None), again=update)
        tested += _test(rules.active, None if no_model else tape, shown, whole=True)
    if asked or not packs:
        repo = Repository.discover(Path.cwd(), os.environ)
        rules = _rules(repo, shown)
        check_only(rules, tuple(asked))
        chosen = [rule for rule in rules.active if not asked or rule.id in asked]
        # The rules of a preset come with their replies.
        others = [presets.replies(name) for name in presets.names()]
        tape = Tape(repo.file(REPLIES), others, _model(record or update, repo), again=update)
        found = _test(chosen, None if no_model else tape, shown, whole=not asked)
        tested += _with_notes(repo, rules, found) if verbose else found
    if form == "json":
        shown.print(tests_json(tested, version("litecode")))
    else:
        show_tests(tested, shown, verbose)
    return exit_code_of(tested)


def _rules(repo: Repository, shown: Terminal) -> RulesFile:
    found = find_rules(repo, hook=False)
    if found is None:
        raise no_rules(repo)
    rules = load_rules(found.data, RULES_FILE)
    for note in (found.note, *rules.warnings):
        if note:
            shown.tell(f"note: {note}")
    return rules


def _model(recording: bool, repo: Repository | None) -> ModelPort | None:
    """The model that the settings choose, for recording; a preset can be recorded outside of a repository."""
    if not recording:
        return None
    from litecode.config.settings import Settings
    from litecode.core.llm.choice import choose

    return choose(settings_of(repo)[0] if repo is not None else Settings(), os.environ)


def _test(rules: Sequence[Rule], tape: Tape | None, shown: Terminal, *, whole: bool) -> list[Tested]:
    opened: list[Door] = []

    def door() -> Door:
        if not opened:
            assert tape is not None
            opened.append(Door(tape, clock=time.monotonic))
        return opened[0]

    if tape is None:
        return [_tested(rule, None) for rule in rules]
    tape.check(whole=whole)
    done = False
    try:
        tested = [_tested(rule, door) for rule in rules]
        done = True
    finally:
        # What an interrupted recording has is not asked for again the next time.
        tape.save(whole=whole and done)
        tape.close()
    if tape.asked:
        shown.tell(f"litecode: {tape.asked} replies of {tape.name} recorded")
    return tested


def _tested(rule: Rule, door: Callable[[], Door] | None) -> Tested:
    faults = lint(rule)
    examples = () if any(fault.fatal for fault in faults) else examples_of(rule)
    return Tested(rule, faults, tuple(check_example(rule, example, door) for example in examples))


def _with_notes(repo: Repository, rules: RulesFile, tested: Sequence[Tested]) -> list[Tested]:
    """A rule that no file of the repository comes under has most likely a slip in `files` or `types`."""
    from litecode.core.git.objects import Objects
    from litecode.core.git.worklist import work_list

    selection = Selection.of(rules)
    reached: set[str] = set()
    with Objects.of(repo) as objects:
        for file in work_list(repo, all_files=True).files:
            tags = partial(tags_for, file.path, file.mode, partial(objects.read, file.oid))
            reached.update(selection.ids(file.path, tags))
    note = Fault("no file of this repository comes under it", "look at `files`, `exclude` and `types`", note=True)
    return [one if one.rule.id in reached else Tested(one.rule, (*one.faults, note), one.checked) for one in tested]
