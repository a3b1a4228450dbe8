"""Gates on the whole file after the rewrite: it parses as well as before, and nothing of its outline is lost."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any

from litecode.core.patching import pytree
from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted
from litecode.core.patching.syntax import Node, errors, has_grammar, parse


def _yaml(text: str) -> object:
    import yaml

    return list(yaml.compose_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


_LOADERS: dict[str, Callable[[str], Any]] = {
    "python": pytree.parse,
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": _yaml,
}


def _fault(text: str, language: str) -> str | None:
    """What the language's own parser says, None when it takes the text."""
    try:
        _LOADERS[language](text)
    except SyntaxError as err:
        return f"{err.msg} (line {err.lineno})"
    except (ValueError, RecursionError) as err:
        return str(err).split("\n")[0]
    except Exception as err:  # PyYAML's errors share no useful base with the others
        return str(err).split("\n")[0]
    return None


def syntax(rewrite: Rewrite) -> Objection | None:
    """The file has no more syntax errors than before."""
    language = rewrite.language
    if language is None:
        return None
    if language in _LOADERS:
        fault = _fault(rewrite.complete, language)
        if fault and _fault(rewrite.before, language) is None:
            return Objection("syntax", Grade.REFUSE, f"the code does not parse: {fault}")
    if has_grammar(language):
        before, after = errors(rewrite.before, language), errors(rewrite.after, language)
        if after > before:
            return Objection("syntax", Grade.REFUSE, "the code does not parse")
    return None


def outline(rewrite: Rewrite) -> Objection | None:
    """Definitions of the file that vanished and that the instruction does not name."""
    language = rewrite.language
    if language is None or not has_grammar(language):
        return None
    gone = definitions(rewrite.before, language) - definitions(rewrite.after, language)
    for name in sorted(gone):
        if name.rsplit(".", 1)[-1] not in rewrite.asked.vocabulary.words:
            return Objection("outline", Grade.REFUSE, f"{quoted(name)} is lost")
    return None


def definitions(text: str, language: str) -> set[str]:
    """Dotted names of everything that a text defines (functions, classes, methods)."""
    found: set[str] = set()

    def walk(node: Node, prefix: str) -> None:
        for child in node.children():
            inner = prefix
            if child.named and _defines(child.kind):
                name = child.field("name") or child.field("declarator")
                if name is not None:
                    inner = f"{prefix}{name.text.split('(')[0].strip()}."
                    found.add(inner[:-1])
            walk(child, inner)

    walk(parse(text, language), "")
    return found


def _defines(kind: str) -> bool:
    words = ("function", "method", "class", "struct", "interface", "trait", "enum", "module", "constructor", "impl")
    return kind.endswith(("_definition", "_declaration", "_item", "_specifier")) and kind.startswith(words)


def statements(rewrite: Rewrite) -> Objection | None:
    """One statement stays one statement of its kind, unless the instruction asks for more."""
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


GATES = (syntax, outline, statements)
