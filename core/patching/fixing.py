"""Deterministic fixes: a template filled with what a match holds, changing as little of its layout as it can."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import NamedTuple

from litecode.core.errors import RuleError
from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.match import AstMatch, AstMatcher, RegexMatch
from litecode.core.patching.syntax import Node, tokens

_TEMPLATE = re.compile(r"\$\$\$(?P<many>[A-Z_][A-Z0-9_]*)?|\$(?P<one>[A-Z_][A-Z0-9_]*)")
_PIECE = re.compile(
    r"""(?P<meta>\$\$\$(?:[A-Z_][A-Z0-9_]*)?|\$[A-Z_][A-Z0-9_]*)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)
    |(?P<word>[^\W\d]\w*|\d[\w.]*)|(?P<sign>[^\w\s])""",
    re.VERBOSE,
)


class Piece(NamedTuple):
    """A token of a pattern or a fix template."""

    text: str
    cut: Cut

    @property
    def meta(self) -> str:
        return self.text.lstrip("$") if self.text.startswith("$") else ""


def check_fix(fix: str, matcher: AstMatcher) -> None:
    """Raises RuleError when the fix names a meta-variable that the pattern does not have."""
    known = set(re.findall(r"\$([A-Z_][A-Z0-9_]*)", repr(matcher.rule)))
    for match in _TEMPLATE.finditer(fix):
        name = match["many"] or match["one"]
        if name and name not in known:
            raise RuleError(f"the fix uses ${name}, which the pattern does not have", "name the same meta-variables")


def fix_match(text: str, match: AstMatch, matcher: AstMatcher, fix: str) -> Edit:
    """The replacement of one match. Matches inside its meta-variables are fixed too; what fix and pattern share keeps
    its layout.
    """

    def inner(cut: Cut) -> str:
        """The text of a meta-variable, with the matches in it fixed."""
        part = _Inside(match.node, cut)
        edits = [fix_match(text, m, matcher, fix) for m in part.matches(matcher)]
        return splice(text[: cut.end], edits)[cut.start :] if edits else cut.of(text)

    def bare(cut: Cut) -> str:
        return _without_comments(inner(cut), matcher.language)

    kept = _keep_layout(text, match.node, matcher, fix, inner)
    if kept is not None and _same_code(kept, _render(fix, match.node, bare), matcher.language):
        return Edit(match.cut, kept)
    return Edit(match.cut, _render(fix, match.node, inner))


def fix_regex(match: RegexMatch, fix: str) -> Edit:
    """The replacement of one regex match by a template as for `re.sub`. Raises RuleError for an unknown group."""
    try:
        new = match.match.expand(fix)
    except (IndexError, KeyError, re.error, ValueError) as err:
        raise RuleError(f"the fix cannot be used: {err}", r"groups are written \1 or \g<name>") from None
    whole = match.match.group()
    # The match was trimmed; the white space around it stays, so the template's own margins go.
    lead, trail = len(whole) - len(whole.lstrip()), len(whole) - len(whole.rstrip())
    if lead and new.startswith(whole[:lead]):
        new = new[lead:]
    if trail and new.endswith(whole[len(whole) - trail :]):
        new = new[: len(new) - trail]
    return Edit(match.cut, new)


class _Inside(NamedTuple):
    """The matches within a part of a node."""

    node: Node
    cut: Cut

    def matches(self, matcher: AstMatcher) -> list[AstMatch]:
        found: list[AstMatch] = []
        for node in matcher.find_in(self.node):
            if self.cut.covers(node.cut) and (not found or node.cut.start >= found[-1].cut.end):
                found.append(AstMatch(node.cut, node))
        return found


def _render(fix: str, node: Node, inner: Callable[[Cut], str]) -> str:
    """The template with its meta-variables filled in; an empty `$$$` takes the comma beside it along."""
    out: list[str] = []
    at = 0
    for match in _TEMPLATE.finditer(fix):
        out.append(fix[at : match.start()])
        at = match.end()
        name = match["many"] or match["one"] or ""
        cut = node.captured(name) if name else None
        if cut is not None:
            out.append(inner(cut))
        elif match["many"]:
            rest = re.match(r"\s*,\s*", fix[at:])
            if rest:
                at += rest.end()
            else:
                out[-1] = re.sub(r"\s*,\s*$", "", out[-1])
    return "".join((*out, fix[at:]))


def _pieces(template: str) -> list[Piece]:
    return [Piece(m.group(), Cut(*m.span())) for m in _PIECE.finditer(template)]


def _keep_layout(text: str, node: Node, matcher: AstMatcher, fix: str, inner: Callable[[Cut], str]) -> str | None:
    """Change only the tokens in which pattern and fix differ; None where that cannot be told token by token."""
    if matcher.source is None:
        return None
    old, new = _pieces(matcher.source), _pieces(fix)
    places = _places(text, node, old)
    if places is None or sorted(p.meta for p in old if p.meta) != sorted(p.meta for p in new if p.meta):
        return None
    blocks = SequenceMatcher(None, [p.text for p in old], [p.text for p in new], autojunk=False).get_matching_blocks()
    kept = [(block.a + i, block.b + i) for block in blocks for i in range(block.size)]
    if {old[a].meta for a, _ in kept if old[a].meta} != {p.meta for p in old if p.meta}:
        return None  # the fix moves a meta-variable
    return _weave(text, node.cut, fix, old, new, places, kept, inner)


def _weave(
    text: str,
    whole: Cut,
    fix: str,
    old: list[Piece],
    new: list[Piece],
    places: list[Cut],
    kept: list[tuple[int, int]],
    inner: Callable[[Cut], str],
) -> str | None:
    if not kept:
        return None
    out: list[str] = []
    before = (-1, -1)
    for now in (*kept, (len(old), len(new))):
        gap = Cut(
            places[before[0]].end if before[0] >= 0 else whole.start,
            places[now[0]].start if now[0] < len(old) else whole.end,
        )
        if now[0] == before[0] + 1 and now[1] == before[1] + 1:
            out.append(gap.of(text))
        else:
            start = new[before[1]].cut.end if before[1] >= 0 else 0
            end = new[now[1]].cut.start if now[1] < len(new) else len(fix)
            out.append(_new_gap(gap.of(text), fix[start:end]))
        if now[0] < len(old):
            out.append(inner(places[now[0]]) if old[now[0]].meta else places[now[0]].of(text))
        before = now
    return "".join(out)


def _new_gap(source: str, template: str) -> str:
    """What the fix has between two tokens that it keeps, in the layout of what the source has there."""
    bare = template.strip()
    if not source.strip() or not bare.startswith(","):
        return template
    if source.lstrip().startswith(",") and "\n" in source and not source.strip(", \n"):
        line_end = source.index("\n")
        margin = re.match(r"[ \t]*", source[line_end + 1 :])
        return f"{source[:line_end]}\n{margin.group() if margin else ''}    {bare[1:].strip()}{source}"
    if source.strip(", \n"):  # a comment
        return source + (bare[1:].lstrip() if source.lstrip().startswith(",") else bare)
    return template


def _places(text: str, node: Node, pieces: list[Piece]) -> list[Cut] | None:
    """Where each piece of the pattern stands in the match; None when they cannot be lined up one by one."""
    places: list[Cut] = []
    at = node.cut.start
    for piece in pieces:
        if piece.meta:
            cut = node.captured(piece.meta)
            if cut is None:
                return None
        else:
            start = _find(text, piece.text, Cut(at, node.cut.end))
            if start is None:
                return None
            cut = Cut(start, start + len(piece.text))
        if cut.start < at:
            return None
        places.append(cut)
        at = cut.end
    return places


def _find(text: str, piece: str, within: Cut) -> int | None:
    """The next token equal to `piece`, with nothing but white space and comments before it."""
    at = within.start
    while at < within.end:
        if text[at].isspace():
            at += 1
        elif text.startswith(piece, at):
            return at
        elif text[at] == "#" or text.startswith("//", at):
            end = text.find("\n", at)
            at = within.end if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at)
            at = within.end if end < 0 else end + 2
        elif text[at] == ",":
            at += 1  # a trailing comma that the pattern does not have
        else:
            return None
    return None


def _without_comments(part: str, language: str) -> str:
    return splice(part, [Edit(t.cut, "") for t in tokens(part, language) if t.is_comment])


def _same_code(one: str, other: str, language: str) -> bool:
    """The same tokens, but for comments and trailing commas."""

    def code(part: str) -> list[str]:
        found = [t.text for t in tokens(part, language) if not t.is_comment]
        return [t for i, t in enumerate(found) if not (t == "," and found[i + 1 : i + 2] in ([")"], ["]"], ["}"]))]

    return code(one) == code(other)
