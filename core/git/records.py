"""What a journal says about each path, in the form in which it is written down."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litecode.core.git.moves import Blob, Move


@dataclass(frozen=True, slots=True)
class Record:
    """A Move without the contents: those are named by their SHA-256. `number` tells its files in the journal."""

    number: int
    path: str
    index_old: Blob | None
    index_new: Blob | None
    blob_old: str | None
    blob_new: str | None
    file_old: str | None
    file_new: str | None
    bits: int
    made: tuple[str, ...]

    def move(self, contents: Mapping[str, bytes]) -> Move:
        def content(name: str | None) -> bytes | None:
            return None if name is None else contents[name]

        return Move(
            self.path,
            self.index_old,
            self.index_new,
            content(self.blob_old),
            content(self.blob_new),
            content(self.file_old),
            content(self.file_new),
            self.bits,
            self.made,
        )


@dataclass(frozen=True, slots=True)
class Header:
    """What holds for the whole transaction. `kind` is apply or undo, `run` the run that it belongs to. `indexes` are
    the files that it swaps. With `beside` files on their way lie next to their targets, because the git directory is
    on another file system.
    """

    run: str
    kind: str
    created: float
    pid: int
    indexes: tuple[str, ...]
    beside: bool


def digest(content: bytes | None) -> str | None:
    """The name of a content in a journal."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def record_of(number: int, move: Move) -> Record:
    """The worktree file has the very bytes of the blob, mostly: then they are not hashed again."""
    old, new = digest(move.blob_old), digest(move.blob_new)
    return Record(
        number,
        move.path,
        move.index_old,
        move.index_new,
        old,
        new,
        old if move.file_old == move.blob_old else digest(move.file_old),
        new if move.file_new == move.blob_new else digest(move.file_new),
        move.bits,
        move.made,
    )


def write_record(record: Record) -> dict[str, object]:
    """For JSON; dataclasses.asdict copies every value and takes ten times as long."""
    return {name: getattr(record, name) for name in Record.__slots__}


def read_record(raw: dict[str, Any]) -> Record:
    sides = {side: None if raw[side] is None else Blob(*raw[side]) for side in ("index_old", "index_new")}
    return Record(**{**raw, **sides, "made": tuple(raw["made"])})
