"""Gates for numbers and texts: what a rewrite says is what the region said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.places import places
from litecode.core.patching.gates.wording import is_name, is_number, may_go
from litecode.core.patching.match import RegexMatcher
from litecode.core.patching.syntax import Token

_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[-#0 +]*[\d.*]*[sdrifFeEgGxXoc%]|\{[^{}]*\}|\$\{|\?|\$\d|:\w+\b")

_FLAGS = r"%(?:\[\d+\])?[-+# 0']*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?"
_C = re.compile(_FLAGS + r"(?P<verb>(?:hh?|ll?|[jztL])?[diouxXeEfFgGaAcspn])")
FORMATS = {
    "go": re.compile(_FLAGS + r"(?P<verb>[vTtbcdoOqxXUeEfFgGspw])"),
    "c": _C,
    "cpp": _C,
    "php": re.compile(_FLAGS + r"(?P<verb>[bcdeEfFgGosuxX])"),
    "lua": re.compile(_FLAGS + r"(?P<verb>[aAcdeEfgGioqsuxX])"),
    "bash": re.compile(_FLAGS + r"(?P<verb>[bqdiouxXfeEgGcs])"),
}
"""How a text says which kind of value comes in a place, in languages where a wrong kind is an error."""


def numbers(rewrite: Rewrite) -> Objection | None:
    all_ = places(rewrite)
    old = Counter(t.text for t in all_.inside if is_number(t))
    new = Counter(t.text for t in all_.added if is_number(t))
    asked = set(re.findall(r"\d[\w.]*", rewrite.asked.vocabulary.signs)) | rewrite.asked.vocabulary.code
    asked |= rewrite.asked.vocabulary.numbers | (rewrite.asked.matcher.words if rewrite.asked.matcher else frozenset())
    for number in old:
        if old[number] > new[number] and number not in asked:
            return Objection("numbers", Grade.REFUSE, f"the number {number} was changed or lost")
    for number in new:
        if new[number] > old[number] and number not in asked:
            return Objection("numbers", Grade.AGREE, f"the number {number} is the model's own choice")
    return None


def _texts(found: Iterable[Token]) -> str:
    return " ".join(t.text for t in found if t.is_string)


def _words(text: str) -> list[str]:
    """The words of string literals, without placeholders."""
    return re.findall(r"[^\W\d_]{2,}", _PLACEHOLDER.sub(" ", text))


def _may_go(rewrite: Rewrite) -> Callable[[str], bool]:
    """Whether a word may go; how it is written counts unless the regex of the rule says that it does not."""
    gone, matcher = may_go(rewrite), rewrite.asked.matcher
    if isinstance(matcher, RegexMatcher) and re.search(r"\(\?[a-zA-Z]*i", matcher.pattern):
        folded = {word.casefold() for word in gone}
        return lambda word: word.casefold() in folded
    return gone.__contains__


def strings(rewrite: Rewrite) -> Objection | None:
    """The words of string literals stay, in their order; signs in them too (quotes and placeholders aside)."""
    all_ = places(rewrite)
    old_text, new_text = _texts(all_.inside), _texts(all_.added)
    gone = _may_go(rewrite)
    written = [rewrite.spelt(word) for word in _words(new_text)]
    names = _names_from_keys(all_.added)
    for literal in (t.text for t in all_.inside if t.is_string and t.text.strip("'\"`") not in names):
        lost = _first_lost([rewrite.spelt(w) for w in _words(literal) if not gone(w)], written)
        if lost:
            return Objection("strings", Grade.REFUSE, f"the text {quoted(lost)} was changed or lost from a string")
    signs = _signs(old_text) - _signs(new_text)
    for sign in signs:
        if sign not in rewrite.asked.vocabulary.signs:
            return Objection("strings", Grade.REFUSE, f"{quoted(sign)} is lost from a string")
    before = " ".join(t.text for t in (*all_.inside, *all_.outside))
    old = {*re.findall(r"[^\W\d_]+", before), *re.findall(r"\w+", before)}
    vocabulary = rewrite.asked.vocabulary
    for word in _words(new_text):
        if word not in old and word not in vocabulary.words and word not in vocabulary.code:
            return Objection("strings", Grade.AGREE, f"the text {quoted(word)} is the model's own")
    return None


def _names_from_keys(added: Sequence[Token]) -> frozenset[str]:
    """Identifiers that name a keyword or an attribute, where a text may have been the key: `d["a"]`, `d.a`."""
    runs = list(pairwise(added))
    keywords = {t.text for t, after in runs if after.text in ("=", ":") and is_name(t)}
    return frozenset(keywords | {t.text for before, t in runs if before.text == "."})


def formats(rewrite: Rewrite) -> Objection | None:
    """How a value is written into a text (`%r`, `!r`, `%.2f`, `:>8`) survives a change of the way it gets there."""
    old, new = (_formats(text) for text in (rewrite.old, rewrite.new))
    for kind in old - new:
        if kind not in rewrite.asked.vocabulary.signs:
            return Objection("formats", Grade.REFUSE, f"the format {quoted(kind)} of a value is lost")
    own = FORMATS.get(rewrite.language or "")
    return None if own is None else _verbs(rewrite, own)


def _verbs(rewrite: Rewrite, own: re.Pattern[str]) -> Objection | None:
    """A placeholder becomes one for another kind of value only where the rule has that one."""
    all_ = places(rewrite)
    old, new = (Counter(m["verb"] for m in own.finditer(_texts(found))) for found in (all_.inside, all_.added))
    asked = {m["verb"] for m in own.finditer(rewrite.asked.vocabulary.signs)}
    if old - new:
        for verb in new - old:
            if verb not in asked:
                return Objection("formats", Grade.REFUSE, f"the format {quoted('%' + verb)} is not asked for")
    return None


def _formats(text: str) -> Counter[str]:
    """`%r` for each repr, and the width and precision of each placeholder that has one."""
    found = Counter("%r" for _ in re.finditer(r"%[-#0 +]*r|!r\b", text))
    found.update(m[1] for m in re.finditer(r"%[-#0 +]*(\d*\.?\d+)[a-zA-Z]", text))
    found.update(m[1] for m in re.finditer(r"\{[^{}:]*:(?:.?[<>=^])?[-+ #0]*(\d*\.?\d+)[a-zA-Z]?\}", text))
    return found


def _first_lost(words: Sequence[str], written: Sequence[str]) -> str:
    """The first word that is not in the new text in its place behind the one before it; empty when all are there."""
    at = 0
    for word in words:
        if word not in written[at:]:
            return word
        at = written.index(word, at) + 1
    return ""


def _signs(text: str) -> Counter[str]:
    """Punctuation of string literals; quotes, backslashes of continued lines and placeholders do not count."""
    return Counter(re.findall(r"[^\w\s'\"`%{}$?]", _PLACEHOLDER.sub(" ", text)))


GATES = (numbers, strings, formats)
