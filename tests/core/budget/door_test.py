"""The door: refuses before a call, repeats what can be repeated, ends in time, and records what happened."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from litecode.core.budget.door import Door, Underestimate
from litecode.core.budget.halt import Halt
from litecode.core.budget.tokens import Estimator
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
)
from litecode.core.values import Call, Message, Prompt, Reply, Stop

CHECKOUT = Path(__file__).resolve().parents[3]


class Clock:
    """Stands still until it is moved."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Port:
    """Answers with what the test wants: one entry of `script` for each call, the last one for all further calls."""

    name = "fake"
    digest = "0"

    def __init__(
        self,
        *script: ModelError | Callable[[Prompt], Reply],
        window: int = 1000,
        slots: int = 1,
        count: Callable[[tuple[Message, ...]], int | None] = lambda _messages: None,
    ) -> None:
        self.script = script or (lambda _prompt: reply(),)
        self.window = window
        self.slots = slots
        self.count = count
        self.asked: list[Prompt] = []
        self.lock = threading.Lock()

    def complete(self, prompt: Prompt) -> Reply:
        with self.lock:
            step = self.script[min(len(self.asked), len(self.script) - 1)]
            self.asked.append(prompt)
        if isinstance(step, ModelError):
            raise step
        return step(prompt)

    def close(self) -> None: ...


def reply(text: str = "yes", prompt_tokens: int = 20) -> Reply:
    return Reply(text, Stop.END, prompt_tokens, 5, 0.5)


def ask(text: str = "hello", reserve: int = 100) -> Prompt:
    return Prompt((Message("user", text),), reserve)


def test_a_call_gives_the_reply_and_its_record() -> None:
    clock = Clock()

    def slow(_prompt: Prompt) -> Reply:
        clock.now += 2.5
        return reply("done")

    heard: list[Call] = []
    door = Door(Port(slow), clock=clock, start=990.0, on_call=heard.append)
    answer, call = door.complete(ask(), "shop/cart.py: no-print")
    assert answer == reply("done")
    assert call == Call("shop/cart.py: no-print", ask(), answer, 5 + 24, 1000, 10.0, 12.5, 0, "", False, "fake")
    assert heard == [call]
    assert door.underestimates == ()


@pytest.mark.parametrize(
    ("prompt", "count", "needed"),
    [
        (ask("word " * 3000), None, 3000 + 24 + 100 + 64),
        (ask("hello", reserve=950), None, 5 + 24 + 950 + 64),
        (ask("hello"), 900, 900 + 100 + 64),
    ],
)
def test_what_does_not_fit_is_never_sent(prompt: Prompt, count: int | None, needed: int) -> None:
    port = Port(count=lambda _messages: count)
    door = Door(port, Estimator(1.0, lambda text: len(text.split())), clock=Clock())
    with pytest.raises(ModelTooLarge) as caught:
        door.complete(prompt, "x")
    assert (caught.value.window, caught.value.hint != "") == (1000, True)
    assert caught.value.needed == needed if count or len(prompt.messages[0].content) > 9 else 953 + 64
    assert port.asked == []


def test_what_the_server_can_count_is_not_estimated() -> None:
    port = Port(count=lambda _messages: 836)
    _, call = Door(port, clock=Clock()).complete(ask("x " * 5000), "x")
    assert call.estimate == 836


