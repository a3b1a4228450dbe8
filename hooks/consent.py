"""Asks the person at the terminal what to do with the patches that a request has made: the one place that does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litecode.core.values import Patch, Run, State
from litecode.hooks.show.diff import diff_lines
from litecode.hooks.show.terminal import Style, Terminal, visible
from litecode.hooks.show.text import count

ALL = (
    "y - stage all of it",
    "n - keep it held, stage nothing",
    "f - decide file by file",
    "d - show the diff again",
    "? - this help",
)
EACH = (
    "y - stage this file",
    "n - leave it held",
    "a - stage it and all that follow",
    "q - leave it and all that follow held",
    "d - show its diff again",
    "? - this help",
)

Read = Callable[[str], str]


def ask(run: Run, terminal: Terminal, read: Read) -> tuple[str, ...]:
    """The paths that the person wants staged. An end of input means no."""
    held = [patch for patch in run.patches if patch.state is State.HELD]
    if not held:
        return ()
    what, keys = ("this change", "y,n,d,?") if len(held) == 1 else (count(len(held), "file"), "y,n,f,d,?")
    question = f"Stage {what} [{keys}]? "
    while True:
        reply = _read(read, question)
        if reply == "y":
            return tuple(patch.path for patch in held)
        if reply in ("n", "q"):
            return ()
        if reply == "f" and len(held) > 1:
            return _each(held, terminal, read)
        if reply == "d":
            _show(held, terminal)
        else:
            _help(ALL, terminal)


def _each(held: Sequence[Patch], terminal: Terminal, read: Read) -> tuple[str, ...]:
    chosen: list[str] = []
    for number, patch in enumerate(held):
        _show([patch], terminal)
        while (reply := _read(read, f"Stage {visible(patch.path)} [y,n,a,q,d,?]? ")) not in ("y", "n", "a", "q"):
            if reply == "d":
                _show([patch], terminal)
            else:
                _help(EACH, terminal)
        if reply == "a":
            return (*chosen, *(other.path for other in held[number:]))
        if reply == "q":
            break
        if reply == "y":
            chosen.append(patch.path)
    return tuple(chosen)


def _read(read: Read, question: str) -> str:
    try:
        return read(question).strip().lower()[:1]
    except EOFError:
        return "n"


def _show(patches: Sequence[Patch], terminal: Terminal) -> None:
    for patch in patches:
        for line in diff_lines(patch.diff, terminal.colour_out):
            terminal.print(line)


def _help(lines: Sequence[str], terminal: Terminal) -> None:
    for line in lines:
        terminal.tell(terminal.err_style(line, Style.BOLD))
