"""Question or change? What the words of a request tell without a model.

A question that is taken for a change writes into files; a change that is taken for a question only costs a second
try. So whatever sounds like a question and orders nothing is one.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """What a request wants: something done, or something told."""

    CHANGE = "change"
    QUESTION = "question"


_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_MARKS = re.compile(r"^[\s\-*>\"'`(]+")
_LABEL = re.compile(r"^[\w./-]*(?:\([^)]*\))?!?\s*:\s+")
_TYPE = re.compile(
    r"^(?:fix|feat|feature|bug|bugfix|chore|docs?|refactor|tests?|style|perf|todo)(?:\([^)]*\))?!?\s*:", re.IGNORECASE
)
_ASKING = re.compile(
    r"(?:how|what|what's|whats|why|where|where's|which|who|whose|when|is|are|am|was|were|do|does|did|has|have|had|"
    r"isn't|aren't|doesn't|didn't|hasn't|will|shall|may|might)\b",
    re.IGNORECASE,
)
# "when the file is empty, return None" orders something; "when is the file closed?" does not.
_CONDITION = re.compile(r"(?:when|where|whenever|wherever|what|which|who|how|why)\b", re.IGNORECASE)
_TELL = re.compile(
    r"(?:please\s+)?(?:tell\s+me|show\s+me|let\s+me\s+know|give\s+me\s+(?:an?\s+)?(?:overview|summary|list|idea)|"
    r"summari[sz]e|explain(?!.*\bin\s+(?:an?\s+|the\s+|its\s+)?(?:docstring|comment|readme|docs?\b|documentation))|i(?:'d|\s+would)?\s+(?:like|want)\s+to\s+know|"
    r"i\s+(?:wonder|am\s+wondering)|do\s+you\s+know|any\s+idea)\b",
    re.IGNORECASE,
)
# What is to be found is told, unless something is to be done with it, or it is to be written down.
_LOOK = re.compile(
    r"(?:list|find|enumerate|identify|point\s+out|look\s+(?:up|for)|check|see)\s+(?:me\s+)?(?:(?:all|every|any|each)\b|where\b|which\b|"
    r"how\s+many\b|if\b|whether\b|the\s+(?:\w+\s+)?(?:places?|spots?|functions?|methods?|class(?:es)?|files?|modules?|callers?|calls?|"
    r"us(?:es|ers|ages)|tests?|imports?|lines?|names?|errors?)\b)",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"\b(?:in|into|to|as)\s+(?:an?\s+|the\s+|its\s+|your\s+)?(?:docstrings?|comments?|readme|docs?|documentation|guide|changelog|file|log|"
    r"output|stdout|[\w/]+\.\w+)\b",
    re.IGNORECASE,
)
_WRITE_DOWN = re.compile(
    r"(?:please\s+)?(?:explain|describe|mention|note|state)\b.*\bin\s+(?:an?\s+|the\s+|its\s+)?"
    r"(?:docstrings?|comments?|readme|docs?|documentation|guide|changelog)\b",
    re.IGNORECASE,
)
_PLEASE = re.compile(
    r"(?:please\b|(?:can|could|would|will)\s+(?:you|we)\b|would\s+you\s+mind\b|let's\b|why\s+don't\s+(?:you|we)\b|"
    r"how\s+about\b|what\s+about\b|i(?:'d|\s+would)\s+like\s+(?:you\s+to|to\s+have)\b)\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
ORDERS = (
    "add adapt adjust allow append apply avoid build bump cache call cap change check clean clear convert copy correct "
    "create cut declare deduplicate default define delete deprecate disable do document drop enable enforce ensure "
    "escape expose extend extract fix flip format generate get give guard handle hoist implement import improve "
    "include increase initialise initialize inline insert introduce invert keep let limit log lower make mark merge "
    "migrate mirror move normalise normalize omit optimise optimize order parse pass prefix prevent print protect put "
    "quote raise read refactor refuse reject remove rename reorder replace require reset restrict return reuse "
    "reverse revert rework rewrite round set simplify skip sort split stop store strip support swap switch take test "
    "throw translate treat trim truncate turn tweak type unify update upgrade use validate verify wrap write"
).split()
_ORDER = re.compile(
    rf"(?:(?:also|then|now|and|please|just)\s+)*(?:(?:do\s+not|don't|never)\s+\w+|(?:{'|'.join(ORDERS)})(?:t?ing)?)\b(?!\s*\()",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|should|shall|needs?\s+to|has\s+to|have\s+to|ought\s+to|may\s+not|is\s+to\s+be)\b", re.IGNORECASE
)


def kind_of(request: str) -> Kind | None:
    """The kind that the words tell; None when only a model (or a person) can say."""
    kinds = [kind for sentence in sentences(request) if (kind := _kind(sentence)) is not None]
    if Kind.CHANGE in kinds:
        return Kind.CHANGE
    return Kind.QUESTION if kinds else None


def sentences(request: str) -> list[str]:
    """The sentences of a request, each with its mark at the end."""
    return [part.strip() for part in _SENTENCE_END.split(request) if part.strip()]


def _kind(sentence: str) -> Kind | None:
    text = _MARKS.sub("", sentence)
    text = _LABEL.sub("", text) or text
    asked = text.rstrip(" \"'`)").endswith("?")
    polite = _PLEASE.match(text)
    if _TELL.match(text) or _looks(text):
        return Kind.QUESTION
    if polite is not None:
        rest = polite["rest"].lstrip(" ,")
        if _TELL.match(rest) or _looks(rest) or (asked and _ASKING.match(rest)):
            return Kind.QUESTION
        offered = re.match(r"(?:how|what)\s+about", text, re.IGNORECASE)
        return Kind.CHANGE if _ORDER.match(rest) or not (asked or offered) else None
    if asked:
        return Kind.QUESTION
    if _ORDER.match(text) or _WRITE_DOWN.match(text) or (_LOOK.match(text) and _has_order_behind(text)):
        return Kind.CHANGE
    if _ASKING.match(text):
        ordered = _CONDITION.match(text) and (_MUST.search(text) or _has_order_after_comma(text))
        if ordered:
            return Kind.CHANGE
        return Kind.QUESTION if len(text.split()) > 3 else None
    return Kind.CHANGE if _MUST.search(text) or _TYPE.match(_MARKS.sub("", sentence)) else None


def _looks(text: str) -> bool:
    """Whether something is only to be found; nothing is to be done with it."""
    if not _LOOK.match(text) or _WRITTEN.search(text) or _MUST.search(text):
        return False
    return not _has_order_behind(text)


def _has_order_behind(text: str) -> bool:
    return any(_ORDER.match(part.strip()) for part in re.split(r",|;|:|\band\b|\bthen\b|\bto\b", text)[1:])


def _has_order_after_comma(text: str) -> bool:
    return any(_ORDER.match(part.strip()) for part in text.split(",")[1:])
