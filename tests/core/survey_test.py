"""What is known of a real repository, and how little is read the second time."""

from __future__ import annotations

import os
from typing import Any

import pytest

from litecode.core.git import history
from litecode.core.git.repository import Repository
from litecode.core.planning.shortlist import shortlist
from litecode.core.survey import Survey


def survey(repo: Any) -> Survey:
    opened = Repository.discover(repo.path, os.environ)
    return Survey(opened, {path: entry[1] for path, entry in repo.index().items()})


@pytest.fixture
def shop(repo: Any) -> Any:
    repo.add({"shop/cart.py": "class Cart:\n    def total(self): ...\n", "shop/mail.py": "def send(): ...\n"}, "First")
    repo.add({"shop/mail.py": "def send(to): ...\n"}, "Invoices by mail")
    return repo


def test_outlines_names_and_ranking(shop: Any) -> None:
    with survey(shop) as found:
        assert found.read == 2
        assert [symbol.name for symbol in found.outlines(["shop/cart.py"])["shop/cart.py"].symbols] == [
            "Cart",
            "Cart.total",
        ]
        assert set(found.outlines()) == {"shop/cart.py", "shop/mail.py"}
        assert found.defines("Cart.total") == ("shop/cart.py",)
        assert found.defines("nothing") == ()
        assert shortlist("the total of the cart", found.corpus(history=False))[0].path == "shop/cart.py"
        assert shortlist("invoices", found.corpus())[0].path == "shop/mail.py"
        assert shortlist("invoices", found.corpus(history=False)) == ()
        assert dict(found.renames) == {}


def test_what_is_staged_counts(shop: Any) -> None:
    """Contents come from blobs, never from the worktree."""
    shop.write("shop/mail.py", "def staged(): ...\n")
    shop.git("add", "shop/mail.py")
    shop.write("shop/mail.py", "def worktree(): ...\n")
    with survey(shop) as found:
        assert found.defines("staged") == ("shop/mail.py",)
        assert found.defines("worktree") == ()


def test_the_second_time_nothing_is_read(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with survey(shop) as found:
        subjects = [subject for subject, _ in found.history()]
    assert subjects == ["Invoices by mail", "First"]
    monkeypatch.setattr("litecode.core.survey.past", lambda *_, **__: pytest.fail("git log was called"))
    with survey(shop) as again:
        assert again.read == 0
        assert [subject for subject, _ in again.history()] == subjects


def test_history_grows_and_is_made_anew(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def past(*args: Any, since: str | None = None, **more: Any) -> tuple[history.Past, ...]:
        asked.append(since)
        return history.past(*args, since=since, **more)

    monkeypatch.setattr("litecode.core.survey.past", past)
    with survey(shop) as found:
        assert len(found.history()) == 2
    second = shop.rev("HEAD")
    shop.add({"a.py": "1\n"}, "Third")
    with survey(shop) as found:
        assert [subject for subject, _ in found.history()] == ["Third", "Invoices by mail", "First"]
    shop.git("reset", "-q", "--hard", "HEAD~2")
    shop.add({"b.py": "1\n"}, "Another second")
    with survey(shop) as found:
        assert [subject for subject, _ in found.history()] == ["Another second", "First"]
    assert asked == [None, second, None]


def test_without_commits(repo: Any) -> None:
    repo.add({"a.py": "def total(): ...\n"})
    with survey(repo) as found:
        assert found.history() == ()
        assert found.defines("total") == ("a.py",)


def test_damaged_history_is_read_again(shop: Any) -> None:
    with survey(shop) as found:
        found.history()
        found._index.keep("history", b"\xc1 nonsense")
    with survey(shop) as found:
        assert len(found.history()) == 2
