"""New functions, classes, methods and constants in a file that is there: what is asked for, where it goes, and how it
is put in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from litecode.core.executing.choose import CLASSES, FUNCTIONS
from litecode.core.filemap.outline import Outline, Symbol, outline
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.layout import margin_of

_KIND = (
    r"(?P<kind>function|method|class|helper|fixture|test(?:\s+case)?|property|constant|exception|error|struct|type|"
    r"interface|enum|component|hook|subclass|dataclass)"
)
_NEW = re.compile(
    rf"\b(?:add|create|write|implement|introduce|define|provide|needs?|have|has|get|gets)\s+"
    rf"(?:(?:an?|the|new|small|little|simple|static|public|private|async|helper|module-level|second|third|also)\s+)*"
    rf"(?:{_KIND}\s+)?(?:called\s+|named\s+)?[`'\"]?(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)?)(?P<call>\()?",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"^(?:[\w./-]+\s*:\s+)?(?:please\s+)?(?:add|write|create|implement)\s+(?:an?|another|one\s+more|one)\s+(?:new\s+)?"
    r"(?:(?:unit|regression)\s+)?test(?:\s+(?:case|function))?\b(?!\s+(?:called|named)|[\w-])",
    re.IGNORECASE,
)
_WORDS = frozenset("that to which for with in of and so where when it this who from on as by is a an the".split())
_SURE = frozenset({"function", "method", "class", "helper", "constant", "fixture"})
_NO_NAMES = frozenset(
    "docstring docstrings comment comments hint hints level variable attribute attributes parameter parameters "
    "argument arguments check guard call calls name names body decorator header handler handlers signature annotation "
    "default documentation docs method function object instance value definition here there too also should "
    "must can returning taking called named".split()
)
_AFTER = re.compile(
    r"\b(?:after|below|behind|under|beneath|next\s+to|beside)\s+[`'\"]?(?P<name>[A-Za-z_$][\w$.]*)", re.IGNORECASE
)
_ENDINGS = {
    "python": re.compile(r"^if __name__ == ", re.MULTILINE),
    "javascript": re.compile(r"^(?:module\.exports|exports\.\w+\s*=|export\s*(?:\{|default))", re.MULTILINE),
    "typescript": re.compile(r"^export\s*(?:\{|default\s+\w+;)", re.MULTILINE),
    "rust": re.compile(r"^#\[cfg\(test\)\]", re.MULTILINE),
}


@dataclass(frozen=True, slots=True)
class Addition:
    """`owner` is the class that the new thing belongs to, empty for the file. It goes in at `at`, a line start;
    `margin` is the indentation of its first line.
    """

    name: str
    kind: str
    owner: str
    at: int
    margin: str


def asked_addition(request: str, document: Document, found: Outline, language: str | None) -> Addition | None:
    """The new thing that a request names, None when it names none, or what is there already."""
    names = {s.name for s in found.symbols}
    for match in _NEW.finditer(request):
        name, kind = re.sub(r"::|#", ".", match["name"]), (match["kind"] or "").lower()
        if name.lower() in _WORDS or not (match["call"] or _is_name(kind, match["name"])):
            continue
        owner, _, short = name.rpartition(".")
        if name in names or (not owner and any(n.rsplit(".", 1)[-1] == short for n in names)):
            continue
        if owner and owner not in names:
            continue
        if not owner and kind in ("method", "property"):
            owner = _owner(request, found)
        return place(short, kind or "function", owner, request, document, found, language)
    if language == "python" and _TEST.match(request) and any(_is_test(s) for s in found.symbols):
        last = [s for s in found.symbols if _is_test(s)][-1]
        return place("", "test", last.name.rpartition(".")[0], request, document, found, language)
    return None


def _is_test(symbol: Symbol) -> bool:
    return symbol.kind in FUNCTIONS and symbol.name.rpartition(".")[2].startswith("test")


def _is_name(kind: str, name: str) -> bool:
    """Whether a word behind a kind is the name of the new thing; `type hints` and `error handling` are none."""
    if re.search(r"_|[a-z][A-Z]|^[A-Z]|\.|::|#", name):
        return bool(kind)
    return kind in _SURE and name.lower() not in _NO_NAMES


def _owner(request: str, found: Outline) -> str:
    classes = [s.name for s in found.symbols if s.kind in CLASSES]
    mentioned = [c for c in classes if re.search(rf"\b{re.escape(c.rsplit('.', 1)[-1])}\b", request)]
    return mentioned[0] if mentioned else classes[0] if len(classes) == 1 else ""


def place(
    name: str, kind: str, owner: str, request: str, document: Document, found: Outline, language: str | None
) -> Addition:
    """Where the new thing goes: behind what the request names, else at the end of its class or of the file."""
    after = _AFTER.search(request)
    inside = [s for s in found.symbols if (s.name.startswith(f"{owner}.") if owner else "." not in s.name)]
    neighbour = next((s for s in inside if after and s.name in (after["name"], f"{owner}.{after['name']}")), None)
    starts = document.starts()
    if neighbour is None and owner:
        neighbour = inside[-1] if inside else next(s for s in found.symbols if s.name == owner)
    if kind == "constant" and neighbour is None:
        variables = [s for s in inside if s.kind not in FUNCTIONS | CLASSES]
        first = next((s.line for s in inside if s.kind in FUNCTIONS | CLASSES), found.lines + 1)
        neighbour = next((s for s in reversed(variables) if s.end_line < first), None)
    if neighbour is not None:
        at = starts[neighbour.end_line] if neighbour.end_line < len(starts) else len(document.text)
        return Addition(name, kind, owner, at, _margin(document, neighbour, owner, inside))
    ending = _ENDINGS.get("typescript" if language == "tsx" else language or "")
    match = ending.search(document.text) if ending else None
    return Addition(name, kind, owner, match.start() if match else len(document.text), "")


def _margin(document: Document, neighbour: Symbol, owner: str, inside: list[Symbol]) -> str:
    start = document.starts()[neighbour.line - 1]
    line = document.text[start:].split("\n", 1)[0]
    margin = margin_of(document.text, Cut(start + len(line) - len(line.lstrip()), start + len(line)))
    return margin if inside or not owner else margin + "    "


def inserted(addition: Addition, code: str, document: Document, language: str | None) -> tuple[Cut, str]:
    """The place and the text that bring the code in, with the blank lines that the file has between such things."""
    text = document.text
    body = "\n".join(addition.margin + line if line.strip() else line for line in code.split("\n"))
    apart = 2 if language == "python" and not addition.owner and addition.kind != "constant" else 1
    if addition.kind == "constant":
        apart = 0 if text[: addition.at].rstrip("\n") else 1
    before, after = text[: addition.at], text[addition.at :]
    lead = "\n" * max(0, apart + 1 - (len(before) - len(before.rstrip("\n")))) if before.strip() else ""
    if before and not before.endswith("\n") and not lead:
        lead = "\n"
    have = len(after) - len(after.lstrip("\n"))
    tail = "\n" + "\n" * (max(0, apart - have) if after.strip() and not _closes(after) else 0)
    return Cut(addition.at, addition.at), lead + body + tail


def _closes(after: str) -> bool:
    return after.lstrip()[:1] in ("}", ")") or after.lstrip().startswith("end")


def definition_in(code: str, name: str, path: str) -> str:
    """The one definition of a name in a reply that may show more, dedented; the reply itself when it is not found."""
    found = [s for s in outline(code, path).symbols if s.name.rsplit(".", 1)[-1] == name]
    if not found:
        return code
    lines = code.split("\n")
    first = found[0].line - 1
    while first > 0 and re.match(r"\s*(?:#|//|/\*|\*|///|@)", lines[first - 1]) and lines[first - 1].strip():
        first -= 1
    part = lines[first : found[0].end_line]
    margin = len(part[0]) - len(part[0].lstrip())
    return "\n".join(line[margin:] if line[:margin].isspace() or not line.strip() else line for line in part).rstrip()
