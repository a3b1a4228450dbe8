"""Shell scripts: everything is a word there, so that words are followed instead of names and values."""

from __future__ import annotations

import re
from collections import Counter

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.places import within
from litecode.core.patching.syntax import parse

_FOLLOWED = ("command_name", "variable_name", "special_variable_name")


def commands(rewrite: Rewrite) -> Objection | None:
    """The same commands and variables in the same order, and every word as often, but for words of the pattern
    that the instruction names too."""
    if rewrite.language != "bash" or not rewrite.area.sites:
        return None
    asked = rewrite.asked
    gone = asked.matcher.words & asked.vocabulary.words if asked.matcher else frozenset[str]()
    for kind in _FOLLOWED:
        wanted = [text for text in _nodes(rewrite.before, rewrite.area.cut, kind) if text not in gone]
        rest = iter(_nodes(rewrite.after, rewrite.new_cut, kind))
        lost = next((text for text in wanted if text not in rest), None)
        if lost is not None:
            return Objection("shell", Grade.REFUSE, f"{quoted(lost)} was changed, moved or lost")
    old, new = (
        Counter(word for t in within(text, "bash", cut) if not t.is_comment for word in re.findall(r"\w{2,}", t.text))
        for text, cut in ((rewrite.before, rewrite.area.cut), (rewrite.after, rewrite.new_cut))
    )
    missing = next((word for word in old - new if word not in gone), None)
    return None if missing is None else Objection("shell", Grade.REFUSE, f"{quoted(missing)} is lost")


def _nodes(text: str, cut: Cut, kind: str) -> list[str]:
    return [node.text for node in parse(text, "bash").walk() if node.kind == kind and cut.covers(node.cut)]


GATES = (commands,)
