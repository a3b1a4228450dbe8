"""What the file index keeps of a blob, worked out in several processes when there are many blobs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from litecode.core.filemap.outline import Outline, outline
from litecode.core.planning import words

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

LARGEST = 400_000  # bytes of a blob that is read; larger ones are data or generated
MANY = 400  # fewer blobs are done sooner than other processes have started
_AT_ONCE = 200  # contents that are in memory at the same time
_MOST_PROCESSES = 8

Read = Callable[[Sequence[str]], Mapping[str, bytes]]


class Row(NamedTuple):
    oid: str
    name: str
    outline: Outline
    content: Mapping[str, int]
    symbols: Mapping[str, int]


def row_of(oid: str, name: str, data: bytes) -> Row:
    """What is not text, or is too large, has no words."""
    if b"\0" in data[:8000] or len(data) > LARGEST:
        text = ""
    else:
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    found = outline(text, name)
    symbols = words.of_names(symbol.name for symbol in found.symbols)
    return Row(oid, name, found, dict(words.of_text(text)), dict(symbols))


class Rows:
    """Makes rows of blobs; `number` is how many there will be. Use it as a context manager."""

    def __init__(self, number: int) -> None:
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._pool = _pool(min(processors, _MOST_PROCESSES)) if number >= MANY and processors > 1 else None

    def __enter__(self) -> Rows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def make(self, blobs: Sequence[tuple[str, str]], read: Read) -> Iterator[Row]:
        """The rows of ids and names, in their order."""
        for start in range(0, len(blobs), _AT_ONCE):
            some = blobs[start : start + _AT_ONCE]
            contents = read([oid for oid, _ in some])
            oids, names = zip(*some, strict=True)
            yield from self._rows(oids, names, [contents.get(oid, b"") for oid in oids])

    def _rows(self, oids: Sequence[str], names: Sequence[str], contents: Sequence[bytes]) -> list[Row]:
        if self._pool is not None:
            from concurrent.futures.process import BrokenProcessPool

            try:
                return list(self._pool.map(row_of, oids, names, contents, chunksize=20))
            except (BrokenProcessPool, OSError):  # no memory, or no processes here
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = None
        return list(map(row_of, oids, names, contents))


def _pool(processes: int) -> ProcessPoolExecutor | None:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    try:
        # Not fork: another thread of this process may hold a lock at that moment.
        return ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_leave_interrupts)
    except (OSError, NotImplementedError, ImportError):  # no semaphores here
        return None


def _leave_interrupts() -> None:
    """Ctrl-C reaches all processes of a terminal; only the one that the person started has something to say."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
