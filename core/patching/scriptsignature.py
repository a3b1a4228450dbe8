"""Parameters of JavaScript and TypeScript functions, and the calls that pass them; there are no keywords."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litecode.core.filemap.outline import language_of
from litecode.core.patching.callables import Head, heads
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.ordering import arranged, name_of, new_order
from litecode.core.patching.syntax import Node, parse
from litecode.core.patching.tokenrename import token_edits

_PLACEHOLDER = "litecodeNewName"
_ENDINGS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_IMPORTS = frozenset(
    """
    import_specifier export_specifier import_clause shorthand_property_identifier shorthand_property_identifier_pattern
    """.split()
)


def is_script(path: str) -> bool:
    return path.endswith(_ENDINGS)


def script_signature(
    files: Mapping[str, Document], name: str, after: Sequence[str], swapped: tuple[str, ...], home: str
) -> dict[str, list[Edit]]:
    uses = token_edits(files, name, _PLACEHOLDER, home)
    found: dict[str, list[Edit]] = {}
    head: Head | None = None
    where = ""
    for path, edits in uses.items():
        grammar = language_of(path, files[path].text)[1]
        heads_here = [h for h in heads(files[path].text, grammar) if h.name == name.rpartition(".")[2]]
        if heads_here and any(
            h.whole.covers(e.cut) or _names(files[path].text, h, e.cut) for h in heads_here for e in edits
        ):
            head, where = heads_here[0], path
    if head is None:
        return {}
    old = list(head.names())
    if "" in old:
        raise Impossible(f"a parameter of `{name}` is a pattern, which has no name")
    new = new_order(old, after, swapped)
    if [n for n in new if n in old] != list(new[: len(old)]):
        raise Impossible("new parameters must come last")
    moved = new[: len(old)] != old
    if moved and any(p.text.startswith("...") for p in head.parameters):
        raise Impossible(f"`{name}` takes any number of arguments")
    for path, edits in uses.items():
        root = parse(files[path].text, language_of(path, files[path].text)[1] or "javascript")
        found[path] = []
        for edit in edits:
            found[path] += _use(path, files[path], root, edit.cut, old, new, moved=moved)
    found[where] += _definition(head, new, {name_of(p): p for p in after})
    return found


def _names(text: str, head: Head, cut: Cut) -> bool:
    """`const f = (a) => a`: the name stands before the function."""
    return cut.of(text) == head.name and cut.end <= head.whole.start <= cut.end + 12


def _definition(head: Head, new: Sequence[str], texts: Mapping[str, str]) -> list[Edit]:
    by_name = {p.name: p.text for p in head.parameters}
    fresh = [n for n in new if n not in by_name]
    if any("=" not in texts.get(n, "") and "?" not in texts.get(n, "") for n in fresh):
        raise Impossible(f"the new parameter `{fresh[0]}` has no default, so that the callers cannot be adapted")
    written = [by_name.get(n) or texts[n] for n in new]
    edits = [Edit(p.cut, text) for p, text in zip(head.parameters, written, strict=False)]
    if fresh and edits:
        edits[-1] = Edit(edits[-1].cut, ", ".join([edits[-1].text, *written[len(head.parameters) :]]))
    elif fresh:
        edits = [Edit(head.inside, ", ".join(written))]
    return [e for e, p in zip(edits, head.parameters, strict=False) if e.text != p.text] or (edits if fresh else [])


def _use(
    path: str, document: Document, root: Node, cut: Cut, old: Sequence[str], new: Sequence[str], *, moved: bool
) -> list[Edit]:
    """The edits of one use of the name."""
    if not moved:
        return []
    node = root
    chain = [root]
    while (inner := next((c for c in node.children() if c.cut.covers(cut)), None)) is not None:
        node = inner
        chain.append(inner)
    line = document.position(cut.start)[0]
    call = next((n for n in reversed(chain) if n.kind == "call_expression"), None)
    function = call.field("function") if call is not None else None
    if call is not None and function is not None and function.cut.end == cut.end:
        return _call(f"{path}:{line}", document.text, call, old, new)
    if any(n.kind in _IMPORTS or n.kind == "export_statement" for n in chain[-3:]) or _is_definition(chain, cut):
        return []
    raise Impossible(f"{path}:{line} hands `{cut.of(document.text)}` on, so that its callers cannot be told")


def _is_definition(chain: Sequence[Node], cut: Cut) -> bool:
    for node in reversed(chain):
        held = node.field("name") or node.field("left")
        if held is not None and held.cut.covers(cut):
            return True
    exports = [
        n for n in chain if n.kind == "assignment_expression" and n.text.startswith(("module.exports", "exports"))
    ]
    return bool(exports)


def _call(where: str, text: str, call: Node, old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    arguments = call.field("arguments")
    args = [c for c in (arguments.children() if arguments else []) if c.named and "comment" not in c.kind]
    if any(a.kind == "spread_element" for a in args):
        raise Impossible(f"{where} passes `...`, so that its arguments cannot be told")
    if len(args) > len(old):
        raise Impossible(f"{where} passes more arguments than there are parameters")
    given = [a.cut.of(text) for a in args]
    positional, rest = arranged(given, old, new)
    if rest:
        raise Impossible(f"{where} leaves an argument out that now comes before another")
    return [Edit(a.cut, t) for a, t in zip(args, positional, strict=True) if a.cut.of(text) != t]
