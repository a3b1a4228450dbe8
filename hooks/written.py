"""The message that somebody is writing: which requests of it are still to be carried out, and what commit it is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from litecode.core.errors import UsageError
from litecode.core.git.commit_line import CommitLine, commit_words, parse
from litecode.core.git.message import Asked, Manner, final_text, manner_of, trailers
from litecode.core.git.repository import Operation, Repository
from litecode.core.git.scratch import tree_of
from litecode.core.store.commits import Content, Waiting

_AUTHOR = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE")
_AUTOSQUASH = (b"fixup! ", b"squash! ", b"amend! ")
_GENERATIONS = 12  # of processes between a hook and git: a hook manager, a shell or two


@dataclass(frozen=True, slots=True)
class Written:
    """A message file, and what git is going to commit of it: `text`. `line` is None when the git process is not to be
    found, which is so when another program makes the commit.
    """

    raw: bytes
    manner: Manner
    text: bytes
    asked: tuple[Asked, ...]
    line: CommitLine | None

    @property
    def todo(self) -> tuple[str, ...]:
        return tuple(asked.text for asked in self.asked if not asked.run)


def written(repo: Repository, raw: bytes, line: CommitLine | None, environ: Mapping[str, str]) -> Written:
    """Git tells a hook by the editor `:` that there was none."""
    manner = manner_of(
        repo.config_entries(),
        editor=line.editor if line else environ.get("GIT_EDITOR") != ":",
        cleanup=line.value("cleanup") if line else None,
        verbose=line.verbose if line else None,
    )
    text = final_text(repo.git, raw, manner)
    return Written(raw, manner, text, asked_in(repo, text), line)


def asked_in(repo: Repository, text: bytes) -> tuple[Asked, ...]:
    """The requests of a message. One that was changed in the message of the commit that is amended is a new one."""
    asked = trailers(repo.git, text)
    if not any(one.run for one in asked):
        return asked
    known = {one.run: one.text for one in trailers(repo.git, message_of(repo, "HEAD")) if one.run}
    return tuple(Asked(one.text) if known.get(one.run, one.text) != one.text else one for one in asked)


def runs_of(asked: tuple[Asked, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """The run of every trailer when those that had none got the runs `new`."""
    rest = iter(new)
    return tuple(one.run or next(rest) for one in asked)


def message_of(repo: Repository, commit: str) -> bytes:
    """The message of a commit, empty when there is none of that name."""
    found = repo.git.read("cat-file", "commit", commit, ok=())
    return found.out.partition(b"\n\n")[2] if found.rc == 0 else b""


def running_commit() -> CommitLine | None:
    """The command line of the `git commit` that has started this process."""
    found = commit_process()
    try:
        return parse(found[1]) if found else None
    except UsageError:
        return None


def commit_process() -> tuple[int, tuple[str, ...]] | None:
    """The process id of the nearest `git commit` above this process, and its words."""
    import psutil

    try:
        for process in psutil.Process().parents()[:_GENERATIONS]:
            words = commit_words(process.cmdline())
            if words is not None:
                return process.pid, words
    except psutil.Error:
        pass
    return None


def why_not(repo: Repository, text: bytes) -> str:
    """Why the trailers of this message do not count: it is, for the most part, not written by the person."""
    operation = repo.operation()
    if operation is not Operation.NONE:
        return f"of the {operation} that is going on"
    if (repo.git_dir / "SQUASH_MSG").exists():
        return "it joins other commits (merge --squash)"
    if text.startswith(_AUTOSQUASH):
        return "it is going to be joined with another commit"
    return ""


def content_of(repo: Repository) -> Content:
    """What the commit is made of whose hook or editor this is: git tells by the name of its index."""
    if repo.second_index is not None:
        return Content.ONLY
    return Content.ALL if repo.index.name == "index.lock" else Content.STAGED


def waiting_for(
    repo: Repository, message: Written, environ: Mapping[str, str], content: Content, before: str
) -> Waiting:
    """What has to be known to make later the commit that was to have the tree `before`."""
    real = before if content is Content.STAGED else tree_of(repo, repo.git_dir / "index")
    line = message.line
    author = {name: environ[name] for name in _AUTHOR if line and line.author_elsewhere and name in environ}
    return Waiting(
        texts=message.todo,
        before=before,
        real=real,
        head=repo.head(),
        content=content,
        options=line.lasting if line else None,
        author=author,
        verbatim=message.manner.cleanup == "verbatim",
    )
