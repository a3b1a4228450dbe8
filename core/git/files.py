"""Worktree files put in place, taken back and tidied up, without losing a save that somebody makes meanwhile.

A new content waits as `new/N`; the file that was there gets a second name `old/N`; then the two trade places. What
comes out is compared with what was expected, and goes back if it is something else. So at every moment each content
has a name: in the worktree, or in the journal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from litecode.core.git.disk import Disk, Name, cannot_link, part_of
from litecode.core.git.journal import Journal
from litecode.core.git.moves import Move, Overtaken
from litecode.core.git.repository import Repository
from litecode.core.git.worktree import behind_link, read_regular, read_there

EDITED = "it was edited during the run"
APPEARED = "a file of that name has appeared"
_NO_FILE = b"\0no regular file\0"


class NeedsBeside(Exception):
    """The journal and a worktree file are on different file systems; never leaves `core/git`."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One worktree file: what to do, where the new content waits, the second name of the old one, its own name."""

    move: Move
    new: str
    old: str
    target: str

    def passing(self) -> Iterator[str]:
        """Every name that a file on its way may have."""
        for file in (self.new, self.old):
            yield from (file, f"{file}.back", f"{file}.again")

    def saved(self) -> str | None:
        """A file on its way that holds what nobody else has: somebody saved it while it was being replaced."""
        known = (None, self.move.file_old, self.move.file_new)
        return next((file for file in self.passing() if content(file) not in known), None)


