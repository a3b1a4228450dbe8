"""`apply`, `drop` and `review` on runs that were held, with rules that need no model."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.git.repository import Repository
from litecode.core.store.runs import RunStore
from litecode.core.values import Run
from litecode.hooks.cli import main

Capture = pytest.CaptureFixture[str]

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
- id: no-id
  message: Name it as it is.
  language: python
  pattern: id($ARG)
  fix: hash($ARG)
"""
FILLER = "".join(f"line_{number} = {number}\n" for number in range(9))
# Two hunks; the first one can be split.
OLD = f"a == None\nkept = 1\nb == None\n{FILLER}id(1)\n".encode()
NEW = OLD.replace(b"== None", b"is None").replace(b"id(", b"hash(")
FIRST, SECOND = OLD.replace(b"a ==", b"a is"), OLD.replace(b"b ==", b"b is")
THIRD = OLD.replace(b"id(", b"hash(")


class Scene:
    def __init__(self, repo: Any) -> None:
        self.repo = repo

    @property
    def store(self) -> RunStore:
        return RunStore(Repository.discover(self.repo.path, os.environ).state_dir)

    def held(self, files: dict[str, bytes]) -> Run:
        """A run that holds what it would stage."""
        self.repo.add(files)
        assert main(["run", "--apply", "hold"]) == 1
        return self.store.load()


