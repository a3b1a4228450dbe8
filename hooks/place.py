"""Where git looks for hooks, and whether that folder is this repository's own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from litecode.core.git.repository import Repository

CHAINED_SUFFIX = ".litecode-chained"


@dataclass(frozen=True, slots=True)
class Place:
    """The hooks folder of one worktree. `common` is the git directory that all its worktrees share."""

    folder: Path
    top: Path
    common: Path
    tracked: bool = False  # whether files of the folder are committed, so that others get them

    @property
    def outside(self) -> bool:
        """Whether other repositories may use the folder as well."""
        return not (_within(self.folder, self.common) or _within(self.folder, self.top))

    def hook(self, name: str) -> Path:
        return self.folder / name

    def chained(self, name: str) -> Path:
        return self.folder / f"{name}{CHAINED_SUFFIX}"


def locate(repository: Repository) -> Place:
    """Ask git, so that core.hooksPath, linked worktrees and submodules are honoured."""
    top, common = repository.top, repository.common_dir
    answer = repository.git.read("rev-parse", "--path-format=absolute", "--git-path", "hooks").out
    folder = Path(os.fsdecode(answer).removesuffix("\n"))
    in_worktree = _within(folder, top) and not _within(folder, common)
    tracked = in_worktree and bool(repository.git.read("ls-files", "-z", "--", folder).out)
    return Place(folder, top, common, tracked)


def _within(folder: Path, other: Path) -> bool:
    return folder.resolve().is_relative_to(other.resolve())
