"""Worktree files, read with care: only regular ones, and never through a symbolic link."""

from __future__ import annotations

import os
import stat

from litecode.core.git.repository import Repository


def behind_link(repo: Repository, path: str) -> bool:
    """Whether a directory on the way to the file is a symbolic link, or not a directory at all. Missing directories
    are neither.
    """
    top = len(str(repo.top))
    name = repo.name(path)
    slash = name.find("/", top + 1)
    while slash >= 0:
        try:
            if not stat.S_ISDIR(os.lstat(name[:slash]).st_mode):
                return True
        except FileNotFoundError:
            return False
        slash = name.find("/", slash + 1)
    return False


def read_regular(repo: Repository, path: str) -> bytes | None:
    """The raw bytes of a worktree file; None when it is missing, not a regular file, or behind a symbolic link."""
    return None if behind_link(repo, path) else read_there(repo.name(path))


def read_there(file: str) -> bytes | None:
    """The same for the full name of a file of which it is known that no directory on the way is a link."""
    try:
        # O_NONBLOCK: opening a pipe must not wait for its writer
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if isinstance(error, PermissionError) and stat.S_ISREG(os.lstat(file).st_mode):
            raise  # it is there, and what it holds is unknown
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()


def missing_directories(repo: Repository, path: str) -> tuple[str, ...]:
    """The directories that a new file needs and that are not there, outermost first."""
    parents = [path[:at] for at, letter in enumerate(path) if letter == "/"]
    return tuple(parent for parent in parents if not repo.file(parent).exists())


def permission_bits(repo: Repository, path: str) -> int:
    """Those of a worktree file, or of a new one when there is none."""
    try:
        return stat.S_IMODE(os.lstat(repo.name(path)).st_mode)
    except OSError:
        return new_file_bits(executable=False)


def new_file_bits(*, executable: bool) -> int:
    """The permission bits that git would give to a new file."""
    mask = os.umask(0o077)  # it can only be read by setting it
    os.umask(mask)
    return (0o777 if executable else 0o666) & ~mask
