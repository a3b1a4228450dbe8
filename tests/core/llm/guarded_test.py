"""What is looked at before a text leaves for another machine."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from litecode.config.settings import Settings
from litecode.core.errors import ModelAuth, NotSent
from litecode.core.llm.choice import choose
from litecode.core.llm.guarded import GuardedModel
from litecode.core.llm.hosts import other_hosts
from litecode.core.llm.ollama import OllamaModel
from litecode.core.llm.pool import PooledModel
from litecode.core.trust.secrets import digest_of, find_secrets
from litecode.core.values import Message, Prompt, Reply, Stop

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
HOST = "models.example.com"
ELSEWHERE = f"ollama://{HOST}:11434"


class Port:
    """Answers, and remembers what it was sent."""

    name, digest, window, slots, factor = "m", "0" * 64, 8192, 1, 1.0

    def __init__(self) -> None:
        self.sent: list[str] = []

    def complete(self, prompt: Prompt) -> Reply:
        self.sent += [message.content for message in prompt.messages]
        return Reply("ok", Stop.END, 1, 1, 0.1)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        self.sent += [message.content for message in messages]
        return 7

    def close(self) -> None:
        self.sent.append("closed")


def prompt(*texts: str, about: tuple[str, ...] = ()) -> Prompt:
    return Prompt(tuple(Message("user", text) for text in texts), 100, about=about)


@pytest.mark.parametrize("texts", [("x = 1",), ("system", "def f():\n    return token\n"), ("",)])
@pytest.mark.parametrize("about", [(), ("a.py",), (".env.example",)])
def test_ordinary_text_goes_through(texts: tuple[str, ...], about: tuple[str, ...]) -> None:
    port = Port()
    guarded = GuardedModel(port, HOST, Settings())
    asked = prompt(*texts, about=about)
    assert guarded.complete(asked).text == "ok"
    assert guarded.count(asked.messages) == 7
    assert port.sent == [*texts, *texts]


@pytest.mark.parametrize(
    "asked",
    [
        prompt(f"key = '{TOKEN}'"),
        prompt("fine", f"x\ny\n# {TOKEN}\n"),
        prompt(f"key = '{TOKEN}'  # pragma: allowlist secret", about=("a.py",)),
    ],
)
def test_secrets_stay_here(asked: Prompt) -> None:
    port = Port()
    guarded = GuardedModel(port, HOST, Settings())
    with pytest.raises(NotSent) as caught:
        guarded.complete(asked)
    assert guarded.count(asked.messages) is None
    assert port.sent == []
    assert HOST in caught.value.message
    assert TOKEN not in caught.value.message + caught.value.hint
    digest = find_secrets(TOKEN)[0].digest
    assert digest == digest_of(TOKEN)
    assert caught.value.hint.endswith(f"git config --global --add litecode.notSecret {digest}")
    assert GuardedModel(port, HOST, Settings(not_secret=(digest,))).complete(asked).text == "ok"


@pytest.mark.parametrize(
    ("path", "deny"), [(".env", ()), ("a/b.pem", ()), ("x.sql", ("*.sql",)), ("legal/a.py", ("legal",))]
)
def test_files_on_the_list_stay_here(path: str, deny: tuple[str, ...]) -> None:
    port = Port()
    guarded = GuardedModel(port, HOST, Settings(deny=deny))
    with pytest.raises(NotSent, match="stay on this machine"):
        guarded.complete(prompt("x = 1", about=("a.py", path)))
    assert port.sent == []


def test_one_on_this_machine_gets_what_may_not_leave() -> None:
    away, here = Port(), Port()
    pool = PooledModel((GuardedModel(away, HOST, Settings()), here))
    assert pool.complete(prompt(f"key = '{TOKEN}'")).text == "ok"
    assert (len(away.sent), len(here.sent)) == (0, 1)
    assert pool.complete(prompt("x = 1")).text == "ok"
    assert len(away.sent) == 1  # it was not sent away for its refusal


@pytest.mark.parametrize(
    ("settings", "environ", "hosts"),
    [
        (Settings(), {}, ()),
        (Settings(), {"OLLAMA_HOST": "127.0.0.1"}, ()),
        (Settings(), {"OLLAMA_HOST": "0.0.0.0:1"}, ()),
        (Settings(endpoint="embedded"), {"OLLAMA_HOST": HOST}, ()),
        (Settings(endpoint="http://localhost:8080/v1"), {"OLLAMA_HOST": HOST}, ()),
        (Settings(endpoint="https://[::1]:1/v1"), {}, ()),
        (Settings(), {"OLLAMA_HOST": HOST}, (HOST,)),
        (Settings(endpoint="ollama"), {"OLLAMA_HOST": f"https://{HOST}"}, (HOST,)),
        (Settings(endpoint=ELSEWHERE), {}, (HOST,)),
        (Settings(endpoint=f"https://{HOST}/v1#m"), {}, (HOST,)),
        (Settings(endpoint="embedded", also_endpoints=("https://a.example/v1", ELSEWHERE)), {}, ("a.example", HOST)),
        (Settings(endpoint=ELSEWHERE), {"LITECODE_ENDPOINT": "embedded"}, ()),
        (Settings(endpoint="embedded"), {"LITECODE_ENDPOINT": f"https://{HOST}/v1"}, (HOST,)),
        (Settings(endpoint=ELSEWHERE), {"LITECODE_ENDPOINT": "replay:/x"}, ()),
        (Settings(), {"OLLAMA_HOST": "http://a:b@c"}, ()),
        (Settings(endpoint="embedded", fallback=("m", f"https://{HOST}/v1#m")), {}, (HOST,)),
        (Settings(endpoint="embedded", judge=f"ollama://{HOST}#m"), {}, (HOST,)),
        (Settings(endpoint="embedded", fallback=("m",), judge="embedded#m"), {}, ()),
        (Settings(endpoint="embedded", judge="http://localhost:1/v1#m"), {"OLLAMA_HOST": HOST}, ()),
        (Settings(judge=f"https://{HOST}/v1#m"), {"LITECODE_ENDPOINT": "replay:/x"}, ()),
    ],
)
def test_where_code_may_go(settings: Settings, environ: dict[str, str], hosts: tuple[str, ...]) -> None:
    assert other_hosts(settings, environ) == hosts


def test_every_port_of_another_machine_is_guarded(monkeypatch: pytest.MonkeyPatch, fake_ollama: Any) -> None:
    resolve = socket.getaddrinfo
    asked: list[Any] = []

    def elsewhere(host: Any, *args: Any, **named: Any) -> Any:
        asked.append(host)
        return resolve("127.0.0.1" if host in {HOST, HOST.encode()} else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", elsewhere)
    port = fake_ollama.url.rpartition(":")[2]
    settings = Settings(endpoint=f"ollama://{HOST}:{port}", model="qwen2.5-coder:7b")
    with pytest.raises(ModelAuth):
        choose(settings, {})
    assert asked == []
    found = choose(Settings(endpoint=settings.endpoint, model=settings.model, remote=(HOST,)), {})
    assert isinstance(found, GuardedModel)
    assert isinstance(found.port, OllamaModel)
    here = choose(Settings(endpoint=f"ollama://127.0.0.1:{port}", model=settings.model), {})
    assert isinstance(here, OllamaModel)
