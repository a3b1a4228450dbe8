"""The Ollama port over real HTTP, against a server that imitates what Ollama documents and what it was seen to do."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from typing import Any, ClassVar

import pytest

from litecode.core.budget.door import Door
from litecode.core.budget.halt import Halt
from litecode.core.errors import (
    ConfigError,
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
from litecode.core.llm import ollama as ollama_port
from litecode.core.llm.ollama import OllamaModel
from litecode.core.llm.ollama_site import Site, ask, check_consent, is_answering, list_models, marks_of, site_of
from litecode.core.values import Message, Prompt, Reply, Sampling, Stop

MODEL = "qwen2.5-coder:1.5b"
PROMPT = Prompt((Message("system", "Be short."), Message("user", "Hi")), 100)


def port_to(fake: Any, window: int = 8192, **options: Any) -> OllamaModel:
    return OllamaModel(site_of(fake.url), MODEL, window, **options)


class TestCall:
    def test_the_stream_is_put_together(self, fake_ollama: Any) -> None:
        port = port_to(fake_ollama)
        reply = port.complete(PROMPT)
        assert reply == Reply("Hello", Stop.END, 30, 2, reply.seconds)
        assert (port.name, port.digest, port.window, port.slots) == (f"{MODEL} (ollama)", "d15", 8192, 1)
        assert port.factor == 1.02
        assert port.count(PROMPT.messages) is None
        port.close()

    def test_everything_that_decides_the_answer_is_sent_the_same_each_time(self, fake_ollama: Any) -> None:
        port = port_to(fake_ollama, window=4096)
        fake_ollama.allocated = 4096
        port.complete(PROMPT)
        port.complete(Prompt(PROMPT.messages, 7, Sampling(0.7, 42), {"type": "object"}))
        port.close()
        first, second = fake_ollama.chats()
        assert first["model"] == MODEL
        assert first["messages"] == [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}]
        assert first["stream"] is True
        assert first["keep_alive"] == "15m"
        assert "format" not in first
        assert "think" not in first
        wanted = {"num_ctx": 4096, "num_predict": 100, "temperature": 0.0, "seed": 1, "repeat_penalty": 1.0}
        assert wanted.items() <= first["options"].items()
        assert (second["options"]["num_ctx"], second["options"]["num_predict"]) == (4096, 7)
        assert (second["options"]["temperature"], second["options"]["seed"]) == (0.7, 42)
        assert second["format"] == {"type": "object"}
        assert [path for _, path, _, _ in fake_ollama.asked].count("/api/ps") == 1
        assert [path for _, path, _, _ in fake_ollama.asked].count("/api/show") == 1

    @pytest.mark.parametrize(
        ("architecture", "capabilities", "think"),
        [
            ("qwen3", ["completion", "thinking"], False),
            ("gptoss", ["completion", "thinking"], "low"),
            ("qwen2", ["completion"], None),
        ],
    )
    def test_thinking_is_switched_off(
        self, fake_ollama: Any, architecture: str, capabilities: list[str], think: object
    ) -> None:
        fake_ollama.show = {"model_info": {"general.architecture": architecture}, "capabilities": capabilities}
        port_to(fake_ollama).complete(PROMPT)
        assert fake_ollama.chats()[0].get("think") == think

    @pytest.mark.parametrize(
        ("reason", "stop"), [("stop", Stop.END), ("length", Stop.LENGTH), ("load", Stop.UNKNOWN), (None, Stop.UNKNOWN)]
    )
    def test_why_it_stopped(self, fake_ollama: Any, reason: str | None, stop: Stop) -> None:
        fake_ollama.last["done_reason"] = reason
        assert port_to(fake_ollama).complete(PROMPT).stop is stop

    def test_the_trained_window_and_the_preset_conversation_leave_less(self, fake_ollama: Any) -> None:
        fake_ollama.show["model_info"]["qwen2.context_length"] = 2048
        fake_ollama.show["messages"] = [
            {"role": "user", "content": "hello world"},
            {"role": "assistant", "content": "hi"},
        ]
        port = port_to(fake_ollama)
        assert port.window == 2048 - (4 + 2 * 8 + 16)
        port.complete(PROMPT)
        assert fake_ollama.chats()[0]["options"]["num_ctx"] == 2048

    def test_no_count_is_no_proof_of_anything(self, fake_ollama: Any) -> None:
        del fake_ollama.last["prompt_eval_count"]
        assert port_to(fake_ollama).complete(PROMPT).prompt_tokens == 0


class TestTruncation:
    def test_a_prompt_that_was_cut_in_silence_is_noticed(self, fake_ollama: Any) -> None:
        """As if a server with a window of 4,096 had kept its newer half: status 200, a normal stop reason."""
        fake_ollama.last["prompt_eval_count"] = 4096 // 2 + 2
        long = Prompt((Message("user", "some words of a text " * 800),), 100)
        with pytest.raises(ModelTruncated, match=r"read only 2,050 of at least 3,001 tokens") as caught:
            port_to(fake_ollama).complete(long)
        assert "litecode.window" in caught.value.hint

    def test_a_text_that_has_fewer_tokens_than_bytes_of_its_script_is_no_alarm(self, fake_ollama: Any) -> None:
        fake_ollama.last["prompt_eval_count"] = 300
        reply = port_to(fake_ollama).complete(Prompt((Message("user", "的一是不了人我在有他" * 60),), 100))
        assert (reply.stop, reply.prompt_tokens) == (Stop.END, 300)

    def test_a_window_that_was_not_set_up_ends_it(self, fake_ollama: Any) -> None:
        fake_ollama.allocated = 4096
        port = port_to(fake_ollama)
        for _ in range(2):
            with pytest.raises(ModelTooLarge, match=r"a window of 4,096 tokens for .*, not 8,192") as caught:
                port.complete(PROMPT)
        assert caught.value.hint == "git config --global litecode.window 4096"
        assert (caught.value.needed, caught.value.window) == (8192, 4096)

    @pytest.mark.parametrize("allocated", [8192, 32768, None])
    def test_a_large_or_unknown_window_is_fine(self, fake_ollama: Any, allocated: int | None) -> None:
        fake_ollama.allocated = allocated
        assert port_to(fake_ollama).complete(PROMPT).text == "Hello"

    def test_a_stream_without_its_last_record_is_refused(self, fake_ollama: Any) -> None:
        fake_ollama.cut = True
        with pytest.raises(ModelTruncated, match="broke off"):
            port_to(fake_ollama).complete(PROMPT)

    def test_a_broken_connection_is_refused(self, fake_ollama: Any) -> None:
        fake_ollama.cut = fake_ollama.reset = True
        with pytest.raises(ModelTruncated, match="the connection to Ollama broke"):
            port_to(fake_ollama).complete(PROMPT)

    def test_the_door_tries_again(self, fake_ollama: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("litecode.core.budget.door.PAUSE", 0.001)
        fake_ollama.cut = True
        with pytest.raises(ModelTruncated):
            Door(port_to(fake_ollama), clock=time.monotonic).complete(PROMPT, "x")
        assert len(fake_ollama.chats()) == 3


@pytest.mark.parametrize(
    ("status", "body", "kind", "retry", "words"),
    [
        (404, b'{"error": "model not found"}', ModelMissing, False, f"has no model {MODEL}"),
        (503, b'{"error": "server busy, please try again"}', ModelBusy, True, "busy: server busy"),
        (429, b'{"error": "slow down"}', ModelBusy, True, "busy: slow down"),
        (401, b'{"error": "unauthorized"}', ModelAuth, False, "refuses access"),
        (400, b'{"error": "the input exceeds the context length"}', ModelTooLarge, False, "refuses the prompt"),
        (400, b'{"error": "bad format"}', ModelBadReply, False, "failed: bad format"),
        (500, b'{"error": "llama runner has terminated"}', ModelBadReply, True, "runner has terminated"),
        (502, b"<html>Bad\n Gateway</html>", ModelBadReply, True, "<html>Bad Gateway</html>"),
        (200, b"<html>Sign in</html>", ModelBadReply, False, "is not Ollama"),
        (200, b'{"error": "an error was met"}\n', ModelBadReply, True, "failed: an error was met"),
        (200, b'{"answer": 42}\n', ModelBadReply, False, "is not Ollama"),
        (200, b"\n", ModelBadReply, False, "is not Ollama"),
    ],
)
def test_errors_become_ours(
    fake_ollama: Any, status: int, body: bytes, kind: type[ModelError], retry: bool, words: str
) -> None:
    fake_ollama.chat_status, fake_ollama.chat_body = status, body
    with pytest.raises(kind) as caught:
        port_to(fake_ollama).complete(PROMPT)
    assert words in str(caught.value)
    assert caught.value.retry is retry
    assert type(caught.value) is kind


def test_a_redirect_is_not_followed(fake_ollama: Any) -> None:
    """The client library would send the whole prompt to the other host."""
    fake_ollama.chat_status, fake_ollama.chat_body = 307, b"moved"
    fake_ollama.chat_headers = {"Location": "/api/elsewhere"}
    with pytest.raises(ModelBadReply, match="is not Ollama") as caught:
        port_to(fake_ollama).complete(PROMPT)
    assert caught.value.retry is False
    assert [path for _, path, _, _ in fake_ollama.asked if path == "/api/elsewhere"] == []


def test_no_key_and_no_proxy_of_the_environment(fake_ollama: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert port_to(fake_ollama).complete(PROMPT).text == "Hello"
    assert fake_ollama.chats()
    assert [headers for _, _, _, headers in fake_ollama.asked if "authorization" in headers] == []


def test_proxies_that_the_client_cannot_use_are_named(fake_ollama: Any) -> None:
    """The library builds a client when it is imported."""
    script = f"""
