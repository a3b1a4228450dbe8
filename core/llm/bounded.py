"""How much an answer may hold: none fills the memory, and none is unpacked into more than was sent."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from litecode.core.errors import ModelBadReply

MOST = 8 << 20  # bytes of one answer; a reply of 2,000 tokens has about one million in any protocol


def bound(response: Any) -> None:
    """A hook of a client of httpx, or of its successor, for each response: too long an answer is a ModelBadReply, and
    what was packed although nobody asked for that stays as it is.
    """
    if "content-encoding" in response.headers:
        del response.headers["content-encoding"]
    library = type(response).__module__.partition(".")[0]
    response.stream = _bounded_stream(library)(response.stream)


@cache
def _bounded_stream(library: str) -> type:
    """The client wants a stream of its own kind."""
    base: type = importlib.import_module(library).SyncByteStream

    class Bounded(base):  # type: ignore[misc]  # known at run time only
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            return limited(self._stream)

        def close(self) -> None:
            self._stream.close()

    return Bounded


def limited(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Raises ModelBadReply after `MOST` bytes."""
    size = 0
    for block in blocks:
        size += len(block)
        if size > MOST:
            error = ModelBadReply(
                f"an answer has more than {MOST >> 20} MiB", "check the endpoint: git litecode doctor"
            )
            error.retry = False
            raise error
        yield block
