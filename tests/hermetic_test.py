"""The environment of the tests keeps its promise."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

CHECKOUT = Path(__file__).resolve().parent.parent


def test_nothing_of_the_developer_is_visible(hermetic: Path, developer_home: Path) -> None:
    assert os.environ["HOME"] == str(hermetic) != str(developer_home)
    assert not [name for name in os.environ if name.startswith("LITECODE_")]
    assert "GIT_DIR" not in os.environ
    assert "GIT_INDEX_FILE" not in os.environ
    assert os.environ["OLLAMA_HOST"] == "127.0.0.1:9"
    assert Path.cwd() == hermetic


@pytest.mark.parametrize(
    ("argv", "cwd", "env"),
    [
        (("git", "status"), CHECKOUT, {}),
        (("git", "status"), CHECKOUT / "tests", {}),
        (("git", "-C", str(CHECKOUT), "status"), None, {}),
        (("git", "status"), None, {"GIT_DIR": str(CHECKOUT / ".git")}),
        (("git", "--git-dir", str(CHECKOUT / ".git"), "status"), None, {}),
        (("pre-commit", "run"), CHECKOUT, {}),
    ],
)
def test_git_in_the_checkout_fails_the_test(argv: tuple[str, ...], cwd: Path | None, env: dict[str, str]) -> None:
    with pytest.raises(AssertionError, match="may not run git in the checkout"):
        subprocess.run(argv, cwd=cwd, env={**os.environ, **env}, check=False)


def test_git_outside_a_repository_finds_none(tmp_path: Path) -> None:
    done = subprocess.run(("git", "rev-parse", "--git-dir"), cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 128


def test_commits_have_fixed_ids(make_repo: Callable[..., object]) -> None:
    ids = [make_repo(name).add({"a": "1\n"}, commit="c") for name in ("one", "two")]  # type: ignore[attr-defined]  # the class lives in conftest
    assert ids[0] == ids[1] != ""


@given(st.integers())
def test_hypothesis_accepts_the_environment(number: int) -> None:
    assert number == int(str(number))
