"""Whether anybody answers at an endpoint, found out without a call, and what `doctor` says about it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from litecode.config.settings import Settings
from litecode.core.errors import ConfigError, ModelNotRunning, ModelTimeout
from litecode.core.llm import openai_client
from litecode.core.llm.choice import choose
from litecode.core.llm.guarded import GuardedModel
from litecode.core.llm.openai import OpenAIModel
from litecode.core.llm.openai_server import address_of
from litecode.core.llm.probe import check_there, weights_of
from litecode.hooks.checking import Check, Health, check_models

CLOSED = "http://127.0.0.1:9/v1"
NOBODY = "nothing answers at http://127.0.0.1:9/v1"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path), "OLLAMA_HOST": "127.0.0.1:9"}


@pytest.fixture
def silent() -> Iterator[str]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def port_at(url: str) -> OpenAIModel:
    return OpenAIModel(address_of(url), "m", 8192)


def answering(fake: Any, status: int) -> None:
    fake.answer = lambda _path, _body: (status, {"error": "no"})


@pytest.mark.parametrize("status", [200, 401, 404, 429, 503])
def test_an_answer_with_any_status_is_one(fake_openai: Any, status: int) -> None:
    answering(fake_openai, status)
    check_there(port_at(f"{fake_openai.url}/v1"))
    assert fake_openai.chats() == []


def test_nobody_answers() -> None:
    for port in (port_at(CLOSED), GuardedModel(port_at(CLOSED), "h", Settings())):
        with pytest.raises(ModelNotRunning, match=NOBODY) as caught:
            check_there(port)
        assert caught.value.hint.startswith("start the server, or check its address")


def test_nobody_answers_in_time(silent: str) -> None:
    client = openai_client.make_client(address_of(silent), "")
    with pytest.raises(ModelTimeout, match="does not answer"):
        openai_client.knock(client, silent, 0.2)
    client.close()


def test_a_port_without_a_server_is_there(environ: dict[str, str], tmp_path: Path) -> None:
    check_there(choose(Settings(), environ | {"LITECODE_ENDPOINT": f"replay:{tmp_path / 'r.jsonl'}"}))


def test_a_server_is_looked_for_before_the_name_of_its_model(environ: dict[str, str], fake_openai: Any) -> None:
    with pytest.raises(ModelNotRunning, match=NOBODY):
        choose(Settings(endpoint=CLOSED), environ)
    answering(fake_openai, 401)
    with pytest.raises(ConfigError, match="is named"):
        choose(Settings(endpoint=fake_openai.url), environ)


@pytest.mark.parametrize(
    ("digest", "words"),
    [
        ("0123456789abcdef" * 4, "digest 0123456789ab"),
        ("sha256:" + "0123456789abcdef" * 4, "digest 0123456789ab"),
        ("d15", "digest d15"),
        ("", ""),
        ("http://127.0.0.1:9/v1#m", ""),
        ("https://gpu.example:443/v1#m", ""),
        ("llama-server:q.gguf:7:9:151936", "weights llama-server:q.gguf:7:9:151936"),
        ("0123456789abcdef+http://127.0.0.1:9/v1#m", "digest 0123456789ab"),
    ],
)
def test_an_address_is_no_digest(digest: str, words: str) -> None:
    assert weights_of(digest) == words


def found(settings: Settings, environ: dict[str, str]) -> dict[str, Check]:
    return {check.name: check for check in check_models(settings, environ)}


class TestDoctor:
    @pytest.mark.parametrize("model", ["m", ""])
    @pytest.mark.parametrize("told", [True, False])
    def test_no_server(self, environ: dict[str, str], model: str, told: bool) -> None:
        settings = Settings(model=model, endpoint="" if told else CLOSED)
        checks = found(settings, environ | ({"LITECODE_ENDPOINT": CLOSED} if told else {}))
        assert checks.keys() == {"model"}
        assert checks["model"][1:3] == (Health.PROBLEM, NOBODY)
        assert checks["model"].remedy.startswith("start the server")

    def test_a_server(self, environ: dict[str, str], fake_openai: Any) -> None:
        settings = Settings(model="m", endpoint=f"{fake_openai.url}/v1")
        assert found(settings, environ)["model"] == Check("model", Health.OK, "m (127.0.0.1), 8,192 tokens")
        fake_openai.kind = "llama"
        check = found(settings, environ)["model"]
        assert check.detail == "m (127.0.0.1), 4,096 tokens, weights llama-server:q.gguf:7:9:151936"
        answering(fake_openai, 500)
        assert found(settings, environ)["model"].health is Health.OK
        assert fake_openai.chats() == []

    def test_ollama(self, environ: dict[str, str], fake_ollama: Any) -> None:
        settings = Settings(endpoint="ollama", model="qwen2.5-coder:1.5b")
        assert found(settings, environ)["model"] == Check(
            "model", Health.PROBLEM, "no Ollama answers at http://127.0.0.1:9", "start it with: ollama serve"
        )
        check = found(settings, environ | {"OLLAMA_HOST": fake_ollama.url})["model"]
        assert check[1:3] == (Health.OK, "qwen2.5-coder:1.5b (ollama), 8,192 tokens, digest d15")

    @pytest.mark.parametrize("role", ["fallback", "judge"])
    def test_others(self, environ: dict[str, str], fake_openai: Any, fake_ollama: Any, role: str) -> None:
        def check(name: str) -> Check:
            named: Any = {role: (name,) if role == "fallback" else name}
            return found(Settings(model="m", endpoint=f"{fake_openai.url}/v1", **named), environ)[role]

        assert check(f"{CLOSED}#big")[1:3] == (Health.PROBLEM, NOBODY)
        assert check("ollama://127.0.0.1:9#big")[1:3] == (Health.PROBLEM, "no Ollama answers at http://127.0.0.1:9")
        assert check("big")[1:] == (Health.OK, "big (127.0.0.1), 8,192 tokens", "")
        there = fake_ollama.url.replace("http", "ollama")
        assert check(f"{there}#qwen2.5-coder:1.5b").health is Health.OK
        own = check("m")
        assert own.health is Health.WARNING
        assert "the model of the run itself" in own.detail
        assert own.remedy == f"name another model in litecode.{role}"

    def test_a_judge_is_known_by_its_name_too(self, environ: dict[str, str], fake_openai: Any) -> None:
        named = f"http://localhost:{fake_openai.url.rpartition(':')[2]}/v1#m"  # the same weights, or maybe better ones
        settings = Settings(model="m", endpoint=f"{fake_openai.url}/v1", fallback=(named,), judge=named)
        checks = found(settings, environ)
        assert [checks[role].health for role in ("fallback", "judge")] == [Health.OK, Health.WARNING]

    def test_one_of_several(self, environ: dict[str, str], fake_openai: Any) -> None:
        url = f"{fake_openai.url}/v1"
        checks = list(check_models(Settings(model="m", endpoint=CLOSED, also_endpoints=(url,)), environ))
        assert [(check.name, check.health) for check in checks] == [
            ("model", Health.OK),
            ("model", Health.WARNING),
            ("speed", Health.OK),
        ]
        assert checks[1].detail == NOBODY
        assert "digest" not in checks[0].detail
        (check,) = check_models(Settings(model="m", endpoint=CLOSED, also_endpoints=("ollama",)), environ)
        assert (check.health, "none of the 2 endpoints can be used" in check.detail) == (Health.PROBLEM, True)

    def test_a_name_that_nobody_has(self, environ: dict[str, str]) -> None:
        for settings, role in ((Settings(model="qwen-7b"), "model"), (Settings(judge="qwen-7b"), "judge")):
            check = found(settings, environ)[role]
            assert check[1:3] == (Health.PROBLEM, "no Ollama answers at http://127.0.0.1:9")
            assert check.remedy == (
                "start it with: ollama serve; or name a model of the embedded engine: "
                "qwen2.5-coder-1.5b, qwen2.5-coder-0.5b"
            )
