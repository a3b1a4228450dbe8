"""`connect` and `doctor`: what a person chooses is tested, written where only they can write, and shown."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.llm import choice, engine
from litecode.hooks.checking import Health
from litecode.hooks.cli import main
from litecode.hooks.doctor import examine

NAME = "qwen2.5-coder:1.5b"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def server(make_server: Callable[[], Any], repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = make_server()
    monkeypatch.setenv("OLLAMA_HOST", found.url)
    for place in (choice, engine):
        monkeypatch.setattr(place, "is_installed", lambda: False)
    monkeypatch.chdir(repo.path)
    return found


def kept(repo: Any) -> list[str]:
    out = repo.git("config", "--global", "--get-regexp", "^litecode", rc=None).decode()
    assert b"litecode" not in (repo / ".git/config").read_bytes()
    return sorted(out.splitlines())


def test_what_works_is_kept(server: Any, repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect", "ollama", "--model", NAME]) == 0
    assert kept(repo) == ["litecode.endpoint ollama", f"litecode.model {NAME}"]
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(f"{NAME} (ollama) answers: 8,192 tokens, 8,192 set up, ")
    assert out[1] == "git config --global --replace-all litecode.endpoint ollama"
    assert len(server.sent) > 2


def test_as_json(server: Any, repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect", "ollama", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["endpoint"], found["host"], found["window"], found["allocated"]) == ("ollama", "", 8192, 8192)
    assert found["model"] == f"{NAME} (ollama)"
    assert found["tokens_per_second"] > 0
    assert kept(repo) == ["litecode.endpoint ollama"]
    assert server.asked


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["ollama", "--model", "no-such"], "ollama pull no-such"),
        (["http://127.0.0.1:9/v1", "--model", "m"], "127.0.0.1:9"),
        (["embedded"], "litecode[embedded]"),
        (["ftp://x"], "allowed: embedded, ollama"),
        (["http://me:pw@127.0.0.1:9/v1"], "allowed: embedded, ollama"),
        (["ollama", "--key-variable", "K"], "takes no key"),
        (["http://127.0.0.1:9/v1", "--key-variable", "sk-123 x"], "the name of an environment variable"),
        (["http://127.0.0.1:9/v1", "--key-variable", "NO_SUCH", "--model", "m"], "NO_SUCH is not set"),
        (["http://127.0.0.1:9/v1", "--key-variable", "K", "--keyring", "x"], "one of --key-variable"),
        (["https://models.example.com/v1", "--model", "m"], "--allow-remote"),
        (["ollama://models.example.com"], "--allow-remote"),
        (["http://models.example.com/v1", "--allow-remote", "--model", "m"], "over http"),
        ([], "there is nobody to ask"),
        (["--format", "json"], "there is nobody to ask"),
    ],
    ids=str,
)
def test_what_does_not_work_is_not_kept(
    server: Any, repo: Any, argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["connect", *argv]) == 2
    assert said in capsys.readouterr().err
    assert kept(repo) == []
    assert server.sent == "[]"


def test_a_key_is_kept_for_its_host_and_never_itself(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("MINE", "k-secret")
    argv = ["https://models.example.com/v1", "--model", "m", "--key-variable", "MINE", "--allow-remote", "--no-test"]
    assert main(["connect", *argv]) == 0
    assert kept(repo) == [
        "litecode.endpoint https://models.example.com/v1",
        "litecode.model m",
        "litecode.models.example.com.keyvariable MINE",
        "litecode.remote models.example.com",
    ]
    assert main(["connect", "ollama://other.example", "--add", "--allow-remote", "--no-test"]) == 0
    assert main(["connect", "ollama://other.example", "--allow-remote", "--no-test"]) == 0
    assert kept(repo)[0:2] == [
        "litecode.alsoendpoint ollama://other.example",
        "litecode.endpoint ollama://other.example",
    ]
    assert sum(line == "litecode.remote other.example" for line in kept(repo)) == 1


@pytest.mark.parametrize(
    ("typed", "code", "endpoint"),
    [
        ("1\n", 0, "litecode.endpoint ollama"),
        ("\n", 0, "litecode.endpoint ollama"),
        ("ollama\n\n", 0, "litecode.endpoint ollama"),
        ("nonsense\n\n", 2, None),
        ("ollama://models.example.com\n\nn\n", 2, None),
    ],
)
def test_it_asks_in_a_terminal(
    server: Any, repo: Any, typed: str, code: int, endpoint: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setenv("TERM", "dumb")
    assert main(["connect"]) == code
    assert f"  1  {NAME}, by Ollama at {server.url}" in said.getvalue()
    assert (endpoint in kept(repo)) if endpoint else kept(repo) == []


@pytest.mark.parametrize(
    ("endpoint", "readable"),
    [("ollama://models.example.com", True), ("https://models.example.com/v1", False)],
)
@pytest.mark.usefixtures("server")
def test_a_connection_that_others_can_read_is_named(
    repo: Any, endpoint: str, readable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setenv("TERM", "dumb")
    assert main(["connect", endpoint, "--model", "m"]) == 2
    assert ("not encrypted" in said.getvalue()) is readable
    assert "Send code to models.example.com?" in said.getvalue()
    assert kept(repo) == []


def checks(repo: Any, *, call: bool = False) -> dict[str, Any]:
    return {check.name: check for check in examine(repo.path, os.environ, call=call)}


class TestDoctor:
    def test_a_call_is_made_only_on_demand(self, server: Any, repo: Any) -> None:
        found = checks(repo)
        assert server.sent == "[]"
        assert found["speed"].detail.startswith("not measured yet")
        assert found["model"].detail == f"{NAME} (ollama), 8,192 tokens, digest d15"
        called = checks(repo, call=True)["call"]
        assert called.health is Health.OK
        assert "9 tokens in " in called.detail
        assert called.detail.endswith("8,192 tokens set up")
        assert server.sent != "[]"

    def test_a_call_that_fails(self, server: Any, repo: Any) -> None:
        server.redirect = "http://127.0.0.1:9"
        assert checks(repo, call=True)["call"].health is Health.PROBLEM

    @pytest.mark.parametrize(
        ("settings", "health", "detail"),
        [
            ({}, Health.OK, "none chosen"),
            ({"endpoint": "embedded"}, Health.OK, "nothing leaves this machine"),
            ({"endpoint": "http://127.0.0.1:9/v1"}, Health.OK, "on this machine"),
            ({"endpoint": "https://models.example.com/v1"}, Health.PROBLEM, "nobody has agreed"),
            ({"endpoint": "https://a.example/v1", "remote": "a.example"}, Health.OK, "you agreed to it"),
            ({"endpoint": "ollama://a.example", "remote": "a.example"}, Health.WARNING, "readable on the way"),
            ({"endpoint": "http://127.0.0.1:9/v1", "keyVariable": "NONE"}, Health.PROBLEM, "NONE is not set"),
            ({"endpoint": "http://127.0.0.1:9/v1", "keyVariable": "HOME"}, Health.OK, "environment variable HOME"),
        ],
        ids=str,
    )
    @pytest.mark.usefixtures("server")
    def test_endpoints(self, repo: Any, settings: dict[str, str], health: Health, detail: str) -> None:
        for name, value in settings.items():
            repo.git("config", "--global", f"litecode.{name}", value)
        check = checks(repo)["endpoint"]
        assert (check.health, detail in check.detail) == (health, True), check
        assert bool(check.remedy) is (health is not Health.OK)

    @pytest.mark.usefixtures("server")
    def test_trust_and_runs(self, repo: Any) -> None:
        rule = "- {id: a, message: M., regex: x, verify: [[pytest, -q]]}\n"
        found = checks(repo)
        assert (found["trust"].detail, found["runs"].detail) == ("there are no verify commands", "0 kept")
        repo.write(".litecode.yaml", f"rules:\n{rule}")
        assert checks(repo)["trust"].health is Health.WARNING
        assert main(["trust", "--yes"]) == 0
        assert checks(repo)["trust"].detail == "1 verify command of .litecode.yaml, trusted"
        repo.write(".litecode.yaml", "rules: 1\n")
        assert "none of its commands is run" in checks(repo)["trust"].detail

    def test_skipped_checks_are_counted(self, server: Any, repo: Any) -> None:
        server.redirect = "http://127.0.0.1:9"
        rule = "- {id: a, message: M., language: python, pattern: print($A), instruction: Use log.}\n"
        repo.add({".litecode.yaml": f"rules:\n{rule}", "a.py": "x = 1\n"}, commit="base")
        repo.add({"a.py": "print(1)\n"})
        assert main(["install"]) == 0
        repo.commit("x", hooks=True)
        found = checks(repo)["runs"]
        assert found.health is Health.WARNING
        assert "1 of them skipped 1 check and let the commit pass" in found.detail
        assert "git litecode show" in found.remedy
