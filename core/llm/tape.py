"""Recordings for the tests of rules: replies are taken from them, and with a model at hand what is missing is added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litecode.core.budget.door import Interruptible, Measured
from litecode.core.budget.tokens import UNKNOWN_FACTOR
from litecode.core.errors import ModelUnrecorded, UsageError
from litecode.core.llm.replay import RECORD, WINDOW, read_recordings, request_key, write_recordings
from litecode.core.values import Message, Prompt, Reply

if TYPE_CHECKING:
    from litecode.core.budget.halt import Halt
    from litecode.core.ports import ModelPort

Recordings = Mapping[str, tuple[str, Reply]]


class Tape:
    """A port that plays recordings. `path` is the file that new ones are written to, `others` are files that are only
    read. With `port` it asks that model for what is missing; with `again` for everything, once each.
    """

    slots = 1
    digest = ""

    def __init__(
        self, path: Path, others: Sequence[Path] = (), port: ModelPort | None = None, *, again: bool = False
    ) -> None:
        self._path = path
        self._own = read_recordings(path)
        self._others = [read_recordings(other) for other in others]
        self._port = port
        self._again = again
        self._used: dict[str, tuple[str, Reply]] = {}
        self.asked = 0

    @property
    def name(self) -> str:
        return self._port.name if self._port is not None else "recorded replies"

    @property
    def window(self) -> int:
        return self._port.window if self._port is not None else WINDOW

    @property
    def factor(self) -> float:
        return self._port.factor if isinstance(self._port, Measured) else UNKNOWN_FACTOR

    def bind(self, halt: Halt) -> None:
        if isinstance(self._port, Interruptible):
            self._port.bind(halt)

    def complete(self, prompt: Prompt) -> Reply:
        found = _find(self._used, prompt)
        if found is None and not self._again:
            found = _find(self._own, prompt, self._model)
            if found is not None:
                self._used[found] = self._own[found]
        if found is not None:
            return self._used[found][1]
        for other in self._others if not self._again else ():
            found = _find(other, prompt)
            if found is not None:
                return other[found][1]
        if self._port is None:
            raise ModelUnrecorded(f"{self._path.name} has no reply to this request", RECORD)
        reply = self._port.complete(prompt)
        self._used[request_key(self._model, prompt)] = (self._model, reply)
        self.asked += 1
        return reply

    def count(self, messages: tuple[Message, ...]) -> int | None:  # noqa: ARG002  the port's signature
        """None also with a model, so that what fits does not depend on whether one is there."""
        return None

    def close(self) -> None:
        if self._port is not None:
            self._port.close()

    def check(self, *, whole: bool) -> None:
        """Raises UsageError when the file would end up with replies of two models, as it keeps what it has unless
        `whole`.
        """
        if not whole and self._foreign:
            raise UsageError(
                f"{self._path.name} has replies of {', '.join(self._foreign)}, and the model is {self._model}",
                "name no rule, so that all are recorded again",
            )

    def save(self, *, whole: bool) -> None:
        """Write what was added. With `whole` every rule was tested: then what nobody asked for is left out."""
        if self._port is None or (self._foreign and not whole):
            return
        recordings = self._used if whole else {**self._own, **self._used}
        if recordings != self._own:
            write_recordings(self._path, recordings)

    @property
    def _foreign(self) -> list[str]:
        """The other models that the file has replies of."""
        if self._port is None:
            return []
        return sorted({model for model, _ in self._own.values()} - {self._model})

    @property
    def _model(self) -> str:
        """The model without the place where it runs."""
        return self._port.name.partition(" (")[0] if self._port is not None else ""


def _find(recordings: Recordings, prompt: Prompt, only: str = "") -> str | None:
    """The key of the reply to a prompt: by that model, or by any."""
    for model in sorted({model for model, _ in recordings.values()}):
        key = request_key(model, prompt)
        if key in recordings and only in ("", model):
            return key
    return None
