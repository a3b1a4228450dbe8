"""A gate for attributes of objects whose class another file defines: `stock.items()`, where a Stock has no items. Small
models guess such names from the words of the request.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from litecode.core.patching.document import Document
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.selves import members_of
from litecode.core.patching.pymodules import is_python
from litecode.core.patching.pytree import tree

_Function = ast.FunctionDef | ast.AsyncFunctionDef
Classes = Mapping[str, frozenset[str]]


def classes_of(documents: Mapping[str, Document]) -> Classes:
    """What each class has whose bases are known, by its name; a name that two files define is left out."""
    found: dict[str, frozenset[str]] = {}
    twice: set[str] = set()
    for path, document in documents.items():
        module = tree(document.text) if is_python(path) else None
        classes = {n.name: n for n in module.body if isinstance(n, ast.ClassDef)} if module else {}
        for name, node in classes.items():
            members = members_of(node, classes)
            twice |= {name} & found.keys()
            if members is not None:
                found[name] = frozenset(members)
    return {name: members for name, members in found.items() if name not in twice}


def foreign(rewrite: Rewrite, classes: Classes) -> Objection | None:
    """Every new attribute of a variable that is known to be an object of a class is one that the class has; no classes
    are known but in Python.

    It is known by an annotation, by `v = Stock(...)`, or because the code before used attributes of it that only one of
    the classes has whose names the module knows.
    """
    if not classes:
        return None
    before, after = tree(rewrite.before), tree(rewrite.complete)
    if before is None or after is None:
        return None
    old = {name: _used(node) for name, node in _functions(before)}
    here = {n.id for n in ast.walk(after) if isinstance(n, ast.Name)} | _imported(after)
    known = {name: members for name, members in classes.items() if name in here}
    for name, node in _functions(after):
        had = old.get(name, {})
        for variable, attributes in _used(node).items():
            cls = _class_of(node, variable, had.get(variable, set()), known)
            if cls is None:
                continue
            for attribute in sorted(attributes - had.get(variable, set()) - known[cls]):
                has = ", ".join(sorted(m for m in known[cls] if not m.startswith("_"))[:8])
                text = f"{quoted(f'{variable}.{attribute}')} is nothing: {cls} has {has or 'nothing'}"
                return Objection("foreign", Grade.REFUSE, text)
    return None


def _functions(module: ast.Module) -> Iterator[tuple[str, _Function]]:
    todo: list[tuple[str, ast.AST]] = [("", module)]
    while todo:
        prefix, node = todo.pop()
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, _Function | ast.ClassDef):
                inner = f"{prefix}{child.name}."
                if isinstance(child, _Function):
                    yield inner, child
            todo.append((inner, child))


def _imported(module: ast.Module) -> set[str]:
    nodes = (n for n in ast.walk(module) if isinstance(n, ast.ImportFrom))
    return {alias.asname or alias.name for node in nodes for alias in node.names}


def _used(function: _Function) -> dict[str, set[str]]:
    """The attributes that are read or set of each variable of a function."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id not in ("self", "cls")
        ):
            found.setdefault(node.value.id, set()).add(node.attr)
    return found


def _class_of(function: _Function, variable: str, had: set[str], classes: Classes) -> str | None:
    given = [n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.AnnAssign | ast.For | ast.withitem)]
    sources = [n for n in given if variable in _targets(n)]
    args = function.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        if arg.arg == variable and isinstance(arg.annotation, ast.Name) and not sources:
            return arg.annotation.id if arg.annotation.id in classes else None
    if len(sources) == 1 and isinstance(sources[0], ast.Assign) and isinstance(sources[0].value, ast.Call):
        made = sources[0].value.func
        return made.id if isinstance(made, ast.Name) and made.id in classes else None
    is_argument = any(a.arg == variable for a in (*args.posonlyargs, *args.args, *args.kwonlyargs))
    fitting = [name for name, members in classes.items() if had and had <= members]
    return fitting[0] if is_argument and not sources and len(fitting) == 1 else None


def _targets(node: ast.AST) -> set[str]:
    """The variables that a statement gives a value."""
    match node:
        case ast.Assign(targets=targets):
            found: list[ast.expr] = list(targets)
        case ast.AnnAssign(target=target) | ast.For(target=target):
            found = [target]
        case ast.withitem(optional_vars=ast.expr() as target):
            found = [target]
        case _:
            return set()
    return {n.id for expr in found for n in ast.walk(expr) if isinstance(n, ast.Name)}
