"""Requests in commit messages through the real pre-commit framework, by the hook of the manifest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("pre_commit")

MANIFEST = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
REQUEST = "Litecode: rename total to grand_total"
TEXT = f"Clean up\n\n{REQUEST}\n"
TYPE = f'printf \'{TEXT}\' | cat - "$1" > "$1.new"; mv "$1.new" "$1"'


@pytest.fixture
def framed(shop: Any) -> Any:
    """The framework in the place of the native hooks; it runs what is installed already instead of building it."""
    hooks = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}
    hook = {**hooks["litecode-message"], "language": "system"}
    shop.repo.git("litecode", "uninstall")
    shop.repo.git("stash", "-q")
    config = yaml.safe_dump({"repos": [{"repo": "local", "hooks": [hook]}]})
    shop.repo.add({".pre-commit-config.yaml": config}, commit="config")
    shop.repo.git("stash", "pop", "-q", "--index")
    for kind in ("pre-commit", "commit-msg"):
        argv = (sys.executable, "-m", "pre_commit", "install", "-t", kind)
        subprocess.run(argv, cwd=shop.path, capture_output=True, check=True)
    return shop


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (("-m", TEXT), {}),
        (("-v",), {"editor": TYPE}),
        (("-a", "-F", "-"), {"stdin": TEXT}),
        (("--amend", "-m", TEXT), {}),
        (("-m", TEXT, "--", "cart.py", "use.py"), {}),
    ],
)
def test_it_stops_the_commit_and_continue_makes_it(framed: Any, words: Sequence[str], facts: Mapping[str, Any]) -> None:
    before = framed.repo.rev("HEAD")
    said = framed.run("commit", *words, rc=1, **facts)
    assert "git litecode commit --continue" in said
    assert framed.repo.rev("HEAD") == before
    framed.run("litecode", "commit", "--continue")
    assert framed.message() == f"{TEXT}Litecode-Run: {framed.run_id}\n"
    assert framed.is_renamed
    assert framed.repo.status() == []
    assert framed.repo.git("rev-list", "--count", "HEAD") == (b"2\n" if "--amend" in words else b"3\n")


def test_unstaged_edits_come_back(framed: Any) -> None:
    mine = "import cart\n\ncart.total([])\n# more\n\n\nmine = 1\n"
    framed.repo.write("use.py", mine)
    framed.run("commit", "-m", TEXT, rc=1)
    assert framed.repo.read("use.py").decode() == mine
    framed.run("litecode", "commit", "--continue")
    assert framed.is_renamed
    assert framed.repo.read("use.py").decode() == mine.replace("total", "grand_total")
    assert framed.repo.status() == [" M use.py"]


def test_git_litecode_commit(framed: Any) -> None:
    framed.run("litecode", "commit", "--yes", editor=TYPE)
    assert framed.message() == f"{TEXT}Litecode-Run: {framed.run_id}\n"
    assert framed.is_renamed


@pytest.mark.parametrize("text", ["Clean up\n", f"Clean up\n\n{REQUEST}\nLitecode-Run: 7f3a\n", f"fixup! x\n\n{TEXT}"])
def test_other_messages_pass(framed: Any, text: str) -> None:
    framed.run("commit", "-m", text)
    assert framed.message() == text
    assert framed.repo.blob("cart.py", "HEAD") == b"def total(items):\n    return sum(items)\n# more\n"


def test_the_native_hook_chains_the_framework(framed: Any) -> None:
    framed.repo.git("litecode", "install")
    framed.run("commit", "-m", TEXT, rc=1)
    framed.run("litecode", "commit", "--continue")
    assert framed.is_renamed
    framed.repo.git("litecode", "uninstall")
    assert b"pre-commit" in (framed.path / ".git/hooks/commit-msg").read_bytes()
