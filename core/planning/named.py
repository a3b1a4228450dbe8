"""The names of code in a request: `Cart.total`, `fetch_rows()`, LedgerError."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAME = re.compile(r"(?<![\w/@.-])(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)(?P<call>\()?(?![\w@/])")
_SHAPED = re.compile(r"_|[a-z][A-Z]|[.:#]|^[A-Z]{2,}|\$")


def symbols_of(request: str, defines: Callable[[str], tuple[str, ...]], *, loose: bool = False) -> tuple[str, ...]:
    """Names of the request that some file defines, in its order. A plain word counts when it is called, quoted, or has
    a capital inside of a sentence; with `loose` every word counts that stands where a name would.
    """
    found: dict[str, None] = {}
    for match in _NAME.finditer(request):
        name = re.sub(r"::|#|->", ".", match.group("name"))
        if loose or _is_code(match, request):
            known = _known(name, defines)
            if known:
                found.setdefault(known)
    return tuple(found)


def _is_code(match: re.Match[str], request: str) -> bool:
    name = match.group("name")
    if match.group("call") == "(" or _SHAPED.search(name):
        return True
    start, end = match.span("name")
    if start and end < len(request) and request[start - 1] in "`'\"" and request[end] in "`'\"(":
        return True
    return name[0].isupper() and len(name) > 2


def _known(name: str, defines: Callable[[str], tuple[str, ...]]) -> str:
    """The longest part of a dotted name that is defined: the whole, what follows the module, or the class."""
    if defines(name):
        return name
    parts = name.split(".")
    for start in range(1, len(parts)):
        tail = ".".join(parts[start:])
        homes = defines(tail)
        head = parts[start - 1]
        if homes and any(re.search(rf"(?:^|/){re.escape(head)}(?:\.\w+$|/)", home) for home in homes):
            return tail
    for end in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:end])
        if (parts[end - 1][0].isupper() or end > 1) and defines(head):
            return head
    return ""
