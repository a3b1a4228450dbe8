"""Imports that new code needs: found by the names that it uses and nothing defines, written by code."""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from litecode.core.patching.bindings import bound
from litecode.core.patching.document import Document
from litecode.core.patching.pyimports import import_line
from litecode.core.patching.pymodules import bound_in, is_python, target_of
from litecode.core.patching.pytree import tree
from litecode.core.patching.syntax import tokens

_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
# Names of the standard library that are nearly always imported from their module.
_FROM = {
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "collections.abc": "Callable Iterable Iterator Mapping Sequence",
    "contextlib": "contextmanager suppress",
    "dataclasses": "dataclass",
    "datetime": "timedelta timezone",
    "decimal": "Decimal",
    "enum": "Enum",
    "functools": "lru_cache partial reduce wraps",
    "pathlib": "Path",
    "typing": "Any Dict List Optional Tuple Union",
}
_HOME = {name: module for module, names in _FROM.items() for name in names.split()}


def needed(
    before: str, after: str, path: str, language: str | None, others: Mapping[str, Document], offered: Sequence[str]
) -> tuple[str, ...]:
    """The import lines that `after` needs and does not have. `offered` are import lines of the reply; they count when
    they name the standard library, a file of the plan, or a package that the file knows already.
    """
    if language in _SCRIPTS:
        return tuple(_script_lines(before, after, path, language, others))
    if language != "python":
        return ()
    lines = [line for name in _undefined(before, after) if (line := _line(name, before, path, others, offered))]
    return tuple(dict.fromkeys(lines))


def _undefined(before: str, after: str) -> list[str]:
    from pyflakes import checker, messages

    def names(text: str) -> list[str]:
        module = tree(text)
        if module is None:
            return []
        try:
            found = checker.Checker(module, filename="code").messages
        except RecursionError:
            return []
        return [str(m.message_args[0]) for m in found if isinstance(m, messages.UndefinedName)]

    old = set(names(before))
    return [name for name in dict.fromkeys(names(after)) if name not in old]


def _line(name: str, text: str, path: str, others: Mapping[str, Document], offered: Sequence[str]) -> str:
    for provider, document in others.items():
        module = tree(document.text) if is_python(provider) else None
        if module is not None and name in _defined(module):
            return import_line(path, provider, name, {**others, path: Document(text)})
    for line in offered:
        found = _one(line, name)
        if found and _is_known(found, text, path, others):
            return found
    if name in sys.stdlib_module_names:
        return f"import {name}"
    return f"from {_HOME[name]} import {name}" if name in _HOME else ""


def _defined(module: ast.Module) -> set[str]:
    """What the top of a module defines itself."""
    imported = {a.asname or a.name for n in module.body if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names}
    return bound_in(module) - imported


def _one(line: str, name: str) -> str:
    """The part of an import that binds one name."""
    module = tree(line)
    for node in module.body if module else ():
        for alias in getattr(node, "names", []):
            if (alias.asname or alias.name.split(".")[0]) == name:
                if isinstance(node, ast.ImportFrom):
                    return f"from {'.' * node.level}{node.module or ''} import {ast.unparse(alias)}"
                return f"import {ast.unparse(alias)}"
    return ""


def _is_known(line: str, text: str, path: str, others: Mapping[str, Document]) -> bool:
    """Whether what an import names is there for sure."""
    found = re.match(r"(?:from|import)\s+(\.*)([\w.]*)", line)
    if found is None:
        return False
    top = found[2].split(".")[0]
    if not found[1] and top in sys.stdlib_module_names:
        return True
    if target_of(path, found[2], len(found[1]), others) is not None:
        return False  # the file is there, but does not have the name
    return not found[1] and re.search(rf"^\s*(?:from|import)\s+{re.escape(top)}\b", text, re.MULTILINE) is not None


def _script_lines(before: str, after: str, path: str, language: str, others: Mapping[str, Document]) -> Iterator[str]:
    """Names of the other files of the plan that the code uses now and did not before."""

    def words(text: str) -> set[str]:
        return {t.text for t in tokens(text, language) if t.kind in ("identifier", "type_identifier")}

    new = words(after) - words(before) - bound(after, language)
    for provider, document in others.items():
        if not re.search(r"\.[cm]?[jt]sx?$", provider):
            continue
        for name in sorted(new & _exported(document.text)):
            yield _script_line(name, path, provider, before)


def _exported(text: str) -> set[str]:
    found = set(
        re.findall(
            r"^export\s+(?:default\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|type|interface|enum)\s+([\w$]+)",
            text,
            re.MULTILINE,
        )
    )
    for listed in re.findall(r"(?:module\.exports\s*=|^export)\s*\{([^}]*)\}", text, re.MULTILINE):
        found |= set(re.findall(r"[\w$]+", listed))
    return found | set(re.findall(r"^(?:module\.)?exports\.([\w$]+)\s*=", text, re.MULTILINE))


def _script_line(name: str, path: str, provider: str, text: str) -> str:
    relative = posixpath.relpath(provider, posixpath.dirname(path) or ".")
    relative = relative if relative.startswith(".") else f"./{relative}"
    local = re.search(r"(?:from|require\()\s*(['\"])(\.[^'\"]*)\1", text)
    if local is None or not re.search(r"\.[cm]?[jt]sx?$", local[2]):
        modules = re.search(r"^import\b", text, re.MULTILINE) and local is None and provider.endswith(".mjs")
        relative = relative if modules else re.sub(r"\.[cm]?[jt]sx?$", "", relative)
    sign = local[1] if local else '"' if text.count('"') > text.count("'") else "'"
    end = ";" if ";" in text else ""
    if re.search(r"\brequire\(|\bmodule\.exports\b", text) and not re.search(r"^import\b", text, re.MULTILINE):
        return f"const {{ {name} }} = require({sign}{relative}{sign}){end}"
    return f"import {{ {name} }} from {sign}{relative}{sign}{end}"


def offered(code: str, language: str | None) -> tuple[str, ...]:
    """The import lines at the top of a reply."""
    if language != "python":
        return ()
    module = tree(code)
    nodes = module.body if module else ()
    return tuple(ast.unparse(n) for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)))
