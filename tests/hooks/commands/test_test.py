"""`git litecode test` from end to end, with replies that were recorded by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from litecode.core.llm.replay import read_recordings
from litecode.core.values import Message, Prompt, Reply, Stop
from litecode.hooks.cli import main
from litecode.hooks.commands import test as test_command

Capture = pytest.CaptureFixture[str]

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
  tests:
    valid: [x is None]
    invalid: [{code: x == None, fixed: x is None}]
- id: no-print
  message: Use repr.
  language: python
  pattern: print($$$A)
  instruction: Replace print by repr.
  tests:
    valid: [repr(x)]
    invalid: [{code: print(x), fixed: repr(x)}]
"""


class Port:
    name = "scripted (embedded)"
    digest = "d"
    window = 8192
    slots = 1

    def complete(self, prompt: Prompt) -> Reply:
        assert "print(x)" in prompt.messages[-1].content
        return Reply("```python\nrepr(x)\n```", Stop.END, 10, 10, 0.0)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        return None if messages else 0

    def close(self) -> None: ...


@pytest.fixture
def here(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(repo.path)
    monkeypatch.setattr(test_command, "_model", lambda recording, _repo: Port() if recording else None)
    repo.add({".litecode.yaml": RULES, "a.py": "1\n"}, commit="base")
    return repo


def test_a_reply_that_is_not_recorded_is_an_error_until_it_is(here: Any, capsys: Capture) -> None:
    assert main(["test"]) == 2
    assert capsys.readouterr() == (
        ".litecode.yaml:10: no-print unrecorded: invalid 1: .litecode-replies.jsonl has no reply to this request\n"
        "    print(x)\n",
        "2 rules, 4 examples: 3 passed, 1 unrecorded\n"
        "hint: `git litecode test --record` asks the model for what is missing\n",
    )
    assert main(["test", "--record"]) == 0
    assert capsys.readouterr().err == (
        "litecode: 1 replies of scripted (embedded) recorded\n2 rules, 4 examples: 4 passed\n"
    )
    assert [model for model, _ in read_recordings(here / ".litecode-replies.jsonl").values()] == ["scripted"]
    assert main(["test"]) == 0
    assert capsys.readouterr() == ("", "2 rules, 4 examples: 4 passed\n")


@pytest.mark.usefixtures("here")
def test_without_a_model(capsys: Capture) -> None:
    assert main(["test", "--no-model"]) == 0
    assert capsys.readouterr().err == "2 rules, 4 examples: 4 passed\n"


@pytest.mark.parametrize(
    ("old", "new", "code", "out"),
    [
        (
            "valid: [x is None]",
            "valid: [y == None]",
            1,
            ".litecode.yaml:2: is-none noisy: valid 1: the rule finds `y == None` in line 1\n    y == None\n",
        ),
        (
            "invalid: [{code: x == None, fixed: x is None}]",
            "invalid: [x == 1]",
            1,
            ".litecode.yaml:2: is-none missing: invalid 1: the rule finds nothing\n    x == 1\n",
        ),
        (
            "fixed: x is None",
            "fixed: x is not None",
            1,
            ".litecode.yaml:2: is-none wrong: invalid 1: fixed in another way than the example says\n"
            "    @@ -1 +1 @@\n    -x is not None\n    +x is None\n",
        ),
        (
            "fix: $VALUE is None",
            "fix: $OTHER is None",
            1,
            ".litecode.yaml:6:8: is-none fault: the fix uses $OTHER, which the pattern does not have"
            " (name the same meta-variables)\n",
        ),
        (
            "fix: $VALUE is None",
            "fix: $VALUE is",
            1,
            ".litecode.yaml:6:8: is-none fault: `fix` does not parse as python: $VALUE is"
            " (write a whole statement or expression)\n",
        ),
        ("    valid: [x is None]\n", "", 0, ""),
    ],
)
def test_what_fails(here: Any, capsys: Capture, old: str, new: str, code: int, out: str) -> None:
    here.write(".litecode.yaml", RULES.replace(old, new))
    assert main(["test", "is-none"]) == code
    assert capsys.readouterr().out == out


@pytest.mark.parametrize(
    ("old", "new", "err"),
    [
        ("fix: $VALUE is None", "fix: $VALUE is", "1 rule, 2 examples: 2 not tested; 1 fault\n"),
        ("pattern: $VALUE == None", "pattern: f(", "1 rule, 2 examples: 2 not tested; 1 fault\n"),
        ("valid: [x is None]", "valid: [y == None]", "1 rule, 2 examples: 1 passed, 1 noisy\n"),
        ("", "", "1 rule, 2 examples: 2 passed\n"),
    ],
)
def test_examples_that_could_not_be_tested_are_counted(
    here: Any, capsys: Capture, old: str, new: str, err: str
) -> None:
    here.add({".litecode.yaml": RULES.replace(old, new)})
    main(["test", "is-none"])
    assert capsys.readouterr().err == err


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (RULES.replace("    valid: [x is None]\n", "").replace("[{code: x == None, fixed: x is None}]", "[x]"), 0),
        ("extends: [litecode:python-logging]\nrules:\n- id: no-print\n  pattern: puts($X)\n  confidence: high\n", 1),
        ("extends: [litecode:python-logging]\nrules:\n- id: no-print\n  pattern: puts(\n", 1),
        ("extends: [litecode:python-logging]\nrules:\n- id: no-print\n  severity: hint\n", 0),
    ],
)
def test_a_note_is_shown_with_a_failure_when_it_may_be_the_cause(
    here: Any, capsys: Capture, text: str, notes: int
) -> None:
    here.write(".litecode.yaml", text)
    main(["test", "--no-model"])
    out = capsys.readouterr().out
    assert out.count(" note: ") == notes
    assert out.count("it overrides") == notes


