"""Gates that compare a rewrite with the region token by token: what vanished, what is new, and who asked for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.joined import joining
from litecode.core.patching.gates.owned import is_own
from litecode.core.patching.gates.places import places
from litecode.core.patching.gates.polarity import turned
from litecode.core.patching.syntax import Token

# Functions whose call is only a way to write a value into a text; a placeholder makes them needless.
_CONVERSIONS = frozenset({"str", "repr", "format", "String", "toString", "to_string", "to_s", "Sprintf"})
_OPERATORS = frozenset(
    "== != < > <= >= === !== + - * / // % ** & | ^ ~ << >> && || ! += -= *= /= ++ -- ?? ? and or not in is".split()
)
_LONGEST_FIRST = sorted(_OPERATORS, key=lambda sign: (-len(sign), sign))
_SIGN = re.compile("|".join(rf"\b{sign}\b" if sign.isalpha() else re.escape(sign) for sign in _LONGEST_FIRST))
INVENTIONS = 2
# Words that carry the structure of a quoted piece of code; when most of them are missing, half of it was not done.
_CONTROL = frozenset(
    "if else elif for while try except catch finally with as from raise throw return await async yield is not None null"
    " nil import lambda new del pass break continue match case switch".split()
)


_HOW = re.compile(r"conversion|format")  # how a value is written into a text


def is_name(token: Token) -> bool:
    """An identifier; keywords are tokens whose kind is their text, and `px` is a unit."""
    other = token.is_comment or token.is_string or token.kind in (token.text, "unit")
    return not other and token.text.isidentifier()


def is_number(token: Token) -> bool:
    return token.text[:1].isdigit() and not token.is_string and not token.is_comment


def is_keyword(token: Token) -> bool:
    return token.kind == token.text and token.text.isalpha()


def outside(rewrite: Rewrite) -> Objection | None:
    """What stands around the sites is the same as before, token by token."""
    if not rewrite.area.sites:
        return None
    broken = places(rewrite).broken
    if broken is None or broken.is_comment:
        return None
    return Objection(
        "outside", Grade.REFUSE, f"{quoted(broken.text)} was changed or lost, but is not part of what is asked"
    )


def beside(rewrite: Rewrite) -> Objection | None:
    """What was added away from the sites is made of words of the region and of the rule."""
    if not rewrite.area.sites:
        return None
    all_ = places(rewrite)
    known = _known(rewrite) | {w for t in (*all_.inside, *all_.outside) for w in re.findall(r"\w+", t.text)}
    known |= rewrite.asked.vocabulary.numbers
    small = rewrite.area.kind in ("expression", "statement", "line")
    if small and (stray := next((t for t in all_.far if not t.is_comment), None)) is not None:
        return Objection("beside", Grade.REFUSE, f"{quoted(stray.text)} was added away from the place to change")
    runs = Counter(" ".join(t.text for t in run) for run in all_.beside if len(run) > 1)
    for text, times in runs.items():
        if times > len(rewrite.area.sites):
            return Objection("beside", Grade.REFUSE, f"{quoted(text)} was added {times} times; add it only where asked")
    for token in (t for run in all_.beside for t in run):
        if token.is_comment:
            continue
        for word in re.findall(r"\w+", token.text):
            if word not in known and not is_keyword(token):
                return Objection("beside", Grade.REFUSE, f"{quoted(token.text)} was added, but nobody asked for it")
    return None


def far(rewrite: Rewrite) -> Objection | None:
    """Code added away from the sites can be the second half of what was asked, or half of that half."""
    if not rewrite.area.sites or rewrite.area.kind in ("expression", "statement", "line"):
        return None  # there `beside` has refused it
    added = [t for run in places(rewrite).beside for t in run if not t.is_comment]
    if len(added) > 3:
        return Objection("far", Grade.AGREE, "it adds code away from the place that matched")
    return None


def _known(rewrite: Rewrite) -> frozenset[str]:
    """The words that the rule itself brings: its instruction, its pattern, the lines it ensures."""
    asked = rewrite.asked
    words = asked.vocabulary.words | asked.vocabulary.code | (asked.matcher.words if asked.matcher else frozenset())
    return words | {w for line in asked.ensure for w in re.findall(r"\w+", line)}


def asked_code(rewrite: Rewrite) -> Objection | None:
    """When the instruction quotes code that the region did not have, some of it is there now, and most of its
    structure.
    """
    wanted = rewrite.asked.vocabulary.quoted
    values = any(is_name(t) and t.text not in may_go(rewrite) for t in places(rewrite).inside)
    if not values:
        wanted = wanted - {"%s", "?"}  # without a value there is nothing to hold a place for
    old, new = (set(re.findall(r"%[a-z]|\w+|\?", text)) for text in (rewrite.old, rewrite.new))
    if re.search(r"%[-#0 +\d.]*[a-zA-Z]", rewrite.new):
        new.add("%s")  # one placeholder is as good as another
    if any(word.startswith("%") for word in old):
        wanted = frozenset(word for word in wanted if not word.startswith("%"))  # these may be what is to go
    missing = wanted - old
    # A name may be another one that is there already; then more of the rest shows that it was done.
    before, after = (Counter(re.findall(r"\w+", text)) for text in (rewrite.old, rewrite.new))
    more = any(after[word] > before[word] for word in wanted & _CONTROL)
    if missing and not missing & new and not (more and not missing & _CONTROL):
        shown = ", ".join(quoted(word) for word in sorted(missing)[:3])
        grade = Grade.DOUBT if missing <= rewrite.asked.vocabulary.conditional else Grade.REFUSE
        return Objection("asked", grade, f"the code must have what is asked for: {shown}")
    control = {word for word in missing if word in _CONTROL or word.startswith("%")}
    if len(control & new) * 2 < len(control):
        shown = ", ".join(quoted(word) for word in sorted(control - new))
        return Objection("asked", Grade.REFUSE, f"a part of what is asked for is not there: {shown}")
    return None


def may_go(rewrite: Rewrite) -> frozenset[str]:
    """Words that a rewrite may take away: of the pattern, of the instruction's code, and conversions to text."""
    matcher = rewrite.asked.matcher
    return (matcher.words if matcher else frozenset()) | rewrite.asked.vocabulary.code | _CONVERSIONS


