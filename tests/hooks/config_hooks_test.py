"""Hooks in git's configuration. Where git has them (2.54) they are run for real; older ones refuse in words."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from litecode.core.git.repository import Repository
from litecode.hooks import config_hooks
from litecode.hooks.cli import main

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""


def able(repo: Any) -> bool:
    return config_hooks.supported(Repository.discover(repo.path, os.environ))


@pytest.fixture
def here(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    repo.add({".litecode.yaml": RULES}, commit="base")
    monkeypatch.chdir(repo.path)
    return repo


def everything(repo: Any) -> dict[str, bytes]:
    """The hooks folder and the configuration, byte for byte."""
    files = [repo / ".git/config", *(repo / ".git").glob("hooks/*"), *repo.path.glob(".husky/**/*")]
    return {str(file): file.read_bytes() for file in files if file.is_file()}


def test_an_older_git_refuses_and_nothing_is_written(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    if able(here):
        pytest.skip("this git has hooks in its configuration")
    before = everything(here)
    assert main(["install", "--config"]) == 2
    err = capsys.readouterr().err
    assert "this git takes no hooks from its configuration" in err
    assert "this way needs git 2.54" in err
    assert everything(here) == before


@pytest.mark.usefixtures("here")
def test_the_options_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--config", "--shared"]) == 2
    assert "ask for different places" in capsys.readouterr().err


def test_what_an_older_git_has_in_its_configuration_is_taken_out_all_the_same(here: Any) -> None:
    """A repository may be used by two versions of git."""
    before = everything(here)
    opened = Repository.discover(here.path, os.environ)
    here.config("hook.litecode-pre-commit.event", "pre-commit")
    here.config("hook.litecode-pre-commit.command", "true")
    assert config_hooks.configured(opened) == ("pre-commit",)
    assert main(["install"]) == 2
    assert main(["uninstall"]) == 0
    assert everything(here) == before


@pytest.mark.parametrize("neighbour", ["none", "husky", "lefthook"])
def test_it_works_and_leaves_no_trace(here: Any, neighbour: str) -> None:
    if not able(here):
        pytest.skip("this git has no hooks in its configuration")
    if neighbour == "husky":
        here.write(".husky/_/pre-commit", "#!/bin/sh\necho husky >> ../ran\n", 0o755)
        here.config("core.hooksPath", ".husky/_")
    elif neighbour == "lefthook":
        here.hook("pre-commit", "echo lefthook >> ../ran")
    before = everything(here)
    assert main(["install", "--config"]) == 0
    assert main(["install", "--config"]) == 0
    assert main(["install"]) == 2
    here.add({"a.py": "x == None\n"})
    done = subprocess.run(("git", "commit", "-m", "x"), cwd=here.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert here.blob("a.py", "HEAD") == here.read("a.py") == b"x is None\n"
    assert Path("../ran").exists() is (neighbour != "none")
    assert main(["uninstall"]) == 0
    assert everything(here) == before
