"""How git is called: argument tuples, bytes in and out, and one environment for every call.

LiteCode runs on Linux and macOS; nothing here tries to work on Windows.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from litecode.core.errors import GitError

# `git rev-parse --local-env-vars`, all versions together: what ties a process to one repository. Inherited by an
# unrelated `git init` or `npm install`, each of them makes that program write into the user's index or repository.
LOCAL_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)

# What would change the meaning of our own calls. The pathspec variables exclude each other, and git dies on a mix.
_OVERRIDING_VARIABLES = frozenset(
    {
        "GIT_DIFF_OPTS",
        "GIT_EXTERNAL_DIFF",
        "GIT_GLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_PREFIX",
        "LANGUAGE",
    }
)

_FIXED_VARIABLES = {
    "GIT_LITERAL_PATHSPECS": "1",  # `--` does not stop globbing
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",  # reading a promised object may go to a server
    "LC_ALL": "C",  # error texts are compared; paths are bytes in any case
}

_OPTIONS = (
    "--no-pager",
    *("-c", "submodule.recurse=0"),  # otherwise some commands descend into submodules and change them
    *("-c", "core.quotePath=true"),  # patch headers are parsed as ASCII with octal escapes
)

# Enough for about 1,000 paths, and far below every ARG_MAX (1 MiB on macOS, environment included).
_ARGV_BYTES = 200_000

Argument = str | bytes | Path


def to_bytes(path: str) -> bytes:
    """A repository path as git has it; the opposite of `to_text`. Independent of the locale, unlike `os.fsencode`."""
    return path.encode("utf-8", "surrogateescape")


def to_text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


class Done(NamedTuple):
    """What a finished call gave back."""

    rc: int
    out: bytes
    err: bytes


class GitFailed(GitError):
    """A git call ended with an exit code that its caller has no use for."""

    def __init__(self, argv: tuple[Argument, ...], code: int, stderr: bytes, hint: str = "") -> None:
        self.argv, self.code, self.stderr = argv, code, stderr.decode(errors="replace").strip()
        how = f"was killed by signal {-code}" if code < 0 else f"exited with {code}"
        text = "".join(f"\n    {line}" for line in self.stderr.splitlines())
        super().__init__(f"git {_command(argv)} {how}{text}", hint or _remedy(self.stderr))


def _command(argv: tuple[Argument, ...]) -> str:
    """The command without the options that stand before it, and without its paths."""
    words = [os.fsdecode(word) for word in argv]
    shown = words[:6] + (["..."] if len(words) > 6 else [])
    return " ".join(shown).encode(errors="backslashreplace").decode()


def _remedy(stderr: str) -> str:
    if "dubious ownership" in stderr:
        return "see `git help config`, safe.directory: the repository belongs to another user"
    if ".lock': File exists" in stderr:
        return "wait for the other git process to end, or remove the lock file if there is none"
    if "No space left on device" in stderr:
        return "free some disk space and try again"
    if "Permission denied" in stderr:
        return "check the permissions of the git directory"
    return "run the command by hand to see more; `git fsck` tells whether the repository is sound"


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for every child that is not one of our own git calls."""
    return {
        name: value
        for name, value in environ.items()
        if name not in LOCAL_VARIABLES and not name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    }


def run(
    argv: tuple[Argument, ...],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    ok: tuple[int, ...] = (0,),
) -> Done:
    """Run git with `argv` (without the word `git`) and wait for it. Exit codes that are not in `ok` raise GitFailed;
    an empty `ok` accepts every one.
    """
    try:
        done = subprocess.run(
            ("git", *_OPTIONS, *argv), cwd=cwd, env=env, input=stdin, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise GitError(f"the directory {cwd} is gone", "change into a directory that exists") from error
        raise GitError("git is not on the PATH", "install git 2.31 or newer") from error
    if ok and done.returncode not in ok:
        raise GitFailed(argv, done.returncode, done.stderr)
    return Done(done.returncode, done.stdout, done.stderr)


def start(argv: tuple[Argument, ...], *, cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a git process that answers requests on its standard input."""
    return subprocess.Popen(
        ("git", *_OPTIONS, *argv),
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def batches(arguments: Iterable[bytes], size: int = _ARGV_BYTES) -> Iterator[tuple[bytes, ...]]:
    """Cut a list of arguments into pieces that fit one command line."""
    batch: list[bytes] = []
    used = 0
    for argument in arguments:
        if batch and used + len(argument) > size:
            yield tuple(batch)
            batch, used = [], 0
        batch.append(argument)
        used += len(argument) + 16  # the terminator and the pointer
    if batch:
        yield tuple(batch)


@dataclass(frozen=True, slots=True)
class GitEnv:
    """The place and the environment of all our git calls into one repository."""

    cwd: Path
    variables: Mapping[str, str] = field(repr=False)  # there may be keys of other programs in it

    @classmethod
    def of(cls, cwd: Path, environ: Mapping[str, str]) -> GitEnv:
        kept = {name: value for name, value in environ.items() if name not in _OVERRIDING_VARIABLES}
        return cls(cwd, kept | _FIXED_VARIABLES)

    def at(self, cwd: Path, **variables: str) -> GitEnv:
        """The same with another directory and some variables set."""
        return GitEnv(cwd, {**self.variables, **variables})

    def with_index(self, index: Path) -> GitEnv:
        """For calls that work on another index file."""
        return replace(self, variables={**self.variables, "GIT_INDEX_FILE": str(index)})

    def read(self, *argv: Argument, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> Done:
        """A call that changes nothing, not even the stat data in the index, so that it never meets a lock."""
        return run(argv, cwd=self.cwd, env={**self.variables, "GIT_OPTIONAL_LOCKS": "0"}, stdin=stdin, ok=ok)

    def write(self, *argv: Argument, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> Done:
        """A call that writes objects or one of our private index copies. No hook of the user sees those, hence the
        empty hooks directory (`post-index-change` would run).
        """
        return run(("-c", "core.hooksPath=/dev/null", *argv), cwd=self.cwd, env=self.variables, stdin=stdin, ok=ok)

    def serve(self, *argv: Argument) -> subprocess.Popen[bytes]:
        """A reading process that stays alive."""
        return start(argv, cwd=self.cwd, env={**self.variables, "GIT_OPTIONAL_LOCKS": "0"})
