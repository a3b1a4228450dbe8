"""What leaves for another machine: nothing without a yes, no secrets, no files of the list, and never without end."""

from __future__ import annotations

import base64
import io
import random
import stat
import string
import time
from collections.abc import Callable
from typing import Any

import pytest

from litecode.hooks.cli import main

RULES = """\
rules:
- id: no-print
  message: Use the logger.
  language: {language}
  types: [text]
  pattern: print($$$A)
  instruction: Replace print by log.
  region: function
"""


def made(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    draw = random.Random(length)
    return "".join(draw.choice(alphabet) for _ in range(length - 2)) + "a7"


SECRETS = {
    "aws": f"AKIA{made(16, string.ascii_uppercase).upper()}",
    "github": f"ghp_{made(36)}",
    "google": f"AIza{made(35)}",
    "slack": f"xoxb-{made(12, string.digits)}-{made(24)}",
    "stripe": f"sk_live_{made(24)}",
    "openai": f"sk-proj-{made(48)}",
    "jwt": f"eyJ{made(20)}.eyJ{made(40)}.{made(43)}",
    "private key": "-----BEGIN EC PRIVATE KEY-----",
    "database": "postgres://app:s3cr3tpw9@db.internal/app",
    "gitlab": f"glpat-{made(20)}",
    "entropy": base64.b64encode(random.Random(5).randbytes(36)).decode(),
    "password": None,
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def remote(
    repo: Any, make_server: Callable[[], Any], elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Stage one file in a repository whose person uses a model on another machine; `yes` says that they agreed."""

    def prepare(files: dict[str, str], *, yes: bool = True) -> Any:
        server = make_server()
        monkeypatch.setenv("OLLAMA_HOST", f"http://{elsewhere}:{server.port}")
        if yes:
            repo.git("config", "--global", "litecode.remote", elsewhere)
        repo.add({".litecode.yaml": RULES.format(language="python")}, commit="base")
        repo.add(files)
        monkeypatch.chdir(repo.path)
        return server

    return prepare


def code(value: str) -> str:
    return f'def f(x, log):\n    key = "{value}"\n    print(x, key)\n'


@pytest.mark.parametrize("kind", SECRETS)
def test_planted_secrets_stay_here(
    remote: Callable[..., Any], repo: Any, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = SECRETS[kind]
    text = 'def f(x):\n    connect(password="Tr0ub4dor")\n    print(x)\n' if secret is None else code(secret)
    server = remote({"a.py": text})
    assert main(["run"]) == 2
    told = "".join(capsys.readouterr())
    assert server.sent == "[]"
    assert "is not sent to models.example.com" in told
    assert (secret or "Tr0ub4dor") not in told.split("hint:")[-1]
    assert repo.blob("a.py").decode() == text


def test_the_same_file_without_a_secret_is_sent(remote: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    server = remote({"a.py": code("name")})
    server.reply = 'def f(x, log):\n    key = "name"\n    log(x, key)'
    main(["run"])
    assert "print(x, key)" in server.sent
    told = capsys.readouterr().err
    assert "regions of 1 file, about " in told
    assert "sent to models.example.com" in told


@pytest.mark.parametrize("path", ["config/secrets.yaml", ".env", "deploy/id_rsa", "tls/server.key", ".npmrc"])
def test_files_of_the_list_stay_here(remote: Callable[..., Any], path: str, capsys: pytest.CaptureFixture[str]) -> None:
    server = remote({path: "def f(x):\n    print(x)\n"})
    assert main(["run"]) == 2
    assert server.sent == "[]"
    assert f"{path} is not sent to models.example.com" in "".join(capsys.readouterr())


def test_a_repository_can_add_to_the_list_and_take_nothing_away(remote: Callable[..., Any], repo: Any) -> None:
    server = remote({"legal/a.py": "def f(x):\n    print(x)\n"})
    repo.config("litecode.deny", "legal")
    assert main(["run"]) == 2
    repo.add({"legal/a.py": None, ".env": "def f(x):\n    print(x)\n"})
    repo.config("litecode.deny", "")
    assert main(["run"]) == 2
    assert server.sent == "[]"


def test_nothing_goes_out_without_a_yes(
    remote: Callable[..., Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = remote({"a.py": code("name")}, yes=False)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))  # no terminal: nobody is asked
    assert main(["run"]) == 2
    assert server.asked == []
    assert "git config --global --add litecode.remote models.example.com" in "".join(capsys.readouterr())


@pytest.mark.parametrize(("typed", "agreed"), [("y", True), ("yes", True), ("n", False), ("", False), ("sure", False)])
def test_the_person_is_asked_once_with_the_numbers(
    remote: Callable[..., Any], repo: Any, typed: str, agreed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = remote({"a.py": code("name"), "b.py": code("other")}, yes=False)
    server.reply = 'def f(x, log):\n    key = "name"\n    log(x, key)'
    said = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(f"{typed}\n"))
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setenv("TERM", "dumb")
    main(["run"])
    told = said.getvalue()
    assert "models.example.com is not this machine. This run would send there: 2 files, about " in told
    assert told.count("[y/N]") == 1
    assert bool(server.asked) is agreed
    kept = repo.git("config", "--global", "--get-all", "litecode.remote", rc=None).decode().split()
    assert kept == (["models.example.com"] if agreed else [])
    assert b"litecode" not in (repo / ".git/config").read_bytes()
    monkeypatch.setattr("sys.stdin", Terminal(""))
    main(["run"])
    assert said.getvalue().count("[y/N]") == (1 if agreed else 2)


def test_a_server_that_never_ends_its_stream(
    repo: Any, make_server: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = make_server()
    server.endless = True
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    repo.add({".litecode.yaml": RULES.format(language="python")}, commit="base")
    repo.add({"a.py": code("name")})
    repo.git("config", "--global", "litecode.deadline", "20")
    monkeypatch.chdir(repo.path)
    began = time.monotonic()
    assert main(["run"]) in {1, 2}
    assert time.monotonic() - began < 60
    assert repo.blob("a.py").decode() == code("name")
    assert "Traceback" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("mask", [0o022, 0o000, 0o002])
def test_what_a_run_leaves_is_private(
    repo: Any, make_server: Callable[[], Any], mask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    server = make_server()
    server.reply = 'def f(x, log):\n    key = "name"\n    log(x, key)'
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    repo.add({".litecode.yaml": RULES.format(language="python")}, commit="base")
    repo.add({"a.py": code("name")})
    monkeypatch.chdir(repo.path)
    before = os.umask(mask)
    try:
        main(["run", "--yes"])
        main(["install"])
        repo.git("commit", "-q", "-m", "x")
        repo.add({"a.py": code("name2")})
        repo.git("commit", "-q", "-m", "y", rc=None)
    finally:
        os.umask(before)
    found = [
        path
        for path in (repo / ".git/litecode").rglob("*")
        if path.parent.name != "old"  # second names of files of the worktree, which keep their modes
    ]
    assert any(path.name == "run.json" for path in found)
    assert any(path.name == "cache.db" for path in found)
    open_to_others = [
        f"{stat.S_IMODE(path.stat().st_mode):o} {path.relative_to(repo.path)}"
        for path in [repo / ".git/litecode", *found]
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert open_to_others == []
