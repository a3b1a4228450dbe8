"""`kill -9` at random moments of a real commit, with the installed hook: afterwards everything is old or new.

`TEST_KILLS` sets how many commits are killed (10 by default), `TEST_SEED` when.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.git.journal import has_unfinished
from litecode.core.git.recovery import recover
from litecode.core.git.repository import Repository
from litecode.core.git.statelock import state_lock

KILLS = int(os.environ.get("TEST_KILLS", "10"))
SEED = int(os.environ.get("TEST_SEED", "1"))
RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""
BASE = "".join(f"line_{number} = {number}\n" for number in range(20))
BAD = BASE.replace("line_5 = 5", "line_5 == None")
GOOD = BAD.replace("== None", "is None")
MINE = ("line_15 = 15", "line_15 = 'mine'")


def commit(place: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ("git", "commit", "-q", "-m", "change"),
        cwd=place,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(repo: Any, delay: float) -> bool:
    """Commit, and kill git and its hook after so many seconds; whether they were still alive. Git's own locks, which
    nobody but a person may remove, are removed as a person would.
    """
    git = commit(repo.path)
    try:
        git.wait(delay)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(git.pid, signal.SIGKILL)
        git.wait()
    if (repo / ".git/litecode").is_dir():  # the hook is dead only after the system call that it was in
        with state_lock(repo / ".git/litecode", wait=30.0) as dead:
            assert dead
    for lock in ("index.lock", "HEAD.lock", "refs/heads/main.lock"):
        file = repo / ".git" / lock
        if file.exists() and file.stat().st_nlink == 1:  # ours has a second name
            file.unlink()
    return True


def look(repo: Any) -> str:
    """Whether all is old, all is staged, or all is committed; anything else fails."""
    contents = {path: (repo.blob(path).decode(), repo.read(path).decode()) for path in ("a.py", "sub/b.py")}
    old = {"a.py": (BAD, BAD), "sub/b.py": (BAD, BAD.replace(*MINE))}
    new = {"a.py": (GOOD, GOOD), "sub/b.py": (GOOD, GOOD.replace(*MINE))}
    assert contents in (old, new)
    assert repo.read("c.py") == b"unstaged\n"
    assert repo.blob("c.py").decode() == BASE
    if repo.git("rev-list", "--count", "HEAD") == b"1\n":
        return "old" if contents == old else "staged"
    assert contents == new
    assert [repo.blob(path, "HEAD").decode() for path in contents] == [GOOD, GOOD]
    return "committed"


def test_a_commit_that_is_killed(repo: Any, open_repo: Callable[[Path], Any], tmp_path: Path) -> None:
    repo.add({".litecode.yaml": RULES, "a.py": BASE, "sub/b.py": BASE, "c.py": BASE}, commit="base")
    repo.git("litecode", "install")
    repo.add({"a.py": BAD, "sub/b.py": BAD})
    repo.write("sub/b.py", BAD.replace(*MINE))
    repo.write("c.py", "unstaged\n")
    shutil.copytree(repo.path, tmp_path / "whole")
    started = time.monotonic()
    assert commit(tmp_path / "whole").wait() == 0
    whole = time.monotonic() - started
    draw = random.Random(SEED)
    seen: Counter[str] = Counter()
    while seen.total() < KILLS:
        copy = open_repo(Path(shutil.copytree(repo.path, tmp_path / "copy")))
        started = time.monotonic()
        killed = kill(copy, whole * draw.uniform(0.0, 1.0))
        whole = whole if killed else time.monotonic() - started  # the machine has become faster
        opened = Repository.discover(copy.path, os.environ)
        untidy = has_unfinished(opened)
        assert recover(opened).edited == ()
        state = look(copy)
        assert not [name for name in (copy / ".git").rglob("*") if name.suffix == ".lock" or ".litecode-" in name.name]
        assert not has_unfinished(opened)
        if killed:
            seen[f"{state}{', in the write' if untidy else ''}"] += 1
        shutil.rmtree(copy.path)
    print(f"\n{KILLS} kills: {dict(seen)}")


@pytest.mark.parametrize("form", [("-a",), ("--", "a.py")])
def test_forms_that_lock_the_index(repo: Any, form: tuple[str, ...]) -> None:
    """Killed in the hook, git's lock is left; the next run names it and what to do, and does nothing."""
    repo.add({".litecode.yaml": RULES, "a.py": BASE}, commit="base")
    repo.hook("pre-commit", "kill -9 $PPID")
    repo.write("a.py", BAD)
    repo.git("commit", "-q", "-m", "x", *form, rc=-signal.SIGKILL)
    assert (repo / ".git/index.lock").exists()
    before = repo.read("a.py")
    done = subprocess.run(("git", "add", "a.py"), cwd=repo.path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    (repo / ".git/index.lock").unlink()
    repo.git("add", "a.py")
    repo.git("litecode", "run")
    assert (before, repo.read("a.py").decode()) == (BAD.encode(), GOOD)
