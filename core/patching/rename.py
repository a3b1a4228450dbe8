"""Renaming an identifier across files, by tokens and scopes, never by text.

Python is read by its own parser: uses of the name that are bound to something else stay, `module.name` follows the
imports, and `__all__` and dotted strings follow too. Other languages go by the tokens of their grammars.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from litecode.core.filemap.outline import language_of
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pymodules import is_python
from litecode.core.patching.pyrename import python_edits
from litecode.core.patching.syntax import has_grammar, tokens
from litecode.core.patching.tokenrename import token_edits

_DOCS = (".md", ".rst", ".txt", ".adoc", ".markdown")


def rename_identifier(
    files: Mapping[str, Document], old: str, new: str, *, everywhere: bool = False, home: str = ""
) -> dict[str, str]:
    """The new texts of the files that change. `old` may be dotted (`Cart.total`), `home` is the file that defines it.
    With `everywhere` comments, docstrings and documents that mention it change, too. Raises Impossible when nothing
    defines the name, several things do, or the new one is taken.
    """
    short = new.rsplit(".", 1)[-1]
    if not re.fullmatch(r"[A-Za-z_$][\w$]*[?!]?", short):
        raise Impossible(f"`{new}` is no name")
    if short == old.rsplit(".", 1)[-1]:
        raise Impossible("the old name is the new one")
    python = {path: document for path, document in files.items() if is_python(path)}
    rest = {path: document for path, document in files.items() if path not in python and not path.endswith(_DOCS)}
    edits: dict[str, list[Edit]] = {}
    if python:
        edits |= python_edits(python, old, short, home)
    if rest and not edits:
        edits |= token_edits(rest, old, short, home)
    if not edits:
        raise Impossible(f"none of the files defines `{old}`")
    result = {path: splice(files[path].text, _once(found)) for path, found in edits.items() if found}
    if everywhere:
        for path, document in files.items():
            mentioned = _mentions(path, result.get(path, document.text), old.rsplit(".", 1)[-1], short)
            if mentioned != document.text:
                result[path] = mentioned
    return result


def _once(edits: list[Edit]) -> list[Edit]:
    return sorted(dict.fromkeys(edits))


def _mentions(path: str, text: str, old: str, new: str) -> str:
    """The text with the mentions for people: in code those in comments and docstrings, in documents those that are
    plainly code.
    """
    bare = re.compile(rf"(?<![\w$./-]){re.escape(old)}(?![\w$/-])")
    if path.endswith(_DOCS):
        plain = r"" if re.search(r"_|[a-z][A-Z]", old) else r"(?=\(|`)"
        marked = re.compile(rf"(?<![\w$/-]){re.escape(old)}(?![\w$/-]){plain}")
        return marked.sub(new, text)
    grammar = "python" if is_python(path) else language_of(path, text)[1]
    if not has_grammar(grammar):
        return text
    wanted = re.search(r"_|[a-z][A-Z]", old) is not None
    edits: list[Edit] = []
    for token in tokens(text, grammar):
        prose = token.is_comment or (
            grammar == "python"
            and token.is_string
            and "\n" in text[: token.cut.start]
            and _is_docstring(text, token.cut)
        )
        if prose:
            for match in bare.finditer(token.text):
                code = token.text[match.end() : match.end() + 1] in ("(", "`")
                if wanted or code:
                    start = token.cut.start + match.start()
                    edits.append(Edit(Cut(start, start + len(old)), new))
    return splice(text, edits)


def _is_docstring(text: str, cut: Cut) -> bool:
    return text[max(0, cut.start - 3) : cut.start] in ('"""', "'''")
