"""What no single key of a rule can tell: which keys exclude each other, and which need others. As for the kinds of
value, one object checks and writes the JSON Schema of what it checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from litecode.config import languages
from litecode.config.keys import LANGUAGE
from litecode.config.kinds import Schema, Values


@dataclass(frozen=True, slots=True)
class NotBoth:
    """Two keys that exclude each other; in an override one of them replaces the other."""

    first: str
    second: str
    hint: str

    def broken(self, values: Values) -> str:
        both = self.first in values.given and self.second in values.given
        return f"has both `{self.first}` and `{self.second}`" if both else ""

    def blamed(self, values: Values) -> str:
        return max(self.first, self.second, key=lambda name: (values.places[name].line, values.places[name].column))

    def schema(self) -> Schema:
        return {"not": {"required": [self.first, self.second]}}


@dataclass(frozen=True, slots=True)
class Needs:
    """A key that means nothing without one of others; without `key` every rule needs one of them."""

    key: str
    any_of: tuple[str, ...]
    hint: str

    def broken(self, values: Values) -> str:
        if self.key and self.key not in values.given:
            return ""
        if any(name in values.given for name in self.any_of):
            return ""
        wanted = " or ".join(f"`{name}`" for name in self.any_of)
        return f"has `{self.key}` without {wanted}" if self.key else f"has neither {wanted.replace(' or ', ' nor ')}"

    def blamed(self, values: Values) -> str:
        del values
        return self.key

    def schema(self) -> Schema:
        wanted: Schema = {"anyOf": [{"required": [name]} for name in self.any_of]}
        return {"if": {"required": [self.key]}, "then": wanted} if self.key else wanted


@dataclass(frozen=True, slots=True)
class NeedsParser:
    """Keys that need a language with a grammar."""

    keys: tuple[str, ...]
    hint: str

    def broken(self, values: Values) -> str:
        language = values.get(LANGUAGE)
        if language in _parsed() or not any(name in values.given for name in self.keys):
            return ""
        return f"needs a parser, and there is none for `{language}`"

    def blamed(self, values: Values) -> str:
        del values
        return LANGUAGE.name

    def schema(self) -> Schema:
        used: Schema = {"anyOf": [{"required": [name]} for name in self.keys]}
        return {"if": used, "then": {"properties": {"language": {"enum": list(_parsed())}}}}


Condition = NotBoth | Needs | NeedsParser

_SEARCHES = ("pattern", "reject", "expect")

CONDITIONS: tuple[Condition, ...] = (
    NotBoth("pattern", "regex", "keep one of them; a second search is a second rule"),
    NotBoth("fix", "instruction", "keep `fix` when code can do it, `instruction` when it takes the model"),
    Needs("", ("pattern", "regex", "instruction"), "say where the rule applies, or what to do with whole files"),
    Needs("fix", ("pattern", "regex"), "a fix replaces matches, so say what matches"),
    *(Needs(name, ("language",), "name the source language, for example `language: python`") for name in _SEARCHES),
    NeedsParser(_SEARCHES, "use `regex`, which works in every language"),
    *(
        Needs(name, ("fix", "instruction"), "it only matters for a rule that changes something")
        for name in ("ensure", "reject", "expect")
    ),
)
EXCLUSIVE: tuple[NotBoth, ...] = tuple(condition for condition in CONDITIONS if isinstance(condition, NotBoth))


@cache
def _parsed() -> tuple[str, ...]:
    """Every name and alias of a language that ast-grep can parse."""
    return tuple(
        name
        for language in languages.LANGUAGES
        if language.parser is not None
        for name in (language.name, *language.aliases)
    )
