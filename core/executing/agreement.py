"""When two answers to one question are the same: in what they do, not in what they call it or how they word it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from litecode.core.patching.syntax import Token, tokens

# An identifier behind one of these words, or before one of these signs, is a name that the code gives.
_GIVING = frozenset("let const var for as catch val mut".split())
_SIGNS = frozenset({"=", ":="})
_QUOTED = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"|`([^`\n]+)`")
_DOCS = ('"""', "'''")
LOCAL, WORDS = "a local name", "words"


def meaning(code: str, old: str, language: str | None, request: str) -> tuple[str, ...]:
    """The tokens of a new region that count: without comments and docstrings, and with the same name for each local
    variable, the same text for each message of several words, that neither the `old` region nor the request has.
    """
    found = [t for t in tokens(code, language) if not t.is_comment]
    had = {t.text for t in tokens(old, language)}
    names = list(dict.fromkeys(_locals(found, had)))
    words = set(re.findall(r"[\w$]+", request))
    quoted = {text for texts in _QUOTED.findall(request) for text in texts}
    return tuple(_texts(found, had | quoted, [name for name in names if name not in words]))


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


def _texts(found: list[Token], had: Collection[str], names: list[str]) -> Iterator[str]:
    inside = False
    for i, token in enumerate(found):
        if token.text in _DOCS and (inside or (i and found[i - 1].text == ":")):
            inside = not inside
        elif inside:
            continue
        elif token.is_string and token.text not in had and len(token.text.split()) > 1:
            yield WORDS
        elif token.text in names and found[i - 1].text != ".":
            yield f"{LOCAL} {names.index(token.text)}"
        else:
            yield token.text.replace("'", '"')
