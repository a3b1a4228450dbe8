"""The estimate of tokens against a real tokenizer; `tests/bench/tokens_bench.py` does it with many more prompts."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from litecode.core.budget.tokens import Estimator, least
from litecode.core.llm.engine import Engine, Load
from litecode.core.llm.files import locate
from litecode.core.values import Message

pytestmark = pytest.mark.model

REQUIRED = "LITECODE_REQUIRE_MODEL" in os.environ
NAME = "qwen2.5-coder-0.5b"
NUMBER = 114  # six of each kind
SYSTEM = Message("system", "You are a careful programmer. Rewrite the code as asked and reply with one code block.")


@pytest.fixture(scope="module")
def prompts() -> ModuleType:
    path = Path(__file__).resolve().parent.parent / "bench" / "token_prompts.py"
    spec = importlib.util.spec_from_file_location("token_prompts", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # NamedTuple looks it up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def engine(developer_home: Path) -> Iterator[Engine]:
    path = developer_home / ".cache/litecode/models" / f"{NAME}-instruct-q4_k_m.gguf"
    if not path.exists() and not REQUIRED:
        pytest.skip(f"git litecode model pull {NAME}")
    made = Engine(Load(locate(str(path), {}).path, 512, 1, 1))
    yield made
    made.close()


def test_the_estimate_is_high_enough_and_not_too_high(engine: Engine, prompts: ModuleType) -> None:
    excess = []
    for sample in prompts.samples(NUMBER, seed=2):
        messages = (SYSTEM, Message("user", sample.text))
        real = engine.count([{"role": message.role, "content": message.content} for message in messages])
        assert real is not None
        estimate = Estimator(1.02).messages(messages)
        assert estimate >= real, sample.kind
        assert least(messages) <= real, sample.kind
        excess.append(estimate / real - 1)
    assert sum(excess) / len(excess) <= 0.10
