"""Whether the index has what a request came to."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from litecode.core.fulfilled import known_result
from litecode.core.git.repository import Repository
from litecode.core.patching.diffs import unified
from litecode.core.store.commits import CommitStore, Result
from litecode.core.store.runs import RunStore
from litecode.core.values import Change, Patch, Plan, Run, State

OLD, NEW = "one\ntwo\nthree\nfour\nfive\n", "one\nTWO\nthree\nfour\nfive\n"
TEXTS = ("make it louder",)


class Scene:
    def __init__(self, repo: Any) -> None:
        self.repo = repo
        repo.add({"a.txt": "0\n"}, commit="base")
        repo.add({"a.txt": OLD})
        self.found = Repository.discover(repo.path, os.environ)
        self.before = repo.git("write-tree").decode().strip()
        repo.add({"a.txt": NEW})
        self.after = repo.git("write-tree").decode().strip()
        self.keep(State.HELD)
        result = Result(TEXTS, ("7f3a", ""), self.before, self.after, repo.rev("HEAD"))
        CommitStore(self.found.state_dir).record(result)

    def keep(self, *states: State) -> None:
        """The run, with its patch in these states."""
        change = Change(
            "a.txt",
            "100644",
            self.repo.git("hash-object", "--stdin", stdin=OLD.encode()).decode().strip(),
            NEW.encode(),
        )
        patch = Patch("a.txt", unified("a.txt", "100644", OLD.encode(), NEW.encode()), State.HELD, (), change)
        patches = tuple(replace(patch, state=state) for state in states)
        RunStore(self.found.state_dir).save(Run("7f3a", 1.0, (), Plan(()), patches=patches))

    def is_known(self, content: str, texts: tuple[str, ...] = TEXTS) -> bool:
        self.repo.add({"a.txt": content})
        tree = self.repo.git("write-tree").decode().strip()
        return known_result(self.found, texts, tree) is not None


@pytest.fixture
def scene(repo: Any) -> Scene:
    return Scene(repo)


@pytest.mark.parametrize(
    ("states", "content", "known"),
    [
        ((State.HELD,), NEW, True),  # the very tree, however it came about
        ((State.STAGED,), NEW, True),
        ((State.STAGED,), NEW + "more\n", True),
        ((State.STAGED,), OLD, False),
        ((State.STAGED,), OLD + "more\n", False),
        ((State.STAGED,), OLD.replace("two", "zwei"), False),
        ((State.HELD,), NEW + "more\n", False),
        ((State.STAGED, State.HELD), NEW + "more\n", False),
        ((State.REJECTED,), NEW + "more\n", False),
        ((), NEW + "more\n", False),
    ],
)
def test_by_what_the_index_has(scene: Scene, states: tuple[State, ...], content: str, known: bool) -> None:
    scene.keep(*states)
    assert scene.is_known(content) is known


def test_other_requests_are_other_requests(scene: Scene) -> None:
    assert not scene.is_known(NEW, ("make it quieter",))
    assert not scene.is_known(NEW, (*TEXTS, *TEXTS))


def test_on_another_commit_only_the_same_tree_counts(scene: Scene) -> None:
    scene.keep(State.STAGED)
    scene.repo.commit("other", "--allow-empty")
    assert scene.is_known(NEW)
    assert not scene.is_known(NEW + "more\n")


def test_a_file_that_is_gone_and_a_run_that_is_gone(scene: Scene) -> None:
    scene.keep(State.STAGED)
    scene.repo.git("rm", "-q", "--cached", "a.txt")
    assert known_result(scene.found, TEXTS, scene.found.empty_tree) is None
    for path in (scene.found.state_dir / "runs/7f3a").rglob("*.json"):
        path.write_text("{", encoding="utf-8")
    assert not scene.is_known(NEW + "more\n")
