"""The embedded engine with a real model: what it loads, answers, counts, refuses, and leaves behind.

The small model is enough: nothing here depends on how good an answer is.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from litecode.core.budget.door import Door
from litecode.core.budget.halt import Halt
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import ModelBadReply, ModelCancelled, ModelTimeout, ModelTooLarge
from litecode.core.llm import engine
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.engine import unload_all
from litecode.core.llm.files import ModelFile, locate
from litecode.core.llm.line import Line
from litecode.core.values import Message, Prompt, Sampling, Stop

pytestmark = pytest.mark.model

REQUIRED = "LITECODE_REQUIRE_MODEL" in os.environ  # before a test's environment hides it
NAME = "qwen2.5-coder-0.5b"
WINDOW = 2048
SYSTEM = Message("system", "You are a careful programmer. Reply with one code block and nothing else.")


@pytest.fixture(scope="session")
def model_file(developer_home: Path) -> ModelFile:
    path = developer_home / ".cache/litecode/models" / f"{NAME}-instruct-q4_k_m.gguf"
    if not path.exists() and not REQUIRED:
        pytest.skip(f"git litecode model pull {NAME}")
    return locate(str(path), {})


@pytest.fixture(scope="module")
def port(model_file: ModelFile) -> Iterator[EmbeddedModel]:
    yield EmbeddedModel(model_file, WINDOW)
    unload_all()


def ask(text: str, reserve: int = 12, **options: object) -> Prompt:
    return Prompt((SYSTEM, Message("user", text)), reserve, **options)  # type: ignore[arg-type]  # by keyword


def code(seed: int, lines: int) -> str:
    choice = random.Random(seed).choice
    return "\n".join(
        f"    {choice(['total', 'value', 'count'])}{n} = {choice(['len', 'sum', 'max'])}(items[{n}:])"
        for n in range(lines)
    )


def test_the_file_is_the_one_that_is_known(port: EmbeddedModel) -> None:
    assert port.digest == "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
    assert (port.name, port.window, port.slots) == (f"{NAME} (embedded)", WINDOW, 1)


def test_a_call_has_the_numbers_of_the_engine(port: EmbeddedModel) -> None:
    door = Door(port, clock=time.monotonic)
    reply, call = door.complete(ask("def f(x): return x", reserve=5), "x")
    assert (reply.stop, reply.output_tokens) == (Stop.LENGTH, 5)
    assert call.estimate == reply.prompt_tokens == port.count(ask("def f(x): return x").messages)
    assert 0 < reply.seconds <= call.ended - call.started
    reply, _ = door.complete(ask("Say: yes", reserve=60), "x")
    assert reply.stop is Stop.END
    assert door.underestimates == ()


def test_what_does_not_fit_is_refused_by_the_door_and_by_the_engine(port: EmbeddedModel) -> None:
    long = ask("word " * WINDOW)
    with pytest.raises(ModelTooLarge) as caught:
        Door(port, clock=time.monotonic).complete(long, "x")
    assert caught.value.needed == (port.count(long.messages) or 0) + 12 + 64
    with pytest.raises(ModelTooLarge) as caught:
        port.complete(long)
    assert (caught.value.needed, caught.value.window) == (port.count(long.messages), WINDOW)


def test_the_answer_does_not_depend_on_what_was_asked_before(port: EmbeddedModel) -> None:
    """Whether the beginning has been read already must not show in the reply, however long the rest is."""
    prompts = [
        ask(f"```python\n{code(n, lines)}\n```\nRename the first name.", 8) for n, lines in enumerate((1, 9, 30))
    ]
    first = {}
    for prompt in prompts:
        port.complete(ask("Something else altogether. " * 3, 1))
        first[prompt] = port.complete(prompt)
    for prompt in reversed(prompts):
        again = port.complete(prompt)
        assert again.cached_tokens > 0
        assert again.text == first[prompt].text
        assert again.prompt_tokens == first[prompt].prompt_tokens


def test_the_common_beginning_is_read_once(port: EmbeddedModel) -> None:
    system = Message("system", "You follow the conventions of this project. " * 6)
    port.complete(Prompt((system, Message("user", "one")), 1))
    reply = port.complete(Prompt((system, Message("user", "two")), 1))
    assert reply.cached_tokens >= 50
    assert reply.prompt_tokens - reply.cached_tokens <= 12


def test_sampling_follows_its_seed(port: EmbeddedModel) -> None:
    first, again, *others = [
        port.complete(ask("Invent a name for a function.", 8, sampling=Sampling(1.0, seed))).text
        for seed in (3, 3, 3, 4, 5, 6)
    ][1:]  # the first one has read the prompt, the others find it read
    assert first == again
    assert set(others) - {first}


SCHEMA = {
    "type": "object",
    "properties": {"file": {"type": "string", "enum": ["my file.py", "größe/日本.py"]}, "n": {"type": "integer"}},
    "required": ["file", "n"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("file", ["my file.py", "größe/日本.py"])
def test_a_schema_decides_what_can_be_said(port: EmbeddedModel, file: str) -> None:
    one = {**SCHEMA, "properties": {**SCHEMA["properties"], "file": {"type": "string", "enum": [file]}}}  # type: ignore[dict-item]
    for schema in (SCHEMA, one):
        reply = port.complete(ask(f"Write a poem about {file}.", 60, schema=schema))
        answer = json.loads(reply.text)
        assert list(answer) == ["file", "n"]
        assert answer["file"] in schema["properties"]["file"]["enum"]  # type: ignore[index]
        assert isinstance(answer["n"], int)
    assert answer["file"] == file


def test_a_schema_that_means_nothing_is_an_error(port: EmbeddedModel) -> None:
    with pytest.raises(ModelBadReply, match="nonsense") as caught:
        port.complete(ask("x", schema={"type": "object", "properties": {"a": {"type": "nonsense"}}}))
    assert caught.value.retry is False
    assert port.complete(ask("x", 1)).output_tokens == 1


def test_what_is_under_way_can_be_stopped(model_file: ModelFile, port: EmbeddedModel) -> None:
    cancel = threading.Event()
    stopped = EmbeddedModel(model_file, WINDOW)
    stopped.bind(Halt(time.monotonic, time.monotonic(), None, cancel))
    timer = threading.Timer(0.5, cancel.set)
    timer.start()
    with pytest.raises(ModelCancelled):
        stopped.complete(ask("Count from one to a thousand in words.", 1500))
    timer.join()
    late = EmbeddedModel(model_file, WINDOW)
    late.bind(Halt(time.monotonic, time.monotonic(), 0.5))
    with pytest.raises(ModelTimeout):
        late.complete(ask("Count from one to a thousand in words.", 1500))
    assert port.complete(ask("x", 1)).output_tokens == 1


def test_two_threads_get_their_own_answers(model_file: ModelFile) -> None:
    two = EmbeddedModel(model_file, 512, slots=2)
    with pytest.raises(ModelTooLarge) as caught:
        two.complete(ask("word " * 600))
    assert caught.value.window == 512  # each slot has the whole window
    words = ["apple", "river", "stone", "cloud"]
    prompts = [Prompt((Message("user", f"Repeat this word and nothing else: {word}"),), 6) for word in words]
    door = Door(two, clock=time.monotonic)
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(lambda prompt: door.complete(prompt, "x"), prompts))
    for word, (reply, _call) in zip(words, replies, strict=True):
        assert word in reply.text.lower()
        assert not any(other in reply.text.lower() for other in words if other != word)
    assert {call.slot for _, call in replies} <= {0, 1}


ALPHABETS = {
    "digits": "0123456789 .,-\n",
    "cjk": "的一是不了人我在有他这中大来上国和说地日本語カタカナ한국어。、\n ",
    "emoji": "🙂🚀👩‍👩‍👧‍👦🏳️‍🌈❤️✅ a",
    "accents": "àéîõüßçøåñ žšč αβγδ жщю abc \n",
    "symbols": "{}[]()<>;:,.!?@#$%^&*-+=/\\|~`'\"\n\t ",
    "words": "abcdefghijklmnopqrstuvwxyz     \n",
    "rare": "ⵣᚠ𐍈ᠮऒༀ܀᭡ꦀ𓀀 \u200b\u0301",
    "bytes": "".join(map(chr, range(256))),
}


def texts() -> Iterator[tuple[str, str]]:
    """About a hundred texts: of one alphabet each, and pieces of code."""
    for name, letters in ALPHABETS.items():
        for seed in range(9):
            shuffled = random.Random(f"{name}{seed}")
            yield name, "".join(shuffled.choices(letters, k=shuffled.randrange(1, 700)))
    sources = [Path(module.__file__) for module in (json, http.client, random, socket) if module.__file__]
    for source in sources:
        text = source.read_text(encoding="utf-8")
        for seed in range(7):
            start = random.Random(seed).randrange(len(text) - 900)
            yield "code", text[start : start + 100 + 120 * seed]
    yield "runs", "x" * 600
    yield "runs", " " * 600 + "\n" * 100 + "\t" * 50
    yield "chat tokens", "<|im_end|><|im_start|>system\n<|endoftext|>" * 9


def test_the_estimate_is_not_below_the_real_count(port: EmbeddedModel) -> None:
    estimator = Estimator(port.factor)
    low, excess, checked = [], [], 0
    for kind, text in texts():
        messages = (SYSTEM, Message("user", text))
        real = port.count(messages)
        assert real is not None
        estimate = estimator.messages(messages)
        if estimate < real:
            low.append((kind, real, estimate))
        if kind in {"code", "digits", "words"}:
            excess.append(estimate / real - 1)
        checked += 1
    assert checked > 100
    assert low == []
    assert sum(excess) / len(excess) <= 0.25  # most of it is what a template may take, in texts of 100 tokens


def test_counting_is_what_the_engine_reads(port: EmbeddedModel) -> None:
    chosen = [text[:100] for n, (_, text) in enumerate(texts()) if n % 12 == 0]
    for text in chosen:
        messages = (SYSTEM, Message("user", text))
        assert port.complete(Prompt(messages, 1)).prompt_tokens == port.count(messages)


def test_nobody_else_can_ask_the_engine(port: EmbeddedModel) -> None:
    port.load()
    (loaded,) = [found for found in engine._engines.values() if found._folder.exists()][:1]
    assert stat.S_IMODE(loaded._folder.stat().st_mode) == 0o700
    stranger = Line(loaded.line.address, "guess")
    with contextlib.closing(stranger._connect(5.0)) as connection:
        assert stranger._send(connection, "POST", "/v1/chat/completions", {}).status == 401
    assert listening_ports() == []


def listening_ports() -> list[str]:
    """Addresses on which this process listens to the network, as the kernel writes them."""
    sockets = set()
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the descriptor of the listing itself
            sockets.add(str(entry.readlink()))
    tables = (Path("/proc/net", name).read_text().splitlines()[1:] for name in ("tcp", "tcp6"))
    rows = [line.split() for table in tables for line in table]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


def test_listening_ports_are_seen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert listening_ports() == [f"0100007F:{server.getsockname()[1]:04X}"]


SCRIPT = """
import os, sys, time
from pathlib import Path
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.files import locate
from litecode.core.values import Message, Prompt
environ = dict(os.environ)
port = EmbeddedModel(locate(sys.argv[1], {}), 512)
port.complete(Prompt((Message("user", "Hi"),), 2))
assert os.environ == environ
Path(sys.argv[2]).write_text("loaded")
if len(sys.argv) > 3:
    try:
        port.complete(Prompt((Message("user", "Count from one to a thousand in words."),), 400))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
"""


def test_it_is_silent_and_leaves_nothing(model_file: ModelFile, tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = (sys.executable, "-B", "-c", SCRIPT, str(model_file.path), str(tmp_path / "flag"))
    done = subprocess.run(command, capture_output=True, env=environ, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [entry.name for entry in tmp_path.iterdir()] == ["flag"]


def test_ctrl_c_reaches_python_in_the_middle_of_a_call(model_file: ModelFile, tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = (sys.executable, "-B", "-c", SCRIPT, str(model_file.path), str(tmp_path / "flag"), "stay")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "flag").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"interrupted\n", b"")
    assert [entry.name for entry in tmp_path.iterdir()] == ["flag"]
