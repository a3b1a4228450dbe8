"""The other side: a server that must never hear anything, one that answers as Ollama does, and names for both."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

HOST = "models.example.com"


class Server:
    """Remembers everything it was asked. `reply` is the code that its model gives; the others change how it answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any], dict[str, str]]] = []
        self.reply = "x = 1"
        self.model: dict[str, Any] = {"model": "qwen2.5-coder:1.5b", "digest": "d15"}
        self.redirect = ""
        self.endless = False
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def sent(self) -> str:
        """All text that came in with chats."""
        return json.dumps([body for _, path, body, _ in self.asked if path == "/api/chat"])

    def facts(self, path: str) -> dict[str, Any]:
        info = {"general.architecture": "qwen2", "qwen2.context_length": 32768, "qwen2.vocab_size": 151936}
        return {
            "/api/version": {"version": "0.15.6"},
            "/api/tags": {"models": [self.model]},
            "/api/ps": {"models": [{**self.model, "context_length": 8192}]},
            "/api/show": {"model_info": info, "capabilities": ["completion"]},
        }.get(path, {"error": "no such route"})

    def handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805  # `self` is the handler's
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.serve({})

            def do_POST(self) -> None:
                self.serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def serve(self, body: dict[str, Any]) -> None:
                server.asked.append((self.command, self.path, body, dict(self.headers)))
                if server.redirect and self.path == "/api/chat":
                    self.send_response(307)
                    self.send_header("Location", server.redirect + self.path)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                missing = self.path == "/api/show" and body["model"] != server.model["model"]
                self.send_response(404 if missing else 200)
                if self.path != "/api/chat":
                    data = json.dumps(server.facts(self.path)).encode()
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                    return
                self.end_headers()
                self.chat()

            def chat(self) -> None:
                head = {"model": "m", "created_at": "2026-01-01T00:00:00Z"}
                text = f"```\n{server.reply}\n```"
                while True:
                    self.record({**head, "message": {"role": "assistant", "content": text}, "done": False})
                    if not server.endless:
                        break
                end = {"done": True, "done_reason": "stop", "prompt_eval_count": 60, "eval_count": 9}
                self.record({**head, "message": {"role": "assistant", "content": ""}, **end})

            def record(self, row: dict[str, Any]) -> None:
                self.wfile.write(json.dumps(row).encode() + b"\n")
                self.wfile.flush()

            def log_message(self, *_args: object) -> None: ...

            def handle(self) -> None:
                with contextlib.suppress(ConnectionError):
                    super().handle()

        return Handler


@pytest.fixture
def make_server() -> Iterator[Callable[[], Server]]:
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def make() -> Server:
        server = Server()
        http = ThreadingHTTPServer(("127.0.0.1", 0), server.handler())
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        running.append((http, thread))
        server.port = http.server_port
        return server

    yield make
    for http, thread in running:
        http.shutdown()
        thread.join()
        http.server_close()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a machine that is not this one, although its address is; asking for it is the same as sending."""
    resolve = socket.getaddrinfo

    def found(host: Any, *args: Any, **named: Any) -> Any:
        return resolve("127.0.0.1" if host in (HOST, HOST.encode()) else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", found)
    return HOST
