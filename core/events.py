"""What a run tells while it works; `litecode.hooks.show.progress` is who listens."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EventKind(StrEnum):
    PLANNED = "planned"  # `total` tasks are known
    READY = "ready"  # a task was handed to the executor: its dependencies have ended
    ENDED = "ended"  # a task ended; `text` is `done`, `failed` or `skipped`
    LOADING = "loading"  # `text` says which model is loaded now, and how much memory it takes
    CALL = "call"  # a model call ended; `tokens` came out in `seconds`, `text` is what it was for
    NOTE = "note"  # `text` is a sentence for the person


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; which of the fields have a meaning is said at each kind."""

    kind: EventKind
    task: str = ""
    path: str = ""
    rule: str = ""
    text: str = ""
    total: int = 0
    tokens: int = 0
    seconds: float = 0.0
