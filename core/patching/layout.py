"""Indentation of a region: taken away before the model sees it, put back after."""

from __future__ import annotations

from itertools import pairwise

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.syntax import has_grammar, parse, tokens

_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")


def margin_of(text: str, cut: Cut) -> str:
    """The white space between the line start and the region, empty when other code stands there."""
    start = text.rfind("\n", 0, cut.start) + 1
    before = text[start : cut.start]
    return before if not before.strip() else ""


def dedent(part: str, margin: str) -> str | None:
    """The region's text with the margin taken off its continuation lines; None when a line does not have it. Lines of
    nothing but white space stay, so that `indent` gives back what was there.
    """
    first, *rest = part.split("\n")
    if any(line.strip() and not line.startswith(margin) for line in rest):
        return None
    return "\n".join([first, *(line[len(margin) :] if line.strip() else line for line in rest)])


def indent(part: str, margin: str) -> str:
    """The inverse of `dedent`."""
    first, *rest = part.split("\n")
    return "\n".join([first, *(margin + line if line.strip() else line for line in rest)])


def on_one_line(part: str, language: str | None) -> str:
    """Without the line breaks inside of brackets: small models take a statement over several lines for done. Text with
    comments stays as it is, and so does code in which a line break or the last comma has a meaning.
    """
    found = tokens(part, language)
    if language is None or not has_grammar(language) or any(token.is_comment for token in found):
        return part
    edits: list[Edit] = []
    depth = 0
    for left, right in pairwise(found):
        depth += (left.text in _OPENERS and left.text != "{") - (left.text in _CLOSERS and left.text != "}")
        gap = Cut(left.cut.end, right.cut.start)
        if depth > 0 and "\n" in gap.of(part) and not (left.is_string and right.is_string):
            tight = left.text in _OPENERS or right.text in _CLOSERS
            if left.text == "," and right.text in _CLOSERS:
                edits.append(Edit(Cut(left.cut.start, right.cut.start), ""))
            else:
                edits.append(Edit(gap, "" if tight else " "))
    joined = splice(part, edits)
    return joined if _shape(joined, language) == _shape(part, language) else part


def _shape(part: str, language: str) -> list[str]:
    return [node.kind for node in parse(part, language).walk() if node.named]
