"""Limits per minute: what answers say about them, and that parallel calls neither run into them nor waste them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from litecode.core.budget.halt import Halt
from litecode.core.errors import ModelBusy, ModelCancelled
from litecode.core.llm.limits import MARGIN, MINUTE, Allowance, seconds_of, wait_of

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7.66s", 7.66),
        ("2m59.56s", 179.56),
        ("9m38s", 578.0),
        ("1h", 3600.0),
        ("1d2h", 93600.0),
        ("120ms", 0.12),
        ("12", 12.0),
        ("0", 0.0),
        ("-3", 0.0),
        (" 5 ", 5.0),
        (f"{NOW + 8:.0f}", 8.0),
        (f"{(NOW + 8) * 1000:.0f}", 8.0),
        (f"{NOW - 8:.0f}", 0.0),
        ("Tue, 14 Nov 2023 22:13:30 GMT", 10.0),
        ("Tue, 14 Nov 2023 22:13:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("5 apples", None),
        ("inf", None),
        ("nan", None),
        ("Tue, 99 Nov 2023", None),
    ],
)
def test_how_providers_write_a_wait(text: str, seconds: float | None) -> None:
    assert seconds_of(text, NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"retry-after": "3", "x-ratelimit-reset": "9"}, "try again in 5s", 3.0),
        ({"retry-after-ms": "250", "retry-after": "3"}, "", 0.25),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6s"}, "", 6.0),
        (
            {
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "6s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "1m",
            },
            "",
            60.0,
        ),
        ({"x-ratelimit-remaining-tokens": "12", "x-ratelimit-reset-tokens": "6s"}, "", None),
        ({"x-ratelimit-reset": f"{(NOW + 4) * 1000:.0f}"}, "", 4.0),
        ({}, "Please try again in 7.05s. Visit us", 7.05),
        ({}, "Please try again in 9m38s.", 578.0),
        ({"retry-after": "soon"}, "", None),
        ({}, "try again later", None),
        ({}, "", None),
    ],
)
def test_where_the_wait_stands(headers: dict[str, str], text: str, seconds: float | None) -> None:
    assert wait_of(headers, text, NOW) == (None if seconds is None else pytest.approx(seconds))


class Clock:
    """Counts seconds only when somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def left(tokens: float, reset: str = "60s", limit: int = 1000) -> dict[str, str]:
    return {
        "x-ratelimit-limit-tokens": str(limit),
        "x-ratelimit-remaining-tokens": str(tokens),
        "x-ratelimit-reset-tokens": reset,
    }


class TestAllowance:
    def test_without_a_limit_nobody_waits(self, clock: Clock) -> None:
        allowance = Allowance(0, clock, clock.wait)
        for _ in range(100):
            with allowance.use(10_000):
                pass
        assert clock.now == 0

    def test_what_was_asked_for_counts_for_a_minute(self, clock: Clock) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        times = []
        for _ in range(5):
            with allowance.use(400) as use:
                times.append(clock.now)
                use.admitted({})
        assert times[:2] == [0, 0]
        assert all(MINUTE + MARGIN <= at <= MINUTE + MARGIN + 0.2 for at in times[2:4])
        assert times[4] >= 2 * MINUTE

    def test_what_was_refused_does_not_count(self, clock: Clock) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        for _ in range(5):
            with allowance.use(900):
                pass
        assert clock.now == 0

    def test_less_was_used_than_asked_for(self, clock: Clock) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        for _ in range(7):
            with allowance.use(400) as use:
                use.admitted({})
                use.counted(100)
        assert clock.now == 0
        with allowance.use(400):
            assert clock.now >= MINUTE

    def test_what_the_provider_says_is_left_goes_before_it(self, clock: Clock) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        with allowance.use(900) as use:
            use.admitted(left(1000))  # it has counted nothing
        with allowance.use(900) as use:
            assert clock.now == 0
            use.admitted(left(100))
        with allowance.use(900):
            assert clock.now >= MINUTE

    def test_somebody_else_uses_it_too(self, clock: Clock) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        with allowance.use(100) as use:
            use.admitted(left(50))
        with allowance.use(100):
            assert clock.now >= MINUTE

    def test_it_is_all_there_again_sooner(self, clock: Clock) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        with allowance.use(1000) as use:
            use.admitted(left(0, "10s"))
        with allowance.use(500):
            assert 10 <= clock.now < 12

    def test_a_request_above_the_limit_is_for_the_provider_to_refuse(self, clock: Clock) -> None:
        with Allowance(1000, clock, clock.wait).use(5000):
            assert clock.now == 0

    def test_closed_is_closed_for_everybody(self, clock: Clock) -> None:
        allowance = Allowance(0, clock, clock.wait)
        allowance.close_for(7)
        allowance.close_for(3)
        with allowance.use(1):
            assert clock.now >= 7

    @pytest.mark.parametrize(("deadline", "closed"), [(30.0, 50.0), (None, 500.0)])
    def test_a_wait_beyond_the_end_is_not_begun(self, clock: Clock, deadline: float | None, closed: float) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        allowance.close_for(closed)
        with pytest.raises(ModelBusy, match="more is there in") as caught, allowance.use(1, Halt(clock, 0, deadline)):
            pass
        assert (caught.value.retry, caught.value.wait, clock.now) == (False, closed, 0)

    def test_an_interrupt_ends_the_wait(self, clock: Clock) -> None:
        allowance = Allowance(1000, clock, clock.wait)
        allowance.close_for(50)
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(ModelCancelled), allowance.use(1, Halt(clock, 0, None, cancel)):
            pass


