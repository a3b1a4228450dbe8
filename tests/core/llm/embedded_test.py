"""The embedded port around its engine: what it asks, how it reads the answer, what it refuses before loading.

The engine itself is tested with a real model in tests/model.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.budget.halt import Halt
from litecode.core.errors import (
    ModelBadReply,
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelMissing,
    ModelNotRunning,
    ModelTimeout,
    ModelTooLarge,
    ModelTruncated,
)
from litecode.core.llm import embedded, engine
from litecode.core.llm.embedded import EmbeddedModel, memory_needed
from litecode.core.llm.files import ModelFile
from litecode.core.llm.models import KnownModel, known_models
from litecode.core.values import Message, Prompt, Reply, Sampling, Stop

MESSAGES = (Message("system", "Be short."), Message("user", "Hi"))
USAGE = {"prompt_tokens": 20, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}


def piece(text: str | None = None, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}]}


class Script:
    """An engine that answers with the given events."""

    def __init__(self, *events: dict[str, Any], before: Callable[[int], None] = lambda _n: None) -> None:
        self.events = events
        self.before = before
        self.bodies: list[dict[str, Any]] = []

    def stream(self, body: dict[str, Any], on_chunk: Callable[[dict[str, Any]], None]) -> None:
        self.bodies.append(body)
        for n, event in enumerate(self.events):
            self.before(n)
            on_chunk(event)

    def count(self, messages: list[dict[str, str]]) -> int | None:
        return sum(len(message["content"].split()) for message in messages)

    def literal(self, messages: list[dict[str, str]]) -> list[int] | None:
        return [1, 2, 3] if any("<|im_end|>" in message["content"] for message in messages) else None


DONE = (piece(), piece("Hel"), piece("lo"), piece(finish="stop"), {"choices": [], "usage": USAGE})


@pytest.fixture
def port_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Script], EmbeddedModel]:
    def make(script: Script) -> EmbeddedModel:
        path = tmp_path / "own.gguf"
        path.write_bytes(b"GGUF")
        monkeypatch.setattr(engine, "engine_for", lambda _load: script)
        return EmbeddedModel(ModelFile(path, 4, None), 2048)

    return make


def test_the_events_of_an_answer_are_put_together(port_over: Callable[[Script], EmbeddedModel]) -> None:
    reply = port_over(Script(*DONE)).complete(Prompt(MESSAGES, 100))
    assert reply == Reply("Hello", Stop.END, 20, 3, reply.seconds, 8)
    assert reply.seconds >= 0


@pytest.mark.parametrize(
    ("finish", "stop"), [("stop", Stop.END), ("length", Stop.LENGTH), ("tool_calls", Stop.UNKNOWN)]
)
def test_why_it_stopped(port_over: Callable[[Script], EmbeddedModel], finish: str, stop: Stop) -> None:
    script = Script(piece("x"), piece(finish=finish), {"choices": [], "usage": USAGE})
    assert port_over(script).complete(Prompt(MESSAGES, 100)).stop is stop


@pytest.mark.parametrize(
    "events", [(), (piece("Hel"),), (piece("Hello"), piece(finish="stop")), (piece("x"), {"usage": USAGE})]
)
def test_an_answer_without_its_end_is_refused(
    port_over: Callable[[Script], EmbeddedModel], events: tuple[dict[str, Any], ...]
) -> None:
    with pytest.raises(ModelTruncated):
        port_over(Script(*events)).complete(Prompt(MESSAGES, 100))


def test_everything_that_decides_the_answer_is_said(port_over: Callable[[Script], EmbeddedModel]) -> None:
    script = Script(*DONE)
    port = port_over(script)
    port.complete(Prompt(MESSAGES, 100))
    port.complete(Prompt(MESSAGES, 7, Sampling(0.7, 42), {"type": "object"}))
    greedy, sampled = script.bodies
    assert greedy["messages"] == [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}]
    wanted = {"max_tokens": 100, "temperature": 0.0, "seed": 1, "top_k": 1, "top_p": 1.0, "min_p": 0.0}
    neutral = {"repeat_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0, "dry_multiplier": 0.0}
    assert (
        wanted.items() | neutral.items() <= {k: v for k, v in greedy.items() if not isinstance(v, list | dict)}.items()
    )
    assert "response_format" not in greedy
    assert (sampled["max_tokens"], sampled["temperature"], sampled["seed"], sampled["top_k"]) == (7, 0.7, 42, 40)
    assert sampled["response_format"] == {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}


@pytest.mark.parametrize(
    ("error", "kind", "retry", "words"),
    [
        (
            {"type": "exceed_context_size_error", "message": "9 tokens", "n_prompt_tokens": 9, "n_ctx": 8, "code": 400},
            ModelTooLarge,
            False,
            "window is too small: 9 tokens",
        ),
        ({"type": "unavailable_error", "message": "loading", "code": 503}, ModelBusy, True, "not ready: loading"),
        ({"type": "server_error", "message": "boom", "code": 500}, ModelBadReply, True, "failed: boom"),
        ({"type": "invalid_request_error", "message": "no", "code": 400}, ModelBadReply, False, "failed: no"),
        ({}, ModelBadReply, True, "failed: unknown error"),
    ],
)
def test_errors_become_ours(
    port_over: Callable[[Script], EmbeddedModel], error: dict[str, Any], kind: type[ModelError], retry: bool, words: str
) -> None:
    with pytest.raises(kind, match=words) as caught:
        port_over(Script({"error": error})).complete(Prompt(MESSAGES, 100))
    assert caught.value.retry is retry
    if isinstance(caught.value, ModelTooLarge):
        assert (caught.value.needed, caught.value.window) == (9, 8)


def test_a_call_ends_between_two_events_when_the_run_does(port_over: Callable[[Script], EmbeddedModel]) -> None:
    cancel = threading.Event()
    script = Script(*DONE, before=lambda n: cancel.set() if n == 2 else None)
    port = port_over(script)
    port.bind(Halt(lambda: 0.0, 0.0, None, cancel))
    with pytest.raises(ModelCancelled):
        port.complete(Prompt(MESSAGES, 100))

    now = [0.0]
    port = port_over(Script(*DONE, before=lambda n: now.__setitem__(0, 20.0 * n)))
    port.bind(Halt(lambda: now[0], 0.0, 30.0))
    with pytest.raises(ModelTimeout):
        port.complete(Prompt(MESSAGES, 100))

    port = port_over(Script(*DONE, before=lambda n: port.close() if n == 1 else None))
    with pytest.raises(ModelCancelled):
        port.complete(Prompt(MESSAGES, 100))


def test_count_is_the_engines(port_over: Callable[[Script], EmbeddedModel]) -> None:
    assert port_over(Script()).count(MESSAGES) == 3


def test_name_window_and_factor_of_known_and_unknown_files(tmp_path: Path) -> None:
    model = known_models()[0]
    port = EmbeddedModel(ModelFile(tmp_path / model.file, model.size, model), 100_000, 2)
    assert (port.name, port.window, port.slots, port.factor) == ("qwen2.5-coder-1.5b (embedded)", 32768, 2, 1.02)
    port = EmbeddedModel(ModelFile(tmp_path / "own.gguf", 10, None), 100_000)
    assert (port.name, port.window, port.slots, port.factor) == ("own.gguf (embedded)", 100_000, 1, 1.4)


class TestMemory:
    def test_need_grows_with_window_and_slots(self) -> None:
        model = known_models()[0]
        file = ModelFile(Path("/m"), model.size, model)
        base = model.size + 192 * 1024**2
        assert memory_needed(file, 8192, 1) == base + 8192 * (28672 + 32768)
        assert memory_needed(file, 8192, 4) == base + 8192 * (4 * 28672 + 32768)
        unknown = ModelFile(Path("/m"), model.size, None)
        assert memory_needed(unknown, 8192, 1) == base + 8192 * (131_072 + 32768)

    def test_too_little_is_refused_with_the_numbers_before_loading(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engine, "engine_for", lambda _load: pytest.fail("loaded"))
        port = EmbeddedModel(ModelFile(tmp_path / "no", 1 << 30, None), 8192, 2, memory=lambda: 700 << 20)
        with pytest.raises(ModelNotRunning) as caught:
            port.load()
        assert str(caught.value) == (
            "no (embedded) needs 3,520 MiB of memory (window 8,192, 2 slots), 700 MiB are free"
        )
        assert "litecode.model qwen2.5-coder-0.5b" in caught.value.hint

    @pytest.mark.parametrize("free", [None, 1 << 40])
    def test_enough_or_unknown_is_no_obstacle(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int | None
    ) -> None:
        path = tmp_path / "own.gguf"
        path.write_bytes(b"GGUF")
        loaded: list[Any] = []
        monkeypatch.setattr(engine, "engine_for", loaded.append)
        EmbeddedModel(ModelFile(path, 4, None), 2048, 3, memory=lambda: free).load()
        assert [(load.path, load.window, load.slots) for load in loaded] == [(path, 2048, 3)]

    def test_wrong_bytes_are_refused_before_loading(
        self, tmp_path: Path, small_model: KnownModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engine, "engine_for", lambda _load: pytest.fail("loaded"))
        path = tmp_path / small_model.file
        path.write_bytes(bytes(small_model.size))
        port = EmbeddedModel(ModelFile(path, small_model.size, small_model), 2048)
        with pytest.raises(ModelMissing, match="is not small"):
            port.load()
        with pytest.raises(ModelMissing, match="is not small"):
            _ = port.digest


@pytest.mark.parametrize(
    ("fault", "message", "hint"),
    [
        ("sys.modules['xllamacpp'] = None", "the embedded engine is not installed", "pip install 'litecode[embedded]'"),
        ("open('xllamacpp.py', 'w').write('raise ImportError(\"libgomp.so.1: no\")')", "cannot be loaded", "libgomp1"),
        ("open('xllamacpp.py', 'w').write('raise ImportError(\"bad ELF\")')", "cannot be loaded: bad ELF", "again"),
    ],
)
def test_an_engine_that_is_not_there(fault: str, message: str, hint: str, hermetic: Path) -> None:
    script = f"""
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {str(hermetic)!r})
{fault}
from pathlib import Path
from litecode.core.errors import ModelNotRunning
from litecode.core.llm.engine import engine_for, Load
try:
    engine_for(Load(Path("x"), 1, 1, 1))
