"""Outlines and words of blobs, kept by blob id, so that a file is parsed once for all branches and worktrees.

One sqlite file in the git directory that all worktrees share. The words are kept the other way round: for each word the
blobs that have it, in segments, one for each time that new blobs came; a request reads a few words and no file. It is a
cache: when it is damaged it is made anew, and where nothing can be written it lives in memory.
"""

from __future__ import annotations

import os
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from litecode.core.filemap.outline import Outline
from litecode.core.planning import words
from litecode.core.store.postings import merge, pack, read_word, words_like
from litecode.core.store.reading import Read, Row, Rows

if TYPE_CHECKING:
    import sqlite3

_VERSION = 2  # one more whenever outlines or words come out differently
_SCHEMA = (
    "DROP TABLE IF EXISTS blobs",
    "DROP TABLE IF EXISTS postings",
    "DROP TABLE IF EXISTS facts",
    "CREATE TABLE blobs (id INTEGER PRIMARY KEY, oid TEXT, name TEXT, content INTEGER, symbols INTEGER, outline BLOB,"
    " UNIQUE (oid, name))",
    "CREATE TABLE postings (word TEXT, segment INTEGER, data BLOB, PRIMARY KEY (word, segment)) WITHOUT ROWID",
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB)",
    f"PRAGMA user_version = {_VERSION}",
)
_AT_ONCE = 2000  # blobs of one segment
_SEGMENTS = 12  # more are merged
_STALE = 4  # how many times more blobs than needed are kept
_BUSY_SECONDS = 5.0
_MEMORY = ":memory:"


