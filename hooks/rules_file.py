"""Which version of the rules file holds: by hand the one that is being edited, in a hook the one being committed."""

from __future__ import annotations

from typing import NamedTuple

from litecode.core.errors import ConfigError
from litecode.core.git.objects import Objects
from litecode.core.git.rawdiff import REGULAR_MODES, Entry, entries, refuse_conflicts
from litecode.core.git.repository import Repository
from litecode.core.git.worklist import unstaged_paths
from litecode.core.values import StagedFile
from litecode.hooks.fast import RULES_FILE


class NoRules(ConfigError):
    """There is no rules file: by hand an error, in a hook nothing to do."""


class Found(NamedTuple):
    """The text of the rules file, and a sentence for the person when there are two versions of it."""

    data: bytes
    note: str = ""


def find_rules(repo: Repository, *, hook: bool) -> Found | None:
    """None when there is no rules file. Raises ConfigError when it cannot be read, GitError when it is in conflict."""
    staged = _staged(repo)
    worktree = _worktree(repo)
    if worktree is None:
        if staged is None:
            return None
        note = "" if hook else f"{RULES_FILE} is missing in the worktree, the staged one is used"
        return Found(_read(repo, staged), note)
    if staged is None:
        return Found(worktree)
    differs = bool(unstaged_paths(repo, [StagedFile(RULES_FILE, staged.mode, staged.oid)]))
    if hook:
        note = f"the unstaged edits of {RULES_FILE} do not count in this commit" if differs else ""
        return Found(_read(repo, staged), note)
    note = f"the unstaged edits of {RULES_FILE} count here, but not in a commit" if differs else ""
    return Found(worktree, note)


def no_rules(repo: Repository) -> NoRules:
    return NoRules(f"there is no {RULES_FILE} at the top of {repo.top}", "`git litecode init` writes a first one")


def _staged(repo: Repository) -> Entry | None:
    """The entry of the index; one that was only announced (git add -N) has no content yet."""
    entry = entries(repo, [RULES_FILE]).get(RULES_FILE)
    if entry is None or entry.oid == repo.empty_blob:
        return None
    if entry.stage:
        refuse_conflicts([RULES_FILE])
    if entry.mode not in REGULAR_MODES:
        raise ConfigError(f"{RULES_FILE} is not staged as a file", f"replace it by a file and `git add {RULES_FILE}`")
    return entry


def _read(repo: Repository, entry: Entry) -> bytes:
    with Objects.of(repo) as objects:
        return objects.read(entry.oid)


def _worktree(repo: Repository) -> bytes | None:
    try:
        path = repo.file(RULES_FILE)
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would be waited for without end
            raise ConfigError(f"{RULES_FILE} is no regular file", "make it a file that you may read")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        why = (error.strerror or "it cannot be read").lower()
        raise ConfigError(f"{RULES_FILE} cannot be read: {why}", "make it a file that you may read") from error
