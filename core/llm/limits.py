"""Limits that a provider sets per minute: what its answers say about them, and not running into them.

A provider counts what a request may use (prompt and `max_tokens`) when it arrives. How it forgets again differs: at
the turn of a minute, sixty seconds after each request, or a little all the time. Not more than the allowance within
any sixty seconds is right for all three, so that is kept here; what the provider says is left goes before it, in both
directions.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from litecode.core.errors import ModelBusy

if TYPE_CHECKING:
    from litecode.core.budget.halt import Halt

MINUTE = 60.0
MARGIN = 0.5  # seconds that a request counts longer here than there
POLL = 0.1
LONGEST_WAIT = 120.0  # beyond this it is a limit per day, not per minute
EPOCH = 1e9  # a number from here on is a point in time, from 1e11 on in milliseconds

DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
AGAIN = re.compile(r"try again in ([0-9.dhms]+)", re.IGNORECASE)
HINT = "wait, or choose another model or plan; `git commit --no-verify` commits without this check"


def seconds_of(text: str, now: float) -> float | None:
    """A wait as providers write it: `7.66s`, `2m59.56s`, `120ms`, `12`, a date, or a point in time (UNIX seconds or
    milliseconds). None when it is none of these.
    """
    text = text.strip()
    found = DURATION.fullmatch(text)
    if found and text:
        days, hours, minutes, seconds, milliseconds = (float(part or 0) for part in found.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds + milliseconds / 1000
    try:
        number = float(text)
    except ValueError:
        return _until_date(text, now)
    if number >= EPOCH:
        number = (number / 1000 if number >= EPOCH * 100 else number) - now
    return max(0.0, number) if number < float("inf") else None


def _until_date(text: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def wait_of(headers: Mapping[str, str], text: str, now: float) -> float | None:
    """Seconds to wait before the same request can succeed. `headers` with small letters; None when nothing says it."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    told = seconds_of(headers.get("retry-after", ""), now)
    if told is not None:
        return told
    resets = [
        seconds_of(headers.get(f"x-ratelimit-reset-{kind}", ""), now)
        for kind in ("tokens", "requests")
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"
    ]
    resets.append(seconds_of(headers.get("x-ratelimit-reset", ""), now))
    waits = [wait for wait in resets if wait is not None]
    if waits:
        return max(waits)
    again = AGAIN.search(text)
    return seconds_of(again[1].rstrip("."), now) if again else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@dataclass(slots=True, eq=False)
class _Entry:
    """`admitted` is when the provider is known to have counted it, None while that is open; `until` is when it counts
    no longer.
    """

    tokens: float
    number: int = 0
    admitted: float | None = None
    until: float | None = None


@dataclass(slots=True)
class _Told:
    """What a provider said at `time`, in the answer to request `number`; at `full` it has forgotten everything."""

    left: float
    number: int
    time: float
    full: float


class Allowance:
    """Tokens per minute of one endpoint, shared by all who call it. Thread-safe; without a limit it lets all through.

    `clock` counts seconds; `wait` waits that many (for tests with a faster clock).
    """

    def __init__(
        self,
        limit: int = 0,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.limit = limit
        self._clock = clock
        self._wait = wait
        self._lock = threading.Lock()
        self._entries: list[_Entry] = []
        self._number = 0
        self._told: _Told | None = None
        self._closed_until = 0.0

    @contextmanager
    def use(self, tokens: int, halt: Halt | None = None) -> Iterator[Use]:
        """Wait until the tokens can be asked for. Raises ModelBusy when that is later than the end of the run."""
        use = Use(self, self._take(tokens, halt))
        try:
            yield use
        finally:
            use.end()

    def _take(self, tokens: int, halt: Halt | None) -> _Entry:
        while True:
            with self._lock:
                wait = self._needed_wait(tokens)
                if wait <= 0:
                    self._number += 1
                    entry = _Entry(tokens, self._number)
                    self._entries.append(entry)
                    return entry
            left = halt.left() if halt is not None else None
            if wait > LONGEST_WAIT or (left is not None and wait >= left):
                raise _too_late(wait, self.limit)
            if halt is not None:
                halt.check()
            self._wait(min(wait, POLL))

    def _needed_wait(self, tokens: int) -> float:
        """0 when it may go now, else when to look again."""
        now = self._clock()
        if now < self._closed_until:
            return self._closed_until - now
        if not self.limit:
            return 0.0
        self._entries = [entry for entry in self._entries if entry.until is None or entry.until > now]
        missing = tokens - max(self._own_left(), self._told_left(now))
        if missing <= 0 or not self._entries:
            return 0.0  # more than there ever is goes too: the provider will say so
        wait = MARGIN  # when only what is under way stands in the way
        for entry in sorted(self._entries, key=lambda entry: entry.until or float("inf")):
            missing -= entry.tokens
            if entry.until is not None and missing <= 0:
                wait = entry.until - now
                break
        return min(wait, self._told.full - now) if self._told is not None and self._told.full > now else wait

    def _own_left(self) -> float:
        return self.limit - sum(entry.tokens for entry in self._entries)

    def _told_left(self, now: float) -> float:
        """What the provider said, less what it may not have seen by then."""
        told = self._told
        if told is None:
            return float("-inf")
        unseen = (entry for entry in self._entries if entry.admitted is None or entry.admitted > told.time)
        return (self.limit if now >= told.full else told.left) - sum(entry.tokens for entry in unseen)

    def admit(self, entry: _Entry, headers: Mapping[str, str]) -> None:
        """An answer has begun; its headers tell the limit and what is left of it."""
        now = self._clock()
        limit = _number(headers.get("x-ratelimit-limit-tokens", ""))
        left = _number(headers.get("x-ratelimit-remaining-tokens", ""))
        with self._lock:
            entry.admitted, entry.until = now, now + MINUTE + MARGIN
            if limit and limit > 0:
                self.limit = int(limit)
            if left is None or not self.limit or (self._told is not None and entry.number < self._told.number):
                return
            reset = seconds_of(headers.get("x-ratelimit-reset-tokens", ""), time.time())
            full = now + (MINUTE if reset is None else reset) + MARGIN
            self._told = _Told(left, entry.number, now, full)
            if left < self._own_left():  # somebody else uses the same allowance
                rest = _Entry(self._own_left() - left, 0, now, min(full, now + MINUTE + MARGIN))
                self._entries.append(rest)

    def close_for(self, seconds: float) -> None:
        """The provider wants nothing for so long: that holds for everybody."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def drop(self, entry: _Entry) -> None:
        """The provider has not counted it."""
        with self._lock:
            if entry in self._entries:
                self._entries.remove(entry)


@dataclass(slots=True)
class Use:
    """One request within the allowance. When nothing says that it was let in, it has cost nothing."""

    _allowance: Allowance
    _entry: _Entry

    def admitted(self, headers: Mapping[str, str]) -> None:
        """`headers` of the answer, with small letters."""
        self._allowance.admit(self._entry, headers)

    def counted(self, tokens: int) -> None:
        """What it turned out to count, when that is less."""
        self._entry.tokens = min(self._entry.tokens, tokens)

    def end(self) -> None:
        if self._entry.admitted is None:
            self._allowance.drop(self._entry)


def _too_late(wait: float, limit: int) -> ModelBusy:
    error = ModelBusy(f"the limit of {limit:,} tokens a minute is used up; more is there in {wait:.0f} s", HINT, wait)
    error.retry = False
    return error