from litecode.core.errors import ModelNotRunning
from litecode.core.llm.ollama import OllamaModel
from litecode.core.llm.ollama_site import site_of
from litecode.core.values import Message, Prompt
try:
    OllamaModel(site_of({fake_ollama.url!r}), {MODEL!r}, 8192).complete(Prompt((Message("user", "x"),), 5))
except ModelNotRunning as error:
    print(error, "|", error.hint)
"""
    environ = {"PATH": "/usr/bin:/bin", "HTTP_PROXY": "odd://127.0.0.1:9"}
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, env=environ)
    assert done.stderr == ""
    assert "the Ollama client cannot start" in done.stdout
    assert "proxy" in done.stdout.split("|")[1]


def test_nobody_there() -> None:
    port = OllamaModel(Site("http", "127.0.0.1", 9), MODEL, 8192)
    with pytest.raises(ModelNotRunning, match=r"no Ollama answers at http://127\.0\.0\.1:9") as caught:
        port.complete(PROMPT)
    assert caught.value.hint == "start it with: ollama serve"


def test_a_server_that_ends_between_two_calls(fake_ollama: Any) -> None:
    port = port_to(fake_ollama)
    port.complete(PROMPT)
    port._site = Site("http", "127.0.0.1", 9)
    del port.__dict__["_client"]
    with pytest.raises(ModelNotRunning):
        port.complete(PROMPT)


class TestModels:
    def test_a_model_that_is_not_there(self, fake_ollama: Any) -> None:
        port = OllamaModel(site_of(fake_ollama.url), "llama9", 8192)
        with pytest.raises(ModelMissing, match="has no model llama9") as caught:
            _ = port.window
        assert caught.value.hint == "fetch it with: ollama pull llama9"

    @pytest.mark.parametrize(
        ("model", "listed", "show"),
        [
            ("gpt-oss:120b-cloud", {}, {}),
            ("deepseek:cloud", {}, {}),
            ("mine:latest", {"remote_host": "https://ollama.com:443"}, {}),
            ("mine:latest", {}, {"remote_host": "https://ollama.com:443"}),
        ],
    )
    def test_a_model_that_runs_elsewhere_is_refused_before_anything_is_sent(
        self, fake_ollama: Any, model: str, listed: dict[str, Any], show: dict[str, Any]
    ) -> None:
        fake_ollama.models = [{"model": model, "digest": "d", **listed}]
        fake_ollama.show |= show
        with pytest.raises(ModelAuth, match=r"runs .* not here but on"):
            OllamaModel(site_of(fake_ollama.url), model, 8192).complete(PROMPT)
        assert fake_ollama.chats() == []
        assert list_models(site_of(fake_ollama.url))[0].elsewhere == (
            "" if show else listed.get("remote_host", "a cloud")
        )

    def test_a_name_without_a_tag_is_the_latest(self, fake_ollama: Any) -> None:
        fake_ollama.models = [{"model": "qwen:latest", "digest": "d1"}, {"model": "qwen", "digest": "no"}]
        assert OllamaModel(site_of(fake_ollama.url), "qwen", 8192).digest == "d1"


class TestStopping:
    def test_a_run_that_ends_does_not_wait_for_the_stream(self, fake_ollama: Any) -> None:
        fake_ollama.pause = threading.Event()
        cancel = threading.Event()
        port = port_to(fake_ollama)
        port.bind(Halt(time.monotonic, time.monotonic(), None, cancel))
        threading.Timer(0.2, cancel.set).start()
        started = time.monotonic()
        with pytest.raises(ModelCancelled):
            port.complete(PROMPT)
        assert time.monotonic() - started < 10
        fake_ollama.pause.set()

    def test_the_deadline(self, fake_ollama: Any) -> None:
        fake_ollama.pause = threading.Event()
        port = port_to(fake_ollama)
        port.bind(Halt(time.monotonic, time.monotonic(), 0.3))
        with pytest.raises(ModelTimeout, match="the time for this run is up"):
            port.complete(PROMPT)
        fake_ollama.pause.set()

    def test_silence_in_the_middle(self, fake_ollama: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ollama_port, "IDLE", 0.2)
        fake_ollama.pause = threading.Event()
        with pytest.raises(ModelTimeout, match=r"Ollama sent nothing for 0\.2 s"):
            port_to(fake_ollama).complete(PROMPT)
        fake_ollama.pause.set()

    def test_silence_from_the_start(self, fake_ollama: Any) -> None:
        fake_ollama.pause = threading.Event()
        fake_ollama.silent = True
        with pytest.raises(ModelTimeout) as caught:
            port_to(fake_ollama, patience=0.3).complete(PROMPT)
        assert "ollama ps" in caught.value.hint
        fake_ollama.pause.set()

    def test_a_closed_port(self, fake_ollama: Any) -> None:
        port = port_to(fake_ollama)
        port.close()
        with pytest.raises(ModelCancelled):
            port.complete(PROMPT)


@pytest.mark.parametrize(
    ("text", "url", "here"),
    [
        ("", "http://127.0.0.1:11434", True),
        ("  ", "http://127.0.0.1:11434", True),
        ("localhost", "http://localhost:11434", True),
        ("127.0.0.1:9999", "http://127.0.0.1:9999", True),
        (":9999", "http://127.0.0.1:9999", True),
        ("0.0.0.0", "http://127.0.0.1:11434", True),
        ("[::]:1234", "http://[::1]:1234", True),
        ("::1", "http://[::1]:11434", True),
        ("http://127.0.0.1", "http://127.0.0.1:80", True),
        ("https://ollama.example.com", "https://ollama.example.com:443", False),
        ("http://10.0.0.5:11434/", "http://10.0.0.5:11434", False),
        ("127.0.0.1.evil.example", "http://127.0.0.1.evil.example:11434", False),
        ("localhost.evil.example:80", "http://localhost.evil.example:80", False),
    ],
)
def test_where_ollama_host_points(text: str, url: str, here: bool) -> None:
    site = site_of(text)
    assert (site.url, site.is_here) == (url, here)


@pytest.mark.parametrize("text", ["ftp://x", "http://user:pw@x", "x:port", "http://x/path", "x:99999", "http://[::1"])
def test_an_address_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="OLLAMA_HOST is"):
        site_of(text)


def test_another_machine_needs_consent() -> None:
    site = site_of("gpu.example.com")
    with pytest.raises(ModelAuth, match=r"gpu\.example\.com is not this machine") as caught:
        check_consent(site, ("other.example.com",))
    assert caught.value.hint == "to allow it: git config --global --add litecode.remote gpu.example.com"
    check_consent(site, ("gpu.example.com",))
    check_consent(site_of(""), ())


def test_who_is_answering(fake_ollama: Any) -> None:
    assert is_answering(site_of(fake_ollama.url))
    assert not is_answering(Site("http", "127.0.0.1", 9))
    fake_ollama.answer = lambda _path, _body: (200, {"name": "something else"})
    assert not is_answering(site_of(fake_ollama.url))
    fake_ollama.answer = lambda _path, _body: (404, {})
    assert not is_answering(site_of(fake_ollama.url))


def test_importing_the_port_costs_no_client() -> None:
    script = "import sys, litecode.core.llm.ollama; print(*sys.modules, sep='\\n')"
    done = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True)
    assert {"ollama", "httpx", "pydantic", "tiktoken"} & set(done.stdout.split()) == set()


@pytest.mark.parametrize(
    ("status", "found", "kind", "words"),
    [
        (401, {"error": "unauthorized"}, ModelAuth, r"refuses access \(401\)"),
        (403, {}, ModelAuth, r"refuses access \(403\)"),
        (500, {"error": "boom"}, ModelBadReply, "is not Ollama"),
        (200, [], ModelBadReply, "is not Ollama"),
        (404, [], ModelBadReply, "is not Ollama"),
    ],
)
def test_questions_that_are_not_answered(
    fake_ollama: Any, status: int, found: object, kind: type[ModelError], words: str
) -> None:
    fake_ollama.answer = lambda _path, _body: (status, found)
    with pytest.raises(kind, match=words):
        _ = port_to(fake_ollama).digest


@pytest.mark.parametrize("sent", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n???"])
def test_something_else_listens_there(sent: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(sent)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises((ModelBadReply, ModelNotRunning), match=r"is not Ollama|no Ollama answers"):
            ask(Site("http", "127.0.0.1", server.getsockname()[1]), "GET", "/api/tags")
        thread.join()


def test_a_server_that_says_nothing_costs_no_more_than_its_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        site = Site("http", "127.0.0.1", server.getsockname()[1])
        with pytest.raises(ModelTimeout, match=r"did not answer within 0\.2 s"):
            ask(site, "GET", "/api/tags", timeout=0.2)
        assert not is_answering(site, timeout=0.2)


class TestMarks:
    VOCABULARY: ClassVar[dict[str, Any]] = {
        "tokenizer.ggml.tokens": ["a", "<|im_end|>", "<tool>", "<div>", ""],
        "tokenizer.ggml.token_type": [1, 3, 4, 1, 3],
    }

    @pytest.mark.parametrize(
        ("text", "told", "safe"),
        [
            ("x = '<|im_end|>'", True, False),
            ("x = '<|im_end|>'", False, False),
            ("<tool>", True, False),
            ("<tool>", False, True),  # nothing says that it is one
            ("<|other|>", True, True),
            ("<|other|>", False, False),
            ("<div>", True, True),
            ("a < b", True, True),
        ],
    )
    def test_the_vocabulary_says_what_is_a_mark(self, fake_ollama: Any, text: str, told: bool, safe: bool) -> None:
        if told:
            fake_ollama.show["model_info"] |= self.VOCABULARY
        prompt = Prompt((Message("user", text),), 10)
        if safe:
            assert port_to(fake_ollama).complete(prompt).text == "Hello"
        else:
            with pytest.raises(ModelUnsafe, match="would read as a mark of its own"):
                port_to(fake_ollama).complete(prompt)
            assert fake_ollama.chats() == []

    def test_a_vocabulary_that_cannot_be_had_is_none(self, fake_ollama: Any) -> None:
        assert marks_of(Site("http", "127.0.0.1", 9), MODEL) is None
        fake_ollama.show["model_info"] |= {**self.VOCABULARY, "tokenizer.ggml.token_type": [1]}
        assert marks_of(site_of(fake_ollama.url), MODEL) is None
        fake_ollama.show["model_info"] |= self.VOCABULARY
        assert marks_of(site_of(fake_ollama.url), MODEL) == {"<|im_end|>", "<tool>"}


def test_a_prompt_of_which_half_was_read_is_noticed(fake_ollama: Any) -> None:
    """Also where ASCII says nothing about how many tokens there are."""
    text = "的一是不了人我在有他" * 200
    fake_ollama.last["prompt_eval_count"] = 2048 - (2048 - 4) // 2
    with pytest.raises(ModelTruncated):
        port_to(fake_ollama, window=2048).complete(Prompt((Message("user", text),), 10))
    fake_ollama.last["prompt_eval_count"] = 1300
    assert port_to(fake_ollama, window=2048).complete(Prompt((Message("user", text),), 10)).text == "Hello"
