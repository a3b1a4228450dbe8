"""`git litecode trust`: shows first, asks, and nothing says yes by itself."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from litecode.core.trust.approvals import Approvals
from litecode.hooks.cli import main

RULES = """\
rules:
- id: a
  message: M.
  regex: x
  verify:
  - [pytest, -q, "a b"]
  - [echo, "\\e[2Jhidden"]
- {id: b, message: M., regex: y, severity: 'off', verify: [[never]]}
"""
COMMANDS = (("pytest", "-q", "a b"), ("echo", "\x1b[2Jhidden"))
LINES = ["pytest -q 'a b'", r"echo '\x1b[2Jhidden'"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def there(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    repo.write(".litecode.yaml", RULES)
    monkeypatch.chdir(repo.path)
    return repo


def approved(repo: Any) -> bool:
    return Approvals.of(os.environ).are_approved(repo.path, COMMANDS)


@pytest.mark.parametrize(
    ("answer", "code", "trusted"), [("y\n", 0, True), ("n\n", 1, False), ("\n", 1, False), ("yes\n", 0, True)]
)
def test_it_asks(
    there: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    code: int,
    trusted: bool,
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert main(["trust"]) == code
    assert capsys.readouterr().out.splitlines() == LINES
    assert approved(there) is trusted


def test_without_a_terminal_it_needs_a_word(
    there: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(["trust"]) == 2
    assert "git litecode trust --yes" in capsys.readouterr().err
    assert not approved(there)
    assert main(["trust", "--yes"]) == 0
    assert approved(there)
    assert not any(path.startswith(".git/litecode") for path in there.snapshot())


def test_show_and_revoke(there: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust", "--show"]) == 1
    assert main(["trust", "--yes"]) == 0
    assert main(["trust", "--show"]) == 0
    assert main(["trust"]) == 0  # nothing is left to ask
    there.write(".litecode.yaml", RULES.replace("-q", "-x"))
    assert main(["trust", "--show"]) == 1
    there.write(".litecode.yaml", RULES.replace("message: M.", "message: Another."))
    assert main(["trust", "--show"]) == 0
    capsys.readouterr()
    assert main(["trust", "--revoke"]) == 0
    assert main(["trust", "--revoke"]) == 0
    assert capsys.readouterr().out.splitlines() == ["the trust is taken back", "nothing was trusted here"]
    assert not approved(there)


@pytest.mark.parametrize(
    ("rules", "arguments", "code", "said"),
    [
        (None, [], 2, "git litecode init"),
        ("rules: []\n", [], 0, "has no verify commands"),
        ("rules: 1\n", ["--yes"], 2, "must be a list"),
        (RULES, ["--yes", "--revoke"], 2, "do different things"),
        (RULES.replace("[pytest, -q", "['', -q"), ["--yes"], 2, "is empty"),
    ],
)
def test_what_cannot_be_trusted(
    there: Any, capsys: pytest.CaptureFixture[str], rules: str | None, arguments: list[str], code: int, said: str
) -> None:
    (there / ".litecode.yaml").unlink() if rules is None else there.write(".litecode.yaml", rules)
    assert main(["trust", *arguments]) == code
    told = capsys.readouterr()
    assert said in told.out + told.err
    assert not Path(os.environ["XDG_STATE_HOME"], "litecode").exists()
