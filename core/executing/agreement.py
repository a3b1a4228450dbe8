"""When two answers to one question are the same: in what they do, not in what they call it or how they word it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import zip_longest
from textwrap import dedent

from litecode.core.patching.syntax import Token, tokens

# An identifier behind one of these words, or before one of these signs, is a name that the code gives.
_GIVING = frozenset("let const var for as catch val mut".split())
_SIGNS = frozenset({"=", ":="})
_QUOTED = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"|`([^`\n]+)`")
_DOCS = ('"""', "'''")
LOCAL, WORDS = "a local name", "words"
_INDENTED = frozenset({"python", "yaml", "haskell"})  # languages in which the margin says what a line belongs to
_BY_LINE = frozenset({"bash", "ruby", "elixir"})  # those in which two lines joined are other code that parses
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def difference(one: str, other: str, old: str, language: str | None) -> tuple[str, str] | None:
    """The first tokens in which two answers differ, None when they say the same code. Kinds of quotes, trailing commas
    and line breaks that mean nothing do not count; comments do where nothing but them has changed.
    """
    if language is None:
        return None if one.strip() == other.strip() else ("other text", "than before")
    plain = [_said(text, language, comments=False) for text in (one, other, old)]
    if plain[0] == plain[2] or plain[1] == plain[2]:
        plain = [_said(text, language, comments=True) for text in (one, other)]
    elif language == "python" and (tree := _canonical(one)) is not None and tree == _canonical(other):
        return None
    pairs = zip_longest(plain[0], plain[1], fillvalue="nothing")
    return next(((a, b) for a, b in pairs if a != b), None)


def _canonical(code: str) -> str | None:
    """Python code as its tree is written: without comments, with one layout; None for what is no code of its own."""
    try:
        return ast.unparse(ast.parse(dedent(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _said(text: str, language: str, *, comments: bool) -> list[str]:
    found: list[str] = []
    open_at: list[tuple[str, bool, int]] = []  # bracket, whether a value is before it, commas in it
    before = ""
    every = tokens(text, language)
    begun = _begun(every, text, language)
    for token in every:
        if token.is_comment:
            found += [token.text] if comments else []
            continue
        found += begun.get(token.cut.start, [])
        if token.text in _CLOSING:
            open_at.append((token.text, "identifier" in before or before in (")", "]"), 0))
        elif open_at and token.text == _CLOSING[open_at[-1][0]]:
            bracket, after_value, commas = open_at.pop()
            makes_tuple = commas == 1 and (bracket, after_value) in (("(", False), ("[", True))
            if found[-1:] == [","] and not makes_tuple:
                found.pop()
        elif open_at and token.text == ",":
            open_at[-1] = (*open_at[-1][:2], open_at[-1][2] + 1)
        found.append(_unquoted(token.text))
        before = token.kind
    return found


def _begun(every: Iterable[Token], text: str, language: str | None) -> dict[int, list[str]]:
    """What the start of a line says in this language, by the offset of the line's first token."""
    found: dict[int, list[str]] = {}
    line, depth = -1, 0
    for token in every:
        if token.is_comment:
            continue
        start = text.rfind("\n", 0, token.cut.start) + 1
        if start != line and language in _BY_LINE:
            found[token.cut.start] = ["a new line"]
        elif start != line and not depth and language in _INDENTED:
            found[token.cut.start] = [f"margin {token.cut.start - start}"]
        line = start
        depth += (token.text in _CLOSING) - (depth > 0 and token.text in _CLOSING.values())
    return found


def _unquoted(text: str) -> str:
    """Quotes of one kind, where that is all that differs: `'a'` is `"a"`, `'"'` is not."""
    if text.lstrip("rbfuRBFU") in ("'", "'''"):
        return text.replace("'", '"')
    inner = text[1:-1]
    whole = len(text) > 1 and text[0] == text[-1] == "'" and not set(inner) & set("'\"\\")
    return f'"{inner}"' if whole else text


def meaning(code: str, old: str, language: str | None, request: str) -> tuple[str, ...]:
    """The tokens of a new region that count: without comments and docstrings, and with the same name for each local
    variable, the same text for each message of several words, that neither the `old` region nor the request has.
    """
    if language == "python":
        code, old = (_canonical(text) or text for text in (code, old))
    found = [t for t in tokens(code, language) if not t.is_comment]
    had = {t.text for t in tokens(old, language)}
    names = list(dict.fromkeys(_locals(found, had)))
    words = set(re.findall(r"[\w$]+", request))
    quoted = {text for texts in _QUOTED.findall(request) for text in texts}
    begun = _begun(found, code, language)
    return tuple(_texts(found, had | quoted, [name for name in names if name not in words], begun))


def _locals(found: list[Token], had: Collection[str]) -> Iterator[str]:
    for i, token in enumerate(found):
        if not _is_name(token) or token.text in had or (i and found[i - 1].text in (".", "->", "::")):
            continue
        after = found[i + 1].text if i + 1 < len(found) else ""
        before = [t.text for t in found[max(0, i - 2) : i]]
        given = after in _SIGNS and before[-1:] not in (["("], [","])
        if given or _GIVING & set(before):
            yield token.text


def _is_name(token: Token) -> bool:
    return "identifier" in token.kind or token.kind == "variable_name"


def _texts(found: list[Token], had: Collection[str], names: list[str], begun: Mapping[int, list[str]]) -> Iterator[str]:
    inside = False
    for i, token in enumerate(found):
        if token.text in _DOCS and (inside or (i and found[i - 1].text == ":")):
            inside = not inside
            continue
        if inside:
            continue
        yield from begun.get(token.cut.start, [])
        if token.is_string and token.text not in had and len(token.text.split()) > 1:
            yield WORDS
        elif token.text in names and found[i - 1].text != ".":
            yield f"{LOCAL} {names.index(token.text)}"
        else:
            yield token.text.replace("'", '"')
