"""How large a regular expression becomes when it is compiled.

The `regex` library writes out what must be repeated: `(?:a){1000000000}` takes gigabytes before anything is searched,
and a rules file comes from a repository.
"""

from __future__ import annotations

import re

LIMIT = 20_000
"""Of parts after writing out; such a one takes some tens of milliseconds and a few megabytes."""

_PART = re.compile(
    r"""
    \\[pPN]\{[^}]*\}            # a property or a named character
    | \\.
    | \[\^?\]?(?:\\.|[^\]\\])*\]?  # a set
    | \{\s*(?P<least>\d*)\s*(?:,\s*\d*\s*)?\}
    | (?P<open>\()
    | (?P<close>\))
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def compiled_size(pattern: str) -> int:
    """How many parts the pattern has, each as often as it must match at least. Counts too much rather than too little:
    a group that is repeated is counted with everything in it.
    """
    done = [0]  # the size of each open group, without its last part
    last = [0]
    for part in _PART.finditer(pattern):
        if part["open"]:
            done.append(0)
            last.append(0)
        elif part["close"] and len(done) > 1:
            group = done.pop() + last.pop() + 1
            done[-1] += last[-1]
            last[-1] = group
        elif part["least"] is not None:
            last[-1] *= max(1, int(part["least"][:12] or 1))
        else:
            done[-1] += last[-1]
            last[-1] = 1
    return sum(done) + sum(last)
