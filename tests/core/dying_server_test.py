"""A server that is killed in the middle of a run of twenty tasks, and started again: clear verdicts, nothing half."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from litecode.core.events import EventKind
from litecode.core.llm.openai import OpenAIModel
from litecode.core.llm.openai_server import address_of
from litecode.core.llm.pool import PooledModel
from litecode.core.ports import ModelPort
from litecode.core.values import Run
from litecode.core.world import Options
from litecode.hooks.world import make_run

TASKS = 20
SERVER = r"""
import json, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        data = json.dumps({"data": [{"id": "m"}]}).encode()
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = "\n".join(message["content"] for message in body["messages"])
        code = re.findall(r"```\w*\n(.*?)\n```", text, re.DOTALL)[-1].replace("print(", "logger.info(")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece, finish in (("```\n", None), (code, None), ("\n```", None), ("", "stop")):
            delta = {"content": piece}
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            event = {"id": "c", "object": "x", "created": 1, "model": "m", "choices": [choice]}
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
            self.wfile.flush()
            time.sleep(0.03)
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *args): ...

ThreadingHTTPServer.allow_reuse_address = True
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


class Server:
    """A process that can be killed and comes back at the same port."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen((sys.executable, "-c", SERVER, str(self.port)))
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise AssertionError("the server does not start")

    def kill(self) -> None:
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait(30)
            self.process = None

    def model(self) -> OpenAIModel:
        return OpenAIModel(address_of(f"http://127.0.0.1:{self.port}/v1"), "m", 8192, 2)


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    both = Server(), Server()
    yield both
    for server in both:
        server.kill()


@pytest.fixture
def twenty(scene: Any, rules: Any) -> Any:
    scene.base(rules.PRINT, **{f"f{n:02}_py": "x = 0\n" for n in range(TASKS)})
    scene.stage({f"f{n:02}.py": f"x = {n}\nprint(x, {n})\n" for n in range(TASKS)})
    return scene


def run_with(
    scene: Any, model: Callable[[], ModelPort], after: int = -1, what: Callable[[], None] = lambda: None
) -> Run:
    """One run; `what` is done, in a thread of its own, when that many calls have come back."""
    scene.cancel.clear()
    world = scene.world()
    calls = 0
    lock = threading.Lock()
    threads = []

    def listen(event: Any) -> None:
        nonlocal calls
        with lock:
            calls += event.kind is EventKind.CALL
            if event.kind is EventKind.CALL and calls == after:
                threads.append(threading.Thread(target=what))
                threads[-1].start()

    run = make_run(replace(world, model=model, progress=listen), Options())
    for thread in threads:
        thread.join()
    return run


def states(run: Run) -> dict[str, int]:
    found = [verdict.state.value for verdict in run.verdicts]
    return {state: found.count(state) for state in sorted(set(found))}


def test_it_is_killed_and_comes_back(twenty: Any, servers: tuple[Server, Server]) -> None:
    server = servers[0]
    before = twenty.repo.index()
    run = run_with(twenty, server.model, 5, server.kill)
    found = states(run)
    assert set(found) == {"failed", "held"}
    assert found["held"] >= 5
    assert sum(found.values()) == TASKS
    for verdict in run.verdicts:
        if verdict.state.value == "failed":
            assert (
                f"nothing answers at http://127.0.0.1:{server.port}/v1" in verdict.reason or "broke" in verdict.reason
            )
    assert twenty.repo.index() == before
    assert not list(Path(twenty.repo.path / ".git").glob("*.lock"))

    server.start()
    run = run_with(twenty, server.model)
    assert states(run) == {"staged": TASKS}
    assert all(twenty.staged(f"f{n:02}.py").endswith(f"logger.info(x, {n})\n") for n in range(TASKS))
    assert len(run.calls) < TASKS  # what was proven before is known


def test_it_comes_back_before_anybody_gives_up(
    twenty: Any, servers: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("litecode.core.budget.door.PAUSE", 4.0)
    server = servers[0]

    def restart() -> None:
        server.kill()
        server.start()

    assert states(run_with(twenty, server.model, 5, restart)) == {"staged": TASKS}


def test_the_other_endpoint_does_the_rest(twenty: Any, servers: tuple[Server, Server]) -> None:
    first, second = servers
    run = run_with(twenty, lambda: PooledModel((first.model(), second.model())), 5, first.kill)
    assert states(run) == {"staged": TASKS}
    assert all(twenty.staged(f"f{n:02}.py").endswith(f"logger.info(x, {n})\n") for n in range(TASKS))
