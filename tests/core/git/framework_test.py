"""Under the pre-commit framework, the real one: nothing that it has hidden is stranded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.git.framework import Hidden, caches, fitting, hidden_edits
from litecode.core.git.repository import Repository
from litecode.core.values import Change

Opened = Callable[..., Repository]

TWENTY = "".join(f"{number}\n" for number in range(1, 21))
BAD = TWENTY.replace("5\n", "5 BAD\n", 1)
GOOD = TWENTY.replace("5\n", "5 GOOD\n", 1)

CONFIG = """\
repos:
- repo: local
  hooks:
  - {{id: fixer, name: fixer, language: system, entry: {entry}, require_serial: true, verbose: true}}
"""

SIEVE = """\
from litecode.core.git.framework import fitting, hidden_edits
    hidden = hidden_edits(os.environ)
    assert hidden is not None and hidden.known, hidden
    changes = fitting(repo, changes, hidden.patch) if hidden.patch else changes"""


@pytest.fixture
def scene(repo: Any, fixer: Callable[..., None]) -> Any:
    """`a` and `b`, committed, and the framework installed with our fixer as its hook."""
    repo.add({"a": TWENTY, "b": TWENTY}, commit="base")
    fixer(repo, name="fixer", before=SIEVE)
    repo.write("../fixer", "")
    (repo / ".git/hooks/fixer").rename(repo.path.parent / "fixer")
    repo.add({".pre-commit-config.yaml": CONFIG.format(entry=repo.path.parent / "fixer")}, commit="config")
    subprocess.run((sys.executable, "-m", "pre_commit", "install"), cwd=repo.path, check=True, capture_output=True)
    return repo


def commit(repo: Any, *words: str, rc: int = 0) -> str:
    done = subprocess.run(("git", "commit", "-m", "m", *words), cwd=repo.path, capture_output=True, check=False)
    output = (done.stdout + done.stderr).decode()
    assert done.returncode == rc, output
    assert "Rolling back" not in output
    return output


def test_a_clean_worktree(scene: Any) -> None:
    scene.add({"a": BAD})
    commit(scene)
    assert scene.blob("a", "HEAD").decode() == scene.read("a").decode() == GOOD
    assert scene.status() == []


def test_edits_elsewhere_come_back(scene: Any) -> None:
    """Unstaged edits, also in other files, when a hook stages what it changed."""
    scene.add({"a": BAD})
    scene.write("a", BAD.replace("15\n", "15 MINE\n"))
    scene.write("b", "UB\n")
    commit(scene)
    assert scene.blob("a", "HEAD").decode() == GOOD
    assert scene.read("a").decode() == GOOD.replace("15\n", "15 MINE\n")
    assert scene.read("b") == b"UB\n"
    assert scene.status() == [" M a", " M b"]


@pytest.mark.parametrize("mine", [BAD.replace("6\n", "6 USER\n", 1), BAD.replace("BAD", "BAD USER")])
def test_edits_in_the_way_are_not_stranded(scene: Any, mine: str) -> None:
    """Unstaged edits, also in other files, when a hook stages what it changed."""
    scene.add({"a": BAD, "c": BAD})
    scene.write("a", mine)
    scene.write("b", "UB\n")
    commit(scene)
    assert scene.blob("a", "HEAD").decode() == BAD
    assert scene.read("a").decode() == mine
    assert scene.blob("c", "HEAD").decode() == scene.read("c").decode() == GOOD
    assert scene.read("b") == b"UB\n"


def test_a_pathspec_commit(scene: Any) -> None:
    """`git commit -- PATH`, where there are two indexes."""
    scene.write("a", BAD)
    scene.add({"b": BAD})
    commit(scene, "--", "a")
    assert scene.blob("a", "HEAD").decode() == scene.blob("a").decode() == scene.read("a").decode() == GOOD
    assert scene.status() == ["M  b"]


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"HOME": "/h"}, ("/h/.cache/pre-commit", "/h/.cache/prek")),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/c"}, ("/c/pre-commit", "/c/prek")),
        ({"HOME": "/h", "PRE_COMMIT_HOME": "/p"}, ("/p", "/h/.cache/prek")),
        ({"XDG_CACHE_HOME": "/c", "PREK_HOME": "/k"}, ("/c/pre-commit", "/k")),
    ],
)
def test_where_environments_are_kept(environ: dict[str, str], found: tuple[str, str]) -> None:
    assert tuple(map(str, caches(environ))) == found


def test_outside_of_the_framework() -> None:
    assert hidden_edits({**os.environ, "PRE_COMMIT": ""}) is None
    assert hidden_edits(os.environ) is None


def test_another_front_end_is_not_trusted() -> None:
    code = "import os; from litecode.core.git.framework import hidden_edits; print(hidden_edits(os.environ))"
    done = subprocess.run(
        (sys.executable, "-c", code), env={**os.environ, "PRE_COMMIT": "1"}, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == str(Hidden(False))


@pytest.mark.parametrize("name", ["plain", "with blank", "a*b", "[x]", "q?", "back\\slash", "gr\u00fcn"])
def test_files_are_sieved_one_by_one(repo: Any, opened: Opened, tmp_path: Path, name: str) -> None:
    repo.add({name: BAD, "other": BAD, "aXb": BAD, "x": BAD})
    repo.write(name, BAD.replace("BAD", "BAD USER"))
    repo.write("other", BAD + "far away\n")
    patch = tmp_path / "patch"
    patch.write_bytes(repo.git("diff-index", "--binary", "--no-color", "--no-ext-diff", repo.git("write-tree").strip()))
    oid = repo.oid(name)
    changes = [Change(path, "100644", oid, GOOD.encode()) for path in (name, "other", "aXb", "x")]
    before = repo.snapshot()
    assert [change.path for change in fitting(opened(repo), changes, patch)] == ["other", "aXb", "x"]
    assert fitting(opened(repo), changes[:1], patch) == ()
    assert fitting(opened(repo), [], patch) == ()
    assert repo.snapshot() == before


def test_a_patch_that_never_applied_stops_everything(repo: Any, opened: Opened, tmp_path: Path) -> None:
    repo.add({"a": BAD})
    (tmp_path / "patch").write_text("--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-x\n+y\n")
    changes = [Change("a", "100644", repo.oid("a"), GOOD.encode())]
    assert fitting(opened(repo), changes, tmp_path / "patch") == ()
