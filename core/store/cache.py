"""Proven replies, so that the same content with the same rule makes no second model call.

One sqlite file in the git directory that all worktrees share. It is a cache: whatever goes wrong with it (damaged,
locked, read-only, disk full) costs a model call and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import sqlite3

LIMIT = 64 * 1024 * 1024  # bytes of values
BUSY_SECONDS = 2.0
# A value that was used within this time is not marked again, so that a run without calls writes nothing.
TOUCH_SECONDS = 3600.0
_VERSION = 1
_SCHEMA = (
    "DROP TABLE IF EXISTS replies",
    "CREATE TABLE replies (key TEXT PRIMARY KEY, used REAL NOT NULL, size INTEGER NOT NULL, value BLOB NOT NULL)",
    "CREATE INDEX replies_by_use ON replies (used, size)",  # sums and eviction read no value
    f"PRAGMA user_version = {_VERSION}",
)

T = TypeVar("T")


def cache_key(*parts: str | bytes) -> str:
    """SHA-256 over the length-prefixed parts: no two different lists of parts give the same text."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


class ReplyCache:
    """Thread-safe, and safe with several processes on one file. `notes` says in one sentence each what went wrong."""

    def __init__(self, path: Path, limit: int = LIMIT, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.limit = limit
        self.notes: list[str] = []
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._off = False

    def get(self, key: str) -> str | None:
        """The value, or None. Creates no file."""

        def read(connection: sqlite3.Connection) -> str | None:
            row = connection.execute("SELECT value, used FROM replies WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            if abs(self._clock() - row[1]) > TOUCH_SECONDS:
                connection.execute("UPDATE replies SET used = ? WHERE key = ?", (self._clock(), key))
            return bytes(row[0]).decode("utf-8", "surrogatepass")

        return self._use(read, create=False)

    def peek(self, key: str) -> str | None:
        """The value, or None. Writes nothing whatever, not even when it was used; a damaged file says nothing."""
        import sqlite3

        if self._off or not self.path.exists():
            return None
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(address, timeout=BUSY_SECONDS, uri=True)) as connection:
                row = connection.execute("SELECT value FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return None if row is None else bytes(row[0]).decode("utf-8", "surrogatepass")

    def put(self, key: str, value: str) -> None:
        """Keep a value, in place of the least recently used ones when there is no room."""
        data = value.encode("utf-8", "surrogatepass")
        if len(data) > self.limit:
            return

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO replies (key, used, size, value) VALUES (?, ?, ?, ?)",
                (key, self._clock(), len(data), data),
            )
            self._shrink(connection)

        self._use(write, create=True)

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _shrink(self, connection: sqlite3.Connection) -> None:
        total, count = connection.execute("SELECT SUM(size), COUNT(*) FROM replies").fetchone()
        if total <= self.limit:
            return
        excess = total - self.limit * 9 // 10
        victims: list[tuple[int]] = []
        for rowid, size in connection.execute("SELECT rowid, size FROM replies ORDER BY used, rowid"):
            if excess <= 0 or len(victims) == count - 1:  # what was just put stays, even when it nearly fills the room
                break
            victims.append((rowid,))
            excess -= size
        connection.executemany("DELETE FROM replies WHERE rowid = ?", victims)

    def _use(self, action: Callable[[sqlite3.Connection], T], *, create: bool) -> T | None:
        import sqlite3

        with self._lock:
            for _attempt in range(2):
                if self._off or (not create and self._connection is None and not self.path.exists()):
                    return None
                try:
                    if self._connection is None:
                        self._connection = self._connect()
                    with self._connection:
                        return action(self._connection)
                except (sqlite3.OperationalError, OSError) as error:
                    self._turn_off(error)
                except sqlite3.DatabaseError:
                    self._move_aside()
            return None

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # sqlite would take its mode from the umask
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            if self._version(connection) != _VERSION:
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    if self._version(connection) != _VERSION:  # no other process was faster
                        for statement in _SCHEMA:
                            connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _turn_off(self, error: Exception) -> None:
        self._off = True
        self._disconnect()
        self.notes.append(f"the reply cache {self.path} is not used: {error}")

    def _move_aside(self) -> None:
        self._disconnect()
        aside = self.path.with_name(self.path.name + ".damaged")
        try:
            self.path.replace(aside)
            self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
        except OSError as error:
            self._turn_off(error)
        else:
            self.notes.append(f"the reply cache was damaged and is made anew; the old file is {aside}")
