"""What a person, not a repository, decides: settings from git's configuration under `litecode.`.

The configuration inside a repository (scopes local and worktree) can come with the repository, as an archive or a
shared folder does, so it is not trusted: it may only restrict. Git draws the same line for what it calls protected
configuration (safe.directory).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from litecode.core.errors import ConfigError

SECTION = "litecode."
PROTECTED = frozenset(("system", "global", "command"))
"""The scopes of `git config --show-scope` that a repository cannot write."""


class Unavailable(StrEnum):
    """What to do when no model answers; the stricter one first."""

    FAIL = "fail"
    SKIP = "skip"


class Apply(StrEnum):
    """How far a proven patch goes; the most careful one first."""

    HOLD = "hold"
    WORKTREE = "worktree"
    STAGE = "stage"


@dataclass(frozen=True, slots=True)
class Settings:
    """`endpoint` empty and `model` empty mean the default choice. `deadline` is in seconds, `window` and `context` in
    tokens. None for `on_unavailable` means fail in CI and skip in a hook, for `slots` what the hardware or the endpoint
    can do, for `context` what the window leaves.
    """

    endpoint: str = ""
    model: str = ""
    fallback: tuple[str, ...] = ()
    key_variable: str = ""
    remote: tuple[str, ...] = ()
    verify: tuple[tuple[str, ...], ...] = ()
    slots: int | None = None
    deadline: int = 60
    window: int = 8192
    context: int | None = None
    on_unavailable: Unavailable | None = None
    apply: Apply = Apply.STAGE


Value = str | int | StrEnum | tuple[str, ...] | tuple[tuple[str, ...], ...] | None


class Allowed(NamedTuple):
    """How a value is read (None when it is not allowed), and what is allowed, in words."""

    read: Callable[[str], Value]
    words: str


class Setting(NamedTuple):
    """`restricts` None: only protected scopes count. Else a repository's value counts when `restricts(it, current)`.
    With `many`, values of several entries add up to a tuple, and an empty one forgets those before it, as git does.
    """

    field: str
    key: str
    allowed: Allowed
    doc: str
    restricts: Callable[[Value, Value], bool] | None = None
    many: bool = False


def _whole(least: int, most: int) -> Allowed:
    """A whole number in git's notation: 8k is 8192."""

    def read(text: str) -> Value:
        found = re.fullmatch(r"([0-9]{1,12})([kKmM]?)", text.strip())
        if not found:
            return None
        number = int(found[1]) * {"": 1, "k": 1024, "m": 1024**2}[found[2].lower()]
        return number if least <= number <= most else None

    return Allowed(read, f"a whole number from {least:,} to {most:,}")


def _choice(options: type[StrEnum]) -> Allowed:
    names = [option.value for option in options]
    return Allowed(lambda text: options(text) if text in names else None, ", ".join(names))


def _shape(shape: str, words: str) -> Allowed:
    return Allowed(lambda text: text if re.fullmatch(shape, text) else None, words)


def _arguments(text: str) -> Value:
    from shlex import split

    try:
        words = split(text)
    except ValueError:
        return None
    return tuple(words) or None


def _lower(new: Value, current: Value) -> bool:
    return isinstance(new, int) and (current is None or (isinstance(current, int) and new <= current))


def _stricter(options: type[StrEnum]) -> Callable[[Value, Value], bool]:
    """Whether an option stands no later in its class than the current one."""
    order = [option.value for option in options]
    return lambda new, current: current is None or order.index(str(new)) <= order.index(str(current))


