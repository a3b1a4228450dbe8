"""Recorded replies in the place of a model: the same request gives the same reply, without one."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litecode.core.budget.door import Interruptible, Measured
from litecode.core.budget.tokens import UNKNOWN_FACTOR
from litecode.core.errors import LitecodeError, ModelUnrecorded, StateError
from litecode.core.values import Message, Prompt, Reply, Stop

if TYPE_CHECKING:
    from litecode.core.budget.halt import Halt
    from litecode.core.ports import ModelPort

WINDOW = 8192
RECORD = "git litecode test --record"


def request_key(model: str, prompt: Prompt) -> str:
    """What a recording is found by: the model, the messages, and everything that decides what it answers. Not the
    reserve, which says where an answer is cut off, and depends on how tokens are estimated.
    """
    request: dict[str, Any] = {
        "model": model,
        "messages": [list(message) for message in prompt.messages],
        "sampling": [prompt.sampling.temperature, prompt.sampling.seed],
        "schema": prompt.schema,
    }
    text = json.dumps(request, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _line(key: str, model: str, reply: Reply) -> str:
    """Without times, so that recording the same thing again changes nothing."""
    fields = {
        "key": key,
        "model": model,
        "text": reply.text,
        "stop": reply.stop.value,
        "prompt_tokens": reply.prompt_tokens,
        "output_tokens": reply.output_tokens,
    }
    return json.dumps(fields, ensure_ascii=False)


def _parse(line: str) -> tuple[str, str, Reply]:
    """Key, model and reply of one line; raises ValueError, KeyError or TypeError."""
    fields = json.loads(line)
    numbers = (int(fields["prompt_tokens"]), int(fields["output_tokens"]))
    return str(fields["key"]), str(fields["model"]), Reply(str(fields["text"]), Stop(fields["stop"]), *numbers, 0.0)


def read_recordings(path: Path) -> dict[str, tuple[str, Reply]]:
    """Model and reply by key; none when there is no such file. Raises StateError for a line that is none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise StateError(f"{path} cannot be read: {error}", f"make it again: {RECORD}") from error
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            key, model, reply = _parse(line)
        except (ValueError, KeyError, TypeError) as error:
            raise StateError(f"{path}:{number} is no recorded reply", f"make the file again: {RECORD}") from error
        found[key] = (model, reply)
    return found


def write_recordings(path: Path, recordings: Mapping[str, tuple[str, Reply]]) -> None:
    """One JSON object a line, in the order of the keys."""
    lines = [_line(key, *recordings[key]) + "\n" for key in sorted(recordings)]
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text("".join(lines), encoding="utf-8", newline="\n")
        fresh.replace(path)
    except OSError as error:
        raise LitecodeError(f"{path} cannot be written: {error.strerror}", "check its permissions") from error


class ReplayModel:
    """Answers from a file of recordings. `model` is the name of the model that they were made with; without it the file
    decides, which then must be about one model only.
    """

    slots = 1

    def __init__(self, path: Path, model: str = "", window: int = WINDOW, factor: float = UNKNOWN_FACTOR) -> None:
        self._path = path
        self._recordings = read_recordings(path)
        models = {recorded for recorded, _ in self._recordings.values()}
        if not model and len(models) > 1:
            raise StateError(f"{path} has replies of {len(models)} models: {', '.join(sorted(models))}", "name one")
        self._model = model or next(iter(models), "replay")
        self.window = window
        self.factor = factor

    @property
    def name(self) -> str:
        return f"{self._model} (replay)"

    @property
    def digest(self) -> str:
        """Of the recordings: other recordings are another model."""
        text = "".join(_line(key, *self._recordings[key]) + "\n" for key in sorted(self._recordings))
        return hashlib.sha256(f"{self._model}\n{text}".encode()).hexdigest()

    def complete(self, prompt: Prompt) -> Reply:
        found = self._recordings.get(request_key(self._model, prompt))
        if found is None:
            raise ModelUnrecorded(f"{self._path} has no reply to this request of {self._model}", RECORD)
        return found[1]

    def count(self, messages: tuple[Message, ...]) -> int | None:  # noqa: ARG002  the port's signature
        return None

    def close(self) -> None: ...


class RecordingModel:
    """Asks another port and keeps its replies; `close` writes those of this run, and no others, to the file."""

    def __init__(self, port: ModelPort, path: Path, model: str) -> None:
        """`model` names the model in the recordings, without the place where it ran."""
        self._port = port
        self._path = path
        self._model = model
        self._recordings: dict[str, tuple[str, Reply]] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._port.name

    @property
    def digest(self) -> str:
        return self._port.digest

    @property
    def window(self) -> int:
        return self._port.window

    @property
    def slots(self) -> int:
        return self._port.slots

    @property
    def factor(self) -> float:
        return self._port.factor if isinstance(self._port, Measured) else UNKNOWN_FACTOR

    def bind(self, halt: Halt) -> None:
        if isinstance(self._port, Interruptible):
            self._port.bind(halt)

    def complete(self, prompt: Prompt) -> Reply:
        reply = self._port.complete(prompt)
        with self._lock:
            self._recordings[request_key(self._model, prompt)] = (self._model, reply)
        return reply

    def count(self, messages: tuple[Message, ...]) -> int | None:
        return self._port.count(messages)

    def close(self) -> None:
        self._port.close()
        with self._lock:
            write_recordings(self._path, self._recordings)