SCALE = 100.0  # seconds on the scaled clock for each real one
TPM = 60_000


class Bucket:
    """Gives back a little all the time."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.level, self.at = clock, float(TPM), clock()

    def left(self) -> float:
        now = self.clock()
        self.level, self.at = min(TPM, self.level + (now - self.at) * TPM / 60), now
        return self.level

    def take(self, tokens: int) -> None:
        self.level -= tokens


class Sliding:
    """Forgets each request after a minute."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.log: deque[tuple[float, int]] = deque()

    def left(self) -> float:
        while self.log and self.log[0][0] <= self.clock() - 60:
            self.log.popleft()
        return TPM - sum(tokens for _, tokens in self.log)

    def take(self, tokens: int) -> None:
        self.log.append((self.clock(), tokens))


class Turning(Sliding):
    """Forgets everything at the turn of each minute."""

    def left(self) -> float:
        minute = self.clock() // 60
        self.log = deque(row for row in self.log if row[0] // 60 == minute)
        return TPM - sum(tokens for _, tokens in self.log)


@pytest.mark.parametrize(("kind", "tells"), [(Bucket, True), (Bucket, False), (Sliding, False), (Turning, False)])
def test_parallel_calls_use_the_allowance_and_no_more(kind: type[Bucket | Sliding], tells: bool) -> None:
    """Eight at a time for four minutes of a clock that runs faster; the provider counts prompt and `max_tokens`."""
    begun = time.monotonic()

    def clock() -> float:
        return (time.monotonic() - begun) * SCALE

    server, lock = kind(clock), threading.Lock()
    allowance = Allowance(TPM, clock, lambda seconds: time.sleep(seconds / SCALE))
    admitted: list[tuple[float, int]] = []
    refused: list[float] = []
    until = 240.0

    def call(number: int) -> None:
        size = (900, 1500, 2600, 700)[number % 4]
        while clock() < until:
            with allowance.use(size + size // 20) as use:  # the estimate is a little high
                with lock:
                    left = server.left()
                    if left < size:
                        refused.append(clock())
                        allowance.close_for((size - left) / TPM * 60)
                        continue
                    server.take(size)
                    admitted.append((clock(), size))
                    left -= size
                headers = {"x-ratelimit-limit-tokens": str(TPM), "x-ratelimit-remaining-tokens": f"{left:.0f}"}
                headers["x-ratelimit-reset-tokens"] = f"{(TPM - left) / TPM * 60:.3f}s"
                use.admitted(headers if tells else {})
                time.sleep(2 / SCALE)  # it writes
                use.counted(size)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(8)))
    assert refused == []
    used = sum(tokens for at, tokens in admitted if 60 <= at < 180)
    assert used >= 0.9 * TPM * 2
