"""Which repository, which index, and in what state."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from litecode.core.errors import GitError, NotARepository, UsageError
from litecode.core.git.process import Argument, GitEnv, GitFailed, to_text

# Names are then decoded by the system as they are in `to_text`.
_UTF8 = sys.getfilesystemencoding() == "utf-8" and sys.getfilesystemencodeerrors() == "surrogateescape"

_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_EMPTY_BLOB = {
    "sha1": "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "sha256": "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}

# rev-parse prints unknown options as they are; between two of them stands one answer, newlines in paths included.
_SEPARATOR = "--litecode-separator"
_QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("--is-bare-repository",),
    ("--is-inside-work-tree",),
    ("--is-shallow-repository",),
    ("--show-object-format",),
    ("--path-format=absolute", "--git-dir"),
    ("--git-common-dir",),
    # With GIT_INDEX_FILE set this is that file, taken as git takes it: relative to the top of the worktree.
    ("--git-path", "index"),
    ("--git-path", "litecode"),
    ("--git-path", "objects"),
)


class Operation(StrEnum):
    """What git is in the middle of."""

    NONE = "none"
    MERGE = "merge"
    REBASE = "rebase"
    CHERRY_PICK = "cherry-pick"
    REVERT = "revert"
    AM = "am"


@dataclass(frozen=True, slots=True)
class Situation:
    """The state that decides whether a run may change anything. `merged` has the commits in MERGE_HEAD."""

    operation: Operation
    conflicted: tuple[str, ...]
    unborn: bool
    merged: tuple[str, ...] = ()


class ConfigEntry(NamedTuple):
    """One git setting. `scope` is system, global, local, worktree or command; the key has git's canonical spelling
    (section and name in lower case); the value None is a key without `=`, which git reads as true.
    """

    scope: str
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Repository:
    """One worktree with its index, as it was found when the process started. All paths are absolute.

    `index` is the one that the commit is made of: GIT_INDEX_FILE if git named one. In a commit of single paths that
    is a temporary one, and `second_index` the pending real one, which must get the same changes.
    `state_dir` belongs to this worktree; it exists only when something was written to it.
    """

    top: Path
    git_dir: Path
    common_dir: Path
    state_dir: Path
    objects_dir: Path
    index: Path
    second_index: Path | None
    object_format: str
    shallow: bool
    git: GitEnv
    named_index: bool
    parent: int

    @classmethod
    def discover(cls, cwd: Path, environ: Mapping[str, str]) -> Repository:
        """Find the repository around `cwd`. Ownership is git's to judge (safe.directory), once, here.

        Raises NotARepository outside of a worktree, and GitError when GIT_INDEX_FILE names a missing file: git reads
        such an index as empty, and a write would make one that holds nothing else.
        """
        bare, inside, shallow, object_format, git_dir, common_dir, index, state, objects, top = _ask(cwd, environ)
        if inside != "true":
            kind = "a bare repository" if bare == "true" else "the git directory, not in a worktree"
            raise NotARepository(f"{cwd} is in {kind}", "run the command in a worktree with files")
        env = GitEnv.of(Path(top), environ)
        fixed = {"GIT_DIR": git_dir, "GIT_WORK_TREE": top}
        named = bool(environ.get("GIT_INDEX_FILE"))
        if named:
            fixed["GIT_INDEX_FILE"] = index
            if not Path(index).exists():
                raise vanished(Path(index))
        return cls(
            top=Path(top),
            git_dir=Path(git_dir),
            common_dir=Path(common_dir),
            state_dir=Path(state),
            objects_dir=Path(objects),
            index=Path(index),
            second_index=_second(Path(git_dir), Path(index)),
            object_format=object_format,
            shallow=shallow == "true",
            git=env.at(Path(top), **fixed),
            named_index=named,
            parent=os.getppid(),
        )

    @property
    def empty_tree(self) -> str:
        """What an unborn branch is compared with."""
        return _EMPTY_TREE[self.object_format]

    @property
    def empty_blob(self) -> str:
        return _EMPTY_BLOB[self.object_format]

    @property
    def no_blob(self) -> str:
        """The object id of nothing."""
        return "0" * len(self.empty_blob)

    @property
    def indexes(self) -> tuple[Path, ...]:
        return (self.index,) if self.second_index is None else (self.index, self.second_index)

    def name(self, path: str) -> str:
        """The full name of the worktree file of a repository path."""
        own = path if _UTF8 else os.fsdecode(path.encode("utf-8", "surrogateescape"))
        return f"{self.top}/{own}"

    def file(self, path: str) -> Path:
        return Path(self.name(path))

    def relative(self, argument: str, cwd: Path) -> str:
        """The repository path of a file name given on a command line in `cwd`; the top itself is an empty string.
        Symbolic links in it are not followed. Raises UsageError for a place outside of the worktree.
        """
        full = Path(os.path.normpath(cwd / argument))
        try:
            found = full.relative_to(self.top)
        except ValueError:
            try:  # the same place under another name: /tmp on macOS, or a linked home
                found = (full.parent.resolve() / full.name).relative_to(self.top.resolve())
            except ValueError:
                raise UsageError(f"{argument} is outside of the repository {self.top}", "name a path in it") from None
        return "" if found == Path() else to_text(os.fsencode(found))

    def operation(self) -> Operation:
        """What git is in the middle of, without a git call in ordinary repositories."""
        if (self.git_dir / "rebase-merge").is_dir():
            return Operation.REBASE
        if (self.git_dir / "rebase-apply").is_dir():
            return Operation.AM if (self.git_dir / "rebase-apply/applying").exists() else Operation.REBASE
        if (self.git_dir / "MERGE_HEAD").exists():
            return Operation.MERGE
        for name, operation in (("CHERRY_PICK_HEAD", Operation.CHERRY_PICK), ("REVERT_HEAD", Operation.REVERT)):
            if self._has_pseudo_ref(name):
                return operation
        return Operation.NONE

    def _has_pseudo_ref(self, name: str) -> bool:
        if (self.common_dir / "reftable").is_dir():  # there they are no files
            return self.git.read("rev-parse", "--quiet", "--verify", name, ok=(0, 1)).rc == 0
        return (self.git_dir / name).exists()

    def merged(self) -> tuple[str, ...]:
        """The commits that are being merged into HEAD."""
        try:
            return tuple((self.git_dir / "MERGE_HEAD").read_text(encoding="ascii").split())
        except FileNotFoundError:
            return ()

    def situation(self) -> Situation:
        unmerged = self.git.read("ls-files", "--unmerged", "-z").out.split(b"\0")[:-1]
        paths = dict.fromkeys(to_text(record.split(b"\t", 1)[1]) for record in unmerged)
        return Situation(self.operation(), tuple(paths), self.head() is None, self.merged())

    def head(self) -> str | None:
        """The commit id of HEAD, None on an unborn branch. The object may be missing in a damaged repository."""
        found = self.git.read("rev-parse", "--quiet", "--verify", "HEAD", ok=(0, 1))
        return found.out.decode().strip() if found.rc == 0 else None

    def config_entries(self) -> tuple[ConfigEntry, ...]:
        """Every git setting with its scope, in the order in which later ones win."""
        fields = self.git.read("config", "--list", "--show-scope", "-z").out.split(b"\0")[:-1]
        entries = []
        for scope, setting in zip(fields[::2], fields[1::2], strict=True):
            key, has_value, value = setting.partition(b"\n")
            entries.append(ConfigEntry(scope.decode(), to_text(key), to_text(value) if has_value else None))
        return tuple(entries)

    def check_unchanged_parent(self) -> None:
        """Raises GitError when the git that started this hook has died or thrown its index away: after Ctrl-C it
        does both at once while the hook lives on, and a write would create an index of its own.
        """
        for index in self.indexes:
            if self.named_index and not index.exists():
                raise vanished(index)
        if self.named_index and os.getppid() != self.parent:
            raise GitError("the git command that started this hook is gone", "commit again; nothing was changed")


def seen_from_outside(cwd: Path, environ: Mapping[str, str]) -> Mapping[str, str] | None:
    """The variables that lead to the worktree from anywhere, when they were given and `cwd` is outside of it: git
    changes to its top then, and takes all names from there. None when nothing has to be done.
    """
    if not (environ.get("GIT_DIR") or environ.get("GIT_WORK_TREE")):
        return None
    try:
        _, inside, _, _, git_dir, *_, top = _ask(cwd, environ)
    except GitError:  # said in better words by `discover`
        return None
    return None if inside == "true" or not top else {"GIT_DIR": git_dir, "GIT_WORK_TREE": top}


def vanished(index: Path) -> GitError:
    return GitError(f"the index {index} has vanished", "try again; nothing was changed")


def _second(git_dir: Path, index: Path) -> Path | None:
    """In a commit of single paths git keeps the real index, updated, in `index.lock` until the commit is made."""
    return git_dir / "index.lock" if index.name.startswith("next-index-") else None


def _ask(cwd: Path, environ: Mapping[str, str]) -> list[str]:
    argv: list[Argument] = ["rev-parse"]
    for question in _QUESTIONS:
        argv += [*question, _SEPARATOR]
    env = GitEnv.of(cwd, environ)
    done = env.read(*argv, "--show-toplevel", ok=())
    parts = done.out.split(_SEPARATOR.encode())
    answers = [os.fsdecode(part.removeprefix(b"\n").removesuffix(b"\n")) for part in parts]
    if done.rc == 0 or len(answers) > len(_QUESTIONS):  # only the top of the worktree failed
        return answers
    if b"not a git repository" in done.err:
        raise NotARepository(f"{cwd} is not in a git repository", "change into a repository, or run `git init` first")
    raise GitFailed(("rev-parse",), done.rc, done.err)
