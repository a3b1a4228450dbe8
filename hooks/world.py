"""Builds what a run works with from the process: current directory, environment, git configuration."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from litecode.config.load import load_rules
from litecode.config.rules import RulesFile
from litecode.config.settings import Settings, Unavailable, parse_settings
from litecode.core.errors import Interrupted, LitecodeError
from litecode.core.events import Event
from litecode.core.git.repository import Repository
from litecode.core.ports import ModelPort
from litecode.core.store.cache import ReplyCache
from litecode.core.store.facts import FactStore, facts_dir
from litecode.core.store.runs import RunStore
from litecode.core.values import Change, Run
from litecode.core.verifying import RuleCommands, Verification, commands_of
from litecode.core.world import Options, World
from litecode.hooks.fast import RULES_FILE
from litecode.hooks.noticing import noticing
from litecode.hooks.rules_file import find_rules, no_rules


def settings_of(repo: Repository) -> tuple[Settings, tuple[str, ...]]:
    """The person's settings, and warnings about those that do not count."""
    entries = repo.config_entries()
    return parse_settings((entry.scope, entry.key, "true" if entry.value is None else entry.value) for entry in entries)


def store_of(repo: Repository) -> RunStore:
    return RunStore(repo.state_dir)


def build_world(
    repo: Repository,
    environ: Mapping[str, str],
    progress: Callable[[Event], None] = lambda _event: None,
    *,
    hook: bool = False,
    with_rules: bool = True,
) -> World:
    """Raises NoRules without a rules file, ConfigError for one that cannot be used; requests need no rules."""
    found = find_rules(repo, hook=hook) if with_rules else None
    if found is None and with_rules:
        raise no_rules(repo)
    rules = load_rules(found.data, RULES_FILE) if found is not None else RulesFile(RULES_FILE)
    settings, warnings = settings_of(repo)
    if settings.on_unavailable is None:
        # A person who commits is not stopped by a model that is down; in CI a check that did not run has failed.
        settings = replace(settings, on_unavailable=Unavailable.FAIL if environ.get("CI") else Unavailable.SKIP)
    cancel = threading.Event()
    return World(
        repo=repo,
        rules=rules,
        model=_model_factory(settings, environ),
        store=store_of(repo),
        cache=ReplyCache(repo.common_dir / "litecode" / "cache.db"),
        clock=time.time,
        progress=progress,
        cancel=cancel,
        settings=settings,
        facts=FactStore(facts_dir(environ)),
        notes=(*((found.note,) if found is not None and found.note else ()), *rules.warnings, *warnings),
        command=(*(("litecode-hook",) if hook else ("git", "litecode")), *sys.argv[1:]),
        verification=verification_of(repo, rules if with_rules else _rules_for_verify(repo), settings, environ, cancel),
        remote=_remote(settings, environ),
        fallbacks=tuple(_model_factory(settings, environ, name) for name in settings.fallback),
        judge=_model_factory(settings, environ, settings.judge) if settings.judge else None,
    )


def _rules_for_verify(repo: Repository) -> RulesFile:
    """A request is not stopped by a rules file that cannot be used; it has no commands then."""
    try:
        found = find_rules(repo, hook=False)
        return load_rules(found.data, RULES_FILE) if found is not None else RulesFile(RULES_FILE)
    except LitecodeError:
        return RulesFile(RULES_FILE)


def verification_of(
    repo: Repository, rules: RulesFile, settings: Settings, environ: Mapping[str, str], cancel: threading.Event
) -> Verification | None:
    """None when there is no command at all, so that nothing has to be imported or read."""
    commands = commands_of(rules)
    if not settings.verify and not commands:
        return None
    from litecode.core.git.verify import Verified, verify
    from litecode.core.trust.approvals import Approvals

    def run(changes: Sequence[Change], chosen: tuple[tuple[str, ...], ...], seconds: float) -> Verified:
        return verify(repo, changes, chosen, seconds, environ, cancel)

    by_rule = tuple(RuleCommands(rule.id, rule.filter, rule.verify) for rule in rules.active if rule.verify)
    trusted = Approvals.of(environ).are_approved(repo.top, commands)
    return Verification(settings.verify, by_rule, trusted, run)


def _remote(settings: Settings, environ: Mapping[str, str]) -> tuple[str, ...]:
    from litecode.core.llm.hosts import other_hosts

    return other_hosts(settings, environ)


def _model_factory(settings: Settings, environ: Mapping[str, str], other: str = "") -> Callable[[], ModelPort]:
    """Opens the model that the settings choose, or an `other` one; what it needs is imported when it is called."""

    def open_model() -> ModelPort:
        from litecode.core.llm.choice import choose, choose_other

        return choose_other(other, settings, environ) if other else choose(settings, environ)

    return open_model


def make_run(world: World, options: Options) -> Run:
    """Run the rules."""
    from litecode.core.pipeline import run_rules

    return answered(world, lambda: run_rules(world, options))


def make_request(world: World, options: Options, request: str) -> Run:
    """Carry out a request."""
    from litecode.core.requests import run_request

    return answered(world, lambda: run_request(world, options, request))


def answered(world: World, work: Callable[[], Run]) -> Run:
    """What comes of the work; Ctrl-C reaches whoever waits for a model, and ends as Interrupted."""
    try:
        with noticing(world.repo):
            run = work()
        return replace(run, notes=tuple(dict.fromkeys((*world.notes, *run.notes, *world.cache.notes))))
    except KeyboardInterrupt:
        raise Interrupted("interrupted: nothing was changed") from None
    finally:
        world.cancel.set()
        world.cache.close()
