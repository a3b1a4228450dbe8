"""One region, one task: which calls to make, what to do with each reply, when to give up.

`rewrite_region` is a generator, so that it stays free of models and threads: it yields a `Prompt`, is sent the
`Reply`, and returns what became of the region. Whoever drives it makes the calls through the budget's door; a call
that cannot be made is thrown in.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

from litecode.core.errors import ModelTooLarge
from litecode.core.executing.prompt import edit_prompt
from litecode.core.executing.repair import repair
from litecode.core.executing.reply import Unusable, code_of
from litecode.core.executing.salvage import variants
from litecode.core.patching.document import Document
from litecode.core.patching.gates.base import Asked, Grade, Objection
from litecode.core.patching.judge import Judgement, judge, rewrite_of
from litecode.core.patching.layout import dedent, indent, margin_of
from litecode.core.patching.regions import Area, wider
from litecode.core.patching.syntax import tokens
from litecode.core.values import Prompt, Proof, Reply, Sampling

TRIES = 3  # the first and at most two more, each with something changed
OPINIONS = (Sampling(0.7, 11), Sampling(0.7, 12))  # second opinions, where only the model knows
WIDEST = 60  # lines of a region that a retry may grow to


@dataclass(frozen=True, slots=True)
class Job:
    """What the executor needs to know of one region. `reserve` tells the tokens to keep free for the reply to a text."""

    document: Document
    area: Area
    language: str | None
    instruction: str
    asked: Asked
    context: str
    reserve: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Try:
    """One try, for the record."""

    area: Area
    reply: str
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a region: `new` is its text, None when nothing may change. `reason` says why it is doubtful or
    refused.
    """

    area: Area
    new: str | None
    proof: Proof
    reason: str = ""
    tries: tuple[Try, ...] = ()

    @property
    def conforms(self) -> bool:
        return self.new is None and self.proof is Proof.PROVEN


@dataclass(frozen=True, slots=True)
class _Draft:
    """A reply brought into the file's form, with what the gates say about it; `new` None is an unchanged region."""

    area: Area
    new: str | None
    judgement: Judgement


Steps = Generator[Prompt, Reply, Result]


def rewrite_region(job: Job) -> Steps:
    """See the module. Errors of the model other than ModelTooLarge end it: nothing is decided about the region then."""
    tries: list[Try] = []
    area, refusal, sampling = job.area, "", Sampling()
    for number in range(TRIES):
        try:
            reply = yield _prompt(job, area, refusal, sampling)
        except ModelTooLarge as err:
            if job.context:
                job = replace(job, context="")
                continue
            return Result(job.area, None, Proof.REFUSED, err.message, tuple(tries))
        draft = _draft(job, area, reply.text, reply)
        refusal = _refusal(job, draft)
        tries.append(Try(area, reply.text, refusal))
        if not refusal:
            return (yield from _settle(job, draft, tries))
        area, sampling = _next(job, area, number)
    return Result(job.area, None, Proof.REFUSED, refusal, tuple(tries))


def _next(job: Job, area: Area, number: int) -> tuple[Area, Sampling]:
    """What is different in the next try, beside the refusal in its prompt."""
    grown = wider(job.document, area, job.language) if number == 1 else None
    if grown is not None and grown.cut.of(job.document.text).count("\n") < WIDEST:
        return grown, Sampling()
    return area, Sampling(0.5, 3 + number) if number == 1 else Sampling()


def _prompt(job: Job, area: Area, refusal: str, sampling: Sampling) -> Prompt:
    code = _sent(job.document, area)[0]
    messages = edit_prompt(code, job.language, job.instruction, job.context, refusal)
    return Prompt(messages, job.reserve(code), sampling)


def first_prompt(job: Job) -> Prompt:
    """What `rewrite_region` asks first."""
    return _prompt(job, job.area, "", Sampling())


def _sent(document: Document, area: Area) -> tuple[str, str]:
    """The region as the model sees it, and the margin to put back."""
    text = area.cut.of(document.text)
    margin = margin_of(document.text, area.cut)
    dedented = dedent(text, margin)
    return (text, "") if dedented is None else (dedented, margin)


def _draft(job: Job, area: Area, text: str, reply: Reply) -> _Draft:
    sent, margin = _sent(job.document, area)
    try:
        code = code_of(reply, sent)
    except Unusable as err:
        return _Draft(area, text, Judgement(Objection("reply", Grade.REFUSE, err.reason)))
    new = indent(repair(code, sent, job.language, job.asked.vocabulary, job.asked.ensure), margin)
    old = area.cut.of(job.document.text)
    if new == old:
        return _Draft(area, None, Judgement(None))
    judgement = _judged(job, area, new)
    if judgement.refusal is None:
        return _Draft(area, new, judgement)
    first = job.document.position(area.cut.start)[0]
    lines = [job.document.lines_of(site) for site in area.sites]
    sites = [range(found.start - first, found.stop - first) for found in lines]
    for variant in variants(old, new, sites, optional=not job.asked.certain):
        rest = _judged(job, area, variant)
        if rest.refusal is None:
            return _Draft(area, variant, rest)
    return _Draft(area, new, judgement)


def _judged(job: Job, area: Area, new: str) -> Judgement:
    return judge(rewrite_of(job.document, area, new, job.language, job.asked))


def _refusal(job: Job, draft: _Draft) -> str:
    if draft.new is None:
        return "it did not change anything" if job.asked.certain else ""
    return draft.judgement.refusal.text if draft.judgement.refusal else ""


def _settle(job: Job, draft: _Draft, tries: list[Try]) -> Steps:
    """A draft that no gate refuses: proven, or doubtful until second opinions say the same."""
    if draft.new is None or draft.judgement.settled:
        return Result(draft.area, draft.new, Proof.PROVEN, "", tuple(tries))
    doubts = draft.judgement.doubts
    hard = [d for d in doubts if d.grade is Grade.DOUBT]
    if hard:
        return Result(draft.area, draft.new, Proof.DOUBTFUL, hard[0].text, tuple(tries))
    for sampling in OPINIONS:
        try:
            reply = yield _prompt(job, draft.area, "", sampling)
        except ModelTooLarge as err:
            return Result(draft.area, draft.new, Proof.DOUBTFUL, err.message, tuple(tries))
        other = _draft(job, draft.area, reply.text, reply)
        difference = _difference(job, draft, other)
        tries.append(Try(draft.area, reply.text, difference))
        if difference:
            return Result(draft.area, draft.new, Proof.DOUBTFUL, f"{doubts[0].text}; {difference}", tuple(tries))
    return Result(draft.area, draft.new, Proof.PROVEN, "", tuple(tries))


def _difference(job: Job, draft: _Draft, other: _Draft) -> str:
    """How a second opinion differs from the draft, empty when it says the same code."""
    if other.judgement.refusal is not None:
        return f"a second answer was no good: {other.judgement.refusal.text}"
    one, two = (_code(d.new or "", job.language) for d in (draft, other))
    if one == two:
        return ""
    mine = next((a for a, b in zip(one, [*two, ""], strict=False) if a != b), one[-1] if one else "")
    theirs = next((b for a, b in zip([*one, ""], two, strict=False) if a != b), two[-1] if two else "")
    return f"two answers: {mine}, {theirs}"


def _code(text: str, language: str | None) -> list[str]:
    """The tokens that count in a comparison: no comments, no trailing commas, quotes of one kind."""
    found = [t.text.replace("'", '"') for t in tokens(text, language) if not t.is_comment]
    return [t for i, t in enumerate(found) if not (t == "," and found[i + 1 : i + 2] in ([")"], ["]"], ["}"]))]
