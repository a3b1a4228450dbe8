"""Names and places in Python files, across modules: which import means which file, where a node is in the text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pytree import tree

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_ROOTS = frozenset({"src", "lib", "python", "source", "app", "backend"})


def is_python(path: str) -> bool:
    return path.endswith((".py", ".pyi"))


def parts_of(path: str) -> tuple[str, ...]:
    """The dotted name of a module from the top of the repository on: `a/b/__init__.py` is `a.b`."""
    parts = path.rsplit(".", 1)[0].split("/")
    return tuple(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(path: str) -> tuple[str, ...]:
    """The package that a relative import of a file starts from."""
    return tuple(path.split("/")[:-1])


def target_of(importer: str, module: str | None, level: int, paths: Mapping[str, object]) -> str | None:
    """Which of some files an import means; None when it is none of them. A name that fits several is the one that is
    nearest to the importing file.
    """
    wanted = tuple(module.split(".")) if module else ()
    if level:
        base = package_of(importer)
        base = base[: len(base) - level + 1]
        return next((p for p in paths if is_python(p) and parts_of(p) == (*base, *wanted)), None)
    if not wanted:
        return None
    found = [p for p in paths if is_python(p) and parts_of(p)[-len(wanted) :] == wanted]
    whole = [p for p in found if len(parts_of(p)) == len(wanted)]
    if whole:
        return whole[0]
    near = [p for p in found if len(wanted) > 1 or parts_of(p)[:-1] == package_of(importer) or parts_of(p)[0] in _ROOTS]
    return max(near, key=lambda p: _common(p, importer), default=None)


def imported_by(path: str, text: str, paths: Mapping[str, object]) -> tuple[str, ...]:
    """Which of some files a Python file imports, or imports names of."""
    module = tree(text) if is_python(path) else None
    found: dict[str, None] = {}
    wanted: list[tuple[str | None, int]]
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.Import):
            wanted = [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = f"{node.module}." if node.module else ""
            wanted = [(node.module, node.level), *((f"{base}{alias.name}", node.level) for alias in node.names)]
        else:
            continue
        for name, level in wanted:
            target = target_of(path, name, level, paths)
            if target is not None and target != path:
                found.setdefault(target)
    return tuple(found)


def _common(one: str, two: str) -> int:
    count = 0
    for a, b in zip(one.split("/"), two.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class Places:
    """Offsets of a text, in characters, for the positions of Python's parser."""

    text: str

    def offset(self, line: int, column: int) -> int:
        start = _starts(self.text)[line - 1]
        end = self.text.find("\n", start)
        row = self.text[start : len(self.text) if end < 0 else end]
        return start + (column if row.isascii() else len(row.encode()[:column].decode(errors="ignore")))

    def cut(self, node: ast.expr | ast.stmt | ast.alias | ast.keyword | ast.arg) -> Cut:
        start = self.offset(node.lineno, node.col_offset)
        return Cut(start, self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset))


@lru_cache(maxsize=256)
def _starts(text: str) -> list[int]:
    return Document(text).starts()


def parsed(path: str, document: Document) -> ast.Module:
    """The tree of a file. Raises Impossible."""
    module = tree(document.text)
    if module is None:
        raise Impossible(f"{path} does not parse")
    return module


def bound_in(function: ast.AST) -> set[str]:
    """The names that are local to a function, its parameters included."""
    names: set[str] = set()
    free: set[str] = set()
    arguments = getattr(function, "args", None)
    if isinstance(arguments, ast.arguments):
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        names |= {a.arg for a in [*every, *filter(None, (arguments.vararg, arguments.kwarg))]}
    for node in own_nodes(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (*Function, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            free |= set(node.names)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
    return names - free


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, class or module without those of the functions and classes within; these themselves are
    among them.
    """
    body = getattr(scope, "body", [])
    todo: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, (*Function, ast.ClassDef, ast.Lambda)):
            continue
        todo += ast.iter_child_nodes(node)


def top_bindings(module: ast.Module) -> set[str]:
    """What a module binds at its top, imports included."""
    return bound_in(module)
