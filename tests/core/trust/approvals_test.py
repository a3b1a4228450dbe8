"""An approval is for one place and these words, and nobody else can give it."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from litecode.core.errors import StateError
from litecode.core.trust.approvals import Approvals, Commands, digest_of

COMMANDS: Commands = (("pytest", "-q"), ("ruff", "check", "."))


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


@pytest.fixture
def approvals(tmp_path: Path) -> Approvals:
    return Approvals.of({"XDG_STATE_HOME": str(tmp_path / "state")})


def test_nothing_is_approved_at_first(approvals: Approvals, top: Path) -> None:
    assert not approvals.are_approved(top, COMMANDS)
    assert not approvals.revoke(top)
    assert not approvals.folder.exists()


def test_approve_and_revoke(approvals: Approvals, top: Path) -> None:
    path = approvals.approve(top, COMMANDS)
    assert approvals.are_approved(top, COMMANDS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert json.loads(path.read_text()) == {"path": str(top), "sha256": digest_of(COMMANDS)}
    assert approvals.revoke(top)
    assert not approvals.are_approved(top, COMMANDS)


@pytest.mark.parametrize(
    "commands",
    [
        (),
        (("pytest", "-q"),),
        (("pytest",), ("ruff", "check", ".")),
        (("pytest", "-q"), ("ruff", "check", ".", "")),
        (("pytest -q",), ("ruff", "check", ".")),
        (("ruff", "check", "."), ("pytest", "-q")),
        (("pytest", "-q", "ruff", "check", "."),),
        (*COMMANDS, ("curl", "evil.example")),
    ],
)
def test_other_commands_are_not_approved(approvals: Approvals, top: Path, commands: Commands) -> None:
    approvals.approve(top, COMMANDS)
    assert not approvals.are_approved(top, commands)


def test_another_place_is_not_approved(approvals: Approvals, top: Path, tmp_path: Path) -> None:
    approvals.approve(top, COMMANDS)
    other = tmp_path / "clone"
    other.mkdir()
    assert not approvals.are_approved(other, COMMANDS)
    (tmp_path / "link").symlink_to(top)
    assert approvals.are_approved(tmp_path / "link", COMMANDS)  # the same place under another name


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_text("{}"),
        lambda path: path.write_text("no json"),
        lambda path: path.write_bytes(b"\xff"),
        lambda path: path.chmod(0o666),
        lambda path: path.chmod(0o620),
        lambda path: (path.rename(path.with_name("real")), path.symlink_to("real")),
        lambda path: path.unlink(),
        lambda path: path.write_text(json.dumps({**json.loads(path.read_text()), "path": "/elsewhere"})),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
def test_what_is_not_certain_is_not_approved(approvals: Approvals, top: Path, damage: Callable[[Path], object]) -> None:
    damage(approvals.approve(top, COMMANDS))
    assert not approvals.are_approved(top, COMMANDS)


@pytest.mark.parametrize("inside", [".", ".local/state", "a/b"])
def test_a_repository_cannot_approve_itself(top: Path, inside: str) -> None:
    """The dotfiles of a home directory are a repository that has the state directory in it."""
    approvals = Approvals.of({"XDG_STATE_HOME": str(top / inside)})
    elsewhere = Approvals(top.parent / "elsewhere")
    planted = elsewhere.approve(top, COMMANDS)
    approvals.folder.mkdir(parents=True)
    planted.rename(approvals.folder / planted.name)
    assert not approvals.are_approved(top, COMMANDS)
    with pytest.raises(StateError, match="could then approve itself"):
        approvals.approve(top, COMMANDS)


def test_where_it_is_kept(tmp_path: Path, top: Path) -> None:
    assert Approvals.of({"HOME": "/h"}).folder == Path("/h/.local/state/litecode/trusted")
    assert Approvals.of({"HOME": "/h", "XDG_STATE_HOME": "relative"}).folder == Approvals.of({"HOME": "/h"}).folder
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(StateError) as caught:
        Approvals(blocked / "x").approve(top, COMMANDS)
    assert caught.value.hint
