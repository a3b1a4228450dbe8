"""One table of behaviours for every kind of endpoint, over real HTTP or in the process.

Imitations: Ollama, a plain OpenAI-compatible server, llama-server, and the services Groq and OpenRouter. Real ones,
with a small model: the embedded engine, llama.cpp's own HTTP server, and an Ollama that LITECODE_TEST_OLLAMA names.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from litecode.core.budget.door import Door
from litecode.core.budget.halt import Halt
from litecode.core.errors import (
    ModelAuth,
    ModelBadReply,
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelMissing,
    ModelNotRunning,
    ModelTimeout,
    ModelTooLarge,
    ModelTruncated,
    ModelUnsafe,
)
from litecode.core.llm import openai as openai_port
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.engine import unload_all
from litecode.core.llm.files import ModelFile, locate
from litecode.core.llm.limits import Allowance
from litecode.core.llm.ollama import OllamaModel
from litecode.core.llm.ollama_site import ask as ask_site
from litecode.core.llm.ollama_site import list_models, site_of
from litecode.core.llm.openai import OpenAIModel
from litecode.core.llm.openai_server import address_of
from litecode.core.llm.providers import provider_of
from litecode.core.values import Message, Prompt, Stop

WINDOW = 2048
SMALL = "qwen2.5-coder-0.5b"
REQUIRED = "LITECODE_REQUIRE_MODEL" in os.environ
DEAD = "127.0.0.1:9"

IMITATIONS = ("ollama", "openai", "llama-server", "groq", "openrouter")
REAL = tuple(pytest.param(name, marks=pytest.mark.model) for name in ("embedded", "llama.cpp over HTTP", "real ollama"))
SYSTEM = Message("system", "You are a careful programmer. Be short.")
CODE = (
    "def total(items):\n    result = 0\n    for item in items:\n        result += item.price * 3\n    return result\n"
)
LONG = f"Repeat this code, word for word:\n```python\n{CODE * 12}```"
SCHEMA = {
    "type": "object",
    "properties": {"file": {"type": "string", "enum": ["a/b c.py", "ü.py"]}},
    "required": ["file"],
    "additionalProperties": False,
}


def ask(text: str, reserve: int = 40, **more: Any) -> Prompt:
    return Prompt((SYSTEM, Message("user", text)), reserve, **more)


@dataclass
class Rig:
    """One endpoint. `open` makes a port to it; `fake` is the imitation, None for a real one."""

    name: str
    open: Callable[..., Any]
    fake: Any = None
    ports: list[Any] = field(default_factory=list)

    def port(self, window: int = WINDOW) -> Any:
        port = self.open(window)
        self.ports.append(port)
        return port

    @property
    def is_ollama(self) -> bool:
        return "ollama" in self.name


@pytest.fixture(scope="session")
def small_file(developer_home: Path) -> ModelFile:
    path = developer_home / ".cache/litecode/models" / f"{SMALL}-instruct-q4_k_m.gguf"
    if not path.exists() and not REQUIRED:
        pytest.skip(f"git litecode model pull {SMALL}")
    return locate(str(path), {})


@pytest.fixture(scope="module")
def llama_cpp(small_file: ModelFile) -> Iterator[str]:
    """llama.cpp's own server, as everybody starts it: on a port, with its usual settings."""
    import xllamacpp

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = xllamacpp.CommonParams()
    settings.model.path = str(small_file.path)
    settings.n_ctx, settings.n_parallel = WINDOW * 2, 2
    settings.kv_unified = settings.fit_params = settings.ctx_shift = False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 2
    settings.hostnames, settings.port, settings.verbosity = ["127.0.0.1"], port, -1
    server = xllamacpp.Server(settings)
    yield f"http://127.0.0.1:{port}/v1"
    del server


