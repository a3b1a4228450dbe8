"""The rules file as frozen values. How it is written is said in docs/rules.md, how it is read in `load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from litecode.config.select import ALL_FILES, NO_FILES, Filter
from litecode.core.values import Severity

if TYPE_CHECKING:
    from litecode.config.document import Node


@dataclass(frozen=True, slots=True)
class AstPattern:
    """A search of ast-grep: its `rule` object and the constraints on its meta-variables. A pattern that was written
    as text is `{"pattern": text}`.
    """

    rule: Mapping[str, object] = field(hash=False)
    constraints: Mapping[str, object] = field(default_factory=dict, hash=False)


class RegionKind(StrEnum):
    EXPRESSION = "expression"
    STATEMENT = "statement"
    LINE = "line"
    FUNCTION = "function"
    CLASS = "class"
    FILE = "file"


class Confidence(StrEnum):
    """HIGH: every match breaks the rule. LOW: a match is only a candidate, an unchanged reply means it conforms."""

    HIGH = "high"
    LOW = "low"


class Where(StrEnum):
    """CHANGED: only sites that touch lines which the commit adds or changes."""

    CHANGED = "changed"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Invalid:
    """Code that breaks the rule, and the whole text after the fix where the test says it."""

    code: str
    fixed: str | None = None


@dataclass(frozen=True, slots=True)
class RuleTests:
    valid: tuple[str, ...] = ()
    invalid: tuple[Invalid, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `language` is a name of `languages.LANGUAGES`, never an alias, or empty. At most one of `pattern` and
    `regex` is there, and at most one of `fix` and `instruction`; `region` None means the default. `source` and `line`
    say where the rule was written: the path of the rules file, or `litecode:<name>` for a preset. `base` is the preset
    that has the rest of a rule of which only the keys `own` were written here. `nodes` are the values of the keys that
    were written in `source`.
    """

    id: str
    message: str
    note: str = ""
    url: str = ""
    severity: Severity = Severity.ERROR
    language: str = ""
    filter: Filter = field(default_factory=Filter)
    pattern: AstPattern | None = None
    regex: str | None = None
    fix: str | None = None
    instruction: str | None = None
    ensure: tuple[str, ...] = ()
    region: RegionKind | None = None
    confidence: Confidence = Confidence.HIGH
    reject: AstPattern | None = None
    expect: AstPattern | None = None
    where: Where = Where.CHANGED
    verify: tuple[tuple[str, ...], ...] = ()
    tests: RuleTests = RuleTests()
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)
    line: int = 0
    source: str = ""
    base: str = field(default="", compare=False)
    own: tuple[str, ...] = field(default=(), compare=False)
    nodes: Mapping[str, Node] = field(default_factory=dict, compare=False, repr=False)

    def place(self, key: str = "", snippet: str = "") -> str:
        """`path:line:col` of what is written under a key, or of a snippet in it; `path:line` of the rule without it."""
        if key not in self.nodes:
            return f"{self.source}:{self.line}"
        from litecode.config.document import Source, text_nodes

        node = self.nodes[key]
        return Source(self.source).where(next((text for text in text_nodes(node) if text.value == snippet), node))

    @property
    def digest(self) -> str:
        """SHA-256 in hex over everything that decides what the rule finds and how it changes it. What only explains
        (message, note, url, metadata), ranks (severity) or tests the rule is not part of it, so that a better wording
        does not throw away proven replies.
        """
        from hashlib import sha256
        from json import dumps

        parts = {
            "id": self.id,
            "language": self.language,
            "filter": self.filter,
            "pattern": _parts(self.pattern),
            "regex": self.regex,
            "fix": self.fix,
            "instruction": self.instruction,
            "ensure": self.ensure,
            "region": self.region,
            "confidence": self.confidence,
            "reject": _parts(self.reject),
            "expect": _parts(self.expect),
            "where": self.where,
            "verify": self.verify,
        }
        return sha256(dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class RulesFile:
    """All rules that hold for a repository: those of the presets first, each with what the file overrides. `warnings`
    are sentences for the person, each beginning with `path:line:col: `.
    """

    path: str
    rules: tuple[Rule, ...] = ()
    files: str = ALL_FILES
    exclude: str = NO_FILES
    minimum_litecode_version: str = "0"
    warnings: tuple[str, ...] = ()

    @property
    def active(self) -> tuple[Rule, ...]:
        """The rules that are not switched off by `severity: off`."""
        return tuple(rule for rule in self.rules if rule.severity is not Severity.OFF)


def _parts(pattern: AstPattern | None) -> list[Mapping[str, object]] | None:
    return None if pattern is None else [pattern.rule, pattern.constraints]
