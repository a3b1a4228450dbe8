"""The API key for an endpoint: from where the person said, for the host that they said it for, and from nowhere else.

No variable is read because of its name: a key of OPENAI_API_KEY in the environment was given to another program.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from litecode.core.errors import ModelAuth
from litecode.core.git.process import scrubbed

if TYPE_CHECKING:
    from litecode.config.settings import Settings

HELPER_SECONDS = 60.0  # a password manager may ask the person
EXTRA = "pip install 'litecode[keyring]'"


class KeySource(NamedTuple):
    """Where a key is; one of the three is given."""

    variable: str = ""
    helper: tuple[str, ...] = ()
    keyring: str = ""

    def __str__(self) -> str:
        if self.variable:
            return f"the environment variable {self.variable}"
        return f"the output of {self.helper[0]}" if self.helper else f"the keyring entry {self.keyring}"


def source_for(settings: Settings, host: str, *, configured: bool) -> KeySource | None:
    """What the person set for this host, else, for the configured endpoint, what they set for no host in particular."""
    found = {field: value for name, field, value in settings.host_keys if name == host}
    if not found and configured:
        found = {
            "key_variable": settings.key_variable,
            "key_helper": settings.key_helper,
            "keyring": settings.keyring,
        }
    variable, helper, ring = (found.get(field) for field in ("key_variable", "key_helper", "keyring"))
    if variable:
        return KeySource(variable=str(variable))
    if isinstance(helper, tuple) and helper:
        return KeySource(helper=tuple(map(str, helper)))
    return KeySource(keyring=str(ring)) if ring else None


def key_for(settings: Settings, environ: Mapping[str, str], host: str, *, configured: bool) -> str:
    """The key, empty when none was set. `configured` says that the host is that of the endpoint in the settings.

    Raises ModelAuth when there is no key in the place that was named, or what is there cannot be one.
    """
    source = source_for(settings, host, configured=configured)
    if source is None:
        return ""
    if source.variable:
        key = environ.get(source.variable, "")
        if not key:
            raise ModelAuth(f"{source} is not set", f"export {source.variable}=..., or name another one")
    else:
        key = _asked(source, tuple(sorted(environ.items())))
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ModelAuth(f"{source} has no key in it", "make it one line of printable characters without blanks")
    return key


@lru_cache(maxsize=8)  # several endpoints of one host need not ask the person twice
def _asked(source: KeySource, environ: tuple[tuple[str, str], ...]) -> str:
    return _from_helper(source, dict(environ)) if source.helper else _from_keyring(source)


def _from_helper(source: KeySource, environ: Mapping[str, str]) -> str:
    """Not run in the repository, so that nothing in there can be taken for the helper or its configuration."""
    program = source.helper[0]
    if "/" in program and not program.startswith("/"):
        raise ModelAuth(f"the helper {program} has a relative path", "name a program on your PATH, or its full path")
    try:
        done = subprocess.run(
            source.helper,
            cwd=Path("/"),
            env=scrubbed(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=HELPER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = "did not end in time" if isinstance(error, subprocess.TimeoutExpired) else "cannot be run"
        raise ModelAuth(f"the helper {program} {why}", "run it by hand: it must print the key") from error
    if done.returncode:
        raise ModelAuth(f"the helper {program} exited with {done.returncode}", "run it by hand: it must print the key")
    return done.stdout.decode("utf-8", "replace").partition("\n")[0]


def _from_keyring(source: KeySource) -> str:
    try:
        import keyring
        import keyring.errors
    except ModuleNotFoundError as error:
        raise ModelAuth("the keyring package is not installed", EXTRA) from error
    service, _, user = source.keyring.partition("/")
    try:
        key = keyring.get_password(service, user or "litecode")
    except keyring.errors.KeyringError as error:
        raise ModelAuth(f"the keyring cannot be read: {error}", "unlock it, or use a variable or a helper") from error
    if key is None:
        raise ModelAuth(f"{source} is not there", f"store it: keyring set {service} {user or 'litecode'}")
    return key
