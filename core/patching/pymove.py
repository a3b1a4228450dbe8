"""Moving a function, class or constant of Python to another module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from litecode.core.patching import ensure
from litecode.core.patching.above import with_comments
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pyimports import import_line, with_imports, without_idle, without_names
from litecode.core.patching.pymodules import Function, Places, is_python, parsed, target_of, top_bindings
from litecode.core.patching.pytree import tree


@dataclass(frozen=True, slots=True)
class _Piece:
    """What moves: its text with the comments above it, and the names that it uses from its module."""

    text: str
    cut: Cut
    uses: frozenset[str]


def move_python(files: Mapping[str, Document], name: str, source: str, target: str) -> dict[str, str]:
    module = parsed(source, files[source])
    text = files[source].text
    piece = _piece(module, text, name, source)
    goal = files[target].text if target in files else ""
    goal_tree = parsed(target, files[target]) if target in files else None
    if goal_tree is not None and name in top_bindings(goal_tree) and not _only_imported(goal_tree, name):
        raise Impossible(f"{target} has a `{name}` already")
    imports, needed = _needs(module, text, piece, name)
    rest = splice(text, [Edit(_with_blanks(text, piece.cut), "")])
    used = _uses(rest, name)
    back = [n for n in needed if not (goal_tree is not None and n in top_bindings(goal_tree))]
    if back and used:
        raise Impossible(
            f"`{name}` uses `{back[0]}` of {source}, which uses `{name}`: the modules would import each other"
        )
    lines = [*_lines_for(goal_tree, imports, source, target, files)]
    lines += [import_line(target, source, back_name, files) for back_name in back]
    if goal_tree is not None and _only_imported(goal_tree, name):
        goal = without_names(goal, {name})
    result = {
        target: _with_piece(goal, piece.text, lines),
        source: _left(rest, module, name, source, target, files, used=used),
    }
    result |= _importers(files, name, source, target)
    return result


def _piece(module: ast.Module, text: str, name: str, source: str) -> _Piece:
    found = [n for n in module.body if _binds(n, name)]
    if len(found) != 1:
        many = "more than once" if found else "not"
        raise Impossible(f"`{name}` is {many} defined at the top of {source}")
    node = found[0]
    if isinstance(node, ast.Assign) and (len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name)):
        raise Impossible(f"`{name}` is defined together with other names")
    places = Places(text)
    cut = places.cut(node)
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    start = places.offset(first, 0)
    end = text.find("\n", cut.end)
    end = len(text) if end < 0 else end
    if text[cut.end : end].strip().startswith(";"):
        raise Impossible(f"`{name}` shares its line with other code")
    whole = Cut(with_comments(text, start, "python"), end)
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    names |= {
        w
        for n in ast.walk(node)
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
        for w in _annotation(n.value)
    }
    return _Piece(whole.of(text), whole, frozenset(names - {name}))


def _annotation(value: str) -> list[str]:
    """The names of what may be an annotation in quotes."""
    return (
        re.findall(r"\w+", value)
        if re.fullmatch(r"[\w.\[\], |]{1,80}", value) and " " not in value.replace(", ", "")
        else []
    )


def _binds(node: ast.stmt, name: str) -> bool:
    if isinstance(node, (*Function, ast.ClassDef)):
        return node.name == name
    if isinstance(node, ast.Assign):
        return any(isinstance(n, ast.Name) and n.id == name for t in node.targets for n in ast.walk(t))
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name


def _only_imported(module: ast.Module, name: str) -> bool:
    return any(
        isinstance(n, ast.ImportFrom) and any((a.asname or a.name) == name for a in n.names) for n in module.body
    ) and not any(_binds(n, name) for n in module.body)


def _needs(
    module: ast.Module, text: str, piece: _Piece, name: str
) -> tuple[list[tuple[ast.Import | ast.ImportFrom, ast.alias]], list[str]]:
    """The imports that a piece needs, and the names that its module defines itself. Raises Impossible for imports that
    are not at the top of the file.
    """
    imports = [
        (node, alias)
        for node in ast.walk(module)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if (alias.asname or alias.name.split(".")[0]) in piece.uses and not piece.cut.covers(Places(text).cut(node))
    ]
    if any(node not in module.body and not _is_guarded(module, node) for node, _ in imports):
        imports = [(node, alias) for node, alias in imports if node in module.body]
    imported = {alias.asname or alias.name.split(".")[0] for _, alias in imports}
    own = [n for n in sorted(piece.uses) if n in top_bindings(module) and n not in imported and n != name]
    return imports, own


def _is_guarded(module: ast.Module, node: ast.AST) -> bool:
    return any(node in ast.walk(n) for n in module.body if isinstance(n, (ast.If, ast.Try)))


def _lines_for(
    goal: ast.Module | None,
    imports: list[tuple[ast.Import | ast.ImportFrom, ast.alias]],
    source: str,
    target: str,
    files: Mapping[str, Document],
) -> Iterator[str]:
    """The import lines that a piece brings along, as its new module has to write them."""
    for node, alias in imports:
        bound = alias.asname or alias.name.split(".")[0]
        as_ = f" as {alias.asname}" if alias.asname else ""
        if isinstance(node, ast.Import):
            line = f"import {alias.name}{as_}"
        else:
            if target_of(source, node.module, node.level, files) == target:
                continue  # it is at home there
            module = "." * node.level + (node.module or "")
            if node.level and source.rpartition("/")[0] != target.rpartition("/")[0]:
                known = target_of(source, node.module, node.level, files)
                if known is None:
                    raise Impossible(f"`{bound}` comes from a relative import that means something else in {target}")
                line = import_line(target, known, alias.name, files)
                yield line if not as_ else f"{line}{as_}"
                continue
            line = f"from {module} import {alias.name}{as_}"
        if goal is not None and bound in top_bindings(goal) and not _has(goal, line):
            raise Impossible(f"`{bound}` means something else in {target}")
        yield line


def _has(module: ast.Module, line: str) -> bool:
    return not ensure.missing(ast.unparse(module), "python", [line])


def _with_blanks(text: str, cut: Cut) -> Cut:
    """The piece with the blank lines after it; those before it stay as the distance to what comes next."""
    end = cut.end
    while text[end : end + 1] == "\n":
        end += 1
    if end == len(text):  # nothing follows, so the blank lines before it go
        start = cut.start
        while start > 0 and text[start - 1] == "\n":
            start -= 1
        return Cut(start, max(start, len(text) - 1)) if start else Cut(cut.start, end)
    return Cut(cut.start, end)


def _with_piece(goal: str, piece: str, lines: list[str]) -> str:
    """The new home with the piece at its end, but before a `if __name__` block."""
    apart = "\n\n\n" if re.match(r"(?:#[^\n]*\n)*(?:@|def |class |async )", piece) else "\n\n"
    main = re.search(r"^if __name__ == ", goal, re.MULTILINE)
    head = goal[: main.start()].rstrip("\n") if main else goal.rstrip("\n")
    tail = f"\n\n\n{goal[main.start() :]}" if main else "\n"
    if not head:
        head = with_imports("", lines).rstrip("\n")
    text = f"{head}{apart}{piece}{tail}" if head else f"{piece}{tail}"
    return with_imports(text, lines)


def _uses(text: str, name: str) -> bool:
    module = tree(text)
    if module is None:
        raise Impossible("what is left does not parse")
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(module)) or _exports(module, name)


def _exports(module: ast.Module, name: str) -> bool:
    return any(
        isinstance(n, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == "__all__" for t in n.targets)
        and any(isinstance(c, ast.Constant) and c.value == name for c in ast.walk(n.value))
        for n in module.body
    )


def _left(
    rest: str, module: ast.Module, name: str, source: str, target: str, files: Mapping[str, Document], *, used: bool
) -> str:
    """The old home: without the imports that only the piece used, and with the import of the piece where it is used."""
    left = without_idle(rest, module, source)
    return with_imports(left, [import_line(source, target, name, files)]) if used else left


def _importers(files: Mapping[str, Document], name: str, source: str, target: str) -> dict[str, str]:
    """The other files that import the symbol from its old home."""
    result: dict[str, str] = {}
    for path, document in files.items():
        if path in (source, target) or not is_python(path) or name not in document.text:
            continue
        module = parsed(path, document)
        aliases = [
            alias
            for n in ast.walk(module)
            if isinstance(n, ast.ImportFrom) and target_of(path, n.module, n.level, files) == source
            for alias in n.names
            if alias.name == name
        ]
        nested = [n for n in ast.walk(module) if isinstance(n, ast.ImportFrom) and n not in module.body]
        if any(alias in n.names for n in nested for alias in aliases):
            raise Impossible(f"{path} imports `{name}` inside of other code")
        if _through_module(path, module, name, source, files):
            raise Impossible(f"{path} uses `{name}` through its module")
        if aliases:
            text = without_names(document.text, {a.asname or name for a in aliases}, only=name)
            lines = [import_line(path, target, name, files) + (f" as {a.asname}" if a.asname else "") for a in aliases]
            result[path] = with_imports(text, lines)
    return result


def _through_module(path: str, module: ast.Module, name: str, source: str, files: Mapping[str, Document]) -> bool:
    """`config.ConfigError` in a file that imports the module `config`."""
    known = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            known |= {a.asname or a.name for a in node.names if target_of(path, a.name, 0, files) == source}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                dotted = f"{node.module}.{alias.name}" if node.module else alias.name
                if target_of(path, dotted, node.level, files) == source:
                    known.add(alias.asname or alias.name)
    return any(
        isinstance(n, ast.Attribute) and n.attr == name and ast.unparse(n.value) in known for n in ast.walk(module)
    )
