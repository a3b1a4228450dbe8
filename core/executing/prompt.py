"""The words that the model is given for one region. Their form was chosen by measurement; see docs/models.md.

Code first and instruction last: the other order makes small models give back the code unchanged. The rule's message
is left out, because they take it for the instruction.
"""

from __future__ import annotations

import re

from litecode.core.values import Message

VERSION = "1"  # part of every cache key: a change of wording makes old replies worthless
SYSTEM = "You rewrite short pieces of source code. You never add imports, definitions, comments or explanations."


def fence_for(code: str) -> str:
    """A fence that is longer than any in the code."""
    longest = max((len(m) for m in re.findall(r"`{3,}", code)), default=2)
    return "`" * max(3, longest + 1)


def block(code: str, language: str | None) -> str:
    fence = fence_for(code)
    return f"{fence}{language or ''}\n{code}\n{fence}"


def edit_prompt(
    code: str, language: str | None, instruction: str, context: str = "", refusal: str = "", example: str = ""
) -> tuple[Message, ...]:
    """System and user message for one region. `context` are read-only lines around it, `refusal` what was wrong with
    the
    last reply.
    """
    parts = [block(code, language)]
    if context:
        parts.append(f"For your information, around it stands (do not repeat it):\n{block(context, language)}")
    if example:
        parts.append(example)
    parts.append(" ".join(instruction.split()) if "\n\n" not in instruction.strip() else instruction.strip())
    if refusal:
        parts.append(f"Careful: an earlier answer was wrong, because {refusal}.")
    parts.append("Reply with the complete changed code in one code block.")
    return (Message("system", SYSTEM), Message("user", "\n\n".join(parts)))
