"""Several endpoints as one: each call goes to the least busy one that answers, and moves on when that one fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from litecode.core.budget.door import Interruptible, Measured, Rendering
from litecode.core.budget.tokens import UNKNOWN_FACTOR
from litecode.core.errors import (
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelNotRunning,
    ModelTooLarge,
    ModelUnsafe,
    NotSent,
)
from litecode.core.values import Message, Prompt, Reply

if TYPE_CHECKING:
    from litecode.core.budget.halt import Halt
    from litecode.core.ports import ModelPort

PAUSE = 2.0  # seconds that an endpoint is left alone after its first failure; doubles
LONGEST_PAUSE = 60.0
POLL = 0.1


@runtime_checkable
class Checkable(Protocol):
    """A port whose endpoint can be asked whether it is there, without a call."""

    def is_answering(self) -> bool: ...


@runtime_checkable
class Reachable(Protocol):
    """A port that is not asked for anything before its first call."""

    def check_there(self) -> None:
        """Raises ModelNotRunning or ModelTimeout when no server answers within seconds. No call is made; an answer with
        any status is one.
        """


@dataclass(slots=True, eq=False)
class _Member:
    """One endpoint: calls under way, failures since its last reply, and until when it is left alone."""

    port: ModelPort
    busy: int = 0
    failures: int = 0
    away_until: float = 0.0

    @property
    def load(self) -> float:
        return self.busy / self.port.slots


class PooledModel:
    """`ports` are of one model, or of several that do as well; the window is the smallest of those that answer."""

    def __init__(self, ports: tuple[ModelPort, ...], clock: Callable[[], float] = time.monotonic) -> None:
        self._members = tuple(_Member(port) for port in ports)
        self._clock = clock
        self._changed = threading.Condition()
        self._halt: Halt | None = None

    @cached_property
    def _there(self) -> tuple[_Member, ...]:
        """Those that answered when it was first asked, all at the same time. Raises ModelNotRunning without any."""
        with ThreadPoolExecutor(len(self._members)) as asking:
            answers = list(asking.map(_is_there, self._members))
        there = [member for member, error in zip(self._members, answers, strict=True) if error is None]
        if not there:
            errors = [error for error in answers if error is not None]
            said = "; ".join(error.message for error in errors)
            raise ModelNotRunning(f"none of the {len(errors)} endpoints can be used: {said}", errors[0].hint)
        for member, error in zip(self._members, answers, strict=True):
            if error is not None:
                self._send_away(member)
        return tuple(there)

    @property
    def name(self) -> str:
        return " and ".join(dict.fromkeys(member.port.name for member in self._members))

    @cached_property
    def digest(self) -> str:
        """That of the model; when the endpoints have different ones, of all of them."""
        return "+".join(sorted({member.port.digest for member in self._there}))

    @property
    def window(self) -> int:
        return min(member.port.window for member in self._there)

    @property
    def slots(self) -> int:
        return sum(member.port.slots for member in self._there)

    @property
    def factor(self) -> float:
        return max(_factor(member.port) for member in self._there)

    def bind(self, halt: Halt) -> None:
        self._halt = halt
        for member in self._members:
            if isinstance(member.port, Interruptible):
                member.port.bind(halt)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        """Exact where all of them can tell: the largest."""
        counts = [member.port.count(messages) for member in self._there]
        known = [count for count in counts if count is not None]
        return max(known) if len(known) == len(counts) else None

    def rendered(self, prompt: Prompt) -> Prompt:
        """The longest form in which one of them would send it."""
        ports = [member.port for member in self._there]
        forms = [prompt, *(port.rendered(prompt) for port in ports if isinstance(port, Rendering))]
        return max(forms, key=lambda form: sum(len(message.content) for message in form.messages))

    def complete(self, prompt: Prompt) -> Reply:
        """Raises the error of the last endpoint that was tried, when none of them could answer."""
        tried: list[_Member] = []
        error: ModelError = ModelNotRunning("no endpoint answers", "see `git litecode doctor`")
        while len(tried) < len(self._members):
            with self._one(tried) as member:
                if member is None:
                    break
                tried.append(member)
                try:
                    reply = member.port.complete(prompt)
                except (ModelCancelled, ModelTooLarge):
                    raise
                except (NotSent, ModelUnsafe) as refusal:  # one on this machine, or that reads it as text, may have it
                    error = refusal
                    continue
                except ModelError as failure:
                    error = failure
                    self._failed(member, failure)
                    continue
                member.failures = 0
                return reply
        if not isinstance(error, ModelBusy | NotSent | ModelUnsafe):
            error.retry = error.retry or any(member.failures < 2 for member in self._members)
        raise error

    @contextmanager
    def _one(self, tried: list[_Member]) -> Iterator[_Member | None]:
        """The least busy endpoint that has not been tried, waiting for a free slot; None when none is left."""
        member = self._take(tried)
        try:
            yield member
        finally:
            if member is not None:
                with self._changed:
                    member.busy -= 1
                    self._changed.notify_all()

    def _take(self, tried: list[_Member]) -> _Member | None:
        while True:
            if self._halt is not None:
                self._halt.check()
            with self._changed:
                left = [member for member in self._members if member not in tried]
                ready = [member for member in left if member.away_until <= self._clock()]
                free = [member for member in ready if member.busy < (1 if member.failures else member.port.slots)]
                if free:
                    member = min(free, key=lambda member: (member.failures, member.load))
                    member.busy += 1
                elif ready:
                    self._changed.wait(POLL)
                    continue
                else:
                    return None
            if member.failures and not self._is_back(member):
                tried.append(member)
                continue
            return member

    def _is_back(self, member: _Member) -> bool:
        """Ask one that has failed before it is given a call."""
        if not isinstance(member.port, Checkable) or member.port.is_answering():
            return True
        with self._changed:
            member.busy -= 1
            self._changed.notify_all()
        self._send_away(member)
        return False

    def _failed(self, member: _Member, error: ModelError) -> None:
        if isinstance(error, ModelBusy):
            with self._changed:
                member.away_until = self._clock() + (error.wait if error.wait is not None else PAUSE)
        else:
            self._send_away(member)

    def _send_away(self, member: _Member) -> None:
        with self._changed:
            member.failures += 1
            member.away_until = self._clock() + min(PAUSE * 2 ** (member.failures - 1), LONGEST_PAUSE)

    def close(self) -> None:
        for member in self._members:
            member.port.close()


def _factor(port: ModelPort) -> float:
    return port.factor if isinstance(port, Measured) else UNKNOWN_FACTOR


def _is_there(member: _Member) -> ModelError | None:
    """None when it can be used, else why not."""
    if isinstance(member.port, Checkable) and not member.port.is_answering():
        return ModelNotRunning(f"{member.port.name} does not answer", "start it, or take it out of your settings")
    try:
        _ = member.port.window, member.port.digest
    except ModelError as error:
        return error
    return None
