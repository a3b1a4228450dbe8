"""One run from the command line or a hook: build the world, run, show, and give the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from litecode.config.rules import RulesFile
from litecode.core.announcing import counted
from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS
from litecode.core.git.repository import Repository
from litecode.core.values import Apply, Finding, Run, State
from litecode.core.world import Options, World
from litecode.hooks.asking import check_only, skip_notes
from litecode.hooks.exits import exit_code, remains
from litecode.hooks.remote import agrees, is_interactive, strangers
from litecode.hooks.show.progress import Progress
from litecode.hooks.show.terminal import Terminal
from litecode.hooks.show.text import count, finding_line, show_check, show_run, summary
from litecode.hooks.world import build_world, make_run


@dataclass(frozen=True, slots=True)
class Manner:
    """How to show a run: `form` is text, json, github or sarif; `diff` is the bare diff of `check --diff`. Of `check`
    are the baselines to read and to write, too. `stops` is for hooks: what it means when the run does not end well.
    """

    form: str = "text"
    verbose: bool = False
    diff: bool = False
    baseline: Path | None = None
    write_baseline: Path | None = None
    stops: str = ""


def perform(
    repo: Repository,
    options: Options,
    terminal: Terminal,
    environ: Mapping[str, str],
    *,
    apply: Apply | None = None,
    manner: Manner = Manner(),
    hidden: Path | None = None,
) -> int:
    """`apply` None means what the settings say; `hidden` is that of `World`. Raises LitecodeErrors, `NoRules` without a
    rules file among them.
    """
    known = None
    if manner.baseline is not None:
        from litecode.hooks.baseline import read_baseline

        known = read_baseline(manner.baseline)
    progress = Progress(terminal, manner.verbose)
    try:
        world = build_world(repo, environ, progress, hook=options.hook)
        check_only(world.rules, options.only)
        world = replace(world, notes=(*world.notes, *skip_notes(world.rules, options.skip)), hidden=hidden)
        options = replace(options, apply=apply or Apply(world.settings.apply.value))
        if options.hook and options.deadline is None:
            options = replace(options, deadline=float(world.settings.deadline))
        if strangers(world) and not (options.hook or options.dry_run or options.no_model):
            world = _asked(repo, environ, progress, world, options, terminal)
        run = make_run(world, options)
    finally:
        progress.close()
    if manner.write_baseline is not None:
        return _write_baseline(run, options, manner.write_baseline, terminal)
    if known is not None:
        from litecode.hooks.baseline import without

        run = without(run, known)
    if manner.diff:
        return _show_diff(run, options, terminal)
    report(run, options, terminal, world.rules, manner)
    return _ended(run, options, manner, terminal)


def _ended(run: Run, options: Options, manner: Manner, terminal: Terminal) -> int:
    """The exit code; of a hook that stops something also the lines that say so."""
    code = exit_code(run, options)
    if manner.stops and code != EXIT_CLEAN:
        from litecode.hooks.stopping import show_stop

        show_stop(run, options, manner.stops, terminal)
    return code


def _asked(
    repo: Repository,
    environ: Mapping[str, str],
    progress: Progress,
    world: World,
    options: Options,
    terminal: Terminal,
) -> World:
    """The world after the person was asked about the machines that code would go to; the numbers are those of a run
    that makes no call.
    """
    if not is_interactive(terminal):
        return world
    calls = make_run(world, replace(options, dry_run=True)).calls
    numbers = counted(len({call.purpose.rpartition(" ")[0] for call in calls}), sum(call.estimate for call in calls))
    if calls:
        agrees(repo, strangers(world), numbers, terminal)
    again = build_world(repo, environ, progress, hook=options.hook)
    return replace(again, notes=world.notes, hidden=world.hidden)


def report(run: Run, options: Options, terminal: Terminal, rules: RulesFile, manner: Manner) -> None:
    """Documents go to stdout whole, with no other line beside them."""
    if manner.form == "text":
        _report_text(run, options, terminal, manner.verbose)
        return
    if manner.form == "json":
        from litecode.hooks.show.json import run_json

        terminal.print(run_json(run, options, _version()))
    elif manner.form == "sarif":
        from litecode.hooks.show.sarif import sarif

        terminal.print(sarif(remaining(run, options), rules.active, _version()))
    else:
        from litecode.hooks.show.github import annotation_lines

        for line in annotation_lines(remaining(run, options)):
            terminal.print(line)
        for finding in remaining(run, options):
            terminal.tell(finding_line(finding))
    if not options.check and (closing := summary(run, options)):
        terminal.tell(closing)


def _report_text(run: Run, options: Options, terminal: Terminal, verbose: bool) -> None:
    if options.check:
        show_check(run, terminal, verbose)
    elif options.dry_run:
        from litecode.hooks.show.plan import show_plan

        show_plan(run, options, terminal)
    else:
        show_run(run, options, terminal, verbose)


def _write_baseline(run: Run, options: Options, path: Path, terminal: Terminal) -> int:
    """What could not be looked at is no reason to begin without it."""
    from litecode.hooks.baseline import write_baseline

    number = write_baseline(path, remaining(run, options))
    terminal.tell(f"litecode: {count(number, 'finding')} written to {path}")
    return EXIT_CLEAN


def _show_diff(run: Run, options: Options, terminal: Terminal) -> int:
    """The patches that `run` would make and nothing else on stdout; 1 when there are any, as diff does."""
    from litecode.hooks.show.diff import print_diff

    patches = [patch for patch in run.patches if patch.state is not State.REJECTED]
    for patch in patches:
        print_diff(patch.diff, terminal)
    changed = {(patch.path, rule) for patch in patches for rule in patch.rules}
    left = [f for f in remaining(run, options) if (f.path, f.rule) not in changed]
    for finding in left:
        terminal.tell(f"no change for {finding_line(finding)}")
    return max(exit_code(run, options), EXIT_FINDINGS if patches else EXIT_CLEAN)


def remaining(run: Run, options: Options) -> list[Finding]:
    """The findings that a commit would still have, in the order of the files."""
    left = [v for v in run.verdicts if v.state is State.FAILED or remains(v, options)]
    return sorted((f for v in left for f in v.findings), key=lambda f: (f.path, f.line, f.column, f.rule))


def _version() -> str:
    from importlib.metadata import version

    return version("litecode")
