"""One request from the command line: run it, show it, ask the person, and give the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from litecode.core.announcing import counted
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import EXIT_CLEAN, LitecodeError
from litecode.core.git.repository import Repository
from litecode.core.values import Apply, Run, State
from litecode.core.world import Options, World
from litecode.hooks.exits import exit_code
from litecode.hooks.performing import Manner
from litecode.hooks.remote import agrees, is_interactive, strangers
from litecode.hooks.show.progress import Progress
from litecode.hooks.show.terminal import Terminal, visible
from litecode.hooks.show.text import count, show_hints, show_run
from litecode.hooks.world import answered, build_world, make_request

PLAIN = Manner()


def folder_of(repo: Repository) -> str:
    """Where the person stands, as `Options.folder` has it; the top when that is outside of the worktree."""
    try:
        path = repo.relative(".", Path.cwd())
    except LitecodeError:
        return ""
    return f"{path}/" if path not in ("", ".") else ""


def request(
    repo: Repository,
    options: Options,
    text: str,
    terminal: Terminal,
    environ: Mapping[str, str],
    *,
    apply: Apply | None = None,
    manner: Manner = PLAIN,
) -> int:
    """Raises LitecodeErrors. What is not staged is held, and the next command to type is said."""
    progress = Progress(terminal, manner.verbose)
    try:
        world = build_world(repo, environ, progress, with_rules=False)
        options = replace(options, apply=apply or Apply(world.settings.apply.value), folder=folder_of(repo))
        if ask_first(repo, world, options, terminal):
            world = build_world(repo, environ, progress, with_rules=False)
        run = make_request(world, options, text)
    finally:
        progress.close()
    if "answer" in run.extra and not options.dry_run:
        return show_answer(run, terminal)
    if manner.form == "json":
        from litecode.hooks.show.json import run_json

        terminal.print(run_json(run, options, _version()))
        return exit_code(run, options)
    if options.dry_run:
        from litecode.hooks.show.plan import show_request_plan

        show_request_plan(run, terminal)
        return EXIT_CLEAN
    asks = options.apply is Apply.STAGE and not options.yes and is_interactive(terminal)
    show_run(run, options, terminal, manner.verbose, closing=not asks)
    if asks:
        run = _consented(world, run, terminal)
    return exit_code(run, options)


def question(repo: Repository, options: Options, text: str, terminal: Terminal, environ: Mapping[str, str]) -> int:
    """Answer a question; on this way there is nothing that could write."""
    from litecode.core.requests import answer_question

    progress = Progress(terminal)
    try:
        world = build_world(repo, environ, progress, with_rules=False)
        if ask_first(repo, world, options, terminal):
            world = build_world(repo, environ, progress, with_rules=False)
        standing = replace(options, folder=folder_of(repo))
        run = answered(world, lambda: answer_question(world, standing, text))
    finally:
        progress.close()
    code = show_answer(run, terminal)
    seen, tracked = (int(run.extra[name]) for name in ("files", "tracked"))
    if seen < tracked and not options.all_files and not options.paths:
        terminal.tell(
            f"litecode: looked at {count(seen, 'staged file')} of {count(tracked, 'file')}; --all-files: at all"
        )
    return code


def show_answer(run: Run, terminal: Terminal) -> int:
    """The answer to a question, and nothing else, on stdout."""
    for note in run.notes:
        terminal.tell(f"note: {visible(note)}")
    for line in str(run.extra["answer"]).splitlines():
        terminal.print(visible(line, "\t"))
    show_hints(run, terminal)
    return EXIT_CLEAN


def _consented(world: World, run: Run, terminal: Terminal) -> Run:
    """The run after the person was asked."""
    if not any(verdict.state is State.HELD for verdict in run.verdicts):
        return run
    from litecode.core.requests import stage_held
    from litecode.hooks.consent import ask

    chosen = ask(run, terminal, input)
    if not chosen:
        terminal.tell(f"litecode: held, nothing was staged: git litecode apply {run.id}, git litecode drop {run.id}")
        return run
    run = stage_held(world, run, chosen)
    for patch in run.patches:
        if patch.state is State.REJECTED and patch.path in chosen:
            terminal.tell(f"litecode: {visible(patch.path)} was not staged: {visible(patch.reason)}")
    terminal.tell(f"litecode: staged    undo: git litecode undo {run.id}")
    return run


def ask_first(repo: Repository, world: World, options: Options, terminal: Terminal) -> bool:
    """Whether the person has said yes to a machine that the request goes to, which nobody has said yes to before."""
    hosts = strangers(world)
    if not hosts or options.hook or not is_interactive(terminal):
        return False
    from litecode.core.scene import read_scene

    scene = read_scene(world, options)
    texts = [document.text for path in scene.files if (document := scene.document(path)) is not None]
    return agrees(repo, hosts, f"at most {counted(len(texts), Estimator().content(texts))}", terminal)


def _version() -> str:
    from importlib.metadata import version

    return version("litecode")
