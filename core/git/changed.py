"""Which lines of a staged file the commit adds or changes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import reduce

from litecode.core.errors import GitError
from litecode.core.git.buffers import PLAIN_PATCH
from litecode.core.git.process import to_text
from litecode.core.git.repository import Repository
from litecode.core.values import StagedFile

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}

# Renames count as edits of the old file; the limit is said because diff.renameLimit may lower it.
_FLAGS = (*PLAIN_PATCH, "--unified=0", "--find-renames", "-l1000")

Lines = frozenset[int] | None


def changed_lines(
    repo: Repository, files: Collection[StagedFile], *, bases: tuple[str, ...] | None = None, tree: str | None = None
) -> dict[str, Lines]:
    """For each file the line numbers that are added or changed on the new side; None means all of them (a new file).

    The old side is each of `bases` (default: HEAD, or nothing on an unborn branch), the new side the index or `tree`.
    With several bases, as in a merge, only lines that differ from all of them count. A renamed file counts as an edit
    of the old one. Removed lines leave no number behind.
    """
    if not files:
        return {}
    if bases is None:
        bases = ("HEAD" if repo.head() is not None else repo.empty_tree,)
    sides = [_Side(_patch(repo, base, tree)) for base in bases]
    return {file.path: reduce(_both, (side.lines(file) for side in sides)) for file in files}


class _Side:
    """The numbers against one base, by path; contents that git does not compare by lines, by their id."""

    def __init__(self, patch: bytes) -> None:
        self._by_path: dict[str, Lines] = {}
        self._opaque: set[str] = set()
        for header, hunks in _sections(patch):
            path = _new_path(header)
            if path is not None:
                numbers = frozenset(number for start, count in hunks for number in range(start, start + count))
                self._by_path[path] = None if _starts(header, b"new file mode ") else numbers
            elif _starts(header, b"Binary files "):
                self._opaque.add(_starts(header, b"index ").split(b"..")[1].split(b" ")[0].decode())

    def lines(self, file: StagedFile) -> Lines:
        return None if file.oid in self._opaque else self._by_path.get(file.path, frozenset())


def _starts(header: list[bytes], start: bytes) -> bytes:
    """The first line that begins so, or nothing."""
    return next((line for line in header if line.startswith(start)), b"")


def _both(one: Lines, other: Lines) -> Lines:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _patch(repo: Repository, base: str, tree: str | None) -> bytes:
    command = ("diff-index", "--cached") if tree is None else ("diff-tree", "-r", "--no-commit-id")
    trees = (base,) if tree is None else (base, tree)
    return repo.git.read(*command, *_FLAGS, *trees, "--").out


def _sections(patch: bytes) -> Iterator[tuple[list[bytes], list[tuple[int, int]]]]:
    """For each file its header lines and (start, count) of each hunk on the new side. The lines of a hunk are counted
    off, so that no content can pass for a header.
    """
    header: list[bytes] = []
    hunks: list[tuple[int, int]] = []
    lines = iter(patch.split(b"\n"))
    for line in lines:
        if line.startswith(b"diff --git "):
            if header:
                yield header, hunks
            header, hunks = [line], []
        elif found := _HUNK.match(line):
            old, start, new = (1 if text is None else int(text) for text in found.groups())
            _skip_hunk(lines, old, new)
            hunks.append((start, new))
        elif line.startswith(b"@@"):
            raise GitError("git printed a hunk header that cannot be read", "report this with the output of `git diff`")
        else:
            header.append(line)
    if header:
        yield header, hunks


def _skip_hunk(lines: Iterator[bytes], old: int, new: int) -> None:
    for line in lines:
        if line.startswith(b"-"):
            old -= 1
        elif line.startswith(b"+"):
            new -= 1
        elif not line.startswith(b"\\"):  # the marker of a missing newline at the end of the old side
            break
        if old == new == 0:
            return  # a marker that follows is read as a header line and ignored
    raise GitError("git printed a hunk that does not fit its header", "report this with the output of `git diff`")


def _new_path(header: list[bytes]) -> str | None:
    """The path on the new side; None when the file has no lines to number (deleted, renamed as it is, mode only)."""
    line = _starts(header, b"+++ ")
    name = _unquoted(line.removeprefix(b"+++ ")) if line else b"/dev/null"
    return None if name == b"/dev/null" else to_text(name.removeprefix(b"b/"))


def _unquoted(name: bytes) -> bytes:
    name = name.removesuffix(b"\t")  # git ends a name with blanks in it by a tab
    if not (name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(lambda found: _character(found[1]), name[1:-1])


def _character(escape: bytes) -> bytes:
    if len(escape) == 3:
        return bytes((int(escape, 8),))
    return bytes((_LETTERS[escape],)) if escape in _LETTERS else escape
