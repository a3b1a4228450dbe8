"""Recorded replies: found by everything that decides an answer, kept in a stable order, missed with a remedy."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from litecode.core.budget.halt import Halt
from litecode.core.errors import LitecodeError, ModelCancelled, ModelMissing, StateError
from litecode.core.llm.replay import RecordingModel, ReplayModel, read_recordings, request_key
from litecode.core.values import Message, Prompt, Reply, Sampling, Stop

PROMPT = Prompt((Message("system", "Be short."), Message("user", "größe?")), 100)


class Echo:
    """A port that answers with the last message and remembers what it was given."""

    name = "echo (embedded)"
    digest = "d1"
    window = 4096
    slots = 3
    factor = 1.02

    def __init__(self) -> None:
        self.halt: Halt | None = None
        self.closed = False

    def bind(self, halt: Halt) -> None:
        self.halt = halt

    def complete(self, prompt: Prompt) -> Reply:
        if self.halt is not None:
            self.halt.check()
        return Reply(prompt.messages[-1].content, Stop.END, 12, 3, 1.5, 4)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        return len(messages)

    def close(self) -> None:
        self.closed = True


def record(path: Path, *prompts: Prompt, model: str = "m") -> None:
    port = RecordingModel(Echo(), path, model)
    for prompt in prompts:
        port.complete(prompt)
    port.close()


def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "replies.jsonl"
    record(path, PROMPT)
    port = ReplayModel(path)
    assert port.complete(PROMPT) == Reply("größe?", Stop.END, 12, 3, 0.0, 0)
    assert (port.name, port.window, port.slots, port.factor) == ("m (replay)", 8192, 1, 1.4)
    assert port.count(PROMPT.messages) is None


@pytest.mark.parametrize(
    "other",
    [
        replace(PROMPT, messages=(*PROMPT.messages, Message("user", "x"))),
        replace(PROMPT, messages=(Message("user", "Be short."), Message("user", "größe?"))),
        replace(PROMPT, messages=(Message("system", "Be short.größe?"),)),
        replace(PROMPT, sampling=Sampling(0.7)),
        replace(PROMPT, sampling=Sampling(seed=2)),
        replace(PROMPT, schema={"type": "object"}),
    ],
)
def test_any_other_request_is_missed_with_a_remedy(tmp_path: Path, other: Prompt) -> None:
    record(tmp_path / "r", PROMPT)
    with pytest.raises(ModelMissing, match="has no reply to this request of m") as caught:
        ReplayModel(tmp_path / "r").complete(other)
    assert caught.value.hint == "git litecode test --record"
    assert caught.value.retry is False


def test_the_key_knows_models_apart_and_no_order_of_schema_keys() -> None:
    assert request_key("a", PROMPT) != request_key("b", PROMPT)
    one = replace(PROMPT, schema={"type": "object", "required": ["x"]})
    two = replace(PROMPT, schema={"required": ["x"], "type": "object"})
    assert request_key("a", one) == request_key("a", two)
    assert request_key("a", Prompt((Message("user", "\ud800"),), 1)) != request_key(
        "a", Prompt((Message("user", "?"),), 1)
    )


def test_how_much_room_was_left_for_the_reply_does_not_matter(tmp_path: Path) -> None:
    record(tmp_path / "r", PROMPT)
    assert ReplayModel(tmp_path / "r").complete(replace(PROMPT, reserve=7)).text == "größe?"


def test_the_file_is_the_same_whatever_came_first(tmp_path: Path) -> None:
    prompts = [replace(PROMPT, sampling=Sampling(seed=n)) for n in range(5)]
    record(tmp_path / "a", *prompts)
    record(tmp_path / "b", *reversed(prompts))
    text = (tmp_path / "a").read_bytes()
    assert text == (tmp_path / "b").read_bytes()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["key"] for line in lines] == sorted(request_key("m", prompt) for prompt in prompts)
    assert set(lines[0]) == {"key", "model", "text", "stop", "prompt_tokens", "output_tokens"}
    assert text.endswith(b"\n")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "b"]


def test_recording_again_forgets_what_is_not_asked_any_more(tmp_path: Path) -> None:
    record(tmp_path / "r", PROMPT, replace(PROMPT, sampling=Sampling(seed=5)))
    record(tmp_path / "r", PROMPT)
    assert list(read_recordings(tmp_path / "r")) == [request_key("m", PROMPT)]


def test_the_digest_changes_with_the_recordings(tmp_path: Path) -> None:
    record(tmp_path / "a", PROMPT)
    record(tmp_path / "b", PROMPT)
    record(tmp_path / "c", replace(PROMPT, sampling=Sampling(seed=5)))
    a, b, c = (ReplayModel(tmp_path / name).digest for name in "abc")
    assert a == b != c


def test_a_file_about_two_models_needs_a_name(tmp_path: Path) -> None:
    record(tmp_path / "a", PROMPT, model="m1")
    record(tmp_path / "b", PROMPT, model="m2")
    both = tmp_path / "both"
    both.write_bytes((tmp_path / "a").read_bytes() + (tmp_path / "b").read_bytes())
    with pytest.raises(StateError, match="has replies of 2 models: m1, m2"):
        ReplayModel(both)
    assert ReplayModel(both, "m2").complete(PROMPT).text == "größe?"


def test_no_file_means_no_replies(tmp_path: Path) -> None:
    port = ReplayModel(tmp_path / "none")
    assert port.name == "replay (replay)"
    with pytest.raises(ModelMissing):
        port.complete(PROMPT)


@pytest.mark.parametrize(
    "line", ["", "{", "[]", '{"key": "k"}', '{"key":"k","model":"m","text":"t","stop":"no"}', "\xff"]
)
def test_a_damaged_file_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "r"
    record(path, PROMPT)
    path.write_bytes(path.read_bytes() + line.encode("latin-1") + b"\n")
    with pytest.raises(StateError) as caught:
        ReplayModel(path)
    assert str(path) in str(caught.value)
    assert "--record" in caught.value.hint


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LitecodeError, match="cannot be written"):
        record(tmp_path / "file" / "r", PROMPT)


def test_the_recorder_is_the_port_that_it_asks(tmp_path: Path) -> None:
    echo = Echo()
    port = RecordingModel(echo, tmp_path / "r", "m")
    assert (port.name, port.digest, port.window, port.slots, port.factor) == ("echo (embedded)", "d1", 4096, 3, 1.02)
    assert port.count(PROMPT.messages) == 2
    halt = Halt(lambda: 0.0, 0.0)
    port.bind(halt)
    assert echo.halt is halt
    port.close()
    assert echo.closed


def test_a_failed_call_is_not_recorded(tmp_path: Path) -> None:
    import threading

    cancel = threading.Event()
    cancel.set()
    port = RecordingModel(Echo(), tmp_path / "r", "m")
    port.bind(Halt(lambda: 0.0, 0.0, None, cancel))
    with pytest.raises(ModelCancelled):
        port.complete(PROMPT)
    port.close()
    assert read_recordings(tmp_path / "r") == {}
