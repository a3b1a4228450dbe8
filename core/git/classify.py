"""The decision for each change: what becomes of index and worktree, or why it is refused. Writes nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litecode.core.git.attributes import attributes, reasons_of, unconverted_of
from litecode.core.git.convert import Converter
from litecode.core.git.moves import Blob, Move, Outcome, Result, blob_id
from litecode.core.git.rawdiff import REGULAR_MODES, Entry, entries, refuse_conflicts
from litecode.core.git.repository import Repository
from litecode.core.git.worktree import behind_link, missing_directories, new_file_bits, permission_bits, read_regular
from litecode.core.values import Apply, Change

ONLY_INDEX = "only the index was changed: the unstaged edit is in the way in the worktree"


_UNREADABLE = object()


class _Refused(Exception):
    """Why a change cannot be applied, in one clause."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What to write, with a remark for some of the paths, and what is refused."""

    moves: tuple[Move, ...]
    remarks: Mapping[str, str]
    refused: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class _Scene:
    """What a decision is made from. `files` has the worktree files as they were read: bytes, None or _UNREADABLE."""

    repo: Repository
    index: Mapping[str, Entry]
    excluded: Mapping[str, str]
    converter: Converter
    files: Mapping[str, bytes | object | None]
    before: Mapping[str, bytes]
    apply: Apply
    index_only: bool


def decide(repo: Repository, changes: Sequence[Change], apply: Apply, *, index_only: bool) -> Decided:
    """Decide about all changes from the index and the worktree as they are now. `index_only` stages a change whose
    worktree file is in the way, and leaves that file alone. Raises GitError while the index has conflicts.
    """
    # A name that the index has already has been judged by git.
    unfit = {c.path: reason for c in changes if c.before is None and (reason := _unfit(c.path))}
    paths = [change.path for change in changes if change.path not in unfit]
    # A new file may clash with any entry of the index, as a directory of one or a file in place of one.
    index = entries(repo, None if any(change.before is None for change in changes) else paths)
    refuse_conflicts([path for path, entry in index.items() if entry.stage])
    found = attributes(repo, paths, cached=False)
    excluded = reasons_of(repo, paths, found) | unfit
    moves, remarks, refused = [], {}, []
    with Converter(repo, unconverted_of(repo, found)) as converter:
        converter.store(change.after for change in changes if converter.converts(change.path))
        files = {change.path: _worktree_file(repo, change.path) for change in changes if change.before is not None}
        before = _before(converter, changes, files, repo.object_format)
        scene = _Scene(repo, index, excluded, converter, files, before, apply, index_only)
        for change in changes:
            try:
                move, remark = _create(scene, change) if change.before is None else _edit(scene, change)
            except _Refused as reason:
                refused.append(Result(change.path, Outcome.REJECTED, str(reason)))
            else:
                moves.append(move)
                if remark:
                    remarks[change.path] = remark
    return Decided(tuple(moves), remarks, tuple(refused))


def _worktree_file(repo: Repository, path: str) -> bytes | object | None:
    try:
        return read_regular(repo, path)
    except PermissionError:
        return _UNREADABLE


def _before(
    converter: Converter, changes: Sequence[Change], files: Mapping[str, object], object_format: str
) -> dict[str, bytes]:
    """The contents of the blobs that the changes start from, by id. Most worktree files are as they were staged, which
    a hash tells in less time than git takes to give them back.
    """
    known = {}
    for change in changes:
        content = files.get(change.path)
        if not isinstance(content, bytes) or change.before is None or converter.converts(change.path):
            continue
        if blob_id(content, object_format) == change.before:
            known[change.before] = content
    others = (change.before for change in changes if change.before is not None and change.before not in known)
    return known | converter.objects.read_many(others)


