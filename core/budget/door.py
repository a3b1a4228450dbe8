"""The one door to a model: every call goes through it, fits the window before it is made, and is recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, runtime_checkable

from litecode.core.budget.fit import Basis, Fit, can_fit, refusal, region_of
from litecode.core.budget.halt import Clock, Halt
from litecode.core.budget.tokens import UNKNOWN_FACTOR, Estimator
from litecode.core.errors import ModelBadReply, ModelBusy, ModelError, ModelNotRunning, ModelTimeout
from litecode.core.ports import ModelPort
from litecode.core.values import Call, Message, Prompt, Reply

TRIES = 3
PAUSE = 0.5  # seconds before the first repetition when the server named no time; doubles
LONGEST_WAIT = 120.0  # what a server says beyond this is a limit per day, not a queue
POLL = 0.1
GONE = 1.0  # seconds for which nobody asks again where nothing answered
DEEPEST = 64  # levels of an answer in JSON; those who read it go down one call for each
ENOUGH_TOKENS = 16  # in a reply, to measure how fast it was written


@runtime_checkable
class Interruptible(Protocol):
    """A port that can stop a call that is under way."""

    def bind(self, halt: Halt) -> None:
        """From now on every call ends with the error of `halt.check` as soon as that raises."""


@runtime_checkable
class Measured(Protocol):
    """A port that knows the vocabulary of its model."""

    @property
    def factor(self) -> float:
        """For `Estimator`."""


@runtime_checkable
class Rendering(Protocol):
    """A port that says in words what its endpoint does not take otherwise."""

    def rendered(self, prompt: Prompt) -> Prompt:
        """What `complete` will send, which is what has to fit; may change after a refusal."""


@dataclass(frozen=True, slots=True)
class Underestimate:
    """A call whose prompt had more tokens than estimated, and the factor that would have been enough."""

    purpose: str
    estimate: int
    actual: int
    factor: float


class Door:
    """Calls to one port. Thread-safe; lets no more calls in than the port has slots.

    `start` and `deadline` (in seconds after it) are on `clock`; the times of the recorded calls count from `start`.
    Without an estimator the port's own factor is used. `on_call` hears of each call when it has ended, in its thread.
    `speed` is how many tokens per second the model was seen to write at best, 0 when nobody knows.
    """

    def __init__(
        self,
        port: ModelPort,
        estimator: Estimator | None = None,
        *,
        clock: Clock,
        start: float | None = None,
        deadline: float | None = None,
        cancel: threading.Event | None = None,
        on_call: Callable[[Call], None] | None = None,
        speed: float = 0.0,
    ) -> None:
        self.port = port
        self.halt = Halt(clock, clock() if start is None else start, deadline, cancel)
        self._estimator = estimator or Estimator(port.factor if isinstance(port, Measured) else UNKNOWN_FACTOR)
        self._on_call = on_call
        self._speed = speed
        self._lock = threading.Lock()
        self._free = list(range(port.slots))
        self._freed = threading.Condition(self._lock)
        self._under: list[Underestimate] = []
        self._gone: tuple[float, ModelNotRunning] | None = None
        if isinstance(port, Interruptible):
            port.bind(self.halt)

    @property
    def estimator(self) -> Estimator:
        """With the factor as it is now. It only ever rises, so a store can keep it for the next run."""
        with self._lock:
            return self._estimator

    @property
    def underestimates(self) -> tuple[Underestimate, ...]:
        with self._lock:
            return tuple(self._under)

    @property
    def speed(self) -> float:
        """As it is now; it only ever rises."""
        with self._lock:
            return self._speed

    def fit(self, messages: tuple[Message, ...], reserve: int) -> Fit:
        """What `complete` will decide by; for those who build a prompt and may leave something out."""
        return can_fit(messages, self.port.window, reserve, self.estimator, self.port.count(messages))

    def complete(self, prompt: Prompt, purpose: str) -> tuple[Reply, Call]:
        """Make one call, again when that can help. Raises ModelTooLarge before anything is sent, ModelCancelled,
        ModelTimeout, or the ModelError of the last try; where nothing answered a moment ago, that error at once.
        """
        self.halt.check()
        self._check_gone()
        for attempt in range(1, TRIES + 1):
            sent = self.port.rendered(prompt) if isinstance(self.port, Rendering) else prompt
            fit = self.fit(sent.messages, sent.reserve)
            if not fit.fits:
                raise refusal(fit)
            self._check_time(prompt.reserve)
            try:
                return self._call(prompt, purpose, fit)
            except ModelError as err:
                if not err.retry or attempt == TRIES:
                    if isinstance(err, ModelNotRunning):
                        self._gone = (self.halt.elapsed() + GONE, err)
                    raise
                self._wait(err, attempt)
        raise AssertionError("the last try returns or raises")

    def _check_gone(self) -> None:
        """Ten thousand tasks do not knock ten thousand times."""
        gone = self._gone
        if gone is not None and self.halt.elapsed() < gone[0]:
            raise gone[1]

    def _check_time(self, reserve: int) -> None:
        """Begin no call that cannot end in time: writing a reply of the region's size alone would take longer."""
        left = self.halt.left()
        if left is None or not self.speed:
            return
        seconds = region_of(reserve) / self.speed
        if seconds > left:
            raise ModelTimeout(
                f"not begun: the reply takes about {seconds:.0f} s, and {max(left, 0):.0f} s are left for this run",
                "raise it with: git config --global litecode.deadline SECONDS",
            )

    def _wait(self, err: ModelError, attempt: int) -> None:
        seconds = PAUSE * 2 ** (attempt - 1)
        if isinstance(err, ModelBusy) and err.wait is not None:
            seconds = err.wait
        left = self.halt.left()
        if seconds > LONGEST_WAIT or (left is not None and seconds >= left):
            raise err
        self.halt.wait(seconds)

    def _call(self, prompt: Prompt, purpose: str, fit: Fit) -> tuple[Reply, Call]:
        with self._slot() as slot:
            started = self.halt.elapsed()

            def record(reply: Reply | None, error: str = "") -> Call:
                ended = self.halt.elapsed()
                return Call(
                    purpose, prompt, reply, fit.estimate, fit.window, started, ended, slot, error, model=self.port.name
                )

            try:
                reply = self.port.complete(prompt)
                if prompt.schema is not None:
                    _check_depth(reply.text)
            except ModelError as err:
                self._tell(record(None, f"{type(err).__name__}: {err.message}"))
                raise
            call = record(reply)
        self._learn(purpose, fit, prompt.messages, reply)
        self._tell(call)
        return reply, call

    def _tell(self, call: Call) -> None:
        if self._on_call is not None:
            self._on_call(call)

    def _learn(self, purpose: str, fit: Fit, messages: tuple[Message, ...], reply: Reply) -> None:
        """Compare with the server's count; a lower one says nothing, as some servers leave cached parts out."""
        with self._lock:
            if reply.output_tokens >= ENOUGH_TOKENS and reply.seconds > 0:
                self._speed = max(self._speed, reply.output_tokens / reply.seconds)
            if reply.prompt_tokens <= fit.estimate:
                return
            if fit.basis is not Basis.EXACT:
                self._estimator = self._estimator.raised(messages, reply.prompt_tokens)
            self._under.append(Underestimate(purpose, fit.estimate, reply.prompt_tokens, self._estimator.factor))

    @contextmanager
    def _slot(self) -> Iterator[int]:
        """The number of a free slot, the lowest one; waits for it."""
        with self._freed:
            while not self._free:
                self.halt.check()
                self._freed.wait(POLL)
            slot = min(self._free)
            self._free.remove(slot)
        try:
            yield slot
        finally:
            with self._freed:
                self._free.append(slot)
                self._freed.notify()


def _check_depth(text: str) -> None:
    """Brackets in strings count as well: no answer has so many that none closes."""
    steps = ((char in "[{") - (char in "]}") for char in text)
    if max(accumulate(steps), default=0) > DEEPEST:
        error = ModelBadReply("the answer of the model is nested too deeply", "try again, or use another model")
        error.retry = False
        raise error
