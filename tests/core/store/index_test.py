"""The index of outlines and words: what is read anew, what stays, and what happens to a damaged file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from litecode.core.filemap.outline import outline
from litecode.core.store import index as index_module
from litecode.core.store import reading
from litecode.core.store.index import FileIndex
from litecode.core.store.reading import LARGEST

TEXTS = {
    "a1": b"class Cart:\n    def total(self): ...\n\ndef fetch_rows(): ...\n",
    "b1": b"def total(): return fetch_rows()\n",
    "c1": b"# The Shop\n\n## Total\n",
    "d1": b"\x00\x01total",
}
FILES = {"shop/cart.py": "a1", "shop/sums.py": "b1", "README.md": "c1", "logo.png": "d1", "copy/cart.py": "a1"}


class Blobs:
    def __init__(self) -> None:
        self.texts = dict(TEXTS)
        self.read: list[str] = []

    def __call__(self, oids: Sequence[str]) -> dict[str, bytes]:
        self.read += oids
        return {oid: self.texts[oid] for oid in oids if oid in self.texts}


@pytest.fixture
def blobs() -> Blobs:
    return Blobs()


@pytest.fixture
def index(tmp_path: Path, blobs: Blobs) -> Iterator[FileIndex]:
    with FileIndex(tmp_path / "state" / "index.db") as opened:
        opened.update(FILES, blobs)
        yield opened


def test_words_and_symbols_by_path(index: FileIndex) -> None:
    assert index.content("total") == {"shop/cart.py": 1, "copy/cart.py": 1, "shop/sums.py": 1, "README.md": 1}
    assert index.symbols("cart") == {"shop/cart.py": 2, "copy/cart.py": 2}
    assert index.content("fetchrows") == {"shop/cart.py": 1, "copy/cart.py": 1, "shop/sums.py": 1}
    assert index.content("nothing") == {}
    assert sorted(index.alike("total")) == ["total"]
    assert index.sizes["logo.png"] == (0, 0)
    assert index.sizes["shop/sums.py"] == (6, 1)


def test_outlines(index: FileIndex) -> None:
    found = index.outlines(["shop/cart.py", "README.md", "logo.png"])
    assert found == {
        "shop/cart.py": outline(TEXTS["a1"].decode(), "cart.py"),
        "README.md": outline(TEXTS["c1"].decode(), "README.md"),
        "logo.png": outline("", "logo.png"),
    }


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("Cart.total", ("copy/cart.py", "shop/cart.py")),
        ("total", ("copy/cart.py", "shop/cart.py", "shop/sums.py")),
        ("fetch_rows", ("copy/cart.py", "shop/cart.py")),
        ("otal", ()),
        ("Cart.fetch_rows", ()),
        ("rows", ()),
        ("", ()),
        ("x", ()),
        ("The Shop", ("README.md",)),
    ],
)
def test_defines(index: FileIndex, name: str, paths: tuple[str, ...]) -> None:
    assert index.defines(name) == paths


def test_names_of_one_letter(tmp_path: Path) -> None:
    with FileIndex(tmp_path / "i.db") as opened:
        opened.update({"a.py": "o"}, lambda _: {"o": b"def f(): ...\n"})
        assert opened.defines("f") == ("a.py",)
        assert opened.defines("g") == ()


def test_only_new_blobs_are_read(index: FileIndex, blobs: Blobs) -> None:
    assert sorted(blobs.read) == sorted(TEXTS)
    blobs.read.clear()
    blobs.texts["b2"] = b"def subtotal(): ...\n"
    assert index.update(FILES | {"shop/sums.py": "b2", "new/README.md": "c1"}, blobs) == 1
    assert blobs.read == ["b2"]
    assert "shop/sums.py" not in index.content("total")
    assert set(index.content("subtotal")) == {"shop/sums.py"}
    assert "new/README.md" in index.content("total")


def test_a_blob_is_read_again_under_another_name(index: FileIndex, blobs: Blobs) -> None:
    """The name decides the language."""
    blobs.read.clear()
    assert index.update(FILES | {"cart.txt": "a1"}, blobs) == 1
    assert index.outlines(["cart.txt"])["cart.txt"].symbols == ()
    assert index.outlines(["shop/cart.py"])["shop/cart.py"].symbols != ()


def test_files_that_are_gone_are_not_found(index: FileIndex, blobs: Blobs) -> None:
    index.update({"shop/sums.py": "b1"}, blobs)
    assert index.content("total") == {"shop/sums.py": 1}
    assert index.defines("Cart") == ()


def test_it_lasts(tmp_path: Path, blobs: Blobs) -> None:
    path = tmp_path / "index.db"
    with FileIndex(path) as first:
        first.update(FILES, blobs)
        first.keep("head", b"\x00abc")
    with FileIndex(path) as second:
        assert second.update(FILES, blobs) == 0
        assert second.fact("head") == b"\x00abc"
        assert second.fact("tail") is None
        assert len(second.content("total")) == 4
    assert path.stat().st_mode & 0o777 == 0o600


def test_segments_are_merged_and_stale_blobs_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_SEGMENTS", 3)
    monkeypatch.setattr(index_module, "_AT_ONCE", 4)
    texts = {f"o{n}": b"total = %d\n" % n for n in range(12)}
    with FileIndex(tmp_path / "i.db") as opened:
        for n in range(1, 7):
            opened.update({f"f{k}.py": f"o{k}" for k in range(n)}, lambda oids: {o: texts[o] for o in oids})
            assert len(opened.content("total")) == n
        count = sqlite3.connect(tmp_path / "i.db").execute("SELECT COUNT(DISTINCT segment) FROM postings").fetchone()
        assert count[0] <= 3
        opened.update({f"f{k}.py": f"o{k}" for k in range(12)}, lambda oids: {o: texts[o] for o in oids})
        assert opened.update({"f1.py": "o1"}, lambda oids: {o: texts[o] for o in oids}) == 1  # made anew
        assert opened.content("total") == {"f1.py": 1}


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 2000])
def test_a_damaged_file_is_made_anew(tmp_path: Path, blobs: Blobs, content: bytes) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(content)
    with FileIndex(path) as opened:
        assert opened.update(FILES, blobs) == 4
        assert len(opened.content("total")) == 4


def test_another_version_is_made_anew(tmp_path: Path, blobs: Blobs) -> None:
    path = tmp_path / "index.db"
    with FileIndex(path) as opened:
        opened.update(FILES, blobs)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with FileIndex(path) as opened:
        assert opened.update(FILES, blobs) == 4


def test_it_works_where_nothing_can_be_written(tmp_path: Path, blobs: Blobs) -> None:
    (tmp_path / "file").write_text("in the way")
    with FileIndex(tmp_path / "file" / "index.db") as opened:
        assert opened.update(FILES, blobs) == 4
        opened.keep("head", b"abc")
        assert len(opened.content("total")) == 4


def test_two_at_once(tmp_path: Path, blobs: Blobs) -> None:
    path = tmp_path / "index.db"
    with FileIndex(path) as first, FileIndex(path) as second:

        def read(oids: Sequence[str]) -> dict[str, bytes]:
            first.update(FILES, blobs)  # the other one is faster
            return blobs(oids)

        assert second.update(FILES, read) == 4
        assert second.content("total") == first.content("total")


def test_large_and_odd_texts(tmp_path: Path) -> None:
    texts = {"big": b"total = 1\n" * (LARGEST // 10 + 1), "odd": b"total = '\xff'\r\nx = 2\r\n", "gone": b""}
    del texts["gone"]
    with FileIndex(tmp_path / "i.db") as opened:
        opened.update({"big.py": "big", "odd.py": "odd", "gone.py": "gone"}, lambda _: texts)
        assert opened.content("total") == {"odd.py": 1}
        assert opened.outlines(["odd.py"])["odd.py"].lines == 2


def test_many_blobs_are_shared_among_processes(
    tmp_path: Path, blobs: Blobs, index: FileIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MANY", 2)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    with FileIndex(tmp_path / "other.db") as opened:
        assert opened.update(FILES, blobs) == 4
        assert opened.content("total") == index.content("total")
        assert opened.outlines(FILES) == index.outlines(FILES)


@pytest.mark.parametrize("error", [OSError("no semaphores"), None])
def test_where_no_processes_can_be_had(
    tmp_path: Path, blobs: Blobs, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    class Pool:
        def __init__(self, *_: object, **__: object) -> None:
            if error:
                raise error

        def map(self, *_: object, **__: object) -> object:
            raise BrokenProcessPool("killed")

        def shutdown(self, **_: object) -> None: ...

    monkeypatch.setattr(reading, "MANY", 2)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", Pool)
    with FileIndex(tmp_path / "i.db") as opened:
        assert opened.update(FILES, blobs) == 4
        assert len(opened.content("total")) == 4


@pytest.mark.parametrize("ahead", [0, 1, 3, 9])
@pytest.mark.parametrize("breaks_at", [None, 0, 1, 2, 3])
def test_processes_that_die_on_the_way(
    tmp_path: Path, index: FileIndex, blobs: Blobs, monkeypatch: pytest.MonkeyPatch, ahead: int, breaks_at: int | None
) -> None:
    """Batches of one blob, some of them on their way at the same time; what no process gives is done here, once."""
    begun: list[str] = []

    class Pool:
        def __init__(self, *_: object, **__: object) -> None: ...

        def map(self, function: Callable[..., object], *inputs: list[str], **_: object) -> Iterator[object]:
            number = len(begun)
            begun.append(inputs[0][0])

            def rows() -> Iterator[object]:
                if number == breaks_at:
                    raise BrokenProcessPool("killed")
                if breaks_at is not None and number > breaks_at:
                    raise CancelledError
                yield from map(function, *inputs)

            return rows()

        def shutdown(self, **_: object) -> None: ...

    monkeypatch.setattr(reading, "MANY", 2)
    monkeypatch.setattr(reading, "_AT_ONCE", 1)
    monkeypatch.setattr(reading, "_AHEAD", ahead)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", Pool)
    with FileIndex(tmp_path / "i.db") as opened:
        assert opened.update(FILES, blobs) == 4
        assert opened.outlines(FILES) == index.outlines(FILES)
        assert opened.sizes == index.sizes
    assert begun == sorted(begun)
    assert len(begun) == (4 if breaks_at is None else min(4, breaks_at + ahead + 1))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder(tmp_path: Path, blobs: Blobs) -> None:
    tmp_path.chmod(0o500)
    with FileIndex(tmp_path / "index.db") as opened:
        assert opened.update(FILES, blobs) == 4
