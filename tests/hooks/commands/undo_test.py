from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.store.runs import RunStore
from litecode.core.values import Apply, Change, Plan, Run, State, Verdict
from litecode.hooks.cli import main

Capture = pytest.CaptureFixture[str]


@dataclass
class Scene:
    repo: Any

    @property
    def inside(self) -> Repository:
        return Repository.discover(self.repo.path, os.environ)

    def run(self, name: str, files: dict[str, bytes], age: float = 0.0) -> None:
        """Stages new contents as a run of that name."""
        changes = [Change(path, "100644", self.repo.oid(path), after) for path, after in files.items()]
        assert not apply(self.inside, changes, Apply.STAGE, name).rejected
        verdicts = tuple(Verdict(path, "r", State.STAGED) for path in files)
        RunStore(self.inside.state_dir).save(
            Run(name, time.time() - age, ("git", "litecode", "run"), Plan(()), verdicts)
        )


@pytest.fixture
def scene(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Scene:
    repo.add({"a.py": "print(1)\n", "b.py": "print(2)\n", "src/c.py": "one\ntwo\nthree\nfour\nfive\n"})
    monkeypatch.chdir(repo.path)
    return Scene(repo)


def test_the_last_run(scene: Scene, capsys: Capture) -> None:
    scene.run("aaaa", {"b.py": b"log(2)\n"}, age=60)
    before = scene.repo.index()
    scene.run("bbbb", {"a.py": b"log(1)\n", "src/c.py": b"one\n"})
    assert main(["undo"]) == 0
    got = capsys.readouterr()
    assert got.out == "a.py: taken back\nsrc/c.py: taken back\n"
    assert got.err == "litecode: took back 2 files of the run bbbb\n"
    assert scene.repo.index() == before
    assert [scene.repo.read(name) for name in ("a.py", "b.py")] == [b"print(1)\n", b"log(2)\n"]
    assert main(["log"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("2 staged in 2 files, undone  git litecode run")
    assert second.endswith("1 staged in 1 file  git litecode run")
    assert main(["show", "bbbb"]) == 0
    assert "it was taken back by `git litecode undo`\n" in capsys.readouterr().out
    assert main(["undo"]) == 0
    assert capsys.readouterr().err == "litecode: took back 1 file of the run aaaa\n"


@pytest.mark.parametrize("name", ["aaaa", "a"])
def test_an_earlier_run_by_name(scene: Scene, capsys: Capture, name: str) -> None:
    scene.run("aaaa", {"b.py": b"log(2)\n"})
    scene.run("bbbb", {"a.py": b"log(1)\n"})
    assert main(["undo", name]) == 0
    assert capsys.readouterr().out == "b.py: taken back\n"
    assert [scene.repo.blob(path) for path in ("a.py", "b.py")] == [b"log(1)\n", b"print(2)\n"]


def test_only_some_files_named_from_where_the_person_is(
    scene: Scene, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.run("aaaa", {"a.py": b"log(1)\n", "src/c.py": b"one\n"})
    monkeypatch.chdir(scene.repo / "src")
    assert main(["undo", "aaaa", "c.py"]) == 0
    assert capsys.readouterr().out == "src/c.py: taken back\n"
    assert scene.repo.blob("a.py") == b"log(1)\n"
    assert main(["log"]) == 0
    assert "undone" not in capsys.readouterr().out


def test_edits_made_since_stay(scene: Scene, capsys: Capture) -> None:
    scene.run("aaaa", {"src/c.py": b"ONE\ntwo\nthree\nfour\nfive\n"})
    scene.repo.write("src/c.py", "ONE\ntwo\nthree\nfour\nFIVE\n")
    assert main(["undo"]) == 0
    assert scene.repo.read("src/c.py") == b"one\ntwo\nthree\nfour\nFIVE\n"
    assert capsys.readouterr().out == "src/c.py: taken back\n"


def test_edits_that_are_in_the_way(scene: Scene, capsys: Capture) -> None:
    scene.run("aaaa", {"a.py": b"log(1)\n", "b.py": b"log(2)\n"})
    scene.repo.write("a.py", "log(99)\n")
    before = {path: (scene.repo.read(path), scene.repo.blob(path)) for path in ("a.py", "b.py")}
    assert main(["undo"]) == 2
    got = capsys.readouterr()
    assert got.out == ""
    assert "cannot be undone, later edits are in the way:" in got.err
    assert "litecode:     a.py: " in got.err
    assert "; nothing of it was changed" in got.err
    assert {path: (scene.repo.read(path), scene.repo.blob(path)) for path in ("a.py", "b.py")} == before


@pytest.mark.parametrize(
    ("prepare", "argv", "line"),
    [
        (lambda _scene: None, ["undo"], "litecode: no run has changed anything that could be taken back"),
        (lambda _scene: None, ["undo", "7f3a"], "litecode: there is no journal of 7f3a"),
        (lambda scene: scene.run("aaaa", {"a.py": b"x\n"}), ["undo", "bbbb"], "litecode: there is no journal of bbbb"),
        (lambda scene: scene.run("aaaa", {"a.py": b"x\n"}), ["undo", ""], "litecode: there is no journal of "),
        (
            lambda scene: (scene.run("aaaa", {"a.py": b"x\n"}), main(["undo"])),
            ["undo", "aaaa"],
            "litecode: aaaa has been undone already",
        ),
        (
            lambda scene: scene.run("aaaa", {"a.py": b"x\n"}),
            ["undo", "aaaa", "nowhere.py"],
            "litecode: there is no file or folder nowhere.py",
        ),
    ],
)
def test_nothing_to_take_back(
    scene: Scene, capsys: Capture, prepare: Callable[[Scene], object], argv: list[str], line: str
) -> None:
    prepare(scene)
    before = (scene.repo.index(), scene.repo.read("a.py"))
    capsys.readouterr()
    assert main(argv) == 2
    got = capsys.readouterr()
    message, hint = got.err.splitlines()
    assert message == line
    assert hint.startswith("hint: ")
    assert (scene.repo.index(), scene.repo.read("a.py")) == before


def test_a_run_that_is_no_longer_kept(scene: Scene, capsys: Capture) -> None:
    scene.run("aaaa", {"a.py": b"log(1)\n"})
    for path in (scene.inside.state_dir / "runs" / "aaaa").rglob("*"):
        if path.is_file():
            path.unlink()
    assert main(["undo"]) == 0
    got = capsys.readouterr()
    assert got.out == "a.py: taken back\n"
    assert got.err.splitlines()[-1] == "litecode: took back 1 file of the run aaaa"
    assert scene.repo.blob("a.py") == b"print(1)\n"


def test_a_last_run_that_changed_nothing_is_not_passed_over(scene: Scene, capsys: Capture) -> None:
    """The commit was stopped; what an older run has staged may be committed long ago."""
    scene.run("aaaa", {"b.py": b"log(2)\n"}, age=60)
    RunStore(scene.inside.state_dir).save(
        Run("bbbb", time.time(), ("litecode-hook",), Plan(()), (Verdict("a.py", "r", State.HELD, "two answers"),))
    )
    before = (scene.repo.index(), scene.repo.read("b.py"))
    assert main(["undo"]) == 2
    assert capsys.readouterr().err == (
        "litecode: the last run bbbb has changed nothing\nhint: `git litecode undo aaaa` takes back the one before it\n"
    )
    assert (scene.repo.index(), scene.repo.read("b.py")) == before
    assert main(["undo", "aaaa"]) == 0
    assert scene.repo.read("b.py") == b"print(2)\n"
