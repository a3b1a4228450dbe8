"""From what the model said to the code it gave: tolerant of wrapping, strict about content."""

from __future__ import annotations

import re
from dataclasses import dataclass

from litecode.core.values import Reply, Stop

LONGEST = 200_000  # characters of a reply that are looked at; a region is never that long
ALIKE = 0.5  # share of words from which on a text is the region's code again
_FENCE = re.compile(r"^(?P<margin>[ \t]*)(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE)
_THINK = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAIL = re.compile(r"(?:<\|(?:im_end|endoftext|eot_id|end)\|>|</s>|<end_of_turn>)\s*\Z")


@dataclass(frozen=True, slots=True)
class Unusable(Exception):
    """The reply has no code in it that can be judged; `reason` is one clause."""

    reason: str


def code_of(reply: Reply, region: str) -> str:
    """The code of a reply, without outer blank lines. `region` is what was sent. Raises Unusable."""
    if reply.stop is Stop.LENGTH:
        raise Unusable("the reply was cut off")
    if reply.stop is not Stop.END:
        raise Unusable("the reply did not end cleanly")
    if len(reply.text) > LONGEST:
        raise Unusable(f"the reply has {len(reply.text)} characters")
    if not _is_text(reply.text):
        raise Unusable("the reply is not valid Unicode")
    text = _TAIL.sub("", _THINK.sub("", re.sub("\r\n?", "\n", reply.text)))
    if not text.strip():
        raise Unusable("the reply is empty")
    blocks = _blocks(text)
    return _answer([_strip(block) for block in blocks], region) if blocks else _bare(text, region)


def _is_text(text: str) -> bool:
    """Whether it can be written to a file; JSON lets halves of characters through."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _answer(blocks: list[str], region: str) -> str:
    """The block that is most like the region. Some models show what they were given before what they made of it, so the
    region itself is the answer only when nothing else can be.
    """
    changed = [b for b in blocks if b != _strip(region) and _likeness(b, region) >= ALIKE]
    return max(changed or blocks, key=lambda b: _likeness(b, region))


def _blocks(text: str) -> list[str]:
    """The contents of the outermost fences; an unclosed fence runs to the end of the text."""
    blocks: list[str] = []
    at = 0
    while opening := _FENCE.search(text, at):
        marks = opening["marks"]
        closing = next(
            (
                m
                for m in _FENCE.finditer(text, opening.end())
                if m["marks"][0] == marks[0] and len(m["marks"]) >= len(marks) and not m["info"].strip()
            ),
            None,
        )
        body = text[opening.end() + 1 : closing.start() if closing else len(text)]
        blocks.append(_unmargined(body, opening["margin"]))
        if closing is None:
            break
        at = closing.end()
    return blocks


def _unmargined(body: str, margin: str) -> str:
    """A fence that is indented (in a list, say) has its content indented too."""
    lines = body.split("\n")
    if margin and all(not line.strip() or line.startswith(margin) for line in lines):
        return "\n".join(line[len(margin) :] for line in lines)
    return body


def _bare(text: str, region: str) -> str:
    """A reply without a fence counts only when it plainly is the region's code again, and nothing else."""
    code = _strip(text)
    if _likeness(code, region) < ALIKE or "```" in code:
        raise Unusable("the reply has no code block")
    return code


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _likeness(block: str, region: str) -> float:
    """Share of the words that block and region have in common (of the larger of the two)."""
    have, want = set(_words(block)), set(_words(region))
    return len(have & want) / max(1, len(have), len(want))


def _strip(code: str) -> str:
    """Without blank lines at both ends and without the white space after the last line; the first indentation stays."""
    lines = code.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines).rstrip()
