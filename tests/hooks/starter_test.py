from __future__ import annotations

import re

import pytest

from litecode.config import presets
from litecode.config.load import load_rules
from litecode.hooks.starter import starter

PRESETS = {
    "python-logging": frozenset({"python"}),
    "both": frozenset({"python", "go"}),
    "empty": frozenset[str](),
    "any": frozenset({""}),
}


@pytest.mark.parametrize(
    ("languages", "extended"),
    [
        ([], []),
        (["cobol"], ["any"]),
        (["go"], ["any"]),
        (["python"], ["python-logging", "any"]),
        (["go", "markdown", "python"], ["python-logging", "both", "any"]),
    ],
)
def test_presets_are_taken_when_all_their_languages_are_there(languages: list[str], extended: list[str]) -> None:
    text = starter(languages, PRESETS)
    assert [line.removeprefix("- litecode:") for line in text.splitlines() if line.startswith("- ")] == extended


@pytest.mark.parametrize("languages", [[], ["cobol"], ["python"], ["javascript"], ["typescript"], ["go"]])
def test_the_file_and_its_example_can_be_used_as_they_are(languages: list[str]) -> None:
    text = starter(languages, {})
    assert load_rules(text.encode(), ".litecode.yaml").rules == ()
    head, example = text.split("rules: []\n# Instead of the brackets:\n")
    rules = "rules:\n" + "".join(line.removeprefix("# ") for line in example.splitlines(keepends=True))
    loaded = load_rules((head + rules).encode(), ".litecode.yaml")
    assert [rule.language for rule in loaded.rules] == [next((name for name in languages if name != "cobol"), "")]
    assert max(map(len, text.splitlines())) <= 120
    assert loaded.warnings == ()


def test_the_most_frequent_language_gives_the_example() -> None:
    assert "no-alert" in starter(["javascript", "python"], {})
    assert "no-assert-in-src" in starter(["markdown", "python", "javascript"], {})


@pytest.mark.parametrize("language", ["python", "javascript", "typescript", "go", "cobol"])
def test_no_example_has_the_id_of_a_rule_of_a_preset(language: str) -> None:
    taken = {rule.id for name in presets.names() for rule in load_rules(presets.read(name), f"litecode:{name}").rules}
    ids = re.findall(r"^# - id: (.*)$", starter([language], {}), re.MULTILINE)
    assert len(ids) == 1
    assert taken.isdisjoint(ids)
