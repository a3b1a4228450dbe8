"""A repository with two files and the hooks, where a rename needs no model; and an imitated Ollama, for what does."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CART, USE = "def total(items):\n    return sum(items)\n", "import cart\n\ncart.total([])\n"
MORE = "# more\n"

_built: list[Path] = []


class Shop:
    """The repository, the commands that are given there, and what is looked at afterwards."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.path: Path = repo.path

    def run(
        self, *argv: str, rc: int = 0, env: Mapping[str, str] = {}, stdin: str = "", cwd: str = "", editor: str = ""
    ) -> str:
        """A git command; what it said. `editor` is a shell script that finds the message in $1."""
        environ = {**os.environ, **env}
        if editor:
            place = self.path / ".git/editor"
            place.write_text(f"#!/bin/sh\n{editor}\n", encoding="utf-8")
            place.chmod(0o755)
            environ["GIT_EDITOR"] = str(place)
        done = subprocess.run(
            ("git", *argv), cwd=self.path / cwd, env=environ, input=stdin.encode(), capture_output=True, check=False
        )
        said = (done.stdout + done.stderr).decode()
        assert done.returncode == rc, said
        assert "Traceback" not in said
        return said

    def message(self, rev: str = "HEAD") -> str:
        text: str = self.repo.git("cat-file", "commit", rev).decode().partition("\n\n")[2]
        return text

    @property
    def run_id(self) -> str:
        """Of the last request."""
        found = json.loads((self.path / ".git/litecode/commit/results.json").read_text(encoding="utf-8"))
        return str(found["value"][0]["runs"][-1])

    @property
    def kept(self) -> str:
        """The message of the commit that waits."""
        return (self.path / ".git/litecode/commit/message").read_text(encoding="utf-8")

    @property
    def is_renamed(self) -> bool:
        """Whether HEAD has all of the change."""
        texts = [(self.repo.blob(path, "HEAD"), text) for path, text in (("cart.py", CART), ("use.py", USE))]
        assert len({found == (text.replace("total", "grand_total") + MORE).encode() for found, text in texts}) == 1
        return texts[0][0] != (CART + MORE).encode() and b"grand_total" in texts[0][0]


