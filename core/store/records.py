"""How a run is laid out as files, and read back: values to bytes, bytes to values.

JSON is written as ASCII with escapes, so that paths with undecodable bytes (surrogateescape) survive, and nothing in
a file can play tricks on a terminal.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from litecode.core.values import Call, Change, Patch, Run, State

FORMAT = 1
RUN_FILE = "run.json"
CALLS_FILE = "calls.jsonl"

T = TypeVar("T")


class Damaged(Exception):
    """A run's folder is not what `to_files` wrote; the text is one clause."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One line of the log. `files` have a verdict, `states` counts the verdicts, `outcomes` has path and state of each.
    `undone` is what `git litecode undo`
    leaves in `Run.extra`; `damage` says why nothing is known.
    """

    id: str
    started: float
    command: tuple[str, ...] = ()
    request: str = ""
    model: str = ""
    seconds: float = 0.0
    files: int = 0
    states: Mapping[State, int] = field(default_factory=dict)
    undone: bool = False
    damage: str = ""
    outcomes: tuple[tuple[str, State], ...] = ()


class _Patch(msgspec.Struct, frozen=True):
    """A patch without its two big texts, which are in the files named here, with their hashes."""

    path: str
    state: State
    rules: tuple[str, ...]
    reason: str
    mode: str
    before: str | None
    diff_file: str
    diff_sha256: str
    after_file: str
    after_sha256: str


class _Stored(msgspec.Struct, frozen=True):
    """`run.json`: the run without patches and calls, and where those are."""

    format: int
    run: Run
    patches: tuple[_Patch, ...]
    calls: int


class _LightVerdict(msgspec.Struct, frozen=True):
    path: str
    state: State


class _LightRun(msgspec.Struct, frozen=True):
    id: str
    started: float
    command: tuple[str, ...]
    request: str
    model: str
    seconds: float
    verdicts: tuple[_LightVerdict, ...]
    extra: dict[str, object]


class _Light(msgspec.Struct, frozen=True):
    format: int
    run: _LightRun


def to_files(run: Run) -> dict[str, bytes]:
    """File name (with `/`) to content. `run.extra` must be JSON; its tuples come back as lists."""
    files: dict[str, bytes] = {}
    stored = []
    for number, patch in enumerate(run.patches, 1):
        diff = patch.diff.encode("utf-8", "surrogateescape")
        entry = _Patch(
            path=patch.path,
            state=patch.state,
            rules=patch.rules,
            reason=patch.reason,
            mode=patch.change.mode,
            before=patch.change.before,
            diff_file=f"{number:03}-{plain_name(patch.path)}.patch",
            diff_sha256=_digest(diff),
            after_file=f"blobs/{number:03}",
            after_sha256=_digest(patch.change.after),
        )
        files[entry.diff_file] = diff
        files[entry.after_file] = patch.change.after
        stored.append(entry)
    files[CALLS_FILE] = b"".join(_dump(call) for call in run.calls)
    rest = replace(run, patches=(), calls=())
    files[RUN_FILE] = _dump(_Stored(FORMAT, rest, tuple(stored), len(run.calls)))
    return files


def from_files(folder: Path) -> Run:
    """The run that `to_files` took apart. Raises Damaged, or OSError when a file cannot be read."""
    stored = _convert(_json(folder / RUN_FILE), _Stored, RUN_FILE)
    patches = tuple(_patch(folder, entry) for entry in stored.patches)
    calls = tuple(
        _convert(_parse(line, CALLS_FILE), Call, CALLS_FILE) for line in (folder / CALLS_FILE).read_bytes().splitlines()
    )
    if len(calls) != stored.calls:
        raise Damaged(f"{CALLS_FILE} has {len(calls)} of {stored.calls} calls")
    if stored.run.id != folder.name:
        raise Damaged(f"{RUN_FILE} is that of the run {stored.run.id}")
    return replace(stored.run, patches=patches, calls=calls)


def light(folder: Path) -> RunRecord:
    """What the log needs, from `run.json` alone. Raises Damaged or OSError."""
    run = _convert(_json(folder / RUN_FILE), _Light, RUN_FILE).run
    return RunRecord(
        id=folder.name,
        started=run.started,
        command=run.command,
        request=run.request,
        model=run.model,
        seconds=run.seconds,
        files=len({verdict.path for verdict in run.verdicts}),
        states=Counter(verdict.state for verdict in run.verdicts),
        undone=run.extra.get("undone") is True,
        outcomes=tuple((verdict.path, verdict.state) for verdict in run.verdicts),
    )


def plain_name(path: str) -> str:
    """The end of a path, at most 60 ASCII characters, safe as a file name anywhere."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", path)[-60:].strip(".-") or "file"


def _patch(folder: Path, entry: _Patch) -> Patch:
    diff = _checked(folder, entry.diff_file, entry.diff_sha256)
    after = _checked(folder, entry.after_file, entry.after_sha256)
    change = Change(entry.path, entry.mode, entry.before, after)
    return Patch(entry.path, diff.decode("utf-8", "surrogateescape"), entry.state, entry.rules, change, entry.reason)


def _checked(folder: Path, name: str, sha256: str) -> bytes:
    if name.startswith("/") or ".." in name.split("/"):
        raise Damaged(f"{RUN_FILE} names a file outside of the folder")
    data = (folder / name).read_bytes()
    if _digest(data) != sha256:
        raise Damaged(f"{name} was changed")
    return data


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _dump(value: object) -> bytes:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def _json(path: Path) -> object:
    return _parse(path.read_bytes(), path.name)


def _parse(data: bytes, name: str) -> object:
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):
        raise Damaged(f"{name} is no JSON") from None
    if isinstance(value, dict) and value.get("format", FORMAT) != FORMAT:
        raise Damaged(f"{name} has the format {value['format']!r}, which this version of LiteCode does not know")
    return value


def _convert(value: object, kind: type[T], name: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise Damaged(f"{name}: {error}") from None
