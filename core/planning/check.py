"""Whether a planner's answer makes sense, and the plan that it becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from litecode.core.errors import PlanError
from litecode.core.planning.kinds import Kind
from litecode.core.planning.plan import DEPTH, TASKS, Answer, Draft, Planned
from litecode.core.values import ActionType, Contract, Plan, Task

SMALLER = "ask for one thing at a time, and name the file or the function that should change"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan is made for. `files` are those that it may name: `creates` and what the map shows. `named` are files
    of the request that have to be in it. `kind` is what the words of the request tell already.
    """

    request: str
    files: tuple[str, ...]
    creates: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    kind: Kind | None = None


def objections(answer: Answer, asked: Asked) -> list[str]:
    """What is wrong with an answer, each in one clause that a model can act on."""
    if answer.kind is Kind.QUESTION:
        return []
    tasks, found = answer.tasks, []
    if not tasks and not asked.named:
        found.append("there is no task; a change needs at least one")
    if len(tasks) > TASKS:
        found.append(f"there are {len(tasks)} tasks; at most {TASKS} are possible")
    for number, task in enumerate(tasks, 1):
        if task.file not in asked.files:
            found.append(f"task {number} names {task.file}, which is not in the list of files")
        if not task.action:
            found.append(f"task {number} has no action")
        found += [
            f"task {number} depends on {other}, which is no other task"
            for other in task.after
            if other == number or not 1 <= other <= len(tasks)
        ]
    if not found:
        found += _order_faults(tasks)
    return found


def _order_faults(tasks: Sequence[Draft]) -> list[str]:
    """Rings, and chains that are too long."""
    depth: dict[int, int] = {}
    while len(depth) < len(tasks):
        ready = [n for n, t in enumerate(tasks, 1) if n not in depth and all(other in depth for other in t.after)]
        if not ready:
            ring = sorted(n for n in range(1, len(tasks) + 1) if n not in depth)
            return [f"the tasks {', '.join(map(str, ring))} wait for each other"]
        for number in ready:
            depth[number] = 1 + max((depth[other] for other in tasks[number - 1].after), default=0)
    deepest = max(depth.values(), default=0)
    return [f"{deepest} tasks wait for one another in a row; at most {DEPTH} are possible"] if deepest > DEPTH else []


def without_order(answer: Answer) -> Answer:
    """The same tasks, none of which waits for another."""
    return replace(answer, tasks=tuple(replace(task, after=()) for task in answer.tasks))


def planned(answer: Answer, asked: Asked) -> Planned:
    """The plan of an answer to which there is no objection.

    A file that the request names and the answer forgot gets a task of its own. A rename counts only if both names
    stand in the request, because small models make them up.
    """
    if answer.kind is Kind.QUESTION:
        return Planned(Kind.QUESTION, Plan(()))
    tasks = [
        Task(str(number), draft.file, draft.action, _type(draft.file, asked), depends_on=tuple(map(str, draft.after)))
        for number, draft in enumerate(answer.tasks, 1)
    ]
    forgotten = [path for path in asked.named if path not in {task.path for task in tasks}]
    for path in forgotten:
        tasks.append(Task(str(len(tasks) + 1), path, asked.request, _type(path, asked)))
    if len(tasks) > TASKS:
        raise too_many(len(tasks))
    return Planned(Kind.CHANGE, Plan(tuple(tasks), _contract(answer, asked.request)))


def too_many(number: int) -> PlanError:
    return PlanError(f"the request needs {number} tasks; one plan has at most {TASKS}", SMALLER)


def _type(path: str, asked: Asked) -> ActionType:
    return ActionType.CREATE if path in asked.creates else ActionType.EDIT


def _contract(answer: Answer, request: str) -> Contract:
    words = set(re.findall(r"[A-Za-z_$][\w$]*", request))
    renames = tuple(
        dict.fromkeys((old, new) for old, new in answer.renames if old != new and old in words and new in words)
    )
    signatures = tuple(s for s in dict.fromkeys(answer.signatures) if _head(s) in words)
    return Contract(renames, signatures)


def _head(signature: str) -> str:
    """The name of a signature, without the words before it."""
    match = re.search(r"([A-Za-z_$][\w$]*)\s*\(", signature)
    return match[1] if match else ""
