"""Reading the stream of a server so that whoever waits for it can stop at any time."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from litecode.core.errors import ModelBadReply, ModelTimeout, ModelTruncated
from litecode.core.values import Reply, Stop

T = TypeVar("T")

FIRST_TOKEN = 300.0  # seconds: a cold load and the reading of the prompt send nothing
IDLE = 60.0
POLL = 0.1
CHARACTERS = 256  # for each token of the reply: no vocabulary has longer ones
EVENT = 8  # what an event counts beside its text, so that empty ones come to an end as well

STOPS = {"stop": Stop.END, "length": Stop.LENGTH, "error": Stop.ERROR}


@dataclass(frozen=True, slots=True)
class Waiting:
    """How a stream is waited for. `check` raises when the run is over; `first` and `idle` are seconds until the first
    event and between two; `who` begins the message, `hint` says where to look.
    """

    check: Callable[[], None]
    who: str
    hint: str
    first: float = FIRST_TOKEN
    idle: float = IDLE


class _End: ...


class Stream(Generic[T]):
    """Iterate over it once, in a `with`: leaving that stops the reading thread at its next event.

    `start` makes the request and gives the events; it runs in the reading thread, and what it raises is raised here.
    """

    def __init__(self, start: Callable[[], Iterable[T]], waiting: Waiting) -> None:
        self._start = start
        self._waiting = waiting
        self._events: queue.SimpleQueue[T | BaseException | type[_End]] = queue.SimpleQueue()
        self._left = False

    def __enter__(self) -> Stream[T]:
        self._waiting.check()  # before anything is sent
        threading.Thread(target=self._pump, name="litecode-model-call", daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._left = True

    def __iter__(self) -> Iterator[T]:
        patience = self._waiting.first
        while True:
            event = self._next(patience)
            if isinstance(event, BaseException):
                raise event
            if isinstance(event, type):
                return
            yield event
            patience = self._waiting.idle

    def _next(self, patience: float) -> T | BaseException | type[_End]:
        until = time.monotonic() + patience
        while True:
            self._waiting.check()
            with contextlib.suppress(queue.Empty):
                return self._events.get(timeout=POLL)
            if time.monotonic() > until:
                raise ModelTimeout(f"{self._waiting.who} sent nothing for {patience:g} s", self._waiting.hint)

    def _pump(self) -> None:
        try:
            events = self._start()
            for event in events:
                self._events.put(event)
                if self._left:
                    break
            closing = getattr(events, "close", None)
            if closing is not None:
                closing()
            self._events.put(_End)
        except BaseException as error:
            self._events.put(error)


@dataclass(slots=True)
class Answer:
    """Puts the pieces of one answer together, and believes none that has no end."""

    who: str
    hint: str
    reserve: int
    pieces: list[str] = field(default_factory=list)
    finish: str = ""
    prompt_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    _length: int = 0

    def add(self, text: str) -> None:
        """Raises ModelBadReply when it gets longer than the tokens that were asked for can be."""
        self._length += len(text) + EVENT
        if self._length > CHARACTERS * (self.reserve + 1):
            error = ModelBadReply(f"{self.who} sends more than the {self.reserve:,} tokens asked for", self.hint)
            error.retry = False
            raise error
        self.pieces.append(text)

    def reply(self, seconds: float) -> Reply:
        """Raises ModelTruncated without the reason why the model stopped, ModelBadReply when that is an error."""
        if not self.finish:
            raise ModelTruncated(f"the answer of {self.who} broke off", self.hint)
        stop = STOPS.get(self.finish, Stop.UNKNOWN)
        if stop is Stop.ERROR:
            raise ModelBadReply(f"{self.who} met an error in the middle of its answer", self.hint)
        return Reply("".join(self.pieces), stop, self.prompt_tokens, self.output_tokens, seconds, self.cached_tokens)
