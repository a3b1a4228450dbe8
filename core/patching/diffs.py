"""Unified diffs A -> B as git writes them, made by us from the two contents and never taken from a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT = 3
_PLAIN = re.compile(r"[^\x00-\x20\"\\\x7f-\uffff\U00010000-\U0010ffff]+")
_ESCAPES = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def unified(path: str, mode: str, old: bytes | None, new: bytes, context: int = CONTEXT) -> str:
    """The patch that `git apply` takes; empty when nothing differs. `old` None is a new file. Bytes that are no UTF-8
    are kept as surrogates, so `encode("utf-8", "surrogateescape")` gives the exact patch.
    """
    if old == new:
        return ""
    a, b = _name("a/", path), _name("b/", path)
    head = [f"diff --git {a} {b}\n"]
    if old is None:
        head.append(f"new file mode {mode}\n")
    body = "".join(_hunks(_lines(old or b""), _lines(new), context))
    if body:
        head += [f"--- {'/dev/null' if old is None else a}{_tab(a)}\n", f"+++ {b}{_tab(b)}\n"]
    return "".join(head) + body


def _name(prefix: str, path: str) -> str:
    """As git quotes names: plain where it can be, else with C escapes and octal bytes."""
    if _PLAIN.fullmatch(path.replace(" ", "")):
        return prefix + path
    out = []
    for char in path:
        if char in _ESCAPES:
            out.append("\\" + _ESCAPES[char])
        elif " " <= char < "\x7f":
            out.append(char)
        else:
            out += [f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape")]
    return f'"{prefix}{"".join(out)}"'


def _tab(name: str) -> str:
    """git ends a name that has blanks with a tab, so that nobody reads a date out of it."""
    return "\t" if " " in name else ""


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape")
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _hunks(old: list[str], new: list[str], context: int) -> Iterator[str]:
    for group in _groups(old, new, context):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_row(" ", line) for line in old[i1:i2])
            else:
                yield from (_row("-", line) for line in old[i1:i2])
                yield from (_row("+", line) for line in new[j1:j2])


def _groups(old: list[str], new: list[str], context: int) -> Iterator[list[tuple[str, int, int, int, int]]]:
    """Like difflib's grouped opcodes, but without looking at what both have in common at their ends: that is most of
    it.
    """
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    start = max(0, head - context)
    keep = max(0, tail - context)
    a, b = old[start : len(old) - keep], new[start : len(new) - keep]
    matcher = SequenceMatcher(None, a, b, autojunk=len(a) > 2000)
    for group in matcher.get_grouped_opcodes(context):
        yield [(tag, i1 + start, i2 + start, j1 + start, j2 + start) for tag, i1, i2, j1, j2 in group]


def _range(start: int, stop: int) -> str:
    count = stop - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _row(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
