"""Model files on this machine: where they are, and whether their bytes are the right ones."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from litecode.core.errors import ConfigError, ModelMissing
from litecode.core.llm.models import KnownModel, find_model, known_models

BLOCK = 1 << 20

Progress = Callable[[int, int], None]
"""Bytes done, bytes in all."""


def no_progress(_done: int, _total: int) -> None: ...


def models_dir(environ: Mapping[str, str]) -> Path:
    """Where pulled models live; may not exist yet. A relative XDG_CACHE_HOME does not count, as the standard says."""
    cache = environ.get("XDG_CACHE_HOME", "")
    if not Path(cache).is_absolute():
        home = environ.get("HOME", "")
        cache = str((Path(home) if Path(home).is_absolute() else Path.home()) / ".cache")
    return Path(cache, "litecode", "models")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file that is there. `known` is None for a file that LiteCode has no hash of."""

    path: Path
    size: int
    known: KnownModel | None


def installed(environ: Mapping[str, str]) -> tuple[ModelFile, ...]:
    """Known models that are there with the right size, in the order of preference. Nothing is hashed."""
    folder = models_dir(environ)
    found = ((folder / model.file, model) for model in known_models())
    return tuple(ModelFile(path, model.size, model) for path, model in found if _size(path) == model.size)


def locate(name: str, environ: Mapping[str, str]) -> ModelFile:
    """The file of a model that was asked for by name, or by the absolute path of a GGUF file.

    Raises ModelMissing with the command that fetches it, ConfigError for a name that means nothing here.
    """
    if "/" in name:
        path = Path(name)
        if not path.is_absolute():
            raise ConfigError(f"{name} is no model", "give the absolute path of a GGUF file, or one of: " + _names())
        size = _size(path)
        if size is None:
            raise ModelMissing(f"there is no model file {path}", "check litecode.model and LITECODE_MODEL")
        known = find_model(path.name)
        return ModelFile(path, size, known if known is not None and known.size == size else None)
    known = find_model(name)
    if known is None:
        raise ConfigError(f"the embedded engine knows no model {name}", f"known are: {_names()}; or a path to a GGUF")
    path = models_dir(environ) / known.file
    size = _size(path)
    if size is None:
        raise ModelMissing(f"the model {known.name} is not on this machine", f"git litecode model pull {known.name}")
    if size != known.size:
        raise wrong_bytes(path, known, f"it has {size:,} bytes instead of {known.size:,}")
    return ModelFile(path, size, known)


def wrong_bytes(path: Path, known: KnownModel, why: str) -> ModelMissing:
    return ModelMissing(
        f"{path} is not {known.name}: {why}",
        f"remove it, then fetch it again with: git litecode model pull {known.name}",
    )


def digest_of(file: ModelFile, progress: Progress = no_progress) -> str:
    """The SHA-256 of the file. Kept beside it, so that a gigabyte is hashed once and not in each run.

    Raises ModelMissing when the file of a known model has other bytes.
    """
    found = _stamped(file.path)
    if found is None:
        found = hash_file(file.path, progress)
        _stamp(file.path, found)
    if file.known is not None and found != file.known.sha256:
        raise wrong_bytes(file.path, file.known, f"its SHA-256 is {found[:16]}… instead of {file.known.sha256[:16]}…")
    return found


def hash_file(path: Path, progress: Progress = no_progress) -> str:
    digest = hashlib.sha256()
    total = path.stat().st_size
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            done += len(block)
            progress(done, total)
    return digest.hexdigest()


def stamp_of(path: Path) -> Path:
    return path.with_name(path.name + ".sha256.json")


def _facts(path: Path) -> list[int]:
    """What changes when a file is written or replaced."""
    facts = path.stat()
    return [facts.st_size, facts.st_mtime_ns, facts.st_ino]


def _stamped(path: Path) -> str | None:
    try:
        kept = json.loads(stamp_of(path).read_bytes())
        return str(kept["sha256"]) if kept["facts"] == _facts(path) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _stamp(path: Path, digest: str) -> None:
    """A folder that cannot be written only costs hashing again."""
    text = json.dumps({"sha256": digest, "facts": _facts(path)})
    fresh = stamp_of(path).with_name(f"{stamp_of(path).name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        fresh.write_text(text, encoding="ascii")
        fresh.replace(stamp_of(path))


def mark_verified(path: Path, digest: str) -> None:
    """Remember the hash of a file that was hashed while it was written."""
    _stamp(path, digest)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def _names() -> str:
    return ", ".join(model.name for model in known_models())
