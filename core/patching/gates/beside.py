"""Gates for requests: what a rewrite of one part does to the code around it."""

from __future__ import annotations

import ast
from textwrap import dedent

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.layout import margin_of
from litecode.core.patching.pytree import tree
from litecode.core.patching.syntax import tokens
from litecode.core.patching.wish import Wish

_SIGNS = frozenset({"=", ":="})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def statements(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """Nothing but definitions comes beside a method, and beside a function only names that are used in it."""
    if rewrite.language != "python" or rewrite.area.kind != "function":
        return None
    margin = margin_of(rewrite.before, rewrite.area.cut)
    old, new = (tree(dedent(margin + text)) for text in (rewrite.old, rewrite.new))
    if old is None or new is None or len(old.body) != 1:
        return None
    for node in new.body:
        if isinstance(node, _DEFINITIONS):
            continue
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        used = {n.id for other in new.body for n in ast.walk(other) if isinstance(n, ast.Name) and _is_read(n)}
        if margin or not names or not names <= used | wish.words:
            line = ast.unparse(node).split("\n")[0]
            return Objection("beside", Grade.REFUSE, f"{quoted(line)} was added beside the function; keep it out")
    return None


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def unset(rewrite: Rewrite, _: Wish) -> Objection | None:
    """A variable that the code around still reads is still set."""
    lost = _given(rewrite.old, rewrite.language) - _given(rewrite.after, rewrite.language)
    used = {t.text for t in tokens(rewrite.after, rewrite.language) if not t.is_comment}
    for name in sorted(lost & used):
        return Objection("unset", Grade.REFUSE, f"{quoted(name)} is not set any more, but it is still used")
    return None


def _given(text: str, language: str | None) -> set[str]:
    """Names on the left of a sign of assignment; named arguments and members are none."""
    found = [t for t in tokens(text, language) if not t.is_comment]
    return {
        token.text
        for i, token in enumerate(found[:-1])
        if found[i + 1].text in _SIGNS
        and ("identifier" in token.kind or token.kind == "variable_name")
        and (i == 0 or found[i - 1].text not in ("(", ",", ".", "->", "::"))
    }
