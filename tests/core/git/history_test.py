"""Past commits and renames in real repositories, with plain and with hostile settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.git.history import Renames, is_ancestor, past, small_blobs
from litecode.core.git.repository import Repository

Open = Callable[..., Repository]
LONG = "".join(f"line {n}\n" for n in range(30))

pytestmark = pytest.mark.usefixtures("settings")


def test_past_commits_newest_first(repo: Any, opened: Open) -> None:
    repo.add({"a.py": "1\n", "ü b/c.py": "1\n"}, "First: two files")
    repo.add({"a.py": "2\n"}, "Second\n\nwith a body\n")
    repo.git("commit", "-q", "--allow-empty", "-m", "Nothing in it")
    found = past(opened(repo).git)
    assert [(commit.subject, commit.paths) for commit in found] == [
        ("Nothing in it", ()),
        ("Second", ("a.py",)),
        ("First: two files", ("a.py", "ü b/c.py")),
    ]
    assert found[1].id == repo.rev("HEAD~1")
    assert [commit.subject for commit in past(opened(repo).git, limit=1)] == ["Nothing in it"]
    assert [commit.subject for commit in past(opened(repo).git, since=repo.rev("HEAD~2"))] == [
        "Nothing in it",
        "Second",
    ]
    assert past(opened(repo).git, since=repo.rev("HEAD")) == ()


def test_no_history(repo: Any, opened: Open) -> None:
    assert past(opened(repo).git) == ()
    assert dict(Renames(opened(repo))) == {}


def test_ancestors(repo: Any, opened: Open) -> None:
    repo.add({"a.py": "1\n"}, "one")
    first = repo.rev("HEAD")
    repo.add({"a.py": "2\n"}, "two")
    assert is_ancestor(opened(repo).git, first)
    assert not is_ancestor(opened(repo).git, repo.rev("HEAD"), first)
    assert not is_ancestor(opened(repo).git, "0" * 40)


def test_renames_of_the_past_and_in_the_index(repo: Any, opened: Open) -> None:
    repo.add({"old.py": LONG, "kept.py": LONG * 2, "sub/x.py": LONG * 3}, "one")
    repo.git("mv", "old.py", "middle.py")
    repo.write("middle.py", LONG + "one more\n")
    repo.git("commit", "-qam", "rename")
    repo.git("mv", "middle.py", "new.py")
    repo.git("commit", "-qm", "rename again")
    repo.git("mv", "sub/x.py", "sub/ÿ.py")  # only staged
    found = Renames(opened(repo))
    assert dict(found) == {"old.py": "middle.py", "middle.py": "new.py", "sub/x.py": "sub/ÿ.py"}
    assert len(found) == 3
    assert "kept.py" not in found


def test_the_newest_rename_counts(repo: Any, opened: Open) -> None:
    repo.add({"a.py": LONG}, "one")
    repo.git("mv", "a.py", "b.py")
    repo.git("commit", "-qm", "first rename")
    repo.add({"a.py": LONG * 5}, "another a.py")
    repo.git("mv", "a.py", "c.py")
    repo.git("commit", "-qm", "second rename")
    assert Renames(opened(repo))["a.py"] == "c.py"


def test_small_blobs(repo: Any, opened: Open) -> None:
    repo.add({"a": "small\n", "b": "x" * 500}, "one")
    small, large = repo.oid("a"), repo.oid("b")
    tree = repo.rev("HEAD^{tree}")
    assert small_blobs(opened(repo).git, [small, large, tree, "0" * len(small)], 100) == [small]
    assert small_blobs(opened(repo).git, [], 100) == []
