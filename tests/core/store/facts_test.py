"""What was learnt about a model is there for the next run, and nothing that goes wrong with it matters."""

from __future__ import annotations

import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from litecode.core.store.facts import FactStore, ModelFacts, facts_dir

LEARNT = ModelFacts(1.25, 7, 2, 28.0, "object", 6000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "facts"


def test_nothing_is_known_and_nothing_written(folder: Path) -> None:
    assert FactStore(folder).get("m") == ModelFacts()
    FactStore(folder).change("m", lambda facts: facts)
    assert not folder.exists()


def test_what_was_learnt_is_there_for_others(folder: Path) -> None:
    store = FactStore(folder)
    store.change("m", lambda _facts: LEARNT)
    store.change("m", lambda facts: replace(facts, calls=facts.calls + 1))
    assert store.get("m") == FactStore(folder).get("m") == replace(LEARNT, calls=8)
    assert FactStore(folder).get("n") == ModelFacts()


def test_only_the_owner_can_read_it(folder: Path) -> None:
    FactStore(folder).change("m", lambda _facts: LEARNT)
    (file,) = folder.iterdir()
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b'{"factor": "large"}',
        b'{"factor": -1}',
        b'{"factor": 1e9}',
        b'{"calls": -1}',
        b'{"request_tokens": 1.5}',
    ],
)
def test_what_this_version_cannot_have_written_is_nothing(folder: Path, content: bytes) -> None:
    FactStore(folder).change("m", lambda _facts: LEARNT)
    (file,) = folder.iterdir()
    file.write_bytes(content)
    assert FactStore(folder).get("m") == ModelFacts()


def test_what_another_version_knows_more_is_left_out(folder: Path) -> None:
    FactStore(folder).change("m", lambda _facts: LEARNT)
    (file,) = folder.iterdir()
    file.write_bytes(b'{"factor": 1.5, "colour": "red"}')
    assert FactStore(folder).get("m") == ModelFacts(factor=1.5)


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = FactStore(tmp_path / "file" / "facts")
    store.change("m", lambda _facts: LEARNT)
    assert store.get("m") == LEARNT
    folder = tmp_path / "facts"
    FactStore(folder).change("m", lambda _facts: LEARNT)
    (file,) = folder.iterdir()
    file.unlink()
    file.mkdir()
    (file / "x").touch()
    FactStore(folder).change("m", lambda _facts: LEARNT)
    assert [entry for entry in folder.iterdir() if entry.suffix == ".new"] == []


def test_threads_lose_no_change(folder: Path) -> None:
    store = FactStore(folder)

    def count() -> None:
        for _ in range(20):
            store.change("m", lambda facts: replace(facts, calls=facts.calls + 1))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert FactStore(folder).get("m").calls == 80


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/litecode/facts"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/litecode/facts"),
        ({"HOME": "/h"}, "/h/.cache/litecode/facts"),
    ],
)
def test_where_they_are(environ: dict[str, str], expected: str) -> None:
    assert facts_dir(environ) == Path(expected)
