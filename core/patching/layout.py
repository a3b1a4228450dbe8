"""Indentation of a region: taken away before the model sees it, put back after."""

from __future__ import annotations

from litecode.core.patching.document import Cut


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
