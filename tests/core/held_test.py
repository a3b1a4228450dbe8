"""What becomes of held patches when somebody decides, at the level of values; the commands are tested beside them."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

import pytest

from litecode.core.errors import StateError
from litecode.core.git.moves import Outcome
from litecode.core.git.repository import Repository
from litecode.core.held import (
    PARTLY,
    Decision,
    base_of,
    carry_out,
    dropped,
    is_open,
    is_over,
    open_patches,
    verdicts_of,
    whole,
)
from litecode.core.patching.diffs import unified
from litecode.core.values import Change, Patch, Plan, Run, State, Verdict

A = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
B = A.replace(b"2", b"two").replace(b"8", b"eight")


@pytest.fixture
def scene(repo: Any) -> Any:
    repo.add({"a": A, "b": A}, commit="base")
    return repo


def opened(repo: Any) -> Repository:
    return Repository.discover(repo.path, os.environ)


def patch(repo: Any, path: str = "a", state: State = State.HELD, before: bytes | None = A, after: bytes = B) -> Patch:
    old = None if before is None else repo.git("hash-object", "-w", "--stdin", stdin=before).decode().strip()
    diff = unified(path, "100644", before, after)
    return Patch(path, diff, state, ("rule",), Change(path, "100644", old, after), "why")


def run(*patches: Patch) -> Run:
    verdicts = tuple(Verdict(p.path, "rule", p.state, p.reason) for p in patches)
    return Run("7f3a", time.time(), ("git", "litecode", "run"), Plan(()), verdicts, patches)


@pytest.mark.parametrize("state", [State.HELD, State.REJECTED])
def test_a_whole_patch(scene: Any, state: State) -> None:
    held = patch(scene, state=state)
    before = run(held, patch(scene, "b", State.STAGED))
    assert open_patches(before) == (held,)
    assert [v.path for v in verdicts_of(before, held)] == ["a"]
    carried = carry_out(opened(scene), before, [whole(opened(scene), held)])
    assert [(r.path, r.outcome) for r in carried.results] == [("a", Outcome.APPLIED)]
    assert scene.blob("a") == scene.read("a") == B
    assert [p.state for p in carried.run.patches] == [State.STAGED, State.STAGED]
    assert next((v.state, v.reason) for v in carried.run.verdicts) == (State.STAGED, "")
    assert carried.run.verdicts[1] == before.verdicts[1]


def test_a_part_now_and_the_rest_later(scene: Any) -> None:
    first = B.replace(b"eight", b"8")
    before = run(patch(scene))
    carried = carry_out(opened(scene), before, [Decision(before.patches[0], A, first, B)])
    assert scene.blob("a") == first
    staged, rest = carried.run.patches
    assert (staged.state, rest.state, rest.reason) == (State.STAGED, State.HELD, "why")
    assert carried.run.verdicts[0].state is State.HELD
    assert base_of(rest, "sha1") == first
    done = carry_out(opened(scene), carried.run, [whole(opened(scene), rest)])
    assert scene.blob("a") == B
    assert [v.state for v in done.run.verdicts] == [State.STAGED]
    assert open_patches(done.run) == ()


def test_a_part_and_the_rest_dropped(scene: Any) -> None:
    first = B.replace(b"eight", b"8")
    before = run(patch(scene))
    carried = carry_out(opened(scene), before, [Decision(before.patches[0], A, first, first)])
    assert [(v.state, v.reason) for v in carried.run.verdicts] == [(State.STAGED, PARTLY)]
    assert [p.state for p in carried.run.patches] == [State.STAGED]


def test_dropped(scene: Any) -> None:
    before = run(patch(scene))
    index = scene.index()
    carried = carry_out(opened(scene), before, [dropped(opened(scene), before.patches[0])])
    assert (carried.run.patches, carried.results, scene.index()) == ((), (), index)
    assert [(v.state, v.reason) for v in carried.run.verdicts] == [(State.DROPPED, "why")]


def test_a_new_file(scene: Any) -> None:
    held = patch(scene, "new/c", before=None, after=b"c\n")
    carried = carry_out(opened(scene), run(held), [whole(opened(scene), held)])
    assert carried.refused == ()
    assert scene.blob("new/c") == scene.read("new/c") == b"c\n"
    again = carry_out(opened(scene), run(held), [whole(opened(scene), held)])
    assert [(r.outcome, r.reason) for r in again.results] == [(Outcome.APPLIED, "it is there already")]
    assert again.there == again.results
    scene.add({"new/c": "other\n"})
    other = carry_out(opened(scene), run(held), [whole(opened(scene), held)])
    assert [r.reason for r in other.refused] == ["there is a file of that name in the index"]


@pytest.mark.parametrize(
    ("now", "result"),
    [
        (A + b"more\n", None),  # touches nothing, but the last lines of both sides are next to each other
        (A.replace(b"5", b"five"), B.replace(b"5", b"five")),
        (B, B),
        (B.replace(b"5", b"five"), B.replace(b"5", b"five")),
        (A.replace(b"2", b"zwei"), None),
        (A.replace(b"3", b"drei"), None),
        (b"", None),
    ],
)
def test_what_is_staged_by_now_is_merged_or_refused(scene: Any, now: bytes, result: bytes | None) -> None:
    scene.add({"a": now})
    carried = carry_out(opened(scene), run(held := patch(scene)), [whole(opened(scene), held)])
    merged = scene.git("merge-file", "-p", "-q", *_three(scene, now), rc=None)
    if result is None and b"<<<<<<<" not in merged:
        result = merged
    if result is None:
        assert [r.reason for r in carried.refused] == ["what is staged by now changes the same lines"]
        assert carried.run == run(held) or open_patches(carried.run) == (held,)
        assert scene.blob("a") == now
    else:
        assert carried.refused == ()
        assert scene.blob("a") == scene.read("a") == result


def _three(scene: Any, now: bytes) -> list[str]:
    return [str(scene.write(f"../{name}", text)) for name, text in (("now", now), ("base", A), ("theirs", B))]


def test_the_base_does_not_need_its_blob(scene: Any) -> None:
    held = patch(scene)
    assert base_of(replace(held, change=replace(held.change, before=None)), "sha1") == A
    with pytest.raises(StateError, match="does not start from the blob that it names"):
        base_of(replace(held, change=replace(held.change, before="0" * 40)), "sha1")
    with pytest.raises(StateError, match="is damaged"):
        base_of(replace(held, change=replace(held.change, after=b"other\n")), "sha1")


@pytest.mark.parametrize(
    ("now", "over"),
    [
        ({"a": A}, False),
        ({"a": B}, True),
        ({"a": B.replace(b"5", b"five")}, True),
        ({"a": A.replace(b"2", b"two")}, False),  # half of it
        ({"a": A.replace(b"2", b"zwei")}, False),
        ({"a": None}, True),
        ({"a": B, "b": B}, True),
        ({"a": B, "b": A}, False),
        ({"a": None, "b": A}, False),
    ],
)
def test_what_is_in_the_index_is_over(scene: Any, now: dict[str, bytes | None], over: bool) -> None:
    held = run(*(patch(scene, path) for path in now))
    scene.add(now)
    index = scene.index()
    assert is_over(opened(scene), held) is over
    assert scene.index() == index


def test_a_damaged_patch_is_not_over(scene: Any) -> None:
    held = patch(scene)
    scene.add({"a": B})
    assert not is_over(opened(scene), run(replace(held, change=replace(held.change, after=b"other\n"))))


def test_a_run_with_something_to_decide_is_open(scene: Any) -> None:
    held, staged = run(patch(scene)), run(patch(scene, state=State.STAGED))
    undone = replace(held, extra={"undone": True})
    assert [is_open(one) for one in (staged, undone, held)] == [False, False, True]
