"""Where a name of Python code is used: in the module that defines it, in those that import it, as a member of its
class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pymembers import Members
from litecode.core.patching.pymodules import Function, bound_in, own_nodes, parsed, target_of, top_bindings
from litecode.core.patching.pynames import COMMON, Edits, dotted, is_name

_BY_STRING = frozenset({"getattr", "setattr", "hasattr", "delattr", "object"})


def python_edits(files: Mapping[str, Document], old: str, new: str, home: str) -> dict[str, list[Edit]]:
    """The edits that rename; none when no file defines the name. Raises Impossible."""
    modules = {
        path: parsed(path, document) for path, document in files.items() if old.rsplit(".", 1)[-1] in document.text
    }
    owner, _, name = old.rpartition(".")
    tops = [path for path, module in modules.items() if _defines(module, name)]
    if home:
        tops = [path for path in tops if path == home]
    if owner and not any(_class(m, owner.rsplit(".", 1)[-1]) for m in modules.values()):
        tops = [path for path in tops if path.rsplit("/", 1)[-1].rsplit(".", 1)[0] == owner.rsplit(".", 1)[-1]]
        owner = ""
    if tops and not owner:
        if len(tops) > 1:
            raise Impossible(f"`{name}` is defined in {' and in '.join(sorted(tops)[:3])}")
        return _Top(files, modules, tops[0], name, new).edits()
    return Members(files, modules, owner.rsplit(".", 1)[-1], name, new).edits()


def _defines(module: ast.Module, name: str) -> bool:
    """Whether the top of a module defines a name itself."""
    for node in own_nodes(module):
        if isinstance(node, (*Function, ast.ClassDef)) and node.name == name:
            return True
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
            return True
    return False


def _class(module: ast.Module, name: str) -> ast.ClassDef | None:
    return next((n for n in ast.walk(module) if isinstance(n, ast.ClassDef) and n.name == name), None)


class _Top:
    """A name of the top of a module."""

    def __init__(
        self, files: Mapping[str, Document], modules: Mapping[str, ast.Module], home: str, old: str, new: str
    ) -> None:
        self.files, self.modules, self.home, self.old, self.new = files, modules, home, old, new
        self.exporters = self._exporters()
        self.members = any(_has_member(module, old) for module in modules.values())

    def _exporters(self) -> set[str]:
        """The files that have the thing under its name: where it is defined, and who imports it from there."""
        found = {self.home}
        while True:
            more = {
                path
                for path, module in self.modules.items()
                if path not in found and any(alias.asname is None for _, alias in self._imports(path, module, found))
            }
            if not more:
                return found
            found |= more

    def _imports(
        self, path: str, module: ast.Module, exporters: set[str]
    ) -> Iterator[tuple[ast.ImportFrom, ast.alias]]:
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom) and target_of(path, node.module, node.level, self.files) in exporters:
                yield from ((node, alias) for alias in node.names if alias.name in (self.old, "*"))

    def edits(self) -> dict[str, list[Edit]]:
        result = {}
        for path, module in self.modules.items():
            text = Edits(self.files[path].text, self.old, self.new)
            imported = list(self._imports(path, module, self.exporters))
            for node, alias in imported:
                if alias.name == self.old:
                    text.at(text.places.cut(alias).start)
                    if path != self.home and alias.asname is None:
                        self._free(path, module, node)
            here = path == self.home or any(alias.asname is None for _, alias in imported)
            if path == self.home and self.new in top_bindings(module):
                raise Impossible(f"{path} has a `{self.new}` already")
            _Walk(self, path, text, here).visit(module)
            if text.edits:
                result[path] = text.edits
        return result

    def _free(self, path: str, module: ast.Module, node: ast.ImportFrom) -> None:
        if node in module.body and self.new in top_bindings(module):
            raise Impossible(f"{path} has a `{self.new}` already")


def _has_member(module: ast.Module, name: str) -> bool:
    """Whether a class of a module has an attribute of that name."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and name in bound_in(node):
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name:
            return True
    return False


