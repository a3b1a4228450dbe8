"""One region, one task: which calls to make, what to do with each reply, when to give up.

`rewrite_region` is a generator, so that it stays free of models and threads: it yields a `Prompt`, is sent the
`Reply`, and returns what became of the region. Whoever drives it makes the calls through the budget's door; a call
that cannot be made is thrown in.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

from litecode.core.errors import ModelTooLarge
from litecode.core.executing.agreement import difference
from litecode.core.executing.prompt import Example, Form, edit_prompt
from litecode.core.executing.repair import repair
from litecode.core.executing.reply import Unusable, code_of
from litecode.core.executing.salvage import variants
from litecode.core.patching.document import Document
from litecode.core.patching.gates.base import Asked, Grade, Objection, quoted
from litecode.core.patching.judge import Judgement, judge, rewrite_of
from litecode.core.patching.layout import dedent, indent, margin_of, on_one_line
from litecode.core.patching.regions import Area
from litecode.core.patching.syntax import tokens
from litecode.core.values import Prompt, Proof, Reply, Sampling

GREEDY = Sampling()


@dataclass(frozen=True, slots=True)
class Manner:
    """How one try is made; `joined` sends a statement over several lines on one."""

    form: Form = Form.RULE_FIRST
    joined: bool = False
    sampling: Sampling = GREEDY


# Each try has something changed beside the refusal in its prompt; see docs/benchmarks.md for what each is worth.
TRIES = (Manner(), Manner(Form.RULE_LAST, joined=True), Manner(joined=True))
# Where only the model knows: another form, and another draw.
OPINIONS = (Manner(Form.RULE_LAST), Manner(sampling=Sampling(0.4, 11)))


@dataclass(frozen=True, slots=True)
class Job:
    """What the executor needs to know of one region. `reserve` tells the tokens to keep free for the reply to it."""

    document: Document
    area: Area
    language: str | None
    instruction: str
    asked: Asked
    examples: tuple[Example, ...]
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
    fits: bool = True

    @property
    def conforms(self) -> bool:
        return self.new is None and self.proof is Proof.PROVEN


@dataclass(frozen=True, slots=True)
class _Draft:
    """A reply brought into the file's form, with what the gates say about it; `new` None is an unchanged region."""

    new: str | None
    judgement: Judgement


Steps = Generator[Prompt, Reply, Result]


def rewrite_region(job: Job) -> Steps:
    """See the module. Errors of the model other than ModelTooLarge end it: nothing is decided about the region then."""
    tries: list[Try] = []
    refusal = ""
    for manner in TRIES:
        try:
            job, reply = yield from _ask(job, manner, refusal)
        except ModelTooLarge as err:
            if tries:  # only the note was too much
                break
            return Result(job.area, None, Proof.REFUSED, err.message, fits=False)
        draft = _draft(job, reply)
        note, refusal = refusal, _refusal(job, draft)
        tries.append(Try(job.area, reply.text, refusal))
        if not refusal:
            return (yield from _settle(job, draft, note, tries))
    return Result(job.area, None, Proof.REFUSED, refusal, tuple(tries))


def _ask(job: Job, manner: Manner, note: str) -> Generator[Prompt, Reply, tuple[Job, Reply]]:
    """One call. When it does not fit, the job goes on without its examples; raises ModelTooLarge when it had none."""
    try:
        return job, (yield _prompt(job, manner, note))
    except ModelTooLarge:
        if not job.examples:
            raise
    job = replace(job, examples=())
    return job, (yield _prompt(job, manner, note))


def _prompt(job: Job, manner: Manner, note: str) -> Prompt:
    code = _sent(job)[0]
    if manner.joined:
        code = on_one_line(code, job.language)
    messages = edit_prompt(code, job.language, job.instruction, form=manner.form, examples=job.examples, note=note)
    return Prompt(messages, job.reserve(code), manner.sampling)


def first_prompt(job: Job) -> Prompt:
    """What `rewrite_region` asks first."""
    return _prompt(job, TRIES[0], "")


def _sent(job: Job) -> tuple[str, str]:
    """The region as the model sees it, and the margin to put back."""
    text = job.area.cut.of(job.document.text)
    margin = margin_of(job.document.text, job.area.cut)
    dedented = dedent(text, margin)
    return (text, "") if dedented is None else (dedented, margin)


def _draft(job: Job, reply: Reply) -> _Draft:
    sent, margin = _sent(job)
    area = job.area
    try:
        code = code_of(reply, sent)
    except Unusable as err:
        return _Draft(None, Judgement(Objection("reply", Grade.REFUSE, err.reason)))
    new = indent(repair(code, sent, job.language, job.asked.vocabulary, job.asked.ensure), margin)
    old = area.cut.of(job.document.text)
    if new == old:
        return _Draft(None, Judgement(None))
    judgement = _judged(job, new)
    if judgement.refusal is None:
        return _Draft(new, judgement)
    first = job.document.position(area.cut.start)[0]
    lines = [job.document.lines_of(site) for site in area.sites]
    sites = [range(found.start - first, found.stop - first) for found in lines]
    comment_lines = {line for t in tokens(old, job.language) if t.is_comment for line in t.text.split("\n")}
    texts = {line.strip() for line in comment_lines}
    optional = not job.asked.certain
    for variant in variants(old, new, sites, optional=optional, is_comment=lambda line: line.strip() in texts):
        rest = _judged(job, variant)
        if rest.refusal is None:
            return _Draft(variant, rest)
    return _Draft(new, judgement)


