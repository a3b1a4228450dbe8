"""Lines that a changed file must have once below its imports: added by code, in the file's style, never twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from litecode.core.patching import bindings, heads, python_head
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.pytree import tree
from litecode.core.patching.syntax import has_grammar, tokens


def missing(text: str, language: str | None, lines: Sequence[str]) -> list[str]:
    """The lines that the text does not have yet, in another form either (`import os, logging` has `import logging`)."""
    module = tree(text) if language == "python" else None
    if module is not None:
        return [line for line in lines if not python_head.has(module, line)]
    present = _top_lines(text, language)
    left = [line for line in lines if line.strip() not in present]
    if language is None or not has_grammar(language):
        return left
    return [line for line in left if not bindings.has(text, language, line)]


def _top_lines(text: str, language: str | None) -> set[str]:
    """The lines without indentation, but those that are in a string or in the middle of a comment."""
    starts = Document(text).starts()
    inside: set[int] = set()
    for token in tokens(text, language) if has_grammar(language) else ():
        if "\n" in token.text:
            first = bisect_left(starts, token.cut.start + (not token.is_string))
            inside |= set(range(first, bisect_left(starts, token.cut.end)))
    rows = enumerate(text.split("\n"))
    return {row.strip() for number, row in rows if number not in inside and row[:1] not in (" ", "\t")}


def ensure(text: str, language: str | None, lines: Sequence[str]) -> list[Edit]:
    """The insertions that put the missing lines in; those that are no imports come after the imports, set off by a
    blank line.
    """
    edits: list[Edit] = []
    imports = [line for line in lines if heads.is_import_line(line, language)]
    for line in imports:
        now = splice(text, edits)
        if missing(now, language, [line]):
            edits = _with(edits, *_import_place(now, language, line))
    now = splice(text, edits)
    others = missing(now, language, [line for line in lines if line not in imports])
    return _with(edits, *_others_place(now, language, "\n".join(others))) if others else edits


def apply(text: str, language: str | None, lines: Sequence[str]) -> str:
    """The text with the missing lines."""
    return splice(text, ensure(text, language, lines))


def _with(edits: list[Edit], cut: Cut, new: str) -> list[Edit]:
    """One more insertion, into the text as the others have made it."""
    result: list[Edit] = []
    shift, done = 0, False
    for edit in edits:
        start = edit.cut.start + shift
        if not done and cut.start <= start + len(edit.text):
            done = True
            if cut.start < start:
                result.append(Edit(Cut(cut.start - shift, cut.start - shift), new))
            else:
                at = cut.start - start
                edit = Edit(edit.cut, edit.text[:at] + new + edit.text[at:])
        result.append(edit)
        shift += len(edit.text)
    return result if done else [*result, Edit(Cut(cut.start - shift, cut.start - shift), new)]


def _import_place(text: str, language: str | None, line: str) -> tuple[Cut, str]:
    module = tree(text) if language == "python" else None
    if module is not None:
        return python_head.import_place(text, module, line)
    head = heads.head_of(text, language)
    if head.imports is not None:
        return Cut(head.imports, head.imports), f"\n{line}"
    return _below_head(text, language, head, line)


def _others_place(text: str, language: str | None, block: str) -> tuple[Cut, str]:
    module = tree(text) if language == "python" else None
    if module is not None:
        end = python_head.last_of_head(text, module)
        if end is None:
            return heads.below(text, python_head.head_end(text, module), block)
    else:
        head = heads.head_of(text, language)
        end = head.imports
        if end is None:
            return _below_head(text, language, head, block)
    tail = "" if text[end : end + 2] in ("\n\n", "\n", "") else "\n"
    return Cut(end, end), f"\n\n{block}{tail}"


def _below_head(text: str, language: str | None, head: heads.Head, block: str) -> tuple[Cut, str]:
    if head.opener is None:
        return heads.below(text, heads.header_end(text, language), block)
    return heads.below(text, min(head.opener + 1, len(text)), block)
