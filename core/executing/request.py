"""One task of a request on one file: which parts change, what the model is asked, what its answers are worth.

`carry_out` is a generator like the executor of rules: it yields prompts, is sent replies, and returns the whole new
text of the file. A call that cannot be made is thrown in.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace

from litecode.core.errors import ModelTooLarge
from litecode.core.executing.choose import choices, named
from litecode.core.executing.executor import GREEDY, Try
from litecode.core.executing.prompt import Form, edit_prompt
from litecode.core.executing.repair import repair
from litecode.core.executing.reply import Unusable, code_of
from litecode.core.filemap.outline import outline
from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.gates import grammar, javascript, python, text
from litecode.core.patching.gates.base import Asked, Gate, Grade, Objection
from litecode.core.patching.gates.wishes import GATES as WISHES
from litecode.core.patching.judge import judge, rewrite_of
from litecode.core.patching.layout import dedent, indent, margin_of
from litecode.core.patching.regions import Area
from litecode.core.patching.wish import Wish, wish
from litecode.core.values import Contract, Prompt, Proof, Reply, Sampling, Task

GATES: tuple[Gate, ...] = (
    *text.GATES,
    grammar.syntax,
    *javascript.GATES,
    python.flakes,
    python.logging_calls,
    python.tuples,
)


@dataclass(frozen=True, slots=True)
class Target:
    """The file of a task; `document` None means that it is to be created. `changed` are the lines that the commit
    touches, None for all.
    """

    path: str
    document: Document | None
    grammar: str | None
    changed: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """`text` is the whole new text of the file, None when nothing may change; then `reason` says why."""

    text: str | None
    proof: Proof
    reason: str = ""
    tries: tuple[Try, ...] = ()


Steps = Generator[Prompt, Reply, Edited]
Reserve = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Job:
    document: Document
    area: Area
    language: str | None
    instruction: str
    wish: Wish
    reserve: Reserve


@dataclass(frozen=True, slots=True)
class _Manner:
    form: Form
    sampling: Sampling = GREEDY


_TRIES = (_Manner(Form.RULE_LAST), _Manner(Form.RULE_LAST), _Manner(Form.RULE_LAST, Sampling(0.5, 7)))


def carry_out(
    task: Task,
    request: str,
    contract: Contract,  # noqa: ARG001 - part of the seam
    target: Target,
    others: Mapping[str, Document],  # noqa: ARG001 - part of the seam
    reserve: Reserve,
) -> Steps:
    """See the module. `others` are the other files of the plan as they are by now. Errors of the model other than
    ModelTooLarge end it.
    """
    if target.document is None:
        return Edited(None, Proof.REFUSED, "a new file cannot be made yet")
    document = target.document
    found = outline(document.text, target.path)
    parts = choices(document, named(request, found)) or choices(document, named(task.action, found))
    if not parts:
        return Edited(None, Proof.REFUSED, "the request names no part of the file")
    tries: list[Try] = []
    edits: list[Edit] = []
    for part in parts:
        job = _Job(document, part.area, target.grammar, request, wish(request), reserve)
        new, reason = yield from _rewrite(job, tries)
        if new is None:
            return Edited(None, Proof.REFUSED, f"{part.symbol.name}: {reason}", tuple(tries))
        edits.append(Edit(part.area.cut, new))
    return Edited(splice(document.text, edits), Proof.ASKED, "", tuple(tries))


def _rewrite(job: _Job, tries: list[Try]) -> Generator[Prompt, Reply, tuple[str | None, str]]:
    """The new text of a region, or why there is none."""
    refusal = ""
    for manner in _TRIES:
        try:
            reply = yield _prompt(job, manner, refusal)
        except ModelTooLarge as err:
            return None, refusal or err.message
        new, objection = _draft(job, reply)
        refusal = objection.text if objection else ""
        tries.append(Try(job.area, reply.text, refusal))
        if objection is None:
            return new, ""
    return None, refusal


def _sent(job: _Job) -> tuple[str, str]:
    """The region as the model sees it, and the margin to put back."""
    text = job.area.cut.of(job.document.text)
    margin = margin_of(job.document.text, job.area.cut)
    dedented = dedent(text, margin)
    return (text, "") if dedented is None else (dedented, margin)


def _prompt(job: _Job, manner: _Manner, note: str) -> Prompt:
    code = _sent(job)[0]
    messages = edit_prompt(code, job.language, job.instruction, form=manner.form, note=note)
    return Prompt(messages, job.reserve(code), manner.sampling)


def _draft(job: _Job, reply: Reply) -> tuple[str, Objection | None]:
    """A reply brought into the file's form, and what the gates have against it."""
    sent, margin = _sent(job)
    try:
        code = code_of(reply, sent)
    except Unusable as err:
        return "", Objection("reply", Grade.REFUSE, err.reason)
    vocabulary = replace(job.wish.vocabulary, about_comments=job.wish.about_docs)
    new = indent(repair(code, sent, job.language, vocabulary, ()), margin)
    asked = Asked(vocabulary, None, None, None, (), certain=False)
    rewrite = rewrite_of(job.document, job.area, new, job.language, asked)
    refusal = judge(rewrite, GATES).refusal
    if refusal is None:
        refusal = next((o for gate in WISHES if (o := gate(rewrite, job.wish)) is not None), None)
    return new, refusal
