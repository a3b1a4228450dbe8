"""Which model a run uses: settings, environment, what answers and what is installed, in that order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from litecode.config.settings import Settings
from litecode.core.errors import ConfigError, LitecodeError, ModelAuth, ModelMissing, ModelNotRunning
from litecode.core.llm import choice
from litecode.core.llm.choice import choose, choose_other
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.files import models_dir
from litecode.core.llm.models import find_model
from litecode.core.llm.ollama import OllamaModel
from litecode.core.llm.pool import PooledModel
from litecode.core.values import Message, Prompt

DEAD = "127.0.0.1:9"
LARGE, SMALL = "qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """No model, no Ollama."""
    return {"XDG_CACHE_HOME": str(tmp_path), "OLLAMA_HOST": DEAD}


def have(environ: dict[str, str], *names: str) -> None:
    """Sparse files of the right size: choosing hashes nothing."""
    for name in names:
        model = find_model(name)
        assert model is not None
        path = models_dir(environ) / model.file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            stream.truncate(model.size)


def test_the_best_model_that_is_there(environ: dict[str, str]) -> None:
    have(environ, SMALL)
    assert choose(Settings(), environ).name == f"{SMALL} (embedded)"
    have(environ, LARGE)
    port = choose(Settings(window=4096, slots=3), environ)
    assert isinstance(port, EmbeddedModel)
    assert (port.name, port.window, port.slots) == (f"{LARGE} (embedded)", 4096, 3)
    assert choose(Settings(), environ).slots == 1


def test_a_model_that_was_asked_for(environ: dict[str, str], tmp_path: Path) -> None:
    have(environ, SMALL, LARGE)
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    assert choose(Settings(model=SMALL), environ).name == f"{SMALL} (embedded)"
    assert choose(Settings(model=SMALL), environ | {"LITECODE_MODEL": LARGE}).name == f"{LARGE} (embedded)"
    assert choose(Settings(model=str(own)), environ).name == "own.gguf (embedded)"
    with pytest.raises(ModelMissing, match="there is no model file"):
        choose(Settings(model="/no/such.gguf"), environ)


def test_an_embedded_model_that_was_asked_for_is_not_taken_from_ollama(
    environ: dict[str, str], fake_ollama: Any
) -> None:
    with pytest.raises(ModelMissing) as caught:
        choose(Settings(model=SMALL), environ | {"OLLAMA_HOST": fake_ollama.url})
    assert caught.value.hint == f"git litecode model pull {SMALL}"
    assert fake_ollama.asked == []


def test_ollama_goes_before_what_is_only_lying_there(environ: dict[str, str], fake_ollama: Any) -> None:
    have(environ, LARGE)
    fake_ollama.models = [
        {"model": "llama3:8b"},
        {"model": "starcoder2:3b"},
        {"model": "qwen3-coder:480b-cloud"},
        {"model": "qwen2.5-coder:7b"},
    ]
    port = choose(Settings(), environ | {"OLLAMA_HOST": fake_ollama.url})
    assert isinstance(port, OllamaModel)
    assert port.name == "qwen2.5-coder:7b (ollama)"
    fake_ollama.models = fake_ollama.models[:2]
    assert choose(Settings(), environ | {"OLLAMA_HOST": fake_ollama.url}).name == "starcoder2:3b (ollama)"
    fake_ollama.models = fake_ollama.models[:1]
    assert choose(Settings(), environ | {"OLLAMA_HOST": fake_ollama.url}).name == f"{LARGE} (embedded)"


def test_a_model_that_only_ollama_can_know(environ: dict[str, str], fake_ollama: Any) -> None:
    have(environ, LARGE)
    settings = Settings(model="llama3:8b")
    assert choose(settings, environ | {"OLLAMA_HOST": fake_ollama.url}).name == "llama3:8b (ollama)"
    with pytest.raises(ModelNotRunning, match="no Ollama answers"):
        choose(settings, environ)


def test_the_endpoint_decides(environ: dict[str, str], fake_ollama: Any) -> None:
    have(environ, LARGE)
    environ["OLLAMA_HOST"] = fake_ollama.url
    assert choose(Settings(endpoint="embedded"), environ).name == f"{LARGE} (embedded)"
    assert choose(Settings(endpoint="ollama"), environ).name == "qwen2.5-coder:1.5b (ollama)"
    assert choose(Settings(endpoint="ollama", model="x:1"), environ).name == "x:1 (ollama)"
    assert choose(Settings(endpoint="ollama"), environ | {"LITECODE_ENDPOINT": "embedded"}).name.endswith("(embedded)")


def test_an_ollama_without_a_model_for_code_names_those_that_it_has(environ: dict[str, str], fake_ollama: Any) -> None:
    environ["OLLAMA_HOST"] = fake_ollama.url
    fake_ollama.models = [{"model": "llama3:8b"}, {"model": "big-coder:cloud"}]
    with pytest.raises(ModelNotRunning, match=r"has no model for code; there are: llama3:8b$"):
        choose(Settings(endpoint="ollama"), environ)
    with pytest.raises(ModelNotRunning, match="has no model for code"):
        choose(Settings(), environ)


def test_another_machine_is_asked_only_with_consent(environ: dict[str, str]) -> None:
    environ["OLLAMA_HOST"] = "gpu.invalid"
    for settings in (Settings(endpoint="ollama"), Settings(model="llama3:8b")):
        with pytest.raises(ModelAuth, match=r"gpu\.invalid is not this machine"):
            choose(settings, environ)
    have(environ, SMALL)
    assert choose(Settings(), environ).name == f"{SMALL} (embedded)"


def test_an_address_that_is_none_does_not_hide_the_embedded_model(environ: dict[str, str]) -> None:
    environ["OLLAMA_HOST"] = "ftp://x"
    have(environ, SMALL)
    assert choose(Settings(), environ).name == f"{SMALL} (embedded)"
    with pytest.raises(ConfigError):
        choose(Settings(endpoint="ollama"), environ)


@pytest.mark.parametrize(
    ("engine", "files", "first"),
    [
        (True, (), "embedded: git litecode model pull; "),
        (False, (SMALL,), "embedded: pip install 'litecode[embedded]'; "),
        (False, (), "embedded: pip install 'litecode[embedded]' && git litecode model pull; "),
    ],
)
def test_without_anything_the_three_ways_are_told(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, engine: bool, files: tuple[str, ...], first: str
) -> None:
    have(environ, *files)
    monkeypatch.setattr(choice, "is_installed", lambda: engine)
    with pytest.raises(ModelNotRunning, match="no model is on this machine") as caught:
        choose(Settings(), environ)
    assert caught.value.hint.startswith(first)
    assert "; with Ollama: ollama pull " in caught.value.hint
    assert "; a GGUF file of yours: git config --global litecode.model " in caught.value.hint


def test_the_engine_is_missing_for_what_was_asked_for(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    have(environ, SMALL)
    monkeypatch.setattr(choice, "is_installed", lambda: False)
    for settings in (Settings(endpoint="embedded"), Settings(model=SMALL)):
        with pytest.raises(ModelNotRunning, match="the embedded engine is not installed") as caught:
            choose(settings, environ)
        assert caught.value.hint == "pip install 'litecode[embedded]'"


def test_no_model_for_the_embedded_engine(environ: dict[str, str]) -> None:
    with pytest.raises(ModelNotRunning) as caught:
        choose(Settings(endpoint="embedded"), environ)
    assert "git litecode model pull" in caught.value.hint


@pytest.mark.parametrize(
    ("endpoint", "model"),
    [("http://127.0.0.1:8080/v1?x", ""), ("replay:relative.jsonl", ""), ("replay:", ""), ("embedded", "llama3")],
)
def test_what_cannot_be_used_is_named(environ: dict[str, str], endpoint: str, model: str) -> None:
    with pytest.raises(ConfigError) as caught:
        choose(Settings(model=model), environ | {"LITECODE_ENDPOINT": endpoint})
    assert caught.value.hint


def test_recordings(environ: dict[str, str], tmp_path: Path) -> None:
    port = choose(Settings(window=2048), environ | {"LITECODE_ENDPOINT": f"replay:{tmp_path / 'r.jsonl'}"})
    assert (port.name, port.window) == ("replay (replay)", 2048)
    with pytest.raises(LitecodeError):
        choose(Settings(), environ | {"LITECODE_ENDPOINT": f"replay:{tmp_path}"})


class TestEndpoints:
    def test_an_openai_compatible_server(self, environ: dict[str, str], fake_openai: Any) -> None:
        endpoint = f"{fake_openai.url}/v1"
        assert choose(Settings(endpoint=endpoint, model="q"), environ).name == "q (127.0.0.1)"
        assert choose(Settings(endpoint=f"{endpoint}#own", model="q"), environ).name == "own (127.0.0.1)"
        assert fake_openai.asked == []
        assert choose(Settings(endpoint=endpoint), environ).name == "m (127.0.0.1)"

    def test_a_server_with_several_models_has_to_be_told_which(self, environ: dict[str, str], fake_openai: Any) -> None:
        fake_openai.kind = "lmstudio"
        fake_openai.answer = lambda _path, _body: (200, {"data": [{"id": "a"}, {"id": "b"}]})
        with pytest.raises(ConfigError, match=r"is named; there are: a, b$") as caught:
            choose(Settings(endpoint=fake_openai.url), environ)
        assert caught.value.hint == "git config --global litecode.model NAME"

    def test_a_service_is_not_asked_for_names(self, environ: dict[str, str]) -> None:
        settings = Settings(endpoint="https://api.groq.com/openai/v1", remote=("api.groq.com",))
        with pytest.raises(ConfigError, match=r"no model of https://api.groq.com:443/openai/v1 is named$"):
            choose(settings, environ)

    def test_another_machine_needs_consent_and_encryption(self, environ: dict[str, str]) -> None:
        with pytest.raises(ModelAuth, match=r"gpu\.invalid is not this machine"):
            choose(Settings(endpoint="https://gpu.invalid/v1", model="m"), environ)
        with pytest.raises(ConfigError, match="over http"):
            choose(Settings(endpoint="http://gpu.invalid/v1", model="m", remote=("gpu.invalid",)), environ)

    def test_an_ollama_by_its_address(self, environ: dict[str, str], fake_ollama: Any) -> None:
        endpoint = fake_ollama.url.replace("http://", "ollama://")
        assert choose(Settings(endpoint=endpoint), environ).name == "qwen2.5-coder:1.5b (ollama)"
        assert choose(Settings(endpoint=f"{endpoint}#x:1"), environ).name == "x:1 (ollama)"

    def test_several(self, environ: dict[str, str], fake_ollama: Any, fake_openai: Any) -> None:
        first, second = fake_ollama.url.replace("http://", "ollama://"), f"{fake_openai.url}/v1#q"
        port = choose(Settings(endpoint=first, also_endpoints=(second, first)), environ)
        assert isinstance(port, PooledModel)
        assert port.name == "qwen2.5-coder:1.5b (ollama) and q (127.0.0.1)"
        assert choose(Settings(), environ | {"LITECODE_ENDPOINT": f"{first}  {second}"}).name == port.name
        assert choose(Settings(also_endpoints=(second,)), environ).name == "q (127.0.0.1)"

    def test_several_of_which_one_is_not_there(self, environ: dict[str, str], fake_openai: Any) -> None:
        dead, alive = f"ollama://{DEAD}", f"{fake_openai.url}/v1#q"
        assert choose(Settings(endpoint=dead, also_endpoints=(alive,)), environ).name == "q (127.0.0.1)"
        with pytest.raises(ModelNotRunning, match="no Ollama answers"):
            choose(Settings(endpoint=dead, also_endpoints=("ollama://127.0.0.1:1",)), environ)


class TestOthers:
    """Fallbacks and the judge."""

    @pytest.mark.parametrize(
        ("model", "settings", "name"),
        [
            (SMALL, Settings(model=LARGE), SMALL),
            (f"embedded#{SMALL}", Settings(model=LARGE), SMALL),
            (f"embedded#{SMALL}", Settings(endpoint="ollama", model="x:1"), SMALL),
            (SMALL, Settings(endpoint="embedded#" + LARGE), SMALL),
            (SMALL, Settings(endpoint="embedded", model=LARGE), SMALL),
        ],
    )
    def test_an_embedded_one(self, environ: dict[str, str], model: str, settings: Settings, name: str) -> None:
        have(environ, SMALL, LARGE)
        assert choose_other(model, settings, environ).name == f"{name} (embedded)"

    def test_what_is_set_for_one_command_is_for_the_first_model(self, environ: dict[str, str]) -> None:
        have(environ, SMALL, LARGE)
        assert choose_other(SMALL, Settings(), environ | {"LITECODE_MODEL": LARGE}).name == f"{SMALL} (embedded)"

    def test_one_of_a_server(self, environ: dict[str, str], fake_openai: Any, fake_ollama: Any) -> None:
        own = f"{fake_openai.url}/v1"
        assert choose_other("big", Settings(endpoint=f"{own}#small"), environ).name == "big (127.0.0.1)"
        assert choose_other(f"{own}#big", Settings(endpoint="embedded"), environ).name == "big (127.0.0.1)"
        ollama = fake_ollama.url.replace("http://", "ollama://")
        assert choose_other("x:7b", Settings(endpoint=own), environ | {"LITECODE_ENDPOINT": ollama}).name == (
            "x:7b (ollama)"
        )
        assert choose_other(f"{ollama}#x:7b", Settings(endpoint=own), environ).name == "x:7b (ollama)"

    def test_recordings_stand_in_for_all(self, environ: dict[str, str], tmp_path: Path, fake_openai: Any) -> None:
        replay = {"LITECODE_ENDPOINT": f"replay:{tmp_path / 'r#.jsonl'}"}
        assert choose_other(f"{fake_openai.url}/v1#big", Settings(), environ | replay).name.endswith("(replay)")
        assert fake_openai.asked == []

    @pytest.mark.parametrize("configured", [True, False])
    def test_a_key_for_no_host_is_for_the_configured_endpoint(
        self, environ: dict[str, str], fake_openai: Any, configured: bool
    ) -> None:
        own = f"{fake_openai.url}/v1"
        settings = Settings(endpoint=own if configured else "", key_variable="MY_KEY")
        port = choose_other(f"{own}#big", settings, environ | {"MY_KEY": "k-1", "LITECODE_ENDPOINT": "embedded"})
        port.complete(Prompt((Message("user", "x"),), 16))
        sent = [headers.get("authorization", "") for _, _, _, headers in fake_openai.asked]
        assert ("Bearer k-1" in sent) is configured

    @pytest.mark.parametrize("model", ["https://gpu.invalid/v1#m", "ollama://gpu.invalid#m"])
    def test_another_machine_needs_consent(self, environ: dict[str, str], model: str) -> None:
        with pytest.raises(ModelAuth, match=r"gpu\.invalid is not this machine"):
            choose_other(model, Settings(endpoint="embedded"), environ)

    def test_one_that_is_not_there(self, environ: dict[str, str]) -> None:
        have(environ, SMALL)
        with pytest.raises(ModelMissing, match=f"the model {LARGE} is not on this machine"):
            choose_other(LARGE, Settings(), environ)


def test_slots_are_fewer_when_the_memory_does_not_suffice(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    have(environ, LARGE)
    monkeypatch.setattr(choice, "physical_cores", lambda: 16)
    for free, slots in ((None, 4), (1 << 40, 4), (2_300 << 20, 3), (1 << 20, 1)):
        monkeypatch.setattr(choice, "available_memory", lambda free=free: free)
        assert choose(Settings(window=8192), environ).slots == slots
    assert choose(Settings(slots=2), environ).slots == 2
