"""The cost of a regex is known before it is compiled."""

from __future__ import annotations

import time

import pytest

from litecode.config.load import load_rules
from litecode.config.regex_size import LIMIT, compiled_size
from litecode.core.errors import ConfigError


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("", 0),
        ("abc", 3),
        (r"\d+", 2),
        ("[a-z]{3}", 3),
        ("[]a]{3}", 3),
        ("[(]{2}[)]", 3),
        (r"\(a\){2}", 4),
        (r"a\{900000\}", 9),
        (r"\p{Lu}{4}", 4),
        ("a{2,}", 2),
        ("a{,9}", 1),
        ("a{0,1000000000}", 1),
        ("a{ 3 }", 3),
        ("a{x}", 4),
        ("(?:ab){10}", 50),
        ("(?:a{100}){100}", 10_300),
        ("(?:(?:a{10}){10}){10}", 1320),
        ("[{]{2}", 2),
        ("a)b", 3),
        ("(a", 1),
    ],
)
def test_sizes(pattern: str, size: int) -> None:
    assert compiled_size(pattern) == pytest.approx(size, rel=0.15, abs=3)
    assert compiled_size(pattern) <= LIMIT


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:a){1000000000}",
        "a{20001}",
        "(?:a{1000}){1000}",
        "(?:(?:a{100}){100}){100}",
        "[a-z]{999999,}",
        r"\p{L}{100000}",
        "(?:a|b{3}){99999,100000}",
        "((((a){50}){50}){50}){50}",
        "a{99999999999999999999999999}",
        "(?x) a {1000000}",
    ],
)
@pytest.mark.parametrize("key", ["regex", "files", "exclude"])
def test_what_would_take_too_much_is_refused_with_its_place(pattern: str, key: str) -> None:
    where = {"regex": "regex: '{}'", "files": "regex: a\n  files: '{}'", "exclude": "regex: a\n  exclude: '{}'"}[key]
    text = f"rules:\n- id: a\n  message: M.\n  {where.format(pattern)}\n"
    began = time.monotonic()
    with pytest.raises(ConfigError) as caught:
        load_rules(text.encode(), ".litecode.yaml")
    assert time.monotonic() - began < 5
    assert caught.value.where.startswith(f".litecode.yaml:{4 if key == 'regex' else 5}:")
    assert f"`{key}` repeats too much" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("pattern", ["a{20000}", "^.{0,120}$", r"(?:\d{4}-){3}\d{4}", "[0-9a-f]{64}"])
def test_what_people_write_is_taken(pattern: str) -> None:
    text = f"rules:\n- id: a\n  message: M.\n  regex: '{pattern}'\n"
    assert load_rules(text.encode(), ".litecode.yaml").active[0].regex == pattern
