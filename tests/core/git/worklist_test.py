from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError, UsageError
from litecode.core.git.rawdiff import staged_tree_equals_head
from litecode.core.git.repository import Repository
from litecode.core.git.worklist import WorkList, staged_since, unstaged_paths, work_list
from litecode.core.values import Change, StagedFile

Opened = Callable[..., Repository]

TWENTY = "".join(f"{number}\n" for number in range(1, 21))
BAD = TWENTY.replace("5\n", "5 BAD\n", 1)
pytestmark = pytest.mark.usefixtures("settings")


@pytest.fixture
def scene(repo: Any) -> Any:
    """`a` and `b` of twenty numbered lines, committed."""
    repo.add({"a": TWENTY, "b": TWENTY}, commit="base")
    return repo


def files(work: WorkList) -> list[str]:
    return [file.path for file in work.files]


def skipped(work: WorkList) -> dict[str, str]:
    return {file.path: file.reason for file in work.skipped}


def test_nothing_staged(scene: Any, opened: Opened) -> None:
    scene.write("a", BAD)
    scene.write("untracked", "x\n")
    assert work_list(opened(scene)) == WorkList(())


def test_one_staged_file(scene: Any, opened: Opened) -> None:
    head = scene.oid("a")
    scene.add({"a": BAD})
    work = work_list(opened(scene))
    assert work.files == (StagedFile("a", "100644", scene.oid("a"), head, frozenset({5}), unstaged=False),)
    assert work.skipped == ()
    assert work.staged == (("a", scene.oid("a")),)


def test_new_deleted_and_executable_files(scene: Any, opened: Opened) -> None:
    scene.add({"b": None, "new": "x\n"})
    scene.write("script", "#!/bin/sh\n", mode=0o755)
    scene.git("add", "script")
    work = work_list(opened(scene))
    assert work.files == (
        StagedFile("new", "100644", scene.oid("new"), None, None),
        StagedFile("script", "100755", scene.oid("script"), None, None),
    )
    assert skipped(work) == {}


def test_the_worktree_is_no_input(scene: Any, opened: Opened) -> None:
    scene.add({"a": BAD})
    oid = scene.oid("a")
    scene.write("a", "something else\n")
    assert [(file.path, file.oid, file.unstaged) for file in work_list(opened(scene)).files] == [("a", oid, True)]


@pytest.mark.parametrize(
    ("worktree", "unstaged"),
    [(BAD, False), (BAD + "more\n", True), (BAD.replace("\n", "\r\n"), True), (None, True), ("", True)],
)
def test_unstaged_by_raw_bytes(scene: Any, opened: Opened, worktree: str | None, unstaged: bool) -> None:
    scene.add({"a": BAD})
    if worktree is None:
        (scene / "a").unlink()
    else:
        scene.write("a", worktree)
    assert [file.unstaged for file in work_list(opened(scene)).files] == [unstaged]


def test_a_touched_file_is_not_unstaged(scene: Any, opened: Opened) -> None:
    scene.add({"a": BAD})
    os.utime(scene / "a", (1, 1))
    assert [file.unstaged for file in work_list(opened(scene)).files] == [False]


def test_a_converted_file_is_not_unstaged(scene: Any, opened: Opened) -> None:
    scene.config("core.autocrlf", "true")
    scene.add({"a": BAD.replace("\n", "\r\n")})
    os.utime(scene / "a", (1, 1))
    assert scene.blob("a") == BAD.encode()
    assert [file.unstaged for file in work_list(opened(scene)).files] == [False]
    scene.write("a", BAD)
    assert [file.unstaged for file in work_list(opened(scene)).files] == [True]


@pytest.mark.parametrize("kind", ["directory", "link", "pipe", "behind-link"])
def test_what_is_no_regular_file_is_unstaged(scene: Any, opened: Opened, kind: str) -> None:
    scene.add({"dir/a": BAD})
    file = scene / "dir/a"
    file.unlink()
    if kind == "directory":
        file.mkdir()
    elif kind == "link":
        (scene / "target").write_text(BAD)
        file.symlink_to(scene / "target")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.parent.rmdir()
        (scene / "elsewhere").mkdir()
        (scene / "elsewhere/a").write_text(BAD)
        file.parent.symlink_to("elsewhere")
    staged = [StagedFile("dir/a", "100644", scene.oid("dir/a"))]
    assert unstaged_paths(opened(scene), staged) == {"dir/a"}


