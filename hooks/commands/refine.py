"""`git litecode refine`"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from litecode.config.edit import with_pattern, with_regex
from litecode.config.rules import AstPattern, Rule
from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, ConfigError, RuleError, UsageError
from litecode.core.executing.rules import compile_rule
from litecode.core.git.repository import Repository
from litecode.core.patching.diffs import unified
from litecode.core.reading import read
from litecode.core.refining import Way, finding, lost, noise_of, ways
from litecode.core.world import Options, World
from litecode.hooks.asking import check_only, terminal
from litecode.hooks.completing import rules
from litecode.hooks.fast import RULES_FILE
from litecode.hooks.remote import is_interactive
from litecode.hooks.show.diff import print_diff
from litecode.hooks.show.terminal import Terminal, cut, visible
from litecode.hooks.world import build_world

MOST_SHOWN = 10  # places that are listed


@click.command()
@click.argument("rule_id", metavar="RULE", shell_complete=rules)
@click.option(
    "--choose", type=click.IntRange(1), metavar="N", help="Take the way with this number; default: the first."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
def command(rule_id: str, choose: int | None, dry_run: bool) -> int:
    """Make a rule precise: find the smallest constraint that tells its `valid` from its `invalid` examples.

    The constraint is searched for in code, without a model, proven on the examples, and written into the pattern or
    regex of the rule. What it changes for the files of the repository is shown. At a terminal you are asked which one
    to take where there are several.
    """
    repo = Repository.discover(Path.cwd(), os.environ)
    shown = terminal()
    world = build_world(repo, os.environ)
    check_only(world.rules, (rule_id,))
    rule = next(one for one in world.rules.rules if one.id == rule_id)
    _check(rule)
    noise = noise_of(rule)
    if not noise.noisy:
        if choose is not None:
            hint = "take the constraint out that an earlier `git litecode refine` has written, then choose"
            raise UsageError(f"rule {rule_id} is precise: it finds none of its valid examples", hint)
        shown.tell(f"{rule_id} finds none of its {len(rule.tests.valid)} valid examples: nothing to do")
        return EXIT_CLEAN
    found = ways(rule)
    if not found:
        numbers = ", ".join(map(str, noise.noisy))
        shown.tell(f"{rule_id} finds valid {numbers}, and no small constraint keeps it from that")
        shown.tell("hint: write more examples of both sides, or make two rules of it")
        return EXIT_FINDINGS
    if choose is not None and choose > len(found):
        raise UsageError(f"there are {len(found)} ways, and no number {choose}", "add --dry-run to see them")
    _list(found, choose or 1, shown)
    if choose is None and len(found) > 1 and not dry_run and is_interactive(shown):
        choose = _asked(len(found))
        if choose == 0:
            return EXIT_CLEAN
    way = found[(choose or 1) - 1]
    _effect(world, rule, way, shown)
    _write(repo, rule, way, shown, dry_run=dry_run)
    return EXIT_CLEAN


def _asked(most: int) -> int:
    """The number of the way that the person at the terminal takes, 0 for none."""
    try:
        return int(click.prompt("Take which one (0: none)", default=1, type=click.IntRange(0, most), err=True))
    except click.Abort:
        return 0


def _check(rule: Rule) -> None:
    where = f"{rule.source}:{rule.line}"
    noise = noise_of(rule)
    if not rule.tests.valid or not rule.tests.invalid:
        hint = "write under `tests` what it must find, and what it must not"
        raise RuleError(f"rule {rule.id} has no examples of both sides", hint, where)
    if noise.missing:
        numbers = ", ".join(map(str, noise.missing))
        hint = "widen the pattern first: a constraint only takes matches away"
        raise RuleError(f"rule {rule.id} does not find invalid {numbers}", hint, where)


def _list(found: list[Way], choose: int, shown: Terminal) -> None:
    for number, way in enumerate(found, 1):
        shown.print(f"{'*' if number == choose else ' '} {number}  {visible(_words(way))}")


def _words(way: Way) -> str:
    """The way in one line, as it would stand in a rules file."""
    import yaml

    if way.guards:
        return "regex with " + " and ".join(way.guards)
    parts = dict(way.keys) | ({"constraints": dict(way.constraints)} if way.constraints else {})
    return str(
        yaml.safe_dump(parts, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000)
    ).strip()


def _effect(world: World, rule: Rule, way: Way, shown: Terminal) -> None:
    """What becomes of the matches in the files of the index."""
    total, gone = 0, []
    rules = tuple(finding(one) if one.id == rule.id else one for one in world.rules.rules)
    world = replace(world, rules=replace(world.rules, rules=rules))
    for work in read(world, Options(all_files=True, only=(rule.id,))).works:
        for before in work.rules:
            number, cuts = lost(before, compile_rule(way.rule, before.grammar), work.state)
            total += number
            gone += [(work, place) for place in cuts]
    shown.tell(f"of {total} matches in this repository {total - len(gone)} stay, {len(gone)} go")
    for work, place in gone[:MOST_SHOWN]:
        line, column = work.state.document.position(place.start)
        text = " ".join(place.of(work.state.document.text).split())
        shown.tell(f"  {visible(work.file.path)}:{line}:{column}: {cut(visible(text), 80)}")
    if len(gone) > MOST_SHOWN:
        shown.tell(f"  and {len(gone) - MOST_SHOWN} more")


def _write(repo: Repository, rule: Rule, way: Way, shown: Terminal, *, dry_run: bool) -> None:
    path = repo.file(RULES_FILE)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{RULES_FILE} cannot be read: {error.strerror}", "restore it in the worktree") from error
    new = _edited(data, rule, way)
    print_diff(unified(RULES_FILE, "100644", data, new), shown)
    if dry_run:
        return
    try:
        path.write_bytes(new)
    except OSError as error:
        raise ConfigError(f"{RULES_FILE} cannot be written: {error.strerror}", "check its permissions") from error
    shown.tell(f"wrote {RULES_FILE}; `git litecode test {rule.id}` tests the rule")


def _edited(data: bytes, rule: Rule, way: Way) -> bytes:
    """The line ends of the file stay as they are."""
    text = data.decode("utf-8-sig")
    bom, crlf = data[: len(data) - len(text.encode())], "\r\n" in text
    text = text.replace("\r\n", "\n")
    if way.rule.regex is not None:
        new = with_regex(text, rule.id, way.rule.regex)
    else:
        pattern = way.rule.pattern or AstPattern({})
        new = with_pattern(text, rule.id, way.keys, way.constraints, pattern)
    return bom + (new.replace("\n", "\r\n") if crlf else new).encode()
