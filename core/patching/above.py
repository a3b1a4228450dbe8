"""The comments that belong to a definition because they stand right above it."""

from __future__ import annotations

from litecode.core.patching.syntax import tokens


def with_comments(text: str, start: int, language: str) -> int:
    """The line start of the first comment of those that stand above the line that begins at `start`, each on lines of
    its own and without a blank line between; `start` itself when there is none.
    """
    for token in reversed([t for t in tokens(text, language) if t.is_comment and t.cut.end <= start]):
        line = text.rfind("\n", 0, token.cut.start) + 1
        between = text[token.cut.end : start]
        if between.strip() or between.count("\n") > 1 or text[line : token.cut.start].strip():
            break
        start = line
    return start
