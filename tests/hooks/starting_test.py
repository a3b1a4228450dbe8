"""Ctrl-C counts once, also when git passes it on; and it is known behind what Python makes of it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from litecode.hooks import starting


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    handler, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    yield
    signal.signal(signal.SIGINT, handler)
    sys.unraisablehook = hook


def press() -> bool:
    """Whether the signal raises."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return True
    return False


def test_what_comes_right_after_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [100.0, 100.01, 100.9, 101.8, 103.0, 103.5, 110.0]
    clock = iter(times)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    starting.prepare()
    got = [press() for _ in times]
    assert got == [True, False, False, True, True, False, True]


class Ending:
    """Raises where Python can only ignore an exception."""

    def __init__(self, how: Callable[[], object]) -> None:
        self.how = how

    def __del__(self) -> None:
        self.how()


def lose_one() -> None:
    Ending(lambda: signal.raise_signal(signal.SIGINT))
    for _ in range(200):
        time.sleep(0.05)


def test_one_that_is_lost_comes_again() -> None:
    starting.prepare()
    with pytest.raises(KeyboardInterrupt):
        lose_one()


def test_other_exceptions_that_are_ignored_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: seen.append(type(what.exc_value)))
    starting.prepare()
    Ending(lambda: int("x"))
    assert seen == [ValueError]
    assert press()


def test_a_process_in_the_background_stays_there() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    starting.prepare()
    assert not press()
    assert starting.ended(1) == 1
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_in_the_end_it_ends_the_process() -> None:
    starting.prepare()
    assert starting.ended(2) == 2
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def caused(error: BaseException, by: BaseException | None) -> BaseException:
    error.__cause__ = by
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyboardInterrupt(), True),
        (caused(RuntimeError("Error calling __set_name__"), KeyboardInterrupt()), True),
        (caused(ImportError("x"), caused(RuntimeError("y"), KeyboardInterrupt())), True),
        (RuntimeError("KeyboardInterrupt"), False),
        (caused(ImportError("x"), RuntimeError("y")), False),
        (SystemExit(1), False),
        (None, False),
    ],
)
def test_what_is_an_interrupt(error: BaseException | None, expected: bool) -> None:
    assert starting.is_interrupt(error) is expected
