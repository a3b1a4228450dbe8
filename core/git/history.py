"""What the history says about files: which commits touched them, and what a renamed file is called now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from litecode.core.git.process import GitEnv, to_text
from litecode.core.git.repository import Repository

COMMITS = 3000  # how far back the subjects are read
_RENAME_COMMITS = 2000
_MARK = "\x01"


class Past(NamedTuple):
    """One commit that is no merge: its subject and the paths that it touched."""

    id: str
    subject: str
    paths: tuple[str, ...]


def past(git: GitEnv, limit: int = COMMITS, since: str | None = None, head: str = "HEAD") -> tuple[Past, ...]:
    """The last commits before `head`, newest first; those after the commit `since` when one is given. Empty without
    history: on an unborn branch, or where a shallow clone ends.
    """
    revisions = [head, f"^{since}"] if since else [head]
    argv = (
        "log",
        "--no-merges",
        f"--max-count={limit}",
        f"--format={_MARK}%H %s",
        "--name-only",
        "--no-renames",
        "-z",
        "--no-relative",
    )
    done = git.read(*argv, "--no-show-signature", *revisions, "--", ok=(0, 128))
    return tuple(_commits(to_text(done.out))) if done.rc == 0 else ()


def _commits(out: str) -> Iterator[Past]:
    # A commit is `\x01ID SUBJECT\0\nPATH\0PATH\0`, without paths `\x01ID SUBJECT\0`; git puts no control characters
    # into a subject, and a path that begins with one is somebody's joke.
    for record in out.split(f"\0{_MARK}"):
        first, _, rest = record.removeprefix(_MARK).partition("\0")
        commit, _, subject = first.partition(" ")
        if commit:
            names = rest.removeprefix("\n").split("\0")
            yield Past(commit, subject, tuple(name for name in names if name))


def small_blobs(git: GitEnv, oids: Sequence[str], most: int) -> list[str]:
    """Those that are there and have no more than `most` bytes."""
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    answers = git.read("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", stdin=asked).out
    rows = [line.split() for line in answers.decode().splitlines()]
    return [row[0] for row in rows if len(row) == 3 and row[1] == "blob" and int(row[2]) <= most]


def is_ancestor(git: GitEnv, commit: str, head: str = "HEAD") -> bool:
    """Whether `commit` exists and is in the history of `head`."""
    return git.read("merge-base", "--is-ancestor", "--end-of-options", commit, head, ok=()).rc == 0


class Renames(Mapping[str, str]):
    """Old paths and what they were renamed to, from the index and from history; read when it is first asked for,
    because only a request with a wrong name needs it. A newer rename of the same path counts.
    """

    def __init__(self, repo: Repository) -> None:
        self._git = repo.git
        self._found: dict[str, str] | None = None

    def __getitem__(self, path: str) -> str:
        return self._all()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, str]:
        if self._found is None:
            argv = ("--find-renames=40%", "-l0", "--no-relative", "--diff-filter=R", "--name-status", "-z")
            log = ("log", f"--max-count={_RENAME_COMMITS}", "--no-merges", "--format=", *argv, "HEAD", "--")
            past_ones = self._git.read(*log, ok=(0, 128)).out
            staged = self._git.read("diff", "--cached", *argv, ok=(0, 128)).out
            self._found = dict(reversed([*_pairs(to_text(staged)), *_pairs(to_text(past_ones))]))
        return self._found


def _pairs(out: str) -> Iterator[tuple[str, str]]:
    """From `R095\0OLD\0NEW\0...`."""
    fields = iter(out.split("\0"))
    for status in fields:
        if status.strip().startswith("R"):
            yield next(fields), next(fields)
