"""The commit-msg hook: a message with a `Litecode:` trailer is a request for a change in this very commit.

Git has written the tree of the commit before the hook runs, so what the hook stages would not be in it. The hook
therefore carries the request out, holds the result, keeps the message, and stops the commit;
`git litecode commit --continue` makes it.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from litecode.config.settings import Unavailable
from litecode.config.trailer import Trailer
from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, LitecodeError, ModelError, UsageError
from litecode.core.fulfilled import known_result
from litecode.core.git.message import with_runs
from litecode.core.git.repository import Repository
from litecode.core.git.scratch import Scratch, tree_of
from litecode.core.store.commits import CommitStore, Result, Waiting
from litecode.core.store.runs import RunStore
from litecode.core.values import Run, State
from litecode.core.world import Options
from litecode.hooks.carrying import Carried, carry_out_requests
from litecode.hooks.show.terminal import Style, Terminal
from litecode.hooks.show.text import show_error, show_run
from litecode.hooks.world import settings_of
from litecode.hooks.written import (
    Written,
    content_of,
    running_commit,
    runs_of,
    waiting_for,
    why_not,
    written,
)

SKIP_IDS = frozenset({"litecode", "litecode-message"})
CONTINUE = "git litecode commit --continue"


def check_message(arguments: list[str], terminal: Terminal, environ: Mapping[str, str]) -> int:
    """The hook. 1 stops the commit, and its message is kept in any case."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        raise UsageError("the hook takes the file of the message, and nothing else", "leave it to git, which starts it")
    file = Path(arguments[0])
    try:
        return _check(file, terminal, environ)
    except BaseException:
        terminal.tell(f"litecode: your message is in {file.resolve()}")
        raise


def _check(file: Path, terminal: Terminal, environ: Mapping[str, str]) -> int:
    repo = Repository.discover(Path.cwd(), environ)
    message = written(repo, file.read_bytes(), running_commit(), environ)
    if not message.todo:
        return EXIT_CLEAN
    skip = SKIP_IDS.intersection(environ.get("SKIP", "").split(","))
    reason = f"SKIP names {min(skip)}" if skip else why_not(repo, message.text)
    if reason:
        terminal.tell(f"litecode: the request in the message is not carried out, because {reason}")
        return EXIT_CLEAN
    store = CommitStore(repo.state_dir)
    waiting = waiting_for(repo, message, environ, content_of(repo), tree_of(repo, repo.index))
    known = known_result(repo, message.todo, waiting.before)
    if known is not None:
        _fulfil(repo, file, message, known)
        store.done()
        return EXIT_CLEAN
    store.keep_message(message.text)
    return _stopped(repo, store, waiting, terminal) or _carry_out(
        repo, store, file, message, waiting, terminal, environ
    )


def _fulfil(repo: Repository, file: Path, message: Written, result: Result) -> None:
    """Write the runs beside the trailers."""
    keep = settings_of(repo)[0].trailer is Trailer.KEEP
    file.write_bytes(with_runs(repo.git, message.raw, runs_of(message.asked, result.runs), message.manner, keep=keep))


def _stopped(repo: Repository, store: CommitStore, waiting: Waiting, terminal: Terminal) -> int:
    """Stop the commit again when it was stopped before, and nothing has changed since."""
    for result in store.results():
        if (result.texts, result.before, result.head) != (waiting.texts, waiting.before, waiting.head):
            continue
        runs = _held(RunStore(repo.state_dir), result)
        if result.after and runs:
            for run in runs:
                show_run(run, Options(), terminal)
            return stop(store, waiting, Carried(runs, True, result.after), terminal)
    return EXIT_CLEAN


def _held(store: RunStore, result: Result) -> tuple[Run, ...]:
    """The runs of the result, if all that they have changed is held."""
    try:
        runs = tuple(store.load(name) for name in result.runs if name)
    except LitecodeError:
        return ()
    patches = [patch for run in runs for patch in run.patches]
    complete = len(runs) == len(result.runs) and patches and all(patch.state is State.HELD for patch in patches)
    return runs if complete else ()


def _carry_out(
    repo: Repository,
    store: CommitStore,
    file: Path,
    message: Written,
    waiting: Waiting,
    terminal: Terminal,
    environ: Mapping[str, str],
) -> int:
    try:
        with Scratch.of(repo) as scratch:
            carried = carry_out_requests(scratch, waiting, terminal, environ, hook=True)
    except LitecodeError as error:
        return failed(repo, store, waiting, error, terminal)
    if carried.has_no_model and _may_skip(repo, terminal):
        store.done()
        return EXIT_CLEAN
    if carried.whole and not carried.holds:
        terminal.tell("litecode: the request changes nothing")
        _fulfil(repo, file, message, Result(waiting.texts, carried.ids, waiting.before, carried.after, waiting.head))
        store.done()
        return EXIT_CLEAN
    return stop(store, waiting, carried, terminal)


def failed(repo: Repository, store: CommitStore, waiting: Waiting, error: LitecodeError, terminal: Terminal) -> int:
    show_error(error, terminal)
    if isinstance(error, ModelError) and _may_skip(repo, terminal):
        store.done()
        return EXIT_CLEAN
    store.keep(waiting)
    _tell(terminal, "the commit is stopped, because the request in its message is not carried out")
    _hint(terminal, f"{CONTINUE} tries again and commits, or edit the message: {_edit(store)}")
    return error.exit_code


def _may_skip(repo: Repository, terminal: Terminal) -> bool:
    """A request is no check that could be left out: without a model the commit stops, unless the person has said that
    it shall go on.
    """
    if settings_of(repo)[0].on_unavailable is not Unavailable.SKIP:
        return False
    terminal.tell("litecode: the request in the message is not carried out (litecode.onUnavailable is skip)")
    return True


def stop(store: CommitStore, waiting: Waiting, carried: Carried, terminal: Terminal) -> int:
    names = [name for name in carried.ids if name]
    if carried.whole:
        store.keep(replace(waiting, runs=carried.ids))
        _tell(terminal, "the commit is stopped: what its message asks for is held, and waits for your yes")
        _hint(terminal, f"{CONTINUE} stages it and commits with your message")
        _hint(terminal, f"git litecode review {names[-1]} decides hunk by hunk; without the request: {_edit(store)}")
        return EXIT_FINDINGS
    store.keep(waiting)
    _tell(terminal, "the commit is stopped, because the request in its message is not carried out in whole")
    if carried.holds:
        _hint(terminal, f"git litecode review {names[-1]} stages what there is, and {CONTINUE} commits then")
    _hint(terminal, f"{CONTINUE} tries again, or edit the message: {_edit(store)}")
    return EXIT_FINDINGS


def _edit(store: CommitStore) -> str:
    return f"git commit -e -F {shlex.quote(str(store.message_file))}"


def _tell(terminal: Terminal, text: str) -> None:
    terminal.tell(f"{terminal.err_style('litecode:', Style.RED)} {text}")


def _hint(terminal: Terminal, text: str) -> None:
    terminal.tell(f"{terminal.err_style('hint:', Style.YELLOW)} {text}")
