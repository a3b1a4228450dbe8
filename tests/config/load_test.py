"""A rules file becomes typed rules, or one error with line, column and remedy."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from litecode.config.load import load_rules
from litecode.config.rules import (
    AstPattern,
    Confidence,
    Invalid,
    RegionKind,
    Rule,
    RulesFile,
    RuleTests,
    Where,
)
from litecode.config.select import Filter
from litecode.core.errors import ConfigError, RuleError
from litecode.core.values import Severity

PATH = ".litecode.yaml"
PYTHON = Filter(types_or=("python", "pyi"))

PRESETS = {
    "logging": b"""\
rules:
- id: no-warn
  message: Use warning.
  language: python
  pattern: log.warn($$$A)
  fix: log.warning($$$A)
- id: lazy
  message: Lazy.
  severity: warning
  language: python
  regex: 'log\\(f"'
  instruction: Use placeholders.
""",
    "empty": b"",
    "broken": b"rules:\n- id: a\n  mesage: x\n",
    "nested": b"extends: [litecode:logging]\nrules: []\n",
    "greedy": b"files: ^src/\nrules: []\n",
    "future": b"minimum_litecode_version: '999'\n",
}


def preset(name: str) -> bytes:
    if name not in PRESETS:
        raise ConfigError(f"there is no preset `litecode:{name}`", "known are: logging")
    return PRESETS[name]


def load(text: str) -> RulesFile:
    return load_rules(text.encode(), PATH, preset)


def one(lines: str, head: str = "- id: a\n  message: M.\n") -> Rule:
    """The only rule of a file; `lines` are its further keys."""
    body = "".join(f"  {line}\n" for line in lines.splitlines())
    (rule,) = load(f"rules:\n{head}{body}").rules
    return rule


def rule(**fields: Any) -> Rule:
    return Rule(**{"id": "a", "message": "M.", "line": 2, "source": PATH, **fields})


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "rules:\n", "rules: []\n", "{}\n", "extends: []\n"])
def test_nothing_is_a_rules_file_too(text: str) -> None:
    assert load(text) == RulesFile(PATH)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("instruction: Do it.", rule(instruction="Do it.")),
        ("regex: TODO", rule(regex="TODO")),
        ("regex: '^  x$'\nfix: ''", rule(regex="^  x$", fix="")),
        (r"regex: '(\w+)\(\)'" + "\n" + r"fix: '\1[]'", rule(regex=r"(\w+)\(\)", fix=r"\1[]")),
        (r"regex: '(?P<f>\w+)x'" + "\n" + r"fix: '\g<f>y'", rule(regex=r"(?P<f>\w+)x", fix=r"\g<f>y")),
        (
            "language: python\npattern: print($$$A)",
            rule(language="python", filter=PYTHON, pattern=AstPattern({"pattern": "print($$$A)"})),
        ),
        (
            "language: py\n"
            "pattern: {kind: call, has: {field: function, regex: ^print$}, not: {inside: {kind: module}}}",
            rule(
                language="python",
                filter=PYTHON,
                pattern=AstPattern(
                    {
                        "kind": "call",
                        "has": {"field": "function", "regex": "^print$"},
                        "not": {"inside": {"kind": "module"}},
                    }
                ),
            ),
        ),
        (
            "language: go\n"
            "pattern:\n"
            "  rule: {any: [{pattern: $A == $B}, {pattern: {context: 'x := 1', selector: y, strictness: smart}}]}\n"
            "  constraints: {A: {kind: identifier}, _B1: {regex: x}}",
            rule(
                language="go",
                filter=Filter(types_or=("go",)),
                pattern=AstPattern(
                    {
                        "any": [
                            {"pattern": "$A == $B"},
                            {"pattern": {"context": "x := 1", "selector": "y", "strictness": "smart"}},
                        ]
                    },
                    {"A": {"kind": "identifier"}, "_B1": {"regex": "x"}},
                ),
            ),
        ),
        (
            "language: python\npattern:\n  nthChild: 2\n  range: {start: {line: 0, column: 1}}\n"
            "  follows: {kind: x, stopBy: end}\n  precedes: {kind: y, stopBy: {kind: z}}",
            rule(
                language="python",
                filter=PYTHON,
                pattern=AstPattern(
                    {
                        "nthChild": 2,
                        "range": {"start": {"line": 0, "column": 1}},
                        "follows": {"kind": "x", "stopBy": "end"},
                        "precedes": {"kind": "y", "stopBy": {"kind": "z"}},
                    }
                ),
            ),
        ),
        (
            "language: python\nregex: x\ninstruction: |\n  One.\n  Two.\nreject: print($A)\nexpect: {kind: call}\n"
            "ensure:\n- import logging\n- logger = logging.getLogger(__name__)",
            rule(
                language="python",
                filter=PYTHON,
                regex="x",
                instruction="One.\nTwo.\n",
                reject=AstPattern({"pattern": "print($A)"}),
                expect=AstPattern({"kind": "call"}),
                ensure=("import logging", "logger = logging.getLogger(__name__)"),
            ),
        ),
        (
            "note: |\n  Why.\nurl: https://example.com/a#b\nseverity: hint\nregex: x\ninstruction: y\n"
            "region: function\nconfidence: low\nwhere: file\nverify: [[python, -m, pytest], [make, '{file}']]\n"
            "metadata: {owner: team, since: 2024, tags: [a, 1.5, true, ~]}",
            rule(
                note="Why.\n",
                url="https://example.com/a#b",
                severity=Severity.HINT,
                regex="x",
                instruction="y",
                region=RegionKind.FUNCTION,
                confidence=Confidence.LOW,
                where=Where.FILE,
                verify=(("python", "-m", "pytest"), ("make", "{file}")),
                metadata={"owner": "team", "since": 2024, "tags": ["a", 1.5, True, None]},
            ),
        ),
        ("regex: x\nseverity: off", rule(regex="x", severity=Severity.OFF)),
        (
            "regex: x\ntests:\n  valid: ['a', \"b\\n\"]\n  invalid: [c, {code: d}, {code: e, fixed: ''}]",
            rule(regex="x", tests=RuleTests(("a", "b\n"), (Invalid("c"), Invalid("d"), Invalid("e", "")))),
        ),
        ("regex: x\ntests: {}", rule(regex="x")),
        ("regex: x\nfiles: ''\nexclude: ^vendor/", rule(regex="x", filter=Filter("", "^vendor/"))),
        (
            "regex: x\nfiles: |-\n  (?x)^(\n    a/|\n    b/\n  )",
            rule(regex="x", filter=Filter("(?x)^(\n  a/|\n  b/\n)")),
        ),
        ("regex: x\ntypes: [file]", rule(regex="x", filter=Filter(types=("file",)))),
        ("regex: x\ntypes: []", rule(regex="x", filter=Filter(types=()))),
        (
            "regex: x\ntypes_or: [yaml, json]\nexclude_types: [jupyter]",
            rule(regex="x", filter=Filter(types_or=("yaml", "json"), exclude_types=("jupyter",))),
        ),
    ],
)
def test_rules(lines: str, expected: Rule) -> None:
    assert one(lines) == expected


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("id: a1", "a1"),
        ("id: 1a", "1a"),
        ("id: no-print-2", "no-print-2"),
        ("id: off", "off"),
        ("id: 'null'", "null"),
        ("message: no full stop", "no full stop"),
        ("message: '7'", "7"),
        ("message: yes", "yes"),
        ("message: off", "off"),
        ('message: "a\\tb"', "a\tb"),
        ("message: 'Use `a: b`, not {c}'", "Use `a: b`, not {c}"),
        ("message: ünïcode ✓", "ünïcode ✓"),
        ("message: >-\n  folded\n  to one", "folded to one"),
        ("note: x", "x"),
        ("url: http://localhost:8000/x?y=z", "http://localhost:8000/x?y=z"),
        ("severity: error", Severity.ERROR),
        ("severity: warning", Severity.WARNING),
        ("severity: info", Severity.INFO),
        ("severity: 'off'", Severity.OFF),
        ("language: js", "javascript"),
        ("language: c++", "cpp"),
        ("language: golang", "go"),
        ("language: sh", "bash"),
        ("language: yml", "yaml"),
        ("language: sql", "sql"),
        ("instruction: >\n  a\n  b", "a b\n"),
        ("instruction: 'a: b'", "a: b"),
        ("ensure: []", ()),
        ("ensure: [import os]", ("import os",)),
        ("ensure: ['# a: b']", ("# a: b",)),
        ("region: expression", RegionKind.EXPRESSION),
        ("region: statement", RegionKind.STATEMENT),
        ("region: line", RegionKind.LINE),
        ("region: class", RegionKind.CLASS),
        ("region: file", RegionKind.FILE),
        ("confidence: high", Confidence.HIGH),
        ("where: changed", Where.CHANGED),
        ("verify: []", ()),
        ("verify: [[a]]", (("a",),)),
        ("tests: {valid: []}", RuleTests()),
        ("tests: {invalid: ['x: y']}", RuleTests((), (Invalid("x: y"),))),
        ("metadata: {}", {}),
        ("metadata: {a: {b: [c]}}", {"a": {"b": ["c"]}}),
    ],
)
def test_values_that_look_unusual_and_are_fine(line: str, value: object) -> None:
    key = line.partition(":")[0]
    keys = {"id": "a", "message": "M.", "regex": "x", "instruction": "y"}
    others = "".join(f"{name}: {text}\n" for name, text in keys.items() if name != key)
    (rule,) = load("rules:\n- " + (others + line).replace("\n", "\n  ") + "\n").rules
    assert getattr(rule, key) == value


@pytest.mark.parametrize(
    "regex",
    [r"^\s*$", "(?s)a.*b", "(?<=a)b", "a{3}", "[*]", "a|", r"\Z", "(?i)x", r"(?P<n>a)(?P=n)", "é", "#", "a b", "$"],
)
@pytest.mark.parametrize("key", ["files", "exclude", "regex"])
def test_regexes_that_are_fine(key: str, regex: str) -> None:
    loaded = load(f"rules:\n- id: a\n  message: M.\n  instruction: x\n  {key}: '{regex}'\n")
    (rule,) = loaded.rules
    assert (rule.regex if key == "regex" else getattr(rule.filter, key)) == regex
    assert loaded.warnings == ()


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        ("x", AstPattern({"pattern": "x"})),
        ("$A", AstPattern({"pattern": "$A"})),
        ("'{a: $B}'", AstPattern({"pattern": "{a: $B}"})),
        ("|\n    if $A:\n        $B\n", AstPattern({"pattern": "if $A:\n    $B\n"})),
        ("{pattern: x}", AstPattern({"pattern": "x"})),
        ("{not: {regex: ^x$}}", AstPattern({"not": {"regex": "^x$"}})),
        ("{any: [{kind: x}]}", AstPattern({"any": [{"kind": "x"}]})),
        ("{nthChild: {position: 2n+1}}", AstPattern({"nthChild": {"position": "2n+1"}})),
        ("{has: {kind: x, field: y, stopBy: end}}", AstPattern({"has": {"kind": "x", "field": "y", "stopBy": "end"}})),
        ("{rule: {pattern: $A}}", AstPattern({"pattern": "$A"})),
        ("{constraints: {A: {regex: x}}, rule: {pattern: $A}}", AstPattern({"pattern": "$A"}, {"A": {"regex": "x"}})),
        ("{rule: {kind: x}, constraints: {}}", AstPattern({"kind": "x"})),
    ],
)
@pytest.mark.parametrize("key", ["pattern", "reject", "expect"])
def test_patterns_that_are_fine(key: str, written: str, pattern: AstPattern) -> None:
    assert getattr(one(f"language: python\ninstruction: x\n{key}: {written}"), key) == pattern


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", Filter()),
        ("language: python", PYTHON),
        ("language: shell", Filter(types_or=("shell",), exclude_types=("csh", "tcsh", "zsh"))),
        (
            "language: bash\nexclude_types: [dash]",
            Filter(types_or=("shell",), exclude_types=("dash", "csh", "tcsh", "zsh")),
        ),
        ("language: bash\ntypes: [zsh]", Filter(types=("zsh",))),
        ("language: python\ntypes: [text]", Filter()),
        ("language: python\ntypes_or: [cython]", Filter(types_or=("cython",))),
        ("language: python\ntypes_or: []", PYTHON),
        ("language: python\ntypes: []", PYTHON._replace(types=())),
        ("language: python\ntypes: []\ntypes_or: [cython]", Filter(types=(), types_or=("cython",))),
        ("types: []", Filter(types=())),
        ("language: text", Filter(types_or=("plain-text",))),
    ],
)
def test_a_language_decides_about_files_unless_types_do(lines: str, expected: Filter) -> None:
    assert one(f"regex: x\n{lines}").filter == expected


def test_a_whole_file() -> None:
    text = """\
