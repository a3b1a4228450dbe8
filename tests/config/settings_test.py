"""Settings come from git's configuration; a repository may only make them stricter."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from litecode.config import settings
from litecode.config.settings import SETTINGS, Apply, Settings, Unavailable, parse_settings
from litecode.core.errors import ConfigError

Entry = tuple[str, str, str]

FAIL = Settings(on_unavailable=Unavailable.FAIL)
ENDPOINTS = "embedded, ollama, or the http(s) address of an OpenAI-compatible server"


def test_every_field_is_in_the_table() -> None:
    named = {field.name for field in fields(Settings)} - {"host_keys"}
    assert sorted(setting.field for setting in SETTINGS) == sorted(named)
    assert len({setting.key.lower() for setting in SETTINGS}) == len(SETTINGS)
    assert all(setting.doc.endswith(".") and setting.allowed.words for setting in SETTINGS)


def test_every_setting_is_used() -> None:
    package = Path(settings.__file__).parent.parent
    sources = [path.read_text() for folder in ("core", "hooks") for path in (package / folder).rglob("*.py")]
    used = {name for text in sources for name in re.findall(r"\.(\w+)\b", text)}
    assert {setting.field for setting in SETTINGS} - {"key_variable", "key_helper", "keyring"} <= used
    assert "context" not in Settings.__dataclass_fields__


@pytest.mark.parametrize("entries", [[], [("local", "core.bare", "false"), ("local", "litecodex.endpoint", "x")]])
def test_defaults(entries: list[Entry]) -> None:
    assert parse_settings(entries) == (
        Settings(
            endpoint="",
            model="",
            fallback=(),
            judge="",
            key_variable="",
            remote=(),
            key_helper=(),
            keyring="",
            host_keys=(),
            deny=(),
            not_secret=(),
            verify=(),
            verify_timeout=600,
            slots=None,
            deadline=60,
            window=8192,
            on_unavailable=None,
            apply=Apply.STAGE,
        ),
        (),
    )


@pytest.mark.parametrize("scope", ["system", "global", "command"])
@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("endpoint", "embedded", Settings(endpoint="embedded")),
        ("endpoint", "ollama", Settings(endpoint="ollama")),
        ("endpoint", "http://127.0.0.1:8080/v1", Settings(endpoint="http://127.0.0.1:8080/v1")),
        ("endpoint", "https://[::1]:1", Settings(endpoint="https://[::1]:1")),
        ("model", "qwen2.5-coder:1.5b", Settings(model="qwen2.5-coder:1.5b")),
        ("model", "a b", Settings(model="a b")),
        ("fallback", "big", Settings(fallback=("big",))),
        ("keyvariable", "GROQ_API_KEY", Settings(key_variable="GROQ_API_KEY")),
        ("keyhelper", "pass show 'my key'", Settings(key_helper=("pass", "show", "my key"))),
        ("keyring", "litecode/groq", Settings(keyring="litecode/groq")),
        ("api.example.com.keyvariable", "K", Settings(host_keys=(("api.example.com", "key_variable", "K"),))),
        ("API.Example.com.keyhelper", "a b", Settings(host_keys=(("api.example.com", "key_helper", ("a", "b")),))),
        ("127.0.0.1.keyring", "x", Settings(host_keys=(("127.0.0.1", "keyring", "x"),))),
        ("remote", "api.example.com", Settings(remote=("api.example.com",))),
        ("deny", "*.sql", Settings(deny=("*.sql",))),
        ("notsecret", "0123456789abcdef", Settings(not_secret=("0123456789abcdef",))),
        ("verifytimeout", "5", Settings(verify_timeout=5)),
        ("verify", "python -m pytest -k 'a b'", Settings(verify=(("python", "-m", "pytest", "-k", "a b"),))),
        ("slots", "4", Settings(slots=4)),
        ("deadline", "5", Settings(deadline=5)),
        ("deadline", "600", Settings(deadline=600)),
        ("window", "32k", Settings(window=32768)),
        ("window", " 4096 ", Settings(window=4096)),
        ("judge", "qwen2.5-coder:7b", Settings(judge="qwen2.5-coder:7b")),
        ("judge", "/models/own.gguf", Settings(judge="/models/own.gguf")),
        ("judge", "ollama://gpu:1#a b", Settings(judge="ollama://gpu:1#a b")),
        ("fallback", "https://gpu.example/v1#org/m#x", Settings(fallback=("https://gpu.example/v1#org/m#x",))),
        ("judge", "embedded#qwen2.5-coder-1.5b", Settings(judge="embedded#qwen2.5-coder-1.5b")),
        ("onunavailable", "skip", Settings(on_unavailable=Unavailable.SKIP)),
        ("onunavailable", "fail", Settings(on_unavailable=Unavailable.FAIL)),
        ("apply", "stage", Settings(apply=Apply.STAGE)),
        ("apply", "worktree", Settings(apply=Apply.WORKTREE)),
        ("apply", "hold", Settings(apply=Apply.HOLD)),
    ],
)
def test_what_a_person_sets(scope: str, key: str, value: str, expected: Settings) -> None:
    assert parse_settings([(scope, f"litecode.{key}", value)]) == (expected, ())


@pytest.mark.parametrize("scope", ["local", "worktree", "submodule", "unknown"])
@pytest.mark.parametrize(
    ("key", "name", "value"),
    [
        ("endpoint", "endpoint", "https://evil.example"),
        ("model", "model", "x"),
        ("fallback", "fallback", "x"),
        ("fallback", "fallback", ""),
        ("judge", "judge", "https://evil.example/v1#x"),
        ("keyvariable", "keyVariable", "HOME"),
        ("keyhelper", "keyHelper", "curl evil.example"),
        ("keyring", "keyring", "login"),
        ("evil.example.keyvariable", "evil.example.keyVariable", "GROQ_API_KEY"),
        ("evil.example.keyhelper", "evil.example.keyHelper", "printenv"),
        ("notsecret", "notSecret", "0123456789abcdef"),
        ("remote", "remote", "evil.example"),
        ("verify", "verify", "rm -rf /"),
        ("slots", "slots", "999"),
        ("endpoint", "endpoint", "not allowed\x1b[0m"),
    ],
)
def test_what_a_repository_may_not_set(scope: str, key: str, name: str, value: str) -> None:
    assert parse_settings([(scope, f"litecode.{key}", value)]) == (
        Settings(),
        (
            f"litecode.{name} in the {scope} configuration of the repository is ignored: "
            f"only you can set it, with `git config --global litecode.{name} VALUE`",
        ),
    )


@pytest.mark.parametrize(
    ("entries", "expected", "refused"),
    [
        ([("local", "deadline", "10")], Settings(deadline=10), ""),
        ([("local", "deadline", "60")], Settings(), ""),
        ([("local", "deadline", "61")], Settings(), "deadline = 61|60"),
        ([("global", "deadline", "20"), ("local", "deadline", "30")], Settings(deadline=20), "deadline = 30|20"),
        ([("global", "deadline", "90"), ("local", "deadline", "80")], Settings(deadline=80), ""),
        ([("local", "deadline", "5"), ("command", "deadline", "100")], Settings(deadline=100), ""),
        ([("local", "deadline", "5"), ("worktree", "deadline", "6")], Settings(deadline=5), "deadline = 6|5"),
        ([("local", "window", "4k")], Settings(window=4096), ""),
        ([("local", "window", "16k")], Settings(), "window = 16k|8192"),
        ([("local", "deny", "*.sql")], Settings(deny=("*.sql",)), ""),
        ([("global", "deny", "a"), ("local", "deny", "b")], Settings(deny=("a", "b")), ""),
        ([("global", "deny", "a"), ("local", "deny", "")], Settings(deny=("a",)), "deny = |a"),
        ([("local", "verifytimeout", "601")], Settings(), "verifyTimeout = 601|600"),
        ([("local", "onunavailable", "skip")], Settings(on_unavailable=Unavailable.SKIP), ""),
        ([("global", "onunavailable", "skip"), ("local", "onunavailable", "fail")], FAIL, ""),
        ([("global", "onunavailable", "fail"), ("local", "onunavailable", "skip")], FAIL, "onUnavailable = skip|fail"),
        ([("local", "apply", "hold")], Settings(apply=Apply.HOLD), ""),
        ([("local", "apply", "worktree")], Settings(apply=Apply.WORKTREE), ""),
        ([("local", "apply", "stage")], Settings(), ""),
        ([("global", "apply", "hold"), ("local", "apply", "stage")], Settings(apply=Apply.HOLD), "apply = stage|hold"),
    ],
)  # fmt: skip
def test_a_repository_may_be_stricter(entries: list[Entry], expected: Settings, refused: str) -> None:
    settings, warnings = parse_settings((scope, f"litecode.{key}", value) for scope, key, value in entries)
    assert settings == expected
    given, _, limit = refused.partition("|")
    name = given.partition(" ")[0]
    scope = entries[-1][0]
    assert warnings == (
        ()
        if not refused
        else (
            f"litecode.{given} in the {scope} configuration of the repository is ignored, it may only be stricter "
            f"than {limit}: only you can set it, with `git config --global litecode.{name} VALUE`",
        )
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "b"], ("a", "b")),
        (["a", "", "b"], ("b",)),
        (["a", ""], ()),
        (["a", "a"], ("a", "a")),
    ],
)
def test_several_values_add_up(values: list[str], expected: tuple[str, ...]) -> None:
    entries = [("global", "litecode.fallback", value) for value in values]
    assert parse_settings(entries) == (Settings(fallback=expected), ())


def test_the_last_value_counts() -> None:
    entries = [("system", "litecode.model", "a"), ("global", "litecode.model", "b"), ("command", "litecode.model", "c")]
    assert parse_settings(entries) == (Settings(model="c"), ())
    assert parse_settings(entries[:2]) == (Settings(model="b"), ())


@pytest.mark.parametrize(
    ("scope", "key", "value", "name", "allowed", "flag"),
    [
        ("global", "deadline", "soon", "deadline", "a whole number from 1 to 86,400", " --global"),
        ("global", "deadline", "0", "deadline", "a whole number from 1 to 86,400", " --global"),
        ("local", "deadline", "-1", "deadline", "a whole number from 1 to 86,400", " --local"),
        ("system", "deadline", "1.5", "deadline", "a whole number from 1 to 86,400", " --system"),
        ("command", "deadline", "", "deadline", "a whole number from 1 to 86,400", ""),
        ("global", "window", "1000", "window", "a whole number from 1,024 to 1,048,576", " --global"),
        ("worktree", "window", "2g", "window", "a whole number from 1,024 to 1,048,576", " --worktree"),
        ("global", "slots", "0", "slots", "a whole number from 1 to 1,024", " --global"),
        *(
            ("global", "judge", value, "judge", "a model name, or ENDPOINT#NAME", " --global")
            for value in ("", "embedded", "ollama#", "http://h/v1", "http://h/v1#", "HTTP://h/v1#m", "http://h/v1 x#m")
        ),
        ("global", "fallback", "ollama://u:pw@h#m", "fallback", "a model name, or ENDPOINT#NAME", " --global"),
        ("global", "fallback", "https://u:pw@h/v1#m", "fallback", "a model name, or ENDPOINT#NAME", " --global"),
        ("global", "fallback", "https://h/v1?key=s#m", "fallback", "a model name, or ENDPOINT#NAME", " --global"),
        ("local", "onunavailable", "ignore", "onUnavailable", "fail, skip", " --local"),
        ("global", "apply", "Stage", "apply", "hold, worktree, stage", " --global"),
        ("global", "endpoint", "openai", "endpoint", ENDPOINTS, " --global"),
        ("global", "endpoint", "http://me:secret@host/", "endpoint", ENDPOINTS, " --global"),
        ("global", "endpoint", "ftp://host", "endpoint", ENDPOINTS, " --global"),
        ("global", "model", "", "model", "a model name", " --global"),
        ("global", "keyvariable", "sk-123 456", "keyVariable", "the name of an environment variable", " --global"),
        ("global", "remote", "https://host", "remote", "a host name, as in the address of the endpoint", " --global"),
        ("global", "verify", "echo 'x", "verify", "a command with its arguments, quoted as in a shell", " --global"),
        ("global", "verify", "  ", "verify", "a command with its arguments, quoted as in a shell", " --global"),
    ],
)  # fmt: skip
def test_values_that_are_not_allowed(scope: str, key: str, value: str, name: str, allowed: str, flag: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings([(scope, f"litecode.{key}", value)])
    shown = re.sub("//.*@", "//…@", value)  # no password in a message
    assert caught.value.message == f"litecode.{name} cannot be `{shown}` ({scope} configuration)"
    assert caught.value.hint == f"allowed: {allowed}; change it with `git config{flag} litecode.{name} VALUE`"


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("litecode.deadlin", "did you mean litecode.deadline?"),
        ("litecode.onUnavailible", "did you mean litecode.onUnavailable?"),
        ("litecode.key_variable", "did you mean litecode.keyVariable?"),
        ("litecode.zzz", "known are: " + ", ".join(setting.key for setting in SETTINGS)),
        ("litecode.example.com.model", "known are: " + ", ".join(setting.key for setting in SETTINGS)),
        ("litecode.endpoint.x", "did you mean litecode.endpoint?"),
    ],
)
@pytest.mark.parametrize("scope", ["global", "local"])
def test_unknown_keys_are_ignored_with_a_warning(scope: str, key: str, meant: str) -> None:
    assert parse_settings([(scope, key, "x")]) == (Settings(), (f"unknown setting {key} is ignored; {meant}",))