def test_conflicts_are_refused(scene: Any, opened: Opened) -> None:
    """Unresolved conflicts in the index."""
    scene.git("checkout", "-q", "-b", "side")
    scene.add({"a": "side\n"}, commit="side")
    scene.git("checkout", "-q", "main")
    scene.add({"a": "main\n"}, commit="main")
    scene.git("merge", "side", rc=1)
    before = scene.index()
    for options in ({}, {"all_files": True}, {"against": "HEAD"}):
        with pytest.raises(GitError, match="unresolved conflicts: a") as caught:
            work_list(opened(scene), **options)
        assert "git add" in caught.value.hint
    assert scene.index() == before
    assert before["a"][2] != 0


def test_intent_to_add_is_left_alone(scene: Any, opened: Opened) -> None:
    """`git add -N`."""
    scene.write("n", "n\n")
    scene.git("add", "-N", "n")
    assert files(work_list(opened(scene))) == []
    scene.add({"a": BAD, "really-empty": ""})
    for worktree in ("n\n", None):
        if worktree is None:
            (scene / "n").unlink()
        work = work_list(opened(scene))
        assert files(work) == ["a", "really-empty"]
        assert skipped(work) == {"n": "only announced (git add -N), not staged"}
        assert skipped(work_list(opened(scene), all_files=True)) == {"n": "only announced (git add -N), not staged"}


def test_skip_worktree_is_left_alone(scene: Any, opened: Opened) -> None:
    """`--skip-worktree`, as in a sparse checkout."""
    scene.add({"a": BAD, "b": BAD})
    scene.git("update-index", "--skip-worktree", "b")
    work = work_list(opened(scene))
    assert files(work) == ["a"]
    assert skipped(work) == {"b": "not checked out (skip-worktree)"}
    scene.git("update-index", "--assume-unchanged", "b")
    assert skipped(work_list(opened(scene))) == {"b": "not checked out (skip-worktree)"}


def test_assume_unchanged_is_left_alone(scene: Any, opened: Opened) -> None:
    """`--assume-unchanged` with a local edit."""
    scene.add({"a": BAD, "b": BAD})
    scene.git("update-index", "--assume-unchanged", "b")
    scene.write("b", "local\n")
    work = work_list(opened(scene))
    assert files(work) == ["a"]
    assert skipped(work) == {"b": "marked assume-unchanged"}


def test_a_file_deleted_in_the_worktree_is_still_staged(scene: Any, opened: Opened) -> None:
    """A staged file that is deleted in the worktree."""
    scene.add({"a": BAD, "new": "x\n"})
    (scene / "a").unlink()
    (scene / "new").unlink()
    assert [(file.path, file.unstaged) for file in work_list(opened(scene)).files] == [("a", True), ("new", True)]


def test_links_and_types(scene: Any, opened: Opened) -> None:
    """Symbolic links and executable bits."""
    (scene / "link").symlink_to("a")
    (scene / "b").unlink()
    (scene / "b").symlink_to("a")
    scene.git("add", "link", "b")
    work = work_list(opened(scene))
    assert files(work) == []
    assert skipped(work) == {"b": "a symbolic link", "link": "a symbolic link"}
    scene.commit("links")
    (scene / "link").unlink()
    scene.add({"link": BAD})
    assert work_list(opened(scene)).files == (StagedFile("link", "100644", scene.oid("link"), None, None),)


def test_submodules(scene: Any, opened: Opened, make_repo: Callable[..., Any]) -> None:
    """Submodules, clean and dirty."""
    inner = make_repo("inner")
    inner.add({"x": "1\n"}, commit="base")
    scene.git("submodule", "--quiet", "add", inner.path, "mod")
    scene.write("mod/x", "dirty\n")
    work = work_list(opened(scene))
    assert files(work) == [".gitmodules"]
    assert skipped(work) == {"mod": "a submodule"}
    assert (scene / "mod/x").read_bytes() == b"dirty\n"


@pytest.mark.parametrize(
    "name",
    [
        "two words",
        " leading",
        "trailing ",
        "tab\tname",
        'quo"te',
        "new\nline",
        "gr\u00fcn",
        "raw\udcff\udcfe",
        "-x",
        "*",
    ],
)
def test_any_path(scene: Any, opened: Opened, name: str) -> None:
    """Names with blanks, quotes, newlines and bytes that are no UTF-8."""
    scene.add({name: BAD, "decoy": BAD})
    work = work_list(opened(scene), paths=[name])
    assert [(file.path, file.oid) for file in work.files] == [(name, scene.oid(name))]
    scene.write(name, "edited\n")
    assert [file.unstaged for file in work_list(opened(scene), paths=[name]).files] == [True]


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        ("filter=lfs diff=lfs merge=lfs -text", "stored by Git LFS"),
        ("filter=crypt", "converted by the filter crypt"),
        ("working-tree-encoding=UTF-16", "has working-tree-encoding=UTF-16"),
        ("binary", "marked as binary by an attribute"),
        ("-diff", "marked as binary by an attribute"),
        ("-text", ""),
        ("text eol=crlf", ""),
        ("text=auto", ""),
        ("-filter", ""),
        ("filter=", ""),
        ("diff=python", ""),
        ("ident", ""),
        ("-merge", ""),
    ],
)
def test_attributes(scene: Any, opened: Opened, attribute: str, reason: str) -> None:
    """Filter drivers, LFS and working-tree-encoding."""
    scene.add({"a.x": BAD})
    scene.add({".gitattributes": f"*.x {attribute}\n"})
    work = work_list(opened(scene))
    assert skipped(work) == ({"a.x": reason} if reason else {})
    assert files(work) == [".gitattributes", *([] if reason else ["a.x"])]


