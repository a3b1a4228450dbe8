"""Whole tasks with the real model: `git litecode run` in a repository of its own, and a judge for what it staged.

A case is a folder: `case.json` (what is staged and expected), `rules.yaml`, `repo/` (the tree as staged), `base/` (the
committed version of files, where the case is about a modification) and `check.py`, which accepts every right answer and
says in one line what is wrong with another. LITECODE_CASES names a folder with more of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.values import State

pytestmark = pytest.mark.model

REQUIRED = "LITECODE_REQUIRE_MODEL" in os.environ  # before a test's environment hides it
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SMALL = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
HERE = Path(__file__).resolve().parent / "cases"
MORE = os.environ.get("LITECODE_CASES", "")


def rule_cases() -> list[Path]:
    folders = [HERE, *([Path(MORE)] if MORE else [])]
    found = [spec.parent for folder in folders for spec in sorted(folder.glob("*/case.json"))]
    return [case for case in found if json.loads((case / "case.json").read_text())["kind"] == "rule"]


@pytest.fixture
def model(developer_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = developer_home / ".cache/litecode/models" / MODEL
    if not path.exists() and not REQUIRED:
        pytest.skip("git litecode model pull")
    monkeypatch.setenv("LITECODE_MODEL", str(path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("case", rule_cases(), ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path, make_repo: Callable[..., Any]) -> None:
    """What is staged is right or nothing is; and these cases are right."""
    spec = json.loads((case / "case.json").read_text(encoding="utf-8"))
    repo = make_repo()
    stage(repo, case, spec["stage"])
    done = subprocess.run(("git", "litecode", "run"), cwd=repo.path, capture_output=True, stdin=subprocess.DEVNULL)
    out = tmp_path / "out"
    repo.git("checkout-index", "-a", f"--prefix={out}/")
    (out / ".litecode.yaml").unlink()
    judged = subprocess.run(
        (sys.executable, "-B", str(case / "check.py"), str(out)), capture_output=True, text=True, check=False
    )
    assert judged.returncode == 0, judged.stdout + done.stdout.decode() + done.stderr.decode()
    assert done.returncode == 0
    if spec["expect"] == "no-change":
        assert State.STAGED.value.encode() not in done.stdout
    check_calls(repo)


@pytest.mark.usefixtures("model")
def test_what_the_smaller_model_cannot_do_the_other_one_does(
    developer_home: Path, make_repo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    models = developer_home / ".cache/litecode/models"
    if not (models / SMALL).exists() and not REQUIRED:
        pytest.skip("git litecode model pull qwen2.5-coder-0.5b")
    case = HERE / "rule-15-changed-lines-only"
    monkeypatch.setenv("LITECODE_MODEL", str(models / SMALL))
    for settings, code in (((), 1), (("-c", f"litecode.fallback={models / MODEL}"), 0)):
        repo = make_repo(f"repo-{code}")
        stage(repo, case, ["prices/load.py"])
        before = repo.index()
        done = subprocess.run(
            ("git", *settings, "litecode", "run"), cwd=repo.path, capture_output=True, stdin=subprocess.DEVNULL
        )
        assert (done.returncode, repo.index() == before) == (code, code == 1), done.stdout
        check_calls(repo)
        records = [path.read_text() for path in (repo.path / ".git/litecode/runs").glob("*/calls.jsonl")]
        asked = [json.loads(line)["model"] for text in records for line in text.splitlines()]
        names = ["qwen2.5-coder-0.5b (embedded)", *(["qwen2.5-coder-1.5b (embedded)"] if code == 0 else [])]
        assert list(dict.fromkeys(asked)) == names


def stage(repo: Any, case: Path, staged: list[str]) -> None:
    """Everything is committed but the staged files; those have their committed version first where there is one."""
    shutil.copytree(case / "repo", repo.path, dirs_exist_ok=True)
    shutil.copy(case / "rules.yaml", repo.path / ".litecode.yaml")
    repo.git("add", "-A")
    for path in staged:
        repo.git("rm", "-q", "--cached", path)
    if (case / "base").is_dir():
        shutil.copytree(case / "base", repo.path, dirs_exist_ok=True)
        repo.git("add", "--", *[str(p.relative_to(case / "base")) for p in (case / "base").rglob("*") if p.is_file()])
    repo.git("commit", "-q", "--allow-empty", "-m", "base")
    shutil.copytree(case / "repo", repo.path, dirs_exist_ok=True)
    repo.git("add", "--", *staged)


def check_calls(repo: Any) -> None:
    """By the server's own count every call was within its window, the reserve for the reply included."""
    for calls in (repo.path / ".git/litecode/runs").glob("*/calls.jsonl"):
        for line in calls.read_text(encoding="utf-8").splitlines():
            call = json.loads(line)
            assert call["reply"]["prompt_tokens"] <= call["estimate"]
            assert call["reply"]["prompt_tokens"] + call["prompt"]["reserve"] <= call["window"]
