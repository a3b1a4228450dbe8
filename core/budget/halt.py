"""When work has to end: the run was interrupted, or its time is up. Shared by all who wait for a model."""

from __future__ import annotations

import threading
from collections.abc import Callable

from litecode.core.errors import ModelCancelled, ModelTimeout

Clock = Callable[[], float]


class Halt:
    """`deadline` is in seconds after `start` on `clock`. Thread-safe."""

    def __init__(
        self, clock: Clock, start: float, deadline: float | None = None, cancel: threading.Event | None = None
    ) -> None:
        self._clock = clock
        self._start = start
        self._deadline = deadline
        self._cancel = cancel or threading.Event()

    def elapsed(self) -> float:
        return self._clock() - self._start

    def left(self) -> float | None:
        """Seconds until the deadline, None without one."""
        return None if self._deadline is None else self._deadline - self.elapsed()

    def check(self) -> None:
        """Raises ModelCancelled or ModelTimeout when nothing may begin or go on any more."""
        if self._cancel.is_set():
            raise ModelCancelled("interrupted")
        left = self.left()
        if left is not None and left <= 0:
            raise ModelTimeout(
                f"the time for this run is up ({self._deadline:g} s)",
                "raise it with: git config --global litecode.deadline SECONDS",
            )

    def wait(self, seconds: float) -> None:
        """Wait, and end early like `check` does."""
        left = self.left()
        self._cancel.wait(seconds if left is None else max(0.0, min(seconds, left)))
        self.check()