class Files:
    """The worktree side of one journal."""

    def __init__(self, repo: Repository, disk: Disk, journal: Journal, moves: tuple[Move, ...]) -> None:
        self._repo, self._disk, self._journal = repo, disk, journal
        self._items = [
            _Item(move, journal.new_file(record), journal.old_file(record), repo.name(move.path))
            for record, move in zip(journal.records, moves, strict=True)
            if move.moves_file
        ]

    def prepare(self) -> Callable[[], None]:
        """Write the new contents where they wait, and make the directories of new files. The answer must be called
        before anything is put in place: it waits until the contents are on disk.
        """
        waiting = []
        for item in self._items:
            move = item.move
            if move.file_old is None:
                self._make_directories(move)
            if move.file_new is not None:
                waiting.append(item.new)
                self._disk.create_whole(item.new, move.file_new, move.bits)
        return self._disk.flushing(waiting)

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
        for item in self._items:
            move = item.move
            if behind_link(self._repo, move.path):
                raise Overtaken(move.path, EDITED)
            if move.file_old is None:
                self._add(item)
            elif move.file_new is None:
                self._delete(item, move.file_old)
            else:
                self._replace(item, move.file_old)

    def _add(self, item: _Item) -> None:
        try:
            self._disk.link(item.new, item.target)
        except FileExistsError:
            raise Overtaken(item.move.path, APPEARED) from None
        except OSError as error:
            self._refuse_other_device(error)
            if os.path.lexists(item.target):
                raise Overtaken(item.move.path, APPEARED) from None
            self._disk.rename(item.new, item.target)

    def _give_second_name(self, item: _Item, expected: bytes) -> None:
        """So that the very file that was there, in which an editor may still write, stays at hand."""
        path = item.move.path
        try:
            self._disk.link(item.target, item.old)
        except FileNotFoundError:
            raise Overtaken(path, "it has vanished from the worktree") from None
        except OSError as error:
            self._refuse_other_device(error)
        if read_there(item.target) != expected:
            raise Overtaken(path, EDITED)

    def _replace(self, item: _Item, expected: bytes) -> None:
        self._give_second_name(item, expected)
        self._disk.give_owner(item.new, os.lstat(item.target))
        if not put(self._disk, item.new, item.target, expected):
            raise Overtaken(item.move.path, EDITED)
        if not _same(item.new, item.old) and content(item.old) not in (expected, None):
            raise Overtaken(item.move.path, EDITED)  # an editor still had the file open
        self._disk.remove(item.new)

    def _delete(self, item: _Item, expected: bytes) -> None:
        self._give_second_name(item, expected)
        self._disk.rename(item.target, item.new)
        if content(item.new) != expected:
            raise Overtaken(item.move.path, EDITED)
        self._remove_directories(item.move)

    def _refuse_other_device(self, error: OSError) -> None:
        if not cannot_link(error):
            raise error
        if not self._journal.header.beside:
            raise NeedsBeside from error

    def take_back(self) -> list[str]:
        """Give every file back what it held. Returns the paths that somebody has edited since: those stay."""
        left = []
        for item in reversed(self._items):
            if not self._take_back(item):
                left.append(item.move.path)
            self._remove_directories(item.move)
        return left

    def _take_back(self, item: _Item) -> bool:
        move, source = item.move, item.old
        current = read_regular(self._repo, move.path)
        if self._blocked(item, current):
            return False
        saved = item.saved()
        if current == move.file_old and not saved:
            return True
        if current != move.file_new:
            return False
        if saved:
            return self._return(saved, item)
        if not self._was_put(item):
            return True
        if move.file_old is None:
            self._disk.remove(item.target)
            return True
        if content(source) != move.file_old:
            source = f"{source}.back"
            self._disk.create_whole(source, move.file_old, move.bits)
        return self._return(source, item)

    def _was_put(self, item: _Item) -> bool:
        """Whether the new state of a file is our doing: somebody else, another run say, may have made it the same, and
        that is theirs to keep.
        """
        if item.move.file_new is None:
            return os.path.lexists(item.new)  # where the deleted file went
        other = item.new if item.move.file_old is None else item.old
        if os.path.lexists(other):
            return _same(other, item.target) == (item.move.file_old is None)
        return self._journal.header.beside  # where files have no second names, their content is all that tells

    def go_on(self) -> list[str]:
        """Finish what was begun, after the index has been swapped. Returns the paths that somebody has edited."""
        left = []
        for item in self._items:
            move = item.move
            current = read_regular(self._repo, move.path)
            saved = item.saved()
            if self._blocked(item, current):
                left.append(move.path)
            elif current == move.file_new:
                if saved:
                    self._return(saved, item)
                    left.append(move.path)
            elif current != move.file_old or not self._forward(item):
                left.append(move.path)
        return left

    def _blocked(self, item: _Item, current: bytes | None) -> bool:
        """Whether something stands there that is no file of ours."""
        return behind_link(self._repo, item.move.path) or (current is None and os.path.lexists(item.target))

    def _forward(self, item: _Item) -> bool:
        move, source = item.move, item.new
        if move.file_new is None:
            self._disk.remove(item.target)
            self._remove_directories(move)
            return True
        if content(source) != move.file_new:
            source = f"{source}.again"
            self._disk.create_whole(source, move.file_new, move.bits)
        if move.file_old is None:
            self._make_directories(move)
            self._disk.rename(source, item.target)
            return True
        return put(self._disk, source, item.target, move.file_old)

    def _return(self, source: str, item: _Item) -> bool:
        """Put a file back where the worktree has what we wrote, or nothing after we deleted it."""
        if item.move.file_new is not None:
            return put(self._disk, source, item.target, item.move.file_new)
        if os.path.lexists(item.target):
            return False
        self._make_directories(item.move)
        self._disk.rename(source, item.target)
        return True

    def finish(self) -> None:
        """Tidy up when every file has been put in place. The files that were there stay in the journal, because an
        editor may still have one of them open; beside their targets they would be in the way.
        """
        for item in self._items:
            if item.move.file_old is None or item.move.file_new is None:
                self._disk.remove(item.new)
        if self._journal.header.beside:
            self.tidy(keep_old=False)

    def tidy(self, *, keep_old: bool) -> list[str]:
        """Remove the files on their way; those with a content that is found nowhere else are kept in the journal, and
        the answer has their paths. With `keep_old` the files that were there stay: an editor may still have one open.
        """
        kept = []
        for item in self._items:
            move = item.move
            for file in item.passing():
                self._disk.remove(part_of(file))
                found = content(file)
                if found not in (None, move.file_old, move.file_new) and not _same(file, item.target):
                    self._journal.keep(self._disk, file, found or b"")
                    kept.append(move.path)
                elif file != item.old or not keep_old or self._journal.header.beside:
                    self._disk.remove(file)
        return kept


def content(file: Name) -> bytes | None:
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


def _same(file: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(file), os.lstat(other))
    except OSError:
        return False


def put(disk: Disk, source: str, target: str, expected: bytes) -> bool:
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
