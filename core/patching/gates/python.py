"""Checks of Python that need no project: names, format strings, logging calls. New faults count, old ones do not."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.gates.places import places
from litecode.core.patching.pytree import tree

_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"})
_LOG_PLACEHOLDER = re.compile(r"%(?:\((?P<name>\w+)\))?[-#0 +]*(?P<star>\*?)[\d.]*[hlL]?[sdirfFeEgGxXocau]")

_LOGGER = re.compile(r"(?i:(?:^|_)(?:log|logger|logging)$)|[a-z](?:Log|Logger)$")

_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.If, ast.IfExp, ast.While, ast.Assign)

# Messages that are a matter of taste or that a rule may bring about on purpose.
_HARMLESS = frozenset({"UnusedImport", "ImportStarUsed", "ImportStarUsage", "UnusedAnnotation"})


@lru_cache(maxsize=64)
def _rows(text: str) -> tuple[tuple[int, tuple[str, str]], ...]:
    """What pyflakes says of a text: line number, (class of the message, text without line numbers)."""
    from pyflakes import checker

    module = tree(text)
    if module is None:
        return ()
    try:
        found = checker.Checker(module, filename="code").messages
    except RecursionError:  # it walks deeper than Python's parser
        return ()
    return tuple((m.lineno, (type(m).__name__, _plain(m.message % m.message_args))) for m in found)


def _messages(text: str) -> Counter[tuple[str, str]]:
    return Counter(message for _, message in _rows(text))


def _plain(message: str) -> str:
    return re.sub(r" from line \d+", "", message)


def flakes(rewrite: Rewrite) -> Objection | None:
    """No undefined or unused names, bad format strings or statements out of place that were not there before."""
    if rewrite.language != "python" or tree(rewrite.before) is None:
        return None  # of what did not parse nobody knows which faults are old
    new = _messages(rewrite.complete) - _messages(rewrite.before)
    for kind, message in sorted(new):
        if kind not in _HARMLESS:
            return Objection("python", Grade.REFUSE, message + _where(rewrite, kind, message))
    return None


def _where(rewrite: Rewrite, kind: str, message: str) -> str:
    """The line of the rewrite that a message is about, so that the next try can be better."""
    first = rewrite.after.count("\n", 0, rewrite.new_cut.start) + 1
    for row, found in _rows(rewrite.after):
        if found == (kind, message) and first <= row <= first + rewrite.new.count("\n"):
            return f" in {quoted(rewrite.after.split(chr(10))[row - 1])}"
    return ""


def logging_calls(rewrite: Rewrite) -> Objection | None:
    """A logging call has as many placeholders as values."""
    if rewrite.language != "python":
        return None
    module = tree(rewrite.complete)
    if module is None:
        return None
    known = Counter(_faults(tree(rewrite.before)))
    for fault in _faults(module):
        if not known[fault]:
            return Objection("logging", Grade.REFUSE, fault)
        known[fault] -= 1
    return None


def _faults(module: ast.Module | None) -> list[str]:
    if module is None:
        return []
    calls = [n for n in ast.walk(module) if isinstance(n, ast.Call) and _is_logging(n.func)]
    return [fault for call in calls if (fault := _fault(call)) is not None]


def _is_logging(func: ast.expr) -> bool:
    if not (isinstance(func, ast.Attribute) and func.attr in _LEVELS):
        return False
    owner = func.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return _LOGGER.search(name) is not None


def _fault(call: ast.Call) -> str | None:
    args = call.args[1:] if isinstance(call.func, ast.Attribute) and call.func.attr == "log" else call.args
    if not args or any(isinstance(a, ast.Starred) for a in args):
        return None
    message, *values = args
    if not (isinstance(message, ast.Constant) and isinstance(message.value, str)):
        if any(_is_message(value) for value in values):
            return f"{quoted(ast.unparse(message))} stands before the message of a logging call"
        odd = isinstance(message, ast.JoinedStr) and values
        return "a logging call with values needs a plain string as its message" if odd else None
    text = message.value
    if any(_is_message(value) for value in values) and not re.search(r"%[a-z(]", text):
        return f"{quoted(text)} stands before the message of a logging call"
    found = list(_LOG_PLACEHOLDER.finditer(text.replace("%%", "")))
    if any(m["name"] for m in found) and len(values) == 1:
        return None
    wanted = len(found) + sum(bool(m["star"]) for m in found)
    if values and wanted != len(values):
        return f"{quoted(text)} has {wanted} placeholders for {len(values)} values"
    if not values and "%%" in text:
        return f"{quoted(text)} has no values, so that both signs of `%%` would be written"
    # Without values the text is logged as it is; `50% done` has no placeholder in it, whatever a formatter would say.
    if not values and any(" " not in m.group() for m in found):
        return f"{quoted(text)} has {wanted} placeholders and no values"
    return None


def _is_message(value: ast.expr) -> bool:
    """Whether it is a text with places for values in it."""
    return isinstance(value, ast.Constant) and isinstance(value.value, str) and "%s" in value.value


def wording(rewrite: Rewrite) -> Objection | None:
    """`no f-string` in the instruction means just that in the code that the rewrite brings."""
    if rewrite.language != "python" or not rewrite.asked.vocabulary.bans_fstrings:
        return None
    for token in places(rewrite).added:
        if token.kind == "string_start" and "f" in token.text.lower():
            return Objection("wording", Grade.REFUSE, "there is an f-string, but the instruction says: no f-string")
    return None


def tuples(rewrite: Rewrite) -> Objection | None:
    """`(x,)` is a tuple and `(x)` is none; nowhere else does a comma before a bracket mean anything."""
    if rewrite.language != "python":
        return None
    if _single(tree(rewrite.complete)) < _single(tree(rewrite.before)):
        return Objection("tuples", Grade.REFUSE, "the comma of a tuple with one element is lost")
    return None


def _single(module: ast.Module | None) -> int:
    return sum(isinstance(n, ast.Tuple) and len(n.elts) == 1 for n in ast.walk(module)) if module else 0


def broad(rewrite: Rewrite) -> Objection | None:
    """A rewrite does not catch everything where it did not before, unless the rule says so."""
    if rewrite.language != "python":
        return None
    words = rewrite.asked.vocabulary.words | rewrite.asked.vocabulary.code
    old, new = _caught(tree(rewrite.before)), _caught(tree(rewrite.complete))
    variables = _assigned(tree(rewrite.complete))
    for name in sorted(new - old):
        if name in variables or name == "None":
            return Objection("broad", Grade.REFUSE, f"{quoted(name)} is no class of exceptions")
    for name in ("Exception", "BaseException"):
        if new[name] > old[name] and name not in words:
            return Objection("broad", Grade.REFUSE, f"`{name}` is too broad: it catches everything")
    return None


def _caught(module: ast.Module | None) -> Counter[str]:
    handlers = (n for n in ast.walk(module) if isinstance(n, ast.ExceptHandler) and n.type) if module else ()
    found = (n for h in handlers for n in ast.walk(h.type or h))
    return Counter(n.id if isinstance(n, ast.Name) else "None" for n in found if isinstance(n, ast.Name) or _is_none(n))


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _assigned(module: ast.Module | None) -> frozenset[str]:
    """Names that something is assigned to in a function, parameters included, and in lower case: variables."""
    found: set[str] = set()
    for function in _functions(module):
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        found |= {name for name in (*stored, *(name for name, _ in _pairs(function))) if name.islower()}
    return frozenset(found)


def none_defaults(rewrite: Rewrite) -> Objection | None:
    """A parameter whose default has become None is tested before it is used: the second half of such a change. One
    that had no default still has none.
    """
    if rewrite.language != "python":
        return None
    before, after = tree(rewrite.before), tree(rewrite.complete)
    old, new = _untested(before), _untested(after)
    for function, name in sorted((new - old).keys()):
        return _not_tested(function, name)
    known = _defaults(before)
    for function, defaults in _defaults(after).items():
        for name, default in defaults.items():
            was = known.get(function, {}).get(name, default)
            if was is None and default is not None and name not in rewrite.asked.vocabulary.words:
                return Objection("none-default", Grade.REFUSE, f"{quoted(name)} of {quoted(function)} had no default")
            if default == "None" != was and not _tested_first(after, function, name):
                return _not_tested(function, name)
    return None


def _not_tested(function: str, name: str) -> Objection:
    text = f"{quoted(name)} of {quoted(function)} is None by default, but the body never tests `if {name} is None:`"
    return Objection("none-default", Grade.REFUSE, text)


def _functions(module: ast.Module | None) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(module) if module else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def _pairs(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """The parameters of a function, each with its default."""
    args = function.args
    plain = [*args.posonlyargs, *args.args]
    defaults = [*[None] * (len(plain) - len(args.defaults)), *args.defaults]
    for arg, default in [*zip(plain, defaults, strict=True), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]:
        yield arg.arg, default


def _defaults(module: ast.Module | None) -> dict[str, dict[str, str | None]]:
    """The source of the defaults, by function and parameter. Of functions with one name the last counts."""
    return {
        function.name: {name: None if default is None else ast.unparse(default) for name, default in _pairs(function)}
        for function in _functions(module)
    }


def _tested_first(module: ast.Module | None, function: str, name: str) -> bool:
    """Whether the first thing that a body does with a parameter is a test, or something is assigned to it."""
    for found in _functions(module):
        if found.name == function:
            uses = [(node, parent) for parent in ast.walk(found) for node in ast.iter_child_nodes(parent)]
            named = [(n.lineno, n.col_offset, parent) for n, parent in uses if isinstance(n, ast.Name) and n.id == name]
            if named and not isinstance(min(named, key=lambda u: u[:2])[2], _TESTS):
                return False
    return True


def _untested(module: ast.Module | None) -> Counter[tuple[str, str]]:
    """Parameters with the default None whose attributes, items or elements are used without any test of the name."""
    found: Counter[tuple[str, str]] = Counter()
    for function in _functions(module):
        pairs = _pairs(function)
        names = {name for name, default in pairs if isinstance(default, ast.Constant) and default.value is None}
        found.update((function.name, name) for name in names if _used_untested(function, name))
    return found


def _used_untested(function: ast.AST, name: str) -> bool:
    def is_name(node: ast.AST | None) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    used = False
    for node in ast.walk(function):
        if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)) and any(map(is_name, ast.iter_child_nodes(node))):
            if isinstance(node, ast.Compare) and not any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
                used = used or any(map(is_name, node.comparators))
                continue
            return False
        if isinstance(node, (ast.If, ast.IfExp, ast.While)) and is_name(node.test):
            return False
        if isinstance(node, (ast.Attribute, ast.Subscript)) and is_name(node.value):
            used = True
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and is_name(node.iter):
            used = True
    return used


GATES = (flakes, logging_calls, wording, tuples, broad, none_defaults)
