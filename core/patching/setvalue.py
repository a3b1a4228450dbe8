"""A constant or a setting gets another value, by code alone: the request says name and value, and one line has both."""

from __future__ import annotations

import re

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.syntax import has_grammar, tokens

_VALUE = r"(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|-?\d(?:[\w.]*\w)?|true|false|yes|no|on|off|null|none)"
# Units of a value, by the endings that a name may have for them.
_UNITS = {
    "seconds": "s|sec|secs|second|seconds",
    "milliseconds": "ms|msec|millis|milliseconds",
    "minutes": "min|mins|minute|minutes",
    "hours": "h|hours",
    "days": "days",
    "bytes": "bytes",
    "kb": "kb|kib",
    "mb": "mb|mib",
    "percent": "percent|pct",
}
_UNIT = "|".join(dict.fromkeys(form for forms in _UNITS.values() for form in forms.split("|")))
_PATH = r"(?:\s+(?:in|of)\s+[`'\"]?[\w./-]+[`'\"]?)?"
_SET = re.compile(
    rf"(?:[\w./-]+\s*:\s+)?(?:please\s+)?(?:set|change|raise|lower|increase|decrease|bump|reduce|make|turn)\s+(?:the\s+)?"
    rf"(?:(?:constant|value\s+of|value|setting|option|default|key|number\s+of|version\s+of)\s+)?"
    rf"[`'\"]?(?P<name>[A-Za-z_][\w.-]*(?:\s+(?!in\b|of\b|from\b|to\b|be\b)[a-z]+){{0,2}})[`'\"]?{_PATH}(?:\s+from\s+(?P<old>{_VALUE}))?{_PATH}"
    rf"\s+(?:to|=|be)\s+(?P<new>{_VALUE})(?:\s*(?P<unit>{_UNIT}))?{_PATH}\s*[.!]?",
    re.IGNORECASE,
)
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "none"})


def with_value(text: str, language: str | None, request: str) -> str | None:
    """The text with the new value, None when the request is no such wish, or when it is not one line of the text that
    has the name and a plain value.
    """
    wanted = _SET.fullmatch(" ".join(request.split()))
    if wanted is None:
        return None
    found: list[re.Match[str]] = []
    for name in _names(wanted["name"].rsplit(".", 1)[-1], wanted["unit"] or ""):
        found = found or [m for m in _line(name).finditer(text) if not _is_prose(text, language, m.start("value"))]
    if len(found) != 1:
        return None
    old, new = found[0]["value"], _fitting(found[0]["value"], wanted["new"])
    if new is None or new == old or (wanted["old"] and wanted["old"].strip("'\"`") != old.strip("'\"")):
        return None
    return splice(text, [Edit(Cut(*found[0].span("value")), new)])


def _names(said: str, unit: str) -> list[str]:
    """Patterns for the name as it is said, and for one of the same words, with the unit where the request has one."""
    words = "[_-]?".join(re.escape(word) for word in re.split(r"[\s_-]+", said))
    if unit:
        forms = next(f for f in _UNITS.values() if unit.casefold() in f.split("|"))
        return [f"(?i:{words}[_-]?(?:{forms}))"]
    return [re.escape(said), f"(?i:{words})"]


def _line(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^(?P<head>[ \t]*(?:-[ \t]+)?(?:(?:export|const|let|var|static|final|pub|public|private)\s+)*"
        rf"['\"]?{name}['\"]?"
        rf"(?:\s*:\s*[\w\[\], .|]+(?==))?\s*(?:=|:|:=)\s*)(?P<value>'[^'\n]*'|\"[^\"\n]*\"|-?\d[\w.]*|[A-Za-z]\w*)"
        rf"(?=[ \t]*(?:[,;]|#.*|//.*)?[ \t]*$|[ \t]*[,;]?[ \t]*(?:#|//).*$)",
        re.MULTILINE,
    )


def _fitting(old: str, new: str) -> str | None:
    """The new value in the form of the old one; None when it is of another kind."""
    bare = new.strip("'\"`")
    if old[:1] in "'\"":
        return f"{old[0]}{bare}{old[0]}" if old[0] not in bare and "\\" not in bare else None
    number = re.fullmatch(r"-?\d[\w.]*", bare) is not None
    if re.fullmatch(r"-?\d[\w.]*", old):
        return bare if number else None
    if old.casefold() in _WORDS and bare.casefold() in _WORDS:
        return bare.capitalize() if old[:1].isupper() else bare.casefold()
    return None


def _is_prose(text: str, language: str | None, at: int) -> bool:
    """Whether a place is in a comment, or within a longer text."""
    if not has_grammar(language):
        return False
    return any(
        t.cut.start <= at < t.cut.end and (t.is_comment or (t.is_string and "\n" in t.text))
        for t in tokens(text, language)
    )
