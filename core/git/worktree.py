"""Worktree files, read with care: only regular ones, and never through a symbolic link."""

from __future__ import annotations

import os
import stat
from pathlib import PurePosixPath

from litecode.core.git.repository import Repository


def behind_link(repo: Repository, path: str) -> bool:
    """Whether a directory on the way to the file is a symbolic link, or not a directory at all. Missing directories
    are neither.
    """
    place = repo.top
    for part in PurePosixPath(os.fsdecode(path.encode("utf-8", "surrogateescape"))).parts[:-1]:
        place = place / part
        try:
            mode = place.lstat().st_mode
        except FileNotFoundError:
            return False
        if not stat.S_ISDIR(mode):
            return True
    return False


def read_regular(repo: Repository, path: str) -> bytes | None:
    """The raw bytes of a worktree file; None when it is missing, not a regular file, or behind a symbolic link."""
    if behind_link(repo, path):
        return None
    file = repo.file(path)
    try:
        # O_NONBLOCK: opening a pipe must not wait for its writer
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if isinstance(error, PermissionError) and stat.S_ISREG(file.lstat().st_mode):
            raise  # it is there, and what it holds is unknown
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()
