"""Rules that come with LiteCode; a rules file takes them over with `extends: [litecode:NAME]`. One YAML file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litecode.core.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "litecode:"
_SUFFIX = ".yaml"


def names() -> tuple[str, ...]:
    """The names of all presets, without `litecode:`, in alphabetical order."""
    from importlib.resources import files

    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


def replies(name: str) -> Path:
    """The file with the recorded replies for the tests of a preset; there need not be one."""
    from importlib.resources import files
    from pathlib import Path

    return Path(str(files(__name__).joinpath(f"{name}.replies.jsonl")))


def read(name: str) -> bytes:
    """The text of a preset; an unknown name is a `ConfigError` that names the nearest one."""
    from difflib import get_close_matches
    from importlib.resources import files

    known = names()
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f"did you mean `litecode:{near[0]}`?" if near else f"known are: {', '.join(known)}"
        raise ConfigError(f"there is no preset `litecode:{name}`", hint)
    return files(__name__).joinpath(name + _SUFFIX).read_bytes()
