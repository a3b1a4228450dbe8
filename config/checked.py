"""Kinds of value that are checked against something outside of the rules file: regexes, languages, types of files."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from litecode.config import languages, presets
from litecode.config.document import ListNode, Node, Scalar, Source
from litecode.config.kinds import Items, Schema, Text, did_you_mean, flow, nearest
from litecode.config.regex_size import LIMIT, compiled_size
from litecode.core.errors import RuleError

_PRESET = rf"{presets.PREFIX}[a-z0-9]+(-[a-z0-9]+)*"


@dataclass(frozen=True, slots=True)
class LanguageName:
    """A language by name or alias; the value is the name."""

    def read(self, node: Node, label: str, source: Source) -> str:
        text = Text(line=True).read(node, label, source)
        found = languages.find(text)
        if found is None:
            raise source.error(node, f"unknown language `{text}`", did_you_mean(text, languages.names()))
        return found.name

    def schema(self) -> Schema:
        return {"enum": list(languages.names())}


def preset_meant(text: str) -> str:
    """The preset that was most likely meant, with its prefix, else an empty string."""
    near = nearest(text.removeprefix(presets.PREFIX), presets.names())
    return f"{presets.PREFIX}{near}" if near else ""


@dataclass(frozen=True, slots=True)
class PresetName:
    """A preset, by its name with `litecode:` before it. Whether there is such a one is seen when it is read."""

    def read(self, node: Node, label: str, source: Source) -> str:
        text = Text(line=True).read(node, label, source)
        if not re.fullmatch(_PRESET, text):
            meant = preset_meant(text)
            hint = f"did you mean `{meant}`?" if meant else "write litecode: and the name of a preset"
            raise source.error(node, f"{label} `{text}` is not a preset", hint)
        return text

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^{_PRESET}$"}


@dataclass(frozen=True, slots=True)
class Commands:
    """A list of commands, each a list of arguments."""

    def read(self, node: Node, label: str, source: Source) -> tuple[tuple[str, ...], ...]:
        words = [item.text for item in node.items if isinstance(item, Scalar)] if isinstance(node, ListNode) else []
        if isinstance(node, ListNode) and words and len(words) == len(node.items) and not any(map(_spaced, words)):
            hint = f"write a list of commands: [{flow(words)}]"
            raise source.error(node, f"{label} must be a list of lists, not of words", hint)
        return _COMMANDS.read(node, label, source)

    def schema(self) -> Schema:
        return _COMMANDS.schema()


def _spaced(text: str) -> bool:
    return len(text.split()) > 1


_COMMANDS = Items(Items(Text(), filled=True, meant=lambda text: [*text.split()]), meant=lambda text: [text.split()])


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of the identify library."""

    def read(self, node: Node, label: str, source: Source) -> str:
        from identify.identify import ALL_TAGS

        text = Text(line=True).read(node, label, source)
        if text not in ALL_TAGS:
            near = nearest(text, sorted(ALL_TAGS))
            hint = f"did you mean `{near}`?" if near else "`identify-cli FILE` prints the tags of a file"
            raise source.error(node, f"unknown type `{text}`", hint)
        return text

    def schema(self) -> Schema:
        # The tags depend on the installed identify, so the shipped schema does not list them.
        return {"type": "string", "pattern": r"\S"}


# Most regexes on paths are of this form. Compiling takes longest of all in a large file, and these need no test.
_SURELY_VALID = re.compile(r"\^?(?:[\w/.-]|\\\.)*\$?", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True)
class Regex:
    """A Python regular expression. For one on paths (`paths`), text that looks like a glob gives the warnings that
    pre-commit gives.
    """

    flags: re.RegexFlag = re.NOFLAG
    paths: bool = False
    empty: bool = False

    def read(self, node: Node, label: str, source: Source) -> str:
        text = Text(empty=self.empty).read(node, label, source)
        if not _SURELY_VALID(text):
            if compiled_size(text) > LIMIT:
                hint = f"use + or * if they are enough; all repetitions together may need {LIMIT:,}"
                raise source.error(node, f"{label} repeats too much: it has {compiled_size(text):,} parts", hint)
            self._compile(text, node, label, source)
        if self.paths:
            self._warn_of_globs(text, node, label, source)
        return text

    def schema(self) -> Schema:
        # Not `format: regex`, which means the regular expressions of JavaScript.
        return Text(empty=self.empty).schema()

    def _compile(self, text: str, node: Node, label: str, source: Source) -> None:
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            try:
                re.compile(text, self.flags)
            except (re.error, OverflowError, RecursionError) as error:
                raise self._invalid(error, text, node, label, source) from error
        for note in noted:
            source.warn(node, f"{label}: {note.message}")

    def _invalid(self, error: Exception, text: str, node: Node, label: str, source: Source) -> RuleError:
        offset, reason = None, "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        if isinstance(error, re.error):
            offset = error.pos or 0
            reason = f"{error.msg} at character {offset + 1}"
        hint = "write it as a regular expression of Python's re module"
        if self.paths and ("**" in text or text.startswith(("*", "?"))):
            hint = r"write \.py$ for *.py, and ^src/ for src/**: this is a regular expression, not a glob"
        return RuleError(f"{label} is not a valid regex: {reason}", hint, source.where(node, offset))

    @staticmethod
    def _warn_of_globs(text: str, node: Node, label: str, source: Source) -> None:
        if "/*" in text:
            source.warn(node, f"{label} is a regex, not a glob: matching '/*' probably isn't what you want here")
        for slashes in (r"[\\/]", r"[\/]", r"[/\\]"):
            if slashes in text:
                source.warn(node, f"paths always have forward slashes, so {label} can have / instead of {slashes}")
