"""The model port over llama.cpp in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from litecode.core.budget.tokens import UNKNOWN_FACTOR
from litecode.core.errors import (
    LitecodeError,
    ModelBadReply,
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelNotRunning,
    ModelTooLarge,
    ModelTruncated,
)
from litecode.core.llm.files import ModelFile, digest_of
from litecode.core.llm.machine import available_memory, physical_cores
from litecode.core.values import Message, Prompt, Reply, Stop

if TYPE_CHECKING:
    from pathlib import Path

    from litecode.core.budget.halt import Halt
    from litecode.core.llm.engine import Engine, Load
    from litecode.core.llm.shared import SharedEngine

MIB = 1 << 20
KV_BYTES = 131_072  # for each token of the window when the model is unknown: that of models with 8 billion weights
WORK_BYTES = 192 * MIB
ATTENTION_BYTES = 32 * 1024  # for each token of the window, while a batch is read

STOPS = {"stop": Stop.END, "length": Stop.LENGTH}

GREEDY = {"top_k": 1, "top_p": 1.0, "min_p": 0.0}
SAMPLED = {"top_k": 40, "top_p": 0.95, "min_p": 0.05}
NEUTRAL = {
    "repeat_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "dry_multiplier": 0.0,
    "xtc_probability": 0.0,
    "typical_p": 1.0,
}


def memory_needed(file: ModelFile, window: int, slots: int) -> int:
    """Bytes that the model will take: its file, the memory of its windows, and room to work."""
    kv_bytes = file.known.kv_bytes if file.known is not None else KV_BYTES
    return file.size + kv_bytes * window * slots + ATTENTION_BYTES * window + WORK_BYTES


class EmbeddedModel:
    """Opening costs nothing: the model is loaded, once per process, when it is first asked or asked to count.

    `window` is what is set up for each of the `slots`; a known model gets no more than it was trained for.
    """

    def __init__(
        self,
        file: ModelFile,
        window: int,
        slots: int = 1,
        *,
        memory: Callable[[], int | None] = available_memory,
        places: Path | None = None,
    ) -> None:
        """`places` is where served models are announced; without it none is looked for."""
        self._file = file
        self._window = min(window, file.known.window) if file.known is not None else window
        self._slots = slots
        self._memory = memory
        self._halt: Halt | None = None
        self._places = places
        self._closed = threading.Event()

    @property
    def name(self) -> str:
        return f"{self._file.known.name if self._file.known is not None else self._file.path.name} (embedded)"

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the weights; raises ModelMissing when a known model has others."""
        return digest_of(self._file)

    @property
    def window(self) -> int:
        return self._window

    @property
    def slots(self) -> int:
        return self._slots

    @property
    def factor(self) -> float:
        return self._file.known.factor if self._file.known is not None else UNKNOWN_FACTOR

    @property
    def memory_needed(self) -> int:
        """Bytes, whether it is loaded or not."""
        return memory_needed(self._file, self._window, self._slots)

    def bind(self, halt: Halt) -> None:
        self._halt = halt

    @property
    def loading(self) -> str:
        """What loading takes, in words; empty when there is nothing to load."""
        from litecode.core.llm.engine import is_loaded

        if self._shared is not None or is_loaded(self.load_of):
            return ""
        free = self._memory()
        of = f" of {_mib(free)}" if free is not None else ""
        return f"loading {self.name}: {_mib(self.memory_needed)}{of} MiB of memory"

    def load(self) -> None:
        """Load now rather than at the first call. Raises ModelNotRunning without the engine or with too little memory,
        ModelMissing when the file is not what it should be.
        """
        self._engine()

    @cached_property
    def _shared(self) -> SharedEngine | None:
        """The same model in another process. Set to None when it has gone."""
        if self._places is None or not self._places.is_dir():
            return None
        from litecode.core.llm.shared import shared_engine

        return shared_engine(self._places, self.digest, self._window, self._check)

    def _engine(self) -> Engine | SharedEngine:
        from litecode.core.llm.engine import engine_for, is_loaded

        if self._shared is not None:
            return self._shared
        load = self.load_of
        if not is_loaded(load):
            self.check_memory()
            digest_of(self._file)  # a file with other bytes is refused before it is loaded
        return engine_for(load)

    @cached_property
    def load_of(self) -> Load:
        from litecode.core.llm.engine import Load

        return Load(self._file.path, self._window, self._slots, physical_cores())

    def check_memory(self) -> None:
        free, needed = self._memory(), self.memory_needed
        if free is not None and free < needed:
            setup = f"window {self._window:,}" + (f", {self._slots} slots" if self._slots > 1 else "")
            raise ModelNotRunning(
                f"{self.name} needs {_mib(needed)} MiB of memory ({setup}), {_mib(free)} MiB are free",
                "set a smaller model or window: git config --global litecode.model qwen2.5-coder-0.5b",
            )

    def count(self, messages: tuple[Message, ...]) -> int | None:
        return self._engine().count(_plain(messages))

    def complete(self, prompt: Prompt) -> Reply:
        engine = self._engine()
        answer = _Answer(self._check)
        body = _body(prompt)
        tokens = engine.literal(body["messages"])
        if tokens is not None:
            del body["messages"]
            body["prompt"] = tokens
        started = time.monotonic()
        try:
            engine.stream(body, answer.receive)
            return answer.reply(time.monotonic() - started)
        except ModelTruncated:
            self._shared = None  # if it was another process, the model is loaded here when the door tries again
            raise

    def _check(self) -> None:
        if self._closed.is_set():
            raise ModelCancelled("the model was closed")
        if self._halt is not None:
            self._halt.check()

    def close(self) -> None:
        """Ends the calls under way. The loaded model stays for others in this process."""
        self._closed.set()


