"""What code can read out of a request by itself: renames, moves, new orders of parameters, definitions that go.

Such work is done by code, so that no model has to find every caller. Only forms that leave no doubt are read; whatever
else the request says is left over, and `pure` tells whether the rest asks for anything more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from litecode.core.planning.kinds import ORDERS

_IDENTIFIER = r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*"
_FILE = r"(?:[\w.@+-]+/)*[\w.@+-]*\.\w+"
_KINDS = (
    r"(?:function|method|class|struct|type|interface|enum|trait|module|constant|variable|global|exception|error|helper|"
    r"component|hook|macro|decorator|fixture|symbol|identifier|name|parameter|argument|param|arg|attribute|field|"
    r"property|local|option|key)"
)
_LOCAL = re.compile(
    r"(?:local|variable|parameter|argument|param|arg|attribute|field|property|option|key)", re.IGNORECASE
)


def _name(group: str) -> str:
    """An identifier, perhaps in quotes, perhaps with an empty pair of parentheses."""
    return rf"[`'\"]?(?P<{group}>{_IDENTIFIER})(?:\(\))?[`'\"]?"


def _path(group: str) -> str:
    return rf"[`'\"]?(?P<{group}>{_FILE})[`'\"]?"


_WHAT = rf"(?:the\s+)?(?:(?P<kind>{_KINDS}(?:\s+{_KINDS})?)s?\s+)?"
_TO = r"\s*(?:\bto\b|\binto\b|\bas\b|->|=>|→)\s*"
_RENAME = re.compile(
    rf"\brenam(?:e|ing)\s+{_WHAT}{_name('old')}(?:\s+{_KINDS})?(?P<within>\s+(?:in|of|from)\s+[^\s,;]+)?{_TO}{_name('new')}"
    rf"|\bchange\s+the\s+name\s+of\s+(?:the\s+)?(?:{_KINDS}\s+)?{_name('old2')}{_TO}{_name('new2')}"
    rf"|{_name('old3')}\s+(?:should|must|needs\s+to|has\s+to)\s+be\s+(?:re)?named\s+(?:to\s+)?{_name('new3')}",
    re.IGNORECASE,
)
_OWNER = re.compile(rf"\s+(?:in|of|from)\s+(?:the\s+)?(?:{_KINDS}\s+)?{_name('owner')}(?![\w/.])", re.IGNORECASE)
_RENAME_MORE = re.compile(
    rf"\s*(?:,\s*(?:and\s+)?|and\s+)(?:the\s+)?(?:{_KINDS}\s+)?{_name('old')}{_TO}{_name('new')}", re.IGNORECASE
)
_CALL = rf"{_IDENTIFIER}\s*\([^()]*\)"
_BECOMES = re.compile(
    rf"(?:\b(?:change|turn|make)\s+)?[`'\"]?(?P<before>{_CALL})[`'\"]?\s*"
    rf"(?:\b(?:should|must|shall|needs\s+to|has\s+to)\s+(?:be|become|take|read|look\s+like)\b|\bbecomes\b|\b(?:in)?to\b|->|=>|→)"
    rf"\s*[`'\"]?(?P<after>{_CALL})[`'\"]?",
    re.IGNORECASE,
)
_PLACE = r"(?:parameters|arguments|params|args)"
_SWAP = re.compile(
    rf"\b(?:swap|switch|exchange|flip)\s+(?:the\s+)?(?:(?:order|positions?)\s+of\s+)?(?:the\s+)?(?:two\s+|first\s+two\s+)?"
    rf"(?:{_PLACE}\s+)?(?:{_name('first')}\s+and\s+{_name('second')}\s+)?(?:{_PLACE}\s+)?(?:around\s+)?(?:of|in|for|to)\s+"
    rf"(?:the\s+)?(?:{_KINDS}\s+)?{_name('owner')}",
    re.IGNORECASE,
)
_SWAP_IT = re.compile(
    rf"[,:;]?\s*(?:i\.e\.\s*)?\b(?:swap|switch|exchange|flip|reorder)\s+(?:the\s+)?(?:(?:order|positions?)\s+of\s+)?(?:the\s+)?(?:two\s+)?{_PLACE}",
    re.IGNORECASE,
)
_MOVE = re.compile(
    rf"\bmove\s+{_WHAT}{_name('what')}(?P<more>(?:\s*,\s*(?:and\s+)?|\s+and\s+)[`'\"]?{_IDENTIFIER}(?:\(\))?[`'\"]?)*"
    rf"(?:\s+{_KINDS})?(?:\s+(?:from|out\s+of)\s+{_path('source')})?\s+(?:in)?to\s+(?:(?:the|an?)\s+(?:new\s+)?(?:file|module)\s+)?{_path('target')}",
    re.IGNORECASE,
)
_DEFINED = (
    r"(?:function|method|class|struct|type|interface|enum|trait|constant|exception|helper|component|hook|fixture)"
)
_REMOVE = re.compile(
    rf"\b(?:remove|delete|drop|get\s+rid\s+of)\s+(?:the\s+)?(?:(?:unused|dead|old|obsolete|deprecated|legacy|superfluous)\s+)*"
    rf"(?:{_DEFINED}\s+)+{_name('what')}(?![\w/.(])(?:\s+(?:from|in|of)\s+{_path('source')})?(?=\s*(?:[.;,]|and\b|$))",
    re.IGNORECASE,
)
_FILE_MOVE = re.compile(
    rf"\b(?:rename|move)\s+(?:the\s+file\s+)?{_path('old')}\s+(?:in)?(?:to|as)\s+[`'\"]?(?P<new>[\w./-]+)",
    re.IGNORECASE,
)
_FILE_GONE = re.compile(
    rf"(?:please\s+)?(?:delete|remove|erase)\s+(?:the\s+)?(?:file\s+)?{_path('old')}\W*", re.IGNORECASE
)
_PARAMETER = re.compile(r"[*&]*[A-Za-z_$][\w$]*(?:\s*[:=][^,]*)?|\*|/|\.\.\.")
_CLAUSE = re.compile(r"[.;,]\s+|\n+|\s+(?:and|but|then)\s+", re.IGNORECASE)
_ADAPT = re.compile(
    r"\b(?:adapt|update|adjust|change|fix|correct|rename|import|use)\b(?=.*\b(?:call\w*|uses?|usages?|users?|references?|"
    r"imports?|importers?|tests?|docs?|documentation|readme|everything|everywhere|all|every|each|them|it|there|accordingly)\b)",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:keeps?\s+(?:its|their|the)\s+(?:old\s+)?names?|stays?\b|remains?\b|(?:do\s+not|don't|must\s+not|should\s+not|never)"
    r"\s+(?:touch|change|rename|move)|leave\b|unchanged|untouched|alone)",
    re.IGNORECASE,
)
_BARE_NAME = re.compile(rf"(?:the\s+)?(?:{_KINDS}s?\s+)?[`'\"]?{_IDENTIFIER}(?:\(\))?[`'\"]?", re.IGNORECASE)
_WITH_DOCS = re.compile(
    r"(?:(?:and|with|including|in)\s+)?(?:its|the|their)\s+(?:own\s+)?"
    r"(?:doc[- ]?(?:string|comment)s?|comments?|docs?|documentation)(?:\s+(?:too|as\s+well))?",
    re.IGNORECASE,
)
_NAMES_IN = re.compile(_IDENTIFIER)
_ORDER_WORD = re.compile(rf"(?<![\w.`'\"/-])(?:{'|'.join(ORDERS)})(?![\w(./`'\"-])", re.IGNORECASE)
_MUST = re.compile(r"\b(?:must|should|needs?\s+to|has\s+to|have\s+to)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rename:
    """`local` tells that the old name is one of a parameter, variable or attribute; `kind` is the word for it, `owner`
    the function that it belongs to, where the request says so.
    """

    old: str
    new: str
    kind: str = ""
    owner: str = ""

    @property
    def local(self) -> bool:
        return _LOCAL.search(self.kind) is not None

    @property
    def parameter(self) -> bool:
        return bool(self.owner) and re.search(r"param|arg", self.kind) is not None


@dataclass(frozen=True, slots=True)
class Reorder:
    """A function and the new order of its parameters; `before` and `after` are their texts. Without them `swapped` has
    the two that change places, or is empty when the function has just two.
    """

    name: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    """Symbols that go from one file to another; `source` is empty when the request does not say it. The two files are
    as the request writes them.
    """

    names: tuple[str, ...]
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Remove:
    """A definition that goes; `source` is the file as the request writes it, empty when it does not say it."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Reading:
    """`rest` is what the request says beyond what was read."""

    renames: tuple[Rename, ...] = ()
    reorders: tuple[Reorder, ...] = ()
    moves: tuple[Move, ...] = ()
    removes: tuple[Remove, ...] = ()
    rest: str = ""

    @property
    def found(self) -> bool:
        return bool(self.renames or self.reorders or self.moves or self.removes)

    @property
    def pure(self) -> bool:
        """Whether code can do all that is asked."""
        return self.found and not any(map(_asks, _CLAUSE.split(self.rest)))


