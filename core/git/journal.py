"""The journal of one transaction: what was, what shall be, and how far it got.

A journal is a directory `txn-<id>` in the state directory of the worktree, readable by its owner only:

    contents.tar    every content that matters (raw worktree bytes and blobs, before and after), named by SHA-256
    prepared.json   what is being written; renamed to done.json, aborted.json or undone.json, which is the state
    new/N, old/N    worktree files on their way in and out; `old/N` is a second name of the very file that was there
    kept/           what somebody saved at the very moment of the write, if it has no other place
    blobs/N         contents on their way into the object database
    index-N         private copies of the index files

It is no ref: `refs/litecode/*` would be pushed by `push --mirror`, and unstaged text may be secret.
"""

from __future__ import annotations

import json
import os
import struct
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path

from litecode.core.errors import StateError
from litecode.core.git.disk import Disk
from litecode.core.git.moves import Move
from litecode.core.git.records import Header, Record, digest, read_record, record_of, write_record
from litecode.core.git.repository import Repository

KEEP_JOURNALS = 20
KEEP_DAYS = 14  # as long as git keeps unreachable objects by default
_DAY = 86_400.0
_VERSION = 1
_PREFIX = "txn-"
_TAR = struct.Struct("100s8s8s8s12s12s8s1s100s8s247x")


