"""`git litecode model serve` with a real model: others find it, share it, and do without it when it is gone."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from litecode.core.budget.door import Door
from litecode.core.budget.halt import Halt
from litecode.core.errors import LitecodeError, ModelCancelled, ModelTruncated
from litecode.core.llm import engine
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.engine import unload_all
from litecode.core.llm.files import ModelFile, locate
from litecode.core.llm.serving import Pace, serve
from litecode.core.llm.shared import SharedEngine, find_place, places_dir
from litecode.core.values import Message, Prompt, Stop

pytestmark = pytest.mark.model

REQUIRED = "LITECODE_REQUIRE_MODEL" in os.environ
NAME = "qwen2.5-coder-0.5b"
WINDOW = 2048
PROMPT = Prompt((Message("system", "Be short."), Message("user", "Say: yes")), 12)


@pytest.fixture(scope="module")
def model_file(developer_home: Path) -> ModelFile:
    path = developer_home / ".cache/litecode/models" / f"{NAME}-instruct-q4_k_m.gguf"
    if not path.exists() and not REQUIRED:
        pytest.skip(f"git litecode model pull {NAME}")
    return locate(str(path), {})


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime")
    folder.chmod(0o700)
    return folder


@pytest.fixture(scope="module")
def served(model_file: ModelFile, runtime: Path) -> Iterator[subprocess.Popen[str]]:
    """The command, in a process of its own."""
    environ = {
        **os.environ,
        "XDG_RUNTIME_DIR": str(runtime),
        "HOME": str(runtime),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "litecode.window",
        "GIT_CONFIG_VALUE_0": str(WINDOW),
        "GIT_CONFIG_KEY_1": "litecode.model",
        "GIT_CONFIG_VALUE_1": str(model_file.path),
    }
    subprocess.run(("git", "init", "-q", str(runtime / "repo")), check=True, env=environ)
    script = "import sys; from litecode.hooks.cli import main; sys.exit(main(['model', 'serve']))"
    process = subprocess.Popen(
        (sys.executable, "-c", script), cwd=runtime / "repo", env=environ, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = [process.stderr.readline(), process.stderr.readline()]
    assert said[0].startswith(f"loading {NAME} (embedded): ")
    assert said[0].rstrip().endswith("MiB of memory")
    assert said[1] == f"serving {NAME} (embedded): window 2,048, 1 slot; Ctrl-C ends it\n"
    yield process
    process.terminate()
    process.wait(30)
    process.stderr.close()


@pytest.fixture
def port(model_file: ModelFile, runtime: Path, served: object) -> EmbeddedModel:  # noqa: ARG001  has to be running
    return EmbeddedModel(model_file, WINDOW, places=places_dir({"XDG_RUNTIME_DIR": str(runtime)}))


def test_it_is_found_and_nothing_is_loaded_here(port: EmbeddedModel) -> None:
    assert port.loading == ""
    reply = port.complete(PROMPT)
    assert reply.stop is Stop.END
    assert reply.prompt_tokens == port.count(PROMPT.messages)
    assert port.complete(PROMPT).cached_tokens >= reply.prompt_tokens - 8
    assert engine._engines == {}


def test_code_with_marks_is_read_as_text(port: EmbeddedModel) -> None:
    marked = Prompt((Message("system", "Repeat it."), Message("user", "x = '<|im_end|>'")), 12)
    plain = Prompt((Message("system", "Repeat it."), Message("user", "x = 'Xim_endX'")), 12)
    more, less = port.complete(marked).prompt_tokens, port.complete(plain).prompt_tokens
    assert more == port.count(marked.messages)
    assert abs(more - less) <= 4


def test_only_its_user_can_use_it(port: EmbeddedModel, runtime: Path) -> None:
    folder = places_dir({"XDG_RUNTIME_DIR": str(runtime)})
    (file,) = folder.glob("*.json")
    place = json.loads(file.read_bytes())
    facts = [file.stat(), folder.stat(), Path(place["address"]).parent.stat()]
    assert [stat.S_IMODE(each.st_mode) for each in facts] == [0o600, 0o700, 0o700]
    assert len(place["key"]) >= 32
    for path in (file, folder):
        before = stat.S_IMODE(path.stat().st_mode)
        path.chmod(before | 0o044)
        assert find_place(folder, port.digest) is None
        path.chmod(before)
    assert find_place(folder, port.digest) is not None
    assert find_place(folder, "other") is None
    place["key"] = "wrong"
    real = file.read_bytes()
    file.write_bytes(json.dumps(place).encode())
    other = EmbeddedModel(port._file, WINDOW, places=folder)
    shared = other._shared
    if shared is not None:  # /health needs no key
        with pytest.raises(LitecodeError):
            other.complete(PROMPT)
    file.write_bytes(real)


def test_a_larger_window_is_not_served(model_file: ModelFile, runtime: Path, port: EmbeddedModel) -> None:
    assert port.loading == ""
    larger = EmbeddedModel(model_file, WINDOW * 2, places=places_dir({"XDG_RUNTIME_DIR": str(runtime)}))
    assert larger.loading.startswith(f"loading {NAME} (embedded): ")


def test_it_is_not_served_twice(port: EmbeddedModel, runtime: Path, served: subprocess.Popen[str]) -> None:
    with pytest.raises(LitecodeError, match=f"is served already, by process {served.pid}"):
        serve(port, {"XDG_RUNTIME_DIR": str(runtime)}, Pace(1, lambda _seconds: True), lambda: None)


def test_a_call_is_cancelled(port: EmbeddedModel) -> None:
    cancel = threading.Event()
    port.bind(Halt(time.monotonic, time.monotonic(), None, cancel))
    threading.Timer(0.5, cancel.set).start()
    started = time.monotonic()
    with pytest.raises(ModelCancelled):
        port.complete(Prompt((Message("user", "Count to a thousand, one number a line."),), 1500))
    assert time.monotonic() - started < 20


def test_when_it_dies_the_model_is_loaded_here(
    model_file: ModelFile, runtime: Path, served: subprocess.Popen[str]
) -> None:
    port = EmbeddedModel(model_file, WINDOW, places=places_dir({"XDG_RUNTIME_DIR": str(runtime)}))
    assert isinstance(port._engine(), SharedEngine)
    os.kill(served.pid, signal.SIGKILL)
    served.wait(30)
    with pytest.raises(ModelTruncated, match="the served model is gone"):
        port.complete(PROMPT)
    reply, _ = Door(port, clock=time.monotonic).complete(PROMPT, "x")
    assert reply.stop is Stop.END
    assert not isinstance(port._engine(), SharedEngine)
    fresh = EmbeddedModel(model_file, WINDOW, places=places_dir({"XDG_RUNTIME_DIR": str(runtime)}))
    assert fresh._shared is None


def test_it_ends_when_nobody_asks(model_file: ModelFile, tmp_path: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": str(tmp_path)}
    tmp_path.chmod(0o700)
    ready = threading.Event()
    model = EmbeddedModel(model_file, 512)
    pace = Pace(2.0, lambda seconds: time.sleep(seconds / 4) or False)
    thread = threading.Thread(target=serve, args=(model, environ, pace, ready.set))
    thread.start()
    assert ready.wait(60)
    client = EmbeddedModel(model_file, 512, places=places_dir(environ))
    for _ in range(4):
        client.complete(PROMPT)
        time.sleep(0.7)
        assert thread.is_alive()
    thread.join(30)
    assert not thread.is_alive()
    assert list(places_dir(environ).iterdir()) == []
    unload_all()
