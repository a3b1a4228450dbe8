"""Commit messages: what of a message file git is going to commit, and which `Litecode:` trailers it has.

Git decides both. The cleaning is that of `git stripspace`, the parsing that of `git interpret-trailers`, so that
comment characters, separators and folded lines are what this git and this configuration say. Messages are bytes:
their encoding is the person's choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from litecode.core.git.process import GitEnv
from litecode.core.git.repository import ConfigEntry

TRAILER = "Litecode"
RUN_TRAILER = "Litecode-Run"

_SCISSORS = re.compile(rb"^(\S+) -{24} >8 -{24}$", re.MULTILINE)
_OURS = re.compile(rb"^litecode(-run)?[ \t]*[^\w\s-]", re.IGNORECASE)
# What git tries for core.commentChar=auto, in its order.
_AUTO_CHARACTERS = b"#;@!$%^&|:"


class Cleanup(StrEnum):
    """What git does to the file before it commits it. Without an editor SCISSORS is the same as WHITESPACE."""

    STRIP = "strip"
    WHITESPACE = "whitespace"
    VERBATIM = "verbatim"
    SCISSORS = "scissors"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Manner:
    """How the message came about, as far as it decides what git does to it. `comment` is core.commentChar or
    core.commentString, `auto` included.
    """

    editor: bool = False
    cleanup: Cleanup = Cleanup.DEFAULT
    verbose: bool = False
    comment: str = "#"

    @property
    def cuts(self) -> bool:
        """Whether everything below a scissors line goes."""
        return self.verbose or (self.editor and self.cleanup is Cleanup.SCISSORS)

    @property
    def strips(self) -> bool:
        """Whether comment lines go."""
        return self.cleanup is Cleanup.STRIP or (self.editor and self.cleanup is Cleanup.DEFAULT)


@dataclass(frozen=True, slots=True)
class Asked:
    """One `Litecode:` trailer, unfolded. `run` is the id in the `Litecode-Run:` trailer that follows it, or empty."""

    text: str
    run: str = ""


def manner_of(
    entries: Iterable[ConfigEntry], *, editor: bool, cleanup: str | None = None, verbose: bool | None = None
) -> Manner:
    """What the configuration says, unless the command line (`cleanup`, `verbose`) says otherwise."""
    manner = Manner(editor)
    for entry in entries:
        if entry.key in ("core.commentchar", "core.commentstring") and entry.value:
            manner = replace(manner, comment=entry.value)
        elif entry.key == "commit.cleanup":
            manner = replace(manner, cleanup=_cleanup(entry.value or ""))
        elif entry.key == "commit.verbose":
            manner = replace(manner, verbose=_true(entry.value))
    if cleanup is not None:
        manner = replace(manner, cleanup=_cleanup(cleanup))
    return manner if verbose is None else replace(manner, verbose=verbose)


def _cleanup(word: str) -> Cleanup:
    """Git has refused an unknown word before anybody gets here."""
    return Cleanup(word) if word in tuple(Cleanup) else Cleanup.DEFAULT


def _true(value: str | None) -> bool:
    """`commit.verbose` is a boolean or a level."""
    return value is None or value.lower() in ("true", "yes", "on") or (value.isdecimal() and int(value) > 0)


def final_text(git: GitEnv, raw: bytes, manner: Manner) -> bytes:
    """The message that git makes of the file `raw`."""
    text = raw[: _end(raw, manner)]
    if manner.cleanup is Cleanup.VERBATIM:
        return text
    if not manner.strips:
        return git.read("stripspace", stdin=text).out
    options = ("-c", f"core.commentChar={_automatic(raw)}") if manner.comment == "auto" else ()
    return git.read(*options, "stripspace", "--strip-comments", stdin=text).out


def _end(raw: bytes, manner: Manner) -> int:
    """Where the part of a message file ends that is the message."""
    cut = _SCISSORS.search(raw) if manner.cuts else None
    return cut.start() if cut else len(raw)


def _automatic(raw: bytes) -> str:
    """The character that git has chosen for its remarks: they are what the file ends with."""
    scissors = _SCISSORS.search(raw)
    last = scissors[1] if scissors else next((line for line in reversed(raw.splitlines()) if line.strip()), b"")
    shape = re.match(rb"([" + re.escape(_AUTO_CHARACTERS) + rb"])(?=[ \t]|$)", last)
    return shape[1].decode() if shape else "#"


def trailers(git: GitEnv, text: bytes) -> tuple[Asked, ...]:
    """The `Litecode:` trailers of a cleaned message, in their order."""
    if not _mentions(text):
        return ()
    done = git.read("interpret-trailers", "--parse", "--no-divider", stdin=text)
    found: list[Asked] = []
    for line in done.out.splitlines():
        shape = _OURS.match(line)
        if shape is None:
            continue
        value = line[shape.end() :].strip().decode("utf-8", "replace")
        if not shape[1]:
            found.append(Asked(value))
        elif found and not found[-1].run:
            found[-1] = Asked(found[-1].text, value)
    return tuple(found)


def _mentions(text: bytes) -> bool:
    return b"litecode" in text.lower()


def with_runs(git: GitEnv, raw: bytes, runs: Sequence[str], manner: Manner, *, keep: bool = True) -> bytes:
    """The message file with the id of its run below each `Litecode:` trailer, `runs` having one for each, in order, an
    empty one for none; what was there before goes. With `keep` false the trailers themselves go, too.
    """
    end = _end(raw, manner)
    lines = raw[:end].splitlines(keepends=True)
    places = _trailer_lines(lines, len(_parsed(git, raw, manner)))
    out: list[bytes] = []
    names = iter(runs)
    taken = 0
    for start, stop in places:
        out += lines[taken:start]
        taken = stop
        if _is_run(lines[start]) or not keep:
            continue
        block = lines[start:stop]
        block[-1] = block[-1].rstrip(b"\r\n") + b"\n"
        name = next(names)
        out += [*block, *([f"{RUN_TRAILER}: {name}\n".encode()] if name else ())]
    out += lines[taken:]
    return b"".join(out) + raw[end:]


def _parsed(git: GitEnv, raw: bytes, manner: Manner) -> list[bytes]:
    """Our trailers as git lists them, a line each."""
    text = final_text(git, raw, manner)
    done = git.read("interpret-trailers", "--parse", "--no-divider", stdin=text)
    return [line for line in done.out.splitlines() if _OURS.match(line)]


def _is_run(line: bytes) -> bool:
    shape = _OURS.match(line)
    return bool(shape and shape[1])


def _trailer_lines(lines: Sequence[bytes], number: int) -> list[tuple[int, int]]:
    """Where our trailers are, each with the lines that are folded into it. Trailers are at the end of a message, so it
    is the last `number` lines that look like them.
    """
    starts = [at for at, line in enumerate(lines) if _OURS.match(line)]
    places = []
    for start in starts[len(starts) - number :] if number else []:
        stop = start + 1
        while stop < len(lines) and lines[stop][:1] in (b" ", b"\t") and lines[stop].strip():
            stop += 1
        places.append((start, stop))
    return places
