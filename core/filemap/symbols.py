"""A symbol, the word that the parts of an outline share."""

from __future__ import annotations

import re
from typing import NamedTuple

SIGNATURE = 120  # characters; longer ones end in an ellipsis
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


class Symbol(NamedTuple):
    """`name` is dotted inside of classes and modules (`Cart.total`), `kind` a word of `grammars` or `plain`, such as
    `function`, `signature` one line. Lines are 1-based and closed; decorators are part of the symbol.
    """

    name: str
    kind: str
    signature: str
    line: int
    end_line: int


class Found(NamedTuple):
    symbols: tuple[Symbol, ...]
    imports: tuple[str, ...]


def one_line(text: str, most: int = SIGNATURE) -> str:
    """The text as data for a prompt: one line, no control characters, no more than `most` characters."""
    flat = " ".join(_CONTROL.sub(" ", text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
