from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError, NotARepository, UsageError
from litecode.core.git.rawdiff import head_rows
from litecode.core.git.repository import Operation, Repository, seen_from_outside

Opened = Callable[..., Repository]


def test_the_places_of_a_plain_repository(repo: Any, opened: Opened) -> None:
    repo.add({"sub/a": "1\n"}, commit="base")
    for cwd in (repo.path, repo / "sub"):
        found = opened(cwd)
        assert found.top == repo.path
        assert found.git_dir == found.common_dir == repo / ".git"
        assert found.state_dir == repo / ".git/litecode"
        assert found.indexes == (repo / ".git/index",)
        assert (found.object_format, found.shallow, found.named_index) == ("sha1", False, False)
        assert not found.state_dir.exists()


def test_linked_worktree(repo: Any, opened: Opened, tmp_path: Path) -> None:
    """Linked worktrees, submodules, `--git-dir` and `--work-tree`."""
    repo.add({"a": "1\n"}, commit="base")
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", linked)
    found = opened(linked)
    assert found.top == linked
    assert found.common_dir == repo / ".git"
    assert found.git_dir == repo / ".git/worktrees/linked"
    assert found.index == found.git_dir / "index"
    assert found.state_dir == found.git_dir / "litecode"
    assert found.git.read("rev-parse", "--show-toplevel").out.strip() == bytes(linked)


def test_submodule(make_repo: Callable[..., Any], opened: Opened) -> None:
    """Linked worktrees, submodules, `--git-dir` and `--work-tree`."""
    inner, outer = make_repo("inner"), make_repo("outer")
    inner.add({"a": "1\n"}, commit="base")
    outer.git("submodule", "--quiet", "add", inner.path, "mod")
    found = opened(outer / "mod")
    assert found.top == outer / "mod"
    assert found.index == outer / ".git/modules/mod/index"


def test_git_dir_and_work_tree_apart(repo: Any, tmp_path: Path, opened: Opened) -> None:
    """Linked worktrees, submodules, `--git-dir` and `--work-tree`."""
    repo.add({"a": "1\n"}, commit="base")
    away = tmp_path / "away"
    away.mkdir()
    found = opened(away, GIT_DIR=str(repo / ".git"), GIT_WORK_TREE=".")
    assert found.top == away
    assert found.index == repo / ".git/index"
    assert found.git.at(tmp_path).read("ls-files").out == b"a\n"


