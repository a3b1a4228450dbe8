"""A server that never comes to an end, in every way that HTTP has: the run ends, and the memory is not filled."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from litecode.core.errors import LitecodeError, ModelBadReply, ModelTimeout
from litecode.core.llm import bounded, ollama_site
from litecode.core.llm.ollama import OllamaModel
from litecode.core.llm.ollama_site import ask, site_of
from litecode.core.llm.openai import OpenAIModel
from litecode.core.llm.openai_server import address_of
from litecode.core.values import Message, Prompt

PROMPT = Prompt((Message("user", "Hi"),), 20)
MOST = 1 << 20
SENT = 16 * MOST  # bytes that a server would go on to send, more than any buffers hold
BLOCK = 1 << 16
HEAD = "HTTP/1.1 {} X\r\nContent-Type: {}\r\nConnection: close\r\n{}\r\n"
OLLAMA = (
    '{{"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {{"role": "assistant", "content": "{}"}}, '
    '"done": false}}\n'
)
OPENAI = (
    'data: {{"id": "c", "created": 1, "model": "m", "choices": [{{"index": 0, "delta": {{"content": "{}"}}}}]}}\n\n'
)


class Endless:
    """Answers every question in one way and goes on until nobody listens; `sent` counts what was taken from it."""

    def __init__(self) -> None:
        self.head, self.block, self.pause, self.most = "", b"", 0.0, SENT
        self.sent = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.ended = threading.Event()
        self.listening = threading.Thread(target=self.accept, daemon=True)
        self.listening.start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = self.socket.accept()
                threading.Thread(target=self.answer, args=(line,), daemon=True).start()

    def answer(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError), line:
            line.recv(BLOCK)
            line.sendall(self.head.encode())
            while self.sent < self.most and not self.ended.wait(self.pause):
                line.sendall(self.block)
                self.sent += len(self.block)

    def close(self) -> None:
        self.ended.set()
        with contextlib.suppress(OSError):
            self.socket.shutdown(
                socket.SHUT_RDWR
            )  # wakes `accept`, which would go on with whoever gets its number next
        self.listening.join(10)
        assert not self.listening.is_alive()
        self.socket.close()


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endless]:
    monkeypatch.setattr(bounded, "MOST", MOST)
    monkeypatch.setattr(ollama_site, "LIMIT", MOST)
    server = Endless()
    yield server
    server.close()


def ollama(server: Endless, monkeypatch: pytest.MonkeyPatch) -> OllamaModel:
    about = ollama_site.About("d", "qwen2", 151936, 8192, thinks=False, preset=())
    port = OllamaModel(site_of(server.url), "m", 8192)
    monkeypatch.setitem(port.__dict__, "_about", about)
    monkeypatch.setitem(port.__dict__, "_marks", frozenset())
    return port


def openai(server: Endless, monkeypatch: pytest.MonkeyPatch) -> OpenAIModel:
    from litecode.core.llm.openai_server import Told

    port = OpenAIModel(address_of(f"{server.url}/v1"), "m", 8192)
    monkeypatch.setitem(port.__dict__, "_told", Told())
    return port


PORTS = {"ollama": (ollama, OLLAMA, "application/x-ndjson"), "openai": (openai, OPENAI, "text/event-stream")}
WAYS: dict[str, Callable[[str, str], tuple[int, str, str, bytes]]] = {  # status, type, more headers, block
    "long records": lambda kind, row: (200, kind, "", row.format("x" * 1000).encode() * 50),
    "empty records": lambda kind, row: (200, kind, "", row.format("").encode() * 200),
    "one line": lambda kind, _row: (200, kind, "", b"x" * BLOCK),
    "blank lines": lambda kind, _row: (200, kind, "", b": x\n\n" * 10_000),
    "a page": lambda _kind, _row: (200, "text/html", "", b"<p>" * 20_000),
    "an error": lambda _kind, _row: (500, "application/json", "", b"{" * BLOCK),
    "a refusal": lambda _kind, _row: (404, "text/plain", "", b"no " * 20_000),
    "deep": lambda kind, _row: (200, kind, "", b"data: " + b"[" * BLOCK + b"\n\n"),
    "packed": lambda kind, row: (200, kind, "Content-Encoding: gzip\r\n", gzip.compress(row.format("x").encode())),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PORTS)
def test_an_answer_without_end(endless: Endless, name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, row, kind = PORTS[name]
    status, content, more, endless.block = WAYS[way](kind, row)
    endless.head = HEAD.format(status, content, more)
    if way == "packed":
        endless.most = 1
    began = time.monotonic()
    with pytest.raises(LitecodeError) as caught:
        make(endless, monkeypatch).complete(PROMPT)
    assert time.monotonic() - began < 30
    assert endless.sent < SENT
    assert caught.value.hint
    assert len(caught.value.message) < 400


@pytest.mark.parametrize(
    ("block", "pause", "kind"),
    [
        (b'{"a": "' + b"x" * BLOCK, 0.0, ModelBadReply),
        (b"[" * BLOCK, 0.0, ModelBadReply),
        (b" ", 0.05, ModelTimeout),
    ],
    ids=["large", "deep", "slow"],
)
def test_a_short_question_has_a_short_answer(
    endless: Endless, block: bytes, pause: float, kind: type[LitecodeError]
) -> None:
    endless.head, endless.block, endless.pause = HEAD.format(200, "application/json", ""), block, pause
    began = time.monotonic()
    with pytest.raises(kind):
        ask(site_of(endless.url), "GET", "/api/tags", timeout=0.4)
    assert time.monotonic() - began < 10
    assert endless.sent < SENT


def test_headers_that_come_too_slowly(endless: Endless) -> None:
    endless.head, endless.block, endless.pause = "HTTP/1.1 200 OK\r\n", b"X-A: b\r\n", 0.05
    began = time.monotonic()
    with pytest.raises(ModelTimeout):
        ask(site_of(endless.url), "GET", "/api/tags", timeout=0.4)
    assert time.monotonic() - began < 10


def test_an_answer_of_usual_size_is_read(endless: Endless) -> None:
    text = json.dumps({"models": ["x" * 1000] * 1000})
    endless.head = HEAD.format(200, "application/json", f"Content-Length: {len(text)}\r\n")
    endless.block, endless.most = text.encode(), 1
    assert ask(site_of(endless.url), "GET", "/api/tags", timeout=5) == json.loads(text)
