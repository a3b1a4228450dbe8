from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.store.cache import ReplyCache, cache_key

HOSTILE = ["", "plain", "naïve ✓ 日本", "a\0b", "line\r\nline\n", "\udc80 lone", "x" * 100_000]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "litecode" / "cache.db"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("value", HOSTILE, ids=[repr(value[:8]) for value in HOSTILE])
def test_a_value_comes_back_from_another_connection(path: Path, value: str) -> None:
    first = ReplyCache(path)
    first.put("k", value)
    first.close()
    second = ReplyCache(path)
    assert second.get("k") == value
    assert second.get("other") is None
    assert (first.notes, second.notes) == ([], [])
    second.close()


def test_a_later_value_replaces_an_earlier_one(path: Path) -> None:
    cache = ReplyCache(path)
    cache.put("k", "1")
    cache.put("k", "2")
    assert cache.get("k") == "2"
    cache.close()


def test_reading_creates_nothing(path: Path) -> None:
    cache = ReplyCache(path)
    assert cache.get("k") is None
    assert not path.parent.exists()
    assert cache.notes == []


def test_only_the_owner_can_read_it(path: Path) -> None:
    before = os.umask(0)
    try:
        cache = ReplyCache(path)
        cache.put("k", "v")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    cache.close()


def test_the_least_recently_used_values_make_room(path: Path) -> None:
    clock = Clock()
    cache = ReplyCache(path, limit=1000, clock=clock)
    for name in "abcd":
        clock.now += 10_000
        cache.put(name, name * 250)
    clock.now += 10_000
    assert cache.get("a") == "a" * 250  # a is now the youngest
    clock.now += 10_000
    cache.put("e", "e" * 250)
    assert [name for name in "abcde" if cache.get(name)] == ["a", "d", "e"]
    cache.close()


def test_a_value_that_nearly_fills_the_room_stays(path: Path) -> None:
    cache = ReplyCache(path, limit=1000, clock=Clock())
    cache.put("a", "a" * 500)
    cache.put("b", "b" * 950)
    assert (cache.get("a"), cache.get("b")) == (None, "b" * 950)
    cache.put("c", "c" * 1001)  # never fits: nothing has to go for it
    assert (cache.get("b"), cache.get("c")) == ("b" * 950, None)
    cache.close()


def test_the_file_is_bounded(path: Path) -> None:
    clock = Clock()
    cache = ReplyCache(path, limit=100_000, clock=clock)
    for number in range(200):
        clock.now += 1
        cache.put(str(number), "x" * 5_000)
    cache.close()
    assert path.stat().st_size < 250_000


def test_reading_again_soon_writes_nothing(path: Path) -> None:
    clock = Clock()
    cache = ReplyCache(path, clock=clock)
    cache.put("k", "v")
    before = path.read_bytes()
    clock.now += 60
    assert cache.get("k") == "v"
    assert path.read_bytes() == before
    cache.close()


@pytest.mark.parametrize(
    "content",
    [b"this is no database at all, but long enough to be looked at" * 50, b"SQLite format 3\0" + b"\xff" * 5000],
    ids=["text", "broken pages"],
)
def test_a_damaged_file_is_moved_aside_and_made_anew(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    cache = ReplyCache(path)
    assert cache.get("k") is None
    cache.put("k", "v")
    assert cache.get("k") == "v"
    aside = path.with_name("cache.db.damaged")
    assert aside.read_bytes() == content
    assert cache.notes == [f"the reply cache was damaged and is made anew; the old file is {aside}"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    cache.close()


def test_damage_in_the_middle_of_the_file(path: Path) -> None:
    cache = ReplyCache(path)
    for number in range(100):
        cache.put(f"k{number}", "v" * 1000)
    cache.close()
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)
    again = ReplyCache(path)
    assert [again.get(f"k{number}") for number in range(100)] == [None] * 100
    again.put("k", "v")
    assert again.get("k") == "v"
    assert len(again.notes) == 1
    again.close()


def test_another_layout_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE replies (key TEXT, other TEXT)")
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    cache = ReplyCache(path)
    assert cache.get("k") is None
    cache.put("k", "v")
    assert cache.get("k") == "v"
    assert cache.notes == []
    cache.close()


def test_a_place_that_cannot_be_written_costs_only_the_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file" / "cache.db")
    assert cache.get("k") is None
    cache.put("k", "v")
    cache.put("k", "v")
    assert cache.get("k") is None
    assert len(cache.notes) == 1
    assert cache.notes[0].startswith(f"the reply cache {tmp_path / 'file' / 'cache.db'} is not used: ")


def test_a_lock_that_is_held_costs_only_the_cache(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litecode.core.store.cache.BUSY_SECONDS", 0.05)
    cache = ReplyCache(path)
    cache.put("k", "v")
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        late = ReplyCache(path)
        assert late.get("k") is None
        assert late.notes == [f"the reply cache {path} is not used: database is locked"]
    finally:
        holder.rollback()
        holder.close()
    assert cache.get("k") == "v"
    cache.close()


WRITER = """
import sys
from pathlib import Path
from litecode.core.store.cache import ReplyCache
cache = ReplyCache(Path(sys.argv[1]))
for number in range(25):
    cache.put(f"{sys.argv[2]}-{number}", f"{sys.argv[2]} wrote {number}")
    assert cache.get(f"{sys.argv[2]}-{number}") == f"{sys.argv[2]} wrote {number}"
print(cache.notes)
cache.close()
"""


def test_several_processes_write_one_new_file(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], stdout=subprocess.PIPE, text=True)
        for name in "abcd"
    ]
    assert [(writer.communicate(timeout=60)[0], writer.returncode) for writer in writers] == [("[]\n", 0)] * 4
    cache = ReplyCache(path)
    assert all(cache.get(f"{name}-{number}") == f"{name} wrote {number}" for name in "abcd" for number in range(25))
    cache.close()


def test_sqlite_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, litecode.core.store.cache ; assert 'sqlite3' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@settings(deadline=None)
@given(st.lists(st.binary(max_size=6) | st.text(max_size=6)), st.lists(st.binary(max_size=6) | st.text(max_size=6)))
def test_keys_differ_when_the_parts_differ(one: list[str | bytes], two: list[str | bytes]) -> None:
    as_bytes = [[part.encode() if isinstance(part, str) else part for part in parts] for parts in (one, two)]
    assert (cache_key(*one) == cache_key(*two)) == (as_bytes[0] == as_bytes[1])


def test_the_key_is_the_same_in_every_version() -> None:
    assert cache_key() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert cache_key("ab", "c") != cache_key("a", "bc") != cache_key("abc")
    assert cache_key("é", b"\xff") == "2e7944461ff82fb0f9f0823483b2a3edf4d4b2f4f844514e93d5b9a736bb6ccb"
