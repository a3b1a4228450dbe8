"""Whole runs on real repositories; only the weights of the model are made up."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import (
    EXIT_CLEAN,
    EXIT_FAILED,
    EXIT_FINDINGS,
    GitError,
    Interrupted,
    ModelCancelled,
    ModelMissing,
)
from litecode.core.events import EventKind
from litecode.core.executing.executor import TRIES
from litecode.core.git import transaction
from litecode.core.git.repository import Repository
from litecode.core.git.undo import undo
from litecode.core.llm.replay import RecordingModel, ReplayModel
from litecode.core.pipeline import HIDDEN_IN_THE_WAY, NOTHING_LEFT, NOTHING_LEFT_HINT
from litecode.core.values import Apply, Prompt, Proof, Reply, Run, SkippedFile, State
from litecode.core.world import Options
from litecode.hooks.exits import exit_code
from litecode.hooks.world import make_run

BAD, FIXED = "x = a == None\n", "x = a is None\n"
SAID = "print(x)\n"


def states(run: Run) -> dict[str, str]:
    return {f"{v.path} {v.rule}": v.state.value for v in run.verdicts}


def reasons(run: Run) -> dict[str, str]:
    return {f"{v.path} {v.rule}": v.reason for v in run.verdicts}


def patches(run: Run) -> dict[str, str]:
    return {patch.path: patch.state.value for patch in run.patches}


@pytest.fixture
def both(scene: Any, rules: Any) -> Any:
    """A rule for the model and a fix, with a file for each of them staged."""
    scene.base(rules.PRINT, rules.IS_NONE, a_py="x = 0\n", b_py="x = 0\n")
    scene.model.answers = {"print(x)": "logger.info(x)"}
    scene.stage({"a.py": "x = 1\n" + SAID, "b.py": BAD})
    return scene


class TestStaging:
    def test_proven_patches_are_in_index_and_worktree(self, both: Any) -> None:
        run = both.run()
        assert states(run) == {"a.py no-print": "staged", "b.py is-none": "staged"}
        assert both.staged("a.py") == both.head + "x = 1\nlogger.info(x)\n"
        assert both.staged("b.py") == FIXED
        assert both.repo.status() == ["M  a.py", "M  b.py"]
        assert exit_code(run, Options()) == EXIT_CLEAN
        assert both.model.closed == 1

    def test_lines_are_those_of_the_input_whatever_was_put_above(self, scene: Any, rules: Any) -> None:
        scene.model.answers = {"print(x)": "logger.info(x)"}
        scene.base(rules.PRINT, rules.IS_NONE, rules.DEBUGGER + "  severity: warning\n")
        scene.stage({"a.py": "x = 1\nprint(x)\n" + BAD + "breakpoint()\n"})
        looked = scene.run(check=True)
        run = scene.run()
        assert states(run)["a.py no-print"] == "staged"
        assert [(v.rule, v.line) for v in run.verdicts] == [("no-print", 2), ("is-none", 3), ("no-debugger", 4)]
        assert [f for v in run.verdicts for f in v.findings] == [f for v in looked.verdicts for f in v.findings]

    def test_the_run_says_what_it_did(self, both: Any) -> None:
        run = both.run()
        assert (run.model, run.command, run.extra) == ("scripted", ("git", "litecode", "run"), {"files": 2})
        first, second = run.verdicts
        assert (first.calls, first.output_tokens, first.sites, first.line, first.cached) == (1, 20, 1, 2, False)
        assert (second.calls, second.sites, second.line) == (0, 1, 1)
        assert [call.purpose for call in run.calls] == ["a.py no-print"]
        assert [attempt.refusal for attempt in first.attempts] == [""]
        assert [task.rule for task in run.plan.tasks] == ["no-print", "is-none"]
        kinds = [event.kind for event in both.events]
        assert (kinds[0], kinds.count(EventKind.CALL), kinds.count(EventKind.ENDED)) == (EventKind.PLANNED, 1, 2)
        assert run.seconds > 0

    def test_it_is_kept_and_can_be_undone(self, both: Any) -> None:
        before = both.repo.index()
        run = both.run()
        repository = Repository.discover(both.repo.path, os.environ)
        kept = both.world().store.load(run.id)
        assert kept.verdicts == run.verdicts
        assert kept.patches == run.patches
        assert kept.calls == run.calls
        assert [result.path for result in undo(repository, run.id).results] == ["a.py", "b.py"]
        assert both.repo.index() == before
        assert both.staged("a.py") == "x = 1\n" + SAID

    @pytest.mark.parametrize(("mine", "staged"), [("x = a == None  # mine\n", False), (BAD + "y\n" * 4, True)])
    def test_edits_that_the_framework_has_put_away(
        self, scene: Any, rules: Any, tmp_path: Path, mine: str, staged: bool
    ) -> None:
        """They must still apply to what is staged, or nothing is."""
        scene.base(rules.IS_NONE, b_py="x = 0\n" + "y\n" * 3)
        scene.stage({"b.py": BAD + "y\n" * 3})
        scene.repo.write("b.py", mine if staged else mine + "y\n" * 3)
        hidden = tmp_path / "patch"
        hidden.write_bytes(scene.repo.git("diff-index", "-p", scene.repo.git("write-tree").strip()))
        scene.repo.write("b.py", BAD + "y\n" * 3)  # as the framework leaves it
        run = make_run(replace(scene.world(hook=True), hidden=hidden), Options(hook=True))
        assert states(run) == {"b.py is-none": "staged" if staged else "rejected"}
        assert reasons(run) == {"b.py is-none": "" if staged else HIDDEN_IN_THE_WAY}
        assert scene.staged("b.py") == (FIXED if staged else BAD) + "y\n" * 3

    def test_the_patches_are_those_of_git_apply(self, both: Any) -> None:
        before = {path: both.repo.read(path) for path in ("a.py", "b.py")}
        run = both.run()
        after = {path: both.repo.read(path) for path in before}
        for path, content in before.items():
            both.repo.write(path, content)
        for patch in run.patches:
            both.repo.git("apply", "-", stdin=patch.diff.encode())
        assert {path: both.repo.read(path) for path in before} == after

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("\ufeffx = 1\r\nprint(x)\r\n", "\ufeff{head}x = 1\r\nlogger.info(x)\r\n"),
            ("x = 1\nprint(x)", "{head}x = 1\nlogger.info(x)"),
            ("if 1:\n\tx = 'é'\n\tprint(x)\n", "{head}if 1:\n\tx = 'é'\n\tlogger.info(x)\n"),
        ],
    )
    def test_the_form_of_a_file_stays(self, both: Any, before: str, after: str) -> None:
        both.stage({"sub dir/é.py": before.encode()})
        assert states(both.run())["sub dir/é.py no-print"] == "staged"
        head = both.head.replace("\n", "\r\n") if "\r" in before else both.head
        assert both.staged("sub dir/é.py") == after.format(head=head)

    def test_executable_files_stay_executable(self, both: Any) -> None:
        both.repo.write("run.py", BAD, mode=0o755)
        both.repo.git("add", "run.py")
        both.run()
        assert both.repo.index()["run.py"][0] == "100755"
        assert both.staged("run.py") == FIXED

    def test_nothing_to_do_leaves_no_trace(self, both: Any) -> None:
        both.stage({"a.py": "x = 1\n", "b.py": FIXED})
        before = both.repo.snapshot()
        run = both.run()
        assert (run.id, run.plan.tasks, run.verdicts, run.patches, run.extra["files"]) == ("", (), (), (), 2)
        assert both.repo.snapshot() == before
        assert both.opened == 0

    def test_rules_that_all_conform_are_no_run_to_keep(self, both: Any, rules: Any) -> None:
        both.repo.write(".litecode.yaml", "rules:\n" + rules.PRINT + "  confidence: low\n")
        both.model.answers = {}
        run = both.run()
        assert states(run) == {"a.py no-print": "conforms"}
        assert both.world().store.list() == ()
        assert both.repo.status() == [" M .litecode.yaml", "M  a.py", "M  b.py"]


class TestTwoRules:
    TEXT = "x = 1\nprint(x == None)\ny = x == None\n"

    @pytest.fixture
    def one(self, both: Any) -> Any:
        both.stage({"a.py": self.TEXT, "b.py": "x = 0\n"})
        both.model.answers = {"print(x == None)": "logger.info(x == None)"}
        return both

    def test_the_second_sees_what_the_first_has_done(self, one: Any) -> None:
        run = one.run()
        assert states(run) == {"a.py no-print": "staged", "a.py is-none": "staged"}
        assert one.staged("a.py") == one.head + "x = 1\nlogger.info(x is None)\ny = x is None\n"
        (patch,) = run.patches
        assert patch.rules == ("no-print", "is-none")
        assert [verdict.line for verdict in run.verdicts] == [2, 2]  # lines of the input, whatever was put above

    def test_while_one_is_not_settled_the_file_is_held(self, one: Any) -> None:
        before = one.repo.index()
        one.model.answers = {"print(x == None)": "logger.info()"}
        run = one.run()
        assert states(run) == {"a.py no-print": "rejected", "a.py is-none": "held"}
        assert reasons(run)["a.py is-none"].startswith("no-print on this file: ")
        assert patches(run) == {"a.py": "held"}
        assert run.patches[0].change.after.decode() == self.TEXT.replace("== None", "is None")
        assert one.repo.index() == before
        assert one.staged("a.py") == self.TEXT
        assert exit_code(run, Options()) == EXIT_FINDINGS

    def test_and_with_it_every_other_file(self, one: Any) -> None:
        one.stage({"b.py": BAD})
        one.model.answers = {"print(x == None)": "logger.info()"}
        run = one.run()
        assert states(run)["b.py is-none"] == "held"
        assert reasons(run)["b.py is-none"] == "proven, but kept back with a.py (no-print), which is not settled"
        assert one.staged("b.py") == BAD

    def test_unless_it_is_only_a_warning(self, one: Any, rules: Any) -> None:
        one.stage(
            {
                ".litecode.yaml": "rules:\n" + rules.PRINT + "  severity: warning\n" + rules.IS_NONE,
                "a.py": "x = 1\n" + SAID,
                "b.py": BAD,
            }
        )
        one.model.answers = {"print(x)": "logger.info()"}
        run = one.run(hook=True)
        assert states(run) == {"a.py no-print": "rejected", "b.py is-none": "staged"}
        assert one.staged("b.py") == FIXED
        assert exit_code(run, Options(hook=True)) == EXIT_CLEAN

    def test_rules_that_take_each_other_s_change_back_are_rejected(self, one: Any) -> None:
        one.use(
            "- {id: british, message: B., regex: color, fix: colour}\n",
            "- {id: american, message: A., regex: 'colou?r', fix: color}\n",
        )
        one.stage({"c.txt": "color\n"})
        run = one.run(paths=("c.txt",))
        assert states(run) == {"c.txt british": "rejected", "c.txt american": "rejected"}
        assert set(reasons(run).values()) == {"another rule takes the change back"}
        assert run.patches == ()


class TestConsent:
    @pytest.fixture
    def doubtful(self, both: Any, rules: Any) -> Any:
        both.use(rules.PRINT + "  confidence: low\n")
        return both

    def test_what_is_doubtful_is_held(self, doubtful: Any) -> None:
        run = doubtful.run()
        assert states(run) == {"a.py no-print": "held"}
        assert run.verdicts[0].proof is Proof.DOUBTFUL
        assert exit_code(run, Options()) == EXIT_FINDINGS
        assert doubtful.staged("a.py") == "x = 1\n" + SAID

    def test_yes_stages_it(self, doubtful: Any) -> None:
        doubtful.run()
        made = len(doubtful.model.prompts)
        run = doubtful.run(yes=True)
        assert states(run) == {"a.py no-print": "staged"}
        assert doubtful.staged("a.py") == doubtful.head + "x = 1\nlogger.info(x)\n"
        assert len(doubtful.model.prompts) == made
        assert run.verdicts[0].cached

    def test_hold_holds_what_is_proven(self, both: Any) -> None:
        before = both.repo.index()
        run = both.run(apply=Apply.HOLD)
        assert set(states(run).values()) == {"held"}
        assert set(reasons(run).values()) == {"proven; held because you asked for it"}
        assert both.repo.index() == before
        assert exit_code(run, Options(apply=Apply.HOLD)) == EXIT_FINDINGS

    def test_worktree_leaves_it_unstaged(self, both: Any) -> None:
        before = both.repo.index()
        run = both.run(apply=Apply.WORKTREE)
        assert set(states(run).values()) == {"staged"}
        assert both.repo.index() == before
        assert both.repo.read("b.py") == FIXED.encode()
        assert both.repo.status() == ["MM a.py", "MM b.py"]
        assert exit_code(run, Options(apply=Apply.WORKTREE)) == EXIT_FINDINGS


class TestLooking:
    """What changes nothing."""

    def test_check_finds_out_what_run_would_do(self, both: Any) -> None:
        before = both.repo.snapshot()
        run = both.run(check=True)
        assert both.repo.snapshot() == before
        assert (run.id, set(states(run).values())) == ("", {"held"})
        assert set(reasons(run).values()) == {"proven; `git litecode run` stages it"}
        diffs = {patch.path: patch.diff for patch in run.patches}
        assert {patch.path: patch.diff for patch in both.run().patches} == diffs

    def test_check_uses_what_is_known_and_leaves_even_the_cache_as_it_is(
        self, both: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        both.run(apply=Apply.HOLD)
        monkeypatch.setattr("litecode.core.store.cache.TOUCH_SECONDS", -1.0)
        before = both.repo.snapshot()
        made = len(both.model.prompts)
        run = both.run(check=True)
        assert both.repo.snapshot() == before
        assert run.verdicts[0].cached
        assert len(both.model.prompts) == made

    def test_a_dry_run_counts_the_calls_and_makes_none(self, both: Any) -> None:
        before = both.repo.snapshot()
        run = both.run(dry_run=True)
        assert both.repo.snapshot() == before
        assert both.model.prompts == []
        (call,) = run.calls
        assert (call.purpose, call.reply, call.window) == ("a.py no-print", None, 8192)
        assert 0 < call.estimate < 500
        assert (run.id, run.verdicts, [task.rule for task in run.plan.tasks]) == ("", (), ["no-print", "is-none"])
        assert both.model.closed == 1

    def test_without_a_model(self, both: Any) -> None:
        run = both.run(check=True, no_model=True)
        assert states(run) == {"a.py no-print": "found", "b.py is-none": "held"}
        assert reasons(run)["a.py no-print"] == "no model was asked (--no-model)"
        assert len(run.verdicts[0].findings) == 1
        assert both.opened == 0
        assert exit_code(run, Options(check=True)) == EXIT_FINDINGS

    def test_candidates_are_no_findings_without_a_model(self, both: Any, rules: Any) -> None:
        both.use(
            rules.PRINT + "  confidence: low\n", "- {id: polite, message: Say please., instruction: Say please.}\n"
        )
        run = both.run(check=True, no_model=True, hook=True)
        assert set(states(run).values()) == {"skipped"}
        assert exit_code(run, Options(check=True)) == EXIT_CLEAN

    def test_a_range_of_commits_is_only_looked_at(self, both: Any) -> None:
        both.repo.commit("bad")
        both.stage({"a.py": "x = 1\n", "b.py": FIXED})
        both.repo.commit("good")
        index = both.repo.index()
        run = both.run(from_ref="HEAD~2", to_ref="HEAD~1")
        assert states(run) == {"a.py no-print": "held", "b.py is-none": "held"}
        assert set(reasons(run).values()) == {"proven; nothing is staged of commits that are made"}
        assert (run.id, both.repo.index(), both.repo.status()) == ("", index, [])
        assert both.run(from_ref="HEAD~1").verdicts == ()

    def test_all_files_with_all_their_lines(self, both: Any) -> None:
        both.repo.commit("bad")
        both.stage({"c.py": BAD + "y = 1\n"})
        both.repo.commit("worse")
        both.stage({"c.py": BAD + "y = 2\n"})
        assert states(both.run()) == {}
        run = both.run(all_files=True)
        assert states(run) == {"a.py no-print": "staged", "b.py is-none": "staged", "c.py is-none": "staged"}
        assert both.staged("c.py") == FIXED + "y = 2\n"

    @pytest.mark.parametrize(
        ("options", "want"),
        [
            ({"only": ("is-none",)}, {"b.py is-none": "staged"}),
            ({"skip": ("is-none",)}, {"a.py no-print": "staged"}),
            ({"paths": ("a.py",)}, {"a.py no-print": "staged"}),
        ],
    )
    def test_a_part_of_it(self, both: Any, options: dict[str, Any], want: dict[str, str]) -> None:
        assert states(both.run(**options)) == want

    def test_what_cannot_be_read_is_named(self, both: Any) -> None:
        both.stage({"c.py": b"caf\xe9 == None\n"})
        run = both.run()
        assert run.skipped == (SkippedFile("c.py", "not UTF-8 (byte 3)"),)
        assert set(states(run).values()) == {"staged"}
        assert both.repo.read("c.py") == b"caf\xe9 == None\n"


class TestKnown:
    def test_a_second_run_on_the_same_content_makes_no_call(self, both: Any) -> None:
        first = both.run()
        after = both.staged("a.py")
        both.stage({"a.py": "x = 1\n" + SAID, "b.py": BAD})
        second = both.run()
        assert both.staged("a.py") == after
        assert (len(both.model.prompts), second.calls) == (1, ())
        assert second.verdicts[0].cached
        assert [p.diff for p in first.patches] == [p.diff for p in second.patches]

    @pytest.mark.parametrize("fresh", [False, True])
    def test_what_was_rejected_is_not_asked_again(self, both: Any, fresh: bool) -> None:
        both.model.answers = {"print(x)": "logger.info()"}
        first = both.run()
        assert states(first) == {"a.py no-print": "rejected", "b.py is-none": "held"}
        assert "hints" not in first.extra
        made = len(both.model.prompts)
        both.stage({"a.py": "x = 1\nprint(x)\n\n\ny = 2\n"})
        again = both.run(fresh=fresh)
        assert states(again) == states(first)
        assert (len(both.model.prompts) > made, again.verdicts[0].cached) == (fresh, not fresh)
        hint = "what was rejected before is not asked again while its code stays; `git litecode run --no-cache` asks"
        assert again.extra.get("hints", ()) == (() if fresh else (hint,))

    def test_recorded_replies_do_it_without_the_model(self, both: Any, tmp_path: Path) -> None:
        place = tmp_path / "replies.jsonl"
        scripted = both.model
        both.model = RecordingModel(scripted, place, "scripted")
        first = both.run(apply=Apply.HOLD)
        both.model = ReplayModel(place, factor=scripted.factor)
        second = both.run(check=True)
        assert len(scripted.prompts) == 1
        assert second.model == "scripted (replay)"
        assert len(second.calls) == 1
        assert [p.diff for p in first.patches] == [p.diff for p in second.patches]


class TestUnstagedEdits:
    TEXT = BAD + "".join(f"line{n} = {n}\n" for n in range(9))

    @pytest.fixture
    def edited(self, both: Any) -> Callable[[str, str], str]:
        both.stage({"b.py": self.TEXT})

        def edit(old: str, new: str) -> str:
            text = self.TEXT.replace(old, new)
            both.repo.write("b.py", text)
            return text

        return edit

    def test_elsewhere_they_are_merged(self, both: Any, edited: Callable[[str, str], str]) -> None:
        text = edited("line8 = 8", "line8 = 'mine'")
        run = both.run()
        assert states(run)["b.py is-none"] == "staged"
        assert both.repo.blob("b.py").decode() == self.TEXT.replace(BAD, FIXED)
        assert both.repo.read("b.py").decode() == text.replace(BAD, FIXED)

    def test_in_the_way_nothing_is_staged(self, both: Any, edited: Callable[[str, str], str]) -> None:
        text = edited("x = a", "x = mine")
        before = both.repo.index()
        run = both.run()
        assert states(run) == {"a.py no-print": "held", "b.py is-none": "rejected"}
        assert reasons(run)["b.py is-none"] == "unstaged edits are in the way (worktree line 1)"
        assert reasons(run)["a.py no-print"] == "proven, but kept back with b.py (is-none), which is not settled"
        assert patches(run) == {"a.py": "held", "b.py": "rejected"}
        assert both.repo.index() == before
        assert both.repo.read("b.py").decode() == text
        assert exit_code(run, Options()) == EXIT_FINDINGS

    def test_of_a_file_that_is_only_warned_about_the_others_are_staged(
        self, both: Any, edited: Callable[[str, str], str], rules: Any
    ) -> None:
        edited("x = a", "x = mine")
        both.repo.write(".litecode.yaml", "rules:\n" + rules.PRINT + rules.IS_NONE + "  severity: warning\n")
        run = both.run()
        assert states(run) == {"a.py no-print": "staged", "b.py is-none": "rejected"}
        assert both.staged("a.py").startswith(both.head)

    def test_an_edit_at_the_last_moment_is_not_lost(self, both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        real = transaction.apply

        def late(repo: Any, changes: Any, mode: Apply, name: str) -> Any:
            if mode is not Apply.HOLD:
                both.repo.write("b.py", "mine\n")
            return real(repo, changes, mode, name)

        monkeypatch.setattr(transaction, "apply", late)
        run = both.run()
        assert states(run) == {"a.py no-print": "staged", "b.py is-none": "rejected"}
        assert patches(run) == {"a.py": "staged", "b.py": "rejected"}
        assert both.repo.read("b.py") == b"mine\n"
        assert both.repo.blob("b.py") == BAD.encode()
        assert both.staged("a.py").startswith(both.head)


class TestModelTrouble:
    def missing(self, both: Any, **options: Any) -> Run:
        world = both.world(hook=options.get("hook", False))

        def model() -> Any:
            raise ModelMissing("no model is there", "git litecode model pull")

        object.__setattr__(world, "model", model)
        both.world = lambda **_: world
        run: Run = both.run(**options)
        return run

    def test_in_a_hook_it_is_skipped_and_the_rest_goes_on(self, both: Any) -> None:
        both.stage({"a.py": "x = 1\n" + SAID + BAD})
        run = self.missing(both, hook=True)
        assert states(run) == {"a.py no-print": "skipped", "a.py is-none": "staged", "b.py is-none": "staged"}
        assert reasons(run)["a.py no-print"] == "no model is there"
        assert run.extra["hints"] == ("git litecode model pull",)
        assert exit_code(run, Options(hook=True)) == EXIT_CLEAN
        assert both.staged("a.py") == "x = 1\n" + SAID + FIXED

    @pytest.mark.parametrize("environ", [{"CI": "true"}, {"setting": "fail"}])
    def test_unless_it_must_not(self, both: Any, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CI", environ.get("CI", ""))
        if "setting" in environ:
            both.repo.config("litecode.onUnavailable", "fail")
        before = both.repo.index()
        run = self.missing(both, hook=True)
        assert states(run) == {"a.py no-print": "failed", "b.py is-none": "held"}
        assert exit_code(run, Options(hook=True)) == EXIT_FAILED
        assert both.repo.index() == before

    def test_by_hand_it_is_a_failure(self, both: Any) -> None:
        run = self.missing(both)
        assert states(run) == {"a.py no-print": "failed", "b.py is-none": "held"}
        assert exit_code(run, Options()) == EXIT_FAILED

    def test_what_is_known_needs_a_model_all_the_same_to_know_which(self, both: Any) -> None:
        both.run(apply=Apply.HOLD)
        assert states(self.missing(both, check=True))["a.py no-print"] == "failed"

    def test_one_that_stops_answering_fails_what_is_left(self, both: Any) -> None:
        both.stage({"a.py": "x = 1\n" + SAID + "\n\nprint(2)\n"})
        both.model.answers["print(2)"] = ModelMissing("gone")
        run = both.run()
        assert states(run) == {"a.py no-print": "failed", "b.py is-none": "held"}
        assert [call.error for call in run.calls] == ["", "ModelMissing: gone"]
        assert both.staged("a.py") == "x = 1\n" + SAID + "\n\nprint(2)\n"

    def test_a_deadline_skips_what_is_left(self, both: Any, reply: Callable[[str], Reply]) -> None:
        now = [1000.0]
        both.clock = lambda: now[0]
        both.stage({"a.py": "x = 1\n" + SAID + "\n\nprint(2)\n"})

        def slow(_: Prompt) -> Reply:
            now[0] += 61.0
            return reply("logger.info(x)")

        both.model.answers = {"print(x)": slow}
        run = both.run(hook=True, deadline=60.0)
        assert states(run) == {"a.py no-print": "skipped", "b.py is-none": "staged"}
        assert reasons(run)["a.py no-print"] == "the time for this run is up (60 s)"
        assert [call.ended for call in run.calls] == [61.0]
        assert exit_code(run, Options(hook=True)) == EXIT_CLEAN
        assert both.staged("a.py") == "x = 1\n" + SAID + "\n\nprint(2)\n"

    def test_ctrl_c_in_a_call_changes_nothing(self, both: Any) -> None:
        before = both.repo.snapshot()

        def interrupted(_: Prompt) -> Reply:
            os.kill(os.getpid(), signal.SIGINT)
            assert both.cancel.wait(10)
            raise ModelCancelled("interrupted")

        both.model.always = interrupted
        with pytest.raises(Interrupted):
            both.run()
        assert both.repo.snapshot() == before
        assert both.model.closed == 1

    def test_a_run_that_is_cancelled_changes_nothing(self, both: Any) -> None:
        before = both.repo.snapshot()
        both.model.always = ModelCancelled("interrupted")
        with pytest.raises(Interrupted):
            both.run()
        assert both.repo.snapshot() == before

    def test_every_try_is_kept_with_what_was_wrong(self, both: Any) -> None:
        both.model.answers = {"print(x)": "logger.info()"}
        run = both.run()
        (verdict, _) = run.verdicts
        assert (verdict.state, verdict.calls, len(verdict.attempts)) == (State.REJECTED, len(TRIES), len(TRIES))
        assert all(attempt.refusal for attempt in verdict.attempts)
        assert verdict.reason == verdict.attempts[-1].refusal
        assert both.world().store.load(run.id).verdicts == run.verdicts


class TestBrokenRules:
    def test_a_rule_that_fails_on_what_another_one_wrote(self, scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("litecode.core.patching.match.REGEX_SECONDS", 0.05)
        scene.base(
            "- {id: long, message: L., regex: 'X', fix: '" + "a" * 60 + "c'}\n",
            "- {id: slow, message: S., regex: '(a|aa)+b', instruction: Do it.}\n",
        )
        scene.stage({"a.txt": "ab\nX\n"})
        run = scene.run()
        assert states(run) == {"a.txt long": "held", "a.txt slow": "failed"}
        assert reasons(run)["a.txt slow"].startswith("the regex needs more than")
        assert scene.staged("a.txt") == "ab\nX\n"

    def test_conflicts_stop_everything(self, both: Any) -> None:
        both.repo.commit("one")
        both.repo.git("checkout", "-q", "-b", "side", "HEAD~1")
        both.repo.add({"a.py": "side\n"}, commit="side")
        both.repo.git("merge", "-q", "main", rc=1)
        with pytest.raises(GitError, match=r"unresolved conflicts: a\.py"):
            both.run()


class TestRecovery:
    def test_what_git_has_thrown_away_is_said_once(self, both: Any) -> None:
        old = both.repo.blob("b.py")
        both.run()
        both.repo.stage_blob("b.py", old)
        run = both.run(only=("no-print",))
        (note,) = run.notes
        assert note.startswith("the commit of an earlier run was given up, its changes are in the worktree only: b.py")
        assert both.run(only=("no-print",)).notes == ()

    @pytest.mark.parametrize("options", [{"check": True}, {"dry_run": True}])
    def test_who_only_looks_repairs_nothing(self, both: Any, options: dict[str, bool]) -> None:
        old = both.repo.blob("b.py")
        both.run()
        both.repo.stage_blob("b.py", old)
        before = both.repo.snapshot()
        assert both.run(**options).notes == ()
        assert both.repo.snapshot() == before


class TestEmptyCommit:
    """`git commit` looks at the index before the hook runs, and would make an empty commit."""

    @pytest.fixture
    def back(self, both: Any) -> Any:
        both.stage({"a.py": "x = 0\n", "b.py": FIXED})
        both.repo.commit("fixed")
        both.stage({"b.py": BAD})
        return both

    def test_a_change_that_takes_everything_back_is_held_in_a_hook(self, back: Any) -> None:
        before = back.repo.index()
        run = back.run(hook=True)
        assert (states(run), patches(run)) == ({"b.py is-none": "held"}, {"b.py": "held"})
        assert reasons(run) == {"b.py is-none": NOTHING_LEFT}
        assert run.extra["hints"] == (NOTHING_LEFT_HINT,)
        assert back.repo.index() == before
        assert back.staged("b.py") == BAD
        assert exit_code(run, Options(hook=True)) == EXIT_FINDINGS

    @pytest.mark.parametrize("options", [{}, {"hook": True, "apply": Apply.WORKTREE}])
    def test_but_made_where_it_makes_no_commit(self, back: Any, options: dict[str, Any]) -> None:
        run = back.run(**options)
        assert states(run) == {"b.py is-none": "staged"}
        assert back.repo.read("b.py") == FIXED.encode()

    @pytest.mark.parametrize("files", [{"c.md": "new\n"}, {"a.py": None}, {"a.py": "x = 2\n"}, {"c.py": BAD}])
    def test_and_where_something_else_is_left(self, back: Any, files: dict[str, Any]) -> None:
        back.stage(files)
        assert set(states(back.run(hook=True)).values()) == {"staged"}
        assert back.staged("b.py") == FIXED

    def test_a_mode_that_changes_is_something(self, back: Any) -> None:
        back.repo.git("update-index", "--chmod=+x", "b.py")
        assert states(back.run(hook=True)) == {"b.py is-none": "staged"}

    def test_a_file_that_is_only_announced_is_nothing(self, back: Any) -> None:
        back.repo.write("c.md", "new\n")
        back.repo.git("add", "-N", "c.md")
        assert states(back.run(hook=True)) == {"b.py is-none": "held"}


def test_tasks_run_at_the_same_time_where_the_endpoint_can(both: Any, reply: Callable[[str], Reply]) -> None:
    both.model.slots = 4
    both.stage({f"f{n}.py": f"x{n} = 1\nprint(x{n})\n" for n in range(4)} | {"a.py": "x = 0\n", "b.py": "x = 0\n"})
    together = threading.Barrier(4, timeout=20)

    def answer(n: int) -> Callable[[Prompt], Reply]:
        def wait(_: Prompt) -> Reply:
            together.wait()
            return reply(f"logger.info(x{n})")

        return wait

    both.model.answers = {f"print(x{n})": answer(n) for n in range(4)}
    run = both.run()
    assert set(states(run).values()) == {"staged"}
    assert {call.slot for call in run.calls} == {0, 1, 2, 3}