def _edit(scene: _Scene, change: Change) -> tuple[Move, str]:
    path, entry = change.path, scene.index.get(change.path)
    if entry is None:
        raise _Refused("it is not in the index any more")
    if reason := entry.flag or scene.excluded.get(path):
        raise _Refused(reason)
    if entry.mode not in REGULAR_MODES:
        raise _Refused("it is not a regular file")
    if (entry.mode, entry.oid) != (change.mode, change.before):
        raise _Refused("what is staged has changed since the run began")
    old = Blob(entry.mode, entry.oid)
    new = Blob(entry.mode, blob_id(change.after, scene.repo.object_format))
    if old == new:
        raise _Refused("the change is empty")
    converter = scene.converter
    before = scene.before[entry.oid]
    raw = scene.files[path]
    if not isinstance(raw, bytes | None):
        raise _Refused("the worktree file cannot be read")
    if raw is None and scene.apply is Apply.WORKTREE:
        raise _Refused("there is no regular file in the worktree")
    remark = ""
    try:
        if raw is None:
            written = None
        elif raw == (converter.objects.smudged(entry.oid, path) if converter.converts(path) else before):
            written = converter.smudge(change.after, path)
        else:
            written = _merged(converter, path, raw, before, change.after)
    except _Refused:
        if not scene.index_only or scene.apply is Apply.WORKTREE:
            raise
        written, remark = raw, ONLY_INDEX
    if scene.apply is Apply.WORKTREE:
        new = old
    return Move(path, old, new, before, change.after, raw, written, permission_bits(scene.repo, path)), remark


def _merged(converter: Converter, path: str, raw: bytes, before: bytes, after: bytes) -> bytes:
    """The new bytes of a worktree file with unstaged edits. The old ones again when the same change has been made
    there already.
    """
    current = converter.clean(raw, path, maybe=before)
    if current is None and converter.is_form_of(before, raw, path):
        return _carried(converter, path, raw, before, after)
    if current is None:
        raise _Refused("its unstaged edits would not survive the conversion of line endings or filters")
    merged = converter.merge(current.content, before, after)
    if merged is None:
        lines = converter.in_the_way(current.content, before, after)
        shown = ", ".join(map(str, lines[:5])) + (", ..." if len(lines) > 5 else "")
        raise _Refused(f"unstaged edits are in the way (worktree line {shown})" if lines else "unstaged edits conflict")
    return raw if merged == current.content else converter.restore(merged, path, current)


def _carried(converter: Converter, path: str, raw: bytes, before: bytes, after: bytes) -> bytes:
    made = converter.carried(raw, path, before, after)
    if made is None:
        raise _Refused("its line endings are mixed where it would change; remove the file and `git checkout` it anew")
    return made


def _create(scene: _Scene, change: Change) -> tuple[Move, str]:
    path = change.path
    if reason := scene.excluded.get(path):
        raise _Refused(reason)
    if path in scene.index:
        raise _Refused("there is a file of that name in the index")
    if any(other.startswith(path + "/") for other in scene.index):
        raise _Refused("there is a directory of that name")
    parents = [path[:at] for at, letter in enumerate(path) if letter == "/"]
    if any(parent in scene.index for parent in parents):
        raise _Refused("a directory of its path is a file or a submodule")
    if behind_link(scene.repo, path):
        raise _Refused("a directory of its path is a symbolic link or a file")
    try:
        scene.repo.file(path).lstat()
    except FileNotFoundError:
        pass
    else:
        raise _Refused("there is something of that name in the worktree")
    if change.mode not in REGULAR_MODES:
        raise _Refused(f"a new file cannot have mode {change.mode}")
    blob = Blob(change.mode, blob_id(change.after, scene.repo.object_format))
    content = scene.converter.smudge(change.after, path)
    bits = new_file_bits(executable=change.mode == "100755")
    target = None if scene.apply is Apply.WORKTREE else blob
    made = missing_directories(scene.repo, path)
    return Move(path, None, target, None, change.after, None, content, bits, made), ""


def _unfit(path: str) -> str:
    """Why a name must not be made, or an empty string. Git checks it too, but only when the file is in the index."""
    for part in path.split("/"):
        # Some file systems ignore case, trailing blanks and dots, and characters without a width.
        plain = "".join(letter for letter in part if unicodedata.category(letter) != "Cf").casefold().rstrip(". ")
        if part in {"", ".", ".."} or "\0" in part or "\\" in part:
            return "its name is not that of a file below the top"
        if plain == ".git" or plain.startswith((".git:", "git~")):
            return "its name belongs to git"
    return ""
