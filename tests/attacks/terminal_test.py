"""Names, code, messages and replies of strangers cannot move the cursor, hide a line, or turn text around."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from litecode.hooks.cli import main

HOSTILE = {
    "clear": "\x1b[2J\x1b[H",
    "colour": "\x1b[8mhidden\x1b[0m",
    "title": "\x1b]0;pwned\x07",
    "link": "\x1b]8;;http://evil.tld\x1b\\text\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "device": "\x1b[6n\x1b[c\x1bP$qm\x1b\\",
    "c1 csi": "\u009b2J",
    "c1 osc": "\u009d0;pwned\u009c",
    "raw c1": b"\x9b2J".decode("utf-8", "surrogateescape"),
    "carriage": "ok\rlitecode: all conforms",
    "backspace": "bad\x08\x08\x08ok ",
    "bell": "\x07\x00"[:1],
    "bidi": "\u202egnp.exe\u202c",
    "isolate": "\u2066a\u2069\u200f",
    "invisible": "a\u200b\u2060\ufeffb",
    "line": "a\u2028b\u2029c\x85d",
    "tag": "\U000e0041\U000e0042",
    "delete": "\x7f",
}
RULES = """\
rules:
- id: no-print
  message: Use the logger.
  language: python
  pattern: print($$$A)
  instruction: Replace print by logger.info.
"""
_SAFE_CONTROL = {"\n", "\t"}


def bad_characters(text: str) -> set[str]:
    return {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in _SAFE_CONTROL}


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    return lambda: "".join(capsys.readouterr())


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_names_of_files(
    repo: Any,
    text: str,
    said: Callable[[], str],
    make_server: Callable[[], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = make_server()
    server.reply = f"logger.info('{text}')"
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    monkeypatch.chdir(repo.path)
    name = text.replace("/", "_")
    repo.add({".litecode.yaml": RULES}, commit="base")
    repo.add({os.fsdecode(f"{name}.py".encode("utf-8", "surrogateescape")): f"print('{'x' * 3}')\n"})
    for argv in (["run", "--dry-run"], ["check", "--diff"], ["check"], ["run", "-v"], ["run", "--yes"], ["log"],
                 ["show"], ["show", "--verbose"], ["map"], ["check", "--format", "github"], ["doctor"]):  # fmt: skip
        main(argv)
        told = said()
        assert bad_characters(told) == set(), argv
        assert "Traceback" not in told


@pytest.mark.parametrize(
    "text", [t for n, t in HOSTILE.items() if n != "raw c1"], ids=[n for n in HOSTILE if n != "raw c1"]
)
def test_texts_of_rules_and_code(
    repo: Any, text: str, said: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    quoted = "".join(f"\\U{ord(char):08x}" for char in text)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.chdir(repo.path)
    rules = (
        f'rules:\n- {{id: a, message: "M {quoted}", note: "{quoted}", language: python, pattern: f($A), fix: g($A)}}\n'
    )
    repo.add({".litecode.yaml": rules}, commit="base")
    repo.add({"a.py": f"f('''{text}''')\n# {text}\n"})
    for argv in (["check"], ["check", "--diff"], ["explain", "a"], ["run"], ["log"], ["show"], ["test"]):
        main(argv)
        assert bad_characters(said()) == set(), argv
    repo.write(".litecode.yaml", f'rules:\n- "{quoted}": 1\n')
    for argv in (["check"], ["doctor"], ["trust"], ["explain", text.replace("\x00", "")]):
        main(argv)
        assert bad_characters(said()) == set(), argv


@pytest.mark.parametrize(
    "text", [t for n, t in HOSTILE.items() if n != "raw c1"], ids=[n for n in HOSTILE if n != "raw c1"]
)
def test_requests_and_settings(
    repo: Any, text: str, said: Callable[[], str], make_server: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = make_server()
    server.reply = f"It does {text} nothing."
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    monkeypatch.chdir(repo.path)
    repo.add({"a.py": "def f():\n    return 1\n"})
    for argv in (
        ["ask", f"What does f do? {text}"],
        ["run", "-m", f"Add {text} to f in a.py"],
        ["plan", "-m", f"Change {text}.py"],
        ["run", text],
        ["show", text],
        ["connect", f"ollama{text}"],
        [f"no{text}"],
    ):
        main(argv)
        assert bad_characters(said()) == set(), argv
    repo.config("litecode.deadline", f"9{text}9".replace("\n", ""))
    for argv in (["doctor"], ["check"]):
        main(argv)
        assert bad_characters(said()) == set(), argv
