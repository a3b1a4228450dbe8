"""`check` looks and writes nothing: worktree and git directory are the same before and after, in every state."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""
LINES = "".join(f"line_{number} = {number}\n" for number in range(20))
BAD = LINES.replace("line_5 = 5", "line_5 == None")
# Python's own caches have nothing to do with it, and `GIT_TRACE2` would write a file for every git call.
COMMANDS = [("check",), ("check", "--diff"), ("check", "--no-model", "--format", "json"), ("check", "--all-files")]


def unborn(repo: Any) -> None:
    repo.git("update-ref", "-d", "HEAD")


def partly_staged(repo: Any) -> None:
    repo.write("a.py", BAD.replace("line_15 = 15", "line_15 = 'mine'"))


def edit_in_the_way(repo: Any) -> None:
    repo.write("a.py", BAD.replace("line_5 == None", "line_5 == None  # mine"))


def announced(repo: Any) -> None:
    repo.write("new.py", BAD)
    repo.git("add", "-N", "new.py")


def flagged(repo: Any) -> None:
    repo.git("update-index", "--assume-unchanged", "a.py")
    repo.git("update-index", "--skip-worktree", "b.py")
    repo.write("a.py", "local\n")


def deleted_and_replaced(repo: Any) -> None:
    (repo / "a.py").unlink()
    (repo / "b.py").unlink()
    repo.write("b.py/inner", "untracked\n")


def converted(repo: Any) -> None:
    repo.config("core.autocrlf", "true")
    repo.write("a.py", BAD.replace("\n", "\r\n"))


def merging(repo: Any) -> None:
    repo.git("stash", "-q")
    repo.git("checkout", "-q", "-b", "side")
    repo.add({"a.py": BAD + "side\n"}, commit="side")
    repo.git("checkout", "-q", "main")
    repo.add({"a.py": BAD + "main\n"}, commit="main")
    repo.git("merge", "-q", "side", rc=1)
    repo.add({"a.py": BAD + "both\n"})


def conflicted(repo: Any) -> None:
    merging(repo)
    repo.git("merge", "--abort")
    repo.git("merge", "-q", "side", rc=1)


def crashed(repo: Any) -> None:
    """A run died in the middle of its write; `check` does not even repair that."""
    script = (
        "import os, signal, sys\n"
        "from litecode.core.git import swap\n"
        "swap.IndexSwap.fill = lambda self: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from litecode.hooks.cli import main\n"
        "main(['run'])\n"
    )
    done = subprocess.run((sys.executable, "-c", script), cwd=repo.path, capture_output=True, check=False)
    assert done.returncode < 0
    assert list((repo / ".git/litecode").glob("txn-*/prepared.json"))


def locked(repo: Any) -> None:
    (repo / ".git/index.lock").write_bytes(b"")


def held(repo: Any) -> None:
    repo.git("litecode", "run", "--apply", "hold", rc=1)


STATES = [
    unborn,
    partly_staged,
    edit_in_the_way,
    announced,
    flagged,
    deleted_and_replaced,
    converted,
    merging,
    conflicted,
    crashed,
    locked,
    held,
]


@pytest.mark.parametrize("prepare", STATES)
def test_it_writes_nothing(repo: Any, prepare: Callable[[Any], None], capfd: pytest.CaptureFixture[str]) -> None:
    repo.add({".litecode.yaml": RULES, "a.py": LINES, "b.py": LINES}, commit="base")
    repo.add({"a.py": BAD, "b.py": BAD})
    prepare(repo)
    before = repo.snapshot()
    found = set()
    for words in COMMANDS:
        done = subprocess.run(("git", "litecode", *words), cwd=repo.path, capture_output=True, check=False)
        assert b"Traceback" not in done.stderr
        assert b"internal error" not in done.stderr
        found.add(done.returncode)
    assert repo.snapshot() == before
    assert found <= ({2} if prepare is conflicted else {0, 1})
    capfd.readouterr()


@pytest.mark.parametrize(
    "words", [("run", "--dry-run"), ("review", "--list"), ("log",), ("show",), ("explain", "is-none")]
)
def test_other_commands_that_only_look(repo: Any, words: tuple[str, ...]) -> None:
    repo.add({".litecode.yaml": RULES, "a.py": LINES}, commit="base")
    repo.add({"a.py": BAD})
    held(repo)
    before = repo.snapshot()
    subprocess.run(("git", "litecode", *words), cwd=repo.path, capture_output=True, check=False)
    assert repo.snapshot() == before
