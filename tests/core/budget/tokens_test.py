"""The estimate: its parts, its bounds, what it costs, and what it must not touch."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from litecode.core.budget.tokens import (
    CHUNK,
    UNKNOWN_FACTOR,
    Estimator,
    cl100k_counter,
    digit_correction,
    overhead,
    rough_count,
    upper_bound,
    utf8_length,
)
from litecode.core.values import Message

QWEN = Estimator(1.0)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("", 0),
        ("x = y", 0),
        ("1", 0),
        ("12", 1),
        ("123", 2),
        ("1234", 2),
        ("123456", 4),
        ("1 2 3", 0),
        ("12.5 and 1234567", 1 + 4),
        ("٣٤٥", 0),
    ],
)
def test_digits_that_are_counted_in_groups_are_added(text: str, missing: int) -> None:
    assert digit_correction(text) == missing


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("def f(x):\n    return x\n", 8),
        ("123456", 6),
        ("<|endoftext|>", 7),
        ("\ud800", 1),
    ],
)
def test_estimate_of_a_text_with_factor_one(text: str, tokens: int) -> None:
    assert QWEN.text(text) == tokens


def test_factor_is_rounded_up_and_bytes_are_the_limit() -> None:
    assert Estimator(1.02).text("hello world") == 3
    assert Estimator(50.0).text("hello world") == len("hello world")
    assert Estimator(50.0).text("añb") == 4


def test_messages_cost_their_template() -> None:
    messages = (Message("system", "hello world"), Message("user", "hello world"))
    assert overhead(2) == 8 + 8 + 16
    assert QWEN.messages(messages) == 2 + 2 + 32
    assert upper_bound(messages) == 11 + 11 + 32
    assert QWEN.messages(()) == 16


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_factor_that_is_none_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="a number above 0"):
        Estimator(factor)


def test_raised_covers_the_count_that_was_seen() -> None:
    messages = (Message("user", "some code " * 50),)
    low = Estimator(1.0)
    for actual in (low.messages(messages) + 1, low.messages(messages) + 37, 2 * low.messages(messages)):
        higher = low.raised(messages, actual)
        assert higher.factor > 1.0
        assert actual <= higher.messages(messages) <= actual + 1
    assert low.raised(messages, low.messages(messages)) is low
    assert low.raised(messages, 3) is low


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x + 1\n" * 40,
        "0123456789" * 300,
        "中文字符" * 200,
        "🙂👩‍👩‍👧" * 100,
        " \t" * 500,
        "{}[]();" * 200,
    ],
)
def test_the_measure_without_a_table_is_not_below_the_one_with(text: str) -> None:
    assert rough_count(text) >= QWEN.text(text)
    rough = Estimator(UNKNOWN_FACTOR, rough_count)
    assert QWEN.text(text) <= rough.text(text) <= utf8_length(text)


def test_long_texts_are_counted_in_pieces_of_the_same_sum() -> None:
    count = cl100k_counter()
    assert count is not None
    line = "value = compute(first, second)  # comment\n"
    lines = CHUNK // len(line) * 3
    assert count(line * lines) == pytest.approx(count(line) * lines, abs=3)


@pytest.mark.parametrize("unit", ["a", " ", "\n", "1", "!", "中", "x = 1\n", "\ud800"])
def test_one_million_characters_take_no_quadratic_time(unit: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    QWEN.text("load the table first")
    times = []
    for size in (250_000, 1_000_000):
        before = time.process_time()
        QWEN.text(text[:size])
        times.append(time.process_time() - before)
    assert times[1] < 8 * times[0] + 0.5  # quadratic would be 16 times
    assert times[1] < 3


def test_no_file_no_socket_no_environment(tmp_path: Path) -> None:
    """In a process of its own, because the table is loaded once."""
    script = """
        import os, sys
        seen = []
        def hook(event, args):
            if event.startswith("socket."):
                seen.append(event)
            if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                seen.append(f"{event} {args[0]}")
            if event in ("os.mkdir", "os.rename", "tempfile.mkstemp"):
                seen.append(event)
        sys.dont_write_bytecode = True
        sys.addaudithook(hook)
        from litecode.core.budget.tokens import Estimator
        print(Estimator(1.0).text("hello world 12345"), seen, "requests" in sys.modules)
    """
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    for cache in ({}, {"TIKTOKEN_CACHE_DIR": str(tmp_path / "cache")}, {"TIKTOKEN_CACHE_DIR": ""}):
        done = subprocess.run(
            (sys.executable, "-c", textwrap.dedent(script)), env=environ | cache, capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == ("8 [] False\n", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["tiktoken", "tiktoken_ext"])
def test_without_the_table_the_rough_measure_is_used_and_nothing_is_fetched(missing: str) -> None:
    script = f"""
        import sys
        sys.modules[{missing!r}] = None
        sys.addaudithook(lambda event, args: print(event) if event.startswith("socket.") else None)
        from litecode.core.budget.tokens import Estimator, cl100k_counter, rough_count
        text = "def f(x): return 12345"
        print(cl100k_counter(), Estimator(1.0).text(text) == Estimator(1.0, rough_count).text(text))
    """
    done = subprocess.run((sys.executable, "-c", textwrap.dedent(script)), capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("None True\n", "")


def test_a_damaged_table_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from litecode.core.budget import tokens

    monkeypatch.setattr(tokens, "CL100K_SHA256", "0" * 64)
    tokens._encoding.cache_clear()
    try:
        assert cl100k_counter() is None
    finally:
        tokens._encoding.cache_clear()
