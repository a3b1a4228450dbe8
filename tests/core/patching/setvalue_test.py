"""Values that code sets by itself, and requests that are more than that."""

from __future__ import annotations

import pytest

from litecode.core.patching.setvalue import with_value


@pytest.mark.parametrize(
    ("text", "language", "request_", "wanted"),
    [
        ("MOST = 3  # a day\nX = 1\n", "python", "raise MOST from 3 to 5", "MOST = 5  # a day\nX = 1\n"),
        ("a:\n  replicas: 1  # hand\n", "yaml", "set replicas to 3 in deploy.yaml", "a:\n  replicas: 3  # hand\n"),
        ('{\n  "port": 80,\n  "x": 1\n}\n', "json", "change the port to 8080", '{\n  "port": 8080,\n  "x": 1\n}\n'),
        ("debug = true\n", None, "app.toml: set debug to false", "debug = false\n"),
        ("HOST = 'a'\n", "python", "change HOST to `b.example`", "HOST = 'b.example'\n"),
        ("const LIMIT = 10; // most\n", "javascript", "lower LIMIT to 7", "const LIMIT = 7; // most\n"),
        ("WAIT: float = 2.5\n", "python", "set WAIT to 3.5.", "WAIT: float = 3.5\n"),
        ("DEBUG = True\n", "python", "turn DEBUG to false", "DEBUG = False\n"),
        ("line-length = 88\n", None, "set the line length in a.toml to 100", "line-length = 100\n"),
        ("requestTimeout: 5\n", "yaml", "raise the request timeout to 9", "requestTimeout: 9\n"),
        ("LIMIT = 5\n", "python", "set the limit to 9", "LIMIT = 9\n"),
        ("timeout_seconds: 5\n", "yaml", "set the timeout in a.yml to 9 seconds", "timeout_seconds: 9\n"),
        ("cacheMb: 5\n", "yaml", "set cache to 9 MB", "cacheMb: 9\n"),
    ],
)
def test_values_are_set(text: str, language: str | None, request_: str, wanted: str) -> None:
    assert with_value(text, language, request_) == wanted


@pytest.mark.parametrize(
    ("text", "language", "request_"),
    [
        ("MOST = 3\n", "python", "raise MOST to 5 and use it in f"),
        ("MOST = 3\n", "python", "raise LEAST to 5"),
        ("MOST = 3\nMOST = 4\n", "python", "raise MOST to 5"),
        ("MOST = 3 + x\n", "python", "raise MOST to 5"),
        ("MOST = 3\n", "python", "raise MOST from 4 to 5"),
        ("MOST = 3\n", "python", "set MOST to 3"),
        ("MOST = [3]\n", "python", "set MOST to 3"),
        ("MOST = 'a'\n", "python", 'set MOST to "it\'s"'),
        ("MOST = 3\n", "python", "set MOST to 'many'"),
        ("MOST = other\n", "python", "set MOST to 5"),
        ('"""\nMOST = 3\n"""\n', "python", "set MOST to 5"),
        ("# MOST = 3\n", "python", "set MOST to 5"),
        ("MOST = 3\n", "python", "is MOST 5?"),
        ("timeout_ms: 5\n", "yaml", "set the timeout to 9 seconds"),
        ("timeout: 5\n", "yaml", "set the timeout to 9 seconds"),
        ("timeout_ms: 5\n", "yaml", "set the timeout to 9"),
        ("request_timeout: 5\n", "yaml", "set the timeout to 9"),
        ("limit = 5\nLIMIT = 6\n", "python", "set the Limit to 9"),
        ("a_b = 5\n", "python", "set a to b to 9"),
    ],
)
def test_what_is_left_to_others(text: str, language: str, request_: str) -> None:
    assert with_value(text, language, request_) is None
