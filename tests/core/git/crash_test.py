"""Whatever happens in the middle of a write: afterwards everything is old or new, and nobody's edit is lost."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError, StateError
from litecode.core.git import disk as disk_module
from litecode.core.git.disk import Disk
from litecode.core.git.journal import Phase, has_unfinished, journals
from litecode.core.git.recovery import Recovery, recover
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.git.undo import undo
from litecode.core.git.worklist import work_list
from litecode.core.values import Apply, Change

TWENTY = "".join(f"{number}\n" for number in range(1, 21))
BAD = TWENTY.replace("5\n", "5 BAD\n", 1)
GOOD = TWENTY.replace("5\n", "5 GOOD\n", 1)
MINE = "15\n", "15 MINE\n"
PATHS = ("a", "dir/b", "d", "made/x")


@dataclass(frozen=True)
class State:
    """What counts: the entries of the index, and the files."""

    index: dict[str, tuple[str, str, int]]
    files: dict[str, bytes]


def state(repo: Any) -> State:
    files = {
        str(path.relative_to(repo.path)): path.read_bytes()
        for path in repo.path.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(repo.path).parts
    }
    return State(repo.index(), files)


def set_scene(repo: Any) -> None:
    """`a` staged, `dir/b` partly staged, `c` with unstaged edits only, `d` staged and deleted in the worktree."""
    repo.add({"a": TWENTY, "dir/b": TWENTY, "c": TWENTY, "d": TWENTY}, commit="base")
    repo.add({"a": BAD, "dir/b": BAD, "d": BAD})
    repo.write("dir/b", BAD.replace(*MINE))
    repo.write("c", "unstaged\n")
    (repo / "d").unlink()


class Scene:
    """Copies of one prepared repository, and the work that is interrupted in each of them."""

    def __init__(self, template: Any, place: Path, wrap: Callable[[Path], Any], form: str) -> None:
        self._template, self._place, self._wrap, self.form = template, place, wrap, form
        self.number = 0
        self._oid = template.oid("a")

    def copy(self) -> Any:
        self.number += 1
        place = self._place / str(self.number)
        shutil.copytree(self._template.path, place, symlinks=True)
        repo = self._wrap(place)
        if self.form == "undo":
            apply(self.open(repo), self.changes(), Apply.STAGE, "7f3a")
        elif self.form in ("all", "pathspec"):
            shutil.copy2(repo / ".git/index", repo / ".git/index.lock")
        if self.form == "pathspec":
            shutil.copy2(repo / ".git/index", repo / ".git/next-index-1.lock")
        return repo

    def open(self, repo: Any) -> Repository:
        name = {"all": "index.lock", "pathspec": "next-index-1.lock"}.get(self.form)
        variables = {"GIT_INDEX_FILE": str(repo / ".git" / name)} if name else {}
        return Repository.discover(repo.path, {**os.environ, **variables})

    def changes(self) -> list[Change]:
        found = [Change(path, "100644", self._oid, GOOD.encode()) for path in ("a", "dir/b", "d")]
        if self.form == "worktree":
            found = found[:2]
        return [*found, Change("made/x", "100644", None, b"new\n")]

    def work(self, repo: Any, disk: Disk) -> None:
        opened = self.open(repo)
        if self.form == "undo":
            undo(opened, "7f3a", disk=disk)
        else:
            mode = Apply.WORKTREE if self.form == "worktree" else Apply.STAGE
            apply(opened, self.changes(), mode, "7f3a", disk=disk)

    def git_gives_up(self, repo: Any) -> None:
        """What git does when its hook dies: it throws its lock files away."""
        if self.form in ("all", "pathspec"):
            for name in ("index.lock", "next-index-1.lock"):
                (repo / ".git" / name).unlink(missing_ok=True)

    def git_goes_on(self, repo: Any) -> None:
        """What git does when the commit is made: the lock file becomes the index."""
        if self.form in ("all", "pathspec"):
            (repo / ".git/index.lock").rename(repo / ".git/index")
            (repo / ".git/next-index-1.lock").unlink(missing_ok=True)

    def steps(self) -> list[str]:
        """The names of all steps of the work."""
        seen: list[str] = []
        self.work(self.copy(), Disk(seen.append))
        return seen

    def outcomes(self) -> tuple[State, State]:
        """The old and the new state."""
        before, after = self.copy(), self.copy()
        self.git_gives_up(before)
        self.work(after, Disk())
        self.git_goes_on(after)
        return state(before), state(after)


FORMS = ["plain", "all", "pathspec", "undo", "worktree"]


@pytest.fixture
def scene(request: pytest.FixtureRequest, make_repo: Any, open_repo: Any, tmp_path: Path) -> Scene:
    template = make_repo("template")
    set_scene(template)
    (tmp_path / "copies").mkdir()
    return Scene(template, tmp_path / "copies", open_repo, request.param)


@pytest.fixture(params=["exchange", "rename"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With and without a system call that lets two files trade names."""
    if request.param == "rename":
        monkeypatch.setattr(disk_module, "_c_library", lambda: None)
    return str(request.param)


