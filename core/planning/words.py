"""Words of names, code and prose, brought to one form, so that `configFile`, `config_files` and "config files" meet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

_NAME = re.compile(r"[^\W\d_][\w$]*|\d{3,}")
_PART = re.compile(r"[^\W\d_a-z]+(?![a-z])|[^\W\d_a-z]?[a-z]+|[^\W\d_]+|\d{2,}")
# The same for text of ASCII only, where they take half the time.
_ASCII_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_$]*|[0-9]{3,}")
_ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Za-z]+|[0-9]{2,}")
_LONGEST = 40  # characters; longer ones are data
_COMMON = frozenset(
    """
    a an and are as at be been but by can do does for from has have if in into is it its more no not of on or our should
    so some than that the their them then there these they this to too up use used uses using was we when where which
    while will with you your
    """.split()
)
# Words that every commit subject may have and no file is about.
_WORK = frozenset(
    """
    add adds added fix fixes fixed make makes made change changes changed update updates updated refs ref closes see
    """.split()
)
_ENDINGS = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ations", "ate"),
    ("ation", "ate"),
    ("ities", "ity"),
    ("ators", "ate"),
    ("ator", "ate"),
    ("ments", "ment"),
    ("ings", ""),
    ("ing", ""),
    ("ions", ""),
    ("ion", ""),
    ("ies", "y"),
    ("ers", "er"),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ed", ""),
    ("ly", ""),
    ("s", ""),
)


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """A form that the inflections of an English word share; crude, but the same for requests and for code."""
    if len(word) <= 3 or not word.isascii():
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= 3:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                continue
            word = word[: -len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsze":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


@lru_cache(maxsize=200_000)
def of_name(name: str) -> tuple[str, ...]:
    """The stems of the parts of an identifier; for more than one part the whole name, too."""
    if name.islower() and name.isascii() and name.isalpha():
        return (stem(name),) if len(name) > 1 and name not in _COMMON else ()
    parts = [part.lower() for part in (_ASCII_PART if name.isascii() else _PART).findall(name)]
    words = [stem(part) for part in parts if len(part) > 1 and part not in _COMMON]
    if len(parts) > 1 and len(name) <= _LONGEST:
        words.append("".join(parts))
    return tuple(words)


def _names(text: str) -> list[str]:
    """Only the lines that have other letters need the slower way."""
    if text.isascii():
        return _ASCII_NAME.findall(text)
    lines = text.splitlines()
    other = "\n".join(line for line in lines if not line.isascii())
    return _ASCII_NAME.findall("\n".join(line for line in lines if line.isascii())) + _NAME.findall(other)


def of_text(text: str) -> Counter[str]:
    """How often each word is in a text."""
    found: dict[str, int] = {}
    for name, number in Counter(_names(text)).items():
        if len(name) <= _LONGEST:
            for word in of_name(name):
                found[word] = found.get(word, 0) + number
    return Counter(found)


def of_names(names: Iterable[str]) -> Counter[str]:
    return Counter(word for name in names for part in _NAME.findall(name) for word in of_name(part))


def of_request(request: str) -> Counter[str]:
    """The words of a request that can tell files apart, without those that every request has."""
    found = of_text(request)
    for word in _WORK:
        found.pop(stem(word), None)
    return found


def of_path(path: str) -> Counter[str]:
    return Counter(
        word for part in re.split(r"[/.\s-]+", path) for name in _NAME.findall(part) for word in of_name(name)
    )
