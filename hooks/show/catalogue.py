"""Every error and hint of the program, read from its sources: docs/errors.md.

    python -m litecode.hooks.show.catalogue > docs/errors.md

Read are the calls that make an error of the tree in `litecode.core.errors`, those of functions that have a parameter
`hint` and make one, and texts that begin with `hint: `. What is put in at run time is shown as ⟨name⟩.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path

from litecode.core import errors

ROOT = errors.LitecodeError.__name__
PACKAGES = ("config", "core", "hooks")
MARK = "hint: "
LEFT_OUT = "⟨…⟩"
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Known = Mapping[str, list[ast.expr]]
_MOST = 12  # what one expression can say, beyond that it is not written out


@dataclass(frozen=True, slots=True, order=True)
class Said:
    """One thing that a person can be told: what happened (`message`, empty for a hint that stands alone) and what to
    type or do. `kind` is the class of the error, `module` where it is made.
    """

    kind: str
    message: str
    hint: str
    module: str


@dataclass(frozen=True, slots=True)
class _Maker:
    """Something that is called with a message and a hint; its parameters in their order, without `self`."""

    kind: str
    parameters: tuple[str, ...]


def sources() -> dict[str, ast.Module]:
    """The modules of the three packages by their paths, as `core/errors.py`."""
    top = Path(__file__).resolve().parents[2]
    found = {}
    for package in PACKAGES:
        for path in sorted((top / package).rglob("*.py")):
            found[path.relative_to(top).as_posix()] = ast.parse(path.read_bytes())
    return found


def collect(modules: Mapping[str, ast.Module]) -> list[Said]:
    """What the modules can say; not what only hands on the words of somebody else."""
    makers = _makers(modules.values())
    tops = {name: _assigned(module) for name, module in modules.items()}
    found: set[Said] = set()
    for name, module in modules.items():
        shared = _imported(module, tops) | tops[name]
        for function, kind, node in _walk(module, None, ""):
            maker = makers.get(_called(node, kind)) if isinstance(node, ast.Call) else None
            if maker is None and not (isinstance(node, ast.Constant | ast.JoinedStr) and _is_hint(node)):
                continue
            known = shared | (_assigned(function) if function is not None else {})
            if isinstance(node, ast.Call) and maker is not None:
                message = _texts(_argument(node, maker, "message"), known)
                hint = _texts(_argument(node, maker, "hint"), known)
                found |= {Said(maker.kind, one, other, name) for one, other in product(message, hint)}
            elif isinstance(node, ast.expr):
                found |= {Said("", "", text.removeprefix(MARK), name) for text in _texts(node, known)}
    return sorted(said for said in found if _tells(said.message) or _tells(said.hint))


def _is_hint(node: ast.Constant | ast.JoinedStr) -> bool:
    first = node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value.startswith(MARK)


def _tells(text: str) -> bool:
    return bool(re.sub(r"⟨[^⟩]*⟩|\W", "", text))


def _makers(modules: Iterable[ast.Module]) -> dict[str, _Maker]:
    """The classes of the tree, and the functions that hand a `hint` on to one."""
    listed = [node for module in modules for node in ast.walk(module)]
    classes = {node.name: node for node in listed if isinstance(node, ast.ClassDef)}
    makers: dict[str, _Maker] = {}
    for name in classes:
        line = list(_ancestors(name, classes))
        if ROOT in line:
            starts = (_init(classes[one]) for one in line)
            names = next(start for start in starts if start is not None)
            makers[name] = _Maker(name, names if "message" in names else ("message", "hint"))
    for node in listed:
        if isinstance(node, _Function) and node.name != "__init__" and "hint" in (names := _parameters(node)):
            kinds = [_called(call) for call in ast.walk(node) if isinstance(call, ast.Call)]
            kind = next((kind for kind in kinds if kind in makers), "")
            if kind:
                makers[node.name] = _Maker(makers[kind].kind, names)
    return makers


def _ancestors(name: str, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    yield name
    for base in classes[name].bases if name in classes else ():
        yield from _ancestors(ast.unparse(base), classes)


def _init(node: ast.ClassDef) -> tuple[str, ...] | None:
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            return _parameters(one)
    return None


def _parameters(node: _Function) -> tuple[str, ...]:
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return tuple(names[1:] if names[:1] in (["self"], ["cls"]) else names)


def _called(node: ast.Call, kind: str = "") -> str:
    """The last part of the name; `kind` is the class around, which `super().__init__` makes one of."""
    function = node.func
    if isinstance(function, ast.Attribute):
        inner = function.value.func if isinstance(function.value, ast.Call) else None
        is_super = function.attr == "__init__" and isinstance(inner, ast.Name) and inner.id == "super"
        return kind if is_super else function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _argument(node: ast.Call, maker: _Maker, name: str) -> ast.expr | None:
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    at = maker.parameters.index(name) if name in maker.parameters else len(node.args)
    return node.args[at] if at < len(node.args) else None


def _walk(node: ast.AST, function: _Function | None, kind: str) -> Iterator[tuple[_Function | None, str, ast.AST]]:
    """Every node with the function and the class that it is in; what stands in an f-string is a part of it."""
    for child in ast.iter_child_nodes(node):
        inner = child if isinstance(child, _Function) else function
        inside = child.name if isinstance(child, ast.ClassDef) else kind
        yield inner, inside, child
        if not isinstance(child, ast.JoinedStr):
            yield from _walk(child, inner, inside)


def _assigned(node: ast.AST) -> dict[str, list[ast.expr]]:
    """The values that names get in a function, or at the top of a module, and what its functions return."""
    found: dict[str, list[ast.expr]] = {}
    for one in node.body if isinstance(node, ast.Module) else ast.walk(node):
        if isinstance(one, ast.Assign):
            for target in one.targets:
                pairs = [(target, one.value)]
                if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                    pairs = list(zip(target.elts, one.value.elts, strict=False))
                for name, value in pairs:
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, []).append(value)
        elif isinstance(one, _Function) and isinstance(node, ast.Module):
            returned = [inner.value for inner in ast.walk(one) if isinstance(inner, ast.Return)]
            found[f"{one.name}()"] = [value for value in returned if value is not None]
    return found


def _imported(module: ast.Module, tops: Mapping[str, _Known]) -> dict[str, list[ast.expr]]:
    """The constants that come from other modules of the program."""
    found: dict[str, list[ast.expr]] = {}
    for one in module.body:
        if isinstance(one, ast.ImportFrom) and one.module:
            values = tops.get(one.module.removeprefix("litecode.").replace(".", "/") + ".py", {})
            found |= {name.name: values[name.name] for name in one.names if name.name.isupper() and name.name in values}
    return found


def _texts(node: ast.expr | None, known: _Known, depth: int = 0) -> list[str]:
    """What an expression can say; one ⟨name⟩ where that is not written down."""
    if node is None:
        return [""]
    match node:
        case ast.Constant():
            return [str(node.value)]
        case ast.IfExp():
            return _texts(node.body, known, depth) + _texts(node.orelse, known, depth)
        case ast.BoolOp():
            return [text for value in node.values for text in _texts(value, known, depth)]
        case ast.BinOp(op=ast.Add()):
            return _joined((node.left, node.right), node, known, depth)
        case ast.JoinedStr():
            return _joined(node.values, node, known, depth)
        case ast.FormattedValue():
            said = _texts(node.value, known, depth + 1) if isinstance(node.value, ast.Name | ast.IfExp) else []
            return said if 0 < len(said) < 4 else [_name(node.value)]
    name = f"{_called(node)}()" if isinstance(node, ast.Call) else node.id if isinstance(node, ast.Name) else ""
    if name in known and depth < 3:
        texts = [text for value in known[name] for text in _texts(value, known, depth + 1)]
        if not isinstance(node, ast.Call) or any(isinstance(value, ast.Constant) for value in known[name]):
            return list(dict.fromkeys(texts))
    return [_name(node)]


def _joined(parts: Iterable[ast.expr], whole: ast.expr, known: _Known, depth: int) -> list[str]:
    texts = ["".join(chosen) for chosen in product(*(_texts(part, known, depth) for part in parts))]
    return texts if len(texts) <= _MOST else [_name(whole)]


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return f"⟨{node.id.strip('_')}⟩"
    if isinstance(node, ast.Attribute):
        return f"⟨{node.attr.strip('_')}⟩"
    if isinstance(node, ast.Call) and node.args:
        return _name(node.args[0])
    return LEFT_OUT


def markdown(found: Iterable[Said]) -> str:
    """docs/errors.md, with a section for each kind of error, the most common ones first."""
    lines = ["# Errors and hints", ""]
    lines += ["Everything that can go wrong, and what to do then; made from the sources by", ""]
    lines += [f"    python -m {__spec__.name if __spec__ else __name__} > docs/errors.md", ""]
    lines += [
        "`<name>` stands for what is put in. An error is shown as `litecode: MESSAGE` with `hint:` lines below it.",
        "",
    ]
    for kind, group in groupby(found, key=lambda said: said.kind):
        made = getattr(errors, kind, None)
        lines += [f"## {kind or 'Hints without an error'}", ""]
        if made is not None and made.__doc__:
            lines += [f"{' '.join(made.__doc__.split())} Exit code {made.exit_code}.", ""]
        lines += ["| what happened | what to do |", "| --- | --- |"]
        for message, same in groupby(group, key=lambda said: said.message):
            todo = dict.fromkeys(said.hint for said in same if said.hint)
            lines.append(f"| {_cell(message)} | {'<br>'.join(map(_cell, todo))} |")
        lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """The text in a table of Markdown: code spans stay, nothing else is markup."""
    lines = (line.replace("|", "\\|") for line in text.splitlines() if line)
    return "<br>".join(re.sub(r"(`[^`]*`)|([<*_])", lambda m: m[1] or "\\" + m[2], line) for line in lines)


if __name__ == "__main__":
    sys.stdout.write(markdown(collect(sources())))