class _Walk:
    """Goes through one file with the scopes in mind."""

    def __init__(self, top: _Top, path: str, text: Edits, here: bool) -> None:
        self.top, self.path, self.text = top, path, text
        self.here = here  # whether the bare name means the thing at the top of this file
        self.old = top.old

    def visit(self, module: ast.Module) -> None:
        self._scope(module, self.here, self._aliases(module, {}))

    def _aliases(self, scope: ast.AST, outer: Mapping[str, bool]) -> dict[str, bool]:
        """Dotted names that mean a module which has the thing, and (False) names that mean anything else imported."""
        found = dict(outer)
        for node in own_nodes(scope):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    ours = target_of(self.path, alias.name, 0, self.top.files) in self.top.exporters
                    found[alias.asname or alias.name] = ours
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    module = f"{node.module}.{alias.name}" if node.module else alias.name
                    ours = target_of(self.path, module, node.level, self.top.files) in self.top.exporters
                    found[alias.asname or alias.name] = ours
        return found

    def _scope(self, scope: ast.AST, means: bool, aliases: Mapping[str, bool]) -> None:
        for node in own_nodes(scope):
            self._node(node, scope, means, aliases)
            if isinstance(node, (*Function, ast.ClassDef, ast.Lambda)):
                self._outside(node, scope, means, aliases)
                self._scope(node, self._means_in(node, means), self._aliases(node, aliases))

    def _outside(self, node: ast.AST, scope: ast.AST, means: bool, aliases: Mapping[str, bool]) -> None:
        """Decorators, defaults, annotations and bases belong to the scope around."""
        parts: list[ast.AST] = [*getattr(node, "decorator_list", [])]
        if isinstance(node, ast.ClassDef):
            parts += [*node.bases, *node.keywords]
        else:
            parts += [getattr(node, "args", None) or ast.Pass(), getattr(node, "returns", None) or ast.Pass()]
        for part in parts:
            for inner in ast.walk(part):
                self._node(inner, scope, means, aliases)

    def _means_in(self, node: ast.AST, means: bool) -> bool:
        if isinstance(node, ast.ClassDef) or self.old not in bound_in(node):
            return means
        imports = [n for n in own_nodes(node) if isinstance(n, ast.ImportFrom)]
        ours = [n for n in imports if target_of(self.path, n.module, n.level, self.top.files) in self.top.exporters]
        return any(alias.name == self.old and alias.asname is None for n in ours for alias in n.names)

    def _node(self, node: ast.AST, scope: ast.AST, means: bool, aliases: Mapping[str, bool]) -> None:
        old = self.old
        if isinstance(node, ast.Name) and node.id == old and means and not self._is_member(scope):
            if self.top.new in bound_in(scope) and not isinstance(scope, ast.Module):
                raise Impossible(f"{self.path} has a local `{self.top.new}` where `{old}` is used")
            self.text.name(node)
        elif (
            isinstance(node, (*Function, ast.ClassDef)) and node.name == old and isinstance(scope, ast.Module) and means
        ):
            self.text.definition(node)
        elif isinstance(node, (ast.Global, ast.Nonlocal)) and old in node.names and self.here:
            self.text.listed(node)
        elif isinstance(node, ast.Attribute) and node.attr == old and self._is_ours(node.value, aliases):
            self.text.attribute(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self._string(node, node.value)
        elif isinstance(node, ast.Call):
            self._by_string(node, aliases)
        elif isinstance(node, (ast.Assign, ast.AugAssign)) and self.here:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(is_name(t, "__all__") for t in targets):
                self._all(node.value)

    def _is_member(self, scope: ast.AST) -> bool:
        """In the body of a class the name may be an attribute of it."""
        return isinstance(scope, ast.ClassDef) and self.old in bound_in(scope)

    def _is_ours(self, value: ast.expr, aliases: Mapping[str, bool]) -> bool:
        """Whether an attribute of that value is the thing: of a module that has it, or of what nobody knows while no
        class has such an attribute.
        """
        written = dotted(value)
        if written in aliases:
            return aliases[written]
        if written and written.split(".")[0] in aliases:
            return False
        return not self.top.members and self.old not in COMMON and "_" in self.old.strip("_")

    def _all(self, value: ast.expr) -> None:
        for node in ast.walk(value):
            if isinstance(node, ast.Constant) and node.value == self.old:
                self.text.string(node, self.old)

    def _string(self, node: ast.Constant, value: str) -> None:
        """`mock.patch("app.storage.reader.fetch_rows")` names the thing by where it is."""
        module, _, last = value.rpartition(".")
        is_path = last == self.old and module.replace(".", "").isidentifier()
        if is_path and target_of(self.path, module, 0, self.top.files) in self.top.exporters:
            self.text.string(node, value)

    def _by_string(self, node: ast.Call, aliases: Mapping[str, bool]) -> None:
        """`setattr(reader, "fetch_rows", ...)`."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in _BY_STRING and len(node.args) > 1 and aliases.get(dotted(node.args[0]), False):
            name = node.args[1]
            if isinstance(name, ast.Constant) and name.value == self.old:
                self.text.string(name, self.old)
