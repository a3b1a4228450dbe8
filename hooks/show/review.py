"""A dialogue about held patches, hunk by hunk, with the keys of `git add -p`.

It reads lines and writes text, so it works over a pipe as well; the end of the input is a `q`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from litecode.core.errors import LitecodeError, UsageError
from litecode.core.held import Decision, base_of, verdicts_of
from litecode.core.patching.hunks import BadHunk, Hunk, assemble, edited, hunks_of, split
from litecode.core.values import Patch, Run, State, Verdict
from litecode.hooks.show.diff import diff_lines
from litecode.hooks.show.terminal import Style, Terminal, cut, visible
from litecode.hooks.show.text import LONGEST_REASON, count

KEYS = """\
y - stage this hunk
n - do not stage it, and drop it
a - stage this hunk and all later ones of the file
d - drop this hunk and all later ones of the file
j - leave it undecided: it stays held
s - split it into smaller hunks
e - edit it, then stage it
q - quit: this hunk and all later ones stay held
? - print this help"""

_EDIT_HELP = """\
# To leave out a removed line ('-'), make the '-' a blank; to leave out an added line ('+'), delete it.
# Lines that begin with # do not count. When nothing is left the hunk stays as it was.
"""


class Stance(StrEnum):
    OPEN = "open"
    TAKEN = "taken"
    DROPPED = "dropped"


@dataclass(slots=True)
class Piece:
    """One hunk and what the person thinks of it; `name` is its number, `2.1` for a part of the second."""

    name: str
    hunk: Hunk
    stance: Stance = Stance.OPEN


@dataclass(slots=True)
class Item:
    """An open patch under review."""

    run: Run
    patch: Patch
    base: bytes
    pieces: list[Piece] = field(default_factory=list)

    @classmethod
    def of(cls, run: Run, patch: Patch, object_format: str) -> Item:
        base = base_of(patch, object_format)
        hunks = enumerate(hunks_of(base, patch.change.after), 1)
        return cls(run, patch, base, [Piece(str(number), hunk) for number, hunk in hunks])

    def content(self, *stances: Stance) -> bytes:
        """The base with the hunks of these stances. Raises BadHunk when they do not go together."""
        return assemble(self.base, [piece.hunk for piece in self.pieces if piece.stance in stances])

    def decision(self) -> Decision | None:
        """None while nothing is decided."""
        if all(piece.stance is Stance.OPEN for piece in self.pieces):
            return None
        keep = self.content(Stance.TAKEN, Stance.OPEN)
        return Decision(self.patch, self.base, self.content(Stance.TAKEN), keep)

    def verdicts(self, hunk: Hunk) -> tuple[Verdict, ...]:
        """Those that have to do with the hunk; all of the file when that cannot be told."""
        every = verdicts_of(self.run, self.patch)
        first, last = hunk.old + 1, hunk.old + max(len(hunk.side("-")), 1)
        near = tuple(v for v in every if any(f.line <= last and first <= f.end_line for f in v.findings))
        return near or every


def choose(items: Sequence[Item], which: Sequence[str], stance: Stance, where: Callable[[str], str]) -> None:
    """Take or drop hunks by name: a file, a folder, or `PATH:HUNK`; `where` makes a repository path of an argument.
    Raises UsageError for what is not there.
    """
    for name in which:
        pieces = list(_named(items, name, where))
        if not pieces:
            known = ", ".join(f"{item.patch.path} (1 to {len(item.pieces)})" for item in items)
            raise UsageError(f"there is no held hunk {name}", f"PATH or PATH:HUNK; there are: {known}")
        for piece in pieces:
            if piece.stance not in (Stance.OPEN, stance):
                raise UsageError(f"{name} is to be accepted and rejected", "name it once")
            piece.stance = stance


def _named(items: Sequence[Item], name: str, where: Callable[[str], str]) -> Iterator[Piece]:
    path, colon, number = name.rpartition(":")
    place = where(name)
    for item in items:
        if not place or item.patch.path == place or item.patch.path.startswith(f"{place}/"):
            yield from item.pieces
        elif colon and path and item.patch.path == where(path):
            yield from (piece for piece in item.pieces if piece.name == number)


def show_items(items: Sequence[Item], terminal: Terminal) -> None:
    """All hunks with their names, their rules and why they are held."""
    for item in items:
        for piece in item.pieces:
            _show(item, piece, terminal)


@dataclass(frozen=True, slots=True)
class Dialogue:
    """`read` gives the next answer without its newline, None at the end of the input. `edit` opens a text in an editor
    and gives what was saved. `echo` prints the answers, which a pipe does not show.
    """

    terminal: Terminal
    read: Callable[[], str | None]
    edit: Callable[[str], str]
    echo: bool = False

    def hold(self, items: Sequence[Item]) -> None:
        """Ask about every hunk until all are decided or the person has had enough."""
        for item in items:
            if not self._item(item):
                return

    def _item(self, item: Item) -> bool:
        at = 0
        while at < len(item.pieces):
            piece = item.pieces[at]
            _show(item, piece, self.terminal)
            if not self._piece(item, at):
                return False
            at += item.pieces[at] is piece  # else it was split, and its parts come next
            while at < len(item.pieces) and item.pieces[at].stance is not Stance.OPEN:
                at += 1
        return True

    def _piece(self, item: Item, at: int) -> bool:
        """Ask until the hunk is decided, left or split; False ends the review."""
        piece = item.pieces[at]
        keys = "y,n,a,d,j" + (",s" if len(split(piece.hunk)) > 1 else "") + ",e,q,?"
        while True:
            answer = self._ask(f"({at + 1}/{len(item.pieces)}) Stage this hunk [{keys}]?")
            if answer in ("y", "n", "a", "d"):
                stance = Stance.TAKEN if answer in "ya" else Stance.DROPPED
                for other in item.pieces[at:] if answer in "ad" else [piece]:
                    if other.stance is Stance.OPEN:
                        other.stance = stance
                return True
            if answer == "j":
                return True
            if answer == "q":
                return False
            if answer == "s" and ",s" in keys:
                parts = [Piece(f"{piece.name}.{n}", part) for n, part in enumerate(split(piece.hunk), 1)]
                item.pieces[at : at + 1] = parts
                self.terminal.print(f"Split into {len(parts)} hunks.")
                return True
            if answer == "s":
                self.terminal.print("This hunk cannot be split.")
            elif answer == "e":
                if self._edit(item, piece):
                    return True
            else:
                self.terminal.print(KEYS)

    def _ask(self, question: str) -> str:
        self.terminal.out.write(self.terminal.out_style(question, Style.BOLD) + " ")
        self.terminal.out.flush()
        answer = self.read()
        if self.echo or answer is None:
            self.terminal.print(visible(answer or ""))
        if answer is None:
            return "q"
        return answer.strip()[:1]

    def _edit(self, item: Item, piece: Piece) -> bool:
        before = piece.hunk
        try:
            hunk = edited(before, self.edit(before.text() + _EDIT_HELP))
            if hunk is None:
                self.terminal.print("Nothing was left of the hunk; it stays as it was.")
                return False
            piece.hunk = hunk
            item.content(Stance.TAKEN, Stance.OPEN)
        except BadHunk as error:
            piece.hunk = before
            self.terminal.print(f"The edited hunk does not fit: {error}.")
            return False
        except LitecodeError as error:
            self.terminal.print(f"{visible(error.message)} ({visible(error.hint)})")
            return False
        piece.stance = Stance.TAKEN
        return True


def _show(item: Item, piece: Piece, terminal: Terminal) -> None:
    where = f"{visible(item.patch.path)}, hunk {piece.name}, line {piece.hunk.line}"
    for verdict in item.verdicts(piece.hunk):
        said = next((f": {f.message}" for f in verdict.findings if f.message), "")
        terminal.print(terminal.out_style(f"{where}  {visible(verdict.rule) or 'request'}", Style.BOLD) + visible(said))
    state = "held" if item.patch.state is State.HELD else "not written"
    reasons = dict.fromkeys(v.reason or item.patch.reason for v in item.verdicts(piece.hunk))
    for reason in reasons or [item.patch.reason]:
        terminal.print(terminal.out_style(f"{state}: {cut(visible(reason), LONGEST_REASON)}", Style.YELLOW))
    for line in diff_lines(piece.hunk.text(), terminal.colour_out):
        terminal.print(line)


def closing(items: Sequence[Item]) -> str:
    """`2 hunks to stage, 1 dropped, 3 left held`"""
    stances = [piece.stance for item in items for piece in item.pieces]
    taken, lost, left = (stances.count(stance) for stance in (Stance.TAKEN, Stance.DROPPED, Stance.OPEN))
    return f"{count(taken, 'hunk')} to stage, {lost} dropped, {left} left held"