def read_request(request: str) -> Reading:
    """What the words say for sure; nothing for most requests."""
    cut = _Cutting(request)
    renames = tuple(_renames(cut))
    reorders = tuple(_reorders(cut))
    moves = tuple(_moves(cut))
    removes = tuple(Remove(m["what"], m["source"] or "") for m in _REMOVE.finditer(request) if cut.take(m))
    for move in moves:  # to make the file is part of the move
        for match in re.finditer(rf"\b(?:create|add|make)\s+[^.;,]*?{re.escape(move.target)}", request, re.IGNORECASE):
            cut.take(match)
    return Reading(renames, reorders, moves, removes, cut.rest())


def work_of_git(request: str) -> tuple[str, str] | None:
    """A file that the request wants renamed, moved or deleted, and the git command that does it."""
    if match := _FILE_MOVE.search(request):
        return match["old"], f"git mv {match['old']} {match['new'].rstrip('.')}"
    if match := _FILE_GONE.fullmatch(request.strip()):
        return match["old"], f"git rm {match['old']}"
    return None


class _Cutting:
    """A text from which pieces are taken out."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._gone: list[tuple[int, int]] = []

    def take(self, match: re.Match[str]) -> bool:
        """Whether the piece was still there."""
        start, end = match.span()
        if any(start < e and s < end for s, e in self._gone):
            return False
        self._gone.append((start, end))
        return True

    def rest(self) -> str:
        at, parts = 0, []
        for start, end in sorted(self._gone):
            parts.append(self.text[at:start])
            at = end
        return "; ".join(part for part in (*parts, self.text[at:]) if part.strip())


def _renames(cut: _Cutting) -> list[Rename]:
    found = []
    for match in _RENAME.finditer(cut.text):
        old = match["old"] or match["old2"] or match["old3"]
        new = match["new"] or match["new2"] or match["new3"]
        if not cut.take(match):
            continue
        owner = _OWNER.match(match["within"] or "") or _OWNER.match(cut.text, match.end())
        found.append(Rename(old, new, (match["kind"] or "").lower(), owner["owner"] if owner else ""))
        at = match.end()
        while more := _RENAME_MORE.match(cut.text, at):
            cut.take(more)
            found.append(Rename(more["old"], more["new"]))
            at = more.end()
    return found


def _reorders(cut: _Cutting) -> list[Reorder]:
    found = []
    for match in _BECOMES.finditer(cut.text):
        before, after = _call(match["before"]), _call(match["after"])
        if before and after and before[0] == after[0] and before[1] != after[1] and cut.take(match):
            found.append(Reorder(before[0], before[1], after[1]))
    if found:
        for match in _SWAP_IT.finditer(cut.text):
            cut.take(match)
        return found
    for match in _SWAP.finditer(cut.text):
        if not match["first"] and not re.search(_PLACE, match.group(), re.IGNORECASE):
            continue
        if cut.take(match):
            swapped = (match["first"], match["second"]) if match["first"] else ()
            found.append(Reorder(match["owner"], swapped=swapped))
    return found


def _call(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Name and parameters of `f(a, b=1)`; None when it is a call with values."""
    name, _, inside = text.partition("(")
    inside = inside.rstrip().removesuffix(")")
    parameters = tuple(part.strip() for part in inside.split(",") if part.strip())
    if not all(_PARAMETER.fullmatch(part) for part in parameters):
        return None
    return name.strip(), parameters


def _moves(cut: _Cutting) -> list[Move]:
    found = []
    for match in _MOVE.finditer(cut.text):
        if cut.take(match):
            listed = cut.text[match.start("what") : match.start("source") if match["source"] else match.start("target")]
            head = re.split(r"\s+(?:from|out\s+of|to|into)\b", listed)[0]
            names = [n for n in _NAMES_IN.findall(head) if n != "and" and not re.fullmatch(_KINDS, n, re.IGNORECASE)]
            found.append(Move(tuple(dict.fromkeys(names)) or (match["what"],), match["source"] or "", match["target"]))
    return found


def _asks(clause: str) -> bool:
    """Whether a clause asks for work of its own."""
    if _STAYS.search(clause) or _ADAPT.search(clause):
        return False
    clause = clause.strip(" .;,")
    if _WITH_DOCS.fullmatch(clause) or (_BARE_NAME.fullmatch(clause) and not _ORDER_WORD.fullmatch(clause)):
        return False
    return _ORDER_WORD.search(clause) is not None or _MUST.search(clause) is not None
