"""What happens while a run is waiting for the model: a live line on a terminal, plain lines on demand, else nothing.

The live line comes up only when something takes long enough to be waited for; until then rich is not imported.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from litecode.core.events import Event, EventKind
from litecode.hooks.show.terminal import Terminal, encodable, fit, visible
from litecode.hooks.show.text import count

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

PATIENCE = 0.4  # seconds before the live line comes up
REFRESH = 5  # times per second
ENOUGH = 2  # tasks that a guess about the rest is made from


@dataclass(slots=True)
class Tally:
    """What is known so far. `begun` is when the first task was handed out; times are those of the clock."""

    total: int = 0
    ended: int = 0
    tokens: int = 0
    calls: int = 0
    model_seconds: float = 0.0
    begun: float | None = None
    open: dict[str, Event] = field(default_factory=dict)
    loading: str = ""
    made: dict[str, int] = field(default_factory=dict)  # calls by path and rule
    asked: int = 0  # tasks that have ended and took a call
    asked_calls: int = 0
    until: float | None = None  # when all may have ended, as far as was known at the last event

    def add(self, event: Event, now: float) -> None:
        if event.kind is EventKind.PLANNED:
            self.total += event.total
        elif event.kind is EventKind.READY:
            self.begun = now if self.begun is None else self.begun
            self.open[event.task] = event
        elif event.kind is EventKind.ENDED:
            self.ended += 1
            self.open.pop(event.task, None)
            calls = self.made.get(_what(event), 0)
            self.asked += calls > 0
            self.asked_calls += calls
            self._guess(now)
        elif event.kind is EventKind.LOADING:
            self.loading = event.text
        elif event.kind is EventKind.CALL:
            self.loading = ""
            self.calls += 1
            self.tokens += event.tokens
            self.model_seconds += event.seconds
            self.made[event.text] = self.made.get(event.text, 0) + 1
            self._guess(now)

    def _guess(self, now: float) -> None:
        """From what the tasks so far took, retries included; one task is no experience. One that is under way takes at
        least a call more than it has had. Between two events only the clock runs.
        """
        self.until = None
        if self.asked < ENOUGH or self.begun is None or self.ended >= self.total:
            return
        each = self.asked_calls / self.asked
        had = [self.made.get(_what(event), 0) for event in list(self.open.values())]
        waiting = self.total - self.ended - len(had)
        calls = waiting * each * self.asked / self.ended + sum(max(each - number, 1.0) for number in had)
        self.until = now + calls * (now - self.begun) / self.calls

    def line(self, now: float) -> str:
        """`litecode: 3 of 9 tasks, 134 tokens at 27/s, 12 s, about 20 s left; shop/cart.py no-print`"""
        parts = [f"{self.ended} of {count(self.total, 'task')}"]
        if self.tokens and self.model_seconds:
            parts.append(f"{self.tokens} tokens at {self.tokens / self.model_seconds:.0f}/s")
        spent = now - self.begun if self.begun is not None else 0.0
        parts.append(_time(spent))
        left = self.until - now if self.until is not None else 0.0
        if left >= 1:
            parts.append(f"about {_time(left)} left")
        current = next(iter(list(self.open.values())), None)  # a copy: the line is drawn in another thread
        what = f"; {visible(current.path)} {visible(current.rule)}".rstrip() if current else ""
        if self.loading:
            what = f"; {visible(self.loading)}"
        return f"litecode: {', '.join(parts)}{what}"


def _what(event: Event) -> str:
    """As calls say what they are for."""
    return f"{event.path} {event.rule}"


def _time(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 100 else f"{whole // 60} min {whole % 60} s"


class Progress:
    """Called with events from any thread; `close` takes the live line away."""

    def __init__(self, terminal: Terminal, verbose: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._terminal = terminal
        self._verbose = verbose
        self._clock = clock
        self._lock = threading.Lock()
        self._tally = Tally()
        self._timer: threading.Timer | None = None
        self._live: Live | None = None
        self._closed = False

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._tally.add(event, self._clock())
            if event.kind is EventKind.NOTE:
                self._say(f"note: {visible(event.text)}")
            elif self._terminal.live:
                if event.kind is EventKind.READY and self._timer is None and not self._closed:
                    self._timer = threading.Timer(PATIENCE, self._show)
                    self._timer.daemon = True
                    self._timer.start()
            elif self._verbose:
                self._plain(event)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _plain(self, event: Event) -> None:
        what = f"{visible(event.path)} {visible(event.rule)}".strip() or visible(event.text)
        if event.kind is EventKind.PLANNED:
            self._terminal.tell(f"litecode: {count(event.total, 'task')}")
        elif event.kind is EventKind.LOADING:
            self._terminal.tell(f"litecode: {what}")
        elif event.kind is EventKind.CALL:
            self._terminal.tell(f"litecode: {what}: {event.tokens} tokens in {event.seconds:.1f} s")
        elif event.kind is EventKind.ENDED:
            self._terminal.tell(f"litecode: {what}: {event.text}, {self._tally.ended} of {self._tally.total}")

    def _say(self, text: str) -> None:
        if self._live is not None:
            from rich.text import Text

            self._live.console.print(Text(encodable(text, self._terminal.err)))
        else:
            self._terminal.tell(text)

    def _show(self) -> None:
        """In the timer's thread: bring up the live line, unless the run has ended meanwhile."""
        from rich.console import Console
        from rich.live import Live

        with self._lock:
            if self._closed:
                return
            plain = not self._terminal.colour_err
            console = Console(file=self._terminal.err, force_terminal=True, no_color=plain, highlight=False)
            self._live = Live(console=console, transient=True, refresh_per_second=REFRESH, get_renderable=self._line)
            self._live.start()

    def _line(self) -> Text:
        from rich.text import Text

        line = encodable(self._tally.line(self._clock()), self._terminal.err)
        return Text(fit(line, self._terminal.width - 1), no_wrap=True, overflow="crop")
