"""Unified diffs A -> B as git writes them, made by us from the two contents and never taken from a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT = 3
_Op = tuple[str, int, int, int, int]  # as difflib's opcodes
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


def _groups(old: list[str], new: list[str], context: int) -> Iterator[list[_Op]]:
    """The operations in groups that make a hunk, each with its lines of context."""
    group: list[_Op] = []
    ops = _ops(old, new)
    for number, (tag, i1, i2, j1, j2) in enumerate(ops):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        after = min(context, i2 - i1) if number else 0
        before = min(context, i2 - i1) if number + 1 < len(ops) else 0
        if number and before and i2 - i1 <= 2 * context:
            group.append((tag, i1, i2, j1, j2))
            continue
        if number:
            yield [*group, (tag, i1, i1 + after, j1, j1 + after)]
        group = [(tag, i2 - before, i2, j2 - before, j2)]
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _ops(old: list[str], new: list[str]) -> list[_Op]:
    """What difflib makes of the two, less what they have in common at their ends: that is most of it."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = SequenceMatcher(None, a, b, autojunk=len(a) > 2000)
    middle: list[_Op] = [(t, i1 + head, i2 + head, j1 + head, j2 + head) for t, i1, i2, j1, j2 in matcher.get_opcodes()]
    end: _Op = ("equal", len(old) - tail, len(old), len(new) - tail, len(new))
    return [*([("equal", 0, head, 0, head)] if head else []), *middle, *([end] if tail else [])]


def _range(start: int, stop: int) -> str:
    count = stop - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _row(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