def names(rewrite: Rewrite) -> Objection | None:
    """Identifiers of the sites are still used; only words of the pattern and of the instruction's code may go."""
    all_ = places(rewrite)
    have = {rewrite.spelt(t.text) for t in all_.new if is_name(t)}
    gone = may_go(rewrite)
    written = {rewrite.spelt(word) for t in all_.new for word in re.findall(r"\w+", t.text)}
    for token in all_.inside:
        if _is_word(token) and not all(rewrite.spelt(w) in written or w in gone for w in _words(token.text)):
            return Objection("names", Grade.REFUSE, f"{quoted(token.text)} is lost; keep every value")
    lost = [t for t in all_.inside if is_name(t) and rewrite.spelt(t.text) not in have and t.text not in gone]
    if lost and lost != _as_keys(lost, all_.inside, all_.added):
        if all(is_own(rewrite, token) for token in lost):
            return Objection("names", Grade.AGREE, f"the variable {quoted(lost[0].text)} is gone")
        return Objection("names", Grade.REFUSE, f"{quoted(lost[0].text)} is lost; keep every value")
    return None


def _is_word(token: Token) -> bool:
    """What has letters and is neither a name nor a literal: a path in a shell script, a plain scalar of YAML."""
    other = is_name(token) or is_number(token) or token.is_string or token.is_comment or _HOW.search(token.kind)
    return not other and token.kind != token.text and re.search(r"[^\W\d]", token.text) is not None


def _words(text: str) -> list[str]:
    return re.findall(r"\w{2,}", text)


def _as_keys(lost: Sequence[Token], inside: Sequence[Token], added: Sequence[Token]) -> list[Token]:
    """Those names of keywords (`a=1`) that are keys (`"a": 1`) now, if they are in the same order."""
    keyed = {t.cut.end for t, after in pairwise(inside) if after.text in ("=", ":")}
    names = [t for t in lost if t.cut.end in keyed]
    keys = [t.text.strip("'\"`") for t in added if t.is_string]
    texts = {t.text for t in names}
    return names if [key for key in keys if key in texts] == [t.text for t in names] else []


def invented(rewrite: Rewrite) -> Objection | None:
    """Identifiers that neither the region nor the rule has: the model's own idea."""
    all_ = places(rewrite)
    known = _known(rewrite) | {t.text for t in (*all_.inside, *all_.outside) if is_name(t)}
    for token in all_.added:
        if is_name(token) and token.text not in known:
            if token.text in rewrite.asked.vocabulary.examples:
                text = f"{quoted(token.text)} is only an example in the instruction"
                return Objection("invented", Grade.DOUBT, text)
            return Objection("invented", Grade.AGREE, f"{quoted(token.text)} is the model's own choice")
    return None


