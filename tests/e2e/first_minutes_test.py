"""The first minutes with LiteCode, as README tells them: what is typed, what is said, and what the commit has then."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
BEFORE = '"""Prices."""\n\n\ndef total(prices):\n    return sum(prices)\n'
EDITED = BEFORE.replace("    return", "    if prices == None:\n        return 0\n    return")
AFTER = EDITED.replace("== None", "is None")
RULE = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""

# What is typed, its exit code, and patterns of what is said then, in this order.
TRANSCRIPT = [
    ("git litecode init", 0, ["wrote .litecode.yaml for python", "git litecode install"]),
    ("git litecode install", 0, ["pre-commit"]),
    ("git litecode doctor", 1, ["ok       rules", "problem  model", "git litecode model pull"]),
    (
        "git litecode run",
        0,
        ["litecode: 1 of 2 staged files", "staged", "1 site", "1 patch staged", "undo: git litecode undo"],
    ),
    ("git commit -m 'Free when there is nothing'", 0, ["2 files changed"]),
    ("git litecode show", 0, ["src/price.py", "if prices is None:"]),
    ("git litecode undo", 0, ["src/price.py"]),
]


@pytest.fixture
def project(repo: Any) -> Any:
    repo.add({"src/price.py": BEFORE}, commit="base")
    return repo


def typed(line: str, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        ("bash", "-c", line), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_transcript(project: Any) -> None:
    """From nothing to a commit with a staged patch, and back again. Between `doctor` and `run` the person writes a rule
    and changes a file.
    """
    for line, code, patterns in TRANSCRIPT:
        if line == "git litecode run":
            file = project / ".litecode.yaml"
            text = file.read_text(encoding="utf-8")
            text, found = re.subn(r"(?m)^rules:.*\n", RULE, text)
            file.write_text(text if found else text + RULE, encoding="utf-8")
            project.write("src/price.py", EDITED)
            project.git("add", ".litecode.yaml", "src/price.py")
        got, said = typed(line, project.path)
        assert got == code, f"$ {line}\n{said}"
        at = 0
        for pattern in patterns:
            assert pattern in said[at:], f"$ {line}\n{said}"
            at = said.index(pattern, at)
        assert "Traceback" not in said
        if line.startswith("git commit"):
            assert project.blob("src/price.py", "HEAD").decode() == AFTER
    assert project.read("src/price.py").decode() == EDITED  # taken back, in the worktree; the commit stays
    assert project.blob("src/price.py").decode() == EDITED
    assert project.blob("src/price.py", "HEAD").decode() == AFTER


def test_the_first_staged_patch_takes_less_than_ten_commands() -> None:
    """Those of README, and what `init` says is next."""
    steps = re.search(r"## First steps\n\n```sh\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert steps is not None
    first = [re.sub(r"\s+#.*", "", line) for line in steps[1].splitlines()]
    assert [line for line in first if line.startswith("git litecode ")] == [
        "git litecode model pull", *(line for line, _, _ in TRANSCRIPT[:3]),
    ]  # fmt: skip
    assert len([*first, "git add .litecode.yaml", "git litecode run"]) < 10


@pytest.mark.parametrize("line", ["git litecode run", "git litecode check", "git litecode show", "git litecode undo"])
def test_too_early(line: str, project: Any) -> None:
    """Before `init` every command says what to type, and changes nothing."""
    before = project.snapshot()
    code, said = typed(line, project.path)
    assert code == 2
    assert "hint: " in said
    assert "git litecode" in said
    changed = {name for name, facts in project.snapshot().items() if before.get(name) != facts and name != ".git"}
    assert not {name for name in changed if not name.startswith(".git/litecode")}
    assert os.path.lexists(project.path / "src/price.py")