def test_staged_attributes_count_and_so_does_a_filter_in_the_worktree(scene: Any, opened: Opened) -> None:
    """Filter drivers, LFS and working-tree-encoding."""
    scene.add({"a.x": BAD, "a.y": BAD, ".gitattributes": "*.x -diff\n"})
    scene.write(".gitattributes", "*.y filter=f\n*.y -diff\n")
    assert skipped(work_list(opened(scene))) == {
        "a.x": "marked as binary by an attribute",
        "a.y": "converted by the filter f",
    }


def merging(repo: Any) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.add({"b": BAD, "side": "1\n", "both": "side\n"}, commit="side")
    repo.git("checkout", "-q", "main")
    repo.add({"a": BAD, "both": "main\n"}, commit="main")
    repo.git("merge", "-q", "side", rc=1)
    repo.add({"both": "main and side\n"})


def test_a_merge_has_only_what_differs_from_both_sides(scene: Any, opened: Opened) -> None:
    """A merge, where all of the other side counts as staged."""
    merging(scene)
    work = work_list(opened(scene))
    assert files(work) == ["both"]
    assert skipped(work) == dict.fromkeys(["b", "side"], "comes unchanged from one side of the merge")


def test_unborn(repo: Any, opened: Opened) -> None:
    """The first commit, on an unborn branch."""
    assert work_list(opened(repo)) == WorkList(())
    repo.add({"a": BAD})
    assert work_list(opened(repo)).files == (StagedFile("a", "100644", repo.oid("a"), None, None),)


def test_against_another_commit(scene: Any, opened: Opened) -> None:
    """`--amend`, which a hook cannot see: compare with another commit."""
    scene.add({"a": BAD}, commit="bad")
    assert files(work_list(opened(scene))) == []
    work = work_list(opened(scene), against="HEAD~1")
    assert [(file.path, file.changed) for file in work.files] == [("a", {5})]


@pytest.mark.parametrize("name", ["nowhere", "--output=/tmp/x", "HEAD:a", ""])
def test_unknown_revisions_are_refused(scene: Any, opened: Opened, name: str) -> None:
    with pytest.raises(UsageError, match="there is no revision"):
        work_list(opened(scene), against=name)


def test_from_and_to(scene: Any, opened: Opened) -> None:
    scene.git("checkout", "-q", "-b", "topic")
    scene.add({"a": BAD, "gone": "x\n"}, commit="one")
    scene.add({"gone": None, "new": "1\n"}, commit="two")
    scene.git("checkout", "-q", "main")
    scene.add({"b": BAD}, commit="elsewhere")
    work = work_list(opened(scene), from_ref="main", to_ref="topic")
    assert [(file.path, file.oid, file.changed) for file in work.files] == [
        ("a", scene.oid("a", "topic"), {5}),
        ("new", scene.oid("new", "topic"), None),
    ]
    assert files(work_list(opened(scene), from_ref="main", to_ref="topic", paths=["new"])) == ["new"]


def test_all_files(scene: Any, opened: Opened) -> None:
    head = scene.oid("b")
    scene.add({"a": BAD, "new": "1\n"})
    (scene / "link").symlink_to("a")
    scene.git("add", "link")
    work = work_list(opened(scene), all_files=True)
    assert [(file.path, file.head, file.changed) for file in work.files] == [
        ("a", scene.oid("a", "HEAD"), None),
        ("b", head, None),
        ("new", None, None),
    ]
    assert skipped(work) == {"link": "a symbolic link"}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["dir"], ["dir/x", "dir/y"]),
        (["dir/"], ["dir/x", "dir/y"]),
        (["dir/x", "a"], ["a", "dir/x"]),
        ([""], ["a", "dir/x", "dir/y", "dirx"]),
        (["di"], []),
        (["nothing"], []),
        (["*"], []),
    ],
)
def test_paths_limit_the_list(scene: Any, opened: Opened, paths: list[str], expected: list[str]) -> None:
    scene.add({"a": BAD, "dir/x": "1\n", "dir/y": "1\n", "dirx": "1\n"})
    assert files(work_list(opened(scene), paths=paths)) == expected


