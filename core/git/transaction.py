"""All changes of a run, written as one: every one of them is in index and worktree afterwards, or none is.

The order is what makes it safe. Everything is decided in memory; the journal is on disk before anything else is
written; worktree files go before the index, because until the index is renamed the old state can be had back exactly,
and a crash in between leaves a change that is merely unstaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from litecode.core.errors import GitError, StateError
from litecode.core.git.classify import decide
from litecode.core.git.disk import Disk
from litecode.core.git.files import Files, NeedsBeside
from litecode.core.git.journal import Journal, Phase, open_journal, prune
from litecode.core.git.moves import Applied, Move, Outcome, Overtaken, Result
from litecode.core.git.repository import Repository
from litecode.core.git.statelock import state_lock
from litecode.core.git.storing import restore_blobs, writing_blobs
from litecode.core.git.swap import IndexSwap, release
from litecode.core.values import Apply, Change

# How often a transaction starts again without a path that somebody is editing at this very moment.
_ATTEMPTS = 8
_STATE_WAIT = 30.0


def apply(
    repo: Repository,
    changes: Sequence[Change],
    mode: Apply,
    run_id: str,
    *,
    index_only: bool = False,
    disk: Disk | None = None,
) -> Applied:
    """Write changes; each one that cannot be applied is rejected with a reason, the others are written together.

    Each change starts from the blob `before` at mode `mode` in the index. A worktree file with unstaged edits gets
    the three-way merge of both, or the change is rejected, or with `index_only` only staged. With Apply.HOLD nothing
    is written, and the results tell what would happen now. Raises GitError or StateError when nothing at all could be
    done; then index and worktree are as they were. A hook must then fail the commit.
    """
    if len({change.path for change in changes}) != len(changes):
        raise ValueError("two changes of one path")
    if mode is Apply.HOLD:
        with writing():
            decided = decide(repo, changes, Apply.STAGE, index_only=index_only)
        held = {
            move.path: Result(move.path, Outcome.HELD, decided.remarks.get(move.path, "")) for move in decided.moves
        }
        return _in_order(changes, held | {result.path: result for result in decided.refused})
    results: dict[str, Result] = {}

    def plan() -> tuple[Move, ...]:
        pending = [change for change in changes if change.path not in results]
        decided = decide(repo, pending, mode, index_only=index_only)
        results.update({result.path: result for result in decided.refused})
        moves = tuple(move for move in decided.moves if move.moves_index or move.moves_file)
        done = {move.path for move in decided.moves} - {move.path for move in moves}
        results.update({path: Result(path, Outcome.APPLIED, "it was so already") for path in done})
        remarks.update(decided.remarks)
        return moves

    remarks: dict[str, str] = {}
    with writing():
        txn, moves = write(repo, plan, results, run=run_id, kind="apply", disk=disk or Disk())
    for move in moves:
        results[move.path] = Result(move.path, Outcome.APPLIED, remarks.get(move.path, ""))
    return _in_order(changes, results, txn)


def _in_order(changes: Sequence[Change], results: dict[str, Result], txn: str = "") -> Applied:
    return Applied(tuple(results[change.path] for change in changes), txn)


def write(
    repo: Repository,
    plan: Callable[[], tuple[Move, ...]],
    refused: dict[str, Result],
    *,
    run: str,
    kind: str,
    disk: Disk,
) -> tuple[str, tuple[Move, ...]]:
    """Write what `plan` decides, and decide again when somebody else got in between; the path that was overtaken goes
    into `refused`. Gives the id of the transaction and what it wrote.
    """
    repo.check_unchanged_parent()
    moves = plan()
    if not moves:  # leave no trace
        return "", ()
    if not repo.state_dir.is_dir():
        disk.make_directory(repo.state_dir, 0o700)
    with state_lock(repo.state_dir, wait=_STATE_WAIT) as held:
        if not held:
            raise StateError("another run is writing in this worktree", "wait for it to end and try again")
        beside = False
        for _ in range(_ATTEMPTS):
            try:
                journal = _attempt(repo, disk, moves, run=run, kind=kind, beside=beside)
            except Overtaken as found:
                refused[found.path] = Result(found.path, Outcome.REJECTED, found.reason)
                moves = plan()
                if not moves:
                    return "", ()
            except NeedsBeside:
                beside = True
            else:
                with suppress(OSError):
                    prune(repo, disk)
                return journal.id, moves
    raise GitError("files of this run keep changing while it writes", "stop what is writing them, then try again")


def _attempt(repo: Repository, disk: Disk, moves: tuple[Move, ...], *, run: str, kind: str, beside: bool) -> Journal:
    """One transaction, from the journal to the rename of the index; on any error everything is taken back."""
    journal = open_journal(repo, disk, moves, run=run, kind=kind, beside=beside)
    files = Files(repo, disk, journal, moves)
    swaps = [IndexSwap(repo, disk, journal, number) for number in range(len(journal.header.indexes))]
    try:
        stored = _storing(repo, disk, journal, moves)
        flushed = files.prepare()
        stored()
        disk.called_git("hash-object")
        flushed()
        repo.check_unchanged_parent()
        for swap in swaps:
            swap.take_lock()
        for swap in swaps:
            swap.edit(moves)
        files.put_all()
        for swap in swaps:
            swap.fill()
        repo.check_unchanged_parent()
        for swap in swaps:
            swap.commit()
        if not swaps:  # there is no index to tell that it is done
            journal.mark(disk, Phase.DONE)
    except BaseException as error:
        if not _is_made(journal, swaps):
            _take_back(disk, journal, files)
            raise
        if not isinstance(error, Exception):
            raise
    with suppress(OSError, GitError):  # the change is made; what is left to tidy, the next run's recovery does
        finish(repo, disk, journal, files, moves)
    return journal


def _is_made(journal: Journal, swaps: Sequence[IndexSwap]) -> bool:
    """Whether the commit point was passed, whatever error came at about the same time."""
    return all(swap.committed() for swap in swaps) if swaps else journal.phase() is Phase.DONE


def _storing(repo: Repository, disk: Disk, journal: Journal, moves: Sequence[Move]) -> Callable[[], None]:
    """Store the contents that the index shall name. The journal keeps them too, so they need no flush of their own."""
    return writing_blobs(repo.git, repo.object_format, staged_blobs(moves), journal.place / "blobs", disk.after)


def staged_blobs(moves: Sequence[Move]) -> dict[str, bytes]:
    """The blobs that the index names after these moves: id -> content."""
    return {
        move.index_new.oid: move.blob_new
        for move in moves
        if move.moves_index and move.index_new and move.blob_new is not None
    }


def finish(repo: Repository, disk: Disk, journal: Journal, files: Files, moves: Sequence[Move]) -> None:
    """After the commit point: mark the journal and tidy up."""
    release(disk, journal)
    restore_blobs(repo.git, repo.object_format, staged_blobs(moves), journal.place)
    if journal.phase() is not Phase.DONE:
        journal.mark(disk, Phase.DONE)
    files.finish()
    journal.tidy(disk)


def _take_back(disk: Disk, journal: Journal, files: Files) -> None:
    """Before the commit point: everything as it was. When even this fails, recovery does it in the next run."""
    with suppress(OSError):
        files.take_back()
        release(disk, journal)
        files.tidy(keep_old=False)
        journal.tidy(disk)
        journal.mark(disk, Phase.ABORTED)


@contextmanager
def writing() -> Iterator[None]:
    """Turns what the system refuses into an error for the person."""
    try:
        yield
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
        raise GitError(
            f"the changes could not be written: {what}", "make room or permit it, then try again; nothing was changed"
        ) from error