class FileIndex:
    """Not thread-safe; safe with several processes on one file. Close it, or use it as a context manager.

    Paths are those of the last `update`. Blobs are told apart by id and file name, because the name decides the
    language.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = self._open()
        self._ids: dict[str, int] = {}  # by path
        self._paths: dict[int, list[str]] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._words: dict[str, Mapping[str, int]] = {}

    def __enter__(self) -> FileIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def update(self, files: Mapping[str, str], read: Read) -> int:
        """Make the index that of `files`, blob ids by path; the number of blobs that had to be read by `read`,
        which may leave out what is no text.
        """
        import sqlite3

        try:
            return self._update(files, read)
        except sqlite3.Error:  # no space, locked for long, damaged
            self._connection.close()
            self._connection = self._connect(_MEMORY)
            return self._update(files, read)

    def _update(self, files: Mapping[str, str], read: Read) -> int:
        wanted = {(oid, path.rpartition("/")[2]) for path, oid in files.items()}
        known = self._known()
        if len(known) > _STALE * len(wanted) + _AT_ONCE:
            self._clear()
            known = {}
        missing = sorted(wanted - known.keys())
        with Rows(len(missing)) as rows:
            made = rows.make(missing, read)
            while some := list(islice(made, _AT_ONCE)):
                self._add(some)
        if missing:
            known = self._known()
        self._words.clear()
        self._ids, self._sizes = {}, {}
        by_id: defaultdict[int, list[str]] = defaultdict(list)
        for path, oid in files.items():
            number, content, symbols = known[oid, path.rpartition("/")[2]]
            self._ids[path] = number
            self._sizes[path] = (content, symbols)
            by_id[number].append(path)
        self._paths = dict(by_id)
        return len(missing)

    @property
    def sizes(self) -> Mapping[str, tuple[int, int]]:
        """Words of content and of symbols by path."""
        return self._sizes

    def outlines(self, paths: Iterable[str]) -> dict[str, Outline]:
        """The outlines of these paths; each must be in the index."""
        import msgspec

        wanted = list(paths)
        found: dict[str, Outline] = {}
        decoder = msgspec.json.Decoder(Outline)
        for start in range(0, len(wanted), 500):
            some = wanted[start : start + 500]
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(
                f"SELECT id, outline FROM blobs WHERE id IN ({marks})", [self._ids[path] for path in some]
            )
            by_id = {number: decoder.decode(data) for number, data in rows}
            found.update((path, by_id[self._ids[path]]) for path in some)
        return found

    def content(self, word: str) -> Mapping[str, int]:
        """The files whose text has a word (a stem of `planning.words`), and how often."""
        return self._holders(f"c{word}")

    def symbols(self, word: str) -> Mapping[str, int]:
        """The files with a symbol that has the word in its name."""
        return self._holders(f"s{word}")

    def alike(self, word: str) -> list[str]:
        """The words of the index that have the first four letters of a word."""
        return [found[1:] for found in words_like(self._connection, f"c{word[:4]}")]

    def defines(self, name: str) -> tuple[str, ...]:
        """The files that define a name: whole and dotted, or from some dot on. Sorted."""
        parts = [part for part in name.split(".") if part]
        if not parts:
            return ()
        holders: set[str] | None = None
        for word in {word for part in parts for word in words.of_names([part])}:
            having = set(self.symbols(word))
            holders = having if holders is None else holders & having
        dotted = f".{name}"
        return tuple(
            path
            for path, found in sorted(self.outlines(holders or self._unworded(parts)).items())
            if any(f".{symbol.name}".endswith(dotted) for symbol in found.symbols)
        )

    def fact(self, name: str) -> bytes | None:
        """A value that `keep` has put there."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def keep(self, name: str, value: bytes) -> None:
        import sqlite3

        try:
            with self._connection:
                self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
        except sqlite3.Error:
            pass  # it will be found out again

    def _unworded(self, parts: Sequence[str]) -> Iterable[str]:
        """Names of one letter are no words; such a symbol is looked for in all outlines, unless that is too much."""
        return self._ids if not words.of_names(parts) and len(self._ids) <= _AT_ONCE else ()

    def _holders(self, key: str) -> Mapping[str, int]:
        if key not in self._words:
            found: dict[str, int] = {}
            for number, times in read_word(self._connection, key):
                for path in self._paths.get(number, ()):
                    found[path] = times
            self._words[key] = found
        return self._words[key]

    def _known(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        rows = self._connection.execute("SELECT oid, name, id, content, symbols FROM blobs")
        return {(oid, name): (number, content, symbols) for oid, name, number, content, symbols in rows}

    def _add(self, rows: Sequence[Row]) -> None:
        """Another process may have added some of them meanwhile; those keep their numbers and words."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            numbers: dict[str, array[int]] = defaultdict(lambda: array("I"))
            counts: dict[str, bytearray] = defaultdict(bytearray)
            for row in rows:
                done = self._connection.execute(
                    "INSERT OR IGNORE INTO blobs (oid, name, content, symbols, outline) VALUES (?, ?, ?, ?, ?)",
                    (row.oid, row.name, sum(row.content.values()), sum(row.symbols.values()), row.outline),
                )
                if done.rowcount < 1 or done.lastrowid is None:
                    continue
                for field, found in (("c", row.content), ("s", row.symbols)):
                    for word, times in found.items():
                        numbers[field + word].append(done.lastrowid)
                        counts[field + word].append(min(times, 255))
            last = self._connection.execute("SELECT COALESCE(MAX(segment), 0) FROM postings").fetchone()[0]
            self._connection.executemany(
                "INSERT INTO postings VALUES (?, ?, ?)",
                ((word, last + 1, pack(numbers[word], counts[word])) for word in sorted(numbers)),
            )
            merge(self._connection, _SEGMENTS)

    def _clear(self) -> None:
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("DELETE FROM postings")
            self._connection.execute("DELETE FROM blobs")

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        for _attempt in range(2):
            try:
                return self._connect(str(self.path))
            except sqlite3.OperationalError:  # locked for long, read-only, no space
                break
            except sqlite3.DatabaseError:
                self.path.unlink(missing_ok=True)
            except OSError:
                break
        return self._connect(_MEMORY)

    def _connect(self, address: str) -> sqlite3.Connection:
        import sqlite3

        if address != _MEMORY:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(address, os.O_RDWR | os.O_CREAT, 0o600))  # sqlite would take its mode from the umask
        connection = sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            if _version(connection) != _VERSION:
                connection.execute("BEGIN IMMEDIATE")
                if _version(connection) != _VERSION:  # no other process was faster
                    for statement in _SCHEMA:
                        connection.execute(statement)
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
