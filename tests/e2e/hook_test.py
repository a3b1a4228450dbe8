"""Real commits through the installed hook, with rules that need no model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
- id: no-debugger
  message: Left over from debugging.
  language: python
  pattern: breakpoint()
"""
BAD, GOOD = b"if x == None:\n    y = 1\n", b"if x is None:\n    y = 1\n"


@pytest.fixture
def hooked(repo: Any) -> Any:
    """A repository with rules, some files, and the hook."""
    repo.add({".litecode.yaml": RULES, "a.py": "1\n", "b.py": "1\n", "notes.md": "1\n"}, commit="base")
    repo.git("litecode", "install")
    return repo


def commit(repo: Any, *args: str, rc: int = 0, env: dict[str, str] | None = None) -> str:
    """Commit through the hook; what it said."""
    argv = ("git", "commit", "-m", "change", *args)
    environ = {**os.environ, **(env or {})}
    done = subprocess.run(argv, cwd=repo.path, env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == rc, said
    return said


def test_a_fix_lands_in_the_commit_and_in_the_worktree(hooked: Any) -> None:
    hooked.add({"a.py": BAD})
    said = commit(hooked)
    assert hooked.blob("a.py", "HEAD") == GOOD == hooked.read("a.py")
    assert hooked.status() == []
    assert "a.py:1" in said
    assert "git litecode undo " in said
    hooked.git("litecode", "undo")
    assert hooked.read("a.py") == BAD
    assert hooked.status() == ["M  a.py"]


@pytest.mark.parametrize(
    "args", [("-a",), ("--", "a.py"), ("-i", "a.py"), ("--only", "a.py"), ("-a", "--amend"), ("-a", "-v", "--no-edit")]
)
def test_every_kind_of_commit_leaves_index_and_worktree_in_step(hooked: Any, args: tuple[str, ...]) -> None:
    hooked.write("a.py", BAD)
    commit(hooked, *args)
    assert hooked.blob("a.py", "HEAD") == GOOD == hooked.read("a.py")
    assert hooked.status() == []


def test_an_amended_commit_is_looked_at(hooked: Any) -> None:
    hooked.add({"b.py": "2\n"})
    commit(hooked)
    hooked.add({"a.py": BAD})
    commit(hooked, "--amend")
    assert hooked.blob("a.py", "HEAD") == GOOD
    assert hooked.status() == []


def test_hunks_chosen_in_the_commit_itself(hooked: Any) -> None:
    """`git commit -p`: the hunk that was left out is neither committed nor lost."""
    lines = b"".join(b"x%d = %d\n" % (number, number) for number in range(20))
    hooked.add({"a.py": lines}, commit="lines")
    hooked.write("a.py", lines.replace(b"x3 = 3", b"x3 == None").replace(b"x15 = 15", b"x15 == None  # mine"))
    hooked.git("commit", "-q", "-p", "-m", "x", stdin=b"y\nn\n")
    good = lines.replace(b"x3 = 3", b"x3 is None")
    assert hooked.blob("a.py", "HEAD") == hooked.blob("a.py") == good
    assert hooked.read("a.py") == good.replace(b"x15 = 15", b"x15 == None  # mine")


def test_the_first_commit_is_looked_at(repo: Any) -> None:
    repo.git("litecode", "install")
    repo.add({".litecode.yaml": RULES, "a.py": BAD})
    commit(repo)
    assert repo.blob("a.py", "HEAD") == GOOD
    assert repo.status() == []


def test_a_linked_worktree(hooked: Any, open_repo: Callable[[Path], Any], tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = open_repo(tmp_path / "linked")
    linked.add({"a.py": BAD})
    commit(linked)
    assert linked.blob("a.py", "HEAD") == GOOD == linked.read("a.py")
    assert linked.status() == []
    linked.add({"notes.md": "2\n"})
    assert "litecode" not in commit(linked)


def test_a_commit_from_a_subdirectory(hooked: Any) -> None:
    hooked.add({"src/deep/c.py": BAD})
    hooked.git("commit", "-m", "x", cwd=hooked.path / "src/deep")
    assert hooked.blob("src/deep/c.py", "HEAD") == GOOD


def test_what_cannot_be_fixed_stops_the_commit_and_nothing_is_written(hooked: Any) -> None:
    hooked.add({"a.py": b"breakpoint()\n" + BAD})
    before = hooked.rev("HEAD"), hooked.index(), hooked.read("a.py")
    said = commit(hooked, rc=1)
    assert (hooked.rev("HEAD"), hooked.index(), hooked.read("a.py")) == before
    assert "no-debugger" in said
    assert "a.py:1" in said


def test_rules_can_be_left_out_for_one_commit(hooked: Any) -> None:
    hooked.add({"a.py": b"breakpoint()\n" + BAD})
    said = commit(hooked, env={"LITECODE_SKIP": "no-debugger,nonsense"})
    assert "nonsense, which is no rule" in said
    assert hooked.blob("a.py", "HEAD") == b"breakpoint()\n" + GOOD
    hooked.add({"b.py": BAD})
    assert "skipped, because SKIP names litecode" in commit(hooked, env={"SKIP": "ruff,litecode"})
    assert hooked.blob("b.py", "HEAD") == BAD


def test_the_second_commit_about_nothing_is_silent_and_quick(hooked: Any) -> None:
    hooked.add({"notes.md": "2\n"})
    assert "litecode" not in commit(hooked)
    assert (hooked / ".git/litecode/select.json").is_file()
    before = hooked.snapshot()
    hooked.add({"notes.md": "3\n"})
    assert "litecode" not in commit(hooked)
    after = hooked.snapshot()
    assert {path for path in after if path.startswith(".git/litecode") and after[path] != before.get(path)} == set()


def test_rules_that_change_in_the_commit_hold_for_it(hooked: Any) -> None:
    hooked.add({"notes.md": "2\n"})
    commit(hooked)  # leaves the cache of the old rules
    hooked.add(
        {
            ".litecode.yaml": RULES.replace("language: python\n  pattern: breakpoint()", "regex: secret"),
            "c.md": "secret\n",
        }
    )
    assert "no-debugger" in commit(hooked, rc=1)


def test_without_a_rules_file_there_is_nothing_to_say(repo: Any) -> None:
    repo.git("litecode", "install")
    repo.add({"a.py": BAD})
    assert "litecode" not in commit(repo)
    assert repo.blob("a.py", "HEAD") == BAD


def test_a_broken_rules_file_stops_the_commit_with_line_and_remedy(hooked: Any) -> None:
    hooked.add({".litecode.yaml": "rules:\n- id: Wrong Name\n", "a.py": BAD})
    said = commit(hooked, rc=1)
    assert "litecode: .litecode.yaml:2:7: " in said
    assert "hint: " in said
    assert "Traceback" not in said


def test_in_a_merge_it_stands_aside_with_one_line(hooked: Any) -> None:
    hooked.git("checkout", "-q", "-b", "side")
    hooked.add({"a.py": b"side\n" + BAD}, commit="side")
    hooked.git("checkout", "-q", "main")
    hooked.add({"a.py": b"main\n" + BAD}, commit="main")
    hooked.git("merge", "side", rc=1)
    hooked.add({"a.py": b"both\n" + BAD})
    assert "litecode: not checked, because of the merge that is going on" in commit(hooked)
    assert hooked.blob("a.py", "HEAD") == b"both\n" + BAD


@pytest.mark.parametrize("action", ["cherry-pick", "revert"])
def test_in_a_pick_it_stands_aside(hooked: Any, action: str) -> None:
    hooked.add({"a.py": "first\n"}, commit="first")
    picked = hooked.rev("HEAD")
    hooked.add({"a.py": "second\n"}, commit="second")
    hooked.git(action, picked, rc=1)
    hooked.add({"a.py": BAD})
    assert f"because of the {action} that is going on" in commit(hooked)


def test_in_a_rebase_it_stands_aside(hooked: Any) -> None:
    hooked.add({"b.py": "2\n"}, commit="two")
    editor = (
        f"{sys.executable} -c \"import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write('edit' + t[4:])\""
    )
    hooked.git("rebase", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": editor})
    hooked.add({"a.py": BAD})
    assert "because of the rebase that is going on" in commit(hooked, "--amend")
    hooked.git("rebase", "--continue")
    assert hooked.blob("a.py", "HEAD") == BAD


def test_unstaged_edits_are_never_lost(hooked: Any) -> None:
    hooked.add({"a.py": BAD + b"\n\n\nz = 1\n"})
    hooked.write("a.py", BAD + b"\n\n\nz = 2  # mine\n")
    subprocess.run(("git", "commit", "-m", "x"), cwd=hooked.path, capture_output=True, check=False)
    assert b"z = 2  # mine\n" in hooked.read("a.py")


def test_an_existing_hook_that_stages_is_seen(repo: Any) -> None:
    repo.hook("pre-commit", "printf 'if x == None:\\n    y = 1\\n' > a.py\ngit add a.py")
    repo.git("litecode", "install")
    repo.add({".litecode.yaml": RULES, "a.py": "1\n"})
    commit(repo)
    assert repo.blob("a.py", "HEAD") == GOOD


INSTRUCTION = """\
- id: no-print
  message: Use the module logger, not print.
  language: python
  pattern: print($$$ARGS)
  instruction: Replace print() by logger.info().
"""


@pytest.mark.parametrize(
    ("setting", "env", "rc"), [(None, {}, 0), ("skip", {"CI": "1"}, 0), (None, {"CI": "1"}, 1), ("fail", {}, 1)]
)
def test_without_a_model_the_fixes_remain(hooked: Any, setting: str | None, env: dict[str, str], rc: int) -> None:
    if setting:
        hooked.git("config", "--global", "litecode.onUnavailable", setting)
    hooked.add({".litecode.yaml": RULES + INSTRUCTION, "a.py": BAD, "b.py": "print(1)\n"})
    said = commit(hooked, rc=rc, env={"OLLAMA_HOST": "127.0.0.1:9", **env})
    assert "b.py:1" in said
    assert "git litecode model pull" in said
    assert hooked.blob("b.py") == b"print(1)\n"
    assert hooked.blob("a.py") == (BAD if rc else GOOD)


class TestFramework:
    @pytest.fixture
    def framed(self, repo: Any) -> Any:
        pytest.importorskip("pre_commit")
        entry = "{language: system, types: [text], require_serial: true, name: x"
        config = (
            "repos:\n- repo: local\n  hooks:\n"
            f"  - {entry}, id: litecode, entry: litecode-hook framework}}\n"
            f"  - {entry}, id: litecode-check, entry: litecode-hook check, stages: [manual]}}\n"
        )
        repo.add({".litecode.yaml": RULES, ".pre-commit-config.yaml": config, "a.py": "1\n"}, commit="base")
        self.pre_commit(repo, "install")
        return repo

    def pre_commit(self, repo: Any, *args: str, rc: int = 0) -> str:
        argv = (sys.executable, "-m", "pre_commit", *args)
        done = subprocess.run(argv, cwd=repo.path, capture_output=True, text=True, check=False)
        assert done.returncode == rc, done.stdout + done.stderr
        return done.stdout

    def test_a_proven_patch_is_held_and_shown(self, framed: Any) -> None:
        framed.add({"a.py": BAD})
        before = framed.index()
        said = commit(framed, rc=1)
        assert "+if x is None:" in said
        assert framed.index() == before
        assert framed.read("a.py") == BAD
        framed.git("litecode", "run")
        commit(framed)
        assert framed.blob("a.py", "HEAD") == GOOD

    def test_unstaged_edits_come_back(self, framed: Any) -> None:
        framed.add({"a.py": BAD})
        framed.write("a.py", BAD + b"mine\n")
        commit(framed, rc=1)
        assert framed.read("a.py") == BAD + b"mine\n"

    def test_check_looks_at_whole_files_in_ci(self, framed: Any) -> None:
        framed.add({"a.py": BAD}, commit="bad")
        said = self.pre_commit(framed, "run", "litecode-check", "--all-files", "--hook-stage", "manual", rc=1)
        assert "a.py:1:4: is-none Compare with None by identity." in said
        assert framed.status() == []

    def test_check_looks_at_a_range(self, framed: Any) -> None:
        framed.add({"a.py": BAD}, commit="bad")
        framed.add({"a.py": GOOD}, commit="good")
        run = ("run", "litecode-check", "--hook-stage", "manual", "--from-ref")
        assert "is-none" in self.pre_commit(framed, *run, "HEAD~2", "--to-ref", "HEAD~1", rc=1)
        self.pre_commit(framed, *run, "HEAD~1", "--to-ref", "HEAD")

    def test_options_of_a_repository_choose_nothing(self, framed: Any) -> None:
        argv = ("litecode-hook", "framework", "--endpoint=http://example.com", "a.py")
        done = subprocess.run(argv, cwd=framed.path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "takes no option --endpoint" in done.stderr


@pytest.mark.parametrize("argv", [(), ("nonsense",), ("-h",)])
def test_an_unknown_entry_point_is_an_error(argv: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run(("litecode-hook", *argv), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("litecode: ")
    assert "git litecode run" in done.stderr


WARNED = """\
- id: no-print
  message: No print.
  severity: warning
  language: python
  pattern: print($A)
  fix: log($A)
"""


def test_a_stopped_commit_says_so_last_and_what_to_type(hooked: Any) -> None:
    hooked.add({"a.py": BAD + b"breakpoint()\n"})
    said = commit(hooked, rc=1).splitlines()
    assert said[-4:] == [
        "litecode: the commit was stopped: no-debugger (error) is found in a.py:3",
        said[-3],
        "hint: change the code, or put `litecode-ignore: no-debugger` in a comment there",
        "hint: then commit again; git commit --no-verify commits what is staged now",
    ]
    assert said[-3].startswith("hint: git litecode apply ")


def test_a_proven_fix_does_not_wait_for_a_warning_that_was_rejected(hooked: Any) -> None:
    hooked.add({".litecode.yaml": RULES + WARNED, "a.py": BAD + b"print(x)\n"})
    said = commit(hooked)
    assert hooked.blob("a.py", "HEAD") == GOOD + b"print(x)\n" == hooked.read("a.py")
    assert "no-print  rejected" in said
    assert "stopped" not in said
    assert hooked.status() == []
