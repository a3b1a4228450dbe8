"""The checks of `git litecode doctor`: one question each, with the remedy where the answer is bad."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from litecode.config.load import load_rules
from litecode.core.errors import LitecodeError
from litecode.core.git.process import GitEnv
from litecode.core.git.repository import Repository
from litecode.hooks.checking import (
    Check,
    Health,
    bad,
    check_endpoints,
    check_models,
    check_runs,
    check_trust,
)
from litecode.hooks.config_hooks import configured
from litecode.hooks.fast import RULES_FILE
from litecode.hooks.framework_config import CONFIG_FILE
from litecode.hooks.install import HOOKS, Shape, shape_of
from litecode.hooks.place import Place, locate
from litecode.hooks.world import settings_of

MOST_NAMED = 5  # rules
OLDEST_GIT = (2, 31)  # rev-parse --path-format


def examine(cwd: Path, environ: Mapping[str, str], *, call: bool = False) -> Iterator[Check]:
    """All checks, in the order in which one builds on the other. Nothing is changed; `call` asks the model, too."""
    git = check_git(cwd, environ)
    yield git
    if git.health is Health.PROBLEM:
        return
    try:
        repository = Repository.discover(cwd, environ)
    except LitecodeError as error:
        yield bad("repository", error)
        return
    yield Check("repository", Health.OK, str(repository.top))
    yield check_hooks(repository)
    yield check_rules(repository)
    yield from check_reach(repository)
    try:
        settings, warnings = settings_of(repository)
    except LitecodeError as error:
        yield bad("settings", error)
        return
    yield check_settings(warnings)
    yield check_trust(repository, settings, environ)
    yield check_runs(repository)
    yield from check_endpoints(settings, environ)
    yield from check_models(settings, environ, call=call)


def check_git(cwd: Path, environ: Mapping[str, str]) -> Check:
    try:
        said = GitEnv.of(cwd, environ).read("--version").out.decode(errors="replace").strip()
    except LitecodeError as error:
        return bad("git", error)
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_GIT:
        return Check("git", Health.PROBLEM, said, f"install git {'.'.join(map(str, OLDEST_GIT))} or newer")
    return Check("git", Health.OK, said)


def check_hooks(repository: Repository) -> Check:
    """Whether commits are looked at, by the native hook or through the framework."""
    place = locate(repository)
    for name in HOOKS:
        path = place.hook(name)
        shape = shape_of(path)
        if shape is Shape.OURS and not _starts(path):
            return Check("hook", Health.PROBLEM, f"{path} starts a Python that is gone", "run `git litecode install`")
        if shape is Shape.EDITED:
            return Check("hook", Health.WARNING, f"{path} was edited", "nothing, if that was you; it is left alone")
        if shape is not Shape.OURS:
            return _without_native_hook(repository, place, name)
    chained = [place.chained(name).name for name in HOOKS if os.path.lexists(place.chained(name))]
    after = f", after {', '.join(chained)}" if chained else ""
    return Check("hook", Health.OK, f"installed in {place.folder}{after}")


def _without_native_hook(repository: Repository, place: Place, name: str) -> Check:
    path = place.hook(name)
    if shape_of(path) is Shape.FOREIGN and re.search(rb"litecode", _read(path)):
        return Check("hook", Health.OK, f"{path} calls it")
    if b"litecode" in _read(repository.top / CONFIG_FILE):
        return Check("hook", Health.OK, f"listed in {CONFIG_FILE}")
    if name in configured(repository):
        return Check("hook", Health.OK, f"configured as hook.litecode-{name}")
    remedy = "run `git litecode install`, if commits are to be checked here"
    return Check("hook", Health.WARNING, "not installed", remedy)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _starts(hook: Path) -> bool:
    found = re.search(r"^python=(.*)$", hook.read_text(encoding="utf-8", errors="surrogateescape"), re.MULTILINE)
    return found is not None and os.access(found[1].strip("'"), os.X_OK)


def check_rules(repository: Repository) -> Check:
    """The rules file of the worktree: that is the one that a person edits."""
    path = repository.top / RULES_FILE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Check("rules", Health.WARNING, f"there is no {RULES_FILE}", "run `git litecode init`")
    except OSError as error:
        return Check("rules", Health.PROBLEM, f"{RULES_FILE}: {error.strerror}", "look at its owner and mode")
    from litecode.config.languages import find
    from litecode.core.executing.rules import compile_rule
    from litecode.core.rule_lint import too_long

    try:
        rules = load_rules(data, RULES_FILE)
        for rule in rules.active:
            language = find(rule.language)
            compile_rule(rule, language.parser if language else None)
    except LitecodeError as error:
        return bad("rules", error)
    for rule in rules.active:
        for fault in too_long(rule):
            return Check("rules", Health.WARNING, f"rule {rule.id}: {fault.text}", fault.hint)
    count = f"{len(rules.active)} rule{'' if len(rules.active) == 1 else 's'}"
    if rules.warnings:
        return Check("rules", Health.WARNING, f"{count}; {rules.warnings[0]}", f"look at that line of {RULES_FILE}")
    if not rules.active:
        return Check("rules", Health.WARNING, "no rule is switched on", f"add one to {RULES_FILE}")
    return Check("rules", Health.OK, f"{count}, every pattern can be used")


def check_reach(repository: Repository) -> Iterator[Check]:
    """Rules that no file of the index comes under, most likely by a slip; names decide, no content is read. Those of a
    preset may be for another language, unless all of them are like that.
    """
    from litecode.core.git.rawdiff import entries
    from litecode.hooks.reaching import unreached

    try:
        rules = load_rules((repository.top / RULES_FILE).read_bytes(), RULES_FILE)
        files = {path: entry.mode for path, entry in entries(repository).items()}
    except (LitecodeError, OSError):
        return
    lost = unreached(rules, files) if files else ()
    if len(lost) < len(rules.active):
        lost = tuple(rule for rule in lost if rule.source == RULES_FILE)
    if not lost:
        return
    more = f" and {len(lost) - MOST_NAMED} more" if len(lost) > MOST_NAMED else ""
    detail = f"no file of this repository comes under {', '.join(rule.id for rule in lost[:MOST_NAMED])}{more}"
    remedy = f"look at `files`, `exclude` and `types`; `git litecode explain {lost[0].id}` says what they mean"
    yield Check("rules", Health.WARNING, detail, remedy)


def check_settings(warnings: Sequence[str]) -> Check:
    """Settings that can be read, but do not count."""
    if warnings:
        return Check("settings", Health.WARNING, warnings[0], "see `git config --list --show-scope`")
    return Check("settings", Health.OK, "every setting under litecode. can be used")
