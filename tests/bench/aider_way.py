"""The same tasks by aider, with the same model behind llama.cpp's own server. Used by `compare_bench.py`."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

SERVER = """
import sys, threading, xllamacpp
settings = xllamacpp.CommonParams()
settings.model.path, settings.port = sys.argv[1], int(sys.argv[2])
settings.hostnames, settings.verbosity = ["127.0.0.1"], -1
settings.n_ctx, settings.n_parallel = 8192, 1
settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = int(sys.argv[3])
server = xllamacpp.Server(settings)
threading.Event().wait()
"""
OPTIONS = (
    "--model openai/local --no-git --yes-always --no-check-update --analytics-disable --no-show-model-warnings"
    " --no-stream --no-pretty --no-detect-urls --no-suggest-shell-commands --no-auto-lint"
).split()
START = 120.0  # seconds that the server may take to load the model
LONGEST = 300.0  # seconds for a task
RECEIVED = re.compile(r"Tokens: .*?, ([0-9.]+)(k?) received")


class LlamaServer:
    """llama.cpp's own server with a model file, on a free port of this machine. Use it as a context manager."""

    def __init__(self, weights: Path) -> None:
        self.weights = weights

    def __enter__(self) -> LlamaServer:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        threads, port = str(os.cpu_count() or 1), self.url.rpartition(":")[2]
        self._process = subprocess.Popen((sys.executable, "-c", SERVER, self.weights, port, threads))
        until = time.monotonic() + START
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=5):
                    return self
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()


class Aider:
    """Use it as a context manager: the server ends with it. `program` is an installed aider."""

    def __init__(self, program: str, weights: Path) -> None:
        self.program = program
        self.output, self.seconds = 0, 0.0
        self._server = LlamaServer(weights)

    def __enter__(self) -> Aider:
        self._server.__enter__()
        self._home = tempfile.mkdtemp(prefix="litecode-aider-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)
        shutil.rmtree(self._home, ignore_errors=True)

    def edit(self, tree: Path, path: str, task: str) -> None:
        """Let it change one file of the tree, or more if it likes to."""
        began = time.monotonic()
        try:
            done = subprocess.run(
                (self.program, *OPTIONS, "--message", task, path),
                cwd=tree,
                env=self._environment(),
                capture_output=True,
                text=True,
                timeout=LONGEST,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            for number, kilo in RECEIVED.findall(done.stdout):
                self.output += int(float(number) * (1000 if kilo else 1))
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.seconds += time.monotonic() - began
            for left in tree.glob(".aider*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    def _environment(self) -> Mapping[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": self._home,
            "LANG": "C.UTF-8",
            "OPENAI_API_BASE": f"{self._server.url}/v1",
            "OPENAI_API_KEY": "none",
        }
