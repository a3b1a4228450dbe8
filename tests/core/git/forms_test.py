"""Every form of commit, with git calling a hook that changes what is staged."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Fixer = Callable[..., None]

TWENTY = "".join(f"{number}\n" for number in range(1, 21))
BAD = TWENTY.replace("5\n", "5 BAD\n", 1)
GOOD = TWENTY.replace("5\n", "5 GOOD\n", 1)
EDITOR = {"GIT_EDITOR": "sed -i 1s/^/message/"}


@pytest.fixture
def scene(repo: Any, fixer: Fixer) -> Any:
    repo.add({"a": TWENTY, "b": TWENTY, "sub/c": TWENTY}, commit="base")
    fixer(repo)
    return repo


def assert_agree(repo: Any, path: str, content: str) -> None:
    """Commit, index and worktree hold the same."""
    assert repo.blob(path, "HEAD").decode() == content
    assert repo.blob(path).decode() == content
    assert repo.read(path).decode() == content


def assert_no_locks(repo: Any) -> None:
    assert [path.name for path in (repo / ".git").rglob("*.lock")] == []
    assert [path.name for path in (repo / ".git").rglob("*.litecode-*")] == []


@pytest.mark.parametrize("words", [("-m", "m"), ("-v",), ("--amend", "-m", "m")])
@pytest.mark.usefixtures("settings")
def test_plain_editor_verbose_and_amend(scene: Any, words: tuple[str, ...]) -> None:
    """A commit with an editor or `-v`."""
    scene.add({"a": BAD})
    scene.write("b", "unstaged\n")
    scene.git("commit", "-q", *words, env=EDITOR)
    assert_agree(scene, "a", GOOD)
    assert scene.status() == [" M b"]
    assert_no_locks(scene)


@pytest.mark.parametrize("words", [("-a",), ("-i", "a"), ("--amend", "-a")])
@pytest.mark.usefixtures("settings")
def test_all_and_include(scene: Any, words: tuple[str, ...]) -> None:
    """`git commit -a`, where the index is a lock file."""
    scene.write("a", BAD)
    scene.add({"new": "BAD\n"})
    scene.git("commit", "-q", "-m", "m", *words)
    assert_agree(scene, "a", GOOD)
    assert_agree(scene, "new", "GOOD\n")
    assert scene.status() == []
    assert_no_locks(scene)


@pytest.mark.usefixtures("settings")
def test_a_pathspec_commit_leaves_no_staged_revert(scene: Any) -> None:
    """`git commit -- PATH`, where there are two indexes."""
    scene.write("a", BAD)
    scene.add({"b": BAD})
    scene.git("commit", "-q", "-m", "m", "--", "a")
    assert_agree(scene, "a", GOOD)
    assert scene.blob("b").decode() == scene.read("b").decode() == BAD
    assert scene.blob("b", "HEAD").decode() == TWENTY
    assert scene.status() == ["M  b"]
    assert_no_locks(scene)


def test_with_other_content_staged_and_a_new_file(scene: Any) -> None:
    """`--only` takes the worktree content; what was staged of the same path before is replaced in both indexes."""
    scene.add({"a": "staged before\n"})
    scene.write("a", BAD)
    scene.write("new", "BAD\n")
    scene.git("add", "-N", "new")
    scene.git("commit", "-q", "-m", "m", "--only", "a", "new")
    assert_agree(scene, "a", GOOD)
    assert_agree(scene, "new", "GOOD\n")
    assert scene.status() == []


def test_interactive_patch_mode(scene: Any) -> None:
    scene.write("a", BAD.replace("15\n", "15 MINE\n"))
    scene.git("commit", "-q", "-p", "-m", "m", stdin=b"y\nn\n")
    assert scene.blob("a", "HEAD").decode() == scene.blob("a").decode() == GOOD
    assert scene.read("a").decode() == GOOD.replace("15\n", "15 MINE\n")
    assert_no_locks(scene)


def test_the_first_commit(repo: Any, fixer: Fixer) -> None:
    """The first commit, on an unborn branch."""
    fixer(repo)
    repo.add({"a": BAD})
    repo.git("commit", "-q", "-m", "first")
    assert_agree(repo, "a", GOOD)


def test_from_a_subdirectory(scene: Any) -> None:
    """A relative GIT_INDEX_FILE, and one that is missing."""
    scene.write("sub/c", BAD)
    scene.git("commit", "-q", "-m", "m", "c", cwd=scene / "sub")
    assert_agree(scene, "sub/c", GOOD)
    scene.write("sub/c", BAD)
    scene.git("add", "c", cwd=scene / "sub")
    scene.git("commit", "-q", "-m", "m", cwd=scene / "sub")
    assert_agree(scene, "sub/c", GOOD)
    assert scene.status() == []


@pytest.mark.parametrize("words", [(), ("-a",), ("--", "a")])
def test_linked_worktree(scene: Any, open_repo: Callable[[Path], Any], tmp_path: Path, words: Any) -> None:
    """Linked worktrees, submodules, `--git-dir` and `--work-tree`."""
    scene.git("worktree", "add", "-q", tmp_path / "linked")
    linked = open_repo(tmp_path / "linked")
    linked.write("a", BAD)
    if not words:
        linked.git("add", "a")
    linked.git("commit", "-q", "-m", "m", *words)
    assert_agree(linked, "a", GOOD)
    assert linked.status() == []
    assert scene.status() == []


@pytest.mark.parametrize("words", [(), ("-a",), ("--", "a")])
def test_submodule(make_repo: Any, open_repo: Any, fixer: Fixer, words: Any) -> None:
    """Linked worktrees, submodules, `--git-dir` and `--work-tree`."""
    inner, outer = make_repo("inner"), make_repo("outer")
    inner.add({"a": TWENTY}, commit="base")
    outer.git("submodule", "--quiet", "add", inner.path, "mod")
    mod = open_repo(outer / "mod")
    fixer(mod)
    mod.write("a", BAD)
    if not words:
        mod.git("add", "a")
    mod.git("commit", "-q", "-m", "m", *words)
    assert_agree(mod, "a", GOOD)
    assert mod.status() == []


@pytest.mark.parametrize("words", [(), ("-a",), ("--", "a")])
def test_git_dir_and_work_tree_given(scene: Any, words: Any) -> None:
    """Linked worktrees, submodules, `--git-dir` and `--work-tree`."""
    scene.write("a", BAD)
    where = (f"--git-dir={scene / '.git'}", f"--work-tree={scene.path}")
    if not words:
        scene.git(*where, "add", "a", cwd=scene.path)
    scene.git(*where, "commit", "-q", "-m", "m", *words, cwd=scene.path)
    assert_agree(scene, "a", GOOD)
    assert scene.status() == []


@pytest.mark.parametrize(
    ("words", "index"),
    [
        (("-m", "m"), GOOD),  # git keeps a plain index as the hook left it
        (("-a", "-m", "m"), TWENTY),  # and throws the others away
        (("-m", "m", "--", "a"), BAD),
    ],
)
def test_a_hook_that_fails_after_the_write(scene: Any, fixer: Fixer, words: tuple[str, ...], index: str) -> None:
    """A hook that fails after it has staged."""
    fixer(scene, after="sys.exit(1)")
    scene.write("a", BAD)
    if "-a" not in words:
        scene.git("add", "a")
    head = scene.rev("HEAD")
    scene.git("commit", "-q", *words, rc=1)
    assert scene.rev("HEAD") == head
    assert scene.blob("a").decode() == index
    assert scene.read("a").decode() == GOOD
    assert_no_locks(scene)


def test_a_change_back_to_head_makes_no_empty_commit(scene: Any, fixer: Fixer) -> None:
    """A change that turns what is staged back into HEAD."""
    fixer(scene, after="sys.exit(staged_tree_equals_head(repo))")
    scene.add({"a": GOOD}, commit="good")
    head = scene.rev("HEAD")
    scene.add({"a": BAD})
    scene.git("commit", "-q", "-m", "m", rc=1)
    assert scene.rev("HEAD") == head
    scene.add({"a": BAD + "more\n"})
    scene.git("commit", "-q", "-m", "m")
    assert_agree(scene, "a", GOOD + "more\n")


def test_only_what_differs_from_both_sides_of_a_merge(scene: Any) -> None:
    """A merge, where all of the other side counts as staged."""
    scene.git("checkout", "-q", "-b", "side")
    scene.add({"b": BAD, "both": "side BAD\n"}, commit="side")
    scene.git("checkout", "-q", "main")
    scene.add({"both": "main BAD\n"}, commit="main")
    scene.git("merge", "-q", "side", rc=1)
    scene.add({"both": "main and side BAD\n"})
    scene.git("commit", "-q", "--no-edit")
    assert_agree(scene, "both", "main and side GOOD\n")
    assert scene.blob("b", "HEAD").decode() == BAD
    assert len(scene.git("rev-list", "--parents", "-1", "HEAD").split()) == 3


def test_rebase_with_reword_and_nothing_staged(scene: Any) -> None:
    """Rebase, cherry-pick and revert."""
    scene.add({"a": BAD}, commit="one")
    scene.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "two")
    scene.git("rebase", "-q", "-i", "HEAD~2", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/reword/", **EDITOR})
    assert scene.blob("a", "HEAD~1").decode() == BAD
    assert scene.git("log", "--format=%s", "-2").decode().split() == ["messagetwo", "messageone"]


def test_unresolved_conflicts_stop_the_hook(scene: Any) -> None:
    """Unresolved conflicts in the index."""
    scene.git("checkout", "-q", "-b", "side")
    scene.add({"a": "side BAD\n"}, commit="side")
    scene.git("checkout", "-q", "main")
    scene.add({"a": "main BAD\n"}, commit="main")
    scene.git("merge", "-q", "side", rc=1)
    scene.git("hook", "run", "pre-commit", rc=2)
    assert scene.index()["a"][2] != 0


def test_what_is_staged_during_the_run_stays(scene: Any, fixer: Fixer) -> None:
    """`git add` of somebody else during the run."""
    fixer(scene, before="import subprocess; subprocess.run(['git', 'add', 'b'], check=True)")
    scene.add({"a": BAD})
    scene.write("b", "theirs\n")
    scene.git("commit", "-q", "-m", "m")
    assert_agree(scene, "a", GOOD)
    assert_agree(scene, "b", "theirs\n")


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("words", [("-a",), ("--", "a")])
def test_ctrl_c(scene: Any, fixer: Fixer, tmp_path: Path, words: tuple[str, ...], ignored: bool) -> None:
    """The hook lives on when git is interrupted. It must not make an index out of nothing, and where git goes on
    with the missing index (it was started with SIGINT ignored), there must be no commit of an empty tree.
    """
    sign, done = tmp_path / "sign", tmp_path / "done"
    before = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    before += f"Path({str(sign)!r}).touch(); time.sleep(0.5)"
    fixer(scene, before=before)
    hook = scene / ".git/hooks/pre-commit"
    hook.rename(scene / ".git/hooks/real")
    scene.hook("pre-commit", f'trap "" INT; .git/hooks/real; code=$?; touch {done}; exit $code')
    scene.write("a", BAD)
    head = scene.rev("HEAD")
    preface = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN if {} else signal.SIG_DFL); "
    program = preface.format(ignored) + "os.execvp('git', ['git', 'commit', '-q', '-m', 'm', *sys.argv[1:]])"
    git = subprocess.Popen(
        (sys.executable, "-c", program, *words), cwd=scene.path, start_new_session=True, stderr=subprocess.DEVNULL
    )
    wait_for(sign)
    os.killpg(git.pid, signal.SIGINT)
    assert git.wait() != 0
    wait_for(done)
    assert scene.rev("HEAD") == head
    assert_no_locks(scene)
    assert scene.blob("a").decode() == TWENTY
    assert scene.read("a").decode() == BAD
    assert scene.status() == [" M a"]


def wait_for(file: Path) -> None:
    for _ in range(600):
        if file.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{file} never appeared")


def test_random_kills_of_a_real_commit(scene: Any, open_repo: Any, tmp_path: Path) -> None:
    """The whole process group dies at a random moment; after the next run everything is old or new."""
    scene.add({"a": BAD, "sub/c": BAD})
    scene.write("sub/c", BAD + "mine\n")
    scene.write("b", "unstaged\n")
    kills = int(os.environ.get("TEST_KILLS", "12"))
    seen = set()
    for number in range(kills):
        place = tmp_path / f"copy{number}"
        shutil.copytree(scene.path, place)
        repo = open_repo(place)
        git = subprocess.Popen(
            ("git", "commit", "-q", "-m", "m"), cwd=place, start_new_session=True, stderr=subprocess.DEVNULL
        )
        time.sleep(0.45 * (number + 1) / kills)
        os.killpg(git.pid, signal.SIGKILL)
        git.wait()
        for lock in ("index.lock", "HEAD.lock", "refs/heads/main.lock"):
            # git's own, left behind by git's own death; ours has a second name
            if (repo / ".git" / lock).exists() and (repo / ".git" / lock).stat().st_nlink == 1:
                (repo / ".git" / lock).unlink()
        repo.git("hook", "run", "pre-commit")  # the next run
        assert repo.blob("a").decode() == repo.read("a").decode() == GOOD
        assert repo.read("sub/c").decode() == GOOD + "mine\n"
        assert repo.read("b") == b"unstaged\n"
        assert_no_locks(repo)
        seen.add(repo.git("rev-list", "--count", "HEAD"))
        shutil.rmtree(place)
    assert seen <= {b"1\n", b"2\n"}
