"""A constant or a setting gets another value, by code alone: the request says name and value, and one line has both."""

from __future__ import annotations

import re

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.syntax import has_grammar, tokens

_VALUE = r"(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|-?\d(?:[\w.]*\w)?|true|false|yes|no|on|off|null|none)"
_PATH = r"(?:\s+(?:in|of)\s+[`'\"]?[\w./-]+[`'\"]?)?"
_SET = re.compile(
    rf"(?:[\w./-]+\s*:\s+)?(?:please\s+)?(?:set|change|raise|lower|increase|decrease|bump|reduce|make|turn)\s+(?:the\s+)?"
    rf"(?:(?:constant|value\s+of|value|setting|option|default|key|number\s+of|version\s+of)\s+)?"
    rf"[`'\"]?(?P<name>[A-Za-z_][\w.-]*)[`'\"]?{_PATH}(?:\s+from\s+(?P<old>{_VALUE}))?{_PATH}"
    rf"\s+(?:to|=|be)\s+(?P<new>{_VALUE}){_PATH}\s*[.!]?",
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
    name = re.escape(wanted["name"].rsplit(".", 1)[-1])
    line = re.compile(
        rf"^(?P<head>[ \t]*(?:-[ \t]+)?(?:(?:export|const|let|var|static|final|pub|public|private)\s+)*"
        rf"['\"]?{name}['\"]?"
        rf"(?:\s*:\s*[\w\[\], .|]+(?==))?\s*(?:=|:|:=)\s*)(?P<value>'[^'\n]*'|\"[^\"\n]*\"|-?\d[\w.]*|[A-Za-z]\w*)"
        rf"(?=[ \t]*(?:[,;]|#.*|//.*)?[ \t]*$|[ \t]*[,;]?[ \t]*(?:#|//).*$)",
        re.MULTILINE,
    )
    found = [m for m in line.finditer(text) if not _is_prose(text, language, m.start("value"))]
    if len(found) != 1:
        return None
    old, new = found[0]["value"], _fitting(found[0]["value"], wanted["new"])
    if new is None or new == old or (wanted["old"] and wanted["old"].strip("'\"`") != old.strip("'\"")):
        return None
    return splice(text, [Edit(Cut(*found[0].span("value")), new)])


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
