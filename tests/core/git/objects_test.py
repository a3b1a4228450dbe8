from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.errors import GitError
from litecode.core.git import buffers
from litecode.core.git.buffers import Pair
from litecode.core.git.moves import blob_id
from litecode.core.git.objects import Objects
from litecode.core.git.process import GitEnv
from litecode.core.git.repository import Repository
from litecode.core.git.storing import write_blob, write_blobs

Opened = Callable[..., Repository]

CONTENTS = [b"", b"\n", b"one\ntwo", b"\r\n\r", b"\x00\xff binary", b"missing\n" * 3, b"x" * 300_000]


def test_blobs_come_back_as_they_were_written(repo: Any, opened: Opened) -> None:
    found = opened(repo)
    oids = [write_blob(found.git, content) for content in CONTENTS]
    with Objects.of(found) as objects:
        assert [objects.read(oid) for oid in oids] == CONTENTS
        assert objects.read_many([*oids, *oids] * 50) == dict(zip(oids, CONTENTS, strict=True))


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("number", [0, 1, 7, 300])
def test_writing_many(
    make_repo: Callable[..., Any], opened: Opened, tmp_path: Path, object_format: str, number: int
) -> None:
    """A few as loose objects, many as one pack: they are there, with the ids that were computed."""
    scene = make_repo("r", f"--object-format={object_format}")
    found = opened(scene)
    contents = [CONTENTS[at % 7] + b"x" * (at // 7) for at in range(number)]
    write_blobs(found.git, object_format, {blob_id(content, object_format): content for content in contents}, tmp_path)
    with Objects.of(found) as objects:
        for content in contents:
            oid = blob_id(content, object_format)
            assert objects.read(oid) == content
            assert write_blob(found.git, content) == oid
    assert scene.git("fsck", "--no-dangling") == b""
    assert len(list((scene / ".git/objects/pack").glob("*.pack"))) == (number > 100)


def test_written_content_is_not_filtered(repo: Any, opened: Opened) -> None:
    repo.config("core.autocrlf", "true")
    oid = write_blob(opened(repo).git, b"a\r\nb\n")
    assert repo.git("cat-file", "blob", oid) == b"a\r\nb\n"


@pytest.mark.parametrize("name", ["1" * 40, "HEAD^{tree}", "HEAD", "", "no such name"])
def test_what_is_no_blob_is_an_error_and_does_not_disturb(repo: Any, opened: Opened, name: str) -> None:
    repo.add({"a": "content\n"}, commit="base")
    with Objects.of(opened(repo)) as objects:
        assert objects.read(repo.oid("a")) == b"content\n"
        with pytest.raises(GitError, match="cannot be read"):
            objects.read(name)


def test_a_dead_reader_is_an_error(repo: Any, opened: Opened) -> None:
    repo.add({"a": "content\n"}, commit="base")
    with Objects.of(opened(repo)) as objects:
        objects.read(repo.oid("a"))
        objects._plain.kill()
        objects._plain.wait()
        with pytest.raises(GitError, match="cannot be read"):
            objects.read(repo.oid("a"))


def test_nothing_is_started_without_a_question(repo: Any, opened: Opened) -> None:
    with Objects.of(opened(repo)) as objects:
        pass
    assert objects._plain is None


@pytest.mark.parametrize("path", ["plain.txt", "two words.txt", " leading.txt", "new\nline.txt", "tab\t.txt"])
@pytest.mark.parametrize("content", [b"", b"a\nb\n", b"a\nb", b"\n\n", b"nul\x00\n"])
def test_smudged_content_is_what_a_checkout_writes(repo: Any, opened: Opened, path: str, content: bytes) -> None:
    repo.config("core.autocrlf", "true")
    oid = repo.stage_blob(path, content)
    repo.git("checkout-index", "--all")
    with Objects.of(opened(repo)) as objects:
        assert objects.smudged(oid, path) == repo.read(path)
        assert objects.smudged(oid, path) == repo.read(path)


def test_smudging_runs_filters_and_encodings(repo: Any, opened: Opened) -> None:
    repo.config("filter.loud.smudge", "tr a-z A-Z")
    repo.add({".gitattributes": "*.loud filter=loud\n*.u16 working-tree-encoding=UTF-16LE\n"})
    oid = repo.stage_blob("x.loud", "text\n")
    with Objects.of(opened(repo)) as objects:
        assert objects.smudged(oid, "x.loud") == b"TEXT\n"
        assert objects.smudged(oid, "x.u16") == "text\n".encode("utf-16-le")
        assert objects.smudged(oid, "x.txt") == b"text\n"


def test_a_sha256_repository(make_repo: Callable[..., Any], opened: Opened) -> None:
    big = make_repo("big", "--object-format=sha256")
    found = opened(big)
    oid = write_blob(found.git, b"content\n")
    assert len(oid) == 64
    with Objects.of(found) as objects:
        assert objects.read(oid) == objects.smudged(oid, "a") == b"content\n"


def test_a_promised_blob_is_fetched(repo: Any, opened: Opened, tmp_path: Path) -> None:
    repo.add({"a": "content\n"}, commit="base")
    repo.config("uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo.path}", tmp_path / "partial")
    with Objects.of(opened(tmp_path / "partial")) as objects:
        assert objects.read(repo.oid("a")) == b"content\n"


def test_libgit2_passes_its_probe() -> None:
    assert buffers.libgit2_works()


TEXTS = st.lists(st.sampled_from([b"a", b"b", b"  b", b"", b"c\r", b"\xff"]), max_size=12).map(b"\n".join)


@given(old=TEXTS, new=TEXTS, end=st.booleans(), context=st.sampled_from([0, 3]))
@settings(max_examples=40, deadline=None)
def test_libgit2_and_git_print_the_same(old: bytes, new: bytes, end: bool, context: int) -> None:
    pair = Pair(old, new + b"\n" if end else new)
    git = GitEnv.of(Path.cwd(), os.environ)
    assert buffers._by_libgit2(pair, context) == buffers._by_git(git, pair, context)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (Pair(b"a\n", b"a\n"), b""),
        (Pair(b"", b""), b""),
        (Pair(None, b""), b""),
        (Pair(b"\x00", b"\x00\x01"), b""),
        (Pair(None, b"a\n"), b"@@ -0,0 +1 @@\n+a\n"),
        (Pair(b"a\n", None), b"@@ -1 +0,0 @@\n-a\n"),
        (Pair(b"a\r\n", b"a\n"), b"@@ -1 +1 @@\n-a\r\n+a\n"),
        (Pair(b"a", b"a\n"), b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        (Pair(b"--- a\n", b"+++ b\n"), b"@@ -1 +1 @@\n---- a\n++++ b\n"),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_hunks(
    repo: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch, pair: Pair, expected: bytes, fast: bool
) -> None:
    monkeypatch.setattr(buffers, "libgit2_works", lambda: fast)
    assert list(buffers.hunks(opened(repo).git, [pair] * 30)) == [expected] * 30


def test_settings_do_not_change_hunks(
    repo: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch, hermetic: Path
) -> None:
    monkeypatch.setattr(buffers, "libgit2_works", lambda: False)
    (hermetic / ".gitconfig").write_text("[core]\n\tautocrlf = true\n[diff]\n\tnoprefix = true\n\texternal = false\n")
    (hermetic / ".config/git").mkdir(parents=True)
    (hermetic / ".config/git/attributes").write_text("* -diff\n")
    assert list(buffers.hunks(opened(repo).git, [Pair(b"a\r\n", b"b\r\n")])) == [b"@@ -1 +1 @@\n-a\r\n+b\r\n"]
