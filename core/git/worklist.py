"""The staged files that a run works on, and those that it leaves alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from litecode.core.errors import UsageError
from litecode.core.git.attributes import skip_reasons, unconverted
from litecode.core.git.changed import changed_lines
from litecode.core.git.objects import Objects
from litecode.core.git.process import batches, to_bytes, to_text
from litecode.core.git.rawdiff import (
    REGULAR_MODES,
    SUBMODULE_MODE,
    SYMLINK_MODE,
    Entry,
    Row,
    entries,
    head_rows,
    index_rows,
    intent_to_add,
    refuse_conflicts,
    tree_rows,
)
from litecode.core.git.repository import Repository
from litecode.core.git.worktree import read_regular
from litecode.core.values import SkippedFile, StagedFile


@dataclass(frozen=True, slots=True)
class WorkList:
    """Files to work on and files that are left alone, each in the order of the index; `staged` has the blob id of
    everything that was staged, for `staged_since`.
    """

    files: tuple[StagedFile, ...]
    skipped: tuple[SkippedFile, ...] = ()
    staged: tuple[tuple[str, str], ...] = ()


def work_list(
    repo: Repository,
    *,
    paths: Collection[str] = (),
    all_files: bool = False,
    against: str | None = None,
    from_ref: str | None = None,
    to_ref: str | None = None,
) -> WorkList:
    """The files that are staged, compared with HEAD or with the commit `against`; with `all_files` every file of the
    index; with `from_ref` and `to_ref` what the second changed since it left the first.

    `paths` keeps only these repository paths and what is below them. During a merge a file that is the same as on one
    side is skipped: somebody has committed it already. Raises GitError while there are conflicts, and UsageError for a
    revision that does not exist.
    """
    if from_ref is not None or to_ref is not None:
        return _between(repo, paths, from_ref or "HEAD", to_ref or "HEAD")
    if against is not None:
        base = _tree(repo, against)
        rows = index_rows(repo, base)
    else:
        rows, base = head_rows(repo)
    refuse_conflicts([row.path for row in rows if row.status == "U"])
    if all_files:
        return _all(repo, paths, base, rows)
    if not rows:
        return WorkList(())
    bases = (base,) if against is not None else (base, *repo.merged())
    files, skipped = _split(repo, _below(rows, paths), base, bases)
    lines = changed_lines(repo, files, bases=bases)
    unstaged = unstaged_paths(repo, files)
    done = tuple(replace(file, changed=lines[file.path], unstaged=file.path in unstaged) for file in files)
    return WorkList(done, skipped, tuple((row.path, row.oid) for row in rows))


def staged_since(repo: Repository, work: WorkList) -> tuple[str, ...]:
    """Paths that somebody staged, or staged again, since the list was made; they join the commit unseen."""
    known = dict(work.staged)
    rows, _ = head_rows(repo)
    return tuple(row.path for row in rows if row.status != "D" and known.get(row.path) != row.oid)


def edited_below(repo: Repository, paths: Collection[str]) -> tuple[str, ...]:
    """The files of the index at or below these paths that have unstaged edits."""
    index = {
        path: entry
        for path, entry in entries(repo).items()
        if _is_below(path, paths) and entry.mode in REGULAR_MODES and not entry.stage and not entry.flag
    }
    left_alone = skip_reasons(repo, list(index)) if index else {}
    files = [StagedFile(path, e.mode, e.oid) for path, e in index.items() if path not in left_alone]
    return tuple(sorted(unstaged_paths(repo, files)))


def is_staged_below(work: WorkList, paths: Collection[str]) -> bool:
    """Whether anything at or below these paths is staged, a deletion too."""
    return any(_is_below(path, paths) for path, _ in work.staged)


def _split(
    repo: Repository, rows: list[Row], base: str, bases: tuple[str, ...]
) -> tuple[list[StagedFile], tuple[SkippedFile, ...]]:
    """Rows to work on, and the reasons for the others; deleted files need neither."""
    rows = [row for row in rows if row.status != "D"]
    added = intent_to_add(repo, base, rows)
    index = entries(repo, [row.path for row in rows])
    rows = [row for row in rows if row.path in index]  # somebody may have unstaged one in between
    both = {row.path for row in rows}
    for other in bases[1:]:
        both &= {row.path for row in index_rows(repo, other)}
    reasons = {}
    for row in rows:
        if row.path in added:
            reasons[row.path] = "only announced (git add -N), not staged"
        elif reason := _mode_reason(row.mode) or index[row.path].flag:
            reasons[row.path] = reason
        elif row.path not in both:
            reasons[row.path] = "comes unchanged from one side of the merge"
    reasons |= skip_reasons(repo, [row.path for row in rows if row.path not in reasons])
    files = [
        StagedFile(row.path, row.mode, row.oid, row.old_oid if row.old_mode in REGULAR_MODES else None)
        for row in rows
        if row.path not in reasons
    ]
    return files, tuple(SkippedFile(row.path, reasons[row.path]) for row in rows if row.path in reasons)


def _mode_reason(mode: str) -> str:
    if mode in REGULAR_MODES:
        return ""
    return {SYMLINK_MODE: "a symbolic link", SUBMODULE_MODE: "a submodule"}.get(mode, f"has mode {mode}")


def _all(repo: Repository, paths: Collection[str], base: str, rows: list[Row]) -> WorkList:
    index = entries(repo)
    refuse_conflicts([path for path, entry in index.items() if entry.stage])
    changed = {row.path: row for row in rows}
    added = intent_to_add(repo, base, rows)
    kept = {path: entry for path, entry in index.items() if _is_below(path, paths)}
    reasons = {path: reason for path, entry in kept.items() if (reason := _entry_reason(path, entry, added))}
    reasons |= skip_reasons(repo, [path for path in kept if path not in reasons])
    files = []
    for path, entry in kept.items():
        if path not in reasons:
            row = changed.get(path)
            head = entry.oid if row is None else row.old_oid if row.old_mode in REGULAR_MODES else None
            files.append(StagedFile(path, entry.mode, entry.oid, head))
    unstaged = unstaged_paths(repo, files)
    return WorkList(
        tuple(replace(file, unstaged=file.path in unstaged) for file in files),
        tuple(SkippedFile(path, reasons[path]) for path in kept if path in reasons),
        tuple((row.path, row.oid) for row in rows),
    )


def _entry_reason(path: str, entry: Entry, added: frozenset[str]) -> str:
    if path in added:
        return "only announced (git add -N), not staged"
    return _mode_reason(entry.mode) or entry.flag


def _between(repo: Repository, paths: Collection[str], from_ref: str, to_ref: str) -> WorkList:
    """Files of a commit. The flags of the index do not matter here, the attributes are those of the worktree."""
    old, new = _tree(repo, from_ref), _tree(repo, to_ref)
    fork = repo.git.read("merge-base", old, new, ok=())
    base = fork.out.decode().strip() if fork.rc == 0 else old
    rows = [row for row in _below(tree_rows(repo, base, new), paths) if row.status != "D"]
    reasons = {row.path: reason for row in rows if (reason := _mode_reason(row.mode))}
    reasons |= skip_reasons(repo, [row.path for row in rows if row.path not in reasons])
    files = [
        StagedFile(row.path, row.mode, row.oid, row.old_oid if row.old_mode in REGULAR_MODES else None)
        for row in rows
        if row.path not in reasons
    ]
    lines = changed_lines(repo, files, bases=(base,), tree=new)
    unstaged = unstaged_paths(repo, files)
    done = tuple(replace(file, changed=lines[file.path], unstaged=file.path in unstaged) for file in files)
    return WorkList(done, tuple(SkippedFile(row.path, reasons[row.path]) for row in rows if row.path in reasons))


def _tree(repo: Repository, revision: str) -> str:
    """The id of a commit, or of a tree, that a person named."""
    for kind in ("commit", "tree"):
        # --end-of-options: a name may begin with a dash
        argv = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{{kind}}}")
        found = repo.git.read(*argv, ok=())
        if found.rc == 0:
            return found.out.decode().split()[-1]
    raise UsageError(f"there is no revision {revision}", "name a commit, a branch or a tag")


def _below(rows: Iterable[Row], paths: Collection[str]) -> list[Row]:
    return [row for row in rows if _is_below(row.path, paths)]


def _is_below(path: str, places: Collection[str]) -> bool:
    return not places or any(not place or path == place or path.startswith(place.rstrip("/") + "/") for place in places)


def unstaged_paths(repo: Repository, files: Collection[StagedFile]) -> frozenset[str]:
    """Those of `files` whose worktree file is missing or is not what a checkout of the blob would write.

    Git's stat data picks the candidates, which is safe for the files of a work list: entries that git is told not to
    look at are not among them. Their raw bytes decide.
    """
    if not files:
        return frozenset()
    # --ignore-submodules and core.fsmonitor: one asks inside of submodules, the other may have missed an edit.
    argv = ("-c", "core.fsmonitor=false", "diff-files", "--name-only", "-z", "--ignore-submodules=all")
    names = [to_bytes(file.path) for file in files]
    limits = list(batches(names)) if len(names) <= 100 else [()]
    listed = b"".join(repo.git.read(*argv, "--", *limit).out for limit in limits)
    candidates = {to_text(name) for name in listed.split(b"\0")[:-1]}
    doubtful = [file for file in files if file.path in candidates]
    same = unconverted(repo, [file.path for file in doubtful])
    with Objects.of(repo) as objects:
        return frozenset(
            file.path
            for file in doubtful
            if read_regular(repo, file.path)
            != (objects.read(file.oid) if file.path in same else objects.smudged(file.oid, file.path))
        )
