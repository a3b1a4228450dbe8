"""Several endpoints as one: who is asked, and what happens when one of them is not there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from litecode.core.budget.door import Door
from litecode.core.budget.halt import Halt
from litecode.core.errors import (
    ModelAuth,
    ModelBadReply,
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelMissing,
    ModelNotRunning,
    ModelTimeout,
    ModelTooLarge,
    ModelTruncated,
    ModelUnsafe,
    NotSent,
)
from litecode.core.llm.pool import LONGEST_PAUSE, PAUSE, PooledModel
from litecode.core.values import Message, Prompt, Reply, Stop

PROMPT = Prompt((Message("user", "Hi"),), 100)


class Port:
    """One endpoint; `fails` is raised by each call while it is set, `down` is what it is when it is asked."""

    def __init__(
        self, name: str, slots: int = 1, window: int = 8192, digest: str = "d", counts: int | None = 5
    ) -> None:
        self.name, self.slots, self.window, self.counts = name, slots, window, counts
        self._digest = digest
        self.factor = 1.02
        self.fails: ModelError | None = None
        self.down = False
        self.asked = 0
        self.calls = 0
        self.running = 0
        self.most = 0
        self.seconds = 0.0
        self.closed = False
        self.halt: Halt | None = None
        self._lock = threading.Lock()

    @property
    def digest(self) -> str:
        if isinstance(self.fails, ModelMissing):
            raise self.fails
        return self._digest

    def is_answering(self) -> bool:
        self.asked += 1
        return not self.down

    def bind(self, halt: Halt) -> None:
        self.halt = halt

    def count(self, messages: tuple[Message, ...]) -> int | None:  # noqa: ARG002  the port's signature
        return self.counts

    def complete(self, prompt: Prompt) -> Reply:  # noqa: ARG002  the port's signature
        with self._lock:
            self.calls += 1
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            time.sleep(self.seconds)
            if self.fails is not None:
                raise self.fails
            return Reply(self.name, Stop.END, 5, 1, 0.0)
        finally:
            with self._lock:
                self.running -= 1

    def close(self) -> None:
        self.closed = True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def two() -> tuple[Port, Port]:
    return Port("a"), Port("b")


def test_it_is_what_its_members_are() -> None:
    a, b = Port("a", slots=1, window=8192), Port("b", slots=3, window=4096)
    pool = PooledModel((a, b))
    assert (pool.name, pool.slots, pool.window, pool.digest, pool.factor) == ("a and b", 4, 4096, "d", 1.02)
    assert pool.count(PROMPT.messages) == 5
    a.counts = None
    assert pool.count(PROMPT.messages) is None
    assert PooledModel((a, Port("c", digest="e"))).digest == "d+e"
    halt = Halt(time.monotonic, 0)
    pool.bind(halt)
    pool.close()
    assert a.halt is b.halt is halt
    assert a.closed
    assert b.closed


def test_who_is_not_there_does_not_count(two: tuple[Port, Port]) -> None:
    a, b = two
    b.down, b.window, b._digest = True, 1024, "other"
    pool = PooledModel(two)
    assert (pool.window, pool.slots, pool.digest) == (8192, 1, "d")
    assert [pool.complete(PROMPT).text for _ in range(3)] == ["a", "a", "a"]
    assert b.calls == 0
    a.down = True
    with pytest.raises(
        ModelNotRunning, match="none of the 2 endpoints can be used: a does not answer; b does not"
    ) as e:
        _ = PooledModel(two).window
    assert e.value.hint


def test_who_has_no_model_does_not_count(two: tuple[Port, Port]) -> None:
    two[0].fails = ModelMissing("no m", "pull it")
    pool = PooledModel(two)
    assert (pool.digest, pool.complete(PROMPT).text) == ("d", "b")


def test_the_least_busy_one_is_asked() -> None:
    a, b = Port("a", slots=1), Port("b", slots=3)
    a.seconds = b.seconds = 0.05
    pool = PooledModel((a, b))
    with ThreadPoolExecutor(8) as threads:
        texts = list(threads.map(lambda _n: pool.complete(PROMPT).text, range(32)))
    assert (a.most, b.most) == (1, 3)
    assert 4 <= texts.count("a") <= 12


FAILURES: list[Callable[[], ModelError]] = [
    lambda: ModelNotRunning("gone"),
    lambda: ModelTruncated("cut"),
    lambda: ModelTimeout("slow"),
    lambda: ModelBadReply("boom"),
    lambda: ModelMissing("no m"),
    lambda: ModelAuth("no key"),
    lambda: ModelBusy("full"),
]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_call_that_fails_moves_on(two: tuple[Port, Port], failure: Callable[[], ModelError]) -> None:
    a, b = two
    pool = PooledModel(two)
    assert pool.complete(PROMPT).text == "a"
    a.fails = failure()
    assert [pool.complete(PROMPT).text for _ in range(4)] == ["b", "b", "b", "b"]
    assert (a.calls, b.calls) == (2, 4)


@pytest.mark.parametrize("kind", [NotSent, ModelUnsafe])
def test_what_one_may_not_have_goes_to_another(two: tuple[Port, Port], kind: type[ModelError]) -> None:
    a, b = two
    pool = PooledModel(two)
    _ = pool.window
    a.fails = kind("a secret")
    assert [pool.complete(PROMPT).text for _ in range(3)] == ["b", "b", "b"]
    assert a.calls == 3  # it is no failure of the endpoint
    b.fails = kind("a secret")
    with pytest.raises(kind) as caught:
        pool.complete(PROMPT)
    assert not caught.value.retry


@pytest.mark.parametrize("error", [ModelTooLarge("large"), ModelCancelled("stop")])
def test_what_the_others_would_say_too_is_said_at_once(two: tuple[Port, Port], error: ModelError) -> None:
    a, b = two
    pool = PooledModel(two)
    _ = pool.window
    a.fails = error
    with pytest.raises(type(error)):
        pool.complete(PROMPT)
    assert b.calls == 0


def test_one_that_is_back_is_asked_before_it_gets_a_call(two: tuple[Port, Port]) -> None:
    a, b = two
    clock = Clock()
    pool = PooledModel(two, clock)
    _ = pool.window
    a.fails, b.seconds = ModelNotRunning("gone"), 0.0
    assert pool.complete(PROMPT).text == "b"
    b.fails = ModelBusy("full", wait=1000.0)
    clock.now += PAUSE + 0.1
    a.down, a.asked = True, 0
    with pytest.raises(ModelBusy):
        pool.complete(PROMPT)
    assert (a.asked, a.calls) == (1, 1)
    a.down, a.fails = False, None
    with pytest.raises(ModelNotRunning, match="no endpoint answers"):
        pool.complete(PROMPT)
    clock.now += LONGEST_PAUSE
    assert pool.complete(PROMPT).text == "a"
    assert pool.complete(PROMPT).text == "a"
    assert a.asked == 2


def test_when_none_answers_the_last_error_is_told_and_soon_tried_again(two: tuple[Port, Port]) -> None:
    a, b = two
    pool = PooledModel(two)
    _ = pool.window
    a.fails, b.fails = ModelNotRunning("a is gone"), ModelNotRunning("b is gone")
    with pytest.raises(ModelNotRunning, match="b is gone") as caught:
        pool.complete(PROMPT)
    assert caught.value.retry
    assert (a.calls, b.calls) == (1, 1)


def test_a_wait_for_a_slot_ends_with_the_run() -> None:
    a = Port("a")
    a.seconds = 1.0
    pool = PooledModel((a,))
    cancel = threading.Event()
    pool.bind(Halt(time.monotonic, time.monotonic(), None, cancel))
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(pool.complete, PROMPT)
        time.sleep(0.1)
        second = threads.submit(pool.complete, PROMPT)
        cancel.set()
        with pytest.raises(ModelCancelled):
            second.result()
        assert first.result().text == "a"
    assert a.most == 1


def test_the_door_lets_as_many_in_as_there_are_slots() -> None:
    a, b = Port("a", slots=2), Port("b", slots=2)
    a.seconds = b.seconds = 0.05
    door = Door(PooledModel((a, b)), clock=time.monotonic)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _n: door.complete(PROMPT, "x"), range(16)))
    assert (a.most, b.most) == (2, 2)
    assert a.calls + b.calls == 16
