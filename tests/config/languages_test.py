"""The table of languages agrees with identify and with ast-grep, and finds the language of a file."""

from __future__ import annotations

import pytest
from identify.identify import ALL_TAGS, tags_from_filename

from litecode.config import languages
from litecode.config.languages import LANGUAGES, Language, language_of


def test_names_and_aliases_are_unique() -> None:
    names = [name for language in LANGUAGES for name in (language.name, *language.aliases)]
    assert len(set(names)) == len(names)
    assert languages.names() == tuple(names)
    assert all(name == name.lower() for name in names)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_tags_are_those_of_identify(language: Language) -> None:
    assert language.tags
    assert {*language.tags, *language.not_tags} <= ALL_TAGS


@pytest.mark.parametrize("language", [entry for entry in LANGUAGES if entry.parser], ids=lambda language: language.name)
def test_a_parser_is_one_of_ast_grep(language: Language) -> None:
    from ast_grep_py import SgRoot

    assert SgRoot("x", str(language.parser)).root().text() == "x"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("python", "python"),
        ("py", "python"),
        ("sh", "bash"),
        ("shell", "bash"),
        ("js", "javascript"),
        ("ts", "typescript"),
        ("tsx", "tsx"),
        ("golang", "go"),
        ("c++", "cpp"),
        ("c#", "csharp"),
        ("yml", "yaml"),
        ("terraform", "hcl"),
        ("sql", "sql"),
        ("Python", None),
        ("pyi", None),
        ("", None),
        ("cobol", None),
    ],
)
def test_find(name: str, found: str | None) -> None:
    language = languages.find(name)
    assert (language.name if language else None) == found


@pytest.mark.parametrize(
    ("path", "more", "language"),
    [
        ("a.py", (), "python"),
        ("a.pyi", (), "python"),
        ("a.pyx", (), None),
        ("bin/run", ("python", "python3"), "python"),
        ("a.js", (), "javascript"),
        ("a.jsx", (), "javascript"),
        ("a.mjs", (), "javascript"),
        ("a.ts", (), "typescript"),
        ("a.mts", ("text",), "typescript"),
        ("a.MTS", ("text",), "typescript"),
        ("a.mts", ("binary",), None),
        ("a.tsx", (), "tsx"),
        ("a.h", (), "c"),
        ("a.hpp", (), "cpp"),
        ("a.mm", (), None),
        ("a.sh", (), "bash"),
        ("a.bash", (), "bash"),
        ("bin/run", ("shell", "sh"), "bash"),
        ("a.zsh", (), "zsh"),
        (".zshrc", (), "zsh"),
        ("a.csh", (), None),
        ("a.yml", (), "yaml"),
        ("a.json", (), "json"),
        ("a.jsonc", ("text",), "json"),
        ("a.tf", (), "hcl"),
        ("a.xhtml", (), "html"),
        ("a.svg", (), "xml"),
        ("a.md", (), "markdown"),
        ("README", (), "text"),
        ("Makefile", (), "makefile"),
        ("Dockerfile", (), "dockerfile"),
        ("a.dart", (), "dart"),
        ("a.unknown", ("text",), None),
        ("mts", ("text",), "typescript"),
        ("py", ("text",), None),
        ("a.png", (), None),
    ],
)
def test_language_of(path: str, more: tuple[str, ...], language: str | None) -> None:
    tags = frozenset({"file", *tags_from_filename(path), *more})
    assert language_of(path, tags) == language


@pytest.mark.parametrize(
    ("name", "comment", "block"),
    [
        ("python", "#", None),
        ("javascript", "//", ("/*", "*/")),
        ("css", None, ("/*", "*/")),
        ("html", None, ("<!--", "-->")),
        ("sql", "--", ("/*", "*/")),
        ("lua", "--", ("--[[", "]]")),
        ("json", None, None),
        ("text", None, None),
    ],
)
def test_comments(name: str, comment: str | None, block: tuple[str, str] | None) -> None:
    language = languages.find(name)
    assert language is not None
    assert (language.comment, language.block) == (comment, block)
