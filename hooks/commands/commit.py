"""`git litecode commit`"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from litecode.core.errors import UsageError
from litecode.core.git.commit_line import CommitLine, parse
from litecode.core.git.repository import Repository
from litecode.core.git.scratch import Scratch
from litecode.core.store.commits import CommitStore, Content
from litecode.hooks.asking import terminal as make_terminal
from litecode.hooks.committing import continue_commit, editor_of, git_commit, resume
from litecode.hooks.message_editor import EDITOR_VARIABLE, MARK_VARIABLE
from litecode.hooks.show.terminal import Terminal
from litecode.hooks.written import message_of, waiting_for, why_not, written

_OWN = ("--yes", "--continue")


class _Words(click.Command):
    """Takes its words as they are: they are git's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] in (["-h"], ["--help"]):
            click.echo(ctx.get_help())
            ctx.exit()
        ctx.params["words"] = tuple(args)
        return []


@click.command(cls=_Words, options_metavar="[--yes] [--continue] [OPTIONS OF git commit]")
def command(words: tuple[str, ...]) -> int:
    """Carry out the requests of a message, then commit with it.

    A request is a line `Litecode: TEXT` among the trailers at the end of the message; there can be several. What comes
    of them is shown, and staged when you say so, or with --yes. Everything else is as in `git commit`.

    With --continue the commit is made that the commit-msg hook has stopped, or that was not agreed to before.
    """
    end = words.index("--") if "--" in words else len(words)
    own = {word for word in words[:end] if word in _OWN}
    rest = (*(word for word in words[:end] if word not in _OWN), *words[end:])
    terminal = make_terminal()
    if "--continue" in own:
        return continue_commit(rest, terminal, os.environ, yes="--yes" in own)
    return _commit(rest, terminal, os.environ, yes="--yes" in own)


def _commit(words: Sequence[str], terminal: Terminal, environ: Mapping[str, str], *, yes: bool) -> int:
    line = parse(words)
    cwd = Path.cwd()
    repo = Repository.discover(cwd, environ)
    if line.shows_only or why_not(repo, b""):
        return git_commit(words, environ)
    if line.editor:
        return _with_editor(repo, words, terminal, environ, yes=yes)
    raw = _typed(repo, line, cwd)
    if raw is None:
        return git_commit(words, environ)
    message = written(repo, raw, line, environ)
    if not message.todo or why_not(repo, message.text):
        return git_commit(words, environ, raw if line.value("file") == "-" else None)
    if line.interactive or line.has("pathspec-from-file"):
        raise UsageError(
            "what is picked while git commits cannot be seen before", "stage it first: git add -p; then commit it"
        )
    content, before = _content(repo, line, cwd)
    store = CommitStore(repo.state_dir)
    store.keep_message(message.text)
    waiting = waiting_for(repo, message, _with_author(repo, line, environ), content, before)
    extra = ("--signoff",) if line.has("signoff") else ()
    return resume(repo, waiting, extra, terminal, environ, yes=yes)


def _typed(repo: Repository, line: CommitLine, cwd: Path) -> bytes | None:
    """The message that the command line gives; None when git is to say what is wrong with it."""
    sources = line.message_sources() - {"trailer", "edit", "template"}
    if sources & {"fixup", "squash"} or len(sources) > 1:
        return None
    text = b""
    if line.has("message"):
        parts = [os.fsencode(part) for part in line.values("message")]
        text = b"\n".join(part if part.endswith(b"\n") else part + b"\n" for part in parts)
    elif file := line.value("file"):
        try:
            text = sys.stdin.buffer.read() if file == "-" else (cwd / file).read_bytes()
        except OSError:
            return None
    else:
        commit = line.value("reuse-message") or line.value("reedit-message") or ("HEAD" if line.has("amend") else "")
        text = message_of(repo, commit) if commit else b""
    if not text:
        return None
    added = [option for value in line.values("trailer") for option in ("--trailer", value)]
    return repo.git.read("interpret-trailers", "--no-divider", *added, stdin=text).out if added else text


def _with_author(repo: Repository, line: CommitLine, environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment with the author of the commit whose message is taken, as git gives it to a hook."""
    if not line.author_elsewhere:
        return environ
    commit = line.value("reuse-message") or line.value("reedit-message") or "HEAD"
    done = repo.git.read("log", "-1", "--format=%an%x00%ae%x00%ad", "--date=raw", commit, "--")
    name, mail, date = os.fsdecode(done.out).rstrip("\n").split("\0")
    return {**environ, "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": f"@{date}"}


def _content(repo: Repository, line: CommitLine, cwd: Path) -> tuple[Content, str]:
    """What the commit is made of, and the tree that it would have now."""
    with Scratch.of(repo) as scratch:
        content = Content.STAGED
        if line.has("all"):
            content = Content.ALL
            scratch.add_all()
        elif line.has("include"):
            content = Content.ALL
            scratch.add(line.paths, cwd)
        elif line.paths or line.has("only"):
            content = Content.ONLY
            base = repo.head() or repo.empty_tree
            scratch.only(line.paths, cwd, base) if line.paths else scratch.read(base)
        return content, scratch.tree()


def _with_editor(
    repo: Repository, words: Sequence[str], terminal: Terminal, environ: Mapping[str, str], *, yes: bool
) -> int:
    """Let git open the editor through ours, and take over when the message asks for something."""
    editor = editor_of(repo)
    if not editor:
        return git_commit(words, environ)
    store = CommitStore(repo.state_dir)
    mark = repo.git_dir / f"litecode-commit-{os.getpid()}"
    ours = shlex.join((sys.executable, "-P", "-m", "litecode.hooks.pre_commit", "edit"))
    wrapped = {**environ, "GIT_EDITOR": ours, EDITOR_VARIABLE: editor, MARK_VARIABLE: str(mark)}
    try:
        code = git_commit(words, wrapped)
        waiting = store.waiting() if mark.exists() else None
    finally:
        mark.unlink(missing_ok=True)
    return code if waiting is None else resume(repo, waiting, (), terminal, environ, yes=yes)
