"""What `run -m` and a `Litecode:` trailer do: a request and files in, patches and verdicts out.

The counterpart of `pipeline.run_rules`. What comes of a request is asked for, not proven: gates see damage, they do not
see a wrong idea. So it is staged only when a person says yes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import closing
from dataclasses import replace

from litecode.core.announcing import tell_of_documents, tell_of_map
from litecode.core.asking import answer
from litecode.core.calls import Caller
from litecode.core.carrying import Job, carry
from litecode.core.drafting import Draft, draft
from litecode.core.errors import RequestError, StateError
from litecode.core.pipeline import conclude, recovered, with_hints
from litecode.core.planning.kinds import Kind
from litecode.core.planning.memory import ENTRIES, Past, memory_parts
from litecode.core.planning.mentions import mentions
from litecode.core.scene import Scene, read_scene
from litecode.core.values import Apply, Patch, Plan, Run, State
from litecode.core.world import Options, World


def run_request(world: World, options: Options, request: str) -> Run:
    """Raises RequestError for a request that names what is not there, PlanError when no plan was found, and the other
    LitecodeErrors for what stops everything; what concerns one file is in its verdict.

    With `options.yes` the result is staged, unless something is doubtful; else it is held. `dry_run` ends with the
    plan. The answer to a question is in `extra["answer"]`; nothing is kept of it.
    """
    started = world.clock()
    request = _checked(request)
    notes = world.notes if options.check or options.dry_run else (*world.notes, *recovered(world))
    scene = read_scene(world, options)
    run = Run(
        id="",
        started=started,
        command=world.command,
        plan=Plan(()),
        skipped=scene.skipped,
        request=request,
        notes=notes,
        extra={"files": len(scene.files)},
    )
    caller = Caller(world, start=started, deadline=options.deadline, read_only=True)
    with scene, closing(caller):
        tell_of_map(world, len(scene.files))
        drafted = draft(scene, request, caller, lambda: memory_parts(_past(world), caller.count), options.folder)
        run = replace(run, plan=drafted.plan)
        if drafted.kind is Kind.QUESTION:
            return _with_calls(replace(run, extra=_told(scene, drafted, run, options, caller)), caller, world)
        if options.dry_run:
            return _with_calls(run, caller, world)
        job = Job(request, drafted.plan, drafted.ready, drafted.by_code, drafted.own_words, drafted.doubts)
        tell_of_documents(world, (scene.document(task.path) for task in drafted.plan.tasks if task.path in scene.files))
        ends, hints = carry(world, scene, job, caller)
        run = with_hints(_with_calls(run, caller, world), hints)
    return conclude(world, options, run, ends)


def _past(world: World) -> list[Past]:
    """The last requests of this worktree, newest first."""
    records = [record for record in world.store.list() if record.request and not record.damage]
    return [Past(record.request, record.outcomes, record.undone) for record in records[:ENTRIES]]


def _told(scene: Scene, drafted: Draft, run: Run, options: Options, caller: Caller) -> dict[str, object]:
    extra = {**run.extra, "kind": "question"}
    return extra if options.dry_run else {**extra, "answer": answer(scene, drafted.mentioned, run.request, caller)}


def answer_question(world: World, options: Options, question: str) -> Run:
    """Answer a question about the staged files, or all while nothing is staged; the answer is in `extra["answer"]`.

    Nothing is kept of it. Raises RequestError for a file that is not there, and ModelErrors.
    """
    started = world.clock()
    question = _checked(question)
    scene = read_scene(world, options)
    if not scene.files and not options.all_files:
        scene = read_scene(world, replace(options, all_files=True))
    run = Run(id="", started=started, command=world.command, plan=Plan(()), request=question, notes=world.notes)
    caller = Caller(world, start=started, deadline=options.deadline, read_only=True)
    with scene, closing(caller):
        found = mentions(question, scene.known(options.folder))
        scene.widen(found.paths)
        caller.warm()
        tell_of_map(world, len(scene.files))
        told = answer(scene, found, question, caller)
        extra = {"kind": "question", "answer": told, "files": len(scene.files), "tracked": len(scene.tracked)}
        return _with_calls(replace(run, extra=extra), caller, world)


def _with_calls(run: Run, caller: Caller, world: World) -> Run:
    notes = (*run.notes, *caller.notes)
    return replace(run, calls=caller.calls, model=caller.model_name, notes=notes, seconds=world.clock() - run.started)


_UNDO = re.compile(
    r"(?:please\s+)?(?:undo|revert|roll\s*back|take\s+back)\s+(?:(?:the|my|your|that|this|last|previous|latest|all)\s+)*"
    r"(?:changes?|requests?|runs?|edits?|it|that|this|everything)\W*(?:again\W*)?",
    re.IGNORECASE,
)


def _checked(request: str) -> str:
    text = request.strip()
    if _UNDO.fullmatch(text):
        raise RequestError("a change is taken back by its own command", "git litecode undo")
    if not text:
        raise RequestError("the request is empty", 'say what you want: git litecode run -m "..."')
    return text


def stage_held(world: World, run: Run, paths: Collection[str] | None = None) -> Run:
    """Stage the held patches of a run, or those of some files; gives the run as it is now, and keeps it.

    Raises GitError or StateError when nothing at all could be done. A patch that cannot be written is rejected.
    """
    from litecode.core.git.moves import Outcome
    from litecode.core.git.transaction import apply

    chosen = [p for p in run.patches if p.state is State.HELD and (paths is None or p.path in paths)]
    if not chosen:
        raise StateError(f"the run {run.id} holds nothing of that", f"`git litecode show {run.id}` shows what it has")
    written = apply(world.repo, [patch.change for patch in chosen], Apply.STAGE, run.id)
    results = {result.path: result for result in written.results}

    def settled(path: str) -> tuple[State, str]:
        result = results[path]
        return (State.REJECTED, result.reason) if result.outcome is Outcome.REJECTED else (State.STAGED, result.reason)

    def patch_after(patch: Patch) -> Patch:
        if patch.path not in results:
            return patch
        state, reason = settled(patch.path)
        return replace(patch, state=state, reason=reason)

    verdicts = []
    for verdict in run.verdicts:
        if verdict.path in results and verdict.state is State.HELD:
            state, reason = settled(verdict.path)
            verdict = replace(verdict, state=state, reason=reason)
        verdicts.append(verdict)
    run = replace(run, verdicts=tuple(verdicts), patches=tuple(map(patch_after, run.patches)))
    world.store.save(run)
    return run
