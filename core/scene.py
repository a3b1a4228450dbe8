"""What a request works on: the files in its scope, read from blobs when they are needed, and what they define."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from litecode.core.errors import RequestError
from litecode.core.filemap.outline import Outline, language_of, outline
from litecode.core.git.repository import Repository
from litecode.core.patching.document import Document, Unreadable
from litecode.core.planning.corpus import corpus_of
from litecode.core.planning.mentions import Known
from litecode.core.planning.shortlist import Ranked, shortlist
from litecode.core.values import SkippedFile, StagedFile
from litecode.core.world import Options, World

if TYPE_CHECKING:
    from types import TracebackType

    from litecode.core.survey import Survey

CANDIDATES = 40  # files of many that a question looks into
LARGE = 300  # files from which on an index is kept; below that they are read anew in less time


@dataclass(slots=True)
class Scene:
    """`files` are those in scope, by path; `tracked` is everything in the index. Contents and outlines are read once,
    when they are first asked for. Not thread-safe.
    """

    repo: Repository
    files: dict[str, StagedFile]
    tracked: tuple[str, ...]
    links: frozenset[str] = frozenset()
    submodules: frozenset[str] = frozenset()
    skipped: tuple[SkippedFile, ...] = ()
    _data: dict[str, bytes] = field(default_factory=dict)
    _documents: dict[str, Document | None] = field(default_factory=dict)
    _outlines: dict[str, Outline] = field(default_factory=dict)
    _homes: dict[str, tuple[str, ...]] | None = None
    _survey: Survey | None = None

    def __enter__(self) -> Scene:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._forget()

    def _forget(self) -> None:
        """Close what is known of the files as they were."""
        if self._survey is not None:
            self._survey.__exit__(None, None, None)
        self._survey = self._homes = None

    @property
    def large(self) -> bool:
        """Whether there are so many files that an index pays."""
        return len(self.files) > LARGE

    def survey(self) -> Survey:
        """What the index knows of the files in scope."""
        if self._survey is None:
            from litecode.core.survey import Survey

            self._survey = Survey(self.repo, {path: file.oid for path, file in self.files.items()})
        return self._survey

    def widen(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Take in files of the index that are not in scope; gives those that were added. Raises RequestError for one
        that is left alone, with the reason.
        """
        from litecode.core.git.worklist import work_list

        missing = [path for path in paths if path not in self.files]
        if not missing:
            return ()
        found = work_list(self.repo, paths=missing, all_files=True)
        for skipped in (*self.skipped, *found.skipped):
            if skipped.path in missing:
                raise RequestError(f"{skipped.path} is left alone: {skipped.reason}", "leave it out of the request")
        self.files.update({file.path: file for file in found.files if file.path in missing})
        self._forget()
        return tuple(missing)

    def load(self, paths: Iterable[str]) -> None:
        """Read these files, all with one question."""
        from litecode.core.git.objects import Objects

        missing = [path for path in paths if path in self.files and path not in self._data]
        if not missing:
            return
        with Objects.of(self.repo) as objects:
            contents = objects.read_many(self.files[path].oid for path in missing)
        for path in missing:
            self._data[path] = contents[self.files[path].oid]

    def data(self, path: str) -> bytes:
        self.load([path])
        return self._data[path]

    def document(self, path: str) -> Document | None:
        """None for what is no text that can be edited."""
        if path not in self._documents:
            try:
                self._documents[path] = Document.decode(self.data(path))
            except Unreadable:
                self._documents[path] = None
        return self._documents[path]

    def documents(self, paths: Iterable[str]) -> dict[str, Document]:
        """Those of the files that are text."""
        wanted = [path for path in paths if path in self.files]
        self.load(wanted)
        found = {path: self.document(path) for path in wanted}
        return {path: document for path, document in found.items() if document is not None}

    def elsewhere(self, word: str) -> dict[str, Document]:
        """The text files of the index that have this word and are not in scope."""
        from litecode.core.git.objects import Objects
        from litecode.core.git.process import to_text
        from litecode.core.git.rawdiff import REGULAR_MODES, entries

        if len(self.files) == len(self.tracked):
            return {}
        found = self.repo.git.read("grep", "--cached", "-l", "-z", "-w", "-F", "-I", "-e", word, ok=(0, 1))
        names = [to_text(name) for name in found.out.split(b"\0")[:-1]]
        index = entries(self.repo, [name for name in names if name not in self.files])
        regular = {path: entry.oid for path, entry in index.items() if entry.mode in REGULAR_MODES}
        with Objects.of(self.repo) as objects:
            contents = objects.read_many(regular.values())
        texts = {}
        for path, oid in regular.items():
            with suppress(Unreadable):
                texts[path] = Document.decode(contents[oid])
        return texts

    def why_unreadable(self, path: str) -> str:
        try:
            Document.decode(self.data(path))
        except Unreadable as err:
            return str(err)
        return ""

    def outlines(self, paths: Sequence[str] | None = None) -> Mapping[str, Outline]:
        """Of these files, or of all in scope."""
        wanted = list(self.files) if paths is None else paths
        missing = [path for path in wanted if path not in self._outlines]
        if missing and self.large:
            self._outlines.update(self.survey().outlines(missing))
            return self._outlines
        documents = self.documents(missing)
        for path in missing:
            document = documents.get(path)
            self._outlines[path] = outline(document.text, path) if document else Outline(0, "", (), ())
        return self._outlines

    def grammar(self, path: str, text: str = "") -> str | None:
        """The name of the grammar of a file; of a new one by its name."""
        document = self.document(path) if path in self.files else None
        return language_of(path, document.text if document else text)[1]

    def defines(self, name: str) -> tuple[str, ...]:
        """The files in scope that define a name, dotted or the last part of one."""
        if self.large:
            return self.survey().defines(name)
        if self._homes is None:
            homes: dict[str, dict[str, None]] = {}
            for path, found in self.outlines().items():
                for symbol in found.symbols:
                    parts = symbol.name.split(".")
                    for start in range(len(parts)):
                        homes.setdefault(".".join(parts[start:]), {}).setdefault(path)
            self._homes = {name: tuple(paths) for name, paths in homes.items()}
        return self._homes.get(name, ())

    def ranked(self, request: str, limit: int, named: Sequence[str] = ()) -> tuple[Ranked, ...]:
        """The files that fit a request best, best first."""
        if self.large:
            return shortlist(request, self.survey().corpus(), limit, named)
        outlines = self.outlines()
        texts = {path: document.text for path, document in self.documents(outlines).items()}
        return shortlist(request, corpus_of(texts, outlines), limit, named)

    def candidates(self, request: str, named: Sequence[str]) -> Sequence[str]:
        """The files to look into for an answer."""
        return [r.path for r in self.ranked(request, CANDIDATES, named)] if self.large else tuple(self.files)

    def known(self, prefix: str = "") -> Known:
        """What a request can name; `prefix` is the folder in which the person stands."""
        from litecode.core.git.history import Renames

        renamed = Renames(self.repo)
        return Known(tuple(self.files), self.tracked, renamed, self.defines, self.links, self.submodules, prefix)


def read_scene(world: World, options: Options) -> Scene:
    """The staged files, or all with `all_files`; with paths only those below them."""
    from litecode.core.git.rawdiff import SUBMODULE_MODE, SYMLINK_MODE, entries
    from litecode.core.git.worklist import work_list

    work = work_list(
        world.repo,
        paths=options.paths,
        all_files=options.all_files,
        against=options.against,
        from_ref=options.from_ref,
        to_ref=options.to_ref,
    )
    index = entries(world.repo)
    return Scene(
        world.repo,
        {file.path: file for file in work.files},
        tuple(index),
        frozenset(path for path, entry in index.items() if entry.mode == SYMLINK_MODE),
        frozenset(path for path, entry in index.items() if entry.mode == SUBMODULE_MODE),
        work.skipped,
    )
