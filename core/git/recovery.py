"""What a run does first: finish or take back what a dead one left behind, and tell what git has thrown away."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from litecode.core.errors import StateError
from litecode.core.git.disk import Disk
from litecode.core.git.files import Files, content
from litecode.core.git.journal import (
    Journal,
    Phase,
    has_unfinished,
    is_untidy,
    journals,
    load,
    newest,
    open_journals,
    remove_unborn,
)
from litecode.core.git.moves import Move
from litecode.core.git.process import to_bytes
from litecode.core.git.rawdiff import Entry, entries
from litecode.core.git.records import Record, digest
from litecode.core.git.repository import Repository
from litecode.core.git.statelock import state_lock
from litecode.core.git.storing import restore_blobs
from litecode.core.git.swap import release
from litecode.core.git.transaction import staged_blobs

_SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was done about interrupted transactions, as paths. `edited` are those that somebody has changed since:
    they stay as they are, and the journals `ids` have the contents. `unstaged` are paths whose change git dropped from
    the index, because the commit was given up; it is in the worktree only. `damaged` names unreadable journals.
    """

    forward: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    unstaged: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        return self == Recovery()


def recover(repo: Repository, *, disk: Disk | None = None) -> Recovery:
    """Bring interrupted transactions of this worktree to their new state where the index has been swapped, else to
    their old one. Writes nothing when there is none. A transaction that another process is writing is left alone.
    """
    try:
        return _recover_all(repo, disk or Disk())
    except OSError as error:
        raise StateError(
            f"an interrupted run could not be repaired: {error.filename}: {error.strerror}",
            f"make room or permit it, then try again; its journal is in {repo.state_dir}",
        ) from error


def _recover_all(repo: Repository, disk: Disk) -> Recovery:
    found = Recovery()
    if has_unfinished(repo):
        with state_lock(repo.state_dir, wait=0) as held:
            if held:
                remove_unborn(repo, disk)
                for journal in journals(repo):
                    if journal.phase() is Phase.OPEN:
                        found = _joined(found, _recover(repo, disk, journal))
                    elif is_untidy(journal.place):
                        _tidy(repo, disk, journal)
                found = replace(found, damaged=open_journals(repo))
    return replace(found, unstaged=_unstaged_again(repo, disk))


def _joined(one: Recovery, other: Recovery) -> Recovery:
    return Recovery(one.forward + other.forward, one.back + other.back, one.edited + other.edited, one.ids + other.ids)


def _recover(repo: Repository, disk: Disk, journal: Journal) -> Recovery:
    release(disk, journal)
    try:
        moves = journal.moves()
    except StateError:
        return Recovery(ids=(journal.id,))
    swapped = _swapped(repo, journal, moves)
    forward = [pair for pair in zip(journal.records, moves, strict=True) if pair[1].path in swapped]
    back = [pair for pair in zip(journal.records, moves, strict=True) if pair[1].path not in swapped]
    restore_blobs(repo.git, repo.object_format, staged_blobs([move for _, move in forward]), journal.place)
    edited = _files(repo, disk, journal, forward).go_on() + _files(repo, disk, journal, back).take_back()
    kept = _files(repo, disk, journal, forward).tidy(keep_old=True)
    kept += _files(repo, disk, journal, back).tidy(keep_old=False)
    journal.tidy(disk)
    journal.mark(disk, Phase.DONE if forward else Phase.ABORTED)
    paths = tuple(dict.fromkeys(edited + kept))
    return Recovery(_paths(forward, paths), _paths(back, paths), paths, (journal.id,))


def _tidy(repo: Repository, disk: Disk, journal: Journal) -> None:
    """The rest of a transaction that was complete when its process died."""
    with suppress(StateError):
        Files(repo, disk, journal, journal.moves()).tidy(keep_old=journal.phase() is Phase.DONE)
    release(disk, journal)
    journal.tidy(disk)


def _files(repo: Repository, disk: Disk, journal: Journal, pairs: list[tuple[Record, Move]]) -> Files:
    records = tuple(record for record, _ in pairs)
    return Files(repo, disk, replace(journal, records=records), tuple(move for _, move in pairs))


def _paths(pairs: list[tuple[Record, Move]], without: Collection[str]) -> tuple[str, ...]:
    return tuple(move.path for _, move in pairs if move.path not in without)


def _swapped(repo: Repository, journal: Journal, moves: Sequence[Move]) -> set[str]:
    """The paths whose change has reached an index, by the transaction or because somebody has staged, since then, the
    worktree file that it left behind.
    """
    found = set()
    wanted = {move.path: move for move in moves if move.moves_index}
    for index in {_real_index(repo, journal), repo.index}:
        if wanted and index.exists():
            there = entries(replace(repo, git=repo.git.with_index(index)), list(wanted))
            found |= {path for path, move in wanted.items() if _holds(repo, there.get(path), move)}
    return found


def _real_index(repo: Repository, journal: Journal) -> Path:
    """The index that tells whether the transaction was made. In `git commit -a` and with a pathspec the index was one
    of git's lock files, which became the real index or was thrown away.
    """
    index = Path(journal.header.indexes[0]) if journal.header.indexes else repo.index
    temporary = index.name.startswith("next-index-") or index.name == "index.lock"
    return repo.git_dir / "index" if temporary and index.parent == repo.git_dir else index


def _holds(repo: Repository, entry: Entry | None, move: Move) -> bool:
    if entry is None or move.index_new is None:
        return entry is None and move.index_new is None
    if entry[:2] == move.index_new:
        return True
    if move.file_new is None or entry[:2] == move.index_old or entry.stage:
        return False
    return _is_staged(repo, move.path, move.file_new, entry)


def _is_staged(repo: Repository, path: str, raw: bytes, entry: Entry) -> bool:
    """Whether that is what `git add` of these worktree bytes would have staged."""
    argv = ("hash-object", b"--path=" + to_bytes(path), "--stdin")
    return repo.git.read(*argv, stdin=raw, ok=()).out.decode().strip() == entry.oid


def _unstaged_again(repo: Repository, disk: Disk) -> tuple[str, ...]:
    """Paths of the last transaction that are neither staged nor committed but still in the worktree. Asked once for
    each transaction.
    """
    place = newest(repo, Phase.DONE)
    if place is None or (place / _SETTLED).exists():
        return ()
    try:
        last = load(repo, place)
    except StateError:
        return ()
    if last.header.kind != "apply":
        return ()
    moved = [record for record in last.records if record.index_old != record.index_new]
    index = entries(repo, [record.path for record in moved])
    lost = []
    for record in moved:
        entry = index.get(record.path)
        dropped = entry is None if record.index_old is None else entry is not None and entry[:2] != record.index_new
        raw = content(repo.file(record.path)) if dropped else None
        if raw is None or digest(raw) != record.file_new:
            continue
        if entry is None or not _is_staged(repo, record.path, raw, entry):  # else somebody has staged the whole file
            lost.append(record.path)
    disk.create(place / _SETTLED, [])
    return tuple(lost)
