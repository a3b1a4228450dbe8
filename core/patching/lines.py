"""Where the lines of a changed text come from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from litecode.core.patching.hunks import operations


def origins(old: str, new: str) -> Callable[[int], int]:
    """From line numbers of `new` to those of `old`, both 1-based. A line that is in the place of others comes from
    one of them, a line that was put in from the one that it was put in front of.
    """
    if old == new:
        return lambda line: line
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found = [op for op in operations(before, after) if op[4] > op[3]]
    starts = [first for _, _, _, first, _ in found]

    def origin(line: int) -> int:
        at = bisect_right(starts, line - 1) - 1
        if at < 0:
            return 1
        _, first, end, start, _ = found[at]
        return max(1, min(first + line - 1 - start, max(first, end - 1), max(len(before) - 1, 0)) + 1)

    return origin
