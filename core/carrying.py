"""Carries a plan out: each task by the executor of requests, what code has done already as it is.

Nothing is written; what comes out is one `FileEnd` for each file of the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from litecode.core.calls import Caller, TaskCalls
from litecode.core.executing.executor import Try
from litecode.core.executing.provided import QUOTED
from litecode.core.executing.request import Edited, Steps, Target, carry_out
from litecode.core.opened import Opened
from litecode.core.orchestrator import Done, Ending, Outcome, Seen, run_plan
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.pymodules import imported_by
from litecode.core.patching.syntax import tokens
from litecode.core.scene import Scene
from litecode.core.settle import FileEnd
from litecode.core.values import Attempt, Plan, Proof, Region, StagedFile, State, Task, Verdict
from litecode.core.world import World

WORKERS = 32
NEW_MODE = "100644"
ASKED = "asked for; staged when you say so"


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done. `ready` has the texts of the files that code has changed already; their tasks in the plan
    only tell of it, and later tasks start from them. With `own_words` the action of a task is what the person says
    about its file; else it is a planner's, and the whole request goes with it. `doubts` say why a file is held even
    if the person says yes.
    """

    request: str
    plan: Plan
    ready: Mapping[str, str] = field(default_factory=dict)
    by_code: frozenset[str] = frozenset()  # ids of tasks
    own_words: bool = True
    doubts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finished:
    """What a task came to, with its calls; `edited` None for the work of code."""

    edited: Edited | None
    record: TaskCalls


Outcomes = Mapping[str, Outcome[Document, Finished]]


def carry(world: World, scene: Scene, job: Job, caller: Caller) -> tuple[tuple[FileEnd, ...], tuple[str, ...]]:
    """The files at the end, and the hints of what failed."""
    paths = list(dict.fromkeys(task.path for task in job.plan.tasks))
    contents = scene.documents(paths)
    for path, text in job.ready.items():
        contents[path] = contents[path].with_text(text) if path in contents else Document(text)
    grammars = {path: scene.grammar(path) for path in paths}
    asked = {task.path for task in job.plan.tasks if task.id not in job.by_code} & contents.keys()
    imports = {path: scene.documents(imported_by(path, contents[path].text, scene.files)) for path in asked}

    def execute(task: Task, seen: Seen[Document]) -> Done[Document, Finished]:
        record = TaskCalls(f"{task.path} request", task.path)
        if task.id in job.by_code:
            return Done(None, Finished(None, record))
        file = scene.files.get(task.path)
        target = Target(
            task.path, seen.content, grammars[task.path], file.changed if file else None, imports.get(task.path, {})
        )
        words = task.action if job.own_words else job.request
        tries: list[Try] = []

        def edit(model: Opened) -> Steps:
            found = yield from carry_out(task, words, job.plan.contract, target, seen.others, model.reserve)
            tries.extend(found.tries)
            return replace(found, tries=tuple(tries))

        edited = caller.first_usable(edit, record, lambda found: found.proof is not Proof.REFUSED)
        done = Finished(edited, record)
        if edited.proof is Proof.REFUSED:
            return Done(None, done, edited.reason or "no answer was good")
        if edited.text is None:
            return Done(None, done)
        return Done(seen.content.with_text(edited.text) if seen.content else Document(edited.text), done)

    with ThreadPoolExecutor(WORKERS, thread_name_prefix="litecode") as pool:
        outcomes = run_plan(job.plan, execute, pool, per_file=contents, cancel=world.cancel, on_event=world.progress)
    doubts = {**_left_behind(job, outcomes, grammars), **_not_used(job, outcomes, grammars)}
    job = replace(job, doubts={**doubts, **job.doubts})
    hints = tuple(o.error.hint for o in outcomes.values() if o.error is not None)
    return tuple(_end(scene, job, outcomes, path) for path in paths), hints


