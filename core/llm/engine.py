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
import importlib
import importlib.util
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from litecode.core.errors import ModelBadReply, ModelCancelled, ModelMissing, ModelNotRunning
from litecode.core.llm.line import Line, LineBroken
from litecode.core.llm.machine import missing_for_engine

EXTRA = "pip install 'litecode[embedded]'"
BATCH = 512  # tokens read at a time: a cancelled call ends when a batch has been read
WAIT_POLICY = "OMP_WAIT_POLICY"
HTTP_THREADS = 8  # a stream takes one as long as it lasts, and questions must be answered meanwhile

Chunk = dict[str, Any]  # one event of the server's stream, as JSON


class Server(Protocol):
    """The part of `xllamacpp.Server` that is used here; the library has no types."""

    def handle_chat_completions(self, body: dict[str, Any], callback: Callable[[Chunk], bool]) -> object: ...

    def handle_completions(self, body: dict[str, Any], callback: Callable[[Chunk], bool]) -> object: ...


@dataclass(frozen=True, slots=True)
class Load:
    """What a loaded model is: `window` tokens for each of `slots` calls at the same time."""

    path: Path
    window: int
    slots: int
    threads: int


class Engine:
    """One loaded model. Thread-safe: calls beyond the slots wait inside of it.

    `line` is the way to it from other processes of this user; `observed` lets its counters be read there.
    """

    def __init__(self, load: Load, *, observed: bool = False) -> None:
        library = _library()
        # Short, because the address of a socket may have about 100 bytes.
        self._folder = Path(tempfile.mkdtemp(prefix="litecode-"))
        self.line = Line(self._folder / "s.sock", secrets.token_urlsafe(32))
        try:
            self._server: Server | None = library.Server(_parameters(library, load, self.line, observed))
        except RuntimeError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise ModelMissing(
                f"{load.path} cannot be loaded",
                "fetch it again, or upgrade xllamacpp: the file may be damaged, or too new for it",
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
        with contextlib.suppress(LineBroken):
            return self.line.count(messages)
        return None

    def literal(self, messages: list[dict[str, str]]) -> list[int] | None:
        """See `Line.literal`."""
        try:
            return self.line.literal(messages)
        except LineBroken as error:
            raise ModelBadReply(f"the model failed: {error}", "run `git litecode doctor`") from error

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
            rendered = "prompt" in self._body
            handle = self._server.handle_completions if rendered else self._server.handle_chat_completions
            handle(self._body, self._receive)
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


def _library() -> Any:
    """xllamacpp, imported so that its threads sleep while they wait for each other: on a busy machine, where one of
    them may not run, spinning makes all of it several times slower.
    """
    missing = missing_for_engine()
    if missing:
        raise ModelNotRunning(
            f"the embedded engine cannot run on this machine: {missing}", "use Ollama or another server instead"
        )
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


def _parameters(library: Any, load: Load, line: Line, observed: bool) -> Any:
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
    found.hostnames = [str(line.address)]
    found.api_keys = [line.key]
    found.n_threads_http = HTTP_THREADS if observed else 1
    found.ui = found.endpoint_slots = found.endpoint_props = False
    found.endpoint_metrics = observed
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
