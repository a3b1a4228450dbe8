"""Carries the steps of an executor out: knows results of earlier runs, makes the calls through the budget's door, keeps
the record.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from litecode.core.budget.door import Door
from litecode.core.budget.fit import REPLY_TOKENS, can_fit, reserve_for
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import LitecodeError, ModelError, ModelTooLarge
from litecode.core.events import Event, EventKind
from litecode.core.executing.executor import Job, Result, Steps, first_prompt
from litecode.core.executing.prompt import VERSION
from litecode.core.learning import keep, learnt, load_ahead, notes_of
from litecode.core.patching.gates.base import Grade
from litecode.core.patching.judge import judge, rewrite_of
from litecode.core.replies import Replies, flat
from litecode.core.store.cache import cache_key
from litecode.core.values import Call, Prompt, Proof, Reply

if TYPE_CHECKING:
    from litecode.core.world import World

R = TypeVar("R")

GATES_VERSION = "10"  # part of every cache key: what other gates would have refused is worthless


@dataclass(slots=True)
class TaskCalls:
    """The calls of one task, which are about `path`, and how many of its regions were known from an earlier run."""

    purpose: str
    path: str = ""
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

    def __init__(
        self, world: World, *, start: float, deadline: float | None, read_only: bool, fresh: bool = False
    ) -> None:
        """`start` is when the run began, `deadline` in seconds after that; `read_only` keeps the cache as it is, with
        `fresh` what is in it does not count.
        """
        self._world = world
        self._start = start
        self._deadline = deadline
        self._read_only = read_only
        self._fresh = fresh
        self._lock = threading.Lock()
        self._door: Door | None = None
        self._failure: LitecodeError | None = None
        self._made: list[Call] = []
        self._warming = False

    @property
    def model_name(self) -> str:
        return self._door.port.name if self._door is not None else ""

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call that was made, those that failed too, in the order in which they began."""
        return tuple(sorted(self._made, key=lambda call: (call.started, call.slot)))

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
        """Tokens to keep free for the reply to a region: never less than the region has itself, because such a reply
        would be cut off for sure.
        """
        tokens = self._estimator().content([text])
        return max(reserve_for(tokens), tokens + REPLY_TOKENS)

    def estimate(self, prompt: Prompt, purpose: str) -> Call:
        """The record of a call that is not made. Without a model the window of the settings is taken."""
        try:
            fit = self.door().fit(prompt.messages, prompt.reserve)
        except ModelError:
            fit = can_fit(prompt.messages, self._world.settings.window, prompt.reserve, Estimator())
        return Call(purpose, prompt, None, fit.estimate, fit.window, 0.0, 0.0)

    def count(self, text: str) -> int:
        """Tokens of a text, at most."""
        return self._estimator().text(text)

    def _estimator(self) -> Estimator:
        try:
            return self.door().estimator
        except ModelError:
            return Estimator()

    def warm(self) -> None:
        """Begin to load the model, while other work goes on. What goes wrong is said by the first call."""
        with self._lock:
            if self._warming:
                return
            self._warming = True
        threading.Thread(target=self._load_ahead, name="litecode-loading", daemon=True).start()

    def _load_ahead(self) -> None:
        with suppress(LitecodeError):
            load_ahead(self.door().port, lambda text: self._world.progress(Event(EventKind.LOADING, text=text)))

    def _open(self) -> Door:
        port = self._world.model()
        estimator, speed = learnt(port, self._world.facts)
        return Door(
            port,
            estimator,
            speed=speed,
            clock=self._world.clock,
            start=self._start,
            deadline=self._deadline,
            cancel=self._world.cancel,
            on_call=self._made.append,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the person should know about the calls."""
        return notes_of(self._door) if self._door is not None else ()

    def close(self) -> None:
        if self._door is not None:
            if self._made and self._world.facts is not None:
                keep(self._door, len(self._made), self._world.facts)
            self._door.port.close()

    def drive(self, job: Job, steps: Callable[[Job], Steps], digest: str, record: TaskCalls) -> Result:
        """The result of a region: as it was found out before, or by making the calls that its steps ask for."""
        key = self._key(job, digest)
        known = None if self._fresh else self._known(key, job)
        if known is not None:
            record.known += 1
            return known
        replies = self._replies(job, digest, record)
        made = len(record.calls)
        generator = steps(job)
        try:
            prompt = next(generator)
            while True:
                prompt = self._step(generator, prompt, record, replies)
        except StopIteration as end:
            result: Result = end.value
            record.known += len(record.calls) == made and result.fits
            if result.fits:
                self._remember(key, job, result)
                if result.proof is Proof.REFUSED:
                    replies.keep()
            return result

    def converse(self, steps: Generator[Prompt, Reply, R], record: TaskCalls) -> R:
        """What comes of steps that are made anew each time: those of a request."""
        try:
            prompt = next(steps)
            while True:
                prompt = self._step(steps, prompt, record)
        except StopIteration as end:
            result: R = end.value
            return result

    def _step(
        self, generator: Generator[Prompt, Reply, R], prompt: Prompt, record: TaskCalls, replies: Replies | None = None
    ) -> Prompt:
        try:
            reply = self._complete(prompt, record) if replies is None else self._replied(prompt, record, replies)
        except ModelTooLarge as err:
            return generator.throw(err)
        return generator.send(reply)

    def _replied(self, prompt: Prompt, record: TaskCalls, replies: Replies) -> Reply:
        """What the model has said to this before, or says now."""
        known = replies.known(prompt)
        if known is None:
            self.warm()
            reply = self._complete(prompt, record)
            replies.add(prompt, reply)
            return reply
        now = self._world.clock() - self._start
        self._made.append(
            replace(self.estimate(prompt, record.purpose), reply=known, started=now, ended=now, cached=True)
        )
        return known

    def _replies(self, job: Job, digest: str, record: TaskCalls) -> Replies:
        """Those about this place of the file, wherever it has moved to: the same code twice is two places."""
        code = job.area.cut.of(job.document.text)
        number = str(job.document.text.count(code, 0, job.area.cut.start))
        place = (VERSION, GATES_VERSION, self.door().port.digest, digest, record.path, number, _sites(job))
        return Replies(self._world.cache, place, self._read_only, self._fresh)

    def _complete(self, prompt: Prompt, record: TaskCalls) -> Reply:
        if record.path:
            prompt = replace(prompt, about=tuple(dict.fromkeys((*prompt.about, record.path))))
        reply, call = self.door().complete(prompt, record.purpose)
        record.calls.append(call)
        event = Event(EventKind.CALL, text=record.purpose, tokens=reply.output_tokens, seconds=reply.seconds)
        self._world.progress(event)
        return reply

    def _key(self, job: Job, digest: str) -> str:
        """Everything that the result depends on: the prompt, the rule, the model, the sites that count, and the text
        that a retry may look at.
        """
        prompt = first_prompt(job).messages
        model = self.door().port.digest
        return cache_key(VERSION, GATES_VERSION, model, digest, flat(prompt), _sites(job), job.document.text)

    def _known(self, key: str, job: Job) -> Result | None:
        """What is in the cache is not trusted more than a model: it is judged again."""
        stored = self._world.cache.peek(key) if self._read_only else self._world.cache.get(key)
        result = None if stored is None else _loads(stored, job)
        if result is None or result.proof is Proof.REFUSED:
            return result
        if result.new is None:
            return None if job.asked.certain else result
        judgement = judge(rewrite_of(job.document, job.area, result.new, job.language, job.asked))
        if judgement.refusal is not None:
            return None
        doubted = any(doubt.grade is Grade.DOUBT for doubt in judgement.doubts)
        return None if doubted and result.proof is Proof.PROVEN else result

    def _remember(self, key: str, job: Job, result: Result) -> None:
        if not self._read_only:
            self._world.cache.put(key, _dumps(result, job))


def _sites(job: Job) -> str:
    """What is to be rewritten, as seen from the region."""
    at = job.area.cut.start
    return json.dumps([job.area.kind, [[site.start - at, site.end - at] for site in job.area.sites]])


def _dumps(result: Result, job: Job) -> str:
    return json.dumps([job.area.cut.start, result.new, result.proof.value, result.reason], ensure_ascii=False)


def _loads(stored: str, job: Job) -> Result | None:
    """None for what this version cannot have written. The same code elsewhere in the file has the same answer; that it
    was refused counts only in its place, because the reason may lie around it.
    """
    try:
        start, new, name, reason = json.loads(stored)
        proof = Proof(name)
        if new is not None:
            new.encode()
    except (ValueError, TypeError, AttributeError):
        return None
    if not isinstance(new, str | None) or not isinstance(reason, str):
        return None
    if proof is Proof.REFUSED:
        return Result(job.area, None, proof, reason) if new is None and start == job.area.cut.start else None
    if proof is Proof.ASKED or (new is None and proof is not Proof.PROVEN):
        return None
    return Result(job.area, new, proof, reason)
