"""Gates for requests against wrong ideas that code can see: an example of the request as a special case, a check that
comes too late, code that is never reached, another default than the one asked for, a list of the caller that is sorted.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from litecode.core.patching import callables
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.pytree import tree
from litecode.core.patching.regions import containers
from litecode.core.patching.syntax import Node, has_grammar, parse, tokens
from litecode.core.patching.wish import Wish

_ENDS = frozenset({"return_statement", "raise_statement", "throw_statement", "break_statement", "continue_statement"})
_HOISTED = frozenset({"function_declaration", "class_declaration", "comment", "switch_case", "labeled_statement"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _refuse(gate: str, text: str) -> Objection:
    return Objection(gate, Grade.REFUSE, text)


def examples(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """What the request gives only as an example is no literal of the code."""
    if wish.only is not None:
        return None
    old, new = (_literals(text, rewrite.language) for text in (rewrite.old, rewrite.new))
    for example in wish.examples:
        if example in new and example not in old:
            return _refuse("examples", f"{quoted(example)} is only an example; write code for all values")
    return None


def _literals(text: str, language: str | None) -> set[str]:
    """Texts and numbers, without documentation."""
    found = tokens(text, language)
    return {
        t.text.strip("'\"`")
        for i, t in enumerate(found)
        if (t.is_string and found[i - 1].text[-3:] not in ('"""', "'''")) or t.text[:1].isdigit()
    }


