"""Where the API key comes from, and where it never comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from litecode.config.settings import Settings
from litecode.core.errors import ModelAuth
from litecode.core.llm.keys import key_for

HOST = "api.example.com"
AMBIENT = {
    "OPENAI_API_KEY": "sk-ambient",
    "GROQ_API_KEY": "gsk-ambient",
    "OPENROUTER_API_KEY": "or-ambient",
    "OLLAMA_API_KEY": "ollama-ambient",
    "API_KEY": "ambient",
}


def helper(folder: Path, script: str) -> str:
    path = folder / "show-key"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("settings", "configured", "key"),
    [
        (Settings(), True, ""),
        (Settings(key_variable="MINE"), True, "k-mine"),
        (Settings(key_variable="MINE"), False, ""),
        (Settings(host_keys=((HOST, "key_variable", "HERS"),)), True, "k-hers"),
        (Settings(host_keys=((HOST, "key_variable", "HERS"),)), False, "k-hers"),
        (Settings(host_keys=(("other.example", "key_variable", "HERS"),)), True, ""),
        (Settings(key_variable="MINE", host_keys=(("other.example", "key_variable", "HERS"),)), True, "k-mine"),
        (Settings(key_variable="MINE", host_keys=((HOST, "key_variable", "HERS"),)), True, "k-hers"),
        (Settings(host_keys=((HOST, "key_variable", "NONE"), (HOST, "key_variable", "HERS"))), False, "k-hers"),
        (Settings(key_variable="PADDED"), True, "k-padded"),
    ],
)
def test_a_key_is_for_the_host_that_it_was_set_for(settings: Settings, configured: bool, key: str) -> None:
    environ = AMBIENT | {"MINE": "k-mine", "HERS": "k-hers", "PADDED": "  k-padded\n"}
    assert key_for(settings, environ, HOST, configured=configured) == key


@pytest.mark.parametrize("value", [None, "", "  ", "two words", "a\nb", "a\r\nX-Evil: 1", "schlüssel", "a\x1bb"])
def test_what_cannot_be_a_key(value: str | None) -> None:
    environ = AMBIENT | ({} if value is None else {"MINE": value})
    with pytest.raises(ModelAuth) as caught:
        key_for(Settings(key_variable="MINE"), environ, HOST, configured=True)
    assert "MINE" in caught.value.message
    assert caught.value.hint
    assert not value or value.strip() not in caught.value.message or not value.strip()


def test_a_helper_prints_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = helper(tmp_path, 'printf "%s %s %s" "k-$1" "$(pwd)" "$GIT_DIR" | tr " " "_"; echo; echo more')
    settings = Settings(key_helper=(name, "a b"))
    with pytest.raises(ModelAuth):  # no shell takes the argument apart
        key_for(Settings(key_helper=(name.replace("show-key", "no-such"), "a")), {}, HOST, configured=True)
    assert key_for(settings, {"PATH": "/usr/bin:/bin", "GIT_DIR": "/x"}, HOST, configured=True) == "k-a_b_/_"


@pytest.mark.parametrize(
    ("script", "why"), [("exit 3", "exited with 3"), ("true", "has no key"), ("echo two words", "has no key")]
)
def test_a_helper_that_does_not_help(tmp_path: Path, script: str, why: str) -> None:
    with pytest.raises(ModelAuth, match=why):
        key_for(Settings(key_helper=(helper(tmp_path, script),)), {"PATH": "/usr/bin:/bin"}, HOST, configured=True)


@pytest.mark.parametrize("name", ["./show-key", "bin/show-key"])
def test_a_helper_is_not_looked_for_in_the_repository(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper(tmp_path, "echo stolen")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelAuth, match="relative path"):
        key_for(Settings(key_helper=(name,)), {"PATH": "/usr/bin"}, HOST, configured=True)
    with pytest.raises(ModelAuth, match="cannot be run"):
        key_for(Settings(key_helper=("show-key",)), {"PATH": ":.:bin"}, HOST, configured=True)


class TestKeyring:
    @pytest.fixture
    def ring(self) -> Any:
        keyring = pytest.importorskip("keyring")
        from keyring.backend import KeyringBackend

        class Memory(KeyringBackend):
            priority = 1

            def __init__(self) -> None:
                super().__init__()
                self.known = {("groq", "litecode"): "k-groq", ("groq", "me"): "k-mine"}

            def get_password(self, service: str, username: str) -> str | None:
                return self.known.get((service, username))

            def set_password(self, service: str, username: str, password: str) -> None:
                raise NotImplementedError

        before = keyring.get_keyring()
        keyring.set_keyring(Memory())
        yield
        keyring.set_keyring(before)

    @pytest.mark.usefixtures("ring")
    def test_entries(self) -> None:
        assert key_for(Settings(keyring="groq"), {"A": "1"}, HOST, configured=True) == "k-groq"
        assert key_for(Settings(keyring="groq/me"), {"A": "1"}, HOST, configured=True) == "k-mine"
        with pytest.raises(ModelAuth) as caught:
            key_for(Settings(keyring="groq/you"), {"A": "1"}, HOST, configured=True)
        assert caught.value.hint == "store it: keyring set groq you"
