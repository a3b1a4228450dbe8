"""`check` with a baseline, on standard input, and on comments that let nothing stand."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import ConfigError
from litecode.hooks.baseline import read_baseline
from litecode.hooks.cli import main

RULES = """\
rules:
- id: no-print
  message: Use the logger.
  language: python
  pattern: print($$$A)
- id: todo
  message: Name an owner.
  severity: warning
  regex: 'TODO(?!\\()'
"""
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def scene(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    repo.add({".litecode.yaml": RULES, "a.py": "print(1)\nprint(1)\n# TODO x\n", "b.py": "x = 1\n"})
    monkeypatch.chdir(repo.path)
    return repo


def lines(capsys: Capture) -> list[str]:
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("print(1)\nprint(1)\n# TODO x\n", []),
        ("\n\nprint( 1 )\nx = 2\n  # TODO x\nif x:\n    print(1)\n", []),
        ("print(1)\n", []),
        ("", []),
        ("print(1)\nprint(1)\nprint(1)\n", ["a.py:3:1: no-print Use the logger."]),
        ("print(1)\nprint(2)\n", ["a.py:2:1: no-print Use the logger."]),
    ],
)
def test_what_was_there_is_known(scene: Any, capsys: Capture, text: str, left: list[str]) -> None:
    assert main(["check", "--write-baseline", "base.json"]) == 0
    assert main(["check"]) == 1
    scene.add({"a.py": text})
    capsys.readouterr()
    assert main(["check", "--baseline", "base.json"]) == (1 if left else 0)
    assert lines(capsys) == left


def test_another_file_is_not_known(scene: Any, capsys: Capture) -> None:
    assert main(["check", "--write-baseline", "base.json"]) == 0
    scene.add({"b.py": "print(1)\n"})
    assert main(["check", "--baseline", "base.json"]) == 1
    assert lines(capsys) == ["b.py:1:1: no-print Use the logger."]


@pytest.mark.usefixtures("scene")
def test_the_file_can_be_read_in_a_review(capsys: Capture) -> None:
    assert main(["check", "--write-baseline", "base.json"]) == 0
    assert capsys.readouterr().err.endswith("litecode: 3 findings written to base.json\n")
    text = Path("base.json").read_text()
    assert text.count("\n") == 4
    assert [(row["path"], row["rule"], row["count"]) for row in json.loads(text)["findings"]] == [
        ("a.py", "no-print", 2),
        ("a.py", "todo", 1),
    ]
    assert sum(read_baseline(Path("base.json")).values()) == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 2, "findings": []}',
        '{"version": 1, "findings": [1]}',
        '{"version": 1, "findings": [{"path": "a", "rule": "b", "mark": "c"}]}',
        '{"version": 1, "findings": [{"path": "a", "rule": 1, "mark": "c", "count": 1}]}',
        '{"version": 1, "findings": [{"path": "a", "rule": "b", "mark": "c", "count": "1"}]}',
        None,
    ],
)
@pytest.mark.usefixtures("scene")
def test_what_is_no_baseline(text: str | None, capsys: Capture) -> None:
    if text is not None:
        Path("base.json").write_text(text)
    with pytest.raises(ConfigError):
        read_baseline(Path("base.json"))
    assert main(["check", "--baseline", "base.json"]) == 2
    assert "git litecode check --all-files --no-model --write-baseline FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["--baseline", "a", "--write-baseline", "b"],
        ["--stdin-filename", "a.py", "b.py"],
        ["--stdin-filename", "a.py", "--all-files"],
        ["--stdin-filename", "../a.py"],
        ["--write-baseline", "no/such/folder.json"],
    ],
)
@pytest.mark.usefixtures("scene")
def test_what_does_not_go_together(argv: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["check", *argv]) == 2
    assert "hint: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("new/c.py", b"x = 1\nprint(3)\n", ["new/c.py:2:1: no-print Use the logger."]),
        ("a.py", b"x = 1\n", []),
        ("a.txt", b"print(1)\n# TODO\n", ["a.txt:2:3: todo Name an owner."]),
        ("a.py", b"\xff\xfeprint(1)\n", []),
        ("a.py", b"", []),
    ],
)
@pytest.mark.usefixtures("scene")
def test_standard_input(
    name: str, text: bytes, found: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["check", "--stdin-filename", name]) == any("no-print" in line for line in found)
    assert lines(capsys) == found


@pytest.mark.parametrize(
    ("text", "needless"),
    [
        ("x = 1  # litecode-ignore: no-print\n", [1]),
        ("# litecode-ignore: no-print, todo\nx = 1\n", [1, 1]),
        ("print(1)  # litecode-ignore: no-print\n", []),
        ("# litecode-ignore: no-print\nprint(\n    1\n)\n", []),
        ("# litecode-ignore: other\nx = 1\n", []),
        ("# litecode-ignore: no-print\n# litecode-ignore: todo\nprint(1)  # TODO\n", [1]),
    ],
)
def test_comments_that_let_nothing_stand(scene: Any, capsys: Capture, text: str, needless: list[int]) -> None:
    scene.add({"a.py": text})
    assert main(["check"]) in (0, 1)
    notes = [line for line in capsys.readouterr().err.splitlines() if "is not needed" in line]
    assert [int(note.split(":")[2]) for note in notes] == needless


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("print(1)  # litecode-ignore: noprint\n", ["a.py:1: litecode-ignore: there is no rule noprint"]),
        ("x = 1  # litecode-ignore\n", ["a.py:1: litecode-ignore: name a rule"]),
        ("print(1)  # litecode-ignore: no-print\n", []),
        ("# TODO litecode-ignore: todo\n", []),  # the text that the scene's rule looks for
        ("# the word litecode-ignore in a sentence\n", []),
        ("x = 'litecode-ignore: noprint'\n", []),
    ],
)
def test_comments_that_name_no_rule(scene: Any, capsys: Capture, text: str, unknown: list[str]) -> None:
    scene.add({"a.py": text})
    assert main(["check"]) in (0, 1)
    notes = [line.partition("a.py:") for line in capsys.readouterr().err.splitlines() if "litecode-ignore: " in line]
    assert [where + rest for _, where, rest in notes] == unknown
