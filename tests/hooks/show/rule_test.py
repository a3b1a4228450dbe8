from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from litecode.config import presets
from litecode.config.load import load_rules
from litecode.hooks.show.rule import list_lines, rule_lines

FILE = b"""\
exclude: ^vendor/
rules:
- id: no-print
  message: Use the module logger, not print.
  note: |
    Printed text has no level.

    Nor a time.
  url: https://example.com/no-print
  language: python
  files: ^src/
  pattern: print($$$ARGS)
  instruction: |
    Replace the print() call by a logger.info() call.
  ensure:
  - import logging
  - logger = logging.getLogger(__name__)
  reject: print($$$A)
- id: old-name
  message: It is called Shop now.
  severity: warning
  types: [markdown]
  regex: '\\bStore\\b'
  fix: Shop
  where: file
- id: has-timeout
  message: Give requests a timeout.
  severity: hint
  language: python
  region: function
  confidence: low
  pattern:
    any:
    - pattern: requests.get($$$A)
    - pattern: requests.post($$$A)
  instruction: Add a timeout.
  expect: requests.$M($$$A, timeout=$T)
- id: look
  message: Look at it.
  severity: info
  language: python
  pattern: eval($X)
- id: any-file
  message: Keep it short.
  types: []
  exclude_types: [binary]
  instruction: Shorten the file.
- id: spell
  message: It is spelt colour.
  regex: color
  instruction: Write colour.
- id: off
  message: Not now.
  severity: 'off'
  regex: x
"""

WANT = {
    "no-print": """\
no-print: Use the module logger, not print.
    Printed text has no level.

    Nor a time.
See https://example.com/no-print.

It is an error: a commit that leaves a finding stops.
It looks at text files that are one of python, pyi, with a path that matches ^src/, but not ^vendor/.
It finds this python code in the lines that a commit changes.
    print($$$ARGS)
The model rewrites the statement around it, and is told:
    Replace the print() call by a logger.info() call.
The change is proven when the new code does not have:
    print($$$A)
A changed file gets these lines below its imports, unless it has them:
    import logging
    logger = logging.getLogger(__name__)
It is written in .litecode.yaml, line 3.
""",
    "old-name": """\
old-name: It is called Shop now.

It is a warning: it is announced, and the commit goes on.
It looks at text files that are markdown, but not ^vendor/.
It finds what this regular expression matches anywhere in a changed file.
    \\bStore\\b
It is replaced, without a model, by:
    Shop
It is written in .litecode.yaml, line 19.
""",
    "has-timeout": """\
has-timeout: Give requests a timeout.

It is a hint: it is announced, and the commit goes on.
It looks at text files that are one of python, pyi, but not ^vendor/.
It finds this python code in the lines that a commit changes.
    {
      "any": [
        {
          "pattern": "requests.get($$$A)"
        },
        {
          "pattern": "requests.post($$$A)"
        }
      ]
    }
The model rewrites the function around it, and is told:
    Add a timeout.
A match is only a candidate: when the model leaves it as it is, it conforms.
The change is proven when the new code has:
    requests.$M($$$A, timeout=$T)
It is written in .litecode.yaml, line 26.
""",
    "look": """\
look: Look at it.

It is an information: it is announced, and the commit goes on.
It looks at text files that are one of python, pyi, but not ^vendor/.
It finds this python code in the lines that a commit changes.
    eval($X)
It only reports; nothing is changed.
It is written in .litecode.yaml, line 38.
""",
    "any-file": """\
any-file: Keep it short.

It is an error: a commit that leaves a finding stops.
It looks at files that are not binary, but not ^vendor/.
It finds every function that a commit changes, or the file where there is none; the model decides.
The model rewrites it, and is told:
    Shorten the file.
What it changes is held until a person says yes.
It is written in .litecode.yaml, line 43.
""",
    "spell": """\
spell: It is spelt colour.

It is an error: a commit that leaves a finding stops.
It looks at text files, but not ^vendor/.
It finds what this regular expression matches in the lines that a commit changes.
    color
The model rewrites the statement around it, or the line without a parser, and is told:
    Write colour.
It is written in .litecode.yaml, line 48.
""",
    "off": """\
off: Not now.

It is switched off.
It looks at text files, but not ^vendor/.
It finds what this regular expression matches in the lines that a commit changes.
    x
It only reports; nothing is changed.
It is written in .litecode.yaml, line 52.
""",
}


@pytest.mark.parametrize("name", WANT)
def test_a_rule_in_words(name: str, screen: Callable[..., Any]) -> None:
    rules = load_rules(FILE, ".litecode.yaml")
    (rule,) = (rule for rule in rules.rules if rule.id == name)
    assert "".join(line + "\n" for line in rule_lines(rule, rules, screen())) == WANT[name]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("types: [shell]", "text files that are shell."),
        ("types: [text, executable]", "text files that are all of text, executable."),
        ("types_or: [shell]", "text files that are shell."),
        ("types_or: [javascript, ts]", "text files that are one of javascript, ts."),
        ("exclude_types: [pyi]", "text files that are not pyi."),
        ("exclude_types: [csh, zsh]", "text files that are none of csh, zsh."),
        (
            "types: [executable], types_or: [shell], exclude_types: [zsh]",
            "text files that are executable, and shell, and not zsh.",
        ),
        ("", "text files."),
    ],
)
def test_the_kinds_of_files(keys: str, words: str, screen: Callable[..., Any]) -> None:
    text = f"rules:\n- {{id: a, message: M., regex: x{', ' if keys else ''}{keys}}}\n"
    rules = load_rules(text.encode(), ".litecode.yaml")
    assert f"It looks at {words}" in list(rule_lines(rules.rules[0], rules, screen()))


@pytest.mark.parametrize("preset", presets.names())
def test_every_preset_rule_can_be_explained(preset: str, screen: Callable[..., Any]) -> None:
    rules = load_rules(presets.read(preset), f"litecode:{preset}")
    for rule in rules.rules:
        lines = list(rule_lines(rule, rules, screen()))
        assert lines[0] == f"{rule.id}: {rule.message}"
        assert all(line == line.rstrip() for line in lines)


OVERRIDES = b"""\
extends: [litecode:python-logging]
rules:
- id: no-print
  pattern: print($X)
- id: lazy-logging
  severity: 'off'
- id: own
  message: Of its own.
  regex: x
"""


def test_the_list_goes_by_where_rules_are_written(screen: Callable[..., Any]) -> None:
    lines = list(list_lines(load_rules(OVERRIDES, ".litecode.yaml"), screen()))
    assert lines[:3] == [".litecode.yaml", "  own             error    Of its own.", "litecode:python-logging"]
    rows = {line.split()[0]: line.split()[1] for line in lines[3:]}
    assert rows["no-print"] == "warning"
    assert rows["lazy-logging"] == "off"
    assert [line.split()[0] for line in lines[3:] if line.endswith("(overridden in .litecode.yaml)")] == [
        "lazy-logging",
        "no-print",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no-print", "There it overrides pattern of the rule in litecode:python-logging; everything else"),
        ("lazy-logging", "There it overrides severity of the rule in litecode:python-logging; everything else"),
        ("own", "It is written in .litecode.yaml, line 7."),
        ("no-root-logger", "It is written in litecode:python-logging, line "),
    ],
)
def test_what_a_rule_has_from_a_preset(screen: Callable[..., Any], name: str, said: str) -> None:
    file = load_rules(OVERRIDES, ".litecode.yaml")
    rule = next(rule for rule in file.rules if rule.id == name)
    assert list(rule_lines(rule, file, screen()))[-1].startswith(said)
