"""The services that LiteCode knows, as data: `config/providers.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is particular about a service; see the file."""

    name: str
    hosts: tuple[str, ...]
    request_tokens: int
    slots: int
    extra: dict[str, Any] = {}
    extra_schema: dict[str, Any] = {}
    note: str = ""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    providers: tuple[Provider, ...]


@cache
def known_providers() -> tuple[Provider, ...]:
    import yaml

    text = (files("litecode.config") / "providers.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), _Table).providers


def provider_of(host: str) -> Provider | None:
    """The one that serves at that host, or below it."""
    for provider in known_providers():
        if any(host == known or host.endswith(f".{known}") for known in provider.hosts):
            return provider
    return None
