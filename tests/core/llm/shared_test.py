"""Talking to a served model over its socket, and believing only what this user has announced. The model is made up."""

from __future__ import annotations

import contextlib
import json
import os
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import LitecodeError, ModelBadReply, ModelCancelled, ModelTruncated
from litecode.core.llm import engine, serving
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.files import ModelFile
from litecode.core.llm.line import Line, LineBroken
from litecode.core.llm.serving import Pace, serve
from litecode.core.llm.shared import Place, announce, find_place, place_file, places_dir, shared_engine, withdraw

DIGEST = "a" * 64
MESSAGES = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "x = '<|im_end|>'"}]
PLAIN = [{"role": "user", "content": "x = 1"}]


class Served:
    """A llama.cpp server by its routes: a token is a letter, and a mark one token."""

    def __init__(self, folder: Path) -> None:
        self.address = folder / "s.sock"
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.events: list[dict[str, Any]] = [
            {"choices": [{"delta": {"content": "Hello"}, "finish_reason": None}]},
            {"choices": [{"delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 1}},
        ]
        self.plain: dict[str, Any] | None = None
        self.missing: set[str] = set()
        self.metrics = "llamacpp:requests_processing 0\nllamacpp:prompt_tokens_total 5\nother 1\nllamacpp:x y\n"
        self.break_after = 0
        self.pause = 0.0

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path in self.missing:
            return {"error": "no such route"}
        if path == "/health":
            return {"status": "ok"}
        if path == "/apply-template":
            return {"prompt": "".join(f"<|im_start|>{m['content']}<|im_end|>" for m in body["messages"])}
        if path == "/tokenize":
            text = body["content"]
            if body["parse_special"]:
                text = text.replace("<|im_start|>", "\x01").replace("<|im_end|>", "\x02")
            return {"tokens": [ord(letter) for letter in text]}
        return {"input_tokens": 5}


def _handler(fake: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def address_string(self) -> str:
            return "local"

        def do_GET(self) -> None:
            self.send({"Content-Type": "text/plain"}, self.text({}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.startswith("/v1/") and not self.path.endswith("input_tokens") and fake.plain is None:
                fake.asked.append((self.path, body))
                self.stream()
            else:
                self.send({}, self.text(body))

        def text(self, body: dict[str, Any]) -> bytes:
            if self.path == "/metrics":
                return fake.metrics.encode()
            fake.asked.append((self.path, body))
            chat = self.path.startswith("/v1/chat") and fake.plain is not None and "input" not in self.path
            return json.dumps(fake.plain if chat else fake.answer(self.path, body)).encode()

        def send(self, headers: dict[str, str], data: bytes) -> None:
            self.send_response(200 if self.headers["Authorization"] == "Bearer key" else 401)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            if fake.break_after:
                self.send_header("Content-Length", "99999")
            self.end_headers()
            for number, event in enumerate(fake.events, 1):
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                self.wfile.flush()
                time.sleep(fake.pause)
                if number == fake.break_after:
                    return
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_args: object) -> None: ...

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):
                super().handle()

    return Handler


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    fake = Served(folder)

    class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
        daemon_threads = True

    server = Server(str(fake.address), _handler(fake))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield fake
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def line(served: Served) -> Line:
    return Line(served.address, "key")


class TestLine:
    def test_what_looks_like_a_mark_is_text(self, line: Line) -> None:
        tokens = line.literal(MESSAGES)
        assert tokens is not None
        text = "".join(map(chr, tokens))
        assert text == "\x01Be short.\x02\x01x = '<|im_end|>'\x02"
        assert line.count(MESSAGES) == len(tokens)

    def test_without_marks_nothing_is_put_together(self, line: Line, served: Served) -> None:
        assert line.literal(PLAIN) is None
        assert line.count(PLAIN) == 5
        assert line.literal([{"role": "user", "content": "<div>"}]) is None
        assert "/apply-template" not in [path for path, _ in served.asked]

    def test_a_server_that_does_not_tell_is_no_help(self, line: Line, served: Served) -> None:
        served.missing = {"/v1/chat/completions/input_tokens", "/tokenize"}
        assert line.count(PLAIN) is None
        with pytest.raises(LineBroken):
            line.literal(MESSAGES)
        served.missing = {"/apply-template"}
        with pytest.raises(LineBroken, match="hides a message"):
            line.literal(MESSAGES)

    def test_nobody_there(self, folder: Path) -> None:
        dead = Line(folder / "no.sock", "key")
        assert (dead.ask("GET", "/health"), dead.text("/metrics")) == ({}, "")
        with pytest.raises(LineBroken):
            list(dead.events("/v1/chat/completions", {}))


class TestPlaces:
    def place(self, served: Served, digest: str = DIGEST, window: int = 2048) -> Place:
        return Place(str(served.address), "key", digest, window, 1, 4711)

    def test_what_is_announced_is_found(self, served: Served, folder: Path) -> None:
        place = self.place(served)
        file = announce(folder, place)
        assert find_place(folder, DIGEST) == place
        withdraw(file, 4712)
        assert find_place(folder, DIGEST) == place
        withdraw(file, 4711)
        assert find_place(folder, DIGEST) is None

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda file: file.chmod(0o640),
            lambda file: file.parent.chmod(0o750),
            lambda file: file.write_bytes(b"{}"),
            lambda file: file.write_bytes(file.read_bytes().replace(DIGEST.encode(), b"b" * 64)),
            lambda file: (file.rename(file.with_name("x")), file.symlink_to(file.with_name("x"))),
            lambda file: file.write_bytes(file.read_bytes().replace(b"s.sock", b"t.sock")),
        ],
    )
    def test_what_others_could_have_written_is_not_believed(
        self, served: Served, folder: Path, spoil: Callable[[Path], object]
    ) -> None:
        spoil(announce(folder, self.place(served)))
        assert find_place(folder, DIGEST) is None

    def test_only_a_window_that_is_large_enough(self, served: Served, folder: Path) -> None:
        announce(folder, self.place(served))
        assert shared_engine(folder, DIGEST, 2049, lambda: None) is None
        assert shared_engine(folder, DIGEST, 2048, lambda: None) is not None

    def test_where_they_are(self, folder: Path) -> None:
        assert places_dir({"XDG_RUNTIME_DIR": str(folder)}) == folder / "litecode"
        cache = {"XDG_CACHE_HOME": "/c"}
        assert places_dir(cache) == Path("/c/litecode/serve")
        assert places_dir(cache | {"XDG_RUNTIME_DIR": "relative"}) == Path("/c/litecode/serve")
        folder.chmod(0o755)
        assert places_dir(cache | {"XDG_RUNTIME_DIR": str(folder)}) == Path("/c/litecode/serve")


class TestCalls:
    @pytest.fixture
    def port(self, served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddedModel:
        monkeypatch.setattr(engine, "engine_for", lambda _load: pytest.fail("loaded here"))
        file = folder / "own.gguf"
        file.write_bytes(b"GGUF")
        port = EmbeddedModel(ModelFile(file, 4, None), 2048, places=folder)
        announce(folder, Place(str(served.address), "key", port.digest, 2048, 1, 1))
        return port

    def ask(self, port: EmbeddedModel, text: str = "Hi") -> Any:
        from litecode.core.values import Message, Prompt

        return port.complete(Prompt((Message("user", text),), 10))

    def test_a_reply(self, port: EmbeddedModel, served: Served) -> None:
        assert port.loading == ""
        reply = self.ask(port)
        assert (reply.text, reply.prompt_tokens) == ("Hello", 9)
        assert "messages" in served.asked[-1][1]
        port.load()

    def test_code_with_marks_goes_as_tokens(self, port: EmbeddedModel, served: Served) -> None:
        served.events[0] = {"choices": [{"text": "Hello", "finish_reason": None}]}
        assert self.ask(port, "<|im_end|>").text == "Hello"
        path, body = served.asked[-1]
        assert path == "/v1/completions"
        assert body["prompt"] == [1, *map(ord, "<|im_end|>"), 2]
        assert "messages" not in body
        served.missing = {"/apply-template"}
        with pytest.raises(ModelBadReply, match="the served model failed"):
            self.ask(port, "<|im_end|>")
        assert port.count(()) == 5

    def test_when_it_goes_away_the_model_is_loaded_here(
        self, port: EmbeddedModel, served: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        served.break_after = 1
        with pytest.raises(ModelTruncated, match=r"is gone|has no end") as caught:
            self.ask(port)
        assert caught.value.retry
        assert port.loading.startswith("loading own.gguf (embedded): ")
        loaded: list[Any] = []
        monkeypatch.setattr(engine, "engine_for", loaded.append)
        port.load()
        assert len(loaded) == 1

    def test_an_error_in_the_place_of_a_stream(self, port: EmbeddedModel, served: Served) -> None:
        served.plain = {"error": {"type": "server_error", "message": "boom"}}
        with pytest.raises(ModelBadReply, match="boom"):
            self.ask(port)

    def test_a_call_ends_with_the_port(self, port: EmbeddedModel, served: Served) -> None:
        served.pause = 1.0
        threading.Timer(0.2, port.close).start()
        started = time.monotonic()
        with pytest.raises(ModelCancelled):
            self.ask(port)
        assert time.monotonic() - started < 3


class TestServing:
    @pytest.fixture
    def port(self, folder: Path) -> EmbeddedModel:
        file = folder / "own.gguf"
        file.write_bytes(b"GGUF")
        return EmbeddedModel(ModelFile(file, 4, None), 2048, memory=lambda: None)

    def watch(self, monkeypatch: pytest.MonkeyPatch, served: Served) -> list[bool]:
        closed: list[bool] = []

        class Fake:
            def __init__(self, _load: object, *, observed: bool) -> None:
                assert observed
                self.line = Line(served.address, "key")

            def close(self) -> None:
                closed.append(True)

        monkeypatch.setattr(engine, "Engine", Fake)
        monkeypatch.setattr(serving, "POLL", 1.0)
        return closed

    def test_it_ends_when_nobody_has_asked_it(
        self, port: EmbeddedModel, served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed = self.watch(monkeypatch, served)
        environ = {"XDG_RUNTIME_DIR": str(folder)}
        now = [0.0]
        seen: list[object] = []

        def wait(seconds: float) -> bool:
            now[0] += seconds
            if now[0] == 5:
                served.metrics = "llamacpp:requests_processing 1\n"
            if now[0] == 8:
                served.metrics = "llamacpp:requests_processing 0\nllamacpp:tokens_predicted_total 7\n"
            return False

        def ready() -> None:
            seen.append(find_place(places_dir(environ), port.digest))
            with pytest.raises(LitecodeError, match=f"is served already, by process {os.getpid()}"):
                serve(port, environ, Pace(1, lambda _s: True), lambda: None)

        serve(port, environ, Pace(10, wait, lambda: now[0]), ready)
        assert now[0] == 18
        assert isinstance(seen[0], Place)
        assert (seen[0].window, seen[0].pid) == (2048, os.getpid())
        assert closed == [True]
        assert not place_file(places_dir(environ), port.digest).exists()

    def test_it_ends_when_it_is_told_to(
        self, port: EmbeddedModel, served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed = self.watch(monkeypatch, served)
        waits = iter([False, False, True])
        serve(port, {"XDG_RUNTIME_DIR": str(folder)}, Pace(None, lambda _s: next(waits)), lambda: None)
        assert closed == [True]
