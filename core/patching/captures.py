"""What the meta-variables of a pattern hold in a match, those without a name too."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from litecode.core.patching import patterns
from litecode.core.patching.match import AstMatch, AstMatcher
from litecode.core.patching.syntax import Node
from litecode.core.patching.template import META

_ANONYMOUS = re.compile(r"(\$\$\$|\$)(?:_[A-Z0-9_]*|(?<=\$\$\$))(?![A-Z0-9_])")


class Lined(NamedTuple):
    """The pattern that a match was found by, every meta-variable with a name, and the node as that pattern sees it."""

    pattern: str
    node: Node


def lined_up(match: AstMatch, matcher: AstMatcher) -> Lined | None:
    """None for a rule object without a plain pattern."""
    for source in matcher.sources:
        pattern, search = _named(source, matcher.language)
        for node in match.node.find_all({"pattern": search}, {}):
            if node.cut == match.cut:
                return Lined(pattern, node)
    return None


@lru_cache(maxsize=256)
def _named(pattern: str, language: str) -> tuple[str, object]:
    """The pattern with names for `$$$` and `$_`, and what to search for it."""
    count = iter(range(1000))
    named = _ANONYMOUS.sub(lambda m: f"{m[1]}LITECODE{next(count)}", pattern)
    return named, patterns.in_context({"pattern": named}, language)["pattern"]


def held(match: AstMatch, matcher: AstMatcher) -> list[Node]:
    """The nodes that the meta-variables of a match hold, in the order of the text."""
    lined = lined_up(match, matcher)
    if lined is None:
        return []
    names = {m["many"] or m["one"] for m in META.finditer(lined.pattern)}
    found = {node.cut: node for name in names if name for node in lined.node.captured_nodes(name) if node.named}
    return [found[cut] for cut in sorted(found)]
