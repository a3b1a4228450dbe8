"""One region of a request: what the model is asked, how its reply is brought into the file's form, what the gates say,
and how many answers agree.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace

from litecode.core.errors import ModelTooLarge
from litecode.core.executing.agreement import meaning
from litecode.core.executing.executor import GREEDY, Try
from litecode.core.executing.needs import needed, offered
from litecode.core.executing.nounset import with_defaults
from litecode.core.executing.prompt import Form, edit_prompt
from litecode.core.executing.provided import Provided, unused, with_members, without_owner
from litecode.core.executing.repair import repair
from litecode.core.executing.reply import Unusable, code_of
from litecode.core.executing.restore import restored
from litecode.core.executing.unwrap import unwrapped, without_known
from litecode.core.filemap.outline import outline
from litecode.core.patching import ensure
from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.gates import beside, grammar, javascript, python, reach, text
from litecode.core.patching.gates.base import Asked, Gate, Grade, Objection
from litecode.core.patching.gates.empties import empties
from litecode.core.patching.gates.foreign import Classes, foreign
from litecode.core.patching.gates.ideas import GATES as IDEAS
from litecode.core.patching.gates.selves import selves
from litecode.core.patching.gates.wishes import GATES as WISHES
from litecode.core.patching.judge import judge, rewrite_of
from litecode.core.patching.layout import dedent, indent, margin_of
from litecode.core.patching.pyimports import with_imports
from litecode.core.patching.regions import Area
from litecode.core.patching.wish import Wish
from litecode.core.values import Prompt, Reply, Sampling

FIRST: tuple[Gate, ...] = (*text.GATES, grammar.syntax, grammar.heads)
LAST: tuple[Gate, ...] = (*javascript.GATES, *reach.GATES, python.flakes, python.logging_calls, python.tuples, selves)
_REQUESTS = (*WISHES, *IDEAS, empties, beside.statements, beside.unset)
Reserve = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Manner:
    form: Form
    sampling: Sampling = GREEDY


TRIES = (Manner(Form.RULE_LAST), Manner(Form.RULE_LAST, Sampling(0.3, 3)), Manner(Form.RULE_FIRST))
OPINIONS = tuple(Manner(Form.RULE_LAST, Sampling(0.6, seed)) for seed in (11, 12, 13, 14))


@dataclass(frozen=True, slots=True)
class Spot:
    """A region and what is asked of it. `others` are the other files of the plan, `optional` means that the region may
    stay as it is, `context` are lines for the model that are no part of the region, `provided` is what it must use,
    `classes` what the classes have that the file knows.
    """

    path: str
    document: Document
    area: Area
    language: str | None
    instruction: str
    wish: Wish
    others: Mapping[str, Document]
    reserve: Reserve
    optional: bool = False
    context: str = ""
    provided: tuple[Provided, ...] = ()
    classes: Classes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """`new` is the region's new text, `imports` the lines that it needs; `objection` None when no gate refuses."""

    new: str
    imports: tuple[str, ...]
    objection: Objection | None


Drafts = Generator[Prompt, Reply, tuple[Draft | None, str]]


def rewrite(spot: Spot, tries: list[Try]) -> Drafts:
    """The draft of a region that no gate refuses and that others agree with, or None and why there is none."""
    refusal = ""
    for manner in TRIES:
        try:
            draft, refusal = yield from _try(spot, manner, refusal, tries)
        except ModelTooLarge as err:
            return None, refusal or err.message
        if not refusal:
            return (yield from _agreed(spot, draft, tries))
    return None, refusal


def _try(spot: Spot, manner: Manner, note: str, tries: list[Try]) -> Generator[Prompt, Reply, tuple[Draft, str]]:
    reply = yield _prompt(spot, manner, note)
    draft = drafted(spot, reply)
    refusal = draft.objection.text if draft.objection else ""
    if draft.objection is not None and draft.objection.gate == "changed" and spot.optional:
        refusal = ""
    tries.append(Try(spot.area, reply.text, refusal))
    return draft, refusal


