"""Trees of ast-grep's grammars, with offsets in characters; the only module that touches `ast_grep_py`.

`Language` names are ast-grep's. A text in a language that ast-grep does not have gets no tree; callers fall back to
lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from litecode.config import languages
from litecode.core.errors import RuleError
from litecode.core.patching.document import Cut

if TYPE_CHECKING:
    from ast_grep_py import SgNode

# Asking ast-grep-py for a language that it does not have makes it abort in Rust, so the list must be ours.
LANGUAGES = frozenset(language.parser for language in languages.LANGUAGES if language.parser is not None)

# Nodes whose text is one token even where the grammar gives them children (escapes, comment markers).
_ATOMS = frozenset(
    {"string_content", "string_fragment", "escape_sequence", "char_literal", "character", "heredoc_body"}
)
# Kinds whose text is taken word for word, white space too; grammars name them differently.
_LITERAL = re.compile(
    r"string|quote|block_scalar|char|rune|escape_sequence|template_(?:chars|literal)|heredoc_body|str_text|raw_str"
)
_LISTS_OF_LITERALS = frozenset({"concatenated_string", "string_array"})
_PROSE = frozenset({"jsx_text", "text", "attribute_value"})  # words for people, but white space in it is layout
# Zero-width leaves of code without a fault; any other is a token that the parser had to make up.
_EMPTY_KINDS = frozenset({"raw_text", "block_continuation", "!"})


class Token(NamedTuple):
    """A leaf of the tree; `kind` is the grammar's, and the text itself for keywords and signs. Comments and the literal
    parts of strings are one token each.
    """

    kind: str
    text: str
    cut: Cut

    @property
    def is_comment(self) -> bool:
        return "comment" in self.kind and self.kind != self.text

    @property
    def is_string(self) -> bool:
        return self.kind in _PROSE or (_is_literal(self.kind) and self.kind != self.text)


class Node:
    """A node of a tree, as far as LiteCode needs one."""

    __slots__ = ("_node", "cut", "kind")

    def __init__(self, node: SgNode) -> None:
        place = node.range()
        self._node = node
        self.kind = node.kind()
        self.cut = Cut(place.start.index, place.end.index)

    @property
    def text(self) -> str:
        return self._node.text()

    @property
    def named(self) -> bool:
        return self._node.is_named()

    def parent(self) -> Node | None:
        parent = self._node.parent()
        return None if parent is None else Node(parent)

    def children(self) -> list[Node]:
        return [Node(child) for child in self._node.children()]

    def field(self, name: str) -> Node | None:
        child = self._node.field(name)
        return None if child is None else Node(child)

    def captured(self, name: str) -> Cut | None:
        """What a meta-variable of the pattern holds: `NAME` one node, or the run of nodes of `$$$NAME` (an empty run is
        None).
        """
        found = self.captured_nodes(name)
        return Cut(found[0].cut.start, found[-1].cut.end) if found else None

    def captured_nodes(self, name: str) -> list[Node]:
        """The same node by node, the commas and comments between them included."""
        one = self._node.get_match(name)
        if one is not None:
            return [Node(one)]
        many = [Node(n) for n in self._node.get_multiple_matches(name)]
        while many and (many[-1].kind == "," or "comment" in many[-1].kind):
            many.pop()  # a trailing comma is layout, not an argument
        return many

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the text."""
        todo = [self]  # trees are deeper than Python's stack: a long sum is one level for each of its terms
        while todo:
            node = todo.pop()
            yield node
            todo += reversed(node.children())

    def find_all(
        self, rule: Mapping[str, Any], constraints: Mapping[str, Any] | None = None, name: str = "the pattern"
    ) -> list[Node]:
        """All matches of an ast-grep rule object below this node, in the order of the text. Raises RuleError for a bad
        rule, which it calls `name`.
        """
        config = {"rule": dict(rule)}
        if constraints:
            config["constraints"] = dict(constraints)
        try:
            found = self._node.find_all(cast("Any", config))
        except Exception as err:  # its binding raises RuntimeError, TypeError and bare Exception for the same faults
            raise RuleError(*_explain(str(err), name)) from None
        return sorted((Node(n) for n in found), key=lambda n: (n.cut.start, -n.cut.end))


