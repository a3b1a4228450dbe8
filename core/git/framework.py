"""What the pre-commit framework has hidden, and whether it can bring it back after our changes.

Before it runs hooks, pre-commit writes the unstaged edits of all files into a patch in its cache, takes them out of the
worktree, and applies the patch again afterwards. When that fails because a hook changed the index too, the edits are
stranded in the cache. So the patch is tried first, on what we would stage.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from litecode.core.git.convert import Converter
from litecode.core.git.moves import blob_id
from litecode.core.git.process import GitEnv, batches, scrubbed, to_bytes
from litecode.core.git.repository import Repository
from litecode.core.values import Change

_PATCH = re.compile(r"patch(\d+)-(\d+)\Z")
_PROGRAM = re.compile(r"(.*/)?(pre-commit(\.exe)?|-?m?pre_commit|pre_commit/__main__\.py)\Z")
_CLOCK_TOLERANCE = 2.0


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is known about the unstaged edits: `patch` has them, or there are none. When `known` is False another front
    end or version is at work; then nothing may be staged, only the worktree may be changed.
    """

    known: bool
    patch: Path | None = None


def hidden_edits(environ: Mapping[str, str]) -> Hidden | None:
    """None when this process was not started by the framework."""
    if environ.get("PRE_COMMIT") != "1":
        return None
    for process in _ancestors(scrubbed(environ)):
        if any(_PROGRAM.match(word) for word in process.words[:4]):
            return Hidden(True, _patch_of(process, _cache(environ)))
    return Hidden(False)


def fitting(repo: Repository, changes: Sequence[Change], patch: Path) -> tuple[Change, ...]:
    """The changes after which the hidden patch still applies. Writes nothing."""
    if not changes:
        return ()
    with Converter(repo, frozenset()) as converter:
        converter.store(change.after for change in changes)
        if _applies(repo, converter, changes, patch):
            return tuple(changes)
        one_by_one = [change for change in changes if _applies(repo, converter, changes, patch, only=change.path)]
        return tuple(one_by_one) if _applies(repo, converter, one_by_one, patch) else ()


def _applies(
    repo: Repository, converter: Converter, changes: Sequence[Change], patch: Path, only: str | None = None
) -> bool:
    index = converter.place() / "index"
    shutil.copyfile(repo.index, index)
    git = converter.aside().with_index(index)
    _stage(git, repo, changes)
    include = () if only is None else (b"--include=" + re.sub(rb"([\\*?\[])", rb"\\\1", to_bytes(only)),)
    # --whitespace=nowarn as pre-commit says it; apply.whitespace=fix would change what is compared
    return git.read("apply", "--check", "--cached", "--whitespace=nowarn", *include, patch, ok=()).rc == 0


def _stage(git: GitEnv, repo: Repository, changes: Sequence[Change]) -> None:
    lines = (
        f"{change.mode},{blob_id(change.after, repo.object_format)},".encode() + to_bytes(change.path)
        for change in changes
    )
    for batch in batches(lines):
        git.write("update-index", "--add", *(word for line in batch for word in ("--cacheinfo", line)))


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    words: tuple[str, ...]
    started: float | None


def _ancestors(env: Mapping[str, str]) -> Iterator[_Process]:
    """The processes above this one, nearest first; those that cannot be looked at end the list."""
    pid = os.getppid()
    while pid > 1:
        found = _from_proc(pid) if Path("/proc/self/stat").exists() else _from_ps(pid, env)
        if found is None:
            return
        process, pid = found
        yield process


def _from_proc(pid: int) -> tuple[_Process, int] | None:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
        # The program name in parentheses may hold anything, so the fields are counted from behind it.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        boot = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime "))
    except (OSError, StopIteration):
        return None
    started = int(boot.split()[1]) + int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return _Process(pid, tuple(os.fsdecode(word) for word in words), started), int(fields[1])


def _from_ps(pid: int, env: Mapping[str, str]) -> tuple[_Process, int] | None:
    argv = ("ps", "-o", "ppid=", "-o", "command=", "-p", str(pid))
    with suppress(OSError, ValueError):
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
        parent, _, command = done.stdout.strip().partition(" ")
        return _Process(pid, tuple(command.split()), None), int(parent)
    return None


def caches(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where pre-commit, and prek, install hooks into environments of their own."""
    prek = environ.get("PREK_HOME")
    return _cache(environ), Path(prek).expanduser() if prek else _cache_home(environ) / "prek"


def _cache(environ: Mapping[str, str]) -> Path:
    """Where pre-commit keeps its patches."""
    home = environ.get("PRE_COMMIT_HOME")
    return Path(home).expanduser() if home else _cache_home(environ) / "pre-commit"


def _cache_home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME", "/"), ".cache"))


def _patch_of(process: _Process, cache: Path) -> Path | None:
    """The newest patch that this process has written; older ones are of others that had the same number."""
    found = []
    with suppress(OSError):
        for entry in os.scandir(cache):
            name = _PATCH.match(entry.name)
            if name and int(name[2]) == process.pid:
                written = int(name[1])
                if process.started is None or written >= process.started - _CLOCK_TOLERANCE:
                    found.append((written, Path(entry.path)))
    return max(found)[1] if found else None
