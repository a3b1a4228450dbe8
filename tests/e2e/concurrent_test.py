"""Other git processes work in a loop while LiteCode runs: nobody's work is lost, and no object is missing."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
FILES = 8
ROUNDS = 3


def quiet(repo: Any, *words: str) -> int:
    done = subprocess.run(("git", *words), cwd=repo.path, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode


def add(repo: Any, number: int) -> None:
    with (repo / "other").open("a", encoding="utf-8") as file:
        file.write(f"other {number}\n")
    quiet(repo, "add", "other")


def commit(repo: Any, number: int) -> None:
    """Commits whatever is staged at this moment, ours included, as another terminal would."""
    add(repo, number)
    quiet(repo, "commit", "-q", "--no-verify", "-m", f"other {number}")


def collect(repo: Any, _number: int) -> None:
    quiet(repo, "gc", "-q", "--prune=now")


@contextmanager
def in_a_loop(work: Callable[[Any, int], None], repo: Any) -> Iterator[list[int]]:
    stop, done = threading.Event(), [0]

    def loop() -> None:
        while not stop.is_set():
            done[0] += 1
            work(repo, done[0])

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield done
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("work", [add, commit, collect])
def test_while_git_works_in_a_loop(repo: Any, work: Callable[[Any, int], None]) -> None:
    names = [f"f{number}.py" for number in range(FILES)]
    repo.add({".litecode.yaml": RULES, "other": "", **dict.fromkeys(names, "1\n")}, commit="base")
    with in_a_loop(work, repo) as done:
        for number in range(ROUNDS):
            texts = {name: f"{name}_{number} == None\nkept = {number}\n" for name in names}
            for name, text in texts.items():
                repo.write(name, text)
            while quiet(repo, "add", *names):  # the others have the lock now and then
                pass
            while quiet(repo, "litecode", "run", "--all-files"):
                # A gc that began before `git add` may throw away what that has just written, which git does not notice
                # later: store it again. A run that fails has changed nothing.
                assert {name: repo.read(name).decode() for name in names} == texts
                quiet(repo, "hash-object", "-w", *names)
            for name, text in texts.items():
                assert repo.read(name).decode() == text.replace("== None", "is None")
    assert done[0] >= ROUNDS
    for name in names:
        assert repo.blob(name) == repo.read(name)
    assert repo.read("other").decode() == "".join(f"other {n}\n" for n in range(1, done[0] + 1) if work is not collect)
    quiet(repo, "add", "other")
    assert repo.git("fsck", "--no-dangling") == b""
    repo.git("write-tree")
    assert not list((repo / ".git").rglob("*.lock"))


def test_two_runs_at_once(repo: Any) -> None:
    """Both are asked to fix the same files; each file is fixed once, and neither run fails for good."""
    names = [f"f{number}.py" for number in range(FILES)]
    repo.add({".litecode.yaml": RULES, **dict.fromkeys(names, "1\n")}, commit="base")
    repo.add(dict.fromkeys(names, "x == None\n"))
    argv = ("git", "litecode", "run")
    runs = [subprocess.Popen(argv, cwd=repo.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in "ab"]
    assert {run.wait() for run in runs} <= {0, 1}
    assert {repo.blob(name) for name in names} == {repo.read(name) for name in names} == {b"x is None\n"}
    assert repo.git("diff", "--name-only") == b""


def test_a_file_that_the_person_cannot_write(repo: Any) -> None:
    """Read-only files are replaced as `git checkout` replaces them, and keep their mode."""
    repo.add({".litecode.yaml": RULES, "a.py": "1\n"}, commit="base")
    repo.add({"a.py": "x == None\n"})
    (repo / "a.py").chmod(0o444)
    repo.git("litecode", "run")
    assert repo.blob("a.py") == repo.read("a.py") == b"x is None\n"
    assert (repo / "a.py").stat().st_mode & 0o777 == 0o444
