"""Where a model could run, and how the choice of a person becomes settings of theirs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import NamedTuple

from litecode.config.settings import PROTECTED, SECTION, Settings, parse_settings
from litecode.core.errors import LitecodeError, UsageError
from litecode.core.git.process import GitEnv, to_text
from litecode.core.llm.ollama_site import Site, is_answering, list_models, site_of
from litecode.core.llm.probe import Probe, probe


class Choice(NamedTuple):
    """An endpoint that is at hand, with a model that it has."""

    endpoint: str
    model: str
    words: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person chose. `key` is one of keyVariable, keyHelper and keyring, with its value; `site` None is an
    engine in this process. `more` adds the endpoint to those that are there.
    """

    endpoint: str
    model: str = ""
    key: tuple[str, str] | None = None
    site: Site | None = None
    more: bool = False

    @property
    def host(self) -> str:
        """The host when it is another machine, else empty."""
        return self.site.host if self.site is not None and not self.site.is_here else ""


def at_hand(environ: Mapping[str, str]) -> list[Choice]:
    """What could be used on this machine now; nothing is loaded and no other machine is asked."""
    from litecode.core.llm.engine import is_installed
    from litecode.core.llm.files import installed

    found: list[Choice] = []
    if is_installed():
        for file in installed(environ):
            name = file.known.name if file.known is not None else str(file.path)
            found.append(Choice("embedded", name, f"{name}, in this process"))
    try:
        site = site_of(environ.get("OLLAMA_HOST", ""))
        if site.is_here and is_answering(site):
            models = [model for model in list_models(site) if not model.elsewhere]
            found += [Choice("ollama", model.name, f"{model.name}, by Ollama at {site.url}") for model in models]
    except LitecodeError:
        pass  # then it is not at hand
    return found


def wanted_of(endpoint: str, model: str, key: tuple[str, str] | None, environ: Mapping[str, str]) -> Wanted:
    """Raises ConfigError for an endpoint that is none, UsageError for a key that nobody would be given."""
    from litecode.core.llm.hosts import site_of_endpoint

    parse_settings([("command", f"{SECTION}endpoint", endpoint)])  # says what is allowed
    wanted = Wanted(endpoint, model, key, site_of_endpoint(endpoint, environ))
    if key is not None:
        if wanted.site is None or not endpoint.startswith("http"):
            raise UsageError(f"{endpoint} takes no key", "leave the key out")
        parse_settings([("command", f"{SECTION}{wanted.site.host}.{key[0]}", key[1])])
    return wanted


def settings_with(wanted: Wanted, git: GitEnv) -> Settings:
    """The person's settings as they would be with the choice, without what a repository says."""
    fields = git.read("config", "--list", "--show-scope", "-z").out.split(b"\0")[:-1]
    entries = []
    for scope, setting in zip(fields[::2], fields[1::2], strict=True):
        name, _, value = setting.partition(b"\n")
        if scope.decode() in PROTECTED:
            entries.append((scope.decode(), to_text(name), to_text(value)))
    settings, _ = parse_settings(entries)
    settings = replace(settings, endpoint=wanted.endpoint, also_endpoints=(), model=wanted.model)
    if wanted.host:
        settings = replace(settings, remote=(*settings.remote, wanted.host))
    if wanted.key is not None and wanted.site is not None:
        key = (f"{SECTION}{wanted.site.host}.{wanted.key[0]}", wanted.key[1])
        host_keys = parse_settings([("command", *key)])[0].host_keys
        settings = replace(settings, host_keys=(*settings.host_keys, *host_keys))
    return settings


def tested(wanted: Wanted, git: GitEnv, environ: Mapping[str, str]) -> Probe:
    """What comes of one call with the choice. Raises ModelErrors and ConfigErrors."""
    from litecode.core.llm.choice import choose

    told = {name: value for name, value in environ.items() if name not in {"LITECODE_ENDPOINT", "LITECODE_MODEL"}}
    with closing(choose(settings_with(wanted, git), told)) as port:
        return probe(port)


def keep(wanted: Wanted, git: GitEnv) -> list[str]:
    """Write the choice to the person's git configuration, by git itself; gives the commands that do the same."""
    name = "alsoEndpoint" if wanted.more else "endpoint"
    rows: list[tuple[str, str, str]] = [("--add" if wanted.more else "--replace-all", name, wanted.endpoint)]
    if wanted.model:
        rows.append(("--replace-all", "model", wanted.model))
    if wanted.key is not None and wanted.site is not None:
        rows.append(("--replace-all", f"{wanted.site.host}.{wanted.key[0]}", wanted.key[1]))
    if wanted.host and wanted.host not in _consented(git):
        rows.append(("--add", "remote", wanted.host))
    done = []
    for option, key, value in rows:
        git.write("config", "--global", option, f"{SECTION}{key}", value)
        done.append(shlex.join(("git", "config", "--global", option, f"{SECTION}{key}", value)))
    return done


def _consented(git: GitEnv) -> list[str]:
    out = git.read("config", "--global", "--get-all", f"{SECTION}remote", ok=(0, 1)).out
    return to_text(out).split()