@pytest.mark.parametrize("error", [ModelBusy("b", wait=0.0), ModelTruncated("t"), ModelBadReply("r")])
def test_what_can_pass_is_tried_three_times(error: ModelError, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litecode.core.budget.door.PAUSE", 0.001)
    heard: list[Call] = []
    port = Port(error, error, lambda _prompt: reply("third"))
    answer, _ = Door(port, clock=Clock(), on_call=heard.append).complete(ask(), "x")
    assert answer.text == "third"
    name = type(error).__name__
    assert [call.error for call in heard] == [f"{name}: {error.message}"] * 2 + [""]
    assert [call.reply for call in heard] == [None, None, answer]

    port = Port(error)
    with pytest.raises(type(error)):
        Door(port, clock=Clock()).complete(ask(), "x")
    assert len(port.asked) == 3


@pytest.mark.parametrize(
    "error",
    [
        ModelNotRunning("n"),
        ModelMissing("m"),
        ModelAuth("a"),
        ModelTimeout("t"),
        ModelCancelled("c"),
        ModelTooLarge("l", needed=9, window=8),
        ModelBusy("tomorrow", wait=3600.0),
    ],
)
def test_what_cannot_pass_is_final(error: ModelError) -> None:
    port = Port(error)
    heard: list[Call] = []
    with pytest.raises(type(error)) as caught:
        Door(port, clock=Clock(), on_call=heard.append).complete(ask(), "x")
    assert caught.value is error
    assert len(port.asked) == len(heard) == 1


def test_where_nothing_answered_nobody_knocks_again_for_a_second() -> None:
    clock = Clock()
    port = Port(ModelNotRunning("nothing answers"), ModelNotRunning("still nothing"), lambda _prompt: reply("back"))
    door = Door(port, clock=clock)
    for expected in ("nothing answers", "still nothing"):
        for _ in range(100):
            with pytest.raises(ModelNotRunning, match=expected):
                door.complete(ask(), "x")
        clock.now += 1.0
    assert len(port.asked) == 2
    assert door.complete(ask(), "x")[0].text == "back"
    assert len(port.asked) == 3


@pytest.mark.parametrize("error", [ModelMissing("m"), ModelTimeout("t"), ModelBusy("tomorrow", wait=3600.0)])
def test_other_errors_say_nothing_about_the_next_call(error: ModelError) -> None:
    port = Port(error, lambda _prompt: reply())
    door = Door(port, clock=Clock())
    with pytest.raises(type(error)):
        door.complete(ask(), "x")
    assert door.complete(ask(), "x")[0] == reply()


def test_no_wait_beyond_the_deadline() -> None:
    port = Port(ModelBusy("busy", wait=20.0))
    with pytest.raises(ModelBusy):
        Door(port, clock=Clock(), deadline=10.0).complete(ask(), "x")
    assert len(port.asked) == 1


def test_nothing_begins_after_the_deadline() -> None:
    clock = Clock()
    port = Port()
    door = Door(port, clock=clock, deadline=60.0)
    clock.now += 59.9
    door.complete(ask(), "x")
    clock.now += 0.1
    with pytest.raises(ModelTimeout, match=r"the time for this run is up \(60 s\)") as caught:
        door.complete(ask(), "x")
    assert caught.value.hint == "raise it with: git config --global litecode.deadline SECONDS"
    assert len(port.asked) == 1


def test_an_interrupted_run_begins_no_call_and_ends_its_waits() -> None:
    cancel = threading.Event()
    port = Port(ModelBusy("busy", wait=100.0))
    door = Door(port, clock=Clock(), cancel=cancel)
    timer = threading.Timer(0.05, cancel.set)
    timer.start()
    with pytest.raises(ModelCancelled):
        door.complete(ask(), "x")
    timer.join()
    assert len(port.asked) == 1
    with pytest.raises(ModelCancelled):
        door.complete(ask(), "x")
    assert len(port.asked) == 1


def test_a_count_above_the_estimate_raises_the_factor_for_the_rest_of_the_run() -> None:
    words = Estimator(1.0, lambda text: len(text.split()))
    text = " ".join(["longish"] * 600)
    port = Port(lambda _prompt: reply(prompt_tokens=724), lambda _prompt: reply(prompt_tokens=700))
    door = Door(port, words, clock=Clock())
    assert door.fit(ask(text).messages, 100).estimate == 624
    door.complete(ask(text), "first")
    assert door.estimator.factor == pytest.approx(700 / 600)
    assert door.underestimates == (Underestimate("first", 624, 724, door.estimator.factor),)
    assert door.fit(ask(text).messages, 100).estimate in (724, 725)
    door.complete(ask(text), "second")
    assert len(door.underestimates) == 1


def test_a_count_below_the_estimate_changes_nothing() -> None:
    door = Door(Port(lambda _prompt: reply(prompt_tokens=1)), Estimator(1.3), clock=Clock())
    door.complete(ask(), "x")
    assert door.estimator.factor == 1.3
    assert door.underestimates == ()


def test_an_exact_count_that_was_wrong_is_recorded_but_not_learnt_from() -> None:
    port = Port(lambda _prompt: reply(prompt_tokens=31), count=lambda _messages: 30)
    door = Door(port, Estimator(1.3), clock=Clock())
    door.complete(ask(), "x")
    assert door.underestimates == (Underestimate("x", 30, 31, 1.3),)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"kind": "change", "tasks": []}', True),
        ("[" * 64 + "]" * 64, True),
        ("{}" * 1000, True),
        ("]" * 1000 + "[" * 500, True),
        ("[" * 65, False),
        ('{"a":' * 50_000 + "1", False),
        ('{"kind": "change", "more": ' + "[" * 100_000 + "]" * 100_000 + "}", False),
    ],
    ids=lambda value: str(value)[:20],
)
@pytest.mark.parametrize("schema", [None, {"type": "object"}])
def test_an_answer_in_json_is_not_too_deep(text: str, read: bool, schema: object) -> None:
    port = Port(lambda _prompt: reply(text))
    prompt = Prompt(ask().messages, 100, schema=schema)  # type: ignore[arg-type]  # any mapping
    if read or schema is None:
        assert Door(port, clock=Clock()).complete(prompt, "x")[0].text == text
    else:
        with pytest.raises(ModelBadReply, match="nested too deeply"):
            Door(port, clock=Clock()).complete(prompt, "x")
        assert len(port.asked) == 1


