"""What a file says it is for, in one line: its docstring, its first comment, or its first heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from litecode.config import languages
from litecode.core.filemap.symbols import one_line

SUMMARY = 80  # characters
_READ = 4000  # characters at the start of a file that can hold its summary
_DOCSTRING = re.compile(r"""\s*(?:#[^\n]*\n\s*)*[rRuU]?(\"\"\"|'''|["'])""")
_NOISE = re.compile(
    r"""(?ix) copyright | licen[sc]e | spdx | all\ rights\ reserved | -\*- | coding[:=] | vim?: | ^!|
    eslint | prettier | jshint | @ts- | @flow | use\ strict | istanbul | @generated | do\ not\ edit | noqa | pylint |
    mypy: | ruff: | isort: | fmt: | shellcheck | nolint | go:build | \+build | yaml-language-server | rubocop |
    frozen_string_literal | pragma | clang-format | ^\W*$ | ^@?(?:file|author|package|module|version|since)\b\W*\w*$
    """
)
_LEGAL = re.compile(r"(?i)copyright|licen[sc]e|spdx|all rights")


def summary_of(text: str, language: str) -> str:
    """At most `SUMMARY` characters; empty when the file does not say. Licences and notes to tools do not count."""
    head = text[:_READ].lstrip("\ufeff")
    if language == "python":
        return _docstring(head)
    if language == "markdown":
        found = re.search(r"^#{1,6}\s+(.+?)(?:\s+#+)?\s*$|^(\S.*)\n=+\s*$", head, re.MULTILINE)
        return one_line(found.group(1) or found.group(2), SUMMARY) if found else ""
    known = languages.find(language)
    return _comment(head, known.comment, known.block) if known else ""


def _docstring(head: str) -> str:
    found = _DOCSTRING.match(head)
    if not found:
        return ""
    quote = found.group(1)
    said = head[found.end() :].partition(quote)[0].strip()
    return _first_sentence(re.split(r"\n\s*\n", said)[0])


def _comment(head: str, line_mark: str | None, block: tuple[str, str] | None) -> str:
    """The first comment above the code that says something."""
    said: list[str] = []
    joins = False  # whether the next line comment goes on with the last one
    lines = iter(head.split("\n"))
    for raw in lines:
        line = raw.strip()
        if block and line.startswith(block[0]):
            said.append(_block(line[len(block[0]) :], lines, block[1]))
            joins = False
        elif line.startswith("#!"):
            joins = False
        elif line_mark and line.startswith(line_mark) and not line.startswith("#["):
            words = line[len(line_mark) :].lstrip("/!*" + line_mark[-1]).strip()
            if joins:
                said[-1] += "\n" + words
            else:
                said.append(words)
            joins = True
        elif not line:
            joins = False
        elif not line.startswith(("<?php", "<!DOCTYPE", '"use strict"', "'use strict'", "package ", "<")):
            break
    return next((found for found in map(_told, said) if found), "")


def _block(inner: str, lines: Iterator[str], end: str) -> str:
    """The text of a comment over several lines, whose first line is `inner`."""
    body = [inner.partition(end)[0]]
    while end not in inner and (following := next(lines, None)) is not None:
        inner = following
        body.append(inner.partition(end)[0])
    return "\n".join(part.strip().lstrip("*!").strip() for part in body)


def _told(comment: str) -> str:
    """The first paragraph of a comment that is not for tools or lawyers, up to the lines that are."""
    for paragraph in re.split(r"\n\s*\n", comment):
        lines = [line.strip() for line in paragraph.split("\n") if line.strip()]
        while lines and _NOISE.search(lines[0]) and not _LEGAL.search(lines[0]):
            del lines[0]
        kept = list(takewhile(lambda line: not _NOISE.search(line), lines))
        if kept:
            return _first_sentence(" ".join(kept))
    return ""


def _first_sentence(text: str) -> str:
    flat = one_line(text, 1000)
    found = re.match(r"(.+?[.!?])(?=\s+[A-Z])", flat)
    return one_line((found.group(1) if found else flat).rstrip("."), SUMMARY)
