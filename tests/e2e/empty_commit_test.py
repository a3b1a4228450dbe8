"""A commit that a fix would leave empty: git has asked before the hook ran whether there is anything to commit."""

from __future__ import annotations

import subprocess
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
BAD, GOOD = b"if x == None:\n    y = 1\n", b"if x is None:\n    y = 1\n"


@pytest.fixture
def hooked(repo: Any) -> Any:
    """The file that is committed conforms; what is staged would be fixed into the same again."""
    repo.add({".litecode.yaml": RULES, "a.py": GOOD, "b.md": "1\n"}, commit="base")
    repo.git("litecode", "install")
    repo.add({"a.py": BAD})
    return repo


def commit(repo: Any, *args: str, rc: int) -> str:
    argv = ("git", "commit", "-m", "change", *args)
    done = subprocess.run(argv, cwd=repo.path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == rc, said
    return said


@pytest.mark.parametrize("args", [(), ("-a",), ("--", "a.py"), ("-i", "a.py"), ("--amend",)])
def test_it_is_not_made_and_everything_stays_as_it_was(hooked: Any, args: tuple[str, ...]) -> None:
    before = hooked.rev("HEAD"), hooked.index(), hooked.read("a.py")
    said = commit(hooked, *args, rc=1)
    assert (hooked.rev("HEAD"), hooked.index(), hooked.read("a.py")) == before
    assert "a.py:1  is-none  held" in said
    assert "nothing would be left to commit: what is staged would be as in HEAD" in said
    assert (
        "hint: `git litecode run` stages it all the same; `git commit --no-verify` commits what is staged now" in said
    )
    assert "Traceback" not in said


def test_both_ways_out_work(hooked: Any) -> None:
    commit(hooked, rc=1)
    hooked.git("litecode", "run")
    assert hooked.status() == []
    assert "nothing to commit" in commit(hooked, rc=1)
    hooked.add({"a.py": BAD})
    commit(hooked, "--no-verify", rc=0)
    assert hooked.blob("a.py", "HEAD") == BAD


def test_with_another_file_the_commit_is_made(hooked: Any) -> None:
    hooked.add({"b.md": "2\n"})
    commit(hooked, rc=0)
    assert hooked.git("diff", "--name-only", "HEAD~1", "HEAD") == b"b.md\n"
    assert hooked.blob("a.py", "HEAD") == GOOD == hooked.read("a.py")
    assert hooked.status() == []


def test_a_warning_lets_the_commit_pass_as_it_is(hooked: Any) -> None:
    hooked.add({".litecode.yaml": RULES + "  severity: warning\n"}, commit="rules")
    hooked.add({"a.py": GOOD}, commit="good")
    hooked.add({"a.py": BAD})
    assert "nothing would be left to commit" in commit(hooked, rc=0)
    assert hooked.blob("a.py", "HEAD") == BAD
    assert hooked.git("diff", "--name-only", "HEAD~1", "HEAD") == b"a.py\n"
