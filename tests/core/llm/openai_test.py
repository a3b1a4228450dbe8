"""The port over OpenAI-compatible servers, over real HTTP, against a server that imitates several of them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from litecode.core.budget.door import Door
from litecode.core.errors import (
    ConfigError,
    ModelAuth,
    ModelBadReply,
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelMissing,
    ModelNotRunning,
    ModelTooLarge,
    ModelTruncated,
    ModelUnsafe,
)
from litecode.core.llm import openai as openai_port
from litecode.core.llm.openai import OpenAIModel
from litecode.core.llm.openai_server import Server, address_of
from litecode.core.llm.providers import known_providers, provider_of
from litecode.core.store.facts import FactStore, ModelFacts
from litecode.core.values import Message, Prompt, Reply, Sampling, Stop

PROMPT = Prompt((Message("system", "Be short."), Message("user", "Hi")), 100)
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}


def port_to(fake: Any, window: int = 8192, **options: Any) -> OpenAIModel:
    return OpenAIModel(address_of(f"{fake.url}/v1"), "m", window, **options)


def as_provider(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    """Let the port take the test's server for that service."""
    monkeypatch.setattr(openai_port, "provider_of", lambda _host: provider_of(host))


class TestCall:
    def test_the_stream_is_put_together(self, fake_openai: Any) -> None:
        port = port_to(fake_openai)
        reply = port.complete(PROMPT)
        assert reply == Reply("Hello", Stop.END, 30, 2, reply.seconds, 7)
        assert (port.name, port.window, port.slots) == ("m (127.0.0.1)", 8192, 1)
        assert port.digest == f"{fake_openai.url}/v1#m"
        assert port.factor == 1.4
        assert port.count(PROMPT.messages) is None
        port.close()

    def test_what_is_sent(self, fake_openai: Any) -> None:
        port = port_to(fake_openai)
        port.complete(PROMPT)
        port.complete(Prompt(PROMPT.messages, 7, Sampling(0.7, 42), SCHEMA))
        first, second = fake_openai.chats()
        assert first == {
            "model": "m",
            "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}],
            "max_tokens": 100,
            "temperature": 0.0,
            "seed": 1,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        assert (second["max_tokens"], second["temperature"], second["seed"]) == (7, 0.7, 42)
        assert second["response_format"] == {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}

    @pytest.mark.parametrize(
        ("finish", "stop"), [("stop", Stop.END), ("length", Stop.LENGTH), ("content_filter", Stop.UNKNOWN)]
    )
    def test_why_it_stopped(self, fake_openai: Any, finish: str, stop: Stop) -> None:
        fake_openai.finish = finish
        assert port_to(fake_openai).complete(PROMPT).stop is stop

    def test_reasoning_is_no_answer(self, fake_openai: Any) -> None:
        fake_openai.midway = {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": {"reasoning_content": "hm", "reasoning": "hm"}, "finish_reason": None}],
        }
        assert port_to(fake_openai).complete(PROMPT).text == "Hello"

    def test_no_count_is_no_proof_of_anything(self, fake_openai: Any) -> None:
        fake_openai.usage = None
        assert port_to(fake_openai).complete(PROMPT).prompt_tokens == 0

    def test_an_answer_without_end_is_refused(self, fake_openai: Any) -> None:
        fake_openai.cut = True
        with pytest.raises(ModelTruncated, match="broke off"):
            port_to(fake_openai).complete(PROMPT)

    def test_an_answer_that_gets_too_long_is_refused(self, fake_openai: Any) -> None:
        fake_openai.pieces = ["x" * 10_000] * 20
        with pytest.raises(ModelBadReply, match="sends more than the 100 tokens asked for") as caught:
            port_to(fake_openai).complete(PROMPT)
        assert not caught.value.retry

    def test_a_closed_port(self, fake_openai: Any) -> None:
        port = port_to(fake_openai)
        port.close()
        with pytest.raises(ModelCancelled):
            port.complete(PROMPT)

    def test_importing_the_port_costs_no_client(self) -> None:
        script = "import sys, litecode.core.llm.openai; print(*sys.modules, sep='\\n')"
        done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True)
        assert {"openai", "httpx", "httpx2", "pydantic", "tiktoken"} & set(done.stdout.split()) == set()


