"""Which parts of a file a request is about: by the names that it uses, and where there are none by asking the model,
whose answer is an enum of what is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litecode.core.filemap.outline import Outline, Symbol
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.regions import Area
from litecode.core.patching.syntax import Node, parse
from litecode.core.patching.wish import Only
from litecode.core.values import Message, Prompt, Reply, Stop

FUNCTIONS = frozenset({"function", "method"})
CLASSES = frozenset({"class", "struct", "interface", "trait", "enum", "impl", "object", "module"})
MOST_PARTS = 3
MOST_SYMBOLS = 120
MOST_OF_ALL = 12  # parts, when all of a kind are asked for
WHOLE = 60  # lines of a file, or of a class, that may be one region
TOP = "the top of the file (imports, constants)"
NEW = "something new at the end of the file"
SYSTEM = "You find the places of a change in a file. You see its outline, not its text. You answer in JSON."
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*")
# Behind these words a name is only mentioned: the change is elsewhere.
_MENTION = re.compile(
    r"(?:\b(?:like|as|using|use|uses|call|calls|calling|with|by|via|instead\s+of|raise|raises|throw|throws|return|"
    r"returns|from|than|similar\s+to|same\s+way\s+as|see|through|around|pass|import|imports|catch|catches|after|below|"
    r"behind|before|above|beside|next\s+to)\s+(?:an?\s+|the\s+)?[`'\"]?)$",
    re.IGNORECASE,
)


_EVERY = re.compile(
    r"\b(?:(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?|the\s+)(?:(?:public|other|remaining|german|french|spanish|old)\s+)?"
    r"(?P<what>functions?|methods|class(?:es)?|comments)\b(?!\s+[`'\"]?[A-Za-z_]\w*(?:\(|`|'|\"|_))",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\s+(?:in\s+\S+\s+)?(?:should|must|needs?\s+to|has\s+to|function|method|class|constant)\b", re.IGNORECASE
)
_KIND = re.compile(
    r"\b(?:function|method|class|constant|component|struct)\s+(?:called\s+|named\s+)?[`'\"]?$", re.IGNORECASE
)


_ENTRIES = {"yaml": frozenset({"block_mapping_pair"}), "json": frozenset({"pair"})}
_NEW_ENTRY = re.compile(
    r"\b(?:add|create|insert|new)\s+(?:an?\s+|the\s+)?(?:new\s+|another\s+)?"
    r"(?:service|section|job|entry|stage|step|group|object|block|environment)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One part of a file, with the name that people know it by. `area.sites` is empty: all of it may change."""

    name: str
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
        subject = _SUBJECT.match(request, match.end()) or _KIND.search(request[: match.start()])
        is_word = re.fullmatch(r"[A-Z]?[a-z]+", match.group()) and not re.search(r"[`'\"(]", around) and not subject
        found = plain if is_word else sure
        before = request[: match.start()]
        mention = _MENTION.search(before) is not None
        # An error is raised by other code, a limit is raised itself.
        mention = mention and not (
            match.group().isupper() and re.search(r"\braises?\s+(?:the\s+)?$", before, re.IGNORECASE)
        )
        found[name] = found.get(name, True) and mention
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
    kind = "function" if symbol.kind in FUNCTIONS else "class" if symbol.kind in CLASSES else "statement"
    return lines_area(document, symbol.line, symbol.end_line, kind)


def lines_area(document: Document, first: int, last: int, kind: str) -> Area:
    """Lines, counted from 1 and both included, as a region without white space at its ends."""
    starts = document.starts()
    start = starts[first - 1]
    end = starts[last] if last < len(starts) else len(document.text)
    text = document.text[start:end]
    start += len(text) - len(text.lstrip())
    return Area(Cut(start, start + len(text.strip())), kind, ())


def choices(document: Document, symbols: Sequence[Symbol]) -> list[Choice]:
    """The regions of symbols, those inside of another one left out, in the order of the text."""
    areas = sorted(((s, area_of(document, s)) for s in symbols), key=lambda p: (p[1].cut.start, -p[1].cut.end))
    found: list[Choice] = []
    for symbol, area in areas:
        if not found or not found[-1].area.cut.covers(area.cut):
            found.append(Choice(symbol.name, area))
    return found


def every(request: str, only: Only | None, document: Document, outline: Outline) -> list[Choice]:
    """The parts of a request for docstrings, comments or type hints in a whole file, without any name: its functions,
    its classes, or a small file as one.
    """
    match = _EVERY.search(request)
    if match is None or only is None:
        return []
    what = match["what"].lower()
    if what.startswith("comment"):
        lines = document.text.count("\n") + 1
        return [Choice("the comments", lines_area(document, 1, lines, "file"))] if lines <= WHOLE else []
    kinds = CLASSES if what.startswith("class") else FUNCTIONS
    found = [s for s in outline.symbols if s.kind in kinds and (what != "methods" or "." in s.name)]
    return choices(document, found) if len(found) <= MOST_OF_ALL else []


