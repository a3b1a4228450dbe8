"""What was learnt about a model, for the next run: one small file for each in the user's cache.

It is a cache: whatever goes wrong with it costs a measurement and nothing else. Nothing in it comes from a repository.
"""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litecode.core.store.cache import cache_key

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST_FACTOR = 8.0  # more tokens than this per measured one is no vocabulary but a mistake


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """`factor` for the token estimate, 0 when nothing was learnt; how many calls it was compared in and how often it
    was too low; tokens written per second at best, 0 when not measured; how the endpoint takes schemas; the most
    tokens that one request may ask for, 0 when not told.
    """

    factor: float = 0.0
    calls: int = 0
    underestimates: int = 0
    speed: float = 0.0
    schema: str = ""
    request_tokens: int = 0


class FactStore:
    """Thread-safe; several processes may write, and the last one wins."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, ModelFacts] = {}

    def get(self, key: str) -> ModelFacts:
        """`key` names the model: its digest, or endpoint and name."""
        with self._lock:
            if key not in self._known:
                self._known[key] = self._read(key)
            return self._known[key]

    def change(self, key: str, how: Callable[[ModelFacts], ModelFacts]) -> None:
        """Keep what `how` makes of what is known, also for other runs."""
        with self._lock:
            old = self._read(key)
            new = self._known[key] = how(old)
            if new != old:
                with contextlib.suppress(OSError):
                    self._write(key, new)

    def _file(self, key: str) -> Path:
        return self._folder / f"{cache_key('facts', key)}.json"

    def _read(self, key: str) -> ModelFacts:
        import msgspec

        try:
            facts = msgspec.json.decode(self._file(key).read_bytes(), type=ModelFacts)
        except (OSError, msgspec.MsgspecError):
            return ModelFacts()
        numbers = (facts.factor, facts.calls, facts.underestimates, facts.speed, facts.request_tokens)
        sane = all(math.isfinite(number) and number >= 0 for number in numbers) and facts.factor <= LARGEST_FACTOR
        return facts if sane else ModelFacts()

    def _write(self, key: str, facts: ModelFacts) -> None:
        import msgspec

        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._folder / f".{secrets.token_hex(8)}.new"
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(msgspec.json.encode(facts))
            fresh.replace(self._file(key))
        except OSError:
            fresh.unlink(missing_ok=True)
            raise


def facts_dir(environ: Mapping[str, str]) -> Path:
    """In the user's cache; a relative XDG_CACHE_HOME does not count, as the standard says."""
    cache = environ.get("XDG_CACHE_HOME", "")
    if not Path(cache).is_absolute():
        home = environ.get("HOME", "")
        cache = str((Path(home) if Path(home).is_absolute() else Path.home()) / ".cache")
    return Path(cache, "litecode", "facts")
