"""Marks of a chat template inside of code, e.g. `<|im_end|>`.

Most servers read them as what they mean to the model, not as text: code that has them would end its own message and
begin another one. Such code is sent only where that cannot happen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from litecode.core.errors import ModelUnsafe
from litecode.core.values import Message

LOOKS = re.compile(
    r"<\|[^\s|<>]{1,64}\|>"  # most families
    r"|<\uff5c[^\s\uff5c<>]{1,64}\uff5c>"  # DeepSeek, with wide bars
    r"|<(?:start|end)_of_(?:turn|image|text)>"  # Gemma
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>"  # Mistral, Llama 2
)
MAYBE = re.compile(r"<[^\s<>]{1,64}>|\[/?[A-Z_]{2,32}\]")
"""Everything that can be such a mark in some family; most of it never is."""


def check_marks(messages: Iterable[Message], has_marks: Callable[[str], bool | None], who: str) -> None:
    """Raises ModelUnsafe when the endpoint would read a part of a message as a mark. `has_marks` knows for certain, or
    gives None; it is asked only about texts that may have some.
    """
    for message in messages:
        look = LOOKS.search(message.content)
        if look is None and MAYBE.search(message.content) is None:
            continue
        certain = has_marks(message.content)
        if certain or (certain is None and look is not None):
            what = f"`{look[0]}`" if look is not None else "text"
            raise ModelUnsafe(
                f"the code has {what} in it, which {who} would read as a mark of its own instead of as text",
                "exclude the file or the line from the rule, or use the embedded model, which reads it as text",
            )
