"""Comments and docstrings that a reply left out, put back where the lines around them tell where they belong."""

from __future__ import annotations

import ast
import re
from difflib import SequenceMatcher

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.pymodules import Function, Places
from litecode.core.patching.pytree import tree
from litecode.core.patching.syntax import has_grammar, tokens


def restored(code: str, region: str, language: str | None, *, docs: bool, comments: bool) -> str:
    """The reply's code with what it lost, both dedented. With `docs` the request is about docstrings, with `comments`
    about comments; those do not come back.
    """
    if language is None or not has_grammar(language):
        return code
    if language == "python":
        code = _with_plain_strings(code, region)
    if language == "python" and not docs:
        code = _with_docstring(code, region)
    return code if comments else _with_comments(code, region, language)


def _with_plain_strings(code: str, region: str) -> str:
    """New f-strings that hold no value lose their `f`."""
    found = tokens(code, "python")
    edits: list[Edit] = []
    for index, token in enumerate(found):
        if token.kind != "string_start" or token.text.lower() not in ("f'", 'f"'):
            continue
        end = next((i for i in range(index, len(found)) if found[i].kind == "string_end"), len(found) - 1)
        whole = code[token.cut.start : found[end].cut.end]
        if "{" not in whole and "}" not in whole and whole not in region:
            edits.append(Edit(Cut(token.cut.start, token.cut.start + 1), ""))
    return splice(code, edits)


def _with_docstring(code: str, region: str) -> str:
    """The docstring of the first function: back when it is lost, as it was when words of it are lost."""
    old, new = _definition(region), _definition(code)
    had = _docstring(old)
    if old is None or new is None or had is None:
        return code
    has = _docstring(new)
    if has is not None and _is_within(had.value.value, has.value.value):
        return code
    text = Places(region).cut(had).of(region)
    places = Places(code)
    if has is not None:
        cut = places.cut(has)
        return code[: cut.start] + text + code[cut.end :]
    first = new.body[0]
    start = places.offset(first.lineno, first.col_offset)
    line = code.rfind("\n", 0, start) + 1
    margin = code[line:start]
    if margin.strip():
        return code  # the body is on the line of the head
    while line > 0 and code[:line].rstrip("\n").rsplit("\n", 1)[-1].lstrip().startswith("#"):
        line = code.rfind("\n", 0, line - 1) + 1  # comments above the first statement come below it
    return code[:line] + margin + text + "\n" + code[line:]


def _definition(text: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    module = tree(text)
    return next((n for n in module.body if isinstance(n, Function)), None) if module else None


class _Docstring(ast.Expr):
    value: ast.Constant


def _docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | None) -> _Docstring | None:
    first = node.body[0] if node is not None else None
    is_one = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return first if is_one else None  # type: ignore[return-value]  # `is_one` says just that


def _is_within(old: object, new: object) -> bool:
    """Whether all words of the old text are in the new one in their order."""
    rest = iter(re.findall(r"\w+", str(new)))
    return all(any(word == other for other in rest) for word in re.findall(r"\w+", str(old)))


def _with_comments(code: str, region: str, language: str) -> str:
    have = [" ".join(t.text.split()) for t in tokens(code, language) if t.is_comment]
    before, after = region.split("\n"), code.split("\n")
    codes = [line.strip() for line in before], [line.strip() for line in after]
    place = _mapping(*codes)
    above: dict[int, list[str]] = {}
    behind: dict[int, str] = {}
    for token in tokens(region, language):
        text = " ".join(token.text.split())
        if not token.is_comment or "\n" in token.text:
            continue
        if text in have:
            have.remove(text)
            continue
        row = region.count("\n", 0, token.cut.start)
        line_start = region.rfind("\n", 0, token.cut.start) + 1
        if region[line_start : token.cut.start].strip():
            behind[place[row]] = region[len(region[: token.cut.start].rstrip()) : token.cut.end]
        else:
            following = next(
                (
                    i
                    for i in range(row + 1, len(before))
                    if codes[0][i] and not _is_comment(codes[0][i], region, language)
                ),
                row,
            )
            above.setdefault(place[following], []).append(token.text)
    result: list[str] = []
    for number, line in enumerate(after):
        margin = line[: len(line) - len(line.lstrip())]
        result += [margin + text for text in above.get(number, [])]
        result.append(line.rstrip() + behind[number] if number in behind and line.strip() else line)
    mended = "\n".join(result)
    return mended if _code(mended, language) == _code(code, language) else code


def _is_comment(line: str, region: str, language: str) -> bool:
    return any(t.is_comment and t.text.strip() == line for t in tokens(region, language))


def _mapping(old: list[str], new: list[str]) -> list[int]:
    """For each old line the new one in its place."""
    place = [0] * len(old)
    for _, a1, a2, b1, b2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for index in range(a1, a2):
            place[index] = min(b1 + index - a1, max(b1, b2 - 1), len(new) - 1)
    return place


def _code(text: str, language: str) -> list[str]:
    return [t.text for t in tokens(text, language) if not t.is_comment]
