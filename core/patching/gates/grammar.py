"""Gates on the whole file after the rewrite: it parses as well as before, and nothing of its outline is lost."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from litecode.core.patching import pytree
from litecode.core.patching.bindings import bound
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.syntax import Node, faults, has_grammar, parse


def _yaml(text: str) -> object:
    import yaml

    return list(yaml.compose_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


_LOADERS: dict[str, Callable[[str], Any]] = {
    "python": pytree.check,
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": _yaml,
}


@lru_cache(maxsize=64)
def _fault(text: str, language: str) -> str:
    """What the language's own parser says, empty when it takes the text."""
    try:
        _LOADERS[language](text)
    except SyntaxError as err:
        return f"{err.msg} (line {err.lineno})" if err.lineno else str(err)
    except Exception as err:  # PyYAML's errors share no useful base with the others
        return str(err).split("\n")[0] or type(err).__name__
    return ""


_HEADS = {
    "go": frozenset({"package_clause", "import_declaration"}),
    "java": frozenset({"package_declaration", "import_declaration"}),
    "kotlin": frozenset({"package_header", "import_header", "import_list"}),
    "php": frozenset({"php_tag"}),
}


def heads(rewrite: Rewrite) -> Objection | None:
    """What a file may have at its top alone does not come in below it, which the grammars let pass."""
    kinds = _HEADS.get(rewrite.language or "")
    if kinds is None:
        return None
    old, new = (_below(parse(text, str(rewrite.language)), kinds) for text in (rewrite.before, rewrite.after))
    if len(new) > len(old):
        line = new[-1].text.strip().split("\n")[0]
        return Objection("heads", Grade.REFUSE, f"{quoted(line)} belongs at the top of the file; leave it out")
    return None


def _below(root: Node, kinds: frozenset[str]) -> list[Node]:
    rest = [node for node in root.children() if node.named and "comment" not in node.kind]
    first = next((n for n, node in enumerate(rest) if node.kind not in kinds), len(rest))
    return [node for node in rest[first:] if node.kind in kinds]


def syntax(rewrite: Rewrite) -> Objection | None:
    """The file has no more syntax errors than before, and no larger ones."""
    language = rewrite.language
    if language is None:
        return None
    if language in _LOADERS:
        fault = _fault(rewrite.complete, language)
        if fault and not _fault(rewrite.before, language):
            return Objection("syntax", Grade.REFUSE, f"the code does not parse: {fault}")
    if has_grammar(language):
        before, after = faults(rewrite.before, language), faults(rewrite.after, language)
        # In a file with errors of its own (a macro that no parser knows), a new one can be part of an old one.
        spread = max(0, len(rewrite.new) - len(rewrite.old))
        if after.number > before.number or after.size > before.size + spread:
            return Objection("syntax", Grade.REFUSE, "the code does not parse")
    return None


def outline(rewrite: Rewrite) -> Objection | None:
    """Definitions and imports of the file that vanished and that neither instruction nor pattern names."""
    language = rewrite.language
    if language is None or not has_grammar(language):
        return None
    before, after = rewrite.before, rewrite.after
    gone = definitions(before, language) - definitions(after, language)
    gone |= bound(before, language) - bound(after, language)
    matcher = rewrite.asked.matcher
    named = rewrite.asked.vocabulary.words | (matcher.words if matcher else frozenset())
    for name in sorted(gone):
        if name.rsplit(".", 1)[-1] not in named:
            return Objection("outline", Grade.REFUSE, f"{quoted(name)} is lost")
    return None


@lru_cache(maxsize=64)
def definitions(text: str, language: str) -> frozenset[str]:
    """Dotted names of everything that a text defines (functions, classes, methods)."""
    found: set[str] = set()
    todo: list[tuple[Node, str]] = [(parse(text, language), "")]
    while todo:
        node, prefix = todo.pop()
        for child in node.children():
            inner = prefix
            if child.named and _defines(child.kind):
                name = child.field("name") or child.field("declarator")
                if name is not None:
                    inner = f"{prefix}{name.text.split('(')[0].strip()}."
                    found.add(inner[:-1])
            todo.append((child, inner))
    return frozenset(found)


def _defines(kind: str) -> bool:
    words = ("function", "method", "class", "struct", "interface", "trait", "enum", "module", "constructor", "impl")
    return kind.endswith(("_definition", "_declaration", "_item", "_specifier")) and kind.startswith(words)


def statements(rewrite: Rewrite) -> Objection | None:
    """The unit that was rewritten is still one unit."""
    language = rewrite.language
    if (
        language is None
        or not has_grammar(language)
        or rewrite.area.kind not in ("statement", "expression", "function")
    ):
        return None
    old, new = (_top(text, language) for text in (rewrite.old, rewrite.new))
    if len(new) > max(1, len(old)):
        return Objection(
            "statements", Grade.REFUSE, f"{len(old)} statement became {len(new)}; give only the changed code"
        )
    return None


def _top(text: str, language: str) -> list[Node]:
    return [n for n in parse(text, language).children() if n.named and "comment" not in n.kind and n.kind != "ERROR"]


GATES = (syntax, heads, outline, statements)
