from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from litecode.core.budget.halt import Halt
from litecode.core.errors import ModelUnrecorded, UsageError
from litecode.core.llm.replay import read_recordings, request_key, write_recordings
from litecode.core.llm.tape import Tape
from litecode.core.values import Message, Prompt, Reply, Stop


def prompt(text: str) -> Prompt:
    return Prompt((Message("user", text),), 100)


class Port:
    digest = "d"
    window = 4096
    slots = 3
    factor = 1.02

    def __init__(self, name: str = "new (embedded)") -> None:
        self.name = name
        self.asked: list[str] = []
        self.halt: Halt | None = None
        self.closed = False

    def bind(self, halt: Halt) -> None:
        self.halt = halt

    def complete(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt.messages[0].content)
        return Reply(f"{self.name} {len(self.asked)}", Stop.END, 1, 1, 0.0)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        return len(messages)

    def close(self) -> None:
        self.closed = True


def write(path: Path, model: str, *texts: str) -> Path:
    replies = {request_key(model, prompt(text)): (model, Reply(f"old {text}", Stop.END, 1, 1, 0.0)) for text in texts}
    write_recordings(path, replies)
    return path


def kept(path: Path) -> list[str]:
    return sorted(reply.text for _, reply in read_recordings(path).values())


def test_it_plays_its_own_file_then_the_others_and_misses_the_rest(tmp_path: Path) -> None:
    own = write(tmp_path / "own", "a", "x")
    tape = Tape(own, [write(tmp_path / "one", "b", "x", "y"), tmp_path / "none"])
    assert [tape.complete(prompt(text)).text for text in "xyx"] == ["old x", "old y", "old x"]
    with pytest.raises(ModelUnrecorded) as caught:
        tape.complete(prompt("z"))
    assert (caught.value.message, caught.value.hint) == (
        "own has no reply to this request",
        "git litecode test --record",
    )
    assert (tape.name, tape.window, tape.factor, tape.asked) == ("recorded replies", 8192, 1.4, 0)
    assert tape.count(prompt("x").messages) is None
    before = own.read_bytes()
    tape.bind(Halt(lambda: 0.0, 0.0))
    tape.check(whole=False)
    tape.save(whole=True)
    tape.close()
    assert own.read_bytes() == before


def test_it_asks_for_what_is_missing_and_keeps_it(tmp_path: Path) -> None:
    own = write(tmp_path / "own", "new", "x", "gone")
    port = Port()
    tape = Tape(own, [write(tmp_path / "one", "b", "y")], port)
    assert [tape.complete(prompt(text)).text for text in "xyzz"] == [
        "old x",
        "old y",
        "new (embedded) 1",
        "new (embedded) 1",
    ]
    assert (port.asked, tape.asked, tape.name, tape.window, tape.factor) == (["z"], 1, "new (embedded)", 4096, 1.02)
    assert tape.count(prompt("x").messages) is None
    halt = Halt(lambda: 0.0, 0.0)
    tape.bind(halt)
    tape.check(whole=False)
    tape.save(whole=False)
    assert kept(own) == ["new (embedded) 1", "old gone", "old x"]
    tape.save(whole=True)
    assert kept(own) == ["new (embedded) 1", "old x"]
    tape.close()
    assert (port.halt, port.closed) == (halt, True)


def test_again_asks_for_everything_once(tmp_path: Path) -> None:
    own = write(tmp_path / "own", "new", "x")
    port = Port()
    tape = Tape(own, [write(tmp_path / "one", "b", "y")], port, again=True)
    for text in "xyxy":
        tape.complete(prompt(text))
    tape.save(whole=True)
    assert port.asked == ["x", "y"]
    assert kept(own) == ["new (embedded) 1", "new (embedded) 2"]


def test_one_file_has_one_model(tmp_path: Path) -> None:
    own = write(tmp_path / "own", "other", "x")
    before = own.read_bytes()
    tape = Tape(own, (), Port())
    with pytest.raises(UsageError, match="own has replies of other, and the model is new"):
        tape.check(whole=False)
    assert tape.complete(prompt("x")).text == "new (embedded) 1"
    tape.save(whole=False)
    assert own.read_bytes() == before
    tape.check(whole=True)
    tape.save(whole=True)
    assert {model for model, _ in read_recordings(own).values()} == {"new"}


def test_how_much_room_is_left_does_not_matter(tmp_path: Path) -> None:
    tape = Tape(write(tmp_path / "own", "m", "x"))
    assert tape.complete(replace(prompt("x"), reserve=7)).text == "old x"


def test_nothing_asked_is_nothing_written(tmp_path: Path) -> None:
    Tape(tmp_path / "own", (), Port()).save(whole=True)
    assert not (tmp_path / "own").exists()
