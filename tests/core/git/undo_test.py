"""Undo takes away what a run did and nothing else, or does nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.errors import GitError, StateError
from litecode.core.git.journal import Phase, journals
from litecode.core.git.recovery import Recovery, recover
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.git.undo import undo, undoable
from litecode.core.values import Apply, Change

Opened = Callable[..., Repository]

TWENTY = "".join(f"{number}\n" for number in range(1, 21))
BAD = TWENTY.replace("5\n", "5 BAD\n", 1)
GOOD = TWENTY.replace("5\n", "5 GOOD\n", 1)


@pytest.fixture
def scene(repo: Any, opened: Opened) -> Any:
    """BAD staged in `a`, and in `b` beside unstaged edits; a run `7f3a` has made GOOD of it, and a new file."""
    repo.add({"a": TWENTY, "b": TWENTY}, commit="base")
    repo.add({"a": BAD, "b": BAD})
    repo.write("b", BAD + "mine\n")
    oid = repo.oid("a")
    changes = [Change(path, "100644", oid, GOOD.encode()) for path in ("a", "b")]
    changes.append(Change("dir/new", "100644", None, b"new\n"))
    assert apply(opened(repo), changes, Apply.STAGE, "7f3a").rejected == ()
    return repo


def test_a_run_is_taken_back(scene: Any, opened: Opened) -> None:
    applied = undo(opened(scene), "7f3a")
    assert {result.path: result.outcome.value for result in applied.results} == dict.fromkeys(
        ["a", "b", "dir/new"], "applied"
    )
    assert scene.blob("a").decode() == scene.read("a").decode() == BAD
    assert scene.blob("b").decode() == BAD
    assert scene.read("b").decode() == BAD + "mine\n"
    assert not (scene / "dir").exists()
    assert scene.status() == ["M  a", "MM b"]


@pytest.mark.parametrize("name", ["7f3a", "7f3a.1"])
def test_once(scene: Any, opened: Opened, name: str) -> None:
    undo(opened(scene), name)
    before = scene.snapshot()
    with pytest.raises(StateError, match="has been undone already"):
        undo(opened(scene), name)
    with pytest.raises(StateError, match="there is no journal of 1234"):
        undo(opened(scene), "1234")
    assert scene.snapshot() == before
    assert undoable(opened(scene)) == ()


def test_an_undo_can_be_undone_by_its_own_id(scene: Any, opened: Opened) -> None:
    applied = undo(opened(scene), "7f3a")
    assert applied.txn == "7f3a.2"
    undo(opened(scene), "7f3a.2")
    assert scene.blob("b").decode() == GOOD
    assert scene.read("b").decode() == GOOD + "mine\n"
    assert scene.read("dir/new") == b"new\n"
    assert scene.status() == ["M  a", "MM b", "A  dir/new"]


def test_only_some_paths(scene: Any, opened: Opened) -> None:
    undo(opened(scene), "7f3a", paths=["b"])
    assert scene.blob("a").decode() == GOOD
    assert scene.blob("b").decode() == BAD
    assert undoable(opened(scene)) == ("7f3a.1",)
    undo(opened(scene), "7f3a")
    assert scene.blob("a").decode() == BAD


def test_edits_made_since_stay(scene: Any, opened: Opened) -> None:
    scene.write("a", GOOD.replace("15\n", "15 LATER\n"))
    scene.add({"b": GOOD.replace("1\n", "1 STAGED LATER\n", 1)})
    scene.write("b", GOOD.replace("1\n", "1 STAGED LATER\n", 1) + "mine\n")
    undo(opened(scene), "7f3a")
    assert scene.read("a").decode() == BAD.replace("15\n", "15 LATER\n")
    assert scene.blob("a").decode() == BAD
    assert scene.blob("b").decode() == BAD.replace("1\n", "1 STAGED LATER\n", 1)
    assert scene.read("b").decode() == BAD.replace("1\n", "1 STAGED LATER\n", 1) + "mine\n"


@pytest.mark.parametrize(
    ("conflict", "reason"),
    [
        ("worktree", "a: edits made since touch the change"),
        ("index", "a: edits that were staged since touch the change"),
        ("unstaged", "a: it was removed from the index"),
        ("new", "dir/new: it was edited since"),
        ("new-staged", "dir/new: it was staged again"),
        ("flag", "a: it is marked assume-unchanged now"),
    ],
)
def test_a_conflict_changes_nothing(scene: Any, opened: Opened, conflict: str, reason: str) -> None:
    if conflict == "worktree":
        scene.write("a", GOOD.replace("5 GOOD\n", "5 BETTER\n"))
    elif conflict == "index":
        scene.add({"a": GOOD.replace("5 GOOD\n", "5 BETTER\n")})
    elif conflict == "unstaged":
        scene.git("rm", "-q", "--cached", "a")
    elif conflict == "new":
        scene.write("dir/new", "new\nmore\n")
    elif conflict == "new-staged":
        scene.stage_blob("dir/new", "other\n")
    else:
        scene.git("update-index", "--assume-unchanged", "a")
    before = {path: facts for path, facts in scene.snapshot().items() if not path.startswith(".git/litecode")}
    with pytest.raises(GitError) as caught:
        undo(opened(scene), "7f3a")
    assert reason in caught.value.message
    assert "git litecode undo 7f3a.1 PATH" in caught.value.hint
    after = {path: facts for path, facts in scene.snapshot().items() if not path.startswith(".git/litecode")}
    assert after == before
    undo(opened(scene), "7f3a", paths=["b"])
    assert scene.blob("b").decode() == BAD


def test_after_a_commit_history_stays(scene: Any, opened: Opened) -> None:
    commit = scene.commit("with the change")
    undo(opened(scene), "7f3a")
    assert scene.rev("HEAD") == commit
    assert scene.blob("a", "HEAD").decode() == GOOD
    assert scene.blob("a").decode() == scene.read("a").decode() == BAD
    assert scene.status() == ["M  a", "MM b", "D  dir/new"]


def test_a_file_deleted_since_stays_deleted(scene: Any, opened: Opened) -> None:
    (scene / "a").unlink()
    (scene / "dir/new").unlink()
    undo(opened(scene), "7f3a")
    assert not (scene / "a").exists()
    assert scene.blob("a").decode() == BAD
    assert "dir/new" not in scene.index()


def test_a_file_replaced_by_something_else_stays(scene: Any, opened: Opened) -> None:
    (scene / "a").unlink()
    (scene / "a").symlink_to("b")
    undo(opened(scene), "7f3a")
    assert (scene / "a").is_symlink()
    assert scene.blob("a").decode() == BAD


def test_the_old_blob_may_be_pruned(scene: Any, opened: Opened) -> None:
    scene.commit("with the change")
    scene.git("reflog", "expire", "--expire=now", "--all")
    scene.git("gc", "-q", "--prune=now")
    undo(opened(scene), "7f3a")
    assert scene.blob("a").decode() == BAD
    assert scene.git("fsck", "--no-dangling") == b""


def test_a_run_of_two_transactions(scene: Any, opened: Opened) -> None:
    change = Change("a", "100644", scene.oid("a"), GOOD.replace("GOOD", "BEST").encode())
    assert apply(opened(scene), [change], Apply.STAGE, "7f3a").txn == "7f3a.2"
    assert undoable(opened(scene)) == ("7f3a.2", "7f3a.1")
    undo(opened(scene), "7f3a")
    assert scene.blob("a").decode() == scene.read("a").decode() == BAD
    assert scene.read("b").decode() == BAD + "mine\n"


def test_a_run_of_several_transactions_is_taken_back_whole_or_not_at_all(scene: Any, opened: Opened) -> None:
    """Held patches that were staged later belong to the run, too. An edit in the way of the older part keeps the newer
    one as it is.
    """
    scene.add({"c": BAD})
    apply(opened(scene), [Change("c", "100644", scene.oid("c"), GOOD.encode())], Apply.STAGE, "7f3a")
    scene.write("a", GOOD.replace("5 GOOD", "5 GOOD and mine"))
    before = scene.index(), scene.read("a"), scene.read("c")
    with pytest.raises(GitError, match="a: edits made since touch the change"):
        undo(opened(scene), "7f3a")
    assert (scene.index(), scene.read("a"), scene.read("c")) == before
    scene.write("a", GOOD)
    assert {result.path for result in undo(opened(scene), "7f3a").results} == {"a", "b", "c", "dir/new"}
    assert scene.blob("c").decode() == scene.read("a").decode() == BAD
    assert undoable(opened(scene)) == ()


def test_a_run_whose_parts_have_edits_between_them(scene: Any, opened: Opened) -> None:
    scene.add({"a": GOOD + "between\n"})
    change = Change("a", "100644", scene.oid("a"), (GOOD + "between\n").replace("GOOD", "BEST").encode())
    apply(opened(scene), [change], Apply.STAGE, "7f3a")
    undo(opened(scene), "7f3a")
    assert scene.blob("a").decode() == scene.read("a").decode() == BAD + "between\n"


def test_line_endings_and_late_edits(repo: Any, opened: Opened) -> None:
    repo.config("core.autocrlf", "true")
    repo.add({"a": BAD.replace("\n", "\r\n")})
    change = Change("a", "100644", repo.oid("a"), GOOD.encode())
    apply(opened(repo), [change], Apply.STAGE, "7f3a")
    repo.write("a", (GOOD + "later\n").replace("\n", "\r\n"))
    undo(opened(repo), "7f3a")
    assert repo.read("a").decode() == (BAD + "later\n").replace("\n", "\r\n")
    assert repo.blob("a").decode() == BAD


def test_worktree_only(repo: Any, opened: Opened) -> None:
    repo.add({"a": BAD})
    repo.write("a", BAD + "mine\n")
    change = Change("a", "100644", repo.oid("a"), GOOD.encode())
    apply(opened(repo), [change], Apply.WORKTREE, "7f3a")
    index = (repo / ".git/index").read_bytes()
    undo(opened(repo), "7f3a")
    assert repo.read("a").decode() == BAD + "mine\n"
    assert (repo / ".git/index").read_bytes() == index


class TestGivenUpCommits:
    """A commit that is aborted after the hook: git drops the index of `-a`, and the change is in the worktree only."""

    def test_it_is_told_once_and_undo_covers_it(self, scene: Any, opened: Opened) -> None:
        scene.git("reset", "-q")
        found = recover(opened(scene))
        assert found == Recovery(unstaged=("a", "b", "dir/new"))
        assert recover(opened(scene)) == Recovery()
        undo(opened(scene), "7f3a")
        assert scene.read("a").decode() == BAD
        assert scene.read("b").decode() == BAD + "mine\n"
        assert scene.status() == [" M a", " M b"]

    @pytest.mark.parametrize("then", ["staged", "whole", "committed", "edited"])
    def test_not_when_it_is_where_it_belongs(self, scene: Any, opened: Opened, then: str) -> None:
        if then == "committed":
            scene.commit("done")
        elif then == "whole":  # with the unstaged edits, so that it is another blob than that of the run
            scene.git("add", "-u")
        elif then == "edited":
            scene.git("reset", "-q")
            for path in ("a", "b", "dir/new"):
                scene.write(path, "something else\n")
        assert recover(opened(scene)) == Recovery()

    def test_nothing_is_asked_or_written_without_a_journal(self, repo: Any, opened: Opened) -> None:
        repo.add({"a": "1\n"}, commit="base")
        before = repo.snapshot()
        assert recover(opened(repo)) == Recovery()
        assert repo.snapshot() == before


def test_a_damaged_journal_is_reported_and_left(scene: Any, opened: Opened) -> None:
    place = scene / ".git/litecode/txn-7f3a.1"
    (place / "done.json").rename(place / "prepared.json")
    (place / "contents.tar").write_bytes(b"x")
    found = recover(opened(scene))
    assert found.damaged == ("7f3a.1",)
    assert place.exists()
    (place / "prepared.json").write_text("{}")
    assert recover(opened(scene)).damaged == ("7f3a.1",)
    assert scene.blob("a").decode() == GOOD
    assert journals(opened(scene), phases=(Phase.OPEN,)) == []
