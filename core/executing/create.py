"""Whole new pieces of code: a file that is not there yet, and something new in a file that is. The reply is all that is
written, so the gates ask what it defines, and that it stands by itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Generator, Mapping
from dataclasses import replace

from litecode.core.errors import ModelTooLarge
from litecode.core.executing.additions import Addition, definition_in, inserted
from litecode.core.executing.attempt import FIRST, LAST, Spot, with_lines
from litecode.core.executing.executor import GREEDY, Try
from litecode.core.executing.needs import needed, offered
from litecode.core.executing.prompt import SYSTEM, block
from litecode.core.executing.reply import Unusable, code_of
from litecode.core.filemap.outline import language_of, outline
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.gates import text
from litecode.core.patching.gates.base import Asked, Gate, Rewrite
from litecode.core.patching.gates.ideas import in_place
from litecode.core.patching.gates.wishes import lost, stubs
from litecode.core.patching.judge import judge
from litecode.core.patching.pytree import tree
from litecode.core.patching.regions import Area
from litecode.core.patching.wish import Wish
from litecode.core.values import Message, Prompt, Reply, Sampling

SYSTEM_NEW = "You write source code: complete, small, without examples of its use and without explanations."
RESERVE = 900  # tokens of a new file
CONTEXT = 80  # lines of a file that the model sees whole beside what it adds to it
MOST_SIGNATURES = 20
_NEW_GATES: tuple[Gate, ...] = tuple(g for g in (*FIRST, *LAST) if g not in (text.size, text.lines))
_SAMPLINGS = (GREEDY, Sampling(0.3, 3), Sampling(0.6, 11))
_WANTED = re.compile(
    r"\b(?:function|class|method|helper|constant|exception|error|dataclass|enum|struct|interface|type)\s+(?:called\s+|named\s+)?"
    r"[`'\"]?(?P<name>[A-Za-z_$][\w$]*)|[`'\"]?(?<![\w.])(?P<call>[A-Za-z_$][\w$]*)\(",
    re.IGNORECASE,
)
_NO_NAMES = frozenset("that to which for with in of and so where when it this from on as by is a an the like e".split())

Made = Generator[Prompt, Reply, tuple[str | None, str]]


def make_file(path: str, request: str, wish: Wish, others: Mapping[str, Document], tries: list[Try]) -> Made:
    """The text of a new file, or None and why there is none."""
    language, grammar = language_of(path, "")
    wanted = _wanted(request, others)
    shown = _signatures(others, request)
    user = "\n\n".join(
        part
        for part in (
            f"The new file `{path}` ({language or 'text'}).",
            f"Other files have:\n{shown}" if shown else "",
            " ".join(request.split()),
            f"Write the whole content of `{path}` and nothing else, in one code block.",
        )
        if part
    )
    area = Area(Cut(0, 0), "file", ())
    refusal = ""
    for sampling in _SAMPLINGS:
        note = f"\nNote that {refusal}." if refusal else ""
        try:
            reply = yield Prompt((Message("system", SYSTEM_NEW), Message("user", user + note)), RESERVE, sampling)
        except ModelTooLarge as err:
            return None, refusal or err.message
        content, refusal = _file(reply, path, grammar, wanted, wish, others)
        tries.append(Try(area, reply.text, refusal))
        if not refusal:
            return content, ""
    return None, refusal


def _wanted(request: str, others: Mapping[str, Document]) -> tuple[str, ...]:
    """The names that a new file has to define: named as such, and not there already."""
    there = {s.name.rsplit(".", 1)[-1] for p, d in others.items() for s in outline(d.text, p).symbols}
    found = [m["name"] or m["call"] for m in _WANTED.finditer(request)]
    return tuple(n for n in dict.fromkeys(found) if n.lower() not in _NO_NAMES and n not in there)


def _signatures(others: Mapping[str, Document], request: str) -> str:
    """What the request names of the other files."""
    rows = [
        f"- {path}: {symbol.signature}"
        for path, document in others.items()
        for symbol in outline(document.text, path).symbols
        if re.search(rf"\b{re.escape(symbol.name.rsplit('.', 1)[-1])}\b", request)
    ]
    return "\n".join(rows[:MOST_SIGNATURES])


def _file(
    reply: Reply, path: str, grammar: str | None, wanted: tuple[str, ...], wish: Wish, others: Mapping[str, Document]
) -> tuple[str, str]:
    try:
        code = code_of(reply, "") if "```" in reply.text else ""
    except Unusable as err:
        return "", err.reason
    if not code:
        return "", "the reply has no code block"
    code = _without_known(code, grammar, {n for d in others.values() for n in _defined(d.text)} - set(wanted))
    content = _spaced(_without_examples(code, grammar, path), grammar) + "\n"
    content = with_lines(content, grammar, needed("", content, path, grammar, others, ()))
    refusal = _fault("", Cut(0, 0), content, grammar, wish)
    if not refusal:
        have = {s.name for s in outline(content, path).symbols}
        missing = [n for n in wanted if n not in have and grammar is not None]
        refusal = f"`{missing[0]}` must be defined at the top of {path}" if missing else ""
    return content, refusal


def _defined(text: str) -> set[str]:
    module = tree(text)
    return {n.name for n in module.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))} if module else set()


def _without_known(code: str, grammar: str | None, known: set[str]) -> str:
    """Without the definitions that another file of the plan has; the model is told of them and repeats them."""
    module = tree(code) if grammar == "python" else None
    again = [n for n in module.body if getattr(n, "name", "") in known] if module else []
    lines = code.split("\n")
    for node in reversed(again):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        del lines[first - 1 : node.end_lineno]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n")


def _without_examples(code: str, grammar: str | None, path: str) -> str:
    """Without the prints that small models put below what they write to show its use."""
    module = tree(code) if grammar == "python" else None
    if module is None or not any(isinstance(n, (ast.FunctionDef, ast.ClassDef)) for n in module.body):
        return code
    lines = code.split("\n")
    last = max(n.end_lineno or 0 for n in module.body if not _is_example(n, path))
    return "\n".join(lines[:last]).rstrip()


def _spaced(code: str, grammar: str | None) -> str:
    """Two blank lines above each definition of Python that has code above it."""
    if grammar != "python":
        return code
    spaced = re.sub(r"(?<=[^\n])\n{1,2}(?=(?:@|def |class |async def ))", "\n\n\n", code)
    spaced = re.sub(r"(^(?:@|#)[^\n]*)\n{3}(?=(?:@|def |class |async def ))", r"\1\n", spaced, flags=re.MULTILINE)
    one, two = tree(code), tree(spaced)
    return spaced if one is not None and two is not None and ast.dump(one) == ast.dump(two) else code


def _is_example(node: ast.stmt, path: str) -> bool:
    prints = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "print"
    main = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
    return prints or (main and "cli" not in path and "main" not in path)


def _fault(before: str, cut: Cut, new: str, language: str | None, wish: Wish) -> str:
    """What the gates have against a text with something new in it."""
    after = splice(before, [Edit(cut, new)])
    asked = Asked(wish.vocabulary, None, None, None, (), certain=False)
    found = Rewrite(before, Area(cut, "file", ()), new, after, after, language, asked)
    refusal = judge(found, _NEW_GATES).refusal or lost(found, wish) or stubs(found, wish) or in_place(found, wish)
    return refusal.text if refusal else ""


def add_to(spot: Spot, addition: Addition, tries: list[Try]) -> Made:
    """The text of a file with something new in it, or None and why there is none."""
    shown = _context(spot, addition)
    where = f" of `{addition.owner}`" if addition.owner else ""
    unnamed = f"the new test{where}" if addition.kind == "test" else "what is new"
    what = f"the new {addition.kind} `{addition.name}`{where}" if addition.name else unnamed
    user = "\n\n".join(
        (
            block(shown, spot.language),
            " ".join(spot.instruction.split()) + f"\nReply with only {what}, in one code block.",
        )
    )
    refusal = ""
    for sampling in _SAMPLINGS:
        note = f"\nNote that {refusal}." if refusal else ""
        try:
            reply = yield Prompt((Message("system", SYSTEM), Message("user", user + note)), RESERVE, sampling)
        except ModelTooLarge as err:
            return None, refusal or err.message
        result, refusal = _added(spot, addition, reply)
        tries.append(Try(replace(spot.area, cut=Cut(addition.at, addition.at)), reply.text, refusal))
        if not refusal:
            return result, ""
    return None, refusal


def _context(spot: Spot, addition: Addition) -> str:
    """The file as far as it matters: all of it when it is small, else its outline."""
    if spot.document.text.count("\n") <= CONTEXT:
        return spot.document.text.strip("\n")
    found = outline(spot.document.text, spot.path).symbols
    near = [
        s for s in found if addition.owner and (s.name == addition.owner or s.name.startswith(f"{addition.owner}."))
    ]
    return "\n".join(s.signature for s in (near or found)[:CONTEXT])


def _added(spot: Spot, addition: Addition, reply: Reply) -> tuple[str, str]:
    try:
        code = code_of(reply, "") if "```" in reply.text else ""
    except Unusable as err:
        return "", err.reason
    imports = offered(code, spot.language)
    code = definition_in(code, addition.name, spot.path) if addition.name else code
    if not code.strip():
        return "", "the reply has no code block"
    before = outline(spot.document.text, spot.path).symbols
    cut, new = inserted(addition, _exported(spot, addition, code), spot.document, spot.language)
    refusal = _fault_of_addition(spot, addition, cut, new, imports, {s.name for s in before})
    after = splice(spot.document.text, [Edit(cut, new)])
    lines = needed(spot.document.text, after, spot.path, spot.language, spot.others, imports)
    return with_lines(_listed(after, addition, spot.language), spot.language, lines), refusal


def _fault_of_addition(
    spot: Spot, addition: Addition, cut: Cut, new: str, imports: tuple[str, ...], names: set[str]
) -> str:
    after = splice(spot.document.text, [Edit(cut, new)])
    lines = needed(spot.document.text, after, spot.path, spot.language, spot.others, imports)
    complete = with_lines(after, spot.language, lines)
    asked = Asked(spot.wish.vocabulary, None, None, None, lines, certain=False)
    found = Rewrite(spot.document.text, Area(cut, "file", ()), new, after, complete, spot.language, asked)
    refusal = judge(found, _NEW_GATES).refusal
    refusal = refusal or next(
        (o for gate in (lost, stubs, in_place) if (o := gate(found, spot.wish)) is not None), None
    )
    if refusal is not None:
        return refusal.text
    more = [s.name for s in outline(after, spot.path).symbols if s.name not in names]
    wanted = f"{addition.owner}.{addition.name}" if addition.owner else addition.name
    if addition.name and wanted not in more:
        return f"`{addition.name}` is not defined by the reply"
    extra = [n for n in more if n != wanted and not n.startswith(f"{wanted}.")]
    if addition.name and extra:
        return f"`{extra[0]}` was added, but nobody asked for it"
    if addition.kind == "test" and [n for n in more if not n.rpartition(".")[2].startswith("test")]:
        return "the new function must be a test"
    return "" if more else "nothing new is defined by the reply"


def _exported(spot: Spot, addition: Addition, code: str) -> str:
    """In a module that exports all its functions the new one is exported, too."""
    if spot.language not in ("javascript", "typescript", "tsx") or addition.owner or code.startswith("export"):
        return code
    tops = re.findall(
        r"^(export\s+)?(?:default\s+)?(?:async\s+)?(?:function|class)\b", spot.document.text, re.MULTILINE
    )
    return (
        re.sub(r"^((?:async\s+)?(?:function|class|const)\b)", r"export \1", code, count=1, flags=re.MULTILINE)
        if tops and all(tops)
        else code
    )


def _listed(after: str, addition: Addition, language: str | None) -> str:
    """`module.exports = { a, b }` and `__all__` name what is new, when they name all the rest."""
    if addition.owner or not addition.name:
        return after
    if language == "javascript":
        return re.sub(
            r"^(module\.exports\s*=\s*\{[^{}:()]*[\w$])(,?\s*\})",
            lambda m: f"{m[1]},{_gap(m[1])}{addition.name}{m[2]}",
            after,
            count=1,
            flags=re.MULTILINE,
        )
    return after


def _gap(listed: str) -> str:
    found = re.search(r",(\s+)[\w$]+$", listed)
    return found[1] if found else " "
