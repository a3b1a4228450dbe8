"""The template of a fix: its meta-variables filled in, in the layout of the code that it replaces."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.syntax import Node, tokens

META = re.compile(r"\$\$\$(?P<many>[A-Z_][A-Z0-9_]*)?|\$(?P<one>[A-Z_][A-Z0-9_]*)")
_PIECE = re.compile(
    r"""(?P<meta>\$\$\$(?:[A-Z_][A-Z0-9_]*)?|\$[A-Z_][A-Z0-9_]*)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)
    |(?P<word>[^\W\d]\w*|\d[\w.]*)|(?P<sign>[^\w\s])""",
    re.VERBOSE,
)
_CLOSERS = frozenset(")]}")

# Gives the text of a part of the match.
Inner = Callable[[Cut], str]


class Piece(NamedTuple):
    """A token of a pattern or a fix; `meta` is the name of a meta-variable, else empty."""

    text: str
    cut: Cut

    @property
    def meta(self) -> str:
        return self.text.lstrip("$") if self.text.startswith("$") else ""


def pieces(template: str) -> list[Piece]:
    return [Piece(m.group(), Cut(*m.span())) for m in _PIECE.finditer(template)]


def line_margin(text: str, offset: int) -> str:
    """The indentation of the line that an offset is in."""
    found = re.compile(r"[ \t]*").match(text, text.rfind("\n", 0, offset) + 1)
    return found.group() if found else ""


def render(text: str, fix: str, node: Node, inner: Inner, language: str) -> str:
    """The template with its meta-variables filled in; an empty `$$$` takes the comma beside it along. Lines of the
    template, and of code that it moves, are indented as far as the match is.
    """
    margin = line_margin(text, node.cut.start)
    out: list[str] = []
    at = 0
    for match in META.finditer(fix):
        out.append(_indented(fix[at : match.start()], margin))
        at = match.end()
        name = match["many"] or match["one"] or ""
        cut = node.captured(name) if name else None
        if cut is not None:
            shift = (line_margin(text, cut.start), margin + line_margin(fix, match.start()))
            out.append(_shifted(inner(cut), *shift, language))
        elif rest := re.match(r"\s*,\s*", fix[at:]):
            at += rest.end()
        else:
            out[-1] = re.sub(r"\s*,\s*$", "", out[-1])
    return "".join((*out, _indented(fix[at:], margin)))


def _indented(part: str, margin: str) -> str:
    return re.sub(r"\n(?!\n)", f"\n{margin}", part)


def _shifted(part: str, old: str, new: str, language: str) -> str:
    """The part with another indentation of its later lines; what is inside of a literal stays."""
    if old == new or "\n" not in part:
        return part
    literals = [t.cut for t in tokens(part, language) if t.is_string]
    cuts = [Cut(*match.span()) for match in re.finditer(rf"\n{old}(?!\n)", part)]
    return splice(part, [Edit(c, f"\n{new}") for c in cuts if not any(one.covers(c) for one in literals)])


class _Lined(NamedTuple):
    """The pieces of pattern and fix, and where each piece of the pattern stands in the text."""

    old: list[Piece]
    new: list[Piece]
    places: list[Cut]


def keep_layout(text: str, node: Node, pattern: str, fix: str, inner: Inner, language: str) -> str | None:
    """Change only the tokens in which pattern and fix differ; None where that cannot be told token by token."""
    if "\n" in fix:
        return None
    old, new = pieces(pattern), pieces(fix)
    places = _places(text, node, old)
    metas = [p.meta for p in new if p.meta]
    if places is None or len(set(metas)) < len(metas):
        return None
    blocks = SequenceMatcher(None, [p.text for p in old], [p.text for p in new], autojunk=False).get_matching_blocks()
    kept = [(block.a + i, block.b + i) for block in blocks for i in range(block.size)]
    if not kept or {old[a].meta for a, _ in kept if old[a].meta} != set(metas):
        return None  # the fix moves a meta-variable
    for before, now in pairwise(kept):
        if now != (before[0] + 1, before[1] + 1) and any(
            old[a].meta and places[a].start == places[a].end for a in (before[0], now[0])
        ):
            return None  # what is new beside an empty `$$$` has one comma too many

    def moved(cut: Cut, margin: str) -> str:
        return _shifted(inner(cut), line_margin(text, cut.start), margin, language)

    return _woven(text, node.cut, fix, _Lined(old, new, places), kept, moved)


def _woven(
    text: str,
    whole: Cut,
    fix: str,
    lined: _Lined,
    kept: list[tuple[int, int]],
    moved: Callable[[Cut, str], str],
) -> str:
    old, new, places = lined
    head = text.rfind("\n", 0, whole.start) + 1
    out = text[head : whole.start]
    before = (-1, -1)
    for now in (*kept, (len(old), len(new))):
        gap = Cut(
            places[before[0]].end if before[0] >= 0 else whole.start,
            places[now[0]].start if now[0] < len(old) else whole.end,
        )
        if now == (before[0] + 1, before[1] + 1):
            out += gap.of(text)
        else:
            start = new[before[1]].cut.end if before[1] >= 0 else 0
            end = new[now[1]].cut.start if now[1] < len(new) else len(fix)
            if now[1] < len(new) and new[now[1]].text in _CLOSERS:
                out += _gap_before_closer(gap.of(text), fix[start:end], line_margin(text, gap.start))
            else:
                out += _gap(gap.of(text), fix[start:end])
        if now[0] < len(old):
            place = places[now[0]]
            out += moved(place, line_margin(out, len(out))) if old[now[0]].meta else place.of(text)
        before = now
    return out[whole.start - head :]


def _gap(source: str, template: str) -> str:
    """What the fix has between two tokens that it keeps, with the line breaks that the source has there."""
    added = template.strip()
    if not source.strip():
        return f"{source}{added}{source}" if "\n" in source and added.endswith(",") else template
    if not added:
        return template
    lead, trail = _ends(source)
    own_lead, own_trail = _ends(template)
    return (lead if "\n" in lead else own_lead) + added + (trail if "\n" in trail else own_trail)


def _ends(part: str) -> tuple[str, str]:
    return part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]


def _gap_before_closer(source: str, template: str, margin: str) -> str:
    """The same at the end of a list, which the source may have one to a line (`margin` is that of its last line), with
    a comma after the last.
    """
    added = template.strip()
    tail = _ends(source)[1]
    if not added:
        return f"{',' * source.rstrip().endswith(',')}{tail}" if "\n" in tail else template
    comma = "," if source.lstrip().startswith(",") else ""
    if not added.startswith(",") or not (tail == source or comma or _is_comment(source)):
        return _gap(source, template)
    if "\n" in source:
        end = source.rindex("\n")
        head = source[:end] if comma else f",{source[:end]}"
        return f"{head}\n{margin}{added[1:].lstrip()}{comma}{source[end:]}"
    if source.strip(", "):  # a comment
        return f"{source.rstrip()} {added[1:].lstrip()}" if comma else f"{source}{added}"
    return template


def _is_comment(source: str) -> bool:
    return source.lstrip().startswith(("#", "//", "/*", "--"))


def _places(text: str, node: Node, wanted: list[Piece]) -> list[Cut] | None:
    """Where each piece of the pattern stands in the match; None when they cannot be lined up one by one."""
    places: list[Cut] = []
    at = node.cut.start
    for piece in wanted:
        if piece.meta:
            cut = node.captured(piece.meta) or Cut(at, at)
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
        elif text[at] == "#" or text.startswith(("//", "--"), at):
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
