"""Import lines of Python between the files of a repository: how one is written, and how names leave them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence

from litecode.core.patching import ensure
from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.pymodules import Places, package_of, parts_of, target_of
from litecode.core.patching.pytree import tree

_ROOTS = frozenset({"src", "lib", "python", "source"})
WIDTH = 88  # characters of an import line that names are added to


def import_line(importer: str, provider: str, name: str, files: Mapping[str, object]) -> str:
    """`from x import name` for a file, in the way in which it and its neighbours import."""
    relative, root = _style(importer, provider, files)
    if relative:
        here, there = package_of(importer), parts_of(provider)
        common = 0
        while common < min(len(here), len(there) - 1) and here[common] == there[common]:
            common += 1
        return f"from {'.' * (len(here) - common + 1)}{'.'.join(there[common:])} import {name}"
    return f"from {'.'.join(parts_of(provider)[root:])} import {name}"


def _style(importer: str, provider: str, files: Mapping[str, object]) -> tuple[bool, int]:
    """Whether imports are relative here, and how many folders stand above the packages."""
    known = {**files, importer: files.get(importer), provider: files.get(provider)}
    order = sorted(files, key=lambda p: (p != importer, package_of(p) != package_of(importer), p))
    for path in order:
        text = getattr(files[path], "text", "")
        module = tree(text) if path.endswith((".py", ".pyi")) else None
        for node in ast.walk(module) if module else ():
            if isinstance(node, ast.ImportFrom) and node.level and path.split("/")[0] == importer.split("/")[0]:
                if len(package_of(importer)) > 0:
                    return True, 0
            elif isinstance(node, ast.ImportFrom) and node.module:
                found = target_of(path, node.module, 0, known)
                if (
                    found is not None
                    and parts_of(found)[: _depth(found, node.module)]
                    == parts_of(provider)[: _depth(found, node.module)]
                ):
                    return False, _depth(found, node.module)
    parts = parts_of(provider)
    if len(parts) > 1 and parts[0] in _ROOTS:
        return False, 1
    return False, 0


def _depth(path: str, module: str) -> int:
    return len(parts_of(path)) - len(module.split("."))


def with_imports(text: str, lines: Sequence[str]) -> str:
    """The text with the import lines that it does not have; names join an import from the same module on one line."""
    for line in ensure.missing(text, "python", lines):
        joined = _joined(text, line)
        text = joined if joined is not None else _set_off(ensure.apply(text, "python", [line]), line)
    return text


def _set_off(text: str, line: str) -> str:
    """Definitions come two blank lines below an import that is the only one."""
    return re.sub(
        rf"(^{re.escape(line)}\n)\n(?=(?:#[^\n]*\n)*(?:@|def |class |async def ))",
        r"\1\n\n",
        text,
        count=1,
        flags=re.MULTILINE,
    )


def _joined(text: str, line: str) -> str | None:
    module, new = tree(text), tree(line)
    wanted = new.body[0] if new is not None and new.body else None
    if module is None or not isinstance(wanted, ast.ImportFrom):
        return None
    places = Places(text)
    for node in module.body:
        same = isinstance(node, ast.ImportFrom) and (node.module, node.level) == (wanted.module, wanted.level)
        if not same or not isinstance(node, ast.ImportFrom) or node.names[0].name == "*":
            continue
        cut = places.cut(node)
        written = cut.of(text)
        names = [ast.unparse(a) for a in (*node.names, *wanted.names)]
        if names[: len(node.names)] == sorted(names[: len(node.names)], key=str.casefold):
            names.sort(key=str.casefold)
        head = written.split("import")[0]
        row = text[cut.end :].split("\n", 1)[0]
        if "(" in written or "\\" in written or row.strip() or len(f"{head}import {', '.join(names)}") > WIDTH:
            continue
        return splice(text, [Edit(cut, f"{head}import {', '.join(names)}")])
    return None


def without_names(text: str, names: Collection[str], *, only: str = "") -> str:
    """The text without the imports at its top that bind some names; a statement that binds nothing else goes with its
    line. With `only`, just those of that name in their module.
    """
    module = tree(text)
    if module is None:
        return text
    places = Places(text)
    edits: list[Edit] = []
    for node in module.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        gone = [a for a in node.names if (a.asname or a.name.split(".")[0]) in names and (not only or a.name == only)]
        if not gone:
            continue
        if len(gone) == len(node.names):
            start = places.offset(node.lineno, 0)
            end = text.find("\n", places.cut(node).end)
            end = len(text) if end < 0 else end + 1
            edits.append(Edit(Cut(start, end), ""))
        else:
            edits += [Edit(_with_comma(text, places.cut(a), first=a is node.names[0]), "") for a in gone]
    return _tidy(text, edits)


def without_idle(rest: str, before: ast.Module, path: str) -> str:
    """What is left of a module when a piece was taken out, without the imports that only the piece used. Those of an
    `__init__.py` are for others and stay.
    """
    now = tree(rest)
    if now is None or path.endswith("__init__.py"):
        return rest
    words = {n.id for n in ast.walk(now) if isinstance(n, ast.Name)}
    texts = [n.value for n in ast.walk(now) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    words |= {word for text in texts for word in re.findall(r"\w+", text)}
    old = {n.id for n in ast.walk(before) if isinstance(n, ast.Name)}
    imports = [n for n in before.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    bound = {alias.asname or alias.name.split(".")[0] for node in imports for alias in node.names}
    idle = (bound & old) - words
    return without_names(rest, idle) if idle else rest


def _with_comma(text: str, cut: Cut, *, first: bool) -> Cut:
    start, end = cut
    after = end
    while text[after : after + 1].isspace():
        after += 1
    if text[after : after + 1] == ",":
        after += 1
        line_end = after
        while text[line_end : line_end + 1] in (" ", "\t"):
            line_end += 1
        alone = text.rfind("\n", 0, start) + 1
        if text[line_end : line_end + 1] == "\n" and not text[alone:start].strip():
            return Cut(alone, line_end + 1)
        return Cut(start, line_end)
    if not first:
        start = text.rfind(",", 0, start)
    return Cut(start, end)


def _tidy(text: str, edits: list[Edit]) -> str:
    """A block of imports that is gone does not leave two blank lines where one was."""
    result = []
    for edit in edits:
        before, after = text[: edit.cut.start], text[edit.cut.end :]
        whole = text[edit.cut.start : edit.cut.end].endswith("\n") and (not before or before.endswith("\n"))
        if (
            whole
            and (before.endswith("\n\n") or not before)
            and after.startswith("\n")
            and not after.startswith("\n\n")
        ):
            edit = Edit(Cut(edit.cut.start, edit.cut.end + 1), "")
        result.append(edit)
    return splice(text, result)
