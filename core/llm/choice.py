"""Which model a run uses: the one that was asked for, else the first one that is on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litecode.config.settings import Settings
from litecode.core.errors import ConfigError, LitecodeError, ModelAuth, ModelError, ModelNotRunning
from litecode.core.llm.embedded import EmbeddedModel, memory_needed
from litecode.core.llm.engine import EXTRA, is_installed
from litecode.core.llm.files import ModelFile, installed, locate
from litecode.core.llm.machine import available_memory, physical_cores, slots_by_cores
from litecode.core.llm.models import find_model, known_models
from litecode.core.llm.shared import places_dir
from litecode.core.ports import ModelPort

if TYPE_CHECKING:
    from litecode.core.llm.ollama_site import Site

REPLAY = "replay:"
OLLAMA_AT = "ollama://"

ENGINE_AND_MODEL = f"{EXTRA} && git litecode model pull"
OLLAMA = "ollama pull qwen2.5-coder:1.5b && git config --global litecode.model qwen2.5-coder:1.5b"
OWN = "git config --global litecode.model /path/to/model.gguf"


def choose(settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    """The port of the model; nothing is loaded. LITECODE_ENDPOINT and LITECODE_MODEL go before the settings.

    Without an endpoint: the embedded engine for a model that it knows or a file, else Ollama if it answers and has the
    model (or one for code), else the embedded engine. LITECODE_ENDPOINT may name several, with blanks between them, or
    be `replay:` and an absolute path.

    Raises ModelNotRunning with the ways to get a model, ModelMissing for one that was asked for and is not here,
    ModelAuth for a machine that may not be asked, ConfigError for a name that means nothing.
    """
    told = environ.get("LITECODE_ENDPOINT", "")
    name = environ.get("LITECODE_MODEL", "") or settings.model
    if told.startswith(REPLAY):
        return _replay(told.removeprefix(REPLAY), name, settings)
    endpoints = told.split() or [text for text in (settings.endpoint, *settings.also_endpoints) if text]
    if len(endpoints) > 1:
        return _pool(tuple(dict.fromkeys(endpoints)), name, settings, environ)
    if endpoints:
        return _open(endpoints[0], name, settings, environ)
    if _is_embedded_name(name):
        return _embedded(name, settings, environ)
    return _first_at_hand(name, settings, environ)


def choose_other(model: str, settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    """The port of a fallback or judge, named as in the settings: a model of the run's endpoints, or ENDPOINT#NAME.

    Raises as `choose`.
    """
    from litecode.core.llm.hosts import endpoints_of, own_endpoint

    endpoints = endpoints_of(settings, environ)
    if not environ.get("LITECODE_ENDPOINT", "").startswith(REPLAY):
        if endpoint := own_endpoint(model):
            if not settings.endpoint:  # a key for no host in particular is for the first model
                settings = replace(settings, key_variable="", key_helper=(), keyring="")
            return _open(endpoint, "", settings, environ)
        endpoints = tuple(endpoint.partition("#")[0] for endpoint in endpoints)  # their names are for the first model
    return choose(settings, {**environ, "LITECODE_ENDPOINT": " ".join(endpoints), "LITECODE_MODEL": model})


def _pool(endpoints: tuple[str, ...], name: str, settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    """Those that can be asked now for what has to be known; raises the first error when none can."""
    from litecode.core.llm.pool import PooledModel

    ports: list[ModelPort] = []
    errors: list[ModelError] = []
    for endpoint in endpoints:
        try:
            ports.append(_open(endpoint, name, settings, environ))
        except ModelAuth:
            raise  # the person has to know that it is not allowed
        except ModelError as error:
            errors.append(error)
    if not ports:
        raise errors[0]
    return PooledModel(tuple(ports))


def _open(endpoint: str, name: str, settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    """One endpoint; what stands behind a `#` is its own name for the model."""
    endpoint, _, own = endpoint.partition("#")
    name = own or name
    if endpoint == "embedded":
        return _embedded(name, settings, environ)
    if endpoint == "ollama":
        return _ollama(name, settings, environ)
    if endpoint.startswith(OLLAMA_AT):
        return _ollama(name, settings, {**environ, "OLLAMA_HOST": endpoint.removeprefix(OLLAMA_AT)})
    if endpoint.startswith(("http://", "https://")):
        return _openai(endpoint, name, settings, environ)
    raise ConfigError(f"the endpoint {endpoint} cannot be used", "endpoints are: embedded, ollama, http(s)://HOST/v1")


def _is_embedded_name(name: str) -> bool:
    return find_model(name) is not None or Path(name).is_absolute()


def _replay(path: str, name: str, settings: Settings) -> ModelPort:
    from litecode.core.llm.replay import ReplayModel

    if not Path(path).is_absolute():
        raise ConfigError(f"{REPLAY}{path} has no absolute path", "LITECODE_ENDPOINT=replay:/path/to/recordings")
    return ReplayModel(Path(path), name, settings.window)


def _embedded(name: str, settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    if not is_installed():
        raise ModelNotRunning("the embedded engine is not installed", EXTRA)
    file = locate(name, environ) if name else next(iter(installed(environ)), None)
    if file is None:
        raise ModelNotRunning(
            "no model is on this machine", f"fetch one: git litecode model pull; or name yours: {OWN}"
        )
    slots = settings.slots or _slots(file, settings.window)
    return EmbeddedModel(file, settings.window, slots, places=places_dir(environ))


def _slots(file: ModelFile, window: int) -> int:
    """As many as the cores can use, fewer when the memory does not suffice for that."""
    free = available_memory()
    slots = slots_by_cores(physical_cores())
    while slots > 1 and free is not None and memory_needed(file, window, slots) > free:
        slots -= 1
    return slots


def _ollama(name: str, settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    from litecode.core.llm.ollama import OllamaModel
    from litecode.core.llm.ollama_site import check_consent, list_models, site_of

    site = site_of(environ.get("OLLAMA_HOST", ""))
    check_consent(site, settings.remote)
    if not name:
        names = [model.name for model in list_models(site) if not model.elsewhere]
        name = _for_code(names)
        if not name:
            some = f"; there are: {', '.join(names[:5])}" if names else ""
            raise ModelNotRunning(f"Ollama at {site.url} has no model for code{some}", OLLAMA)
    return _guarded(OllamaModel(site, name, settings.window, settings.slots or 1), site, settings)


def _openai(endpoint: str, name: str, settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    from litecode.core.llm.ollama_site import check_consent
    from litecode.core.llm.openai import OpenAIModel
    from litecode.core.llm.openai_server import Server, address_of
    from litecode.core.store.facts import FactStore, facts_dir

    address = address_of(endpoint)
    check_consent(address.site, settings.remote)
    key = _key(address.site, settings, environ)
    if not name:
        names = Server(address, "", key).models() if address.site.is_here else ()
        if not names and address.site.is_here:
            with closing(OpenAIModel(address, "", settings.window, key=key)) as nameless:
                nameless.check_there()
        if len(names) != 1:
            some = f"; there are: {', '.join(names[:5])}" if names else ""
            raise ConfigError(f"no model of {address.url} is named{some}", "git config --global litecode.model NAME")
        name = names[0]
    facts = FactStore(facts_dir(environ))
    model = OpenAIModel(address, name, settings.window, settings.slots, key=key, facts=facts)
    return _guarded(model, address.site, settings)


def _key(site: Site, settings: Settings, environ: Mapping[str, str]) -> str:
    """A key that was set for no host in particular is for the first endpoint of the settings."""
    from litecode.core.llm.hosts import site_of_endpoint
    from litecode.core.llm.keys import key_for

    configured = not settings.endpoint or site_of_endpoint(settings.endpoint, environ) == site
    return key_for(settings, environ, site.host, configured=configured)


def _guarded(model: ModelPort, site: Site, settings: Settings) -> ModelPort:
    """Text for another machine is looked through before it is sent."""
    if site.is_here:
        return model
    from litecode.core.llm.guarded import GuardedModel

    return GuardedModel(model, site.host, settings)


def _for_code(names: list[str]) -> str:
    """The name that says that the model was made for code, Qwen first; empty when none does."""
    fitting = [name for name in names if "code" in name.lower()]
    return next((name for name in fitting if "qwen" in name.lower()), fitting[0] if fitting else "")


def _first_at_hand(name: str, settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    """Ollama if it can be used, else the embedded engine; a name that only Ollama can know stays with Ollama."""
    from litecode.core.llm.ollama_site import check_consent, is_answering, site_of

    reason = "no model is on this machine"
    try:
        site = site_of(environ.get("OLLAMA_HOST", ""))
        check_consent(site, settings.remote)
        if not is_answering(site):
            known = ", ".join(model.name for model in known_models())
            raise ModelNotRunning(
                f"no Ollama answers at {site.url}",
                f"start it with: ollama serve; or name a model of the embedded engine: {known}",
            )
        reason = f"Ollama at {site.url} has no model for code"
        return _ollama(name, settings, environ)
    except LitecodeError as error:
        if name:
            raise
        refused = error if isinstance(error, ModelAuth) else None
    if is_installed() and installed(environ):
        return _embedded("", settings, environ)
    if refused is not None:
        raise refused
    raise ModelNotRunning(reason, _ways(environ))


def _ways(environ: Mapping[str, str]) -> str:
    """The three ways to get a model."""
    first = "git litecode model pull" if is_installed() else EXTRA if installed(environ) else ENGINE_AND_MODEL
    return f"embedded: {first}; with Ollama: {OLLAMA}; a GGUF file of yours: {OWN}"
