"""docs/rules.md speaks of every key, default, language and preset, and its examples are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from litecode.config import keys, presets
from litecode.config.document import MapNode, Source, compose
from litecode.config.kinds import Key, read_mapping
from litecode.config.languages import LANGUAGES
from litecode.config.load import load_rules

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
FILE_AND_RULE_KEYS: list[Key[object]] = [*keys.FILE_KEYS, *keys.RULE_KEYS]
TESTS_KEYS: list[Key[object]] = [*keys.TESTS_KEYS, *keys.INVALID_KEYS]
FILE_ONLY = {"minimum_litecode_version", "extends", "rules"}


def section(name: str) -> str:
    """What stands below the heading of a key."""
    _, found, rest = PAGE.partition(f"## `{name}`\n")
    return re.split(r"\n##", rest)[0] if found else ""


@pytest.mark.parametrize("key", FILE_AND_RULE_KEYS, ids=lambda key: key.name)
def test_every_key_has_meaning_default_and_example(key: Key[object]) -> None:
    text = section(key.name)
    assert re.search(r"Default:\s|Required\.", text)
    assert re.search(rf"```yaml\n{key.name}:", text)
    assert PAGE.count(f"\n### `{key.name}`\n") == 1


@pytest.mark.parametrize("key", TESTS_KEYS, ids=lambda key: key.name)
def test_every_key_of_tests_has_its_meaning(key: Key[object]) -> None:
    assert len(section(key.name).split()) > 3


def test_no_other_key_is_spoken_of() -> None:
    known = {key.name for key in (*FILE_AND_RULE_KEYS, *TESTS_KEYS)}
    assert set(re.findall(r"^####? `(\w+)`$", PAGE, re.MULTILINE)) == known


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("minimum_litecode_version", "0"),
        ("exclude", "^$"),
        ("severity", "error"),
        ("types", "text"),
        ("confidence", "high"),
        ("where", "changed"),
    ],
)
def test_defaults(name: str, default: str) -> None:
    assert next(key.default for key in FILE_AND_RULE_KEYS if key.name == name) in (default, (default,))
    assert f"Default: `{default}`" in " ".join(section(name).split())


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= len({key.name for key in FILE_AND_RULE_KEYS})


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_right(example: str) -> None:
    node = compose(example.encode(), "docs")
    assert isinstance(node, MapNode)
    if FILE_ONLY & {key.text for key, _ in node.pairs}:
        assert load_rules(example.encode(), "docs").warnings == ()
    else:
        source = Source("docs")
        assert read_mapping(node, "a rule", keys.RULE_KEYS, source).given
        assert source.warnings == []


def test_every_language_and_alias_is_listed_under_what_it_can_do() -> None:
    listed = PAGE.partition("## Languages")[2].partition("A file of any other kind")[0]
    parsed, _, others = listed.partition("For `regex` only:")
    for language in LANGUAGES:
        part = parsed if language.parser else others
        aliases = ", ".join(f"`{alias}`" for alias in language.aliases)
        assert f"`{language.name}`" + (f" ({aliases})" if aliases else "") in " ".join(part.split())


def test_every_preset_is_listed() -> None:
    listed = set(re.findall(r"^\| `([\w-]+)` \|", PAGE.partition("## Presets")[2], re.MULTILINE))
    assert listed == set(presets.names())
