"""Unified diffs A -> B as git writes them, made by us from the two contents and never taken from a model."""

from __future__ import annotations

import re

from litecode.core.patching.hunks import CONTEXT, hunks_of

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
    body = "".join(hunk.text() for hunk in hunks_of(old or b"", new, context))
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
