"""The commit that waits for its request: its message, how it was to be made, and what requests came to before.

All of it is in `commit/` in the state directory of the worktree. There is one waiting commit; a later one replaces it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import msgspec

from litecode.core.errors import StateError

KEEP_RESULTS = 50
_FORMAT = 1

T = TypeVar("T")


class Content(StrEnum):
    """What a commit was made of. STAGED: the index. ALL: an index that git made for it (-a, -i, -p). ONLY: HEAD and
    some paths.
    """

    STAGED = "staged"
    ALL = "all"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A commit that was stopped. `texts` are its requests that are not carried out yet, `runs` the runs of the first
    ones of them, whose results are held. `before` is the tree that it was to have, `real` that of the real index then,
    `head` the commit below it. `options` is None when its command line is not known. With `laid` the real index has
    what the commit was to have.
    """

    texts: tuple[str, ...]
    before: str
    real: str
    head: str | None
    content: Content
    runs: tuple[str, ...] = ()
    options: tuple[str, ...] | None = None
    author: dict[str, str] = field(default_factory=dict)
    verbatim: bool = False
    laid: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What requests have made of a tree, in the order of the trailers. A run that changed nothing may have no id."""

    texts: tuple[str, ...]
    runs: tuple[str, ...]
    before: str
    after: str
    head: str | None


@dataclass(frozen=True, slots=True)
class CommitStore:
    """`root` is the state directory of the worktree; nothing is made before the first write."""

    root: Path

    @property
    def message_file(self) -> Path:
        return self.root / "commit" / "message"

    def keep_message(self, text: bytes) -> Path:
        """Raises StateError when it cannot be written."""
        _write(self.message_file, text)
        return self.message_file

    def message(self) -> bytes:
        try:
            return self.message_file.read_bytes()
        except OSError as error:
            raise StateError(f"the message in {self.message_file} cannot be read: {error.strerror}", _AGAIN) from None

    def keep(self, waiting: Waiting) -> None:
        _write_json(self._file("waiting"), waiting)

    def waiting(self) -> Waiting | None:
        """Raises StateError for a file that nobody has written like this."""
        return _read_json(self._file("waiting"), Waiting)

    def done(self) -> None:
        """The commit is made: nothing waits any more."""
        self._file("waiting").unlink(missing_ok=True)
        self.message_file.unlink(missing_ok=True)

    def record(self, result: Result) -> None:
        """Remember what requests came to; the newest come first, and the oldest are forgotten."""
        others = [known for known in self.results() if known != result]
        _write_json(self._file("results"), (result, *others[: KEEP_RESULTS - 1]))

    def results(self) -> tuple[Result, ...]:
        """A damaged file counts as none: a request is carried out again then."""
        try:
            return _read_json(self._file("results"), tuple[Result, ...]) or ()
        except StateError:
            return ()

    def _file(self, name: str) -> Path:
        return self.root / "commit" / f"{name}.json"


_AGAIN = "commit again"


def _write_json(path: Path, value: Waiting | Sequence[Result]) -> None:
    data = {"format": _FORMAT, "value": msgspec.to_builtins(value)}
    _write(path, json.dumps(data, ensure_ascii=True).encode("ascii"))


def _read_json(path: Path, kind: type[T]) -> T | None:
    try:
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise ValueError("unknown format")
        return msgspec.convert(data["value"], kind)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, RecursionError) as error:
        raise StateError(f"{path} cannot be used: {error}", f"delete it, and {_AGAIN}") from None


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError as error:
        raise StateError(
            f"{path} cannot be written: {error.strerror}", "make room, or make the folder writable for you"
        ) from None
