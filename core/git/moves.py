"""What a transaction does to each path, and what came of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    APPLIED = "applied"
    HELD = "held"  # it could be applied now
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one path; `reason` is one clause, also for an applied path that needs a remark."""

    path: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Applied:
    """The results in the order of the changes, and the id of the transaction, empty when nothing was written."""

    results: tuple[Result, ...]
    txn: str = ""

    @property
    def rejected(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.outcome is Outcome.REJECTED)


class Blob(NamedTuple):
    """An entry of the index at stage 0."""

    mode: str
    oid: str


@dataclass(frozen=True, slots=True)
class Move:
    """From one state of a path to another, on both sides. None means that the path is not there.

    `blob_old` and `blob_new` are the contents of the two blobs in canonical form, `file_old` and `file_new` the raw
    bytes of the worktree file. A side whose two states are equal is neither written nor checked.
    `bits` are the permission bits of the worktree file, `made` the directories that a new file needs.
    """

    path: str
    index_old: Blob | None
    index_new: Blob | None
    blob_old: bytes | None
    blob_new: bytes | None
    file_old: bytes | None
    file_new: bytes | None
    bits: int = 0o644
    made: tuple[str, ...] = ()

    @property
    def moves_index(self) -> bool:
        return self.index_old != self.index_new

    @property
    def moves_file(self) -> bool:
        return self.file_old != self.file_new


class Overtaken(Exception):
    """Somebody else changed a path between the decision and the write; never leaves `core/git`."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason


def blob_id(content: bytes, object_format: str) -> str:
    """The id that git gives to this content."""
    digest = hashlib.new(object_format, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