except ModelNotRunning as error:
    print(error, "|", error.hint)
"""
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, cwd=hermetic)
    assert done.stderr == ""
    said, remedy = done.stdout.split("|")
    assert message in said
    assert hint in remedy


def test_a_file_that_is_no_model_is_refused_in_silence(tmp_path: Path) -> None:
    """Real engine, in a process of its own, so that what the native side writes is seen."""
    path = tmp_path / "junk.gguf"
    path.write_bytes(b"GGUF" + bytes(1000))
    script = f"""
from pathlib import Path
from litecode.core.errors import ModelMissing
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.files import ModelFile
try:
    EmbeddedModel(ModelFile(Path({str(path)!r}), 1004, None), 512).load()
except ModelMissing as error:
    print(error, "|", error.hint)
"""
    environ = {"TMPDIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{path} cannot be loaded | fetch it again, or upgrade xllamacpp")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["junk.gguf", "junk.gguf.sha256.json"]


def test_importing_the_port_costs_no_engine() -> None:
    script = "import sys, litecode.core.llm.embedded; print(*sys.modules, sep='\\n')"
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True)
    assert {"xllamacpp", "tiktoken", "ollama", "httpx", "http.client"} & set(done.stdout.split()) == set()
    assert embedded.EmbeddedModel is EmbeddedModel
