"""The hooks of the pre-commit framework, as the real framework runs them from the manifest of this repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pre_commit")

MANIFEST = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""
LINES = [f"line_{number} = {number}\n" for number in range(20)]
BASE = "".join(LINES)
BAD, GOOD = BASE.replace("line_5 = 5", "line_5 == None"), BASE.replace("line_5 = 5", "line_5 is None")
MINE = ("line_15 = 15", "line_15 = 'mine'")
# A formatter as people write them: it changes worktree files and fails when it did.
FORMATTER = """\
import pathlib, sys
code = 0
for name in sys.argv[1:]:
    path = pathlib.Path(name)
    text = path.read_text()
    new = text.replace("line_0 = 0", "line_0 = 'formatted'").replace("a == None\\n", "a == None  # seen\\n")
    code |= new != text
    path.write_text(new)
sys.exit(code)
"""


class Scene:
    def __init__(self, repo: Any) -> None:
        self.repo = repo

    def configure(self, *hooks: str) -> None:
        """Commit a configuration with these hooks of the manifest, written as YAML flow mappings, and install it."""
        listed = "".join(f"  - {hook}\n" for hook in hooks)
        config = f"repos:\n- repo: ../manifest\n  rev: v1\n  hooks:\n{listed}"
        if any("formatter" in hook for hook in hooks):
            config = (
                "repos:\n- repo: local\n  hooks:\n  - {id: formatter, name: formatter, language: system,"
                f" types: [python], entry: {sys.executable} ../formatter.py}}\n"
                + config[7:].replace("  - formatter\n", "")
            )
        self.repo.add({".pre-commit-config.yaml": config}, commit="config")
        self.pre_commit("install", "--install-hooks")

    def pre_commit(self, *args: str, rc: int = 0) -> str:
        argv = (sys.executable, "-m", "pre_commit", *args)
        done = subprocess.run(argv, cwd=self.repo.path, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == rc, said
        return said

    def commit(self, *words: str, rc: int = 0) -> str:
        argv = ("git", "commit", "-m", "change", *words)
        done = subprocess.run(argv, cwd=self.repo.path, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        said = (done.stdout + done.stderr).decode()
        assert done.returncode == rc, said
        assert "Rolling back" not in said
        assert "Traceback" not in said
        return said

    def agree(self, path: str, content: str) -> None:
        assert self.repo.blob(path, "HEAD").decode() == self.repo.blob(path).decode() == content
        assert self.repo.read(path).decode() == content


@pytest.fixture
def scene(repo: Any, make_repo: Any) -> Scene:
    """A repository with rules, and beside it one with our manifest, whose hooks run without an installation."""
    manifest = make_repo("manifest")
    text = MANIFEST.read_text(encoding="utf-8")
    manifest.add({".pre-commit-hooks.yaml": text.replace("language: python", "language: system")}, commit="manifest")
    manifest.git("tag", "v1")
    repo.write("../formatter.py", FORMATTER)
    repo.add({".litecode.yaml": RULES, "a.py": BASE, "b.py": BASE, "notes.md": "x\n"}, commit="base")
    return Scene(repo)


STAGE = "{id: litecode, args: [--stage], verbose: true}"


def test_by_default_a_patch_is_held_and_the_commit_stops(scene: Scene) -> None:
    scene.configure("id: litecode")
    scene.repo.add({"a.py": BAD})
    scene.repo.write("b.py", "unstaged\n")
    said = scene.commit(rc=1)
    assert "+line_5 is None" in said
    assert scene.repo.blob("a.py").decode() == scene.repo.read("a.py").decode() == BAD
    assert scene.repo.read("b.py") == b"unstaged\n"
    scene.repo.git("litecode", "apply")
    scene.commit()
    scene.agree("a.py", GOOD)
    assert scene.repo.status() == [" M b.py"]


def test_a_held_warning_stops_nothing_and_is_shown(scene: Scene) -> None:
    """The framework hides what a hook says that passes, unless the manifest asks for it."""
    scene.repo.add({".litecode.yaml": RULES + "  severity: warning\n"}, commit="warn")
    scene.configure("id: litecode")
    scene.repo.add({"a.py": BAD})
    said = scene.commit()
    assert scene.repo.blob("a.py", "HEAD").decode() == BAD
    assert "+line_5 is None" in said
    assert "1 patch held (warning): git litecode review " in said
    scene.repo.git("litecode", "apply")
    assert scene.repo.blob("a.py").decode() == GOOD


def test_stage_puts_it_into_the_commit(scene: Scene) -> None:
    scene.configure(STAGE)
    scene.repo.add({"a.py": BAD, "new.py": "x == None\n"})
    said = scene.commit()
    scene.agree("a.py", GOOD)
    scene.agree("new.py", "x is None\n")
    assert scene.repo.status() == []
    assert "git litecode undo " in said


def test_stage_with_unstaged_edits_elsewhere(scene: Scene) -> None:
    """Partially staged, the framework hides the rest, and has to bring it back onto what was staged behind it."""
    scene.configure(STAGE)
    scene.repo.add({"a.py": BAD})
    scene.repo.write("a.py", BAD.replace(*MINE))
    scene.repo.write("b.py", "unstaged\n")
    scene.commit()
    assert scene.repo.blob("a.py", "HEAD").decode() == GOOD
    assert scene.repo.read("a.py").decode() == GOOD.replace(*MINE)
    assert scene.repo.read("b.py") == b"unstaged\n"
    assert scene.repo.status() == [" M a.py", " M b.py"]


@pytest.mark.parametrize("near", [("line_5 == None", "line_5 == None  # mine"), ("line_6 = 6", "line_6 = 'mine'")])
def test_stage_with_unstaged_edits_in_the_way(scene: Scene, near: tuple[str, str]) -> None:
    """On the same line, or touching it: nothing is staged, so that the hidden edits of both files come back."""
    scene.configure(STAGE)
    scene.repo.add({"a.py": BAD})
    scene.repo.write("a.py", BAD.replace(*near))
    scene.repo.write("b.py", "unstaged\n")
    said = scene.commit(rc=1)
    assert "unstaged edits, which pre-commit has put away for the time of its hooks, are in the way" in said
    assert scene.repo.blob("a.py").decode() == BAD
    assert scene.repo.read("a.py").decode() == BAD.replace(*near)
    assert scene.repo.read("b.py") == b"unstaged\n"


def test_stage_in_a_commit_of_single_paths(scene: Scene) -> None:
    scene.configure(STAGE)
    scene.repo.write("a.py", BAD)
    scene.repo.add({"b.py": BAD})
    scene.commit("--", "a.py")
    scene.agree("a.py", GOOD)
    assert scene.repo.status() == ["M  b.py"]


def test_stage_from_another_front_end_changes_the_worktree_only(scene: Scene) -> None:
    scene.repo.add({"a.py": BAD})
    done = subprocess.run(
        ("litecode-hook", "framework", "--stage", "a.py"),
        cwd=scene.repo.path,
        env={**os.environ, "PRE_COMMIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "changed" in done.stdout
    assert (scene.repo.blob("a.py").decode(), scene.repo.read("a.py").decode()) == (BAD, GOOD)


@pytest.mark.parametrize("args", [(), ("--stage",)])
def test_all_files_are_looked_at_and_nothing_is_staged(scene: Scene, args: tuple[str, ...]) -> None:
    scene.repo.add({"a.py": BAD, "b.py": BAD}, commit="bad")
    scene.configure(f"{{id: litecode, args: [{', '.join(args)}]}}")
    said = scene.pre_commit("run", "--all-files", rc=1)
    assert "+line_5 is None" in said
    assert "a.py:6" in said
    assert "b.py:6" in said
    assert scene.repo.status() == []


def test_a_range_of_commits(scene: Scene) -> None:
    scene.configure("id: litecode")
    scene.repo.add({"a.py": BAD}, commit="bad")
    scene.repo.add({"a.py": GOOD}, commit="good")
    assert "is-none" in scene.pre_commit("run", "--from-ref", "HEAD~2", "--to-ref", "HEAD~1", rc=1)
    scene.pre_commit("run", "--from-ref", "HEAD~1", "--to-ref", "HEAD")
    assert scene.repo.status() == []


def test_try_repo(scene: Scene) -> None:
    scene.repo.add({"a.py": BAD})
    said = scene.pre_commit("try-repo", "../manifest", "litecode", "--ref", "v1", rc=1)
    assert "+line_5 is None" in said
    assert scene.repo.blob("a.py").decode() == BAD


def test_beside_a_formatter_of_the_same_file(scene: Scene) -> None:
    """It changes the worktree first, so LiteCode meets a partially staged file; what it does not touch is staged, and
    the next attempt commits both.
    """
    scene.configure("formatter", STAGE)
    scene.repo.add({"a.py": BAD})
    scene.commit(rc=1)
    assert scene.repo.read("a.py").decode() == GOOD.replace("line_0 = 0", "line_0 = 'formatted'")
    scene.repo.git("add", "a.py")
    scene.commit()
    scene.agree("a.py", GOOD.replace("line_0 = 0", "line_0 = 'formatted'"))


def test_beside_a_formatter_of_the_same_line(scene: Scene) -> None:
    scene.configure("formatter", STAGE)
    scene.repo.add({"a.py": "a == None\n"})
    said = scene.commit(rc=1)
    assert "unstaged edits are in the way" in said
    assert scene.repo.read("a.py") == b"a == None  # seen\n"
    scene.repo.git("add", "a.py")
    scene.commit()
    scene.agree("a.py", "a is None  # seen\n")


def test_three_hundred_files_in_one_process(scene: Scene) -> None:
    """Without `require_serial` the framework would split them over processes that fight for the index."""
    scene.configure(STAGE)
    scene.repo.add({f"f{number}.py": f"x{number} == None\n" for number in range(300)})
    scene.commit()
    assert {scene.repo.read(f"f{number}.py").decode() for number in range(300)} == {
        f"x{number} is None\n" for number in range(300)
    }
    assert scene.repo.status() == []


@pytest.mark.parametrize("args", ["[--endpoint=http://example.com]", "[--yes]", "[--apply, stage]"])
def test_arguments_of_a_repository_choose_nothing(scene: Scene, args: str) -> None:
    scene.configure(f"{{id: litecode, args: {args}}}")
    scene.repo.add({"a.py": BAD})
    assert "the hook takes no option" in scene.commit(rc=1)
