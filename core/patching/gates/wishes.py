"""Gates for requests: what a rewrite must not lose, and what it must bring. They know the request's words only where
these leave no doubt, so that a refusal is damage, or a part of the request that is not there.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher

from litecode.core.patching import callables
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.grammar import definitions
from litecode.core.patching.pytree import tree
from litecode.core.patching.syntax import has_grammar, tokens
from litecode.core.patching.wish import Only, Wish

WishGate = Callable[[Rewrite, Wish], Objection | None]
_STUB = re.compile(
    r"\b(?:TODO|FIXME|XXX)\b|NotImplementedError|\bunimplemented!|\btodo!|your (?:code|logic) here", re.IGNORECASE
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
CHURN = 0.5  # share of a function's lines that a small request may change
CHURN_LINES = 8  # of a function that is short enough to be changed as a whole


def _refuse(gate: str, text: str) -> Objection:
    return Objection(gate, Grade.REFUSE, text)


def changed(rewrite: Rewrite, _: Wish) -> Objection | None:
    """Something other than white space is different."""
    old, new = (_texts(text, rewrite.language, comments=True) for text in (rewrite.old, rewrite.new))
    return _refuse("changed", "nothing was changed") if old == new else None


def _texts(text: str, language: str | None, *, comments: bool) -> list[str]:
    return [t.text for t in tokens(text, language) if comments or not t.is_comment]


def lost(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """Every definition of the file is still there, unless the request takes away and names it."""
    language = rewrite.language
    if language is None or not has_grammar(language):
        return None
    before, after = definitions(rewrite.before, language), definitions(rewrite.after, language)
    for name in sorted(before - after):
        if not (wish.removes and name.rsplit(".", 1)[-1] in wish.words):
            return _refuse("lost", f"{quoted(name)} is lost; keep its name and all of it")
    return None


def added(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """No definition comes twice, and none that the request does not name comes beside the region."""
    if rewrite.language != "python":
        return None
    own = callables.first(rewrite.old, rewrite.language)
    old, new = _names(tree(rewrite.before)), _names(tree(rewrite.after))
    for name, times in (new - old).items():
        if old[name]:
            return _refuse("added", f"{quoted(name)} is there twice now")
        inside = own is not None and f".{own.name}." in f".{name}"
        beside = times and rewrite.area.kind == "function" and not inside and name.rsplit(".", 1)[-1] not in wish.words
        if beside and not re.search(r"\b(?:helper|extract|function|split)", wish.text, re.IGNORECASE):
            return _refuse("added", f"{quoted(name)} was added, but nobody asked for it")
    return None


def _names(module: ast.Module | None) -> Counter[str]:
    """Dotted names of functions and classes; properties and overloads have one name several times."""
    found: Counter[str] = Counter()
    todo: list[tuple[ast.AST, str]] = [(module, "")] if module else []
    while todo:
        node, prefix = todo.pop()
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
                found[prefix + child.name] += 1
                inner = f"{prefix}{child.name}."
            todo.append((child, inner))
    return found


def signature(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """Parameters stay as they are but for those that the request names; new ones can be left out by old callers."""
    if rewrite.area.kind != "function":
        return None
    old, new = (callables.first(text, rewrite.language) for text in (rewrite.old, rewrite.new))
    if old is None or new is None:
        return None
    known = {p.name or p.text: p for p in new.parameters}
    for parameter in old.parameters:
        label = parameter.name or parameter.text
        if parameter.name in wish.words and wish.about_parameters:
            continue
        if label not in known:
            return _refuse("signature", f"the parameter {quoted(label)} is lost; keep all parameters")
        given = parameter.name in wish.words and _plain(known[label].text).startswith(_plain(parameter.text))
        if _plain(known[label].text) != _plain(parameter.text) and not wish.about_parameters and not given:
            return _refuse("signature", f"the parameter {quoted(parameter.text)} was changed")
    had = {p.name or p.text for p in old.parameters}
    if not wish.about_parameters and set(known) - had:
        extra = next(n for n in known if n not in had)
        if extra not in wish.words:
            return _refuse("signature", f"the parameter {quoted(extra)} was added, but nobody asked for it")
    return _callers(old, new, had, wish)


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text).replace("'", '"')


def _callers(old: callables.Head, new: callables.Head, had: set[str], wish: Wish) -> Objection | None:
    """Calls that were right before are still right."""
    kept = [p.name or p.text for p in new.parameters if (p.name or p.text) in had]
    wanted = [p.name or p.text for p in old.parameters if (p.name or p.text) in kept]
    if kept != wanted and not re.search(
        r"\b(?:swap|reorder|order|before|after|first|last)\b", wish.text, re.IGNORECASE
    ):
        return _refuse("signature", "the parameters have another order; keep their order")
    if wish.required:
        return None
    for index, parameter in enumerate(new.parameters):
        label = parameter.name or parameter.text
        if label in had:
            continue
        if not parameter.optional:
            return _refuse(
                "signature", f"the new parameter {quoted(label)} must have a default, so that old calls stay right"
            )
        behind = [p for p in new.parameters[index + 1 : new.keyword_from] if (p.name or p.text) in had]
        if [p for p in behind if not p.text.lstrip().startswith(("*", "..."))]:
            return _refuse("signature", f"the new parameter {quoted(label)} must come after the others")
    return None


def decorators(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """Decorators of functions and classes stay."""
    if rewrite.language != "python":
        return None
    old, new = _decorators(tree(rewrite.before)), _decorators(tree(rewrite.after))
    for name in old - new:
        if not set(re.findall(r"\w+", name)) & wish.words:
            return _refuse("decorators", f"the decorator {quoted('@' + name)} is lost")
    for name in new - old:
        if not set(re.findall(r"\w+", name)) & wish.words and "decorator" not in wish.words:
            return _refuse("decorators", f"the decorator {quoted('@' + name)} was added, but nobody asked for it")
    return None


def _decorators(module: ast.Module | None) -> Counter[str]:
    nodes = ast.walk(module) if module else ()
    return Counter(
        ast.unparse(d) for n in nodes if isinstance(n, (*_FUNCTIONS, ast.ClassDef)) for d in n.decorator_list
    )


def docstrings(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """A function that had a docstring still has one."""
    if rewrite.language != "python":
        return None
    old, new = _docstrings(tree(rewrite.before)), _docstrings(tree(rewrite.after))
    for name, text in old.items():
        if text and not new.get(name, text) and not (wish.about_docs and wish.removes):
            return _refuse("docstrings", f"the docstring of {quoted(name)} is lost; keep it")
    return None


def _docstrings(module: ast.Module | None) -> dict[str, str]:
    nodes = ast.walk(module) if module else ()
    return {n.name: ast.get_docstring(n) or "" for n in nodes if isinstance(n, (*_FUNCTIONS, ast.ClassDef))}


def comments(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """Every comment is still there, unless the request is about comments or takes code away."""
    if wish.about_comments(rewrite.language):
        return None
    old, new = (
        Counter(" ".join(t.text.split()) for t in tokens(text, rewrite.language) if t.is_comment)
        for text in (rewrite.before, rewrite.after)
    )
    for comment in old - new:
        if not re.search(r"\b(?:TODO|FIXME|XXX|BUG|HACK)\b", comment) or not wish.words & {
            "TODO",
            "FIXME",
            "XXX",
            "BUG",
        }:
            return _refuse("comments", f"the comment {quoted(comment)} is lost; keep all comments")
    return None


def only(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """A request for a docstring, comments or type hints changes nothing else."""
    if wish.only is None:
        return None
    if rewrite.language == "python" and (pair := (tree(rewrite.before), tree(rewrite.after)))[0] and pair[1]:
        same = _dump(pair[0], wish.only) == _dump(pair[1], wish.only)
    elif wish.only is Only.TYPES:
        return None
    else:
        old, new = (_texts(text, rewrite.language, comments=False) for text in (rewrite.before, rewrite.after))
        same = old == new
    return None if same else _refuse("only", f"only the {wish.only.value} may change, but the code did")


def _dump(module: ast.Module, kind: Only) -> str:
    """The code without what may change."""
    copy = ast.parse(ast.unparse(module))
    for node in ast.walk(copy):
        if kind is Only.DOCSTRING and isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Module)):
            node.body = node.body[ast.get_docstring(node) is not None :]
        if kind is Only.TYPES:
            if isinstance(node, _FUNCTIONS):
                node.returns = None
            elif isinstance(node, ast.arg):
                node.annotation = None
    return ast.dump(copy)


def wanted(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """The parameters and errors that the request asks for by name are there."""
    old, new = set(re.findall(r"[\w$]+", rewrite.old)), set(re.findall(r"[\w$]+", rewrite.new))
    for name in wish.adds:
        if name not in new and rewrite.area.kind == "function":
            return _refuse("wanted", f"{quoted(name)} is asked for, but it is not there")
    for name in wish.raises:
        short = name.rsplit(".", 1)[-1]
        if short not in new and short not in old:
            return _refuse("wanted", f"{quoted(name)} must be raised, but it is not there")
    return None


def unused(rewrite: Rewrite, _: Wish) -> Objection | None:
    """A new parameter is used."""
    if rewrite.area.kind != "function":
        return None
    old, new = (callables.first(text, rewrite.language) for text in (rewrite.old, rewrite.new))
    if old is None or new is None:
        return None
    code = Counter(t.text for t in tokens(rewrite.new, rewrite.language) if not t.is_comment)
    for parameter in new.parameters:
        is_new = parameter.name and parameter.name not in old.names()
        inserted = re.search(rf"[{{$]{re.escape(parameter.name)}\b", rewrite.new)
        if is_new and code[parameter.name] < 2 and not inserted:
            return _refuse("unused", f"the new parameter {quoted(parameter.name)} is never used")
    return None


def stubs(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """No placeholder for code comes in."""
    old, new = (Counter(m.upper() for m in _STUB.findall(text)) for text in (rewrite.old, rewrite.new))
    for found in new - old:
        if found not in {w.upper() for w in wish.words}:
            return _refuse("stubs", f"{quoted(found)} stands where code should be")
    return None


def churn(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """A small request does not rewrite a function."""
    if wish.rewrites or rewrite.area.kind == "statement":
        return None
    old = [line.strip() for line in rewrite.old.split("\n") if line.strip()]
    new = [line.strip() for line in rewrite.new.split("\n") if line.strip()]
    if len(old) <= CHURN_LINES:
        return None
    kept = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    if kept < len(old) * (1 - CHURN):
        return _refuse("churn", f"{len(old) - kept} of {len(old)} lines were changed; change only what is asked for")
    return None


GATES: tuple[WishGate, ...] = (
    changed,
    lost,
    added,
    signature,
    decorators,
    docstrings,
    comments,
    only,
    wanted,
    unused,
    stubs,
    churn,
)
