"""One writer at a time in the state directory of a worktree."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from litecode.core.errors import GitError, StateError

_PAUSE = 0.05


@contextmanager
def state_lock(state_dir: Path, *, wait: float) -> Iterator[bool]:
    """Hold the lock of the state directory, which must exist; gives False when another process still has it after
    `wait` seconds. The system drops it when the process dies, so whoever has it knows that an open journal is dead.
    """
    try:
        descriptor = os.open(state_dir / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateError(f"{state_dir} cannot be written: {error.strerror}", "check its permissions") from error
    try:
        yield _acquire(descriptor, time.monotonic() + wait)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EACCES}:
                raise GitError(
                    f"the file system of the git directory has no file locks: {error.strerror}",
                    "keep the repository on a local file system",
                ) from error
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE)
