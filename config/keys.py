"""The one table of what a rules file can say. `load` reads by it, `schema` is written from it, docs/rules.md has an
entry for each key in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from litecode.config import presets
from litecode.config.ast_rules import AstSearch
from litecode.config.checked import Commands, LanguageName, PresetName, Regex, Tag, preset_meant
from litecode.config.document import MapNode, Node, Scalar, Source
from litecode.config.kinds import (
    Choice,
    Data,
    Items,
    Key,
    Nullable,
    Record,
    Schema,
    Shaped,
    Text,
    Values,
    read_mapping,
)
from litecode.config.rules import AstPattern, Confidence, Invalid, RegionKind, RuleTests, Where
from litecode.config.select import ALL_FILES, NO_FILES
from litecode.core.values import Severity

PRESET_PREFIX = presets.PREFIX

MINIMUM_VERSION: Key[str] = Key(
    "minimum_litecode_version",
    Shaped(r"[0-9]+(\.[0-9]+)*", "a version", "write numbers and dots in quotes: '0.1'"),
    "0",
    "The oldest LiteCode that understands this file. Checked before anything else.",
)
EXTENDS: Key[tuple[str, ...]] = Key(
    "extends",
    Items(PresetName(), meant=lambda text: [preset_meant(name) or name for name in text.split()]),
    (),
    "Presets whose rules hold too. A rule of this file with the id of a preset rule overrides the keys that it gives.",
)
FILES: Key[str] = Key(
    "files", Regex(paths=True, empty=True), ALL_FILES, "A regex that the path must match (`re.search`), not a glob."
)
EXCLUDE: Key[str] = Key(
    "exclude", Regex(paths=True), NO_FILES, "A regex that the path must not match (`re.search`), not a glob."
)

ID: Key[str] = Key(
    "id",
    Shaped(r"[a-z0-9]+(-[a-z0-9]+)*", "in kebab-case", "write small letters, digits and single hyphens: no-print"),
    "",
    "The name of the rule, unique in the file, in kebab-case.",
)
MESSAGE: Key[str] = Key(
    "message", Text(line=True), "", "What is wrong, in one line. People see it beside each finding; the model does not."
)
NOTE: Key[str] = Key("note", Text(), "", "A longer explanation in Markdown, shown by `git litecode explain`.")
URL: Key[str] = Key(
    "url",
    Shaped(r"https?://\S+", "a web address", "write https:// and the address"),
    "",
    "A page about the rule.",
)
SEVERITY: Key[Severity] = Key(
    "severity", Choice(Severity), Severity.ERROR, "Only `error` stops a commit; `off` switches the rule off."
)
LANGUAGE: Key[str] = Key(
    "language",
    LanguageName(),
    "",
    "The source language: decides the parser and, without `types` and `types_or`, which files the rule looks at.",
)
TYPES: Key[tuple[str, ...]] = Key(
    "types", Items(Tag()), ("text",), "Tags of identify that a file must all have, as in pre-commit."
)
TYPES_OR: Key[tuple[str, ...]] = Key(
    "types_or", Items(Tag()), (), "Tags of identify of which a file must have one, as in pre-commit."
)
EXCLUDE_TYPES: Key[tuple[str, ...]] = Key(
    "exclude_types", Items(Tag()), (), "Tags of identify that a file must not have, as in pre-commit."
)
PATTERN: Key[AstPattern | None] = Key(
    "pattern", AstSearch(), None, "Where the rule applies: a pattern or a rule object of ast-grep. Needs `language`."
)
REGEX: Key[str | None] = Key(
    "regex",
    Regex(flags=re.MULTILINE),
    None,
    "Where the rule applies: a Python regex over the whole text, with `^` and `$` at each line.",
)
FIX: Key[str | None] = Key(
    "fix",
    Text(empty=True),
    None,
    "What replaces a match, without a model: with the meta-variables of `pattern`, or as a template of `re.sub`.",
)
INSTRUCTION: Key[str | None] = Key(
    "instruction", Text(), None, "What the model must do at each place. Say the change, not the reason."
)
ENSURE: Key[tuple[str, ...]] = Key(
    "ensure",
    Items(Text(line=True)),
    (),
    "Lines that a changed file must have once, below its imports. Added by code, not by the model.",
)
REGION: Key[RegionKind | None] = Key(
    "region", Choice(RegionKind), None, "How much around a match the model rewrites. Without it: the statement."
)
CONFIDENCE: Key[Confidence] = Key(
    "confidence",
    Choice(Confidence),
    Confidence.HIGH,
    "`high`: every match breaks the rule. `low`: a match is only a candidate.",
)
REJECT: Key[AstPattern | None] = Key(
    "reject", AstSearch(), None, "What must not occur in the rewritten region: a pattern or a rule object."
)
EXPECT: Key[AstPattern | None] = Key(
    "expect", AstSearch(), None, "What must occur in the rewritten region: a pattern or a rule object."
)
WHERE: Key[Where] = Key(
    "where", Choice(Where), Where.CHANGED, "`changed`: only lines that the commit changes. `file`: the whole file."
)
VERIFY: Key[tuple[tuple[str, ...], ...]] = Key(
    "verify",
    Commands(),
    (),
    "Commands, each a list of arguments, that must succeed on the changed tree. Run only after `git litecode trust`.",
)
METADATA: Key[Mapping[str, object]] = Key(
    "metadata", Data(), {}, "Anything else that tools of yours want to know. LiteCode does not read it."
)

CODE: Key[str] = Key("code", Text(), "", "Code that breaks the rule.")
FIXED: Key[str | None] = Key("fixed", Text(empty=True), None, "The whole text as it must be after the fix.")
INVALID_KEYS: tuple[Key[object], ...] = (CODE, FIXED)
VALID: Key[tuple[str, ...]] = Key("valid", Items(Text()), (), "Code that conforms.")
INVALID: Key[tuple[Invalid, ...]] = Key(
    "invalid",
    Items(
        Record(
            INVALID_KEYS,
            lambda values: Invalid(values.get(CODE), values.get(FIXED)),
            required=("code",),
            from_text=Invalid,
        )
    ),
    (),
    "Code that breaks the rule, alone or with its fixed form.",
)
TESTS_KEYS: tuple[Key[object], ...] = (VALID, INVALID)
TESTS: Key[RuleTests] = Key(
    "tests",
    Record(TESTS_KEYS, lambda values: RuleTests(values.get(VALID), values.get(INVALID))),
    RuleTests(),
    "Examples for `git litecode test`.",
)

RULE_KEYS: tuple[Key[object], ...] = (
    ID,
    MESSAGE,
    NOTE,
    URL,
    SEVERITY,
    LANGUAGE,
    FILES,
    EXCLUDE,
    TYPES,
    TYPES_OR,
    EXCLUDE_TYPES,
    PATTERN,
    REGEX,
    FIX,
    INSTRUCTION,
    ENSURE,
    REGION,
    CONFIDENCE,
    REJECT,
    EXPECT,
    WHERE,
    VERIFY,
    TESTS,
    METADATA,
)
REQUIRED = (ID, MESSAGE)


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """What one entry of `rules` says, as far as it can be judged before presets are merged."""

    def read(self, node: Node, label: str, source: Source) -> Values:
        values = read_mapping(node, _name_of(node) or label, RULE_KEYS, source)
        if ID.name not in values.given:
            raise source.error(node, "a rule has no `id`", "add `id:` with a short name in kebab-case")
        return values

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/rule"}


def _name_of(node: Node) -> str:
    """How errors call a rule before its id is read."""
    pairs = node.pairs if isinstance(node, MapNode) else ()
    found = next((value for key, value in pairs if key.text == ID.name), None)
    return f"rule `{found.text}`" if isinstance(found, Scalar) and found.text else ""


RULES: Key[tuple[Values, ...]] = Key(
    "rules", Nullable(Items(RuleEntry()), ()), (), "The rules, applied to a file in this order."
)

FILE_KEYS: tuple[Key[object], ...] = (MINIMUM_VERSION, EXTENDS, FILES, EXCLUDE, RULES)
PRESET_KEYS: tuple[Key[object], ...] = (MINIMUM_VERSION, RULES)
"""A preset does not extend others and has no say about files."""
