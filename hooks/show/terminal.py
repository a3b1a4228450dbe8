"""Where output goes: two streams, whether they take colour, how wide they are; and what may be written there.

File names, code and model replies are somebody else's text. `visible` takes from them whatever could move the cursor,
change colours, or make a line read differently from what it is.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
DEFAULT_WIDTH = 80
ELLIPSIS = "…"


class Style(StrEnum):
    """Graphic renditions of ECMA-48, without the escape around them."""

    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    CYAN = "36"
    RED_WORD = "1;31;7"
    GREEN_WORD = "1;32;7"


def visible(text: str, keep: str = "") -> str:
    """The text with control and format characters, undecodable bytes and unassigned characters as escapes; those in
    `keep` stay as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep else _shown(char) for char in text)


def _shown(char: str) -> str:
    if unicodedata.category(char) not in _HIDDEN:
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8
        code -= 0xDC00
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes that `visible` made."""
    if text.isascii():
        return len(text)
    return sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def pad(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, with a word on what is left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}{ELLIPSIS} ({len(text) - limit} more characters)"


def fit(text: str, width: int) -> str:
    """At most so many columns, with dots at the end of what is cut off."""
    if cells(text) <= width:
        return text
    kept, left = "", width - 3
    for char in text:
        left -= _cell(char)
        if left < 0:
            break
        kept += char
    return kept + "..."


@dataclass(frozen=True, slots=True)
class Terminal:
    """Results go to `out`, everything else to `err`. `live` says that `err` can show a line that changes."""

    out: TextIO
    err: TextIO
    colour_out: bool = False
    colour_err: bool = False
    live: bool = False
    width: int = DEFAULT_WIDTH

    @classmethod
    def of(cls, out: TextIO, err: TextIO, environ: Mapping[str, str]) -> Terminal:
        """Colour goes to terminals alone, and to none when NO_COLOR is set or TERM is `dumb`."""
        able = environ.get("TERM", "") != "dumb"
        coloured = able and not environ.get("NO_COLOR")
        return cls(
            out,
            err,
            coloured and _is_terminal(out),
            coloured and _is_terminal(err),
            able and _is_terminal(err),
            _width(out, err, environ),
        )

    def print(self, text: str) -> None:
        """A line of the result."""
        _write(self.out, text + "\n")

    def tell(self, text: str) -> None:
        """A line beside the result; what was printed so far comes out before it."""
        self.out.flush()
        _write(self.err, text + "\n")
        self.err.flush()

    def out_style(self, text: str, style: Style | None) -> str:
        return paint(text, style) if self.colour_out else text

    def err_style(self, text: str, style: Style | None) -> str:
        return paint(text, style) if self.colour_err else text


def paint(text: str, style: Style | None) -> str:
    return f"\x1b[{style.value}m{text}\x1b[0m" if style and text else text


def encodable(text: str, stream: TextIO) -> str:
    """The text with escapes for what the stream has no bytes for."""
    if text.isascii():
        return text
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace(ELLIPSIS, "...").encode(encoding, "backslashreplace").decode(encoding)
    return text


def _write(stream: TextIO, text: str) -> None:
    stream.write(encodable(text, stream))


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def _width(out: TextIO, err: TextIO, environ: Mapping[str, str]) -> int:
    if environ.get("COLUMNS", "").isdecimal() and int(environ["COLUMNS"]) > 0:
        return int(environ["COLUMNS"])
    for stream in (out, err):
        try:
            if stream.isatty() and (columns := os.get_terminal_size(stream.fileno()).columns):
                return columns
        except (OSError, ValueError):
            continue
    return DEFAULT_WIDTH