def _left_behind(job: Job, outcomes: Outcomes, grammars: Mapping[str, str | None]) -> dict[str, str]:
    """Doubts about the whole plan when a name that it renames is still in one of its files; what code has renamed it
    has proven to be gone, and a name of something else may stay.
    """
    if job.by_code:
        return {}
    last = {task.path: outcomes[task.id].content for task in job.plan.tasks}
    for old, new in job.plan.contract.renames:
        word = old.rpartition(".")[2]
        for path, document in last.items():
            if document is not None and any(token.text == word for token in tokens(document.text, grammars[path])):
                return dict.fromkeys(last, f"{word} became {new}, but {path} still has it")
    return {}


def _not_used(job: Job, outcomes: Outcomes, grammars: Mapping[str, str | None]) -> dict[str, str]:
    """Doubts about the whole plan when a task does not use what it was told to use of another one's file."""
    for task in job.plan.tasks if job.own_words else ():
        document = outcomes[task.id].content
        if document is None or not task.depends_on:
            continue
        names = {token.text for token in tokens(document.text, grammars[task.path])}
        for name in QUOTED.findall(task.action):
            if name not in names:
                return dict.fromkeys((t.path for t in job.plan.tasks), f"{task.path} does not use {name}")
    return {}


def _end(scene: Scene, job: Job, outcomes: Outcomes, path: str) -> FileEnd:
    tasks = [task for task in job.plan.tasks if task.path == path]
    last = next((o.content for t in reversed(tasks) if (o := outcomes[t.id]).content is not None), None)
    file = scene.files.get(path)
    before = scene.data(path) if file else None
    old = scene.document(path) if file else None
    after = b"" if last is None else last.encode(last.text)
    verdict = _verdict(job, path, tasks, outcomes, old, changed=after != before and last is not None)
    if file is None:
        return FileEnd(StagedFile(path, NEW_MODE, ""), None if last is not None else b"", after, (verdict,))
    return FileEnd(file, before, before or b"" if last is None else after, (verdict,))


def _verdict(
    job: Job, path: str, tasks: Sequence[Task], outcomes: Outcomes, old: Document | None, *, changed: bool
) -> Verdict:
    """One verdict for the file: the worst of its tasks."""
    ends = [outcomes[task.id] for task in tasks]
    values = [end.value for end in ends if end.value is not None]
    state, reason, proof = _state(ends, values, changed)
    if state is State.HELD and path in job.doubts:
        proof, reason = Proof.DOUBTFUL, job.doubts[path]
    return Verdict(
        path=path,
        rule="",
        state=state,
        reason=reason,
        proof=proof,
        sites=len(tasks),
        calls=sum(len(value.record.calls) for value in values),
        output_tokens=sum(value.record.output_tokens for value in values),
        seconds=sum(value.record.seconds for value in values),
        attempts=tuple(_attempts(values, old)),
    )


def _state(
    ends: Sequence[Outcome[Document, Finished]], values: Sequence[Finished], changed: bool
) -> tuple[State, str, Proof]:
    failed = next((end for end in ends if end.state is Ending.FAILED), None)
    if failed is not None:
        if failed.error is None:
            return State.REJECTED, failed.reason, Proof.REFUSED
        return State.FAILED, failed.reason, Proof.REFUSED
    skipped = next((end for end in ends if end.state is Ending.SKIPPED), None)
    if skipped is not None:
        return State.SKIPPED, skipped.reason, Proof.REFUSED
    edits = [value.edited for value in values if value.edited is not None]
    if not changed:
        return State.CONFORMS, next((e.reason for e in edits if e.reason), "nothing to change"), Proof.ASKED
    doubtful = next((e for e in edits if e.proof is Proof.DOUBTFUL), None)
    if doubtful is not None:
        return State.HELD, doubtful.reason, Proof.DOUBTFUL
    return State.HELD, ASKED, Proof.ASKED


def _attempts(values: Sequence[Finished], old: Document | None) -> list[Attempt]:
    found = []
    for value in values:
        for tried in value.edited.tries if value.edited else ():
            cut = tried.area.cut
            inside = old is not None and cut.end <= len(old.text)
            span = old.span(cut) if old is not None and inside else Document("").span(Cut(0, 0))
            found.append(Attempt(Region(span, tried.area.kind, ()), tried.area.kind, tried.reply, tried.refusal))
    return found