def test_many_files(scene: Any, opened: Opened) -> None:
    scene.add({f"dir/{number}": f"{number}\n" for number in range(150)})
    scene.write("dir/7", "edited\n")
    work = work_list(opened(scene))
    assert len(work.files) == 150
    assert [file.path for file in work.files if file.unstaged] == ["dir/7"]


def test_what_joined_during_the_run_is_known(scene: Any, opened: Opened) -> None:
    """`git add` of somebody else during the run."""
    scene.add({"a": BAD})
    work = work_list(opened(scene))
    assert staged_since(opened(scene), work) == ()
    scene.add({"b": BAD})
    scene.git("rm", "-q", "--cached", "a")
    assert staged_since(opened(scene), work) == ("b",)
    scene.add({"a": BAD + "again\n"})
    assert staged_since(opened(scene), work) == ("a", "b")


@pytest.mark.parametrize(
    ("state", "equal"), [("clean", True), ("staged", False), ("intent", True), ("deleted", False), ("mode", False)]
)
def test_the_empty_commit_guard(scene: Any, opened: Opened, state: str, equal: bool) -> None:
    """A change that turns what is staged back into HEAD."""
    if state == "staged":
        scene.add({"a": BAD})
    elif state == "intent":
        scene.write("n", "n\n")
        scene.git("add", "-N", "n")
    elif state == "deleted":
        scene.add({"a": None})
    elif state == "mode":
        scene.git("update-index", "--chmod=+x", "a")
    assert staged_tree_equals_head(opened(scene)) is equal


@pytest.mark.parametrize(
    ("after", "equal"),
    [
        ({"a": TWENTY}, True),
        ({"a": "other\n"}, False),
        ({}, False),
        ({"a": TWENTY, "b": BAD}, False),
        ({"b": BAD}, False),
    ],
)
def test_the_guard_with_changes_in_mind(scene: Any, opened: Opened, after: dict[str, str], equal: bool) -> None:
    """A change that turns what is staged back into HEAD."""
    scene.add({"a": BAD})
    changes = [Change(path, "100644", scene.oid(path), text.encode()) for path, text in after.items()]
    assert staged_tree_equals_head(opened(scene), changes) is equal


def test_the_named_index_is_read(scene: Any, opened: Opened, tmp_path: Path) -> None:
    """`git commit -a`, where the index is a lock file."""
    scene.add({"a": BAD})
    (tmp_path / "other").write_bytes((scene / ".git/index").read_bytes())
    scene.add({"a": TWENTY, "b": BAD})
    assert files(work_list(opened(scene))) == ["b"]
    assert files(work_list(opened(scene, GIT_INDEX_FILE=str(tmp_path / "other")))) == ["a"]


@pytest.mark.parametrize("shape", ["split", "v4", "sparse", "untracked-cache", "sha256", "linked"])
def test_other_kinds_of_index(
    make_repo: Callable[..., Any],
    open_repo: Callable[[Path], Any],
    opened: Opened,
    tmp_path: Path,
    shape: str,
) -> None:
    repo = make_repo("r", *(["--object-format=sha256"] if shape == "sha256" else []))
    repo.add({"a": TWENTY, "in/b": TWENTY, "out/c": TWENTY}, commit="base")
    if shape == "split":
        repo.git("update-index", "--split-index")
    elif shape == "v4":
        repo.git("update-index", "--index-version=4")
    elif shape == "untracked-cache":
        repo.git("update-index", "--untracked-cache")
    elif shape == "sparse":
        repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    elif shape == "linked":
        repo.git("worktree", "add", "-q", tmp_path / "linked")
        repo = open_repo(tmp_path / "linked")
    repo.add({"a": BAD, "in/b": BAD})
    repo.write("a", BAD + "more\n")
    before = contents(repo)
    work = work_list(opened(repo))
    assert [(file.path, file.changed, file.unstaged) for file in work.files] == [("a", {5}, True), ("in/b", {5}, False)]
    assert contents(repo) == before


def contents(repo: Any) -> dict[str, str]:
    """Without the time of files: git touches a shared index when it reads one. Without objects: to read a sparse index
    some git commands expand it, and they write the trees that they computed.
    """
    return {path: facts[2] for path, facts in repo.snapshot().items() if not path.startswith(".git/objects")}


def test_listing_writes_nothing(scene: Any, opened: Opened) -> None:
    """Looking only, at a partially staged file."""
    scene.add({"a": BAD})
    scene.write("b", "unstaged\n")
    os.utime(scene / "a", (1, 1))
    before = scene.snapshot()
    work_list(opened(scene))
    work_list(opened(scene), all_files=True)
    staged_tree_equals_head(opened(scene))
    opened(scene).situation()
    assert scene.snapshot() == before