def test_everything_on_request(here: Any, capsys: Capture) -> None:
    here.write(".litecode.yaml", RULES.replace("    valid: [x is None]\n", "").replace("$A)", "$A)\n  files: ^src/"))
    assert main(["test", "-v", "--no-model"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        ".litecode.yaml:2: is-none note: it has no valid examples (write some under `tests`)",
        ".litecode.yaml:2: is-none passed: invalid 1",
        ".litecode.yaml:9: no-print note: no file of this repository comes under it"
        " (look at `files`, `exclude` and `types`)",
        ".litecode.yaml:9: no-print passed: valid 1",
        ".litecode.yaml:9: no-print passed: invalid 1",
    ]


@pytest.mark.usefixtures("here")
def test_json(capsys: Capture) -> None:
    assert main(["test", "--format", "json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert (document["version"], document["exit_code"]) == (1, 2)
    assert document["counts"] == {"passed": 3, "noisy": 0, "missing": 0, "wrong": 0, "unrecorded": 1}
    assert [rule["id"] for rule in document["rules"]] == ["is-none", "no-print"]
    assert document["rules"][0]["examples"][1] == {
        "side": "invalid",
        "number": 1,
        "outcome": "passed",
        "code": "x == None",
        "fixed": "x is None",
        "got": "x is None",
    }


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["no-prin"], "there is no rule no-prin"),
        (["--no-model", "--record"], "--no-model and --record ask for different things"),
        (["--no-model", "--update"], "--no-model and --record ask for different things"),
        (["litecode:python-loging"], "there is no preset `litecode:python-loging`"),
    ],
)
def test_what_cannot_be_asked(here: Any, capsys: Capture, argv: list[str], message: str) -> None:
    before = here.snapshot()
    assert main(["test", *argv]) == 2
    assert message in capsys.readouterr().err
    assert here.snapshot() == before


def test_a_preset_is_tested_anywhere(capsys: Capture) -> None:
    assert main(["test", "litecode:python-datetime"]) == 0
    assert capsys.readouterr().err.endswith(" passed\n")


def test_the_rules_of_a_preset_come_with_their_replies(here: Any, capsys: Capture) -> None:
    here.write(".litecode.yaml", "extends: [litecode:python-logging]\n")
    assert main(["test"]) == 0
    assert capsys.readouterr().err.endswith(" passed\n")
