"""A gate for `self.name` where the class has nothing of that name: an idea of small models that no name check sees."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.pytree import tree

_OPEN = frozenset({"__getattr__", "__getattribute__", "setattr", "__dict__", "vars"})


def selves(rewrite: Rewrite) -> Objection | None:
    """Every attribute of `self` that is new in a class without foreign bases is one that the class has."""
    if rewrite.language != "python":
        return None
    for name in _methods(rewrite.complete) - _methods(rewrite.before):
        return Objection("selves", Grade.REFUSE, f"{quoted(name)} takes `self`, but is in no class")
    for owner, name, members in strange(rewrite.before, rewrite.complete):
        has = ", ".join(sorted(n for n in members if not n.startswith("__"))[:6])
        text = f"{quoted(f'self.{name}')} is nothing: {owner} has no {name}, but {has or 'nothing'}"
        return Objection("selves", Grade.REFUSE, text)
    return None


def _methods(text: str) -> set[str]:
    """Functions at the top of a module whose first parameter is `self`."""
    module = tree(text)
    functions = [n for n in module.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)] if module else []
    return {f.name for f in functions if [a.arg for a in (*f.args.posonlyargs, *f.args.args)][:1] == ["self"]}


def strange(before: str, after: str) -> Iterator[tuple[str, str, set[str]]]:
    """The attributes of `self` that Python code has only now and that its class does not have: the class, the name,
    what the class has.
    """
    old, new = tree(before), tree(after)
    if old is None or new is None:
        return
    known = {node.attr for node in ast.walk(old) if isinstance(node, ast.Attribute)}
    classes = {node.name: node for node in ast.walk(new) if isinstance(node, ast.ClassDef)}
    for cls in classes.values():
        members = members_of(cls, classes)
        if members is not None:
            yield from ((cls.name, name, members) for name in sorted(_read(cls) - members - known))


def members_of(
    cls: ast.ClassDef, classes: dict[str, ast.ClassDef], seen: frozenset[str] = frozenset()
) -> set[str] | None:
    """What a class has, with its bases; None when that cannot be known."""
    found: set[str] = set()
    if cls.keywords or cls.name in seen:
        return None
    for base in cls.bases:
        if not isinstance(base, ast.Name) or (base.id != "object" and base.id not in classes):
            return None
        inherited = members_of(classes[base.id], classes, seen | {cls.name}) if base.id != "object" else set()
        if inherited is None:
            return None
        found |= inherited - set(dir(object))
    for statement in cls.body:
        found |= _bound_by(statement)
    added = _added_to(cls)
    for node in ast.walk(cls):
        if isinstance(node, ast.Name) and node.id in _OPEN:
            return None
        if isinstance(node, ast.Attribute):
            if node.attr in _OPEN:
                return None
            if isinstance(node.ctx, ast.Store) and id(node) not in added:
                found.add(node.attr)
    return None if found & _OPEN else found | set(dir(object))


def _bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement of the body of a class gives it; those inside of its methods are none."""
    found: set[str] = set()
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        todo += ast.iter_child_nodes(node)
    return found


def _read(cls: ast.ClassDef) -> set[str]:
    """The attributes of `self` that the methods read or add to."""
    found = set()
    added = _added_to(cls)
    for method in cls.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.args.args:
            first = method.args.args[0].arg
            if first == "self":
                found |= {
                    node.attr
                    for node in ast.walk(method)
                    if isinstance(node, ast.Attribute)
                    and (isinstance(node.ctx, ast.Load) or id(node) in added)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == first
                }
    return found


def _added_to(cls: ast.ClassDef) -> set[int]:
    """The targets of `self.count += 1`, which is no first value."""
    return {id(node.target) for node in ast.walk(cls) if isinstance(node, ast.AugAssign)}
