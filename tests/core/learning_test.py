"""What a run learns about its model is used by the next one."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from litecode.core.budget import tokens
from litecode.core.budget.door import Door
from litecode.core.budget.tokens import UNKNOWN_FACTOR
from litecode.core.errors import ModelMissing, ModelTimeout
from litecode.core.events import EventKind
from litecode.core.learning import keep, learnt, load_ahead, notes_of
from litecode.core.store.facts import FactStore, ModelFacts
from litecode.core.values import Message, Prompt, Reply, Stop

PROMPT = Prompt((Message("user", "word " * 4000),), 600)
SHORTER = Prompt((Message("user", "word " * 2000),), 600)


class Port:
    name, digest, window, slots, factor = "m", "d", 8192, 1, 1.0

    def __init__(self, tokens: int = 100, written: int = 64, seconds: float = 2.0) -> None:
        self.reply = Reply("x", Stop.END, tokens, written, seconds)

    def complete(self, prompt: Prompt) -> Reply:  # noqa: ARG002  the port's signature
        return self.reply

    def count(self, messages: tuple[Message, ...]) -> int | None:  # noqa: ARG002  the port's signature
        return None

    def close(self) -> None: ...


@pytest.fixture
def facts(tmp_path: Path) -> FactStore:
    return FactStore(tmp_path)


def run(port: Port, facts: FactStore, deadline: float | None = None, prompt: Prompt = PROMPT) -> Door:
    estimator, speed = learnt(port, facts)
    door = Door(port, estimator, clock=time.monotonic, deadline=deadline, speed=speed)
    door.complete(prompt, "x")
    keep(door, 1, facts)
    return door


def test_a_rough_measure_is_told_once(facts: FactStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes_of(run(Port(), facts)) == ()
    monkeypatch.setattr(tokens, "CL100K_SHA256", "0" * 64)
    tokens._encoding.cache_clear()
    try:
        assert not tokens.is_rough()  # nobody has measured anything yet
        (note,) = notes_of(run(Port(), facts, prompt=SHORTER))
        assert note.startswith("tokens are counted roughly and high")
        assert len(notes_of(run(Port(tokens=60_000), facts, prompt=SHORTER))) == 2
    finally:
        tokens._encoding.cache_clear()


def test_an_estimate_that_was_too_low_is_told_counted_and_not_made_again(facts: FactStore) -> None:
    door = run(Port(tokens=6000), facts)
    (note,) = notes_of(door)
    assert note.startswith("a prompt for m had more tokens than estimated once (6,000 instead of 4,0")
    known = facts.get("d")
    assert (known.calls, known.underestimates) == (1, 1)
    assert known.factor == pytest.approx(1.49, abs=0.02)
    again = run(Port(tokens=6000), facts)
    assert notes_of(again) == ()
    assert facts.get("d") == ModelFacts(known.factor, 2, 1, 32.0)


def test_an_estimate_that_was_high_enough_teaches_nothing(facts: FactStore) -> None:
    run(Port(tokens=3000), facts)
    assert facts.get("d") == ModelFacts(0.0, 1, 0, 32.0)
    assert learnt(Port(), facts)[0].factor == 1.0
    assert learnt(Port(), None)[0].factor == 1.0
    del Port.factor
    try:
        assert learnt(Port(), None)[0].factor == UNKNOWN_FACTOR
    finally:
        Port.factor = 1.0


@pytest.mark.parametrize(("deadline", "begun"), [(None, True), (60.0, True), (5.0, False)])
def test_a_reply_that_cannot_end_in_time_is_not_begun(facts: FactStore, deadline: float | None, begun: bool) -> None:
    """600 tokens are kept free for a region of 363; at 32 a second it takes 11 s."""
    run(Port(), facts)
    if begun:
        assert run(Port(), facts, deadline)
        return
    with pytest.raises(ModelTimeout, match=r"not begun: the reply takes about 11 s, and 5 s are left") as caught:
        run(Port(), facts, deadline)
    assert "litecode.deadline" in caught.value.hint


def test_a_short_reply_measures_no_speed(facts: FactStore) -> None:
    assert run(Port(written=3, seconds=0.001), facts).speed == 0.0


class Loadable(Port):
    def __init__(self, loading: str = "loading m") -> None:
        super().__init__()
        self.loading = loading
        self.loads = 0

    def load(self) -> None:
        self.loads += 1


def test_only_what_has_to_be_loaded_is(facts: FactStore) -> None:
    said: list[str] = []
    ports = [Loadable(), Loadable("")]
    for port in (*ports, Port()):
        load_ahead(port, said.append)
    assert ([port.loads for port in ports], said) == ([1, 0], ["loading m"])
    assert facts.get("d") == ModelFacts()


class TestRuns:
    """Of rules: the model is loaded while the work is being prepared, and not at all when nothing needs it."""

    def prepare(self, scene: Any, rules: Any) -> list[str]:
        loaded: list[str] = []
        scene.base(rules.PRINT, a_py="x = 0\n")
        scene.model.answers = {"print(x)": "logger.info(x)"}
        scene.stage({"a.py": "x = 1\nprint(x)\n"})
        scene.model.loading = "loading scripted: 1 of 2 MiB of memory"
        scene.model.load = lambda: loaded.append(threading.current_thread().name)
        return loaded

    def test_it_is_loaded_ahead_and_told(self, scene: Any, rules: Any) -> None:
        loaded = self.prepare(scene, rules)
        scene.run()
        until = time.monotonic() + 5
        while not loaded and time.monotonic() < until:
            time.sleep(0.01)
        assert loaded == ["litecode-loading"]
        assert [e.text for e in scene.events if e.kind is EventKind.LOADING] == [scene.model.loading]

    def test_what_is_known_loads_nothing(self, scene: Any, rules: Any) -> None:
        self.prepare(scene, rules)
        scene.run()
        scene.repo.git("checkout", "-q", "-f", "HEAD", "--", "a.py")
        scene.stage({"a.py": "x = 1\nprint(x)\n"})
        loaded: list[str] = []
        scene.model.load = lambda: loaded.append("again")
        run = scene.run()
        assert [verdict.state.value for verdict in run.verdicts] == ["staged"]
        assert loaded == []

    def test_a_model_that_cannot_be_loaded_is_told_by_the_call(self, scene: Any, rules: Any) -> None:
        self.prepare(scene, rules)

        def fail() -> None:
            raise ModelMissing("no weights", "fetch them")

        scene.model.load = fail
        assert [verdict.state.value for verdict in scene.run().verdicts] == ["staged"]

    def test_the_person_hears_of_estimates_that_were_too_low(self, scene: Any, rules: Any) -> None:
        self.prepare(scene, rules)
        scene.model.always = Reply("```\nlogger.info(x)\n```", Stop.END, 60_000, 20, 0.5)
        run = scene.run()
        assert [note for note in run.notes if "more tokens than estimated" in note]
        assert scene.world().facts.get(scene.model.digest).underestimates >= 1
