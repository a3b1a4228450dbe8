"""Which tokens of a rewrite the rule is about, and which only stand around them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Rewrite
from litecode.core.patching.syntax import Node, Token, has_grammar, parse, tokens

_CLOSERS = frozenset({")", "]", "}"})


@dataclass(frozen=True, slots=True)
class Places:
    """The tokens of a region, before and after. `inside` are those of the sites, `added` and `kept` split the new ones:
    kept tokens stand for old ones outside of the sites. `beside` are the runs of added ones that stand where no site
    was, `far` those of them that do not even touch the node around a site. `broken` is an old token outside of the
    sites that is not there any more, if any.
    """

    inside: tuple[Token, ...]
    outside: tuple[Token, ...]
    kept: tuple[Token, ...]
    added: tuple[Token, ...]
    beside: tuple[tuple[Token, ...], ...]
    far: tuple[Token, ...]
    broken: Token | None

    @property
    def new(self) -> tuple[Token, ...]:
        return tuple(sorted((*self.kept, *self.added), key=lambda t: t.cut))


def within(text: str, language: str | None, cut: Cut) -> tuple[Token, ...]:
    """The tokens of a part of a text, read in the context of the whole."""
    return tuple(t for t in tokens(text, language) if cut.covers(t.cut))


@lru_cache(maxsize=64)
def places(rewrite: Rewrite) -> Places:
    """First the sites as they were matched; when tokens around them have changed, the smallest nodes that hold the
    matches.
    """
    old = within(rewrite.before, rewrite.language, rewrite.area.cut)
    new = within(rewrite.after, rewrite.language, rewrite.new_cut)
    grown = tuple(_grown(rewrite, site) for site in rewrite.area.sites)
    tight = _split(old, new, rewrite.area.sites, grown)
    if tight.broken is None:
        signed = tuple(_with_sign(rewrite, site) for site in rewrite.area.sites) if tight.far else rewrite.area.sites
        wide = tight if signed == rewrite.area.sites else _split(old, new, signed, signed)
        return tight if wide.far or wide.broken is not None else wide
    return tight if grown == rewrite.area.sites else _split(old, new, grown, grown)


def _grown(rewrite: Rewrite, site: Cut) -> Cut:
    """The smallest node around a match, within the region."""
    if rewrite.language is None or not has_grammar(rewrite.language):
        return rewrite.area.cut
    node = _smallest(rewrite, site, rewrite.language)
    return Cut(max(node.cut.start, rewrite.area.cut.start), min(node.cut.end, rewrite.area.cut.end))


def _smallest(rewrite: Rewrite, site: Cut, language: str) -> Node:
    node = parse(rewrite.before, language)
    while (inner := next((c for c in node.children() if c.cut.covers(site)), None)) is not None:
        node = inner
    return node


def _with_sign(rewrite: Rewrite, site: Cut) -> Cut:
    """A site with the `not` or `!` before it, which may move into what it becomes: `not a.has(b)` to `b not in a`."""
    if rewrite.language is None or not has_grammar(rewrite.language):
        return site
    node: Node | None = _smallest(rewrite, site, rewrite.language)
    while node is not None and node.cut == site:
        node = node.parent()
    negated = node is not None and [c.text for c in node.children() if not c.named] in (["not"], ["!"])
    return node.cut if node is not None and negated and rewrite.area.cut.covers(node.cut) else site


def _split(old: tuple[Token, ...], new: tuple[Token, ...], sites: tuple[Cut, ...], grown: tuple[Cut, ...]) -> Places:
    inside = tuple(t for t in old if any(site.touches(t.cut) for site in sites))
    outside = tuple(t for t in old if t not in inside)
    pairs, broken = _follow(old, outside, new)
    kept = tuple(after for _, after in pairs)
    added = tuple(t for t in new if t not in kept)
    runs = _beside(inside, pairs, added)
    far = tuple(t for left, right, run in runs if not _near(left, right, old, grown) for t in run)
    return Places(inside, outside, kept, added, tuple(run for _, _, run in runs), far, broken)


def _near(left: Token, right: Token, old: tuple[Token, ...], grown: tuple[Cut, ...]) -> bool:
    """Whether the gap between two old tokens is in a grown site or at its edge."""
    for cut in grown:
        first = max((t.cut.start for t in old if t.cut.end <= cut.start), default=-1)
        last = min((t.cut.end for t in old if t.cut.start >= cut.end), default=sys.maxsize)
        if left.cut.start >= first and right.cut.end <= last:
            return True
    return not grown


Run = tuple[Token, Token, tuple[Token, ...]]


def _beside(inside: tuple[Token, ...], pairs: list[Pair], added: tuple[Token, ...]) -> list[Run]:
    """The runs of added tokens between two kept ones that had no site between them, each with its old neighbours."""
    found: list[Run] = []
    ends = (Token("", "", Cut(-1, -1)), Token("", "", Cut(sys.maxsize, sys.maxsize)))
    for (left, new_left), (right, new_right) in pairwise([(ends[0], ends[0]), *pairs, (ends[1], ends[1])]):
        if not any(left.cut.end <= t.cut.start < right.cut.start for t in inside):
            run = tuple(t for t in added if new_left.cut.end <= t.cut.start < new_right.cut.start)
            if run:
                found.append((left, right, run))
    return found


Pair = tuple[Token, Token]


def _follow(
    old: tuple[Token, ...], outside: tuple[Token, ...], new: tuple[Token, ...]
) -> tuple[list[Pair], Token | None]:
    """The old tokens outside of the sites, each with the new one that stands for it, and the first that has none."""
    matcher = SequenceMatcher(None, [t.text for t in old], [t.text for t in new], autojunk=False)
    partner = {b.a + i: b.b + i for b in matcher.get_matching_blocks() for i in range(b.size)}
    wanted = set(outside)
    missing = [t for i, t in enumerate(old) if t in wanted and i not in partner and not _optional(old, i)]
    if not missing:
        return [(t, new[partner[i]]) for i, t in enumerate(old) if t in wanted and i in partner], None
    # The longest blocks are not always the right ones; what counts is whether the tokens are there in their order.
    pairs: list[Pair] = []
    rest = iter(new)
    for token in outside:
        found = next((t for t in rest if t.text == token.text), None)
        if found is None:
            return pairs, missing[0]
        pairs.append((token, found))
    return pairs, None


def _optional(old: tuple[Token, ...], index: int) -> bool:
    """A trailing comma or a semicolon at the end of the region says nothing."""
    token = old[index]
    following = old[index + 1].text if index + 1 < len(old) else ""
    return (token.text == "," and following in _CLOSERS) or (token.text == ";" and not following)
