"""Talking to a llama.cpp server over a socket in the file system, which only its owner can reach."""

from __future__ import annotations

import http.client
import json
import secrets
import socket
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litecode.core.llm.marks import MAYBE

TIMEOUT = 30.0
FIRST_EVENT = 300.0  # seconds: others may be served before


class LineBroken(Exception):
    """The server is gone, or what answers is none."""


@dataclass(frozen=True, slots=True)
class Line:
    """A server by its socket and the key that it wants."""

    address: Path
    key: str

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a short question; empty when there is none."""
        try:
            connection = self._connect(TIMEOUT)
            try:
                answer = self._send(connection, method, path, body).read()
            finally:
                connection.close()
            found = json.loads(answer)
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def text(self, path: str) -> str:
        """What a route answers that has no JSON; empty when there is none."""
        try:
            connection = self._connect(TIMEOUT)
            try:
                return self._send(connection, "GET", path, None).read().decode("utf-8", "replace")
            finally:
                connection.close()
        except (OSError, http.client.HTTPException):
            return ""

    def events(self, path: str, body: Mapping[str, Any]) -> Generator[dict[str, Any], None, None]:
        """The events of a stream, or the one error instead of it. Raises LineBroken; closing it ends the call."""
        try:
            connection = self._connect(FIRST_EVENT)
            try:
                answer = self._send(connection, "POST", path, body)
                if "event-stream" not in (answer.getheader("Content-Type") or ""):
                    yield json.loads(answer.read())
                    return
                for line in answer:
                    if line.startswith(b"data: ") and line != b"data: [DONE]\n":
                        yield json.loads(line[6:])
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise LineBroken(str(error)) from error

    def count(self, messages: Sequence[Mapping[str, str]]) -> int | None:
        """Tokens of the rendered messages, with every text read as text; None when the server does not tell."""
        tokens = self.literal(messages)
        if tokens is not None:
            return len(tokens)
        found = self.ask("POST", "/v1/chat/completions/input_tokens", {"messages": list(messages)}).get("input_tokens")
        return found if isinstance(found, int) else None

    def literal(self, messages: Sequence[Mapping[str, str]]) -> list[int] | None:
        """The rendered messages as tokens when a text in them looks like a mark of the model's; else None, and they can
        be sent as they are. The template is rendered with names in the place of the texts.
        """
        if not any(self._has_marks(message["content"]) for message in messages):
            return None
        names = [f"text{secrets.token_hex(8)}" for _ in messages]
        plain = [{"role": message["role"], "content": name} for message, name in zip(messages, names, strict=True)]
        rest = str(self.ask("POST", "/apply-template", {"messages": plain}).get("prompt", ""))
        tokens: list[int] = []
        for message, name in zip(messages, names, strict=True):
            before, found, rest = rest.partition(name)
            if not found:
                raise LineBroken("the chat template hides a message")
            tokens += self._tokens(before, marks=True)
            tokens += self._tokens(message["content"], marks=False)
        return tokens + self._tokens(rest, marks=True)

    def _has_marks(self, text: str) -> bool:
        if MAYBE.search(text) is None:
            return False
        return self._tokens(text, marks=True) != self._tokens(text, marks=False)

    def _tokens(self, text: str, *, marks: bool) -> list[int]:
        found = self.ask("POST", "/tokenize", {"content": text, "add_special": False, "parse_special": marks})
        tokens = found.get("tokens")
        if not isinstance(tokens, list):
            raise LineBroken("the server does not tell tokens")
        return tokens

    def _connect(self, timeout: float) -> _Connection:
        return _Connection(self.address, timeout)

    def _send(
        self, connection: _Connection, method: str, path: str, body: Mapping[str, Any] | None
    ) -> http.client.HTTPResponse:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection.getresponse()


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
