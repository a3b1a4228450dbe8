"""What is kept of a commit that waits."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from litecode.core.errors import StateError
from litecode.core.store.commits import KEEP_RESULTS, CommitStore, Content, Result, Waiting

WAITING = Waiting(
    texts=("one", "z\udcff"),
    before="1" * 40,
    real="2" * 40,
    head=None,
    content=Content.ONLY,
    runs=("7f3a",),
    options=("--author=\udcff",),
    author={"GIT_AUTHOR_NAME": "A"},
    verbatim=True,
    laid=True,
)
RESULT = Result(("one",), ("7f3a",), "1" * 40, "2" * 40, "3" * 40)


@pytest.fixture
def store(tmp_path: Path) -> CommitStore:
    return CommitStore(tmp_path / "state")


def test_nothing_is_there_at_first(store: CommitStore) -> None:
    assert store.waiting() is None
    assert store.results() == ()
    store.done()
    assert not store.root.exists()
    with pytest.raises(StateError, match="cannot be read"):
        store.message()


@pytest.mark.parametrize("waiting", [WAITING, replace(WAITING, options=None, head="4" * 40, runs=())])
def test_it_comes_back_as_it_was(store: CommitStore, waiting: Waiting) -> None:
    store.keep(waiting)
    assert store.keep_message(b"caf\xe9\n") == store.root / "commit/message"
    assert (store.waiting(), store.message()) == (waiting, b"caf\xe9\n")
    for path in (store.root, store.root / "commit", *(store.root / "commit").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    store.record(RESULT)
    store.done()
    assert store.waiting() is None
    assert [path.name for path in (store.root / "commit").iterdir()] == ["results.json"]


def test_results_are_few_and_the_newest_come_first(store: CommitStore) -> None:
    for number in range(KEEP_RESULTS + 3):
        store.record(replace(RESULT, texts=(str(number),)))
    store.record(replace(RESULT, texts=("9",)))
    texts = [result.texts[0] for result in store.results()]
    assert texts[:2] == ["9", str(KEEP_RESULTS + 2)]
    assert len(texts) == len(set(texts)) == KEEP_RESULTS


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"\xff", b'{"format": 2, "value": []}', b'{"format": 1}', b'{"format": 1, "value": [{}]}'],
)
def test_damage(store: CommitStore, damage: bytes) -> None:
    store.keep(WAITING)
    store.record(RESULT)
    for name in ("waiting", "results"):
        (store.root / f"commit/{name}.json").write_bytes(damage)
    with pytest.raises(StateError, match="cannot be used") as caught:
        store.waiting()
    assert "delete it" in caught.value.hint
    assert store.results() == ()
    store.record(RESULT)
    assert store.results() == (RESULT,)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    store = CommitStore(tmp_path / "state")
    with pytest.raises(StateError, match="cannot be written") as caught:
        store.keep_message(b"x")
    assert "make room" in caught.value.hint
