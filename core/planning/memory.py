"""What a planner is told about the requests before this one, so that "also" and "the same" mean something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from litecode.core.budget.fit import Part, Spare
from litecode.core.values import State

ENTRIES = 4
ENTRY_TOKENS = 90
_SHOWN = 4  # files of one entry


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier request of the person, and what became of each file of it."""

    request: str
    files: tuple[tuple[str, State], ...]
    undone: bool = False


def memory_parts(past: Sequence[Past], count: Callable[[str], int]) -> tuple[Part, ...]:
    """The last requests, the newest first; each in at most ENTRY_TOKENS tokens. What is too long loses words of the
    request, never the files.
    """
    return tuple(Part(Spare.MEMORY, _entry(entry, count)) for entry in past[:ENTRIES])


def _entry(entry: Past, count: Callable[[str], int]) -> str:
    words = entry.request.split()
    while True:
        cut = "" if len(words) == len(entry.request.split()) else " …"
        text = f"- {' '.join(words)}{cut} ({_outcome(entry)})"
        if count(text) <= ENTRY_TOKENS or not words:
            return text
        del words[-max(1, len(words) // 8) :]


def _outcome(entry: Past) -> str:
    if entry.undone:
        return "taken back"
    parts = []
    for state, words in ((State.STAGED, "changed"), (State.HELD, "proposed for")):
        paths = [path for path, found in entry.files if found is state]
        if paths:
            more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
            parts.append(f"{words} {', '.join(paths[:_SHOWN])}{more}")
    return "; ".join(parts) or "nothing was changed"