def inventions(rewrite: Rewrite) -> Objection | None:
    """One or two words of the model's own are an answer; more are code that nobody asked for, and so is a number where
    the code of the instruction has one.
    """
    all_ = places(rewrite)
    known = _known(rewrite) | {w for t in (*all_.inside, *all_.outside) for w in re.findall(r"\w+", t.text)}
    known |= rewrite.asked.vocabulary.numbers
    own = [t.text for t in all_.added if (is_name(t) or is_number(t)) and t.text not in known]
    own = list(dict.fromkeys(own))
    wanted = re.findall(r"\b\d[\w.]*\b", rewrite.asked.vocabulary.signs)
    other = [t.text for t in all_.added if is_number(t) and t.text in own]
    if rewrite.asked.matcher is not None and wanted and other:
        text = f"{quoted(other[0])} is none of the numbers that are asked for: {', '.join(sorted(set(wanted)))}"
        return Objection("inventions", Grade.REFUSE, text)
    if rewrite.asked.matcher is not None and len(own) > INVENTIONS:
        shown = ", ".join(quoted(word) for word in own[:3])
        return Objection("inventions", Grade.REFUSE, f"it adds what nobody asked for: {shown}")
    return None


def operators(rewrite: Rewrite) -> Objection | None:
    """Comparisons, arithmetic and logic are not turned over on the way."""
    all_ = places(rewrite)
    asked = _asked_signs(rewrite)
    pairs = turned(rewrite)
    spare = _spare_signs(rewrite)
    old = Counter(t.text for t in all_.inside if _is_operator(t) and not any(p.old.covers(t.cut) for p in pairs))
    new = Counter(t.text for t in all_.added if _is_operator(t) and not any(p.new.covers(t.cut) for p in pairs))
    for sign in (*(old - new), *(new - old)):
        if sign not in asked and rewrite.asked.matcher is not None and not 0 < old[sign] - new[sign] <= spare[sign]:
            verb = "lost" if old[sign] > new[sign] else "added"
            return Objection("operators", Grade.REFUSE, f"the operator {quoted(sign)} was {verb}")
    return None


def _spare_signs(rewrite: Rewrite) -> Counter[str]:
    """The signs that may go with what they belong to: texts that are joined, a counter that the region made itself."""
    all_ = places(rewrite)
    joins = joining(rewrite.before, rewrite.language, rewrite.area.cut)
    have = {t.text for t in all_.new}
    gone = {t.text for t in all_.inside if is_name(t) and t.text not in have and is_own(rewrite, t)}
    row = ("", *(t.text for t in all_.inside), "")
    beside = (t for n, t in enumerate(all_.inside, 1) if gone & {row[n - 1], row[n + 1]})
    return Counter(t.text for t in all_.inside if t.cut in joins) + Counter(t.text for t in beside if _is_operator(t))


def _is_operator(token: Token) -> bool:
    return token.text in _OPERATORS and token.kind == token.text


def _asked_signs(rewrite: Rewrite) -> frozenset[str]:
    """Signs and keywords that the rule's own words bring in: pattern or regex, the code of its instruction, what comes
    and goes in its examples.
    """
    matcher = rewrite.asked.matcher
    said = _SIGN.findall(f"{rewrite.asked.vocabulary.signs} {matcher.signs if matcher else ''}")
    return rewrite.asked.shown.union(said)


def keywords(rewrite: Rewrite) -> Objection | None:
    """Control flow: keywords that came or went without being named by the rule."""
    all_ = places(rewrite)
    old = Counter(t.text for t in all_.inside if is_keyword(t) and t.text not in _OPERATORS)
    new = Counter(t.text for t in all_.added if is_keyword(t) and t.text not in _OPERATORS)
    vocabulary = rewrite.asked.vocabulary
    named = vocabulary.code | (rewrite.asked.matcher.words if rewrite.asked.matcher else frozenset()) | vocabulary.plain
    named |= rewrite.asked.shown
    for word in sorted(((old - new) + (new - old)).keys()):
        if word not in named and f"{word}s" not in named:  # `an if that raises`
            verb = "is gone" if old[word] > new[word] else "is new"
            return Objection("keywords", Grade.AGREE, f"the keyword {quoted(word)} {verb}")
    return None


def stays(rewrite: Rewrite) -> Objection | None:
    """What an exception of the instruction names stays as often as it was."""
    old, new = _sequence(places(rewrite).inside, places(rewrite).outside), [t.text for t in places(rewrite).new]
    for name in rewrite.asked.vocabulary.kept_names:
        if old.count(name) > new.count(name):
            return Objection("stays", Grade.REFUSE, f"{quoted(name)} must stay as it is")
    return None


def _sequence(*parts: Sequence[Token]) -> list[str]:
    return [t.text for t in sorted((t for part in parts for t in part), key=lambda t: t.cut)]


GATES = (
    outside,
    beside,
    asked_code,
    inventions,
    names,
    operators,
    stays,
    far,
    invented,
    keywords,
)
