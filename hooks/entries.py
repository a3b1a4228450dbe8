"""What the entry points of `litecode-hook` do when there is something to do.

They ask nothing and read no input. Their arguments can come from a repository (`args:` of the framework), so there is
no option here that chooses an endpoint, a key or a command.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from litecode.core.errors import EXIT_CLEAN, UsageError
from litecode.core.git.process import to_text
from litecode.core.git.rawdiff import head_rows
from litecode.core.git.repository import Operation, Repository
from litecode.core.values import Apply
from litecode.core.world import Options
from litecode.hooks import fast
from litecode.hooks.asking import skipped_rules
from litecode.hooks.failure import guarded
from litecode.hooks.performing import Manner, perform
from litecode.hooks.rules_file import NoRules, find_rules
from litecode.hooks.show.terminal import Style, Terminal

SKIP_VARIABLE = "SKIP"  # of the framework, with hook ids
HOOK_ID = "litecode"
STAGE_OPTION = "--stage"
COMMAND = "git-litecode"
STOPPED = Manner(stops="the commit was stopped")
FAILED = Manner(stops="the hook fails")


def start(name: str, arguments: list[str]) -> int:
    """Run one entry point and give its exit code."""
    environ = os.environ
    terminal = Terminal.of(sys.stdout, sys.stderr, environ)

    def action() -> int:
        if name == "pre-commit":
            return native(terminal, environ)
        if name in ("framework", "check"):
            code = framework(arguments, terminal, environ, check=name == "check")
            return _with_way(code, terminal, environ)
        if name in ("commit-msg", "message"):
            from litecode.hooks.commit_msg import check_message

            return _with_way(check_message(arguments, terminal, environ), terminal, environ)
        if name == "edit":
            from litecode.hooks.message_editor import edit

            return edit(arguments, environ)
        raise UsageError(f"litecode-hook cannot do {name!r}", "use `git litecode run`; hooks start this by themselves")

    return guarded(action, terminal, environ)


def _with_way(code: int, terminal: Terminal, environ: Mapping[str, str]) -> int:
    """Hand on an exit code; where git finds no `git litecode`, because only the framework has installed it, say how the
    commands that were just recommended can be typed.
    """
    from litecode.core.git.framework import caches

    here = Path(sys.prefix).resolve()
    if code and any(here.is_relative_to(cache.resolve()) for cache in caches(environ)):
        own = Path(sys.executable).with_name(COMMAND)
        others = [folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if Path(folder) != own.parent]
        if shutil.which(COMMAND, path=os.pathsep.join(others)) is None:
            how = f"install litecode with pip or pipx, or use {shlex.quote(str(own))} in its place"
            terminal.tell(f"{terminal.err_style('hint:', Style.YELLOW)} git knows no `git litecode` yet: {how}")
    return code


def native(terminal: Terminal, environ: Mapping[str, str]) -> int:
    """The pre-commit hook of git: proven patches go into the commit that is being made."""
    repo = Repository.discover(Path.cwd(), environ)
    if HOOK_ID in environ.get(SKIP_VARIABLE, "").split(","):
        terminal.tell(f"litecode: skipped, because {SKIP_VARIABLE} names {HOOK_ID}")
        return EXIT_CLEAN
    operation = repo.operation()
    if operation is not Operation.NONE:
        terminal.tell(f"litecode: not checked, because of the {operation} that is going on")
        return EXIT_CLEAN
    remember_rules(repo)
    options = Options(hook=True, skip=skipped_rules(environ))
    try:
        return perform(repo, options, terminal, environ, manner=STOPPED)
    except NoRules:
        return EXIT_CLEAN


def framework(arguments: list[str], terminal: Terminal, environ: Mapping[str, str], *, check: bool) -> int:
    """A hook of the pre-commit framework: patches are held, because it would not show what was staged behind it.

    Its file names are relative to the top of the worktree, where it starts its hooks. `--stage` stages all the same.
    """
    wanted = STAGE_OPTION in arguments and not check
    names = [word for word in arguments if word != STAGE_OPTION or check]
    unknown = [word for word in names if word.startswith("-")]
    if unknown:
        raise UsageError(f"the hook takes no option {unknown[0]}", "leave it out of `args:` in .pre-commit-config.yaml")
    repo = Repository.discover(Path.cwd(), environ)
    options = framework_options(repo, tuple(to_text(os.fsencode(name)) for name in names), environ, check=check)
    way, hidden = _framework_way(repo, options, environ) if wanted else (Apply.HOLD, None)
    try:
        manner = Manner() if check else FAILED
        return perform(repo, options, terminal, environ, apply=way, manner=manner, hidden=hidden)
    except NoRules:
        return EXIT_CLEAN


def _framework_way(repo: Repository, options: Options, environ: Mapping[str, str]) -> tuple[Apply, Path | None]:
    """What `--stage` comes to, and the patch with the edits that the framework has put away.

    Only a commit has a place for what is staged. Of another front end nobody knows where it puts edits away; there
    only the worktree is changed, which it sees and reports.
    """
    from litecode.core.git.framework import hidden_edits

    if options.all_files or options.from_ref is not None or repo.operation() is not Operation.NONE:
        return Apply.HOLD, None
    hidden = hidden_edits(environ)
    if hidden is None:
        return Apply.STAGE, None
    return (Apply.STAGE, hidden.patch) if hidden.known else (Apply.WORKTREE, None)


def framework_options(repo: Repository, paths: tuple[str, ...], environ: Mapping[str, str], *, check: bool) -> Options:
    """What the framework means by the files that it names: those of the commit, of a range (pre-push, or its options
    --from-ref and --to-ref), or, when files are among them that are not staged, whole files (--all-files, --files).
    """
    since, until = environ.get("PRE_COMMIT_FROM_REF"), environ.get("PRE_COMMIT_TO_REF")
    staged = {row.path for row in head_rows(repo)[0]}
    return Options(
        paths=paths,
        from_ref=since or None,
        to_ref=(until or None) if since else None,
        all_files=not since and not staged.issuperset(paths),
        check=check,
        no_model=check,
        hook=True,
        skip=skipped_rules(environ),
        why_held="" if check else "`git litecode apply` stages it",
    )


def remember_rules(repo: Repository) -> None:
    """Leave to later commits which files the rules look at, unless that is known already."""
    from litecode.config.load import load_rules
    from litecode.config.select import to_cache

    os.chdir(repo.top)
    state = fast.rules_state()
    if state is None or fast.knows(str(repo.state_dir), state):
        return
    found = find_rules(repo, hook=True)
    if found is None:
        return
    with contextlib.suppress(OSError):  # then later commits take a little longer
        fast.remember(str(repo.state_dir), state, to_cache(load_rules(found.data, fast.RULES_FILE)))
