"""Shell scripts under `set -u`: a test whether a variable is empty stops the script when the variable is not set."""

from __future__ import annotations

import re

_SET = re.compile(r"^\s*set\s+(?:-\w+\s+)*(?:-\w*u\w*|-o\s+nounset)\b|^#!.*\s-\w*u", re.MULTILINE)
_TEST = re.compile(r"(\[{1,2}\s+(?:!\s+)?-[nz]\s+)(\"?)\$(?:\{(\w+)\}|(\w+))(\"?)(?=\s)")


def with_defaults(code: str, before: str) -> str:
    """New code for a script `before`, in which `[ -z "$1" ]` is `[ -z "${1:-}" ]` where the script needs it; that means
    the same, and holds for a variable that is not set. Tests that the script had already stay as they are.
    """
    if not _SET.search(before):
        return code
    had = {match.group() for match in _TEST.finditer(before)}

    def guarded(match: re.Match[str]) -> str:
        if match.group() in had:
            return match.group()
        return f"{match[1]}{match[2]}${{{match[3] or match[4]}:-}}{match[5]}"

    return _TEST.sub(guarded, code)