# No user name or password: an address is shown in messages and kept in runs.
_URL = r"https?://[^\s/@]+(/[^\s@]*)?"

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "endpoint",
        "endpoint",
        _shape(rf"embedded|ollama|{_URL}", "embedded, ollama, or the http(s) address of an OpenAI-compatible server"),
        "Where the model runs. Without it: Ollama if it answers, else the embedded model.",
    ),
    Setting("model", "model", _shape(r"\S(.*\S)?", "a model name"), "The model to use, as the endpoint names it."),
    Setting(
        "fallback",
        "fallback",
        _shape(r"\S(.*\S)?", "a model name"),
        "A model to try when the first one gave no usable reply. Can be given several times.",
        many=True,
    ),
    Setting(
        "key_variable",
        "keyVariable",
        _shape(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable"),
        "The environment variable that has the API key. The key itself is never a setting.",
    ),
    Setting(
        "remote",
        "remote",
        _shape(r"[A-Za-z0-9.:\[\]-]+", "a host name, as in the address of the endpoint"),
        "A host beside this machine that code may be sent to. Can be given several times.",
        many=True,
    ),
    Setting(
        "verify",
        "verify",
        Allowed(_arguments, "a command with its arguments, quoted as in a shell"),
        "A command that must succeed on the changed tree. Can be given several times.",
        many=True,
    ),
    Setting("slots", "slots", _whole(1, 1024), "Calls at the same time. Without it: what the endpoint can do."),
    Setting(
        "deadline",
        "deadline",
        _whole(1, 86_400),
        "Seconds that a hook may take; work that cannot finish in time is not started.",
        restricts=_lower,
    ),
    Setting(
        "window", "window", _whole(1024, 1_048_576), "Tokens that a prompt and its reply may have.", restricts=_lower
    ),
    Setting(
        "context",
        "context",
        _whole(0, 1_048_576),
        "Tokens of outline that a prompt may have beside the code to change. Without it: what the window leaves.",
        restricts=_lower,
    ),
    Setting(
        "on_unavailable",
        "onUnavailable",
        _choice(Unavailable),
        "What to do when no model answers. Without it: fail in CI, skip in a hook.",
        restricts=_stricter(Unavailable),
    ),
    Setting(
        "apply",
        "apply",
        _choice(Apply),
        "How far a proven patch goes: stage it, only write it to the worktree, or hold it for review.",
        restricts=_stricter(Apply),
    ),
)

# Git prints the names of variables in small letters.
_BY_KEY = {SECTION + setting.key.lower(): setting for setting in SETTINGS}


def parse_settings(entries: Iterable[tuple[str, str, str]]) -> tuple[Settings, tuple[str, ...]]:
    """Settings and warnings from `(scope, key, value)`, in the order of `git config --list --show-scope -z`.

    A value that a repository may not give, and an unknown key, are ignored with a warning. A value that is not allowed
    is a `ConfigError`, unless it is ignored anyway.
    """
    settings = Settings()
    warnings: list[str] = []
    for scope, key, text in entries:
        if not key.lower().startswith(SECTION):
            continue
        setting = _BY_KEY.get(key.lower())
        if setting is None:
            warnings.append(_unknown(key))
            continue
        name = SECTION + setting.key
        if scope not in PROTECTED and setting.restricts is None:
            warnings.append(f"{name} in the {scope} configuration of the repository is ignored: {_remedy(name)}")
            continue
        current = getattr(settings, setting.field)
        new = _read(setting, scope, text, current)
        if scope not in PROTECTED and setting.restricts is not None and not setting.restricts(new, current):
            warnings.append(
                f"{name} = {text} in the {scope} configuration of the repository is ignored, "
                f"it may only be stricter than {current}: {_remedy(name)}"
            )
            continue
        given: dict[str, Any] = {setting.field: new}  # of the field's type, because the row reads it so
        settings = replace(settings, **given)
    return settings, tuple(warnings)


def _read(setting: Setting, scope: str, text: str, current: Value) -> Value:
    if setting.many and not text:
        return ()
    value = setting.allowed.read(text)
    if value is None:
        name = SECTION + setting.key
        hint = f"allowed: {setting.allowed.words}; change it with `git config{_flag(scope)} {name} VALUE`"
        raise ConfigError(f"{name} cannot be `{text}` ({scope} configuration)", hint)
    return (*current, value) if setting.many and isinstance(current, tuple) else value


def _flag(scope: str) -> str:
    return f" --{scope}" if scope in ("system", "global", "local", "worktree") else ""


def _remedy(name: str) -> str:
    # Without the value: a command to paste must not carry what a stranger's repository says.
    return f"only you can set it, with `git config --global {name} VALUE`"


def _unknown(key: str) -> str:
    from difflib import get_close_matches

    names = {setting.key.lower(): setting.key for setting in SETTINGS}
    near = get_close_matches(key[len(SECTION) :].lower(), names, 1)
    meant = f"did you mean {SECTION}{names[near[0]]}?" if near else f"known are: {', '.join(names.values())}"
    return f"unknown setting {key} is ignored; {meant}"