class TestKeysAndWays:
    def test_only_the_key_that_was_given_is_sent(self, fake_openai: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "ambient")
        monkeypatch.setenv("OPENAI_ORG_ID", "org")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        port_to(fake_openai).complete(PROMPT)
        port_to(fake_openai, key="mine").complete(PROMPT)
        without, with_key = (headers for _, path, _, headers in fake_openai.asked if path == "/v1/chat/completions")
        assert "authorization" not in without
        assert with_key["authorization"] == "Bearer mine"
        for headers in (without, with_key):
            assert "ambient" not in str(headers)
            assert [name for name in headers if name.startswith(("openai-", "x-stainless"))] == []

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_a_redirect_is_not_followed(self, fake_openai: Any, status: int) -> None:
        fake_openai.refusals = [(status, {"Location": "http://127.0.0.1:9/v1/chat/completions"}, {})]
        with pytest.raises(ModelBadReply, match="is not an OpenAI-compatible server") as caught:
            port_to(fake_openai).complete(PROMPT)
        assert not caught.value.retry
        assert len(fake_openai.chats()) == 1

    @pytest.mark.parametrize(
        ("kind", "body"),
        [
            ("text/html", b"<html>sign in</html>"),
            ("application/json", b'{"ok": true}'),
            ("application/json", b"[]"),
            ("", b""),
        ],
    )
    def test_something_else_answers(self, fake_openai: Any, kind: str, body: bytes) -> None:
        fake_openai.raw = (kind, body)
        with pytest.raises(ModelBadReply, match="is not an OpenAI-compatible server"):
            port_to(fake_openai).complete(PROMPT)

    def test_an_error_without_a_status_is_one(self, fake_openai: Any) -> None:
        error = {"type": "exceed_context_size_error", "message": "too big", "n_prompt_tokens": 9, "n_ctx": 8}
        fake_openai.raw = ("application/json", json.dumps({"error": error}).encode())
        with pytest.raises(ModelTooLarge, match="9 tokens were asked for, 8 are allowed"):
            port_to(fake_openai).complete(PROMPT)

    def test_nothing_answers(self) -> None:
        port = OpenAIModel(address_of("http://127.0.0.1:9/v1"), "m", 8192)
        with pytest.raises(ModelNotRunning, match=r"nothing answers at http://127\.0\.0\.1:9/v1") as caught:
            port.complete(PROMPT)
        assert not caught.value.retry

    @pytest.mark.parametrize(
        ("text", "url"),
        [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
            ("http://localhost:1234", "http://localhost:1234/v1"),
            ("https://api.groq.com/openai/v1/", "https://api.groq.com:443/openai/v1"),
            ("http://[::1]:1/v1", "http://[::1]:1/v1"),
        ],
    )
    def test_addresses(self, text: str, url: str) -> None:
        assert address_of(text).url == url

    @pytest.mark.parametrize(
        "text",
        ["http://gpu.example.com/v1", "http://10.0.0.1:80/v1", "ftp://x/v1", "http://u:p@localhost/v1", "https://"],
    )
    def test_addresses_that_cannot_be_used(self, text: str) -> None:
        with pytest.raises(ConfigError):
            address_of(text)


def busy(text: str = "", **headers: str) -> tuple[int, dict[str, str], object]:
    return 429, {name.replace("_", "-"): value for name, value in headers.items()}, {"error": {"message": text}}


RESET = {"headers": {"X-RateLimit-Reset": "1"}}
LIMIT = "Limit 6000, Requested 9000"
OVERFLOW = (
    "Trying to keep the first 4500 tokens when context the overflows. However, the model is loaded with context length "
    "of only 4096 tokens"
)

