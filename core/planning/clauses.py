"""Which part of a request is about which file, where the request itself says so.

"bake() in oven.py should refuse negative minutes, and plan() in shifts.py should ..." is two tasks, each with words of
its own. An executor that is told only those cannot do the other one's work.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litecode.core.planning.kinds import ORDERS

_VERBS = "|".join(ORDERS)
_SUBJECT = r"[`'\"]?[\w$.:#/-]+(?:\(\))?[`'\"]?(?:\s+(?:in|of)\s+[`'\"]?[\w./-]+[`'\"]?)?"
_DOES = r"(?:should|must|needs?\s+to|has\s+to|uses?|calls?|gets?)"
_NEXT = rf"(?=(?:(?:also|then|please)\s+)?(?:(?:{_VERBS})\b|{_SUBJECT}\s+{_DOES}\b))"
_BOUNDARY = re.compile(
    rf"(?<=[.!?])\s+|\s*;\s+|\s*\n+\s*|\s*,?\s+(?:and|then|but|and\s+then)\s+{_NEXT}|\s*,\s+{_NEXT}", re.IGNORECASE
)
_REFERS = re.compile(
    r"(?:\b(?:as|like|from|see|than|via|using|similar\s+to|same\s+(?:as|way\s+as)|defined|declared|imported\s+from|used\s+by|"
    r"copied\s+from|compare|unlike)\s+(?:(?:it\s+is\s+)?(?:done\s+)?(?:in|it\s+in)\s+)?(?:the\s+(?:one\s+in\s+)?)?[`'\"(]?)$",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?P<verb>uses?|calls?|imports?|apply|applies|invokes?|exports?|employs?)\s+(?:it|this|that)\b", re.IGNORECASE
)
_IT = re.compile(r"^(?:\w+\s+){1,2}(?:it|this|that|them|these|those)\b", re.IGNORECASE)
_BEYOND_WORDS = re.compile(r"[\w.]{5,}")
_CALL = re.compile(r"[`'\"]?(?P<name>[A-Za-z_$][\w$]*)\(")
_CODE = re.compile(
    r"\b(?:function|class|method|helper|constant|type)\s+[`'\"]?(?P<name>[A-Za-z_$][\w$]*)", re.IGNORECASE
)

_NEW = re.compile(
    r"\b(?:gets?|needs?|add|gains?|has|have|implement|define|write)\s+(?:an?\s+)?(?:new\s+)?(?:method|function|helper|property)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Share:
    """The words of a request that are about one file. `needs` are files whose share has to be done before."""

    path: str
    words: str
    needs: tuple[str, ...] = ()


def shares(request: str, names: Mapping[str, Sequence[str]], creates: Sequence[str] = ()) -> tuple[Share, ...]:
    """The share of each file, in the order of the request; empty when it cannot be told. `names` has for each file the
    ways in which the request can mean it: its path, its name, what it defines.

    A file that is only referred to (`as in utils.py`) has no share.
    """
    parts: dict[str, list[_Clause]] = {}
    needs: dict[str, dict[str, None]] = {}
    current: tuple[str, ...] = ()
    known = home = ""  # the name that "it" stands for, and its file
    for clause in _clauses(request):
        own, referred = _files_in(clause.text, names)
        current = own or current
        if not current:
            if referred:
                return ()
            parts.setdefault("", []).append(clause)
            continue
        if known and _PRONOUN.search(clause.text):
            clause = _Clause(clause.start, clause.end, _PRONOUN.sub(rf"\g<verb> `{known}`", clause.text), changed=True)
        for path in current:
            parts.setdefault(path, []).append(clause)
            before = needs.setdefault(path, {})
            if home and home != path and re.search(rf"(?<![\w.]){re.escape(known)}\b", clause.text):
                before.setdefault(home)
            before.update(dict.fromkeys(other for other in referred if other in creates))
        name = _CALL.search(clause.text) or _CODE.search(clause.text)
        if name is not None and len(current) == 1 and (current[0] in creates or _NEW.search(clause.text)):
            known, home = name["name"], current[0]
    start = parts.pop("", [])
    return tuple(
        Share(path, _words(request, start, clauses), tuple(p for p in needs.get(path, ()) if p in parts))
        for path, clauses in parts.items()
    )


@dataclass(frozen=True, slots=True)
class _Clause:
    """A piece of a request from `start` to `end`; `changed` when its text is not that of the request any more."""

    start: int
    end: int
    text: str
    changed: bool = False


def _clauses(request: str) -> list[_Clause]:
    cuts = [0, *(at for match in _BOUNDARY.finditer(request) for at in match.span()), len(request)]
    spans = [(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=True) if request[start:end].strip()]
    return [_Clause(start, end, request[start:end].strip()) for start, end in spans]


def _words(request: str, start: Sequence[_Clause], own: Sequence[_Clause]) -> str:
    """The clauses in one text; the whole request when the first of a file says `it`, which nobody can resolve."""
    if _IT.search(own[0].text):
        return request
    text, clauses = "", (*start, *own)
    for before, clause in zip((None, *clauses), clauses, strict=False):
        if before is not None:
            between = request[before.end : clause.start]
            plain = not (before.changed or clause.changed) and not _BEYOND_WORDS.search(between)
            text += between if plain else "; "
        text += clause.text
    return text.strip().rstrip(",;")


def _files_in(clause: str, names: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files that a clause is about, and those that it only refers to."""
    own: dict[str, int] = {}
    referred: dict[str, None] = {}
    for path, ways in names.items():
        for way in ways:
            for match in re.finditer(rf"(?<![\w/.]){re.escape(way)}(?![\w/]|\.\w)", clause):
                if _REFERS.search(clause[: match.start()]):
                    referred.setdefault(path)
                else:
                    own.setdefault(path, match.start())
    return tuple(sorted(own, key=own.__getitem__)), tuple(path for path in referred if path not in own)
