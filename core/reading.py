"""From the staged files and the rules to the tasks of a run: what there is to do, before anything is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from litecode.config import languages
from litecode.config.rules import Rule
from litecode.config.select import HEAD_BYTES, Selection, tags_for
from litecode.core.errors import RuleError
from litecode.core.executing.rules import CompiledRule, FileState, compile_rule, sites_of
from litecode.core.executing.suppressions import needless, unknown
from litecode.core.notes import unseen_sentences
from litecode.core.patching.document import Document, Unreadable
from litecode.core.values import Plan, SkippedFile, StagedFile, Task
from litecode.core.world import Options, World

SHORT = 500  # bytes of an instruction up to which it cannot have too many tokens


@dataclass(frozen=True, slots=True)
class Work:
    """A file that a rule has something to say about, with the rules that do, in their order."""

    file: StagedFile
    data: bytes
    state: FileState
    rules: tuple[CompiledRule, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read before anything is decided. `files` is how many were looked at; `notes` are for the person."""

    works: tuple[Work, ...]
    skipped: tuple[SkippedFile, ...]
    files: int
    notes: tuple[str, ...] = ()


def read(world: World, options: Options) -> Reading:
    """The staged files that a rule selects and finds something in. Compiles the rules that are needed and no others."""
    files, skipped, contents, notes = _contents(world, options)
    active = [r for r in world.rules.active if _wanted(r, options)]
    selection = Selection.of(replace(world.rules, rules=tuple(active)))
    by_id = {rule.id: rule for rule in active}
    compiled: dict[tuple[str, str | None], CompiledRule] = {}
    works: list[Work] = []
    for file in files:
        data = contents[file.oid]
        head = data[:HEAD_BYTES]
        tags = tags_for(file.path, file.mode, partial(bytes, head))
        ids = selection.ids(file.path, partial(frozenset, tags))
        if not ids:
            continue
        try:
            state = FileState(file.path, Document.decode(data), _changed(file, options))
        except Unreadable as err:
            skipped.append(SkippedFile(file.path, str(err)))
            continue
        rules = [_compiled(compiled, by_id[i], file.path, tags) for i in ids]
        notes += _idle_comments(rules, state, world) if options.check else ()
        found = tuple(rule for rule in rules if _applies(rule, state))
        if found:
            works.append(Work(file, data, state, found))
    notes += _too_long(works)
    return Reading(tuple(works), tuple(skipped), len(files), tuple(notes))


def _contents(
    world: World, options: Options
) -> tuple[tuple[StagedFile, ...], list[SkippedFile], Mapping[str, bytes], list[str]]:
    """The files to look at, those to leave alone, the content of each blob, and what to say about all that."""
    if options.content is not None:
        path, data = options.content
        return (StagedFile(path, "100644", ""),), [], {"": data}, []
    from litecode.core.git.objects import Objects
    from litecode.core.git.worklist import work_list

    work = work_list(
        world.repo,
        paths=options.paths,
        all_files=options.all_files,
        from_ref=options.from_ref,
        to_ref=options.to_ref,
    )
    notes = list(unseen_sentences(world.repo, work, options, world.rules.path))
    with Objects.of(world.repo) as objects:
        return work.files, list(work.skipped), objects.read_many(f.oid for f in work.files), notes


def _too_long(works: Sequence[Work]) -> Iterator[str]:
    """A sentence for each rule with an instruction that leaves too little of the window for code."""
    used = {compiled.rule.id: compiled.rule for work in works for compiled in work.rules}
    for rule in used.values():
        if rule.instruction is not None and len(rule.instruction.encode()) > SHORT:
            from litecode.core.rule_lint import too_long

            for fault in too_long(rule):
                yield f"rule {rule.id}: {fault.text}; {fault.hint}"


def _idle_comments(rules: Sequence[CompiledRule], state: FileState, world: World) -> Iterator[str]:
    """A sentence for each comment that lets stand what no rule has anything against, or that names no rule."""
    for compiled in rules:
        for line in needless(state.document, compiled.asked.matcher, compiled.rule.id, compiled.grammar):
            yield f"{state.path}:{line}: litecode-ignore: {compiled.rule.id} is not needed"
    known = [rule.id for rule in world.rules.rules]
    for line, name in unknown(state.document.text, known, rules[0].grammar):
        yield f"{state.path}:{line}: litecode-ignore: {f'there is no rule {name}' if name else 'name a rule'}"


def _applies(compiled: CompiledRule, state: FileState) -> bool:
    try:
        return bool(sites_of(compiled, state))
    except RuleError as err:
        rule = compiled.rule
        raise RuleError(f"rule {rule.id} on {state.path}: {err}", err.hint, rule.place("regex")) from None


def _wanted(rule: Rule, options: Options) -> bool:
    return rule.id not in options.skip and (not options.only or rule.id in options.only)


def _changed(file: StagedFile, options: Options) -> frozenset[int] | None:
    return None if options.all_files else file.changed


def _compiled(
    known: dict[tuple[str, str | None], CompiledRule], rule: Rule, path: str, tags: frozenset[str]
) -> CompiledRule:
    name = rule.language or languages.language_of(path, tags)
    language = languages.find(name) if name else None
    grammar = language.parser if language else None
    if (rule.id, grammar) not in known:
        known[rule.id, grammar] = compile_rule(rule, grammar)
    return known[rule.id, grammar]


def plan_of(reading: Reading) -> tuple[Plan, dict[str, tuple[Work, CompiledRule]]]:
    """One task for each rule on each file; those of a file follow one another."""
    tasks: list[Task] = []
    work_of: dict[str, tuple[Work, CompiledRule]] = {}
    for work in reading.works:
        for rule in work.rules:
            task = Task(str(len(tasks) + 1), work.file.path, _action(rule.rule), rule=rule.rule.id)
            tasks.append(task)
            work_of[task.id] = (work, rule)
    return Plan(tuple(tasks)), work_of


def _action(rule: Rule) -> str:
    if rule.fix is not None:
        return f"fix: {rule.fix}"
    return " ".join((rule.instruction or "report").split())