def _mib(count: int) -> str:
    return f"{-(-count // MIB):,}"


def _plain(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _body(prompt: Prompt) -> dict[str, Any]:
    sampling = prompt.sampling
    body: dict[str, Any] = {
        "messages": _plain(prompt.messages),
        "max_tokens": prompt.reserve,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        **(SAMPLED if sampling.temperature > 0 else GREEDY),
        **NEUTRAL,
        "cache_prompt": True,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,  # an event for each batch that is read, so that reading can be cancelled
    }
    if prompt.schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": dict(prompt.schema)}}
    return body


@dataclass(slots=True)
class _Answer:
    """Puts the events of one stream together."""

    check: Callable[[], None]
    pieces: list[str] = field(default_factory=list)
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    def receive(self, chunk: dict[str, Any]) -> None:
        self.check()
        if "error" in chunk:
            raise error_of(chunk["error"])
        for choice in chunk.get("choices", ()):
            self.pieces.append(choice.get("delta", choice).get("content") or choice.get("text") or "")
            self.finish = choice.get("finish_reason") or self.finish
        self.usage = chunk.get("usage") or self.usage

    def reply(self, seconds: float) -> Reply:
        if not self.finish or not self.usage:
            raise ModelTruncated("the model's answer has no end", "try again")
        return Reply(
            "".join(self.pieces),
            STOPS.get(self.finish, Stop.UNKNOWN),
            self.usage["prompt_tokens"],
            self.usage["completion_tokens"],
            seconds,
            self.usage.get("prompt_tokens_details", {}).get("cached_tokens", 0),
        )


def error_of(error: dict[str, Any]) -> LitecodeError:
    """llama.cpp's error object as one of ours."""
    kind, message = error.get("type"), str(error.get("message", "unknown error"))
    if kind == "exceed_context_size_error":
        return ModelTooLarge(
            f"the model's window is too small: {message}",
            "name a smaller part of the file, or set a larger window: git config --global litecode.window TOKENS",
            needed=int(error.get("n_prompt_tokens", 0)),
            window=int(error.get("n_ctx", 0)),
        )
    if kind == "unavailable_error":
        return ModelBusy(f"the model is not ready: {message}", "try again in a moment")
    found: ModelError = ModelBadReply(f"the model failed: {message}", "run `git litecode doctor`")
    found.retry = kind != "invalid_request_error"
    return found