def ask(
    request: str, document: Document, outline: Outline, within: str = ""
) -> Generator[Prompt, Reply, list[Choice] | None]:
    """The parts that the model chooses; None for something new, an empty list when the answer cannot be used. `within`
    is a class whose members are the only choices.
    """
    symbols = [s for s in outline.symbols if s.name.startswith(f"{within}.")] if within else list(outline.symbols)
    if len(symbols) > MOST_SYMBOLS:
        symbols = [s for s in symbols if "." not in s.name][:MOST_SYMBOLS]
    labels = [s.name for s in symbols] + ([] if within else [TOP, NEW])
    listed = "\n".join(f"- {s.name}: {s.signature}" for s in symbols)
    words = " ".join(request.split())
    user = f"The file has:\n{listed}\n\nRequest: {words}\n\nWhich of these parts have to change for this request?"
    messages = (Message("system", SYSTEM), Message("user", user))
    reply = yield Prompt(messages, 120, schema=_schema(labels))
    chosen = [label for label in _read(reply) if label in labels]
    if NEW in chosen[:1]:
        return None
    by_name = {s.name: s for s in symbols}
    found = choices(document, [by_name[label] for label in chosen if label in by_name])
    if TOP in chosen and (area := top_area(document, outline)) is not None:
        found.insert(0, Choice("the top of the file", area))
    return found


def _schema(labels: Sequence[str]) -> Mapping[str, Any]:
    parts = {"type": "array", "items": {"enum": list(labels)}, "minItems": 1, "maxItems": MOST_PARTS}
    return {"type": "object", "properties": {"parts": parts}, "required": ["parts"], "additionalProperties": False}


def _read(reply: Reply) -> list[str]:
    if reply.stop is not Stop.END:
        return []
    start, end = reply.text.find("{"), reply.text.rfind("}")
    try:
        parts = json.loads(reply.text[start : end + 1]).get("parts", [])
    except (ValueError, AttributeError):
        return []
    return list(dict.fromkeys(p for p in parts if isinstance(p, str))) if isinstance(parts, list) else []


def top_area(document: Document, outline: Outline) -> Area | None:
    """What stands above the first function or class."""
    first = next((s.line for s in outline.symbols if s.kind in FUNCTIONS | CLASSES), outline.lines + 1)
    area = lines_area(document, 1, first - 1, "block") if first > 1 else None
    return area if area is not None and area.cut.start < area.cut.end else None


def entry_area(document: Document, grammar: str | None, request: str) -> Area | None:
    """The entry of a mapping that a request names and no other of the file has the name of: `worker` of `give the
    service worker more memory`. Of two that are one in the other it is the inner one.
    """
    if grammar not in _ENTRIES:
        return None
    held = [n for n in parse(document.text, grammar).walk() if n.kind in _ENTRIES[grammar]]
    by_name: dict[str, list[Node]] = {}
    for node in held:
        if (key := node.field("key")) is not None:
            by_name.setdefault(key.text.strip("'\""), []).append(node)
    found: list[Node] = []
    for match in re.finditer(r"[\w$][\w$.-]*\w|\w", request):
        nodes = by_name.get(match.group(), [])
        if len(nodes) == 1 and "\n" in nodes[0].text.strip() and not _MENTION.search(request[: match.start()]):
            found += nodes
    inner = {n.cut: n for n in found if not any(n.cut != o.cut and n.cut.covers(o.cut) for o in found)}
    if len(inner) != 1 or _NEW_ENTRY.search(request):
        return None
    (cut,) = inner
    return Area(Cut(cut.start, cut.start + len(cut.of(document.text).rstrip())), "block", ())


def block_area(document: Document, request: str) -> Area | None:
    """In a file without symbols: all of it when it is small, else the block between blank lines that shares most words
    with the request, None when several do.
    """
    text = document.text
    if not text.strip():
        return None
    if text.count("\n") <= WHOLE:
        return lines_area(document, 1, text.count("\n") + 1, "file")
    words = {w.lower() for w in re.findall(r"\w{3,}", request)}
    scored = []
    for match in re.finditer(r"(?:^[^\n]*\S[^\n]*(?:\n|\Z))+", text, re.MULTILINE):
        found = {w.lower() for w in re.findall(r"\w{3,}", match.group())}
        scored.append((len(words & found), Cut(match.start(), match.start() + len(match.group().rstrip()))))
    best = max(score for score, _ in scored)
    top = [cut for score, cut in scored if score == best]
    return Area(top[0], "block", ()) if best and len(top) == 1 else None
