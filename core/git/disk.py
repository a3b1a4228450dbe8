"""The calls that change files, each of them a step after which the process may die.

Everything that a transaction, a recovery or an undo writes goes through here, so that tests can stop the world after
any step and look at what is left.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

# Flushing files one after another takes over a second for a thousand; side by side the file system does many at once.
_FLUSHERS = 16
_FEW = 4  # not worth a thread
# A name as text where there are thousands: building a Path takes longer than most of the calls it is for.
Name = str | Path

_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


def _nothing(_step: str) -> None:
    pass


class Disk:
    """`after` is told the name of every step when it is done."""

    def __init__(self, after: Callable[[str], None] = _nothing) -> None:
        self.after = after

    def make_directory(self, place: Path, mode: int = 0o777) -> None:
        place.mkdir(mode)
        self.after("mkdir")

    def create(self, file: Name, pieces: Iterable[bytes], bits: int = 0o600) -> None:
        """Make a file that must not exist. It is not flushed yet."""
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            self.after("create")
            for piece in pieces:
                _write(descriptor, piece)
                self.after("write")
            if bits != 0o600:
                os.fchmod(descriptor, bits)
                self.after("chmod")
        finally:
            os.close(descriptor)

    def create_whole(self, file: Name, content: bytes, bits: int) -> None:
        """The same for a file whose name must promise that all of it is there."""
        part = part_of(file)
        try:
            self.create(part, [content], bits)
        except FileExistsError:  # left behind by a crash
            self.remove(part)
            self.create(part, [content], bits)
        self.rename(part, file)

    def overwrite(self, file: Path, content: bytes, bits: int, mtime_ns: int) -> None:
        """Fill a file that is ours with content, flushed, and give it permissions and a time."""
        descriptor = os.open(file, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _write(descriptor, content)
            self.after("write")
            os.fchmod(descriptor, bits)
            os.utime(descriptor, ns=(mtime_ns, mtime_ns))
            self.after("chmod")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def give_owner(self, file: Name, like: os.stat_result) -> None:
        """Keep the owner of a file that is replaced, for a root that works in the tree of somebody else."""
        if os.geteuid() == 0 and (like.st_uid, like.st_gid) != (0, 0):
            os.chown(file, like.st_uid, like.st_gid, follow_symlinks=False)

    def flush(self, places: Sequence[Name]) -> None:
        """Make files and directories survive a loss of power."""
        self.flushing(places)()

    def flushing(self, places: Sequence[Name]) -> Callable[[], None]:
        """Begin to flush many, which goes on beside other work. The answer waits until all of them are on disk, and
        raises OSError for one that could not be written.
        """
        if len(places) < _FEW:
            return partial(self._flushed, [partial(_flush, places)])
        threads = ThreadPoolExecutor(_FLUSHERS)
        begun = [threads.submit(_flush, places[start::_FLUSHERS]) for start in range(_FLUSHERS)]
        threads.shutdown(wait=False)
        return partial(self._flushed, [future.result for future in begun])

    def _flushed(self, waits: Iterable[Callable[[], None]]) -> None:
        for wait in waits:
            wait()
        self.after("flush")

    def link(self, old: Name, new: Name) -> None:
        """A second name for a file. Raises FileExistsError when the name is taken."""
        os.link(old, new, follow_symlinks=False)
        self.after("link")

    def rename(self, old: Name, new: Name) -> None:
        os.rename(old, new)  # noqa: PTH104  # names are text here
        self.after("rename")

    def exchange(self, one: Name, other: Name) -> bool:
        """Let two files trade names in one step; False where the system cannot do it, and nothing was done."""
        library = _c_library()
        if library is None:
            return False
        names = (os.fsencode(one), os.fsencode(other))
        if library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) != 0:
            return False
        self.after("exchange")
        return True

    def remove(self, file: Name) -> None:
        """Remove a file if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(file)  # noqa: PTH108  # names are text here
            self.after("remove")

    def remove_directory(self, place: Path) -> None:
        """Remove a directory if it is empty."""
        with suppress(OSError):
            place.rmdir()
            self.after("rmdir")

    def remove_tree(self, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self.after("rmtree")

    def called_git(self, what: str) -> None:
        """A git call has changed one of our files or added objects."""
        self.after(f"git {what}")


def part_of(file: Name) -> str:
    """The name of a file that is still being written."""
    return f"{file}.part"


def cannot_link(error: OSError) -> bool:
    """Whether a file cannot get that second name for a reason other than the name: another file system, or one that
    has no links.
    """
    return error.errno in {errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS}


def _write(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _flush(places: Iterable[Name]) -> None:
    for place in places:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@cache
def _c_library() -> CDLL | None:
    """The C library when it has renameat2 (Linux, glibc 2.28 or musl 1.2.4 and later)."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    return library if hasattr(library, "renameat2") else None
