"""Which parts of a file a request is about: by the names that it uses, and where there are none by asking the model,
whose answer is an enum of what is there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litecode.core.filemap.outline import Outline, Symbol
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.regions import Area

FUNCTIONS = frozenset({"function", "method"})
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*")
# Behind these words a name is only mentioned: the change is elsewhere.
_MENTION = re.compile(
    r"(?:\b(?:like|as|using|use|uses|call|calls|calling|with|by|via|instead\s+of|raise|raises|throw|throws|return|returns|"
    r"from|than|similar\s+to|same\s+way\s+as|see|through|around|pass|import|imports|catch|catches)\s+(?:an?\s+|the\s+)?[`'\"]?)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One part of a file. `area.sites` is empty: the whole region may change."""

    symbol: Symbol
    area: Area


def named(request: str, outline: Outline) -> list[Symbol]:
    """The symbols of a file that a request names as what should change, in the order of the text; a name without its
    class counts when it is unique in the file, or when that class is named too. Plain English words count only where
    nothing else is named.
    """
    sure, plain = _names(request, outline)
    wanted = _wanted(sure) or _wanted(plain)
    return [s for s in outline.symbols if s.name in wanted]


def _names(request: str, outline: Outline) -> tuple[dict[str, bool], dict[str, bool]]:
    """The names of symbols, each with whether it is only mentioned: those that look like code, and other words."""
    sure: dict[str, bool] = {}
    plain: dict[str, bool] = {}
    for match in _IDENTIFIER.finditer(request):
        name = _resolved(re.sub(r"::|#", ".", match.group()), outline, request)
        if name is None:
            continue
        around = request[max(0, match.start() - 1) : match.start()] + request[match.end() : match.end() + 1]
        is_word = re.fullmatch(r"[A-Z]?[a-z]+", match.group()) and not re.search(r"[`'\"(]", around)
        found = plain if is_word else sure
        found[name] = found.get(name, True) and _MENTION.search(request[: match.start()]) is not None
    return sure, plain


def _wanted(found: dict[str, bool]) -> list[str]:
    wanted = [name for name, mention in found.items() if not mention] or list(found)
    # A class that is named beside one of its methods only tells where the method is.
    return [n for n in wanted if not any(other.startswith(f"{n}.") for other in wanted)]


def _resolved(name: str, outline: Outline, request: str) -> str | None:
    names = [s.name for s in outline.symbols]
    if name in names:
        return name
    ends = [n for n in names if n.endswith(f".{name}")]
    if len(ends) > 1:
        ends = [n for n in ends if re.search(rf"\b{re.escape(n.rsplit('.', 2)[-2])}\b", request)]
    return ends[0] if len(ends) == 1 else None


def area_of(document: Document, symbol: Symbol) -> Area:
    """The region of a symbol: its lines without the indentation of the first and white space after the last."""
    starts = document.starts()
    start = starts[symbol.line - 1]
    end = starts[symbol.end_line] if symbol.end_line < len(starts) else len(document.text)
    text = document.text[start:end]
    start += len(text) - len(text.lstrip())
    kind = (
        "function"
        if symbol.kind in FUNCTIONS
        else "class"
        if symbol.kind in ("class", "struct", "interface")
        else "statement"
    )
    return Area(Cut(start, start + len(text.strip())), kind, ())


def choices(document: Document, symbols: Sequence[Symbol]) -> list[Choice]:
    """The regions of symbols, those inside of another one left out, in the order of the text."""
    areas = sorted(((s, area_of(document, s)) for s in symbols), key=lambda p: (p[1].cut.start, -p[1].cut.end))
    found: list[Choice] = []
    for symbol, area in areas:
        if not found or not found[-1].area.cut.covers(area.cut):
            found.append(Choice(symbol, area))
    return found
