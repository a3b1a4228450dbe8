"""One task of a request on one file: which parts change, what the model is asked, what its answers are worth.

`carry_out` is a generator like the executor of rules: it yields prompts, is sent replies, and returns the whole new
text of the file. A call that cannot be made is thrown in.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from litecode.core.errors import ModelTooLarge
from litecode.core.executing.additions import Addition, asked_addition, place
from litecode.core.executing.attempt import Reserve, Spot, rewrite, with_lines
from litecode.core.executing.choose import (
    CLASSES,
    FUNCTIONS,
    WHOLE,
    Choice,
    ask,
    block_area,
    choices,
    entry_area,
    every,
    lines_area,
    named,
)
from litecode.core.executing.create import add_to, make_file
from litecode.core.executing.executor import Try
from litecode.core.executing.provided import Provided, provided
from litecode.core.filemap.outline import Outline, outline
from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.gates.foreign import Classes, classes_of
from litecode.core.patching.judge import fault_of_fix
from litecode.core.patching.regions import Area
from litecode.core.patching.setvalue import with_value
from litecode.core.patching.syntax import tokens
from litecode.core.patching.wish import wish
from litecode.core.values import Contract, Prompt, Proof, Reply, Task


@dataclass(frozen=True, slots=True)
class Target:
    """The file of a task; `document` None means that it is to be created. `changed` are the lines that the commit
    touches, None for all. `imports` are the files in scope that it imports.
    """

    path: str
    document: Document | None
    grammar: str | None
    changed: frozenset[int] | None = None
    imports: Mapping[str, Document] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edited:
    """`text` is the whole new text of the file, None when nothing may change; then `reason` says why."""

    text: str | None
    proof: Proof
    reason: str = ""
    tries: tuple[Try, ...] = ()


Steps = Generator[Prompt, Reply, Edited]
_HEAD = re.compile(r"[A-Za-z_$][\w$]*(?=\()")
_EACH = re.compile(r"\b(?:all|both|each|every|everywhere)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\s*;\s+|(?<=[.!])\s+|,?\s+and\s+(?:also\s+)?(?:in\s+)?(?=[`'\"]?[\w.]+[`'\"]?(?:\(\))?\s+(?:should|must|needs))"
)


def carry_out(
    task: Task,
    request: str,
    contract: Contract,
    target: Target,
    others: Mapping[str, Document],
    reserve: Reserve,
) -> Steps:
    """See the module. `others` are the other files of the plan as they are by now. Errors of the model other than
    ModelTooLarge end it.
    """
    job = _Job(task, request, contract, target, others, reserve, [], [])
    if target.document is None:
        text, reason = yield from make_file(target.path, request, wish(request), others, job.tries)
        return job.end(text, reason)
    valued = with_value(target.document.text, target.grammar, request)
    if valued is not None and fault_of_fix(target.document.text, valued, target.grammar, comments_may_go=False) == "":
        return job.end(valued)
    found = outline(target.document.text, target.path)
    addition = asked_addition(request, target.document, found, target.grammar)
    parts = yield from _parts(job, target.document, found, addition)
    if isinstance(parts, Addition):
        spot = job.spot(target.document, lines_area(target.document, 1, 1, "file"), request)
        text, reason = yield from add_to(spot, parts, job.tries)
        return job.end(text, reason)
    if not parts:
        return job.end(None, "it is not clear which part of the file should change; name a function or class of it")
    return (yield from _edit(job, target.document, found, parts))


@dataclass(frozen=True, slots=True)
class _Job:
    task: Task
    request: str
    contract: Contract
    target: Target
    others: Mapping[str, Document]
    reserve: Reserve
    tries: list[Try]
    news: list[str]

    def spot(
        self,
        document: Document,
        area: Area,
        words: str,
        *,
        optional: bool = False,
        context: str = "",
        given: tuple[Provided, ...] = (),
    ) -> Spot:
        return Spot(
            self.target.path,
            document,
            area,
            self.target.grammar,
            words,
            wish(words),
            self.others,
            self.reserve,
            optional,
            context,
            given,
            self.classes(document),
        )

    def classes(self, document: Document) -> Classes:
        if self.target.grammar != "python":
            return {}
        return classes_of({**self.target.imports, **self.others, self.target.path: document})

    def shared(self) -> str:
        """What the tasks of the plan share, word for word, as far as this file knows it."""
        document = self.target.document
        known = document.text if document is not None else ""
        said = [f"`{old}` is called `{new}` now." for old, new in self.contract.renames if _word(old) in known]
        heads = [s for s in self.contract.signatures if any(w in self.request + known for w in _HEAD.findall(s))]
        return " ".join([*said, *(f"Its signature is `{head}`." for head in heads), *map(str, self.given())])

    def given(self) -> tuple[Provided, ...]:
        own = self.target.document.text if self.target.document is not None else ""
        return provided(self.request, own, self.others)

    def end(self, text: str | None, reason: str = "") -> Edited:
        wrong = (self._stale(text) or self._missing(text)) if text is not None else ""
        if wrong:
            text, reason = None, wrong
        if text is None:
            return Edited(None, Proof.REFUSED, reason, tuple(self.tries))
        return Edited(text, Proof.ASKED, "", tuple(self.tries))

    def _missing(self, text: str) -> str:
        """An option that the request wants, and that no file of the task or of the plan has."""
        known = "".join([text, *(document.text for document in self.others.values())])
        flag = next((f for f in wish(self.request).flags if f not in known and f.removeprefix("--") not in known), "")
        return f"`{flag}` is asked for, but it is not there" if flag else ""

    def _stale(self, text: str) -> str:
        """A name that the plan has renamed is not in what was written."""
        document = self.target.document
        old_lines = set(document.text.split("\n")) if document is not None else set()
        written = "\n".join(self.news) or "\n".join(line for line in text.split("\n") if line not in old_lines)
        words = {t.text for t in tokens(written, self.target.grammar) if not t.is_comment and not t.is_string}
        stale = [(old, new) for old, new in self.contract.renames if _word(old) in words]
        return f"`{stale[0][0]}` is called `{stale[0][1]}` now, but is still there" if stale else ""


def _word(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _parts(
    job: _Job, document: Document, found: Outline, addition: Addition | None
) -> Generator[Prompt, Reply, list[Choice] | Addition]:
    """By code where names tell; else by the model, from an enum of what is there."""
    if addition is not None:
        return addition
    entry = entry_area(document, job.target.grammar, job.request)
    if entry is not None:
        return [Choice(entry.cut.of(document.text).partition(":")[0], entry)]
    parts = choices(document, named(job.request, found)) or choices(document, named(job.task.action, found))
    if len(parts) == 1 and parts[0].area.kind == "class":
        lines = parts[0].area.cut.of(document.text).count("\n") + 1
        if lines > WHOLE:
            inner = yield from _asked(job, document, found, parts[0].name)
            return inner or parts
    parts = parts or every(job.request, wish(job.request).only, document, found)
    if parts:
        return parts
    if not any(s.kind in FUNCTIONS | CLASSES for s in found.symbols):
        area = block_area(document, job.request)
        return [Choice(job.target.path, area)] if area is not None else []
    chosen = yield from _asked(job, document, found, "")
    if chosen is None:
        return place("", "function", "", job.request, document, found, job.target.grammar)
    return chosen


def _asked(job: _Job, document: Document, found: Outline, within: str) -> Generator[Prompt, Reply, list[Choice] | None]:
    try:
        return (yield from ask(job.request, document, found, within))
    except ModelTooLarge:
        return []


def _edit(job: _Job, document: Document, found: Outline, parts: list[Choice]) -> Steps:
    """Every part in its own call, from the last to the first, so that places stay what they are."""
    shares = _shares(job.request, found, parts)
    now = document
    lines: tuple[str, ...] = ()
    added: dict[str, str] = {}
    for part in reversed(parts):
        words = shares.get(part.name, job.request)
        several = len(parts) > 1 and part.name not in shares
        context = " ".join(filter(None, (job.shared(), f"Here change only `{part.name}`." if several else "")))
        given = job.given() if len(parts) == 1 else ()
        spot = job.spot(now, part.area, words, optional=several, context=context, given=given)
        draft, reason = yield from rewrite(spot, job.tries)
        if draft is None:
            return job.end(None, f"{part.name}: {reason}")
        twice = _twice(added, part, part.area.cut.of(now.text), draft.new, job.request)
        if twice:
            return job.end(None, twice)
        now = now.with_text(splice(now.text, [Edit(part.area.cut, draft.new)]))
        lines += draft.imports
        job.news.append(draft.new)
    if now.text == document.text:
        return job.end(None, "no part of the file was changed")
    return job.end(with_lines(now.text, job.target.grammar, tuple(dict.fromkeys(lines))))


def _twice(added: dict[str, str], part: Choice, old: str, new: str, request: str) -> str:
    """Why a part may not change: the same new lines stand in another one, and the request does not name both. `added`
    has the new lines of each part so far.
    """
    had = {line.strip() for line in old.split("\n")}
    block = "\n".join(line.strip() for line in new.split("\n") if line.strip() and line.strip() not in had)
    other = added.get(block, "") if "\n" in block else ""
    added[block] = part.name
    if not other or _EACH.search(request) or all(_word(name) in request for name in (other, part.name)):
        return ""
    return f"the same lines came into {other} and into {part.name}; name the one that should change"


def _shares(request: str, found: Outline, parts: list[Choice]) -> dict[str, str]:
    """The words about each part, where every clause of the request is about one of them."""
    if len(parts) < 2:
        return {}
    clauses = [c for c in _CLAUSE.split(request) if c.strip()]
    shares: dict[str, str] = {}
    for clause in clauses:
        names = {s.name for s in named(clause, found)} & {p.name for p in parts}
        if len(names) != 1 or len(clause.split()) < 3:
            return {}
        name = names.pop()
        shares[name] = f"{shares[name]}; {clause}" if name in shares else clause
    return shares if len(shares) == len(parts) else {}
