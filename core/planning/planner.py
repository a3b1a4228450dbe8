"""The planner: one call that sees the map of the files and the request, never code, and answers with tasks.

`make_plan` is a generator like the executor's: it yields prompts and is sent replies. It makes at most two calls: the
second one tells what was wrong with the first answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from litecode.core.budget.fit import PLAN_RESERVE, Fit, Part, refusal
from litecode.core.errors import ModelTooLarge, PlanError
from litecode.core.planning.check import SMALLER, Asked, objections, planned, without_order
from litecode.core.planning.kinds import Kind
from litecode.core.planning.plan import (
    Answer,
    Malformed,
    Planned,
    folder_schema,
    kind_schema,
    plan_schema,
    read_answer,
    read_folders,
    read_kind,
)
from litecode.core.values import Message, Prompt, Reply

FOLDERS = 5  # that one answer may choose
FOLDER_RESERVE = 200
KIND_RESERVE = 32

SYSTEM = "You plan changes to a code base. You see the map of its files, not their text. You answer in JSON."
SORT = "You sort requests of a programmer. You answer in JSON."
TASK = (
    'First the kind: "change", or "question" if the person only wants to know something. Then the tasks, one for each'
    " file that has to change. Most requests change one file only; name no file that can stay as it is. The action is a"
    " few words."
)
PLACES = "Choose the folders whose files have to change for this request, the most likely first."
LINKS = " depends_on has the numbers of the tasks whose result a task needs."
KIND = (
    'Is it a "change" (something should be written, fixed or done in the code) or a "question" (the person wants an'
    " answer, and nothing is edited)?"
)
REPAIR = "That plan cannot be used: {}. Answer again, with the whole plan."

_LINKED = re.compile(
    r"\b(?:rename|signature|parameters?|arguments?|callers?|interface|then\s+use|and\s+use|new\s+(?:module|file|function|class))\b",
    re.IGNORECASE,
)

Steps = Generator[Prompt, Reply, Planned]


@dataclass(frozen=True, slots=True)
class Room:
    """What may be sent: `fits` counts whole messages with a reserve for the reply, `count` a text."""

    fits: Callable[[tuple[Message, ...], int], Fit]
    count: Callable[[str], int]


def plan_messages(asked: Asked, text: str, memory: Sequence[Part]) -> tuple[Message, ...]:
    """The map comes first, because it stays the same from one request to the next."""
    parts = [f"Files:\n{text}"]
    if memory:
        parts.append("Earlier requests, done already:\n" + "\n".join(part.text for part in memory))
    if asked.creates:
        parts.append("Files to create: " + ", ".join(asked.creates))
    parts += [f"Request: {' '.join(asked.request.split())}", TASK + LINKS if linked(asked) else TASK]
    return Message("system", SYSTEM), Message("user", "\n\n".join(parts))


def linked(asked: Asked) -> bool:
    """Whether tasks of the plan may need each other."""
    return bool(asked.creates) or len(asked.named) > 1 or _LINKED.search(asked.request) is not None


def ask_kind(request: str) -> Generator[Prompt, Reply, Kind]:
    """Whether a request is a question; in doubt it is one, because an answer does no harm."""
    user = f"Request: {' '.join(request.split())}\n\n{KIND}"
    reply = yield Prompt((Message("system", SORT), Message("user", user)), KIND_RESERVE, schema=kind_schema())
    try:
        return read_kind(reply.text, reply.stop)
    except Malformed:
        return Kind.QUESTION


def map_budget(asked: Asked, memory: Sequence[Part], room: Room) -> int:
    """Tokens that the map may have beside everything else of the call; 0 when there is no room at all."""
    fit = room.fits(plan_messages(asked, "", memory), PLAN_RESERVE)
    return max(0, fit.window - fit.needed)


def make_plan(asked: Asked, text: str, memory: Sequence[Part], room: Room, calls: int = 2) -> Steps:
    """Raises PlanError when no answer can be used, ModelTooLarge when not even the request fits. `text` is the map,
    made within `map_budget`; memory that does not fit beside it is dropped.
    """
    messages = _fitting(asked, text, memory, room)
    schema = plan_schema(asked.files, asked.kind, linked=linked(asked))
    wrong: list[str] = []
    answer: Answer | None = None
    for _ in range(calls):
        reply = yield Prompt(messages, PLAN_RESERVE, schema=schema)
        try:
            answer = read_answer(reply.text, reply.stop)
            wrong = objections(answer, asked)
        except Malformed as err:
            answer, wrong = None, [str(err)]
        else:
            if not wrong:
                return planned(answer, asked)
        again = (*messages, Message("assistant", reply.text), Message("user", REPAIR.format("; ".join(wrong))))
        if not room.fits(again, PLAN_RESERVE).fits:
            break
        messages = again
    if answer is not None and not objections(plain := without_order(answer), asked):
        return planned(plain, asked)  # an order that makes no sense is no reason to give the tasks up
    raise PlanError(f"no plan was found for the request: {'; '.join(wrong)}", SMALLER)


def _fitting(asked: Asked, text: str, memory: Sequence[Part], room: Room) -> tuple[Message, ...]:
    """The messages with as much memory as fits, the newest first; the map and the request are never cut here."""
    for kept in range(len(memory), -1, -1):
        messages = plan_messages(asked, text, memory[:kept])
        fit = room.fits(messages, PLAN_RESERVE)
        if fit.fits:
            return messages
    raise refusal(fit, SMALLER)


def choose_folders(
    request: str, folders: Sequence[str], text: str, room: Room
) -> Generator[Prompt, Reply, tuple[str, ...]]:
    """Which folders the request is about; `text` is the map of the folders. None when the answer cannot be used."""
    user = f"Folders:\n{text}\n\nRequest: {' '.join(request.split())}\n\n{PLACES}"
    messages = (Message("system", SYSTEM), Message("user", user))
    if not room.fits(messages, FOLDER_RESERVE).fits:
        return ()
    try:
        reply = yield Prompt(messages, FOLDER_RESERVE, schema=folder_schema(folders, FOLDERS))
        return tuple(folder for folder in read_folders(reply.text, reply.stop) if folder in folders)
    except (Malformed, ModelTooLarge):
        return ()
