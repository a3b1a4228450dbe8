"""Gates for comments: none is lost, none is added, and a rule about comments changes nothing else."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.places import Places, places
from litecode.core.patching.syntax import tokens


def comments(rewrite: Rewrite) -> Objection | None:
    """Every comment is still there, unless the rule is about it; and no new one has come."""
    all_ = places(rewrite)
    old = [t for t in (*all_.inside, *all_.outside) if t.is_comment]
    touched = [t for t in (*all_.inside, *all_.outside) if any(t.cut.touches(s) for s in rewrite.area.sites)]
    if touched and all(t.is_comment for t in touched):
        return _only_comments(all_)
    have = Counter(_bare(t.text) for t in all_.new if t.is_comment)
    for token in old:
        if not have[_bare(token.text)]:
            return Objection("comments", Grade.REFUSE, f"the comment {quoted(token.text)} is lost; keep all comments")
        have[_bare(token.text)] -= 1
    moved = _moved(all_)
    if moved is not None:
        return Objection("comments", Grade.DOUBT, f"the comment {quoted(moved)} was moved")
    extra = next((c for c, n in have.items() if n > 0), None)
    if extra is not None and not rewrite.asked.vocabulary.about_comments:
        return Objection("comments", Grade.REFUSE, f"the comment {quoted(extra)} was added; add no comments")
    return None


def _moved(all_: Places) -> str | None:
    """A comment that stands behind code now that it stood before."""
    new = [t.text for t in all_.new]
    old = sorted((*all_.inside, *all_.outside), key=lambda t: t.cut)
    for comment, after in pairwise(old):
        if comment.is_comment and new.count(comment.text) == 1:
            rest = new[new.index(comment.text) + 1 :]
            if after.text not in rest and after.text in new:
                return comment.text
    return None


def lost_comment(before: str, after: str, language: str | None) -> str:
    """The objection to a text that has lost a comment, empty when it has lost none."""
    old, new = (Counter(_bare(t.text) for t in tokens(text, language) if t.is_comment) for text in (before, after))
    lost = next(iter(old - new), None)
    return "" if lost is None else f"the comment {quoted(lost)} would be lost"


def _only_comments(all_: Places) -> Objection | None:
    """A rule about a comment changes nothing but comments, and leaves a comment where one was."""
    old = [t.text for t in sorted((*all_.inside, *all_.outside), key=lambda t: t.cut) if not t.is_comment]
    new = [t.text for t in all_.new if not t.is_comment]
    if old != new:
        lost = next((o for o, n in zip(old, (*new, None), strict=False) if o != n), new[-1] if new else "")
        return Objection("comments", Grade.REFUSE, f"only the comment may change, but {quoted(lost)} did")
    if not any(t.is_comment for t in all_.new):
        return Objection("comments", Grade.REFUSE, "the comment is gone")
    return None


def _bare(comment: str) -> str:
    return " ".join(comment.split())


GATES = (comments,)
