"""A unified diff for people: colours, changed words marked, nothing that a terminal could be tricked by.

Where nobody is looking, `print_diff` writes the bytes that `git apply` takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from litecode.hooks.show.terminal import ELLIPSIS, Style, Terminal, cut, paint, visible

LONGEST = 1000  # characters of one line that are shown
AROUND = 200  # of these before the first difference of two long lines
_WORDS = re.compile(r"\w+|\s+|.")
_FROM = re.compile(rf"\(\d+ characters\) {ELLIPSIS}")
_ALIKE = 0.5  # share of equal words from which on two lines are compared word by word
_HEADER = "h"
_STYLES = {_HEADER: Style.BOLD, "@": Style.CYAN, "-": Style.RED, "+": Style.GREEN}
_STRONG = {"-": Style.RED_WORD, "+": Style.GREEN_WORD}


class _Line(NamedTuple):
    """`kind` is the mark of a content line, `@` of a hunk's header, `h` of other headers; `text` is without the mark
    of a content line.
    """

    kind: str
    text: str


def diff_lines(diff: str, colour: bool) -> Iterator[str]:
    """The lines to print. Tabs stay; where every line ends in CRLF the carriage returns are not shown."""
    lines = parse_diff(diff)
    if all(line.text.endswith("\r") for line in lines if line.kind in " -+"):
        lines = [_Line(kind, text.removesuffix("\r")) if kind in " -+" else _Line(kind, text) for kind, text in lines]
    lines = [_Line(kind, cut(visible(text, "\t"), LONGEST)) for kind, text in _from_difference(lines)]
    if not colour:
        yield from (_plain(kind, text) for kind, text in lines)
        return
    for changed, group in groupby(lines, key=lambda line: line.kind in "-+"):
        if changed:
            yield from _coloured_change(list(group))
        else:
            for kind, text in group:
                yield paint(text, _STYLES[kind]) if kind in _STYLES else _plain(kind, text)


def _from_difference(lines: Sequence[_Line]) -> Iterator[_Line]:
    """Pairs of lines that would look the same because they are cut off begin where they differ."""
    for changed, group in groupby(lines, key=lambda line: line.kind in "-+"):
        run = list(group)
        half = len(run) // 2
        if not changed or not _paired(run) or max(len(text) for _, text in run) <= LONGEST:
            yield from run
            continue
        starts = [_start(old.text, new.text) for old, new in zip(run[:half], run[half:], strict=True)]
        for start, (kind, text) in zip((*starts, *starts), run, strict=True):
            yield _Line(kind, f"({start} characters) {ELLIPSIS}{text[start:]}" if start else text)


def _start(old: str, new: str) -> int:
    """The first character that is shown of two long lines."""
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return max(same - AROUND, 0) if same + AROUND > LONGEST else 0


def _paired(run: Sequence[_Line]) -> bool:
    half = len(run) // 2
    return [line.kind for line in run] == ["-"] * half + ["+"] * half


def print_diff(diff: str, terminal: Terminal) -> None:
    """For people on a terminal, byte for byte into a file or a pipe."""
    if terminal.out.isatty():
        for line in diff_lines(diff, terminal.colour_out):
            terminal.print(line)
        return
    terminal.out.flush()
    terminal.out.buffer.write(diff.encode("utf-8", "surrogateescape"))


def _plain(kind: str, text: str) -> str:
    return kind + text if kind in " -+" else text


def parse_diff(diff: str) -> list[_Line]:
    """The lines of a diff, each with its mark."""
    lines: list[_Line] = []
    inside = False
    for raw in diff.removesuffix("\n").split("\n") if diff else ():
        if raw.startswith("@@"):
            inside = True
            lines.append(_Line("@", raw))
        elif inside and raw[:1] in (" ", "-", "+", ""):
            lines.append(_Line(raw[:1] or " ", raw[1:]))
        elif inside and raw.startswith("\\"):
            lines.append(_Line("\\", raw))
        else:
            inside = False
            lines.append(_Line(_HEADER, raw))
    return lines


def _coloured_change(lines: Sequence[_Line]) -> Iterator[str]:
    """A run of removed and added lines; when there are as many of each, they are compared in pairs."""
    removed = [line.text for line in lines if line.kind == "-"]
    added = [line.text for line in lines if line.kind == "+"]
    paired = _paired(lines)
    pairs = [_marked(old, new) for old, new in zip(removed, added, strict=True)] if paired else []
    pieces = [old for old, _ in pairs] + [new for _, new in pairs]
    for place, (kind, text) in enumerate(lines):
        words = pieces[place] if paired else [(text, False)]
        body = "".join(paint(word, _STRONG[kind] if strong else _STYLES[kind]) for word, strong in words)
        yield paint(kind, _STYLES[kind]) + body


def _marked(old: str, new: str) -> tuple[_Words, _Words]:
    """Of long lines that begin where they differ there is nothing to mark."""
    return ([(old, False)], [(new, False)]) if _FROM.match(old) else marked(old, new)


_Words = list[tuple[str, bool]]


def marked(old: str, new: str) -> tuple[_Words, _Words]:
    """Both lines in pieces, each with whether only this line has it."""
    from difflib import SequenceMatcher

    before, after = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if len(before) + len(after) > 400 or matcher.ratio() < _ALIKE:
        return [(old, False)], [(new, False)]
    pieces: tuple[_Words, _Words] = ([], [])
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        for side, words in ((pieces[0], before[i1:i2]), (pieces[1], after[j1:j2])):
            if words:
                side.append(("".join(words), tag != "equal"))
    return pieces