def _agreed(spot: Spot, draft: Draft, tries: list[Try]) -> Drafts:
    """The first answer that another one agrees with. Where all differ the model does not know what is wanted, and none
    of them is any good.
    """
    if spot.wish.only is not None:
        return draft, ""  # words for people: no two answers have the same
    old = spot.area.cut.of(spot.document.text)
    drafts = {meaning(draft.new, old, spot.language, spot.instruction): draft}
    for manner in OPINIONS:
        try:
            other, refusal = yield from _try(spot, manner, "", tries)
        except ModelTooLarge:
            return draft, ""
        key = meaning(other.new, old, spot.language, spot.instruction)
        if not refusal and key in drafts:
            return drafts[key], ""
        if not refusal:
            drafts[key] = other
    return None, f"of {len(OPINIONS) + 1} answers no two do the same; say the change more exactly"


def _sent(spot: Spot) -> tuple[str, str]:
    """The region as the model sees it, and the margin to put back."""
    part = spot.area.cut.of(spot.document.text)
    margin = margin_of(spot.document.text, spot.area.cut)
    dedented = dedent(part, margin)
    return (part, "") if dedented is None else (dedented, margin)


def _prompt(spot: Spot, manner: Manner, note: str) -> Prompt:
    code = _sent(spot)[0]
    words = f"{spot.instruction.rstrip('. ')}. {spot.context}".strip() if spot.context else spot.instruction
    messages = edit_prompt(code, spot.language, words, form=manner.form, note=note)
    return Prompt(messages, spot.reserve(code), manner.sampling)


def drafted(spot: Spot, reply: Reply) -> Draft:
    """A reply brought into the file's form, and what the gates have against it."""
    sent, margin = _sent(spot)
    try:
        code = code_of(reply, sent)
    except Unusable as err:
        return Draft("", (), Objection("reply", Grade.REFUSE, err.reason))
    known = [s.name for s in outline(spot.document.text, spot.path).symbols]
    code = unwrapped(code, sent, spot.language, spot.path, known)
    code = without_known(code, sent, spot.document.text) if spot.language == "python" else code
    comments = spot.wish.about_comments(spot.language)
    vocabulary = replace(spot.wish.vocabulary, about_comments=comments)
    imports = offered(code, spot.language)
    code = repair(code, sent, spot.language, vocabulary, ())
    code = restored(code, sent, spot.language, docs=spot.wish.about_docs, comments=comments)
    new = _helped(spot, indent(code, margin))
    after = splice(spot.document.text, [Edit(spot.area.cut, new)])
    lines = needed(spot.document.text, after, spot.path, spot.language, spot.others, imports)
    asked = Asked(vocabulary, None, None, None, lines, certain=False)
    found = rewrite_of(spot.document, spot.area, new, spot.language, asked)
    refusal = judge(found, FIRST).refusal
    if refusal is None:
        refusal = next((o for gate in _REQUESTS if (o := gate(found, spot.wish)) is not None), None)
    refusal = refusal or unused(after, spot.language, spot.provided) or judge(found, LAST).refusal
    refusal = refusal or foreign(found, spot.classes)
    return Draft(new, lines, refusal)


def _helped(spot: Spot, new: str) -> str:
    """What code knows better than a small model about names around the region."""
    text = spot.document.text
    new = without_owner(new, text, [p.name for p in spot.provided if not p.owner])
    if spot.language == "bash":
        return with_defaults(new, text)
    if spot.language == "python":
        return with_members(new, text, splice(text, [Edit(spot.area.cut, new)]))
    return new


def with_lines(document_text: str, language: str | None, lines: tuple[str, ...]) -> str:
    """A file with the import lines that its new code needs."""
    return with_imports(document_text, lines) if language == "python" else ensure.apply(document_text, language, lines)