minimum_litecode_version: '0.0.1'
files: ^src/
exclude: ^src/vendor/
rules:
- id: first
  message: M.
  regex: x

- message: N.
  id: b2-c
  severity: off
  instruction: y
"""
    first = Rule(id="first", message="M.", regex="x", line=5, source=PATH)
    second = Rule(id="b2-c", message="N.", severity=Severity.OFF, instruction="y", line=9, source=PATH)
    loaded = load(text)
    assert loaded == RulesFile(PATH, (first, second), "^src/", "^src/vendor/", "0.0.1", ())
    assert loaded.active == (first,)


def error_of(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(text)
    assert caught.value.message.startswith(f"{caught.value.where}: ")
    return caught.value


# Documents, and below each the error message and its hint.
CASES = Path(__file__).with_name("load_errors.txt").read_text("utf-8").split("====\n")


@pytest.mark.parametrize("case", CASES)
def test_errors(case: str) -> None:
    text, _, shown = case.partition("----\n")
    error = error_of(text)
    assert f"{error.message}\n{error.hint}\n" == shown


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("regex: '('", RuleError),
        ("regex: x\n  fix: '\\1'", RuleError),
        ("regex: 1", ConfigError),
        ("colour: red", ConfigError),
    ],
)
def test_a_regex_is_to_blame_in_a_rule_error(lines: str, kind: type[ConfigError]) -> None:
    assert type(error_of(f"rules:\n- id: a\n  message: M.\n  {lines}\n")) is kind


def test_a_regex_nested_too_deeply_is_an_error_and_no_crash() -> None:
    deep = "(" * 20_000 + ")" * 20_000
    error = error_of(f"rules:\n- id: a\n  regex: {deep}\n")
    assert error.message == f"{PATH}:3:10: `regex` is not a valid regex: it is nested too deeply"


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        (r"files: \.py$", ()),
        (r"files: ^src/.*\.py$", ()),
        ("files: src/[^/]*x", ()),
        ("files: src/*", ("1:8: `files` is a regex, not a glob: matching '/*' probably isn't what you want here",)),
        (
            "rules:\n- id: a\n  message: M.\n  regex: x/*\n  exclude: a/*b",
            ("5:12: `exclude` is a regex, not a glob: matching '/*' probably isn't what you want here",),
        ),
        (r"exclude: a[\\/]b", (r"1:10: paths always have forward slashes, so `exclude` can have / instead of [\\/]",)),
        (r"files: a[\/]b", (r"1:8: paths always have forward slashes, so `files` can have / instead of [\/]",)),
        (r"files: a[/\\]b", (r"1:8: paths always have forward slashes, so `files` can have / instead of [/\\]",)),
        (
            "rules:\n- id: a\n  message: M.\n  regex: '[[a]'",
            ("4:10: `regex`: Possible nested set at position 1",),
        ),
    ],
)
def test_warnings(text: str, warnings: tuple[str, ...]) -> None:
    assert load(text).warnings == tuple(f"{PATH}:{warning}" for warning in warnings)


@pytest.mark.parametrize("wanted", ["0", "0.0", "0.1", "0.1.0", "0.1.0.0", "0.0.99"])
def test_an_old_enough_version_is_accepted(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", {"litecode": "0.1.0.dev3"}.__getitem__)
    assert load(f"minimum_litecode_version: '{wanted}'").minimum_litecode_version == wanted


@pytest.mark.parametrize("wanted", ["0.1.1", "0.2", "1", "0.10", "0.1.0.1"])
def test_a_newer_version_is_asked_for_before_anything_else(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", {"litecode": "0.1.0"}.__getitem__)
    error = error_of(f"new_key: 1\nrules: 7\nminimum_litecode_version: '{wanted}'\n")
    assert error.message == f"{PATH}:3:27: LiteCode {wanted} is needed, 0.1.0 is installed"
    assert error.hint == "upgrade it: pip install --upgrade litecode"


def test_the_version_is_that_of_the_installed_package() -> None:
    installed = metadata.version("litecode")
    assert load(f"minimum_litecode_version: '{re.match('[0-9.]*[0-9]', installed)[0]}'").rules == ()  # type: ignore[index]  # a version begins with a number


NO_WARN = Rule(
    id="no-warn",
    message="Use warning.",
    language="python",
    filter=PYTHON,
    pattern=AstPattern({"pattern": "log.warn($$$A)"}),
    fix="log.warning($$$A)",
    line=2,
    source="litecode:logging",
)
LAZY = Rule(
    id="lazy",
    message="Lazy.",
    severity=Severity.WARNING,
    language="python",
    filter=PYTHON,
    regex='log\\(f"',
    instruction="Use placeholders.",
    line=7,
    source="litecode:logging",
)


def test_rules_of_presets_come_first() -> None:
    text = "extends: [litecode:empty, litecode:logging]\nrules:\n- {id: own, message: M., regex: x}\n"
    assert load(text).rules == (NO_WARN, LAZY, Rule(id="own", message="M.", regex="x", line=3, source=PATH))
    assert load("extends: [litecode:logging, litecode:logging]").rules == (NO_WARN, LAZY)


def test_a_rule_overrides_the_keys_that_it_gives() -> None:
    text = """\
