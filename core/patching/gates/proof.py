"""The proof: after the rewrite the rule has nothing left to say about the region."""

from __future__ import annotations

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite
from litecode.core.patching.match import Matcher


def _within(matcher: Matcher, rewrite: Rewrite) -> list[Cut]:
    return [m.cut for m in matcher.find(rewrite.after) if rewrite.new_cut.touches(m.cut)]


def proof(rewrite: Rewrite) -> Objection | None:
    """`reject` is gone and `expect` is there, where the rule has them; else no match is left in the region."""
    asked = rewrite.asked
    if asked.reject is not None and _within(asked.reject, rewrite):
        return Objection("proof", Grade.REFUSE, "what the rule rejects is still there")
    if asked.expect is not None and not _within(asked.expect, rewrite):
        return Objection("proof", Grade.REFUSE, "what the rule expects is not there")
    if asked.reject is not None:
        return None
    if asked.expect is not None:
        return _rest(rewrite, asked.expect) if asked.certain and asked.matcher is not None else None
    if asked.matcher is None:
        return Objection("proof", Grade.DOUBT, "the rule has no pattern, so nothing shows that it applies")
    if not asked.certain:
        return Objection(
            "proof", Grade.DOUBT, "a match of the rule is only a candidate, and it has no reject: or expect:"
        )
    if _within(asked.matcher, rewrite):
        return Objection("proof", Grade.REFUSE, "the code still breaks the rule")
    return None


def _rest(rewrite: Rewrite, expect: Matcher) -> Objection | None:
    """Where every match is a violation, what is expected must be at each that is left."""
    expected = _within(expect, rewrite)
    left = _within(rewrite.asked.matcher, rewrite) if rewrite.asked.matcher is not None else []
    if all(any(cut.touches(e) for e in expected) for cut in left):
        return None
    return Objection("proof", Grade.REFUSE, "the code still breaks the rule in one place")


GATES = (proof,)