@pytest.mark.parametrize(
    ("place", "variables", "outside"),
    [
        (".", {"GIT_DIR": "{repo}/.git", "GIT_WORK_TREE": "{repo}"}, True),
        (".", {"GIT_DIR": "repo/.git", "GIT_WORK_TREE": "repo"}, True),
        ("repo/sub", {"GIT_DIR": "../.git", "GIT_WORK_TREE": "../../other"}, True),
        ("repo", {"GIT_WORK_TREE": "../other"}, True),  # the repository is found as always
        ("repo", {}, False),
        ("repo/.git", {}, False),
        (".", {}, False),
        ("repo", {"GIT_DIR": ".git"}, False),
        ("repo/sub", {"GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}, False),
        (".", {"GIT_DIR": "{repo}/.git"}, False),  # then that place is the worktree
        (".", {"GIT_DIR": "none", "GIT_WORK_TREE": "repo"}, False),
    ],
)
def test_seen_from_outside(repo: Any, tmp_path: Path, place: str, variables: dict[str, str], outside: bool) -> None:
    for folder in (tmp_path / "other", repo / "sub"):
        folder.mkdir()
    given = {name: value.format(repo=repo.path) for name, value in variables.items()}
    found = seen_from_outside(tmp_path / place, {**os.environ, **given})
    top = tmp_path / "other" if "other" in variables.get("GIT_WORK_TREE", "") else repo.path
    assert found == ({"GIT_DIR": str(repo / ".git"), "GIT_WORK_TREE": str(top)} if outside else None)


def test_a_relative_index_is_that_of_the_top(repo: Any, opened: Opened) -> None:
    """A relative GIT_INDEX_FILE, and one that is missing."""
    repo.add({"sub/a": "1\n"}, commit="base")
    found = opened(repo / "sub", GIT_INDEX_FILE=".git/index")
    assert found.index == repo / ".git/index"
    assert found.named_index
    assert found.git.at(repo / "sub").read("ls-files", "--full-name").out == b"sub/a\n"


def test_a_missing_named_index_is_fatal(repo: Any, opened: Opened) -> None:
    """A relative GIT_INDEX_FILE, and one that is missing."""
    with pytest.raises(GitError, match="has vanished"):
        opened(repo, GIT_INDEX_FILE=".git/index.lock")


def test_a_pathspec_commit_has_two_indexes(repo: Any, opened: Opened) -> None:
    """`git commit -- PATH`, where there are two indexes."""
    repo.add({"a": "1\n", "b": "1\n"}, commit="base")
    repo.write("a", "2\n")
    seen = repo / "seen"
    repo.hook("pre-commit", f'echo "$GIT_INDEX_FILE" > {seen}; cp "$GIT_INDEX_FILE" .git/copy; exit 1')
    repo.git("commit", "-m", "m", "--", "a", rc=1)
    name = Path(seen.read_text().strip())
    assert name.name.startswith("next-index-")
    (repo / ".git/copy").rename(name)
    assert opened(repo, GIT_INDEX_FILE=str(name)).indexes == (name, repo / ".git/index.lock")


def test_paths_with_newlines_are_found(make_repo: Callable[..., Any], opened: Opened) -> None:
    odd = make_repo("odd\n name\n")
    found = opened(odd)
    assert found.top == odd.path
    assert found.git_dir == odd / ".git"


@pytest.mark.parametrize("where", ["outside", "bare", "git-dir"])
def test_no_worktree_is_refused(make_repo: Callable[..., Any], opened: Opened, tmp_path: Path, where: str) -> None:
    places = {
        "outside": tmp_path,
        "bare": tmp_path / "bare",
        "git-dir": make_repo("plain") / ".git",
    }
    subprocess.run(("git", "init", "-q", "--bare", tmp_path / "bare"), check=True)
    with pytest.raises(NotARepository) as caught:
        opened(places[where])
    assert caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another owner")
def test_a_foreign_owner_is_refused_until_the_user_allows_it(repo: Any, opened: Opened) -> None:
    repo.add({"a": "1\n"}, commit="base")
    for place, _, files in os.walk(repo.path):
        for path in (place, *(os.path.join(place, name) for name in files)):  # noqa: PTH118 - os.walk gives strings
            os.chown(path, 12345, 12345)
    with pytest.raises(GitError) as caught:
        opened(repo)
    assert "dubious ownership" in caught.value.message
    assert "safe.directory" in caught.value.hint
    subprocess.run(("git", "config", "--global", "safe.directory", repo.path), check=True)
    found = opened(repo)
    assert found.git.read("ls-files").out == b"a\n"


def test_sha256(make_repo: Callable[..., Any], opened: Opened) -> None:
    big = make_repo("big", "--object-format=sha256")
    found = opened(big)
    assert found.object_format == "sha256"
    assert found.empty_tree == big.git("hash-object", "-t", "tree", "--stdin").decode().strip()
    assert found.empty_blob == big.git("hash-object", "-t", "blob", "--stdin").decode().strip()
    assert len(found.no_blob) == 64


def test_empty_objects(repo: Any, opened: Opened) -> None:
    found = opened(repo)
    assert found.empty_tree == repo.git("hash-object", "-t", "tree", "--stdin").decode().strip()
    assert found.empty_blob == repo.git("hash-object", "-t", "blob", "--stdin").decode().strip()


def test_a_shallow_clone_is_known(repo: Any, opened: Opened, tmp_path: Path) -> None:
    repo.add({"a": "1\n"}, commit="one")
    repo.add({"a": "2\n"}, commit="two")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", tmp_path / "shallow")
    assert opened(tmp_path / "shallow").shallow
    assert not opened(repo).shallow


def test_an_unborn_branch_is_known(repo: Any, opened: Opened) -> None:
    found = opened(repo)
    assert found.head() is None
    assert found.situation().unborn
    commit = repo.add({"a": "1\n"}, commit="base")
    assert found.head() == commit
    assert not found.situation().unborn
    repo.git("checkout", "-q", "--orphan", "new")
    assert found.head() is None


def test_a_broken_head_is_not_unborn(repo: Any, opened: Opened) -> None:
    repo.add({"a": "1\n"}, commit="base")
    (repo / ".git/refs/heads/main").write_text("1" * 40 + "\n")
    assert opened(repo).head() == "1" * 40
    with pytest.raises(GitError, match="diff-index"):
        head_rows(opened(repo))


def diverge(repo: Any) -> None:
    repo.add({"a": "base\n"}, commit="base")
    repo.git("checkout", "-q", "-b", "side")
    repo.add({"a": "side\n"}, commit="side")
    repo.git("checkout", "-q", "main")
    repo.add({"a": "main\n"}, commit="main")


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (("merge", "side"), Operation.MERGE),
        (("cherry-pick", "side"), Operation.CHERRY_PICK),
        (("revert", "main~1"), Operation.REVERT),
        (("rebase", "side"), Operation.REBASE),
        (("rebase", "--apply", "side"), Operation.REBASE),
    ],
)
def test_operations_are_known(repo: Any, opened: Opened, command: tuple[str, ...], operation: Operation) -> None:
    """A merge in progress. Rebase, cherry-pick and revert."""
    diverge(repo)
    assert opened(repo).operation() is Operation.NONE
    repo.git(*command, rc=None)
    found = opened(repo).situation()
    assert found.operation is operation
    assert found.conflicted == ("a",)
    assert found.merged == ((repo.rev("side"),) if operation is Operation.MERGE else ())