def defaults(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """A new parameter has the default that the request says."""
    if not wish.default or len(wish.adds) != 1 or rewrite.area.kind != "function":
        return None
    head = callables.first(rewrite.new, rewrite.language)
    for parameter in head.parameters if head else ():
        if parameter.name == wish.adds[0] and "=" in parameter.text:
            has = parameter.text.split("=", 1)[1].strip()
            if not _same(has, wish.default):
                return _refuse("defaults", f"the default of {quoted(parameter.name)} must be {wish.default}, not {has}")
    return None


def _same(one: str, two: str) -> bool:
    words = {"none": "null", "undefined": "null", "nil": "null"}
    try:
        return float(one.replace("_", "")) == float(two.replace("_", ""))
    except ValueError:
        a, b = (text.strip("'\"`").casefold() for text in (one, two))
        return words.get(a, a) == words.get(b, b)


def unreached(rewrite: Rewrite, _: Wish) -> Objection | None:
    """No statement stands behind one that leaves the block."""
    language = rewrite.language
    if language is None or not has_grammar(language):
        return None
    old, new = Counter(_dead(rewrite.before, language)), Counter(_dead(rewrite.after, language))
    for line in new - old:
        return _refuse("unreached", f"{quoted(line)} is never reached")
    return None


def _dead(text: str, language: str) -> Iterator[str]:
    kinds = containers(language)
    for node in parse(text, language).walk():
        if node.kind not in kinds:
            continue
        ended = False
        for child in node.children():
            if ended and child.named and child.kind not in _HOISTED and "comment" not in child.kind:
                yield child.text.split("\n")[0]
                break
            ended = ended or child.kind in _ENDS


def recursion(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """A function does not begin to call itself."""
    if rewrite.area.kind != "function" or re.search(r"\brecurs", wish.text, re.IGNORECASE):
        return None
    head = callables.first(rewrite.new, rewrite.language)
    if head is None or not head.name:
        return None
    old, new = (_calls_itself(text, head.name, rewrite.language) for text in (rewrite.old, rewrite.new))
    return _refuse("recursion", f"{quoted(head.name)} calls itself, for ever") if new > old else None


def _calls_itself(text: str, name: str, language: str | None) -> int:
    """How often the bare name, or that of the same object, is called below the head."""
    found = [t.text for t in tokens(text, language) if not t.is_comment]
    first = next((i for i, word in enumerate(found) if word == name), 0)
    count = 0
    for i in range(first + 1, len(found) - 1):
        if found[i] == name and found[i + 1] == "(":
            count += found[i - 1] not in (".", "->", "::", "def", "function", "fn", "func") or found[i - 2] in (
                "self",
                "this",
                "cls",
            )
    return count


def guards(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """A check of the arguments comes before anything is changed."""
    if not wish.raises or rewrite.language != "python" or rewrite.area.kind != "function":
        return None
    module, before = tree(rewrite.after), tree(rewrite.before)
    if module is None or before is None:
        return None
    known = {ast.dump(n) for n in ast.walk(before) if isinstance(n, ast.If)}
    for function in (n for n in ast.walk(module) if isinstance(n, _FUNCTIONS)):
        arguments = {a.arg for a in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}
        changed = False
        for node in function.body:
            if isinstance(node, ast.If) and ast.dump(node) not in known and changed and _is_guard(node, arguments):
                return _refuse(
                    "guards", f"the check {quoted(ast.unparse(node.test))} must come before anything is changed"
                )
            changed = changed or _changes(node)
    return None


def _is_guard(node: ast.If, arguments: set[str]) -> bool:
    names = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
    return names <= arguments and any(isinstance(n, ast.Raise) for n in node.body)


def _changes(node: ast.stmt) -> bool:
    """Whether a statement changes something outside of the function, as far as one can see."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Attribute, ast.Subscript)) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            return True
        if isinstance(inner, ast.Expr) and isinstance(inner.value, (ast.Call, ast.Await)):
            return True
    return False


def kept(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """A request that only adds something loses no name of the code."""
    if not wish.additive or rewrite.area.kind not in ("function", "class"):
        return None
    old, new = (
        [t.text for t in tokens(text, rewrite.language) if not t.is_comment and not t.is_string and t.kind != t.text]
        for text in (rewrite.old, rewrite.new)
    )
    gone = [w for w in dict.fromkeys(old) if w.isidentifier() and w not in new and w not in wish.words]
    return _refuse("kept", f"{quoted(gone[0])} is lost; keep the code that is there") if gone else None


def texts(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """Messages for people stay as they are, unless the request is about them."""
    if wish.removes or wish.rewrites or wish.about_texts:
        return None
    old, new = (
        Counter(" ".join(t.text.split()) for t in tokens(text, rewrite.language) if t.is_string)
        for text in (rewrite.before, rewrite.after)
    )
    words = {w.casefold() for w in wish.words}
    whole = " ".join(new)
    for text in old - new:
        said = re.findall(r"[^\W\d_]{3,}", text)
        named = {w.casefold() for w in said} & words
        if len(said) > 1 and not named and not _within(said, whole) and not _documents(rewrite, text):
            return _refuse("texts", f"the text {quoted(text)} was changed or lost")
    return None


def _within(said: list[str], text: str) -> bool:
    rest = iter(re.findall(r"[^\W\d_]{3,}", text))
    return all(any(word == other for other in rest) for word in said)


def _documents(rewrite: Rewrite, text: str) -> bool:
    """Whether a text is a docstring; another gate knows more about those."""
    at = rewrite.before.find(text.split("\n")[0][:40])
    return rewrite.before[max(0, at - 3) : at] in ('"""', "'''")


_SORTS = re.compile(r"^(?P<name>[A-Za-z_$][\w$]*)\.(?P<how>sort|reverse)\(")


def in_place(rewrite: Rewrite, wish: Wish) -> Objection | None:
    """No function begins to sort or turn round the list of its caller."""
    language = rewrite.language
    if re.search(r"\bin[ -]place\b|\bmutat", wish.text, re.IGNORECASE) or language not in _PURE:
        return None
    old, new = (Counter(_sorted(text, language)) for text in (rewrite.before, rewrite.after))
    for name, how in new - old:
        call = quoted(f"{name}.{how}()")
        return _refuse("in_place", f"{call} changes what the caller gave; {_PURE[language].format(name=name, how=how)}")
    return None


_SCRIPT = "copy it first: [...{name}].{how}()"
_PURE = {"python": "use {how}ed({name})", "javascript": _SCRIPT, "typescript": _SCRIPT, "tsx": _SCRIPT}


def _sorted(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Parameters that their function, or one inside of it, sorts, and how."""
    for node in parse(text, language).walk():
        match = _SORTS.match(node.text) if node.kind in ("call", "call_expression") else None
        around = node.parent() if match else None
        while match is not None and around is not None:
            if _is_function(around) and _given(around, match["name"]):
                break
            head = callables.first(around.text, language) if _is_function(around) else None
            if head is not None and match["name"] in head.names():
                yield match["name"], match["how"]
                break
            around = around.parent()


def _is_function(node: Node) -> bool:
    return ("function" in node.kind and "call" not in node.kind) or node.kind.startswith("method")


def _given(function: Node, name: str) -> bool:
    """Whether a function gives the name to something of its own: `rows = list(rows)`."""
    return re.search(rf"(?<![\w.]){re.escape(name)}\s*=(?!=)", function.text) is not None


GATES = (examples, defaults, unreached, recursion, guards, kept, texts, in_place)
