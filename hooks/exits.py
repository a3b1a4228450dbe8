"""What a run means for whoever started it: the exit code."""

from __future__ import annotations

from litecode.core.errors import EXIT_CLEAN, EXIT_FAILED, EXIT_FINDINGS
from litecode.core.values import Apply, Run, Severity, State, Verdict
from litecode.core.world import Options

_REMAINING = frozenset({State.HELD, State.REJECTED, State.FOUND})


def exit_code(run: Run, options: Options) -> int:
    """0: nothing is left to do, or only what is no error. 1: an error finding remains. 2: something could not be done.

    A skipped verdict never stops anybody: somebody asked for it, or a deadline did.
    """
    if any(verdict.state is State.FAILED for verdict in run.verdicts):
        return EXIT_FAILED
    if any(remains(verdict, options) and verdict.severity is Severity.ERROR for verdict in run.verdicts):
        return EXIT_FINDINGS
    return EXIT_CLEAN


def remains(verdict: Verdict, options: Options) -> bool:
    """Whether the verdict leaves something to do: also when the change was made in the worktree but not staged, since
    a commit would not have it.
    """
    return verdict.state in _REMAINING or (verdict.state is State.STAGED and options.apply is Apply.WORKTREE)
