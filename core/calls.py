"""Carries the steps of an executor out: knows results of earlier runs, makes the calls through the budget's door, keeps
the record.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from litecode.core.budget.door import Door
from litecode.core.errors import LitecodeError, ModelCancelled, ModelTooLarge, ModelUnsafe, NotSent, PlanError
from litecode.core.events import Event, EventKind
from litecode.core.executing.executor import Job, Result, Steps, reviewed
from litecode.core.known import dumps, key_of, place_of, trusted
from litecode.core.opened import Opened
from litecode.core.replies import Replies
from litecode.core.values import Call, Prompt, Proof, Reply

if TYPE_CHECKING:
    from litecode.core.world import World

R = TypeVar("R")


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
    """The one who makes calls for a run. Thread-safe. Models are opened when they are needed: those that a person has
    named to fall back on, and the one that judges, after the first one has answered.
    """

    def __init__(
        self, world: World, *, start: float, deadline: float | None, read_only: bool, fresh: bool = False
    ) -> None:
        """`start` is when the run began, `deadline` in seconds after that; `read_only` keeps the cache as it is, with
        `fresh` what is in it does not count.
        """
        self._world = world
        self._start = start
        self._read_only = read_only
        self._fresh = fresh
        self.first = Opened(world, world.model, start=start, deadline=deadline)
        self._fallbacks = tuple(Opened(world, find, start=start, deadline=deadline) for find in world.fallbacks)
        judges = (world.judge,) if world.judge else ()
        self._judges = tuple(Opened(world, find, start=start, deadline=deadline) for find in judges)
        self._known_calls: list[Call] = []
        self._without: dict[str, None] = {}
        self._gone: set[Opened] = set()

    @property
    def model_name(self) -> str:
        return self.first.name

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call that was made, those that failed too, in the order in which they began."""
        made = [*self._known_calls, *(call for model in self._models() for call in model.made)]
        return tuple(sorted(made, key=lambda call: (call.started, call.slot)))

    def _models(self) -> tuple[Opened, ...]:
        return (self.first, *self._fallbacks, *self._judges)

    def door(self) -> Door:
        """That of the first model; raises the same error each time when there is none."""
        return self.first.door()

    def reserve(self, text: str) -> int:
        """As `Opened.reserve`, for the first model."""
        return self.first.reserve(text)

    def estimate(self, prompt: Prompt, purpose: str) -> Call:
        """The record of a call that is not made. Without a model the window of the settings is taken."""
        fit = self.first.fit(prompt.messages, prompt.reserve)
        return Call(purpose, prompt, None, fit.estimate, fit.window, 0.0, 0.0)

    def count(self, text: str) -> int:
        """Tokens of a text, at most."""
        return self.first.count(text)

    def warm(self) -> None:
        """Begin to load the model, while other work goes on. What goes wrong is said by the first call."""
        self.first.warm()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the person should know about the calls."""
        return (*(note for model in self._models() for note in model.notes), *self._without)

    def close(self) -> None:
        for model in self._models():
            model.close()

    def drive(self, job: Job, steps: Callable[[Job], Steps], digest: str, record: TaskCalls) -> Result:
        """The result of a region: as it was found out before, or by making the calls that its steps ask for. What is
        refused goes to the models to fall back on, one after the other; what is doubtful to the judge.
        """
        by, result = self.first, self._driven(self.first, job, steps, digest, record)
        for model in self._there(self._fallbacks):
            if result.proof is not Proof.REFUSED:
                break
            with self._unless_gone("fallback", model):
                again = self._driven(model, replace(job, reserve=model.reserve), steps, digest, record)
                tries, fits = (*result.tries, *again.tries), result.fits or again.fits
                by, result = model, replace(again, tries=tries, fits=fits)
        if result.proof is not Proof.DOUBTFUL or job.asked.matcher is None:
            return result  # where nothing but a model says that a rule applies, a person decides
        for judge in self._there(self._judges):
            with self._unless_gone("judge", judge):
                if not judge.is_same(by):
                    return self._judged(judge, job, result, digest, record)
                note = f"{by.name} does not judge its own answers; name another model in litecode.judge"
                self._without.setdefault(note)
        return result

    def _there(self, models: tuple[Opened, ...]) -> Iterator[Opened]:
        return (model for model in models if model not in self._gone)

    def _judged(self, judge: Opened, job: Job, result: Result, digest: str, record: TaskCalls) -> Result:
        def steps(own: Job) -> Steps:
            return reviewed(own, result)

        return self._driven(judge, replace(job, reserve=judge.reserve), steps, digest, record, result.new or "")

    @contextmanager
    def _unless_gone(self, role: str, model: Opened) -> Iterator[None]:
        """One that cannot be asked, or not in time, costs no more than what it could have done: what there is stays. It
        is not asked again in this run, unless it was about what would have been sent.
        """
        try:
            yield
        except ModelCancelled:
            raise
        except LitecodeError as err:
            name, hint = f" {model.name}" if model.name else "", f"; {err.hint}" if err.hint else ""
            self._without.setdefault(f"the {role}{name} could not be asked: {err.message}{hint}")
            if not isinstance(err, NotSent | ModelUnsafe | ModelTooLarge):
                self._gone.add(model)

    def converse(self, steps: Generator[Prompt, Reply, R], record: TaskCalls) -> R:
        """What comes of steps that are made anew each time: those of a request."""
        return self._conversed(self.first, steps, record)

    def first_usable(
        self,
        make: Callable[[Opened], Generator[Prompt, Reply, R]],
        record: TaskCalls,
        usable: Callable[[R], bool] = lambda _: True,
    ) -> R:
        """What comes of steps that begin anew with each model, until something usable comes of them. Raises the
        PlanError of the first one when nothing comes of any.
        """
        found = self._outcome(self.first, make, record)
        for model in self._there(self._fallbacks):
            if not isinstance(found, PlanError) and usable(found):
                break
            with self._unless_gone("fallback", model):
                again = self._outcome(model, make, record)
                found = found if isinstance(again, PlanError) else again
        if isinstance(found, PlanError):
            raise found
        return found

    def _outcome(
        self, model: Opened, make: Callable[[Opened], Generator[Prompt, Reply, R]], record: TaskCalls
    ) -> R | PlanError:
        try:
            return self._conversed(model, make(model), record)
        except PlanError as err:
            return err

    def _conversed(self, model: Opened, steps: Generator[Prompt, Reply, R], record: TaskCalls) -> R:
        try:
            prompt = next(steps)
            while True:
                prompt = self._step(model, steps, prompt, record)
        except StopIteration as end:
            result: R = end.value
            return result

    def _driven(
        self,
        model: Opened,
        job: Job,
        steps: Callable[[Job], Steps],
        digest: str,
        record: TaskCalls,
        shown: str | None = None,
    ) -> Result:
        """By one model; `shown` is the text that it judges, None when it answers itself."""
        key = key_of(job, model.door().port.digest, digest, shown)
        known = None if self._fresh else self._known(key, job, judged=shown is not None)
        if known is not None:
            record.known += 1
            return known
        place = place_of(job, model.door().port.digest, digest, record.path)
        replies = Replies(self._world.cache, place, self._read_only, self._fresh)
        made = len(record.calls)
        generator = steps(job)
        try:
            prompt = next(generator)
            while True:
                prompt = self._step(model, generator, prompt, record, replies)
        except StopIteration as end:
            result: Result = end.value
            record.known += len(record.calls) == made and result.fits
            if result.fits:
                self._remember(key, job, result)
                if result.proof is Proof.REFUSED:
                    replies.keep()
            return result

    def _step(
        self,
        model: Opened,
        generator: Generator[Prompt, Reply, R],
        prompt: Prompt,
        record: TaskCalls,
        replies: Replies | None = None,
    ) -> Prompt:
        try:
            if replies is None:
                reply = self._complete(model, prompt, record)
            else:
                reply = self._replied(model, prompt, record, replies)
        except ModelTooLarge as err:
            return generator.throw(err)
        return generator.send(reply)

    def _replied(self, model: Opened, prompt: Prompt, record: TaskCalls, replies: Replies) -> Reply:
        """What the model has said to this before, or says now."""
        known = replies.known(prompt)
        if known is None:
            model.warm()
            reply = self._complete(model, prompt, record)
            replies.add(prompt, reply)
            return reply
        now = self._world.clock() - self._start
        fit = model.fit(prompt.messages, prompt.reserve)
        call = Call(record.purpose, prompt, known, fit.estimate, fit.window, now, now, cached=True, model=model.name)
        self._known_calls.append(call)
        return known

    def _complete(self, model: Opened, prompt: Prompt, record: TaskCalls) -> Reply:
        if record.path:
            prompt = replace(prompt, about=tuple(dict.fromkeys((*prompt.about, record.path))))
        reply, call = model.door().complete(prompt, record.purpose)
        record.calls.append(call)
        event = Event(EventKind.CALL, text=record.purpose, tokens=reply.output_tokens, seconds=reply.seconds)
        self._world.progress(event)
        return reply

    def _known(self, key: str, job: Job, *, judged: bool) -> Result | None:
        stored = self._world.cache.peek(key) if self._read_only else self._world.cache.get(key)
        return None if stored is None else trusted(stored, job, judged=judged)

    def _remember(self, key: str, job: Job, result: Result) -> None:
        if not self._read_only:
            self._world.cache.put(key, dumps(result, job))
