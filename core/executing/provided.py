"""What other files of a plan, and the class around, give to a task: functions that its words tell it to use, and names
that a reply gets nearly right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litecode.core.filemap.outline import outline
from litecode.core.patching.document import Document
from litecode.core.patching.gates.base import Grade, Objection, quoted
from litecode.core.patching.gates.selves import strange
from litecode.core.patching.syntax import tokens

QUOTED = re.compile(r"`([A-Za-z_$][\w$]*)`")
_CALL = re.compile(r"[A-Za-z_$][\w$]*\s*\(.*\)")


@dataclass(frozen=True, slots=True)
class Provided:
    """A definition of another file; `head` is how it is called, `owner` the class that it is a method of."""

    name: str
    head: str
    path: str
    owner: str = ""

    def __str__(self) -> str:
        if self.owner:
            return f"`{self.head}` is a method of {self.owner} now: use it."
        return f"`{self.head}` is in {self.path} and is imported already: use it."


def provided(words: str, own: str, others: Mapping[str, Document]) -> tuple[Provided, ...]:
    """The quoted names of a task that another file defines, and `own`, the text of its file, does not."""
    found = []
    for name in dict.fromkeys(QUOTED.findall(words)):
        if re.search(rf"\b(?:def|class|function|const|let|var)\s+{re.escape(name)}\b", own):
            continue
        for path, document in others.items():
            symbols = [s for s in outline(document.text, path).symbols if f".{s.name}".endswith(f".{name}")]
            if len(symbols) == 1:
                called = _CALL.search(symbols[0].signature)
                head = re.sub(r"\((?:self|cls)(?:,\s*)?", "(", called.group()) if called else name
                found.append(Provided(name, head, path, symbols[0].name.rpartition(".")[0]))
                break
    return tuple(found)


def without_owner(code: str, before: str, names: Sequence[str]) -> str:
    """A reply that takes a function of another file for a method gets it as what it is."""
    for name in names:
        member = re.compile(rf"\b(?:self|cls|this)\s*\.\s*(?={re.escape(name)}\b)")
        if not member.search(before):
            code = member.sub("", code)
    return code


def with_members(code: str, before: str, after: str) -> str:
    """Python in which `self._hits` is `self.hits` where the class has only that; `after` is the whole text with it."""
    for _, name, members in strange(before, after):
        near = [m for m in members if m.strip("_").casefold() == name.strip("_").casefold()]
        if len(near) == 1:
            code = re.sub(rf"\bself\.{re.escape(name)}\b", f"self.{near[0]}", code)
    return code


def unused(text: str, language: str | None, provided: Sequence[Provided]) -> Objection | None:
    """What the task was told to use is in the new text of its file."""
    words = {token.text for token in tokens(text, language) if not token.is_comment}
    missing = next((p for p in provided if p.name not in words), None)
    if missing is None:
        return None
    return Objection("provided", Grade.REFUSE, f"use {quoted(missing.head)} of {missing.path}")
