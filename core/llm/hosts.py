"""Which other machines a run may send code to, known before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping

from litecode.config.settings import Settings
from litecode.core.errors import ConfigError
from litecode.core.llm.ollama_site import Site, site_of


def endpoints_of(settings: Settings, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The endpoints of a run; LITECODE_ENDPOINT goes before the settings. None means what is at hand."""
    told = environ.get("LITECODE_ENDPOINT", "")
    if told.startswith("replay:"):
        return (told,)
    return tuple(told.split()) or tuple(text for text in (settings.endpoint, *settings.also_endpoints) if text)


def own_endpoint(model: str) -> str:
    """The name of a fallback or judge that has its own endpoint, `ENDPOINT#NAME`; empty for one of the run's."""
    place, mark, name = model.partition("#")
    known = place in {"embedded", "ollama"} or place.startswith(("ollama://", "http://", "https://"))
    return model if known and mark and name else ""


def site_of_endpoint(endpoint: str, environ: Mapping[str, str]) -> Site | None:
    """None for an engine in this process. Raises ConfigError for an address that is none."""
    endpoint = endpoint.partition("#")[0]
    if endpoint == "ollama":
        return site_of(environ.get("OLLAMA_HOST", ""))
    if endpoint.startswith("ollama://"):
        return site_of(endpoint.removeprefix("ollama://"))
    if endpoint.startswith(("http://", "https://")):
        from litecode.core.llm.openai_server import address_of

        return address_of(endpoint).site
    return None


def other_hosts(settings: Settings, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The hosts beside this machine that the endpoints, fallbacks and judge are on; an address that is none is met when
    it is opened.
    """
    hosts: dict[str, None] = {}
    endpoints = endpoints_of(settings, environ) or ("ollama",)
    if not endpoints[0].startswith("replay:"):
        endpoints = (*endpoints, *filter(None, map(own_endpoint, (*settings.fallback, settings.judge))))
    for endpoint in endpoints:
        try:
            site = site_of_endpoint(endpoint, environ)
        except ConfigError:
            continue
        if site is not None and not site.is_here:
            hosts.setdefault(site.host)
    return tuple(hosts)
