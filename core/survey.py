"""Everything that is known of the files of a repository without a model: outlines, words, history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from litecode.core.git.history import COMMITS, Past, Renames, is_ancestor, past, small_blobs
from litecode.core.planning.shortlist import Corpus
from litecode.core.store.index import FileIndex
from litecode.core.store.reading import LARGEST

if TYPE_CHECKING:
    from litecode.core.filemap.outline import Outline
    from litecode.core.git.repository import Repository

_HISTORY = "history"


class Survey:
    """Of the files `files`, blob ids by path. Reading them takes as long as there are new blobs; use it as a context
    manager. Not thread-safe.
    """

    def __init__(self, repo: Repository, files: Mapping[str, str]) -> None:
        self._repo = repo
        self._files = dict(files)
        self._index = FileIndex(repo.common_dir / "litecode" / "index.db")
        self.read = self._index.update(self._files, self._contents)  # how many blobs were new
        self.renames = Renames(repo)
        self._past: tuple[tuple[str, tuple[str, ...]], ...] | None = None

    def __enter__(self) -> Survey:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._index.close()

    def _contents(self, oids: Sequence[str]) -> dict[str, bytes]:
        from litecode.core.git.objects import Objects

        with Objects.of(self._repo) as objects:
            return objects.read_many(small_blobs(self._repo.git, oids, LARGEST))

    def outlines(self, paths: Sequence[str] | None = None) -> dict[str, Outline]:
        """Of these paths, or of all."""
        return self._index.outlines(self._files if paths is None else paths)

    def defines(self, name: str) -> tuple[str, ...]:
        """The files that define a name, dotted or the last part of one."""
        return self._index.defines(name)

    def corpus(self, history: bool = True) -> Corpus:
        """For `shortlist` and `companions`; reads from the index while it is open."""
        return Corpus(
            tuple(self._files),
            self._index.content,
            self._index.symbols,
            self._index.alike,
            self._index.sizes,
            self.history() if history else (),
        )

    def history(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Subjects and paths of the last commits, newest first."""
        if self._past is None:
            head = self._repo.head()
            commits = self._commits(head) if head else ()
            self._past = tuple((commit.subject, commit.paths) for commit in commits)
        return self._past

    def _commits(self, head: str) -> Sequence[Past]:
        """From the index what it knows already, from git what is newer."""
        import msgspec

        kept = self._index.fact(_HISTORY)
        try:
            known_head, known = msgspec.msgpack.decode(kept, type=tuple[str, list[Past]]) if kept else ("", [])
        except msgspec.DecodeError:
            known_head, known = "", []
        if known_head == head:
            return known
        newer = bool(known_head) and is_ancestor(self._repo.git, known_head, head)
        commits = list(past(self._repo.git, since=known_head if newer else None, head=head))
        if newer:
            commits = [*commits, *known][:COMMITS]
        self._index.keep(_HISTORY, msgspec.msgpack.encode((head, commits), enc_hook=repr))
        return commits
