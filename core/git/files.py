"""Worktree files put in place, taken back and tidied up, without losing a save that somebody makes meanwhile.

A new content waits as `new/N`; the file that was there gets a second name `old/N`; then the two trade places. What
comes out is compared with what was expected, and goes back if it is something else. So at every moment each content
has a name: in the worktree, or in the journal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from litecode.core.git.disk import Disk, cannot_link, part_of
from litecode.core.git.journal import Journal
from litecode.core.git.moves import Move, Overtaken
from litecode.core.git.records import Record
from litecode.core.git.repository import Repository
from litecode.core.git.worktree import behind_link, read_regular

EDITED = "it was edited during the run"
_NO_FILE = b"\0no regular file\0"


class NeedsBeside(Exception):
    """The journal and a worktree file are on different file systems; never leaves `core/git`."""


class Files:
    """The worktree side of one journal."""

    def __init__(self, repo: Repository, disk: Disk, journal: Journal, moves: tuple[Move, ...]) -> None:
        self._repo, self._disk, self._journal = repo, disk, journal
        self._pairs = [pair for pair in zip(journal.records, moves, strict=True) if pair[1].moves_file]

    def prepare(self) -> None:
        """Write the new contents where they wait, flushed, and make the directories of new files."""
        waiting = []
        for record, move in self._pairs:
            if move.file_old is None:
                self._make_directories(move)
            if move.file_new is not None:
                waiting.append(self._journal.new_file(record))
                self._disk.create_whole(waiting[-1], move.file_new, move.bits)
        self._disk.flush(waiting)

    def _make_directories(self, move: Move) -> None:
        for directory in move.made:
            with suppress(FileExistsError):  # two new files may share one
                self._disk.make_directory(self._repo.file(directory))

    def _remove_directories(self, move: Move) -> None:
        for directory in reversed(move.made):
            self._disk.remove_directory(self._repo.file(directory))

    def put_all(self) -> None:
        """Put every file in place. Raises Overtaken at the first one that is not what it was, NeedsBeside when it
        cannot be done from here; then `take_back` undoes what was done.
        """
        for record, move in self._pairs:
            if behind_link(self._repo, move.path):
                raise Overtaken(move.path, EDITED)
            if move.file_old is None:
                self._add(record, move)
            else:
                self._replace(record, move, move.file_old)

    def _add(self, record: Record, move: Move) -> None:
        new, target = self._journal.new_file(record), self._repo.file(move.path)
        try:
            self._disk.link(new, target)
        except FileExistsError:
            raise Overtaken(move.path, "a file of that name has appeared") from None
        except OSError as error:
            self._refuse_other_device(error)
            if os.path.lexists(target):
                raise Overtaken(move.path, "a file of that name has appeared") from None
            self._disk.rename(new, target)

    def _replace(self, record: Record, move: Move, expected: bytes) -> None:
        old, target = self._journal.old_file(record), self._repo.file(move.path)
        try:
            self._disk.link(target, old)
        except FileNotFoundError:
            raise Overtaken(move.path, "it has vanished from the worktree") from None
        except OSError as error:
            self._refuse_other_device(error)
        if read_regular(self._repo, move.path) != expected:
            raise Overtaken(move.path, EDITED)
        if move.file_new is None:
            self._delete(record, move, expected)
            return
        new = self._journal.new_file(record)
        self._disk.give_owner(new, target.lstat())
        if not put(self._disk, new, target, expected):
            raise Overtaken(move.path, EDITED)
        if not _same(new, old) and content(old) not in (expected, None):
            raise Overtaken(move.path, EDITED)  # an editor still had the file open
        self._disk.remove(new)

    def _delete(self, record: Record, move: Move, expected: bytes) -> None:
        out, target = self._journal.new_file(record), self._repo.file(move.path)
        self._disk.rename(target, out)
        if content(out) != expected:
            raise Overtaken(move.path, EDITED)
        self._remove_directories(move)

    def _refuse_other_device(self, error: OSError) -> None:
        if not cannot_link(error):
            raise error
        if not self._journal.header.beside:
            raise NeedsBeside from error

    def take_back(self) -> list[str]:
        """Give every file back what it held. Returns the paths that somebody has edited since: those stay."""
        left = []
        for record, move in reversed(self._pairs):
            if not self._take_back(record, move):
                left.append(move.path)
            self._remove_directories(move)
        return left

    def _take_back(self, record: Record, move: Move) -> bool:
        target = self._repo.file(move.path)
        current = read_regular(self._repo, move.path)
        if self._blocked(move.path, current):
            return False
        saved = self._saved(record, move)
        if current == move.file_old and not saved:
            return True
        if current != move.file_new:
            return False
        if saved:
            return self._return(saved, target, move)
        if move.file_old is None:
            self._disk.remove(target)
            return True
        source = self._journal.old_file(record)
        if content(source) != move.file_old:
            source = source.with_name(f"{source.name}.back")
            self._disk.create_whole(source, move.file_old, move.bits)
        return self._return(source, target, move)

    def go_on(self) -> list[str]:
        """Finish what was begun, after the index has been swapped. Returns the paths that somebody has edited."""
        left = []
        for record, move in self._pairs:
            target = self._repo.file(move.path)
            current = read_regular(self._repo, move.path)
            saved = self._saved(record, move)
            if self._blocked(move.path, current):
                left.append(move.path)
            elif current == move.file_new:
                if saved:
                    self._return(saved, target, move)
                    left.append(move.path)
            elif current != move.file_old or not self._forward(record, move, target):
                left.append(move.path)
        return left

    def _blocked(self, path: str, current: bytes | None) -> bool:
        """Whether something stands there that is no file of ours."""
        return behind_link(self._repo, path) or (current is None and os.path.lexists(self._repo.file(path)))

    def _forward(self, record: Record, move: Move, target: Path) -> bool:
        if move.file_new is None:
            self._disk.remove(target)
            self._remove_directories(move)
            return True
        source = self._journal.new_file(record)
        if content(source) != move.file_new:
            source = source.with_name(f"{source.name}.again")
            self._disk.create_whole(source, move.file_new, move.bits)
        if move.file_old is None:
            self._make_directories(move)
            self._disk.rename(source, target)
            return True
        return put(self._disk, source, target, move.file_old)

    def _return(self, source: Path, target: Path, move: Move) -> bool:
        """Put a file back where the worktree has what we wrote, or nothing after we deleted it."""
        if move.file_new is not None:
            return put(self._disk, source, target, move.file_new)
        if os.path.lexists(target):
            return False
        self._make_directories(move)
        self._disk.rename(source, target)
        return True

    def _passing(self, record: Record) -> Iterator[Path]:
        for file in (self._journal.new_file(record), self._journal.old_file(record)):
            yield from (file, file.with_name(f"{file.name}.back"), file.with_name(f"{file.name}.again"))

    def _saved(self, record: Record, move: Move) -> Path | None:
        """A file on its way that holds what nobody else has: somebody saved it while it was being replaced."""
        known = (None, move.file_old, move.file_new)
        return next((file for file in self._passing(record) if content(file) not in known), None)

    def finish(self) -> None:
        """Tidy up when every file has been put in place. The files that were there stay in the journal, because an
        editor may still have one of them open; beside their targets they would be in the way.
        """
        for record, move in self._pairs:
            if move.file_old is None or move.file_new is None:
                self._disk.remove(self._journal.new_file(record))
        if self._journal.header.beside:
            self.tidy(keep_old=False)

    def tidy(self, *, keep_old: bool) -> list[str]:
        """Remove the files on their way; those with a content that is found nowhere else are kept in the journal, and
        the answer has their paths. With `keep_old` the files that were there stay: an editor may still have one open.
        """
        kept = []
        for record, move in self._pairs:
            target = self._repo.file(move.path)
            for file in self._passing(record):
                self._disk.remove(part_of(file))
                found = content(file)
                if found not in (None, move.file_old, move.file_new) and not _same(file, target):
                    self._journal.keep(self._disk, file, found or b"")
                    kept.append(move.path)
                elif file != self._journal.old_file(record) or not keep_old or self._journal.header.beside:
                    self._disk.remove(file)
        return kept


def content(file: Path) -> bytes | None:
    """What a file on its way holds, None when it is not there. What is no regular file equals no content."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return _NO_FILE
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return _NO_FILE
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()


def _same(file: Path, other: Path) -> bool:
    try:
        return os.path.samestat(file.lstat(), other.lstat())
    except OSError:
        return False


def put(disk: Disk, source: Path, target: Path, expected: bytes) -> bool:
    """Let `source` take the place of `target` if that holds `expected`. A content that came out instead goes back, and
    the answer is False. Afterwards `source` may be gone, or hold what came out.
    """
    if disk.exchange(source, target):
        if content(source) == expected:
            return True
        disk.exchange(source, target)
        return False
    if content(target) != expected:
        return False
    disk.rename(source, target)
    return True
