"""The head of a file: what stands above its code, and where more imports go. For all languages but Python, whose own
parser knows more (see `python_head`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from litecode.core.patching.document import Cut
from litecode.core.patching.syntax import Node, has_grammar, parse, tokens

_IMPORT_KINDS = re.compile(r"import|include|using_d|use_declaration|namespace_use|extern_crate")
# What must be above all imports: the name of the package, `#pragma once` and `#define _GNU_SOURCE`, strict modes.
_OPENERS = frozenset(
    """
    package_clause package_declaration package_header namespace_definition declare_statement library_name header
    pragma_directive charset_statement php_tag inner_attribute_item preproc_call preproc_def hash_bang_line
    """.split()
)
_STRING_STATEMENT = re.compile(r"""^(?:"[^"]*"|'[^']*');?$""")
_REQUIRES = {
    "ruby": re.compile(r"(?:require|require_relative|load)\b"),
    "bash": re.compile(r"(?:source|\.)\s"),
    "lua": re.compile(r".*\brequire\b"),
    **dict.fromkeys(("javascript", "typescript", "tsx"), re.compile(r"(?:(?:const|let|var)\b.*\b)?require\(")),
    "php": re.compile(r"(?:require|include)(?:_once)?\b"),
}
_IMPORT_LINE = re.compile(r"(?:import|from|use|using|#\s*include|require|require_relative|@import|source|load)\b")
_HEADER_LINE = re.compile(r"(?://|#(?!\s*include)|--|;|%|<\?)")
_DOC_COMMENT = re.compile(r"/\*\*(?!/)|///|--\s*\|")  # of what comes next


class Head(NamedTuple):
    """Offsets of line ends: of the last import, and (without imports) of the line that everything must be below."""

    imports: int | None
    opener: int | None


def head_of(text: str, language: str | None) -> Head:
    if language is None or not has_grammar(language):
        return Head(_last_import_line(text), None)
    imports: int | None = None
    opener: int | None = None
    for node in tops(text, language):
        if _is_import(node, language):
            imports = _line_end(text, node)
        elif node.kind in _OPENERS or (node.kind == "expression_statement" and _STRING_STATEMENT.match(node.text)):
            opener = _line_end(text, node)
        elif node.named and "comment" not in node.kind and not node.kind.startswith("preproc_"):
            break
    return Head(imports, opener)


def tops(text: str, language: str) -> list[Node]:
    """The nodes at the top of a file, or in the include guard that is around all of it."""
    found = parse(text, language).children()
    code = [node for node in found if "comment" not in node.kind]
    if len(code) == 1 and code[0].kind == "preproc_ifdef":
        return [node for node in code[0].children() if node.kind.startswith("preproc_") or node.kind != "identifier"][
            1:
        ]
    return found


def _is_import(node: Node, language: str) -> bool:
    if _IMPORT_KINDS.search(node.kind):
        return True
    requires = _REQUIRES.get(language)
    return requires is not None and node.named and requires.match(node.text.split("\n")[0]) is not None


def is_import_line(line: str, language: str | None) -> bool:
    """Whether a line that a file must have belongs to its imports."""
    requires = _REQUIRES.get(language or "")
    return _IMPORT_LINE.match(line) is not None or (requires is not None and requires.match(line) is not None)


def _line_end(text: str, node: Node) -> int:
    end = text.find("\n", node.cut.start + len(node.text.rstrip()) - 1)
    return len(text) if end < 0 else end


def _last_import_line(text: str) -> int | None:
    rows = _plain_comment_rows(text)
    last: int | None = None
    at = 0
    for number, line in enumerate(text.split("\n")):
        if _IMPORT_LINE.match(line):
            last = at + len(line)
        elif line.strip() and number not in rows:
            break
        at += len(line) + 1
    return last


def header_end(text: str, language: str | None) -> int:
    """The offset after shebang and header comments: the first block of them, and all that a blank line follows. The
    comment that documents the first piece of code is not one of them.
    """
    rows = _comment_rows(text, language)
    end = at = 0
    began: int | None = None  # where the block that is being read began
    for number, line in enumerate(text.split("\n")):
        if number in rows:
            began = at if began is None else began
        elif line.strip():
            return at if began == 0 else end
        elif began is not None:
            end, began = at, None
        at += len(line) + 1
    return len(text) if began is not None else end


def _comment_rows(text: str, language: str | None) -> set[int]:
    """The numbers, from 0, of the lines with nothing but comments that stand above all code."""
    if language is None or not has_grammar(language):
        return _plain_comment_rows(text)
    rows: set[int] = set()
    for token in tokens(text, language):
        first = text.count("\n", 0, token.cut.start)
        following = text[token.cut.end :].lstrip(" \t")
        documents = _DOC_COMMENT.match(token.text) and following[:1] == "\n" and following[1:2] not in ("\n", "")
        if documents or not (token.is_comment or (first == 0 and token.text.startswith("#!"))):
            break
        rows |= set(range(first, first + token.text.count("\n") + 1))
    return rows


def _plain_comment_rows(text: str) -> set[int]:
    rows: set[int] = set()
    closer = ""
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        opening = re.match(r"/\*|<!--", bare)
        if not (closer or opening or not bare or _HEADER_LINE.match(line)):
            break
        if closer or bare:
            rows.add(number)
        if opening and not closer:
            closer = "*/" if bare.startswith("/*") else "-->"
            bare = bare[opening.end() :]
        if closer and closer in bare:
            closer = ""
    return rows


def below(text: str, start: int, block: str) -> tuple[Cut, str]:
    """How a block is put into a text at the beginning of a line, blank lines around it."""
    head = text[:start]
    lead = "" if not head or head.endswith("\n\n") else "\n" if head.endswith("\n") else "\n\n"
    if not text[start:]:
        return Cut(start, start), lead + block + ("\n" if head.endswith("\n") or not head else "")
    return Cut(start, start), f"{lead}{block}\n" + ("" if text[start] == "\n" else "\n")
