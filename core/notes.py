"""Sentences for the person about what was found before a run began."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litecode.core.git.recovery import Recovery
    from litecode.core.git.repository import Repository
    from litecode.core.git.worklist import WorkList
    from litecode.core.world import Options


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


def unseen_sentences(repo: Repository, work: WorkList, options: Options, rules_file: str) -> Iterator[str]:
    """What somebody may take for looked at, although only what is staged was. A hook looks at a commit, and nobody
    expects more of it; of the rules file the edits count.
    """
    from litecode.core.git.worklist import edited_below, is_staged_below

    if options.hook or options.from_ref is not None or options.to_ref is not None:
        return
    if options.all_files:
        edited: Iterable[str] = (file.path for file in work.files if file.unstaged)
    else:
        edited = edited_below(repo, options.paths) if options.paths else ()
    known = {rules_file, *(file.path for file in work.skipped)}
    left = tuple(path for path in edited if path not in known)
    if left:
        yield f"unstaged edits of {_names(left)} were not looked at"
    elif options.check and not options.all_files and not is_staged_below(work, options.paths):
        named = " of what was named" if options.paths else ""
        yield f"nothing{named} is staged, so nothing was looked at (`git add` it, or --all-files)"


def _names(paths: tuple[str, ...]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(paths[:3]) + more
