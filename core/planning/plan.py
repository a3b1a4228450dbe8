"""What a planner may answer: the schema for it, and the answer as values.

The schema is flat and small, because small models and the engines that constrain them do best with those. Files are an
enum, so that no file can be named that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from litecode.core.planning.kinds import Kind
from litecode.core.values import Plan, Stop

TASKS = 10  # of one plan; small models lose the thread before that
DEPTH = 4  # tasks that wait for one another in a row
ACTION = 400  # characters of an action
WORDS = 120  # characters that a planner has for one; where there is more room, small models repeat themselves
NAMES = 8  # renames, and signatures

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Planned:
    """What a planner made of a request. A question has no tasks."""

    kind: Kind
    plan: Plan


@dataclass(frozen=True, slots=True)
class Draft:
    """One task as a planner answers it; `after` has the numbers of tasks, counted from 1."""

    file: str
    action: str
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A planner's answer that has the form of the schema; whether it makes sense is for `check` to say."""

    kind: Kind
    tasks: tuple[Draft, ...]
    renames: tuple[tuple[str, str], ...] = ()
    signatures: tuple[str, ...] = ()


class Malformed(Exception):
    """The answer does not have the form of the schema; the argument says why in one clause."""


def kind_schema() -> Mapping[str, Any]:
    """The schema of the answer to whether a request is a question."""
    return {
        "type": "object",
        "properties": {"kind": {"enum": [kind.value for kind in Kind]}},
        "required": ["kind"],
        "additionalProperties": False,
    }


def plan_schema(files: Sequence[str], kind: Kind | None = None, *, linked: bool = True) -> Mapping[str, Any]:
    """The schema of an answer about these files; `kind` when it is known already. Only with `linked` it may have
    dependencies and a contract: where they make no sense, small models make them up. One task more than allowed is let
    through, so that too many are seen and not silently cut.
    """
    text = {"type": "string"}
    after = {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": DEPTH}
    task = {
        "type": "object",
        "properties": {
            "file": {"enum": list(files)},
            "action": {"type": "string", "maxLength": WORDS},
            **({"depends_on": after} if linked else {}),
        },
        "required": ["file", "action"],
        "additionalProperties": False,
    }
    rename = {
        "type": "object",
        "properties": {"old": text, "new": text},
        "required": ["old", "new"],
        "additionalProperties": False,
    }
    contract = {
        "renames": {"type": "array", "items": rename, "minItems": 1, "maxItems": NAMES},
        "signatures": {"type": "array", "items": text, "minItems": 1, "maxItems": NAMES},
    }
    return {
        "type": "object",
        "properties": {
            "kind": {"enum": [k.value for k in Kind if kind in (None, k)]},
            "tasks": {"type": "array", "items": task, "maxItems": TASKS + 1},
            **(contract if linked else {}),
        },
        "required": ["kind", "tasks"],
        "additionalProperties": False,
    }


def folder_schema(folders: Sequence[str], most: int) -> Mapping[str, Any]:
    """The schema of the choice of folders."""
    chosen = {"type": "array", "items": {"enum": list(folders)}, "minItems": 1, "maxItems": most}
    return {
        "type": "object",
        "properties": {"folders": chosen},
        "required": ["folders"],
        "additionalProperties": False,
    }


class _Task(msgspec.Struct, frozen=True):
    file: str
    action: str
    depends_on: tuple[int, ...] = ()


class _Rename(msgspec.Struct, frozen=True):
    old: str
    new: str


class _Answer(msgspec.Struct, frozen=True):
    kind: Kind
    tasks: tuple[_Task, ...] = ()
    renames: tuple[_Rename, ...] = ()
    signatures: tuple[str, ...] = ()


class _Folders(msgspec.Struct, frozen=True):
    folders: tuple[str, ...]


def read_answer(text: str, stop: Stop) -> Answer:
    """The answer in a reply. Raises Malformed, also for one that was cut off."""
    found = _decode(text, stop, _Answer)
    return Answer(
        found.kind,
        tuple(Draft(task.file, _one_line(task.action), task.depends_on) for task in found.tasks),
        tuple((rename.old.strip(), rename.new.strip()) for rename in found.renames),
        tuple(_one_line(signature) for signature in found.signatures),
    )


def read_kind(text: str, stop: Stop) -> Kind:
    """The kind in a reply. Raises Malformed."""
    return _decode(text, stop, _Answer).kind


def read_folders(text: str, stop: Stop) -> tuple[str, ...]:
    """The folders in a reply, each once. Raises Malformed."""
    return tuple(dict.fromkeys(_decode(text, stop, _Folders).folders))


def _decode(text: str, stop: Stop, kind: type[T]) -> T:
    if stop is Stop.LENGTH:
        raise Malformed("the answer was cut off: it is too long")
    if stop is not Stop.END:
        raise Malformed("the answer did not end cleanly")
    start, end = text.find("{"), text.rfind("}")  # some servers wrap it in a fence all the same
    try:
        return msgspec.json.decode(text[start : end + 1] if 0 <= start < end else text, type=kind)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise Malformed(f"the answer is not what was asked for: {str(error).splitlines()[0]}") from None


def _one_line(text: str) -> str:
    """Text of a model goes into other prompts: on one line and of a limited length."""
    return " ".join(text.split())[:ACTION]
