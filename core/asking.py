"""Answers to questions about the code. Nothing here can write: files come in through a reading port alone, and what
goes out is a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from litecode.config.select import RULES_FILE
from litecode.core.calls import Caller, TaskCalls
from litecode.core.errors import ModelTooLarge
from litecode.core.executing.prompt import fence_for
from litecode.core.filemap.outline import Outline, Symbol
from litecode.core.patching.document import Document
from litecode.core.planning.mentions import Mentions
from litecode.core.values import Message, Prompt, Reply, Stop

RESERVE = 400
CODE_TOKENS = 2400  # of code in one question: what a small computer reads in half a minute
WHOLE_LINES = 80  # up to which a file is shown whole
SYSTEM = "You answer questions about a program from its source code, in a few plain sentences. You never write code."
TASK = "Answer from the code above alone. Name the file and the function that show it. If it is not there, say so."
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|\d+")
_ENDING = re.compile(r"(?:ing|ed|er|ers|es|s|e)$")
_COMMON = frozenset(
    "the and for how what why where which who when does did are was were has have had with from that this into when not"
    " can could would will should you its it is of to in on or a an do be by as at if there any many much show tell me"
    " explain about code file files function method class module".split()
)


class Reader(Protocol):
    """What an answer is read from."""

    def outlines(self, paths: Sequence[str] | None = None) -> Mapping[str, Outline]: ...
    def candidates(self, request: str, named: Sequence[str]) -> Sequence[str]: ...
    def document(self, path: str) -> Document | None: ...
    def defines(self, name: str) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines of one file, 1-based, the last one included. `at` is the line to look at first, 0 when none stands out."""

    path: str
    first: int
    last: int
    score: float
    at: int


def answer(reader: Reader, mentioned: Mentions, question: str, caller: Caller) -> str:
    """The model's answer, and below it the places that it was read from. Raises ModelErrors."""
    pieces = _chosen(reader, mentioned, question, caller.count)
    text = caller.converse(_steps(reader, pieces, question), TaskCalls("question"))
    places = "\n".join(piece.path + (f":{piece.at}" if piece.at else "") for piece in pieces)
    return f"{text}\n\n{places}" if places else text


def _steps(reader: Reader, pieces: list[_Piece], question: str) -> Generator[Prompt, Reply, str]:
    """Ask with as many of the pieces as fit; those that count least go first, and none is cut."""
    while True:
        try:
            reply = yield _prompt(reader, pieces, question)
        except ModelTooLarge:
            if not pieces:
                raise
            pieces.pop()
        else:
            text = _plain(reply.text)
            if not text:
                return "The model has no answer."
            return f"{text} …" if reply.stop is Stop.LENGTH else text


def _prompt(reader: Reader, pieces: Sequence[_Piece], question: str) -> Prompt:
    outlines = reader.outlines(_files(pieces))
    files = "\n".join(
        f"- {path}{': ' + outlines[path].summary if outlines[path].summary else ''}" for path in _files(pieces)
    )
    blocks = [_block(reader, piece) for piece in sorted(pieces, key=lambda piece: (piece.path, piece.first))]
    parts = (*([f"Files:\n{files}"] if files else []), *blocks, f"Question: {' '.join(question.split())}", TASK)
    messages = (Message("system", SYSTEM), Message("user", "\n\n".join(parts)))
    return Prompt(messages, RESERVE, about=tuple(_files(pieces)))


def _files(pieces: Sequence[_Piece]) -> list[str]:
    return sorted({piece.path for piece in pieces})


def _block(reader: Reader, piece: _Piece) -> str:
    code = _text(reader, piece)
    fence = fence_for(code)
    return f"{piece.path}, lines {piece.first} to {piece.last}:\n{fence}\n{code}\n{fence}"


def _text(reader: Reader, piece: _Piece) -> str:
    document = reader.document(piece.path)
    return "" if document is None else "\n".join(document.text.split("\n")[piece.first - 1 : piece.last])


def _plain(text: str) -> str:
    """Without reasoning and template marks; what the model says is shown, so it must not be able to say more."""
    text = re.sub(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", "", text, flags=re.DOTALL | re.IGNORECASE)
    return re.sub(r"<\|[^|<>]*\|>", "", text).strip()


def _chosen(reader: Reader, mentioned: Mentions, question: str, count: Callable[[str], int]) -> list[_Piece]:
    """The best pieces that have room together, the best one first."""
    chosen: list[_Piece] = []
    left = CODE_TOKENS
    for piece in sorted(_pieces(reader, mentioned, question), key=lambda p: (-p.score, p.path, p.first)):
        tokens = count(_text(reader, piece))
        if tokens <= left:
            chosen.append(piece)
            left -= tokens
    return chosen


def _pieces(reader: Reader, mentioned: Mentions, question: str) -> Iterator[_Piece]:
    """Small files whole, the symbols of others, each with what speaks for it."""
    wanted = words(question)
    homes = {path for symbol in mentioned.symbols for path in reader.defines(symbol)}
    paths = reader.candidates(question, (*mentioned.paths, *homes))
    outlines = reader.outlines(paths)
    for path in paths:
        found = outlines[path]
        bonus = 10.0 * (path in mentioned.paths) + 4.0 * (path in homes)
        bonus += 2.0 * len(wanted & words(path)) + 1.0 * len(wanted & words(found.summary))
        document = reader.document(path)
        if document is None or (path == RULES_FILE and RULES_FILE not in question):
            continue
        symbols = list(_symbols(path, found, document.text, mentioned, wanted))
        if found.lines <= WHOLE_LINES:
            score = bonus + _likeness(wanted, document.text)
            best = max(symbols, key=lambda piece: piece.score, default=None)
            if score and found.lines:
                yield _Piece(path, 1, found.lines, score, best.at if best else 0)
        else:
            yield from (replace(piece, score=bonus + piece.score) for piece in symbols)


def _symbols(path: str, found: Outline, text: str, mentioned: Mentions, wanted: frozenset[str]) -> Iterator[_Piece]:
    """Those that something speaks for."""
    lines = text.split("\n")
    for symbol in _leaves(found.symbols):
        part = "\n".join(lines[symbol.line - 1 : symbol.end_line])
        named = 6.0 * any(symbol.name == name or symbol.name.endswith(f".{name}") for name in mentioned.symbols)
        own = named + 2.0 * len(wanted & words(symbol.name)) + _likeness(wanted, part)
        if own:
            yield _Piece(path, symbol.line, symbol.end_line, own, symbol.line)


def _leaves(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Those that hold no other symbol."""
    owners = {symbol.name.rpartition(".")[0] for symbol in symbols}
    return [symbol for symbol in symbols if symbol.name not in owners]


def _likeness(wanted: frozenset[str], text: str) -> float:
    """Different words count most, their number little, and long texts less."""
    found = [word for word in _stems(text) if word in wanted]
    return (2.0 * len(set(found)) + 0.1 * len(found)) / (1.0 + len(text) / 8000)


def words(text: str) -> frozenset[str]:
    """The words that say something, without their endings."""
    return frozenset(word for word in _stems(text) if word not in _COMMON)


def _stems(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if len(word) > 2 and word not in _COMMON:
            yield _ENDING.sub("", word) if len(word) > 4 else word
