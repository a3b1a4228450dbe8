"""What a person, not a repository, decides: settings from git's configuration under `litecode.`.

The configuration inside a repository (scopes local and worktree) can come with the repository, as an archive or a
shared folder does, so it is not trusted: it may only restrict. Git draws the same line for what it calls protected
configuration (safe.directory).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from re import sub
from typing import Any, NamedTuple

from litecode.config.setting_kinds import Allowed, Value, arguments, choice, longer, lower, shape, stricter, whole
from litecode.config.trailer import Trailer
from litecode.core.errors import ConfigError

SECTION = "litecode."
PROTECTED = frozenset(("system", "global", "command"))
"""The scopes of `git config --show-scope` that a repository cannot write."""

HostKey = tuple[str, str, Value]
"""Host, field and value of a setting for one host, e.g. `litecode.api.example.com.keyVariable`."""


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
    """`endpoint` empty and `model` empty mean the default choice. `deadline` and `verify_timeout` are in seconds,
    `window` in tokens. None for `on_unavailable` means fail in CI and skip in a hook, for `slots` what the hardware
    or the endpoint can do. Keys without a host are for the configured endpoint.
    """

    endpoint: str = ""
    also_endpoints: tuple[str, ...] = ()
    model: str = ""
    fallback: tuple[str, ...] = ()
    judge: str = ""
    key_variable: str = ""
    key_helper: tuple[str, ...] = ()
    keyring: str = ""
    host_keys: tuple[HostKey, ...] = ()
    remote: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    not_secret: tuple[str, ...] = ()
    verify: tuple[tuple[str, ...], ...] = ()
    verify_timeout: int = 600
    slots: int | None = None
    deadline: int = 60
    window: int = 8192
    on_unavailable: Unavailable | None = None
    apply: Apply = Apply.STAGE
    trailer: Trailer = Trailer.KEEP


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
    by_host: bool = False  # can be given for one host: litecode.HOST.key


# No user name or password: an address is shown in messages and kept in runs.
_URL = r"https?://[^\s/@]+(/[^\s@]*)?"
_NEAR = r"embedded|ollama|ollama://[^\s/@#]+"
_ENDPOINT = shape(
    rf"({_NEAR})(#\S+)?|{_URL}",
    "embedded, ollama, or the http(s) address of an OpenAI-compatible server",
)
_PLACE = rf"{_NEAR}|https?://[^\s/@#?]+(/[^\s@#?]*)?"
_OTHER_MODEL = shape(
    rf"({_PLACE})#\S(.*\S)?|(?!(embedded|ollama)(#|$)|[a-zA-Z]+://)\S(.*\S)?", "a model name, or ENDPOINT#NAME"
)

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "endpoint",
        "endpoint",
        _ENDPOINT,
        "Where the model runs. Without it: Ollama if it answers, else the embedded model.",
    ),
    Setting(
        "also_endpoints",
        "alsoEndpoint",
        _ENDPOINT,
        "Where a model that does as well can be asked too: the least busy one that answers is. Several times.",
        many=True,
    ),
    Setting("model", "model", shape(r"\S(.*\S)?", "a model name"), "The model to use, as the endpoint names it."),
    Setting(
        "fallback",
        "fallback",
        _OTHER_MODEL,
        "For what the first model could not do: a model as the endpoint names it, or ENDPOINT#NAME. Several times.",
        many=True,
    ),
    Setting(
        "judge",
        "judge",
        _OTHER_MODEL,
        "A better model, asked about doubtful changes of rules: what it writes, too, is staged. Named like a fallback.",
    ),
    Setting(
        "key_variable",
        "keyVariable",
        shape(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable"),
        "The environment variable that has the API key. The key itself is never a setting.",
        by_host=True,
    ),
    Setting(
        "key_helper",
        "keyHelper",
        Allowed(arguments, "a command with its arguments, quoted as in a shell"),
        "A command that prints the API key, e.g. of a password manager. It is not run by a shell.",
        by_host=True,
    ),
    Setting(
        "keyring",
        "keyring",
        shape(r"[^\s/]+(/\S+)?", "SERVICE or SERVICE/USER of the keyring"),
        "Where the keyring of the operating system has the API key. Needs litecode[keyring].",
        by_host=True,
    ),
    Setting(
        "remote",
        "remote",
        shape(r"[A-Za-z0-9.:\[\]-]+", "a host name, as in the address of the endpoint"),
        "A host beside this machine that code may be sent to. Can be given several times.",
        many=True,
    ),
    Setting(
        "deny",
        "deny",
        shape(r"\S(.*\S)?", "a path or file name, with * and ?"),
        "Files that are sent to no other machine, beside those of the built-in list. Can be given several times.",
        restricts=longer,
        many=True,
    ),
    Setting(
        "not_secret",
        "notSecret",
        shape(r"[0-9a-f]{16}", "the 16 digits that the refusal names"),
        "A value that looks like a secret and is none. Can be given several times.",
        many=True,
    ),
    Setting(
        "verify",
        "verify",
        Allowed(arguments, "a command with its arguments, quoted as in a shell"),
        "A command that must succeed on the changed tree. Can be given several times.",
        many=True,
    ),
    Setting(
        "verify_timeout",
        "verifyTimeout",
        whole(1, 86_400),
        "Seconds that all verify commands of a run may take together.",
        restricts=lower,
    ),
    Setting("slots", "slots", whole(1, 1024), "Calls at the same time. Without it: what the endpoint can do."),
    Setting(
        "deadline",
        "deadline",
        whole(1, 86_400),
        "Seconds that a hook may take; work that cannot finish in time is not started.",
        restricts=lower,
    ),
    Setting(
        "window", "window", whole(1024, 1_048_576), "Tokens that a prompt and its reply may have.", restricts=lower
    ),
    Setting(
        "on_unavailable",
        "onUnavailable",
        choice(Unavailable),
        "What to do when no model answers. Without it: fail in CI, skip in a hook.",
        restricts=stricter(Unavailable),
    ),
    Setting(
        "apply",
        "apply",
        choice(Apply),
        "How far a proven patch goes: stage it, only write it to the worktree, or hold it for review.",
        restricts=stricter(Apply),
    ),
    Setting(
        "trailer",
        "trailer",
        choice(Trailer),
        "A Litecode: trailer whose request is carried out: keep it, with the id of the run below it, or drop it.",
        restricts=lambda _new, _current: True,  # a matter of taste, in which a team may agree
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
        host, setting = _find(key)
        if setting is None:
            warnings.append(_unknown(key))
            continue
        name = f"{SECTION}{host}.{setting.key}" if host else SECTION + setting.key
        if scope not in PROTECTED and setting.restricts is None:
            warnings.append(f"{name} in the {scope} configuration of the repository is ignored: {_remedy(name)}")
            continue
        current = getattr(settings, setting.field)
        new = _read(setting, name, scope, text, current)
        if scope not in PROTECTED and setting.restricts is not None and not setting.restricts(new, current):
            warnings.append(
                f"{name} = {text} in the {scope} configuration of the repository is ignored, "
                f"it may only be stricter than {_shown(current)}: {_remedy(name)}"
            )
            continue
        given: dict[str, Any] = {setting.field: new}  # of the field's type, because the row reads it so
        if host:
            given = {"host_keys": (*settings.host_keys, (host, setting.field, new))}
        settings = replace(settings, **given)
    return settings, tuple(warnings)


def _find(key: str) -> tuple[str, Setting | None]:
    """The setting that a key names, and the host that it is for, empty for none in particular. Git keeps the case of
    what stands in the middle.
    """
    setting = _BY_KEY.get(key.lower())
    if setting is not None:
        return "", setting
    host, _, name = key[len(SECTION) :].rpartition(".")
    setting = _BY_KEY.get(SECTION + name.lower())
    if host and setting is not None and setting.by_host:
        return host.lower(), setting
    return "", None


def _read(setting: Setting, name: str, scope: str, text: str, current: Value) -> Value:
    if setting.many and not text:
        return ()
    value = setting.allowed.read(text)
    if value is None:
        text = sub(r"(//)[^/@\s]*@", r"\1…@", text)  # an address may have a password
        hint = f"allowed: {setting.allowed.words}; change it with `git config{_flag(scope)} {name} VALUE`"
        raise ConfigError(f"{name} cannot be `{text}` ({scope} configuration)", hint)
    return (*current, value) if setting.many and isinstance(current, tuple) else value


def _shown(value: Value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


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
