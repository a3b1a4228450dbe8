from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError
from litecode.core.git.process import LOCAL_VARIABLES, GitEnv, GitFailed, batches, scrubbed, to_bytes, to_text


def test_local_variables_hold_all_that_this_git_knows(repo: Any) -> None:
    assert set(repo.git("rev-parse", "--local-env-vars").decode().split()) <= LOCAL_VARIABLES


def test_scrubbed_children_know_no_repository(repo: Any, tmp_path: Path) -> None:
    """A child that works in another repository."""
    repo.add({"a": "1\n"}, commit="base")
    inside = {**os.environ, "GIT_DIR": str(repo / ".git"), "GIT_INDEX_FILE": str(repo / ".git/index"), "KEPT": "yes"}
    inside |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true"}
    env = scrubbed(inside)
    assert env["KEPT"] == "yes"
    assert not [name for name in env if name in LOCAL_VARIABLES or name.startswith("GIT_CONFIG_KEY")]
    other = tmp_path / "other"
    other.mkdir()
    before = repo.snapshot()
    git = GitEnv(other, env)
    git.write("init", "-q", ".")
    (other / "foreign").write_text("x\n")
    git.write("add", "foreign")
    assert repo.snapshot() == before


@pytest.mark.parametrize("name", ["GIT_ICASE_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS"])
def test_pathspec_settings_of_the_user_do_not_clash(repo: Any, name: str) -> None:
    git = GitEnv.of(repo.path, {**os.environ, name: "1"})
    assert git.read("ls-files", "--", "a*").rc == 0


def test_pathspecs_are_literal(repo: Any) -> None:
    """Names that look like patterns."""
    repo.add({"a*.txt": "1\n", "ab.txt": "1\n"})
    git = GitEnv.of(repo.path, os.environ)
    assert git.read("ls-files", "--", "a*.txt").out == b"a*.txt\n"


def test_a_failure_says_what_was_run_and_what_to_do(repo: Any) -> None:
    with pytest.raises(GitFailed) as caught:
        GitEnv.of(repo.path, os.environ).read("cat-file", "blob", "no-such-name")
    error = caught.value
    assert error.code == 128
    assert error.message.splitlines()[0] == "git cat-file blob no-such-name exited with 128"
    assert error.message.splitlines()[1].startswith("    fatal: ")
    assert error.hint


def test_a_death_by_signal_is_told_apart() -> None:
    error = GitFailed(("add",), -9, b"")
    assert error.message == "git add was killed by signal 9"


def test_a_missing_directory_is_no_missing_git(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="is gone"):
        GitEnv.of(tmp_path / "gone", os.environ).read("version")


def test_a_missing_git_is_named(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="not on the PATH"):
        GitEnv.of(tmp_path, {"PATH": str(tmp_path)}).read("version")


@pytest.mark.parametrize("raw", [b"plain", "gr\u00fc\u00df".encode(), b"\xff\xfe", b"new\nline", b'tab\t"quote"'])
def test_any_bytes_survive_as_a_path(raw: bytes) -> None:
    assert to_bytes(to_text(raw)) == raw


def test_the_environment_is_not_shown() -> None:
    assert "secret" not in repr(GitEnv.of(Path("/"), {"TOKEN": "secret"}))


def test_batches_lose_nothing_and_stay_small() -> None:
    names = [b"n" * 100] * 1000
    pieces = list(batches(names, 5000))
    assert [name for piece in pieces for name in piece] == names
    assert max(sum(len(name) for name in piece) for piece in pieces) <= 5000
    assert list(batches([])) == []
    assert list(batches([b"x" * 9000], 5000)) == [(b"x" * 9000,)]
