"""Gates for what an instruction leaves to the model, and for what it names and an answer must have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.literals import FORMATS
from litecode.core.patching.gates.wording import may_go
from litecode.core.patching.syntax import parse

_EMPTIES = frozenset("empty blank remove delete drop clear strip without".split())
_EMPTY = re.compile(r"(?<![\"'])(?:\"\"|'')(?![\"'])")
_PIECES = re.compile(r"\w+|[^\w\s]")


def choice(rewrite: Rewrite) -> Objection | None:
    """What only some places need (`if it is a country code, quote it`) is known to the model alone."""
    if not rewrite.asked.vocabulary.choices:
        return None
    clause = " ".join(rewrite.asked.vocabulary.choices[0].split())
    return Objection("choice", Grade.DOUBT, f"the instruction leaves a choice: {quoted(clause)}")


def raised(rewrite: Rewrite) -> Objection | None:
    """The error that the instruction says is raised, where nothing like it was there before."""
    wanted = rewrite.asked.vocabulary.raises
    old, new = (set(re.findall(r"\w+", text)) for text in (rewrite.old, rewrite.new))
    if wanted and not wanted & old and not wanted & new:
        return Objection("raised", Grade.REFUSE, f"{quoted(min(wanted))} must be raised, but it is not there")
    return None


def emptied(rewrite: Rewrite) -> Objection | None:
    """A text does not become an empty one."""
    if _EMPTIES & rewrite.asked.vocabulary.words:
        return None
    if len(_EMPTY.findall(rewrite.new)) > len(_EMPTY.findall(rewrite.old)):
        return Objection("emptied", Grade.REFUSE, "a text became empty; keep it")
    return None


def arguments(rewrite: Rewrite) -> Objection | None:
    """A call of Go that formats has as many values as its text has places."""
    if rewrite.language != "go":
        return None
    old, new = list(_miscounted(rewrite.before)), list(_miscounted(rewrite.after))
    if len(new) > len(old):
        return Objection("arguments", Grade.REFUSE, f"{quoted(new[-1])} has not as many values as places for them")
    return None


def _miscounted(text: str) -> Iterator[str]:
    for node in parse(text, "go").walk():
        if node.kind != "call_expression":
            continue
        called, given = node.field("function"), node.field("arguments")
        if called is None or given is None or not re.search(r"[a-z]f$", called.text):
            continue
        values = [child for child in given.children() if child.named and child.kind != "comment"]
        at = next((n for n, child in enumerate(values) if child.kind.endswith("string_literal")), None)
        if at is None or "..." in given.text or "%[" in values[at].text:
            continue
        places = [m.group() for m in FORMATS["go"].finditer(values[at].text.replace("%%", ""))]
        if len(places) + "".join(places).count("*") != len(values) - at - 1:
            yield node.text


def plain(rewrite: Rewrite) -> Objection | None:
    """In a file that no grammar reads: words and signs go only where the rule has them, and what comes stands in the
    instruction as it is, behind the same word: `customers (id, name)`.
    """
    if rewrite.language is not None or not rewrite.area.sites:
        return None
    matcher, said = rewrite.asked.matcher, rewrite.asked.vocabulary
    known = {w.casefold() for w in (*may_go(rewrite), *said.words, *said.numbers)}
    signs = f"{said.signs} {matcher.signs if matcher else ''}"
    old, new, told = (_PIECES.findall(text) for text in (rewrite.old, rewrite.new, said.text))
    for _, i1, i2, j1, j2 in (
        op for op in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if op[0] != "equal"
    ):
        for token in old[i1:i2]:
            if token.casefold() not in known and token not in signs:
                return Objection("plain", Grade.DOUBT, f"{quoted(token)} was changed, moved or lost")
        come = new[j1:j2]
        single = len(come) == 1 and (come[0].casefold() in known or come[0] in signs)
        if come and not single and not _stands(new[max(0, j1 - 1) : j2], told):
            return Objection("plain", Grade.DOUBT, f"{quoted(' '.join(come))} is the model's own")
    return None


def _stands(run: list[str], told: list[str]) -> bool:
    """Whether tokens stand one behind the other in a text; how they are written does not count."""
    folded, wanted = [t.casefold() for t in told], [t.casefold() for t in run]
    return any(folded[n : n + len(wanted)] == wanted for n in range(len(folded) - len(wanted) + 1))


GATES = (raised, emptied, arguments, plain, choice)
