"""Worktree bytes to canonical form and back, and three-way merges, without a trace in the repository.

Objects that git needs on the way go into a temporary object directory with the real one as its alternate: unstaged
text may be secret, and a dry run writes nothing.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from litecode.core.errors import GitError
from litecode.core.git.buffers import Pair, hunks
from litecode.core.git.moves import blob_id
from litecode.core.git.objects import Objects
from litecode.core.git.process import GitEnv, GitFailed, to_bytes
from litecode.core.git.repository import Repository
from litecode.core.git.storing import write_blobs

_RANGES = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Canonical(NamedTuple):
    """A worktree file in canonical form, and whether git converts it on the way back."""

    content: bytes
    converted: bool


class Converter:
    """For one plan; `same` are the paths that git does not convert at all. A context manager."""

    def __init__(self, repo: Repository, same: frozenset[str]) -> None:
        self._repo, self._same = repo, same
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._stored: set[str] = set()
        self._aside: Objects | None = None
        self.objects = Objects.of(repo)

    def __enter__(self) -> Converter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.objects.close()
        if self._aside is not None:
            self._aside.close()
        if self._folder is not None:
            self._folder.cleanup()

    def place(self) -> Path:
        """A directory for temporary files."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="litecode-")  # mode 0700
        return Path(self._folder.name)

    def aside(self, *, with_real: bool = True) -> GitEnv:
        """For calls with the temporary object directory. The real one is needed where git may read attributes from the
        index; a write that sees it would touch the time of an object that it has already.
        """
        objects = self.place() / "objects"
        objects.mkdir(exist_ok=True)
        real = str(self._repo.objects_dir).replace("\\", "\\\\").replace('"', '\\"')
        others = self._repo.git.variables.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
        return self._repo.git.at(
            self._repo.top,
            GIT_OBJECT_DIRECTORY=str(objects),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=":".join([f'"{real}"', *filter(None, [others])]) if with_real else "",
        )

    def store(self, contents: Iterable[bytes]) -> None:
        """Make contents known to git for `smudge`, all of them by one process."""
        new = {blob_id(content, self._repo.object_format): content for content in contents}
        new = {oid: content for oid, content in new.items() if oid not in self._stored}
        self._stored |= new.keys()
        write_blobs(self.aside(with_real=False), self._repo.object_format, new.values(), self.place())

    def converts(self, path: str) -> bool:
        return path not in self._same

    def smudge(self, content: bytes, path: str) -> bytes:
        """What a checkout writes for this content."""
        if path in self._same:
            return content
        self.store([content])
        if self._aside is None:
            self._aside = Objects(self.aside())
        return self._aside.smudged(blob_id(content, self._repo.object_format), path)

    def clean(self, raw: bytes, path: str, *, maybe: bytes) -> Canonical | None:
        """The canonical form of worktree bytes; None when no way leads back to exactly these bytes. `maybe` is a
        content that it is likely to be; then git need not store it to tell.
        """
        if path in self._same:
            return Canonical(raw, converted=False)
        git, argv = self.aside(), ("hash-object", b"--path=" + to_bytes(path), "--stdin")
        try:
            content, oid = maybe, git.read(*argv, stdin=raw).out.decode().strip()
            if oid != blob_id(maybe, self._repo.object_format):
                git.write(*argv, "-w", stdin=raw)
                content = git.read("cat-file", "blob", oid).out
        except GitFailed:  # core.safecrlf refuses some files
            return None
        if self.smudge(content, path) == raw:
            return Canonical(content, converted=True)
        # e.g. a file with LF where a checkout would write CRLF: it is canonical already, and stays so
        return Canonical(content, converted=False) if content == raw else None

    def restore(self, content: bytes, path: str, like: Canonical) -> bytes:
        """The worktree bytes of a content that was made from that canonical form, by the same way back."""
        return self.smudge(content, path) if like.converted else content

    def merge(self, current: bytes, base: bytes, other: bytes) -> bytes | None:
        """Three-way merge of canonical contents; None on a conflict, also between lines that only touch, and for
        binary contents.
        """
        names = []
        for name, content in (("current", current), ("base", base), ("other", other)):
            names.append(self.place() / name)
            names[-1].write_bytes(content)
        done = self._repo.git.read("merge-file", "-p", "-q", *names, ok=())
        if done.rc > 255 or done.rc < 0:
            raise GitError("git merge-file failed", "report this with the version of git")
        return done.out if done.rc == 0 else None

    def in_the_way(self, current: bytes, base: bytes, other: bytes) -> tuple[int, ...]:
        """The line numbers of `current` whose changes since `base` overlap or touch those of `other`."""
        mine, theirs = (
            [_places(found) for found in _RANGES.finditer(text)]
            for text in hunks(self._repo.git, [Pair(base, current), Pair(base, other)], context=0)
        )
        lines: set[int] = set()
        for start, end, first, last in mine:
            if any(start <= their_end and their_start <= end for their_start, their_end, _, _ in theirs):
                lines.update(range(first, last))
        return tuple(sorted(lines))


def _places(found: re.Match[bytes]) -> tuple[int, int, int, int]:
    """Of a hunk without context the gaps between lines where it begins and ends on the old side, and the range of
    line numbers on the new side (for removed lines, the one before which they were).
    """
    start, count, new, length = (1 if number is None else int(number) for number in found.groups())
    begin = start - 1 if count else start
    return begin, begin + count, new, new + max(length, 1)
