"""Indentation of a region: taken away before the model sees it, put back after."""

from __future__ import annotations

from itertools import pairwise

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.syntax import tokens

_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")


def margin_of(text: str, cut: Cut) -> str:
    """The white space between the line start and the region, empty when other code stands there."""
    start = text.rfind("\n", 0, cut.start) + 1
    before = text[start : cut.start]
    return before if not before.strip() else ""


def dedent(part: str, margin: str) -> str | None:
    """The region's text with the margin taken off its continuation lines; None when a line does not have it."""
    first, *rest = part.split("\n")
    out = [first]
    for line in rest:
        if line.startswith(margin):
            out.append(line[len(margin) :])
        elif line.strip():
            return None
        else:
            out.append("")
    return "\n".join(out)


def indent(part: str, margin: str) -> str:
    """The inverse of `dedent`; empty lines stay empty."""
    first, *rest = part.split("\n")
    return "\n".join([first, *(margin + line if line else line for line in rest)])


def on_one_line(part: str, language: str | None) -> str:
    """Without the line breaks inside of brackets: small models take a statement over several lines for done. Text with
    comments stays as it is, and so do braces with statements in them, where a line break has a meaning.
    """
    found = tokens(part, language)
    if any(token.is_comment for token in found):
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
    return splice(part, edits)
