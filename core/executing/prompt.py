"""The words that the model is given for one region. Their form was chosen by measurement; see docs/models.md.

The rule stands in the system message and the code alone in the user's: small models then answer with the code alone,
and the server reads the rule once for all regions. The other form, code first and rule last, is the second opinion.
The rule's message is in neither, because small models take it for the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from litecode.core.values import Message

VERSION = "2"  # part of every cache key: a change of wording makes old replies worthless
SYSTEM = "You rewrite short pieces of source code. You never add imports, definitions, comments or explanations."
ANSWER = "Reply with the complete changed code in one code block."


class Form(StrEnum):
    """Where the instruction stands."""

    RULE_FIRST = "rule-first"
    RULE_LAST = "rule-last"


Example = tuple[str, str]  # code, and what it becomes


def fence_for(code: str) -> str:
    """A fence that is longer than any in the code."""
    longest = max((len(m) for m in re.findall(r"`{3,}", code)), default=2)
    return "`" * max(3, longest + 1)


def block(code: str, language: str | None) -> str:
    fence = fence_for(code)
    return f"{fence}{language or ''}\n{code}\n{fence}"


def edit_prompt(
    code: str,
    language: str | None,
    instruction: str,
    *,
    form: Form = Form.RULE_FIRST,
    examples: Sequence[Example] = (),
    note: str = "",
) -> tuple[Message, ...]:
    """The messages for one region. `note` is a fact that an earlier answer missed, as a clause."""
    rule = " ".join(instruction.split())
    hint = f"Note that {note}." if note else ""
    shots = [
        Message(role, block(text, language))
        for pair in examples
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    if form is Form.RULE_FIRST:
        last = "\n\n".join(part for part in (block(code, language), f"{hint} {ANSWER}" if hint else "") if part)
        return (Message("system", f"{SYSTEM} {rule}"), *shots, Message("user", last))
    last = "\n\n".join((block(code, language), "\n".join(part for part in (rule, hint, ANSWER) if part)))
    return (Message("system", SYSTEM), *shots, Message("user", last))
