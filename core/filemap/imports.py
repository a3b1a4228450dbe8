"""What the import statements of a file name, in any language whose grammar tells them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from litecode.core.filemap.symbols import one_line
from litecode.core.patching.syntax import Node

_STRING = re.compile(r"""["'`<]([^"'`<>\n]+)["'`>]""")


def imported_names(nodes: list[Node], grammar: str) -> Iterator[str]:
    """Modules, files and names, as the statements write them."""
    for node in nodes:
        if grammar == "python":
            yield from _python_imports(node.text)
            continue
        text = one_line(node.text, 1000)
        quoted = _STRING.findall(text)
        if quoted:
            yield from quoted if grammar in ("php", "bash") else quoted[-1:]
            continue
        words = re.sub(
            r"^(?:pub(?:\([^)]*\))?\s+)?(?:import|use|using|alias|require|source|extern crate|\.)\s+", "", text
        )
        words = re.sub(r"^(?:static|qualified|function|const)\s+", "", words)
        yield from _expanded(words.rstrip("; ")) if grammar == "rust" else [re.split(r"[\s,;(]", words)[0]]


def _python_imports(text: str) -> Iterator[str]:
    flat = " ".join(re.sub(r"#[^\n]*", "", text).replace("\\\n", " ").split())
    found = re.match(r"from\s*([.\w]+)\s*import\s*(.*)", flat)
    names = [part.split(" as ")[0].strip(" ()") for part in (found.group(2) if found else flat[6:]).split(",")]
    for name in filter(None, names):
        if not found:
            yield name
        elif name == "*":
            yield found.group(1)
        else:
            yield found.group(1) + ("" if found.group(1).endswith(".") else ".") + name


def _expanded(path: str) -> Iterator[str]:
    """`a::{b, c::d}` as `a::b` and `a::c::d`."""
    head, brace, rest = path.partition("{")
    if not brace:
        yield path.split(" as ")[0].strip()
        return
    depth, part = 0, ""
    for sign in rest:
        if sign in ",}" and depth == 0:
            if part.strip():
                yield from _expanded(head + part.strip())
            part = ""
            continue
        depth += {"{": 1, "}": -1}.get(sign, 0)
        part += sign