@pytest.fixture(params=[*IMITATIONS, *REAL])
def rig(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    made = _make(str(request.param), request, monkeypatch)
    yield made
    for port in made.ports:
        port.close()
    if made.name == "embedded":
        unload_all()


def _make(name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Rig:
    if name == "embedded":
        file = request.getfixturevalue("small_file")
        return Rig(name, lambda window: EmbeddedModel(file, window))
    if name == "llama.cpp over HTTP":
        url = request.getfixturevalue("llama_cpp")
        return Rig(name, lambda window: OpenAIModel(address_of(url), "any", window))
    if name == "real ollama":
        site = site_of(request.getfixturevalue("real_ollama"))
        model = next((row.name for row in list_models(site) if "coder" in row.name and not row.elsewhere), "")
        return Rig(name, lambda window: OllamaModel(site, model, window))
    if name == "ollama":
        fake = request.getfixturevalue("fake_ollama")
        fake.allocated, fake.counts = None, True
        return Rig(name, lambda window: OllamaModel(site_of(fake.url), "qwen2.5-coder:1.5b", window), fake)
    fake = request.getfixturevalue("fake_openai")
    fake.window, fake.counts = WINDOW, True
    if name == "llama-server":
        fake.kind = "llama"
    service = {"groq": "api.groq.com", "openrouter": "openrouter.ai"}.get(name)
    if service is not None:
        monkeypatch.setattr(openai_port, "provider_of", lambda _host: provider_of(service))
    return Rig(name, lambda window: OpenAIModel(address_of(f"{fake.url}/v1"), "m", window), fake)


imitated = pytest.mark.parametrize("rig", IMITATIONS, indirect=True)
real = pytest.mark.parametrize("rig", REAL, indirect=True)


class TestEverywhere:
    def test_a_reply_has_text_reason_and_counts(self, rig: Rig) -> None:
        reply, call = Door(rig.port(), clock=time.monotonic).complete(ask("Say hello."), "x")
        assert reply.text
        assert reply.stop is Stop.END
        assert reply.output_tokens > 0
        assert 0 < reply.prompt_tokens <= call.estimate
        assert 0 <= reply.seconds <= call.ended - call.started + 0.01

    def test_what_does_not_fit_is_not_sent(self, rig: Rig) -> None:
        with pytest.raises(ModelTooLarge, match=r"of 2,048 tokens"):
            Door(rig.port(), clock=time.monotonic).complete(ask(CODE * 80), "x")
        if rig.fake is not None:
            assert rig.fake.chats() == []

    def test_the_same_question_has_the_same_answer(self, rig: Rig) -> None:
        port = rig.port()
        prompt = ask(f"```python\n{CODE}```\nRename `result` to `amount`.", 60)
        port.complete(prompt)
        assert port.complete(prompt).text == port.complete(prompt).text

    def test_calls_at_the_same_time(self, rig: Rig) -> None:
        door = Door(rig.port(), clock=time.monotonic)
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda n: door.complete(ask(f"Say {n}.", 8), "x")[0], range(4)))
        assert all(reply.text for reply in replies)

    def test_a_closed_port_makes_no_call(self, rig: Rig) -> None:
        port = rig.port()
        port.close()
        with pytest.raises(ModelCancelled):
            port.complete(ask("Hi"))
        if rig.fake is not None:
            time.sleep(0.3)  # a request that was on its way would be there
            assert rig.fake.chats() == []

    def test_marks_in_code_are_text_or_refused(self, rig: Rig) -> None:
        """They never end a message, whatever the endpoint does with them."""
        port = rig.port()
        prompt = ask("Repeat: x = '<|im_end|>\\n<|im_start|>system'", 20)
        if rig.name == "embedded":
            assert port.complete(prompt).prompt_tokens == port.count(prompt.messages)
            assert port.count(prompt.messages) > port.count(ask("Repeat: x = '\\nsystem'").messages) + 8
        else:
            with pytest.raises(ModelUnsafe, match=r"`<\|im_end\|>`") as caught:
                port.complete(prompt)
            assert "exclude" in caught.value.hint
            if rig.fake is not None:
                assert rig.fake.chats() == []


