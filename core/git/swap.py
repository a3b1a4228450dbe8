"""One index file replaced in one step, under its lock, after a check that nobody else has changed our entries."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from litecode.core.errors import GitError
from litecode.core.git.disk import Disk, cannot_link
from litecode.core.git.journal import Journal
from litecode.core.git.moves import Move, Overtaken
from litecode.core.git.process import batches, to_bytes
from litecode.core.git.rawdiff import entries
from litecode.core.git.repository import Repository, vanished

# `git status` of an editor holds the lock for some milliseconds, `git add` of a large tree for a second or two.
LOCK_WAIT = 5.0
_PAUSE = 0.02


class IndexSwap:
    """From taking the lock to the rename. `first` is the index that the commit is made of, in which every entry must
    still be what it was; in the second one, entries that are something else stay.
    """

    def __init__(self, repo: Repository, disk: Disk, journal: Journal, number: int) -> None:
        self._disk, self._journal = disk, journal
        self.index = Path(journal.header.indexes[number])
        self.lock = lock_of(self.index)
        self._first = number == 0
        self._named = repo.named_index
        self._work = journal.work_index(number)
        self._repo = replace(repo, git=repo.git.with_index(self._work))

    def take_lock(self) -> None:
        """Take `<index>.lock` as git does, and a second name for it by which it can be known as ours after a crash."""
        ticket = self._journal.ticket(self.index)
        self._disk.create(ticket, [])
        deadline = time.monotonic() + LOCK_WAIT
        while True:
            try:
                self._disk.link(ticket, self.lock)
                return
            except FileExistsError:
                if time.monotonic() >= deadline:
                    raise _busy(self.lock) from None
            except OSError as error:
                if not cannot_link(error):
                    raise
                self._take_lock_alone(ticket)
                return
            time.sleep(_PAUSE)

    def _take_lock_alone(self, ticket: Path) -> None:
        """Where the file system has no second names, the ticket holds the number of the lock file."""
        try:
            self._disk.create(self.lock, [])
        except FileExistsError:
            raise _busy(self.lock) from None
        self._disk.remove(ticket)
        self._disk.create(ticket, [_number(self.lock)])

    def edit(self, moves: Sequence[Move]) -> None:
        """Make the changes in a private copy. Raises Overtaken when an entry is not what it was."""
        self._copy()
        moves = [move for move in moves if move.moves_index]
        found = entries(self._repo, None if any(move.index_old is None for move in moves) else [m.path for m in moves])
        wanted = []
        for move in moves:
            entry = found.get(move.path)
            same = entry is None if move.index_old is None else entry is not None and entry[:2] == move.index_old
            if same and (entry is None or (entry.stage == 0 and not entry.flag)):
                wanted.append(move)
            elif self._first:
                raise Overtaken(move.path, "it was staged again during the run")
        self._update(wanted)

    def _copy(self) -> None:
        try:
            facts = self.index.stat()
        except FileNotFoundError:
            if self._named:
                raise vanished(self.index) from None
            return  # nothing has ever been staged here
        shutil.copyfile(self.index, self._work)
        self._disk.after("copy index")
        # Git takes an entry for doubtful when its file is as young as the index; a younger copy would hide that.
        os.utime(self._work, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        self._disk.after("time of index")

    def _update(self, moves: Sequence[Move]) -> None:
        lines = [
            f"{move.index_new.mode},{move.index_new.oid},".encode() + to_bytes(move.path)
            for move in moves
            if move.index_new is not None
        ]
        # --cacheinfo, because --index-info would replace a directory by a file, or a conflict by one of its sides
        add = ("--add",) if any(move.index_old is None for move in moves) else ()
        for batch in batches(lines):
            self._repo.git.write("update-index", *add, *(word for line in batch for word in ("--cacheinfo", line)))
            self._disk.called_git("update-index")
        gone = [to_bytes(move.path) for move in moves if move.index_new is None]
        for batch in batches(gone):
            self._repo.git.write("update-index", "--force-remove", "--", *batch)
            self._disk.called_git("update-index")

    def fill(self) -> None:
        """Bring the stat data up to date, which spares the next `git status` reading every file that was written, and
        copy the result into the lock.
        """
        self._repo.git.write("update-index", "-q", "--refresh", ok=(0, 1))  # 1: some file has unstaged edits
        self._disk.called_git("refresh")
        made = self._work.stat()
        try:
            bits = stat.S_IMODE(self.index.stat().st_mode)
        except FileNotFoundError:
            bits = stat.S_IMODE(made.st_mode)
        self._disk.overwrite(self.lock, self._work.read_bytes(), bits, made.st_mtime_ns)

    def commit(self) -> None:
        """The one step after which the change is made."""
        if self._named and not self.index.exists():
            raise vanished(self.index)
        self._disk.rename(self.lock, self.index)

    def committed(self) -> bool:
        """Whether that step was made; asked when an error, or Ctrl-C, came at about the same time."""
        return _is_ours(self._journal.ticket(self.index), self.index)


def lock_of(index: Path) -> Path:
    return index.with_name(f"{index.name}.lock")


def _busy(lock: Path) -> GitError:
    return GitError(
        f"{lock} exists: another git process is changing the index",
        "wait for it to end; if there is none, a crashed one has left the file behind: remove it",
    )


def release(disk: Disk, journal: Journal) -> None:
    """Remove the locks of a transaction, in this process or after a crash: only files that are ours."""
    for name in journal.header.indexes:
        index = Path(name)
        ticket, lock = journal.ticket(index), lock_of(index)
        if _is_ours(ticket, lock):
            disk.remove(lock)
        disk.remove(ticket)


def _is_ours(ticket: Path, file: Path) -> bool:
    try:
        return os.path.samestat(ticket.lstat(), file.lstat()) or ticket.read_bytes() == _number(file)
    except FileNotFoundError:
        return False


def _number(file: Path) -> bytes:
    facts = file.lstat()
    return f"inode {facts.st_dev}:{facts.st_ino}".encode()