class Phase(StrEnum):
    """How far a transaction got; OPEN means that it is being written or that its process died."""

    OPEN = "prepared"
    DONE = "done"
    ABORTED = "aborted"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal that is complete on disk."""

    repo: Repository
    place: Path
    header: Header
    records: tuple[Record, ...]

    @property
    def id(self) -> str:
        return self.place.name.removeprefix(_PREFIX)

    def phase(self) -> Phase:
        return _phase(self.place) or Phase.ABORTED

    def mark(self, disk: Disk, phase: Phase) -> None:
        """Move on to another phase, in one step that needs no space."""
        disk.rename(self.place / f"{self.phase()}.json", self.place / f"{phase}.json")
        disk.flush([self.place])

    def new_file(self, record: Record) -> str:
        """Where the new content of a worktree file waits."""
        return self._passing("new", record)

    def old_file(self, record: Record) -> str:
        """The second name of the file that was there."""
        return self._passing("old", record)

    def _passing(self, what: str, record: Record) -> str:
        if self.header.beside:
            folder = self.repo.name(record.path).rpartition("/")[0]
            return f"{folder}/.litecode-{self.id}-{record.number}.{what}"
        return f"{self.place}/{what}/{record.number}"

    def ticket(self, index: Path) -> Path:
        """A name beside an index file, which proves that its lock is ours."""
        return index.with_name(f"{index.name}.litecode-{self.id}")

    def work_index(self, number: int) -> Path:
        return self.place / f"index-{number}"

    def tidy(self, disk: Disk) -> None:
        """Remove what was only needed while writing; `old/` stays when there is something in it."""
        for number in range(len(self.header.indexes)):
            disk.remove(self.work_index(number))
            disk.remove(self.work_index(number).with_suffix(".lock"))
        disk.remove_tree(self.place / "blobs")
        for folder in ("old", "new"):  # the last one says that there is nothing left to tidy
            disk.remove_directory(self.place / folder)

    def keep(self, disk: Disk, file: str, content: bytes) -> None:
        """Move a file with a content that is found nowhere else to where nothing deletes it before its time."""
        place = self.place / "kept"
        if not place.is_dir():
            disk.make_directory(place, 0o700)
        kept = next(name for number in count() if not (name := place / f"{Path(file).name}.{number}").exists())
        try:
            disk.rename(file, kept)
        except OSError:  # it lies beside its target, on another file system
            disk.create_whole(kept, content, 0o600)
            disk.remove(file)

    def moves(self) -> tuple[Move, ...]:
        """The records with their contents, in the same order. Raises StateError when the journal is damaged."""
        contents: dict[str, bytes] = {}
        try:
            with tarfile.open(self.place / "contents.tar", "r:") as archive:
                for member in archive:
                    stream = archive.extractfile(member)
                    contents[member.name] = stream.read() if stream else b""
        except (OSError, tarfile.TarError) as error:
            raise _damaged(self.place) from error
        if any(digest(content) != name for name, content in contents.items()):
            raise _damaged(self.place)
        try:
            return tuple(record.move(contents) for record in self.records)
        except KeyError as error:
            raise _damaged(self.place) from error


def open_journal(repo: Repository, disk: Disk, moves: Sequence[Move], *, run: str, kind: str, beside: bool) -> Journal:
    """Write a journal, flushed to disk. Until its last step it is a directory without a phase, which means nothing."""
    place = _make_place(repo, disk, run)
    for folder in ("new", "old", "blobs"):
        disk.make_directory(place / folder, 0o700)
    indexes = tuple(str(index) for index in repo.indexes) if any(move.moves_index for move in moves) else ()
    header = Header(run, kind, time.time(), os.getpid(), indexes, beside)
    records = tuple(record_of(number, move) for number, move in enumerate(moves))
    contents = {
        name: content
        for move, record in zip(moves, records, strict=True)
        for name, content in (
            (record.blob_old, move.blob_old),
            (record.blob_new, move.blob_new),
            (record.file_old, move.file_old),
            (record.file_new, move.file_new),
        )
        if name is not None and content is not None
    }
    disk.create(place / "contents.tar", [b"".join(_archive(contents))])
    text = json.dumps(
        {"version": _VERSION, "header": asdict(header), "records": [write_record(record) for record in records]}
    )
    disk.create(place / "prepared.tmp", [text.encode("ascii")])
    disk.flush([place / "contents.tar", place / "prepared.tmp"])
    disk.rename(place / "prepared.tmp", place / f"{Phase.OPEN}.json")
    disk.flush([place, repo.state_dir, repo.state_dir.parent])
    return Journal(repo, place, header, records)


def _make_place(repo: Repository, disk: Disk, run: str) -> Path:
    if not repo.state_dir.is_dir():
        disk.make_directory(repo.state_dir, 0o700)
    for number in range(1, 10_000):
        place = repo.state_dir / f"{_PREFIX}{run}.{number}"
        if not place.exists():
            disk.make_directory(place, 0o700)
            return place
    raise StateError(f"the run {run} has too many transactions", "delete old ones: git litecode drop")


def _archive(contents: Mapping[str, bytes]) -> Iterator[bytes]:
    """A tar file; written by hand because the headers of tarfile take longer than the rest of the journal."""
    for name, content in contents.items():
        yield _tar_header(name, len(content))
        yield content
        yield b"\0" * (-len(content) % tarfile.BLOCKSIZE)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)


def _tar_header(name: str, size: int) -> bytes:
    """The block before a file: name, mode, owner, group, size, time, checksum, type, link, format."""
    zero = b"0000000"
    before = (name.encode("ascii"), b"0000600", zero, zero, b"%011o" % size, b"%011o" % 0)
    after = (b"0", b"", b"ustar\x0000")
    block = _TAR.pack(*before, b" " * 8, *after)
    return _TAR.pack(*before, b"%06o\0 " % sum(block), *after)


def journals(repo: Repository, *, phases: Iterable[Phase] = tuple(Phase)) -> list[Journal]:
    """The journals of this worktree in these phases, newest first. A damaged one is left out."""
    wanted = set(phases)
    found = []
    for place in _places(repo):
        phase = _phase(place)
        if phase in wanted:
            try:
                found.append(_load(repo, place, phase))
            except StateError:
                continue
    return sorted(found, key=lambda journal: (journal.header.created, journal.place.name), reverse=True)


def newest(repo: Repository, phase: Phase) -> Path | None:
    """The directory of the newest journal in a phase, without reading it."""
    found = [
        (file.stat().st_mtime, file.parent) for place in _places(repo) if (file := place / f"{phase}.json").exists()
    ]
    return max(found, default=(0.0, None))[1]


def load(repo: Repository, place: Path) -> Journal:
    """The journal in a directory. Raises StateError when there is none, or a damaged one."""
    return _load(repo, place, _phase(place) or Phase.ABORTED)


def has_unfinished(repo: Repository) -> bool:
    """Whether a transaction is being written, or was interrupted before it was tidied up."""
    return any(_phase(place) in (Phase.OPEN, None) or is_untidy(place) for place in _places(repo))


def open_journals(repo: Repository) -> tuple[str, ...]:
    """The ids of open journals, readable or not."""
    return tuple(sorted(place.name.removeprefix(_PREFIX) for place in _places(repo) if _phase(place) is Phase.OPEN))


def made(repo: Repository) -> frozenset[str]:
    """The ids of transactions that have changed something, also of one that has yet to be tidied up."""
    there = (Phase.DONE, Phase.OPEN)
    return frozenset(place.name.removeprefix(_PREFIX) for place in _places(repo) if _phase(place) in there)


def is_untidy(place: Path) -> bool:
    """Whether files of a journal may still be on their way."""
    return (place / "new").is_dir()


def remove_unborn(repo: Repository, disk: Disk) -> None:
    """Delete what never became a journal. Must be called under the lock of the state directory."""
    for place in _places(repo):
        if _phase(place) is None:
            disk.remove_tree(place)


def _places(repo: Repository) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(repo.state_dir) if entry.name.startswith(_PREFIX)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _phase(place: Path) -> Phase | None:
    return next((phase for phase in Phase if (place / f"{phase}.json").exists()), None)


def _load(repo: Repository, place: Path, phase: Phase) -> Journal:
    try:
        raw = json.loads((place / f"{phase}.json").read_bytes())
        if raw["version"] != _VERSION:
            raise _damaged(place)
        header = Header(**{**raw["header"], "indexes": tuple(raw["header"]["indexes"])})
        return Journal(repo, place, header, tuple(read_record(record) for record in raw["records"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(place) from error


def _damaged(place: Path) -> StateError:
    return StateError(f"the journal {place} is damaged", "delete it; what it would have undone stays as it is")


def prune(repo: Repository, disk: Disk, clock: Callable[[], float] = time.time) -> None:
    """Delete what is too old, or too much, and what never became a journal. Open journals stay whatever happens.

    Must be called under the lock of the state directory.
    """
    remove_unborn(repo, disk)
    closed = []
    for place in _places(repo):
        phase = _phase(place)
        if phase is not None and phase is not Phase.OPEN:
            closed.append(((place / f"{phase}.json").stat().st_mtime, place))
    closed.sort(reverse=True)
    for number, (created, place) in enumerate(closed):
        if number >= KEEP_JOURNALS or clock() - created > KEEP_DAYS * _DAY:
            disk.remove_tree(place)
