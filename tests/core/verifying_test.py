"""What verify commands decide in whole runs, of rules and of requests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError
from litecode.core.git.repository import Repository
from litecode.core.trust.approvals import Approvals
from litecode.core.values import Proof, Run, State
from litecode.core.verifying import NOT_TRUSTED, commands_of
from litecode.hooks.world import build_world, make_request, verification_of

BEFORE = "def f(a):\n    return a == None\n"
AFTER = "def f(a):\n    return a is None\n"


def with_verify(rule: str, *commands: str) -> str:
    listed = "".join(f"  - [/bin/sh, -c, {command!r}]\n" for command in commands)
    return f"{rule}  verify:\n{listed}"


def trust(scene: Any) -> None:
    world = scene.world()
    Approvals.of(os.environ).approve(world.repo.top, commands_of(world.rules))


@pytest.fixture
def staged(scene: Any, rules: Any) -> Callable[..., Run]:
    """A staged file with one violation and the rule for it with these commands; runs it."""

    def run(*commands: str, trusted: bool = True, **options: Any) -> Run:
        scene.base(with_verify(rules.IS_NONE, *commands), a_py="x = 1\n")
        scene.stage({"a.py": BEFORE})
        if trusted:
            trust(scene)
        found: Run = scene.run(**options)
        return found

    return run


def states(run: Run) -> list[State]:
    return [verdict.state for verdict in run.verdicts]


def test_a_passed_command_changes_nothing(scene: Any, staged: Callable[..., Run], tmp_path: Path) -> None:
    run = staged(f"cat a.py > '{tmp_path}/seen'")
    assert states(run) == [State.STAGED]
    assert scene.staged("a.py") == AFTER
    assert (tmp_path / "seen").read_text() == AFTER
    assert NOT_TRUSTED not in run.notes


@pytest.mark.parametrize("yes", [False, True])
def test_a_failed_command_holds(scene: Any, staged: Callable[..., Run], yes: bool) -> None:
    run = staged("echo 2 tests failed; exit 1", yes=yes)
    assert states(run) == [State.HELD]
    assert "exited with 1: 2 tests failed" in run.verdicts[0].reason
    assert [patch.state for patch in run.patches] == [State.HELD]
    assert scene.staged("a.py") == BEFORE


def test_without_trust_nothing_is_run(staged: Callable[..., Run], tmp_path: Path) -> None:
    run = staged(f"touch '{tmp_path}/evil'; false", trusted=False)
    assert states(run) == [State.STAGED]
    assert run.notes == (NOT_TRUSTED,)
    assert not (tmp_path / "evil").exists()


def test_a_changed_command_is_not_trusted(scene: Any, staged: Callable[..., Run], rules: Any, tmp_path: Path) -> None:
    staged("true")
    scene.use(with_verify(rules.IS_NONE, f"touch '{tmp_path}/evil'"))
    scene.stage({"b.py": BEFORE})
    run = scene.run()
    assert NOT_TRUSTED in run.notes
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("options", [{"check": True}, {"dry_run": True}])
def test_looking_runs_nothing(staged: Callable[..., Run], options: dict[str, bool], tmp_path: Path) -> None:
    staged(f"touch '{tmp_path}/ran'", **options)
    assert not (tmp_path / "ran").exists()


def test_without_a_change_nothing_is_run(scene: Any, rules: Any, tmp_path: Path) -> None:
    scene.base(with_verify(rules.IS_NONE, f"touch '{tmp_path}/ran'"), a_py="x = 1\n")
    scene.stage({"a.py": AFTER})
    trust(scene)
    assert states(scene.run()) == []
    assert not (tmp_path / "ran").exists()


def test_the_deadline_of_a_hook_holds(scene: Any, staged: Callable[..., Run]) -> None:
    run = staged("sleep 30", deadline=2.0, hook=True)
    assert states(run) == [State.HELD]
    assert "verify" in run.verdicts[0].reason
    assert scene.staged("a.py") == BEFORE


def test_without_time_it_is_held(scene: Any, staged: Callable[..., Run]) -> None:
    run = staged("true", deadline=0.0)
    assert states(run) == [State.HELD]
    assert run.verdicts[0].reason == "no time was left for the verify commands"
    assert scene.staged("a.py") == BEFORE


def test_a_tree_that_cannot_be_made_is_held(
    scene: Any, staged: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any) -> None:
        raise GitError("no space left", "make room")

    monkeypatch.setattr("litecode.core.git.verify.verify", fail)
    run = staged("true")
    assert run.verdicts[0].reason == "verify could not be run: no space left"
    assert scene.staged("a.py") == BEFORE


def test_only_the_rules_that_changed_something(scene: Any, rules: Any, tmp_path: Path) -> None:
    other = rules.IS_NONE.replace("is-none", "is-five").replace("None", "5")
    scene.base(with_verify(rules.IS_NONE, "true"), with_verify(other, f"touch '{tmp_path}/ran'"), a_py="x = 1\n")
    scene.stage({"a.py": BEFORE})
    trust(scene)
    assert states(scene.run()) == [State.STAGED]
    assert not (tmp_path / "ran").exists()


def test_a_command_about_a_file_is_one_for_each(scene: Any, rules: Any, tmp_path: Path) -> None:
    """The trust is in the command as it stands in the file."""
    other = rules.IS_NONE.replace("is-none", "is-five").replace("None", "a")
    rule = f"{rules.IS_NONE}  verify:\n  - [/bin/sh, -c, 'echo \"$1\" >> {tmp_path}/seen', x, 'f:{{file}}']\n"
    scene.base(rule, other, a_py="x = 1\n")
    scene.stage({"a.py": BEFORE, "-b.py": BEFORE, "c.py": BEFORE.replace("None", "a"), "d.py": AFTER})
    trust(scene)
    run = scene.run()
    assert set(states(run)) == {State.STAGED}, run.verdicts
    assert sorted((tmp_path / "seen").read_text().split()) == ["f:./-b.py", "f:a.py"]


def test_a_command_of_the_person_needs_no_trust(scene: Any, rules: Any) -> None:
    scene.repo.git("config", "--global", "litecode.verify", "/bin/sh -c 'exit 4'")
    scene.base(rules.IS_NONE, a_py="x = 1\n")
    scene.stage({"a.py": BEFORE})
    run = scene.run()
    assert states(run) == [State.HELD]
    assert "exited with 4" in run.verdicts[0].reason


def test_a_command_of_the_repository_is_none(scene: Any, rules: Any, tmp_path: Path) -> None:
    scene.base(rules.IS_NONE, a_py="x = 1\n")
    scene.repo.config("litecode.verify", f"touch {tmp_path}/evil")
    scene.stage({"a.py": BEFORE})
    run = scene.run()
    assert states(run) == [State.STAGED]
    assert any("litecode.verify in the local configuration" in note for note in run.notes)
    assert not (tmp_path / "evil").exists()


class TestRequest:
    """Code carries these out alone: a rename by its words."""

    REQUEST = "Rename the function total to amount in a.py"
    BEFORE = "def total(a):\n    return a\n"
    AFTER = "def amount(a):\n    return a\n"

    def run(self, scene: Any, rule: str, trusted: bool = True, **options: Any) -> Run:
        from litecode.core.world import Options

        scene.base(rule, a_py="x = 1\n")
        scene.stage({"a.py": self.BEFORE})
        if trusted:
            trust(scene)
        repository = Repository.discover(scene.repo.path, os.environ)
        world = build_world(repository, os.environ, scene.events.append, with_rules=False)
        return make_request(world, Options(**options), self.REQUEST)

    def test_it_waits_for_a_yes(self, scene: Any, rules: Any) -> None:
        assert states(self.run(scene, rules.IS_NONE)) == [State.HELD]
        assert scene.staged("a.py") == self.BEFORE

    def test_a_passed_command_stands_for_the_yes(self, scene: Any, rules: Any) -> None:
        run = self.run(scene, with_verify(rules.IS_NONE, "grep -q amount a.py"))
        assert (states(run), run.verdicts[0].proof) == ([State.STAGED], Proof.ASKED)
        assert scene.staged("a.py") == self.AFTER

    @pytest.mark.parametrize("yes", [False, True])
    def test_a_failed_one_holds(self, scene: Any, rules: Any, yes: bool) -> None:
        run = self.run(scene, with_verify(rules.IS_NONE, "grep -q total a.py"), yes=yes)
        assert states(run) == [State.HELD]
        assert "verify: `/bin/sh -c 'grep -q total a.py'` exited with 1" in run.verdicts[0].reason
        assert scene.staged("a.py") == self.BEFORE

    def test_commands_of_rules_that_do_not_look_at_the_file(self, scene: Any, rules: Any, tmp_path: Path) -> None:
        rule = with_verify(rules.IS_NONE.replace("python", "javascript"), f"touch '{tmp_path}/ran'")
        assert states(self.run(scene, rule)) == [State.HELD]
        assert not (tmp_path / "ran").exists()

    def test_one_that_is_not_trusted_says_nothing(self, scene: Any, rules: Any, tmp_path: Path) -> None:
        run = self.run(scene, with_verify(rules.IS_NONE, f"touch '{tmp_path}/evil'"), trusted=False)
        assert states(run) == [State.HELD]
        assert not (tmp_path / "evil").exists()

    def test_a_broken_rules_file_has_no_commands(self, scene: Any) -> None:
        scene.repo.add({".litecode.yaml": "rules: 1\n", "a.py": "x = 1\n"}, commit="base")
        scene.stage({"a.py": self.BEFORE})
        repository = Repository.discover(scene.repo.path, os.environ)
        world = build_world(repository, os.environ, with_rules=False)
        assert world.verification is None


def test_nothing_to_verify_is_nothing_to_import(scene: Any, rules: Any) -> None:
    scene.base(rules.IS_NONE, a_py="x = 1\n")
    world = scene.world()
    assert world.verification is None
    assert verification_of(world.repo, world.rules, world.settings, os.environ, world.cancel) is None
