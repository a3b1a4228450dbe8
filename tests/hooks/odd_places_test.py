"""Output that goes nowhere, a rules file that is no file: a message and an exit code that fits, never a hang."""

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