extends: [litecode:logging]
rules:
- id: lazy
  severity: off
- id: no-warn
  message: No warn.
  files: ^src/
"""
    no_warn, lazy = load(text).rules
    assert lazy == replace(LAZY, severity=Severity.OFF, line=3, source=PATH)
    only_src = PYTHON._replace(files="^src/")
    assert no_warn == replace(NO_WARN, message="No warn.", filter=only_src, line=5, source=PATH)
    assert load(text).active == (no_warn,)


@pytest.mark.parametrize(
    ("key", "snippet", "place"),
    [
        ("pattern", "", ".litecode.yaml:5:12"),
        ("ensure", "import b", ".litecode.yaml:8:5"),
        ("ensure", "import c", ".litecode.yaml:7:3"),
        ("fix", "", ".litecode.yaml:3"),  # of the preset, where nobody can mend it
        ("regex", "", ".litecode.yaml:3"),
        ("", "", ".litecode.yaml:3"),
    ],
)
def test_the_place_of_what_is_written(key: str, snippet: str, place: str) -> None:
    text = """\
extends: [litecode:python-logging]
rules:
- id: no-logger-warn
  severity: hint
  pattern: $LOGGER.warn($$$ARGS)
  ensure:
  - import a
  - import b
"""
    rule = next(one for one in load_rules(text.encode(), PATH).rules if one.id == "no-logger-warn")
    assert rule.place(key, snippet) == place


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        ("instruction: Do it.", {"fix": None, "instruction": "Do it."}),
        ("regex: warn\n  fix: warning", {"pattern": None, "regex": "warn", "fix": "warning"}),
        ("types: [file]", {"filter": Filter(types=("file",))}),
        ("language: ruby", {"language": "ruby", "filter": Filter(types_or=("ruby",))}),
    ],
)
def test_an_override_replaces_what_it_excludes(lines: str, fields: dict[str, Any]) -> None:
    rule = load(f"extends: [litecode:logging]\nrules:\n- id: no-warn\n  {lines}\n").rules[0]
    assert rule == replace(NO_WARN, line=3, source=PATH, **fields)


def test_a_preset_can_ask_for_a_newer_version() -> None:
    error = error_of("extends: [litecode:future]")
    assert error.message.startswith("litecode:future:1:27: LiteCode 999 is needed, ")
