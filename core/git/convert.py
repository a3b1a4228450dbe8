"""Worktree bytes to canonical form and back, and three-way merges, without a trace in the repository.

Objects that git needs on the way go into a temporary object directory with the real one as its alternate: unstaged
text may be secret, and a dry run writes nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from litecode.core.errors import GitError
from litecode.core.git.buffers import Pair, hunks
from litecode.core.git.linewise import Span, carried, spans
from litecode.core.git.moves import blob_id
from litecode.core.git.objects import Objects
from litecode.core.git.process import GitEnv, GitFailed, to_bytes
from litecode.core.git.repository import Repository
from litecode.core.git.storing import write_blobs


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
        write_blobs(self.aside(with_real=False), self._repo.object_format, new, self.place())

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

    def is_form_of(self, content: bytes, raw: bytes, path: str) -> bool:
        """Whether git takes worktree bytes for this content, so that it sees no unstaged edit in them."""
        # The setting only makes git refuse what would not survive a round trip, which nothing here relies on.
        argv = ("-c", "core.safecrlf=false", "hash-object", b"--path=" + to_bytes(path), "--stdin")
        return self.aside().read(*argv, stdin=raw).out.decode().strip() == blob_id(content, self._repo.object_format)

    def carried(self, raw: bytes, path: str, before: bytes, after: bytes) -> bytes | None:
        """Worktree bytes that are a form of `before`, though not the one of a checkout, with the lines changed that
        `after` changes. None when that cannot be done so that git takes the result for `after`.
        """
        (changes,) = hunks(self._repo.git, [Pair(before, after)], context=0)
        made = carried(raw, before, after, spans(changes))
        return made if made is not None and self.is_form_of(after, made, path) else None

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
            list(spans(text)) for text in hunks(self._repo.git, [Pair(base, current), Pair(base, other)], context=0)
        )
        lines: set[int] = set()
        for place in mine:
            if any(place.start <= other.end and other.start <= place.end for other in theirs):
                lines.update(_numbers(place))
        return tuple(sorted(lines))


def _numbers(place: Span) -> range:
    """The line numbers of the new side; of removed lines that of the one before which they were."""
    return range(place.first + 1, place.last + 1) if place.last > place.first else range(place.first, place.first + 1)
