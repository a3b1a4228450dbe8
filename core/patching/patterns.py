"""The pattern texts of a rule object: are they code, and does ast-grep read them as people mean them?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from litecode.core.errors import RuleError
from litecode.core.patching.document import Cut
from litecode.core.patching.syntax import Node, errors, parse

_SUBSCRIPT = re.compile(r"[\w.$]+\[.+\]", re.DOTALL)
_META = re.compile(r"\$+(?:[A-Z_][A-Z0-9_]*)?")
_NAMED = re.compile(r"\$+(?=[A-Z_])")  # a bare `$` is a sign of some languages
_STRING = re.compile(
    r"""(['"]){3}.*?\1{3}|"(?!"")(?:\\.|[^"\\\n])*"|'(?!'')(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`""", re.DOTALL
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_BLOCK = re.compile(r"\$\$\$(?:[A-Z_][A-Z0-9_]*)?(?=\s*\})")  # `{ $$$BODY }` stands for statements

# A pattern is a fragment; it is sound when it parses in one of these surroundings.
_SURROUNDINGS = (
    "{}",
    "{};",
    "{{ {} }}",
    "({})",
    "[{}]",
    "class X {{ {} }}",
    "void f() {{ {}; }}",
    "a {{ {} }}",
    "fn f() {{ {} }}",
)

# Where an expression cannot stand alone, or is read as something else: `a.B(c)` in Go as a conversion, `a(b)` in C as a
# macro. ast-grep then wants a context, which is found here.
_BODIES = {
    "c": "void x() {{ {}; }}",
    "cpp": "void x() {{ {}; }}",
    "csharp": "class X {{ void x() {{ {}; }} }}",
    "css": "x {{ {} }}",
    "dart": "void x() {{ {}; }}",
    "go": "package x\n\nfunc x() {{\n{}\n}}",
    "java": "class X {{ void x() {{ {}; }} }}",
    "php": "<?php {};",
    "rust": "fn x() {{ {}; }}",
    "solidity": "contract X {{ function x() public {{ {}; }} }}",
}


def codes(rule: object) -> list[str]:
    """The code of all patterns of a rule object, those under `not` left out: they say what must not be there."""
    return [value if isinstance(value, str) else str(value.get("context", "")) for value in _patterns(rule)]


def wordings(rule: object, language: str) -> list[str]:
    """What the patterns of a rule object say, without meta-variables and without the context around a selected part."""
    return [
        _META.sub(" ", value if isinstance(value, str) else _selected(value, language)) for value in _patterns(rule)
    ]


def _patterns(rule: object, *, everywhere: bool = False) -> list[Any]:
    """What stands under `pattern` in a rule object; `everywhere` also under `not`."""
    if isinstance(rule, Mapping):
        found: list[Any] = []
        for key, value in rule.items():
            if key == "pattern":
                found.append(value)
            elif everywhere or key != "not":
                found += _patterns(value, everywhere=everywhere)
        return found
    if isinstance(rule, (list, tuple)):
        return [value for part in rule for value in _patterns(part, everywhere=everywhere)]
    return []


def _selected(pattern: Mapping[str, str], language: str) -> str:
    """The part of a context that is searched for. A meta-variable is a name in it, so that the context parses."""
    code = str(pattern.get("context", ""))
    if "selector" not in pattern:
        return code
    nodes = parse(sample(code), language).find_all({"kind": pattern["selector"]})
    return nodes[0].text if nodes else code


def check(rule: object, language: str, name: str = "the pattern") -> None:
    """Raises RuleError for a pattern with a syntax error: ast-grep takes it and then matches nothing, or too much.
    `name` is what the rule object is called in the message.
    """
    for value in _patterns(rule, everywhere=True):
        pattern = value if isinstance(value, str) else str(value.get("context", ""))
        if not sound(pattern, language):
            message = f"{name} does not parse as {language}: {brief(pattern)}"
            raise RuleError(message, _remedy(pattern, language), snippet=pattern)


def sound(code: str, language: str) -> bool:
    """Whether a piece of code, with or without meta-variables, parses anywhere."""
    surroundings = (*_SURROUNDINGS, *([_BODIES[language]] if language in _BODIES else []))
    samples = dict.fromkeys((sample(code), sample(_BLOCK.sub(r"\g<0>;", code)), _NAMED.sub("_", code)))
    return any(errors(around.format(one), language) == 0 for one in samples for around in surroundings)


def brief(code: str) -> str:
    """The first line of a piece of code, for a message."""
    first, _, rest = code.strip("\n").partition("\n")
    return f"{first} …" if rest else first


def balanced(code: str) -> bool:
    """Whether every bracket and quote has its other half."""
    bare = _STRING.sub("", code)
    opened: list[str] = []
    for sign in re.findall(r"""[][(){}"'`]""", bare):
        if sign in "([{":
            opened.append(sign)
        elif not opened or opened.pop() != _PAIRS.get(sign):
            return False
    return not opened


def _remedy(pattern: str, language: str) -> str:
    if not balanced(pattern):
        return "check brackets and quotes"
    head = pattern.rstrip()
    body = "$$$BODY" if head.endswith(":") else ": $$$BODY" if language == "python" else "{ $$$BODY }"
    if head[-1:].isalnum() or head[-1:] in ("_", ")", ":"):
        space = "" if body.startswith(":") else " "
        if sound(head + space + body, language):
            return f"write the whole statement, with `{body}` at its end; or use `kind`, or `context` and `selector`"
    return "write a whole statement or expression; for a part of one use `kind`, or `context` and `selector`"


def sample(pattern: str) -> str:
    """Code that the pattern should match."""
    return _META.sub(lambda m: "_" + (m.group().lstrip("$") or "x"), pattern)


def surrounded(code: str, language: str) -> tuple[str, int]:
    """A text in which a piece of code can stand, and the offset of the code in it."""
    body = _BODIES.get(language, "{}")
    return body.format(code), body.format("\0").index("\0")


def in_context(rule: Any, language: str) -> Any:
    """The rule object with a context for every pattern that would not match its own text without one."""
    if isinstance(rule, Mapping):
        return {
            key: _with_context(value, language)
            if key == "pattern" and isinstance(value, str)
            else in_context(value, language)
            for key, value in rule.items()
        }
    if isinstance(rule, (list, tuple)):
        return [in_context(part, language) for part in rule]
    return rule


def in_types(rule: Any, language: str) -> Any:
    """The rule object with each pattern of the form `Name[...]` also looking at annotations, which Python's grammar
    reads apart from subscripts.
    """
    if language != "python":
        return rule
    if isinstance(rule, (list, tuple)):
        return [in_types(part, language) for part in rule]
    if not isinstance(rule, Mapping):
        return rule
    pattern = rule.get("pattern")
    deeper = {key: in_types(value, language) for key, value in rule.items() if key != "pattern"}
    if not isinstance(pattern, str):
        return rule if "pattern" in rule and not deeper else {**deeper, **({"pattern": pattern} if pattern else {})}
    if "any" in rule or not _SUBSCRIPT.fullmatch(pattern.strip()):
        return {**deeper, "pattern": pattern}
    annotation = {"context": f"x: {pattern.strip()}", "selector": "generic_type"}
    return {**deeper, "any": [{"pattern": pattern}, {"pattern": annotation}]}


def _with_context(pattern: str, language: str) -> str | Mapping[str, str]:
    body = _BODIES.get(language)
    if body is None:
        return pattern
    code, head = surrounded(sample(pattern), language)
    place = Cut(head, head + len(sample(pattern)))
    root = parse(code, language)

    def matches(candidate: str | Mapping[str, str]) -> bool:
        return any(node.cut == place for node in root.find_all({"pattern": candidate}))

    whole: list[Node] = [node for node in root.walk() if node.cut == place and node.named]
    if errors(code, language) or not whole or matches(pattern):
        return pattern
    context = {"context": body.format(pattern), "selector": whole[-1].kind}
    return context if matches(context) else pattern
