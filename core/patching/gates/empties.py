"""A gate for requests: what went through an empty sequence before still does.

A function that loops over its argument has an answer when there is nothing in it. A rewrite that takes its first item,
its largest one or a mean has none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.pytree import tree
from litecode.core.patching.syntax import parse
from litecode.core.patching.wish import Wish

_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


def empties(rewrite: Rewrite, _: Wish) -> Objection | None:
    """New code does not need an item of what the old code only looped over."""
    if rewrite.language == "python":
        before, after = tree(rewrite.before), tree(rewrite.after)
        if before is None or after is None:
            return None
        loops = _loops(before)
        old, new = _python(before, loops), _python(after, loops)
    elif rewrite.language in _SCRIPTS:
        old, new = (_script(text, rewrite.language) for text in (rewrite.old, rewrite.new))
    else:
        return None
    for code, name in new.items():
        if code not in old:
            text = f"{quoted(code)} fails when {name} is empty; check that first"
            return Objection("empties", Grade.REFUSE, text)
    return None


def _functions(module: ast.Module) -> Iterator[_Function]:
    return (n for n in ast.walk(module) if isinstance(n, _Function))


def _loops(module: ast.Module) -> set[tuple[str, str]]:
    """Functions with the arguments that they loop over."""
    found = set()
    for function in _functions(module):
        args = function.args
        names = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        for loop in (n for n in ast.walk(function) if isinstance(n, _LOOPS)):
            over = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
            found |= {(function.name, name) for name in over & names}
    return found


def _python(module: ast.Module, loops: set[tuple[str, str]]) -> dict[str, str]:
    """What fails on an empty argument of its function, each with the argument."""
    found = {}
    for function in _functions(module):
        if any(isinstance(n, ast.Try) for n in ast.walk(function)):
            continue
        for node in ast.walk(function):
            for name in _needing(node):
                if (function.name, name) in loops and not _asks(function, name):
                    found[ast.unparse(node)] = name
    return found


def _needing(node: ast.AST) -> Iterator[str]:
    """The names of which an expression needs an item."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=index, ctx=ast.Load()) if _is_end(index):
            yield name
        case ast.Call(func=ast.Name(id="min" | "max"), args=[ast.Name(id=name)], keywords=keywords):
            if all(k.arg != "default" for k in keywords):
                yield name
        case ast.Call(func=ast.Name(id="next"), args=[ast.Call(func=ast.Name(id="iter"), args=[ast.Name(id=name)])]):
            yield name
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=ast.Call(func=ast.Name(id="len"), args=[a])):
            if isinstance(a, ast.Name):
                yield a.id


def _is_end(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant | ast.UnaryOp) and ast.unparse(index) in ("0", "-1")


def _asks(function: _Function, name: str) -> bool:
    """Whether the function looks whether there is something in it."""
    tests = [n.test for n in ast.walk(function) if isinstance(n, ast.If | ast.IfExp | ast.While | ast.Assert)]
    tests += [v for n in ast.walk(function) if isinstance(n, ast.BoolOp) for v in n.values[:-1]]
    tests += [i for n in ast.walk(function) if isinstance(n, ast.comprehension) for i in n.ifs]
    return any(isinstance(n, ast.Name) and n.id == name for test in tests for n in ast.walk(test))


def _script(text: str, language: str) -> dict[str, str]:
    """`reduce` without a value to start from."""
    found = {}
    for node in parse(text, language).walk():
        children = list(node.children())
        if node.kind == "call_expression" and len(children) == 2 and children[0].kind == "member_expression":
            given = [c for c in children[1].children() if c.named and c.kind != "comment"]
            if children[0].text.endswith((".reduce", ".reduceRight")) and len(given) == 1:
                owner = children[0].text.rpartition(".")[0]
                found[f"{children[0].text}()"] = owner
    return found