def assert_clean(repo: Any) -> None:
    """No lock, no temporary file and no open journal."""
    left = [
        str(path.relative_to(repo.path))
        for path in repo.path.rglob("*")
        if path.name.endswith((".lock", ".tmp")) or ".litecode-" in path.name or path.name == "prepared.json"
    ]
    assert left == []
    assert not has_unfinished(Repository.discover(repo.path, os.environ))
    for journal in (repo / ".git/litecode").glob("txn-*"):
        assert {path.name for path in journal.iterdir()} <= {
            *("contents.tar", "done.json", "aborted.json", "undone.json", "old", "settled", "kept")
        }


def die_after(number: int) -> Disk:
    """Kills its process when that many steps have been made."""
    left = [number]

    def after(_step: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return Disk(after)


def start_child(work: Callable[[], object]) -> int:
    """Run something in a process of its own; returns its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks in a process that has threads
        child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def in_child(work: Callable[[], object]) -> int:
    """The same, and wait for it; returns the signal that ended it."""
    _, status = os.waitpid(start_child(work), 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def marked(steps: list[str]) -> int:
    """The number of the step that marks the journal as done."""
    return len(steps) - steps[::-1].index("rename")


@pytest.mark.parametrize(
    ("scene", "way"),
    [*((form, "exchange") for form in FORMS), ("plain", "rename"), ("undo", "rename")],
    indirect=True,
)
@pytest.mark.usefixtures("way")
def test_killed_after_every_step(scene: Scene) -> None:
    """SIGKILL while a hook works."""
    old, new = scene.outcomes()
    assert old != new
    seen = set()
    steps = scene.steps()
    made = marked(steps)
    for number, step in enumerate(steps, start=1):
        repo = scene.copy()
        assert in_child(lambda: scene.work(repo, die_after(number))) == signal.SIGKILL  # noqa: B023 - called at once
        scene.git_gives_up(repo)
        found = recover(Repository.discover(repo.path, os.environ))
        assert found.edited == found.damaged == (), step
        now = state(repo)
        if scene.form in ("all", "pathspec") and number >= made:
            # The work was done, and git threw its index away: nothing is lost, and the next run says so.
            assert now == State(old.index, new.files)
            assert set(found.unstaged) == {"a", "dir/b", "made/x"}
            continue
        assert now in (old, new), f"neither old nor new when killed after step {number}, {step}"
        if found.back:
            assert now == old
        assert now.files["c"] == b"unstaged\n"
        assert b"15 MINE\n" in now.files["dir/b"]
        assert_clean(repo)
        assert recover(Repository.discover(repo.path, os.environ)) == Recovery(), step
        assert state(repo) == now
        seen.add(now == new)
    assert seen == ({True, False} if scene.form in ("plain", "undo") else {False} if scene.form != "worktree" else seen)


@pytest.mark.parametrize("scene", ["plain"], indirect=True)
def test_killed_during_the_recovery(scene: Scene) -> None:
    """The recovery itself is interrupted at each of its steps; the next one completes it."""
    old, new = scene.outcomes()
    steps = scene.steps()
    for first in range(len(steps) // 2, len(steps), 9):
        number = 0
        while True:
            number += 1
            repo = scene.copy()
            in_child(lambda: scene.work(repo, die_after(first)))  # noqa: B023 - called at once
            died = in_child(lambda: recover(Repository.discover(repo.path, os.environ), disk=die_after(number)))  # noqa: B023
            recover(Repository.discover(repo.path, os.environ))
            assert state(repo) in (old, new), (steps[first - 1], number)
            assert_clean(repo)
            if not died:
                break


@pytest.mark.parametrize("scene", ["plain", "all", "undo", "worktree"], indirect=True)
@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_at_every_step_is_taken_back_at_once(scene: Scene, failure: BaseException) -> None:
    """Disk full, or Ctrl-C: without a recovery, everything is old, or new when the index has been swapped."""
    old, new = scene.outcomes()
    steps = scene.steps()
    made = marked(steps)
    for number, step in enumerate(steps, start=1):
        repo = scene.copy()
        left = [number]

        def after(_step: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise failure

        raised = False
        try:
            scene.work(repo, Disk(after))
        except (GitError, StateError, KeyboardInterrupt):
            raised = True
        if isinstance(failure, KeyboardInterrupt):
            recover(Repository.discover(repo.path, os.environ))  # it may come while the rest is tidied up
        scene.git_gives_up(repo) if raised else scene.git_goes_on(repo)
        now = state(repo)
        if raised and scene.form == "all" and number >= made:
            assert now == State(old.index, new.files)
            continue
        assert now in (old, new), f"neither old nor new when step {number}, {step}, failed"
        if isinstance(failure, OSError):
            assert (now == new) is not raised or scene.form == "undo", step
        recover(Repository.discover(repo.path, os.environ))
        assert state(repo) == now
        assert_clean(repo)


LATE = (BAD + "LATE SAVE\n").encode()


def save_in_place(file: Path, _held: int) -> None:
    file.write_bytes(LATE)


def save_by_rename(file: Path, _held: int) -> None:
    beside = file.with_name("editor~")
    beside.write_bytes(LATE)
    beside.rename(file)


def save_through_open_file(_file: Path, held: int) -> None:
    os.ftruncate(held, 0)
    os.pwrite(held, LATE, 0)


@pytest.mark.parametrize("save", [save_in_place, save_by_rename, save_through_open_file])
@pytest.mark.parametrize(
    ("scene", "way", "path"),
    [
        *(("plain", way, path) for way in ("exchange", "rename") for path in ("a", "dir/b")),
        ("undo", "exchange", "dir/b"),
    ],
    indirect=["scene", "way"],
)
@pytest.mark.usefixtures("way")
def test_a_late_save_is_never_lost(scene: Scene, save: Callable[[Path, int], None], path: str) -> None:
    """An editor saves the file after any step: its text is in the worktree, or at least in the journal."""
    steps = scene.steps()
    first = len(steps) - steps[::-1].index("git hash-object")  # before it, only the journal is written
    for number, step in enumerate(steps[first:], start=first + 1):
        repo = scene.copy()
        held = os.open(repo / path, os.O_RDWR)
        left = [number]

        def after(_step: str, left: list[int] = left, repo: Any = repo, held: int = held) -> None:
            left[0] -= 1
            if left[0] == 0:
                save(repo / path, held)

        try:
            scene.work(repo, Disk(after))
        except GitError:
            assert scene.form == "undo", step  # an undo is whole or not at all
        finally:
            os.close(held)
        in_worktree = (repo / path).read_bytes() == LATE
        kept = [file for file in (repo / ".git/litecode").glob("txn-*/*/*") if file.read_bytes() == LATE]
        if save is save_through_open_file:
            assert in_worktree or kept, (number, step)
        else:
            assert in_worktree, (number, step)
        assert not list(repo.path.rglob("*.lock"))
        assert not has_unfinished(Repository.discover(repo.path, os.environ))


@pytest.mark.parametrize("scene", ["plain"], indirect=True)  # in the other forms git holds the lock itself
@pytest.mark.parametrize("what", ["same", "other", "remove"])
def test_a_concurrent_git_add_is_respected(scene: Scene, what: str) -> None:
    """`git add` after any step, as far as the lock lets it: what it staged is staged afterwards."""
    steps = scene.steps()
    first = len(steps) - steps[::-1].index("git hash-object")
    for number, step in enumerate(steps[first:], start=first + 1):
        repo = scene.copy()
        repo.write("other", "other\n")
        left, done = [number], [False]

        def after(_step: str, left: list[int] = left, repo: Any = repo, done: list[bool] = done) -> None:
            left[0] -= 1
            if left[0] == 0:
                if what == "same":
                    repo.write("a", BAD + "theirs\n")
                words = {"same": ("add", "a"), "other": ("add", "other"), "remove": ("rm", "-q", "--cached", "d")}
                repo.git(*words[what], rc=None)
                index = repo.index()
                done[0] = {
                    "same": index["a"][1] == repo.git("hash-object", "a").decode().strip(),
                    "other": "other" in index,
                    "remove": "d" not in index,
                }[what]

        applied = apply(scene.open(repo), scene.changes(), Apply.STAGE, "7f3a", disk=Disk(after))
        index = repo.index()
        if what == "same":
            assert repo.read("a") == (BAD + "theirs\n").encode()
            if done[0]:
                assert repo.blob("a") == (BAD + "theirs\n").encode(), step
        elif done[0]:
            assert ("other" in index) if what == "other" else ("d" not in index), step
        if what == "other":
            assert applied.rejected == ()
            assert repo.blob("a").decode() == GOOD
        assert repo.blob("dir/b").decode() == GOOD
        assert_clean(repo)


@pytest.mark.parametrize("scene", ["plain"], indirect=True)
@pytest.mark.parametrize("killed", [False, True])
def test_gc_prunes_nothing_that_the_index_needs(scene: Scene, killed: bool) -> None:
    """`git gc --prune=now` after any step, also just before the process dies."""
    steps = scene.steps()
    first = len(steps) - steps[::-1].index("git hash-object")
    for number, step in enumerate(steps[first:], start=first):
        repo = scene.copy()
        left = [number]

        def after(_step: str, left: list[int] = left, repo: Any = repo) -> None:
            left[0] -= 1
            if left[0] == 0:
                repo.git("gc", "-q", "--prune=now", rc=None)
                if killed:
                    os.kill(os.getpid(), signal.SIGKILL)

        in_child(lambda: scene.work(repo, Disk(after)))  # noqa: B023 - called at once
        recover(Repository.discover(repo.path, os.environ))
        assert repo.git("fsck", "--no-dangling") == b"", step
        repo.git("write-tree")


def test_a_lock_of_somebody_else_is_waited_for_and_never_removed(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from litecode.core.git import swap

    set_scene(repo)
    monkeypatch.setattr(swap, "LOCK_WAIT", 0.1)
    lock = repo / ".git/index.lock"
    lock.write_bytes(b"")
    before = state(repo)
    opened = Repository.discover(repo.path, os.environ)
    change = Change("a", "100644", repo.oid("a"), GOOD.encode())
    with pytest.raises(GitError, match=r"index\.lock exists") as caught:
        apply(opened, [change], Apply.STAGE, "7f3a")
    assert "remove it" in caught.value.hint
    assert lock.exists()
    assert state(repo) == before
    recover(opened)
    assert lock.exists()
    monkeypatch.setattr(swap, "LOCK_WAIT", 5.0)
    calls = iter(range(5))

    def sleep(_seconds: float) -> None:
        if next(calls) == 3:
            lock.unlink()

    monkeypatch.setattr(swap.time, "sleep", sleep)
    apply(opened, [change], Apply.STAGE, "7f3a")
    assert repo.blob("a").decode() == GOOD


@pytest.fixture
def tiny_disk() -> Iterator[Path]:
    """A file system of 400 KB; needs the rights to mount one."""
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=400k none {name} 2>/dev/null") != 0:
            pytest.skip("cannot mount a small file system")
        yield Path(name)
        os.system(f"umount {name}")


@pytest.mark.parametrize("free", [0, 4, 8, 16, 24, 32, 48, 64, 96, 128])
def test_a_full_disk(tiny_disk: Path, open_repo: Any, free: int) -> None:
    """The real thing, with some kilobytes left: all or nothing, and what there was can still be read."""
    place = tiny_disk / "repo"
    place.mkdir()
    repo = open_repo(place)
    repo.git("init", "-q")
    repo.add({"a": TWENTY, "b": TWENTY}, commit="base")
    repo.add({"a": BAD, "b": BAD})
    repo.write("b", BAD + "mine\n")
    changes = [Change(path, "100644", repo.oid(path), ("x" * 9000 + GOOD).encode()) for path in ("a", "b")]
    before = state(repo)
    (tiny_disk / "filler").write_bytes(b"x" * (shutil.disk_usage(tiny_disk).free - free * 1024))
    hint = "none"
    try:
        apply(Repository.discover(place, os.environ), changes, Apply.STAGE, "7f3a")
    except (GitError, StateError) as error:
        hint = error.hint
    if hint == "none":
        assert repo.blob("a") == ("x" * 9000 + GOOD).encode()
        assert repo.read("b") == ("x" * 9000 + GOOD + "mine\n").encode()
        return
    assert hint
    assert free < 128
    assert state(repo) == before
    (tiny_disk / "filler").unlink()
    recover(Repository.discover(place, os.environ))
    assert state(repo) == before
    assert_clean(repo)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the rights to mount")
@pytest.mark.parametrize("what", ["git", "tree"])
def test_what_cannot_be_written(repo: Any, what: str) -> None:
    set_scene(repo)
    target = repo / ".git" if what == "git" else repo / "dir"
    if os.system(f"mount --bind {target} {target} && mount -o remount,bind,ro {target}") != 0:
        pytest.skip("cannot make a directory read-only for root")
    try:
        before = state(repo)
        changes = [Change(path, "100644", repo.oid(path), GOOD.encode()) for path in ("a", "dir/b")]
        with pytest.raises(GitError if what == "tree" else Exception) as caught:
            apply(Repository.discover(repo.path, os.environ), changes, Apply.STAGE, "7f3a")
        assert caught.value.hint
        assert state(repo) == before
    finally:
        os.system(f"umount {target}")
    recover(Repository.discover(repo.path, os.environ))
    assert state(repo) == before
    assert_clean(repo)


def test_a_live_transaction_is_left_alone(repo: Any) -> None:
    """Another run asks for recovery while this one writes: nothing of it is touched."""
    set_scene(repo)
    seen: list[Recovery] = []

    def after(_step: str) -> None:
        if has_unfinished(opened):
            seen.append(recover(Repository.discover(repo.path, os.environ)))

    opened = Repository.discover(repo.path, os.environ)
    apply(opened, [Change("a", "100644", repo.oid("a"), GOOD.encode())], Apply.STAGE, "7f3a", disk=Disk(after))
    assert len(seen) > 5
    assert set(seen) == {Recovery()}
    assert repo.blob("a").decode() == repo.read("a").decode() == GOOD


def test_an_edit_between_crash_and_recovery_stays(repo: Any) -> None:
    """Killed just before the index is swapped; then the user edits one of the files and starts a new run."""
    set_scene(repo)
    opened = Repository.discover(repo.path, os.environ)
    changes = [Change(path, "100644", repo.oid(path), GOOD.encode()) for path in ("a", "dir/b")]

    def after(step: str) -> None:
        if step == "git refresh":
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(lambda: apply(opened, changes, Apply.STAGE, "7f3a", disk=Disk(after))) == signal.SIGKILL
    assert repo.read("a").decode() == GOOD
    repo.write("a", GOOD + "edited after the crash\n")
    found = recover(opened)
    assert found == Recovery(back=("dir/b",), edited=("a",), ids=("7f3a.1",))
    assert repo.read("a").decode() == GOOD + "edited after the crash\n"
    assert repo.read("dir/b").decode() == BAD.replace(*MINE)
    assert repo.blob("a").decode() == repo.blob("dir/b").decode() == BAD
    assert_clean(repo)


@pytest.mark.parametrize("mine", ["", "15 MINE"])
def test_a_crash_followed_by_a_commit_of_what_it_left(repo: Any, mine: str) -> None:
    """Killed before the index was swapped; then the person commits all, with the fix that is in the worktree. The
    recovery, in the hook of that commit, must not take it out of the worktree again.
    """
    repo.add({"a": TWENTY}, commit="base")
    repo.add({"a": BAD})
    repo.write("a", BAD.replace("15\n", f"{mine}\n") if mine else BAD)
    opened = Repository.discover(repo.path, os.environ)

    def after(step: str) -> None:
        if step == "git refresh":
            os.kill(os.getpid(), signal.SIGKILL)

    changes = [Change("a", "100644", repo.oid("a"), GOOD.encode())]
    assert in_child(lambda: apply(opened, changes, Apply.STAGE, "7f3a", disk=Disk(after))) == signal.SIGKILL
    left = repo.read("a")
    assert left == (GOOD.replace("15\n", f"{mine}\n") if mine else GOOD).encode()
    (repo / ".git/index.lock").unlink()  # as git advises
    shutil.copy2(repo / ".git/index", repo / ".git/index.lock")
    environ = {"GIT_INDEX_FILE": str(repo / ".git/index.lock")}
    (repo / ".git/index.lock").rename(repo / ".git/next")
    repo.git("add", "a", env={"GIT_INDEX_FILE": str(repo / ".git/next")})
    (repo / ".git/next").rename(repo / ".git/index.lock")
    assert recover(Repository.discover(repo.path, {**os.environ, **environ})).edited == ()
    assert repo.read("a") == left
    assert not has_unfinished(opened)


def test_recovery_touches_only_what_its_journal_names(repo: Any) -> None:
    """Recovery beside edits that it has nothing to do with."""
    set_scene(repo)
    opened = Repository.discover(repo.path, os.environ)

    def after(step: str) -> None:
        if step == "git refresh":
            os.kill(os.getpid(), signal.SIGKILL)

    changes = [Change("a", "100644", repo.oid("a"), GOOD.encode())]
    assert in_child(lambda: apply(opened, changes, Apply.STAGE, "7f3a", disk=Disk(after))) == signal.SIGKILL
    repo.write("c", "edited later\n")
    repo.write("untracked", "mine\n")
    before = {path: facts for path, facts in repo.snapshot().items() if ".git" not in Path(path).parts[:1]}
    assert recover(opened) == Recovery(back=("a",), ids=("7f3a.1",))
    after_it = {path: facts for path, facts in repo.snapshot().items() if ".git" not in Path(path).parts[:1]}
    assert {path for path in before | after_it if before.get(path) != after_it.get(path)} == {"a"}
    assert repo.read("a").decode() == BAD


def test_reading_needs_no_lock(repo: Any) -> None:
    """A lock that an IDE holds now and then."""
    set_scene(repo)
    os.utime(repo / "a", (1, 1))  # git would like to refresh the index
    (repo / ".git/index.lock").write_bytes(b"")
    opened = Repository.discover(repo.path, os.environ)
    assert [file.path for file in work_list(opened).files] == ["a", "d", "dir/b"]
    changes = [Change("a", "100644", repo.oid("a"), GOOD.encode())]
    assert apply(opened, changes, Apply.HOLD, "7f3a").rejected == ()


def test_parallel_runs_lose_nothing(repo: Any) -> None:
    """Four processes stage different files at the same time: all of them are staged."""
    names = [f"f{number}" for number in range(40)]
    repo.add(dict.fromkeys(names, BAD))
    oid = repo.oid("f0")

    def work(part: int) -> None:
        changes = [Change(name, "100644", oid, GOOD.encode()) for name in names[part::4]]
        apply(Repository.discover(repo.path, os.environ), changes, Apply.STAGE, f"000{part}")

    children = [start_child(lambda: work(part)) for part in range(4)]  # noqa: B023 - called at once
    for child in children:
        os.waitpid(child, 0)
    assert {repo.blob(name).decode() for name in names} == {GOOD}
    assert {repo.read(name).decode() for name in names} == {GOOD}
    assert_clean(repo)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_of_a_file_is_kept(repo: Any) -> None:
    set_scene(repo)
    os.chown(repo / "a", 12345, 12346)
    opened = Repository.discover(repo.path, os.environ)
    apply(opened, [Change("a", "100644", repo.oid("a"), GOOD.encode())], Apply.STAGE, "7f3a")
    assert repo.read("a").decode() == GOOD
    assert ((repo / "a").stat().st_uid, (repo / "a").stat().st_gid) == (12345, 12346)


def test_an_index_that_vanishes_during_the_write_is_not_made_again(repo: Any) -> None:
    """Ctrl-C: git is gone, its index too, and the hook lives on."""
    set_scene(repo)
    lock = repo / ".git/index.lock"
    shutil.copy2(repo / ".git/index", lock)
    opened = Repository.discover(repo.path, {**os.environ, "GIT_INDEX_FILE": str(lock)})
    before = state(repo)

    def after(step: str) -> None:
        if step == "git refresh":
            lock.unlink()

    change = Change("a", "100644", repo.oid("a"), GOOD.encode())
    with pytest.raises(GitError, match="has vanished"):
        apply(opened, [change], Apply.STAGE, "7f3a", disk=Disk(after))
    assert not lock.exists()
    assert state(repo) == before
    assert_clean(repo)


def test_flushed_in_the_right_order(repo: Any, no_flush: list[str]) -> None:
    """The journal is on disk before a lock, a file or the index is written, and the index before the journal says
    that it is done.
    """
    set_scene(repo)
    order: list[str] = []

    def after(step: str) -> None:
        order.append(step)
        order.extend(f"flushed {Path(name).name}" for name in no_flush)
        no_flush.clear()

    opened = Repository.discover(repo.path, os.environ)
    apply(opened, [Change("a", "100644", repo.oid("a"), GOOD.encode())], Apply.STAGE, "7f3a", disk=Disk(after))
    journal = order.index("flushed txn-7f3a.1")
    assert {"flushed contents.tar", "flushed prepared.tmp"} <= set(order[:journal])
    assert "flushed .git" in order[journal:]
    assert order.index("flushed 0") < order.index("exchange")
    assert journal < order.index("git hash-object") < order.index("exchange")
    assert order.index("exchange") < order.index("flushed index.lock") < len(order) - 1 - order[::-1].index("rename")
    assert [journal.phase() for journal in journals(opened)] == [Phase.DONE]
