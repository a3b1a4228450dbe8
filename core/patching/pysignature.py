"""Parameters of Python functions, and the calls that pass them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.ordering import arranged, name_of, new_order
from litecode.core.patching.pymodules import Function, Places, bound_in, parsed
from litecode.core.patching.pyrename import python_edits

_PLACEHOLDER = "litecode_new_name"
_Def = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Use:
    """One call of the function; `skip` are arguments before those of its parameters (`Cart.total(cart, x)`)."""

    node: ast.Call
    skip: int


@dataclass(frozen=True, slots=True)
class _Found:
    """What one file has of the function."""

    path: str
    text: str
    places: Places
    definitions: tuple[_Def, ...]
    calls: tuple[_Use, ...]
    values: tuple[int, ...]  # the lines where it is used, but not called


def python_signature(
    files: Mapping[str, Document], name: str, after: Sequence[str], swapped: tuple[str, ...], home: str
) -> dict[str, list[Edit]]:
    found = _uses(files, name, home)
    definitions = [(f, d) for f in found for d in f.definitions]
    if not definitions:
        return {}
    lists = [_parameters(f.text, f.places, d) for f, d in definitions]
    old = [n for n, _, _ in lists[0]]
    if any([n for n, _, _ in other] != old for other in lists[1:]):
        raise Impossible(f"`{name}` is defined more than once, with other parameters")
    new = new_order(old, after, swapped)
    texts = {name_of(part): part for part in after}
    edits: dict[str, list[Edit]] = {f.path: [] for f in found}
    for (f, definition), parameters in zip(definitions, lists, strict=True):
        edits[f.path] += _definition_edits(f, definition, parameters, new, texts)
    moved = [n for n in new if n in old] != old or new[: len(old)] != old
    for f in found:
        if moved and f.values:
            raise Impossible(f"{f.path}:{f.values[0]} hands `{name}` on, so that its callers cannot be told")
        for use in f.calls:
            edits[f.path] += _call_edits(f, use, old, new)
    return edits


def python_parameter(files: Mapping[str, Document], name: str, old: str, new: str, home: str) -> dict[str, list[Edit]]:
    found = _uses(files, name, home)
    edits: dict[str, list[Edit]] = {f.path: [] for f in found}
    known = False
    for f in found:
        for definition in f.definitions:
            names = [n for n, _, _ in _parameters(f.text, f.places, definition)]
            if old not in names:
                raise Impossible(f"`{name}` has no parameter `{old}`")
            if new in bound_in(definition):
                raise Impossible(f"`{name}` has a `{new}` already")
            known = True
            edits[f.path] += _inside(f, definition, old, new)
        for use in f.calls:
            if any(k.arg is None for k in use.node.keywords):
                raise Impossible(f"{f.path}:{use.node.lineno} passes `**`, so that its keywords cannot be told")
            keywords = [k for k in use.node.keywords if k.arg == old]
            edits[f.path] += [Edit(_start(f.places, k, old), new) for k in keywords]
    if not known:
        raise Impossible(f"none of the files defines `{name}`")
    return edits


def _start(places: Places, node: ast.keyword | ast.arg | ast.Name, name: str) -> Cut:
    start = places.offset(node.lineno, node.col_offset)
    return Cut(start, start + len(name))


def _inside(f: _Found, definition: _Def, old: str, new: str) -> list[Edit]:
    """The parameter and its uses in the body; functions within that bind the name themselves keep theirs."""
    arguments = definition.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    edits = [Edit(_start(f.places, a, old), new) for a in every if a.arg == old]
    todo: list[ast.AST] = list(definition.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (*Function, ast.Lambda)) and old in bound_in(node):
            continue
        if isinstance(node, ast.JoinedStr) and any(isinstance(n, ast.Name) and n.id == old for n in ast.walk(node)):
            cuts = [_start(f.places, n, old) for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == old]
            if any(cut.of(f.text) != old for cut in cuts):
                raise Impossible(f"{f.path}:{node.lineno}: a use of `{old}` in an f-string cannot be told")
        if isinstance(node, ast.Name) and node.id == old:
            edits.append(Edit(_start(f.places, node, old), new))
        todo += ast.iter_child_nodes(node)
    return edits


def _uses(files: Mapping[str, Document], name: str, home: str) -> list[_Found]:
    """What a rename would touch, sorted by what it is."""
    result = []
    for path, edits in python_edits(files, name, _PLACEHOLDER, home).items():
        text = files[path].text
        ends = {e.cut.end for e in edits}
        module = parsed(path, files[path])
        places = Places(text)
        definitions = tuple(
            n
            for n in ast.walk(module)
            if isinstance(n, Function)
            and text.find(n.name, places.offset(n.lineno, n.col_offset) + 4) + len(n.name) in ends
        )
        classes = {n.name for n in ast.walk(module) if isinstance(n, ast.ClassDef)}
        calls = []
        taken: set[int] = set()
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                end = places.cut(node.func).end
                if end in ends:
                    taken.add(end)
                    calls.append(_Use(node, _skipped(node.func, classes, definitions)))
        values = tuple(
            n.lineno
            for n in ast.walk(module)
            if isinstance(n, (ast.Name, ast.Attribute)) and places.cut(n).end in ends - taken
        )
        result.append(_Found(path, text, places, definitions, tuple(calls), values))
    return result


def _skipped(func: ast.expr, classes: set[str], definitions: Sequence[_Def]) -> int:
    """`Cart.total(cart, x)`: the object comes first, unless the method takes none."""
    plain = any(
        isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod")
        for f in definitions
        for d in f.decorator_list
    )
    through_class = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in classes
    return 1 if through_class and not plain else 0


def _parameters(text: str, places: Places, definition: _Def) -> list[tuple[str, Cut, bool]]:
    """Names, places and whether there is a default, of the parameters that a position reaches; without `self`."""
    arguments = definition.args
    plain = [*arguments.posonlyargs, *arguments.args]
    first = 1 if plain and plain[0].arg in ("self", "cls") else 0
    defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults]
    found = []
    for argument, default in zip(plain, defaults, strict=True):
        cut = places.cut(argument)
        end = places.cut(default).end if default is not None else cut.end
        while default is not None and text[cut.start : end].count("(") > text[cut.start : end].count(")"):
            end = text.index(")", end) + 1  # a default in parentheses
        found.append((argument.arg, Cut(cut.start, end), default is not None))
    return found[first:]


def _definition_edits(
    f: _Found,
    definition: _Def,
    parameters: Sequence[tuple[str, Cut, bool]],
    new: Sequence[str],
    texts: Mapping[str, str],
) -> list[Edit]:
    by_name = {name: (cut.of(f.text), has) for name, cut, has in parameters}
    written = []
    optional = False
    for name in new:
        text, has = by_name.get(name, (texts.get(name, name), "=" in texts.get(name, "")))
        given = texts.get(name, name)
        if name in by_name and "=" in given and not has:
            text, has = f"{text}={given.split('=', 1)[1].strip()}", True
        if name not in by_name and not has:
            raise Impossible(f"the new parameter `{name}` has no default, so that the callers cannot be adapted")
        if optional and not has:
            raise Impossible(f"`{name}` has no default and would come after one that has")
        optional = optional or has
        written.append(text)
    if definition.args.posonlyargs and new[: len(parameters)] != [name for name, _, _ in parameters]:
        raise Impossible("a parameter is for positions only")
    edits = [Edit(cut, text) for (_, cut, _), text in zip(parameters, written, strict=False)]
    more = written[len(parameters) :]
    if more and not parameters:
        raise Impossible("there is no parameter that the new ones could stand beside")
    if more:
        last = edits[-1]
        edits[-1] = Edit(last.cut, ", ".join([last.text, *more]))
    return edits


def _call_edits(f: _Found, use: _Use, old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    """The arguments of one call in their new order; none when they may stay."""
    args = use.node.args[use.skip :]
    where = f"{f.path}:{use.node.lineno}"
    if any(isinstance(a, ast.Starred) for a in use.node.args):
        if list(new[: len(old)]) == list(old):
            return []
        raise Impossible(f"{where} passes `*`, so that its arguments cannot be told")
    if len(args) > len(old):
        if list(new[: len(old)]) == list(old) and len(new) == len(old):
            return []
        raise Impossible(f"{where} passes more arguments than there are parameters")
    cuts = [f.places.cut(a) for a in args]
    given = [cut.of(f.text) for cut in cuts]
    positional, keywords = arranged(given, old, new)
    passed = {k.arg for k in use.node.keywords}
    if any(name in passed for name, _ in keywords):
        raise Impossible(f"{where} passes an argument twice")
    if any(isinstance(a, (ast.NamedExpr, ast.GeneratorExp)) for a in args) and keywords:
        raise Impossible(f"{where} has an argument that cannot become a keyword")
    texts = [*positional, *(f"{name}={text}" for name, text in keywords)]
    edits = [Edit(cut, text) for cut, text, was in zip(cuts, texts, given, strict=True) if text != was]
    follows = use.node.args and use.node.keywords and any(k.arg is None for k in use.node.keywords)
    if keywords and follows and f.places.cut(use.node.keywords[0].value).start < cuts[-1].start:
        raise Impossible(f"{where} passes `**` before its other arguments")
    return edits