@pytest.fixture
def shop(make_repo: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Two committed files, the hooks, and something staged in both."""
    repo = make_repo("shop")
    if not _built:
        repo.add({"cart.py": CART, "use.py": USE, "notes.md": "1\n"}, commit="base")
        repo.git("litecode", "install")
        repo.add({"cart.py": CART + MORE, "use.py": USE + MORE})
        _built.append(tmp_path_factory.mktemp("template") / "repo")
        shutil.copytree(repo.path, _built[0], symlinks=True)
    else:
        shutil.rmtree(repo.path)
        shutil.copytree(_built[0], repo.path, symlinks=True)
        repo.git("update-index", "-q", "--refresh")
    return Shop(repo)


MODEL = "qwen2.5-coder:1.5b"


def logs_instead(messages: list[dict[str, str]]) -> str:
    """The code of the last message with `logger.info` in the place of `print`, and placeholders for the values."""

    def call(match: re.Match[str]) -> str:
        text, *values = match[1].split(", ")
        return f"logger.info({', '.join([text[:-1] + ' %s' * len(values) + text[-1], *values])})"

    code = messages[-1]["content"]
    fenced = re.search(r"```\w*\n(.*?)```", code, re.DOTALL)
    return re.sub(r"print\((.*)\)", call, (fenced[1] if fenced else code).rstrip("\n"))


class Imitation:
    """Answers as Ollama does: `answer` makes code of the messages of a chat, `pace` is the time in seconds that each
    of ten parts of it takes.
    """

    def __init__(self) -> None:
        self.answer: Callable[[list[dict[str, str]]], str] = logs_instead
        self.fence = "```\n{}\n```"
        self.pace = 0.0
        self.chats = 0
        self.port = 0

    @property
    def address(self) -> str:
        """In the form of OLLAMA_HOST."""
        return f"127.0.0.1:{self.port}"

    def facts(self, path: str) -> dict[str, Any]:
        model = {"model": MODEL, "name": MODEL, "digest": "d15", "context_length": 8192}
        info = {"general.architecture": "qwen2", "qwen2.context_length": 32768, "qwen2.vocab_size": 151936}
        return {
            "/api/version": {"version": "0.15.6"},
            "/api/tags": {"models": [model]},
            "/api/ps": {"models": [model]},
            "/api/show": {"model_info": info, "capabilities": ["completion"]},
        }.get(path, {"error": "no such route"})

    def records(self, messages: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
        text = self.fence.format(self.answer(messages))
        size = -(-len(text) // 10)
        for part in (text[at : at + size] for at in range(0, len(text), size)):
            time.sleep(self.pace)
            yield {"message": {"role": "assistant", "content": part}, "done": False}
        counts = {"prompt_eval_count": 60 + sum(len(m["content"]) for m in messages) // 3, "eval_count": size}
        yield {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", **counts}

    def handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805  # `self` is the handler's
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.tell([server.facts(self.path)])

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path == "/api/chat":
                    server.chats += 1
                    self.tell(
                        {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", **record}
                        for record in server.records(body["messages"])
                    )
                else:
                    self.tell([server.facts(self.path)])

            def tell(self, records: Any) -> None:
                with contextlib.suppress(ConnectionError):
                    self.send_response(200)
                    self.end_headers()
                    for record in records:
                        self.wfile.write(json.dumps(record).encode() + b"\n")
                        self.wfile.flush()

            def log_message(self, *_args: object) -> None: ...

        return Handler


@pytest.fixture
def imitation() -> Iterator[Imitation]:
    server = Imitation()
    http = ThreadingHTTPServer(("127.0.0.1", 0), server.handler())
    http.daemon_threads = True
    http.block_on_close = False
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    server.port = http.server_port
    yield server
    http.shutdown()
    thread.join()
    http.server_close()


class Keyboard:
    """A program at a terminal of its own, which tmux imitates: keys go in, and the screen can be read."""

    def __init__(self, socket: Path, command: str, cwd: Path, env: Mapping[str, str]) -> None:
        self._tmux = ("tmux", "-f", os.devnull, "-S", str(socket))
        named = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]
        # After the program has ended the screen stays, with its exit code.
        shown = f"trap : INT; {command}; printf '\\n[exit %s]\\n' $?; exec sleep 1000"
        self._call("new-session", "-d", "-x", "100", "-y", "50", "-c", str(cwd), *named, "sh", "-c", shown)

    def _call(self, *words: str) -> str:
        # The server of tmux gets the environment of the test, TMUX of the developer must not be in it.
        env = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")}
        done = subprocess.run((*self._tmux, *words), env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def type(self, text: str, *keys: str) -> None:
        """The text as it is, then keys by their names: Enter, Tab, C-c."""
        if text:
            self._call("send-keys", "-l", "--", text)
        if keys:
            self._call("send-keys", *keys)

    @property
    def screen(self) -> str:
        """What is shown, with what has scrolled away above it."""
        return self._call("capture-pane", "-p", "-S", "-").rstrip()

    def wait(self, pattern: str, seconds: float = 300.0) -> str:
        """The screen, once the text is on it."""
        until = time.monotonic() + seconds
        while pattern not in (screen := self.screen):
            assert time.monotonic() < until, f"{pattern!r} is not in:\n{screen}"
            time.sleep(0.05)
        return screen

    def wait_for(self, pattern: str, times: int) -> str:
        """The screen, once the text is on it so often."""
        until = time.monotonic() + 300
        while (screen := self.wait(pattern)).count(pattern) < times:
            assert time.monotonic() < until, screen
            assert "[exit " not in screen, screen
            time.sleep(0.05)
        return screen

    def close(self) -> None:
        self._call("kill-server")


@pytest.fixture
def keyboard() -> Iterator[Callable[..., Keyboard]]:
    """`keyboard("git litecode review", cwd=…, env={})`; skips where there is no tmux."""
    if shutil.which("tmux") is None:
        pytest.skip("no tmux on this machine")
    opened: list[Keyboard] = []

    def open_one(command: str, cwd: Path, env: Mapping[str, str] = {}) -> Keyboard:
        folder = tempfile.mkdtemp(prefix="lc-")  # the path of a socket must be short
        folders.append(folder)
        opened.append(Keyboard(Path(folder) / "tmux", command, cwd, env))
        return opened[-1]

    folders: list[str] = []
    yield open_one
    for terminal in opened:
        terminal.close()
    for folder in folders:
        shutil.rmtree(folder)
