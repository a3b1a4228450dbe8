"""llama.cpp in this process, through xllamacpp: each model is loaded once, and nobody else can reach it.

The library always opens an HTTP server. Here it listens on a socket in a folder that only this user can enter, and asks
for a random key; the way over that socket is used for what the library offers no function for: counting tokens.

A reply must not depend on what was asked before it, although the part of a prompt that the last one began with is not
read again. It does not when matrices are multiplied the same way for few and many tokens, hence no repacked weights and
no fused attention on a CPU. That makes reading a fifth slower, writing not, and saves a third of the memory; reading
the whole prompt each time would cost more. (Fewer than 8 new tokens still take another way: the same prompt again.)
"""

from __future__ import annotations

import atexit
import contextlib
import http.client
import importlib
import importlib.util
import json
import os
import secrets
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from litecode.core.errors import ModelBadReply, ModelCancelled, ModelMissing, ModelNotRunning

EXTRA = "pip install 'litecode[embedded]'"
BATCH = 512  # tokens read at a time: a cancelled call ends when a batch has been read
TIMEOUT = 30.0
WAIT_POLICY = "OMP_WAIT_POLICY"

Chunk = dict[str, Any]  # one event of the server's stream, as JSON


class Server(Protocol):
    """The part of `xllamacpp.Server` that is used here; the library has no types."""

    def handle_chat_completions(self, body: dict[str, Any], callback: Callable[[Chunk], bool]) -> object: ...


@dataclass(frozen=True, slots=True)
class Load:
    """What a loaded model is: `window` tokens for each of `slots` calls at the same time."""

    path: Path
    window: int
    slots: int
    threads: int


class Engine:
    """One loaded model. Thread-safe: calls beyond the slots wait inside of it."""

    def __init__(self, load: Load) -> None:
        library = _library()
        # Short, because the address of a socket may have about 100 bytes.
        self._folder = Path(tempfile.mkdtemp(prefix="litecode-"))
        self._key = secrets.token_urlsafe(32)
        self._socket = self._folder / "s.sock"
        try:
            self._server: Server | None = library.Server(_parameters(library, load, self._socket, self._key))
        except RuntimeError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ModelMissing(
                f"{load.path} cannot be loaded",
                "it may be damaged, or of a kind that this version of xllamacpp cannot read",
            ) from error

    def stream(self, body: dict[str, Any], on_chunk: Callable[[Chunk], None]) -> None:
        """Hand each event of the answer to `on_chunk`; when that raises, the call is cancelled.

        The library is never called in this thread: if it is the main one, Ctrl-C would be raised inside of the library,
        which prints and forgets it.
        """
        server = self._server
        if server is None:
            raise ModelCancelled("the model was unloaded")
        call = _StreamCall(server, body, on_chunk)
        call.start()
        try:
            call.done.wait()
        except BaseException:
            call.stopped = True
            call.done.wait()
            raise
        if call.raised is not None:
            raise call.raised

    def count(self, messages: list[dict[str, str]]) -> int | None:
        """Tokens of the rendered messages; None when the server does not tell."""
        answer = self._post("/v1/chat/completions/input_tokens", {"messages": messages})
        found = answer.get("input_tokens")
        return found if isinstance(found, int) else None

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        connection = _SocketConnection(self._socket)
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse().read()
            found = json.loads(answer)
            return found if isinstance(found, dict) else {}
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        finally:
            connection.close()

    def close(self) -> None:
        self._server = None
        shutil.rmtree(self._folder, ignore_errors=True)


class _StreamCall(threading.Thread):
    """One call in a thread of its own. `stopped` ends it at the next event. Wait for `done`: `join` returns early when
    it is called again after Ctrl-C.
    """

    def __init__(self, server: Server, body: dict[str, Any], on_chunk: Callable[[Chunk], None]) -> None:
        super().__init__(name="litecode-model-call")
        self._server = server
        self._body = body
        self._on_chunk = on_chunk
        self.stopped = False
        self.done = threading.Event()
        self.raised: BaseException | None = None

    def run(self) -> None:
        try:
            self._server.handle_chat_completions(self._body, self._receive)
        except Exception as error:  # whatever C++ has thrown, e.g. about a schema that it cannot use
            self.raised = ModelBadReply(f"the model failed: {error}", "run `git litecode doctor`")
            self.raised.retry = False
        finally:
            self.done.set()

    def _receive(self, chunk: Chunk) -> bool:
        """True ends the stream. What is raised in here the library would swallow."""
        if not self.stopped:
            try:
                self._on_chunk(chunk)
            except BaseException as error:
                self.raised = error
                self.stopped = True
        return self.stopped


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(str(self._path))


def _library() -> Any:
    """xllamacpp, imported so that its threads sleep while they wait for each other: on a busy machine, where one of
    them may not run, spinning makes all of it several times slower.
    """
    chosen = WAIT_POLICY in os.environ
    if not chosen:
        os.environ[WAIT_POLICY] = "passive"  # read once, when the OpenMP runtime is loaded
    try:
        return importlib.import_module("xllamacpp")
    except ModuleNotFoundError as error:
        raise ModelNotRunning("the embedded engine is not installed", EXTRA) from error
    except ImportError as error:  # built for another processor or system, or without a library that it needs
        hint = "install it, e.g. apt install libgomp1" if "libgomp" in str(error) else f"install it again: {EXTRA}"
        raise ModelNotRunning(f"the embedded engine cannot be loaded: {error}", hint) from error
    finally:
        if not chosen:
            del os.environ[WAIT_POLICY]


def is_installed() -> bool:
    """Without importing it."""
    return importlib.util.find_spec("xllamacpp") is not None


def _parameters(library: Any, load: Load, address: Path, key: str) -> Any:
    found = library.CommonParams()
    found.model.path = str(load.path)
    # The window that is set up is divided among the slots.
    found.n_ctx = load.window * load.slots
    found.n_parallel = load.slots
    found.kv_unified = False
    found.fit_params = False  # else a smaller window than asked for may be set up
    found.ctx_shift = False  # else the beginning is forgotten instead of an error
    found.n_batch = found.n_ubatch = BATCH
    found.cpuparams.n_threads = found.cpuparams_batch.n_threads = load.threads
    found.cache_ram_mib = 0
    found.warmup = False
    found.verbosity = -1
    found.reasoning_format = library.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    found.enable_reasoning = 0
    found.no_extra_bufts = True
    kinds = library.ggml_backend_dev_type
    if all(device["type"] == kinds.GGML_BACKEND_DEVICE_TYPE_CPU for device in library.get_device_info()):
        found.flash_attn_type = library.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    found.hostnames = [str(address)]
    found.api_keys = [key]
    found.n_threads_http = 1
    found.ui = found.endpoint_slots = found.endpoint_props = found.endpoint_metrics = False
    return found


_engines: dict[Load, Engine] = {}
_lock = threading.Lock()


def engine_for(load: Load) -> Engine:
    """The engine with that model, loaded now if it is not yet; others wait meanwhile."""
    with _lock:
        if load not in _engines:
            _engines[load] = Engine(load)
        return _engines[load]


def is_loaded(load: Load) -> bool:
    return load in _engines


@atexit.register
def unload_all() -> None:
    """Free the memory of all models. Calls that are under way end first."""
    with _lock:
        for engine in _engines.values():
            with contextlib.suppress(OSError):
                engine.close()
        _engines.clear()
