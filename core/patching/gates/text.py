"""Gates that need no grammar: what small models do to text."""

from __future__ import annotations

import re
from collections import Counter

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.syntax import has_grammar, tokens

_CHAT = re.compile(
    r"<[|\uff5c][^|\uff5c>\n]{1,40}[|\uff5c]>|</?(?:think(?:ing)?|tool_call|s)>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
)
# Characters that nobody sees: control and direction marks, blanks that are no blanks, broken text.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff"
    r"\ufff9-\ufffd]"
)
_LEFT_OUT = re.compile(
    r"\.\.\.|…"
    r"|\b(?:rest of|remaining|existing|unchanged|same as (?:before|above)|previous) .{0,20}"
    r"\b(?:code|function|method|file|class|lines?|implementation|here)\b"
    r"|^\W*(?:your|other|more) .{0,20}\bcode\b",
    re.IGNORECASE,
)
_DOTS_ALONE = re.compile(r"\s*(?:\.\.\.|…)\s*(?:\([\w ,'-]*\)|[\w ,'-]+ (?:\.\.\.|…))?\s*")
_COMMENT_LINE = re.compile(r"\s*(?:#|//|/\*|--|<!--|;|%|\*)")


def _refuse(gate: str, text: str) -> Objection:
    return Objection(gate, Grade.REFUSE, text)


def empty(rewrite: Rewrite) -> Objection | None:
    if not rewrite.new.strip():
        return _refuse("empty", "the code is empty")
    return None


def chat_tokens(rewrite: Rewrite) -> Objection | None:
    """Marks of a chat template and unseen characters that the region did not have."""
    for pattern in (_CHAT, _UNSEEN):
        more = Counter(pattern.findall(rewrite.new)) - Counter(pattern.findall(rewrite.old))
        for found in more:
            return _refuse("chat-tokens", f"the code has {found!a} in it")
    return None


def fences(rewrite: Rewrite) -> Objection | None:
    for fence in ("```", "~~~"):
        if rewrite.new.count(fence) > rewrite.old.count(fence):
            return _refuse("fences", "the code has a Markdown fence in it")
    return None


def elision(rewrite: Rewrite) -> Objection | None:
    """`... rest of the code ...` in a comment or on a line of its own, where there was none."""
    old = {" ".join(line.split()) for line in rewrite.old.split("\n")}
    for line in rewrite.new.split("\n"):
        if _DOTS_ALONE.fullmatch(line) and " ".join(line.split()) not in old and "..." not in _signs(rewrite):
            return _refuse("elision", f"code is left out: {quoted(line)}; write all of it")
    had = [c for c in _comments(rewrite.before, rewrite.language, rewrite.area.cut) if _LEFT_OUT.search(c)]
    has = [c for c in _comments(rewrite.after, rewrite.language, rewrite.new_cut) if _LEFT_OUT.search(c)]
    if len(has) > len(had):
        comment = next((c for c in has if c not in had), has[-1])
        return _refuse("elision", f"code is left out: {quoted(comment)}; write all of it")
    return None


def _signs(rewrite: Rewrite) -> list[str]:
    return rewrite.asked.vocabulary.signs.split()


def _comments(text: str, language: str | None, cut: Cut) -> list[str]:
    """The comments in a part of a text; without a grammar the lines that begin like one."""
    if has_grammar(language):
        return [" ".join(t.text.split()) for t in tokens(text, language) if t.is_comment and cut.covers(t.cut)]
    return [" ".join(line.split()) for line in cut.of(text).split("\n") if _COMMENT_LINE.match(line)]


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
