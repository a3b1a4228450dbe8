"""The answer inside of a reply that shows more than it was asked for: the class around a method, copied neighbours."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from textwrap import dedent

from litecode.core.filemap.outline import outline
from litecode.core.patching.pymodules import Function, Places
from litecode.core.patching.pytree import tree

_HEAD = re.compile(r"\s*(?:package[ \t]+[\w.]+;?|#![^\n]*|<\?php)[ \t]*\n+")
_Def = ast.FunctionDef | ast.AsyncFunctionDef


def unwrapped(code: str, region: str, language: str | None, path: str, known: Collection[str]) -> str:
    """The function alone, when the region is one and the reply has more that is in the file already. `known` are the
    dotted names of the file.
    """
    if language != "python":
        return _alone(_without_head(code, region), region, path, known)
    old, new = tree(region), tree(code)
    if old is None or new is None or len(old.body) != 1 or not isinstance(old.body[0], Function):
        return code
    name = old.body[0].name
    holders = [n for n in new.body if isinstance(n, ast.ClassDef) and any(_is(m, name) for m in n.body)]
    body = holders[0].body if len(holders) == 1 and not any(_is(n, name) for n in new.body) else new.body
    found = [n for n in body if isinstance(n, Function) and n.name == name]
    others = [n for n in body if isinstance(n, (*Function, ast.ClassDef)) and n not in found]
    ends = {k.rsplit(".", 1)[-1] for k in known}
    if len(found) != 1 or (body is new.body and (not others or any(n.name not in ends for n in others))):
        return code
    imports = [ast.unparse(n) + "\n" for n in new.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    return "".join(imports) + dedent(_text(code, found[0]))


def _is(node: ast.stmt, name: str) -> bool:
    return isinstance(node, Function) and node.name == name


def _text(code: str, node: _Def) -> str:
    places = Places(code)
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return code[places.offset(first, 0) : places.cut(node).end]


def _without_head(code: str, region: str) -> str:
    """The answer without a first line that only a whole file has, and that the region does not begin with."""
    head = _HEAD.match(code)
    return code[head.end() :] if head and not _HEAD.match(region) else code


def _alone(code: str, region: str, path: str, known: Collection[str]) -> str:
    """The same for other languages, where the functions of a file stand side by side."""
    old = [s.name for s in outline(region, path).symbols if "." not in s.name]
    found = outline(code, path).symbols
    tops = [s for s in found if "." not in s.name]
    if len(old) != 1 or len(tops) < 2 or any(s.name not in known for s in tops):
        return code
    own = [s for s in tops if s.name == old[0]]
    if len(own) != 1:
        return code
    return "\n".join(code.split("\n")[own[0].line - 1 : own[0].end_line])


def without_known(code: str, region: str, text: str) -> str:
    """Python for a function without the statements beside it that the file has already, such as that of its logger."""
    old, new, module = tree(region), tree(code), tree(text)
    if old is None or new is None or module is None or len(old.body) != 1 or not isinstance(old.body[0], Function):
        return code
    known = {ast.dump(n) for n in module.body if not isinstance(n, (*Function, ast.ClassDef))}
    lines = code.split("\n")
    for node in reversed(new.body):
        if ast.dump(node) in known and not isinstance(node, (ast.Import, ast.ImportFrom)):
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines).strip("\n")