def test_config_entries_have_scopes_and_order(repo: Any, opened: Opened) -> None:
    repo.config("litecode.model", "first\nsecond")
    with (repo / ".git/config").open("a") as file:
        file.write("[litecode]\n\tflag\n\tModel = last\n")
    found = opened(
        repo, GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="litecode.fromEnv", GIT_CONFIG_VALUE_0="v"
    ).config_entries()
    assert ("global", "user.name", "A U Thor") in found
    mine = [entry for entry in found if entry.key.startswith("litecode.")]
    assert mine == [
        ("local", "litecode.model", "first\nsecond"),
        ("local", "litecode.flag", None),
        ("local", "litecode.model", "last"),
        ("command", "litecode.fromenv", "v"),
    ]


@pytest.mark.parametrize(
    ("argument", "path"),
    [("a", "sub/a"), ("../b", "b"), (".", "sub"), ("..", ""), ("./x/../y", "sub/y"), ("gr\u00fcn", "sub/gr\u00fcn")],
)
def test_arguments_become_repository_paths(repo: Any, opened: Opened, argument: str, path: str) -> None:
    repo.write("sub/a", "1\n")
    assert opened(repo).relative(argument, repo / "sub") == path


@pytest.mark.parametrize("argument", ["../..", "/etc/passwd", "../../repo2/a"])
def test_arguments_outside_are_refused(repo: Any, opened: Opened, argument: str) -> None:
    repo.write("sub/a", "1\n")
    with pytest.raises(UsageError, match="outside of the repository"):
        opened(repo).relative(argument, repo / "sub")


def test_a_link_to_the_repository_is_no_outside(repo: Any, opened: Opened, tmp_path: Path) -> None:
    repo.write("sub/a", "1\n")
    (tmp_path / "link").symlink_to(repo.path)
    assert opened(repo).relative("a", tmp_path / "link/sub") == "sub/a"


def test_a_vanished_index_stops_the_write(repo: Any, opened: Opened) -> None:
    """Ctrl-C: git is gone, its index too, and the hook lives on."""
    repo.add({"a": "1\n"}, commit="base")
    lock = repo / ".git/index.lock"
    lock.write_bytes((repo / ".git/index").read_bytes())
    found = opened(repo, GIT_INDEX_FILE=str(lock))
    found.check_unchanged_parent()
    lock.unlink()
    with pytest.raises(GitError, match="has vanished"):
        found.check_unchanged_parent()
    assert not lock.exists()
