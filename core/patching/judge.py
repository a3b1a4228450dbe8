"""All gates in their order, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litecode.core.patching import ensure
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.gates import (
    choice,
    comments,
    grammar,
    javascript,
    literals,
    members,
    polarity,
    proof,
    python,
    reach,
    shell,
    statements,
    text,
    values,
    wording,
)
from litecode.core.patching.gates.base import Asked, Gate, Grade, Objection, Rewrite
from litecode.core.patching.gates.comments import lost_comment
from litecode.core.patching.regions import Area
from litecode.core.patching.vocabulary import vocabulary

GATES: tuple[Gate, ...] = (
    *text.GATES,
    *grammar.GATES,
    *javascript.GATES,
    *comments.GATES,
    *reach.GATES,
    *wording.GATES,
    *members.GATES,
    *literals.GATES,
    *polarity.GATES,
    *python.GATES,
    *shell.GATES,
    *values.GATES,
    *statements.GATES,
    *choice.GATES,
    *proof.GATES,
)

_NOTHING_ASKED = Asked(vocabulary(""), None, None, None, (), certain=False)


@dataclass(frozen=True, slots=True)
class Judgement:
    """`refusal` is the first objection that rules the rewrite out; `doubts` are those that a second opinion or a person
    must settle.
    """

    refusal: Objection | None
    doubts: tuple[Objection, ...] = ()

    @property
    def settled(self) -> bool:
        """Nothing is left to ask."""
        return self.refusal is None and not self.doubts


def rewrite_of(document: Document, area: Area, new: str, language: str | None, asked: Asked) -> Rewrite:
    """The rewrite with the texts that the gates need."""
    after = splice(document.text, [Edit(area.cut, new)])
    complete = ensure.apply(after, language, asked.ensure) if asked.ensure else after
    return Rewrite(document.text, area, new, after, complete, language, asked)


def judge(rewrite: Rewrite, gates: Sequence[Gate] = GATES) -> Judgement:
    """Every gate is asked until one refuses; doubts are collected."""
    doubts: list[Objection] = []
    for gate in gates:
        objection = gate(rewrite)
        if objection is None:
            continue
        if objection.grade is Grade.REFUSE:
            return Judgement(objection, ())
        doubts.append(objection)
    return Judgement(None, tuple(doubts))


def fault_of_fix(before: str, after: str, language: str | None, *, comments_may_go: bool) -> str:
    """What is wrong with a whole file after all replacements of a rule, empty when nothing is. With
    `comments_may_go` somebody has looked at them already, or the rule is about them.
    """
    rewrite = Rewrite(before, Area(Cut(0, len(before)), "file", ()), after, after, after, language, _NOTHING_ASKED)
    for gate in (grammar.syntax, python.flakes, python.logging_calls):
        objection = gate(rewrite)
        if objection is not None:
            return objection.text
    return "" if comments_may_go else lost_comment(before, after, language)
