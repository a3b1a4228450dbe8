"""The table of words of the file index: for each word and segment, the numbers of blobs and how often they have it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_NUMBER = 5  # bytes of one posting: four of the number, one of the count
_MOST_ALIKE = 400


def pack(numbers: array[int], counts: bytearray) -> bytes:
    return numbers.tobytes() + bytes(counts)


def _unpack(data: bytes) -> tuple[array[int], bytes]:
    size = len(data) // _NUMBER
    numbers = array("I")
    numbers.frombytes(data[: 4 * size])
    return numbers, data[4 * size :]


def read_word(connection: sqlite3.Connection, word: str) -> Iterator[tuple[int, int]]:
    """Numbers and counts of a word."""
    for (data,) in connection.execute("SELECT data FROM postings WHERE word = ?", (word,)):
        yield from zip(*_unpack(data), strict=True)


def words_like(connection: sqlite3.Connection, start: str) -> list[str]:
    """The words that begin so, at most a few hundred."""
    rows = connection.execute(
        "SELECT DISTINCT word FROM postings WHERE word >= ? AND word < ? LIMIT ?",
        (start, start[:-1] + chr(ord(start[-1]) + 1), _MOST_ALIKE),
    )
    return [word for (word,) in rows]


def merge(connection: sqlite3.Connection, most: int) -> None:
    """Make one segment of all, when there are more than `most`. Runs in the transaction of the caller."""
    (segments,) = connection.execute("SELECT COUNT(DISTINCT segment) FROM postings").fetchone()
    if segments <= most:
        return
    rows = connection.execute("SELECT word, data FROM postings ORDER BY word, segment").fetchall()
    connection.execute("DELETE FROM postings")
    connection.executemany("INSERT INTO postings VALUES (?, 1, ?)", _joined(rows))


def _joined(rows: list[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    for word, group in groupby(rows, key=itemgetter(0)):
        numbers, counts = array("I"), bytearray()
        for _, data in group:
            some, how_often = _unpack(data)
            numbers.extend(some)
            counts += how_often
        yield word, pack(numbers, counts)
