"""Globs in requests, with git's meaning: `*` stays in its folder, `**` does not, without a slash the name counts."""

from __future__ import annotations

import re
from collections.abc import Callable

from litecode.core.planning import naming

_SHAPE = re.compile(r"[\w.@+*?{},/\[\]-]*\*[\w.@+*?{},/\[\]-]*")


def is_glob(text: str) -> bool:
    """`src/*.py` and `test_*.py` are, `*args`, `**kwargs`, `a*b` and `/*` are not."""
    if not _SHAPE.fullmatch(text) or text.startswith("/"):
        return False
    last = text.rpartition("/")[2]
    if "/" in text:
        return bool(re.search(r"\w", text)) and (last in ("*", "**") or "." in last)
    return (
        bool(re.fullmatch(r"[\w.@+-]*\*[\w.@+*-]*\.[\w*{},]+", text))
        and bool(naming.ending("x." + text.rpartition(".")[2]) or "{" in text or text.endswith(".*"))
        and not re.fullmatch(r"\w+\.\*", text)
    )


def compiled(glob: str, prefix: str = "") -> Callable[[str], bool]:
    """Whether a path matches; globs with a slash are tried from `prefix` and from the top."""
    parts = []
    at = 0
    depth = 0
    while at < len(glob):
        sign = glob[at]
        if glob.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
            continue
        if glob.startswith("**", at):
            parts.append(".*")
            at += 2
            continue
        if sign == "*":
            parts.append("[^/]*")
        elif sign == "?":
            parts.append("[^/]")
        elif sign == "{" and "}" in glob[at:]:
            depth += 1
            parts.append("(?:")
        elif sign == "}" and depth:
            depth -= 1
            parts.append(")")
        elif sign == "," and depth:
            parts.append("|")
        else:
            parts.append(re.escape(sign))
        at += 1
    body = "".join(parts).removeprefix(re.escape("./"))
    start = "" if "/" in glob else "(?:.*/)?"
    regex = re.compile(f"(?:{re.escape(prefix)})?{start}{body}" if prefix else f"{start}{body}")
    return lambda path: regex.fullmatch(path) is not None
