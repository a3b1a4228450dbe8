"""What the file index keeps of a blob, worked out in several processes when there are many blobs."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from litecode.core.filemap.outline import outline
from litecode.core.planning import words

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

LARGEST = 400_000  # bytes of a blob that is read; larger ones are data or generated
MANY = 400  # fewer blobs are done sooner than other processes have started
_AT_ONCE = 200  # contents that are read together
_AHEAD = 3  # how many times as many may be on their way
_MOST_PROCESSES = 8

Read = Callable[[Sequence[str]], Mapping[str, bytes]]


class Row(NamedTuple):
    """`outline` is in JSON already: one text goes from process to process faster than hundreds of symbols."""

    oid: str
    name: str
    outline: bytes
    content: Mapping[str, int]
    symbols: Mapping[str, int]


def row_of(oid: str, name: str, data: bytes) -> Row:
    """What is not text, or is too large, has no words."""
    import msgspec

    if b"\0" in data[:8000] or len(data) > LARGEST:
        text = ""
    else:
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    found = outline(text, name)
    symbols = words.of_names(symbol.name for symbol in found.symbols)
    return Row(oid, name, msgspec.json.encode(found), dict(words.of_text(text)), dict(symbols))


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
        """The rows of ids and names, in their order. The other processes work on while somebody does something with
        those that are there.
        """
        ahead: deque[_Batch] = deque()
        for start in range(0, len(blobs), _AT_ONCE):
            some = blobs[start : start + _AT_ONCE]
            contents = read([oid for oid, _ in some])
            oids, names = zip(*some, strict=True)
            ahead.append(self._begin(oids, names, [contents.get(oid, b"") for oid in oids]))
            if len(ahead) > _AHEAD or self._pool is None:
                yield from self._end(ahead.popleft())
        while ahead:
            yield from self._end(ahead.popleft())

    def _begin(self, *inputs: Sequence[Any]) -> _Batch:
        if self._pool is not None:
            try:
                return _Batch(inputs, self._pool.map(row_of, *inputs, chunksize=20))
            except (RuntimeError, OSError):  # no processes here, or no more of them
                self._give_up()
        return _Batch(inputs, None)

    def _end(self, batch: _Batch) -> list[Row]:
        from concurrent.futures import CancelledError
        from concurrent.futures.process import BrokenProcessPool

        if batch.rows is not None:
            try:
                return list(batch.rows)
            except (BrokenProcessPool, CancelledError, OSError):  # no memory
                self._give_up()
        return list(map(row_of, *batch.inputs))

    def _give_up(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


class _Batch(NamedTuple):
    """Ids, names and contents, and the rows that come of them, when other processes are at it."""

    inputs: tuple[Sequence[Any], ...]
    rows: Iterator[Row] | None


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
