"""The imports of a Python file: which it has, and where one more goes in the style of the file."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import NamedTuple

from litecode.core.patching.document import Cut
from litecode.core.patching.heads import below, header_end
from litecode.core.patching.pytree import tree

Place = tuple[Cut, str]


def has(module: ast.Module, line: str) -> bool:
    """Whether a module has what a line says, in another form too: `import os, logging` has `import logging`."""
    wanted = tree(line)
    if wanted is None or not wanted.body:
        return False
    need = wanted.body[0]
    top = [node for node in _at_import(module.body) if isinstance(node, (ast.Import, ast.ImportFrom))]
    if isinstance(need, ast.Import):
        have = {(a.name, a.asname) for node in top if isinstance(node, ast.Import) for a in node.names}
        return all((a.name, a.asname) in have for a in need.names)
    if isinstance(need, ast.ImportFrom):
        found = [n for n in top if isinstance(n, ast.ImportFrom) and (n.module, n.level) == (need.module, need.level)]
        return all((a.name, a.asname) in {(b.name, b.asname) for n in found for b in n.names} for a in need.names)
    if isinstance(need, ast.Assign) and all(isinstance(t, ast.Name) for t in need.targets):
        have_names = bound_names(module)
        return all(t.id in have_names for t in need.targets if isinstance(t, ast.Name))
    return any(ast.dump(node) == ast.dump(need) for node in module.body)


def _at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, those that are tried included."""
    for node in body:
        yield node
        if isinstance(node, ast.Try):
            yield from _at_import(node.body)


def bound_names(module: ast.Module) -> set[str]:
    """The names that a module binds; another binding would take the place of the first."""
    names: set[str] = set()
    todo: list[ast.AST] = list(module.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, ast.alias):
            names.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        todo += ast.iter_child_nodes(node)
    return names


def top_names(module: ast.Module) -> set[str]:
    """The names that imports and plain assignments at the top of a module bind."""
    names: set[str] = set()
    for node in _at_import(module.body):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


class _Group(NamedTuple):
    """Import statements on consecutive lines, all of one form; offsets are those of their lines."""

    members: tuple[tuple[str, int, int], ...]  # module, start, end
    plain: bool  # `import x`, not `from x import y`

    @property
    def sections(self) -> set[bool]:
        return {_standard(name) for name, _, _ in self.members}


def import_place(text: str, module: ast.Module, line: str) -> Place:
    """Beside the imports of its kind, in their order when they have one; else where its section is or would be."""
    rows = _Rows(text)
    head = [node for node in _head(module) if not isinstance(node, ast.Expr)]
    future = [node for node in head if _is_future(node)]
    if line.startswith("from __future__"):
        return (
            _after(text, rows.end(future[-1]), f"\n{line}") if future else below(text, _top(text, module, rows), line)
        )
    groups = _groups(head, rows)
    if not groups:
        if future:
            return _after(text, rows.end(future[-1]), f"\n\n{line}", apart=True)
        first = rows.start(head[0]) if head else None
        return below(text, _top(text, module, rows), line) if first is None else (Cut(first, first), f"{line}\n\n")
    return _beside(text, groups, line)


def _beside(text: str, groups: list[_Group], line: str) -> Place:
    name, plain = line.split()[1].rstrip(","), line.startswith("import ")
    section = {_standard(name)}
    own = [group for group in groups if group.sections == section]
    same = [group for group in own if group.plain == plain]
    if same:
        names = [module for module, _, _ in same[0].members]
        later = [start for module, start, _ in same[0].members if module > name]
        if names == sorted(names) and later:
            return Cut(later[0], later[0]), f"{line}\n"
        return _after(text, same[0].members[-1][2], f"\n{line}")
    if own and plain:
        return Cut(own[0].members[0][1], own[0].members[0][1]), f"{line}\n"
    if own or any(len(group.sections) > 1 for group in groups):
        return _after(text, (own or groups)[-1].members[-1][2], f"\n{line}")
    if section == {True}:
        start = groups[0].members[0][1]
        return Cut(start, start), f"{line}\n\n"
    standard = [group for group in groups if group.sections == {True}]
    return _after(text, standard[-1].members[-1][2], f"\n\n{line}", apart=True)


def last_of_head(text: str, module: ast.Module) -> int | None:
    """The end of the line of the last statement of the head, None when there is no import in it."""
    head = [node for node in _head(module) if not isinstance(node, ast.Expr)]
    return _Rows(text).end(head[-1]) if head else None


def head_end(text: str, module: ast.Module) -> int:
    """The beginning of the line below header comments and docstring."""
    return _top(text, module, _Rows(text))


class _Rows:
    """Offsets of lines, counted as Python's parser counts them."""

    def __init__(self, text: str) -> None:
        self._ends: list[int] = []
        at = -1
        for row in text.split("\n"):
            at += len(row) + 1
            self._ends.append(at)

    def start(self, node: ast.stmt) -> int:
        return self._ends[node.lineno - 2] + 1 if node.lineno > 1 else 0

    def end(self, node: ast.stmt) -> int:
        return self._ends[(node.end_lineno or node.lineno) - 1]


def _after(text: str, end: int, new: str, *, apart: bool = False) -> Place:
    """Behind the end of a line; `apart` wants a blank line after it."""
    tail = "\n" if apart and text[end : end + 2] not in ("\n\n", "\n", "") else ""
    return Cut(end, end), new + tail


def _top(text: str, module: ast.Module, rows: _Rows) -> int:
    if module.body and _is_docstring(module.body[0]):
        return min(rows.end(module.body[0]) + 1, len(text))
    return header_end(text, "python")


def _groups(head: list[ast.stmt], rows: _Rows) -> list[_Group]:
    """The runs of plain and of from-imports at the head of a file, `__future__` left out."""
    groups: list[_Group] = []
    previous: ast.stmt | None = None
    for node in head:
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or _is_future(node):
            previous = None
            continue
        if node.col_offset:
            continue  # another statement begins the line
        name = node.names[0].name if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
        member = (name, rows.start(node), rows.end(node))
        if type(previous) is type(node) and node.lineno == (previous.end_lineno or 0) + 1:
            groups[-1] = _Group((*groups[-1].members, member), groups[-1].plain)
        else:
            groups.append(_Group((member,), isinstance(node, ast.Import)))
        previous = node
    return groups


def _head(module: ast.Module) -> Iterator[ast.stmt]:
    """What may stand among the imports of a file: docstring, `if TYPE_CHECKING:`, `try: import`, `__future__`."""
    for node in module.body:
        if isinstance(node, (ast.If, ast.Try)):
            is_head = any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(node))
        else:
            is_head = isinstance(node, (ast.Import, ast.ImportFrom)) or _is_docstring(node)
        if not is_head:
            return
        yield node


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _standard(name: str) -> bool:
    return name.split(".")[0] in sys.stdlib_module_names
