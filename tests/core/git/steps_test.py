"""The crash tests stop the world after every step that `Disk` reports. Here Python's own audit events are the judge of
whether these are all the steps there are: no two calls that change a file may come without a report in between.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError
from litecode.core.git.disk import Disk
from litecode.core.git.recovery import recover
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.git.undo import undo
from litecode.core.values import Apply, Change

TWENTY = "".join(f"{number}\n" for number in range(1, 21))
BAD, GOOD = TWENTY.replace("5\n", "5 BAD\n", 1), TWENTY.replace("5\n", "5 GOOD\n", 1)

# What the interpreter reports of calls that change files. Writes to a file that is open are not among them; `Disk`
# reports each of those, and the two events of `ctypes` stand for the exchange of two files.
EVENTS = {"os.rename", "os.link", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "os.chown", "os.symlink", "os.utime"}
# One `Disk` step makes several calls on purpose: what is between them cannot be told from before or after.
TOGETHER = {("os.chmod", "os.utime")}

_listening: list[tuple[str, str]] | None = None


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if _listening is None:
        return
    if event == "open":
        path, _, flags = args
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):
            _listening.append(("open", str(path)))
    elif event in EVENTS and _has_effect(event, args[0]):
        _listening.append((event, str(args[0])))


def _has_effect(event: str, place: Any) -> bool:
    """An event comes before its call. Removing what is not there, or a directory that is not empty, changes nothing."""
    if event == "os.remove":
        return os.path.lexists(place)
    return event != "os.rmdir" or (Path(place).is_dir() and not any(Path(place).iterdir()))


sys.addaudithook(_hear)  # cannot be removed again, hence the switch


@pytest.fixture
def heard() -> Iterator[list[tuple[str, str]]]:
    global _listening
    _listening = []
    yield _listening
    _listening = None


def of_ours(repo: Any, event: tuple[str, str]) -> bool:
    """Whether it is a file that must survive; those in temporary folders are not."""
    name, place = event
    if name == "step" or (name != "open" and place.isdecimal()):  # a call on a file that is open
        return True
    return str(repo.path) in place and not place.endswith("/litecode/lock")  # that one is held, not written


@pytest.mark.parametrize("kind", ["apply", "undo", "recover"])
def test_every_change_of_a_file_is_a_step(
    repo: Any, opened: Callable[..., Repository], heard: list[tuple[str, str]], kind: str
) -> None:
    repo.add({"a": TWENTY, "dir/b": TWENTY, "d": TWENTY}, commit="base")
    repo.add({"a": BAD, "dir/b": BAD, "d": BAD})
    repo.write("dir/b", BAD + "mine\n")
    here = opened(repo)
    changes = [Change(path, "100644", repo.oid(path), GOOD.encode()) for path in ("a", "dir/b", "d")]
    changes.append(Change("made/x", "100644", None, b"new\n"))
    disk = Disk(lambda step: heard.append(("step", step)))
    if kind == "recover":
        dies = Disk(lambda step: (_ for _ in ()).throw(SystemExit) if step == "git refresh" else None)
        child = os.fork()
        if child == 0:
            dies.after = lambda step: os._exit(9) if step == "git refresh" else None
            apply(here, changes, Apply.STAGE, "7f3a", disk=dies)
        os.waitpid(child, 0)
        heard.clear()
        recover(here, disk=disk)
    else:
        if kind == "undo":
            apply(here, changes, Apply.STAGE, "7f3a")
        heard.clear()
        apply(here, changes, Apply.STAGE, "7f3a", disk=disk) if kind == "apply" else undo(here, "7f3a", disk=disk)
    ours = [event for event in heard if of_ours(repo, event)]
    assert sum(event[0] == "step" for event in ours) > 10
    unseen = [
        (one, other)
        for one, other in pairwise(ours)
        if one[0] != "step" and other[0] != "step" and (one[0], other[0]) not in TOGETHER
    ]
    assert unseen == []


@pytest.mark.parametrize("files", [1, 30])
def test_nothing_is_put_in_place_before_it_is_on_disk(
    repo: Any, opened: Callable[..., Repository], monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    """The flush goes on beside other work, so here what the system was asked to flush is looked at."""
    paths = [f"f{number}" for number in range(files)]
    repo.add(dict.fromkeys(paths, BAD), commit="base")
    flushed: list[str] = []
    fsync = os.fsync

    def listening(descriptor: int) -> None:
        fsync(descriptor)
        flushed.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

    monkeypatch.setattr(os, "fsync", listening)
    at_exchange: list[int] = []

    def after(step: str) -> None:
        if step == "exchange":
            at_exchange.append(sum(Path(name).parent.name == "new" for name in flushed))

    changes = [Change(path, "100644", repo.oid(path), GOOD.encode()) for path in paths]
    apply(opened(repo), changes, Apply.STAGE, "7f3a", disk=Disk(after))
    assert at_exchange == [files] * files


@pytest.mark.parametrize("files", [1, 30])
def test_a_flush_that_fails_leaves_everything_as_it_was(
    repo: Any, opened: Callable[..., Repository], monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    paths = [f"f{number}" for number in range(files)]
    repo.add(dict.fromkeys(paths, BAD), commit="base")
    before = {path: (repo.oid(path), repo.read(path)) for path in paths}
    fsync = os.fsync

    def failing(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink().match("new/0"):
            raise OSError(errno.EIO, "Input/output error")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    changes = [Change(path, "100644", repo.oid(path), GOOD.encode()) for path in paths]
    with pytest.raises(GitError, match="could not be written: Input/output error"):
        apply(opened(repo), changes, Apply.STAGE, "7f3a")
    assert {path: (repo.oid(path), repo.read(path)) for path in paths} == before
    assert not (repo.path / ".git/index.lock").exists()