@pytest.fixture
def scene(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Scene:
    repo.add({".litecode.yaml": RULES}, commit="rules")
    monkeypatch.chdir(repo.path)
    return Scene(repo)


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What is typed, one letter a line."""

    def type_in(letters: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{letter}\n" for letter in letters)))

    return type_in


def test_apply_stages_what_is_held_and_undo_takes_it_back(scene: Scene, capsys: Capture) -> None:
    run = scene.held({"a.py": OLD, "sub/b.py": OLD})
    capsys.readouterr()
    assert main(["apply"]) == 0
    got = capsys.readouterr()
    assert got.out == "a.py: staged\nsub/b.py: staged\n"
    assert got.err == f"litecode: 2 patches staged    undo: git litecode undo {run.id}\n"
    assert scene.repo.blob("a.py") == scene.repo.read("sub/b.py") == NEW
    assert main(["log"]) == 0
    assert "2 staged (4 rules) in 2 files" in capsys.readouterr().out
    assert main(["apply", run.id]) == 2
    assert f"the run {run.id} holds nothing" in capsys.readouterr().err
    assert main(["undo", run.id]) == 0
    assert scene.repo.blob("a.py") == scene.repo.read("sub/b.py") == OLD


def test_only_some_files(scene: Scene, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    run = scene.held({"a.py": OLD, "sub/b.py": OLD})
    monkeypatch.chdir(scene.repo / "sub")
    capsys.readouterr()
    assert main(["apply", run.id, "b.py"]) == 1
    assert capsys.readouterr().err.startswith(f"litecode: 1 patch staged, 1 held: git litecode review {run.id}    undo")
    assert [scene.repo.blob(path) for path in ("a.py", "sub/b.py")] == [OLD, NEW]
    assert main(["apply", run.id, "b.py"]) == 2
    assert "it holds: a.py" in capsys.readouterr().err
    assert main(["drop", run.id, "../a.py"]) == 0
    assert capsys.readouterr().out == "a.py: dropped\n"
    assert [scene.repo.blob(path) for path in ("a.py", "sub/b.py")] == [OLD, NEW]
    assert main(["show", run.id]) == 0
    assert re.search(r"a\.py:1 +is-none +dropped +proven; held because you asked for it\n", capsys.readouterr().out)
    assert main(["log"]) == 0
    assert "1 staged (2 rules), 2 dropped in 2 files" in capsys.readouterr().out


def test_what_was_staged_and_edited_since_stays(scene: Scene, capsys: Capture) -> None:
    scene.held({"a.py": OLD})
    scene.repo.add(
        {"a.py": OLD.replace(b"line_8 = 8\n", b"line_8 = 8\nstaged = 1\n").replace(b"kept = 1", b"kept = 2")}
    )
    scene.repo.write("a.py", scene.repo.read("a.py").replace(b"line_4 = 4", b"line_4 = mine"))
    assert main(["apply"]) == 1  # the neighbours of `kept` are in the way
    assert "a.py: not staged, what is staged by now changes the same lines\n" in capsys.readouterr().out
    scene.repo.add({"a.py": OLD.replace(b"line_4 = 4", b"line_4 = staged")})
    scene.repo.write("a.py", scene.repo.read("a.py") + b"end = mine\n\n")
    scene.repo.write("a.py", scene.repo.read("a.py").replace(b"line_8 = 8", b"line_8 = 8"))
    before = scene.repo.read("a.py")
    assert main(["apply"]) == 1  # `end` touches the last line of the patch
    assert scene.repo.read("a.py") == before
    scene.repo.write(
        "a.py", scene.repo.read("a.py").replace(b"end = mine\n\n", b"").replace(b"line_2 = 2", b"mine = 2")
    )
    assert main(["apply"]) == 0
    assert scene.repo.blob("a.py") == NEW.replace(b"line_4 = 4", b"line_4 = staged")
    assert scene.repo.read("a.py") == scene.repo.blob("a.py").replace(b"line_2 = 2", b"mine = 2")


def test_unstaged_edits_in_the_way_and_the_way_out(scene: Scene, capsys: Capture) -> None:
    """Such a patch is not written in the run itself; it is kept, and applied when the way is free, or staged alone."""
    scene.repo.add({"a.py": OLD, "b.py": OLD})
    mine = OLD.replace(b"a == None", b"a == None  # mine")
    for path in ("a.py", "b.py"):
        scene.repo.write(path, mine)
    assert main(["run"]) == 1
    out = capsys.readouterr()
    assert "rejected  unstaged edits are in the way (worktree line 1)" in out.out
    assert main(["apply"]) == 1
    got = capsys.readouterr()
    assert "a.py: not staged, unstaged edits are in the way (worktree line 1)\n" in got.out
    assert "hint: put the unstaged edits aside, or stage it alone: git litecode apply --index-only" in got.err
    scene.repo.write("a.py", OLD + b"\n")
    run = scene.store.load()
    assert main(["apply", run.id, "--index-only", "b.py"]) == 1
    assert "b.py: staged, only the index was changed: the unstaged edit is in the way" in capsys.readouterr().out
    assert (scene.repo.blob("b.py"), scene.repo.read("b.py")) == (NEW, mine)
    scene.repo.write("a.py", OLD)
    assert main(["apply"]) == 0
    assert scene.repo.blob("a.py") == scene.repo.read("a.py") == NEW


def test_a_patch_that_is_there_already(scene: Scene, capsys: Capture) -> None:
    """Only somebody who names the run means it; it is never taken for lack of a newer one."""
    first = scene.held({"a.py": OLD})
    assert main(["run"]) == 0
    capsys.readouterr()
    for command in ("apply", "review"):
        assert main([command]) == 2
        assert capsys.readouterr() == (
            "",
            "litecode: no run holds a patch that is not there already; the last one that held something is "
            f"{first.id}\nhint: git litecode drop {first.id} forgets it\n",
        )
    assert main(["apply", first.id]) == 0
    assert capsys.readouterr() == (
        "a.py: left as it is, it is there already\n",
        f"litecode: 1 there already of the run {first.id}\n",
    )
    assert main(["apply", first.id]) == 2


@pytest.mark.parametrize("later", ["committed", "edited since", "gone"])
def test_a_run_whose_changes_are_there_is_passed_over(scene: Scene, capsys: Capture, later: str) -> None:
    older = scene.held({"b.py": OLD})
    scene.repo.commit()
    over = scene.held({"a.py": OLD})
    if later == "gone":
        scene.repo.add({"a.py": None})
    else:
        scene.repo.add({"a.py": NEW}, commit="by hand")
    if later == "edited since":
        scene.repo.add({"a.py": NEW.replace(b"line_4 = 4", b"line_4 = 5")})
    capsys.readouterr()
    assert main(["review", "--list"]) == 1
    got = capsys.readouterr()
    assert got.err.startswith(f"note: the last run {over.id} has nothing left to decide; this is {older.id} of 20")
    assert "b.py, hunk 1, line 1  is-none" in got.out
    assert main(["drop"]) == 0
    assert f"litecode: 1 dropped of the run {over.id}\n" in capsys.readouterr().err


def test_a_patch_that_the_index_has_not_is_never_passed_over(scene: Scene, capsys: Capture) -> None:
    """It was committed, and then the code was written the old way again."""
    run = scene.held({"a.py": OLD})
    scene.repo.add({"a.py": NEW}, commit="by hand")
    scene.repo.add({"a.py": OLD})
    capsys.readouterr()
    assert main(["apply"]) == 0
    assert capsys.readouterr().err == f"litecode: 1 patch staged    undo: git litecode undo {run.id}\n"
    assert scene.repo.blob("a.py") == NEW


def test_the_run_that_was_taken_is_named(scene: Scene, capsys: Capture) -> None:
    run = scene.held({"a.py": OLD})
    last = scene.held({"b.py": OLD})
    assert main(["drop"]) == 0
    capsys.readouterr()
    assert main(["apply"]) == 0
    got = capsys.readouterr()
    assert got.err.startswith(f"note: the last run {last.id} has nothing left to decide; this is {run.id} of 20")
    assert got.err.endswith(f"litecode: 1 patch staged    undo: git litecode undo {run.id}\n")
    assert got.out == "a.py: staged\n"


def test_a_file_that_is_gone_and_a_damaged_run(scene: Scene, capsys: Capture) -> None:
    run = scene.held({"a.py": OLD, "b.py": OLD})
    scene.repo.git("rm", "-qf", "a.py")
    assert main(["apply"]) == 1
    got = capsys.readouterr()
    assert "a.py: not staged, it is not in the index any more\nb.py: staged\n" in got.out
    assert f"hint: git litecode drop {run.id} forgets what cannot be staged any more" in got.err
    assert main(["apply"]) == 2
    assert f"hint: git litecode drop {run.id} forgets it\n" in capsys.readouterr().err
    (next((scene.store.folder / run.id).glob("*-a.py.patch"))).write_text("nonsense")
    assert main(["apply", run.id]) == 2
    assert "is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["apply", "drop", "review"])
def test_nothing_is_held(scene: Scene, capsys: Capture, command: str) -> None:
    assert main([command]) == 2
    assert "no run holds a patch" in capsys.readouterr().err
    scene.held({"a.py": OLD})
    assert main(["drop"]) == 0
    assert main([command]) == 2
    assert main([command, "ffff"]) == 2
    assert "there is no run ffff" in capsys.readouterr().err


def test_drop_changes_neither_index_nor_worktree(scene: Scene, capsys: Capture) -> None:
    run = scene.held({"a.py": OLD, "b.py": OLD})
    before = (scene.repo.index(), scene.repo.read("a.py"), scene.repo.read("b.py"))
    capsys.readouterr()
    assert main(["drop"]) == 0
    assert capsys.readouterr() == ("a.py: dropped\nb.py: dropped\n", f"litecode: 2 dropped of the run {run.id}\n")
    assert (scene.repo.index(), scene.repo.read("a.py"), scene.repo.read("b.py")) == before
    assert scene.store.load(run.id).patches == ()


@pytest.mark.parametrize(
    ("letters", "staged", "code"),
    [
        ("yy", NEW, 0),
        ("a", NEW, 0),
        ("sya", NEW.replace(b"b is", b"b is"), 0),
        ("syny", FIRST.replace(b"id(", b"hash("), 0),
        ("snyn", SECOND, 0),
        ("ny", THIRD, 0),
        ("jy", THIRD, 1),
        ("yq", FIRST.replace(b"b ==", b"b is"), 1),
        ("y", FIRST.replace(b"b ==", b"b is"), 1),  # the input ends
        ("xy?y", NEW, 0),
        ("nn", OLD, 0),
        ("d", OLD, 0),
        ("syd", FIRST, 0),
        ("jj", OLD, 1),
        ("q", OLD, 1),
        ("", OLD, 1),
        ("ssss", OLD, 1),
    ],
)
def test_the_keys(
    scene: Scene, capsys: Capture, says: Callable[[str], None], letters: str, staged: bytes, code: int
) -> None:
    scene.held({"a.py": OLD})
    says(letters)
    assert main(["review"]) == code
    assert scene.repo.blob("a.py") == scene.repo.read("a.py") == staged
    capsys.readouterr()
    if code:  # the rest is still there, and only that
        says("aa")
        assert main(["review"]) == 0
        assert scene.repo.blob("a.py") == NEW


def test_what_the_dialogue_shows(scene: Scene, capsys: Capture, says: Callable[[str], None]) -> None:
    scene.held({"a.py": OLD})
    capsys.readouterr()
    says("?ssy")
    assert main(["review"]) == 1
    got = capsys.readouterr()
    first = (
        "a.py, hunk 1, line 1  is-none: Compare with None by identity.\nheld: proven; held because you asked for it\n@@"
    )
    assert first in got.out
    assert "(1/2) Stage this hunk [y,n,a,d,j,s,e,q,?]? ?\ny - stage this hunk\n" in got.out
    assert "Split into 2 hunks.\na.py, hunk 1.1, line 1  is-none: " in got.out
    assert "a.py, hunk 1.2, line 3  is-none: " in got.out
    assert "(1/3) Stage this hunk [y,n,a,d,j,e,q,?]? s\nThis hunk cannot be split.\n" in got.out
    assert "hunk 2, line 13  no-id" not in got.out
    assert "litecode: 1 hunk to stage, 0 dropped, 2 left held\n" in got.err


def test_two_files(scene: Scene, says: Callable[[str], None]) -> None:
    scene.held({"a.py": OLD, "b.py": OLD})
    says("dyy")
    assert main(["review"]) == 0
    assert [scene.repo.blob(path) for path in ("a.py", "b.py")] == [OLD, NEW]


@pytest.mark.parametrize(
    ("editor", "letters", "staged", "said"),
    [
        ("sed -i s/^+a/+edited/", "ed", NEW.replace(b"a is", b"edited is").replace(b"hash(", b"id("), ""),
        ("true", "en", NEW.replace(b"hash(", b"id("), ""),
        ("sed -i /^+/d", "ed", OLD.replace(b"a == None\n", b"").replace(b"b == None\n", b""), ""),
        ("truncate -s 0", "ed", OLD, "Nothing was left of the hunk"),
        ("sed -i s/^-a/-other/", "ed", OLD, "The edited hunk does not fit: its unchanged"),
        ("sed -i s/^-/?/", "ed", OLD, "The edited hunk does not fit: every line"),
        ("false", "ed", OLD, "the editor false ended with 1"),
    ],
)
def test_a_hunk_is_edited(
    scene: Scene,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    says: Callable[[str], None],
    editor: str,
    letters: str,
    staged: bytes,
    said: str,
) -> None:
    scene.held({"a.py": OLD})
    monkeypatch.setenv("GIT_EDITOR", editor)
    says(letters)
    assert main(["review"]) == 0
    assert said in capsys.readouterr().out
    assert scene.repo.blob("a.py") == scene.repo.read("a.py") == staged


@pytest.mark.parametrize(
    ("words", "staged", "code"),
    [
        (["--accept", "a.py"], (NEW, OLD), 1),
        (["--accept", "a.py:2", "--reject", "a.py:1", "--reject", "sub"], (THIRD, OLD), 0),
        (["--accept", ".", "--accept", "a.py:1"], (NEW, NEW), 0),
        (["--reject", "."], (OLD, OLD), 0),
        (["--accept", "sub/b.py:1"], (OLD, NEW.replace(b"hash(", b"id(")), 1),
    ],
)
def test_scripts_name_hunks(scene: Scene, words: list[str], staged: tuple[bytes, bytes], code: int) -> None:
    scene.held({"a.py": OLD, "sub/b.py": OLD})
    assert main(["review", *words]) == code
    assert (scene.repo.blob("a.py"), scene.repo.blob("sub/b.py")) == staged


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--accept", "a.py:3"], "there is no held hunk a.py:3"),
        (["--accept", "nowhere"], "there is no held hunk nowhere"),
        (["--accept", "a.py", "--reject", "a.py:2"], "a.py:2 is to be accepted and rejected"),
        (["--list", "--accept", "a.py"], "--list decides nothing"),
    ],
)
def test_scripts_that_slip(scene: Scene, capsys: Capture, words: list[str], said: str) -> None:
    scene.held({"a.py": OLD})
    assert main(["review", *words]) == 2
    assert said in capsys.readouterr().err
    assert scene.repo.blob("a.py") == OLD


def test_the_list_names_every_hunk(scene: Scene, capsys: Capture) -> None:
    scene.held({"a.py": OLD})
    before = scene.repo.snapshot()
    capsys.readouterr()
    assert main(["review", "--list"]) == 1
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line.startswith("a.py")] == [
        "a.py, hunk 1, line 1  is-none: Compare with None by identity.",
        "a.py, hunk 2, line 13  no-id: Name it as it is.",
    ]
    assert scene.repo.snapshot() == before


def test_over_a_real_pipe(scene: Scene) -> None:
    scene.held({"a.py": OLD})
    done = subprocess.run(
        ("git", "litecode", "review"), cwd=scene.repo.path, input=b"n\ny\n", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert scene.repo.blob("a.py") == THIRD
