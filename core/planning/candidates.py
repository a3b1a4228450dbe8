"""The pieces of a request that could be names of files, with what stands before and behind each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_NO_NAMES = re.compile(
    r"""(?xi)
    \b[a-z][a-z0-9+.-]*://[^\s<>"'`)\]]+          # URLs
    | \bwww\.[^\s<>"'`)\]]+
    | (?<![\w/])[\w.+-]+@[\w-]+(?:\.[\w-]+)+         # e-mail addresses
    """
)
_QUOTED = re.compile(r"""`([^`\n]+)`|"([^"\n]+)"|(?<![\w)\]])'([^'\n]+)'(?!\w)|“([^”\n]+)”|«\s*([^»\n]+?)\s*»""")
_WORD = re.compile(r"\S+")
_OPENING = "([{<\"'`“«"
_CLOSING = ")]}>\"'`”».,;:!?…"
_PLACE = re.compile(r"(?:::[\w:\[\]-]+|:\d+(?:[:,-]\d+)*|#L?\d+(?:-L?\d+)?)$")  # a test, a line
_CODE = re.compile(r"""[()=<>"'|&^%!;#]""")


class Candidate(NamedTuple):
    """`before` is the text since the last full stop, `after` the text behind it; `opens` tells that nothing stands
    before it in the request. `start` and `end` are offsets in the request, quotes included.
    """

    text: str
    quoted: bool
    before: str
    after: str
    opens: bool
    start: int
    end: int


def candidates(request: str) -> list[Candidate]:
    """In the order of the text. A quoted name may have blanks; other names end at white space."""
    request = _NO_NAMES.sub(lambda m: " " * (m.end() - m.start() - 1) + "\0", request)
    found: list[tuple[int, int, str, bool]] = []
    rest = list(request)
    for match in _QUOTED.finditer(request):
        inner = next(group for group in match.groups() if group is not None)
        found.append((match.start(), match.end(), inner.strip(), True))
        rest[match.start() : match.end()] = "\0" * (match.end() - match.start())
    for match in _WORD.finditer("".join(rest)):
        for start, end in _parts(match.group(), match.start()):
            found.append((start, end, request[start:end], False))
    found.sort()
    return [_candidate(request, *piece) for piece in found]


def _candidate(request: str, start: int, end: int, text: str, quoted: bool) -> Candidate:
    before = re.split(r"(?<=[.!?;])\s+|\n\s*[-*]?\s*", request[:start])[-1].rstrip("\"'`“«([")
    opens = not request[:start].strip("\"'`“«( ")
    return Candidate(_PLACE.sub("", text), quoted, before, request[end : end + 80], opens, start, end)


def _parts(word: str, at: int) -> Iterator[tuple[int, int]]:
    """A word without the signs around it; several where commas join names."""
    if "\0" in word:
        offset = 0
        for piece in word.split("\0"):
            if piece:
                yield from _parts(piece, at + offset)
            offset += len(piece) + 1
        return
    start, end = 0, len(word)
    while start < end and word[start] in _OPENING and not _belongs(word[start:end], opening=True):
        start += 1
    while end > start and word[end - 1] in _CLOSING and not _belongs(word[start:end], opening=False):
        end -= 1
    inner = word[start:end]
    possessive = re.search("['\u2019]s?$", inner)
    if possessive:
        inner = inner[: possessive.start()]
    if "," in inner and "{" not in inner:
        offset = start
        for piece in inner.split(","):
            yield from _parts(piece, at + offset)
            offset += len(piece) + 1
    elif inner and (not _CODE.search(_PLACE.sub("", inner)) or re.fullmatch(r"(?:[\w.@-]+/)*\([\w.-]+\)/.+", inner)):
        yield at + start, at + start + len(inner)


def _belongs(word: str, *, opening: bool) -> bool:
    """`(app)/page.tsx`, `[id].ts` and `src/{a,b}` keep their brackets."""
    if opening:
        return re.match(r"(?:\([\w.-]+\)|\[[\w.-]+\]|\{[\w.,-]+\})[/.]\w", word) is not None
    return re.search(r"/[\w.*-]*[\[{][\w.,-]+[\]}]$", word) is not None
