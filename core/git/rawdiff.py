"""The rows of `git diff-index` and of `git ls-files`, parsed strictly."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from litecode.core.errors import GitError
from litecode.core.git.moves import blob_id
from litecode.core.git.process import GitFailed, batches, to_bytes, to_text
from litecode.core.git.repository import Repository
from litecode.core.values import Change

REGULAR_MODES = frozenset({"100644", "100755"})
SYMLINK_MODE = "120000"
SUBMODULE_MODE = "160000"

# Below this number of paths git is asked about each of them; above, matching them all against every entry of a large
# index takes longer than reading the whole of it.
_FEW = 100


class Row(NamedTuple):
    """One changed path; `status` is git's letter A, M, D, T or U. Ids of nothing are all zeros."""

    old_mode: str
    mode: str
    old_oid: str
    oid: str
    status: str
    path: str


class Entry(NamedTuple):
    """One entry of the index. `tag` is the letter of `ls-files -v`: H, lower case for assume-unchanged, S for
    skip-worktree.
    """

    mode: str
    oid: str
    stage: int
    tag: str

    @property
    def flag(self) -> str:
        """Why git is told not to look at the worktree file, or an empty string."""
        if self.tag in {"S", "s"}:
            return "not checked out (skip-worktree)"
        if self.tag.islower():
            return "marked assume-unchanged"
        return ""


def parse_rows(out: bytes) -> Iterator[Row]:
    """Rows of `--raw -z --no-renames` output."""
    fields = out.split(b"\0")[:-1]
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        old_mode, mode, old_oid, oid, status = facts.decode("ascii").removeprefix(":").split(" ")
        yield Row(old_mode, mode, old_oid, oid, status[0], to_text(path))


def index_rows(repo: Repository, base: str) -> list[Row]:
    """What the index changes against the tree `base`. Conflicted paths have status U and come once."""
    done = repo.git.read("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base, "--")
    rows = {}
    for row in parse_rows(done.out):
        if row.path not in rows or row.status == "U":
            rows[row.path] = row
    return list(rows.values())


def head_rows(repo: Repository) -> tuple[list[Row], str]:
    """What the index changes against HEAD, or against the empty tree on an unborn branch, and which one it was."""
    try:
        return index_rows(repo, "HEAD"), "HEAD"
    except GitFailed:
        if repo.head() is not None:
            raise
    return index_rows(repo, repo.empty_tree), repo.empty_tree


def tree_rows(repo: Repository, old: str, new: str) -> list[Row]:
    """What the tree `new` changes against `old`."""
    argv = ("diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-commit-id")
    return list(parse_rows(repo.git.read(*argv, old, new, "--").out))


def intent_to_add(repo: Repository, base: str, rows: Collection[Row]) -> frozenset[str]:
    """The paths added by `git add -N`. Plumbing shows them with an empty blob, so git is asked only if one is there."""
    suspects = {row.path: row for row in rows if row.oid == repo.empty_blob}
    if not suspects:
        return frozenset()
    argv = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--ita-invisible-in-index")
    visible = {row.path for row in parse_rows(repo.git.read(*argv, base, "--").out) if row.oid == repo.empty_blob}
    return frozenset(suspects.keys() - visible)


def entries(repo: Repository, paths: Collection[str] | None = None) -> dict[str, Entry]:
    """The index as path -> entry, all of it or the given paths. A conflicted path has its highest stage."""
    argv = ("ls-files", "--stage", "-v", "-z")
    if paths is None or len(paths) > _FEW:
        out = repo.git.read(*argv).out
    elif paths:
        pieces = [repo.git.read(*argv, "--", *names).out for names in batches(map(to_bytes, paths))]
        out = b"".join(pieces)
    else:
        return {}
    wanted = None if paths is None else set(paths)
    found = {}
    for record in out.split(b"\0")[:-1]:
        facts, name = record.split(b"\t", 1)
        path = to_text(name)
        if wanted is None or path in wanted:
            tag, mode, oid, stage = facts.decode("ascii").split(" ")
            found[path] = Entry(mode, oid, int(stage), tag)
    return found


def twins(repo: Repository, gone: Mapping[str, str], known: Collection[str]) -> dict[str, str]:
    """For paths that the index has no more, with the ids of their blobs: a path that has this blob now, if there is one
    beside the `known` ones. It was renamed, most likely.
    """
    if not gone:
        return {}
    there = {entry.oid: path for path, entry in entries(repo).items() if path not in known}
    return {path: there[oid] for path, oid in gone.items() if oid in there}


def refuse_conflicts(paths: Collection[str]) -> None:
    """Raises GitError when there are conflicted paths: writing such an entry would resolve the conflict unseen."""
    if paths:
        names = ", ".join(sorted(paths)[:3]) + (", ..." if len(paths) > 3 else "")
        raise GitError(
            f"the index has unresolved conflicts: {names}",
            "resolve them and `git add` the files, or abort the operation; then try again",
        )


def staged_tree_equals_head(repo: Repository, changes: Collection[Change] = ()) -> bool:
    """Whether the index holds nothing that HEAD does not, or would not after these changes of it: `git commit` with a
    hook that came to this makes an empty commit without a word, because it looked before the hook ran.
    """
    rows, base = head_rows(repo)
    after = {change.path: (change.mode, blob_id(change.after, repo.object_format)) for change in changes}
    new = after.keys() - {row.path for row in rows}
    left = {row.path for row in rows if after.get(row.path) != (row.old_mode, row.old_oid)}
    return not new and not left - intent_to_add(repo, base, rows)
