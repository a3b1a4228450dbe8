"""The checks of `git litecode doctor` that are about the model, other machines, trust, and what past runs came to."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from enum import StrEnum
from typing import NamedTuple

from litecode.config.settings import Settings
from litecode.core.errors import LitecodeError
from litecode.core.git.repository import Repository
from litecode.core.ports import ModelPort
from litecode.core.values import State


class Health(StrEnum):
    OK = "ok"
    WARNING = "warning"  # LiteCode works, but not as far as it could
    PROBLEM = "problem"


class Check(NamedTuple):
    """One answer. `remedy` is what to type or change, empty when all is well."""

    name: str
    health: Health
    detail: str
    remedy: str = ""


def bad(name: str, error: LitecodeError) -> Check:
    return Check(name, Health.PROBLEM, error.message, error.hint)


def check_trust(repository: Repository, settings: Settings, environ: Mapping[str, str]) -> Check:
    """Whether the verify commands of the rules file would be run."""
    from litecode.config.load import load_rules
    from litecode.core.trust.approvals import Approvals
    from litecode.core.verifying import commands_of
    from litecode.hooks.fast import RULES_FILE
    from litecode.hooks.rules_file import find_rules

    try:
        found = find_rules(repository, hook=False)
        commands = commands_of(load_rules(found.data, RULES_FILE)) if found is not None else ()
    except LitecodeError:
        return Check("trust", Health.OK, "the rules file cannot be used, so none of its commands is run")
    own = f"{len(settings.verify)} verify commands of your own" if settings.verify else ""
    if not commands:
        return Check("trust", Health.OK, own or "there are no verify commands")
    listed = f"{len(commands)} verify command{'s' if len(commands) > 1 else ''} of {RULES_FILE}"
    if Approvals.of(environ).are_approved(repository.top, commands):
        return Check("trust", Health.OK, f"{listed}, trusted")
    return Check("trust", Health.WARNING, f"{listed}, not trusted and not run", "`git litecode trust` shows them")


def check_runs(repository: Repository) -> Check:
    """How often a rule was skipped or could not be carried out: a check that never runs is none."""
    from litecode.hooks.world import store_of

    try:
        records = store_of(repository).list()
    except LitecodeError as error:
        return bad("runs", error)
    damaged = sum(1 for record in records if record.damage)
    skipped = [record for record in records if record.states.get(State.SKIPPED)]
    failed = [record for record in records if record.states.get(State.FAILED)]
    times = sum(record.states.get(State.SKIPPED, 0) for record in skipped)
    parts = [f"{len(records)} kept"]
    if skipped:
        parts.append(f"{len(skipped)} of them skipped {times} check{'s' if times > 1 else ''} and let the commit pass")
    if failed:
        parts.append(f"{len(failed)} could not do everything")
    if damaged:
        parts.append(f"{damaged} damaged")
    if skipped or failed or damaged:
        last = (skipped or failed or [record for record in records if record.damage])[0]
        return Check("runs", Health.WARNING, ", ".join(parts), f"`git litecode show {last.id}` tells why")
    return Check("runs", Health.OK, ", ".join(parts))


def check_endpoints(settings: Settings, environ: Mapping[str, str]) -> Iterator[Check]:
    """Where a run would send code, and whether it may."""
    from litecode.core.llm.hosts import endpoints_of, site_of_endpoint

    endpoints = endpoints_of(settings, environ)
    if not endpoints:
        detail = "none chosen, and none has to be: Ollama if it answers, else the embedded engine; see `model` below"
        site = site_of_endpoint("ollama", environ) if environ.get("OLLAMA_HOST") else None
        if site is None or site.is_here:
            yield Check("endpoint", Health.OK, detail)
            return
        endpoints = ("ollama",)
    for number, endpoint in enumerate(endpoints):
        try:
            yield _endpoint(endpoint, settings, environ, first=number == 0)
        except LitecodeError as error:
            yield bad("endpoint", error)


def _endpoint(endpoint: str, settings: Settings, environ: Mapping[str, str], *, first: bool) -> Check:
    from litecode.core.llm.hosts import site_of_endpoint
    from litecode.core.llm.keys import key_for, source_for

    site = site_of_endpoint(endpoint, environ)
    if site is None:
        return Check("endpoint", Health.OK, f"{endpoint.partition(':')[0]}: nothing leaves this machine")
    configured = first and not environ.get("LITECODE_ENDPOINT")
    source = source_for(settings, site.host, configured=configured) if endpoint.startswith("http") else None
    key = f", key from {source}" if source is not None else ""
    if source is not None and source.variable:
        key_for(settings, environ, site.host, configured=configured)  # raises when it is not set
    if site.is_here:
        return Check("endpoint", Health.OK, f"{endpoint}: on this machine{key}")
    if site.host not in settings.remote:
        remedy = f"git config --global --add litecode.remote {site.host}, if code may be sent there"
        return Check("endpoint", Health.PROBLEM, f"{endpoint}: another machine, and nobody has agreed to it", remedy)
    plain = "" if site.scheme == "https" else ", readable on the way"
    health = Health.WARNING if plain else Health.OK
    remedy = "use https or a tunnel" if plain else ""
    return Check("endpoint", health, f"{endpoint}: another machine, you agreed to it{key}{plain}", remedy)


Identity = tuple[str, str]  # name and digest of a model


def check_models(settings: Settings, environ: Mapping[str, str], *, call: bool = False) -> Iterator[Check]:
    """Whether the model that a run would use is there with the right bytes, and what is known about it; then the models
    to fall back on, and the judge. One is loaded, and asked for an answer, only with `call`.
    """
    first = yield from _check_first(settings, environ, call=call)
    named = [("fallback", name) for name in settings.fallback]
    for role, name in (*named, *([("judge", settings.judge)] if settings.judge else [])):
        yield from _check_other(role, name, settings, environ, first, call=call)


def _check_first(
    settings: Settings, environ: Mapping[str, str], *, call: bool
) -> Generator[Check, None, Identity | None]:
    from litecode.core.llm.choice import choose
    from litecode.core.llm.probe import check_there
    from litecode.core.store.facts import FactStore, facts_dir

    found: Identity | None = None
    try:
        with closing(choose(settings, environ)) as model:
            check_there(model)
            found = (model.name, model.digest)
            yield Check("model", Health.OK, _words(model))
            yield from _check_each(settings, environ)
            if call:
                yield _called(model)
    except LitecodeError as error:
        yield bad("call" if found else "model", error)
        return found
    known = FactStore(facts_dir(environ)).get(found[1])
    if not known.calls:
        yield Check("speed", Health.OK, "not measured yet; `git litecode doctor --call` makes a call")
        return found
    low = f", {known.underestimates} with more tokens than estimated" if known.underestimates else ""
    yield Check("speed", Health.OK, f"{known.speed:.1f} tokens/s at best, {known.calls:,} calls{low}")
    return found


def _check_each(settings: Settings, environ: Mapping[str, str]) -> Iterator[Check]:
    """Of several endpoints those that cannot be used now: the others get their calls, and nobody would miss them."""
    from litecode.core.llm.choice import choose
    from litecode.core.llm.hosts import endpoints_of
    from litecode.core.llm.probe import check_there

    endpoints = endpoints_of(settings, environ)
    for endpoint in endpoints if len(endpoints) > 1 else ():
        try:
            with closing(choose(settings, {**environ, "LITECODE_ENDPOINT": endpoint})) as model:
                check_there(model)
        except LitecodeError as error:
            yield Check("model", Health.WARNING, error.message, error.hint)


def _check_other(
    role: str, name: str, settings: Settings, environ: Mapping[str, str], first: Identity | None, *, call: bool
) -> Iterator[Check]:
    """A model to fall back on, or the judge; `first` is the model of the run, None when it cannot be used."""
    from litecode.core.llm.choice import choose_other
    from litecode.core.llm.probe import check_there
    from litecode.core.opened import same_model

    try:
        with closing(choose_other(name, settings, environ)) as model:
            check_there(model)
            own = (model.name, model.digest)
            same = first is not None and (same_model(own, first) if role == "judge" else own[1] == first[1])
            if same:
                why = "judges no answer of its own" if role == "judge" else "gives the same answers again"
                remedy = f"name another model in litecode.{role}"
                yield Check(role, Health.WARNING, f"{_words(model)}: the model of the run itself, which {why}", remedy)
            else:
                yield Check(role, Health.OK, _words(model))
            if call:
                yield _called(model)
    except LitecodeError as error:
        yield bad(role, error)


def _words(model: ModelPort) -> str:
    from litecode.core.llm.probe import weights_of

    weights = weights_of(model.digest)
    return f"{model.name}, {model.window:,} tokens" + (f", {weights}" if weights else "")


def _called(port: ModelPort) -> Check:
    from litecode.core.llm.probe import probe

    found = probe(port)
    detail = f"{found.tokens} tokens in {found.seconds:.1f} s, {found.speed:.1f} tokens/s"
    if found.allocated:
        detail += f", {found.allocated:,} tokens set up"
    if 0 < found.allocated < found.window:
        return Check("call", Health.PROBLEM, detail, f"git config --global litecode.window {found.allocated}")
    return Check("call", Health.OK, detail)