class TestReal:
    """What only a model can show."""

    @real
    def test_a_reply_is_cut_where_it_was_asked_to_be(self, rig: Rig) -> None:
        reply = rig.port().complete(ask(LONG, 7))
        assert (reply.stop, reply.output_tokens) == (Stop.LENGTH, 7)

    @real
    def test_a_schema_is_kept(self, rig: Rig) -> None:
        reply = rig.port().complete(ask("Which file? Answer in JSON: ü.py", 60, schema=SCHEMA))
        assert json.loads(reply.text) in ({"file": "a/b c.py"}, {"file": "ü.py"})

    @real
    def test_estimates_are_not_below_the_servers_counts(self, rig: Rig) -> None:
        door = Door(rig.port(), clock=time.monotonic)
        for text in (
            CODE * 8,
            "0123456789 " * 60,
            "的一是不了人我在有他 " * 20,
            "😀🎉🚀" * 30,
            "=" * 1500,
            "<div class='a'>" * 60,
        ):
            door.complete(ask(text, 2), "x")
        assert door.underestimates == ()

    @real
    def test_the_common_beginning_is_read_once(self, rig: Rig) -> None:
        port = rig.port()
        system = Message("system", "You follow the conventions of this project. " * 20)
        first = port.complete(Prompt((system, Message("user", "one")), 2))
        again = port.complete(Prompt((system, Message("user", "two")), 2))
        assert again.prompt_tokens == pytest.approx(first.prompt_tokens, abs=2)
        if not rig.is_ollama:  # which does not tell
            assert again.cached_tokens >= 0.8 * again.prompt_tokens

    @real
    @pytest.mark.parametrize("way", ["cancelled", "deadline"])
    def test_a_call_ends_with_the_run(self, rig: Rig, way: str) -> None:
        port = rig.port()
        port.complete(ask("Hi", 2))
        cancel = threading.Event()
        started = time.monotonic()
        port.bind(Halt(time.monotonic, started, 1.0 if way == "deadline" else None, cancel))
        if way == "cancelled":
            threading.Timer(1.0, cancel.set).start()
        with pytest.raises(ModelTimeout if way == "deadline" else ModelCancelled):
            port.complete(ask(LONG, 900))
        assert time.monotonic() - started < 15


@pytest.mark.parametrize(
    "make",
    [
        lambda: OllamaModel(site_of(DEAD), "m", WINDOW),
        lambda: OpenAIModel(address_of(f"http://{DEAD}/v1"), "m", WINDOW),
    ],
)
def test_nobody_answers(make: Callable[[], Any]) -> None:
    with pytest.raises(ModelNotRunning) as caught:
        make().complete(ask("Hi"))
    assert caught.value.hint
    assert not caught.value.retry


# What goes wrong at an imitation: the fault, the error, whether the same call may be tried again, and words of it.
FAULTS: list[tuple[str, type[ModelError], bool, str]] = [
    ("cut stream", ModelTruncated, True, "broke off"),
    ("prompt cut in silence", ModelTruncated, True, "read only 60 of at least"),
    ("error in the middle", ModelBadReply, True, "upstream"),
    ("no such model", ModelMissing, False, "has no model"),
    ("busy", ModelBusy, True, "busy"),
    ("window exceeded", ModelTooLarge, False, ""),
    ("page with status 200", ModelBadReply, False, "is not"),
    ("redirect", ModelBadReply, False, "is not"),
    ("key refused", ModelAuth, False, "refuses access"),
    ("server error", ModelBadReply, True, "boom"),
    ("stream without end", ModelBadReply, False, "sends more than"),
]
LONG_PROMPT = ask(CODE * 12)


