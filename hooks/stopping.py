"""The last lines of a hook that stops a commit: that it does, because of what, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from litecode.core.settle import held_by, kept_back_with
from litecode.core.values import Patch, Run, Severity, State, Verdict
from litecode.core.world import Options
from litecode.hooks.exits import remains
from litecode.hooks.show.terminal import Style, Terminal, cut, visible
from litecode.hooks.show.text import in_order

MOST = 3  # reasons that are told
LONGEST = 200  # characters of a reason


def show_stop(run: Run, options: Options, what: str, terminal: Terminal) -> None:
    """`what` is a clause: `the commit was stopped`."""
    for line in stop_lines(run, options, what):
        mark, rest = line.split(": ", 1)
        style = Style.RED if mark == "litecode" else Style.YELLOW
        terminal.tell(terminal.err_style(f"{mark}:", style) + " " + rest)


def stop_lines(run: Run, options: Options, what: str) -> Iterator[str]:
    """Each reason once: what is only kept back with it is not named."""
    stopping = [v for v in in_order(run.verdicts) if _stops(v, options)]
    behind = {kept_back_with(v) for v in stopping}
    causes = [v for v in stopping if v.state is not State.HELD or v.reason not in behind]
    for verdict in causes[:MOST]:
        yield f"litecode: {what}: {_why(verdict, run.verdicts)}"
    if len(causes) > MOST:
        yield f"litecode: {len(causes) - MOST} more stop it too, see above"
    yield from _remedies(run, causes)


def _stops(verdict: Verdict, options: Options) -> bool:
    failed = verdict.state is State.FAILED
    return failed or (remains(verdict, options) and verdict.severity is Severity.ERROR)


def _why(verdict: Verdict, verdicts: Sequence[Verdict]) -> str:
    place = visible(verdict.path) + (f":{verdict.line}" if verdict.line else "")
    who = f"{visible(verdict.rule) or 'the request'} ({verdict.severity.value})"
    if verdict.state is State.FAILED:
        return f"{who} could not be carried out in {place}: {_cut(verdict.reason)}"
    if verdict.state is State.FOUND:
        return f"{who} is found in {place}"
    if verdict.state is State.STAGED:
        return f"{who} is changed in the worktree only, and not staged, in {place}"
    other = _other(verdict, verdicts)
    if other is None:
        return f"{who} is {verdict.state.value} in {place}: {_cut(verdict.reason)}"
    because = f"{visible(other.rule)} ({other.severity.value}) on the same file is {other.state.value}"
    return f"{who} is {verdict.state.value} in {place}, because {because}: {_cut(other.reason)}"


def _other(verdict: Verdict, verdicts: Sequence[Verdict]) -> Verdict | None:
    """The verdict that a proven change waits for."""
    same = (v for v in verdicts if v.path == verdict.path and v.rule != verdict.rule)
    return next((v for v in same if verdict.state is State.HELD and verdict.reason == held_by(v)), None)


def _cut(reason: str) -> str:
    return cut(visible(reason), LONGEST)


def _remedies(run: Run, causes: Sequence[Verdict]) -> Iterator[str]:
    waiting = [patch for patch in run.patches if patch.state is State.HELD]
    if run.id and waiting:
        yield f"hint: git litecode apply {run.id} stages {_it(waiting)}, git litecode review {run.id} hunk by hunk"
    unstaged = list(dict.fromkeys(shlex.quote(visible(v.path)) for v in causes if v.state is State.STAGED))
    if unstaged:
        yield f"hint: look at it and stage it: git add {' '.join(unstaged[:MOST])}{' ...' * (len(unstaged) > MOST)}"
    rules = dict.fromkeys(v.rule for v in causes if v.state in (State.FOUND, State.REJECTED) and v.rule)
    if rules:
        yield f"hint: change the code, or put `litecode-ignore: {visible(next(iter(rules)))}` in a comment there"
    if run.id and any(verdict.state is State.REJECTED for verdict in causes):
        yield f"hint: git litecode show {run.id} has what was tried"
    yield "hint: then commit again; git commit --no-verify commits what is staged now"


def _it(waiting: Sequence[Patch]) -> str:
    return "it" if len(waiting) == 1 else f"all {len(waiting)} patches"
