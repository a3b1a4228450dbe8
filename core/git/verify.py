"""Commands that a person trusts, run on the tree that a commit would have, in a folder that nobody else can read.

Neither the worktree nor the index is touched. Only files of the commit are there: what is ignored or untracked, a
virtual environment for example, is not.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from litecode.core.git.repository import Repository
from litecode.core.git.scratch import Scratch
from litecode.core.values import Change

OUTPUT_LIMIT = 32 << 20  # bytes that a command may print
_TAIL = 4096
_SHOWN = 160
_POLL = 0.05

# What programs need to find themselves. Everything else stays out: keys, tokens, and what would lead git elsewhere.
_KEPT = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TZ TMPDIR VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT
    PYENV_VERSION NVM_DIR NVM_BIN NODE_PATH JAVA_HOME GOPATH GOROOT GOCACHE GOMODCACHE CARGO_HOME RUSTUP_HOME
    RUSTUP_TOOLCHAIN GEM_HOME GEM_PATH RBENV_ROOT DOTNET_ROOT LD_LIBRARY_PATH DYLD_LIBRARY_PATH NIX_PATH NIX_PROFILES
    SSL_CERT_FILE SSL_CERT_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME SYSTEMROOT CI NO_COLOR
    """.split()
)


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether every command succeeded; `reason` says which did not, and why. `output` is the end of what it printed."""

    ok: bool
    reason: str = ""
    output: str = ""
    seconds: float = 0.0


def verify(
    repo: Repository,
    changes: Sequence[Change],
    commands: Sequence[tuple[str, ...]],
    timeout: float,
    environ: Mapping[str, str],
    cancel: Event | None = None,
) -> Verified:
    """Run the commands one after another on the index with these changes, until one fails. `timeout` is in seconds for
    all of them. Raises GitError when the tree cannot be made.
    """
    began = time.monotonic()
    with _tree(repo, changes) as tree:
        for command in commands:
            left = timeout - (time.monotonic() - began)
            done = _run(command, tree, left, environ, cancel)
            if not done.ok:
                return Verified(False, done.reason, done.output, time.monotonic() - began)
    return Verified(True, seconds=time.monotonic() - began)


@contextmanager
def _tree(repo: Repository, changes: Sequence[Change]) -> Iterator[Path]:
    """The files, in a folder of mode 0700 that goes at the end."""
    folder = Path(tempfile.mkdtemp(prefix="litecode-verify-"))
    try:
        place = folder / "tree"
        place.mkdir()
        with Scratch.of(repo) as scratch:
            scratch.put(changes)
            git = scratch.repo.git.at(repo.top, GIT_LFS_SKIP_SMUDGE="1")
            git.write("checkout-index", "--all", "--force", "--quiet", f"--prefix={place}/")
        yield place
    finally:
        shutil.rmtree(folder, onerror=_unlock)


def _unlock(_function: object, path: str, _error: object) -> None:
    """Tests leave folders behind that they may not write to."""
    with suppress(OSError):
        Path(path).parent.chmod(0o700)
        Path(path).chmod(0o700)
        shutil.rmtree(path, ignore_errors=True) if Path(path).is_dir() else Path(path).unlink(missing_ok=True)


def _run(
    command: tuple[str, ...], tree: Path, timeout: float, environ: Mapping[str, str], cancel: Event | None
) -> Verified:
    shown = shlex.join(command)
    shown = f"`{shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + '…'}`"
    with tempfile.TemporaryFile(dir=tree.parent) as output:
        try:
            process = subprocess.Popen(
                command,
                cwd=tree,
                env=environment(environ, tree),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return Verified(False, f"{shown} cannot be run: {why.lower()}")
        stopped = _wait(process, output.fileno(), time.monotonic() + timeout, cancel)
        end = _end_of(output.fileno())
    last = next((line for line in reversed(end.splitlines()) if line.strip()), "").strip()
    if stopped:
        return Verified(False, f"{shown} {stopped.format(seconds=f'{timeout:.0f}')}", end)
    if process.returncode:
        how = f"exited with {process.returncode}" if process.returncode > 0 else f"was killed ({-process.returncode})"
        return Verified(False, f"{shown} {how}{': ' + last[:_SHOWN] if last else ''}", end)
    return Verified(True)


def _wait(process: subprocess.Popen[bytes], output: int, until: float, cancel: Event | None) -> str:
    """Why the command was stopped, empty when it ended by itself. What it has started ends with it."""
    stopped = ""
    while not stopped:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL)
            break
        if time.monotonic() > until:
            stopped = "did not end within {seconds} s"
        elif cancel is not None and cancel.is_set():
            stopped = "was interrupted"
        elif os.fstat(output).st_size > OUTPUT_LIMIT:
            stopped = "printed too much"
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return stopped


def _end_of(output: int) -> str:
    size = os.fstat(output).st_size
    data = os.pread(output, _TAIL, max(0, size - _TAIL))
    return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", data.decode("utf-8", "replace"))


def environment(environ: Mapping[str, str], tree: Path) -> dict[str, str]:
    """What a command sees. No entry of PATH is relative, since the current folder is the tree."""
    kept = {name: value for name, value in environ.items() if name in _KEPT or name.startswith("LC_")}
    kept["PATH"] = os.pathsep.join(
        entry for entry in kept.get("PATH", os.defpath).split(os.pathsep) if entry.startswith("/")
    )
    return kept | {
        "PWD": str(tree),
        "GIT_CEILING_DIRECTORIES": str(tree.parent),
        "GIT_TERMINAL_PROMPT": "0",
        "LITECODE_VERIFY": "1",
    }