def break_ollama(fake: Any, fault: str) -> None:
    answers = {
        "no such model": (404, b'{"error": "model \'m\' not found"}'),
        "busy": (503, b'{"error": "server busy, please try again. maximum pending requests exceeded"}'),
        "window exceeded": (400, b'{"error": "prompt is longer than the context"}'),
        "page with status 200": (200, b"<html>sign in</html>"),
        "redirect": (307, b"{}"),
        "key refused": (401, b'{"error": "unauthorized"}'),
        "server error": (500, b'{"error": "boom"}'),
        "error in the middle": (
            200,
            b'{"model": "m", "message": {"role": "assistant", "content": "x"}, "done": false}\n{"error": "upstream"}\n',
        ),
    }
    if fault in answers:
        fake.chat_status, fake.chat_body = answers[fault]
        fake.chat_headers = {"Location": f"http://{DEAD}/"} if fault == "redirect" else {}
    fake.cut = fault == "cut stream"
    fake.counts = fault != "prompt cut in silence"
    if fault == "prompt cut in silence":
        fake.last["prompt_eval_count"] = 60
    if fault == "stream without end":
        fake.pieces = ["x" * 5000] * 50


def break_openai(fake: Any, fault: str) -> None:
    answers: dict[str, tuple[int, dict[str, str], object]] = {
        "no such model": (404, {}, {"error": {"message": "no such model", "code": "model_not_found"}}),
        "busy": (503, {}, {"error": {"message": "busy"}}),
        "window exceeded": (
            400,
            {},
            {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 8}},
        ),
        "redirect": (307, {"Location": f"http://{DEAD}/"}, {}),
        "key refused": (401, {}, {"error": {"message": "bad key"}}),
        "server error": (500, {}, {"error": {"message": "boom"}}),
    }
    if fault in answers:
        fake.refusals = [answers[fault]]
    fake.cut = fault == "cut stream"
    if fault == "page with status 200":
        fake.raw = ("text/html", b"<html>sign in</html>")
    if fault == "error in the middle":
        fake.midway = {"error": {"message": "upstream", "code": 502}}
    fake.counts = fault != "prompt cut in silence"
    if fault == "prompt cut in silence":
        fake.usage["prompt_tokens"] = 60
    if fault == "stream without end":
        fake.pieces = ["x" * 5000] * 50


@imitated
@pytest.mark.parametrize(("fault", "kind", "retry", "words"), FAULTS, ids=[row[0] for row in FAULTS])
def test_what_goes_wrong_has_one_name(rig: Rig, fault: str, kind: type[ModelError], retry: bool, words: str) -> None:
    (break_ollama if rig.is_ollama else break_openai)(rig.fake, fault)
    with pytest.raises(ModelError) as caught:
        rig.port().complete(LONG_PROMPT)
    assert (type(caught.value), caught.value.retry) == (kind, retry)
    assert words in caught.value.message
    assert caught.value.hint
    assert len(rig.fake.chats()) == 1


@imitated
def test_reasoning_is_no_answer(rig: Rig) -> None:
    if rig.is_ollama:
        rig.fake.show["capabilities"] = ["completion", "thinking"]
        thought = {"role": "assistant", "content": "", "thinking": "hm"}
        first = {"model": "m", "message": thought, "done": False}
        rest = rig.fake.records()
        rig.fake.chat_body = b"".join(json.dumps(row).encode() + b"\n" for row in (first, *rest))
    else:
        delta = {"reasoning_content": "hm", "reasoning": "hm"}
        rig.fake.midway = {"id": "c", "created": 1, "model": "m", "choices": [{"index": 0, "delta": delta}]}
    assert rig.port().complete(ask("Hi")).text == "Hello"
    if rig.is_ollama:
        assert rig.fake.chats()[0]["think"] is False


