"""Taking a definition out of a file by code, when nothing uses it any more."""

from __future__ import annotations

from collections.abc import Mapping

from litecode.core.filemap.outline import Symbol, language_of, outline
from litecode.core.patching.above import with_comments
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pyimports import without_idle
from litecode.core.patching.pymodules import parsed
from litecode.core.patching.syntax import errors, tokens


def remove_symbol(files: Mapping[str, Document], name: str, source: str) -> dict[str, str]:
    """The new text of `source` without the definition of `name`, the comments right above it, and the imports that only
    it used. Raises Impossible, also when a file still has the name.
    """
    text = files[source].text
    grammar = language_of(source, text)[1]
    if grammar is None:
        raise Impossible(f"code cannot take a definition out of {source}")
    symbol = _symbol(text, name, source)
    piece = _piece(text, symbol, grammar)
    rest = splice(text, [Edit(piece, "")])
    if grammar == "python":
        if not _parses(rest):
            raise Impossible(f"{source} does not parse without `{name}`")
        rest = without_idle(rest, parsed(source, files[source]), source)
    elif errors(rest, grammar) > errors(text, grammar):
        raise Impossible(f"{source} does not parse without `{name}`")
    word = name.rpartition(".")[2]
    for path, document in files.items():
        line = _line_with(document.text, path, word, piece if path == source else Cut(0, 0))
        if line:
            raise Impossible(f"`{name}` is still used in {path}, line {line}")
    return {source: rest}


def _symbol(text: str, name: str, source: str) -> Symbol:
    found = [s for s in outline(text, source).symbols if f".{s.name}".endswith(f".{name}")]
    if len(found) != 1:
        raise Impossible(f"`{name}` is {'more than once' if found else 'not'} defined in {source}")
    return found[0]


def _parses(text: str) -> bool:
    try:
        parsed("", Document(text))
    except Impossible:
        return False
    return True


def _piece(text: str, symbol: Symbol, grammar: str) -> Cut:
    """The whole lines of a definition, with the comments and the blank lines that belong to it."""
    starts = Document(text).starts()
    start = starts[symbol.line - 1]
    end = starts[symbol.end_line] if symbol.end_line < len(starts) else len(text)
    start = with_comments(text, start, grammar)
    after = text[end:].lstrip("\n")
    if not after or _margin(after) < _margin(text[starts[symbol.line - 1] :]):
        while text[: start - 1].endswith("\n"):  # the last of its block: the distance to what comes next stays
            start -= 1
        return Cut(start, end)
    return Cut(start, len(text) - len(after))


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _line_with(text: str, path: str, word: str, gone: Cut) -> int:
    """The first line outside of a piece that has a name, in code or as a text of its own; 0 when none has."""
    for token in tokens(text, language_of(path, text)[1]):
        if not token.is_comment and token.text.strip("'\"`") == word and not gone.covers(token.cut):
            return text.count("\n", 0, token.cut.start) + 1
    return 0
