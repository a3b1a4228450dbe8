"""`git litecode explain` from end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from litecode.config import presets
from litecode.config.load import load_rules
from litecode.hooks.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", presets.names())
def test_a_preset_that_nobody_extends(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)  # no repository
    assert main(["explain", f"litecode:{name}"]) == 0
    out, err = capsys.readouterr()
    head, *rows = out.splitlines()
    rules = load_rules(presets.read(name), f"litecode:{name}").rules
    assert (head, err) == (f"litecode:{name}", "")
    assert [row.split()[0] for row in rows] == [rule.id for rule in rules]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "litecode:python-loging",
            ["litecode: there is no preset `litecode:python-loging`", "hint: did you mean `litecode:python-logging`?"],
        ),
        ("nope", ["litecode: there is no rule nope", "hint: `git litecode explain` lists the rules"]),
        ("no-prin", ["litecode: there is no rule no-prin", "hint: did you mean `git litecode explain no-print`?"]),
    ],
)
def test_what_is_not_there(
    repo: Any, monkeypatch: pytest.MonkeyPatch, capsys: Capture, name: str, lines: list[str]
) -> None:
    monkeypatch.chdir(repo.path)
    repo.write(".litecode.yaml", "rules:\n- {id: no-print, message: m, regex: print}\n")
    assert main(["explain", name]) == 2
    assert capsys.readouterr() == ("", "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(
    ("text", "out", "err"),
    [
        ("rules: []\n", "", "litecode: .litecode.yaml has no rules yet\n"),
        ("", "", "litecode: .litecode.yaml has no rules yet\n"),
        ("rules:\n- {id: a, message: m, regex: x}\n", ".litecode.yaml\n  a  error    m\n", ""),
        ("rules:\n- {id: a, message: m, regex: x, severity: off}\n", ".litecode.yaml\n  a  off      m\n", ""),
    ],
)
def test_the_list(repo: Any, monkeypatch: pytest.MonkeyPatch, capsys: Capture, text: str, out: str, err: str) -> None:
    monkeypatch.chdir(repo.path)
    repo.write(".litecode.yaml", text)
    assert main(["explain"]) == 0
    assert capsys.readouterr() == (out, err)
