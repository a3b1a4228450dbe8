"""Renaming a method or an attribute of a class, where it can be told whose it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pymodules import Function, bound_in, own_nodes
from litecode.core.patching.pynames import COMMON, Edits, dotted, is_name


class Members:
    """A method or attribute of a class."""

    def __init__(
        self, files: Mapping[str, Document], modules: Mapping[str, ast.Module], owner: str, old: str, new: str
    ) -> None:
        self.files, self.modules, self.owner, self.old, self.new = files, modules, owner, old, new

    def edits(self) -> dict[str, list[Edit]]:
        classes = [n for m in self.modules.values() for n in ast.walk(m) if isinstance(n, ast.ClassDef)]
        having = [c for c in classes if self.old in bound_in(c) or _sets(c, self.old)]
        ours = self._family(having, classes)
        others = [c for c in having if c not in ours]
        if not ours:
            return {}
        if any(self.new in bound_in(c) or _sets(c, self.new) for c in ours):
            raise Impossible(f"`{ours[0].name}` has a `{self.new}` already")
        if self.old in COMMON and not self.owner:
            raise Impossible(f"`{self.old}` is a name of many things; say of which class")
        result = {}
        for path, module in self.modules.items():
            text = Edits(self.files[path].text, self.old, self.new)
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef) and node in ours:
                    self._own(text, node)
            self._uses(text, path, module, ours, exact=bool(others) or self.old in COMMON)
            if text.edits:
                result[path] = text.edits
        return result

    def _family(self, having: list[ast.ClassDef], classes: list[ast.ClassDef]) -> list[ast.ClassDef]:
        """The class and those that inherit from it, or that it inherits the member from."""
        if self.owner:
            found = {c.name for c in classes if c.name == self.owner}
        else:
            found = {having[0].name} if having else set()
        while True:
            more = {
                c.name
                for c in classes
                if c.name not in found and found & {dotted(b).rsplit(".", 1)[-1] for b in c.bases}
            }
            more |= {
                c.name
                for c in having
                if c.name not in found
                and any(c.name == dotted(b).rsplit(".", 1)[-1] for d in classes if d.name in found for b in d.bases)
            }
            if not more:
                break
            found |= more
        if not self.owner and any(c.name not in found for c in having):
            names = sorted({c.name for c in having})
            raise Impossible(f"`{self.old}` belongs to {' and to '.join(f'`{n}`' for n in names[:3])}; say which")
        return [c for c in classes if c.name in found] if any(c.name in found for c in having) else []

    def _own(self, text: Edits, node: ast.ClassDef) -> None:
        for inner in own_nodes(node):
            if isinstance(inner, (*Function, ast.ClassDef)) and inner.name == self.old:
                text.definition(inner)
            elif isinstance(inner, ast.Name) and inner.id == self.old:
                text.name(inner)

    def _uses(self, text: Edits, path: str, module: ast.Module, ours: list[ast.ClassDef], *, exact: bool) -> None:
        names = {c.name for c in ours}
        for node, receivers in _attributes(module, self.old, names):
            if receivers is True or (receivers is None and not exact):
                text.attribute(node)
            elif receivers is None:
                raise Impossible(f"{path}:{node.lineno}: it cannot be told whose `{self.old}` this is")


def _sets(node: ast.ClassDef, name: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and n.attr == name and is_name(n.value, "self")
        for n in ast.walk(node)
    )


def _attributes(module: ast.Module, name: str, ours: set[str]) -> Iterator[tuple[ast.Attribute, bool | None]]:
    """Every use of an attribute, with whether its object is of our classes; None when that cannot be told."""
    todo: list[tuple[ast.AST, str, dict[str, bool]]] = [(module, "", {})]
    while todo:
        node, inside, known = todo.pop()
        if isinstance(node, ast.ClassDef):
            inside = node.name
        if isinstance(node, Function):
            known = {**known, **_typed(node, ours)}
        if isinstance(node, ast.Module):
            known = {**known, **_typed(node, ours)}
        if isinstance(node, ast.Attribute) and node.attr == name:
            yield node, _whose(node.value, inside, known, ours)
        todo += [(child, inside, known) for child in ast.iter_child_nodes(node)]


def _whose(value: ast.expr, inside: str, known: Mapping[str, bool], ours: set[str]) -> bool | None:
    if isinstance(value, ast.Name):
        if value.id in ("self", "cls"):
            return inside in ours
        return True if value.id in ours else known.get(value.id)
    if isinstance(value, ast.Call):
        called = dotted(value.func).rsplit(".", 1)[-1]
        if called == "super":
            return inside in ours
        return True if called in ours else None
    if isinstance(value, (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Tuple, ast.JoinedStr)):
        return False
    return None


def _typed(scope: ast.AST, ours: set[str]) -> dict[str, bool]:
    """Variables whose class is plain: annotated, or assigned from a call of a class."""
    found: dict[str, bool] = {}
    arguments = getattr(scope, "args", None)
    if isinstance(arguments, ast.arguments):
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            if argument.annotation is not None:
                parts = [n for n in ast.walk(argument.annotation) if isinstance(n, ast.expr)]
                words = {dotted(n).rsplit(".", 1)[-1] for n in parts}
                found[argument.arg] = bool(words & ours)
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = dotted(node.value.func).rsplit(".", 1)[-1]
            for target in node.targets:
                if isinstance(target, ast.Name) and called[:1].isupper():
                    found[target.id] = called in ours
    return found
