"""A private copy of an index: what a commit would hold, or would hold after some changes, while the real one stays."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from litecode.core.git.process import run, to_bytes, to_text
from litecode.core.git.rawdiff import parse_rows
from litecode.core.git.repository import Repository
from litecode.core.git.storing import write_blob
from litecode.core.values import Change


@dataclass(frozen=True, slots=True)
class Scratch:
    """`repo` is the repository with the copy as its index. Use it as a context manager: the copy goes at the end."""

    repo: Repository

    @classmethod
    def of(cls, repo: Repository, source: Path | None = None) -> Scratch:
        """A copy of the index `source`, by default the one that the commit is made of; a missing one is empty."""
        # A split index finds its other half only in the git directory.
        place = repo.git_dir / f"litecode-index-{os.getpid()}-{secrets.token_hex(4)}"
        git = repo.git.with_index(place)
        made = cls(replace(repo, index=place, second_index=None, named_index=False, git=git))
        with suppress(FileNotFoundError):
            shutil.copyfile(source or repo.index, place)
        if not place.exists():
            git.write("read-tree", "--empty")
        return made

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for path in (self.repo.index, self.repo.index.with_name(self.repo.index.name + ".lock")):
            path.unlink(missing_ok=True)

    def tree(self) -> str:
        """The tree that a commit of this index has. Raises GitError while there are conflicts."""
        return self.repo.git.write("write-tree").out.decode().strip()

    def read(self, tree: str) -> None:
        """Hold what a tree holds, and nothing else."""
        self.repo.git.write("read-tree", tree)

    def put(self, changes: Sequence[Change]) -> None:
        """Stage the changes in the copy."""
        lines = [
            f"{change.mode} {write_blob(self.repo.git, change.after)}\t".encode() + to_bytes(change.path) + b"\0"
            for change in changes
        ]
        if lines:
            self.repo.git.write("update-index", "-z", "--index-info", stdin=b"".join(lines))

    def add_all(self) -> None:
        """As `git commit -a` does."""
        self.repo.git.write("add", "--update")

    def add(self, pathspecs: Collection[str], cwd: Path) -> None:
        """As `git commit -i` does with the paths as they were typed in `cwd`. Raises GitError for one that matches no
        file.
        """
        argv = ("-c", "core.hooksPath=/dev/null", "add", "--update", "--", *pathspecs)
        run(argv, cwd=cwd, env=self._globbing())

    def _globbing(self) -> dict[str, str]:
        """The environment in which pathspecs mean what they mean when a person types them."""
        return {name: value for name, value in self.repo.git.variables.items() if name != "GIT_LITERAL_PATHSPECS"}

    def only(self, pathspecs: Collection[str], cwd: Path, base: str) -> None:
        """As `git commit -o` does: the tree `base` and of everything else only these paths."""
        self.add(pathspecs, cwd)
        env = self._globbing()
        argv = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base, "--", *pathspecs)
        rows = list(parse_rows(run(argv, cwd=cwd, env=env).out))
        self.read(base)
        lines = [f"{row.mode} {row.oid}\t".encode() + to_bytes(row.path) + b"\0" for row in rows]
        self.repo.git.write("update-index", "-z", "--index-info", stdin=b"".join(lines))


def tree_of(repo: Repository, index: Path) -> str:
    """The tree of an index file, which stays as it is."""
    with Scratch.of(repo, index) as scratch:
        return scratch.tree()


def changed_paths(repo: Repository, old: str, new: str) -> tuple[str, ...]:
    """The paths in which two trees differ."""
    out = repo.git.read("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", old, new, "--").out
    return tuple(to_text(name) for name in out.split(b"\0")[:-1])


def set_to_tree(repo: Repository, tree: str, paths: Collection[str]) -> None:
    """Give the real index the entries of a tree, for some paths; those that the tree has not are removed from it."""
    wanted = dict.fromkeys(paths)
    lines = []
    listing = repo.git.read("ls-tree", "-r", "-z", "--full-tree", tree).out.split(b"\0")[:-1]
    found = {to_text(record.split(b"\t", 1)[1]): record.split(b"\t", 1)[0].split()[::2] for record in listing}
    for path in wanted:
        mode, oid = (word.decode() for word in found[path]) if path in found else ("0", repo.no_blob)
        lines.append(f"{mode} {oid}\t".encode() + to_bytes(path) + b"\0")
    if lines:
        repo.git.write("update-index", "-z", "--index-info", stdin=b"".join(lines))
