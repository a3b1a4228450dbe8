"""Take a transaction back: what it changed goes, what was done since stays, or nothing happens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace

from litecode.core.errors import GitError, StateError
from litecode.core.git.attributes import unconverted
from litecode.core.git.convert import Converter
from litecode.core.git.disk import Disk
from litecode.core.git.journal import Journal, Phase, journals
from litecode.core.git.moves import Applied, Blob, Move, Outcome, Result, blob_id
from litecode.core.git.process import to_bytes
from litecode.core.git.rawdiff import REGULAR_MODES, Entry, entries, refuse_conflicts, twins
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import write, writing
from litecode.core.git.worktree import behind_link, permission_bits, read_regular


def undo(repo: Repository, name: str, *, paths: Collection[str] = (), disk: Disk | None = None) -> Applied:
    """Take back a transaction, or all of a run (newest first), or of one only some paths.

    What still is as it was written gets its old content; from what was changed since, the change is taken out by a
    reverse three-way merge. History is never rewritten: after a commit only index and worktree change. Raises
    GitError, with nothing changed, when one path conflicts, and StateError when there is nothing to undo.
    """
    with writing():
        done = journals(repo, phases=(Phase.DONE,))
        chosen = [journal for journal in done if journal.id == name]
        chosen = chosen or [j for j in done if j.header.run == name and j.header.kind == "apply"]
        if not chosen:
            raise _nothing_to_undo(repo, name)
        results: dict[str, Result] = {}
        txns = [_undo(repo, disk or Disk(), group, paths, results) for group in _groups(chosen)]
    return Applied(tuple(results.values()), next(filter(None, reversed(txns)), ""))


def _nothing_to_undo(repo: Repository, name: str) -> StateError:
    for journal in journals(repo, phases=(Phase.UNDONE, Phase.ABORTED)):
        if name in (journal.id, journal.header.run):
            what = "has been undone already" if journal.phase() is Phase.UNDONE else "was never completed"
            return StateError(f"{name} {what}", "`git litecode log` lists the runs")
    return StateError(f"there is no journal of {name}", "`git litecode log` lists the runs; journals are kept 14 days")


def _groups(chosen: Sequence[Journal]) -> list[tuple[tuple[Journal, ...], tuple[Move, ...]]]:
    """What is undone in one transaction, so that a conflict in one part leaves all as it was: the whole, from the
    newest back to the oldest, unless somebody changed a path between two of its parts. Then each is undone by itself.
    """
    every = [journal.moves() for journal in chosen]
    joined: dict[str, Move] = {}
    for moves in every:
        for move in moves:
            newer = joined.get(move.path)
            if newer is None:
                joined[move.path] = move
            elif (move.index_new, move.file_new) == (newer.index_old, newer.file_old):
                joined[move.path] = replace(
                    newer,
                    index_old=move.index_old,
                    blob_old=move.blob_old,
                    file_old=move.file_old,
                    bits=move.bits,
                    made=move.made,
                )
            else:
                return [((journal,), own) for journal, own in zip(chosen, every, strict=True)]
    return [(tuple(chosen), tuple(joined.values()))]


def _undo(
    repo: Repository,
    disk: Disk,
    group: tuple[tuple[Journal, ...], tuple[Move, ...]],
    paths: Collection[str],
    results: dict[str, Result],
) -> str:
    parts, every = group
    journal = parts[0]
    wanted = [move for move in every if not paths or move.path in paths]
    refused: dict[str, Result] = {}

    def plan() -> tuple[Move, ...]:
        if refused:  # overtaken while writing: an undo is whole or not at all
            raise _conflicts(journal, {path: result.reason for path, result in refused.items()})
        return _reverse_all(repo, journal, wanted)

    txn, moves = write(repo, plan, refused, run=journal.header.run, kind="undo", disk=disk)
    if len(wanted) == len(every):
        with suppress(OSError):  # another undo would find nothing to do and mark it then
            for part in parts:
                part.mark(disk, Phase.UNDONE)
    changed = {move.path for move in moves}
    for move in wanted:
        reason = "" if move.path in changed else "it was as before already"
        results[move.path] = Result(move.path, Outcome.APPLIED, reason)
    return txn


def _reverse_all(repo: Repository, journal: Journal, moves: list[Move]) -> tuple[Move, ...]:
    names = [move.path for move in moves]
    index = entries(repo, names)
    refuse_conflicts([path for path, entry in index.items() if entry.stage])
    conflicts, reverse = {}, []
    with Converter(repo, unconverted(repo, names)) as converter:
        for move in moves:
            try:
                found = _reverse(repo, converter, move, index.get(move.path))
            except _Conflict as conflict:
                conflicts[move.path] = str(conflict)
            else:
                if found.moves_index or found.moves_file:
                    reverse.append(found)
    if conflicts:
        blobs = {move.path: move.index_new.oid for move in moves if move.index_new is not None}
        gone = {path: blobs[path] for path in conflicts if path in blobs and path not in index}
        for path, twin in twins(repo, gone, names).items():
            conflicts[path] += f"; {twin} has the same content"
        raise _conflicts(journal, conflicts)
    return tuple(reverse)


_OTHER = "what is committed has other lines there (a later commit, or another branch)"


class _Conflict(Exception):
    """Why the change cannot be taken out of a path, in one clause."""


def _conflicts(journal: Journal, reasons: dict[str, str]) -> GitError:
    lines = "".join(f"\n    {path}: {reason}" for path, reason in sorted(reasons.items()))
    if set(reasons.values()) == {_OTHER}:
        return GitError(
            f"{journal.id} cannot be undone here:{lines}",
            f"`git litecode show {journal.header.run}` has what the run did; nothing of it was changed",
        )
    return GitError(
        f"{journal.id} cannot be undone, later edits are in the way:{lines}",
        f"put these edits aside, or name other paths: git litecode undo {journal.id} PATH; nothing of it was changed",
    )


def _reverse(repo: Repository, converter: Converter, move: Move, entry: Entry | None) -> Move:
    old, new, blob_old, blob_new = _reverse_index(repo, converter, move, entry)
    file_old, file_new = _reverse_file(repo, converter, move, entry)
    bits = permission_bits(repo, move.path) if file_old is not None else move.bits
    made = move.made if file_old is None or file_new is None else ()
    return Move(move.path, old, new, blob_old, blob_new, file_old, file_new, bits, made)


def _reverse_index(
    repo: Repository, converter: Converter, move: Move, entry: Entry | None
) -> tuple[Blob | None, Blob | None, bytes | None, bytes | None]:
    """The entry now and then, with their contents."""
    now = None if entry is None else Blob(entry.mode, entry.oid)
    if not move.moves_index or now == move.index_old:
        return now, now, None, None
    if entry is not None and entry.flag:
        raise _Conflict(f"it is {entry.flag} now")
    if now == move.index_new:
        return now, move.index_old, move.blob_new, move.blob_old
    if now is None or move.blob_old is None or move.blob_new is None:
        raise _Conflict("it was removed from the index" if now is None else "it was staged again")
    if now.mode not in REGULAR_MODES:
        raise _Conflict("it is no regular file any more")
    content = converter.objects.read(now.oid)
    merged = converter.merge(content, move.blob_new, move.blob_old)
    if merged is None:
        if _is_in_head(repo, move.path, now.oid):  # the commit was given up: nothing of the change is staged
            return now, now, None, None
        raise _Conflict("edits that were staged since touch the change")
    return now, Blob(now.mode, blob_id(merged, repo.object_format)), content, merged


def _is_in_head(repo: Repository, path: str, oid: str) -> bool:
    found = repo.git.read("rev-parse", "--quiet", "--verify", b"HEAD:" + to_bytes(path), ok=())
    return found.rc == 0 and found.out.decode().strip() == oid


def _reverse_file(
    repo: Repository, converter: Converter, move: Move, entry: Entry | None
) -> tuple[bytes | None, bytes | None]:
    """The worktree file now and then; twice the same when there is nothing to take back."""
    raw = read_regular(repo, move.path)
    if not move.moves_file or raw == move.file_old or behind_link(repo, move.path):
        return raw, raw
    if raw == move.file_new:
        return raw, move.file_old
    if raw is None:  # deleted since: there is nothing in it to take back
        return None, None
    if move.file_old is None or move.file_new is None:
        raise _Conflict("it was edited since")
    likely = move.blob_new or b""
    current, base, other = (
        converter.clean(content, move.path, maybe=likely) for content in (raw, move.file_new, move.file_old)
    )
    if current is None or base is None or other is None:
        raise _Conflict("its edits would not survive the conversion of line endings or filters")
    merged = converter.merge(current.content, base.content, other.content)
    if merged is None:
        committed = entry is not None and _is_in_head(repo, move.path, entry.oid)
        if committed and entry is not None and converter.is_form_of(converter.objects.read(entry.oid), raw, move.path):
            raise _Conflict(_OTHER)
        raise _Conflict("edits made since touch the change")
    return raw, converter.restore(merged, move.path, current)


def undoable(repo: Repository) -> tuple[str, ...]:
    """The ids of transactions that can be undone, newest first."""
    return tuple(journal.id for journal in journals(repo, phases=(Phase.DONE,)) if journal.header.kind == "apply")