REFUSALS: list[tuple[tuple[int, dict[str, str], object], type[ModelError], bool, str]] = [
    ((401, {}, {"error": {"message": "bad key"}}), ModelAuth, False, "refuses access: bad key"),
    ((403, {}, b"<html>no</html>"), ModelAuth, False, "refuses access"),
    ((402, {}, {"error": {"code": 402, "message": "more credits"}}), ModelAuth, False, "wants to be paid"),
    ((404, {}, {"error": {"message": "no m"}}), ModelMissing, False, "has no model m"),
    ((400, {}, {"error": {"message": "max_tokens is too long"}}), ModelBadReply, False, "failed: max_tokens"),
    ((500, {}, {"error": "boom"}), ModelBadReply, True, "failed: boom"),
    ((502, {}, b"<html>gateway</html>"), ModelBadReply, True, "failed"),
    ((503, {}, {"error": {"message": "Loading model", "type": "unavailable_error"}}), ModelBusy, True, "Loading model"),
    (busy("slow down", retry_after="2"), ModelBusy, True, "slow down"),
    (busy("Please try again in 9m38s."), ModelBusy, False, "try again in 9m38s"),
    (
        (413, {}, {"error": {"type": "tokens", "code": "rate_limit_exceeded", "message": LIMIT}}),
        ModelTooLarge,
        False,
        "9,000 tokens were asked for, 6,000 are allowed",
    ),
    ((413, {}, b"too large"), ModelTooLarge, False, "too large for the server"),
    (
        (400, {}, {"error": {"code": "context_length_exceeded", "message": "too many"}}),
        ModelTooLarge,
        False,
        "too large for the server",
    ),
    (
        (400, {}, {"message": "maximum context length is 8192 tokens. However, you requested 9000 tokens"}),
        ModelTooLarge,
        False,
        "9,000 tokens were asked for, 8,192 are allowed",
    ),
    (
        (400, {}, {"error": OVERFLOW}),
        ModelTooLarge,
        False,
        "4,500 tokens were asked for, 4,096 are allowed",
    ),
    (
        (400, {}, {"error": "Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)"}),
        ModelTooLarge,
        False,
        "5,000 tokens were asked for, 4,096 are allowed",
    ),
    (
        (429, {}, {"error": {"message": "Limit 6000, Used 5500, Requested 800. Please try again in 3s."}}),
        ModelBusy,
        True,
        "Used 5500",
    ),
    ((400, {}, [{"error": {"code": "429", "message": "quota"}}]), ModelBadReply, False, "quota"),
]


@pytest.mark.parametrize(("refusal", "kind", "retry", "words"), REFUSALS)
def test_a_refusal_is_said_in_our_words(
    fake_openai: Any, refusal: tuple[int, dict[str, str], object], kind: type[ModelError], retry: bool, words: str
) -> None:
    fake_openai.refusals = [refusal]
    with pytest.raises(ModelError, match=words) as caught:
        port_to(fake_openai).complete(PROMPT)
    assert (type(caught.value), caught.value.retry) == (kind, retry)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("event", "kind", "retry"),
    [
        ({"error": {"code": 502, "message": "upstream"}}, ModelBadReply, True),
        ({"error": {"code": "429", "message": "slow", "metadata": RESET}}, ModelBusy, True),
        ({"error": {"message": "broken"}}, ModelBadReply, True),
    ],
)
def test_an_error_in_the_middle_is_one(
    fake_openai: Any, event: dict[str, Any], kind: type[ModelError], retry: bool
) -> None:
    fake_openai.midway = event
    with pytest.raises(kind) as caught:
        port_to(fake_openai).complete(PROMPT)
    assert caught.value.retry is retry


def test_a_stream_that_ends_with_an_error_is_one(fake_openai: Any) -> None:
    fake_openai.finish = "error"
    with pytest.raises(ModelBadReply, match="in the middle of its answer"):
        port_to(fake_openai).complete(PROMPT)


