"""One blob as text: strict decoding with everything remembered that must survive (BOM, line ends), and cuts of the text
as byte spans.

Inside the patching rooms a place is a `Cut`, a half-open range of characters of `Document.text`, whose line ends are
LF. At their edges it is a `Span` of bytes of the blob. The two convert exactly, because only text that decodes and
encodes back to the same bytes becomes a `Document`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from litecode.core.values import Span

_BOM = b"\xef\xbb\xbf"
LARGEST = 1024 * 1024  # bytes; larger files are data or generated
LONGEST_LINE = 20_000  # characters; longer lines are minified or data


class Cut(NamedTuple):
    """Half-open range of characters of a text."""

    start: int
    end: int

    def covers(self, other: Cut) -> bool:
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: Cut) -> bool:
        return (self.start < other.end and other.start < self.end) or self.start == other.start

    def of(self, text: str) -> str:
        return text[self.start : self.end]


class Unreadable(Exception):
    """The blob is no text that can be edited safely; the argument says why in one clause."""


@dataclass(frozen=True, slots=True)
class Document:
    """A decoded blob. `text` has LF line ends; `eol` is what the blob has."""

    text: str
    eol: str = "\n"
    bom: bool = False
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def decode(cls, data: bytes) -> Document:
        """Raises Unreadable for binary, non-UTF-8, mixed line ends and oversized blobs."""
        if len(data) > LARGEST:
            raise Unreadable(f"larger than {LARGEST // 1024} KiB")
        if b"\0" in data:
            raise Unreadable("binary")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as err:
            raise Unreadable(f"not UTF-8 (byte {err.start})") from None
        bom = data.startswith(_BOM)
        text = text[bom:]
        eol = "\r\n" if "\r\n" in text else "\n"
        if eol == "\r\n":
            text = text.replace("\r\n", "\n")
        document = cls(text, eol, bom)
        # A lone CR ends a line for some parsers and not for others, so that their line numbers would not agree.
        if "\r" in text or document.encode(text) != data:
            raise Unreadable("mixed line ends")
        if any(len(line) > LONGEST_LINE for line in text.split("\n")):
            raise Unreadable(f"a line longer than {LONGEST_LINE} characters")
        return document

    def encode(self, text: str) -> bytes:
        """The bytes of `text`, which has no CR, in the style of this blob."""
        if self.eol != "\n":
            text = text.replace("\n", self.eol)
        return (_BOM if self.bom else b"") + text.encode("utf-8")

    def with_text(self, text: str) -> Document:
        return Document(text, self.eol, self.bom)

    def starts(self) -> list[int]:
        """Character offsets at which the lines begin."""
        if not self._starts:
            # In one step, because threads may share the document.
            self._starts[:] = [0, *(m.end() for m in re.finditer("\n", self.text))]
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """1-based line and column (in characters) of a character offset."""
        starts = self.starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def lines_of(self, cut: Cut) -> range:
        """The 1-based numbers of the lines that a cut touches."""
        last = max(cut.start, cut.end - 1)
        return range(self.position(cut.start)[0], self.position(last)[0] + 1)

    def whole_lines(self, cut: Cut) -> Cut:
        """The cut grown to whole lines, without the last line end."""
        start = self.text.rfind("\n", 0, cut.start) + 1
        end = self.text.find("\n", max(cut.start, cut.end - 1))
        return Cut(start, len(self.text) if end < 0 else end)

    def span(self, cut: Cut) -> Span:
        """The byte span of a cut in the blob."""
        bom = len(_BOM) if self.bom else 0
        start = bom + self._bytes(0, cut.start)
        return Span(start, start + self._bytes(cut.start, cut.end))

    def _bytes(self, start: int, end: int) -> int:
        part = self.text[start:end]
        return len(part.encode("utf-8")) + (part.count("\n") if self.eol != "\n" else 0)
