"""Runs a plan: each task the moment its dependencies have ended, the tasks of one file one after another.

It knows no model, no git and no clock. What a task works on (`C`, the content of one file in whatever form the
caller chose) and what it finds out (`V`) pass through unread. Nothing is written: the outcomes meet in memory, and
the caller makes one transaction of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from litecode.core.errors import Interrupted, LitecodeError, ModelCancelled, PlanError
from litecode.core.events import Event, EventKind
from litecode.core.values import Plan, Task

C = TypeVar("C")
V = TypeVar("V")

CANCEL_POLL = 0.1  # seconds between two looks at `cancel` while nothing ends


class Ending(StrEnum):
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Seen(Generic[C]):
    """What a task starts from: its own file as the earlier tasks left it, None when the plan's files have no such
    path; and the files of the tasks that it depends on, directly or not, as they are by now.
    """

    content: C | None
    others: Mapping[str, C]


@dataclass(frozen=True, slots=True)
class Done(Generic[C, V]):
    """What a task gives back: the file for the next task, None to leave it as it was, and the value to keep.

    A `failure` (one clause) makes the task a failed one that keeps its value; its content is dropped.
    """

    content: C | None
    value: V
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[C, V]):
    """What became of one task. `content` is its file after it, also when it failed or was skipped."""

    state: Ending
    content: C | None
    value: V | None = None
    reason: str = ""
    error: LitecodeError | None = None


Execute = Callable[[Task, Seen[C]], Done[C, V]]


def run_plan(
    plan: Plan,
    execute: Execute[C, V],
    executor: Executor,
    *,
    per_file: Mapping[str, C],
    cancel: threading.Event,
    on_event: Callable[[Event], None] = lambda _event: None,
) -> dict[str, Outcome[C, V]]:
    """Run every task of `plan` once; the outcomes are in plan order, by task id.

    `execute` is called through `executor.submit` alone, so it has to be safe for that executor (threads, or another
    process); `on_event` is only called in this thread. A `LitecodeError` of `execute` fails that task and skips the
    tasks that depend on it; later tasks of the same file that do not depend on it go on with the last good content.

    Raises PlanError for a plan that cannot be run, Interrupted once `cancel` is set or Ctrl-C comes (what runs is
    not waited for), and whatever else `execute` raised, which is a bug; in both cases `cancel` is set and what is
    queued is cancelled.
    """
    return _Conductor(plan, execute, executor, per_file, cancel, on_event).run()


def check_plan(plan: Plan) -> None:
    """Raise PlanError for two tasks with one id, a dependency that is no task, or a cycle."""
    ids: set[str] = set()
    for task in plan.tasks:
        if task.id in ids:
            raise PlanError(f"the plan has two tasks named {task.id}", "run it again; a plan is made anew each time")
        ids.add(task.id)
    for task in plan.tasks:
        for other in task.depends_on:
            if other not in ids:
                raise PlanError(
                    f"task {task.id} ({task.path}) depends on {other}, which is no task of the plan",
                    "ask again in other words, or for one file at a time",
                )
    try:
        TopologicalSorter({task.id: task.depends_on for task in plan.tasks}).prepare()
    except CycleError as error:
        # graphlib lists each task before the one that waits for it; read backwards it says who waits for whom
        ring = " -> ".join(reversed(error.args[1]))
        raise PlanError(
            f"the tasks of the plan wait for each other: {ring}",
            "ask again in other words, or for one file at a time",
        ) from None


def order_within_files(plan: Plan) -> dict[str, set[str]]:
    """The tasks that each task waits for: those it depends on, and the earlier ones of its file.

    Earlier is plan order, except where the dependencies say the opposite; so any two tasks of one file are ordered,
    and the graph stays without a cycle.
    """
    waits = {task.id: set(task.depends_on) for task in plan.tasks}
    by_file: dict[str, list[str]] = {}
    for task in plan.tasks:
        by_file.setdefault(task.path, []).append(task.id)
    free = not any(waits.values())
    for ids in by_file.values():
        if free:  # the tasks of rules, of which there can be thousands on one file
            waits.update((later, {earlier}) for earlier, later in pairwise(ids))
            continue
        for place, later in enumerate(ids):
            before = _reachable(waits, later)
            for earlier in reversed(ids[:place]):
                if earlier in before:
                    continue
                behind = _reachable(waits, earlier)
                if later not in behind:
                    waits[later].add(earlier)
                    before |= behind | {earlier}
    return waits


def _reachable(waits: Mapping[str, set[str]], start: str) -> set[str]:
    """All tasks that `start` waits for, directly or not."""
    found: set[str] = set()
    stack = [start]
    while stack:
        for other in waits[stack.pop()]:
            if other not in found:
                found.add(other)
                stack.append(other)
    return found


@dataclass(slots=True)
class _Conductor(Generic[C, V]):
    """The state of one `run_plan`; all of it belongs to the calling thread, except the queue of ended futures."""

    plan: Plan
    execute: Execute[C, V]
    executor: Executor
    per_file: Mapping[str, C]
    cancel: threading.Event
    on_event: Callable[[Event], None]
    tasks: dict[str, Task] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)
    contents: dict[str, C] = field(default_factory=dict)
    outcomes: dict[str, Outcome[C, V]] = field(default_factory=dict)
    upstream: dict[str, set[str]] = field(default_factory=dict)
    running: dict[str, Future[Done[C, V]]] = field(default_factory=dict)
    ended: SimpleQueue[str] = field(default_factory=SimpleQueue)

    def run(self) -> dict[str, Outcome[C, V]]:
        check_plan(self.plan)
        self.tasks = {task.id: task for task in self.plan.tasks}
        self.place = {name: number for number, name in enumerate(self.tasks)}
        self.contents = dict(self.per_file)
        sorter = TopologicalSorter(order_within_files(self.plan))
        sorter.prepare()
        self.on_event(Event(EventKind.PLANNED, total=len(self.tasks)))
        try:
            while sorter.is_active():
                self._start(sorter)
                if self.running:
                    sorter.done(self._collect(self._next()))
        except BaseException as error:
            self._abandon()
            if isinstance(error, KeyboardInterrupt | Interrupted | ModelCancelled):
                raise Interrupted("interrupted: nothing was changed") from None
            raise
        return {task.id: self.outcomes[task.id] for task in self.plan.tasks}

    def _start(self, sorter: TopologicalSorter[str]) -> None:
        """Submit what is ready, skip what cannot run, until neither is left."""
        while ready := sorter.get_ready():
            for name in sorted(ready, key=self.place.__getitem__):
                if self.cancel.is_set():
                    raise Interrupted("interrupted: nothing was changed")
                if reason := self._blocked(self.tasks[name]):
                    self._settle(name, Outcome(Ending.SKIPPED, self.contents.get(self.tasks[name].path), reason=reason))
                    sorter.done(name)
                else:
                    self._submit(self.tasks[name])

    def _blocked(self, task: Task) -> str:
        for other in task.depends_on:
            outcome = self.outcomes[other]
            if outcome.state is Ending.FAILED:
                return f"depends on {other} ({self.tasks[other].path}), which failed: {outcome.reason}"
            if outcome.state is Ending.SKIPPED:
                return outcome.reason
        return ""

    def _submit(self, task: Task) -> None:
        upstream = set(task.depends_on).union(*(self.upstream[other] for other in task.depends_on))
        self.upstream[task.id] = upstream
        paths = {self.tasks[other].path for other in upstream} - {task.path}
        others = {path: self.contents[path] for path in sorted(paths) if path in self.contents}
        self.on_event(Event(EventKind.READY, task.id, task.path, task.rule))
        future = self.executor.submit(self.execute, task, Seen(self.contents.get(task.path), others))
        self.running[task.id] = future
        future.add_done_callback(partial(self._tell, task.id))

    def _tell(self, name: str, _future: Future[Done[C, V]]) -> None:
        """Called in whatever thread the future ends in."""
        self.ended.put(name)

    def _next(self) -> str:
        while True:
            if self.cancel.is_set():
                raise Interrupted("interrupted: nothing was changed")
            try:
                return self.ended.get(timeout=CANCEL_POLL)
            except Empty:
                continue

    def _collect(self, name: str) -> str:
        task = self.tasks[name]
        outcome: Outcome[C, V]
        try:
            done = self.running.pop(name).result()
        except (Interrupted, ModelCancelled):
            raise
        except LitecodeError as error:
            outcome = Outcome(Ending.FAILED, self.contents.get(task.path), reason=str(error), error=error)
        else:
            if done.failure:
                outcome = Outcome(Ending.FAILED, self.contents.get(task.path), done.value, done.failure)
            else:
                if done.content is not None:
                    self.contents[task.path] = done.content
                outcome = Outcome(Ending.DONE, self.contents.get(task.path), done.value)
        self._settle(name, outcome)
        return name

    def _settle(self, name: str, outcome: Outcome[C, V]) -> None:
        task = self.tasks[name]
        self.outcomes[name] = outcome
        self.upstream.setdefault(name, set())
        self.on_event(Event(EventKind.ENDED, name, task.path, task.rule, outcome.state.value))

    def _abandon(self) -> None:
        self.cancel.set()
        for future in self.running.values():
            future.cancel()
