"""Carries the steps of an executor out: knows results of earlier runs, makes the calls through the budget's door, keeps
the record.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from litecode.core.budget.door import Door
from litecode.core.budget.fit import can_fit, reserve_for
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import LitecodeError, ModelError, ModelTooLarge
from litecode.core.events import Event, EventKind
from litecode.core.executing.executor import Job, Result, Steps, first_prompt
from litecode.core.executing.prompt import VERSION
from litecode.core.patching.document import Cut
from litecode.core.patching.judge import judge, rewrite_of
from litecode.core.patching.regions import Area
from litecode.core.store.cache import cache_key
from litecode.core.values import Call, Message, Prompt, Proof, Reply

if TYPE_CHECKING:
    from litecode.core.world import World

GATES_VERSION = "1"  # part of every cache key: what other gates would have refused is worthless


@dataclass(slots=True)
class TaskCalls:
    """The calls of one task, and how many of its regions were known from an earlier run."""

    purpose: str
    calls: list[Call] = field(default_factory=list)
    known: int = 0

    @property
    def output_tokens(self) -> int:
        return sum(c.reply.output_tokens for c in self.calls if c.reply is not None)

    @property
    def seconds(self) -> float:
        return sum(c.ended - c.started for c in self.calls)


class Caller:
    """The one who makes calls for a run. Thread-safe. A port loads its weights at its first call, so looking for known
    results costs nothing."""

    def __init__(self, world: World, *, deadline: float | None, read_only: bool) -> None:
        """`deadline` is in seconds after the run's start; `read_only` keeps the cache as it is."""
        self._world = world
        self._deadline = deadline
        self._read_only = read_only
        self._lock = threading.Lock()
        self._door: Door | None = None
        self._failure: LitecodeError | None = None
        self._start = world.clock()

    @property
    def model_name(self) -> str:
        return self._door.port.name if self._door is not None else ""

    def door(self) -> Door:
        """Finds the model once; when that fails, every call of the run fails the same way without another attempt."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._door is None:
                try:
                    self._door = self._open()
                except LitecodeError as err:
                    self._failure = err
                    raise
            return self._door

    def reserve(self, text: str) -> int:
        """Tokens to keep free for the reply to a region."""
        return reserve_for(self._estimator().content([text]))

    def estimate(self, prompt: Prompt, purpose: str) -> Call:
        """The record of a call that is not made. Without a model the window of the settings is taken."""
        try:
            fit = self.door().fit(prompt.messages, prompt.reserve)
        except ModelError:
            fit = can_fit(prompt.messages, self._world.settings.window, prompt.reserve, Estimator())
        return Call(purpose, prompt, None, fit.estimate, fit.window, 0.0, 0.0)

    def _estimator(self) -> Estimator:
        try:
            return self.door().estimator
        except ModelError:
            return Estimator()

    def _open(self) -> Door:
        return Door(
            self._world.model(),
            clock=self._world.clock,
            start=self._start,
            deadline=self._deadline,
            cancel=self._world.cancel,
        )

    def close(self) -> None:
        if self._door is not None:
            self._door.port.close()

    def drive(self, job: Job, steps: Callable[[Job], Steps], digest: str, record: TaskCalls) -> Result:
        """The result of a region: as it was found out before, or by making the calls that its steps ask for."""
        key = self._key(job, digest)
        known = self._known(key, job)
        if known is not None:
            record.known += 1
            return known
        generator = steps(job)
        try:
            prompt = next(generator)
            while True:
                prompt = self._step(generator, prompt, record)
        except StopIteration as end:
            result: Result = end.value
            if result.fits:
                self._remember(key, job, result)
            return result

    def _step(self, generator: Steps, prompt: Prompt, record: TaskCalls) -> Prompt:
        try:
            reply = self._complete(prompt, record)
        except ModelTooLarge as err:
            return generator.throw(err)
        return generator.send(reply)

    def _complete(self, prompt: Prompt, record: TaskCalls) -> Reply:
        reply, call = self.door().complete(prompt, record.purpose)
        record.calls.append(call)
        event = Event(EventKind.CALL, text=record.purpose, tokens=reply.output_tokens, seconds=reply.seconds)
        self._world.progress(event)
        return reply

    def _key(self, job: Job, digest: str) -> str:
        """Everything that the result depends on: the prompt, the rule, the model, and the text that a retry may look
        at.
        """
        prompt = first_prompt(job).messages
        return cache_key(VERSION, GATES_VERSION, self.door().port.digest, digest, _flat(prompt), job.document.text)

    def _known(self, key: str, job: Job) -> Result | None:
        stored = self._world.cache.get(key)
        if stored is None:
            return None
        result = _loads(stored, job)
        if result is None or result.new is None:
            return result
        # What is in the cache is not trusted more than a model: the gates look at it again.
        rewrite = rewrite_of(job.document, result.area, result.new, job.language, job.asked)
        return result if judge(rewrite).refusal is None else None

    def _remember(self, key: str, job: Job, result: Result) -> None:
        if not self._read_only:
            self._world.cache.put(key, _dumps(result, job))


def _flat(messages: tuple[Message, ...]) -> str:
    return json.dumps([list(m) for m in messages], ensure_ascii=False)


def _dumps(result: Result, job: Job) -> str:
    place = [result.area.cut.start - job.area.cut.start, result.area.cut.end - job.area.cut.start, result.area.kind]
    return json.dumps([place, result.new, result.proof.value, result.reason], ensure_ascii=False)


def _loads(stored: str, job: Job) -> Result | None:
    try:
        (start, end, kind), new, proof, reason = json.loads(stored)
        at = job.area.cut.start
        return Result(Area(Cut(at + start, at + end), kind, job.area.sites), new, Proof(proof), reason)
    except (ValueError, TypeError):
        return None
