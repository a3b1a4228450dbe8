"""Gates that need no grammar: what small models do to text."""

from __future__ import annotations

import re

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted

_CHAT = re.compile(r"<\|[^|>\n]{1,40}\|>|</?(?:think|tool_call|s)>|\[/?INST\]|<(?:start|end)_of_turn>")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_COMMENT_START = r"(?:#|//|/\*|--|<!--|;|%|\*)"
_LEFT_OUT = r"rest of|remaining|existing|unchanged|same as (?:before|above)|previous"
_CODE = r"code|function|method|file|class|lines?|implementation|here"
_ELISION = re.compile(
    rf"^\s*{_COMMENT_START}?\s*(?:\.\.\.|…)\s*(?:\(?[\w ,'-]*\)?)?\s*(?:\*/|-->)?\s*$"
    rf"|{_COMMENT_START}.*(?:\.\.\.|…)"
    rf"|{_COMMENT_START}.*\b(?:{_LEFT_OUT}) .{{0,20}}\b(?:{_CODE})\b"
    rf"|{_COMMENT_START}\s*(?:your|other|more) .{{0,20}}\bcode\b",
    re.IGNORECASE,
)


def _refuse(gate: str, text: str) -> Objection:
    return Objection(gate, Grade.REFUSE, text)


def empty(rewrite: Rewrite) -> Objection | None:
    if not rewrite.new.strip():
        return _refuse("empty", "the code is empty")
    return None


def chat_tokens(rewrite: Rewrite) -> Objection | None:
    """Marks of a chat template and control or direction characters that the region did not have."""
    for pattern in (_CHAT, _CONTROL):
        for match in pattern.finditer(rewrite.new):
            if match.group() not in rewrite.old:
                return _refuse("chat-tokens", f"the code has {match.group()!a} in it")
    return None


def fences(rewrite: Rewrite) -> Objection | None:
    for fence in ("```", "~~~"):
        if rewrite.new.count(fence) > rewrite.old.count(fence):
            return _refuse("fences", "the code has a Markdown fence in it")
    return None


def elision(rewrite: Rewrite) -> Objection | None:
    """`... rest of the code ...` in an added line."""
    old = {line.strip() for line in rewrite.old.split("\n")}
    for line in rewrite.new.split("\n"):
        if line.strip() and line.strip() not in old and _ELISION.search(line):
            return _refuse("elision", f"code is left out: {quoted(line)}; write all of it")
    return None


def size(rewrite: Rewrite) -> Objection | None:
    """A region that lost or gained far more than a convention can ask for."""
    old, new = (len(re.findall(r"\w+|[^\w\s]", text)) for text in (rewrite.old, rewrite.new))
    if new < 0.4 * old and old - new > 12:
        return _refuse("size", f"most of the code is gone ({old} tokens became {new})")
    if new > 2.5 * old + 60:
        return _refuse("size", f"far more code than before ({old} tokens became {new})")
    return None


def lines(rewrite: Rewrite) -> Objection | None:
    """A line stays one line, and the neighbours of a region are not repeated in it."""
    old, new = rewrite.old.split("\n"), rewrite.new.split("\n")
    if rewrite.area.kind == "line" and len(new) != len(old):
        return _refuse("lines", f"{len(old)} line{'s' * (len(old) > 1)} became {len(new)}; keep the number of lines")
    before = rewrite.before[: rewrite.area.cut.start].rstrip().rsplit("\n", 1)[-1].strip()
    after = rewrite.before[rewrite.area.cut.end :].strip().split("\n", 1)[0].strip()
    if len(new) > 1 and len(before) > 4 and new[0].strip() == before != old[0].strip():
        return _refuse("lines", f"the line before the code is repeated: {quoted(before)}")
    if len(new) > 1 and len(after) > 4 and new[-1].strip() == after != old[-1].strip():
        return _refuse("lines", f"the line after the code is repeated: {quoted(after)}")
    return None


GATES = (empty, chat_tokens, fences, elision, size, lines)
