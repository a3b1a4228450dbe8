"""Output that goes nowhere, a rules file that is no file, a repository that is named from somewhere else: a message and
an exit code that fits, never a hang.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RULES = "rules:\n- id: is-none\n  message: m\n  language: python\n  pattern: $V == None\n  fix: $V is None\n"
SCRIPT = f"{sys.executable} -c 'import sys; from litecode.hooks.cli import main; sys.exit(main())'"


@pytest.fixture
def scene(repo: Any) -> Any:
    repo.add({".litecode.yaml": RULES, "a.py": "x == None\n"})
    return repo


def shell(repo: Any, words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ("sh", "-c", f"{SCRIPT} {words}"), cwd=repo.path, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("check >&-", 1),
        ("check 2>&-", 1),
        ("check >&- 2>&-", 1),
        ("run >&-", 0),
        ("run >&- 2>&- <&-", 0),
        ("log >&-", 0),
    ],
)
def test_closed_streams(scene: Any, words: str, code: int) -> None:
    done = shell(scene, words)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert scene.blob("a.py").decode() == ("x is None\n" if words.startswith("run") else "x == None\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_behind_the_output(scene: Any) -> None:
    done = shell(scene, "run > /dev/full")
    assert done.returncode == 2
    assert "the output cannot be written" in done.stderr
    assert "git litecode show" in done.stderr
    assert "internal error" not in done.stderr
    assert scene.blob("a.py") == b"x is None\n"


def test_a_rules_file_that_is_a_pipe(scene: Any) -> None:
    scene.git("rm", "-q", "--cached", ".litecode.yaml")
    (scene / ".litecode.yaml").unlink()
    os.mkfifo(scene / ".litecode.yaml")
    done = shell(scene, "check")
    assert done.returncode == 2
    assert "no regular file" in done.stderr
    assert "hint: " in done.stderr


OPTIONS = ("--git-dir={repo}/.git", "--work-tree={repo}")


@pytest.fixture
def outside(scene: Any, tmp_path: Path) -> Any:
    """`outside(place, options, words)` runs a command in a folder below that of the repository's parent, with git's
    options for a repository that is elsewhere.
    """
    scene.add({"sub/b.py": "y == None\n"})
    (tmp_path / "a.py").write_text("other == None\n")  # of the same name, and no part of the repository

    def start(place: str, options: tuple[str, ...], *words: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / place).mkdir(exist_ok=True, parents=True)
        known = [option.format(repo=scene.path, up=os.path.relpath(scene.path, tmp_path / place)) for option in options]
        argv = ("git", *known, "litecode", *words)
        return subprocess.run(argv, cwd=tmp_path / place, capture_output=True, text=True, timeout=60, check=False)

    return start


@pytest.mark.parametrize(
    ("place", "options"),
    [
        (".", OPTIONS),
        ("other", OPTIONS),
        ("other", ("--git-dir={up}/.git", "--work-tree={up}")),
        ("repo/sub", OPTIONS),  # inside of the worktree names are relative to that place
        ("repo/.git", OPTIONS),
    ],
)
def test_names_are_those_of_the_top_from_outside(
    outside: Any, scene: Any, place: str, options: tuple[str, ...]
) -> None:
    name = {"repo/sub": "b.py", "repo/.git": "../sub/b.py"}.get(place, "sub/b.py")
    done = outside(place, options, "run", name)
    assert (done.returncode, scene.blob("sub/b.py"), scene.read("sub/b.py")) == (0, b"y is None\n", b"y is None\n")
    assert scene.blob("a.py") == b"x == None\n"
    done = outside(place, options, "undo")
    assert (done.returncode, scene.read("sub/b.py"), scene.status()) == (
        0,
        b"y == None\n",
        ["A  .litecode.yaml", "A  a.py", "A  sub/b.py"],
    )


@pytest.mark.parametrize(
    ("place", "options", "said"),
    [
        (".", (), "is not in a git repository"),
        ("repo/.git", (), "is in the git directory, not in a worktree"),
        (".", ("--git-dir={repo}/bare.git",), "is in a bare repository"),
        (".", ("--git-dir={repo}/none", "--work-tree={repo}"), "is not in a git repository"),
    ],
)
def test_where_there_is_no_worktree(outside: Any, scene: Any, place: str, options: tuple[str, ...], said: str) -> None:
    scene.git("init", "-q", "--bare", "bare.git")
    before = scene.snapshot()
    done = outside(place, options, "run")
    assert done.returncode == 2
    assert said in done.stderr
    assert scene.snapshot() == before
