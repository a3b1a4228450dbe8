"""Every test runs in an environment of its own, and no git call can reach the checkout that the tests come from."""

from __future__ import annotations

import hashlib
import itertools
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

# A shell that starts the suite in the background has switched Ctrl-C off, for every process that the tests start, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

CHECKOUT = Path(__file__).resolve().parent.parent
DEVELOPER_HOME = Path.home()
DEAD_PORT = "127.0.0.1:9"  # where no test finds the Ollama of the developer
REAL_OLLAMA = os.environ.get("LITECODE_TEST_OLLAMA", "")
DATE = "2024-01-02T03:04:05+00:00"

# What a shell, a hook that runs the tests, or a CI service may have set and what would change results.
FOREIGN_PREFIXES = (
    "GIT_",
    "LITECODE_",
    "PRE_COMMIT",
    "XDG_",
    "OLLAMA_",
    "OPENAI_",
    "GROQ_",
    "OPENROUTER_",
    "PYTEST_ADD",
)
FOREIGN_SUFFIXES = ("_API_KEY", "_PROXY", "_proxy")
FOREIGN_NAMES = {
    "SKIP",
    "CI",
    "GITHUB_ACTIONS",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "LINES",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "LANG",
    "LANGUAGE",
    "EMAIL",
    "PYTHONPATH",
}

GLOBAL_CONFIG = """\
[user]
\tname = A U Thor
\temail = author@example.com
[init]
\tdefaultBranch = main
\ttemplateDir =
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol "file"]
\tallow = always
"""


