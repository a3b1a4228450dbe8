"""The requests of a commit message, carried out one after another on what the commit is going to hold.

Nothing is staged here. Each request sees the results of those before it in a private copy of the index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from litecode.core.git.repository import Repository
from litecode.core.git.scratch import Scratch
from litecode.core.store.commits import CommitStore, Result, Waiting
from litecode.core.values import Apply, Proof, Run, State
from litecode.core.world import Options
from litecode.hooks.requesting import show_answer
from litecode.hooks.show.progress import Progress
from litecode.hooks.show.terminal import Terminal, visible
from litecode.hooks.show.text import show_run
from litecode.hooks.world import build_world, make_request

_WELL = frozenset({State.HELD, State.STAGED, State.CONFORMS})

Choose = Callable[[Run], tuple[str, ...] | None]
"""Gives the paths of a run that are to be staged; None when the commit is not to be made."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The runs so far, with the paths of each that are to be staged. `whole` says that every request was carried out
    and agreed to; `after` is the tree with the results.
    """

    runs: tuple[Run, ...]
    whole: bool
    after: str
    chosen: tuple[tuple[str, ...], ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(run.id for run in self.runs)

    @property
    def holds(self) -> bool:
        """Whether there is anything to stage."""
        return any(patch.state is State.HELD for run in self.runs for patch in run.patches)

    @property
    def has_no_model(self) -> bool:
        """Whether there was no model to ask."""
        return any(not run.model and verdict.state is State.FAILED for run in self.runs for verdict in run.verdicts)


def agree(run: Run) -> tuple[str, ...]:
    """To all of it."""
    return tuple(patch.path for patch in run.patches if patch.state is State.HELD)


def carry_out_requests(
    scratch: Scratch,
    waiting: Waiting,
    terminal: Terminal,
    environ: Mapping[str, str],
    *,
    choose: Choose = agree,
    hook: bool = False,
) -> Carried:
    """Carry out the requests, show what comes of them, and remember it. The first one that is not carried out in
    whole is the last one. When a commit is amended, its own changes count as staged. Raises LitecodeErrors for what
    stops everything.
    """
    texts = waiting.texts
    against = _below(scratch.repo) if "--amend" in (waiting.options or ()) else None
    repo = scratch.repo
    before, head = scratch.tree(), repo.head()
    after, whole = before, True
    runs: list[Run] = []
    paths: list[tuple[str, ...]] = []
    for text in texts:
        terminal.tell(f"litecode: {visible(text)}")
        run = _request(scratch, text, against, terminal, environ, hook=hook)
        runs.append(run)
        chosen = choose(run) if is_whole(run) else None
        if chosen is None:
            whole = False
            break
        paths.append(chosen)
        scratch.put([p.change for p in run.patches if p.state is State.HELD and p.path in chosen])
        after = scratch.tree()
    if len(runs) == len(texts) and any(run.id for run in runs):
        names = tuple(run.id for run in runs)
        CommitStore(repo.state_dir).record(Result(tuple(texts), names, before, after if whole else "", head))
    return Carried(tuple(runs), whole, after, tuple(paths))


def _below(repo: Repository) -> str:
    """What HEAD was made on."""
    found = repo.git.read("rev-parse", "--quiet", "--verify", "HEAD~1", ok=(0, 1))
    return found.out.decode().strip() if found.rc == 0 else repo.empty_tree


def _request(
    scratch: Scratch,
    text: str,
    against: str | None,
    terminal: Terminal,
    environ: Mapping[str, str],
    *,
    hook: bool,
) -> Run:
    progress = Progress(terminal)
    try:
        world = build_world(scratch.repo, environ, progress, hook=hook, with_rules=False)
        deadline = float(world.settings.deadline) if hook else None
        options = Options(against=against, apply=Apply.HOLD, deadline=deadline)
        run = make_request(world, options, text)
    finally:
        progress.close()
    if "answer" in run.extra:
        show_answer(run, terminal)
        return replace(run, id="")
    show_run(run, options, terminal)
    return run


def is_whole(run: Run) -> bool:
    """Whether there is nothing that the request asked for and that was not done."""
    return all(verdict.state in _WELL for verdict in run.verdicts)


def is_sure(run: Run) -> bool:
    """Whether a yes that was given in advance is enough: nothing of the run is doubtful."""
    return all(verdict.proof is not Proof.DOUBTFUL for verdict in run.verdicts if verdict.state is State.HELD)