def _explain(text: str, name: str) -> tuple[str, str]:
    """ast-grep reports a chain of causes; the last one names the fault."""
    lines = [line.strip() for line in text.split("Stack backtrace")[0].splitlines() if line.strip()]
    reason = re.sub(r"^(?:\d+|error): ", "", lines[-1]) if lines else "ast-grep does not say why"
    reason = re.sub("[µ\U00010000]", "$", reason)  # what ast-grep puts for the `$` of a meta-variable
    return f"{name} cannot be used: {reason.strip('. ')}", "try it at https://ast-grep.github.io/playground.html"


def has_grammar(language: str | None) -> bool:
    return language in LANGUAGES


@lru_cache(maxsize=64)
def parse(text: str, language: str) -> Node:
    """The root of the tree of a text. `language` must have a grammar (ValueError)."""
    if language not in LANGUAGES:
        raise ValueError(f"no grammar for {language}")
    from ast_grep_py import SgRoot

    return Node(SgRoot(text, language).root())


class Faults(NamedTuple):
    """How many places of a text the grammar cannot make sense of, and how many characters those have."""

    number: int
    size: int


@lru_cache(maxsize=256)
def faults(text: str, language: str) -> Faults:
    """Errors of a text, tokens that are missing included."""
    found = parse(text, language).find_all({"any": [{"kind": "ERROR"}, {"regex": "^$"}]})
    cuts = [node.cut for node in found if node.kind == "ERROR" or _is_made_up(node)]
    return Faults(len(cuts), sum(cut.end - cut.start for cut in cuts))


def errors(text: str, language: str) -> int:
    """How many places of the text the grammar cannot make sense of."""
    return faults(text, language).number


def _is_made_up(node: Node) -> bool:
    empty = node.kind in _EMPTY_KINDS or _is_literal(node.kind) or node.parent() is None
    return not empty and not node.children()


def _is_literal(kind: str) -> bool:
    return _LITERAL.search(kind) is not None and kind not in _LISTS_OF_LITERALS


@lru_cache(maxsize=256)
def tokens(text: str, language: str | None) -> tuple[Token, ...]:
    """The tokens of a text. Nothing but white space lies between them; without a grammar they are words, numbers and
    signs.
    """
    if language is None or language not in LANGUAGES:
        return _plain_tokens(text)
    return tuple(_leaves(parse(text, language), text))


class _Due(NamedTuple):
    """What comes next in a text: a node, or (None) the end of one whose kind is `around`."""

    around: str
    at: int
    node: Node | None


def _leaves(root: Node, text: str) -> Iterator[Token]:
    todo = [_Due(root.kind, root.cut.start, root)]
    at = 0
    while todo:
        around, start, node = todo.pop()
        yield from _gap(around, text, at, start)
        at = max(at, start)
        if node is None:
            continue
        children = node.children()
        if children and "comment" not in node.kind and node.kind not in _ATOMS:
            todo.append(_Due(node.kind, node.cut.end, None))
            todo += [_Due(node.kind, child.cut.start, child) for child in reversed(children)]
        else:
            yield from _token(node.kind, text, node.cut.start, node.cut.end)
            at = max(at, node.cut.end)
    yield from _gap(root.kind, text, at, len(text))


def _gap(kind: str, text: str, start: int, end: int) -> Iterator[Token]:
    """Some grammars leave text without a node, such as a format specification; it is a token all the same."""
    if start < end:
        yield from _token(kind, text, start, end)


def _token(kind: str, text: str, start: int, end: int) -> Iterator[Token]:
    if not _is_literal(kind):
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
    if start < end:
        yield Token(kind, text[start:end], Cut(start, end))


def _plain_tokens(text: str) -> tuple[Token, ...]:
    found = re.finditer(r"(?P<identifier>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>[^\w\s])", text)
    return tuple(Token(m.lastgroup or "", m.group(), Cut(*m.span())) for m in found)
