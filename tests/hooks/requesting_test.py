"""Requests and questions from the command line: what is printed where, and the exit codes."""

from __future__ import annotations

import io
import json
import os
from typing import Any

import pytest

from litecode.core.git.repository import Repository
from litecode.core.values import Apply, Message, Prompt, Reply, Stop
from litecode.core.world import Options
from litecode.hooks import requesting
from litecode.hooks.performing import Manner
from litecode.hooks.show.terminal import Terminal

STOCK = "def put(part):\n    return part\n\n\ndef take(part):\n    return put(part)\n"
USE = "from stock import take\n\n\ndef sell(part):\n    return take(part)\n"


class Teller:
    """A model that only tells."""

    name = "scripted"
    factor = 1.0
    digest = "1" * 64
    slots = 1
    window = 8192

    def complete(self, prompt: Prompt) -> Reply:
        if prompt.schema is not None:
            plan = {"kind": "change", "tasks": [{"file": "use.py", "action": "greet"}]}
            return Reply(json.dumps(plan), Stop.END, 5, 5, 0.1)
        return Reply("It puts parts\x1b[2J away.", Stop.END, 5, 5, 0.1)

    def count(self, messages: tuple[Message, ...]) -> None:
        del messages

    def close(self) -> None: ...


class Shop:
    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.out, self.err = io.StringIO(), io.StringIO()
        self.terminal = Terminal(self.out, self.err)

    def request(self, text: str, **more: Any) -> int:
        manner = more.pop("manner", Manner())
        repository = Repository.discover(self.repo.path, os.environ)
        return requesting.request(repository, Options(**more), text, self.terminal, os.environ, manner=manner)


@pytest.fixture
def shop(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Shop:
    repo.add({"README.md": "# Shop\n"}, commit="base")
    repo.add({"stock.py": STOCK, "use.py": USE})
    monkeypatch.setattr("litecode.core.llm.choice.choose", lambda *_args, **_more: Teller())
    return Shop(repo)


def test_without_a_terminal_it_is_held_and_the_next_command_is_said(shop: Shop) -> None:
    assert shop.request("rename take to fetch") == 1
    assert shop.repo.blob("stock.py").decode() == STOCK
    out, err = shop.out.getvalue(), shop.err.getvalue()
    assert "+def fetch(part):\n" in out
    assert "held" in out
    name = err.rsplit("git litecode apply ", 1)[1].split(",")[0]
    assert err.splitlines()[-1] == (
        f"2 patches held: git litecode apply {name}, or hunk by hunk git litecode review {name}"
    )
    assert out.count("asked for; staged when you say so") == 3  # in the table, and once before the diffs
    assert "2 tasks in 2 files, 0 model calls" in err


def test_with_yes_it_is_staged(shop: Shop) -> None:
    assert shop.request("rename take to fetch", yes=True) == 0
    assert shop.repo.blob("use.py").decode() == USE.replace("take", "fetch")
    assert "2 patches staged" in shop.err.getvalue()


@pytest.mark.parametrize(("typed", "staged", "code"), [("y", True, 0), ("n", False, 1)])
def test_at_the_terminal_the_person_is_asked(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, typed: str, staged: bool, code: int
) -> None:
    monkeypatch.setattr(requesting, "is_interactive", lambda _terminal: True)
    monkeypatch.setattr("builtins.input", lambda _question: typed)
    assert shop.request("rename take to fetch") == code
    assert (shop.repo.blob("stock.py").decode() != STOCK) is staged
    said = shop.err.getvalue()
    assert ("undo: git litecode undo" in said) is staged
    assert ("held, nothing was staged" in said) is not staged


def test_hold_asks_nobody(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requesting, "is_interactive", lambda _terminal: pytest.fail("asked"))
    repository = Repository.discover(shop.repo.path, os.environ)
    code = requesting.request(
        repository, Options(), "rename take to fetch", shop.terminal, os.environ, apply=Apply.HOLD
    )
    assert code == 1
    assert shop.repo.blob("stock.py").decode() == STOCK


def test_a_question_goes_to_stdout_alone(shop: Shop) -> None:
    before = shop.repo.snapshot()
    assert shop.request("what does put do?", yes=True) == 0
    assert shop.out.getvalue().startswith("It puts parts\\x1b[2J away.\n\nstock.py:1\n")
    assert shop.err.getvalue() == ""
    assert shop.repo.snapshot() == before


def test_ask(shop: Shop) -> None:
    before = shop.repo.snapshot()
    repository = Repository.discover(shop.repo.path, os.environ)
    assert requesting.question(repository, Options(), "put", shop.terminal, os.environ) == 0
    assert "It puts parts" in shop.out.getvalue()
    assert shop.err.getvalue() == "litecode: looked at 2 staged files of 3 files; --all-files: at all\n"
    assert shop.repo.snapshot() == before


@pytest.mark.parametrize("more", [{"all_files": True}, {"paths": ("stock.py",)}])
def test_who_says_what_to_look_at_knows_it(shop: Shop, more: dict[str, Any]) -> None:
    repository = Repository.discover(shop.repo.path, os.environ)
    assert requesting.question(repository, Options(**more), "put", shop.terminal, os.environ) == 0
    assert shop.err.getvalue() == ""


def test_plans(shop: Shop) -> None:
    before = shop.repo.snapshot()
    assert shop.request("rename take to fetch", dry_run=True) == 0
    assert shop.request("be friendlier when a part is sold, please say thanks", dry_run=True) == 0
    assert shop.request("what does put do?", dry_run=True) == 0
    out = shop.out.getvalue()
    assert "c1  stock.py  edit  rename take to fetch\n" in out
    assert "every task: take becomes fetch" in out
    assert "1  use.py  edit  greet\n" in out
    assert "tokens of the calls" in out
    assert "a question: answered on the terminal, no file is changed" in out
    assert shop.repo.snapshot() == before


def test_json(shop: Shop) -> None:
    assert shop.request("rename take to fetch", yes=True, manner=Manner("json")) == 0
    document = json.loads(shop.out.getvalue())
    assert document["request"] == "rename take to fetch"
    assert [patch["path"] for patch in document["patches"]] == ["stock.py", "use.py"]
