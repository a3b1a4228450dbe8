"""Somebody else makes the very change that a transaction was about to make: it is theirs, and never taken back."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.git.disk import Disk
from litecode.core.git.journal import has_unfinished
from litecode.core.git.moves import Outcome
from litecode.core.git.recovery import recover
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.values import Apply, Change

OLD, NEW = "x == None\n", "x is None\n"


def scene(repo: Any) -> tuple[Repository, list[Change]]:
    """`a` is staged and gets the change; `b` is new."""
    repo.add({"a": "base\n"}, commit="base")
    repo.add({"a": OLD})
    return Repository.discover(repo.path, os.environ), [
        Change("a", "100644", repo.oid("a"), NEW.encode()),
        Change("b", "100644", None, NEW.encode()),
    ]


def once(what: Callable[[], None], at: str) -> Disk:
    """Do something at the first step of that name."""
    left = [what]

    def after(step: str) -> None:
        if step == at and left:
            left.pop()()

    return Disk(after)


@pytest.mark.parametrize("index", [0, 1])
def test_staged_by_another_run(repo: Any, index: int) -> None:
    opened, changes = scene(repo)
    change = changes[index]
    meanwhile = once(lambda: repo.add({change.path: NEW}), "create")
    applied = apply(opened, [change], Apply.STAGE, "7f3a", disk=meanwhile)
    assert [result.outcome for result in applied.results] == [Outcome.REJECTED]
    assert repo.read(change.path).decode() == NEW
    assert repo.blob(change.path).decode() == NEW
    assert repo.git("diff", "--name-only") == b""
    assert not has_unfinished(opened)


def test_the_others_of_the_run_are_taken_back_all_the_same(repo: Any) -> None:
    """`a` was put in place by the transaction; then `b` turns out to be somebody's own."""
    opened, changes = scene(repo)
    meanwhile = once(lambda: repo.write("b", NEW), "exchange")
    applied = apply(opened, changes, Apply.STAGE, "7f3a", disk=meanwhile)
    assert {result.path: result.outcome for result in applied.results} == {
        "a": Outcome.APPLIED,
        "b": Outcome.REJECTED,
    }
    assert repo.read("a").decode() == repo.read("b").decode() == NEW
    assert repo.git("diff", "--name-only") == b""
    assert repo.git("ls-files", "b") == b""


@pytest.mark.parametrize("path", ["a", "b"])
def test_made_by_hand_after_a_crash(repo: Any, path: str) -> None:
    """Killed before any worktree file was touched; the person then types the same change, and starts a new run."""
    opened, changes = scene(repo)

    def after(step: str) -> None:
        if step == "copy index":
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        apply(opened, changes, Apply.STAGE, "7f3a", disk=Disk(after))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert has_unfinished(opened)
    repo.write(path, NEW)
    recover(opened)
    assert repo.read(path).decode() == NEW
    assert (repo.read("a").decode(), (repo / "b").exists()) == ((NEW, False) if path == "a" else (OLD, True))
    assert not has_unfinished(opened)
