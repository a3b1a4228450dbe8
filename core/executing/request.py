"""One task of a request on one file: which parts change, what the model is asked, what its answers are worth.

`carry_out` is a generator like the executor of rules: it yields prompts, is sent replies, and returns the whole new
text of the file. A call that cannot be made is thrown in.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass

from litecode.core.executing.attempt import Reserve, Spot, rewrite, with_lines
from litecode.core.executing.choose import choices, named
from litecode.core.executing.executor import Try
from litecode.core.filemap.outline import outline
from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.wish import wish
from litecode.core.values import Contract, Prompt, Proof, Reply, Task


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


def carry_out(
    task: Task,
    request: str,
    contract: Contract,  # noqa: ARG001 - part of the seam
    target: Target,
    others: Mapping[str, Document],
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
    lines: tuple[str, ...] = ()
    for part in parts:
        spot = Spot(target.path, document, part.area, target.grammar, request, wish(request), others, reserve)
        draft, reason = yield from rewrite(spot, tries)
        if draft is None:
            return Edited(None, Proof.REFUSED, f"{part.symbol.name}: {reason}", tuple(tries))
        edits.append(Edit(part.area.cut, draft.new))
        lines += draft.imports
    text = with_lines(splice(document.text, edits), target.grammar, tuple(dict.fromkeys(lines)))
    return Edited(text, Proof.ASKED, "", tuple(tries))
