"""Lines that a changed file must have once below its imports: added by code, in the file's style, never twice."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.syntax import Node, has_grammar, parse

_IMPORT_KINDS = re.compile(r"import|include|using|use_declaration|package|namespace_use|extern_crate")
_IMPORT_LINE = re.compile(r"(import|from|use|using|#\s*include|require|require_relative|package|@import|source|load)\b")
_HEADER = re.compile(r"(#!|//|/\*|\*|#(?!\s*include)|--|;|%|<\?php|['\"]use strict['\"])")


def missing(text: str, language: str | None, lines: Sequence[str]) -> list[str]:
    """The lines that the text does not have yet, in another form either (`import os, logging` has `import logging`)."""
    present = {line.strip() for line in text.split("\n") if line[:1] not in (" ", "\t")}
    left = [line for line in lines if line.strip() not in present]
    if language == "python" and left:
        tree = _python(text)
        if tree is not None:
            left = [line for line in left if not _has(tree, line)]
    return left


def ensure(text: str, language: str | None, lines: Sequence[str]) -> list[Edit]:
    """The edits that put the missing lines in; those that are no imports come after the imports, set off by a blank
    line.
    """
    todo = missing(text, language, lines)
    imports = [line for line in todo if _IMPORT_LINE.match(line) or "require(" in line]
    others = [line for line in todo if line not in imports]
    end = _last_import(text, language)
    if end is None:
        block = "\n\n".join("\n".join(part) for part in (imports, others) if part)
        return [_below_header(text, language, block)] if block else []
    edits = [_python_import(text, i, end) if language == "python" else Edit(Cut(end, end), f"\n{i}") for i in imports]
    if others:
        tail = "" if text[end : end + 2] in ("\n\n", "\n", "") else "\n"
        edits.append(Edit(Cut(end, end), "\n\n" + "\n".join(others) + tail))
    return _joined(edits)


def _joined(edits: list[Edit]) -> list[Edit]:
    """Insertions at one place become one, in order."""
    found: dict[Cut, str] = {}
    for edit in edits:
        found[edit.cut] = found.get(edit.cut, "") + edit.text
    return [Edit(cut, text) for cut, text in found.items()]


def apply(text: str, language: str | None, lines: Sequence[str]) -> str:
    """The text with the missing lines."""
    return splice(text, ensure(text, language, lines))


def _python(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _has(tree: ast.Module, line: str) -> bool:
    wanted = _python(line)
    if wanted is None or not wanted.body:
        return False
    need = wanted.body[0]
    top = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    if isinstance(need, ast.Import):
        have = {(a.name, a.asname) for n in top if isinstance(n, ast.Import) for a in n.names}
        return all((a.name, a.asname) in have for a in need.names)
    if isinstance(need, ast.ImportFrom):
        found = [n for n in top if isinstance(n, ast.ImportFrom) and (n.module, n.level) == (need.module, need.level)]
        return all((a.name, a.asname) in {(b.name, b.asname) for n in found for b in n.names} for a in need.names)
    if isinstance(need, ast.Assign):
        bound = {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
        bound |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
        return all(isinstance(t, ast.Name) and t.id in bound for t in need.targets)
    return False


class _Group(NamedTuple):
    """Import statements on consecutive lines: (module, start, end) of each, offsets in characters."""

    members: tuple[tuple[str, int, int], ...]
    plain: bool  # `import x`, not `from x import y`


def _python_import(text: str, line: str, last: int) -> Edit:
    """Beside the imports of its kind, in their order when they have one; else below the last import."""
    module = line.split()[1].rstrip(",")
    standard = module.split(".")[0] in sys.stdlib_module_names
    groups = [
        g
        for g in _groups(text)
        if g.plain == line.startswith("import ") and all(_standard(m) == standard for m, _, _ in g.members)
    ]
    if groups and module != "__future__":
        group = groups[0]
        names = [m for m, _, _ in group.members]
        later = [start for m, start, _ in group.members if m > module]
        if names == sorted(names) and later:
            return Edit(Cut(later[0], later[0]), f"{line}\n")
        end = group.members[-1][2]
        return Edit(Cut(end, end), f"\n{line}")
    return Edit(Cut(last, last), f"\n{line}")


def _standard(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names


def _groups(text: str) -> list[_Group]:
    """The runs of plain and of from-imports at the head of a Python file, `__future__` left out."""
    tree = _python(text)
    groups: list[_Group] = []
    if tree is None:
        return groups
    starts = [0]
    for row in text.split("\n"):
        starts.append(starts[-1] + len(row) + 1)
    previous: ast.stmt | None = None
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", None) != "__future__":
            module = node.names[0].name if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
            end = starts[(node.end_lineno or node.lineno) - 1] + len(
                text.split("\n")[(node.end_lineno or node.lineno) - 1]
            )
            member = (module, starts[node.lineno - 1], end)
            joined = (
                previous is not None and type(previous) is type(node) and node.lineno == (previous.end_lineno or 0) + 1
            )
            if joined and groups:
                groups[-1] = _Group((*groups[-1].members, member), groups[-1].plain)
            else:
                groups.append(_Group((member,), isinstance(node, ast.Import)))
            previous = node
        elif not _is_head(node):
            break
        else:
            previous = None
    return groups


def _is_head(node: ast.stmt) -> bool:
    """What may stand between the imports of a file: docstring, `if TYPE_CHECKING:`, `try: import`, `__future__`."""
    if isinstance(node, (ast.If, ast.Try)):
        return any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(node))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _below_header(text: str, language: str | None, block: str) -> Edit:
    """In a file without imports: below its shebang, comments, docstring and directives, blank lines around."""
    start = _header_end(text, language)
    head = text[:start]
    lead = "" if not head or head.endswith("\n\n") else "\n" if head.endswith("\n") else "\n\n"
    if not text[start:]:
        return Edit(Cut(start, start), lead + block + ("\n" if head.endswith("\n") or not head else ""))
    return Edit(Cut(start, start), f"{lead}{block}\n" + ("" if text[start] == "\n" else "\n"))


def _last_import(text: str, language: str | None) -> int | None:
    """The offset of the end of the line of the last import in the head of the file."""
    if language == "python":
        return _last_python_import(text)
    if language is not None and has_grammar(language):
        last: Node | None = None
        for node in parse(text, language).children():
            if _IMPORT_KINDS.search(node.kind) or "require(" in node.text.split("\n")[0]:
                last = node
        return None if last is None else _line_end(text, max(last.cut.start, last.cut.end - 1))
    found = [m for m in re.finditer(r"^.*$", text, re.MULTILINE) if _IMPORT_LINE.match(m.group())]
    return found[-1].end() if found else None


def _last_python_import(text: str) -> int | None:
    tree = _python(text)
    if tree is None:
        return None
    last = 0
    for node in tree.body:
        if not _is_head(node):
            break
        if not isinstance(node, ast.Expr):
            last = node.end_lineno or node.lineno
    return None if not last else sum(len(row) + 1 for row in text.split("\n")[:last]) - 1


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def _header_end(text: str, language: str | None) -> int:
    """The offset after shebang, header comments, directives and (Python) the module docstring."""
    if language == "python":
        tree = _python(text)
        if tree is not None and tree.body and ast.get_docstring(tree, clean=False) is not None:
            return min(sum(len(row) + 1 for row in text.split("\n")[: tree.body[0].end_lineno]), len(text))
    at = 0
    for row in text.split("\n"):
        if not _HEADER.match(row):
            break
        at += len(row) + 1
    return min(at, len(text))
