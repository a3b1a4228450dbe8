"""Moving a function, class or constant of JavaScript or TypeScript to another module, where the trees allow it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from litecode.core.filemap.outline import language_of
from litecode.core.patching import ensure
from litecode.core.patching.above import with_comments
from litecode.core.patching.bindings import bound
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.syntax import Node, parse, tokens

_DEFINES = frozenset(
    """
    function_declaration generator_function_declaration class_declaration abstract_class_declaration lexical_declaration
    interface_declaration type_alias_declaration enum_declaration
    """.split()
)


def move_script(files: Mapping[str, Document], name: str, source: str, target: str) -> dict[str, str]:
    """Only what is exported in its own statement, and uses nothing of its module but imports from packages."""
    text = files[source].text
    grammar = language_of(source, text)[1] or "javascript"
    found = [n for n in parse(text, grammar).children() if n.kind == "export_statement" and _defines(n, name)]
    if len(found) != 1:
        raise Impossible(f"`{name}` is not one exported statement of {source}")
    node = found[0]
    goal = files[target].text if target in files else ""
    if goal and name in bound(goal, grammar):
        raise Impossible(f"{target} has a `{name}` already")
    start = with_comments(text, node.cut.start, grammar)
    piece = text[start : node.cut.end]
    words = {t.text for t in tokens(piece, grammar) if t.kind.endswith("identifier")} - {name}
    lines = _imports(text, grammar, words, source, target)
    own = {
        n for n in bound(text, grammar) & words if not any(re.search(rf"\b{re.escape(n)}\b", line) for line in lines)
    }
    if own:
        raise Impossible(f"`{name}` uses `{min(own)}` of {source}")
    rest = splice(text, [Edit(Cut(start, _end(text, node.cut.end)), "")])
    used = any(t.text == name for t in tokens(rest, grammar) if t.kind.endswith("identifier"))
    if used:
        rest = ensure.apply(rest, grammar, [_import(name, source, target, files)])
    head = f"{goal.rstrip()}\n\n" if goal.strip() else ""
    result = {target: ensure.apply(f"{head}{piece}\n", grammar, lines), source: rest}
    return result | _importers(files, name, source, target)


def _defines(node: Node, name: str) -> bool:
    inner = node.field("declaration")
    if inner is None or inner.kind not in _DEFINES:
        return False
    held = inner.field("name")
    if held is not None:
        return held.text == name
    names = [c.field("name") for c in inner.children() if c.kind == "variable_declarator"]
    return len(names) == 1 and names[0] is not None and names[0].text == name


def _end(text: str, end: int) -> int:
    while text[end : end + 1] == "\n":
        end += 1
    return end


def _imports(text: str, grammar: str, words: set[str], source: str, target: str) -> list[str]:
    """The imports that the piece needs; paths are written from its new place."""
    lines = []
    for node in parse(text, grammar).children():
        if node.kind != "import_statement":
            continue
        names = {t.text for t in tokens(node.text, grammar) if t.kind.endswith("identifier")}
        if names & words:
            if names - words:
                raise Impossible("an import brings more than the symbol needs")
            lines.append(
                re.sub(r"(['\"])(\.[^'\"]*)\1", lambda m: f"{m[1]}{_moved(m[2], source, target)}{m[1]}", node.text)
            )
    return lines


def _moved(path: str, source: str, target: str) -> str:
    """A relative path as it is written from another file."""
    absolute = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    relative = posixpath.relpath(absolute, posixpath.dirname(target) or ".")
    return relative if relative.startswith(".") else f"./{relative}"


def _import(name: str, importer: str, provider: str, files: Mapping[str, Document]) -> str:
    ending = re.compile(r"from\s+(['\"])\.[^'\"]*?(\.[cm]?[jt]sx?)?\1")
    found = next((m for d in files.values() for m in ending.finditer(d.text)), None)
    path = _moved(posixpath.relpath(provider, posixpath.dirname(importer) or "."), importer, importer)
    if found is None or not found[2]:
        path = re.sub(r"\.[cm]?[jt]sx?$", "", path)
    sign = found[1] if found else "'"
    semicolon = ";" if re.search(r";\s*$", files[importer].text, re.MULTILINE) else ""
    return f"import {{ {name} }} from {sign}{path}{sign}{semicolon}"


def _importers(files: Mapping[str, Document], name: str, source: str, target: str) -> dict[str, str]:
    result: dict[str, str] = {}
    for path, document in files.items():
        if path in (source, target) or not re.search(rf"\b{re.escape(name)}\b", document.text):
            continue
        grammar = language_of(path, document.text)[1]
        if grammar not in ("javascript", "typescript", "tsx"):
            continue
        for node in parse(document.text, grammar).children():
            found = re.search(r"from\s*['\"](\.[^'\"]+)['\"]", node.text) if node.kind == "import_statement" else None
            if found is None or not _is(found[1], path, source):
                continue
            if re.search(r"\*\s+as", node.text):
                raise Impossible(f"{path} imports all of {source}")
            names = [p.strip() for p in re.sub(r".*\{|\}.*", "", node.text, flags=re.DOTALL).split(",") if p.strip()]
            mine = [n for n in names if n.split()[0] == name]
            if not mine:
                continue
            if mine != [name] or "{" not in node.text:
                raise Impossible(f"{path} imports `{name}` under another name")
            left = [n for n in names if n != name]
            line = re.sub(r"\{.*\}", f"{{ {', '.join(left)} }}", node.text, flags=re.DOTALL)
            whole = Cut(node.cut.start, node.cut.end + 1)
            text = splice(document.text, [Edit(node.cut, line) if left else Edit(whole, "")])
            result[path] = ensure.apply(text, grammar, [_import(name, path, target, files)])
    return result


def _is(written: str, importer: str, source: str) -> bool:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), written))
    bare = re.sub(r"\.[cm]?[jt]sx?$", "", source)
    return path in (source, bare) or bare == f"{path}/index"