def test_the_factor_of_the_port_is_used_without_an_estimator() -> None:
    class Known(Port):
        factor = 1.02

    assert Door(Known(), clock=Clock()).estimator.factor == 1.02
    assert Door(Port(), clock=Clock()).estimator.factor == 1.4
    assert Door(Known(), Estimator(1.8), clock=Clock()).estimator.factor == 1.8


def test_a_port_that_can_stop_gets_the_halt_of_the_run() -> None:
    class Stoppable(Port):
        halt: Halt | None = None

        def bind(self, halt: Halt) -> None:
            self.halt = halt

    cancel = threading.Event()
    port = Stoppable()
    door = Door(port, clock=Clock(), cancel=cancel, deadline=5.0)
    assert port.halt is door.halt
    assert door.halt.left() == 5.0
    cancel.set()
    with pytest.raises(ModelCancelled):
        door.halt.check()


@pytest.mark.parametrize("slots", [1, 3])
def test_no_more_calls_at_a_time_than_the_port_has_slots(slots: int) -> None:
    inside = 0
    most = 0
    lock = threading.Lock()
    meet = threading.Barrier(slots)

    def step(_prompt: Prompt) -> Reply:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        meet.wait(5)
        with lock:
            inside -= 1
        return reply()

    door = Door(Port(step, slots=slots), clock=Clock())
    with ThreadPoolExecutor(12) as pool:
        calls = [call for _, call in pool.map(lambda _: door.complete(ask(), "x"), range(12))]
    assert most == slots
    assert {call.slot for call in calls} == set(range(slots))


def test_who_waits_for_a_slot_can_be_interrupted() -> None:
    cancel = threading.Event()
    entered, leave = threading.Event(), threading.Event()

    def step(_prompt: Prompt) -> Reply:
        entered.set()
        leave.wait(5)
        return reply()

    door = Door(Port(step), clock=Clock(), cancel=cancel)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(door.complete, ask(), "first")
        entered.wait(5)
        second = pool.submit(door.complete, ask(), "second")
        cancel.set()
        assert isinstance(second.exception(5), ModelCancelled)
        leave.set()
        assert first.result(5)[0] == reply()


def port_calls(tree: ast.Module) -> list[int]:
    """Lines where a port's `complete` is called or handed on: it takes the prompt alone, the door's also a purpose."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if len(given) == 1 and isinstance(node.func, ast.Attribute) and node.func.attr == "complete":
            found.append(node.lineno)
        names = [ast.unparse(part) for part in given if isinstance(part, ast.Attribute)]
        found += [node.lineno for name in names if name.endswith(("port.complete", "model.complete"))]
    return found


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("port.complete(prompt)", [1]),
        ("self._port.complete(prompt=prompt)", [1]),
        ("pool.submit(port.complete, prompt)", [1]),
        ("door.complete(prompt, purpose)", []),
        ("door.complete(prompt, purpose=purpose)", []),
        ("if tree.complete: pass", []),
        ("fault(rewrite.complete, language)", []),
        ("complete(prompt)", []),
    ],
)
def test_calls_of_a_port_are_recognised(code: str, lines: list[int]) -> None:
    assert port_calls(ast.parse(code)) == lines


def test_nobody_else_calls_a_port() -> None:
    allowed = {"core/budget/door.py", *(f"core/llm/{name}.py" for name in ("guarded", "pool", "replay", "tape"))}
    files = [file for room in ("core", "hooks", "config") for file in sorted((CHECKOUT / room).rglob("*.py"))]
    assert len(files) > 20
    found = {file.relative_to(CHECKOUT).as_posix(): port_calls(ast.parse(file.read_bytes())) for file in files}
    assert {name for name, lines in found.items() if lines} - allowed == set()


def test_the_door_costs_no_heavy_import() -> None:
    script = "import sys, litecode.core.budget.door; print(*sys.modules, sep='\\n')"
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True)
    heavy = {"tiktoken", "xllamacpp", "ollama", "httpx", "openai", "regex", "pygit2", "rich", "requests"}
    assert heavy & set(done.stdout.split()) == set()
