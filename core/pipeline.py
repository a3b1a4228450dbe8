"""What `run` and `check` do: staged files and rules in, patches and verdicts out, and one transaction at the end.

Reading, planning, running and settling are steps of their own; between them everything is a value. Nothing is written
before the last step, so that an interrupted run has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

from litecode.config.settings import Unavailable
from litecode.core.announcing import tell_of_prompts
from litecode.core.calls import Caller, TaskCalls
from litecode.core.errors import LitecodeError
from litecode.core.executing.executor import Job, Result, Steps
from litecode.core.executing.rules import Applied, CompiledRule, FileState, apply_rule, preview, site_values, sites_of
from litecode.core.notes import recovery_sentences
from litecode.core.orchestrator import Done, Ending, Outcome, Seen, run_plan
from litecode.core.patching.lines import origins
from litecode.core.reading import Work, plan_of, read
from litecode.core.settle import Consent, FileEnd, Settled, settle, staged
from litecode.core.values import Apply, Call, Change, Plan, Prompt, Proof, Run, State, Task, Verdict
from litecode.core.verdicts import Finished, in_input, unfinished, verdict_of
from litecode.core.verifying import judged
from litecode.core.world import Options, World

Outcomes = Mapping[str, Outcome[FileState, Finished]]
WORKERS = 32  # more parallel calls than any endpoint of this size has slots
NOTHING_LEFT = "proven, but then nothing would be left to commit: what is staged would be as in HEAD"
HIDDEN_IN_THE_WAY = "unstaged edits, which pre-commit has put away for the time of its hooks, are in the way"
NOT_ASKED_AGAIN = "what was rejected before is not asked again while its code stays; `git litecode run --no-cache` asks"
NOTHING_LEFT_HINT = "`git litecode run` stages it all the same; `git commit --no-verify` commits what is staged now"


def run_rules(world: World, options: Options) -> Run:
    """Raises LitecodeErrors for what stops everything; what concerns one file is in its verdict."""
    started = world.clock()
    notes = world.notes if options.check or options.dry_run else (*world.notes, *recovered(world))
    reading = read(world, options)
    plan, work_of = plan_of(reading)
    run = Run(
        id="",
        started=started,
        command=world.command,
        plan=plan,
        skipped=reading.skipped,
        notes=(*notes, *reading.notes),
        extra={"files": reading.files},
    )
    if not plan.tasks:
        return replace(run, seconds=world.clock() - started)
    read_only, fresh = options.check, options.fresh
    caller = Caller(world, start=started, deadline=options.deadline, read_only=read_only, fresh=fresh)
    try:
        if options.dry_run:
            return _preview(world, run, work_of, caller)
        if world.remote and not options.no_model:
            tell_of_prompts(world, _first_prompts(work_of, caller))
        outcomes = _execute(world, options, plan, work_of, caller)
        model = caller.model_name
    finally:
        caller.close()
    tasks_of: dict[str, list[Task]] = {}
    for task in plan.tasks:
        tasks_of.setdefault(task.path, []).append(task)
    lenient = options.hook and world.settings.on_unavailable is not Unavailable.FAIL
    ends = [_end(w, options, outcomes, tasks_of[w.file.path], lenient=lenient) for w in reading.works]
    run = replace(run, calls=caller.calls, model=model, notes=(*run.notes, *caller.notes))
    run = with_hints(run, [o.error.hint for o in outcomes.values() if o.error is not None])
    if any(v.state is State.REJECTED and v.cached for end in ends for v in end.verdicts):
        run = with_hints(run, [NOT_ASKED_AGAIN])
    return conclude(world, options, run, ends)


def with_hints(run: Run, hints: Iterable[str]) -> Run:
    known = tuple(dict.fromkeys((*run.extra.get("hints", ()), *filter(None, hints))))
    return replace(run, extra={**run.extra, "hints": known}) if known else run


def recovered(world: World) -> tuple[str, ...]:
    """Finish what a killed run left behind, before anything is read."""
    from litecode.core.git.recovery import recover

    recovery = recover(world.repo)
    return () if recovery.nothing else tuple(recovery_sentences(recovery))


def _execute(
    world: World, options: Options, plan: Plan, work_of: Mapping[str, tuple[Work, CompiledRule]], caller: Caller
) -> Outcomes:
    def execute(task: Task, seen: Seen[FileState]) -> Done[FileState, Finished]:
        _, compiled = work_of[task.id]
        assert seen.content is not None  # every task's file is in `per_file`
        record = TaskCalls(f"{task.path} {task.rule}", task.path)
        applied = _apply(compiled, seen.content, options, caller, record)
        return Done(applied.state, Finished(applied, record))

    contents = {work.file.path: work.state for work, _ in work_of.values()}
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="litecode") as pool:
        return run_plan(plan, execute, pool, per_file=contents, cancel=world.cancel, on_event=world.progress)


def _apply(compiled: CompiledRule, state: FileState, options: Options, caller: Caller, record: TaskCalls) -> Applied:
    if options.no_model and compiled.rule.instruction is not None:
        sites, ends = site_values(state.document, [f.cut for f in sites_of(compiled, state)])
        return Applied(state, state.document, sites, ends, Proof.REFUSED, "no model was asked (--no-model)")

    def run(job: Job, steps: Callable[[Job], Steps]) -> Result:
        return caller.drive(job, steps, compiled.rule.digest, record)

    return apply_rule(compiled, state, run, caller.reserve)


def _end(work: Work, options: Options, outcomes: Outcomes, tasks: Sequence[Task], *, lenient: bool) -> FileEnd:
    verdicts: list[Verdict] = []
    state = work.state
    for compiled, task in zip(work.rules, tasks, strict=True):
        outcome = outcomes[task.id]
        if outcome.state is Ending.DONE and outcome.value is not None:
            verdict = verdict_of(compiled, work.file.path, outcome.value, no_model=options.no_model)
        else:
            verdict = unfinished(compiled, state, outcome.reason, outcome.error, lenient=lenient)
        if verdict.line and state is not work.state:
            verdict = in_input(verdict, origins(work.state.document.text, state.document.text))
        verdicts.append(verdict)
        state = outcome.content or state
    return FileEnd(work.file, work.data, work.state.document.encode(state.document.text), tuple(verdicts))


def conclude(world: World, options: Options, run: Run, ends: Sequence[FileEnd]) -> Run:
    """Settle, write, keep the run."""
    read_only = options.check or _of_commits(options)
    consent = Consent(Apply.HOLD if read_only else options.apply, options.yes, strict=options.hook)
    if why := _why_held(options):
        consent = replace(consent, why_held=why)
    settled = settle(ends, consent)
    if read_only:
        return _done(world, run, settled)
    consent, said = judged(world, options, run.request, ends, consent, world.clock() - run.started)
    settled = settle(ends, consent)
    run = replace(run, id=world.store.new_id(), notes=(*run.notes, *said))
    settled = _write(world, options, run.id, ends, consent, settled)
    run = _done(world, run, settled)
    if any(patch.reason == NOTHING_LEFT for patch in run.patches):
        run = with_hints(run, [NOTHING_LEFT_HINT])
    if any(v.state is not State.CONFORMS for v in run.verdicts):
        world.store.save(run)
    return run


def _of_commits(options: Options) -> bool:
    return options.from_ref is not None or options.to_ref is not None


def _why_held(options: Options) -> str:
    """Why proven patches are held although nobody asked for that, or an empty string."""
    if _of_commits(options):
        return "nothing is staged of commits that are made"
    return "`git litecode run` stages it" if options.check else options.why_held


def _done(world: World, run: Run, settled: Settled) -> Run:
    return replace(run, verdicts=settled.verdicts, patches=settled.patches, seconds=world.clock() - run.started)


def _write(
    world: World, options: Options, name: str, ends: Sequence[FileEnd], consent: Consent, settled: Settled
) -> Settled:
    """Ask first what could be written: when a file cannot, the others may have to be held with it."""
    from litecode.core.git.moves import Outcome as Written
    from litecode.core.git.rawdiff import staged_tree_equals_head
    from litecode.core.git.transaction import apply

    changes = staged(settled)
    if not changes:
        return settled
    would = apply(world.repo, changes, Apply.HOLD, name)
    refused = {r.path: r.reason for r in would.results if r.outcome is Written.REJECTED}
    refused |= _in_the_way(world, [change for change in changes if change.path not in refused])
    if refused:
        settled = settle(ends, consent, refused)
        changes = staged(settled)
    if options.hook and options.apply is Apply.STAGE and changes and staged_tree_equals_head(world.repo, changes):
        return settle(ends, replace(consent, kept_back=NOTHING_LEFT), refused)
    written = apply(world.repo, changes, options.apply, name) if changes else None
    late = {r.path: r.reason for r in written.results if r.outcome is Written.REJECTED} if written else {}
    return settle(ends, replace(consent, written=True), refused | late) if late else settled


def _in_the_way(world: World, changes: Sequence[Change]) -> dict[str, str]:
    """The paths after whose change the framework could not bring back the edits that it has put away."""
    from litecode.core.git.framework import fitting

    if world.hidden is None:
        return {}
    fit = {change.path for change in fitting(world.repo, changes, world.hidden)}
    return {change.path: HIDDEN_IN_THE_WAY for change in changes if change.path not in fit}


def _preview(world: World, run: Run, work_of: Mapping[str, tuple[Work, CompiledRule]], caller: Caller) -> Run:
    """The calls that a run would make first, with their token counts; none is made."""
    calls: list[Call] = []
    for work, compiled in work_of.values():
        purpose = f"{work.file.path} {compiled.rule.id}"
        calls += [caller.estimate(prompt, purpose) for prompt in preview(compiled, work.state, caller.reserve)]
    return replace(run, calls=tuple(calls), seconds=world.clock() - run.started)


def _first_prompts(work_of: Mapping[str, tuple[Work, CompiledRule]], caller: Caller) -> list[tuple[str, Prompt]]:
    """What each region asks first, with the path that it is in; a rule that cannot be used says so when it is run."""
    found: list[tuple[str, Prompt]] = []
    for work, compiled in work_of.values():
        with suppress(LitecodeError):
            found += [(work.file.path, prompt) for prompt in preview(compiled, work.state, caller.reserve)]
    return found
