"""Gates for what is called: `logger.info` is not `logger.name`, and not `job.info`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.places import places
from litecode.core.patching.gates.wording import is_name
from litecode.core.patching.match import AstMatcher
from litecode.core.patching.syntax import Token

Pair = tuple[str, str]  # owner and member: `a.b`
_DOTS = frozenset({".", "?.", "->", "::"})
_WRITTEN = re.compile(r"([^\W\d]\w*)\s*(?:\?\.|\.|->|::)\s*(?=([^\W\d]\w*))")


def members(rewrite: Rewrite) -> Objection | None:
    """A member that is new to its owner is one that the rule names, or at least no variable of the region."""
    if not rewrite.area.sites:
        return None
    all_ = places(rewrite)
    before = sorted((*all_.inside, *all_.outside), key=lambda t: t.cut)
    said = _in_text((rewrite.asked.vocabulary.signs,))
    old, asked = _pairs(before), said | _brought(rewrite)
    names = {t.text for t in before if is_name(t)}
    variables = names - {member.text for dot, member in pairwise(before) if dot.text in _DOTS}
    words = rewrite.asked.vocabulary.words
    owners = {owner for owner, _ in asked}
    known = set(re.findall(r"[^\W\d]\w*", f"{rewrite.before} {' '.join(rewrite.asked.ensure)}"))
    for owner, member in sorted(_pairs(all_.new) - old - asked):
        shown = quoted(f"{owner}.{member}")
        if member == owner or (member in variables and member not in words):
            return Objection("members", Grade.REFUSE, f"{shown} is nothing: {quoted(member)} is no member")
        if owner in owners and member in names and member not in words:
            return Objection("members", Grade.REFUSE, f"{shown} is not what is asked for")
        meant = sorted(o for o, m in said if m == member)
        if meant and owner in names and owner not in words:
            # Nothing of that name is there: it stands for what the region has, or is a global that only the model
            # knows.
            grade = Grade.REFUSE if known.intersection(meant) else Grade.DOUBT
            return Objection("members", grade, f"{shown} must be {quoted(f'{meant[0]}.{member}')}")
        if owner in names and any(m == member for _, m in old):
            return Objection("members", Grade.AGREE, f"{shown} has another owner than before")
    return None


def _pairs(found: Sequence[Token]) -> set[Pair]:
    """What stands on both sides of a dot."""
    return {
        (owner.text, member.text)
        for owner, dot, member in zip(found, found[1:], found[2:], strict=False)
        if dot.text in _DOTS and is_name(owner) and is_name(member)
    }


def _brought(rewrite: Rewrite) -> set[Pair]:
    """What the rule brings beside its instruction: ensured lines and the pattern."""
    asked = rewrite.asked
    return _in_text((*asked.ensure, *(asked.matcher.sources if isinstance(asked.matcher, AstMatcher) else ())))


def _in_text(texts: Iterable[str]) -> set[Pair]:
    return {(m[1], m[2]) for text in texts for m in _WRITTEN.finditer(text)}


GATES = (members,)
