"""One model of a run: found and opened when it is first needed, with everything that its calls need."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from litecode.core.budget.door import Door
from litecode.core.budget.fit import REPLY_TOKENS, Fit, can_fit, reserve_for
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import LitecodeError, ModelError
from litecode.core.events import Event, EventKind
from litecode.core.learning import keep, learnt, load_ahead, notes_of
from litecode.core.ports import ModelPort
from litecode.core.values import Call, Message

if TYPE_CHECKING:
    from litecode.core.world import World


class Opened:
    """Thread-safe. `find` gives the port, `start` is when the run began, `deadline` in seconds after that. A port loads
    its weights at its first call, so asking for digests and estimates costs nothing.
    """

    def __init__(self, world: World, find: Callable[[], ModelPort], *, start: float, deadline: float | None) -> None:
        self._world = world
        self._find = find
        self._start = start
        self._deadline = deadline
        self._lock = threading.Lock()
        self._door: Door | None = None
        self._failure: LitecodeError | None = None
        self._warming = False
        self.made: list[Call] = []

    @property
    def name(self) -> str:
        """Empty until it is opened."""
        return self._door.port.name if self._door is not None else ""

    def is_same(self, other: Opened) -> bool:
        """Whether it is the same model as far as anyone can tell: by its digest, or by its name wherever it runs."""
        one, two = self.door().port, other.door().port
        return same_model((one.name, one.digest), (two.name, two.digest))

    def door(self) -> Door:
        """Finds the model once; when that fails, every call of the run fails the same way without another attempt."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._door is None:
                try:
                    self._door = self._open()
                except LitecodeError as err:
                    self._failure = err
                    raise
            return self._door

    def reserve(self, text: str) -> int:
        """Tokens to keep free for the reply to a region: never less than the region has itself, because such a reply
        would be cut off for sure.
        """
        tokens = self._estimator().content([text])
        return max(reserve_for(tokens), tokens + REPLY_TOKENS)

    def fit(self, messages: tuple[Message, ...], reserve: int) -> Fit:
        """How a call fits, without a model that of the window of the settings."""
        try:
            return self.door().fit(messages, reserve)
        except ModelError:
            return can_fit(messages, self._world.settings.window, reserve, Estimator())

    def count(self, text: str) -> int:
        """Tokens of a text, at most."""
        return self._estimator().text(text)

    def _estimator(self) -> Estimator:
        try:
            return self.door().estimator
        except ModelError:
            return Estimator()

    def warm(self) -> None:
        """Begin to load the model, while other work goes on. What goes wrong is said by the first call."""
        with self._lock:
            if self._warming:
                return
            self._warming = True
        threading.Thread(target=self._load_ahead, name="litecode-loading", daemon=True).start()

    def _load_ahead(self) -> None:
        with suppress(LitecodeError):
            load_ahead(self.door().port, lambda text: self._world.progress(Event(EventKind.LOADING, text=text)))

    def _open(self) -> Door:
        port = self._find()
        estimator, speed = learnt(port, self._world.facts)
        return Door(
            port,
            estimator,
            speed=speed,
            clock=self._world.clock,
            start=self._start,
            deadline=self._deadline,
            cancel=self._world.cancel,
            on_call=self.made.append,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the person should know about the calls."""
        return notes_of(self._door) if self._door is not None else ()

    def close(self) -> None:
        if self._door is not None:
            if self.made and self._world.facts is not None:
                keep(self._door, len(self.made), self._world.facts)
            self._door.port.close()


def same_model(one: tuple[str, str], two: tuple[str, str]) -> bool:
    """Of the names and digests of two ports: the same digest, or the same name wherever it runs."""
    return one[1] == two[1] or bool(_names(one[0]) & _names(two[0]))


def _names(name: str) -> set[str]:
    """The names without the places, of `a (ollama) and a (host)`."""
    return {part.rpartition(" (")[0] or part for part in name.split(" and ")}
