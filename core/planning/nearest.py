"""What to say about a file that is not there: its new name, names like it, and where the named symbols are."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import Protocol

from litecode.core.errors import RequestError

_NEAREST = 3


class Names(Protocol):
    """The part of `mentions.Known` that is needed here."""

    @property
    def renamed(self) -> Mapping[str, str]: ...
    @property
    def defines(self) -> Callable[[str], tuple[str, ...]]: ...


def missing(text: str, path: str, known: Names, tracked: Collection[str], symbols: Sequence[str]) -> RequestError:
    """The error for `text`, which would be `path`."""
    new = _renamed(path, known.renamed, tracked)
    hints = [f"it was renamed: it is {new} now"] if new else []
    near = [other for other in nearest(path, tracked) if other != new]
    if near and not new:
        hints.append(f"did you mean {' or '.join(near)}?")
    for symbol in symbols[:_NEAREST]:
        homes = known.defines(symbol)
        if homes:
            hints.append(f"{symbol} is defined in {', '.join(homes[:_NEAREST])}")
    hints.append(f"to have a new file, say `create {text}`")
    return RequestError(f"there is no file {text}", "; ".join(hints))


def _renamed(path: str, renamed: Mapping[str, str], tracked: Collection[str]) -> str:
    """Today's name of a path, or of the only renamed file that has its name."""
    name = "/" + path
    olds = [path] if path in renamed else [old for old in renamed if ("/" + old).endswith(name)]
    news = set()
    for old in olds:
        seen = {old}
        new = renamed[old]
        while new not in tracked and new in renamed and new not in seen:
            seen.add(new)
            new = renamed[new]
        if new in tracked:
            news.add(new)
    return news.pop() if len(news) == 1 else ""


def nearest(path: str, tracked: Collection[str]) -> list[str]:
    """The tracked paths most like a missing one: same name elsewhere, same stem, similar spelling; best first."""
    name = posixpath.basename(path).lower()
    stem = posixpath.splitext(name)[0]
    by_name: dict[str, list[str]] = {}
    for other in tracked:
        by_name.setdefault(posixpath.basename(other).lower(), []).append(other)
    names = [n for n in by_name if posixpath.splitext(n)[0] == stem] + get_close_matches(name, by_name, 5, 0.6)
    near = {other for n in names for other in by_name[n]}
    if len(tracked) <= 2000:
        near.update(get_close_matches(path, tracked, _NEAREST, 0.75))

    def likeness(other: str) -> tuple[bool, float, str]:
        same = posixpath.basename(other).lower() == name
        return not same, -SequenceMatcher(None, path.lower(), other.lower()).ratio(), other

    return sorted(near, key=likeness)[:_NEAREST]
