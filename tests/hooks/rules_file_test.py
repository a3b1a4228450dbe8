from __future__ import annotations

import os
from typing import Any

import pytest

from litecode.core.errors import ConfigError, GitError
from litecode.core.git.repository import Repository
from litecode.hooks.rules_file import Found, find_rules

NAME = ".litecode.yaml"
OLD, NEW = "rules: []  # old\n", "rules: []  # new\n"
BY_HAND = "the unstaged edits of .litecode.yaml count here, but not in a commit"
IN_HOOK = "the unstaged edits of .litecode.yaml do not count in this commit"


def find(repo: Any, hook: bool) -> Found | None:
    return find_rules(Repository.discover(repo.path, os.environ), hook=hook)


@pytest.mark.parametrize("hook", [True, False])
class TestEitherWay:
    def test_there_is_none(self, repo: Any, hook: bool) -> None:
        assert find(repo, hook) is None

    def test_there_is_none_in_a_folder_below(self, repo: Any, hook: bool) -> None:
        repo.add({f"sub/{NAME}": OLD}, commit="base")
        assert find(repo, hook) is None

    def test_one_that_is_not_tracked_counts(self, repo: Any, hook: bool) -> None:
        repo.write(NAME, OLD)
        assert find(repo, hook) == Found(OLD.encode())

    def test_one_that_was_only_announced_counts_as_not_tracked(self, repo: Any, hook: bool) -> None:
        repo.write(NAME, OLD)
        repo.git("add", "-N", NAME)
        assert find(repo, hook) == Found(OLD.encode())

    def test_staged_and_worktree_agree(self, repo: Any, hook: bool) -> None:
        repo.add({NAME: OLD}, commit="base")
        assert find(repo, hook) == Found(OLD.encode())

    def test_a_touched_file_is_no_other_version(self, repo: Any, hook: bool) -> None:
        repo.add({NAME: OLD}, commit="base")
        os.utime(repo / NAME, (1, 1))
        assert find(repo, hook) == Found(OLD.encode())

    def test_line_ends_of_the_worktree_are_no_other_version(self, repo: Any, hook: bool) -> None:
        repo.config("core.autocrlf", "true")
        repo.write(NAME, OLD.replace("\n", "\r\n"))
        repo.git("add", NAME)
        found = find(repo, hook)
        assert found is not None
        assert found.note == ""

    def test_a_conflict(self, repo: Any, hook: bool) -> None:
        oids = [repo.git("hash-object", "-w", "--stdin", stdin=text).decode().strip() for text in (b"1", b"2", b"3")]
        lines = "".join(f"100644 {oid} {stage}\t{NAME}\n" for stage, oid in enumerate(oids, 1))
        repo.git("update-index", "--index-info", stdin=lines.encode())
        with pytest.raises(GitError, match=r"unresolved conflicts: \.litecode\.yaml"):
            find(repo, hook)

    def test_a_symbolic_link_in_the_index(self, repo: Any, hook: bool) -> None:
        repo.write("elsewhere.yaml", OLD)
        (repo / NAME).symlink_to("elsewhere.yaml")
        repo.git("add", NAME)
        with pytest.raises(ConfigError) as caught:
            find(repo, hook)
        assert str(caught.value) == ".litecode.yaml is not staged as a file"
        assert caught.value.hint == "replace it by a file and `git add .litecode.yaml`"

    def test_a_folder_in_its_place(self, repo: Any, hook: bool) -> None:
        (repo / NAME).mkdir()
        with pytest.raises(ConfigError) as caught:
            find(repo, hook)
        assert str(caught.value) == ".litecode.yaml cannot be read: is a directory"


@pytest.mark.parametrize(("hook", "text", "note"), [(False, NEW, BY_HAND), (True, OLD, IN_HOOK)])
def test_two_versions(repo: Any, hook: bool, text: str, note: str) -> None:
    repo.add({NAME: OLD}, commit="base")
    repo.write(NAME, NEW)
    assert find(repo, hook) == Found(text.encode(), note)


@pytest.mark.parametrize(
    ("hook", "note"), [(False, ".litecode.yaml is missing in the worktree, the staged one is used"), (True, "")]
)
def test_one_that_is_gone_from_the_worktree(repo: Any, hook: bool, note: str) -> None:
    repo.add({NAME: OLD}, commit="base")
    (repo / NAME).unlink()
    assert find(repo, hook) == Found(OLD.encode(), note)


def test_the_index_of_the_commit_counts(repo: Any) -> None:
    """`git commit -a` gives the hook an index of its own."""
    repo.add({NAME: OLD}, commit="base")
    other = repo.path / ".git" / "index.other"
    other.write_bytes((repo / ".git/index").read_bytes())
    repo.write(NAME, NEW)
    repo.git("add", NAME, env={"GIT_INDEX_FILE": str(other)})
    inside = Repository.discover(repo.path, os.environ | {"GIT_INDEX_FILE": str(other)})
    assert find_rules(inside, hook=True) == Found(NEW.encode())
    assert find(repo, hook=True) == Found(OLD.encode(), IN_HOOK)
