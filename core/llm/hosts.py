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
    """The hosts beside this machine that the endpoints are on; an address that is none is met when it is opened."""
    hosts: dict[str, None] = {}
    for endpoint in endpoints_of(settings, environ) or ("ollama",):
        try:
            site = site_of_endpoint(endpoint, environ)
        except ConfigError:
            continue
        if site is not None and not site.is_here:
            hosts.setdefault(site.host)
    return tuple(hosts)
