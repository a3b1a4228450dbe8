"""Sentences for the person about what was found before a run began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litecode.core.git.recovery import Recovery
    from litecode.core.git.repository import Repository


def recovery_sentences(recovery: Recovery) -> Iterator[str]:
    """What was done about runs that did not end."""
    if recovery.forward:
        yield f"an interrupted run was finished: {_names(recovery.forward)}"
    if recovery.back:
        yield f"an interrupted run was taken back: {_names(recovery.back)}"
    if recovery.edited:
        kept = f"git litecode undo {recovery.ids[0]}" if recovery.ids else "git litecode log"
        yield f"edited since an interrupted run, so left as they are: {_names(recovery.edited)} (see {kept})"
    if recovery.unstaged:
        yield (
            f"the commit of an earlier run was given up, its changes are in the worktree only: "
            f"{_names(recovery.unstaged)} (git add them, or git litecode undo)"
        )
    yield from recovery.damaged


def operation_sentences(repo: Repository) -> Iterator[str]:
    """What it means to stage something while git is in the middle of something else."""
    operation = repo.operation()
    if operation.value != "none":
        yield f"what is staged now becomes part of the {operation} that is going on"


def _names(paths: tuple[str, ...]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(paths[:3]) + more
