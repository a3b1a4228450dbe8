"""Private copies of an index: what a commit would hold, with the real index untouched."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.errors import GitError
from litecode.core.git.repository import Repository
from litecode.core.git.scratch import Scratch, changed_paths, set_to_tree, tree_of
from litecode.core.values import Change

BASE = {"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n", "gone.txt": "gone\n"}


@pytest.fixture
def repo_of(repo: Any) -> Callable[[], Repository]:
    """Some files, staged and unstaged changes."""
    repo.add(BASE, commit="base")
    repo.add({"a.txt": "a staged\n", "new.txt": "new\n"})
    repo.write("a.txt", "a edited\n")
    repo.write("dir/c.txt", "c edited\n")
    (repo / "gone.txt").unlink()
    repo.write("other.txt", "untracked\n")
    return lambda: Repository.discover(repo.path, os.environ)


def names(repo: Any, tree: str) -> dict[str, str]:
    """Path to content."""
    paths = repo.git("ls-tree", "-r", "-z", "--name-only", tree).decode().split("\0")[:-1]
    return {path: repo.blob(path, tree).decode() for path in paths}


STAGED = {**BASE, "a.txt": "a staged\n", "new.txt": "new\n"}
EDITED = {"a.txt": "a edited\n", "b.txt": "b\n", "dir/c.txt": "c edited\n", "new.txt": "new\n"}


@pytest.mark.parametrize(
    ("cwd", "pathspecs", "want"),
    [
        (".", None, STAGED),
        (".", (), EDITED),
        ("dir", ("*.txt",), {**STAGED, "dir/c.txt": "c edited\n"}),
        ("dir", (":(top)a.txt",), {**STAGED, "a.txt": "a edited\n"}),
    ],
)
def test_what_git_would_add(
    repo: Any, repo_of: Callable[[], Repository], cwd: str, pathspecs: tuple[str, ...] | None, want: dict[str, str]
) -> None:
    before = repo.snapshot(), repo.index()
    with Scratch.of(repo_of()) as scratch:
        if pathspecs:
            scratch.add(pathspecs, repo / cwd)
        elif pathspecs is not None:
            scratch.add_all()
        assert names(repo, scratch.tree()) == want
    after = repo.snapshot()
    added = {path for path in after if after[path] != before[0].get(path)}
    assert all(path.startswith(".git/objects") or path == ".git" for path in added)
    assert repo.index() == before[1]


@pytest.mark.parametrize(
    ("cwd", "pathspecs", "want"),
    [
        ("dir", ("c.txt",), {**BASE, "dir/c.txt": "c edited\n"}),
        (".", ("new.txt", "gone.txt"), {**BASE, "gone.txt": None, "new.txt": "new\n"}),
        (".", ("b.txt",), BASE),
    ],
)
def test_single_paths(
    repo: Any, repo_of: Callable[[], Repository], cwd: str, pathspecs: tuple[str, ...], want: dict[str, str | None]
) -> None:
    with Scratch.of(repo_of()) as scratch:
        scratch.only(pathspecs, repo / cwd, "HEAD")
        assert names(repo, scratch.tree()) == {path: text for path, text in want.items() if text is not None}


def test_changes_and_trees(repo: Any, repo_of: Callable[[], Repository]) -> None:
    with Scratch.of(repo_of()) as scratch:
        scratch.put([])
        assert names(repo, scratch.tree()) == STAGED
        scratch.put([Change("b.txt", "100755", "x", b"B"), Change("very/new \u00fc.txt", "100644", None, b"N")])
        assert names(repo, scratch.tree()) == {**STAGED, "b.txt": "B", "very/new \u00fc.txt": "N"}
        scratch.read("HEAD")
        assert names(repo, scratch.tree()) == BASE


def test_a_path_that_is_nowhere_is_refused(repo: Any, repo_of: Callable[[], Repository]) -> None:
    with pytest.raises(GitError, match="did not match any files"), Scratch.of(repo_of()) as scratch:
        scratch.add(["nope"], repo.path)
    assert list((repo / ".git").glob("litecode-*")) == []


def test_without_an_index_it_is_empty(repo: Any) -> None:
    found = Repository.discover(repo.path, os.environ)
    with Scratch.of(found) as scratch:
        assert scratch.tree() == found.empty_tree
    assert tree_of(found, repo / ".git/index") == found.empty_tree


def test_trees(repo: Any, repo_of: Callable[[], Repository]) -> None:
    found = repo_of()
    tree = tree_of(found, found.index)
    assert tree == repo.git("write-tree").decode().strip()
    assert changed_paths(found, "HEAD", tree) == ("a.txt", "new.txt")
    assert changed_paths(found, tree, tree) == ()


def test_the_real_index_gets_what_a_tree_has_for_some_paths(repo: Any, repo_of: Callable[[], Repository]) -> None:
    found = repo_of()
    before = repo.index()
    set_to_tree(found, "HEAD", [])
    assert repo.index() == before
    set_to_tree(found, "HEAD", ["new.txt", "a.txt"])
    assert repo.index() == {path: ("100644", repo.oid(path, "HEAD"), 0) for path in BASE}
    assert repo.read("a.txt") == b"a edited\n"
