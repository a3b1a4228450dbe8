"""The smallest part of a text that makes a task possible: from the place of a match outwards to expression, statement,
function, class, file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.syntax import Node, has_grammar, parse

# Nodes whose children are statements. Grammars name them differently; the list is from their node-types files.
CONTAINERS = frozenset(
    """
    module program block statement_block source_file translation_unit compound_statement class_body declaration_list
    switch_case switch_default switch_section case_statement body_statement do_block begin_block then else do_group
    case_item stylesheet chunk field_declaration_list interface_body enum_body function_body statements template_body
    compilation_unit rule_set namespace_declaration_body object_body constructor_body document stream template
    """.split()
)
# Where the parts of a file are neither statements nor definitions, the entries of its lists and mappings are the units.
_ENTRIES = {
    "json": frozenset({"object", "array"}),
    "yaml": frozenset({"block_mapping", "block_sequence", "flow_mapping", "flow_sequence"}),
}
_FUNCTIONS = frozenset(
    """
    function_definition function_declaration method_definition method_declaration function_item
    constructor_declaration generator_function_declaration method singleton_method function local_function_statement
    function_statement local_function constructor_definition init_declaration secondary_constructor macro_definition
    """.split()
)
_CLASSES = frozenset(
    """
    class_definition class_declaration class_specifier struct_specifier struct_item impl_item trait_item enum_item
    interface_declaration enum_declaration record_declaration class object_declaration object_definition
    trait_definition contract_declaration mod_item type_declaration abstract_class_declaration protocol_declaration
    """.split()
)
# What is a statement, or the like, without being called so.
_STATEMENTS = {
    "bash": frozenset({"command", "pipeline", "list", "variable_assignment"}),
    "html": frozenset({"element", "script_element", "style_element"}),
}
# A function without a name of its own: the statement that it is part of takes its place.
_ANONYMOUS = frozenset(
    """
    arrow_function function_expression generator_function func_literal closure_expression lambda lambda_expression
    lambda_literal anonymous_function anonymous_method_expression do_block block_argument
    """.split()
)
# What belongs to the unit inside it: decorators, `export`, the declaration that holds an arrow function.
_WRAPPERS = frozenset({"decorated_definition", "export_statement", "template_declaration"})
KINDS = ("expression", "statement", "function", "class", "file")


@dataclass(frozen=True, slots=True)
class Area:
    """A region of a text and the places in it that made it one."""

    cut: Cut
    kind: str
    sites: tuple[Cut, ...]


def region_of(document: Document, site: Cut, kind: str, language: str | None) -> Area:
    """The region of one site. `kind` is a name of KINDS or `line`; where the text has no such unit around the site, it
    is the next smaller one, and of that kind.
    """
    text = document.text
    if kind == "file":
        return Area(Cut(0, len(text)), "file", (site,))
    if kind == "line" or not has_grammar(language) or language is None:
        grown = (
            document.whole_lines(site) if kind in ("line", "expression", "statement") else _blank_line_block(text, site)
        )
        return Area(_inside_line_margins(text, grown), "line" if kind == "line" else kind, (site,))
    node = _smallest(parse(text, language), site)
    cut, found = _grow(node, site, kind, language)
    return Area(_inside_line_margins(text, cut or document.whole_lines(site)), found, (site,))


def regions_of(document: Document, sites: list[Cut], kind: str, language: str | None) -> list[Area]:
    """The regions of all sites, in the order of the text; sites that share a region, or whose regions overlap, are
    together.
    """
    merged: list[Area] = []
    for area in sorted(
        (region_of(document, s, kind, language) for s in sites), key=lambda a: (a.cut.start, -a.cut.end)
    ):
        if merged and area.cut.start < merged[-1].cut.end:
            last = merged[-1]
            whole = Cut(last.cut.start, max(last.cut.end, area.cut.end))
            merged[-1] = replace(last, cut=whole, sites=(*last.sites, *area.sites))
        else:
            merged.append(area)
    return merged


def functions(document: Document, language: str | None) -> list[Area]:
    """Every outermost function or method of a text, decorators included; none without a grammar."""
    if language is None or not has_grammar(language):
        return []
    found: list[Area] = []
    todo = [parse(document.text, language)]
    while todo:
        node = todo.pop()
        if _is(node, _FUNCTIONS):
            found.append(Area(_wrapped(node), "function", ()))
        else:
            todo += reversed(node.children())
    return found


def wider(document: Document, area: Area, language: str | None) -> Area | None:
    """The next larger kind of region around an area, None when there is none that is larger."""
    order = ("line", *KINDS)
    for kind in order[order.index(area.kind) + 1 : -1]:
        grown = region_of(document, Cut(area.sites[0].start, area.sites[-1].end), kind, language)
        if grown.cut.covers(area.cut) and grown.cut != area.cut:
            return replace(grown, sites=area.sites)
    return None


def _smallest(root: Node, site: Cut) -> Node:
    node = root
    while True:
        inner = next((c for c in node.children() if c.cut.covers(site)), None)
        if inner is None:
            return node
        node = inner


def _grow(node: Node, site: Cut, kind: str, language: str) -> tuple[Cut | None, str]:
    """The unit around a node and what it really is."""
    if kind == "expression":
        return None if node.parent() is None else node.cut, kind
    if kind == "class" and (found := _around(node, _CLASSES)) is not None:
        return _wrapped(found), kind
    if kind in ("class", "function"):
        if (found := _around(node, _FUNCTIONS)) is not None:
            return _wrapped(found), "function"
        node = _around(node, _ANONYMOUS) or node
    return _statement(node, site, language), "statement"


def _around(node: Node, kinds: frozenset[str]) -> Node | None:
    """The innermost node of some kinds that a node is, or is in."""
    at: Node | None = node
    while at is not None:
        if _is(at, kinds):
            return at
        # From a decorator, or from `export`, the definition is not above but beside.
        inner = (at.field("definition") or at.field("declaration")) if at.kind in _WRAPPERS else None
        if inner is not None and _is(inner, kinds):
            return inner
        at = at.parent()
    return None


def _is(node: Node, kinds: frozenset[str]) -> bool:
    """Whether a node is of some kinds; the keyword `function` has a kind of that name, too."""
    return (node.kind in kinds and node.named) or (kinds is _FUNCTIONS and _holds_arrow(node))


def _holds_arrow(node: Node) -> bool:
    """`const f = (x) => ...`: the declaration is the function."""
    if node.kind not in ("lexical_declaration", "variable_declaration"):
        return False
    values = [c.field("value") for c in node.children() if c.kind == "variable_declarator"]
    return any(v is not None and v.kind in ("arrow_function", "function_expression") for v in values)


def containers(language: str) -> frozenset[str]:
    """The kinds of nodes whose children are statements, or entries."""
    return CONTAINERS | _ENTRIES.get(language, frozenset())


def _statement(node: Node, site: Cut, language: str) -> Cut | None:
    """The innermost statement: a child of a container, or what its grammar calls a statement or a declaration. For a
    site over several statements, all of them.
    """
    kinds = containers(language)
    if node.kind in kinds:
        touched = [child.cut for child in node.children() if child.named and child.cut.touches(site)]
        return Cut(min(touched[0].start, site.start), max(touched[-1].end, site.end)) if touched else None
    at: Node | None = node
    while at is not None:
        parent = at.parent()
        if parent is None:
            return None
        if at.kind in kinds or parent.kind in kinds or is_statement(at.kind, language):
            return _wrapped(at)
        at = parent
    return None


def is_statement(kind: str, language: str) -> bool:
    """Whether a grammar means a statement by a kind of node; a `list` is one in the shell only."""
    if kind in _STATEMENTS.get(language, ()):
        return True
    return kind.endswith(("_statement", "_declaration")) and not kind.startswith(("parameter", "import"))


def _wrapped(node: Node) -> Cut:
    parent = node.parent()
    while parent is not None and parent.kind in _WRAPPERS:
        node, parent = parent, parent.parent()
    return node.cut


def _blank_line_block(text: str, site: Cut) -> Cut:
    """The lines around a site up to the next blank lines; the unit of text that no grammar knows."""
    start = text.rfind("\n\n", 0, site.start)
    end = text.find("\n\n", site.end)
    return Cut(0 if start < 0 else start + 2, len(text) if end < 0 else end)


def _inside_line_margins(text: str, cut: Cut) -> Cut:
    """Whole lines without the indentation of the first and the white space after the last: these never change."""
    start, end = cut
    while start < end and text[start] in " \t\n":
        start += 1
    while end > start and text[end - 1] in " \t\n":
        end -= 1
    return Cut(start, end)