class TestWhatServersTell:
    def test_llama_server(self, fake_openai: Any) -> None:
        fake_openai.kind = "llama"
        port = port_to(fake_openai)
        assert (port.window, port.slots, port.digest) == (4096, 3, "llama-server:q.gguf:7:9:151936")
        assert port.count(PROMPT.messages) == 9
        port.complete(PROMPT)
        assert fake_openai.chats()[0].items() >= {"cache_prompt": True, "top_k": 1, "repeat_penalty": 1.0}.items()
        assert port_to(fake_openai, window=2048, slots=1).window == 2048
        assert port_to(fake_openai, slots=1).slots == 1

    def test_vllm(self, fake_openai: Any) -> None:
        fake_openai.kind = "vllm"
        port = port_to(fake_openai)
        assert (port.window, port.slots, port.count(PROMPT.messages)) == (4096, 8, 11)

    def test_lm_studio(self, fake_openai: Any) -> None:
        fake_openai.kind = "lmstudio"
        port = port_to(fake_openai)
        assert (port.window, port.slots, port.factor, port.count(PROMPT.messages)) == (4096, 1, 1.02, None)

    def test_a_service_is_not_asked(self, fake_openai: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        as_provider(monkeypatch, "api.groq.com")
        port = port_to(fake_openai)
        assert (port.window, port.slots, port.name) == (6000, 4, "m (Groq)")
        assert fake_openai.asked == []

    def test_names(self, fake_openai: Any) -> None:
        assert Server(address_of(fake_openai.url), "").models() == ("m",)
        assert Server(address_of("http://127.0.0.1:9"), "").models() == ()

    @pytest.mark.parametrize(
        ("text", "safe"),
        [
            ("<div>", True),
            ("[INFO]", True),
            ("a < b", True),
            ("x = '<|im_end|>'", False),
            ("<|im_start|>system", False),
        ],
    )
    def test_marks_are_found_by_the_vocabulary(self, fake_openai: Any, text: str, safe: bool) -> None:
        fake_openai.kind = "llama"
        prompt = Prompt((Message("user", text),), 10)
        if safe:
            assert port_to(fake_openai).complete(prompt).text == "Hello"
        else:
            with pytest.raises(ModelUnsafe, match="would read as a mark of its own"):
                port_to(fake_openai).complete(prompt)
            assert fake_openai.chats() == []

    @pytest.mark.parametrize(
        ("text", "safe"), [("<div>", True), ("<|endoftext|>", False), ("[INST] x", False), ("<start_of_turn>", False)]
    )
    def test_marks_are_found_by_their_looks(self, fake_openai: Any, text: str, safe: bool) -> None:
        prompt = Prompt((Message("user", text),), 10)
        if safe:
            assert port_to(fake_openai).complete(prompt).text == "Hello"
        else:
            with pytest.raises(ModelUnsafe):
                port_to(fake_openai).complete(prompt)


class TestServices:
    def test_every_service_has_its_host(self) -> None:
        for provider in known_providers():
            assert all(provider_of(host) is provider for host in provider.hosts)
        assert provider_of("eu.api.openai.com") is provider_of("api.openai.com")
        assert provider_of("api.groq.com.evil.example") is None

    def test_openrouter_may_not_cut_prompts_nor_keep_them(
        self, fake_openai: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        as_provider(monkeypatch, "openrouter.ai")
        port = port_to(fake_openai)
        port.complete(PROMPT)
        port.complete(Prompt(PROMPT.messages, 10, schema=SCHEMA))
        plain, planned = fake_openai.chats()
        assert (plain["transforms"], plain["provider"]) == ([], {"data_collection": "deny"})
        assert (planned["transforms"], planned["provider"]) == (
            [],
            {"data_collection": "deny", "require_parameters": True},
        )
        assert "top_k" not in plain

    def test_the_limit_of_one_request_is_learnt_from_headers_and_kept(
        self, fake_openai: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        as_provider(monkeypatch, "api.groq.com")
        fake_openai.headers = {"x-ratelimit-limit-tokens": "7000", "x-ratelimit-remaining-tokens": "6000"}
        port = port_to(fake_openai, facts=FactStore(tmp_path))
        assert port.window == 6000
        port.complete(PROMPT)
        assert port.window == 7000
        assert port_to(fake_openai, facts=FactStore(tmp_path)).window == 7000

    def test_the_limit_of_one_request_is_learnt_from_a_refusal(self, fake_openai: Any, tmp_path: Path) -> None:
        message = "Request too large: Limit 5000, Requested 5200"
        fake_openai.refusals = [(413, {}, {"error": {"type": "tokens", "message": message}})]
        port = port_to(fake_openai, facts=FactStore(tmp_path))
        with pytest.raises(ModelTooLarge) as caught:
            port.complete(PROMPT)
        assert (caught.value.needed, caught.value.window) == (5200, 5000)
        assert port.window == port_to(fake_openai, facts=FactStore(tmp_path)).window == 5000

    def test_others_wait_too_when_one_was_refused(self, fake_openai: Any) -> None:
        fake_openai.refusals = [busy("slow down", retry_after="0.4")]
        port = port_to(fake_openai)
        with pytest.raises(ModelBusy):
            port.complete(PROMPT)
        started = time.monotonic()
        port.complete(PROMPT)
        assert time.monotonic() - started >= 0.3


class TestSchemas:
    NO_SCHEMA = (400, {}, {"error": {"message": "This model does not support response format `json_schema`"}})
    NO_OBJECT = (400, {}, {"error": {"message": "json_object is not supported"}})

    @pytest.mark.parametrize(
        ("refusals", "formats", "rung"),
        [
            ([], ["json_schema"], ""),
            ([NO_SCHEMA], ["json_schema", "json_object"], "object"),
            ([NO_SCHEMA, NO_OBJECT], ["json_schema", "json_object", None], "text"),
        ],
    )
    def test_the_way_down_is_remembered(
        self,
        fake_openai: Any,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        refusals: list[Any],
        formats: list[str | None],
        rung: str,
    ) -> None:
        monkeypatch.setattr("litecode.core.budget.door.PAUSE", 0.001)
        fake_openai.refusals = list(refusals)
        port = port_to(fake_openai, facts=FactStore(tmp_path))
        planned = Prompt(PROMPT.messages, 100, schema=SCHEMA)
        reply, _ = Door(port, clock=time.monotonic).complete(planned, "plan")
        assert reply.text == "Hello"
        chats = fake_openai.chats()
        assert [chat.get("response_format", {}).get("type") for chat in chats] == formats
        said = [json.dumps(SCHEMA) in chat["messages"][0]["content"] for chat in chats]
        assert said == [False, *[True] * (len(formats) - 1)]
        assert FactStore(tmp_path).get(f"{fake_openai.url}/v1#m").schema == rung
        Door(port_to(fake_openai, facts=FactStore(tmp_path)), clock=time.monotonic).complete(planned, "plan")
        assert fake_openai.chats()[-1].get("response_format", {}).get("type") == formats[-1]

    def test_code_is_never_asked_for_in_json(self, fake_openai: Any, tmp_path: Path) -> None:
        facts = FactStore(tmp_path)
        facts.change(f"{fake_openai.url}/v1#m", lambda _old: ModelFacts(schema="text"))
        port_to(fake_openai, facts=facts).complete(PROMPT)
        assert fake_openai.chats()[0]["messages"][0]["content"] == "Be short."
        assert "response_format" not in fake_openai.chats()[0]

    def test_the_schema_in_words_counts(self, fake_openai: Any, tmp_path: Path) -> None:
        facts = FactStore(tmp_path)
        facts.change(f"{fake_openai.url}/v1#m", lambda _old: ModelFacts(schema="object"))
        large = {"type": "object", "properties": {f"name_{n}": {"type": "string"} for n in range(200)}}
        door = Door(port_to(fake_openai, window=1024, facts=facts), clock=time.monotonic)
        door.complete(PROMPT, "x")
        with pytest.raises(ModelTooLarge):
            door.complete(Prompt(PROMPT.messages, 100, schema=large), "plan")


def test_without_the_package_the_way_to_get_it_is_told(fake_openai: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelNotRunning, match="the openai package is not installed") as caught:
        port_to(fake_openai).complete(PROMPT)
    assert caught.value.hint == "pip install 'litecode[openai]'"
