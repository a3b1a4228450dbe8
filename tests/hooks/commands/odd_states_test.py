"""`apply`, `undo` and `drop` after git has moved on: another branch, a merge or rebase in between, a file that was
renamed, deleted, replaced or is not checked out. What belongs to somebody else stays, and the reason is said.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.hooks.cli import main

Capture = pytest.CaptureFixture[str]

RULES = "rules:\n- id: is-none\n  message: m\n  language: python\n  pattern: $V == None\n  fix: $V is None\n"
BASE = "".join(f"l{number} = {number}\n" for number in range(10))
BAD, GOOD = BASE.replace("l5 = 5", "l5 == None"), BASE.replace("l5 = 5", "l5 is None")
OTHER = BASE.replace("l5 = 5", "l5 = 'other'")


def changed(text: str) -> str:
    """With a change far away from that of the run."""
    return text.replace("l1 = 1", "l1 = 'elsewhere'")


@pytest.fixture
def scene(repo: Any, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Any:
    """A branch `side` with other lines, and on `main` a.py and b.py with what the rule is about, staged."""
    repo.add({".litecode.yaml": RULES, "a.py": BASE, "b.py": BASE + "b = 1\n", "d/c.py": BASE}, commit="base")
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("GIT_EDITOR", ":")
    repo.git("branch", "side")
    repo.add({"a.py": BAD, "b.py": BAD + "b = 1\n"})
    capsys.readouterr()
    return repo


def run(scene: Any, *, hold: bool = False, commit: bool = True) -> None:
    assert main(["run", *(("--apply", "hold") if hold else ())]) == (1 if hold else 0)
    if commit:
        scene.commit("work")


def side(scene: Any, files: dict[str, str | bytes | None]) -> None:
    """A commit on the other branch."""
    scene.git("switch", "-q", "side")
    scene.add(files, commit="side")
    scene.git("switch", "-q", "main")


def said(capsys: Capture, *argv: str, rc: int = 0) -> str:
    capsys.readouterr()
    code = main(list(argv))
    got = capsys.readouterr()
    assert code == rc, got
    return got.out + got.err


def content(scene: Any, path: str) -> tuple[str, str]:
    """Of the index, and of the worktree."""
    return scene.blob(path).decode(), scene.read(path).decode()


def stop_in_a_merge(scene: Any) -> None:
    scene.git("merge", "-q", "--no-ff", "--no-commit", "side")


def stop_in_a_rebase(scene: Any) -> None:
    scene.git("rebase", "-q", "side", rc=None)


def stop_in_a_pick(scene: Any) -> None:
    scene.git("cherry-pick", "side", rc=None)


def stop_in_a_revert(scene: Any) -> None:
    scene.add({"d/c.py": OTHER}, commit="later")
    scene.git("revert", "HEAD~1", rc=None)


STOPS = [
    (stop_in_a_merge, {"a.py": changed(BASE)}, "merge"),
    (stop_in_a_rebase, {"d/c.py": OTHER}, "rebase"),
    (stop_in_a_pick, {"d/c.py": OTHER}, "cherry-pick"),
    (stop_in_a_revert, {}, "revert"),
]


@pytest.mark.parametrize(("stop", "theirs", "operation"), STOPS)
@pytest.mark.parametrize("hold", [False, True])
def test_while_git_is_in_the_middle_of_something(
    scene: Any,
    capsys: Capture,
    stop: Callable[[Any], None],
    theirs: dict[str, str | bytes | None],
    operation: str,
    hold: bool,
) -> None:
    """The files of the run are no part of the conflict, which stays as it is; and the person hears where it goes."""
    run(scene, hold=hold)
    scene.add({"d/c.py": changed(BASE).replace("l5 = 5", "l5 = 'mine'")}, commit="mine")
    if theirs:
        side(scene, theirs)
    stop(scene)
    state = sorted(path.name for path in (scene / ".git").iterdir() if path.name.isupper() or path.is_dir())
    conflicts = scene.git("ls-files", "--unmerged")
    text = changed(BAD) if operation == "merge" else BAD
    done = text.replace("== None", "is None")
    assert content(scene, "a.py") == ((text, text) if hold else (done, done))
    answer = said(capsys, "apply" if hold else "undo")
    assert f"note: what is staged now becomes part of the {operation} that is going on\n" in answer
    assert content(scene, "a.py") == ((done, done) if hold else (text, text))
    assert scene.git("ls-files", "--unmerged") == conflicts
    assert state == sorted(path.name for path in (scene / ".git").iterdir() if path.name.isupper() or path.is_dir())


def rename(scene: Any) -> None:
    scene.git("mv", "a.py", "new.py")


def rename_and_commit(scene: Any) -> None:
    rename(scene)
    scene.commit("rename")


def delete(scene: Any) -> None:
    scene.git("rm", "-q", "-f", "a.py")


def become_a_link(scene: Any) -> None:
    (scene / "a.py").unlink()
    (scene / "a.py").symlink_to("b.py")
    scene.git("add", "a.py")


def become_a_submodule(scene: Any) -> None:
    delete(scene)
    scene.git("update-index", "--add", "--cacheinfo", f"160000,{scene.rev('HEAD')},a.py")
    (scene / "a.py").mkdir()


def commit_other_lines(scene: Any) -> None:
    scene.add({"a.py": OTHER}, commit="other lines")


def be_left_out(scene: Any) -> None:
    """Of a sparse checkout."""
    (scene / "a.py").unlink()
    scene.git("update-index", "--skip-worktree", "a.py")


def be_conflicted(scene: Any) -> None:
    oid = scene.oid("a.py")
    lines = "".join(f"100644 {oid} {stage}\ta.py\0" for stage in (1, 2, 3))
    scene.git("update-index", "-z", "--force-remove", "a.py")
    scene.git("update-index", "-z", "--index-info", stdin=lines.encode())


HELD = [
    (rename, "it is not in the index any more; new.py has the same content"),
    (rename_and_commit, "it is not in the index any more; new.py has the same content"),
    (delete, "it is not in the index any more"),
    (become_a_link, "it is not a regular file"),
    (become_a_submodule, "it is not a regular file"),
    (commit_other_lines, "what is staged by now changes the same lines"),
    (be_left_out, "not checked out (skip-worktree)"),
]


@pytest.mark.parametrize(("happens", "reason"), HELD)
def test_apply_stages_what_has_a_place_and_drop_forgets_the_rest(
    scene: Any, capsys: Capture, happens: Callable[[Any], None], reason: str
) -> None:
    run(scene, hold=True)
    happens(scene)
    before = {path: entry for path, entry in scene.index().items() if path != "b.py"}
    answer = said(capsys, "apply", rc=1)
    assert f"a.py: not staged, {reason}\n" in answer
    assert "b.py: staged\n" in answer
    assert "hint: git litecode drop " in answer
    assert content(scene, "b.py") == (GOOD + "b = 1\n", GOOD + "b = 1\n")
    assert {path: entry for path, entry in scene.index().items() if path != "b.py"} == before
    files = scene.snapshot()
    assert "a.py: dropped\n" in said(capsys, "drop")
    assert {path: facts for path, facts in scene.snapshot().items() if not path.startswith(".git/litecode")} == {
        path: facts for path, facts in files.items() if not path.startswith(".git/litecode")
    }


UNDONE = [
    (rename, "it was removed from the index; new.py has the same content"),
    (rename_and_commit, "it was removed from the index; new.py has the same content"),
    (delete, "it was removed from the index"),
    (become_a_link, "it is no regular file any more"),
    (become_a_submodule, "it is no regular file any more"),
    (commit_other_lines, "what is committed has other lines there (a later commit, or another branch)"),
    (be_left_out, "it is not checked out (skip-worktree) now"),
]


@pytest.mark.parametrize(("happens", "reason"), UNDONE)
def test_undo_is_whole_or_not_at_all_and_other_paths_can_be_named(
    scene: Any, capsys: Capture, happens: Callable[[Any], None], reason: str
) -> None:
    run(scene)
    happens(scene)
    before = (scene.index(), scene.read("b.py"))
    answer = said(capsys, "undo", rc=2)
    assert f"litecode:     a.py: {reason}\n" in answer
    assert (scene.index(), scene.read("b.py")) == before
    name = answer.split()[1].partition(".")[0]
    assert "b.py: taken back\n" in said(capsys, "undo", name, "b.py")
    assert content(scene, "b.py") == (BAD + "b = 1\n", BAD + "b = 1\n")


@pytest.mark.parametrize("command", ["apply", "undo"])
def test_a_conflict_in_a_file_of_the_run_stops_it(scene: Any, capsys: Capture, command: str) -> None:
    run(scene, hold=command == "apply")
    be_conflicted(scene)
    before = (scene.git("ls-files", "--stage"), scene.read("a.py"), scene.read("b.py"))
    assert "the index has unresolved conflicts: a.py" in said(capsys, command, rc=2)
    assert (scene.git("ls-files", "--stage"), scene.read("a.py"), scene.read("b.py")) == before


@pytest.mark.parametrize("detached", [False, True])
def test_on_another_branch_and_back(scene: Any, capsys: Capture, detached: bool) -> None:
    """Where the change is not, it cannot be taken back, and the branch that has it can be gone to."""
    run(scene)
    scene.git("switch", "-q", *(("--detach", "side") if detached else ("side",)))
    before = (scene.index(), scene.read("a.py"))
    answer = said(capsys, "undo", rc=2)
    assert "cannot be undone here:\n" in answer
    assert "later edits" not in answer
    assert (scene.index(), scene.read("a.py")) == before
    scene.git("switch", "-q", "main")
    assert "a.py: taken back\n" in said(capsys, "undo")
    assert content(scene, "a.py") == (BAD, BAD)


def test_a_held_patch_on_another_branch_and_back(scene: Any, capsys: Capture) -> None:
    run(scene, hold=True)
    scene.git("switch", "-q", "side")
    before = (scene.index(), scene.read("a.py"))
    assert "a.py: not staged, what is staged by now changes the same lines\n" in said(capsys, "apply", rc=1)
    assert (scene.index(), scene.read("a.py")) == before
    scene.git("switch", "-q", "main")
    said(capsys, "apply")
    assert content(scene, "a.py") == (GOOD, GOOD)


@pytest.mark.parametrize(
    "words", [("--amend", "-m", "amended"), ("--amend", "--no-edit", "-a"), ("--allow-empty", "-m", "empty")]
)
def test_after_the_commit_was_amended(scene: Any, capsys: Capture, words: tuple[str, ...]) -> None:
    run(scene)
    scene.write("a.py", changed(GOOD))
    scene.git("commit", "-q", "--no-verify", *words)
    head = scene.rev("HEAD")
    said(capsys, "undo")
    assert scene.read("a.py").decode() == changed(BAD)
    assert scene.blob("a.py").decode() == (changed(BAD) if "-a" in words else BAD)
    assert scene.rev("HEAD") == head


def test_staged_on_one_branch_and_carried_to_another(scene: Any, capsys: Capture) -> None:
    run(scene, commit=False)
    scene.git("switch", "-q", "side")
    said(capsys, "undo")
    assert content(scene, "a.py") == (BAD, BAD)


def test_a_file_that_was_renamed_in_the_worktree_only(scene: Any, capsys: Capture) -> None:
    run(scene)
    (scene / "a.py").rename(scene / "new.py")
    said(capsys, "undo")
    assert scene.blob("a.py").decode() == BAD
    assert scene.read("new.py").decode() == GOOD
    assert not (scene / "a.py").exists()


def test_a_submodule_has_runs_of_its_own(
    scene: Any, make_repo: Any, open_repo: Any, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = make_repo("inner")
    inner.add({".litecode.yaml": RULES, "x.py": BASE}, commit="inner")
    scene.git("submodule", "add", "-q", str(inner.path), "lib")
    scene.commit("with submodule")
    lib = open_repo(Path(scene.path) / "lib")
    lib.add({"x.py": BAD})
    monkeypatch.chdir(lib.path)
    assert main(["run"]) == 0
    monkeypatch.chdir(scene.path)
    before = scene.index()
    assert "no run has changed anything" in said(capsys, "undo", rc=2)
    assert (scene.index(), content(lib, "x.py")) == (before, (GOOD, GOOD))
    monkeypatch.chdir(lib.path)
    said(capsys, "undo")
    assert content(lib, "x.py") == (BAD, BAD)


def test_a_linked_worktree_has_runs_of_its_own(
    scene: Any, open_repo: Any, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(scene)
    scene.git("worktree", "add", "-q", "../linked", "side")
    monkeypatch.chdir(scene.path.parent / "linked")
    assert "no run has changed anything" in said(capsys, "undo", rc=2)
    linked = open_repo(scene.path.parent / "linked")
    linked.add({"a.py": BAD})
    assert main(["run"]) == 0
    said(capsys, "undo")
    assert (content(linked, "a.py"), content(scene, "a.py")) == ((BAD, BAD), (GOOD, GOOD))
