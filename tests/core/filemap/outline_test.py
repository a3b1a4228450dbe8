"""Outlines of small texts in every language; the texts and what is seen in them are in `outlines.txt`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.filemap.grammars import KINDS
from litecode.core.filemap.outline import LARGEST, Outline, language_of, outline
from litecode.core.patching.syntax import parse

EXAMPLES = Path(__file__).with_name("outlines.txt").read_text(encoding="utf-8")


def examples() -> list[tuple[str, str, str]]:
    """Path, text, and the expected lines."""
    found = []
    for part in re.split(r"^==== ", EXAMPLES, flags=re.MULTILINE)[1:]:
        path, _, rest = part.partition("\n")
        text, _, expected = rest.rpartition(">>>> ")
        found.append((path, text, expected))
    return found


def written(found: Outline) -> str:
    rows = [f"{found.lines} [{found.summary}] {' '.join(found.imports)}".rstrip()]
    rows += [f"{s.line}-{s.end_line} {s.kind} {s.name} | {s.signature}" for s in found.symbols]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(("path", "text", "expected"), examples(), ids=lambda value: value if "\n" not in value else "")
def test_outline(path: str, text: str, expected: str) -> None:
    assert written(outline(text, path)) == expected


@pytest.mark.parametrize("grammar", KINDS)
def test_grammars_have_the_kinds(grammar: str) -> None:
    """One that a grammar does not know makes ast-grep fail, whatever the text is."""
    kinds = KINDS[grammar]
    for kind in (*kinds.labels, *kinds.imports):
        assert parse("", grammar).find_all({"kind": kind}) == []
    for rule in (*(rule for rule, _ in kinds.rules), *kinds.import_rules):
        assert parse("", grammar).find_all(rule) == []


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "", ("python", "python")),
        ("bin/tool", "#!/usr/bin/env node\n", ("javascript", "javascript")),
        ("a.h", "", ("c", "c")),
        ("a.sql", "", ("sql", None)),
        ("tool", "import os\n", ("", None)),
        ("a.unknown", "", ("", None)),
    ],
)
def test_language(path: str, text: str, expected: tuple[str, str | None]) -> None:
    assert language_of(path, text) == expected


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ('"""Sends mail. And more."""\n', "Sends mail"),
        ("#!/usr/bin/python\n# -*- coding: utf-8 -*-\n'''Sends\nmail.\n\nMore.'''\n", "Sends mail"),
        ('import os\n"""no docstring"""\n', ""),
        ('"""' + "long " * 40 + '"""\n', ("long " * 16)[:79].rstrip() + "…"),
        ('"""Sends\x1b[31m mail\u202e."""\n', "Sends [31m mail"),
    ],
)
def test_python_summary(text: str, summary: str) -> None:
    assert outline(text, "a.py").summary == summary


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("// Sends mail.\nlet a;\n", "Sends mail"),
        ("/**\n * Sends\n * mail.\n * @license MIT\n */\n", "Sends mail"),
        ("/* Copyright (c) 2020\n * All rights reserved */\n// Sends mail.\n", "Sends mail"),
        ("/* eslint-disable */\n// @ts-check\n\n'use strict'\n// Sends mail\n", "Sends mail"),
        ("#!/usr/bin/env node\n\n// Sends mail\n", "Sends mail"),
        ("let a;\n// no summary\n", ""),
        ("// Licensed under MIT\n// see LICENSE\nlet a;\n", ""),
        ("/*\n", ""),
    ],
)
def test_summary_from_comments(text: str, summary: str) -> None:
    assert outline(text, "a.js").summary == summary


@pytest.mark.parametrize("text", ["x = 1\n" * (LARGEST // 6 + 1), "x = '" + "a" * 20_001 + "'\n"])
def test_data_has_no_symbols(text: str) -> None:
    found = outline(text, "a.py")
    assert (found.lines, found.symbols) == (text.count("\n"), ())


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([text for _, text, _ in examples()]), st.data())
def test_never_fails_and_stays_in_the_file(text: str, data: st.DataObject) -> None:
    """Texts with pieces cut out, in the language of any example."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    path = data.draw(st.sampled_from([path for path, _, _ in examples()]))
    found = outline(text[:start] + text[end:], path)
    assert all(1 <= s.line <= s.end_line <= max(found.lines, 1) for s in found.symbols)
    assert all("\n" not in s.signature and "\n" not in s.name for s in found.symbols)
