"""What a gate sees and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from litecode.core.patching.document import Cut
from litecode.core.patching.match import AstMatcher, Matcher
from litecode.core.patching.regions import Area
from litecode.core.patching.vocabulary import Vocabulary


class Grade(StrEnum):
    """REFUSE: the rewrite is damaged or wrong. AGREE: it says something that only the model knows, so that a second
    opinion counts. DOUBT: nothing that the code can check makes it right; a person decides.
    """

    REFUSE = "refuse"
    AGREE = "agree"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True)
class Objection:
    """What a gate has against a rewrite: `text` is one clause that a person and the model understand."""

    gate: str
    grade: Grade
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What the rule asks: its matcher, the words it may take away, what must not and what must be there afterwards.
    `shown` are the keywords and operators that come or go in the rule's own examples of fixed code.
    """

    vocabulary: Vocabulary
    matcher: Matcher | None
    reject: AstMatcher | None
    expect: AstMatcher | None
    ensure: tuple[str, ...]
    certain: bool  # every match is a violation (confidence: high)
    shown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Rewrite:
    """A region and its new text. `before` is the whole old text, `after` the whole new one, with `new` in the place of
    `area.cut` and without `ensure` lines; `complete` has those too.
    """

    before: str
    area: Area
    new: str
    after: str
    complete: str
    language: str | None
    asked: Asked

    @property
    def old(self) -> str:
        return self.area.cut.of(self.before)

    def spelt(self, word: str) -> str:
        """A word as it is compared: a rule about upper and lower case may change just that."""
        return word.casefold() if self.asked.vocabulary.about_case else word

    @property
    def new_cut(self) -> Cut:
        return Cut(self.area.cut.start, self.area.cut.start + len(self.new))


Gate = Callable[[Rewrite], Objection | None]


def quoted(text: str, limit: int = 60) -> str:
    """A piece of code for a message, on one line."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= limit else line[: limit - 1] + '…'}`"
