"""The answer inside of a reply that shows more than it was asked for: the class around a method, copied neighbours."""

from __future__ import annotations

import ast
from textwrap import dedent

from litecode.core.patching.pymodules import Function, Places
from litecode.core.patching.pytree import tree


def unwrapped(code: str, region: str, language: str | None) -> str:
    """The function alone, when the region is one and the reply has it in a class. Only for Python, whose methods look
    the same everywhere.
    """
    if language != "python":
        return code
    old, new = tree(region), tree(code)
    if old is None or new is None or len(old.body) != 1 or not isinstance(old.body[0], Function):
        return code
    code_nodes = [n for n in new.body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    holder = code_nodes[0] if len(code_nodes) == 1 else None
    if not isinstance(holder, ast.ClassDef):
        return code
    name = old.body[0].name
    found = [n for n in holder.body if isinstance(n, Function) and n.name == name]
    if len(found) != 1:
        return code
    places = Places(code)
    first = min([found[0].lineno, *(d.lineno for d in found[0].decorator_list)])
    start = places.offset(first, 0)
    head = "".join(f"{ast.unparse(n)}\n" for n in new.body if isinstance(n, (ast.Import, ast.ImportFrom)))
    return head + dedent(code[start : places.cut(found[0]).end])
