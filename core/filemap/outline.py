"""The outline of one file: what it defines and where, what it is for in one line, and what it imports."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from litecode.config import languages
from litecode.config.select import HEAD_BYTES, tags_for
from litecode.core.filemap import parsed, plain
from litecode.core.filemap.symbols import Found, Symbol
from litecode.core.filemap.wording import summary_of
from litecode.core.patching.syntax import has_grammar

__all__ = ["Outline", "Symbol", "language_of", "outline"]

LARGEST = 1024 * 1024  # characters; larger files are data or generated, and so are those with a longer line
LONGEST_LINE = 20_000
# Grammars that say less about a file than its lines do.
_BY_LINES = frozenset({"markdown", "html"})


class Outline(NamedTuple):
    """`symbols` are in the order of the text, those inside of a class right behind it. `imports` are the modules that
    the file names, as they are written; `from a import b` gives `a.b` in Python.
    """

    lines: int
    summary: str
    symbols: tuple[Symbol, ...]
    imports: tuple[str, ...]


def outline(text: str, path: str) -> Outline:
    """The outline of a text. Never fails: what no parser understands is read by its lines, and data has no symbols."""
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    if len(text) > LARGEST or max(map(len, text.split("\n"))) > LONGEST_LINE:
        return Outline(lines, "", (), ())
    language, grammar = language_of(path, text)
    found = _found(text, language, grammar)
    return Outline(lines, summary_of(text, language), found.symbols, found.imports)


def language_of(path: str, text: str) -> tuple[str, str | None]:
    """The language of a file, empty when it is not known, and the name of its grammar if there is one."""
    name = path.rpartition("/")[2]
    script = text.startswith("#!")  # then the name alone does not tell
    language, grammar = _language(name, text[:HEAD_BYTES] if script else "")
    return language, grammar


@lru_cache(maxsize=4096)
def _language(name: str, head: str) -> tuple[str, str | None]:
    tags = tags_for(name, "100755" if head else "100644", lambda: head.encode(errors="replace"))
    language = languages.find(languages.language_of(name, tags) or "")
    return (language.name, language.parser) if language else ("", None)


def _found(text: str, language: str, grammar: str | None) -> Found:
    if language in ("vue", "svelte"):
        script = plain.script_of(text)
        return parsed.find(script, "typescript") if script.strip() else Found((), ())
    if grammar is not None and has_grammar(grammar) and grammar not in _BY_LINES:
        return parsed.find(text, grammar)
    return plain.find(text, language)