def hermetic_environ(home: Path, ceilings: tuple[Path, ...]) -> dict[str, str]:
    """The environment of one test: what the machine needs to run programs, and otherwise only what is set here."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(FOREIGN_PREFIXES)
        and not name.endswith(FOREIGN_SUFFIXES)
        and not name.startswith("LC_")
        and name not in FOREIGN_NAMES
    }
    return kept | {
        # `git litecode` finds `git-litecode` on the PATH.
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", os.defpath))),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "PRE_COMMIT_HOME": str(home / ".cache/pre-commit"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_DATE": DATE,
        "GIT_COMMITTER_DATE": DATE,
        "GIT_EDITOR": ":",
        "OLLAMA_HOST": DEAD_PORT,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": os.pathsep.join(map(str, ceilings)),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "TZ": "UTC",
    }


def _reaches_checkout(argv: Any, cwd: Any, env: Any) -> str:
    """Why a program start would let git work in the checkout, or an empty string."""
    if isinstance(argv, (str, bytes)):
        argv = [argv]
    words = [os.fsdecode(word) for word in argv]
    if not words or Path(words[0]).name not in {"git", "git-litecode", "pre-commit", "lint-staged"}:
        return ""
    here = Path(os.fsdecode(cwd)) if cwd else Path.cwd()
    places = {"the current directory": here}
    for option, value in itertools.pairwise(words):
        if option in {"-C", "--git-dir", "--work-tree"}:
            places[option] = here / value
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        value = (env if env is not None else os.environ).get(name)
        if value:
            places[name] = here / os.fsdecode(value)
    for what, place in places.items():
        if place.resolve().is_relative_to(CHECKOUT):
            return f"{what} is {place}"
    return ""


_guarded = False


def _guard(event: str, args: tuple[Any, ...]) -> None:
    if _guarded and event == "subprocess.Popen":
        _, argv, cwd, env = args
        if reason := _reaches_checkout(argv, cwd, env):
            raise AssertionError(f"a test may not run git in the checkout: {reason}")


sys.addaudithook(_guard)  # cannot be removed again, hence the switch


@pytest.fixture(autouse=True)
def hermetic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A fresh HOME for each test, which is also where it starts; returns that directory.

    It asks for no other function-scoped fixture, so that tests under hypothesis may run with it.
    """
    global _guarded
    base = tmp_path_factory.getbasetemp().resolve()
    home = tmp_path_factory.mktemp("home").resolve()
    (home / ".gitconfig").write_text(GLOBAL_CONFIG, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        wanted = hermetic_environ(home, (base, CHECKOUT))
        for name in set(os.environ) - set(wanted):
            patch.delenv(name)
        for name, value in wanted.items():
            patch.setenv(name, value)
        patch.chdir(home)
        _guarded = True
        try:
            yield home
        finally:
            _guarded = False


@pytest.fixture(scope="session")
def real_ollama() -> str:
    """The address of a real Ollama, in the form of OLLAMA_HOST, that LITECODE_TEST_OLLAMA names; skips without one."""
    if not REAL_OLLAMA:
        pytest.skip("LITECODE_TEST_OLLAMA names no server")
    return REAL_OLLAMA


@pytest.fixture(scope="session")
def developer_home() -> Path:
    """The HOME outside of the tests: the place of model files, to read only."""
    return DEVELOPER_HOME


class GitRepo:
    """A real repository to set a scene in. Paths are relative, with `/`, and may hold any bytes (surrogateescape)."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __truediv__(self, path: str) -> Path:
        return self.path / path

    def git(
        self,
        *args: str | bytes | Path,
        rc: int | None = 0,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> bytes:
        """Run git and give its standard output; `rc` is the exit code that is expected, None means any."""
        done = subprocess.run(
            ("git", *args),
            cwd=cwd or self.path,
            input=stdin,
            env=None if env is None else {**os.environ, **env},
            capture_output=True,
            check=False,
        )
        if rc is not None and done.returncode != rc:
            text = (done.stdout + done.stderr).decode(errors="replace")
            raise AssertionError(f"git {args} exited {done.returncode} instead of {rc}:\n{text}")
        return done.stdout

    def config(self, name: str, value: str) -> None:
        self.git("config", name, value)

    def write(self, path: str, content: str | bytes, mode: int | None = None) -> Path:
        """Write a worktree file, and its directories."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None:
            file.chmod(mode)
        return file

    def read(self, path: str) -> bytes:
        return (self.path / path).read_bytes()

    def add(self, files: Mapping[str, str | bytes | None], commit: str | None = None) -> str:
        """Write and stage files; None deletes one. With `commit` (the message) also commit them, without hooks.
        Returns the commit id or an empty string.
        """
        for path, content in files.items():
            if content is None:
                (self.path / path).unlink(missing_ok=True)
            else:
                self.write(path, content)
        names = b"".join(os.fsencode(path) + b"\0" for path in files)
        self.git("--literal-pathspecs", "add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=names)
        return self.commit(commit) if commit is not None else ""

    def commit(self, message: str = "change", *args: str, hooks: bool = False) -> str:
        self.git("commit", "-q", "-m", message, *(() if hooks else ("--no-verify",)), *args)
        return self.rev("HEAD")

    def stage_blob(self, path: str, content: str | bytes, mode: str = "100644") -> str:
        """Put content into the index alone, leaving the worktree as it is; returns the blob id."""
        data = content.encode() if isinstance(content, str) else content
        oid = self.git("hash-object", "-w", "--stdin", stdin=data).decode().strip()
        line = f"{mode} {oid}\t".encode() + os.fsencode(path) + b"\0"
        self.git("update-index", "-z", "--index-info", stdin=line)
        return oid

    def rev(self, name: str) -> str:
        return self.git("rev-parse", "--verify", "-q", name).decode().strip()

    def blob(self, path: str, rev: str = "") -> bytes:
        """Content of a path in the index, or in `rev`."""
        return self.git("cat-file", "blob", rev.encode() + b":" + os.fsencode(path))

    def oid(self, path: str, rev: str = "") -> str:
        return self.git("rev-parse", "--verify", rev.encode() + b":" + os.fsencode(path)).decode().strip()

    def index(self) -> dict[str, tuple[str, str, int]]:
        """The index as path -> (mode, blob id, stage); of a conflicted path the highest stage."""
        found = {}
        for record in self.git("ls-files", "-s", "-z").split(b"\0")[:-1]:
            facts, path = record.split(b"\t", 1)
            mode, oid, stage = facts.decode().split()
            found[os.fsdecode(path)] = (mode, oid, int(stage))
        return found

    def status(self) -> list[str]:
        """`git status --porcelain` as a list of `XY path`, untracked files included."""
        out = self.git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        return [os.fsdecode(line) for line in out.split(b"\0")[:-1]]

    def hook(self, name: str, script: str) -> Path:
        """Install a hook; a script without `#!` is run by sh."""
        place = self.path / os.fsdecode(self.git("rev-parse", "--git-path", "hooks")).strip()
        place.mkdir(parents=True, exist_ok=True)
        file = place / name
        file.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    def snapshot(self) -> dict[str, tuple[int, int, str]]:
        """Every file and directory, the git directory included: path -> (mode, mtime in ns, hash or link target).
        Two equal snapshots mean that nothing was written in between.
        """
        found = {}
        for place, folders, files in os.walk(self.path):
            for name in (*folders, *files):
                full = Path(place, name)
                facts = full.lstat()
                content = ""
                if stat.S_ISLNK(facts.st_mode):
                    content = str(full.readlink())
                elif stat.S_ISREG(facts.st_mode):
                    content = hashlib.sha256(full.read_bytes()).hexdigest()
                found[str(full.relative_to(self.path))] = (facts.st_mode, facts.st_mtime_ns, content)
        return found


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., GitRepo]:
    """`make_repo(name="repo", *init_options)` makes one more empty repository in the directory of the test."""

    def make(name: str = "repo", *options: str) -> GitRepo:
        repo = GitRepo((tmp_path / name).resolve())
        repo.path.mkdir(parents=True)
        repo.git("init", "-q", *options)
        return repo

    return make


@pytest.fixture
def repo(make_repo: Callable[..., GitRepo]) -> GitRepo:
    """An empty repository with an unborn branch `main`."""
    return make_repo()


@pytest.fixture
def open_repo() -> Callable[[Path], GitRepo]:
    """Wrap a repository that exists already, e.g. a clone or a linked worktree."""
    return GitRepo
