"""`git litecode refine` from end to end."""

from __future__ import annotations

import io
from typing import Any

import pytest

from litecode.hooks.cli import main

Capture = pytest.CaptureFixture[str]

RULES = """\
rules:
- id: no-print  # mine
  message: Use the logger.
  language: python
  pattern: print($$$ARGS)
  tests:
    valid:
    - print("usage", file=sys.stderr)
    - print(x, file=out)
    invalid:
    - print(x)
    - print(f"{x} left", sep="")
- id: todo
  message: A TODO has an owner.
  types: [python]
  regex: TODO
  tests: {valid: ['# TODO(anna): x'], invalid: ['# TODO: x', '# TODO x']}
- {id: fine, message: m, regex: x, tests: {valid: [a], invalid: [x]}}
- {id: blind, message: m, regex: x, tests: {valid: [x], invalid: [a, x]}}
- {id: bare, message: m, regex: x}
- {id: vague, message: m, instruction: Do it., tests: {valid: [a], invalid: [b]}}
- {id: equal, message: m, regex: x, tests: {valid: ['a x b'], invalid: ["a x b\\n"]}}
"""
CODE = "import sys\nprint(1)\nprint(2, file=sys.stderr)\n# TODO: a\n# TODO(b): c\n"
REFINED = """\
  pattern:
    pattern: print($$$ARGS)
    not: {has: {kind: keyword_argument, has: {field: name, regex: ^file$}, stopBy: end}}
"""


@pytest.fixture
def here(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(repo.path)
    repo.add({".litecode.yaml": RULES, "a.py": CODE}, commit="base")
    return repo


def test_a_pattern(here: Any, capsys: Capture) -> None:
    assert main(["refine", "no-print"]) == 0
    assert here.read(".litecode.yaml").decode() == RULES.replace("  pattern: print($$$ARGS)\n", REFINED)
    out, err = capsys.readouterr()
    assert out.startswith("* 1  {not: {has: {kind: keyword_argument")
    assert "\n  2  {" in out
    assert "+    pattern: print($$$ARGS)" in out
    assert err.splitlines() == [
        "of 2 matches in this repository 1 stay, 1 go",
        "  a.py:3:1: print(2, file=sys.stderr)",
        "wrote .litecode.yaml; `git litecode test no-print` tests the rule",
    ]
    assert main(["test", "no-print"]) == 0
    assert main(["refine", "no-print"]) == 0
    assert capsys.readouterr().err.endswith("no-print finds none of its 2 valid examples: nothing to do\n")


def test_a_regex_keeps_the_line_ends(here: Any, capsys: Capture) -> None:
    here.write(".litecode.yaml", RULES.replace("\n", "\r\n"))
    assert main(["refine", "todo"]) == 0
    assert here.read(".litecode.yaml").decode() == RULES.replace("regex: TODO", "regex: 'TODO(?!\\()'").replace(
        "\n", "\r\n"
    )
    assert "of 2 matches in this repository 1 stay, 1 go\n  a.py:5:3: TODO\n" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["no-print", "--dry-run"], ["fine"], ["todo", "--dry-run", "--choose", "2"]])
def test_nothing_is_written(here: Any, argv: list[str]) -> None:
    before = here.snapshot()
    assert main(["refine", *argv]) == 0
    assert here.snapshot() == before


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["no-prin"], 2, "there is no rule no-prin"),
        (["nope"], 2, "hint: `git litecode explain` lists the rules\n"),
        (["blind"], 2, "rule blind does not find invalid 1"),
        (["bare"], 2, "rule bare has no examples of both sides"),
        (["vague"], 2, "rule vague has neither `pattern` nor `regex`"),
        (["equal"], 1, "equal finds valid 1, and no small constraint keeps it from that"),
        (["todo", "--choose", "99"], 2, "and no number 99"),
        (["fine", "--choose", "1"], 2, "rule fine is precise"),
    ],
)
def test_what_cannot_be_done(here: Any, capsys: Capture, argv: list[str], code: int, message: str) -> None:
    before = here.snapshot()
    assert main(["refine", *argv]) == code
    assert message in capsys.readouterr().err
    assert here.snapshot() == before


def test_a_rule_of_a_preset_needs_an_entry(here: Any, capsys: Capture) -> None:
    text = "extends: [litecode:python-logging]\n"
    here.write(".litecode.yaml", text)
    assert main(["refine", "no-print"]) == 0
    tests = "rules:\n- id: no-print\n  tests: {valid: [print(usage())], invalid: [print(x)]}\n"
    here.write(".litecode.yaml", text + tests)
    assert main(["refine", "no-print"]) == 0
    assert here.read(".litecode.yaml").decode().startswith(text + tests + "  pattern:")
    assert main(["test", "no-print", "--no-model"]) == 0
    assert "passed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "constraint"),
    [
        ("\n", "has: {kind: keyword_argument"),
        ("2\n", "has: {kind: identifier"),
        ("9\n1\n", "has: {kind: keyword_argument"),
        ("0\n", ""),
        ("", ""),
    ],
)
def test_at_a_terminal_one_is_asked(
    here: Any, capsys: Capture, monkeypatch: pytest.MonkeyPatch, typed: str, constraint: str
) -> None:
    monkeypatch.setattr("litecode.hooks.commands.refine.is_interactive", lambda _: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(["refine", "no-print"]) == 0
    assert "Take which one" in capsys.readouterr().err
    text = here.read(".litecode.yaml").decode()
    assert (constraint in text) if constraint else (text == RULES)


def test_a_fix_whose_result_is_found_again(here: Any, capsys: Capture) -> None:
    rule = """\
rules:
- id: cd
  message: A cd can fail.
  language: bash
  pattern: cd $DIR
  fix: cd $DIR || exit 1
  tests:
    valid: [cd a || exit 1]
    invalid: [{code: cd a, fixed: cd a || exit 1}]
"""
    here.add({".litecode.yaml": rule, "a.sh": "cd b\ncd c || exit 1\n"})
    assert main(["refine", "cd"]) == 0
    assert "of 2 matches in this repository 1 stay, 1 go\n  a.sh:2:1: cd c\n" in capsys.readouterr().err
    assert main(["test", "cd"]) == 0
