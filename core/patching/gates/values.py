"""Gates for the values in a match: each is still there as it was, not taken apart, and in its order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from litecode.core.patching.captures import held
from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.joined import SUMS
from litecode.core.patching.gates.literals import FORMATS
from litecode.core.patching.gates.places import places, within
from litecode.core.patching.gates.polarity import turned
from litecode.core.patching.gates.wording import is_name, may_go
from litecode.core.patching.match import AstMatch, AstMatcher
from litecode.core.patching.regions import containers, is_statement
from litecode.core.patching.syntax import Node, Token

_TEXT = re.compile(r"^(?:\w*string\w*|template_string|\w*_text)$")
_INSERTED = re.compile(r"interpol|substitution|expansion")  # the code in a text
_SPELLING = re.compile(r"conversion|format|start|end|brace")  # how such code is written
_CALLS = frozenset(
    {"call", "call_expression", "method_invocation", "invocation_expression", "function_call_expression"}
)
_CONVERSIONS = frozenset({"str", "repr", "String", "format"})
_CLOSERS = frozenset(")]}")

# `%s`, `{name}`, `${`: what stands in a text for a value.
_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[-#0+]*[\d.*]*[sdrifFeEgGxXoc]|\{[^{}]*\}|\$\{")
_ATOM = re.compile(r"\\[^'\"\n]|\d+|(?<![^\W\d_])[^\W\d_](?![^\W\d_])")


class _Value(NamedTuple):
    """An expression that the rewrite must have: `order` False where the code itself says in which order it is used."""

    cut: Cut
    order: bool


def values(rewrite: Rewrite) -> Objection | None:
    """The values of a match, as its pattern holds them, are in the rewrite: whole, as often, and in their order."""
    found = _values(rewrite)
    if not found:
        return None
    all_ = places(rewrite)
    # What stands around the matches has values of its own, which are no substitute.
    own = all_.added if all_.broken is None else within(rewrite.after, rewrite.language, rewrite.new_cut)
    pairs = turned(rewrite)
    free = (t for t in own if not any(pair.new.covers(t.cut) for pair in pairs))
    new = [rewrite.spelt(_plain(t)) for t in _code(sorted(free, key=lambda t: t.cut))]
    said = rewrite.asked.vocabulary
    in_order = all(value.order for value in found) and not said.about_order
    gone = may_go(rewrite)
    taken = [False] * len(new)
    at = 0
    starts: list[int] = []
    for value in found:
        if any(pair.old.covers(value.cut) for pair in pairs):
            continue
        wanted = _code(within(rewrite.before, rewrite.language, value.cut))
        texts = [rewrite.spelt(_plain(t)) for t in wanted]
        start = _find(texts, new, taken, at)
        if start is None and in_order and _find(texts, new, taken, 0) is not None:
            return _refuse(f"the value {quoted(value.cut.of(rewrite.before))} is not in its place; keep the order")
        if start is None:
            if all(t.text in gone for t in wanted if is_name(t)):
                continue  # what the rule names may become something else
            return _refuse(f"the value {quoted(value.cut.of(rewrite.before))} was changed, taken apart or lost")
        taken[start : start + len(texts)] = [True] * len(texts)
        at = start + len(texts) if in_order else 0
        starts += [start] if value.order else []
    turns = said.reverses and starts == sorted(starts, reverse=True)
    if starts != sorted(starts) and not turns:
        return Objection("values", Grade.DOUBT, "the values stand in another order than before")
    return None


def _refuse(text: str) -> Objection:
    return Objection("values", Grade.REFUSE, text)


def _find(texts: list[str], new: list[str], taken: list[bool], at: int) -> int | None:
    size = len(texts)
    free = (i for i in range(at, len(new) - size + 1) if not any(taken[i : i + size]))
    return next((i for i in free if new[i : i + size] == texts), None)


def _values(rewrite: Rewrite) -> list[_Value]:
    matcher = rewrite.asked.matcher
    if not isinstance(matcher, AstMatcher):
        return []
    sites = set(rewrite.area.sites)
    matches = [m for m in matcher.find(rewrite.before) if m.cut in sites]
    return [value for match in matches for node in _roots(match, matcher) for value in _flat(node, match, matcher)]


def _roots(match: AstMatch, matcher: AstMatcher) -> list[Node]:
    """What is looked through for values: what the meta-variables hold, or a match that is a formatted text itself."""
    is_text = match.node.kind in SUMS and _has_text(match.node)
    return [match.node] if is_text and matcher.sources else held(match, matcher)


def _flat(node: Node, match: AstMatch, matcher: AstMatcher, order: bool = True) -> Iterator[_Value]:
    """The expressions in what a meta-variable holds, without what only makes a text of them."""
    inner = [child for child in node.children() if child.named and "comment" not in child.kind]
    if is_statement(node.kind, matcher.language):
        return
    if _is_text(node):
        for part in _inserted(node):
            yield from _flat(part, match, matcher, order)
    elif len(inner) == 1 and inner[0].cut == node.cut:
        yield from _flat(inner[0], match, matcher, order)
    elif node.kind == "parenthesized_expression" or (node.kind in SUMS and any(_has_text(c) for c in inner)):
        for part in inner:
            elements = part.kind in ("tuple", "parenthesized_expression") and node.kind in SUMS
            for child in [c for c in part.children() if c.named] if elements else [part]:
                yield from _flat(child, match, matcher, order)
    elif node.kind in ("keyword_argument", "pair") and (value := node.field("value")) is not None:
        # The key is a name or a text, for which other gates speak.
        yield from [_Value(value.cut, order)] if node.kind == "pair" else _flat(value, match, matcher, order)
    elif (arguments := _text_call(node)) is not None:
        numbered = re.search(r"\{\w+[^{}]*\}", node.text) is not None
        for part in arguments:
            yield from _flat(part, match, matcher, order and not numbered)
    elif not _is_code(node, matcher.language) and not _has_match(node, match, matcher):
        yield _Value(node.cut, order)


def _is_text(node: Node) -> bool:
    return _TEXT.match(node.kind) is not None


def _has_text(node: Node) -> bool:
    return any(_is_text(part) for part in node.walk())


def _inserted(text: Node) -> Iterator[Node]:
    """The expressions in a text, without those in the texts within."""
    todo = [text]
    while todo:
        node = todo.pop()
        if node.named and _INSERTED.search(node.kind) and not _is_text(node) and node is not text:
            yield from (child for child in node.children() if child.named and not _SPELLING.search(child.kind))
        else:
            todo += reversed(node.children())


def _text_call(node: Node) -> list[Node] | None:
    """The arguments of a call that only makes a text of them: `str(x)`, `"{}".format(x)`."""
    if node.kind not in _CALLS:
        return None
    children = [child for child in node.children() if child.named]
    if len(children) < 2:
        return None
    name = re.split(r"\.", children[0].text)[-1].strip()
    is_conversion = name in _CONVERSIONS - {"format"} and "." not in children[0].text
    if not is_conversion and not (name == "format" and _has_text(children[0])):
        return None
    return [child for child in children[-1].children() if child.named]


def _is_code(node: Node, language: str) -> bool:
    """Whether it has statements in it, which are no value."""
    kinds = containers(language)
    return any(part.named and (part.kind in kinds or is_statement(part.kind, language)) for part in node.walk())


def _has_match(node: Node, match: AstMatch, matcher: AstMatcher) -> bool:
    """Whether another match is in it, which changes too."""
    return any(found.cut != match.cut for found in matcher.find_in(node))


def _code(found: Sequence[Token]) -> list[Token]:
    """Without comments and trailing commas."""
    bare = [t for t in found if not t.is_comment]
    return [t for i, t in enumerate(bare) if not (t.text == "," and i + 1 < len(bare) and bare[i + 1].text in _CLOSERS)]


def _plain(token: Token) -> str:
    return token.text.replace("'", '"')


def texts(rewrite: Rewrite) -> Objection | None:
    """Numbers, single letters and escapes in texts stay, and what the letters before the quotes of a text mean."""
    all_ = places(rewrite)
    own = FORMATS.get(rewrite.language or "")
    old, new = _atoms(all_.inside, own), _atoms(all_.added, own)
    gone = may_go(rewrite) | rewrite.asked.vocabulary.words | rewrite.asked.vocabulary.numbers
    for atom in old - new:
        if atom not in gone and atom not in rewrite.asked.vocabulary.signs:
            return Objection("texts", Grade.REFUSE, f"{quoted(atom)} was changed or lost in a text")
    for letter in "br":
        if _prefixed(all_.inside, letter) > _prefixed(all_.added, letter):
            return Objection("texts", Grade.REFUSE, f"a text was written with {letter}'', and is not any more")
    return None


def _atoms(found: Sequence[Token], own: re.Pattern[str] | None) -> Counter[str]:
    literal = [t.text for t in found if t.is_string and t.kind != "string_start"]
    if own is not None:
        literal = [own.sub(" ", text) for text in literal]
    return Counter(atom for text in literal for atom in _ATOM.findall(_PLACEHOLDER.sub(" ", text)))


def _prefixed(found: Sequence[Token], letter: str) -> int:
    """How many texts have a letter before their quote; `r` counts only where it makes a difference."""
    count = 0
    for index, token in enumerate(found):
        if token.kind == "string_start" and letter in token.text.lower():
            body = found[index + 1].text if index + 1 < len(found) else ""
            count += letter != "r" or "\\" in body
    return count


GATES = (values, texts)