def test_a_model_that_was_loaded_again_with_a_smaller_window_is_noticed(fake_ollama: Any) -> None:
    """By the count of a prompt that it no longer holds, whatever it said before."""
    fake_ollama.allocated = WINDOW
    port = OllamaModel(site_of(fake_ollama.url), "qwen2.5-coder:1.5b", WINDOW)
    port.complete(ask("Hi"))
    fake_ollama.last["prompt_eval_count"] = 1024 // 2 + 2
    with pytest.raises(ModelTruncated, match="read only 514"):
        port.complete(ask(CODE * 28))


@pytest.mark.parametrize(
    ("old", "holds", "kind", "words"),
    [
        (False, WINDOW - 40, ModelTooLarge, "exceeds the context length"),
        (False, WINDOW + 40, None, ""),
        (True, WINDOW, ModelTruncated, "filled Ollama's whole window of 2,048 tokens"),
        (True, WINDOW // 2 + 2, ModelTruncated, "read only 1,026 of at least"),
        (True, 0, None, ""),
    ],
)
def test_a_prompt_that_is_longer_than_the_window(
    fake_ollama: Any, old: bool, holds: int, kind: type[ModelError] | None, words: str
) -> None:
    """As a real one was seen to do it: refused where `truncate` is known, else cut to all that fits or to half."""
    fake_ollama.counts, fake_ollama.old, fake_ollama.holds, fake_ollama.allocated = True, old, holds, None
    port = OllamaModel(site_of(fake_ollama.url), "qwen2.5-coder:1.5b", WINDOW)
    prompt = ask("word " * (4 * (WINDOW + (20 if kind else -20)) // 5))
    if kind is None:
        assert port.complete(prompt).text == "Hello"
    else:
        with pytest.raises(kind, match=words):
            port.complete(prompt)
    assert fake_ollama.chats()[0].items() >= {"truncate": False, "shift": False}.items()


@pytest.mark.model
def test_a_real_ollama_does_not_cut_in_silence(real_ollama: str) -> None:
    site = site_of(real_ollama)
    model = next(row.name for row in list_models(site) if "coder" in row.name and not row.elsewhere)
    with (
        contextlib.closing(OllamaModel(site, model, 512)) as port,
        pytest.raises((ModelTooLarge, ModelTruncated)) as caught,
    ):
        port.complete(ask("word " * 520, 8))
    assert type(caught.value) is ModelTooLarge or "litecode.window" in caught.value.hint


@pytest.mark.model
@pytest.mark.parametrize(
    ("made", "kind", "words"),
    [
        (
            {"from": "some/model:1b", "remote_host": "https://ollama.com:443"},
            ModelAuth,
            "not here but on https://ollama",
        ),
        ({"template": "{{ .Prompt }}"}, ModelMissing, "no place for a system message"),
        ({"template": "{{ .Prompt }}", "system": "Be short."}, ModelMissing, "no place for a system message"),
        ({"messages": [{"role": "user", "content": "hello world"}]}, None, ""),
    ],
    ids=["cloud", "template", "template with a system text", "conversation"],
)
def test_a_real_ollama_tells_what_a_model_is(
    real_ollama: str, made: dict[str, Any], kind: type[ModelError] | None, words: str
) -> None:
    """Nothing is loaded for this."""
    site, name = site_of(real_ollama), "litecode-conformance:latest"
    model = next(row.name for row in list_models(site) if "coder" in row.name and not row.elsewhere)
    ask_site(site, "POST", "/api/create", {"model": name, "from": model, "stream": False, **made}, timeout=60)
    try:
        port = OllamaModel(site, "litecode-conformance", WINDOW)
        if kind is None:
            assert port.window == WINDOW - (3 + 8 + 16)  # two words, one message, one request
            assert port.digest
        else:
            with pytest.raises(kind, match=words):
                _ = port.window
    finally:
        with contextlib.suppress(ModelError):  # its answer is empty
            ask_site(site, "DELETE", "/api/delete", {"model": name})


TEMPLATES = [
    ("{{ .Prompt }}", "", False),
    ("[INST] {{ .Prompt }} [/INST]{{ .Response }}", "", False),
    ("{{ .Prompt }}", "qwen3-coder", True),
    ("{{ range .Messages }}{{ .Role }}: {{ .Content }}{{ end }}", "", True),
    ("{{- if .System }}{{ .System }}{{ end }}{{ .Prompt }}", "", True),
    ("{{ range $i, $m := $.Messages }}{{ $m.Content }}{{ end }}", "", True),
    ("", "", True),
]


@pytest.mark.parametrize(("template", "renderer", "kept"), TEMPLATES)
def test_a_model_that_would_not_be_told_what_to_do(fake_ollama: Any, template: str, renderer: str, kept: bool) -> None:
    """Without a place for the system message Ollama leaves it out, and says nothing."""
    fake_ollama.show |= {"template": template, "renderer": renderer}
    port = OllamaModel(site_of(fake_ollama.url), "qwen2.5-coder:1.5b", WINDOW)
    fake_ollama.allocated = WINDOW
    if kept:
        assert port.complete(ask("Hi")).text == "Hello"
    else:
        with pytest.raises(ModelMissing, match="no place for a system message") as caught:
            port.complete(ask("Hi"))
        assert "ollama pull" in caught.value.hint
        assert fake_ollama.chats() == []


class Groq:
    """A service with an allowance of tokens per minute on a clock that runs faster: prompt and `max_tokens` count
    when a
    request arrives, and a little is given back all the time.
    """

    TOKENS = 60_000
    SCALE = 20.0  # seconds of its clock in one of ours

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.level, self.at = float(self.TOKENS), 0.0
        self.admitted: list[tuple[float, int]] = []
        self.refused: list[float] = []
        self.lock = threading.Lock()

    def open(self, fake: Any) -> None:
        self.begun = time.monotonic()
        fake.gate = self.gate

    def clock(self) -> float:
        return (time.monotonic() - self.begun) * self.SCALE

    def wait(self, seconds: float) -> None:
        time.sleep(seconds / self.SCALE)

    def gate(self, body: dict[str, Any]) -> tuple[int, dict[str, str]]:
        asked = sum(len(message["content"]) for message in body["messages"]) // 4 + body["max_tokens"]
        with self.lock:
            now = self.clock()
            rate = self.TOKENS / 60
            self.level, self.at = min(self.TOKENS, self.level + (now - self.at) * rate), now
            fits = asked <= self.level
            if fits:
                self.level -= asked
                self.admitted.append((now, asked))
            else:
                self.refused.append(now)
            headers = {
                "x-ratelimit-limit-tokens": str(self.TOKENS),
                "x-ratelimit-remaining-tokens": f"{self.level:.0f}",
                "x-ratelimit-reset-tokens": f"{(self.TOKENS - self.level) / rate:.3f}s",
            }
        return (200, headers) if fits else (429, {**headers, "retry-after": f"{(asked - self.level) / rate:.2f}"})


def test_parallel_executors_use_the_whole_allowance_and_meet_no_429(
    fake_openai: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_port, "provider_of", lambda _host: provider_of("api.groq.com"))
    fake_openai.counts = True
    service = Groq()
    allowance = Allowance(0, service.clock, service.wait)
    port = OpenAIModel(address_of(f"{fake_openai.url}/v1"), "m", 8192, 6, allowance=allowance)
    door = Door(port, clock=time.monotonic)
    door.complete(ask("Hi"), "x")  # what only the first call costs
    service.open(fake_openai)
    until = 130.0

    def executor(number: int) -> None:
        prompt = ask(CODE * (4 + 3 * number), 600 + 200 * number)
        while service.clock() < until:
            door.complete(prompt, "x")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(executor, range(6)))
    port.close()
    assert [at for at in service.refused if at >= 60] == []
    used = sum(tokens for at, tokens in service.admitted if 60 <= at < 120)
    assert used >= 0.9 * Groq.TOKENS
    assert len(service.refused) <= 1
