"""What the grammars of ast-grep call the things that an outline shows. One entry for each grammar: labels, and the
kinds of nodes that get them. A kind that its grammar does not have is an error of ast-grep, so every entry is tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Rule = Mapping[str, Any]

# Labels whose symbols hold others: those become members, `Cart.total`. In all others what is inside stays hidden.
HOLDERS = frozenset(
    "class struct interface trait impl module namespace object enum protocol extension contract library".split()
)
# Labels of what is hidden inside of a class when a map has little room.
MEMBERS = frozenset({"method", "property", "event"})


class Kinds(NamedTuple):
    """`labels` by kind of node; `rules` are for places that a kind alone does not tell; `imports` are kinds, too."""

    labels: Mapping[str, str]
    imports: tuple[str, ...] = ()
    rules: tuple[tuple[Rule, str], ...] = ()
    import_rules: tuple[Rule, ...] = ()


def _labels(**kinds: str) -> dict[str, str]:
    return {kind: label.rstrip("_") for label, names in kinds.items() for kind in names.split()}


def _inside(kind: str, *around: str, **more: Any) -> Rule:
    """A node of a kind whose parents are of the kinds `around`, innermost first."""
    rule: Rule | None = None
    for outer in reversed(around):
        rule = {"kind": outer, "inside": rule} if rule else {"kind": outer}
    return {"kind": kind, **({"inside": rule} if rule else {}), **more}


_SCRIPT_TOPS = ("program", "export_statement")
_FUNCTION = {"any": [{"kind": "arrow_function"}, {"kind": "function_expression"}, {"kind": "generator_function"}]}
_REQUIRE = {"kind": "call_expression", "regex": r"^(?:require|import)\("}
_SCRIPT_RULES: tuple[tuple[Rule, str], ...] = (
    *(
        (_inside("variable_declarator", declaration, top), "variable")
        for declaration in ("lexical_declaration", "variable_declaration")
        for top in _SCRIPT_TOPS
    ),
    ({"kind": "assignment_expression", "has": {"field": "right", **_FUNCTION}}, "function"),
)
_JAVASCRIPT = Kinds(
    _labels(
        class_="class_declaration",
        function="function_declaration generator_function_declaration",
        method="method_definition",
    ),
    ("import_statement",),
    (*_SCRIPT_RULES, ({"kind": "field_definition", "has": _FUNCTION}, "method")),
    (_REQUIRE, {"kind": "export_statement", "has": {"kind": "string", "field": "source"}}),
)
_TYPESCRIPT = _JAVASCRIPT._replace(
    labels=_labels(
        class_="class_declaration abstract_class_declaration",
        interface="interface_declaration",
        type="type_alias_declaration",
        enum="enum_declaration",
        namespace="internal_module module",
        function="function_declaration generator_function_declaration function_signature",
        method="method_definition method_signature abstract_method_signature",
    ),
    rules=(*_SCRIPT_RULES, ({"kind": "public_field_definition", "has": _FUNCTION}, "method")),
)
_C = Kinds(
    _labels(
        function="function_definition", macro="preproc_function_def", constant="preproc_def", type="type_definition"
    ),
    ("preproc_include",),
    (
        ({"kind": "struct_specifier", "has": {"kind": "field_declaration_list"}}, "struct"),
        ({"kind": "union_specifier", "has": {"kind": "field_declaration_list"}}, "struct"),
        ({"kind": "enum_specifier", "has": {"kind": "enumerator_list"}}, "enum"),
        (_inside("declaration", "translation_unit"), "variable"),
    ),
)

KINDS: Mapping[str, Kinds] = {
    "python": Kinds(
        _labels(class_="class_definition", function="function_definition", type="type_alias_statement"),
        ("import_statement", "import_from_statement"),
        ((_inside("assignment", "expression_statement", "module"), "variable"),),
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": Kinds(
        _labels(function="function_declaration", method="method_declaration", type="type_spec type_alias"),
        ("import_spec",),
        (
            (_inside("const_spec", "const_declaration", "source_file"), "constant"),
            (_inside("var_spec", "var_declaration", "source_file"), "variable"),
            (_inside("var_spec", "var_spec_list", "var_declaration", "source_file"), "variable"),
        ),
    ),
    "rust": Kinds(
        _labels(
            function="function_item function_signature_item",
            struct="struct_item union_item",
            enum="enum_item",
            trait="trait_item",
            impl="impl_item",
            module="mod_item",
            constant="const_item static_item",
            type="type_item",
            macro="macro_definition",
        ),
        ("use_declaration", "extern_crate_declaration"),
    ),
    "java": Kinds(
        _labels(
            class_="class_declaration record_declaration",
            interface="interface_declaration annotation_type_declaration",
            enum="enum_declaration",
            method="method_declaration constructor_declaration compact_constructor_declaration",
        ),
        ("import_declaration",),
    ),
    "kotlin": Kinds(
        _labels(
            class_="class_declaration",
            object="object_declaration companion_object",
            function="function_declaration",
            type="type_alias",
        ),
        ("import_header",),
        ((_inside("property_declaration", "source_file"), "variable"),),
    ),
    "c": _C,
    "cpp": _C._replace(
        labels={**_C.labels, **_labels(namespace="namespace_definition", type="alias_declaration")},
        rules=(
            *_C.rules,
            ({"kind": "class_specifier", "has": {"kind": "field_declaration_list"}}, "class"),
            ({"kind": "field_declaration", "has": {"kind": "function_declarator"}}, "method"),
            ({"kind": "declaration", "has": {"kind": "function_declarator"}}, "function"),
        ),
    ),
    "csharp": Kinds(
        _labels(
            namespace="namespace_declaration",
            class_="class_declaration record_declaration",
            struct="struct_declaration",
            interface="interface_declaration",
            enum="enum_declaration",
            type="delegate_declaration",
            method="method_declaration constructor_declaration",
            property="property_declaration",
        ),
        ("using_directive",),
    ),
    "ruby": Kinds(
        _labels(class_="class", module="module", function="method singleton_method"),
        (),
        ((_inside("assignment", "program", has={"kind": "constant", "field": "left"}), "constant"),),
        ({"kind": "call", "regex": r"^(?:require|require_relative|load)\b"},),
    ),
    "php": Kinds(
        _labels(
            class_="class_declaration",
            interface="interface_declaration",
            trait="trait_declaration",
            enum="enum_declaration",
            function="function_definition",
            method="method_declaration",
        ),
        ("namespace_use_declaration", "require_expression", "require_once_expression", "include_expression"),
    ),
    "swift": Kinds(
        _labels(
            class_="class_declaration",
            protocol="protocol_declaration",
            function="function_declaration protocol_function_declaration",
            method="init_declaration",
            type="typealias_declaration",
        ),
        ("import_declaration",),
        ((_inside("property_declaration", "source_file"), "variable"),),
    ),
    "scala": Kinds(
        _labels(
            class_="class_definition",
            object="object_definition",
            trait="trait_definition",
            enum="enum_definition",
            function="function_definition function_declaration",
            type="type_definition",
        ),
        ("import_declaration",),
        ((_inside("val_definition", "compilation_unit"), "variable"),),
    ),
    "bash": Kinds(
        _labels(function="function_definition"),
        (),
        (
            (_inside("variable_assignment", "program"), "variable"),
            (_inside("variable_assignment", "declaration_command", "program"), "variable"),
        ),
        ({"kind": "command", "regex": r"^(?:source|\.)\s"},),
    ),
    "json": Kinds({}, (), ((_inside("pair", "object", "document"), "key"),)),
    "yaml": Kinds({}, (), ((_inside("block_mapping_pair", "block_mapping", "block_node", "document"), "key"),)),
    "css": Kinds(_labels(rule="rule_set keyframes_statement"), ("import_statement",)),
    "lua": Kinds(
        _labels(function="function_declaration"),
        (),
        (({"kind": "assignment_statement", "regex": r"(?s)^[\w.:]+\s*=\s*function\b"}, "function"),),
        ({"kind": "function_call", "regex": r"^require\b"},),
    ),
    "elixir": Kinds(
        {},
        (),
        (
            ({"kind": "call", "regex": r"^(?:defmodule|defprotocol|defimpl)\s"}, "module"),
            ({"kind": "call", "regex": r"^(?:def|defp|defmacro|defmacrop|defguard|defdelegate)\s"}, "function"),
        ),
        ({"kind": "call", "regex": r"^(?:alias|import|use|require)\s"},),
    ),
    "haskell": Kinds(
        _labels(type="data_type newtype type_synonym", class_="class"),
        ("import",),
        tuple((_inside(kind, "declarations"), "function") for kind in ("signature", "function", "bind")),
    ),
    "hcl": Kinds(_labels(block="block")),
    "solidity": Kinds(
        _labels(
            contract="contract_declaration",
            interface="interface_declaration",
            library="library_declaration",
            function="function_definition constructor_definition modifier_definition",
            struct="struct_declaration",
            enum="enum_declaration",
            event="event_definition error_declaration",
        ),
        ("import_directive",),
    ),
    "nix": Kinds(_labels(binding="binding")),
    "dart": Kinds(
        _labels(
            class_="class_declaration",
            trait="mixin_declaration",
            extension="extension_declaration",
            enum="enum_declaration",
            function="function_declaration",
            method="method_declaration",
            type="type_alias",
        ),
        ("library_import", "library_export"),
        (({"kind": "declaration", "has": {"regex": ".", "kind": "constructor_signature"}}, "method"),),
    ),
}