def _judged(job: Job, new: str) -> Judgement:
    return judge(rewrite_of(job.document, job.area, new, job.language, job.asked))


def _refusal(job: Job, draft: _Draft) -> str:
    if draft.judgement.refusal is not None:
        return draft.judgement.refusal.text
    if draft.new is None and job.asked.certain:
        return "the code must change: " + "; ".join(quoted(site.of(job.document.text)) for site in job.area.sites)
    return ""


def _settle(job: Job, draft: _Draft, note: str, tries: list[Try]) -> Steps:
    """A draft that no gate refuses: proven, or doubtful until second opinions, told the same `note`, say the same."""
    if draft.new is None or draft.judgement.settled:
        return Result(job.area, draft.new, Proof.PROVEN, "", tuple(tries))
    doubt = next((d for d in draft.judgement.doubts if d.grade is Grade.DOUBT), draft.judgement.doubts[0])
    if doubt.grade is Grade.DOUBT:
        if not job.asked.certain and (yield from _leaves_alone(job, note, tries)):
            return Result(job.area, None, Proof.PROVEN, "", tuple(tries))
        return Result(job.area, draft.new, Proof.DOUBTFUL, doubt.text, tuple(tries))
    agreed = 0
    # Where everything that was added was asked for, one more answer is enough to show that nothing was forgotten.
    asked_for = all(d.gate == "far" for d in draft.judgement.doubts)
    for manner in OPINIONS[: 1 if asked_for else None]:
        try:
            job, reply = yield from _ask(job, manner, note)
        except ModelTooLarge as err:
            return Result(job.area, draft.new, Proof.DOUBTFUL, f"{doubt.text}; {err.message}", tuple(tries))
        other = _draft(job, reply)
        differs = _difference(job, draft, other)
        tries.append(Try(job.area, reply.text, differs))
        if other.judgement.refusal is not None:
            continue  # no answer at all is no other answer
        if differs and other.new is not None and other.judgement.settled:
            return Result(job.area, other.new, Proof.PROVEN, "", tuple(tries))  # it has nothing of the model's own
        if differs:
            return Result(job.area, draft.new, Proof.DOUBTFUL, f"{doubt.text}; {differs}", tuple(tries))
        agreed += 1
    if not agreed:
        return Result(job.area, draft.new, Proof.DOUBTFUL, f"{doubt.text}; no second answer was good", tuple(tries))
    return Result(job.area, draft.new, Proof.PROVEN, "", tuple(tries))


def reviewed(job: Job, found: Result) -> Steps:
    """A doubtful result, and what another model makes of the same region, which is not shown it. It is proven when both
    forms of the prompt bring the same text; a candidate that one of them leaves alone is no violation. What gates
    doubt for other reasons stays with a person.
    """
    if found.new is None:
        return found
    draft = _Draft(found.new, _judged(job, found.new))
    if any(doubt.grade is Grade.DOUBT and doubt.gate != "proof" for doubt in draft.judgement.doubts):
        return found
    tries = list(found.tries)
    for manner in (TRIES[0], OPINIONS[0]):
        try:
            job, reply = yield from _ask(job, manner, "")
        except ModelTooLarge as err:
            return replace(found, reason=f"{found.reason}; {err.message}", tries=tuple(tries))
        other = _draft(job, reply)
        differs = "" if other.new == found.new else _difference(job, draft, other) or "another form of it"
        tries.append(Try(job.area, reply.text, differs))
        if other.new is None and other.judgement.refusal is None and not job.asked.certain:
            return Result(job.area, None, Proof.PROVEN, "", tuple(tries))
        if differs:
            return replace(found, reason=f"{found.reason}; the judge: {differs}", tries=tuple(tries))
    return Result(job.area, found.new, Proof.PROVEN, "", tuple(tries))


def _leaves_alone(job: Job, note: str, tries: list[Try]) -> Generator[Prompt, Reply, bool]:
    """Whether the other form of the prompt leaves a candidate as it is. Shown conforming code, small models like to
    change it all the same; a change that only one form wants is none.
    """
    try:
        job, reply = yield from _ask(job, OPINIONS[0], note)
    except ModelTooLarge:
        return False
    other = _draft(job, reply)
    alone = other.new is None and other.judgement.refusal is None
    tries.append(Try(job.area, reply.text, "a second answer leaves it as it is" if alone else ""))
    return alone


def _difference(job: Job, draft: _Draft, other: _Draft) -> str:
    """How a second opinion differs from the draft, empty when it says the same code."""
    if other.judgement.refusal is not None:
        return f"a second answer was no good: {other.judgement.refusal.text}"
    if other.new is None:
        return "a second answer leaves it as it is"
    found = difference(draft.new or "", other.new, job.area.cut.of(job.document.text), job.language)
    return "" if found is None else f"two answers: {', '.join(found)}"
