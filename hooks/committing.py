"""Makes the commit whose requests are carried out: stages what is held, and calls `git commit` with the message.

The commit gets what it was to have when it was stopped, and the results: for `git commit -a` and for single paths the
entries come from the tree that git had made then, so that edits made since stay unstaged.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from litecode.config.trailer import Trailer
from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, GitError, LitecodeError, StateError
from litecode.core.fulfilled import known_result
from litecode.core.git.message import Cleanup, Manner, with_runs
from litecode.core.git.process import to_bytes
from litecode.core.git.repository import Operation, Repository
from litecode.core.git.scratch import Scratch, changed_paths, set_to_tree, tree_of
from litecode.core.held import carry_out, whole
from litecode.core.store.commits import CommitStore, Content, Waiting
from litecode.core.store.runs import RunStore
from litecode.core.values import Run, State
from litecode.hooks.carrying import Choose, agree, carry_out_requests, is_sure, is_whole
from litecode.hooks.commit_msg import CONTINUE, failed, stop
from litecode.hooks.noticing import noticing
from litecode.hooks.remote import is_interactive
from litecode.hooks.show.terminal import Terminal, visible
from litecode.hooks.world import settings_of
from litecode.hooks.written import asked_in, runs_of

Agreed = Mapping[str, Sequence[str]]
"""The paths to stage of each run."""


def continue_commit(extra: Sequence[str], terminal: Terminal, environ: Mapping[str, str], *, yes: bool) -> int:
    """Make the commit that waits; `extra` are more options for `git commit`."""
    repo = Repository.discover(Path.cwd(), environ)
    store = CommitStore(repo.state_dir)
    waiting = store.waiting()
    if waiting is None:
        raise StateError("no commit waits for its request", "`git litecode commit` takes what `git commit` takes")
    operation = repo.operation()
    if operation is not Operation.NONE:
        raise GitError(f"a {operation} is going on", "finish or abort it first; the commit waits")
    if "--amend" in (waiting.options or ()) and repo.head() != waiting.head:
        raise GitError(
            "HEAD is not the commit any more that was to be amended",
            f"commit again; your message is in {store.message_file}",
        )
    if waiting.options is None:
        terminal.tell(f"note: the options of that commit are not known; say them again if it had some: {CONTINUE} ...")
    names = waiting.runs
    if len(names) < len(waiting.texts):
        known = known_result(repo, waiting.texts, waiting.before)
        if known is None:
            return resume(repo, waiting, extra, terminal, environ, yes=yes)
        names = known.runs
    runs = RunStore(repo.state_dir)
    with _keeping(store, terminal):
        agreed = {name: agree(runs.load(name)) for name in names if name and _is_kept(runs, name)}
        return _commit(repo, replace(waiting, runs=names), agreed, extra, terminal, environ)


@contextmanager
def _keeping(store: CommitStore, terminal: Terminal) -> Iterator[None]:
    """Whatever goes wrong, the person is told where the message is."""
    try:
        yield
    except BaseException:
        terminal.tell(f"litecode: no commit was made; your message is in {store.message_file}")
        raise


def _is_kept(store: RunStore, name: str) -> bool:
    """A run that changed nothing is not kept."""
    return any(record.id == name for record in store.list())


def resume(
    repo: Repository,
    waiting: Waiting,
    extra: Sequence[str],
    terminal: Terminal,
    environ: Mapping[str, str],
    *,
    yes: bool,
) -> int:
    """Carry out the requests of a commit whose message is kept, ask, and make it."""
    store = CommitStore(repo.state_dir)
    asking = not yes and is_interactive(terminal)
    store.keep(waiting)
    with _keeping(store, terminal), Scratch.of(repo) as scratch:
        if waiting.content is not Content.STAGED and not waiting.laid:
            scratch.read(waiting.before)
        choose = _chooser(terminal, yes=yes) if yes or asking else agree
        try:
            carried = carry_out_requests(scratch, waiting, terminal, environ, choose=choose)
        except LitecodeError as error:
            return failed(repo, store, waiting, error, terminal)
    if not carried.whole and is_whole(carried.runs[-1]):
        terminal.tell(f"litecode: no commit was made, the change is held and your message kept: {CONTINUE}")
        return EXIT_FINDINGS
    if not carried.whole or (carried.holds and not yes and not asking):
        return stop(store, waiting, carried, terminal)
    agreed = dict(zip(carried.ids, carried.chosen, strict=True))
    with _keeping(store, terminal):
        return _commit(repo, replace(waiting, runs=carried.ids), agreed, extra, terminal, environ)


def _chooser(terminal: Terminal, *, yes: bool) -> Choose:
    def choose(run: Run) -> tuple[str, ...] | None:
        from litecode.hooks.consent import ask

        held = agree(run)
        if not held:
            return ()
        if yes:
            return held if is_sure(run) else None
        return ask(run, terminal, input) or None

    return choose


def _commit(
    repo: Repository,
    waiting: Waiting,
    agreed: Agreed,
    extra: Sequence[str],
    terminal: Terminal,
    environ: Mapping[str, str],
) -> int:
    store = CommitStore(repo.state_dir)
    store.keep(waiting)
    paths = _lay(repo, store, waiting)
    changed = _stage(repo, agreed, terminal)
    message = store.message()
    asked = asked_in(repo, message)
    keep = settings_of(repo)[0].trailer is Trailer.KEEP
    manner = Manner(cleanup=Cleanup.VERBATIM)
    text = with_runs(repo.git, message, runs_of(asked, waiting.runs), manner, keep=keep) if asked else message
    file = store.keep_message(text)
    words = [*(waiting.options or ()), *extra, f"--file={file}"]
    words.append("--cleanup=verbatim" if waiting.verbatim else "--cleanup=whitespace")
    stdin = None
    if waiting.content is Content.ONLY:
        words += ["--only", "--pathspec-from-file=-", "--pathspec-file-nul"]
        stdin = b"\0".join(b":(top,literal)" + to_bytes(path) for path in dict.fromkeys((*paths, *changed)))
    code = git_commit(words, {**environ, **waiting.author}, stdin)
    if code == EXIT_CLEAN:
        store.done()
    else:
        terminal.tell(f"litecode: no commit was made; your message is kept: {CONTINUE}")
    return code


def _lay(repo: Repository, store: CommitStore, waiting: Waiting) -> tuple[str, ...]:
    """Let the index have what the commit was to have. Gives the paths of a commit of single paths."""
    if waiting.content is Content.STAGED:
        return ()
    base = waiting.head or repo.empty_tree
    only = waiting.content is Content.ONLY
    paths = changed_paths(repo, base, waiting.before) if only else ()
    if waiting.laid:
        return paths
    now = tree_of(repo, repo.index)
    if now != waiting.real:
        raise GitError(
            "the index has changed since the commit was stopped",
            f"stage what it shall have, and commit again: git commit -e -F {store.message_file}",
        )
    set_to_tree(repo, waiting.before, paths or changed_paths(repo, now, waiting.before))
    store.keep(replace(waiting, laid=True))
    return paths


def _stage(repo: Repository, agreed: Agreed, terminal: Terminal) -> list[str]:
    """Stage what is held, run after run. Gives the paths that the runs have changed."""
    runs = RunStore(repo.state_dir)
    changed = []
    for name, paths in agreed.items():
        if not name or not paths:
            continue
        run = runs.load(name)
        held = [patch for patch in run.patches if patch.state is State.HELD and patch.path in paths]
        with noticing(repo):
            carried = carry_out(repo, run, [whole(repo, patch) for patch in held])
        runs.save(carried.run)
        if carried.refused:
            reasons = "".join(f"\n    {visible(result.path)}: {visible(result.reason)}" for result in carried.refused)
            raise GitError(
                f"a change of the run {name} could not be staged, so no commit was made:{reasons}",
                f"git litecode review {name}, then {CONTINUE}",
            )
        changed += [patch.path for patch in held]
        terminal.tell(f"litecode: staged    undo: git litecode undo {name}")
    return changed


def git_commit(words: Sequence[str], environ: Mapping[str, str], stdin: bytes | None = None) -> int:
    """Let git make a commit at the terminal; Ctrl-C is for it and its editor, not for this process."""
    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        done = subprocess.run(("git", "commit", *words), env=dict(environ), input=stdin, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def editor_of(repo: Repository) -> str:
    """What git would open for a message, empty when there is nothing."""
    found = repo.git.read("var", "GIT_EDITOR", ok=())
    return os.fsdecode(found.out).strip() if found.rc == 0 else ""
